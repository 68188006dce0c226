"""The surrogate h: convex, never below g, and equal to g where it has to be.

Section 2 of the paper ("Generalized Huber functions"). These are the pieces that the methods use,
for those who want to look at them or build on them, with their conditions as functions to ask.
Tables hold g(-(L-1)) .. g(L-1), as integers, as they do inside the solvers.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import as_choice, as_integer
from .limits import LIMITS

__all__ = ["agrees", "convex_range", "convexify", "dominates", "is_convex"]

Table = npt.NDArray[np.int64]


def convex_range(table: npt.ArrayLike) -> tuple[int, int]:
    """Return the largest range of differences around 0 on which a prior is convex.

    Parameters
    ----------
    table : array_like
        Integers g(-(L-1)) .. g(L-1).

    Returns
    -------
    left, right : int
        g is convex on [-left, right].

    Examples
    --------
    >>> import rangemoves as rm
    >>> from rangemoves.convexify import convex_range
    >>> convex_range(rm.TruncatedQuadratic(3).values(8).astype(int))
    (3, 3)
    """
    left, right = _core.convex_range(_checked(table))
    return left, right


def convexify(
    table: npt.ArrayLike,
    kind: str = "tight",
    *,
    difference: int = 0,
    slopes: tuple[int | None, int | None] | None = None,
) -> Table:
    """Return a convex function that is never below the prior.

    Parameters
    ----------
    table : array_like
        Integers g(-(L-1)) .. g(L-1).
    kind : {"tight", "huber", "chord"}
        "tight" is the least one that agrees with g on its convex range. "huber" continues the
        convex range straight on with the given slopes. "chord" is for an edge whose labels now
        differ by ``difference``: it agrees with g there, and is flatter beyond.
    difference : int, default 0
        For "chord"; must lie in the convex range.
    slopes : (int, int), optional
        For "huber": by how much each step to the left and to the right costs more; None on a side
        continues it as "tight" does.

    Returns
    -------
    numpy.ndarray
        int64, as long as ``table``.

    Examples
    --------
    >>> import rangemoves as rm
    >>> from rangemoves.convexify import convexify
    >>> convexify(rm.TruncatedQuadratic(2).values(5).astype(int)).tolist()
    [10, 7, 4, 1, 0, 1, 4, 7, 10]
    """
    values = _checked(table)
    kind = as_choice(kind, "kind", ("tight", "huber", "chord"))
    at = as_integer(difference, "difference")
    if kind == "chord":
        left, right = convex_range(values)
        if not -left <= at <= right:
            raise ValueError(
                f"difference must lie in the convex range {-left} .. {right}; found {at}"
            )
    if kind == "huber" and slopes is None:
        raise ValueError("slopes must be given with kind='huber'; found None; pass (left, right)")
    left_slope, right_slope = (
        -1 if slope is None else as_integer(slope, f"slopes[{side}]", minimum=0)
        for side, slope in enumerate(slopes or (None, None))
    )
    return _core.convexify(values, kind, at, left_slope, right_slope)


def is_convex(surrogate: npt.ArrayLike) -> bool:
    """Return whether a function is convex.

    Parameters
    ----------
    surrogate : array_like
        h(-(L-1)) .. h(L-1).

    Returns
    -------
    bool
    """
    return bool((np.diff(np.asarray(surrogate), 2) >= 0).all())


def dominates(surrogate: npt.ArrayLike, table: npt.ArrayLike) -> bool:
    """Return whether h >= g everywhere.

    Parameters
    ----------
    surrogate, table : array_like
        The values of h and of g.

    Returns
    -------
    bool
    """
    return bool((np.asarray(surrogate) >= np.asarray(table)).all())


def agrees(surrogate: npt.ArrayLike, table: npt.ArrayLike, left: int, right: int) -> bool:
    """Return whether h = g on [-left, right].

    Parameters
    ----------
    surrogate, table : array_like
        The values of h and of g.
    left, right : int
        The range of differences, see :func:`convex_range`.

    Returns
    -------
    bool
    """
    h, g = np.asarray(surrogate), np.asarray(table)
    centre = g.size // 2
    inside = slice(centre - left, centre + right + 1)
    return bool((h[inside] == g[inside]).all())


def _checked(table: npt.ArrayLike) -> Table:
    given = np.asarray(table)
    if given.dtype.kind not in "iu":
        raise TypeError(
            f"table must be integers; found dtype {given.dtype}; scale, round and convert it"
        )
    if given.ndim != 1 or given.size % 2 == 0:
        raise ValueError(
            f"table must be g(-(L-1)) .. g(L-1), an odd number of values; found shape {given.shape}"
        )
    if np.abs(given.astype(np.float64)).max() > LIMITS["wide_cost"]:
        raise OverflowError(
            f"table must be within {LIMITS['wide_cost']}; found {np.abs(given).max()}"
        )
    return np.ascontiguousarray(given, dtype=np.int64)
