"""Were the images the right way round, and the disparities enough? A small copy of the pair tells.

The views of a pair with a wrong range agree less, or crowd at an end of the range: neither proves
anything. So a copy of some thousand pixels is matched over a wide range, negative disparities
included, and what counts is where the pixels lie on which its two views agree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..energy import Energy
from ..images import Image, grey
from ..minimize import minimize
from ..priors import TruncatedLinear
from ._cost_volume import cost_volume
from ._postprocess import consistent
from .settings import StereoSettings

__all__ = ["doubts", "look_closer"]

# Chosen by what the public pairs give when they are right, swapped, and with too few labels.
_LOW_AGREEMENT = 0.8
_CROWDED = 0.04  # share of pixels at the two last labels
_NOTEWORTHY = 0.015  # share of pixels that agree beyond the range
_CLEAR = 0.4  # share of pixels that must agree somewhere before anything is said of where
_HARDLY_ANY = 0.5  # agreement below which something is wrong, whatever it is

_PIXELS = 10_000  # of the small copy
_WIDER = 2.0  # times the largest disparity that was asked for
_SWEEPS = 6
_WEIGHT = 12
_NEUTRAL = 12  # of 62 pixels in a census window: neither for nor against a disparity


def doubts(
    left: Image,
    right: Image,
    settings: StereoSettings,
    labels: NDArray[np.int32],
    agreement: float | None,
) -> list[str]:
    """Say what seems wrong with the order of the images or the range of disparities.

    Parameters
    ----------
    left, right : numpy.ndarray
        The pair as :func:`rangemoves.images.check_pair` gives it.
    settings : StereoSettings
        With the range that was asked for.
    labels : numpy.ndarray
        Of the left view.
    agreement : float or None
        Share of the pixels on which both views agree; None where that was not looked for.

    Returns
    -------
    list of str
        Sentences, which also say what would help; empty where nothing seems wrong.
    """
    if settings.labels > 1 and left.min() < left.max() and np.array_equal(left, right):
        return ["left and right are the same image; pass the two images of a pair"]
    agreement = 1.0 if agreement is None else agreement
    crowded = float(np.count_nonzero(labels >= settings.labels - 2)) / labels.size
    # A closer look costs a few per cent of the whole; most pairs give no reason for one.
    if agreement >= _LOW_AGREEMENT and (crowded <= _CROWDED or settings.labels < 3):
        return []
    return look_closer(left, right, settings.min_disparity, settings.labels, agreement)


def look_closer(
    left: Image, right: Image, min_disparity: int, labels: int, agreement: float
) -> list[str]:
    """Say the same of a small copy of the pair, whatever its labels were.

    Parameters
    ----------
    left, right : numpy.ndarray
        The pair.
    min_disparity, labels : int
        The range that was asked for.
    agreement : float
        Share of the pixels on which both views agree.

    Returns
    -------
    list of str
    """
    last = min_disparity + labels - 1
    found = _look(left, right, min_disparity, last)
    margin = (found.step + 1) / 2  # what rounding to pixels of the copy can do
    inside = found.share(min_disparity - margin, last + margin)
    mirrored = found.share(-last - margin, -min_disparity + margin)
    said = []
    if mirrored > _CLEAR and mirrored > 2 * inside:
        said.append(
            "left and right seem to be swapped: a small copy of the pair matches better the other "
            "way round; exchange the two images"
        )
    elif found.share(-math.inf, math.inf) > _CLEAR:
        said += _beyond(found, min_disparity, last, margin)
    if not said and agreement < _HARDLY_ANY:
        said.append(
            f"the two views agree on {100 * agreement:.0f} % of the pixels only; check that the "
            "pair is rectified, and that both images show the same scene"
        )
    return said


def _beyond(found: _Look, first: int, last: int, margin: float) -> list[str]:
    """Say which end of the range is too narrow."""
    said = []
    above = found.share(last + margin, math.inf)
    below = found.share(-math.inf, first - margin)
    if above > _NOTEWORTHY:
        said.append(
            f"too few labels: about {100 * above:.0f} % of the pixels have disparities above "
            f"{last}; pass about {_round_up(found.largest() - first + 1)} labels"
        )
    if below > _NOTEWORTHY:
        said.append(
            f"min_disparity seems too large: about {100 * below:.0f} % of the pixels have "
            f"disparities below {first}; pass about {math.floor(found.smallest())}"
        )
    return said


def _round_up(labels: float) -> int:
    return 8 * math.ceil(labels / 8)


@dataclass(frozen=True, eq=False)
class _Look:
    """Disparities of the small copy, in pixels of the pair, where its two views agree.

    Attributes
    ----------
    disparity : numpy.ndarray
        NaN elsewhere.
    step : float
        How many pixels of the pair a pixel of the copy stands for.
    """

    disparity: NDArray[np.float64]
    step: float

    def share(self, low: float, high: float) -> float:
        """Share of all pixels that agree on a disparity strictly between the two."""
        inside = (self.disparity > low) & (self.disparity < high)
        return float(np.count_nonzero(inside)) / inside.size

    def largest(self) -> float:
        return float(np.nanquantile(self.disparity, 0.99)) + self.step

    def smallest(self) -> float:
        return float(np.nanquantile(self.disparity, 0.01)) - self.step


def _look(left: Image, right: Image, low: int, high: int) -> _Look:
    factor = max(1, round(math.sqrt(left.shape[0] * left.shape[1] / _PIXELS)))
    first, second = (_shrunk(image, factor) for image in (left, right))
    width = first.shape[1]
    reach = math.ceil(_WIDER * max(abs(low), abs(high), 8) / factor)
    reach = min(reach, width - 1)
    count = 2 * reach + 1
    mine = _labels(first, second, count, -reach)
    others = _labels(second[:, ::-1], first[:, ::-1], count, -reach)[:, ::-1]
    agree = consistent(mine, others, -reach)
    return _Look(np.where(agree, (mine - reach) * float(factor), np.nan), float(factor))


def _shrunk(image: Image, factor: int) -> Image:
    """Mean grey value of blocks."""
    height, width = (max(1, side // factor) for side in image.shape[:2])
    factor_y, factor_x = min(factor, image.shape[0]), min(factor, image.shape[1])
    part = grey(image)[: height * factor_y, : width * factor_x]
    means = part.reshape(height, factor_y, width, factor_x).mean(axis=(1, 3))
    return np.asarray(np.rint(means), dtype=np.uint8)[..., None]


def _labels(left: Image, right: Image, count: int, low: int) -> NDArray[np.int32]:
    width = left.shape[1]
    left, right = np.ascontiguousarray(left), np.ascontiguousarray(right)
    costs = cost_volume(left, right, count, "census", min_disparity=low)
    column = np.arange(width)[:, None] - np.arange(count) - low
    np.copyto(costs, _NEUTRAL, where=(column < 0) | (column >= width))
    energy = Energy(costs, TruncatedLinear(2), _WEIGHT, copy=False)
    labels: NDArray[np.int32] = minimize(energy, "trws", max_iter=_SWEEPS).labels
    return labels
