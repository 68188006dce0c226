"""What the numbers of a run say: the lowest energies, the paper's, differences and gaps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from ..cell import Cell, PaperCell
from ..figures.runs import groups

# The lowest energy by instance and prior.
Lowest = Mapping[tuple[str, str], float]

# Half of the last digit that the paper prints, in the energy's own units.
_PAPER_DIGIT = 50.0


def lowest_energies(cells: Iterable[PaperCell]) -> dict[tuple[str, str], float]:
    """Return the lowest energy that any row found, for each instance and prior."""
    return {
        case: min(energies)
        for case, members in groups(cells).items()
        if (energies := [cell.energy for cell in members if cell.energy is not None])
    }


def is_lowest(cell: Cell, lowest: Lowest) -> bool:
    """Return whether no row has a lower energy."""
    if not isinstance(cell, PaperCell) or cell.energy is None:
        return False
    least = lowest.get((cell.instance, cell.prior))
    return least is not None and math.isclose(cell.energy, least, rel_tol=1e-9)


def paper_energy(cell: PaperCell) -> float | None:
    """Return the paper's energy; None where the costs are not the paper's: nothing to compare."""
    return None if cell.own else cell.paper_energy


def paper_seconds(cell: PaperCell) -> float | None:
    """Return the paper's time, by the same rule."""
    return None if cell.own else cell.paper_seconds


def difference(cell: PaperCell) -> float | None:
    """Return how far the energy is above the paper's in per cent, 0 where it prints the same."""
    ours, paper = cell.energy, paper_energy(cell)
    if ours is None or not paper:
        return None
    return 0.0 if abs(ours - paper) <= _PAPER_DIGIT else 100 * (ours - paper) / abs(paper)


def gap(cell: PaperCell) -> float | None:
    """Return how far the energy is above the lower bound, in per cent of it."""
    if cell.energy is None or cell.lower_bound is None:
        return None
    return 100 * (cell.energy - cell.lower_bound) / abs(cell.energy) if cell.energy else 0.0
