"""A pair whose costs are made box by box, and never exist as a whole.

Costs declare how far they look around a pixel: a box with that much around it gives what the whole
gives, pixel by pixel.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..images import Image, Mask, ValidPair, check_valid_pair
from ..tiled.layouts import part_of
from ._edge_weights import edge_weights
from ._match import EDGE_FACTOR, EDGE_GRADIENT, data_cost
from ._views import EDGE_MODE
from .exposure import with_equal_exposure
from .restrictions import Restrictions

__all__ = ["PairCosts", "PairFiles", "PairWeights", "StreamedPair", "pair_of_files"]

Box = tuple[slice, ...]
Map = NDArray[np.float64]

# How far costs look around a pixel: census has a window of 7 x 9.
_ROWS_AROUND, _COLUMNS_AROUND = 3, 4


@dataclass(frozen=True, eq=False)
class StreamedPair:
    """Two images, which travel to other processes as the names of their files.

    Attributes
    ----------
    left, right : numpy.ndarray
        As :func:`rangemoves.images.check_pair` gives them.
    files : PairFiles or None
        Where they were read.
    mirrored : bool
        Whether they are the right and the left image of the files, mirrored.
    left_valid, right_valid : numpy.ndarray of bool or None
        False where a pixel is missing; None where none is.
    limits : (numpy.ndarray, numpy.ndarray) or None
        The least and the largest disparity of each pixel of the left image of the files, mirrored
        where the pair is; NaN for no limit. None where there are no limits.
    """

    left: Image
    right: Image
    files: PairFiles | None = None
    mirrored: bool = False
    left_valid: Mask | None = None
    right_valid: Mask | None = None
    limits: tuple[Map, Map] | None = None

    @classmethod
    def of(
        cls,
        left: ArrayLike,
        right: ArrayLike,
        mask: ArrayLike | None = None,
        disparity_range: tuple[ArrayLike, ArrayLike] | None = None,
    ) -> StreamedPair:
        """Return a pair of images, in which pixels that are not finite are missing."""
        pair = with_equal_exposure(check_valid_pair(left, right, mask))
        limits = None
        if disparity_range is not None:
            low, high = (np.asarray(part, np.float64) for part in disparity_range)
            shape = pair.left.shape[:2]
            low, high = (
                part if part.ndim else np.broadcast_to(part, shape) for part in (low, high)
            )
            limits = low, high
        return cls(pair.left, pair.right, None, False, pair.left_valid, pair.right_valid, limits)

    def the_other_way(self) -> StreamedPair:
        """Return the pair seen from the right: mirrored, the right image is the left one."""
        left, right = (np.ascontiguousarray(image[:, ::-1]) for image in (self.right, self.left))
        here, there = (
            None if mask is None else np.ascontiguousarray(mask[:, ::-1])
            for mask in (self.right_valid, self.left_valid)
        )
        limits = self.limits
        if limits is not None:
            limits = limits[0][:, ::-1], limits[1][:, ::-1]
        return StreamedPair(left, right, self.files, not self.mirrored, here, there, limits)

    @property
    def is_restricted(self) -> bool:
        """Whether pixels are missing or have a range of their own."""
        parts = (self.left_valid, self.right_valid, self.limits)
        return any(part is not None for part in parts)

    def restrictions(self, part: Box, min_disparity: int, labels: int) -> Restrictions:
        """Return what is missing and what is allowed in a part of the pair."""
        here, there = (
            None if mask is None else mask[part] for mask in (self.left_valid, self.right_valid)
        )
        images = ValidPair(self.left[part], self.right[part], here, there)
        limits = None if self.limits is None else (self.limits[0][part], self.limits[1][part])
        found = Restrictions.of(images, limits, min_disparity, labels)
        return replace(found, from_left=not self.mirrored)

    def __reduce__(self) -> tuple[Callable[..., StreamedPair], tuple[Any, ...]]:
        if self.files is not None:
            return _pair_in, (self.files, self.mirrored)
        parts = (getattr(self, one.name) for one in fields(self))
        return StreamedPair, tuple(parts)


@dataclass(frozen=True)
class PairFiles:
    """Where a pair is read: its images, and what is known of pixels of the left one.

    Attributes
    ----------
    left, right : str
        The images.
    mask : str or None
        An image or .npy: 0 where the left image is not to be used.
    low, high : str or None
        Maps of the least and the largest disparity of each pixel.
    """

    left: str
    right: str
    mask: str | None = None
    low: str | None = None
    high: str | None = None


def pair_of_files(
    left: str | os.PathLike[str],
    right: str | os.PathLike[str],
    mask: str | os.PathLike[str] | None = None,
    low: str | os.PathLike[str] | None = None,
    high: str | os.PathLike[str] | None = None,
) -> StreamedPair:
    """Read a pair that workers then read by themselves; see :class:`PairFiles`."""

    def place(path: str | os.PathLike[str]) -> str:
        return os.fspath(Path(path).resolve())

    rest = (None if path is None else place(path) for path in (mask, low, high))
    return _pair_in(PairFiles(place(left), place(right), *rest), False)


@functools.lru_cache(maxsize=2)
def _pair_in(files: PairFiles, mirrored: bool) -> StreamedPair:
    """Read a pair; the last ones are kept, for the many tiles of each."""
    from ..io import read_disparity, read_mask, read_placed_image

    if mirrored:
        return _pair_in(files, False).the_other_way()
    left, right = (read_placed_image(path)[0] for path in (files.left, files.right))
    limits = None
    if files.low is not None or files.high is not None:
        low, high = (
            np.float64(np.nan) if path is None else read_disparity(path)
            for path in (files.low, files.high)
        )
        limits = low, high
    mask = None if files.mask is None else read_mask(files.mask)
    return replace(StreamedPair.of(left, right, mask, limits), files=files)


@dataclass(frozen=True, eq=False)
class PairCosts:
    """The data costs of a pair, as a function of a box."""

    pair: StreamedPair
    labels: int
    min_disparity: int

    def __call__(self, box: Box) -> NDArray[np.int32]:
        """Return the costs of the pixels of a box."""
        part = self.with_matches(box)
        left, right = (
            np.ascontiguousarray(image[part]) for image in (self.pair.left, self.pair.right)
        )
        limits = self.pair.restrictions(part, self.min_disparity, self.labels)
        costs = data_cost(left, right, self.labels, self.min_disparity, limits)
        return np.ascontiguousarray(costs[part_of(box, part)])

    def with_matches(self, box: Box) -> Box:
        """Return a box with all that the costs of its pixels look at."""
        rows, columns = box
        height, width = self.pair.left.shape[:2]
        nearest, furthest = self.min_disparity, self.min_disparity + self.labels - 1
        first = min(columns.start, columns.start - furthest) - _COLUMNS_AROUND
        last = max(columns.stop, columns.stop - nearest) + _COLUMNS_AROUND
        return (
            slice(max(0, rows.start - _ROWS_AROUND), min(height, rows.stop + _ROWS_AROUND)),
            slice(max(0, first), min(width, last)),
        )


@dataclass(frozen=True, eq=False)
class PairWeights:
    """The weights of the edges whose first pixel lies in a box, as a function of it."""

    pair: StreamedPair
    weight: float

    def __call__(self, box: Box) -> tuple[Map, Map]:
        """Return those of edges down and to the right."""
        rows, columns = box
        part = self.pair.left[rows.start : rows.stop + 1, columns.start : columns.stop + 1]
        low, high = self.weight / EDGE_FACTOR, self.weight
        down, right = edge_weights(part, low, high, EDGE_GRADIENT, EDGE_MODE)
        return (
            down[:, : columns.stop - columns.start],
            right[: rows.stop - rows.start],
        )
