"""The edges of an energy in the arithmetic of a check, and the one operation that needs them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ..energy import Energy
from ._numbers import Numbers

__all__ = ["Edges", "Rows", "parts"]

Array = npt.NDArray[Any]
Bools = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]

# Entries of the costs of a few edges, over all pairs of labels, that are made at a time.
CHUNK = 1 << 17


def parts(length: int, width: int) -> Iterator[slice]:
    """Yield parts of ``length`` rows of ``width`` entries, about CHUNK entries each."""
    step = max(1, CHUNK // max(1, width))
    for low in range(0, length, step):
        yield slice(low, low + step)


class Edges:
    """All edges that have a weight, or some of them.

    Parameters
    ----------
    energy : Energy
        The problem.
    numbers : Numbers
        The arithmetic.
    """

    def __init__(self, energy: Energy, numbers: Numbers) -> None:
        self._numbers, self._labels = numbers, energy.num_labels
        self.rows: Rows = np.flatnonzero(energy.weights > 0)  # of energy.edges
        self.tail = energy.edges[self.rows, 0]
        self.head = energy.edges[self.rows, 1]
        self._weights = numbers.factors(energy.weights[self.rows])
        kinds = energy.table_index if energy.table_index.size else np.zeros(energy.num_edges, int)
        self._kinds = kinds[self.rows]
        # The second half is for edges seen from their heads, where the difference has another sign.
        tables = np.concatenate([energy.tables, energy.tables[:, ::-1]])
        self._turned = len(energy.tables)
        self._costs = self._by_pair(numbers.costs(tables))
        forbidden = np.isposinf(tables)
        self.forbid = bool(forbidden.any())
        self._forbidden = self._by_pair(forbidden)

    def __len__(self) -> int:
        return len(self.rows)

    def _by_pair(self, tables: Array) -> Array:
        """Of tables over differences -(L-1) .. L-1: views over the labels (a, b) of both ends."""
        windows = np.lib.stride_tricks.sliding_window_view(tables, self._labels, axis=1)
        return windows[:, :, ::-1]

    def subset(self, rows: Rows, tail: Array, head: Array) -> Edges:
        """Some of these edges, whose variables have other numbers."""
        part = object.__new__(Edges)
        part.__dict__.update(self.__dict__)
        part.rows, part.tail, part.head = self.rows[rows], tail, head
        part._weights, part._kinds = self._weights[rows], self._kinds[rows]
        return part

    def cost(self, edges: Rows, labels: Array) -> Array:
        """What each of these edges costs in a labelling, which must be allowed."""
        tail, head = labels[self.tail[edges]], labels[self.head[edges]]
        costs: Array = self._costs[self._kinds[edges], tail, head] * self._weights[edges]
        return costs

    def by_pair(self, edge: int) -> tuple[Array, Bools]:
        """What one of these edges costs by the labels of its tail and head, and what is forbidden.

        Forbidden pairs cost anything.
        """
        kind = self._kinds[edge]
        return self._costs[kind] * self._weights[edge], self._forbidden[kind]

    def least(self, edges: Rows, at_head: Bools, vectors: Array, possible: Bools) -> Array:
        """For each label b of one end, the least of c(a, b) + vector(a) over labels a of the other.

        Parameters
        ----------
        edges : numpy.ndarray
            Which of these edges.
        at_head : numpy.ndarray
            For each: whether a is the label of its head.
        vectors, possible : numpy.ndarray
            For each a row over the labels a: numbers, and which of them count.

        Returns
        -------
        numpy.ndarray
            A row for each, with ``nothing`` where no label a is possible.
        """
        found = np.empty(vectors.shape, dtype=self._numbers.dtype)
        kinds = self._kinds[edges] + np.where(at_head, self._turned, 0)
        weights = self._weights[edges]
        for part in parts(len(edges), self._labels**2):
            costs = self._costs[kinds[part]] * weights[part, None, None]
            costs += vectors[part, :, None]
            if self.forbid:
                costs[self._forbidden[kinds[part]]] = self._numbers.nothing
            costs[~possible[part]] = self._numbers.nothing
            costs.min(axis=1, out=found[part])
        return found

    def implied(
        self, edges: Rows, to_head: Bools, messages: Array, possible: Bools
    ) -> tuple[Array, Bools]:
        """What the other end gets where an edge stores a message.

        Parameters
        ----------
        edges : numpy.ndarray
            Which of these edges.
        to_head : numpy.ndarray
            For each: whether its message is addressed to its head.
        messages, possible : numpy.ndarray
            For each a row: the message, and which labels of the addressee are possible.

        Returns
        -------
        vectors : numpy.ndarray
            0 where there is none.
        none : numpy.ndarray
            Labels of the other end that go with no possible label of the addressee.
        """
        least = self.least(edges, to_head, -messages, possible)
        none: Bools = least == self._numbers.nothing
        counted = np.where(possible, messages, 0)
        return np.where(none, 0, self._numbers.implied(least, counted)), none
