"""Solvers beside each other: a bar each for time, memory, energy and errors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ... import plots
from ..cell import CompareCell
from .canvas import save
from .style import colour_of_package

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_compare(out: Path, cells: Iterable[CompareCell]) -> list[Path]:
    """Draw the time, and where known energy and memory, of every solver for each case.

    Parameters
    ----------
    out : Path
        The folder of the run.
    cells : iterable of CompareCell
        Its cells.

    Returns
    -------
    list of Path
        ``compare-PROBLEM-CASE.png`` and ``.svg``.
    """
    written: list[Path] = []
    for case, members in compared(cells).items():
        written += save(out, compare_name(case), comparison(case, members))
    return written


def compared(cells: Iterable[CompareCell]) -> dict[str, list[CompareCell]]:
    """Return the finished cells by problem and case."""
    found: dict[str, list[CompareCell]] = {}
    for cell in cells:
        if cell.seconds is not None:
            words = (cell.problem, cell.case)
            found.setdefault(": ".join(word for word in words if word), []).append(cell)
    return found


def compare_name(case: str) -> str:
    """Return the name of the figure of such a case."""
    return "-".join(["compare", *re.findall(r"\w+", case)])


def comparison(case: str, cells: Sequence[CompareCell]) -> Figure:
    """Draw bars, fastest first; each with its figure written at its end."""
    shown = sorted(cells, key=lambda cell: cell.seconds or 0.0)
    quantities = {
        label: values for label, values in _quantities(shown).items() if not all(np.isnan(values))
    }
    figure = plots.new_figure(1.6 + 3.4 * len(quantities), 1.3 + 0.42 * len(shown))
    panels = figure.subplots(1, len(quantities), sharey=True, squeeze=False)[0]
    colours = [colour_of_package(cell.solver) for cell in shown]
    for axes, (label, values) in zip(panels, quantities.items(), strict=True):
        _bars(axes, label, values, colours)
    panels[0].set_yticks(range(len(shown)), [cell.solver for cell in shown])
    panels[0].invert_yaxis()
    panels[0].set_title(case, loc="left")
    return figure


def _quantities(cells: Sequence[CompareCell]) -> dict[str, list[float]]:
    """Return what is drawn of each cell by the name of its axis; NaN where unknown."""

    def known(values: Iterable[float | None]) -> list[float]:
        return [float("nan") if value is None else float(value) for value in values]

    energies = known(cell.energy for cell in cells)
    lowest = float(np.nanmin(energies)) if not all(np.isnan(energies)) else 0.0
    return {
        "seconds": known(cell.seconds for cell in cells),
        "memory, MiB": [value / 2**20 for value in known(cell.memory_bytes for cell in cells)],
        "energy above the lowest, per cent": [
            100 * (value - lowest) / (abs(lowest) or 1.0) for value in energies
        ],
        "wrong pixels, per cent": known(cell.bad1 for cell in cells),
    }


def _bars(axes: Axes, label: str, values: Sequence[float], colours: Sequence[str]) -> None:
    bars = axes.barh(range(len(values)), np.nan_to_num(values), color=colours, height=0.62)
    texts = ["not measured" if np.isnan(value) else f"{value:.3g}" for value in values]
    axes.bar_label(bars, texts, padding=3, fontsize=9)
    axes.margins(x=0.24)
    axes.set_xlim(left=0)
    axes.set_xlabel(label)
    axes.grid(axis="x", alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
