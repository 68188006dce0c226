"""From the solver's integers back to the caller's numbers: energies, bounds, what is optimal."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .energy import Energy
from .fixed_point import FixedPoint
from .result import TraceRecord

__all__ = ["CallersNumbers"]

# Of rounded costs: the largest difference between energy and bound of an optimum, as a part of what
# the costs add up to at most.
OPTIMAL_GAP = 1e-6

Floats = npt.NDArray[np.float64]


class CallersNumbers:
    """What the solver's answers mean for the energy before rounding.

    Parameters
    ----------
    energy : Energy
        The problem as the caller stated it.
    fixed : FixedPoint
        The same in integers.
    """

    def __init__(self, energy: Energy, fixed: FixedPoint) -> None:
        self._energy, self._fixed = energy, fixed

    def evaluate(self, labels: npt.NDArray[np.int32]) -> float:
        """The energy of a labelling, over the unit of the fixed-point numbers."""
        return self._energy._evaluate(labels) / self._fixed.unit

    def true_costs(
        self,
    ) -> tuple[Callable[[int, int], Floats], Floats, Floats, npt.NDArray[np.int32]]:
        """The costs before rounding, for a bound in the caller's numbers."""
        rows = self._energy.unary.reshape(-1, self._energy.num_labels)
        unit = self._fixed.unit
        return (
            lambda first, last: rows[first:last].astype(np.float64) / unit,
            self._energy.weights / unit,
            self._energy.tables,
            self._energy.table_index,
        )

    def record(self, entry: Mapping[str, Any]) -> TraceRecord:
        """One record of the trace."""
        unit = self._fixed.unit
        energies = {
            name: entry[name] * unit for name in ("energy", "huber_energy", "surrogate_energy")
        }
        bound = self._bound(entry["lower_bound"], energies["energy"])
        return TraceRecord(**{**entry, **energies, "lower_bound": bound})

    def final_bound(self, outcome: Mapping[str, Any], energy: float) -> float | None:
        """The best bound there is at the end of a run that ended at this energy."""
        bound = self._bound(outcome["lower_bound"], energy)
        if bound is None:
            return None
        if self._fixed.exact:
            # Beyond 2**53 float64 rounds the two in different ways.
            return energy if outcome["status"] == "optimal" else bound
        if outcome["certified_bound"] is not None:
            certified = outcome["certified_bound"] + self._dropped_edges()
            bound = max(bound, min(self._in_units(certified), energy))
        return bound

    def is_optimal(self, energy: float, bound: float | None) -> bool:
        """Whether an energy is close enough to its bound to be called optimal."""
        if self._fixed.exact:
            return bound == energy
        limit = OPTIMAL_GAP * self._fixed.size * self._fixed.unit
        return bound is not None and energy - bound <= limit

    def _bound(self, bound: float | None, energy: float = math.inf) -> float | None:
        """A bound of the rounded costs holds for the true ones up to the rounding error."""
        if bound is None:
            return None
        fixed = self._fixed
        # Beside what was rounded, float64 rounds the sum of all that was taken off.
        slack = 0.0 if fixed.as_given else 1e-15 * fixed.size
        return min(self._in_units(bound - fixed.rounding_error - slack), energy)

    def _dropped_edges(self) -> float:
        """The least that edges cost whose weights were rounded to nothing."""
        free = self._fixed.weights == 0
        dropped = self._energy.weights[free] / self._fixed.unit
        least = self._energy.tables.min(axis=1)
        if self._energy.table_index.size == 0:
            return float(dropped.sum()) * float(least[0])
        return float((dropped * least[self._energy.table_index[free]]).sum())

    def _in_units(self, value: float) -> float:
        unit = self._fixed.unit
        if unit == 1.0:
            return value
        # Near the smallest numbers there are, going back to the caller's units rounds.
        return float(np.nextafter(value * unit, -np.inf))
