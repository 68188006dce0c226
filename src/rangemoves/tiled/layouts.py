"""Boxes of a grid: tiles that cover it, the same shifted by half a tile, and who may move at once.

The tiles of one colour do not touch, not even at a corner: with all else frozen each of them sees
the same surroundings whatever the others do.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Box", "Tile", "box_name", "extent", "grown", "layout", "part_of", "shifts"]

Box = tuple[slice, ...]


@dataclass(frozen=True)
class Tile:
    """A box of a layout.

    Attributes
    ----------
    box : tuple of slice
        One slice per axis of the grid.
    colour : int
        Tiles of the same colour do not touch.
    """

    box: Box
    colour: int


def layout(shape: Sequence[int], tile: Sequence[int], shift: Sequence[int]) -> list[Tile]:
    """Return the tiles that cover a grid, all of about the same size.

    Parameters
    ----------
    shape, tile : sequence of int
        Sides of the grid, and the longest that those of a tile may be.
    shift : sequence of int
        1 for axes along which the cuts go through the middles of the tiles instead.

    Returns
    -------
    list of Tile

    Examples
    --------
    >>> from rangemoves.tiled.layouts import layout
    >>> [(tile.box[1].stop, tile.colour) for tile in layout((8, 90), (8, 30), (0, 0))]
    [(30, 0), (60, 1), (90, 0)]
    >>> [tile.box[1].stop for tile in layout((8, 90), (8, 30), (0, 1))]
    [15, 45, 75, 90]
    """
    per_axis = [_pieces(*axis) for axis in zip(shape, tile, shift, strict=True)]
    tiles = []
    for pieces in itertools.product(*(enumerate(axis) for axis in per_axis)):
        colour = 0
        for place, _ in pieces:
            colour = 2 * colour + place % 2
        tiles.append(Tile(tuple(piece for _, piece in pieces), colour))
    return tiles


def _pieces(length: int, most: int, shifted: int) -> list[slice]:
    count = -(-length // most)
    cuts = [k * length // count for k in range(count + 1)]
    if shifted and count > 1:
        middles = [(low + high) // 2 for low, high in itertools.pairwise(cuts)]
        cuts = sorted({0, *middles, length})  # a tile of one pixel has no middle
    return [slice(low, high) for low, high in itertools.pairwise(cuts)]


def shifts(dimensions: int) -> list[tuple[int, ...]]:
    """Return the layouts that rounds go through: each, then the one furthest from it.

    Examples
    --------
    >>> from rangemoves.tiled.layouts import shifts
    >>> shifts(2)
    [(1, 1), (0, 0), (1, 0), (0, 1)]
    """
    half = [(1, *rest) for rest in itertools.product((1, 0), repeat=dimensions - 1)]
    return [one for shift in half for one in (shift, tuple(1 - part for part in shift))]


def grown(box: Box, margin: int, shape: Sequence[int]) -> Box:
    """Return a box with a margin on all sides, as far as the grid goes."""
    return tuple(
        slice(max(0, part.start - margin), min(length, part.stop + margin))
        for part, length in zip(box, shape, strict=True)
    )


def part_of(box: Box, whole: Box) -> Box:
    """Return where a box lies in one around it, as indices of an array of the latter.

    Examples
    --------
    >>> from rangemoves.tiled.layouts import part_of
    >>> part_of((slice(5, 9),), (slice(3, 10),))
    (slice(2, 6, None),)
    """
    return tuple(
        slice(part.start - around.start, part.stop - around.start)
        for part, around in zip(box, whole, strict=True)
    )


def extent(box: Box) -> tuple[int, ...]:
    """Return the sides of a box."""
    return tuple(part.stop - part.start for part in box)


def box_name(box: Box) -> str:
    """Return a box as it is written in an index, for messages."""
    return "[" + ", ".join(f"{part.start}:{part.stop}" for part in box) + "]"
