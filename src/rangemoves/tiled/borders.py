"""Messages between tiles: a lower bound of the whole from bounds of the tiles.

An edge (s, t) between two tiles carries one vector m, addressed to s. What is then left for t is
q(b) = min_a (w g(a - b) - m(a)): whatever m is, m(a) + q(b) <= w g(a - b). So the tiles with m and
q among their unary terms and without the edge have bounds that add up to a bound of the whole:
dual decomposition. With m = 0 the border edges are simply left out.

A tile's beliefs say how much the labels of its border pixels cost in it. Both ends send a share of
theirs over the edge; the mean of the two is the next m. That is what a sweep of TRW-S does along an
edge, done between tiles that have been swept to rest.

In problems of integers all of it is integers, times a factor so that shares of a unit survive.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .layouts import Box, Tile
from .problem import BorderEdges, border_edges

__all__ = ["Messages", "given_back", "passed_on", "scale_of_messages", "share_of_belief"]

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

# Of its belief, what an end sends over an edge. Half is what TRW-S sends from a pixel with two
# edges ahead; a little more brings the bound up sooner, all of it makes it swing (measured). What a
# pixel sends over all its border edges, three of them where neighbours are 8, must not be much more
# than it has: without that limit the bound with 8 neighbours stayed 2.5 % below, with it 0.25 %
# (a stereo pair, tiles of 64 pixels).
SHARE = 0.7
MOST_SENT = 1.2

# Costs of a pixel and its edges stay below this, times the factor: messages of 32 bits then have
# steps of their own left.
LARGEST = 2**22
FINEST = 64


def scale_of_messages(exact: bool, largest: float) -> int:
    """Return what costs are multiplied by, so that border messages keep parts of a unit."""
    if not exact or largest <= 0:
        return 1
    return int(min(FINEST, 2.0 ** math.floor(math.log2(max(1.0, LARGEST / largest)))))


def share_of_belief(edges: npt.NDArray[np.int64]) -> Floats:
    """Return what part of its belief a pixel sends over each of so many border edges."""
    return np.minimum(SHARE, MOST_SENT / np.maximum(edges, 1))


def passed_on(table: Floats, weights: Floats, m: Array) -> Array:
    """Return what a vector for the first ends of edges leaves for the second ends.

    Parameters
    ----------
    table : numpy.ndarray
        g(-(L-1)), ..., g(L-1), times the factor of the messages.
    weights : numpy.ndarray
        One per edge.
    m : numpy.ndarray
        A row per edge.

    Returns
    -------
    numpy.ndarray
        q(b) = min_a (w g(a - b) - m(a)); 0 where the weight is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from rangemoves.tiled.borders import passed_on
    >>> passed_on(np.array([1, 0, 1]), np.array([5]), np.array([[0, 3]]))
    array([[ 0, -3]])
    """
    labels = m.shape[1]
    left = np.empty_like(m)
    for b in range(labels):
        g = table[labels - 1 - b : 2 * labels - 1 - b]
        left[:, b] = (weights[:, None] * g - m).min(axis=1)
    left[weights == 0] = 0
    return left


def given_back(table: Floats, weights: Floats, q: Array) -> Array:
    """Return the same the other way: what a vector for the second ends leaves for the first."""
    return passed_on(table[::-1], weights, q)


class Messages:
    """The vectors of all border edges of a layout.

    Parameters
    ----------
    tiles : list of Tile
        The layout.
    shape : sequence of int
        Of the grid.
    steps : sequence
        From a pixel to its neighbours.
    labels : int
        Number of labels.
    exact : bool
        Whether they are integers.
    """

    def __init__(
        self,
        tiles: Sequence[Tile],
        shape: Sequence[int],
        steps: Sequence[tuple[int, ...]],
        labels: int,
        exact: bool,
    ) -> None:
        self._shape, self._steps, self._exact = tuple(shape), tuple(steps), exact
        ids: list[list[Array]] = [[np.zeros(0, np.int64)] for _ in steps]
        for tile in tiles:
            for number, edges in border_edges(tile.box, shape, steps):
                if edges.leaves:
                    ids[number].append(edges.first)
        self._first = [np.sort(np.concatenate(one)) for one in ids]
        dtype = np.int64 if exact else np.float64
        self._rows = [np.zeros((one.size, labels), dtype) for one in self._first]

    def of_box(self, box: Box) -> list[Array]:
        """Return the vectors of the border edges of a box, in their order."""
        edges = border_edges(box, self._shape, self._steps)
        return [self._rows[number][self._at(number, one)] for number, one in edges]

    def renewed(self, boxes: Sequence[Box], shares: Sequence[Sequence[Array]]) -> Messages:
        """Return the mean of what both ends of every edge propose.

        Parameters
        ----------
        boxes : sequence of tuple
            All tiles.
        shares : sequence
            Per tile, the vectors that it proposes for its border edges, in their order.

        Returns
        -------
        Messages
        """
        total = [np.zeros(rows.shape) for rows in self._rows]
        for box, proposed in zip(boxes, shares, strict=True):
            edges = border_edges(box, self._shape, self._steps)
            for (number, one), rows in zip(edges, proposed, strict=True):
                total[number][self._at(number, one)] += rows / 2
        return self.with_rows(total)

    def with_rows(self, rows: Sequence[Array]) -> Messages:
        """Return messages of the same edges with other vectors."""
        other = object.__new__(Messages)
        other.__dict__.update(self.__dict__)
        if self._exact:
            rows = [np.rint(one).astype(np.int64) for one in rows]
        # A constant moves from one end to the other and changes no bound. With a largest entry of 0
        # what is made of a vector is no larger than w g, however much its worst labels cost.
        other._rows = [one - one.max(axis=1, keepdims=True) for one in rows]
        return other

    @property
    def rows(self) -> list[Array]:
        """The vectors, an array per step."""
        return self._rows

    def _at(self, number: int, edges: BorderEdges) -> Array:
        return np.searchsorted(self._first[number], edges.first)
