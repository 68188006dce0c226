"""From the solver's integers back to the caller's numbers: energies, bounds, what is optimal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .certificate import Certificate, Island, Step
from .energy import Energy
from .fixed_point import FixedPoint
from .fixed_point.edge_costs import balanced
from .result import TraceRecord

__all__ = ["CallersNumbers"]

# Of rounded costs: the largest difference between energy and bound of an optimum, as a part of what
# the costs add up to at most.
OPTIMAL_GAP = 1e-6

Floats = npt.NDArray[np.float64]

# The first fields of a record, in order.
_COLUMNS = (
    *("iteration", "seconds", "energy", "huber_energy", "surrogate_energy"),
    *("changed", "active"),
)


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
        tables, weights = balanced(self._energy.tables, self._energy.weights, unit)
        return (
            lambda first, last: rows[first:last].astype(np.float64) / unit,
            weights,
            tables,
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

    def trace(self, columns: Mapping[str, Any]) -> Callable[[], tuple[TraceRecord, ...]]:
        """What makes the records of a run: it holds their numbers, and nothing of the energy."""
        unit = self._fixed.unit
        found = dict(columns)
        for name in ("energy", "huber_energy", "surrogate_energy"):
            found[name] = columns[name] * unit
        bounds = np.minimum(self._lowered(columns["lower_bound"]), found["energy"])

        def records() -> tuple[TraceRecord, ...]:
            known: list[Any] = [None if math.isnan(bound) else bound for bound in bounds.tolist()]
            proven, steps = (found["proven"] != 0).tolist(), found["steps"]
            names = [steps[step] for step in found["step"].tolist()]
            numbers = [found[name].tolist() for name in _COLUMNS]
            rows: Iterator[tuple[Any, ...]] = zip(*numbers, known, proven, names, strict=True)
            return tuple(TraceRecord(*row) for row in rows)

        return records

    def final_bound(self, outcome: Mapping[str, Any], energy: float) -> float | None:
        """The best bound there is at the end of a run that ended at this energy."""
        bound = self._bound(outcome["lower_bound"], energy)
        if bound is None:
            return None
        if self._energy.num_labels == 1:
            return energy  # there is no other labelling
        if self._fixed.exact:
            # Beyond 2**53 float64 rounds the two in different ways.
            return energy if outcome["status"] == "optimal" else bound
        if outcome["certified_bound"] is not None:
            certified = outcome["certified_bound"] + self._dropped_edges()
            bound = max(bound, min(float(self._in_units(certified)), energy))
        return bound

    def certificate(self, found: Mapping[str, Any] | None) -> Certificate | None:
        """What the bound rests on, in terms of the energy that the caller holds.

        None for costs below about 1e-290: float64 has no scale for them.
        """
        if found is None:
            return None
        return self.callers_certificate(Certificate.from_core(self._in_edges_of_the_energy(found)))

    def callers_certificate(self, given: Certificate) -> Certificate | None:
        """A certificate over the variables of the box that a mask leaves, for the whole."""
        finest = max([given.scale, *(island.scale for island in given.islands)])
        if math.isinf(finest / self._fixed.unit):
            return None
        return replace(
            given,
            scale=given.scale / self._fixed.unit,
            islands=tuple(self._callers_island(island) for island in given.islands),
        )

    def _in_edges_of_the_energy(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """The core's certificate, which numbers only edges that have a weight, by all edges.

        The core addresses messages to the end of an edge that sweeps reach first.
        """
        with_weight = np.flatnonzero(self._fixed.weights)
        rank = found["rank"]
        to_head = rank[self._energy.head] < rank[self._energy.tail]

        def callers_step(step: Mapping[str, Any], edges: npt.NDArray[Any]) -> dict[str, Any]:
            if step["kind"] == "split":
                return dict(step)
            rows = np.argsort(edges, kind="stable")
            kept = {**step, "messages": step["messages"][rows], "to_head": to_head[edges[rows]]}
            if step["kind"] == "leaf":
                del kept["eliminated"], kept["sent"]
            elif step["kind"] == "eliminate":
                kept["sent"] = step["sent"][rows]
            return kept

        def callers_island(island: Mapping[str, Any]) -> dict[str, Any]:
            edges = with_weight[island["edges"]]
            steps = [callers_step(step, edges) for step in island["steps"]]
            # Variables come in the order of sweeps.
            order = np.arange(len(island["variables"]), dtype=np.int32)
            for step in steps:
                if step["kind"] == "eliminate":
                    step["order"] = order
            scale = island["scale"] * self._fixed.scale
            return {"variables": island["variables"], "scale": scale, "steps": steps}

        edges = with_weight[found["edges"]]
        return {
            "scale": found["scale"] * self._fixed.scale,
            "edge": edges.astype(np.int32),
            "to_head": to_head[edges],
            "messages": found["messages"],
            "islands": [callers_island(island) for island in found["islands"]],
        }

    def _callers_island(self, island: Island) -> Island:
        energy = self._energy
        place = np.full(energy.num_variables, -1, dtype=np.int32)
        place[island.variables] = np.arange(len(island.variables), dtype=np.int32)
        tail, head = place[energy.tail], place[energy.head]
        inner = np.flatnonzero((energy.weights > 0) & (tail >= 0) & (head >= 0))
        kept = self._fixed.weights[inner] > 0
        steps = island.steps
        if not kept.all():
            steps = tuple(_with_edges(step, kept, tail[inner], head[inner]) for step in steps)
        variables = energy.callers_variables(island.variables)
        return Island(variables, island.scale / self._fixed.unit, steps)

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
        return min(float(self._lowered(np.float64(bound))), energy)

    def _lowered(self, bounds: Any) -> Any:
        """Bounds of the true costs in the caller's unit, from those of the rounded ones."""
        fixed = self._fixed
        # Besides the rounding of costs: float64 rounds the sum of the constants that were taken
        # off.
        slack = 0.0 if fixed.as_given else 1e-15 * fixed.size
        return self._in_units(bounds - fixed.rounding_error - slack)

    def _dropped_edges(self) -> float:
        """The least that edges cost whose weights were rounded to nothing."""
        free = self._fixed.weights == 0
        dropped = self._energy.weights[free] / self._fixed.unit
        least = self._energy.tables.min(axis=1)
        if self._energy.table_index.size == 0:
            return float(dropped.sum()) * float(least[0])
        return float((dropped * least[self._energy.table_index[free]]).sum())

    def _in_units(self, value: Any) -> Any:
        unit = self._fixed.unit
        if unit == 1.0:
            return value
        # Near the smallest numbers there are, going back to the caller's units rounds.
        return np.nextafter(value * unit, -np.inf)


def _with_edges(
    step: Step, kept: npt.NDArray[np.bool_], tail: npt.NDArray[Any], head: npt.NDArray[Any]
) -> Step:
    """A step with zeros for those inner edges whose weights were rounded to nothing."""
    if step.kind == "split":
        return step
    messages = np.zeros((len(kept), step.messages.shape[1]), dtype=np.int64)
    messages[kept] = step.messages
    to_head = np.zeros(len(kept), dtype=np.bool_)
    sent = step.sent
    if step.kind == "eliminate":
        to_head = step.order[head] < step.order[tail]
        sent = np.zeros_like(messages)
        sent[kept] = step.sent
    to_head[kept] = step.to_head
    return replace(step, messages=messages, to_head=to_head, sent=sent)
