"""A step "tables": a search through all labellings of an island, with tables that cut it short.

Messages turn the costs of an island into a bound and costs above it, of single variables and of
edges, none of them negative. Variables are taken out one after the other: the costs that a variable
takes part in are added up in its tables, and the least entry over its labels is a cost of the other
variables of the table. Where a variable has several tables, what they cost at least for each choice
of the variables that they share is first divided equally. Before all that, in as many rounds as the
step says, tables of one variable are made to agree in that way, and each table with the one that
its least entries will go to, from the first variable to the last and back. A cost that no table has
room for is left out. All that only moves costs that are not negative, or drops them.

Then the variables get their labels, last one first. A label adds to what a choice costs so far: in
each table of its variable, what the entry is above the least one. Choices that reach the cut are
given up; of those that agree in all variables that later tables ask for, the cheapest one stays.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..certificate import Step

__all__ = ["Cost", "TableSearch", "read_tables"]

Array = npt.NDArray[Any]
Longs = npt.NDArray[np.int64]

# What a check may take: entries of all tables, rounds, variables of a table, choices at a time.
MOST_ENTRIES = 1 << 25
MOST_ROUNDS = 100
MOST_VARIABLES = 30
MOST_CHOICES = 1 << 22
# Choices that are extended at a time.
CHUNK = 1 << 16
# No sum of costs may be larger.
MOST = 2**61


@dataclass(frozen=True)
class Cost:
    """What a few variables cost together: one axis for each."""

    variables: tuple[int, ...]
    values: Longs


@dataclass
class _Table:
    variables: tuple[int, ...]  # the one that is taken out comes last
    values: Longs

    def shape_for(self, variables: tuple[int, ...]) -> tuple[int, ...]:
        """Of an array over some of the variables that is to go with this one."""
        sizes = zip(self.variables, self.values.shape, strict=True)
        return tuple(size if v in variables else 1 for v, size in sizes)

    def add(self, cost: Cost) -> None:
        axes = sorted(range(len(cost.variables)), key=lambda k: self.place(cost.variables[k]))
        self.values += cost.values.transpose(axes).reshape(self.shape_for(cost.variables))

    def place(self, variable: int) -> int:
        return self.variables.index(variable)

    def least_over_others(self, common: tuple[int, ...]) -> Longs:
        """For each choice of the common variables, in their order, the least entry."""
        others = tuple(k for k, v in enumerate(self.variables) if v not in common)
        kept = [v for v in self.variables if v in common]
        least: Longs = self.values.min(axis=others)
        turned: Longs = least.transpose([kept.index(v) for v in common])
        return turned


def read_tables(step: Step, variables: int, name: str) -> list[tuple[int, ...]]:
    """Return the variables of each table of a step, or raise ValueError where they make no sense.

    Parameters
    ----------
    step : Step
        Of kind "tables".
    variables : int
        How many the island has.
    name : str
        Of the island, for messages.
    """
    numbers, tables = step.tables.tolist(), []
    while numbers:
        count, numbers = numbers[0], numbers[1:]
        table, numbers = tuple(numbers[:count]), numbers[max(count, 0) :]
        if not 0 < count <= MOST_VARIABLES or len(set(table)) != count:
            raise ValueError(
                f"tables {name} must have 1 to {MOST_VARIABLES} variables each, none twice; found "
                f"{count}: {table}"
            )
        if min(table) < 0 or max(table) >= variables:
            raise ValueError(
                f"tables {name} must have variables 0 .. {variables - 1}; found {table}"
            )
        tables.append(table)
    gone: list[int] = []
    for table in tables:
        if gone[-1:] != [table[-1]]:
            gone.append(table[-1])
        if set(table[:-1]) & set(gone) or len(set(gone)) < len(gone):
            raise ValueError(
                f"tables {name} must not have variables that were taken out before; found {table}"
            )
    lost = {v for table in tables for v in table} - set(gone)
    if lost:
        raise ValueError(f"tables {name} must take out all their variables; found {lost} left")
    return tables


class TableSearch:
    """What the costs of an island come to at least, up to a cut.

    Parameters
    ----------
    costs : list of Cost
        None of them negative, all in the same units.
    choices : list of int
        How many labels each variable has.
    tables : list of tuple of int
        As :func:`read_tables` gives them.
    rounds : int
        How often the tables are made to agree before the first variable is taken out.
    name : str
        Of the island, for messages.

    Attributes
    ----------
    bound : int
        What the tables show without any search.
    """

    def __init__(
        self,
        costs: list[Cost],
        choices: list[int],
        tables: list[tuple[int, ...]],
        rounds: int,
        name: str,
    ) -> None:
        if not 0 <= rounds <= MOST_ROUNDS:
            raise ValueError(
                f"tables {name} must agree in 0 to {MOST_ROUNDS} rounds; found {rounds}"
            )
        entries = sum(math.prod(choices[v] for v in table) for table in tables)
        if entries > MOST_ENTRIES:
            raise ValueError(
                f"tables {name} must have {MOST_ENTRIES} entries at most; found {entries}"
            )
        if sum(int(cost.values.max(initial=0)) for cost in costs) > MOST:
            raise ValueError(f"costs {name} must have a sum within 2**61; found a larger one")
        self._choices, self._name = choices, name
        self.bound = 0
        self._buckets = [
            [_Table(scope, np.zeros([choices[v] for v in scope], np.int64)) for scope in group]
            for _, group in itertools.groupby(tables, key=lambda table: table[-1])
        ]
        self._place = {bucket[0].variables[-1]: p for p, bucket in enumerate(self._buckets)}
        for cost in costs:
            self._put(cost)
        for _ in range(rounds):
            self._agree_all()
        for bucket in self._buckets:
            self._take_out(bucket)

    def _table_for(self, variables: tuple[int, ...]) -> _Table | None:
        """The first table of the variable that goes first which has them all, if there is one."""
        place = min(self._place.get(v, len(self._buckets)) for v in variables)
        tables = self._buckets[place] if place < len(self._buckets) else []
        return next((t for t in tables if set(variables) <= set(t.variables)), None)

    def _put(self, cost: Cost) -> None:
        if not cost.variables:
            self.bound += int(cost.values)
            return
        table = self._table_for(cost.variables)
        if table is not None:
            table.add(cost)

    def _agree_all(self) -> None:
        for bucket in self._buckets:
            _agree_within(bucket)
            self._agree_with_next(bucket)
        for bucket in reversed(self._buckets):
            self._agree_with_next(bucket)
            _agree_within(bucket)

    def _agree_with_next(self, bucket: list[_Table]) -> None:
        for table in bucket:
            following = self._table_for(table.variables[:-1]) if len(table.variables) > 1 else None
            if following is not None:
                _agree(table, following)

    def _take_out(self, bucket: list[_Table]) -> None:
        """Leave the least entries of each table to later ones, and in the table what is above."""
        _agree_within(bucket)
        for table in bucket:
            least = table.values.min(axis=-1)
            table.values -= least[..., None]
            self._put(Cost(table.variables[:-1], least))

    def least(self, cut: int) -> int:
        """Return the least sum of the costs, or the cut where that is not above it."""
        if self.bound >= cut:
            return cut
        known: tuple[int, ...] = ()
        choices, sums = np.zeros((1, 0), np.int32), np.full(1, self.bound)
        for place in range(len(self._buckets) - 1, -1, -1):
            tables = self._buckets[place]
            asked = {
                v for later in self._buckets[:place] for table in later for v in table.variables
            }
            now = (*known, tables[0].variables[-1])
            kept = tuple(v for v in now if v in asked)
            columns = [now.index(v) for v in kept]
            parts = [
                self._extended(
                    tables, known, choices[low : low + CHUNK], sums[low : low + CHUNK], cut
                )
                for low in range(0, len(sums), CHUNK)
            ]
            extended = np.concatenate([rows[:, columns] for rows, _ in parts])
            choices, sums = self._cheapest(extended, np.concatenate([s for _, s in parts]), kept)
            if len(sums) == 0:
                return cut
            if len(sums) > MOST_CHOICES:
                raise ValueError(
                    f"tables {self._name} must leave {MOST_CHOICES} choices at a time at most; "
                    f"found {len(sums)}"
                )
            known = kept
        return int(sums.min())

    def _extended(
        self, tables: list[_Table], known: tuple[int, ...], rows: Array, sums: Longs, cut: int
    ) -> tuple[Array, Longs]:
        """All choices with one more label that stay below the cut."""
        size = tables[0].values.shape[-1]
        totals = np.repeat(sums[:, None], size, axis=1)
        for table in tables:
            labels = tuple(rows[:, known.index(v)] for v in table.variables[:-1])
            totals += table.values[labels]
        row, label = np.nonzero(totals < cut)
        return np.column_stack([rows[row], label.astype(rows.dtype)]), totals[row, label]

    def _cheapest(
        self, rows: Array, sums: Longs, variables: tuple[int, ...]
    ) -> tuple[Array, Longs]:
        """Of equal rows the cheapest."""
        sizes = [self._choices[v] for v in variables]
        if math.prod(sizes) < 2**62:
            code = np.zeros(len(rows), np.int64)
            for k, size in enumerate(sizes):
                code = code * size + rows[:, k]
        else:
            code = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
        order = np.lexsort((sums, code))
        first = np.ones(len(order), bool)
        first[1:] = code[order[1:]] != code[order[:-1]]
        return rows[order[first]], sums[order[first]]


def _agree_within(bucket: list[_Table]) -> None:
    for k, table in enumerate(bucket):
        for other in bucket[:k]:
            _agree(table, other)


def _agree(one: _Table, other: _Table) -> None:
    """Divide equally what two tables cost at least for each choice of what they share."""
    common = tuple(v for v in one.variables if v in other.variables)
    mine, theirs = one.least_over_others(common), other.least_over_others(common)
    half = (mine + theirs) // 2
    one.add(Cost(common, half - mine))
    other.add(Cost(common, mine - half))
