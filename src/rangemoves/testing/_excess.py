"""Costs above a bound as integers that are never above the true ones, for a search with tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ._numbers import Bound, Numbers, Outward
from ._tables import Cost

__all__ = ["Excess"]

Array = npt.NDArray[Any]

# Of costs that are no integers: the cut is so many steps, and costs are rounded down to steps.
STEPS = 2.0**44


class Excess:
    """The costs of an island above what its messages prove.

    Integers stay what they are. Other costs are rounded down to steps of a power of two: what they
    add up to is then less than it should be, by a step for each of them at most. What is above the
    cut is as good as the cut, and so is what is forbidden.

    Parameters
    ----------
    numbers : Numbers
        The arithmetic.
    above : int or float
        The cut: how far above the bound of the messages.
    """

    def __init__(self, numbers: Numbers, above: Any) -> None:
        self._numbers = numbers
        self._step = 1.0
        if numbers.rounds and above > 0:
            self._step = 2.0 ** math.frexp(above / STEPS)[1]
        self.cut = max(0, int(above / self._step) if numbers.rounds else int(above))
        self._costs: list[Cost] = []

    def add(
        self,
        variables: tuple[int, ...],
        excess: Array,
        sizes: Array,
        forbidden: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        """Add a cost that is not negative, but for rounding.

        Parameters
        ----------
        variables : tuple of int
            Those that it depends on.
        excess : numpy.ndarray
            With an axis for each.
        sizes : numpy.ndarray
            Sums of absolute values of all that it was made of.
        forbidden : numpy.ndarray, optional
            Where it is infinite.
        """
        if forbidden is not None:
            excess = np.where(forbidden, self.cut * self._step, excess)
        if self._numbers.rounds:
            lowered = excess - (8 * Outward.EPSILON * sizes + Outward.TINY)
            excess = np.floor(np.clip(lowered, 0, self.cut * self._step) / self._step)
        whole = np.clip(excess.astype(np.int64), 0, self.cut)
        kept = tuple(v for v, size in zip(variables, whole.shape, strict=True) if size > 1)
        self._costs.append(Cost(kept, whole.squeeze()))

    def costs(self) -> list[Cost]:
        """All costs that were added, as integers."""
        return self._costs

    def bound(self, base: Bound, excess: int) -> Bound:
        """A bound in the numbers of the check: what messages prove, and what lies above that."""
        if not self._numbers.rounds:
            return base + excess
        return self._numbers.total(np.array([base, excess * self._step]))
