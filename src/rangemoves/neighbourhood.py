"""Who is a neighbour of whom: a grid of any dimension, or any graph, as one list of edges.

Both are (tail, head, weight), and an edge costs ``weight * g(x[tail] - x[head] + offset)`` with the
prior g of that edge. What kind of graph the edges make, the core finds out by itself: the edges of
a grid run as the grid does.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import as_integer, describe, refuse_masked
from .limits import require_count

__all__ = ["Neighbourhood", "Topology", "graph_neighbourhood", "grid_neighbourhood", "grid_offsets"]

IntArray = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Topology:
    """What kind of graph the edges make.

    Attributes
    ----------
    kind : str
        "grid4", "grid8", "grid6", "grid26", "chain", "tree" or "general".
    depth, height, width : int
        The sides of a grid.
    order : numpy.ndarray or None
        The variables in the order of message passing; None where that is their own.
    """

    kind: str
    depth: int
    height: int
    width: int
    order: IntArray | None


# An offset shifts a difference of labels, of which there are no more than this.
FURTHEST_OFFSET = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """The edges of an energy, with their weights.

    Attributes
    ----------
    tail, head : numpy.ndarray
        The two ends of each edge, int32.
    weights : numpy.ndarray
        The weight of each edge, float64, >= 0.
    row : int
        How many consecutive variables form a row of the grid; 0 where edges were given.
    prior_index : numpy.ndarray or None
        Which prior each edge has, int32; None: all have the first.
    offsets : numpy.ndarray or None
        What is added to the difference of labels of each edge, int32; None: nothing.
    """

    tail: IntArray
    head: IntArray
    weights: FloatArray
    row: int
    prior_index: IntArray | None = None
    offsets: IntArray | None = None

    def __post_init__(self) -> None:
        for array in (self.tail, self.head, self.weights, self.prior_index, self.offsets):
            if array is not None:
                array.setflags(write=False)

    def among(self, takes_part: npt.NDArray[np.bool_]) -> Neighbourhood:
        """Return the edges both of whose ends take part.

        Parameters
        ----------
        takes_part : numpy.ndarray
            bool, one per variable.

        Returns
        -------
        Neighbourhood
        """
        kept = takes_part[self.tail] & takes_part[self.head]
        return replace(
            self,
            tail=self.tail[kept],
            head=self.head[kept],
            weights=self.weights[kept],
            prior_index=None if self.prior_index is None else self.prior_index[kept],
            offsets=None if self.offsets is None else self.offsets[kept],
        )

    def topology(self, variables: int) -> Topology:
        """Return what kind of graph the edges that cost anything make.

        Parameters
        ----------
        variables : int
            Number of variables.

        Returns
        -------
        Topology
        """
        costly = self.weights > 0
        found = _core.topology(variables, self.tail[costly], self.head[costly], self.row)
        return Topology(**found)


def grid_offsets(dimensions: int, connectivity: int | None = None) -> list[tuple[int, ...]]:
    """Return the steps from a grid point to those neighbours that come after it.

    Parameters
    ----------
    dimensions : int
        Number of grid axes.
    connectivity : int, optional
        Neighbours of an inner point: 2 per axis (4 in two dimensions, 6 in three; the default), or
        all 3**dimensions - 1 around it (8 in two dimensions).

    Returns
    -------
    list of tuple of int
        One step per axis in axis order, then the diagonal ones.

    Examples
    --------
    >>> from rangemoves.neighbourhood import grid_offsets
    >>> grid_offsets(2)
    [(1, 0), (0, 1)]
    >>> grid_offsets(2, 8)
    [(1, 0), (0, 1), (1, -1), (1, 1)]
    """
    axes = [tuple(int(a == axis) for a in range(dimensions)) for axis in range(dimensions)]
    along_axes, all_around = 2 * dimensions, 3**dimensions - 1
    if connectivity is None:
        return axes
    wanted = as_integer(connectivity, "connectivity")
    if wanted == along_axes:
        return axes
    if wanted == all_around:
        # A step and its opposite are the same edge: keep the one that goes forward.
        forward = itertools.product((-1, 0, 1), repeat=dimensions)
        steps = [step for step in forward if step > (0,) * dimensions]
        return axes + [step for step in steps if step not in axes]
    raise ValueError(
        f"connectivity of a grid with {dimensions} axes must be {along_axes} or {all_around}; "
        f"found {wanted}; pass edges= for any other neighbourhood"
    )


def grid_neighbourhood(
    shape: Sequence[int],
    weights: Any,
    connectivity: int | None = None,
    *,
    prior_index: Any = None,
    offsets: Any = None,
    priors: int = 1,
) -> Neighbourhood:
    """Return the edges of a grid.

    Parameters
    ----------
    shape : sequence of int
        The grid's shape.
    weights : float or sequence of array_like
        One weight for all edges, or one array per step of :func:`grid_offsets`: (down, right) for
        an image, each one shorter along its axis.
    connectivity : int, optional
        See :func:`grid_offsets`.
    prior_index, offsets : optional
        Integers, in the forms of ``weights``, and a list of one per step.
    priors : int, default 1
        How many priors ``prior_index`` may name.

    Returns
    -------
    Neighbourhood
    """
    shape = tuple(shape)
    steps = grid_offsets(len(shape), connectivity)
    edges = sum(
        math.prod(max(0, n - abs(d)) for d, n in zip(step, shape, strict=True)) for step in steps
    )
    require_count(edges, "edges", "edges between the variables in unary")
    index = np.arange(math.prod(shape), dtype=np.int32).reshape(shape)
    # Filled in place: lists to be put together would leave holes behind, as large as the edges.
    tails, heads = np.empty(edges, np.int32), np.empty(edges, np.int32)
    edge_shapes, first = [], 0
    for step in steps:
        tail = index[tuple(_overlap(-d, n) for d, n in zip(step, shape, strict=True))]
        head = index[tuple(_overlap(d, n) for d, n in zip(step, shape, strict=True))]
        last = first + tail.size
        tails[first:last].reshape(tail.shape)[...] = tail
        heads[first:last].reshape(tail.shape)[...] = head
        edge_shapes.append(tail.shape)
        first = last
    return Neighbourhood(
        tail=tails,
        head=heads,
        weights=_on_grid(weights, edge_shapes, "weights", _real_weights),
        row=max(1, shape[-1]),
        prior_index=None
        if prior_index is None
        else _on_grid(prior_index, edge_shapes, "prior_index", _indices_below(priors)),
        offsets=None if offsets is None else _on_grid(offsets, edge_shapes, "offsets", _shifts),
    )


def graph_neighbourhood(
    variables: int,
    edges: Any,
    weights: Any,
    *,
    prior_index: Any = None,
    offsets: Any = None,
    priors: int = 1,
) -> Neighbourhood:
    """Return the edges of any graph.

    Parameters
    ----------
    variables : int
        Number of variables.
    edges : array_like
        Shape (E, 2), integers: the variables (i, j) of each edge.
    weights : float or array_like
        One weight for all, or one per edge.
    prior_index, offsets : int or array_like, optional
        The same in integers.
    priors : int, default 1
        How many priors ``prior_index`` may name.

    Returns
    -------
    Neighbourhood
    """
    refuse_masked(edges, "edges", "leave masked rows out")
    pairs = np.asarray(edges)
    if pairs.size == 0:
        # np.asarray([]) is one-dimensional and float: no edges is a fine graph all the same.
        pairs = np.zeros((0, 2), dtype=np.int32)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(
            f"edges must have shape (E, 2); found {pairs.shape}; pass one row (i, j) per edge"
        )
    if pairs.dtype.kind not in "iu":
        raise TypeError(f"edges must be integers; found dtype {pairs.dtype}")
    require_count(len(pairs), "edges", "rows in edges")
    outside = np.flatnonzero(((pairs < 0) | (pairs >= variables)).any(axis=1))
    if outside.size:
        raise ValueError(
            f"edges must name variables 0 .. {variables - 1}; found {outside.size} that do not, "
            f"first {tuple(pairs[outside[0]].tolist())} in row {outside[0]}"
        )
    loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if loops.size:
        raise ValueError(
            f"edges must join two different variables; found {loops.size} that do not, "
            f"first {tuple(pairs[loops[0]].tolist())} in row {loops[0]}; leave them out"
        )
    count = len(pairs)
    return Neighbourhood(
        tail=pairs[:, 0].astype(np.int32),
        head=pairs[:, 1].astype(np.int32),
        weights=_on_graph(weights, count, "weights", _real_weights),
        row=0,
        prior_index=None
        if prior_index is None
        else _on_graph(prior_index, count, "prior_index", _indices_below(priors)),
        offsets=None if offsets is None else _on_graph(offsets, count, "offsets", _shifts),
    )


def _overlap(step: int, length: int) -> slice:
    """The part of an axis that remains when the first ``step`` (or last ``-step``) are cut off."""
    return slice(max(step, 0), length + min(step, 0))


# Returns the numbers that were given under a name, or says what is wrong with them.
Check = Callable[[Any, str], npt.NDArray[Any]]


def _on_graph(given: Any, edges: int, name: str, check: Check) -> npt.NDArray[Any]:
    """One number for all edges, or one per edge."""
    values = check(given, name)
    if values.ndim == 0:
        return np.full(edges, values)
    if values.size == 0 and edges == 0:
        return np.zeros(0, values.dtype)
    if values.shape != (edges,):
        raise ValueError(
            f"{name} must be a number or have one entry per edge, shape ({edges},); "
            f"found shape {values.shape}"
        )
    return np.array(values)


def _on_grid(
    given: Any, edge_shapes: list[tuple[int, ...]], name: str, check: Check
) -> npt.NDArray[Any]:
    """One number for all edges, or per step of the grid a number or an array."""
    total = sum(math.prod(shape) for shape in edge_shapes)
    expected = ", ".join(str(shape) for shape in edge_shapes)
    if isinstance(given, np.ndarray) and given.ndim > 0 and given.dtype != object:
        if given.dtype.kind not in "iu" or given.shape != (len(edge_shapes),) or name == "weights":
            raise ValueError(
                f"{name} of a grid must be a number or a list of {len(edge_shapes)} arrays of "
                f"shapes {expected}; found one array of shape {given.shape}; pass "
                f"{name}=(down, right)"
            )
        given = list(given)
    if not isinstance(given, (list, tuple)):
        value = check(given, name)
        if value.ndim:
            raise ValueError(
                f"{name} of a grid must be a number or a list of {len(edge_shapes)} arrays of "
                f"shapes {expected}; found {describe(given)}"
            )
        return np.full(total, value)
    if len(given) != len(edge_shapes):
        raise ValueError(
            f"{name} must be a number or {len(edge_shapes)} arrays of shapes {expected}; "
            f"found {len(given)} arrays"
        )
    parts = []
    for k, (one, shape) in enumerate(zip(given, edge_shapes, strict=True)):
        part = check(one, f"{name}[{k}]")
        if part.ndim == 0:
            part = np.broadcast_to(part, shape)
        if part.shape != shape:
            raise ValueError(
                f"{name}[{k}] must have shape {shape}, one per edge in that direction; "
                f"found {part.shape}"
            )
        parts.append(part.ravel())
    return np.concatenate(parts)


def _indices_below(priors: int) -> Check:
    def check(given: Any, name: str) -> IntArray:
        return _integers(given, name, 0, priors - 1, "name one of the priors")

    return check


def _shifts(given: Any, name: str) -> IntArray:
    return _integers(given, name, -FURTHEST_OFFSET, FURTHEST_OFFSET, "shift differences of labels")


def _integers(given: Any, name: str, least: int, most: int, what: str) -> IntArray:
    refuse_masked(given, name, "use .filled(0)")
    try:
        values = np.asarray(given)
    except ValueError as error:
        raise ValueError(f"{name} must be integers; found {describe(given)}") from error
    if values.size == 0:
        # np.asarray([]) is float: no edges need no integers.
        values = values.astype(np.int32)
    if values.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers; found {describe(given)}")
    bad = (values < least) | (values > most)
    if bad.any():
        first = tuple(int(k) for k in np.argwhere(bad)[0])
        raise ValueError(
            f"{name} must {what}, {least} .. {most}; found {int(bad.sum())} that do not"
            + (f", first {values[first]} at {first}" if values.ndim else f": {values}")
        )
    return values.astype(np.int32)


def _real_weights(weights: Any, name: str) -> FloatArray:
    refuse_masked(weights, name, "use .filled(0) to leave edges out")
    try:
        given = np.asarray(weights)
    except ValueError as error:
        raise ValueError(f"{name} must be numbers; found {describe(weights)}") from error
    if given.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be real numbers; found {describe(weights)}")
    # What float64 cannot hold is infinite to it.
    with np.errstate(over="ignore"):
        held = given.astype(np.float64)
    bad = ~(np.isfinite(held) & (held >= 0))
    if bad.any():
        first = tuple(int(k) for k in np.argwhere(bad)[0])
        raise ValueError(
            f"{name} must be finite and >= 0; found {int(bad.sum())} that are not"
            + (f", first {given[first]} at {first}" if given.ndim else f": {given}")
        )
    return held
