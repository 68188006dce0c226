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

__all__ = ["Crew", "bytes_of_tile", "sides_of_tiles"]

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
    per_pixel = bytes_of_tile(problem, settings)
    best: tuple[int, ...] | None = None
    for side in range(small, large + 1, small // 4):
        sides = tuple(min(side, length) for length in problem.shape)
        margined = [
            min(one + 2 * settings.margin, n) for one, n in zip(sides, problem.shape, strict=True)
        ]
        needed = crew.together * per_pixel * math.prod(margined)
        fits = needed <= crew.memory
        tiles = math.prod(-(-n // one) for one, n in zip(sides, problem.shape, strict=True))
        # Of all colours; in the shifted layout there are as many again.
        busy = tiles >= TILES_PER_CORE * crew.everywhere * 2**dimensions
        if best is None and not fits:
            raise MemoryError(
                f"about {needed / 1e6:,.1f} MB of memory are needed for {crew.together} tiles of "
                f"{sides} pixels at a time; found {crew.memory / 1e6:,.1f} MB; raise max_memory, "
                "or pass fewer threads or a smaller margin"
            )
        if best is None or (fits and busy):
            best = sides
    assert best is not None
    return best


def bytes_of_tile(problem: Problem, settings: Settings) -> float:
    """Return the bytes per pixel that work on a tile takes, from a look at a part in the middle."""
    box = _middle(problem)
    costs = problem.costs.read(box)
    finite = np.where(np.isfinite(costs), costs, 0)
    weights = problem.inner_weights(box)
    energy = Energy(finite, problem.prior, weights, connectivity=problem.connectivity, copy=False)
    pixels = energy.num_variables
    sweeps = estimate_memory(energy, "trws") / pixels + OF_BELIEFS * problem.labels
    moves = estimate_memory(energy, settings.method) / pixels
    edges = 24 * len(problem.steps)  # ends and weights
    return max(sweeps, moves) + OF_COSTS * problem.labels + edges


def _middle(problem: Problem) -> Box:
    box = []
    for length in problem.shape:
        side = min(length, SAMPLE if len(problem.shape) == 2 else SMALLEST_CUBE)
        low = (length - side) // 2
        box.append(slice(low, low + side))
    return tuple(box)
