"""Tables of g in integers that bend as g does: convex, straight and flat where it is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["rounded_tables"]

IntArray = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.float64]


def rounded_tables(g: FloatArray, scale: float, centres: IntArray) -> FloatArray:
    """Return tables in integers, each convex, straight and flat where it is.

    Parameters
    ----------
    g : numpy.ndarray
        Values >= 0, one table per row.
    scale : float
        What they are multiplied by.
    centres : numpy.ndarray
        For each table the difference at which g has its middle, from which it goes outward.

    Returns
    -------
    numpy.ndarray
        Whole numbers, as float64.

    Notes
    -----
    Values are rounded where that keeps the sign of every bend. Elsewhere steps are, from the centre
    outward: a straight line of slope 0.1 has no integers close to it that are convex, unless every
    step is the same.
    """
    result = np.empty_like(g)
    middle = g.shape[1] // 2
    for centre in np.unique(centres):
        rows = np.flatnonzero(centres == centre)
        result[rows] = _rounded_around(g[rows], scale, middle + int(centre))
    return result


def _rounded_around(g: FloatArray, scale: float, centre: int) -> FloatArray:
    """The same for tables whose middle is at the same place."""
    tiny = 16 * np.finfo(np.float64).eps * np.abs(g).max(axis=1)
    sides = [_steps_outward(side, tiny) for side in (g[:, centre:], g[:, centre::-1])]
    values = np.rint(g * scale)
    rounded_steps = [np.diff(values[:, centre:]), np.diff(values[:, centre::-1])]
    bends = [np.diff(steps) for steps in sides]
    kept = np.ones(len(g), dtype=bool)
    for rounded, bend in zip(rounded_steps, bends, strict=True):
        kept &= (np.sign(np.diff(rounded)) == np.sign(bend)).all(axis=1)
    if sides[0].shape[1] and sides[1].shape[1]:
        # The bend at the centre lies between both sides.
        bend = sides[0][:, 0] + sides[1][:, 0]
        bend = np.where(np.abs(bend) <= tiny, 0.0, bend)
        kept &= np.sign(rounded_steps[0][:, 0] + rounded_steps[1][:, 0]) == np.sign(bend)
    if kept.all():
        return values
    by_steps = np.flatnonzero(~kept)
    sides = [steps[by_steps] for steps in sides]
    outward = [
        _rounded_steps(steps, bend[by_steps], scale)
        for steps, bend in zip(sides, bends, strict=True)
    ]
    _level_plateaus(outward, sides, tiny[by_steps])
    at_centre = np.rint(g[by_steps, centre : centre + 1] * scale)
    right, left = (at_centre + np.cumsum(steps, axis=1) for steps in outward)
    tables = np.concatenate([left[:, ::-1], at_centre, right], axis=1)
    values[by_steps] = tables - np.minimum(tables.min(axis=1, keepdims=True), 0.0)
    return values


def _steps_outward(side: FloatArray, tiny: FloatArray) -> FloatArray:
    """The steps of one side of each table; those that differ by rounding alone are made equal."""
    steps = np.diff(side)
    for k in range(steps.shape[1]):
        step = steps[:, k]
        if k > 0:
            before = steps[:, k - 1]
            step = np.where(np.abs(step - before) <= tiny, before, step)
        steps[:, k] = np.where(np.abs(steps[:, k]) <= tiny, 0.0, step)
    return steps


def _rounded_steps(steps: FloatArray, bends: FloatArray, scale: float) -> FloatArray:
    rounded = np.rint(steps * scale)
    for row in np.flatnonzero((bends < 0).any(axis=1)):
        k = int(np.argmax(bends[row] < 0))
        if steps[row, k + 1] > 0:
            # The convex range must end where that of g does.
            rounded[row, k + 1] = max(min(rounded[row, k + 1], rounded[row, k] - 1), 0.0)
    return rounded


def _level_plateaus(outward: list[FloatArray], sides: list[FloatArray], tiny: FloatArray) -> None:
    """Both sides of g that end at one height do so in integers too."""
    heights = [steps.sum(axis=1) for steps in sides]
    rounded = [steps.sum(axis=1) for steps in outward]
    level = np.abs(heights[0] - heights[1]) <= tiny * max(1, sides[0].shape[1], sides[1].shape[1])
    for row in np.flatnonzero(level & (rounded[0] != rounded[1])):
        lower = 0 if rounded[0][row] < rounded[1][row] else 1
        rising = np.flatnonzero(outward[lower][row])
        if rising.size:
            outward[lower][row, rising[-1]] += abs(rounded[0][row] - rounded[1][row])
