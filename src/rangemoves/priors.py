"""The prior g: what a difference of labels between neighbours costs.

Convex priors can be minimised exactly. The robust ones are convex near zero and concave beyond, so
that a jump between two surfaces costs no more than it must (section 2 of the paper).
"""

from __future__ import annotations

import abc
import inspect
import math
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from .errors import as_choice, as_integer, as_real, describe, refuse_masked

__all__ = [
    "Cauchy",
    "Huber",
    "Linear",
    "Prior",
    "Quadratic",
    "TablePrior",
    "TruncatedLinear",
    "TruncatedQuadratic",
    "prior_by_name",
]

FloatArray = npt.NDArray[np.float64]


class Prior(abc.ABC):
    """A cost g(d) of the difference d of two neighbouring labels; see the classes below it.

    A prior of your own needs :meth:`values` only, and may be any function that is convex around
    zero: which differences count as "around" is read off the values.
    """

    name: ClassVar[str]

    @abc.abstractmethod
    def values(self, labels: int) -> FloatArray:
        """Return g(-(labels-1)), ..., g(labels-1).

        Parameters
        ----------
        labels : int
            Number of labels L.

        Returns
        -------
        numpy.ndarray
            2L-1 values, float64; g(0) is the one in the middle. ``+inf`` at either end forbids the
            differences there.
        """

    def _shifted(self, labels: int, offset: int, furthest: int | None) -> FloatArray:
        """Return g(offset - (labels-1)), ..., g(offset + labels-1).

        ``furthest`` is the largest absolute offset that the prior is used with, None without any.
        """
        reach = abs(offset)
        values = _real_values(self, labels + reach)
        return values[reach + offset :][: 2 * labels - 1]

    def huber_slope(self) -> float | None:
        """Return the slope g'(T) where the convex part ends, or None where g has no such T.

        It continues the convex part in the paper's Huber function (``surrogate="huber"``).
        """
        return None

    def convex_threshold(self) -> float | None:
        """Return the T up to which g is convex by its formula, or None where it has no such T.

        It ends the convex range of moves with ``convex_range="prior"``; by default that is read off
        the values at integers.
        """
        return None


class _Parametric(Prior):
    """A symmetric prior given by a formula in abs(d)."""

    @abc.abstractmethod
    def _cost(self, distance: FloatArray) -> FloatArray:
        """Return g for distances >= 0."""

    def values(self, labels: int) -> FloatArray:
        count = as_integer(labels, "labels", minimum=1)
        return self._shifted(count, 0, None)

    def _shifted(self, labels: int, offset: int, furthest: int | None) -> FloatArray:
        return self._cost(np.abs(np.arange(1 - labels, labels, dtype=np.float64) + offset))

    def _parameters(self) -> tuple[float, ...]:
        return ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{p:g}' for p in self._parameters())})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Parametric):
            return NotImplemented
        return type(self) is type(other) and self._parameters() == other._parameters()

    def __hash__(self) -> int:
        return hash((type(self), self._parameters()))


class _Thresholded(_Parametric):
    """A prior with a threshold T on the difference (not on the cost), which may be any real > 0."""

    def __init__(self, threshold: float) -> None:
        self._threshold = as_real(
            threshold,
            f"{type(self).__name__}(threshold)",
            positive=True,
            advice="it is the difference of labels up to which the prior is convex",
        )

    @property
    def threshold(self) -> float:
        """The difference T at which the prior stops growing as fast."""
        return self._threshold

    def _parameters(self) -> tuple[float, ...]:
        return (self._threshold,)


class Linear(_Parametric):
    """The convex prior g(d) = abs(d).

    Examples
    --------
    >>> import rangemoves as rm
    >>> rm.Linear().values(3)
    array([2., 1., 0., 1., 2.])
    """

    name = "linear"

    def _cost(self, distance: FloatArray) -> FloatArray:
        return distance


class Quadratic(_Parametric):
    """The convex prior g(d) = d^2.

    Examples
    --------
    >>> import rangemoves as rm
    >>> rm.Quadratic().values(3)
    array([4., 1., 0., 1., 4.])
    """

    name = "quadratic"

    def _cost(self, distance: FloatArray) -> FloatArray:
        return distance**2


class Huber(_Thresholded):
    """The convex prior d^2 up to T, then straight on with slope 2T: 2T abs(d) - T^2.

    Parameters
    ----------
    threshold : float
        T > 0.

    Examples
    --------
    >>> import rangemoves as rm
    >>> rm.Huber(2).values(5)
    array([12.,  8.,  4.,  1.,  0.,  1.,  4.,  8., 12.])
    """

    name = "huber"

    def _cost(self, distance: FloatArray) -> FloatArray:
        T = self.threshold
        with np.errstate(over="ignore", invalid="ignore"):  # up to T, where it is not taken
            beyond = 2 * T * distance - T * T
        return np.where(distance <= T, distance**2, beyond)


class TruncatedLinear(_Thresholded):
    """The robust prior min(abs(d), T).

    Parameters
    ----------
    threshold : float
        T > 0; also the largest cost.

    Examples
    --------
    >>> import rangemoves as rm
    >>> rm.TruncatedLinear(2).values(4)
    array([2., 2., 1., 0., 1., 2., 2.])
    """

    name = "truncated-linear"

    def _cost(self, distance: FloatArray) -> FloatArray:
        return np.minimum(distance, self.threshold)

    def huber_slope(self) -> float | None:
        return 1.0

    def convex_threshold(self) -> float | None:
        return self.threshold


class TruncatedQuadratic(_Thresholded):
    """The robust prior min(d^2, T^2).

    Parameters
    ----------
    threshold : float
        T > 0 bounds the difference; the largest cost is T^2. For a cost capped at m, T = sqrt(m).

    Examples
    --------
    >>> import rangemoves as rm
    >>> rm.TruncatedQuadratic(2).values(4)
    array([4., 4., 1., 0., 1., 4., 4.])
    """

    name = "truncated-quadratic"

    def _cost(self, distance: FloatArray) -> FloatArray:
        squares = distance**2
        cap = self.threshold * self.threshold
        # sqrt(200)**2 is 200.00000000000003: a cap meant to be an integer must be one, or integer
        # costs would lose their exactness.
        if math.isfinite(cap) and abs(cap - round(cap)) <= 4 * np.finfo(np.float64).eps * cap:
            cap = float(round(cap))
        return np.minimum(squares, cap)

    def huber_slope(self) -> float | None:
        return 2 * self.threshold

    def convex_threshold(self) -> float | None:
        return self.threshold


class Cauchy(_Thresholded):
    """The robust prior T^2/2 log(1 + (d/T)^2), which keeps growing, ever more slowly.

    Parameters
    ----------
    threshold : float
        T > 0; the prior is convex up to T and concave beyond.

    Notes
    -----
    Seen at integers alone it is convex a little further, up to T + 1 for an integer T: moves use
    all of that, which ends lower. With ``convex_range="prior"`` they stop at T, as in the paper,
    and ``surrogate="huber"`` is then the paper's h: straight on from T with slope T/2.

    Examples
    --------
    >>> import rangemoves as rm
    >>> rm.Cauchy(2).values(3).round(3)
    array([1.386, 0.446, 0.   , 0.446, 1.386])
    """

    name = "cauchy"

    def _cost(self, distance: FloatArray) -> FloatArray:
        T = self.threshold
        with np.errstate(over="ignore", invalid="ignore"):  # where another line takes over
            cost = 0.5 * T * T * np.log1p((distance / T) ** 2)
            far = distance / T > 1e150
        # log(1 + x^2) is x^2 for tiny x and 2 log x for huge ones, where x^2 leaves float64.
        cost = np.where(distance < 1e-9 * T, 0.5 * distance**2, cost)
        if far.any():
            cost[far] = T * (T * (np.log(distance[far]) - math.log(T)))
        return cost

    def huber_slope(self) -> float | None:
        return 0.5 * self.threshold

    def convex_threshold(self) -> float | None:
        return self.threshold


class TablePrior(Prior):
    """A prior given by its values.

    Parameters
    ----------
    values : array_like
        For L labels either g(0), ..., g(L-1), a symmetric prior, or g(-(L-1)), ..., g(L-1), which
        need not be symmetric. For an edge (i, j) the argument is x_i - x_j; on a grid j is the
        neighbour further along its axis (to the right, or below). ``+inf`` at the ends forbids
        differences: hard limits of the slope. With offsets up to m the table must reach m further,
        as if there were L+m labels; it may reach beyond that.

    Examples
    --------
    >>> import rangemoves as rm
    >>> rm.TablePrior([0, 1, 3]).values(3)
    array([3., 1., 0., 1., 3.])
    >>> rm.TablePrior([9, 4, 0, 1, 2]).values(3)
    array([9., 4., 0., 1., 2.])
    >>> rm.TablePrior([0, 1, float("inf")]).values(3)
    array([inf,  1.,  0.,  1., inf])
    """

    name = "table"

    def __init__(self, values: npt.ArrayLike) -> None:
        refuse_masked(values, "TablePrior(values)", "use .filled(np.inf) to forbid differences")
        given = np.asarray(values)
        if given.dtype.kind not in "biuf":
            raise TypeError(f"TablePrior(values) must be real numbers; found dtype {given.dtype}")
        if given.ndim != 1 or given.size == 0:
            raise ValueError(
                f"TablePrior(values) must be one row of numbers; found shape {given.shape}; "
                "pass g(0) .. g(L-1), or g(-(L-1)) .. g(L-1) if it is not symmetric"
            )
        table = _in_float64(given, "TablePrior(values)")
        bad = np.flatnonzero(np.isnan(table) | np.isneginf(table))
        if bad.size:
            raise ValueError(
                f"TablePrior(values) must be finite, or +inf; found {table[bad[0]]} at position "
                f"{bad[0]}; use +inf where a difference should never occur"
            )
        if not _is_interval(np.isfinite(table)):
            raise ValueError(
                "TablePrior(values) must be finite on one range of differences that holds 0, with "
                f"+inf at its ends only; found +inf at position "
                f"{int(np.argmax(np.isposinf(table)))} of {table.size}"
            )
        table.setflags(write=False)
        self._table: FloatArray = table

    def values(self, labels: int) -> FloatArray:
        count = as_integer(labels, "labels", minimum=1)
        if self._table.size == 2 * count - 1:
            return np.array(self._table)
        if self._table.size == count:
            return self._mirrored()
        raise ValueError(
            f"TablePrior for {count} labels must have {count} values (symmetric) or "
            f"{2 * count - 1}; found {self._table.size}; pass g(0) .. g({count - 1}), or "
            f"g({1 - count}) .. g({count - 1})"
        )

    def _shifted(self, labels: int, offset: int, furthest: int | None) -> FloatArray:
        if furthest is None:
            return self.values(labels)
        wide = self._reaching(labels, furthest)
        if not np.isfinite(wide[wide.size // 2]):
            raise ValueError(
                "TablePrior(values) must be finite at g(0), with +inf at its ends only; found "
                f"{self!r} with g(0) = +inf"
            )
        first = wide.size // 2 + offset - (labels - 1)
        return wide[first : first + 2 * labels - 1]

    def _reaching(self, labels: int, furthest: int) -> FloatArray:
        """The whole table, g(0) in the middle, which must suffice for offsets up to ``furthest``.

        Read the same way for every offset, or two edges could see two different priors.
        """
        count, size = labels + furthest, self._table.size
        if size < count:
            raise ValueError(
                f"TablePrior for {labels} labels and offsets up to {furthest} must have at least "
                f"{count} values (symmetric) or {2 * count - 1}; found {size}; pass g(0) .. "
                f"g({count - 1}), or g({1 - count}) .. g({count - 1})"
            )
        if size % 2 == 0 or size < 2 * count - 1:
            return self._mirrored()
        steps = np.diff(self._table[np.isfinite(self._table)])
        if size > 2 * count - 1 and (steps >= 0).all() and (steps > 0).any():
            raise ValueError(
                f"TablePrior must say which value is g(0); found {size} rising values, which could "
                f"be g(0) .. g({size - 1}) or g({-(size // 2)}) .. g({size // 2}); for {labels} "
                f"labels and offsets up to {furthest} pass {count} or {2 * count - 1} values"
            )
        return self._table

    def _mirrored(self) -> FloatArray:
        mirrored: FloatArray = np.concatenate([self._table[:0:-1], self._table])
        return mirrored

    def __repr__(self) -> str:
        shown = np.array2string(self._table, separator=", ", threshold=8, edgeitems=3)
        return f"TablePrior({shown})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TablePrior):
            return NotImplemented
        return bool(np.array_equal(self._table, other._table))

    def __hash__(self) -> int:
        return hash((type(self), self._table.tobytes()))


_BY_NAME: dict[str, type[_Parametric]] = {
    cls.name: cls for cls in (Linear, Quadratic, Huber, TruncatedLinear, TruncatedQuadratic, Cauchy)
}


def prior_by_name(name: str, threshold: float | None = None) -> Prior:
    """Return the prior of that name.

    Parameters
    ----------
    name : str
        "linear", "quadratic", "huber", "truncated-linear", "truncated-quadratic" or "cauchy".
    threshold : float, optional
        T, for the priors that have one.

    Returns
    -------
    Prior

    Examples
    --------
    >>> import rangemoves as rm
    >>> rm.prior_by_name("truncated-quadratic", 3)
    TruncatedQuadratic(3)
    """
    cls = _BY_NAME[as_choice(name, "prior", _BY_NAME)]
    takes_threshold = "threshold" in inspect.signature(cls).parameters
    if takes_threshold and threshold is None:
        raise ValueError(f"prior {name!r} needs a threshold; found none; pass threshold=T")
    if not takes_threshold and threshold is not None:
        raise ValueError(f"prior {name!r} has no threshold; found {threshold:g}; leave it out")
    arguments: tuple[Any, ...] = (threshold,) if takes_threshold else ()
    return cls(*arguments)


def check_prior(prior: Any, name: str = "prior") -> Prior:
    """Return a prior, or say what was found instead."""
    if not isinstance(prior, Prior):
        raise TypeError(
            f"{name} must be a Prior such as rm.TruncatedQuadratic(3); found {describe(prior)}; "
            "wrap a table of values in rm.TablePrior(values)"
        )
    return prior


def check_priors(prior: Any) -> tuple[Prior, ...]:
    """Return one prior or several as a tuple, or say what was found instead."""
    if not isinstance(prior, (list, tuple)) or not any(isinstance(one, Prior) for one in prior):
        return (check_prior(prior),)
    return tuple(check_prior(one, f"prior[{k}]") for k, one in enumerate(prior))


def prior_table(
    prior: Prior, labels: int, offset: int = 0, furthest: int | None = None
) -> FloatArray:
    """Return g(d + offset) for the differences d = -(L-1) .. L-1, or say what is wrong with it.

    Parameters
    ----------
    prior : Prior
        The prior g.
    labels : int
        Number of labels L.
    offset : int, default 0
        What is added to a difference.
    furthest : int, optional
        The largest absolute offset that the prior is used with; None without offsets.

    Returns
    -------
    numpy.ndarray
        2L-1 values, each finite or ``+inf``.
    """
    table = np.array(prior._shifted(labels, offset, furthest), dtype=np.float64)
    if table.shape != (2 * labels - 1,) or not (np.isfinite(table) | np.isposinf(table)).all():
        raise ValueError(
            f"prior.values({labels}) must be {2 * labels - 1} finite numbers, or +inf; "
            f"found shape {table.shape} from {prior!r}"
        )
    allowed = np.isfinite(table)
    if allowed.all():
        return table
    if not allowed.any():
        raise ValueError(
            f"offsets must leave a difference that {prior!r} allows; found offset {offset}, with "
            f"which it is +inf for all of {labels} labels"
        )
    if not _is_interval(allowed) or (offset == 0 and not allowed[labels - 1]):
        raise ValueError(
            f"prior must be finite on one range of differences that holds 0; found {prior!r}, "
            "with +inf elsewhere than at its ends"
        )
    return table


def _real_values(prior: Prior, labels: int) -> FloatArray:
    """What a prior of the caller's own says, if it is a row of numbers."""
    name = f"prior.values({labels})"
    given = prior.values(labels)
    refuse_masked(given, name, "use .filled(np.inf) to forbid differences")
    values = np.atleast_1d(given)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be real numbers; found dtype {values.dtype} from {prior!r}")
    return _in_float64(values, name)


def _in_float64(given: npt.NDArray[Any], name: str) -> FloatArray:
    """The same values; what float64 cannot hold would forbid differences without a word."""
    with np.errstate(over="ignore"):
        table = given.astype(np.float64)
    if not (np.isfinite(table) == np.isfinite(given)).all():
        raise OverflowError(f"{name} must fit float64; found values beyond 1.8e308")
    return table


def _is_interval(chosen: npt.NDArray[np.bool_]) -> bool:
    """Whether those chosen are some that follow each other."""
    return int(np.count_nonzero(np.diff(chosen.astype(np.int8), prepend=0) == 1)) == 1
