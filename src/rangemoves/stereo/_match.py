"""From a pair to disparities with settings that need no tuning.

Data term: census, which does not mind brightness, plus Birchfield-Tomasi, which keeps detail.
Smoothness: truncated linear, weaker across edges of the image. Both views are solved; where they
disagree the pixel is hidden in one of them, and gets the disparity of the background beside it, or
of the plane that continues the surface beside it where the other image ends.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..energy import Energy
from ..errors import Interrupted
from ..images import Image, check_valid_pair
from ..minimize import minimize, require_callback, task_from
from ..priors import Prior
from ..result import Result, TraceRecord
from ._cost_volume import cost_volume
from ._edge_weights import edge_weights
from ._postprocess import consistent, filled, refinement, smoothed
from ._shown import as_html, in_a_line
from ._size import check_size
from ._views import (
    EDGE_MODE,
    Sweeps,
    fits,
    refined,
    room_for_messages,
    truncation,
    turn_right,
    view_costs,
)
from .confidence import confidence as confidence_of
from .confidence import weakened_by_doubt
from .exposure import with_equal_exposure
from .range_check import doubts
from .restrictions import NONE, Restrictions
from .settings import SWEEPS, StereoSettings, documented

Callback = Callable[[TraceRecord], object]

# Found on the public pairs that benchmarks/stereo.py runs.
_CENSUS_HALVES = 3  # half of that many for each neighbour of the window that disagrees,
_INNER_WINDOW = (5, 5)  # and one more for those close by
_PIXEL_TRUNCATE = 20  # per channel
_OUTSIDE_COST = 60  # that of a fair match, where too few others say what is fair:
_FEW_INSIDE = 8  # fewer than that
EDGE_GRADIENT = 8  # levels of brightness
EDGE_FACTOR = 8  # by which an edge of the image weakens the smoothness
REFINE_RADIUS = 5
_OF_A_START = ("init", "progress")  # keywords of ``minimize`` that are checked when it runs
# The right view is only asked whether it agrees. Where messages begin with those of blocks, one
# sweep there for so many of the left view is enough: more change little.
_SWEEPS_TO_ONE = 3

_FIXED_POINT = 16  # OpenCV's disparities are 16-bit integers, 16 to a pixel


def data_cost(
    left: Image,
    right: Image,
    labels: int,
    min_disparity: int,
    restrictions: Restrictions | None = None,
) -> NDArray[np.int32]:
    """Census plus truncated Birchfield-Tomasi; between good and bad where a match lies outside."""
    width = left.shape[1]
    census = cost_volume(left, right, labels, "census", min_disparity=min_disparity)
    volume = _CENSUS_HALVES * census
    volume //= 2
    for options in ({"truncate": _PIXEL_TRUNCATE}, {"cost": "census", "window": _INNER_WINDOW}):
        volume += cost_volume(left, right, labels, min_disparity=min_disparity, **options)
    is_left_view = restrictions is None or restrictions.from_left
    for column in range(width):
        first = min(max(column - (width - 1) - min_disparity, 0), labels)
        last = max(min(column + 1 - min_disparity, labels), first)
        if last - first < labels:
            _price_outside(volume[:, column], first, last, is_left_view)
    if restrictions:
        restrictions.restrict(volume, min_disparity, _OUTSIDE_COST)
    return volume


def _price_outside(costs: NDArray[np.int32], first: int, last: int, is_left_view: bool) -> None:
    """Set what matches outside the image cost the pixels of a column, in place.

    Half-way between the best and the mean of a pixel's matches inside, labels first to last: the
    pixel can then belong to a surface beside it, but does not want to lie outside on its own
    account. The right view is only asked whether it agrees with the left one, and no left pixel
    matches what lies outside the left image: one cost for all does there.
    """
    fair: NDArray[np.int32] | int = _OUTSIDE_COST
    if is_left_view and last - first >= _FEW_INSIDE:
        inside = costs[:, first:last]
        mean = inside.sum(axis=1, dtype=np.int32) // (last - first)
        fair = ((inside.min(axis=1) + mean) // 2)[:, None]
    costs[:, :first] = fair
    costs[:, last:] = fair


@dataclass(frozen=True, eq=False, repr=False)
class StereoMatch:
    """What matching a pair gave.

    Attributes
    ----------
    disparity : ndarray of float64, (H, W)
        Disparity of the left image, NaN where unknown.
    result : Result
        The minimisation for the left image: energy, bound, trace.
    consistent : ndarray of bool, (H, W), or None
        Where the two views agree; None without the left-right check.
    right : Result or None
        The minimisation for the right image; None without the left-right check.
    warnings : tuple of str
        What seems wrong with the pair or the range of disparities, and what would help.
    confidence : ndarray of float64, (H, W), or None
        How sure a disparity is, from 0 to 1; None unless asked for.
    missing : ndarray of bool, (H, W), or None
        True where the left image has no pixel, by ``mask=`` or NaN; None where it has all.
    """

    disparity: NDArray[np.float64]
    result: Result
    consistent: NDArray[np.bool_] | None
    right: Result | None = None
    warnings: tuple[str, ...] = ()
    confidence: NDArray[np.float64] | None = None
    missing: NDArray[np.bool_] | None = None

    @property
    def agreement(self) -> float | None:
        """Share of the pixels on which both views agree; None without the left-right check."""
        if self.consistent is None:
            return None
        missing = 0 if self.missing is None else np.count_nonzero(self.missing)
        return float(np.count_nonzero(self.consistent)) / (self.consistent.size - int(missing))

    @property
    def is_solved(self) -> bool:
        """False where the time was over before anything was found: the map then says nothing."""
        views = [self.result] if self.right is None else [self.result, self.right]
        return all(view.iterations > 0 or view.status != "time_limit" for view in views)

    def __repr__(self) -> str:
        return f"StereoMatch({in_a_line(self)})"

    def _repr_html_(self) -> str:
        """What a notebook shows: the disparities in colours and a line."""
        return as_html(self)


def with_confidence(found: StereoMatch, sure: NDArray[np.float64] | None) -> StereoMatch:
    """Return the same with how sure it is, by the messages and by the other view."""
    if sure is None:
        return found
    return replace(found, confidence=weakened_by_doubt(sure, found.consistent))


def with_warnings(
    found: StereoMatch, left: Image, right: Image, matcher: StereoMatcher
) -> StereoMatch:
    """Return the same with what seems wrong, if anything does."""
    if not found.is_solved:
        said = ["the time limit was over before anything was found; raise it"]
    else:
        said = doubts(left, right, matcher, found.result.labels, found.agreement)
    return replace(found, warnings=tuple(said))


@documented
@dataclass(frozen=True)
class StereoMatcher(StereoSettings):
    """A stereo matcher with its settings, to be used on many pairs.

    Parameters
    ----------
    {settings}
    options : dict
        Further options of the method.

    Examples
    --------
    Where OpenCV's matcher stood, with its fixed-point answer:

    >>> import rangemoves as rm
    >>> pair = rm.datasets.synthetic_stereo(shape=(48, 64), labels=12)
    >>> matcher = rm.stereo.StereoMatcher(labels=12)
    >>> disparity = matcher.compute(pair.left, pair.right) / 16
    >>> rm.stereo.evaluate(disparity, pair.disparity)["bad2"] < 20
    True
    """

    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        # Also where the pair is solved in bytes, which asks nobody else what they mean.
        run = {name: getattr(self, name) for name in ("max_iter", "threads", "seed")}
        others = {name: self.options[name] for name in self.options if name not in _OF_A_START}
        task_from(self.method, {**others, **run})

    def run(
        self,
        left: ArrayLike,
        right: ArrayLike,
        callback: Callback | None = None,
        *,
        mask: ArrayLike | None = None,
        disparity_range: tuple[ArrayLike, ArrayLike] | None = None,
        confidence: bool = False,
    ) -> StereoMatch:
        """Match a pair and keep what is known about the run.

        Parameters
        ----------
        left, right : array_like of uint8, uint16 or real, (H, W), (H, W, 3) or (H, W, 4)
            A rectified pair; pixels that are NaN or infinite count as missing.
        callback : callable, optional
            Sees every record of the minimisation of each view; True stops that view.
        mask : array_like of bool, (H, W), optional
            False where a pixel of the left image is missing.
        disparity_range : (array_like, array_like), optional
            The least and the largest disparity of each pixel of the left image, or of all; NaN for
            no limit.
        confidence : bool
            Whether to find out how sure each disparity is, from the beliefs of the messages; for
            methods that send them. Takes as much memory as the costs twice more.

        Returns
        -------
        StereoMatch

        Raises
        ------
        Interrupted
            On Ctrl-C; ``.result`` has the labels of the left image so far.
        """
        require_callback(callback)
        pair = with_equal_exposure(check_valid_pair(left, right, mask))
        self.check_size(pair.left.shape[:2], confidence=confidence)
        limits = Restrictions.of(pair, disparity_range, self.min_disparity, self.labels)
        if self.is_in_bytes and not limits:
            found = self._run_in_bytes(pair.left, pair.right, callback, confidence)
            try:
                return with_warnings(found, pair.left, pair.right, self)
            except KeyboardInterrupt:
                raise Interrupted(found.result) from None
        result, unary = self._solve(pair.left, pair.right, callback, limits, confidence)
        try:
            sure = None
            if result.beliefs is not None:
                sure = confidence_of(result.beliefs, result.labels, self.weight_used)
                result = replace(result, beliefs=None)  # as large as two volumes of costs
            found = self._refine(pair.left, pair.right, result, unary, callback, limits)
            found = with_confidence(found, sure)
            return with_warnings(found, pair.left, pair.right, self)
        except KeyboardInterrupt:
            raise Interrupted(result) from None

    def _refine(
        self,
        left: Image,
        right: Image,
        result: Result,
        unary: NDArray[np.int32],
        callback: Callback | None,
        limits: Restrictions = NONE,
    ) -> StereoMatch:
        disparity = result.labels.astype(np.float64) + self.min_disparity
        if self.subpixel:
            disparity += refinement(unary, result.labels, REFINE_RADIUS)
        del unary  # freed before the volume of the second view is made
        mirrored = None
        if self.left_right:
            # Mirrored, the right image is the left one of a pair.
            views = right[:, ::-1], left[:, ::-1]
            mirrored, _ = self._solve(*views, callback, limits.the_other_way())
        return self._finished(left, result, disparity, mirrored, limits)

    def _finished(
        self,
        left: Image,
        result: Result,
        disparity: NDArray[np.float64],
        mirrored: Result | None,
        limits: Restrictions = NONE,
    ) -> StereoMatch:
        agree = None
        if mirrored is not None:
            agree = consistent(result.labels, mirrored.labels[:, ::-1], self.min_disparity)
            agree &= True if limits.here is None else limits.here
            if self.fill:
                disparity = self.within(filled(disparity, result.labels, agree, left))
        if self.subpixel:
            disparity = smoothed(disparity)
        if agree is not None and not self.fill:
            disparity = np.where(agree, disparity, np.nan)
        disparity = limits.hold(disparity, self.min_disparity)
        missing = None if limits.here is None else ~limits.here
        return StereoMatch(disparity, result, agree, mirrored, missing=missing)

    @property
    def is_in_bytes(self) -> bool:
        """Whether a pair without missing pixels and ranges is solved in bytes."""
        return (
            self.preset != "accurate"
            and self.method == "trws"
            and not self.options
            and fits(self.prior_used, self.weight_used, EDGE_FACTOR)
        )

    def sweeps_in_bytes(self, callback: Callback | None = None) -> Sweeps:
        """How a view is solved in bytes, where it is."""
        limit = self.time_limit
        if limit is not None and self.left_right:
            limit /= 2
        return Sweeps(
            self.labels,
            truncation(self.prior_used),
            self.weight_used / EDGE_FACTOR,
            self.weight_used,
            EDGE_GRADIENT,
            self.sweeps or 0,
            self.preset != "fast",
            limit,
            callback,
        )

    def _run_in_bytes(
        self, left: Image, right: Image, callback: Callback | None, confidence: bool
    ) -> StereoMatch:
        how = self.sweeps_in_bytes(callback)
        costs = view_costs(left, right, self.labels, self.min_disparity)
        room = room_for_messages(costs)
        result, sure = how.solve(costs, left, room, confidence)
        try:
            disparity = result.labels.astype(np.float64) + self.min_disparity
            if self.subpixel:
                disparity += refined(costs, result.labels, self.labels, REFINE_RADIUS)
            mirrored = None
            if self.left_right:
                turn_right(costs, self.labels, self.min_disparity)
                other, _ = replace(how, count=self._sweeps_of_right).solve(costs, right, room)
                mirrored = replace(other, labels=np.ascontiguousarray(other.labels[:, ::-1]))
            del costs, room
            found = self._finished(left, result, disparity, mirrored)
            return with_confidence(found, sure)
        except KeyboardInterrupt:
            raise Interrupted(result) from None

    def compute(self, left: ArrayLike, right: ArrayLike) -> NDArray[np.int16]:
        """Match a pair and answer as OpenCV's stereo matchers do.

        Parameters
        ----------
        left, right : array_like of uint8, uint16 or real, (H, W), (H, W, 3) or (H, W, 4)
            A rectified pair.

        Returns
        -------
        ndarray of int16, (H, W)
            16 times the disparity; ``16 * (min_disparity - 1)`` where unknown.
        """
        reach = max(abs(self.min_disparity - 1), abs(self.min_disparity + self.labels))
        if reach * _FIXED_POINT > np.iinfo(np.int16).max:
            raise ValueError(
                "min_disparity and labels must keep disparities below 2047 for a 16-bit answer; "
                f"found {self.min_disparity} and {self.labels}; use run(left, right).disparity"
            )
        disparity = _said(self.run(left, right)).disparity
        disparity = np.where(np.isnan(disparity), self.min_disparity - 1, disparity)
        return np.rint(_FIXED_POINT * disparity).astype(np.int16)

    def check_size(
        self, shape: tuple[int, int], *, confidence: bool = False, at_once: int = 1
    ) -> None:
        """Raise ValueError or MemoryError where images of this height and width are too much."""
        check_size(shape, self.labels, confidence, at_once, in_bytes=self.is_in_bytes)

    def within(self, disparity: NDArray[np.float64]) -> NDArray[np.float64]:
        """Hold what planes gave to the disparities that labels stand for."""
        held = np.clip(disparity, self.min_disparity, self.min_disparity + self.labels - 1)
        return held if self.subpixel else np.rint(held)

    def parameters(self) -> dict[str, object]:
        """The settings by name, for reports."""
        settings = asdict(self) | {
            "prior": repr(self.prior_used),
            "weight": self.weight_used,
            "max_iter": self.sweeps,
        }
        return {name: value for name, value in settings.items() if value not in (None, {})}

    @property
    def sweeps(self) -> int | None:
        """How many sweeps or rounds the method makes at most; None where it ends by itself."""
        is_usual = self.max_iter is None and self.method == "trws"
        return SWEEPS[self.preset] if is_usual else self.max_iter

    @property
    def _sweeps_of_right(self) -> int:
        """How many sweeps the right view gets in bytes."""
        sweeps = self.sweeps or 0
        return sweeps if self.preset == "fast" else -(-sweeps // _SWEEPS_TO_ONE)

    def _solve(
        self,
        left: Image,
        right: Image,
        callback: Callback | None,
        limits: Restrictions = NONE,
        beliefs: bool = False,
    ) -> tuple[Result, NDArray[np.int32]]:
        unary = data_cost(left, right, self.labels, self.min_disparity, limits)
        weight = self.weight_used
        weights = edge_weights(left, weight / EDGE_FACTOR, weight, EDGE_GRADIENT, EDGE_MODE)
        limit = self.time_limit
        if limit is not None and self.left_right:
            limit /= 2
        result = minimize(
            Energy(unary, self.prior_used, weights, copy=False),
            self.method,
            callback=callback,
            time_limit=limit,
            max_iter=self.sweeps,
            threads=self.threads,
            seed=self.seed,
            beliefs=beliefs,
            **self.options,
        )
        return result, unary


@documented
def match(
    left: ArrayLike,
    right: ArrayLike,
    *,
    labels: int,
    min_disparity: int = StereoSettings.min_disparity,
    prior: Prior | None = StereoSettings.prior,
    weight: float | None = StereoSettings.weight,
    method: str = StereoSettings.method,
    max_iter: int | None = StereoSettings.max_iter,
    subpixel: bool = StereoSettings.subpixel,
    left_right: bool = StereoSettings.left_right,
    fill: bool = StereoSettings.fill,
    callback: Callback | None = None,
    time_limit: float | None = StereoSettings.time_limit,
    threads: int | None = StereoSettings.threads,
    seed: int = StereoSettings.seed,
    preset: str = StereoSettings.preset,
    mask: ArrayLike | None = None,
    disparity_range: tuple[ArrayLike, ArrayLike] | None = None,
    **options: Any,
) -> NDArray[np.float64]:
    """Disparity of every pixel of the left image of a rectified pair.

    Parameters
    ----------
    left, right : array_like of uint8, uint16 or real, (H, W), (H, W, 3) or (H, W, 4)
        The pair; ``left[y, x]`` is looked for at ``right[y, x - d]``. Pixels that are NaN or
        infinite count as missing.
    {settings}
    callback : callable, optional
        Sees every record of the minimisation of each view; True stops that view.
    mask : array_like of bool, (H, W), optional
        False where a pixel of the left image is missing: NaN in the answer.
    disparity_range : (array_like, array_like), optional
        The least and the largest disparity of each pixel of the left image, or of all; NaN for no
        limit. All must lie within ``min_disparity`` and ``labels``.
    **options
        Further options of the method.

    Returns
    -------
    ndarray of float64, (H, W)
        NaN where unknown.

    Warns
    -----
    UserWarning
        Where left and right seem to be swapped, the range of disparities too narrow, or the two
        views hardly agree.

    See Also
    --------
    StereoMatcher : the same settings for many pairs, with energy and trace.

    Examples
    --------
    >>> import rangemoves as rm
    >>> pair = rm.datasets.synthetic_stereo(shape=(48, 64), labels=12)
    >>> disparity = rm.stereo.match(pair.left, pair.right, labels=pair.labels)
    >>> disparity.shape
    (48, 64)
    """
    matcher = StereoMatcher(
        labels,
        min_disparity,
        prior,
        weight,
        method,
        max_iter,
        subpixel,
        left_right,
        fill,
        time_limit,
        threads,
        seed,
        preset,
        options,
    )
    found = matcher.run(left, right, callback, mask=mask, disparity_range=disparity_range)
    return _said(found).disparity


def _said(found: StereoMatch) -> StereoMatch:
    """Warn the caller of a function that hands out disparities alone."""
    for sentence in found.warnings:
        warnings.warn(sentence, stacklevel=3)
    return found
