"""The arithmetic of a check: integers without any rounding, or floats that err to the safe side.

Both offer the same few operations. Every vector of a certificate is taken as it stands; the rules
of the check make the others from it. A bound is true as long as no made vector and no sum is larger
than the rules allow: those are the values that :class:`Outward` lowers, by more than float64 can
have added. A made vector is ``implied``, a sum ``floor``, and partial sums are ``running``.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Beliefs", "Bound", "Exact", "Numbers", "Outward"]

Array = npt.NDArray[Any]
Longs = npt.NDArray[np.int64]
# A bound in the numbers of a check, math.inf where nothing is possible.
Bound = int | float


class Numbers(Protocol):
    """What the check asks of an arithmetic."""

    dtype: type[Any]
    nothing: Any  # the least of no values; larger than all others
    rounds: bool

    def costs(self, given: Array) -> Array:
        """Finite costs of the energy, with 0 for those that are not finite."""
        ...

    def factors(self, weights: Array) -> Array:
        """The weights, for products with ``costs``."""
        ...

    def message(self, stored: Longs, scale: float) -> Array:
        """A stored vector; all numbers are right, as long as both ends get the same."""
        ...

    def implied(self, least: Array, message: Array) -> Array:
        """A vector that is not above the true min over a of (c(a, b) - message(a))."""
        ...

    def floor(self, sums: Array, sizes: Array, terms: Array) -> Array:
        """Values not above the true sums; ``sizes`` are sums of absolute values of the terms."""
        ...

    def total(self, values: Array) -> Bound:
        """A number not above the sum of all values."""
        ...

    def running(self, first: Bound, times: Array, changes: Array, length: int) -> list[Any]:
        """For each time, a number not above the first plus all changes at earlier times."""
        ...

    def exchanged(self, total: Any, out: Any, into: Any) -> Any:
        """A number not above total - out + into."""
        ...

    def in_units(self, bound: Bound) -> Fraction | float:
        """A bound in the energy's own units."""
        ...


class Exact:
    """Integers: all costs are whole numbers, and so is every scale.

    Parameters
    ----------
    scale : int
        What costs are multiplied by: a multiple of all scales of the certificate.
    """

    dtype = np.int64
    nothing = np.int64(2**62)
    rounds = False
    # What one variable's cost with all vectors that messages imply may come to.
    most = 2.0**60

    def __init__(self, scale: int) -> None:
        self._scale = scale

    def costs(self, given: Array) -> Array:
        finite: Array = np.where(np.isfinite(given), given, 0).astype(np.int64)
        return np.multiply(finite, self._scale)

    def factors(self, weights: Array) -> Array:
        return weights.astype(np.int64)

    def message(self, stored: Longs, scale: float) -> Array:
        return np.multiply(stored, self._scale // int(scale))

    def implied(self, least: Array, message: Array) -> Array:
        return least

    def floor(self, sums: Array, sizes: Array, terms: Array) -> Array:
        return sums

    def total(self, values: Array) -> Bound:
        terms: list[int] = values.tolist()  # Python's integers do not overflow
        return sum(terms)

    def running(self, first: Bound, times: Array, changes: Array, length: int) -> list[Any]:
        change = [0] * length
        for time, value in zip(times.tolist(), changes.tolist(), strict=True):
            change[time] += value
        return list(itertools.accumulate(change[:-1], initial=first))

    def exchanged(self, total: Any, out: Any, into: Any) -> Any:
        return total - int(out) + int(into)

    def in_units(self, bound: Bound) -> Fraction | float:
        return bound if math.isinf(bound) else Fraction(bound) / self._scale


class Outward:
    """float64, with all that rounding can have added taken off.

    Each operation rounds by at most u = EPSILON / 2 of its result, or by less than TINY near zero.
    """

    EPSILON = 2.0**-52
    TINY = 2.0**-1060

    dtype = np.float64
    nothing = np.float64(np.inf)
    rounds = True

    def costs(self, given: Array) -> Array:
        return np.where(np.isfinite(given), given, 0).astype(np.float64)

    def factors(self, weights: Array) -> Array:
        return weights

    def message(self, stored: Longs, scale: float) -> Array:
        return stored / scale

    def implied(self, least: Array, message: Array) -> Array:
        # Where the true least value q is found, c = w g was rounded by u |c|, the difference by
        # u |q|, and |c| <= |q| + |message|: together no more than u (2 |q| + |message|). Twice
        # that covers the rounding of this line and that of |q| itself.
        largest = np.abs(message).max(axis=1, keepdims=True, initial=0.0)
        finite = np.where(np.isfinite(least), least, 0.0)
        error = 2 * self.EPSILON * (np.abs(finite) + largest) + self.TINY
        lowered: Array = least - error
        return lowered

    def floor(self, sums: Array, sizes: Array, terms: Array) -> Array:
        # n terms, added up in any order, are off by at most n u times their absolute sum; their
        # first one, a cost, may have been rounded to float64. Twice that, for the sizes' own sake.
        lowered = sums - ((terms[:, None] + 4) * self.EPSILON * sizes + self.TINY)
        if not np.isfinite(lowered).all():
            raise FloatingPointError("overflow in a sum")
        return lowered

    def total(self, values: Array) -> Bound:
        return math.nextafter(math.fsum(values.tolist()), -math.inf)

    def running(self, first: Bound, times: Array, changes: Array, length: int) -> list[Any]:
        change, size = np.zeros(length), np.zeros(length)
        np.add.at(change, times, changes)
        np.add.at(size, times, np.abs(changes))
        sums = first + np.concatenate([[0.0], np.cumsum(change[:-1])])
        sizes = abs(first) + size.sum()
        error = (len(changes) + length + 4) * self.EPSILON * sizes + self.TINY
        return list(sums - error)

    def exchanged(self, total: Any, out: Any, into: Any) -> Any:
        size = abs(total) + abs(out) + abs(into)
        return total - out + into - (4 * self.EPSILON * size + self.TINY)

    def in_units(self, bound: Bound) -> Fraction | float:
        return float(bound)


class Beliefs:
    """For each variable and label a cost and the vectors added to it, with what rounding needs.

    Parameters
    ----------
    numbers : Numbers
        The arithmetic.
    costs : numpy.ndarray
        The costs to begin with, a row per variable.
    """

    def __init__(self, numbers: Numbers, costs: Array) -> None:
        self._numbers = numbers
        self._sums = costs
        self._sizes = np.abs(costs)
        self._terms = np.ones(len(costs))

    @property
    def labels(self) -> int:
        """The number of labels."""
        return int(self._sums.shape[1])

    def add(self, variables: Array, vectors: Array) -> None:
        """Add a vector to each of some variables, which may be named more than once."""
        np.add.at(self._sums, variables, vectors)
        if self._numbers.rounds:
            np.add.at(self._sizes, variables, np.abs(vectors))
            np.add.at(self._terms, variables, 1)

    def of(self, variables: Array) -> Beliefs:
        """A copy of some rows."""
        part = Beliefs(self._numbers, self._sums[variables])
        part._sizes = self._sizes[variables]
        part._terms = self._terms[variables]
        return part

    def floor(self) -> Array:
        """Sums that are not above the true ones."""
        return self._numbers.floor(self._sums, self._sizes, self._terms)

    def least(self, possible: npt.NDArray[np.bool_]) -> Array:
        """The least of each row over the labels that are possible; ``nothing`` where none is."""
        sums, nothing = self.floor(), self._numbers.nothing
        return np.asarray(sums.min(axis=1, where=possible, initial=nothing))
