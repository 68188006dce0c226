"""How a cost grows with a size: which cells belong together, and the power that fits them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .cell import ScalingCell, Size

SIZES: dict[Size, str] = {"pixels": "pixels", "labels": "labels", "T": "truncation T"}

Cost = Literal["seconds", "memory_bytes"]


def exponent(sizes: ArrayLike, costs: ArrayLike) -> float | None:
    """Return p of the fit cost ~ size**p by least squares of the logarithms.

    Examples
    --------
    >>> round(exponent([1, 2, 4], [3, 12, 48]), 6)
    2.0
    """
    x, y = np.log(np.asarray(sizes, float)), np.log(np.asarray(costs, float))
    if np.unique(x).size < 2 or not np.isfinite(y).all():
        return None
    return float(np.polyfit(x, y, 1)[0])


def size_of(cell: ScalingCell, size: Size) -> float:
    """Return how many pixels or labels the problem of a cell has, or its T."""
    return float({"pixels": cell.pixels, "labels": cell.labels, "T": cell.T}[size])


def cost_of(cell: ScalingCell, cost: Cost) -> float | None:
    """Return what a cell took; None where that is unknown, or nothing that could be measured."""
    return (cell.seconds if cost == "seconds" else cell.memory_bytes) or None


def series(cells: Iterable[ScalingCell]) -> dict[Size, dict[str, list[ScalingCell]]]:
    """Return the finished cells by what was varied, then by solver, the smallest first.

    Runs of other extents may lie in one folder: of each solver the longest series counts whose
    cells agree in the two other sizes.
    """
    finished = [cell for cell in cells if cell.seconds is not None]
    found: dict[Size, dict[str, list[ScalingCell]]] = {}
    for size in SIZES:
        alike: dict[tuple[str, float, float], list[ScalingCell]] = {}
        for cell in finished:
            if cell.case == size:
                first, second = (size_of(cell, other) for other in SIZES if other != size)
                alike.setdefault((cell.solver, first, second), []).append(cell)
        longest: dict[str, list[ScalingCell]] = {}
        for (solver, *_), members in alike.items():
            if _extent(members, size) > max(1, _extent(longest.get(solver, []), size)):
                longest[solver] = sorted(members, key=lambda cell: size_of(cell, size))
        if longest:
            found[size] = longest
    return found


def _extent(cells: Iterable[ScalingCell], size: Size) -> int:
    return len({size_of(cell, size) for cell in cells})


def fit(
    cells: Iterable[ScalingCell], size: Size, cost: Cost
) -> tuple[float | None, NDArray[np.float64], NDArray[np.float64]]:
    """Return the exponent with which a cost grows with a size, and the points it was fitted to.

    What the time limit ended is left out: it would have cost more.
    """
    points = [
        (size_of(cell, size), value)
        for cell in cells
        if (value := cost_of(cell, cost)) is not None and cell.status != "time_limit"
    ]
    x, y = np.array(points).reshape(-1, 2).T
    return exponent(x, y), x, y
