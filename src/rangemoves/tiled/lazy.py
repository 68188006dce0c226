"""Labels as a dask array, made chunk by chunk when they are asked for: tiles with a margin.

A chunk depends on the part of the source around it and on nothing else, so there is no exchange
between tiles: no energy of the whole, no bound, and a seam may show where a margin is too narrow.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .._optional import optional_import
from ..errors import as_integer, describe
from ..priors import Prior
from . import work
from .control import as_given
from .layouts import Box, extent, grown, layout, part_of
from .minimize import SWEEPS, margin_used
from .problem import Problem, state_problem
from .run import LARGEST_SUM
from .sources import Reader
from .work import Settings

__all__ = ["lazy"]

Labels = npt.NDArray[np.int32]

# Sides of a chunk where neither the caller nor the source says them.
SIDE, SIDE_OF_CUBE = 256, 64


def lazy(
    source: Any,
    prior: Prior,
    weights: Any = 1,
    *,
    tiles: Sequence[int] | None = None,
    margin: int | None = None,
    shape: Sequence[int] | None = None,
    connectivity: int | None = None,
    mask: Any = None,
) -> Any:
    """Return labels that are computed chunk by chunk when they are asked for.

    Parameters
    ----------
    source, prior, weights, shape, connectivity, mask
        As for :func:`rangemoves.tiled.minimize`. Of dask arrays and arrays in memory a chunk gets
        the part that it needs; all else is read where the chunk is computed.
    tiles : sequence of int, optional
        The largest sides of a chunk. By default the chunks of source where it is a dask array, else
        256 pixels (64 in volumes).
    margin : int, optional
        Pixels around a chunk that are solved with it; 32 by default (4 in volumes).

    Returns
    -------
    dask.array.Array or xarray.DataArray
        int32, -1 where the mask leaves a pixel out: the labels of the first round of
        :func:`rangemoves.tiled.minimize` with the same tiles. A DataArray where source is one, with
        its coordinates and attributes.

    Notes
    -----
    Without rounds of moves across borders and without a bound nothing is promised about the energy
    of the whole. Costs are looked at when a chunk is computed, so that is when NaN is found.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> import rangemoves as rm
    >>> y, x = np.mgrid[:90, :120]
    >>> costs = np.abs((x // 20 + y // 30)[..., None] - np.arange(8))
    >>> labels = rm.tiled.lazy(da.from_array(costs, chunks=(45, 60, 8)), rm.TruncatedLinear(2), 2)
    >>> labels.shape, labels.chunksize, labels.dtype
    ((90, 120), (45, 60), dtype('int32'))
    >>> labels[50:52, 60:63].compute()
    array([[4, 4, 4],
           [4, 4, 4]], dtype=int32)
    """
    array = optional_import("dask.array", purpose="rm.tiled.lazy", extra="distributed")
    delayed = optional_import("dask", purpose="rm.tiled.lazy", extra="distributed").delayed
    problem = state_problem(source, prior, weights, shape, connectivity, mask)
    edge = margin_used(margin, len(problem.shape))
    settings = Settings("trws", SWEEPS, edge, threads=1, seed=0, backend="cpu")
    cuts = _cuts(problem, tiles)
    blocks = np.empty([len(axis) for axis in cuts], object)
    for place in np.ndindex(*blocks.shape):
        box = tuple(axis[k] for axis, k in zip(cuts, place, strict=True))
        rest, windows = _cut_out(problem, grown(box, edge + 1, problem.shape))
        # A partial: dask would look for collections inside of what is an argument.
        solve = functools.partial(_labels_of, rest, settings, box)
        found = delayed(solve, pure=False)(windows)
        blocks[place] = array.from_delayed(found, extent(box), np.int32)
    return as_given(array.block(blocks.tolist()), source)


def _cuts(problem: Problem, tiles: Any) -> list[list[slice]]:
    """The chunks along each axis of the grid."""
    dimensions = len(problem.shape)
    chunks = getattr(problem.costs.content, "chunks", None)
    if tiles is None and _is_lazy(problem.costs.content) and chunks is not None:
        ends = [[0, *itertools.accumulate(axis)] for axis in chunks[:dimensions]]
        return [[slice(*pair) for pair in itertools.pairwise(axis)] for axis in ends]
    if tiles is None:
        tiles = (SIDE if dimensions == 2 else SIDE_OF_CUBE,) * dimensions
    if not isinstance(tiles, (tuple, list, np.ndarray)) or len(tiles) != dimensions:
        raise ValueError(f"tiles must be {dimensions} sides in pixels; found {describe(tiles)}")
    sides = [as_integer(side, "tiles", minimum=1) for side in tiles]
    boxes = [tile.box for tile in layout(problem.shape, sides, (0,) * dimensions)]
    starts = [sorted({box[axis].start for box in boxes}) for axis in range(dimensions)]
    ends = [[*axis, length] for axis, length in zip(starts, problem.shape, strict=True)]
    return [[slice(*pair) for pair in itertools.pairwise(axis)] for axis in ends]


def _is_lazy(content: Any) -> bool:
    return hasattr(content, "__dask_graph__")


class _Window:
    """A part of an array that is asked for boxes of the whole."""

    def __init__(self, box: Box, dtype: Any) -> None:
        self._box, self.dtype = box, dtype
        self._part: Any = None

    def filled(self, part: Any) -> _Window:
        """Return the same with its numbers."""
        other = _Window(self._box, self.dtype)
        other._part = part
        return other

    def __getitem__(self, box: Box) -> Any:
        return self._part[part_of(box, self._box)]


def _cut_out(problem: Problem, around: Box) -> tuple[Problem, list[Any]]:
    """The problem without its arrays, and the parts of them that a box needs."""
    windows: list[Any] = []

    def emptied(reader: Any, box: Box) -> Any:
        content = reader.content if isinstance(reader, Reader) else None
        # A memory map travels as the name of its file, a zarr array and a function by themselves.
        in_memory = isinstance(content, np.ndarray) and not isinstance(content, np.memmap)
        if content is None or not (in_memory or _is_lazy(content)):
            return reader
        windows.append(content[box])
        return replace(reader, content=_Window(box, content.dtype))

    costs, mask = emptied(problem.costs, around), emptied(problem.mask, around)
    weights = problem.weights
    if not callable(weights.content):
        places = weights.places(around)
        parts = zip(weights.content, places, strict=True)
        weights = replace(weights, content=tuple(emptied(part, place) for part, place in parts))
    return replace(problem, costs=costs, mask=mask, weights=weights), windows


def _refilled(problem: Problem, parts: Sequence[Any]) -> Problem:
    """The problem with the parts that were cut out, in the order of cutting."""
    left = iter(parts)

    def refilled(reader: Any) -> Any:
        if isinstance(reader, Reader) and isinstance(reader.content, _Window):
            return replace(reader, content=reader.content.filled(next(left)))
        return reader

    costs, mask, weights = refilled(problem.costs), refilled(problem.mask), problem.weights
    if not callable(weights.content):
        weights = replace(weights, content=tuple(map(refilled, weights.content)))
    return replace(problem, costs=costs, mask=mask, weights=weights)


def _labels_of(problem: Problem, settings: Settings, box: Box, parts: Sequence[Any]) -> Labels:
    """Solve a chunk with its margin, and keep the labels of the chunk."""
    problem = _refilled(problem, parts)
    around = grown(box, settings.margin, problem.shape)
    seen = work.survey(problem, settings, around)
    table = problem.table
    exact = seen["whole"] and bool((table == np.rint(table)).all()) and seen["total"] < LARGEST_SUM
    problem = problem.known_to_be(exact, seen["largest"])
    labels: Labels = work.first_labels(problem, settings, box)["labels"]
    return labels
