"""Unary costs to integers, looked at in chunks.

Where two labels of a variable differ by more than its edges can make up for, the cheaper one is the
better choice whatever the difference: such gaps are shortened, so that one huge cost does not take
the precision of all others. A forbidden label costs more than a labelling could save by it.
"""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..energy import Energy, chunks
from .integers import FixedEdges

__all__ = ["Poll", "UnaryCosts", "polled"]

IntegerRows = npt.NDArray[np.integer[Any]]
FloatArray = npt.NDArray[np.float64]
Poll = Callable[[], None]

# What the core reads besides int64, the narrowest first: costs that are kept as they are are not
# copied, or to what is as narrow as can be.
CORE_TYPES = tuple(np.dtype(each) for each in (np.uint8, np.int16, np.uint16, np.int32))


class UnaryCosts:
    """The unary costs, looked at in chunks: a large volume must not be copied more than once."""

    def __init__(self, energy: Energy, unit: float, poll: Poll) -> None:
        self._poll = poll
        self._rows: npt.NDArray[Any] = energy.unary.reshape(energy.num_variables, energy.num_labels)
        self._forbids = energy.has_forbidden_labels
        self.unit = unit

    @property
    def whole(self) -> bool:
        """Whether the costs are of a type of integers, and taken as they are."""
        return self._rows.dtype.kind != "f" and self.unit == 1.0

    @property
    def integral(self) -> bool:
        """Whether all allowed costs are integers."""
        return self.whole or self._seen[2]

    @property
    def low(self) -> FloatArray:
        """The least cost of each variable."""
        return self._seen[0]

    @property
    def high(self) -> FloatArray:
        """The largest cost of each variable among its allowed labels."""
        return self._seen[1]

    @functools.cached_property
    def _seen(self) -> tuple[FloatArray, FloatArray, bool]:
        lows, highs = np.empty(len(self._rows)), np.empty(len(self._rows))
        integral = True
        for low, high in self._parts():
            part = self._rows[low:high]
            if part.dtype.kind == "f":
                if self.unit != 1.0:
                    part = part / self.unit
                if integral and not ((np.rint(part) == part) | np.isinf(part)).all():
                    integral = False
            lows[low:high] = part.min(axis=1)
            if self._forbids:
                part = np.where(np.isinf(part), lows[low:high, None], part)
            highs[low:high] = part.max(axis=1)
        if self._rows.dtype.kind != "f" and self.unit != 1.0:
            return lows / self.unit, highs / self.unit, False
        return lows, highs, integral

    def spread(self) -> FloatArray:
        """By how much labels can make a difference to each variable."""
        with np.errstate(over="ignore"):
            return np.asarray(self.high - self.low)

    def shortened(self, reach: FloatArray, dominated: FloatArray) -> FloatArray:
        """The same once gaps beyond ``reach`` are shortened to it; see :meth:`dominated`."""
        # Each dominated label can have one shortened gap below it.
        with np.errstate(over="ignore", invalid="ignore"):
            return np.minimum(self.spread(), (1 + dominated) * reach)

    def furthest(self) -> float:
        """The largest absolute cost of integers, without a look at each variable."""
        least, most = self._ends
        return max(-least, most)

    @functools.cached_property
    def _ends(self) -> tuple[float, float]:
        """The least and the largest allowed cost."""
        if self._rows.dtype.kind == "f":
            return float(self.low.min()), float(self.high.max())
        return float(self._rows.min()), float(self._rows.max())

    def core_type(self, fixed: FixedEdges) -> np.dtype[Any]:
        """The type in which the core is given these costs."""
        if fixed.shifted:
            return np.dtype(np.int64 if fixed.wide else np.int32)
        if self._rows.dtype in CORE_TYPES:
            return self._rows.dtype
        least, most = self._ends
        if self._forbids:
            most += float(fixed.reach.max()) + 1.0
        limits = ((each, np.iinfo(each)) for each in CORE_TYPES)
        return next(each for each, of in limits if of.min <= least and most <= of.max)

    def is_copied(self, fixed: FixedEdges) -> bool:
        """Whether the core is given other costs than the caller's array."""
        return fixed.shifted or self.core_type(fixed) != self._rows.dtype

    def _parts(self) -> Iterator[tuple[int, int]]:
        return polled(chunks(*self._rows.shape), self._poll)

    def largest(self) -> FloatArray:
        """The largest absolute cost of each variable."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

    def size(self, reach: FloatArray) -> float:
        """The sum of the largest absolute costs, labels that no optimum has left out."""
        highest = self.high.copy()
        for rows, costs in self._rows_beyond(reach):
            matters = costs <= (self.low[rows] + reach[rows])[:, None]
            highest[rows] = np.where(matters, costs, self.low[rows, None]).max(axis=1)
        return float(np.maximum(np.abs(self.low), np.abs(highest)).sum())

    def dominated(self, reach: FloatArray) -> FloatArray:
        """How many labels of each variable cost more than the cheapest by more than ``reach``."""
        counts = np.zeros(reach.size)
        for rows, costs in self._rows_beyond(reach):
            counts[rows] = (costs > (self.low[rows] + reach[rows])[:, None]).sum(axis=1)
        return counts

    def _rows_beyond(self, reach: FloatArray) -> Iterator[tuple[npt.NDArray[Any], FloatArray]]:
        """Yield the variables, and their costs, with a label that costs too much by ``reach``."""
        for low, high in self._parts():
            beyond = self.high[low:high] - self.low[low:high] > reach[low:high]
            rows = low + np.flatnonzero(beyond)
            if rows.size:
                costs = self._rows[rows].astype(np.float64, copy=False)
                yield rows, costs / self.unit if self.unit != 1.0 else costs

    def is_kept(self, fixed: FixedEdges, good: float) -> bool:
        """Whether rounding changes no more than ``good``, edges included."""
        error = fixed.rounding_error
        for _, _, _, part_error in self._chunks(fixed):
            error += part_error
            if error > good:
                return False
        return True

    def rounded(self, fixed: FixedEdges) -> tuple[IntegerRows, float, float]:
        """Return the costs in integers, their offset, and the most that rounding can change."""
        if not self.is_copied(fixed):
            return self._rows, 0.0, 0.0
        result = np.empty(self._rows.shape, dtype=self.core_type(fixed))
        if not fixed.shifted:
            for low, high in self._parts():
                result[low:high] = self._with_forbidden(self._rows[low:high], fixed.reach[low:high])
            return result, 0.0, 0.0
        error = 0.0
        for low, high, integers, part_error in self._chunks(fixed):
            result[low:high] = integers
            error += part_error
        return result, self._offset(), error

    def some_rounded(self, fixed: FixedEdges, rows: npt.NDArray[Any]) -> IntegerRows:
        """Return the costs of some variables in integers."""
        some = copy.copy(self)
        for seen in ("_seen", "_ends"):
            some.__dict__.pop(seen, None)
        some._rows = self._rows[rows]
        some_fixed = replace(fixed, reach=fixed.reach[rows], true_reach=fixed.true_reach[rows])
        return some.rounded(some_fixed)[0]

    def _offset(self) -> float:
        if self._rows.dtype.kind == "f":
            return math.fsum(self.low)
        # Exact, as integers are.
        lows = (self._rows[a:b].min(axis=1) for a, b in self._parts())
        return float(sum(int(part.astype(object).sum()) for part in lows)) / self.unit

    def _chunks(self, fixed: FixedEdges) -> Iterator[tuple[int, int, FloatArray, float]]:
        """Yield rows from low to high as integers that start from zero, and their error.

        A forbidden label costs more than all others by what the edges cannot make up for.
        """
        for low, high in self._parts():
            part = self._rows[low:high]
            if part.dtype.kind == "f":
                part = part / self.unit if self.unit != 1.0 else part
                with np.errstate(over="ignore"):  # beyond float64 is beyond the cap
                    true = part.astype(np.float64, copy=False) - self.low[low:high, None]
                    true *= fixed.scale
            else:
                # As integers: float64 might not hold the costs, but their differences. Without a
                # sign, which wraps around to the difference that int64 might not hold.
                least = part.min(axis=1, keepdims=True)
                true = (part.astype(np.uint64) - least.astype(np.uint64)).astype(np.float64)
                with np.errstate(over="ignore"):  # as above
                    true /= self.unit
                    true *= fixed.scale
            integers = np.rint(true)
            step = fixed.reach[low:high, None] + fixed.margin
            reach = fixed.true_reach[low:high, None] * fixed.scale
            kept = true <= reach
            beyond = ~kept.all(axis=1)
            if beyond.any():
                integers[beyond] = _shortened(true[beyond], reach[beyond], step[beyond])
            if self._forbids:
                forbidden = np.isinf(part)
                integers[forbidden] = -np.inf
                np.copyto(integers, integers.max(axis=1, keepdims=True) + step, where=forbidden)
            # In place, as temporaries are as long as the costs themselves.
            np.subtract(true, integers, where=kept, out=true)
            true[~kept] = 0.0
            error = float(np.abs(true, out=true).max(axis=1).sum()) / fixed.scale
            yield low, high, integers, error

    def _with_forbidden(self, part: npt.NDArray[Any], reach: FloatArray) -> npt.NDArray[Any]:
        """Integers as they are, forbidden labels above all that the others and the edges cost."""
        if not self._forbids:
            return part
        allowed = np.where(np.isinf(part), -np.inf, part)
        large = allowed.max(axis=1) + reach + 1.0
        return np.where(np.isinf(part), large[:, None], part)


def polled(parts: Iterator[tuple[int, int]], poll: Poll) -> Iterator[tuple[int, int]]:
    for low, high in parts:
        # Not before the first part: a problem of one part is done at once, without a look at the
        # clock.
        if low > 0:
            poll()
        yield low, high


def _shortened(true: FloatArray, reach: FloatArray, step: FloatArray) -> FloatArray:
    """Return costs in integers; gaps between neighbouring ones beyond ``reach`` become ``step``.

    Any two that differ by more than ``reach`` still do, so no choice between two labels changes.
    """
    order = np.argsort(true, axis=1, kind="stable")
    ascending = np.take_along_axis(true, order, axis=1)
    with np.errstate(invalid="ignore"):  # between forbidden labels, which get their cost later
        gaps = np.where(np.diff(ascending) > reach, step, np.diff(np.rint(ascending)))
    gaps = np.where(np.isnan(gaps), 0.0, gaps)
    costs = np.concatenate([np.rint(ascending[:, :1]), gaps], axis=1).cumsum(axis=1)
    result = np.empty_like(costs)
    np.put_along_axis(result, order, costs, axis=1)
    return result
