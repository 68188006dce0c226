"""How large tiles should be: as large as memory allows while every core has some."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..energy import Energy
from ..memory import estimate_memory
from .layouts import Box
from .problem import Problem
from .work import Settings

__all__ = ["Crew", "bytes_of_tile", "require_tiles", "sides_of_tiles"]

# Sides of the part whose memory is looked at, and of tiles: smaller ones are mostly margin, larger
# ones gain nothing.
SAMPLE = 96
SMALLEST, LARGEST = 64, 512
# Of a volume.
SMALLEST_CUBE, LARGEST_CUBE = 16, 96

# Tiles for every core, so that none waits long for the last one of a colour.
TILES_PER_CORE = 2

# Bytes per pixel and label beside those of the solver: costs as read, and as integers.
OF_COSTS = 12
# Bytes of a belief: in units of the solver, and in those of the caller.
OF_BELIEFS = 16


@dataclass(frozen=True)
class Crew:
    """Who works on tiles.

    Attributes
    ----------
    client : object
        Whose workers they are; None for threads of this process.
    everywhere : int
        Tiles at a time, in all processes.
    together : int
        Tiles at a time in one process.
    memory : int
        Bytes that those of one process may take.
    """

    client: Any
    everywhere: int
    together: int
    memory: int


def sides_of_tiles(problem: Problem, settings: Settings, crew: Crew) -> tuple[int, ...]:
    """Return the sides of the largest tile that fits and keeps everybody busy.

    Raises
    ------
    MemoryError
        If not even the smallest tile fits.
    """
    dimensions = len(problem.shape)
    small, large = (SMALLEST, LARGEST) if dimensions == 2 else (SMALLEST_CUBE, LARGEST_CUBE)
    side = SAMPLE if dimensions == 2 else SMALLEST_CUBE
    per_pixel = bytes_of_tile(problem, settings, (side,) * dimensions)
    best: tuple[int, ...] | None = None
    for side in range(small, large + 1, small // 4):
        sides = tuple(min(side, length) for length in problem.shape)
        pixels = math.prod(_with_margin(problem, settings, sides))
        needed = _together(problem, crew, sides) * pixels * per_pixel
        tiles = _count(problem, sides)
        # Of all colours; in the shifted layout there are as many again.
        busy = tiles >= TILES_PER_CORE * crew.everywhere * 2**dimensions
        if best is None:
            _require(needed, sides, crew, "pass fewer threads or a smaller margin")
        if best is None or (needed <= crew.memory and busy):
            best = sides
    assert best is not None
    return best


def require_tiles(
    problem: Problem, settings: Settings, crew: Crew, sides: tuple[int, ...]
) -> tuple[int, ...]:
    """Return the sides that the caller has chosen, where tiles of them fit.

    Raises
    ------
    MemoryError
        If they do not.
    """
    whole = _with_margin(problem, settings, sides)
    largest = SAMPLE if len(sides) == 2 else SMALLEST_CUBE
    sample = tuple(min(side, largest) for side in whole)
    per_pixel = bytes_of_tile(problem, settings, sample)
    needed = _together(problem, crew, sides) * math.prod(whole) * per_pixel
    _require(needed, sides, crew, "pass smaller tiles, fewer threads or a smaller margin")
    return sides


def _count(problem: Problem, sides: tuple[int, ...]) -> int:
    return math.prod(-(-n // one) for one, n in zip(sides, problem.shape, strict=True))


def _together(problem: Problem, crew: Crew, sides: tuple[int, ...]) -> int:
    """Tiles that one process works on at a time."""
    return min(crew.together, _count(problem, sides))


def _with_margin(problem: Problem, settings: Settings, sides: tuple[int, ...]) -> tuple[int, ...]:
    sizes = zip(sides, problem.shape, strict=True)
    return tuple(min(side + 2 * settings.margin, length) for side, length in sizes)


def _require(needed: float, sides: tuple[int, ...], crew: Crew, advice: str) -> None:
    if needed > crew.memory:
        raise MemoryError(
            f"about {needed / 1e6:,.1f} MB of memory are needed for up to {crew.together} tiles of "
            f"{sides} pixels at a time; found {crew.memory / 1e6:,.1f} MB; raise max_memory, or "
            f"{advice}"
        )


def bytes_of_tile(problem: Problem, settings: Settings, sample: tuple[int, ...]) -> float:
    """Return the bytes per pixel that work on a tile takes, from a look at a part in the middle."""
    box = _middle(problem, sample)
    costs = problem.costs.read(box)
    finite = np.where(np.isfinite(costs), costs, 0)
    weights = problem.inner_weights(box)
    energy = Energy(finite, problem.prior, weights, connectivity=problem.connectivity, copy=False)
    pixels = energy.num_variables
    sweeps = estimate_memory(energy, "trws") / pixels + OF_BELIEFS * problem.labels
    moves = estimate_memory(energy, settings.method) / pixels
    edges = 24 * len(problem.steps)  # ends and weights
    return max(sweeps, moves) + OF_COSTS * problem.labels + edges


def _middle(problem: Problem, sides: tuple[int, ...]) -> Box:
    box = []
    for length, most in zip(problem.shape, sides, strict=True):
        side = min(length, most)
        low = (length - side) // 2
        box.append(slice(low, low + side))
    return tuple(box)
