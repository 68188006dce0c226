"""The forward pass of a step "eliminate": what each label of each variable costs at least.

At every moment each edge stores one vector and implies the other, so the sum B over the variables
of their least beliefs is a bound at every moment. A visit of variable s, with belief b_s, proves
that a labelling with label l of s costs at least B - min b_s + b_s(l). Then s sends on: from now on
the edge to each later neighbour stores what the certificate says was sent to that neighbour, and s
gets what that implies.

All that edges store is given: nothing depends on how the solver shared out what a variable has
learnt, which it may have done over fewer edges (it leaves out those that cost the same whatever the
labels) or with huge costs shortened. Higher costs only make implied vectors and beliefs higher, so
what holds with shortened costs holds with the true ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._edges import Edges
from ._numbers import Beliefs, Bound, Numbers

__all__ = ["ForwardPass"]

Array = npt.NDArray[Any]
Bools = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]


class ForwardPass:
    """One pass over the variables of an island.

    Parameters
    ----------
    numbers : Numbers
        The arithmetic.
    edges : Edges
        The inner edges of the island.
    beliefs : Beliefs
        What the variables cost without them.
    allowed : numpy.ndarray
        The labels that are allowed: some of each variable, and for each label and edge one at the
        other end that goes with it.
    order : numpy.ndarray
        The place of each variable.
    messages : numpy.ndarray
        What each edge stores at first, addressed to the end that comes first.
    sent : numpy.ndarray
        What each edge stores once its first end was visited, addressed to the other.
    """

    def __init__(
        self,
        numbers: Numbers,
        edges: Edges,
        beliefs: Beliefs,
        allowed: Bools,
        *,
        order: npt.NDArray[np.int32],
        messages: Array,
        sent: Array,
    ) -> None:
        self._numbers, self._edges = numbers, edges
        self._allowed, self._order, self._stored = allowed, order, messages
        self._head_first = order[edges.head] < order[edges.tail]
        self._earlier = np.where(self._head_first, edges.head, edges.tail)
        self._later = np.where(self._head_first, edges.tail, edges.head)
        self._all_edges, variables = np.arange(len(edges)), np.arange(len(order))
        self._at_visit = beliefs.of(variables)
        self._at_visit.add(self._earlier, messages)
        self._at_start = self._at_visit.of(variables)
        self._implied, _ = edges.implied(
            self._all_edges, self._head_first, messages, allowed[self._earlier]
        )
        self._at_start.add(self._later, self._implied)
        self._sent = sent
        self._at_visit.add(self._later, sent)

    def least_with(self, removed: Bools) -> Bound:
        """Return what labellings cost at least that have any of these labels, all allowed."""
        before, own = self._bounds_before_visits()
        label = self._at_visit.least(removed)
        bounds: list[Bound] = [
            self._numbers.exchanged(before[self._order[s]], own[s], label[s])
            for s in np.flatnonzero(removed.any(axis=1))
        ]
        return min(bounds)

    def _bounds_before_visits(self) -> tuple[list[Any], Array]:
        """B just before each visit, by place in the order, and the own part of who is visited."""
        beliefs, allowed, order = self._at_start, self._allowed, self._order
        own = beliefs.least(allowed)
        first = self._numbers.total(own)
        times, changes = [], []
        for arriving in self._arrivals():
            later = self._later[arriving]
            beliefs.add(later, self._sent[arriving])
            beliefs.add(later, -self._implied[arriving])
            least = beliefs.of(later).least(allowed[later])
            times.append(order[self._earlier[arriving]])
            changes.append(least - own[later])
            own[later] = least
        returned, _ = self._edges.implied(
            self._all_edges, ~self._head_first, self._sent, allowed[self._later]
        )
        after = self._at_visit.of(np.arange(len(order)))
        after.add(self._earlier, returned)
        after.add(self._earlier, -self._stored)
        times.append(order)
        changes.append(after.least(allowed) - own)
        return self._numbers.running(
            first, np.concatenate(times), np.concatenate(changes), len(order)
        ), own

    def _arrivals(self) -> list[Places]:
        """The edges by which each variable is sent its first vector; its second; and so on."""
        by_visit = np.lexsort((self._order[self._earlier], self._later))
        later = self._later[by_visit]
        starts = np.flatnonzero(np.diff(later, prepend=-1))
        rank = np.arange(len(later)) - np.repeat(starts, np.diff(starts, append=len(later)))
        return [by_visit[part] for part in _grouped(rank)]


def _grouped(keys: Places) -> list[Places]:
    """The places of the least key, of the next, and so on."""
    places = np.argsort(keys, kind="stable")
    borders = np.flatnonzero(np.diff(keys[places])) + 1
    return np.split(places, borders) if len(places) else []
