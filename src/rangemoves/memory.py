"""How much memory a run takes, said before any of it is allocated."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core
from .energy import Energy
from .errors import describe
from .fixed_point import FixedEdges, to_fixed_edges
from .methods import Method, find_method

__all__ = ["estimate_memory"]


def estimate_memory(energy: Energy, method: str = "gswap", **options: Any) -> int:
    """Return about how many bytes :func:`rangemoves.minimize` will need besides the energy itself.

    Parameters
    ----------
    energy : Energy
        What to minimise.
    method : str, default "gswap"
        One of :func:`rangemoves.methods`.
    **options
        Options of the method; ``engine`` matters most.

    Returns
    -------
    int
        Bytes: the costs in integers, and what the first move takes with everyone active.

    Notes
    -----
    The fast engine cuts a band of labels whose width depends on the data; about five labels per
    variable are counted, which is more than most images need.

    Examples
    --------
    >>> import numpy as np
    >>> import rangemoves as rm
    >>> energy = rm.Energy(np.zeros((100, 100, 50), np.int32), rm.Quadratic())
    >>> rm.estimate_memory(energy, "ishikawa") < rm.estimate_memory(
    ...     energy, "ishikawa", engine="reference")
    True
    """
    if not isinstance(energy, Energy):
        raise TypeError(f"energy must be an rm.Energy; found {describe(energy)}")
    row = find_method(method)
    checked = row.check_options(options)
    edges = to_fixed_edges(energy, bends_on=row.bends_on)
    row.require(edges.table)
    return needed_memory(energy, edges, row, checked)


def needed_memory(
    energy: Energy, edges: FixedEdges, method: Method, options: Mapping[str, Any]
) -> int:
    """Return the same for options that have been checked."""
    degree = np.zeros(energy.num_variables)
    for end in (energy.tail, energy.head):
        degree += np.bincount(end, edges.weights, energy.num_variables)
    in_core = _core.estimate_memory(
        method.name,
        edges.table,
        options={**options, "slope_left": edges.huber_slope, "slope_right": edges.huber_slope},
        variables=energy.num_variables,
        edges=int(np.count_nonzero(edges.weights)),
        row=energy.row,
        largest_unary=int(edges.largest_unary),
        largest_weight=int(edges.weights.max(initial=0)),
        largest_degree=int(degree.max()),
        wide_costs=edges.wide,
    )
    stays_as_it_is = not edges.shifted and not edges.wide and energy.unary.dtype == np.int32
    copied = 0 if stays_as_it_is else (8 if edges.wide else 4) * energy.unary.size
    return in_core + copied + edges.weights.nbytes


def require_memory(needed: int, max_memory: int | None) -> int:
    """Return the limit that holds, or say that a run cannot keep to it."""
    limit = _physical_memory() if max_memory is None else max_memory
    if needed <= limit:
        return limit
    if max_memory is None:
        found, advice = "this machine has", "use fewer labels or a smaller problem"
    else:
        found, advice = "max_memory is", "raise it, or use fewer labels or a smaller problem"
    raise MemoryError(
        f"about {_megabytes(needed)} of memory are needed; {found} {_megabytes(limit)}; {advice}"
    )


def _physical_memory() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        # Not to be had here: no limit is better than a wrong one.
        return 2**62


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
