"""What is known about a problem without any solver: its least energy, and how large its costs are.

Plain NumPy: all labellings at once as one tensor with an axis per variable, or variables eliminated
one after the other where there are too many of them.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from fuzz.problems import MOST_LABELLINGS

import rangemoves as rm

# Integer costs in floats are exact as long as their sums stay below this, integer dtypes always.
EXACT_IN_FLOATS = 2.0**30


class Truth:
    """The facts about one energy, in float64."""

    def __init__(self, energy: rm.Energy) -> None:
        self.labels, self.variables = energy.num_labels, energy.num_variables
        self.shape = energy.shape
        self.unary = energy.unary.reshape(self.variables, self.labels).astype(np.float64)
        self.tail, self.head = energy.edges.T.astype(np.int64)
        self.weights = energy.weights
        self.index = np.zeros(self.weights.size, dtype=np.int64)
        self.tables = energy.tables
        if energy.table_index.size:
            self.index = energy.table_index.astype(np.int64)
        elif not isinstance(energy.prior, tuple) and energy._neighbourhood.offsets is None:
            self.tables = energy.prior.values(self.labels)[None, :]
        finite = np.where(np.isfinite(self.tables), self.tables, self.tables.min())
        self.highest = np.abs(finite).max(axis=1)[self.index]
        self.spread = (self.tables.max(axis=1) - self.tables.min(axis=1))[self.index]
        self.limited = bool(np.isinf(self.tables).any())
        self.mask = None if energy.mask is None else energy.mask.reshape(-1)
        self.exact = self._is_exact(energy.unary.dtype.kind)

    def _is_exact(self, kind: str) -> bool:
        finite = np.where(np.isfinite(self.unary), self.unary, 0.0)
        total = np.abs(finite).max(axis=1).sum()
        total += (self.highest * self.weights).sum()
        return bool(
            total < (EXACT_IN_FLOATS if kind == "f" else 2.0**53)
            and all((np.rint(a) == a).all() for a in (finite, self.tables, self.weights))
        )

    @functools.cached_property
    def magnitude(self) -> float:
        """How large costs are that a good labelling could have: what errors are measured by."""
        reach = np.zeros(self.variables)
        costs = np.where(self.weights > 0, self.spread, 0.0) * self.weights
        for end in (self.tail, self.head):
            reach += np.bincount(end, costs, self.variables)
        matters = self.unary <= (self.unary.min(axis=1) + reach)[:, None]
        largest = np.where(matters & np.isfinite(self.unary), np.abs(self.unary), 0.0).max(axis=1)
        return float(largest.sum() + (self.highest * self.weights).sum())

    def pair(self, edge: int) -> np.ndarray:
        """The cost of an edge by the labels of its tail (rows) and its head (columns)."""
        at = np.arange(self.labels)
        table = self.tables[self.index[edge]]
        costs = table[self.labels - 1 + at[:, None] - at[None, :]]
        return self.weights[edge] * costs if self.weights[edge] > 0 else np.zeros_like(costs)

    def energy(self, labels: np.ndarray) -> float:
        x = np.asarray(labels, dtype=np.int64).reshape(-1)
        terms = self.unary[np.arange(x.size), np.maximum(x, 0)].tolist()
        costs = self.tables[self.index, self.labels - 1 + x[self.tail] - x[self.head]]
        terms += (np.where(self.weights > 0, costs, 0.0) * self.weights).tolist()
        return math.fsum(terms)

    @property
    def enumerable(self) -> bool:
        return self.variables <= 20 and self.labels**self.variables <= MOST_LABELLINGS

    @functools.cached_property
    def tensor(self) -> np.ndarray:
        """The energy of every labelling: an axis per variable."""
        total = np.zeros((self.labels,) * self.variables)
        for factor, scope in self._factors():
            total += _spread(factor, scope, range(self.variables))
        return total

    def _factors(self):
        for i in range(self.variables):
            yield self.unary[i], (i,)
        for edge, (i, j) in enumerate(zip(self.tail.tolist(), self.head.tolist(), strict=True)):
            cost = self.pair(edge)
            yield (cost, (i, j)) if i < j else (cost.T, (j, i))

    @functools.cached_property
    def optimum(self) -> float | None:
        """The least energy, or None where it is too much work to find."""
        if self.enumerable:
            return float(self.tensor.min())
        if self.variables > 1000:
            return self._star_optimum()
        return self._by_elimination()

    @property
    def has_no_labelling(self) -> bool:
        """Whether none keeps to all limits; on large problems only where that is easy to see."""
        if self.optimum is not None:
            return not np.isfinite(self.optimum)
        at = np.arange(self.labels)
        live = self.weights > 0
        tail, head, index = self.tail[live], self.head[live], self.index[live]
        allowed = np.isfinite(self.tables[:, self.labels - 1 + at[:, None] - at[None, :]])[index]
        left = np.isfinite(self.unary)
        # A label without a partner at a neighbour is in no such labelling.
        while left.any(axis=1).all():
            before = left.copy()
            np.logical_and.at(left, tail, (allowed & before[head][:, None, :]).any(axis=2))
            np.logical_and.at(left, head, (allowed & before[tail][:, :, None]).any(axis=1))
            if (left == before).all():
                return False
        return True

    def _star_optimum(self) -> float | None:
        """The least energy where all edges share variable 0: others are free given its label."""
        if self.weights.size != self.variables - 1 or (np.minimum(self.tail, self.head) > 0).any():
            return None
        leaf = np.maximum(self.tail, self.head)
        at = np.arange(self.labels)
        sums = self.unary[0].copy()
        for label in range(self.labels):
            difference = np.where((self.tail == 0)[:, None], label - at, at - label)
            tables = np.where(self.weights[:, None] > 0, self.tables[self.index], 0.0)
            at_difference = np.take_along_axis(tables, self.labels - 1 + difference, axis=1)
            costs = self.weights[:, None] * at_difference
            sums[label] += (self.unary[leaf] + costs).min(axis=1).sum()
        return float(sums.min())

    def _order(self) -> list[int]:
        """Leaves before what they hang on; a long grid from one short side to the other."""
        index = np.arange(self.variables).reshape(self.shape)
        if len(self.shape) == 2 and self.shape[1] > self.shape[0]:
            index = index.T
        return index.reshape(-1)[::-1].tolist()

    def _by_elimination(self) -> float:
        factors = list(self._factors())
        touching: dict[int, set[int]] = {i: set() for i in range(self.variables)}
        for k, (_, scope) in enumerate(factors):
            for i in scope:
                touching[i].add(k)
        total = 0.0
        for victim in self._order():
            used = sorted(touching[victim])
            scope = sorted({i for k in used for i in factors[k][1]})
            joint = np.zeros((self.labels,) * len(scope))
            for k in used:
                joint += _spread(*factors[k], scope)
                for i in factors[k][1]:
                    touching[i].discard(k)
            joint = joint.min(axis=scope.index(victim))
            scope.remove(victim)
            if not scope:
                total += float(joint)
                continue
            factors.append((joint, tuple(scope)))
            for i in scope:
                touching[i].add(len(factors) - 1)
        return total


def _spread(factor: np.ndarray, scope, axes) -> np.ndarray:
    """A factor over some variables, as one over more; both in ascending order."""
    shape = [1] * len(axes)
    for i, length in zip(scope, factor.shape, strict=True):
        shape[axes.index(i)] = length
    return factor.reshape(shape)
