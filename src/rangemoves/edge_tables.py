"""The tables of an energy: what each kind of edge costs, by the difference of its labels.

An edge with prior g and offset o costs w g(x_i - x_j + o): a table of its own, which is g shifted.
Every pair of a prior and an offset that an edge really uses becomes one table; edges name theirs by
number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .neighbourhood import Neighbourhood
from .priors import Prior, prior_table

__all__ = ["EdgeTables", "edge_tables"]

IntArray = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class EdgeTables:
    """What edges cost, before their weights.

    Attributes
    ----------
    values : numpy.ndarray
        float64, shape (K, 2L-1): row k the costs of the differences -(L-1) .. L-1 on edges of kind
        k; ``+inf`` forbids a difference.
    index : numpy.ndarray
        int32, the kind of each edge; empty where there is one kind only.
    centres : numpy.ndarray
        int32, for each kind the difference nearest to the middle of its prior: 0 without an offset.
    names : tuple of str
        Each kind in words, for messages; empty for the one prior of an energy that has no other.
    slopes : tuple of (float or None)
        For each kind the slope of the paper's Huber function; None where there is none, or where
        no difference is as large as its T.
    ranges : numpy.ndarray
        int32, shape (K, 2): each kind is convex from -left to right by the formula of its prior,
        or as far as anyone can tell where that has no T.
    """

    values: FloatArray
    index: IntArray
    centres: IntArray
    names: tuple[str, ...]
    slopes: tuple[float | None, ...]
    ranges: IntArray

    def __post_init__(self) -> None:
        for array in (self.values, self.index, self.centres, self.ranges):
            array.setflags(write=False)

    @property
    def count(self) -> int:
        """The number K of kinds."""
        return len(self.values)

    def of_edges(self, low: int, high: int, place: npt.NDArray[np.int32]) -> FloatArray:
        """Return the costs of edges low .. high-1, each at a place of its table."""
        if self.count == 1:
            return np.asarray(self.values[0][place])
        return np.asarray(self.values[self.index[low:high], place])


def edge_tables(
    priors: Sequence[Prior], neighbourhood: Neighbourhood, labels: int, *, several: bool
) -> EdgeTables:
    """Return the tables that edges of a weight above 0 use.

    Parameters
    ----------
    priors : sequence of Prior
        The priors that edges name.
    neighbourhood : Neighbourhood
        The edges.
    labels : int
        Number of labels.
    several : bool
        Whether the caller gave a list of priors: messages then name which.

    Returns
    -------
    EdgeTables
    """
    edges = neighbourhood.tail.size
    which = _or_zeros(neighbourhood.prior_index, edges)
    shift = _or_zeros(neighbourhood.offsets, edges)
    matters = neighbourhood.weights > 0
    if neighbourhood.prior_index is None and neighbourhood.offsets is None:
        pairs, kind_of = [(0, 0)], np.zeros(0, dtype=np.intp)
    else:
        pairs, kind_of = _pairs(which[matters], shift[matters])
    furthest: dict[int, int] = {}
    if neighbourhood.offsets is not None:
        for k, offset in pairs:
            furthest[k] = max(furthest.get(k, 0), abs(offset))
    kinds: dict[tuple[bytes, int, tuple[int, int]], int] = {}
    values: list[FloatArray] = []
    centres: list[int] = []
    names: list[str] = []
    slopes: list[float | None] = []
    ranges: list[tuple[int, int]] = []
    kind_of_pair = np.zeros(len(pairs), dtype=np.int32)
    for number, (k, offset) in enumerate(pairs):
        table = prior_table(priors[k], labels, offset, furthest.get(k))
        centre = min(max(-offset, 1 - labels), labels - 1)
        convex = _convex_range(priors[k], labels, offset)
        # Priors that are the same to these labels are one.
        key = (table.tobytes(), centre, convex)
        if key not in kinds:
            kinds[key] = len(values)
            values.append(table)
            centres.append(centre)
            name = f"prior[{k}] = {priors[k]!r}" if several else f"prior {priors[k]!r}"
            shown = f"{name} with offset {offset}" if offset else name
            names.append(shown if several or offset else "")
            # Where no difference lies beyond T there is nothing to continue, however steep.
            goes_on = min(convex) < labels - 1
            slopes.append(priors[k].huber_slope() if goes_on else None)
            ranges.append(convex)
        kind_of_pair[number] = kinds[key]
    index = np.zeros(0, dtype=np.int32)
    if len(values) > 1:
        index = np.zeros(edges, dtype=np.int32)
        index[matters] = kind_of_pair[kind_of]
    return EdgeTables(
        values=np.stack(values),
        index=index,
        centres=np.array(centres, dtype=np.int32),
        names=tuple(names),
        slopes=tuple(slopes),
        ranges=np.array(ranges, dtype=np.int32),
    )


def _convex_range(prior: Prior, labels: int, offset: int) -> tuple[int, int]:
    """How far a prior with an offset is convex to the left and to the right, by its formula.

    No table reaches further than ``labels`` from zero.
    """
    threshold = prior.convex_threshold()
    if threshold is None:
        return labels, labels
    reach = math.floor(min(threshold, 2.0**40))
    left, right = reach + offset, reach - offset
    return min(max(left, -labels), labels), min(max(right, -labels), labels)


def _or_zeros(given: IntArray | None, count: int) -> IntArray:
    return np.broadcast_to(np.int32(0), (count,)) if given is None else given


def _pairs(which: IntArray, shift: IntArray) -> tuple[list[tuple[int, int]], npt.NDArray[np.intp]]:
    """The pairs of prior and offset that occur, and which of them each edge has."""
    if which.size == 0:
        return [(0, 0)], np.zeros(0, dtype=np.intp)
    keys = (which.astype(np.int64) << 32) + shift
    found, kind_of = np.unique(keys, return_inverse=True)
    # The offset is what is left of the key, from -(2^31 - 1) on.
    first = (found + 2**31) >> 32
    rest = found - (first << 32)
    return list(zip(first.tolist(), rest.tolist(), strict=True)), kind_of.reshape(-1)
