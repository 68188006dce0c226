"""Which integers an energy becomes: those it has, or rounded ones of 32 or 64 bits."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..energy import Energy
from ..errors import PrecisionWarning
from ..limits import LIMITS
from .edge_costs import EdgeCosts
from .edges import edges_as_they_are, edges_at_scale
from .extent import Extent
from .integers import FixedEdges
from .unary_costs import UnaryCosts

__all__ = ["edges_in_integers"]

FloatArray = npt.NDArray[np.float64]

# All that one variable can cost after rounding: small enough for 32-bit messages with a scale of
# their own; or, 64 bits wide, all that one variable and all that all together can cost.
ROUNDED_NARROW = 2.0**20
ROUNDED_WIDE = float(LIMITS["wide_cost"])
ROUNDED_TOTAL = float(LIMITS["total_cost"])

# On large problems rounding to 32 bits is good enough where it changes the energy by at most this
# part of what it varies by. On small ones, where 64 bits cost nothing, it must change nothing.
NARROW_ERROR = 2.5e-7
SMALL_PROBLEM = 1 << 20

# A typical cost with fewer steps than this is not kept well.
FEWEST_STEPS = 2.0**10


def edges_in_integers(energy: Energy, prior: EdgeCosts, costs: UnaryCosts) -> FixedEdges:
    """Return the edges in integers, at the scale that suits them and the unary costs.

    Parameters
    ----------
    energy : Energy
        The problem in the caller's costs.
    prior : EdgeCosts
        What its edges cost, over the unit of ``costs``.
    costs : UnaryCosts
        What its labels cost.

    Returns
    -------
    FixedEdges

    Raises
    ------
    OverflowError
        If integer costs are so large that their sums cannot fit.
    """
    whole = costs.whole
    if prior.integral and whole:
        small = _small_integers(energy, prior, costs)
        if small is not None:
            return small
    extent = Extent(energy, prior, costs)
    extent.require_finite()
    if prior.integral and costs.integral:
        fixed = _integers(prior, costs, extent)
        if fixed is not None:
            return fixed
        if whole:
            raise _too_large(energy, prior, extent)
    return _rounded(energy, prior, costs, extent)


def _small_integers(energy: Energy, prior: EdgeCosts, costs: UnaryCosts) -> FixedEdges | None:
    """Integers that fit whatever they are, as most do; None where a closer look is needed."""
    edges = float(prior.per_variable(prior.highest + prior.surrogate_rise).max())
    largest = costs.furthest() + edges
    if not largest <= ROUNDED_NARROW:
        return None
    return edges_as_they_are(
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


def _integers(prior: EdgeCosts, costs: UnaryCosts, extent: Extent) -> FixedEdges | None:
    """Integers as they are, or None where they do not fit."""
    if _weights_too_large(prior):
        return None
    dominated = extent.dominates
    as_given = float(extent.local(costs.largest()).max())
    shifted = extent.local(extent.shortened)
    keep = as_given <= (ROUNDED_NARROW if dominated else LIMITS["narrow_cost"])
    largest = float(shifted.max())
    if not keep and (largest > LIMITS["wide_cost"] or float(shifted.sum()) > LIMITS["total_cost"]):
        return None
    return edges_as_they_are(
        prior,
        costs,
        wide=not keep and largest > LIMITS["narrow_cost"],
        capped=not keep and dominated,
        shifted=not keep,
        reach=extent.reach,
        largest_unary=as_given if keep else largest,
        size=extent.size,
        variation=extent.variation,
    )


def _weights_too_large(prior: EdgeCosts) -> bool:
    largest = float(prior.weights.max(initial=0.0))
    return prior.common_weight is None and largest > LIMITS["weight"]


def _too_large(energy: Energy, prior: EdgeCosts, extent: Extent) -> OverflowError:
    local = extent.local(extent.shortened)
    if local.max() > LIMITS["wide_cost"]:
        where = energy.place(int(local.argmax()))
        most, what = LIMITS["wide_cost"], f"one variable and its edges ({where} here)"
        found = float(local.max())
    elif _weights_too_large(prior):
        most, what = LIMITS["weight"], "one weight of several"
        found = float(prior.weights.max())
    else:
        most, what, found = LIMITS["total_cost"], "all of it", float(local.sum())
    return OverflowError(
        f"costs must be small enough for exact integer sums: {what} may come to at most "
        f"{most}; found {found:.6g}; divide all costs by a common factor, or pass unary as "
        "floats to have them rounded"
    )


def _rounded(energy: Energy, prior: EdgeCosts, costs: UnaryCosts, extent: Extent) -> FixedEdges:
    """Scaled and rounded: to 32 bits where that is good enough, else to 64."""
    local = extent.local(extent.shortened, shifted=True)
    largest, total = float(local.max()), float(local.sum())
    del local  # frees an array as long as the variables
    if largest == 0:
        return edges_at_scale(prior, costs, extent, 1.0, wide=False)
    narrow = edges_at_scale(prior, costs, extent, ROUNDED_NARROW / largest, wide=False)
    small = energy.unary.size <= SMALL_PROBLEM
    good = 0.0 if small else NARROW_ERROR * extent.variation
    if narrow.rounding_error <= good and costs.is_kept(narrow, good):
        return narrow
    del narrow
    scale = min(ROUNDED_WIDE / largest, ROUNDED_TOTAL / total)
    wide = edges_at_scale(prior, costs, extent, scale, wide=True)
    _warn_of_loss(prior, extent, wide)
    return _with_products(energy, prior, costs, wide)


def _with_products(
    energy: Energy, prior: EdgeCosts, costs: UnaryCosts, apart: FixedEdges
) -> FixedEdges:
    """Edges with tables of their own, where few are and that is more precise."""
    if apart.rounding_error == 0 or prior.common_weight is not None:
        return apart
    products = prior.products(from_zero=True)
    if products is None:
        return apart
    extent = Extent(energy, products, costs)
    local = extent.local(extent.shortened, shifted=True)
    scale = min(ROUNDED_WIDE / float(local.max()), ROUNDED_TOTAL / float(local.sum()))
    together = edges_at_scale(products, costs, extent, scale, wide=True)
    if together.rounding_error >= apart.rounding_error:
        return apart
    return replace(together, size=apart.size)


def _warn_of_loss(prior: EdgeCosts, extent: Extent, fixed: FixedEdges) -> None:
    """Say so where costs that differ too much in size leave the smaller ones no precision."""
    unary = np.minimum(extent.spread, extent.reach)
    edges = prior.weights * prior.of_edges(prior.allowed_range)
    for name, values in (("unary", unary), ("weights", edges)):
        typical = _typical(values)
        if typical == 0 or typical * fixed.scale >= FEWEST_STEPS:
            continue
        if float(values.sum()) <= np.finfo(np.float64).eps * extent.unavoidable:
            continue  # float64 would not show them in the energy either
        largest = max(float(unary.max()), float(edges.max(initial=0.0)))
        unit = fixed.unit
        warnings.warn(
            f"costs differ too much in size to be kept apart: they go up to "
            f"{largest * unit:.3g}, while a typical one of {name} is {typical * unit:.3g} and "
            f"is rounded to multiples of {unit / fixed.scale:.3g}; lower the largest costs or "
            "weights (beyond some size they decide just as well), or use +inf to forbid labels",
            PrecisionWarning,
            stacklevel=2,
        )


def _typical(values: FloatArray) -> float:
    """About the median of those that are not zero."""
    some = values[:: max(1, values.size // 100_000)]
    some = some[some > 0]
    return float(np.median(some)) if some.size else 0.0
