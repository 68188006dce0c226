"""Edges to integers: as they are, or scaled and rounded.

What is convex, straight or flat stays so in every table. What rounding can change in the cost of
all edges is added up, so that a proven bound can be lowered by it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .edge_costs import EdgeCosts
from .extent import Extent
from .integers import FixedEdges
from .rounded_tables import rounded_tables
from .shared_scale import shared_scale
from .unary_costs import UnaryCosts

__all__ = ["edges_as_they_are", "edges_at_scale", "tolerance_of"]

LongArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

# Of rounded costs: an energy that is this close to its bound is as good as optimal.
TOLERANCE = 2.5e-10


def edges_as_they_are(
    prior: EdgeCosts,
    costs: UnaryCosts,
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
        prior_ranges=prior.ranges,
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


def edges_at_scale(
    prior: EdgeCosts, costs: UnaryCosts, extent: Extent, scale: float, *, wide: bool
) -> FixedEdges:
    """Edges rounded so that a unit of energy becomes at most ``scale`` integers."""
    g = prior.tables - prior.least[:, None]
    shares = shared_scale(prior, g, scale)
    scale, table_scale, weights = shares.scale, shares.of_tables, shares.weights
    # What costs the same at every difference needs no edge.
    if not prior.range.all():
        weights = np.where(prior.of_edges(prior.range) > 0, weights, 0.0)
    tables = rounded_tables(g, table_scale, prior.centres)
    rise = (prior.steepest * table_scale + 1) * (prior.energy.num_labels - 1)
    # |w g - w' g'| <= |w - w'| |g| + w' |g - g'|, each primed one as it is after rounding.
    off = np.where(prior.forbidden, 0.0, np.abs(g - tables / table_scale)).max(axis=1)
    error = shares.error + prior.total(off, weights) * shares.per_weight
    reach = prior.per_variable(tables.max(axis=1) + rise, weights)
    margin = 4 * tolerance_of(extent.variation, scale) + 1
    unary = extent.shortened * scale
    unary += (1 + extent.most_dominated) * (margin + 1)
    unary += reach
    return FixedEdges(
        weights=weights.astype(np.int32),
        tables=tables.astype(np.int64),
        table_index=prior.index,
        centres=prior.centres,
        huber_slopes=_rounded_slopes(prior.slopes * table_scale, tables),
        prior_ranges=prior.ranges,
        names=prior.names,
        limited=prior.limited_kinds,
        scale=scale,
        unit=costs.unit,
        rounding_error=error,
        wide=wide,
        capped=extent.dominates,
        shifted=True,
        g_offset=prior.constant,
        reach=reach,
        true_reach=extent.reach,
        margin=margin,
        largest_unary=float(unary.max()),
        size=extent.size,
        variation=extent.variation,
        costs=costs,
    )


def tolerance_of(variation: float, scale: float) -> int:
    """What counts as no difference between two energies of rounded costs, in integers."""
    return int(TOLERANCE * variation * scale)


def _rounded_slopes(slopes: FloatArray, tables: FloatArray) -> LongArray:
    """The slopes of the Huber functions in integers, -1 for none.

    Rounding must not leave a step of g steeper than the line that continues it.
    """
    steepest = np.abs(np.diff(tables)).max(axis=1, initial=0.0)
    rounded = np.where(np.isnan(slopes), -1.0, np.maximum(np.rint(slopes), steepest))
    return np.repeat(rounded.astype(np.int64)[:, None], 2, axis=1)
