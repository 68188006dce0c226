"""One scale for an energy, shared between the tables of g and the weights.

Both are rounded apart from each other and multiplied, since rounding their products would break
what is convex. How much of the scale each gets is chosen so that the products lose least.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..energy import chunks
from ..limits import LIMITS
from .edge_costs import EdgeCosts, all_integers

__all__ = ["SharedScale", "shared_scale"]

FloatArray = npt.NDArray[np.float64]

# How many scales of g are tried, and for how many of its values at most: with more there is little
# to be gained.
CANDIDATES = 1 << 13
MOST_TUNED = 64


@dataclass(frozen=True, eq=False)
class SharedScale:
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


def shared_scale(prior: EdgeCosts, g: FloatArray, scale: float) -> SharedScale:
    """Round the weights, and find the scale of the tables; g starts from zero."""
    if not g.any():
        # Constants, which are left to the offset.
        return SharedScale(scale, 1.0, np.zeros_like(prior.weights), 1.0, 0.0)
    most = _most_table_scale(g)
    weight = prior.common_weight
    if weight is not None:
        # The weight moves into the scale: E = w (sum theta / w + sum g).
        of_tables = min(_power_of_two_below(scale * weight), most)
        weights = (prior.weights > 0).astype(np.float64)
        return SharedScale(of_tables / weight, of_tables, weights, weight, 0.0)
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
    return SharedScale(of_tables * of_weights, of_tables, weights, 1.0 / of_weights, error)


def _split_scale(
    scale: float, g: FloatArray, weights: FloatArray, most_for_g: float
) -> tuple[float, float]:
    """Share the scale of the products between g and the weights, by need."""
    largest_g, largest_weight = float(g.max()), float(weights.max(initial=0.0))
    if largest_g == 0 or largest_weight == 0:
        return min(scale, most_for_g), 1.0
    most = _power_of_two_below(LIMITS["weight"] / largest_weight)
    scale = min(scale, most_for_g * most)
    # If few bits hold the weights exactly, or g, all other bits are for the other of the two.
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


def _power_of_two_below(value: float) -> float:
    # Clamped, so that no scale leaves what a float can hold.
    exponent = math.log2(value) if value > 0 else -1000.0
    return 2.0 ** math.floor(min(max(exponent, -1000.0), 1000.0))
