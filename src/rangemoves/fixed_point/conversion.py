"""From an energy in the caller's costs to one in integers."""

from __future__ import annotations

import math

import numpy as np

from ..energy import Energy, chunks
from .choice_of_scale import edges_in_integers
from .edge_costs import SAFE_EXPONENT, EdgeCosts, edge_costs_of
from .edges import tolerance_of
from .integers import FixedEdges, FixedPoint
from .unary_costs import Poll, UnaryCosts, polled

__all__ = ["to_fixed_edges", "to_fixed_point"]


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
        prior_ranges=edges.prior_ranges,
        scale=edges.scale,
        unit=edges.unit,
        offset=offset,
        rounding_error=error,
        tolerance=tolerance_of(edges.variation, edges.scale) if error > 0 else 0,
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
    costs = UnaryCosts(energy, unit, poll)
    prior = prior.over(unit)
    if prior.forbidden.any():
        # Integers may be kept as they are, whatever gaps there are between them.
        spread = costs.spread()
        if not (prior.integral and costs.integral):
            reach = prior.reach()
            spread = costs.shortened(reach, costs.dominated(reach))
        with np.errstate(over="ignore"):
            prior = prior.limited(float(spread.sum()), integral=costs.integral)
    return edges_in_integers(energy, prior, costs)


def _unit(energy: Energy, prior: EdgeCosts, poll: Poll) -> float:
    """A power of two that brings costs near the ends of float64 back to its middle."""
    rows = energy.unary.reshape(-1)
    if rows.dtype.kind != "f":
        if prior.integral:
            return 1.0  # exact, or too large
        largest = max(-float(rows.min()), float(rows.max()))
    else:
        largest = 0.0
        for low, high in polled(chunks(rows.size, 1), poll):
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
