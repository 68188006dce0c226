"""Both images of a pair as if they were taken with one exposure.

Census does not mind brightness, but the differences of pixels that are added to it do. Where the
grey values of the two images lie far apart, those of one image are mapped to the other's.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..images import Image, Mask, ValidPair

__all__ = ["with_equal_exposure"]

Map = NDArray[np.float64]

# Grey levels that values must be moved by on average to turn one distribution into the other. The
# public pairs have 0.5 to 3.3; brightness raised to the power of 0.9 gives 8 to 10.
_FAR_APART = 5.0
_PIXELS = 40_000  # of a sample that is spread over the image
# Distributions are compared at a few quantiles: what only one image shows matters less to them.
_QUANTILES = (np.arange(8) + 0.5) / 8
_VALUES = np.arange(256)


def with_equal_exposure(pair: ValidPair) -> ValidPair:
    """Return the pair, one image mapped to the brightness of the other where they really differ.

    Parameters
    ----------
    pair : ValidPair
        As :func:`rangemoves.images.check_valid_pair` gives it.

    Returns
    -------
    ValidPair
        The same object where the exposures are alike. Else the image of less contrast, which would
        lose less, has new values: channel by channel those that a rising curve gives.
    """
    left, right = _shares(pair.left, pair.left_valid), _shares(pair.right, pair.right_valid)
    if left is None or right is None:
        return pair
    if np.abs(left - right).sum(axis=1).mean() <= _FAR_APART:
        return pair
    of_left, of_right = _quantiles(left), _quantiles(right)
    if np.ptp(of_left, axis=1).mean() < np.ptp(of_right, axis=1).mean():
        return replace(pair, left=_mapped(pair.left, of_left, of_right))
    return replace(pair, right=_mapped(pair.right, of_right, of_left))


def _shares(image: Image, valid: Mask | None) -> Map | None:
    """Share of a sample's pixels up to each value, by channel; None where it shows nothing."""
    step = max(1, math.isqrt(image.shape[0] * image.shape[1] // _PIXELS))
    sample = image[::step, ::step]
    pixels = sample.reshape(-1, image.shape[2])
    if valid is not None:
        pixels = sample[valid[::step, ::step]]
    if len(pixels) == 0:
        return None
    counts = [np.bincount(channel, minlength=len(_VALUES)) for channel in pixels.T]
    return np.asarray(np.cumsum(counts, axis=1) / len(pixels))


def _quantiles(shares: Map) -> Map:
    """Values of each channel, between whole ones where many pixels share one."""
    found = []
    for upto in shares:
        own = np.diff(upto, prepend=0.0)
        there = np.flatnonzero(own)
        found.append(np.interp(_QUANTILES, (upto - own / 2)[there], there))
    return np.array(found)


def _mapped(image: Image, mine: Map, others: Map) -> Image:
    curves = [_curve(*channel) for channel in zip(mine, others, strict=True)]
    return np.stack([curve[image[..., c]] for c, curve in enumerate(curves)], axis=2)


def _curve(mine: Map, others: Map) -> Image:
    """The new value of each value: through the quantiles, and straight on beyond them."""
    mine, first = np.unique(mine, return_index=True)
    others = others[first]
    gain = (others[-1] - others[0]) / (mine[-1] - mine[0]) if len(mine) > 1 else 1.0
    below, above = np.minimum(_VALUES - mine[0], 0), np.maximum(_VALUES - mine[-1], 0)
    new = np.interp(_VALUES, mine, others) + gain * (below + above)
    return np.asarray(np.rint(np.clip(new, 0, 255)), dtype=np.uint8)
