"""Pixels without an image, and disparities that a pixel may not have: what both do to the costs.

A missing pixel is like one outside the image: it speaks neither for nor against a disparity. A
disparity that is not allowed costs more than any other choice; the labels are held to the range
afterwards as well, so that it holds whatever the costs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..images import Mask, ValidPair

__all__ = ["NONE", "Restrictions"]

Whole = NDArray[np.int64]

# More than data and smoothness of a pixel can bring together.
_NOT_ALLOWED = 4000


@dataclass(frozen=True, eq=False)
class Restrictions:
    """What is missing, and what is allowed, as one view of a pair sees it.

    Attributes
    ----------
    here, there : numpy.ndarray of bool, (H, W), or None
        Which pixels this view and the other one have; None for all.
    low, high : numpy.ndarray of int64, (H, W), or None
        The least and the largest label of each pixel of the left image; None for any.
    from_left : bool
        Whether this view is the left image; else it is the right one, and the range of a label is
        that of the pixel it points to.
    """

    here: Mask | None = None
    there: Mask | None = None
    low: Whole | None = None
    high: Whole | None = None
    from_left: bool = True

    @classmethod
    def of(
        cls,
        pair: ValidPair,
        disparity_range: tuple[ArrayLike, ArrayLike] | None,
        min_disparity: int,
        labels: int,
    ) -> Restrictions:
        """Return those of a pair as its left image sees them."""
        if disparity_range is None:
            return cls(pair.left_valid, pair.right_valid)
        low, high = _label_range(disparity_range, pair.left.shape[:2], min_disparity, labels)
        return cls(pair.left_valid, pair.right_valid, low, high)

    def __bool__(self) -> bool:
        return any(part is not None for part in (self.here, self.there, self.low))

    def the_other_way(self) -> Restrictions:
        """Return the same as the other view sees it, mirrored as the images are."""
        here, there = (None if part is None else part[:, ::-1] for part in (self.there, self.here))
        low, high = (None if part is None else part[:, ::-1] for part in (self.low, self.high))
        return Restrictions(here, there, low, high, not self.from_left)

    def restrict(self, costs: NDArray[np.int32], min_disparity: int, neutral: int) -> None:
        """Change the costs (H, W, L) of this view in place.

        Parameters
        ----------
        costs : numpy.ndarray of int32, (H, W, L)
            Of all labels of all pixels.
        min_disparity : int
            The disparity of label 0.
        neutral : int
            The cost of a match outside the image.
        """
        width = costs.shape[1]
        for label in range(costs.shape[2]):
            disparity = label + min_disparity
            # Columns of pixels whose match lies inside, and of these matches.
            mine = slice(max(0, disparity), max(0, min(width, width + disparity)))
            matches = slice(mine.start - disparity, mine.stop - disparity)
            part = costs[:, mine, label]
            if self.there is not None:
                part[~self.there[:, matches]] = neutral
            if self.here is not None:
                costs[~self.here, label] = neutral
            if self.low is None or self.high is None:
                continue
            outside = (label < self.low) | (label > self.high)
            if self.from_left:
                costs[outside, label] = _NOT_ALLOWED
            else:
                part[outside[:, matches]] = _NOT_ALLOWED

    def hold(self, disparity: NDArray[np.float64], min_disparity: int) -> NDArray[np.float64]:
        """Return disparities of the left image within their range, NaN where pixels are missing."""
        if self.low is not None and self.high is not None:
            disparity = np.clip(disparity, self.low + min_disparity, self.high + min_disparity)
        return disparity if self.here is None else np.where(self.here, disparity, np.nan)


NONE = Restrictions()


def _label_range(
    disparity_range: tuple[ArrayLike, ArrayLike],
    shape: tuple[int, ...],
    min_disparity: int,
    labels: int,
) -> tuple[Whole, Whole]:
    try:
        low, high = (np.asarray(part, dtype=np.float64) for part in disparity_range)
    except (TypeError, ValueError):
        raise TypeError(
            "disparity_range must be a pair (low, high) of numbers or maps; "
            f"found {type(disparity_range).__name__}; pass two arrays of the image's shape"
        ) from None
    for name, part in (("low", low), ("high", high)):
        if part.shape not in ((), shape):
            raise ValueError(
                f"disparity_range must be two maps of shape {shape}, or numbers; found {name} of "
                f"shape {part.shape}; pass one disparity per pixel"
            )
    last = min_disparity + labels - 1
    # Unknown is no restriction; whole disparities inside the range are what labels can be.
    lower = np.clip(np.ceil(np.where(np.isnan(low), -np.inf, low)), min_disparity, np.inf)
    upper = np.clip(np.floor(np.where(np.isnan(high), np.inf, high)), -np.inf, last)
    lower, upper = np.broadcast_to(lower, shape), np.broadcast_to(upper, shape)
    empty = lower > upper
    if empty.any():
        row, column = np.argwhere(empty)[0]
        raise ValueError(
            f"disparity_range must leave every pixel a whole disparity in {min_disparity}..{last}; "
            f"found none at {np.count_nonzero(empty)} pixels, the first at ({row}, {column}); "
            "widen it, or choose min_disparity and labels to cover it"
        )
    return (lower - min_disparity).astype(np.int64), (upper - min_disparity).astype(np.int64)
