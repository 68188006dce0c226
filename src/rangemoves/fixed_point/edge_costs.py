"""What edges cost in float64, and what the scale of their integers depends on.

The tables of g and the weights, before they are rounded: how far they go, what they vary by, what a
surrogate of them can come to. Forbidden differences have a price here, and weights may move into
the tables.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..energy import Energy

__all__ = ["SAFE_EXPONENT", "EdgeCosts", "all_integers", "balanced", "edge_costs_of"]

IntArray = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.float64]

# float64 is safe from overflow and underflow while all costs are between these powers of two.
SAFE_EXPONENT = 500

# Up to so many values edges have tables of their own.
MOST_PRODUCTS = 100_000


@dataclass(frozen=True, eq=False)
class EdgeCosts:
    """The tables of g and the weights, in float64, with what the scale depends on.

    Attributes
    ----------
    energy : Energy
        Whose they are.
    tables : numpy.ndarray
        One row per kind of edge, all of it finite.
    forbidden : numpy.ndarray
        bool, which of those values stand for ``+inf``.
    index : numpy.ndarray
        The kind of each edge; empty where there is only one.
    centres : numpy.ndarray
        Of each kind.
    slopes : numpy.ndarray
        Of each kind; NaN where the paper's Huber function has none.
    ranges : numpy.ndarray
        Of each kind (left, right): how far it is convex by the formula of its prior.
    names : tuple of str
        Of each kind.
    weights : numpy.ndarray
        One per edge.
    bends_on : bool
        Whether the surrogate goes on with the last bend of g instead of its last step.
    base : float
        What was taken off all tables together, times the weights.
    """

    energy: Energy
    tables: FloatArray
    forbidden: npt.NDArray[np.bool_]
    index: IntArray
    centres: IntArray
    slopes: FloatArray
    ranges: IntArray
    names: tuple[str, ...]
    weights: FloatArray
    bends_on: bool
    base: float = 0.0

    @functools.cached_property
    def least(self) -> FloatArray:
        """The least value of each table."""
        return np.asarray(self.tables.min(axis=1))

    @functools.cached_property
    def range(self) -> FloatArray:
        """What each table varies by."""
        return np.asarray(self.tables.max(axis=1) - self.least)

    @functools.cached_property
    def highest(self) -> FloatArray:
        """The largest absolute value of each table."""
        return np.asarray(np.abs(self.tables).max(axis=1))

    @functools.cached_property
    def allowed_range(self) -> FloatArray:
        """What each table varies by between differences that are allowed."""
        return np.asarray(self._allowed_tables.max(axis=1) - self.least)

    @functools.cached_property
    def allowed_highest(self) -> FloatArray:
        """The largest absolute value of each table among differences that are allowed."""
        return np.asarray(np.abs(self._allowed_tables).max(axis=1))

    @property
    def _allowed_tables(self) -> FloatArray:
        return np.where(self.forbidden, self.least[:, None], self.tables)

    @functools.cached_property
    def steepest(self) -> FloatArray:
        """The steepest step of each table, or of what continues it."""
        steps = np.abs(np.diff(self.tables)).max(axis=1, initial=0.0)
        steps = np.fmax(steps, np.abs(self.slopes))
        if self.bends_on:
            bends = np.abs(np.diff(self.tables, 2)).max(axis=1, initial=0.0)
            steps = steps + bends * (self.energy.num_labels - 1)
        return np.asarray(steps)

    @functools.cached_property
    def surrogate_rise(self) -> FloatArray:
        """The most that a surrogate of each table can vary by, beyond what g does.

        A surrogate continues g with steps that g has somewhere, or the slope of the Huber function.
        """
        return self.steepest * (self.energy.num_labels - 1)

    @functools.cached_property
    def common_weight(self) -> float | None:
        """The weight of all edges that have any, or None where they differ."""
        some = self.weights[self.weights > 0]
        return float(some[0]) if some.size and some.min() == some.max() else None

    @functools.cached_property
    def integral(self) -> bool:
        """Whether all of it is integers."""
        return all_integers(self.tables) and all_integers(self.weights)

    def of_edges(self, per_kind: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """What is known of each kind, for each edge."""
        if self.index.size == 0:
            return np.broadcast_to(per_kind[0], self.weights.shape)
        return np.asarray(per_kind[self.index])

    @property
    def limited_kinds(self) -> npt.NDArray[np.bool_]:
        """Which kinds of edges have forbidden differences."""
        return np.asarray(self.forbidden.any(axis=1))

    @property
    def limits_differences(self) -> npt.NDArray[np.bool_]:
        """Which edges have forbidden differences."""
        return self.of_edges(self.limited_kinds)

    @functools.cached_property
    def _weight_of_variables(self) -> FloatArray:
        """The sum of the weights at each variable."""
        return _degrees(self.energy, self.weights)

    def per_variable(self, per_kind: FloatArray, weights: FloatArray | None = None) -> FloatArray:
        """What is known of each kind, times the weight, summed over the edges of each variable."""
        if self.index.size == 0:
            sums = self._weight_of_variables if weights is None else _degrees(self.energy, weights)
            return sums * float(per_kind[0])
        weights = self.weights if weights is None else weights
        return _degrees(self.energy, weights * per_kind[self.index])

    def total(self, per_kind: FloatArray, weights: FloatArray | None = None) -> float:
        """The same, summed over all edges."""
        weights = self.weights if weights is None else weights
        if self.index.size == 0:
            return float(per_kind[0]) * float(weights.sum())
        return float((weights * per_kind[self.index]).sum())

    @property
    def constant(self) -> float:
        """What all edges cost at the least."""
        total = self.base
        for k in np.flatnonzero(self.least):
            mine = self.weights if self.index.size == 0 else self.weights[self.index == k]
            total += float(self.least[k]) * math.fsum(mine)
        return total

    def reach(self) -> FloatArray:
        """The most that the edges of each variable can make up for; any cost where they forbid."""
        forbids = self.per_variable(self.limited_kinds.astype(np.float64)) > 0
        reach = self.per_variable(self.range + self.surrogate_rise)
        return np.where(forbids, np.inf, reach)

    def over(self, unit: float) -> EdgeCosts:
        """The same divided by a power of two; tables near the ends of float64 come to about 1."""
        given = np.concatenate([self.tables, self.slopes[:, None]], axis=1)
        both, weights = balanced(given, self.weights, unit)
        if both is given and weights is self.weights:
            return self
        # What has become too small for float64 costs nothing, but an edge that limits differences
        # must go on doing so.
        limits = self.limits_differences & (self.weights > 0)
        limiting = np.clip(weights, 2.0**-SAFE_EXPONENT, 2.0**SAFE_EXPONENT)
        return replace(
            self,
            tables=both[:, :-1],
            slopes=both[:, -1],
            weights=np.where(limits, limiting, weights),
        )

    def limited(self, spread: float, *, integral: bool) -> EdgeCosts:
        """The same with forbidden differences at more than any labelling could save by them.

        Parameters
        ----------
        spread : float
            The most that labels can make a difference to all unary costs together.
        integral : bool
            Whether these are integers.

        Returns
        -------
        EdgeCosts
        """
        if not self.forbidden.any():
            return self
        if self.common_weight is None:
            # The price is that of the lightest edge: heavier ones would pay far too much.
            products = self.products(from_zero=False)
            if products is not None:
                return products.limited(spread, integral=integral)
        limited = self.limits_differences & (self.weights > 0)
        # Edges whose allowed differences all cost nothing only forbid: their weight is free to
        # choose.
        free = limited & (self.of_edges(self.allowed_highest) == 0)
        others = float(self.weights[~free].max(initial=0.0))
        weights = np.where(free, others or 1.0, self.weights)
        with np.errstate(over="ignore"):
            saved = spread + self.total(self.allowed_range)
            most = saved / float(weights[limited].min()) if limited.any() else 0.0
        # Rounded, a weight may lose up to a third of itself.
        exact = self.integral and integral and math.isfinite(most)
        price = math.floor(most) + 1.0 if exact else 2.0 * most or 1.0
        tables = np.stack(
            [_limited_table(*row, price) for row in zip(self.tables, self.forbidden, strict=True)]
        )
        return replace(self, tables=tables, weights=weights)

    def products(self, *, from_zero: bool) -> EdgeCosts | None:
        """The same with the weights in the tables, one for each product that there is.

        None where there are too many of them. They may start from zero: that is for precision, and
        only where the edges are few.
        """
        matters = self.weights > 0
        if not matters.any():
            return None
        if from_zero and np.count_nonzero(matters) * self.tables.shape[1] > MOST_PRODUCTS:
            return None
        most = MOST_PRODUCTS // self.tables.shape[1]
        different, weight_of = np.unique(self.weights[matters], return_inverse=True)
        if different.size > most:
            return None
        kind_of = self.of_edges(np.arange(len(self.tables)))[matters]
        pairs, which = np.unique(kind_of * different.size + weight_of, return_inverse=True)
        if pairs.size > most:
            return None
        of, weights = pairs // different.size, different[pairs % different.size]
        tables = self.tables - self.least[:, None] if from_zero else self.tables
        index = np.zeros(self.weights.size, dtype=np.int32)
        index[matters] = which.reshape(-1)
        return replace(
            self,
            tables=weights[:, None] * tables[of],
            forbidden=self.forbidden[of],
            index=index,
            centres=self.centres[of],
            slopes=weights * self.slopes[of],
            ranges=self.ranges[of],
            names=tuple(self.names[k] for k in of),
            weights=matters.astype(np.float64),
            base=self.constant if from_zero else self.base,
        )


def balanced(tables: FloatArray, weights: FloatArray, unit: float) -> tuple[FloatArray, FloatArray]:
    """Return tables and weights whose products are those over ``unit``, and in float64's middle.

    Parameters
    ----------
    tables : numpy.ndarray
        Values of any size; what is not finite counts for nothing.
    weights : numpy.ndarray
        At least 0.
    unit : float
        A power of two.

    Returns
    -------
    tables, weights : numpy.ndarray
        The very same where nothing is to be done.
    """
    largest = float(np.abs(tables).max(where=np.isfinite(tables), initial=0.0))
    shift = math.frexp(largest)[1]
    if abs(shift) < SAFE_EXPONENT:
        shift = 0
    else:
        tables = np.ldexp(tables, -shift)
    up = shift - (math.frexp(unit)[1] - 1)
    if up:
        with np.errstate(over="ignore"):
            # Too large can be only those of edges that cost nothing, or forbid.
            weights = np.minimum(np.ldexp(weights, up), 2.0**1000)
    return tables, weights


def edge_costs_of(energy: Energy, *, bends_on: bool) -> EdgeCosts:
    """Return what the edges of an energy cost; forbidden differences have no price yet.

    Parameters
    ----------
    energy : Energy
        The problem in the caller's costs.
    bends_on : bool
        Whether the surrogate goes on with the last bend of g instead of its last step.

    Returns
    -------
    EdgeCosts
    """
    kinds, weights = energy.kinds, energy.weights
    forbidden = np.isinf(kinds.values)
    tables = np.where(forbidden, -np.inf, kinds.values)
    tables = np.where(forbidden, tables.max(axis=1, keepdims=True), tables)
    slopes = np.array([np.nan if slope is None else slope for slope in kinds.slopes])
    if not weights.any() or not (tables.any() or forbidden.any()):
        # No edge costs anything: whatever the others are, they need not fit.
        weights, slopes = np.zeros_like(weights), np.full_like(slopes, np.nan)
        tables, forbidden = np.zeros_like(tables), np.zeros_like(forbidden)
    return EdgeCosts(
        energy=energy,
        tables=tables,
        forbidden=forbidden,
        index=kinds.index,
        centres=kinds.centres,
        slopes=slopes,
        ranges=kinds.ranges,
        names=kinds.names,
        weights=weights,
        bends_on=bends_on,
    )


def _limited_table(table: FloatArray, forbidden: npt.NDArray[np.bool_], price: float) -> FloatArray:
    """A table whose forbidden differences cost ``price`` more, and ever more where it is convex."""
    if not forbidden.any():
        return table
    table = table.copy()
    allowed = np.flatnonzero(~forbidden)
    first, last = int(allowed[0]), int(allowed[-1])
    inside = table[first : last + 1]
    tiny = 16 * np.finfo(np.float64).eps * float(np.abs(inside).max())
    if (np.diff(inside, 2) < -tiny).any():
        table[forbidden] = inside.max() + price
        return table
    rise = max(0.0, float(inside[-1] - inside[-2])) if inside.size > 1 else 0.0
    table[last + 1 :] = inside[-1] + (price + rise) * np.arange(1, table.size - last)
    rise = max(0.0, float(inside[0] - inside[1])) if inside.size > 1 else 0.0
    table[:first] = inside[0] + (price + rise) * np.arange(first, 0, -1)
    return table


def _degrees(energy: Energy, weights: FloatArray) -> FloatArray:
    """The sum of the weights of each variable's edges."""
    # Not by numpy.bincount: it makes copies of the edges, which are longer than the variables.
    return _core.degrees(energy.num_variables, energy.tail, energy.head, weights)


def all_integers(values: FloatArray) -> bool:
    """Return whether all numbers are whole.

    Parameters
    ----------
    values : numpy.ndarray
        Any floats.

    Returns
    -------
    bool
    """
    return bool((np.rint(values) == values).all())
