"""Stereo beyond memory: costs are made tile by tile, and never exist as a whole.

Every step declares how far it looks around a pixel; a part with that much around it gives what the
whole gives, pixel by pixel. Left-right check and fill look along rows, so they get whole rows.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import Interrupted
from ..machine import available_cores
from ..result import Result
from ._match import (
    REFINE_RADIUS,
    Callback,
    StereoMatch,
    StereoMatcher,
    with_confidence,
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
from .streamed_pair import PairCosts, PairWeights, StreamedPair
from .tile_confidence import confidence_of_tiles

__all__ = ["disparities", "match_in_tiles"]

Labels = NDArray[np.int32]
Map = NDArray[np.float64]

# Pixels of a part whose disparities are refined at a time.
_STRIP, _COLUMNS = 64, 512


def match_in_tiles(
    matcher: StereoMatcher,
    left: ArrayLike | StreamedPair,
    right: ArrayLike | None = None,
    *,
    mask: ArrayLike | None = None,
    disparity_range: tuple[ArrayLike, ArrayLike] | None = None,
    confidence: bool = False,
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
    confidence : bool
        Whether to find out how sure each disparity is. Tiles are swept once more for it, with their
        margin; one tile over all gives what :meth:`StereoMatcher.run` gives for the same labels.
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
        if confidence:
            cut = result.options["tiles"], result.options["margin"]
            sure = confidence_of_tiles(matcher, pair, result.labels, *cut)
            found = with_confidence(found, sure)
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
