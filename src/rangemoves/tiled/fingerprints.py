"""Whether numbers that are read again, perhaps on another day, are those of before.

A run that is taken up again must go on with the same problem, and a function that is asked for a
box twice must answer the same: else energy and bound would not be about one problem.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .layouts import Box
from .problem import Problem

__all__ = ["fingerprint", "fingerprint_of_samples"]

Array = npt.NDArray[Any]

# Along every axis, how many parts are looked at before a run is taken up again, and their sides.
SAMPLES, SIDE = 4, 16


def fingerprint(problem: Problem, box: Box, costs: Array, weights: Sequence[Array]) -> int:
    """Return a number that changes with the costs, weights and mask of a box.

    Parameters
    ----------
    problem : Problem
        Whose mask is looked at.
    box : tuple of slice
        Any box.
    costs, weights : numpy.ndarray, list of numpy.ndarray
        As they were read for the box.

    Returns
    -------
    int
    """
    keep = problem.taking_part(box)
    found = 0
    if keep is not None:
        # What lies outside may be anything, and other things each time.
        costs = np.where(keep[..., None], costs, costs.dtype.type(0))
        found = zlib.crc32(keep.tobytes())
    for part in (costs, *weights):
        found = zlib.crc32(np.ascontiguousarray(part).reshape(-1).view(np.uint8).data, found)
    return found


def fingerprint_of_samples(problem: Problem) -> int:
    """Return one of small boxes all over the grid, which costs little to read."""
    per_axis = []
    for length in problem.shape:
        side = min(length, SIDE)
        starts = {k * (length - side) // (SAMPLES - 1) for k in range(SAMPLES)}
        per_axis.append([slice(start, start + side) for start in sorted(starts)])
    found = [
        fingerprint(problem, box, problem.costs.read(box), problem.weights.read(box))
        for box in itertools.product(*per_axis)
    ]
    return zlib.crc32(np.array(found, np.uint32).tobytes())
