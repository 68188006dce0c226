"""How many seconds a cell of the paper's tables gets."""

from __future__ import annotations

from dataclasses import dataclass

from .problems import Instance
from .rows import RANGE_SWAPS, base_of

# Millions of pixels times labels up to which an instance with costs of our own takes little time.
_SMALL = 2.0


@dataclass(frozen=True, kw_only=True)
class TimeLimits:
    """Seconds for a cell, by what it is; None: until it ends by itself.

    Attributes
    ----------
    usual : float or None
        For all cells of which nothing else is said.
    best : float
        For the row "best", which would go on for long.
    own : float or None
        For large costs that are not the paper's, whose figures cannot be compared with it. They are
        then not run as written either.
    swaps : float or None
        For range swaps from label 0: the paper compares itself with where they end, and with many
        labels that takes longer than all else.
    """

    usual: float | None = None
    best: float = 120.0
    own: float | None = None
    swaps: float | None = None

    def is_short(self, instance: Instance, millions: float) -> bool:
        """Return whether an instance of so many million pixels times labels gets little time."""
        return self.own is not None and instance.own and millions > _SMALL

    def of(self, instance: Instance, millions: float, row: str) -> float | None:
        """Return the seconds of a cell."""
        if row == "best":
            return self.best
        if self.is_short(instance, millions):
            return self.own
        if base_of(row) in RANGE_SWAPS and self.swaps is not None:
            return self.swaps
        return self.usual


USUAL = TimeLimits()
# A run of all of it, and of its shorter version: the small instances whose costs are the paper's.
EVERYTHING = TimeLimits(usual=300.0, own=60.0, swaps=1800.0)
QUICK = TimeLimits(usual=60.0, best=30.0)
QUICK_INSTANCES = ("tsukuba", "venus", "sawtooth")
