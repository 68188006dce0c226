"""How sure a disparity is: by how much the next best one, further than a label away, costs more.

What counts is not the raw cost of a pixel but its belief, which has heard of all its neighbours by
way of the messages. A neighbouring label is no rival: it is the same surface, sampled.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["confidence"]

_SAME_SURFACE = 1  # labels
_ROWS_AT_A_TIME = 32
_AGREEMENT_RADIUS = 2


def weakened_by_doubt(
    sure: NDArray[np.float64], agree: NDArray[np.bool_] | None
) -> NDArray[np.float64]:
    """Return a confidence times the square of the share of 5 x 5 pixels that the views agree on.

    Where they do not agree, the disparity is filled in or close to something hidden, whatever the
    messages of one view say: half agreed on is less than half as sure.
    """
    if agree is None:
        return sure
    side = 2 * _AGREEMENT_RADIUS + 1
    padded = np.pad(agree, _AGREEMENT_RADIUS, mode="edge").astype(np.uint8)
    height, width = agree.shape
    count = np.zeros(agree.shape, np.uint8)
    for y in range(side):
        for x in range(side):
            count += padded[y : y + height, x : x + width]
    return np.asarray(sure * (count / side**2) ** 2)


def confidence(
    beliefs: NDArray[np.float64], labels: NDArray[np.int32], weight: float
) -> NDArray[np.float64]:
    """Return a number in 0..1 per pixel; 1 is sure.

    Parameters
    ----------
    beliefs : numpy.ndarray, (H, W, L)
        What the messages make each label of a pixel cost more than its best one.
    labels : numpy.ndarray, (H, W)
        The labels chosen.
    weight : float
        A margin that counts as one half: the price of a step of one label between two pixels.

    Returns
    -------
    ndarray of float64, (H, W)
        ``m / (m + weight)``, where m is by how much the cheapest label that is more than one away
        costs more than the chosen one; 0 where it does not, and 1 where there is no such label.
    """
    sure = np.empty(labels.shape)
    number = np.arange(beliefs.shape[2])
    for top in range(0, len(labels), _ROWS_AT_A_TIME):
        rows = slice(top, top + _ROWS_AT_A_TIME)
        chosen = labels[rows][..., None].astype(np.intp)
        rivals = np.where(np.abs(number - chosen) > _SAME_SURFACE, beliefs[rows], np.inf)
        own = np.take_along_axis(beliefs[rows], chosen, axis=2)[..., 0]
        margin = np.maximum(rivals.min(axis=2) - own, 0)
        with np.errstate(invalid="ignore"):
            share = margin / (margin + max(weight, 1e-9))
        sure[rows] = np.where(np.isinf(margin), 1.0, share)
    return sure
