"""How large a problem may be: the core's own numbers, asked for once and checked in words.

What stands behind them is argued in ``core/include/rangemoves/limits.hpp``.
"""

from __future__ import annotations

from . import _core

__all__ = ["LIMITS", "require_count"]

LIMITS = _core.limits()


def require_count(count: int, kind: str, what: str) -> None:
    """Raise OverflowError where there are more than the core can number.

    Parameters
    ----------
    count : int
        How many there are.
    kind : str
        A name of ``LIMITS``.
    what : str
        What is counted, and in which argument, e.g. ``"variables in unary"``.
    """
    if count > LIMITS[kind]:
        raise OverflowError(
            f"there must be at most {LIMITS[kind]} {what}; found {count}; split the problem"
        )
