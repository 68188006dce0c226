"""The energy of a grid that need not fit in memory, and its parts: tiles, border edges, sums.

The energy of a tile with all else frozen is that of its own pixels and edges, plus, for every edge
to a pixel outside, what that edge costs with the label it has out there: a unary term.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..energy import Energy
from ..errors import describe
from ..labellings import LEFT_OUT
from ..neighbourhood import grid_offsets
from ..priors import Prior
from .layouts import Box, box_name, extent, grown, part_of
from .sources import Reader, Weights, first_pixels, open_costs, open_mask, open_weights

__all__ = ["BorderEdges", "Problem", "border_edges", "state_problem"]

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int32]

# Integers of this size, plus those of all edges of a pixel, still fit 32 bits.
NARROW = 2**30


@dataclass(frozen=True, eq=False)
class BorderEdges:
    """The edges of one step with one end in a box and the other outside.

    Attributes
    ----------
    leaves : bool
        Whether the end inside is the first pixel of the edge.
    first : numpy.ndarray
        The first pixel of each edge: its number in the grid.
    inside : tuple of numpy.ndarray
        Where the end inside lies in the box, as an index.
    outside : tuple of numpy.ndarray
        Where the other end lies in the box with a margin of one pixel.
    at : tuple of numpy.ndarray
        Where its weight lies in what is read for the box with that margin.
    """

    leaves: bool
    first: npt.NDArray[np.int64]
    inside: tuple[Array, ...]
    outside: tuple[Array, ...]
    at: tuple[Array, ...]


def border_edges(
    box: Box, shape: Sequence[int], steps: Sequence[tuple[int, ...]]
) -> Iterator[tuple[int, BorderEdges]]:
    """Yield the border edges of a box by the number of their step, those that leave it first."""
    around = grown(box, 1, shape)
    for number, step in enumerate(steps):
        pixels = first_pixels(around, step, shape)
        # Both ends of a border edge are within a pixel of the box.
        grid = np.ogrid[pixels]
        near = first_in = second_in = np.bool_(True)
        for axis, (part, wide, along) in enumerate(zip(box, around, step, strict=True)):
            place = grid[axis]
            near = near & (place + along >= wide.start) & (place + along < wide.stop)
            first_in = first_in & (place >= part.start) & (place < part.stop)
            second_in = second_in & (place + along >= part.start) & (place + along < part.stop)
        for leaves in (True, False):
            here, there = (first_in, second_in) if leaves else (second_in, first_in)
            at = np.nonzero(near & here & ~there)
            first = [index + part.start for index, part in zip(at, pixels, strict=True)]
            second = [place + along for place, along in zip(first, step, strict=True)]
            inside, outside = (first, second) if leaves else (second, first)
            yield (
                number,
                BorderEdges(
                    leaves,
                    np.ravel_multi_index(first, tuple(shape)).astype(np.int64),
                    tuple(p - part.start for p, part in zip(inside, box, strict=True)),
                    tuple(p - part.start for p, part in zip(outside, around, strict=True)),
                    at,
                ),
            )


@dataclass(frozen=True, eq=False)
class Problem:
    """An energy over a grid whose costs and weights are read box by box.

    Attributes
    ----------
    costs, weights, mask
        What reads them.
    prior : Prior
        Cost of the difference of two neighbouring labels.
    connectivity : int or None
        Neighbours of a pixel.
    steps : tuple
        From a pixel to those neighbours that come after it.
    exact : bool
        Whether all costs, weights and values of the prior are integers, so that sums of them are.
    largest : float
        No pixel with its edges costs more, and no such sum is larger.
    """

    costs: Reader
    weights: Weights
    mask: Reader | None
    prior: Prior
    connectivity: int | None
    steps: tuple[tuple[int, ...], ...]
    exact: bool = False
    largest: float = math.inf

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of a labelling."""
        return self.costs.shape[:-1]

    @property
    def labels(self) -> int:
        """The number of labels."""
        return self.costs.shape[-1]

    @property
    def table(self) -> Floats:
        """The values g(-(L-1)), ..., g(L-1)."""
        return np.asarray(self.prior.values(self.labels))

    def known_to_be(self, exact: bool, largest: float) -> Problem:
        """Return the same with what a look at all costs has shown."""
        return replace(self, exact=exact, largest=largest)

    def taking_part(self, box: Box) -> npt.NDArray[np.bool_] | None:
        """Return which pixels of a box the mask keeps; None: all of them."""
        if self.mask is None:
            return None
        keep = self.mask.read(box)
        if keep.dtype != np.bool_:
            raise TypeError(f"mask must give booleans; found dtype {keep.dtype}")
        return None if keep.all() else keep

    def unary(self, box: Box) -> Array:
        """Return the costs of a box, to be added to: integers where the problem is exact."""
        costs = self.costs.read(box)
        if not self.exact:
            return costs.astype(np.float64)
        narrow = self.largest < NARROW
        if costs.dtype.kind == "f" and not np.isfinite(costs).all():
            return costs.astype(np.float64)  # integers, and +inf for forbidden labels
        return costs.astype(np.int32 if narrow else np.int64)

    def inner_weights(self, box: Box) -> list[Array]:
        """Return the weights of the edges within a box, in the form that Energy takes them."""
        inner = []
        for step, weights in zip(self.steps, self.weights.read(box), strict=True):
            pixels = first_pixels(box, step, self.shape)
            stays = first_pixels(tuple(slice(0, side) for side in extent(box)), step, extent(box))
            keep = tuple(
                slice(s.start + part.start - p.start, s.stop + part.start - p.start)
                for s, part, p in zip(stays, box, pixels, strict=True)
            )
            inner.append(weights[keep])
        return inner

    def energy(self, box: Box, unary: Array | None = None, factor: int = 1) -> Energy:
        """Return the energy of a box alone, with other costs or all weights times a factor."""
        costs = self.costs.read(box) if unary is None else unary
        weights = self.inner_weights(box)
        if factor != 1:
            weights = [factor * np.asarray(part, np.float64) for part in weights]
        try:
            return Energy(
                costs,
                self.prior,
                weights,
                connectivity=self.connectivity,
                mask=self.taking_part(box),
                copy=False,
            )
        except (ValueError, TypeError, OverflowError) as error:
            raise type(error)(f"in the box {box_name(box)} of source: {error}") from None

    def border(self, box: Box) -> Iterator[tuple[int, BorderEdges, Floats]]:
        """Yield the border edges of a box with their weights; 0 where an end is left out."""
        around = grown(box, 1, self.shape)
        weights = self.weights.read(around)
        keep = self.taking_part(around)
        for number, edges in border_edges(box, self.shape, self.steps):
            found = np.asarray(weights[number][edges.at], np.float64)
            if keep is not None:
                inside = keep[part_of(box, around)][edges.inside]
                found = np.where(inside & keep[edges.outside], found, 0.0)
            yield number, edges, found

    def frozen(self, box: Box, labels: Labels) -> Energy:
        """Return the energy of a box with all else frozen.

        Parameters
        ----------
        box : tuple of slice
            The tile.
        labels : numpy.ndarray
            Of the box with a margin of one pixel, as far as the grid goes.

        Returns
        -------
        Energy
        """
        unary = self.unary(box)
        table, own = self.table, np.arange(self.labels)
        for _, edges, weights in self.border(box):
            used = weights > 0
            inside = tuple(part[used] for part in edges.inside)
            theirs = labels[tuple(part[used] for part in edges.outside)][:, None]
            difference = own - theirs if edges.leaves else theirs - own
            costs = weights[used, None] * table[difference + self.labels - 1]
            unary[inside] += costs.astype(unary.dtype)
        return self.energy(box, unary)

    def sum_in(
        self, box: Box, labels: Labels, costs: Array, edge_weights: Sequence[Array]
    ) -> float:
        """Return what the pixels of a box cost, and the edges whose first pixel lies in it.

        Parameters
        ----------
        box : tuple of slice
            Any box.
        labels : numpy.ndarray
            Of the box with a margin of one pixel, as far as the grid goes.
        costs, edge_weights : numpy.ndarray, sequence of numpy.ndarray
            As they are read for the box.

        Returns
        -------
        float
            The sums over disjoint boxes add up to the energy; exactly where it is one of integers.
        """
        around = grown(box, 1, self.shape)
        mine = labels[part_of(box, around)]
        used = mine != LEFT_OUT
        chosen = np.take_along_axis(costs, np.where(used, mine, 0)[..., None].astype(np.int64), -1)
        # Summed as floats: integers are below 2**53 together, or the survey has refused them.
        parts = [math.fsum(np.where(used, chosen[..., 0], 0).sum(axis=-1, dtype=np.float64).flat)]
        table = self.table
        for step, weights in zip(self.steps, edge_weights, strict=True):
            first = first_pixels(box, step, self.shape)
            second = tuple(
                slice(part.start + along, part.stop + along)
                for part, along in zip(first, step, strict=True)
            )
            here, there = labels[part_of(first, around)], labels[part_of(second, around)]
            both = (here != LEFT_OUT) & (there != LEFT_OUT)
            jumps = table[np.where(both, here - there, 0) + self.labels - 1]
            edges = np.where(both, weights * jumps, 0.0)
            parts.append(math.fsum(edges.sum(axis=-1).flat))
        return math.fsum(parts)


def state_problem(
    source: Any, prior: Any, weights: Any, shape: Any, connectivity: Any, mask: Any
) -> Problem:
    """Return a problem whose arguments fit together, or say which does not."""
    if not isinstance(prior, Prior):
        raise TypeError(
            f"prior must be one prior, such as rm.TruncatedLinear(2); found {describe(prior)}"
        )
    costs = open_costs(source, shape)
    grid, labels = costs.shape[:-1], costs.shape[-1]
    steps = tuple(grid_offsets(len(grid), connectivity))
    if not np.isfinite(prior.values(labels)).all():
        raise ValueError(
            "prior must be finite for tiles; found one that forbids differences: two tiles solved "
            "apart could then not be put side by side; use rm.minimize"
        )
    return Problem(
        costs,
        open_weights(weights, grid, steps),
        open_mask(mask, grid),
        prior,
        connectivity,
        steps,
    )
