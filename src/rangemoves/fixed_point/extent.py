"""How much an energy can come to: what the choice of a scale depends on."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ..energy import Energy
from .edge_costs import EdgeCosts
from .unary_costs import UnaryCosts

__all__ = ["Extent"]

FloatArray = npt.NDArray[np.float64]


class Extent:
    """What the variables and edges of an energy can come to, over the unit of its costs.

    Attributes
    ----------
    reach : numpy.ndarray
        The most that the edges of each variable can cost more with one label than with another,
        under g or any surrogate of it.
    spread : numpy.ndarray
        What the unary costs of each variable vary by.
    shortened : numpy.ndarray
        The most that is left of ``spread`` once gaps beyond ``reach`` are shortened to it.
    most_dominated : float
        How many labels of one variable cost more than its cheapest by more than ``reach``, at most.
    variation : float
        What the energy varies by, among labels that an optimum may have.
    size : float
        The sum of the largest absolute costs of all variables and edges, among the same labels.
    unavoidable : float
        The sum of the absolute values of their least costs, which every labelling has to bear.
    """

    def __init__(self, energy: Energy, prior: EdgeCosts, costs: UnaryCosts) -> None:
        self._energy, self._prior, self._unit = energy, prior, costs.unit
        with np.errstate(over="ignore", invalid="ignore"):
            self.reach = prior.per_variable(prior.range + prior.surrogate_rise)
            self.spread = costs.spread()
            dominated = costs.dominated(self.reach)
            self.most_dominated = float(dominated.max(initial=0.0))
            self.shortened = costs.shortened(self.reach, dominated)
            # Of labels that an optimum may have, whatever surrogates make of the others.
            matters = prior.per_variable(prior.range)
            self.variation = float(np.minimum(self.spread, matters).sum())
            self.variation += prior.total(prior.allowed_range)
            self.size = costs.size(matters) + prior.total(prior.allowed_highest)
            self.unavoidable = float(np.abs(costs.low).sum())
            self.unavoidable += prior.total(np.abs(prior.least))

    @property
    def dominates(self) -> bool:
        """Whether any label costs more than another by more than edges can make up for."""
        return bool((self.spread > self.reach).any())

    def require_finite(self) -> None:
        """Raise OverflowError where sums of costs leave float64."""
        sums = [self.size, self.variation, float(self.spread.sum()), float(self.reach.sum())]
        if all(math.isfinite(4 * value * self._unit) for value in sums):
            return
        raise OverflowError(
            "costs must be small enough to be added up in float64; found sums beyond 1e308; "
            "divide all costs by a common factor"
        )

    def local(self, spread: FloatArray, *, shifted: bool = False) -> FloatArray:
        """All that a variable and its edges can cost.

        Parameters
        ----------
        spread : numpy.ndarray
            What the unary costs of each variable come to.
        shifted : bool, default False
            Whether the tables of g start from zero.

        Returns
        -------
        numpy.ndarray
        """
        prior = self._prior
        highest = prior.range if shifted else prior.highest
        edges = prior.per_variable(highest + prior.surrogate_rise)
        forbidden = self.reach if self._energy.has_forbidden_labels else 0.0
        return spread + edges + forbidden
