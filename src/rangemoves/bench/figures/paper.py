"""The paper's figures, for every instance and prior that has the data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..cell import PaperCell
from ..rows import is_variant, method_of
from .canvas import save
from .energies import both_energies, energy_against_time
from .maps import disparity_maps
from .moves import active_variables, changed_pixels
from .runs import Run, groups, load_runs, maps_of, title_of
from .style import OURS, STYLES

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(out: Path, cells: Iterable[PaperCell]) -> list[Path]:
    """Draw the paper's figures for every instance and prior that has the data.

    Parameters
    ----------
    out : Path
        The folder of the run; the figures go to ``out/figures``.
    cells : iterable of PaperCell
        Its cells.

    Returns
    -------
    list of Path
        What was written: ``INSTANCE-PRIOR-FIGURE.png`` and ``.svg``.
    """
    written: list[Path] = []
    for (instance, prior), members in groups(cells).items():
        # Variants would be curves on top of each other; the tables have them.
        shown = [cell for cell in members if not is_variant(cell.row)]
        runs = load_runs(out, shown or members)
        title = title_of(instance, prior, any(cell.own for cell in members))
        for name, figure in figures_of(runs, title):
            written += save(out, f"{instance}-{prior}-{name}", figure)
    return written


def figures_of(runs: Sequence[Run], title: str) -> Iterator[tuple[str, Figure]]:
    """Yield the figures of one instance and prior by name."""
    traced = [run for run in runs if run.result.trace]
    if traced:
        yield "energy-time", energy_against_time(traced, title)
    ours = [run for run in traced if run.row in OURS]
    if ours and all(len(run.result.trace) == 1 for run in ours):
        # One move from label 0 is a single point; runs from alpha-expansion show more.
        ours += [run for run in traced if method_of(run.row) in OURS and run not in ours]
    if ours:
        yield "energies", both_energies(ours, title)
        yield "changed", changed_pixels(ours, title)
    # Message passing has no moves, "best" mixes several kinds; E+ rows look as those without.
    moving = [run for run in traced if run.row in STYLES and run.row not in ("trws", "best")]
    if moving:
        yield "active", active_variables(moving, title)
    shown, largest = maps_of(runs)
    if shown:
        yield "maps", disparity_maps(shown, largest, title)
