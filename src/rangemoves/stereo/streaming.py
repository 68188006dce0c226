"""Stereo beyond memory: costs are made tile by tile, and never exist as a whole.

Every step declares how far it looks around a pixel; a part with that much around it gives what the
whole gives, pixel by pixel. Left-right check and fill look along rows, so they get whole rows.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import Interrupted
from ..images import Image, Mask, ValidPair, check_valid_pair
from ..machine import available_cores
from ..result import Result
from ._edge_weights import edge_weights
from ._match import (
    EDGE_FACTOR,
    EDGE_GRADIENT,
    REFINE_RADIUS,
    Callback,
    StereoMatch,
    StereoMatcher,
    data_cost,
    with_warnings,
)
from ._postprocess import (
    ROWS_AROUND_FILL,
    ROWS_AROUND_SMOOTH,
    consistent,
    filled,
    refinement,
    smoothed,
)
from ._size import check_width
from .restrictions import Restrictions

__all__ = [
    "PairCosts",
    "PairFiles",
    "PairWeights",
    "StreamedPair",
    "match_in_tiles",
    "pair_of_files",
]

Box = tuple[slice, ...]
Labels = NDArray[np.int32]
Map = NDArray[np.float64]

# How far costs look around a pixel: census has a window of 7 x 9.
_ROWS_AROUND, _COLUMNS_AROUND = 3, 4

# Pixels of a part whose disparities are refined at a time.
_STRIP, _COLUMNS = 64, 512


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
        pair = check_valid_pair(left, right, mask)
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
        rows, columns = box
        height, width = self.pair.left.shape[:2]
        nearest, furthest = self.min_disparity, self.min_disparity + self.labels - 1
        top = max(0, rows.start - _ROWS_AROUND)
        bottom = min(height, rows.stop + _ROWS_AROUND)
        # Pixels and all their matches.
        first = max(0, min(columns.start, columns.start - furthest) - _COLUMNS_AROUND)
        last = min(width, max(columns.stop, columns.stop - nearest) + _COLUMNS_AROUND)
        part = (slice(top, bottom), slice(first, last))
        left, right = (
            np.ascontiguousarray(image[part]) for image in (self.pair.left, self.pair.right)
        )
        limits = self.pair.restrictions(part, self.min_disparity, self.labels)
        costs = data_cost(left, right, self.labels, self.min_disparity, limits)
        inner = costs[rows.start - top : rows.stop - top, columns.start - first :]
        return np.ascontiguousarray(inner[:, : columns.stop - columns.start])


@dataclass(frozen=True, eq=False)
class PairWeights:
    """The weights of the edges whose first pixel lies in a box, as a function of it."""

    pair: StreamedPair
    weight: float

    def __call__(self, box: Box) -> tuple[Map, Map]:
        """Return those of edges down and to the right."""
        rows, columns = box
        part = self.pair.left[rows.start : rows.stop + 1, columns.start : columns.stop + 1]
        down, right = edge_weights(part, self.weight / EDGE_FACTOR, self.weight, EDGE_GRADIENT)
        return (
            down[:, : columns.stop - columns.start],
            right[: rows.stop - rows.start],
        )


def match_in_tiles(
    matcher: StereoMatcher,
    left: ArrayLike | StreamedPair,
    right: ArrayLike | None = None,
    *,
    mask: ArrayLike | None = None,
    disparity_range: tuple[ArrayLike, ArrayLike] | None = None,
    callback: Callback | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    **tiling: Any,
) -> StereoMatch:
    """Match a pair tile by tile.

    Parameters
    ----------
    matcher : StereoMatcher
        Its settings. Method "trws" stands for "auto" of :func:`rangemoves.tiled.minimize`: messages
        first, then moves; ``max_iter`` and ``options`` must be left out.
    left, right : array_like
        A rectified pair; or one :class:`StreamedPair`, which workers read by themselves.
    mask, disparity_range
        As for :meth:`StereoMatcher.run`; a :class:`StreamedPair` has its own.
    callback : callable, optional
        Sees every record of each view; True stops that view.
    checkpoint : path-like, optional
        A folder for the checkpoints of both views.
    **tiling
        ``tiles``, ``margin``, ``max_memory`` and ``client`` of :func:`rangemoves.tiled.minimize`.

    Returns
    -------
    StereoMatch

    Examples
    --------
    >>> import rangemoves as rm
    >>> from rangemoves.stereo.streaming import match_in_tiles
    >>> pair = rm.datasets.synthetic_stereo(shape=(48, 64), labels=12)
    >>> matcher = rm.stereo.StereoMatcher(labels=12)
    >>> found = match_in_tiles(matcher, pair.left, pair.right, tiles=(24, 32))
    >>> rm.stereo.evaluate(found.disparity, pair.disparity)["bad2"] < 20
    True
    """
    if matcher.max_iter is not None or matcher.options:
        raise ValueError(
            "max_iter and options must be left out with tiles, which stop by themselves; found "
            f"max_iter={matcher.max_iter} and {matcher.options}"
        )
    if matcher.preset != StereoMatcher.preset:
        raise ValueError(
            "preset must be left out with tiles, which stop by themselves; found "
            f"{matcher.preset!r}"
        )
    pair = _as_pair(left, right, mask, disparity_range)
    check_width(pair.left.shape[1], matcher.labels)
    pair.restrictions(np.s_[:, :], matcher.min_disparity, matcher.labels)  # says what is wrong
    result = _solve(matcher, pair, callback, _inside(checkpoint, "left"), tiling)
    try:
        mirrored = None
        if matcher.left_right:
            folder = _inside(checkpoint, "right")
            mirrored = _solve(matcher, pair.the_other_way(), callback, folder, tiling)
        other = None if mirrored is None else mirrored.labels[:, ::-1]
        found = replace(disparities(matcher, pair, result, other), right=mirrored)
        return with_warnings(found, pair.left, pair.right, matcher)
    except KeyboardInterrupt:
        raise Interrupted(replace(result, status="interrupted")) from None


def _as_pair(
    left: ArrayLike | StreamedPair,
    right: ArrayLike | None,
    mask: ArrayLike | None,
    disparity_range: tuple[ArrayLike, ArrayLike] | None,
) -> StreamedPair:
    if not isinstance(left, StreamedPair):
        if right is None:
            raise TypeError("right must be an image; found None")
        return StreamedPair.of(left, right, mask, disparity_range)
    for name, given in (("right", right), ("mask", mask), ("disparity_range", disparity_range)):
        if given is not None:
            raise ValueError(f"{name} must be left out where left is a StreamedPair, which has it")
    return left


def _inside(checkpoint: str | os.PathLike[str] | None, view: str) -> Path | None:
    if checkpoint is None:
        return None
    Path(checkpoint).mkdir(exist_ok=True)
    return Path(checkpoint) / f"{view}.zarr"


def _solve(
    matcher: StereoMatcher,
    pair: StreamedPair,
    callback: Callback | None,
    checkpoint: Path | None,
    tiling: dict[str, Any],
) -> Result:
    from .. import tiled

    limit = matcher.time_limit
    if limit is not None and matcher.left_right:
        limit /= 2
    return tiled.minimize(
        PairCosts(pair, matcher.labels, matcher.min_disparity),
        matcher.prior_used,
        PairWeights(pair, matcher.weight_used),
        "auto" if matcher.method == "trws" else matcher.method,
        shape=(*pair.left.shape[:2], matcher.labels),
        callback=callback,
        time_limit=limit,
        threads=matcher.threads,
        seed=matcher.seed,
        checkpoint=checkpoint,
        **tiling,
    )


def disparities(
    matcher: StereoMatcher, pair: StreamedPair, result: Result, other: Labels | None
) -> StereoMatch:
    """Return what labels of both views give, strip by strip as the whole would.

    Parameters
    ----------
    matcher : StereoMatcher
        Its settings.
    pair : StreamedPair
        The images.
    result : Result
        With the labels of the left view.
    other : numpy.ndarray or None
        Those of the right one.

    Returns
    -------
    StereoMatch
    """
    height, width = result.labels.shape
    disparity = np.empty((height, width))
    agree = None if other is None else np.empty((height, width), bool)
    costs = PairCosts(pair, matcher.labels, matcher.min_disparity)
    here = pair.left_valid

    def strip(top: int) -> None:
        rows = slice(top, min(top + _STRIP, height))
        is_filled = other is not None and matcher.fill
        around = ROWS_AROUND_SMOOTH + (ROWS_AROUND_FILL if is_filled else 0)
        wide = slice(max(0, rows.start - around), min(height, rows.stop + around))
        inner = slice(rows.start - wide.start, rows.stop - wide.start)
        mine = result.labels[wide]
        found = mine.astype(np.float64) + matcher.min_disparity
        if matcher.subpixel:
            found += _refined(costs, result.labels, wide)
        known = None
        if other is not None and agree is not None:
            known = consistent(mine, other[wide], matcher.min_disparity)
            known &= True if here is None else here[wide]
            agree[rows] = known[inner]
            if matcher.fill:
                found = matcher.within(filled(found, mine, known, pair.left[wide]))
        if matcher.subpixel:
            found = smoothed(found)
        if known is not None and not matcher.fill:
            found = np.where(known, found, np.nan)
        limits = pair.restrictions((rows, slice(0, width)), matcher.min_disparity, matcher.labels)
        disparity[rows] = limits.hold(found[inner], matcher.min_disparity)

    with ThreadPoolExecutor(matcher.threads or available_cores()) as pool:
        for _ in pool.map(strip, range(0, height, _STRIP)):
            pass
    missing = None if here is None else ~here
    return StereoMatch(disparity, result, agree, missing=missing)


def _refined(costs: PairCosts, labels: Labels, rows: slice) -> Map:
    """By how much each pixel of some rows is off its label."""
    height, width = labels.shape
    offset = np.empty((rows.stop - rows.start, width))
    top, bottom = max(0, rows.start - REFINE_RADIUS), min(height, rows.stop + REFINE_RADIUS)
    for first in range(0, width, _COLUMNS):
        last = min(width, first + _COLUMNS)
        low, high = max(0, first - REFINE_RADIUS), min(width, last + REFINE_RADIUS)
        box = (slice(top, bottom), slice(low, high))
        part = refinement(costs(box), np.ascontiguousarray(labels[box]), REFINE_RADIUS)
        inner = part[rows.start - top :, first - low :]
        offset[:, first:last] = inner[: rows.stop - rows.start, : last - first]
    return offset
