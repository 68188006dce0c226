"""The figures that the paper has: those of its tables, and those its source has beside them."""

from __future__ import annotations

import csv
import functools
from dataclasses import dataclass
from importlib import resources

# What the paper calls our rows and instances, where the names differ.
_ROWS = {"alpha-expansion": "expansion", "alphabeta-swap": "swap"}
_INSTANCES = {"kitti": "kitti-000070"}


@dataclass(frozen=True)
class Figure:
    """An energy in its own units (the paper prints thousands) and a time in seconds."""

    energy: float
    seconds: float
    printed: bool


@functools.cache
def figures() -> dict[tuple[str, str, str], Figure]:
    """Return all of them, by instance, prior and row as we name them.

    Examples
    --------
    >>> from rangemoves.bench.paper import figures
    >>> figures()["venus", "quadratic", "gswap"]
    Figure(energy=3080600.0, seconds=13.0, printed=True)
    """
    text = resources.files(__package__).joinpath("paper-tables.csv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return {
        (
            _INSTANCES.get(row["instance"], row["instance"]),
            row["prior"].removeprefix("truncated-"),
            _ROWS.get(row["method"], row["method"]),
        ): Figure(
            # Printed in thousands with one decimal: exact in hundreds.
            energy=round(float(row["energy_k"]) * 10) * 100.0,
            seconds=float(row["time_s"]),
            printed=row["printed"] == "yes",
        )
        for row in csv.DictReader(lines)
    }


def rows_of(prior: str) -> list[str]:
    """Return the rows that the paper has under a prior."""
    return list(dict.fromkeys(row for _, its, row in figures() if its == prior))
