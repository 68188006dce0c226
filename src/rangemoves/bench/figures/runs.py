"""The cells of a run of the paper's tables, with the results that they left behind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ...result import Result
from ..cell import PaperCell
from ..problems import PRIOR_NAMES


@dataclass(frozen=True)
class Run:
    """A cell and what it left behind.

    Attributes
    ----------
    cell : PaperCell
        One entry of the results.
    result : Result
        Its labelling and trace.
    """

    cell: PaperCell
    result: Result

    @property
    def row(self) -> str:
        return self.cell.row

    @property
    def energy(self) -> float:
        assert self.cell.energy is not None  # it left a result
        return self.cell.energy

    @property
    def seconds(self) -> list[float]:
        """When each record was made, counting what the start took before."""
        before = self.cell.start_seconds or 0.0
        return [before + record.seconds for record in self.result.trace]


def title_of(instance: str, prior: str, own: bool = False) -> str:
    """Return the words for one instance and prior."""
    name = instance.upper() if instance.startswith("kitti") else instance.capitalize()
    return f"{name}{' (own costs)' if own else ''}, {PRIOR_NAMES.get(prior, prior)}"


def groups(cells: Iterable[PaperCell]) -> dict[tuple[str, str], list[PaperCell]]:
    """Return the cells of each instance and prior, in the order in which they first come."""
    found: dict[tuple[str, str], list[PaperCell]] = {}
    for cell in cells:
        found.setdefault((cell.instance, cell.prior), []).append(cell)
    return found


def load_runs(out: Path, cells: Iterable[PaperCell]) -> list[Run]:
    """Return the runs of those cells that left a result."""
    return [
        Run(cell, Result.load(out / cell.result))
        for cell in cells
        if cell.result and (out / cell.result).is_file()
    ]


def maps_of(runs: Iterable[Run]) -> tuple[list[Run], int]:
    """Return the runs whose labels are an image, and the largest label among them."""
    shown = [run for run in runs if run.result.labels.ndim == 2]
    return shown, max((int(run.result.labels.max()) for run in shown), default=0)
