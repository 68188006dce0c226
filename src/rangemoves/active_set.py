"""Who may move: a large set of variables with no edge beyond the convex range inside it.

Section 3 of the paper. Within such a set a convex surrogate may stand for the prior. These are the
pieces that ``gswap`` uses, with the paper's criterion as a function to ask.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from . import _core
from .energy import Energy
from .errors import as_choice, as_integer
from .fixed_point import to_fixed_edges

__all__ = ["active_set", "is_maximal", "satisfies_criterion"]

Mask = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int32]


def active_set(
    energy: Energy,
    labels: npt.ArrayLike,
    strategy: str = "alternate",
    *,
    iteration: int = 0,
    label_range: tuple[int, int] | None = None,
    favour: npt.ArrayLike | None = None,
    seed: int = 0,
    convex_range: str = "table",
) -> Mask:
    """Return which variables may move next.

    Parameters
    ----------
    energy : Energy
        The problem.
    labels : array_like
        The current labelling.
    strategy : {"alternate", "range", "random"}
        Of two ends of an edge that are too far apart, "alternate" drops the larger one on even
        iterations and the smaller one on odd ones; "range" drops the one outside ``label_range``,
        and alternates where both are; "random" walks the edges in random order and drops either.
    iteration : int, default 0
        Counted from 0.
    label_range : (int, int), optional
        For "range": the labels (low, high) that stay.
    favour : array_like of bool, optional
        Variables that stay whatever the strategy says, where they can.
    seed : int, default 0
        For "random".
    convex_range : {"table", "prior"}, default "table"
        Which edges are too far apart: those beyond all differences for which the values of the
        prior at integers are convex, or those beyond its own T.

    Returns
    -------
    numpy.ndarray
        bool, of the energy's shape. No further variable could be added.

    Examples
    --------
    >>> import numpy as np
    >>> import rangemoves as rm
    >>> from rangemoves.active_set import active_set
    >>> energy = rm.Energy(np.zeros((1, 3, 30)), rm.TruncatedLinear(4))
    >>> active_set(energy, [[0, 10, 20]])
    array([[ True, False,  True]])
    """
    flat = energy.check_labels(labels)
    strategy = as_choice(strategy, "strategy", ("alternate", "range", "random"))
    if strategy == "range" and label_range is None:
        raise ValueError("label_range must be given with strategy='range'; found None")
    low, high = (0, 0) if label_range is None else label_range
    favoured = np.zeros(flat.size, dtype=np.uint8)
    if favour is not None:
        favoured[:] = _mask(energy, favour, "favour")
    tail, head, ranges, index = _edges_and_ranges(energy, convex_range)
    active = _core.active_set(
        flat,
        tail,
        head,
        ranges,
        index,
        strategy,
        as_integer(iteration, "iteration", minimum=0),
        as_integer(low, "label_range[0]", minimum=0),
        as_integer(high, "label_range[1]", minimum=0),
        favoured,
        as_integer(seed, "seed", minimum=0),
    )
    chosen: Mask = active.astype(np.bool_).reshape(energy.shape)
    return chosen


def satisfies_criterion(
    energy: Energy,
    labels: npt.ArrayLike,
    active: npt.ArrayLike,
    *,
    convex_range: str = "table",
) -> bool:
    """Return whether no edge beyond the convex range lies inside a set.

    Parameters
    ----------
    energy : Energy
        The problem.
    labels : array_like
        The current labelling.
    active : array_like of bool
        The set, of the energy's shape.
    convex_range : {"table", "prior"}, default "table"
        As in :func:`active_set`.

    Returns
    -------
    bool
    """
    inside = _mask(energy, active, "active")
    tail, head = _clashing_pairs(energy, labels, convex_range)
    return not bool((inside[tail] & inside[head]).any())


def is_maximal(
    energy: Energy,
    labels: npt.ArrayLike,
    active: npt.ArrayLike,
    *,
    convex_range: str = "table",
) -> bool:
    """Return whether every variable outside a set clashes with one inside.

    Parameters
    ----------
    energy : Energy
        The problem.
    labels : array_like
        The current labelling.
    active : array_like of bool
        The set, of the energy's shape.
    convex_range : {"table", "prior"}, default "table"
        As in :func:`active_set`.

    Returns
    -------
    bool
    """
    inside = _mask(energy, active, "active")
    tail, head = _clashing_pairs(energy, labels, convex_range)
    blocked = inside.copy()
    blocked[tail[inside[head]]] = True
    blocked[head[inside[tail]]] = True
    return bool(blocked.all())


def _edges_and_ranges(
    energy: Energy, convex_range: str
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """The edges that cost anything, and the convex ranges of the tables that the solver uses.

    Ranges are rows (left, right, centre): convex from -left to right. An index says which an edge
    has; where it is empty all have the first.
    """
    by_prior = as_choice(convex_range, "convex_range", ("table", "prior")) == "prior"
    fixed = to_fixed_edges(energy)
    ranges = []
    for table, middle, prior in zip(fixed.tables, fixed.centres, fixed.prior_ranges, strict=True):
        centre, of_prior = int(middle), (int(prior[0]), int(prior[1])) if by_prior else None
        ranges.append((*_core.convex_range(table, centre, of_prior), centre))
    matters = fixed.weights > 0
    index = fixed.table_index
    return (
        energy.tail[matters],
        energy.head[matters],
        np.array(ranges, dtype=np.int32),
        index[matters] if index.size else index,
    )


def _clashing_pairs(
    energy: Energy, labels: npt.ArrayLike, convex_range: str
) -> tuple[IntArray, IntArray]:
    flat = energy.check_labels(labels)
    tail, head, ranges, index = _edges_and_ranges(energy, convex_range)
    difference = flat[tail] - flat[head]
    left, right, _ = ranges[index].T if index.size else ranges[0]
    clashes = (difference < -left) | (difference > right)
    return tail[clashes], head[clashes]


def _mask(energy: Energy, mask: npt.ArrayLike, name: str) -> Mask:
    given = np.asarray(mask)
    if given.dtype != np.bool_:
        raise TypeError(f"{name} must be booleans; found dtype {given.dtype}")
    if given.shape != energy.shape:
        raise ValueError(f"{name} must have shape {energy.shape}; found {given.shape}")
    return given.reshape(-1)
