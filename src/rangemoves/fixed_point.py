"""Costs to integers: everything inside the solvers is exact because it is integer.

Integer problems stay what they are. Others are scaled and rounded: the tables of g with one scale,
and the weights apart from them; one weight for all moves into the scale. Where edges are few and
both factors are real, each edge gets a table of its own instead, its weight times g. What is
convex, straight or flat stays so in every table. Where two labels of a variable differ by more than
its edges can make up for, the cheaper one is the better choice whatever the difference: such gaps
are shortened, so that one huge cost does not take the precision of all others. A forbidden
difference costs more than all that a labelling could save by it. What rounding can change in the
energy is added up, so that a proven bound can be lowered by it.

How large the integers may be is said in ``core/include/rangemoves/problem/limits.hpp``.
"""

from __future__ import annotations

import copy
import functools
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .edge_costs import EdgeCosts, all_integers, edge_costs_of
from .energy import Energy, chunks
from .errors import PrecisionWarning
from .limits import LIMITS
from .rounded_tables import rounded_tables

__all__ = ["FixedEdges", "FixedPoint", "priors_in_core", "to_fixed_edges", "to_fixed_point"]

IntArray = npt.NDArray[np.int32]
LongArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Poll = Callable[[], None]

# All that one variable can cost after rounding: small enough for 32-bit messages with a scale of
# their own; or, 64 bits wide, all that one variable and all that all together can cost.
ROUNDED_NARROW = 2.0**20
ROUNDED_WIDE = float(LIMITS["wide_cost"])
ROUNDED_TOTAL = float(LIMITS["total_cost"])

# On large problems rounding to 32 bits is good enough where it changes the energy by at most this
# part of what it varies by. On small ones, where 64 bits cost nothing, it must change nothing.
NARROW_ERROR = 2.5e-7
SMALL_PROBLEM = 1 << 20

# Of rounded costs: an energy that is this close to its bound is as good as optimal.
TOLERANCE = 2.5e-10

# How many scales of g are tried, and for how many of its values at most: with more there is little
# to be gained.
CANDIDATES = 1 << 13
MOST_TUNED = 64

# A typical cost with fewer steps than this is not kept well.
FEWEST_STEPS = 2.0**10

# float64 is safe from overflow and underflow while all costs are between these powers of two.
SAFE_EXPONENT = 500


@dataclass(frozen=True, eq=False)
class FixedEdges:
    """The edges of an energy in integers, and the scale that suits all of it.

    Attributes
    ----------
    weights : numpy.ndarray
        int32, one per edge.
    tables : numpy.ndarray
        int64, shape (K, 2L-1): g(-(L-1)) .. g(L-1) of each kind of edge, up to a constant.
    table_index : numpy.ndarray
        int32, the kind of each edge; empty where there is only one.
    centres : numpy.ndarray
        int32, the difference nearest to the middle of the prior, for each kind.
    huber_slopes : numpy.ndarray
        int64, shape (K, 2): the slopes of the paper's Huber function to the left and to the right,
        in units of the tables, or -1 where a prior has none: it goes on as low as possible.
    names : tuple of str
        Each kind in words, or nothing where there is only one.
    limited : numpy.ndarray
        bool, whether a kind forbids differences.
    scale : float
        Integer energy = scale * (energy / unit - offset), up to rounding.
    unit : float
        A power of two; 1 but for costs near the ends of float64.
    rounding_error : float
        The most by which the integer costs of all edges / scale can differ from the costs / unit.
    wide : bool
        Whether unary costs take 64 bits.
    capped : bool
        Whether gaps between the costs of a variable are shortened to what decides just as well.
    shifted : bool
        Whether every variable's costs start from zero.
    g_offset : float
        What was taken off the tables, times the weights, over unit.
    reach : numpy.ndarray
        The most that the edges of each variable can cost more with one label than with another,
        under g or any surrogate of it, in integers.
    true_reach : numpy.ndarray
        The same before rounding, over unit: a label that costs more than this above the cheapest
        is dominated.
    margin : int
        By how much a shortened gap exceeds ``reach``: more than what counts as no difference.
    largest_unary : float
        The largest unary cost in integers.
    size : float
        The sum over the variables of the largest absolute cost among labels that matter, plus
        that over the edges of the weight times the largest absolute value of g, over unit.
    variation : float
        The same of what costs vary by.
    costs : object
        The unary costs, as they were looked at.
    """

    weights: IntArray
    tables: LongArray
    table_index: IntArray
    centres: IntArray
    huber_slopes: LongArray
    names: tuple[str, ...]
    limited: npt.NDArray[np.bool_]
    scale: float
    unit: float
    rounding_error: float
    wide: bool
    capped: bool
    shifted: bool
    g_offset: float
    reach: FloatArray
    true_reach: FloatArray
    margin: int
    largest_unary: float
    size: float
    variation: float
    costs: _UnaryCosts = field(repr=False)

    def kinds_in_use(self) -> list[int]:
        """Return which tables an edge has whose weight is not zero; the first where none has."""
        if self.table_index.size == 0:
            return [0]
        used: list[int] = np.unique(self.table_index[self.weights > 0]).tolist()
        return used or [0]


@dataclass(frozen=True, eq=False)
class FixedPoint:
    """An energy in integers.

    Attributes
    ----------
    unary : numpy.ndarray
        int32 or int64, shape (N, L); forbidden labels have a cost that no labelling can make up
        for.
    weights : numpy.ndarray
        int32, one per edge.
    tables, table_index, centres, huber_slopes : numpy.ndarray
        See :class:`FixedEdges`.
    scale, unit, offset : float
        Integer energy = scale * (energy / unit - offset), up to rounding.
    rounding_error : float
        The most by which integer energy / scale + offset can differ from energy / unit, for any
        labelling without capped labels; 0 for integer problems.
    tolerance : int
        An integer energy this close to its bound is as good as optimal.
    size : float
        See :class:`FixedEdges`.
    shifted : bool
        Whether every variable's costs start from zero; some labels may then cost less than they do.
    """

    unary: IntArray | LongArray
    weights: IntArray
    tables: LongArray
    table_index: IntArray
    centres: IntArray
    huber_slopes: LongArray
    scale: float
    unit: float
    offset: float
    rounding_error: float
    tolerance: int
    size: float
    shifted: bool

    @property
    def exact(self) -> bool:
        """Whether nothing was rounded."""
        return self.rounding_error == 0.0

    @property
    def as_given(self) -> bool:
        """Whether integer energies are the caller's energies, as they are."""
        return self.exact and not self.shifted


def to_fixed_point(
    energy: Energy, edges: FixedEdges | None = None, poll: Poll = lambda: None
) -> FixedPoint:
    """Return the energy in integers.

    Parameters
    ----------
    energy : Energy
        The problem in the caller's costs.
    edges : FixedEdges, optional
        What :func:`to_fixed_edges` gave for it, where that is at hand.
    poll : callable, optional
        Called now and then where costs are many; what it raises ends the work.

    Returns
    -------
    FixedPoint

    Raises
    ------
    OverflowError
        If integer costs are so large that their sums cannot fit.

    Examples
    --------
    >>> import numpy as np
    >>> import rangemoves as rm
    >>> from rangemoves.fixed_point import to_fixed_point
    >>> unary = np.array([[[0, 3], [2, 1]]])
    >>> to_fixed_point(rm.Energy(unary, rm.Linear(), 2)).tables
    array([[2, 0, 2]])
    >>> fixed = to_fixed_point(rm.Energy(unary / 3, rm.Linear()))
    >>> fixed.rounding_error < 1e-12
    True
    """
    if edges is None:
        edges = to_fixed_edges(energy, poll)
    unary, offset, error = edges.costs.rounded(edges)
    offset += edges.g_offset
    error += edges.rounding_error
    if error > 0:
        # The sums of the error, and the energies that it is compared with, are rounded as well.
        error = error * (1 + 1e-9) + 1e-15 * edges.size
    return FixedPoint(
        unary=unary,
        weights=edges.weights,
        tables=edges.tables,
        table_index=edges.table_index,
        centres=edges.centres,
        huber_slopes=edges.huber_slopes,
        scale=edges.scale,
        unit=edges.unit,
        offset=offset,
        rounding_error=error,
        tolerance=_tolerance(edges.variation, edges.scale) if error > 0 else 0,
        size=edges.size,
        shifted=edges.shifted,
    )


def to_fixed_edges(
    energy: Energy, poll: Poll = lambda: None, *, bends_on: bool = False
) -> FixedEdges:
    """Return the edges in integers, with the unary costs looked at but not copied.

    Parameters
    ----------
    energy : Energy
        The problem in the caller's costs.
    poll : callable, optional
        Called now and then where costs are many; what it raises ends the work.
    bends_on : bool, default False
        Whether the surrogate goes on with the last bend of g instead of its last step.

    Returns
    -------
    FixedEdges

    Raises
    ------
    OverflowError
        If integer costs are so large that their sums cannot fit.
    """
    prior = edge_costs_of(energy, bends_on=bends_on)
    unit = _unit(energy, prior, poll)
    costs = _UnaryCosts(energy, unit, poll)
    prior = prior.over(unit)
    if prior.forbidden.any():
        prior = prior.limited(costs.spread(), integral=costs.integral)
    if prior.integral and energy.unary.dtype.kind in "biu":
        small = _small_integers(energy, prior, costs)
        if small is not None:
            return small
    problem = _Problem(energy, prior, costs)
    problem.require_finite()
    if prior.integral and costs.integral:
        fixed = problem.as_integers()
        if fixed is not None:
            return fixed
        if energy.unary.dtype.kind in "biu":
            raise problem.too_large()
    return problem.rounded()


def _unit(energy: Energy, prior: EdgeCosts, poll: Poll) -> float:
    """A power of two that brings costs near the ends of float64 back to its middle."""
    rows = energy.unary.reshape(-1)
    largest = 0.0
    if rows.dtype.kind == "f":
        for low, high in _polled(chunks(rows.size, 1), poll):
            part = rows[low:high][np.isfinite(rows[low:high])]
            largest = max(largest, float(part.max(initial=0)), -float(part.min(initial=0)))
    unary = math.log2(largest) if largest > 0 else -math.inf
    heaviest = float(prior.weights.max(initial=0.0))
    # What edges cost decides, since labels beyond that are capped; but where differences are
    # forbidden no label is.
    highest = float(prior.allowed_highest.max())
    edges = math.log2(heaviest) + math.log2(highest) if heaviest and highest else unary
    exponent = max(edges, unary if prior.forbidden.any() else unary - 1000)
    if not math.isfinite(exponent) or max(abs(exponent), unary) < SAFE_EXPONENT:
        return 1.0
    return 2.0 ** min(max(math.floor(exponent), -1000), 1000)


def _small_integers(energy: Energy, prior: EdgeCosts, costs: _UnaryCosts) -> FixedEdges | None:
    """Integers that fit whatever they are, as most do; None where a closer look is needed."""
    edges = float(prior.per_variable(prior.highest + prior.surrogate_rise).max())
    largest = costs.furthest() + edges
    if not largest <= ROUNDED_NARROW:
        return None
    return _integer_edges(
        prior,
        costs,
        wide=False,
        capped=False,
        shifted=False,
        reach=prior.per_variable(prior.range + prior.surrogate_rise),
        largest_unary=largest,
        size=costs.furthest() * energy.num_variables + prior.total(prior.allowed_highest),
        variation=2 * costs.furthest() * energy.num_variables + prior.total(prior.allowed_range),
    )


def _integer_edges(
    prior: EdgeCosts,
    costs: _UnaryCosts,
    *,
    wide: bool,
    capped: bool,
    shifted: bool,
    reach: FloatArray,
    largest_unary: float,
    size: float,
    variation: float,
) -> FixedEdges:
    """Integers as they are; one weight for all goes into g, exactly."""
    weight = prior.common_weight
    tables = prior.tables if weight is None else weight * prior.tables
    weights = prior.weights if weight is None else prior.weights > 0
    return FixedEdges(
        weights=weights.astype(np.int32),
        tables=tables.astype(np.int64),
        table_index=prior.index,
        centres=prior.centres,
        huber_slopes=_rounded_slopes(prior.slopes * (weight or 1.0), tables),
        names=prior.names,
        limited=prior.limited_kinds,
        scale=1.0,
        unit=1.0,
        rounding_error=0.0,
        wide=wide,
        capped=capped,
        shifted=shifted,
        g_offset=0.0,
        reach=reach,
        true_reach=reach,
        margin=1,
        largest_unary=largest_unary,
        size=size,
        variation=variation,
        costs=costs,
    )


def _rounded_slopes(slopes: FloatArray, tables: FloatArray) -> LongArray:
    """The slopes of the Huber functions in integers, -1 for none.

    Rounding must not leave a step of g steeper than the line that continues it.
    """
    steepest = np.abs(np.diff(tables)).max(axis=1, initial=0.0)
    rounded = np.where(np.isnan(slopes), -1.0, np.maximum(np.rint(slopes), steepest))
    return np.repeat(rounded.astype(np.int64)[:, None], 2, axis=1)


class _Problem:
    """What all variables and edges come to, from which the scale is chosen."""

    def __init__(self, energy: Energy, prior: EdgeCosts, costs: _UnaryCosts) -> None:
        self._energy, self._prior, self._costs = energy, prior, costs
        with np.errstate(over="ignore", invalid="ignore"):
            self._reach = prior.per_variable(prior.range + prior.surrogate_rise)
            self._spread = costs.high - costs.low
            self._kept = np.minimum(self._spread, self._reach)
            # Every label beyond the reach may stand above a gap, each of which is shortened.
            gaps = 1 + costs.dominated(self._reach)
            self._shortened = np.minimum(self._spread, gaps * self._reach)
            # Of labels that an optimum may have, whatever surrogates make of the others.
            matters = prior.per_variable(prior.range)
            self._variation = float(np.minimum(self._spread, matters).sum())
            self._variation += prior.total(prior.allowed_range)
            self._size = costs.size(matters) + prior.total(prior.allowed_highest)

    def require_finite(self) -> None:
        sums = [self._size, self._variation, float(self._spread.sum()), float(self._reach.sum())]
        if all(math.isfinite(4 * value * self._costs.unit) for value in sums):
            return
        raise OverflowError(
            "costs must be small enough to be added up in float64; found sums beyond 1e308; "
            "divide all costs by a common factor"
        )

    def too_large(self) -> OverflowError:
        local = self._local(self._shortened)
        if local.max() > LIMITS["wide_cost"]:
            at = int(local.argmax())
            where = self._energy.place(at)
            most, what = LIMITS["wide_cost"], f"one variable and its edges ({where} here)"
            found = float(local.max())
        elif self._weights_too_large():
            most, what = LIMITS["weight"], "one weight of several"
            found = float(self._prior.weights.max())
        else:
            most, what, found = LIMITS["total_cost"], "all of it", float(local.sum())
        return OverflowError(
            f"costs must be small enough for exact integer sums: {what} may come to at most "
            f"{most}; found {found:.6g}; divide all costs by a common factor, or pass unary as "
            "floats to have them rounded"
        )

    def _weights_too_large(self) -> bool:
        largest = float(self._prior.weights.max(initial=0.0))
        return self._prior.common_weight is None and largest > LIMITS["weight"]

    def _local(self, spread: FloatArray, *, shifted: bool = False) -> FloatArray:
        """All that a variable can cost, its unary costs varying by so much; g may start from 0."""
        prior = self._prior
        highest = prior.range if shifted else prior.highest
        edges = prior.per_variable(highest + prior.surrogate_rise)
        forbidden = self._reach if self._energy.has_forbidden_labels else 0.0
        return spread + edges + forbidden

    def as_integers(self) -> FixedEdges | None:
        """Integers as they are, or None where they do not fit."""
        prior, costs = self._prior, self._costs
        dominated = bool((self._spread > self._reach).any())
        as_given = float(self._local(costs.largest()).max())
        shifted = self._local(self._shortened)
        keep = as_given <= (ROUNDED_NARROW if dominated else LIMITS["narrow_cost"])
        if self._weights_too_large():
            return None
        largest = float(shifted.max())
        if not keep and (
            largest > LIMITS["wide_cost"] or float(shifted.sum()) > LIMITS["total_cost"]
        ):
            return None
        wide = not keep and largest > LIMITS["narrow_cost"]
        return _integer_edges(
            prior,
            costs,
            wide=wide,
            capped=not keep and dominated,
            shifted=not keep,
            reach=self._reach,
            largest_unary=as_given if keep else largest,
            size=self._size,
            variation=self._variation,
        )

    def rounded(self) -> FixedEdges:
        """Scaled and rounded: to 32 bits where that is good enough, else to 64."""
        local = self._local(self._shortened, shifted=True)
        largest, total = float(local.max()), float(local.sum())
        del local  # as large as the list of variables, as all that is let go of here
        if largest == 0:
            return self._at_scale(1.0, wide=False)
        narrow = self._at_scale(ROUNDED_NARROW / largest, wide=False)
        small = self._energy.unary.size <= SMALL_PROBLEM
        good = 0.0 if small else NARROW_ERROR * self._variation
        if narrow.rounding_error <= good and self._costs.is_kept(narrow, good):
            return narrow
        del narrow
        wide = self._at_scale(min(ROUNDED_WIDE / largest, ROUNDED_TOTAL / total), wide=True)
        self._warn_of_loss(wide)
        return self._with_products(wide)

    def _with_products(self, apart: FixedEdges) -> FixedEdges:
        """Edges with tables of their own, where few are and that is more precise."""
        if apart.rounding_error == 0 or self._prior.common_weight is not None:
            return apart
        products = self._prior.products(from_zero=True)
        if products is None:
            return apart
        problem = _Problem(self._energy, products, self._costs)
        local = problem._local(problem._shortened, shifted=True)
        scale = min(ROUNDED_WIDE / float(local.max()), ROUNDED_TOTAL / float(local.sum()))
        together = replace(problem._at_scale(scale, wide=True), size=apart.size)
        return together if together.rounding_error < apart.rounding_error else apart

    def _at_scale(self, scale: float, *, wide: bool) -> FixedEdges:
        """Rounded so that a unit of energy becomes at most ``scale`` integers."""
        prior = self._prior
        g = prior.tables - prior.least[:, None]
        shares = _shared_scale(prior, g, scale)
        scale, table_scale, weights = shares.scale, shares.of_tables, shares.weights
        # What costs the same at every difference needs no edge.
        if not prior.range.all():
            weights = np.where(prior.of_edges(prior.range) > 0, weights, 0.0)
        tables = rounded_tables(g, table_scale, prior.centres)
        rise = (prior.steepest * table_scale + 1) * (self._energy.num_labels - 1)
        # |w g - w' g'| <= |w - w'| |g| + w' |g - g'|, each primed one as it is after rounding.
        off = np.where(prior.forbidden, 0.0, np.abs(g - tables / table_scale)).max(axis=1)
        error = shares.error + prior.total(off, weights) * shares.per_weight
        reach = prior.per_variable(tables.max(axis=1) + rise, weights)
        margin = 4 * _tolerance(self._variation, scale) + 1
        unary = self._shortened * scale
        unary += (1 + self._costs.most_dominated) * (margin + 1)
        unary += reach
        return FixedEdges(
            weights=weights.astype(np.int32),
            tables=tables.astype(np.int64),
            table_index=prior.index,
            centres=prior.centres,
            huber_slopes=_rounded_slopes(prior.slopes * table_scale, tables),
            names=prior.names,
            limited=prior.limited_kinds,
            scale=scale,
            unit=self._costs.unit,
            rounding_error=error,
            wide=wide,
            capped=bool((self._spread > self._reach).any()),
            shifted=True,
            g_offset=prior.constant,
            reach=reach,
            true_reach=self._reach,
            margin=margin,
            largest_unary=float(unary.max()),
            size=self._size,
            variation=self._variation,
            costs=self._costs,
        )

    def _warn_of_loss(self, fixed: FixedEdges) -> None:
        """Say so where costs that differ too much in size leave the smaller ones no precision."""
        edges = self._prior.weights * self._prior.of_edges(self._prior.allowed_range)
        for name, values in (("unary", self._kept), ("weights", edges)):
            typical = _typical(values)
            if typical == 0 or typical * fixed.scale >= FEWEST_STEPS:
                continue
            largest = max(float(self._kept.max()), float(edges.max(initial=0.0)))
            unit = self._costs.unit
            warnings.warn(
                f"costs differ too much in size to be kept apart: they go up to "
                f"{largest * unit:.3g}, while a typical one of {name} is {typical * unit:.3g} and "
                f"is rounded to multiples of {unit / fixed.scale:.3g}; lower the largest costs or "
                "weights (beyond some size they decide just as well), or use +inf to forbid labels",
                PrecisionWarning,
                stacklevel=2,
            )


class _UnaryCosts:
    """The unary costs, looked at in chunks: a large volume must not be copied more than once."""

    def __init__(self, energy: Energy, unit: float, poll: Poll) -> None:
        self._poll = poll
        self._rows: npt.NDArray[Any] = energy.unary.reshape(energy.num_variables, energy.num_labels)
        self._forbids = energy.has_forbidden_labels
        self.unit = unit
        self.most_dominated = 0.0

    @property
    def integral(self) -> bool:
        """Whether all allowed costs are integers."""
        return self._rows.dtype.kind != "f" or self._seen[2]

    @property
    def low(self) -> FloatArray:
        """The least cost of each variable."""
        return self._seen[0]

    @property
    def high(self) -> FloatArray:
        """The largest cost of each variable among its allowed labels."""
        return self._seen[1]

    @functools.cached_property
    def _seen(self) -> tuple[FloatArray, FloatArray, bool]:
        lows, highs = np.empty(len(self._rows)), np.empty(len(self._rows))
        integral = True
        for low, high in self._parts():
            part = self._rows[low:high]
            if part.dtype.kind == "f":
                if self.unit != 1.0:
                    part = part / self.unit
                if integral and not ((np.rint(part) == part) | np.isinf(part)).all():
                    integral = False
            lows[low:high] = part.min(axis=1)
            if self._forbids:
                part = np.where(np.isinf(part), lows[low:high, None], part)
            highs[low:high] = part.max(axis=1)
        return lows, highs, integral

    def spread(self) -> float:
        """By how much labels can make a difference, all variables together."""
        with np.errstate(over="ignore"):
            return float((self.high - self.low).sum())

    def furthest(self) -> float:
        """The largest absolute cost of integers, without a look at each variable."""
        return max(-float(self._rows.min()), float(self._rows.max()))

    def _parts(self) -> Iterator[tuple[int, int]]:
        return _polled(chunks(*self._rows.shape), self._poll)

    def largest(self) -> FloatArray:
        """The largest absolute cost of each variable."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

    def size(self, reach: FloatArray) -> float:
        """The sum of the largest absolute costs, labels that no optimum has left out."""
        highest = np.minimum(self.high, self.low + reach)
        return float(np.maximum(np.abs(self.low), np.abs(highest)).sum())

    def dominated(self, reach: FloatArray) -> FloatArray:
        """How many labels of each variable cost more than the cheapest by more than ``reach``."""
        counts = np.zeros(reach.size)
        for low, high in self._parts():
            beyond = self.high[low:high] - self.low[low:high] > reach[low:high]
            rows = low + np.flatnonzero(beyond)
            if rows.size:
                costs = self._rows[rows].astype(np.float64, copy=False)
                if self.unit != 1.0:
                    costs = costs / self.unit
                counts[rows] = (costs > (self.low[rows] + reach[rows])[:, None]).sum(axis=1)
        self.most_dominated = float(counts.max(initial=0.0))
        return counts

    def is_kept(self, fixed: FixedEdges, good: float) -> bool:
        """Whether rounding changes no more than ``good``, edges included."""
        error = fixed.rounding_error
        for _, _, _, part_error in self._chunks(fixed):
            error += part_error
            if error > good:
                return False
        return True

    def rounded(self, fixed: FixedEdges) -> tuple[IntArray | LongArray, float, float]:
        """Return the costs in integers, their offset, and the most that rounding can change."""
        if not fixed.shifted and self._rows.dtype == np.int32:
            return self._rows, 0.0, 0.0
        dtype = np.int64 if fixed.wide else np.int32
        result = np.empty(self._rows.shape, dtype=dtype)
        if not fixed.shifted:
            for low, high in self._parts():
                result[low:high] = self._with_forbidden(self._rows[low:high], fixed.reach[low:high])
            return result, 0.0, 0.0
        error = 0.0
        for low, high, integers, part_error in self._chunks(fixed):
            result[low:high] = integers
            error += part_error
        return result, self._offset(), error

    def some_rounded(self, fixed: FixedEdges, rows: npt.NDArray[Any]) -> IntArray | LongArray:
        """Return the costs of some variables in integers."""
        some = copy.copy(self)
        some.__dict__.pop("_seen", None)
        some._rows = self._rows[rows]
        some_fixed = replace(fixed, reach=fixed.reach[rows], true_reach=fixed.true_reach[rows])
        return some.rounded(some_fixed)[0]

    def _offset(self) -> float:
        if self._rows.dtype.kind == "f":
            return math.fsum(self.low)
        # Exact, as integers are.
        lows = (self._rows[a:b].min(axis=1) for a, b in self._parts())
        return float(sum(int(part.astype(object).sum()) for part in lows))

    def _chunks(self, fixed: FixedEdges) -> Iterator[tuple[int, int, FloatArray, float]]:
        """Yield rows from low to high as integers that start from zero, and their error.

        A forbidden label costs more than all others by what the edges cannot make up for.
        """
        for low, high in self._parts():
            part = self._rows[low:high]
            if part.dtype.kind == "f":
                part = part / self.unit if self.unit != 1.0 else part
                with np.errstate(over="ignore"):  # beyond float64 is beyond the cap
                    true = part.astype(np.float64, copy=False) - self.low[low:high, None]
                    true *= fixed.scale
            else:
                # In their own type: float64 might not hold the costs, but their differences.
                least = part.min(axis=1, keepdims=True)
                wide = np.uint64 if part.dtype.kind == "u" else np.int64
                true = (part.astype(wide) - least.astype(wide)).astype(np.float64) * fixed.scale
            integers = np.rint(true)
            step = fixed.reach[low:high, None] + fixed.margin
            reach = fixed.true_reach[low:high, None] * fixed.scale
            kept = true <= reach
            beyond = ~kept.all(axis=1)
            if beyond.any():
                integers[beyond] = _shortened(true[beyond], reach[beyond], step[beyond])
            if self._forbids:
                forbidden = np.isinf(part)
                integers[forbidden] = -np.inf
                np.copyto(integers, integers.max(axis=1, keepdims=True) + step, where=forbidden)
            # In place, as temporaries are as long as the costs themselves.
            np.subtract(true, integers, where=kept, out=true)
            true[~kept] = 0.0
            error = float(np.abs(true, out=true).max(axis=1).sum()) / fixed.scale
            yield low, high, integers, error

    def _with_forbidden(self, part: npt.NDArray[Any], reach: FloatArray) -> npt.NDArray[Any]:
        """Integers as they are, forbidden labels above all that the others and the edges cost."""
        if not self._forbids:
            return part
        allowed = np.where(np.isinf(part), -np.inf, part)
        large = allowed.max(axis=1) + reach + 1.0
        return np.where(np.isinf(part), large[:, None], part)


def _polled(parts: Iterator[tuple[int, int]], poll: Poll) -> Iterator[tuple[int, int]]:
    for low, high in parts:
        # What fits one part takes no time.
        if low > 0:
            poll()
        yield low, high


def _shortened(true: FloatArray, reach: FloatArray, step: FloatArray) -> FloatArray:
    """Return costs in integers; gaps between neighbouring ones beyond ``reach`` become ``step``.

    Any two that differ by more than ``reach`` still do, so no choice between two labels changes.
    """
    order = np.argsort(true, axis=1, kind="stable")
    ascending = np.take_along_axis(true, order, axis=1)
    with np.errstate(invalid="ignore"):  # between forbidden labels, which get their cost later
        gaps = np.where(np.diff(ascending) > reach, step, np.diff(np.rint(ascending)))
    gaps = np.where(np.isnan(gaps), 0.0, gaps)
    costs = np.concatenate([np.rint(ascending[:, :1]), gaps], axis=1).cumsum(axis=1)
    result = np.empty_like(costs)
    np.put_along_axis(result, order, costs, axis=1)
    return result


def _tolerance(variation: float, scale: float) -> int:
    """What counts as no difference between two energies of rounded costs, in integers."""
    return int(TOLERANCE * variation * scale)


@dataclass(frozen=True, eq=False)
class _SharedScale:
    """The scale of an energy, shared between the tables of g and the weights.

    Attributes
    ----------
    scale : float
        That of the energy: as asked for, or a little lower.
    of_tables : float
        What is left of it to the tables.
    weights : numpy.ndarray
        Integers.
    per_weight : float
        What one of them stands for.
    error : float
        The most that the edges cost more or less because weights were rounded.
    """

    scale: float
    of_tables: float
    weights: FloatArray
    per_weight: float
    error: float


def _shared_scale(prior: EdgeCosts, g: FloatArray, scale: float) -> _SharedScale:
    """Round the weights, and find the scale of the tables; g starts from zero."""
    if not g.any():
        # Constants, which are left to the offset.
        return _SharedScale(scale, 1.0, np.zeros_like(prior.weights), 1.0, 0.0)
    most = _most_table_scale(g)
    weight = prior.common_weight
    if weight is not None:
        # The weight moves into the scale: E = w (sum theta / w + sum g).
        of_tables = min(_power_of_two_below(scale * weight), most)
        weights = (prior.weights > 0).astype(np.float64)
        return _SharedScale(of_tables / weight, of_tables, weights, weight, 0.0)
    of_tables, of_weights = _split_scale(
        _power_of_two_below(scale), g[~prior.forbidden], prior.weights, most
    )
    weights = np.rint(prior.weights * of_weights)
    if prior.forbidden.any():
        # An edge that limits differences is never left out.
        limits = prior.limits_differences & (prior.weights > 0)
        weights = np.where(limits, np.maximum(weights, 1.0), weights)
    lost = np.abs(prior.weights - weights / of_weights)
    error = prior.total(prior.allowed_range, lost)
    return _SharedScale(of_tables * of_weights, of_tables, weights, 1.0 / of_weights, error)


def _split_scale(
    scale: float, g: FloatArray, weights: FloatArray, most_for_g: float
) -> tuple[float, float]:
    """Share the scale of the products between g and the weights, by need."""
    largest_g, largest_weight = float(g.max()), float(weights.max(initial=0.0))
    if largest_g == 0 or largest_weight == 0:
        return min(scale, most_for_g), 1.0
    most = _power_of_two_below(LIMITS["weight"] / largest_weight)
    scale = min(scale, most_for_g * most)
    # What few bits hold exactly leaves the others to the other.
    exact_weights, exact_g = _exact_scale(weights), _exact_scale(g)
    if exact_weights is not None and exact_weights <= min(scale, most):
        return min(scale / exact_weights, most_for_g), exact_weights
    if exact_g is not None and exact_g <= min(scale, most_for_g):
        weight_scale = min(scale / exact_g, most)
        return scale / weight_scale, weight_scale
    # The relative errors of both are about equal where scaled g and scaled weights are; the more
    # exactly a scale fits g, the more is left for the weights.
    ratio = math.log2(scale) + math.log2(largest_g) - math.log2(largest_weight)
    middle = math.floor(min(max(ratio / 2, -1000), 1000))
    splits = []
    for exponent in range(middle - 1, middle + 7):
        weight_scale = min(max(2.0**exponent, scale / most_for_g), most)
        table_scale = _tuned_scale(g, min(scale / weight_scale, most_for_g))
        error = np.abs(weights - np.rint(weights * weight_scale) / weight_scale).sum() * largest_g
        error += np.abs(g - np.rint(g * table_scale) / table_scale).max() * weights.sum()
        splits.append((float(error), table_scale, weight_scale))
    return min(splits)[1:]


def _most_table_scale(g: FloatArray) -> float:
    """The largest scale at which float64 still holds g, and sums of its steps, exactly."""
    return _power_of_two_below(2.0**51 / float(g.max()))


def _tuned_scale(g: FloatArray, scale: float) -> float:
    """A scale of at most ``scale`` at which the values of g are closest to integers.

    With few values there is one a little lower at which all of them nearly are: real weights then
    get the precision that g no longer needs.
    """
    if all_integers(g * scale) or scale < 4 * CANDIDATES:
        return scale
    values = np.unique(g[g > 0])[:MOST_TUNED]
    step = math.floor(scale / (2 * CANDIDATES))
    best = (math.inf, scale)
    for low, high in chunks(CANDIDATES, values.size):
        scales = scale - np.arange(low, high) * step
        scaled = scales[:, None] * values
        errors = np.abs(scaled - np.rint(scaled)).max(axis=1) / scales
        at = int(errors.argmin())
        if errors[at] < best[0]:
            best = (float(errors[at]), float(scales[at]))
    return best[1]


def _exact_scale(values: FloatArray) -> float | None:
    """The least power of two that makes all of them integers, where it is a small one."""
    for exponent in range(13):
        if all_integers(values * 2.0**exponent):
            return 2.0**exponent
    return None


def _typical(values: FloatArray) -> float:
    """About the median of those that are not zero."""
    some = values[:: max(1, values.size // 100_000)]
    some = some[some > 0]
    return float(np.median(some)) if some.size else 0.0


def _power_of_two_below(value: float) -> float:
    # Clamped, so that no scale leaves what a float can hold.
    return 2.0 ** min(max(math.floor(math.log2(value)), -1000), 1000)


def priors_in_core(
    edges: FixedPoint | FixedEdges, some: npt.NDArray[np.bool_] | None = None
) -> tuple[LongArray, IntArray, IntArray, LongArray]:
    """Return what the core is told of priors: tables, whose they are, middles and slopes.

    Parameters
    ----------
    edges : FixedPoint or FixedEdges
        All edges.
    some : numpy.ndarray, optional
        bool, those that the core is told of; left out, all of them.

    Returns
    -------
    tuple of numpy.ndarray
    """
    index = edges.table_index
    if some is not None and index.size:
        index = index[some]
    return edges.tables, index, edges.centres, edges.huber_slopes
