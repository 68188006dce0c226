"""Costs to integers: everything inside the solvers is exact because it is integer.

Integer problems stay what they are. Others are multiplied by powers of two and rounded: g once and
the weights once, never their products, since rounding products would break the convexity of g. What
the rounding can change in the energy is added up, so that a proven bound can be lowered by it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .energy import Energy, chunks

__all__ = ["FixedEdges", "FixedPoint", "to_fixed_edges", "to_fixed_point"]

IntArray = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.float64]

# The most that one variable and its edges may cost together. Rounded costs stay far below what an
# int32 holds, because the engines scale them up once more; costs that are integers already may come
# closer to it.
ROUNDED_LIMIT = 2.0**22
INTEGER_LIMIT = 2.0**30


@dataclass(frozen=True, eq=False)
class FixedEdges:
    """The edges of an energy in integers, and the scale that suits all of it.

    Attributes
    ----------
    weights : numpy.ndarray
        int32, one per edge.
    table : numpy.ndarray
        int32, g(-(L-1)) .. g(L-1).
    scale : float
        Integer energy = scale * energy, up to rounding.
    rounding_error : float
        The most by which the integer costs of all edges / scale can differ from the costs.
    huber_slope : int
        Slope of the paper's Huber function in units of the table, or -1 where the prior has none.
    largest_unary : float
        About the largest unary cost there will be, in integers.
    """

    weights: IntArray
    table: IntArray
    scale: float
    rounding_error: float
    huber_slope: int
    largest_unary: float


@dataclass(frozen=True, eq=False)
class FixedPoint:
    """An energy in integers.

    Attributes
    ----------
    unary : numpy.ndarray
        int32, shape (N, L); forbidden labels have a cost that no labelling can make up for.
    weights : numpy.ndarray
        int32, one per edge.
    table : numpy.ndarray
        int32, g(-(L-1)) .. g(L-1).
    scale : float
        Integer energy = scale * energy, up to rounding.
    rounding_error : float
        The most by which integer energy / scale can differ from the energy, for any labelling; 0
        for integer problems.
    huber_slope : int
        Slope of the paper's Huber function in units of the table, or -1 where the prior has none.
    """

    unary: IntArray
    weights: IntArray
    table: IntArray
    scale: float
    rounding_error: float
    huber_slope: int

    @property
    def exact(self) -> bool:
        """Whether nothing was rounded."""
        return self.rounding_error == 0.0


def to_fixed_point(
    energy: Energy, edges: FixedEdges | None = None, poll: Callable[[], None] = lambda: None
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
    >>> to_fixed_point(rm.Energy(unary, rm.Linear(), 2)).table
    array([2, 0, 2], dtype=int32)
    >>> fixed = to_fixed_point(rm.Energy(unary / 3, rm.Linear()))
    >>> fixed.scale, fixed.rounding_error < 1e-6
    (2097152.0, True)
    """
    if edges is None:
        edges = to_fixed_edges(energy, poll)
    costs = _UnaryCosts(energy, poll)
    reach = _reach(
        energy,
        edges.table.astype(np.float64),
        edges.weights.astype(np.float64),
        None if edges.huber_slope < 0 else float(edges.huber_slope),
    )
    error = edges.rounding_error + costs.rounding_error(edges.scale)
    return FixedPoint(
        unary=costs.rounded(edges.scale, reach),
        weights=edges.weights,
        table=edges.table,
        scale=edges.scale,
        # The sums above are rounded floats themselves.
        rounding_error=error * (1 + 1e-9),
        huber_slope=edges.huber_slope,
    )


def to_fixed_edges(energy: Energy, poll: Callable[[], None] = lambda: None) -> FixedEdges:
    """Return the edges in integers, with the unary costs looked at but not copied.

    Parameters
    ----------
    energy : Energy
        The problem in the caller's costs.
    poll : callable, optional
        Called now and then where costs are many; what it raises ends the work.

    Returns
    -------
    FixedEdges

    Raises
    ------
    OverflowError
        If integer costs are so large that their sums cannot fit.
    """
    costs = _UnaryCosts(energy, poll)
    with np.errstate(over="ignore", invalid="ignore"):
        table, weights, slope = _simplified(energy)
        reach = _reach(energy, table, weights, slope)
        integral = _all_integers(table) and _all_integers(weights) and costs.are_integers()
        local = costs.at_most(reach)
        # How close it comes to the limit matters to what is rounded alone.
        if not (integral and local <= INTEGER_LIMIT):
            local = costs.largest(reach)
    if not (np.isfinite(reach).all() and math.isfinite(local)):
        raise OverflowError(
            "costs must be small enough to be added up in float64; found sums beyond 1e308; "
            "divide all costs by a common factor"
        )
    # A forbidden label costs as much as all edges of its variable together.
    unary = local if energy.has_forbidden_labels else max(0.0, local - float(reach.max()))
    if integral:
        largest = max(local, float(np.abs(table).max()), float(weights.max(initial=0.0)))
        if largest <= INTEGER_LIMIT:
            return _rounded(table, weights, slope, unary, scales=(1.0, 1.0))
        if energy.unary.dtype.kind in "biu":
            raise OverflowError(
                "costs must be small enough for exact integer sums: one variable and its edges may "
                f"cost at most {INTEGER_LIMIT:.0f} together; found {largest:.0f}; divide all costs "
                "by a common factor, or pass unary as floats to have them rounded"
            )
    scale = _power_of_two_below(ROUNDED_LIMIT / local) if local else 1.0
    return _rounded(table, weights, slope, unary, scales=_split_scale(scale, table, weights))


def _simplified(energy: Energy) -> tuple[FloatArray, FloatArray, float | None]:
    """Fold one weight for all into g: one rounding instead of two, and often none."""
    slope = energy.prior.huber_slope()
    table, weights = energy.table, energy.weights
    if not weights.any() or not table.any():
        # No edge costs anything: whatever the others are, they need not fit.
        return np.zeros_like(table), np.zeros_like(weights), None
    if weights.min() != weights.max():
        return table, weights, slope
    weight = float(weights[0])
    return weight * table, np.ones_like(weights), None if slope is None else weight * slope


def _rounded(
    table: FloatArray,
    weights: FloatArray,
    slope: float | None,
    largest_unary: float,
    scales: tuple[float, float],
) -> FixedEdges:
    table_scale, weight_scale = scales
    scale = table_scale * weight_scale
    rounded_table = np.rint(table * table_scale)
    rounded_weights = np.rint(weights * weight_scale)
    rounded_slope = -1
    if slope is not None:
        # Rounding must not leave a step of g steeper than the line that continues it.
        steepest = float(np.abs(np.diff(rounded_table)).max(initial=0.0))
        rounded_slope = int(max(float(round(slope * table_scale)), steepest))
    # |w g - w' g'| <= |w - w'| |g| + w' |g - g'|, each primed one as it is after rounding.
    table_error = float(np.abs(table - rounded_table / table_scale).max())
    weight_error = float(np.abs(weights - rounded_weights / weight_scale).sum())
    error = weight_error * float(np.abs(table).max())
    error += float(rounded_weights.sum()) / weight_scale * table_error
    return FixedEdges(
        weights=rounded_weights.astype(np.int32),
        table=rounded_table.astype(np.int32),
        scale=scale,
        rounding_error=error,
        huber_slope=rounded_slope,
        largest_unary=largest_unary * scale,
    )


def _reach(
    energy: Energy, table: FloatArray, weights: FloatArray, slope: float | None
) -> FloatArray:
    """The most that the edges of each variable can cost.

    Where labels are forbidden: the most that they can cost more with one label than with another,
    under g or any surrogate of it. A surrogate continues g with slopes that g has somewhere, or
    with that of the Huber function.
    """
    degree = np.zeros(energy.num_variables)
    for end in (energy.tail, energy.head):
        degree += np.bincount(end, weights, energy.num_variables)
    highest = float(np.abs(table).max())
    if not energy.has_forbidden_labels:
        return degree * highest
    steepest = float(np.abs(np.diff(table)).max(initial=abs(slope or 0.0)))
    at_zero = abs(float(table[energy.num_labels - 1]))
    return degree * (highest + at_zero + steepest * (energy.num_labels - 1))


def _split_scale(scale: float, table: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Share the scale of the products between g and the weights."""
    largest_table, largest_weight = float(np.abs(table).max()), float(weights.max(initial=0.0))
    if largest_table == 0 or largest_weight == 0:
        return scale, 1.0
    if scale >= 1 and largest_weight <= ROUNDED_LIMIT and _all_integers(weights):
        return scale, 1.0
    if scale >= 1 and largest_table <= ROUNDED_LIMIT and _all_integers(table):
        return 1.0, scale
    # The relative errors of both are about equal where scaled g and scaled weights are.
    table_scale = _power_of_two_below(math.sqrt(scale * largest_weight / largest_table))
    return table_scale, scale / table_scale


class _UnaryCosts:
    """The unary costs, looked at in chunks: a large volume must not be copied more than once."""

    def __init__(self, energy: Energy, poll: Callable[[], None]) -> None:
        self._poll = poll
        self._rows: npt.NDArray[Any] = energy.unary.reshape(energy.num_variables, energy.num_labels)
        self._forbids = energy.has_forbidden_labels

    def _chunks(self) -> Iterator[tuple[int, int]]:
        for low, high in chunks(*self._rows.shape):
            # What fits one chunk takes no time.
            if low > 0:
                self._poll()
            yield low, high

    def at_most(self, reach: FloatArray) -> float:
        """No less than ``largest``, and quicker to be had of integers."""
        if self._rows.dtype.kind == "f":
            return math.inf
        return max(-float(self._rows.min()), float(self._rows.max())) + float(reach.max())

    def largest(self, reach: FloatArray) -> float:
        """The most that one variable and its edges can cost, in the caller's units."""
        largest = 0.0
        for low, high in self._chunks():
            costs = np.abs(self._rows[low:high].astype(np.float64))
            costs[np.isinf(costs)] = 0.0
            largest = max(largest, float((costs.max(axis=1) + reach[low:high]).max()))
        return largest

    def are_integers(self) -> bool:
        """Whether all allowed costs are integers."""
        if self._rows.dtype.kind != "f":
            return True
        for low, high in self._chunks():
            part = self._rows[low:high]
            if not ((np.rint(part) == part) | np.isinf(part)).all():
                return False
        return True

    def rounding_error(self, scale: float) -> float:
        """The sum over the variables of the largest error among its labels."""
        if self._rows.dtype.kind != "f" and scale >= 1.0:  # a power of two
            return 0.0
        total = 0.0
        for low, high in self._chunks():
            scaled = self._rows[low:high].astype(np.float64) * scale
            scaled[np.isinf(scaled)] = 0.0
            total += float(np.abs(scaled - np.rint(scaled)).max(axis=1).sum())
        return total / scale

    def rounded(self, scale: float, reach: FloatArray) -> IntArray:
        """Return the costs in integers.

        A forbidden label costs more than all that the variable's other labels and its edges, whose
        ``reach`` is in integers already, could ever add up to.
        """
        if scale == 1.0 and self._rows.dtype == np.int32:
            return self._rows
        result = np.empty(self._rows.shape, dtype=np.int32)
        for low, high in self._chunks():
            scaled = self._rows[low:high].astype(np.float64)
            scaled *= scale
            np.rint(scaled, out=scaled)
            if self._forbids:
                forbidden = np.isinf(scaled)
                scaled[forbidden] = -np.inf
                large = scaled.max(axis=1) + reach[low:high] + 1.0
                np.copyto(scaled, large[:, None], where=forbidden)
            result[low:high] = scaled
        return result


def _all_integers(values: FloatArray) -> bool:
    return bool((np.rint(values) == values).all())


def _power_of_two_below(value: float) -> float:
    # Clamped, so that costs of 1e-300 do not ask for a scale that no float can hold.
    return 2.0 ** min(max(math.floor(math.log2(value)), -900), 900)
