"""An island: its tree of steps, and what each step proves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..certificate import STEP_KINDS, Island, Step
from ._edges import Edges
from ._excess import Excess
from ._forward_pass import ForwardPass
from ._numbers import Beliefs, Bound, Numbers
from ._tables import TableSearch, read_tables

__all__ = ["IslandProblem", "check_steps"]

Array = npt.NDArray[Any]
Bools = npt.NDArray[np.bool_]


def check_steps(island: Island, number: int) -> None:
    """Raise ValueError unless the steps of an island are one tree."""
    open_places = 1
    for step in island.steps:
        if open_places == 0:
            raise ValueError(f"steps of island {number} must be one tree; found more after its end")
        open_places += STEP_KINDS[step.kind] - 1
    if open_places > 0:
        raise ValueError(
            f"steps of island {number} must be a whole tree; found it without its last "
            f"{open_places} parts"
        )


@dataclass(frozen=True)
class _Sent:
    """What messages leave of the costs: of variables, and what each edge gave to its two ends."""

    beliefs: Beliefs
    to_tail: Array
    to_head: Array


class IslandProblem:
    """The variables of an island, what edges to others leave them, and the edges among them.

    Parameters
    ----------
    numbers : Numbers
        The arithmetic.
    edges : Edges
        The inner edges, with variables counted within the island.
    beliefs : Beliefs
        Costs with the vectors of all other edges.
    island : Island
        With the steps.
    number : int
        Of the island, for messages.
    """

    def __init__(
        self, numbers: Numbers, edges: Edges, beliefs: Beliefs, island: Island, number: int
    ) -> None:
        self._numbers, self._edges, self._beliefs = numbers, edges, beliefs
        self._island, self._name = island, f"of island {number}"
        self._all_edges = np.arange(len(edges))
        self._variables = np.arange(len(island.variables))
        self._labels = beliefs.labels

    def bound(self, possible: Bools) -> Bound:
        """What the island costs at least, with those labels."""
        least: Bound = math.inf
        open_places = [possible]
        for step in self._island.steps:
            allowed = open_places.pop()
            if step.kind == "split":
                open_places += self._split(step, allowed)
                continue
            self._check(step)
            allowed = self._consistent(allowed)
            if step.kind in ("leaf", "tables"):
                prove = self._leaf if step.kind == "leaf" else self._tables
                least = min(least, prove(step, allowed))
                continue
            removed = self._removed(step, allowed.shape)
            least = min(least, self._eliminate(step, allowed, removed))
            open_places.append(allowed & ~removed)
        return least

    def _split(self, step: Step, allowed: Bools) -> list[Bools]:
        """The labels of the two subtrees, the first one last."""
        assert step.split is not None
        (variable, k), (variables, labels) = step.split, allowed.shape
        if not (0 <= variable < variables and 0 <= k < labels - 1):
            raise ValueError(
                f"split {self._name} must be at a variable 0 .. {variables - 1} and a label "
                f"0 .. {labels - 2}; found {step.split}"
            )
        low, high = allowed.copy(), allowed.copy()
        low[variable, k + 1 :] = False
        high[variable, : k + 1] = False
        return [high, low]

    def _check(self, step: Step) -> None:
        expected = (len(self._edges), self._labels)
        nothing_to_say = len(self._edges) == len(step.messages) == 0
        if step.messages.shape != expected and not nothing_to_say:
            raise ValueError(
                f"messages of a step {self._name} must have shape {expected}, a row per inner "
                f"edge; found {step.messages.shape}"
            )
        if step.kind != "eliminate":
            return
        if not np.array_equal(np.sort(step.order), self._variables):
            raise ValueError(
                f"order of a step {self._name} must have each of 0 .. {len(self._variables) - 1} "
                "once, the place of each variable"
            )
        tail_place, head_place = step.order[self._edges.tail], step.order[self._edges.head]
        if not np.array_equal(step.to_head, head_place < tail_place):
            raise ValueError(
                f"messages of a step 'eliminate' {self._name} must be addressed to the end that "
                "comes first in its order"
            )

    def _removed(self, step: Step, shape: tuple[int, ...]) -> Bools:
        removed = np.zeros(shape, dtype=bool)
        variable, label = step.eliminated.T
        outside = (variable < 0) | (variable >= shape[0]) | (label < 0) | (label >= shape[1])
        if outside.any():
            first = tuple(step.eliminated[outside][0].tolist())
            raise ValueError(
                f"eliminated {self._name} must be variables 0 .. {shape[0] - 1} with labels "
                f"0 .. {shape[1] - 1}; found {first}"
            )
        removed[variable, label] = True
        return removed

    def _consistent(self, allowed: Bools) -> Bools:
        """The allowed labels that go with some label of every neighbour, which has such a label.

        No labelling of finite energy has the others. All vectors are finite after that.
        """
        edges = self._edges
        while edges.forbid and len(edges):
            found = allowed.copy()
            for from_head in (False, True):
                here, there = (edges.head, edges.tail) if from_head else (edges.tail, edges.head)
                zeros = np.zeros((len(edges), self._labels), dtype=self._numbers.dtype)
                at_head = np.full(len(edges), from_head)
                _, none = edges.implied(self._all_edges, at_head, zeros, found[here])
                place, label = np.nonzero(none)
                found[there[place], label] = False
            if (found == allowed).all():
                break
            allowed = found
        return allowed

    def _leaf(self, step: Step, allowed: Bools) -> Bound:
        """What messages prove over the allowed labels."""
        return self._total(self._sent(step, allowed).beliefs.least(allowed))

    def _sent(self, step: Step, allowed: Bools) -> _Sent:
        """What the messages of a step leave of the costs."""
        edges = self._edges
        messages = self._messages(step)
        receiver = np.where(step.to_head, edges.head, edges.tail)
        other = np.where(step.to_head, edges.tail, edges.head)
        vectors, _ = edges.implied(self._all_edges, step.to_head, messages, allowed[receiver])
        beliefs = self._beliefs.of(self._variables)
        beliefs.add(receiver, messages)
        beliefs.add(other, vectors)
        at_head = step.to_head[:, None]
        to_tail, to_head = (
            np.where(at_head, vectors, messages),
            np.where(at_head, messages, vectors),
        )
        return _Sent(beliefs, to_tail, to_head)

    def _tables(self, step: Step, allowed: Bools) -> Bound:
        """What a search with tables proves over the allowed labels."""
        tables = read_tables(step, len(self._variables), self._name)
        sent = self._sent(step, allowed)
        least = sent.beliefs.least(allowed)
        base = self._total(least)
        if base == math.inf:
            return base
        numbers, labels = self._numbers, [np.flatnonzero(row) for row in allowed]
        (above,) = numbers.message(np.array([step.above]), self._island.scale)
        costs = Excess(numbers, above)
        for i, (row, own) in enumerate(zip(sent.beliefs.floor(), labels, strict=True)):
            costs.add((i,), row[own] - least[i], np.abs(row[own]) + abs(least[i]))
        for e, (i, j) in enumerate(zip(self._edges.tail, self._edges.head, strict=True)):
            pairs = np.ix_(labels[i], labels[j])
            cost, forbidden = (of_edge[pairs] for of_edge in self._edges.by_pair(e))
            mine, theirs = sent.to_tail[e, labels[i], None], sent.to_head[e, labels[j]]
            sizes = np.abs(cost) + np.abs(mine) + np.abs(theirs)
            costs.add((int(i), int(j)), cost - mine - theirs, sizes, forbidden)
        choices = [len(own) for own in labels]
        search = TableSearch(costs.costs(), choices, tables, step.rounds, self._name)
        return costs.bound(base, search.least(costs.cut))

    def _messages(self, step: Step) -> Array:
        return self._vectors(step.messages)

    def _vectors(self, stored: Array) -> Array:
        rows = stored.reshape(len(self._edges), self._labels)
        return self._numbers.message(rows, self._island.scale)

    def _total(self, least: Array) -> Bound:
        if (least == self._numbers.nothing).any():
            return math.inf
        return self._numbers.total(least)

    def _eliminate(self, step: Step, allowed: Bools, removed: Bools) -> Bound:
        """What labellings with any of the removed labels cost at least."""
        removed = removed & allowed
        if not removed.any() or not allowed.any(axis=1).all():
            return math.inf
        forward = ForwardPass(
            self._numbers,
            self._edges,
            self._beliefs,
            allowed,
            order=step.order,
            messages=self._messages(step),
            sent=self._vectors(step.sent),
        )
        return forward.least_with(removed)
