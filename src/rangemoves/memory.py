"""How much memory a run takes, said before any of it is allocated."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from . import _core
from .cropped import crop
from .energy import CHUNK, Energy
from .errors import describe
from .fixed_point import FixedEdges, priors_in_core, to_fixed_edges
from .machine import available_cores
from .methods import Method, find_method, method_for

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .signatures import (
        BestOptions,
        EngineOptions,
        ExpansionOptions,
        GswapfOptions,
        GswapOptions,
        IrgcExpansionOptions,
        IrgcOptions,
        MethodName,
        RexpOptions,
        RswapeOptions,
        RswapOptions,
        SwapOptions,
    )

__all__ = ["estimate_memory"]

# What comes and goes, stacks of threads, Python's own objects: a part of all, and so many bytes.
SMALL_PART = 1.04
SMALL_THINGS = 600_000
# Code of NumPy that only real costs use, and its temporaries.
REAL_THINGS = 200_000

# Cuts are looked at in an image of about so many blocks: large enough to be like the whole, small
# beside it.
MOST_BLOCKS = 5000
# Costs of a block up to this one are never too large.
LARGE_COST = 1 << 24
# And in so many parts of it along either side, so many variables wide.
BLOCKS = 3
SMALLEST_SIDE, LARGEST_SIDE = 12, 24
# Where more variables are undecided after some sweeps, the fast engine cuts all (kFewestCut in
# band_search.cpp).
MOST_UNDECIDED = 0.5
# Where blocks leave more of them undecided, the whole will be cut as well: blocks are undecided
# somewhat more often than variables.
MOSTLY_UNDECIDED = 0.6
# Where a sample leaves more than this, cuts of the whole may take all that the engine allows them.
CLEARLY_UNDECIDED = 0.75


@overload
def estimate_memory(
    energy: Energy, method: Literal["auto", "gswap"] = "auto", **options: Unpack[GswapOptions]
) -> int: ...


@overload
def estimate_memory(
    energy: Energy, method: Literal["ishikawa"], **options: Unpack[EngineOptions]
) -> int: ...


@overload
def estimate_memory(
    energy: Energy, method: Literal["best"], **options: Unpack[BestOptions]
) -> int: ...


@overload
def estimate_memory(
    energy: Energy, method: Literal["gswapf"], **options: Unpack[GswapfOptions]
) -> int: ...


@overload
def estimate_memory(
    energy: Energy, method: Literal["expansion"], **options: Unpack[ExpansionOptions]
) -> int: ...


@overload
def estimate_memory(
    energy: Energy, method: Literal["swap"], **options: Unpack[SwapOptions]
) -> int: ...


@overload
def estimate_memory(
    energy: Energy, method: Literal["rswap"], **options: Unpack[RswapOptions]
) -> int: ...


@overload
def estimate_memory(
    energy: Energy, method: Literal["rswape"], **options: Unpack[RswapeOptions]
) -> int: ...


@overload
def estimate_memory(
    energy: Energy, method: Literal["rexp"], **options: Unpack[RexpOptions]
) -> int: ...


@overload
def estimate_memory(
    energy: Energy, method: Literal["irgc"], **options: Unpack[IrgcOptions]
) -> int: ...


@overload
def estimate_memory(
    energy: Energy, method: Literal["irgc+expansion"], **options: Unpack[IrgcExpansionOptions]
) -> int: ...


@overload
def estimate_memory(energy: Energy, method: MethodName | str) -> int: ...


def estimate_memory(energy: Energy, method: MethodName | str = "auto", **options: Any) -> int:
    """Return how many bytes :func:`rangemoves.minimize` will need besides the energy itself.

    Parameters
    ----------
    energy : Energy
        What to minimise.
    method : str, default "auto"
        As for :func:`rangemoves.minimize`.
    **options
        Options of the method; ``engine`` matters most.

    Returns
    -------
    int
        Bytes: the costs in integers, and what the first move takes with everyone active.

    Notes
    -----
    Most of it follows from the sizes of the problem. How many labels the cuts of the fast engine
    are about depends on the costs: first moves of a smaller image, whose variables are blocks of
    this one, and of a few small parts are made to find out. That takes some hundredths of a second.

    It is at most a quarter above the peak, and not below it, in processes that hold nothing but the
    energy (``benchmarks/memory.py``; docs/methods.md lists what is outside). Cuts of the fast
    engine keep to a budget that follows from the sizes, about what the smallest cut of all
    variables takes and a fifth of the messages. On costs of pure noise with strong edges that may
    not suffice for a proof; the engine then adds a quarter, as often as needed.
    ``best`` takes more where it goes on after its first moves: lazy sweeps, and tables of up to
    128 MB for islands of a few hundred variables.
    The peak is lower where memory that was freed before can be used again: what the estimate itself
    takes (as much as a first move up to 5000 variables, 13 to 19 MB for 300x400x48) a run after it
    in the same process needs no more. It is lower as well where a run ends before its largest move:
    ``auto`` and ``best`` make none if message passing alone finds the optimum.

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
    row = method_for(method, options)
    checked = row.check_options(options)
    energy = crop(energy)
    edges = to_fixed_edges(energy, bends_on=row.bends_on)
    row.require(edges, checked)
    cut = sampled_cut(energy, edges, row, checked)
    return needed_memory(energy, edges, row, checked, available_cores(), cut)


class LargestCut(NamedTuple):
    """How large the largest cut of a run is."""

    nodes: float  # per variable
    cells: float  # per edge
    joined: float  # the part of the edges whose ends both have nodes
    whole: bool  # of all variables: as large as the fast engine lets it become


def needed_memory(
    energy: Energy,
    edges: FixedEdges,
    method: Method,
    options: Mapping[str, Any],
    threads: int,
    cut: LargestCut | None = None,
) -> int:
    """Return the same for options that have been checked.

    Parameters
    ----------
    energy : Energy
        What to minimise.
    edges : FixedEdges
        Its edges in integers.
    method : Method
        The method.
    options : mapping
        Its options.
    threads : int
        Number of threads.
    cut : LargestCut, optional
        How large the largest cut is; left out, all that it can be.

    Returns
    -------
    int
    """
    degree = _core.degrees(energy.num_variables, energy.tail, energy.head, edges.weights)
    if cut is None:
        cut = LargestCut(-1.0, -1.0, -1.0, False)
    in_core = _core.estimate_memory(
        method.name,
        priors_in_core(edges),
        options=options,
        variables=energy.num_variables,
        edges=int(np.count_nonzero(edges.weights)),
        row=_grid_row(energy),
        largest_unary=int(edges.largest_unary),
        largest_weight=int(edges.weights.max(initial=0)),
        largest_degree=int(degree.max()),
        wide_costs=edges.wide,
        threads=threads,
        nodes_per_variable=cut.nodes,
        cells_per_edge=cut.cells,
        joined=cut.joined,
        cuts_whole=cut.whole,
    )
    constant = SMALL_THINGS + (REAL_THINGS if edges.shifted or edges.wide else 0)
    return math.ceil(
        constant + SMALL_PART * (in_core + _in_python(energy, edges, bool(options.get("beliefs"))))
    )


def _in_python(energy: Energy, edges: FixedEdges, beliefs: bool) -> int:
    """What is held outside of the core while it works."""
    variables, count = energy.num_variables, energy.num_edges
    total = edges.weights.nbytes + 4 * variables  # and the labelling to start from
    total += 2 * edges.tables.nbytes + edges.table_index.nbytes
    if beliefs:
        total += 16 * energy.unary.size  # in units of the solver, and in those of the caller
    if not edges.costs.is_copied(edges):
        return total
    total += edges.costs.core_type(edges).itemsize * energy.unary.size
    if edges.shifted:
        # Energies are looked up in the costs as given: indices, costs and their products.
        total += 16 * min(variables, CHUNK) + 28 * min(count, CHUNK)
    if edges.scale != 1.0 or edges.rounding_error > 0:
        total += 2 * energy.weights.nbytes  # before rounding, for a bound on the costs as given
    return total


def sampled_cut(
    energy: Energy, edges: FixedEdges, method: Method, options: Mapping[str, Any]
) -> LargestCut | None:
    """Return how large the cuts of smaller problems are.

    How many labels a cut is about depends on the costs: nothing but a first move shows it.
    """
    sample = method.cuts
    if sample is None or options.get("engine") == "reference":
        return None
    known = find_method(sample.of).options
    allowed = {name: value for name, value in options.items() if name in known}

    def cuts_of_parts(side: int, moves: int) -> list[_Cut]:
        parts = _cut_out(energy, edges, side)
        return sorted(_cut_of(part, sample.of, allowed, edges, moves) for part in parts)

    if sample.narrow:
        # The largest cut is that of any range, so all have their turn. Few labels take little, and
        # parts can be as large as a merged image: smaller ones are undecided more often than the
        # whole. Its largest cut is about that of those parts where most is cut: in one place of
        # one range a cut of what is undecided may not suffice for a proof, then all of it is cut.
        parts = cuts_of_parts(math.isqrt(MOST_BLOCKS), energy.num_labels)
        if len(parts) > 2 and parts[-1].nodes > 1.5 * parts[-2].nodes:
            parts.pop()  # needed a wider cut than its budget, as a small image may
        return _mean(parts[2 * len(parts) // 3 :])._replace(whole=False)
    merged = _merged(energy, edges)
    cut = _cut_of(merged, sample.of, allowed, edges, sample.moves)
    like_whole = _mean([cut])
    if merged.costs.shape[0] == energy.num_variables:
        return like_whole
    if like_whole.whole:
        # Budgets grow with the image, and with them the parts that are solved where narrow cuts
        # stall: a small image may need a wider cut than its budget, the whole will keep to its own.
        return LargestCut(
            min(like_whole.nodes, 2.0), min(like_whole.cells, 4.0), like_whole.joined, True
        )
    if cut.undecided > MOSTLY_UNDECIDED:
        return like_whole
    parts = _like_the_whole(cuts_of_parts(_small_side(energy), sample.moves))
    of_parts = _mean(parts)._replace(whole=False)
    if sample.moves > 1:
        return max(like_whole, of_parts)  # any of several moves may be the largest
    # Where either errs it is too large: parts lack what decides them from outside, and blocks are
    # undecided somewhat more often than variables. About as many as make the engine cut the whole:
    # it may do so or not, and what is between errs least.
    least = min(like_whole, of_parts)
    if cut.undecided <= MOST_UNDECIDED:
        return least
    nodes, cells, joined = (
        (low + high) / 2 for low, high in zip(least[:3], like_whole[:3], strict=True)
    )
    return LargestCut(nodes, cells, joined, whole=False)


class _Cut(NamedTuple):
    """How large a cut was."""

    nodes: float  # per variable
    cells: float  # per edge
    joined: float  # the part of the edges whose ends both have nodes
    undecided: float  # the part of the variables that sweeps had left undecided


def _mean(cuts: list[_Cut]) -> LargestCut:
    nodes, cells, joined, undecided = (
        sum(values) / len(cuts) for values in zip(*cuts, strict=True)
    )
    return LargestCut(nodes, cells, joined, undecided > CLEARLY_UNDECIDED)


def _like_the_whole(parts: list[_Cut]) -> list[_Cut]:
    """Return those cuts of parts, in order of size, or shares of them that are like the whole."""
    if sum(cut.undecided for cut in parts) / len(parts) < MOST_UNDECIDED:
        # The whole is cut where sweeps leave it undecided. So are the parts that are decided like
        # it; the others were cut as a whole, and the undecided share of them would have been.
        shares = [cut.undecided if cut.undecided > MOST_UNDECIDED else 1.0 for cut in parts]
        return [
            _Cut(cut.nodes * share, cut.cells * share, cut.joined * share, share)
            for cut, share in zip(parts, shares, strict=True)
        ]
    # Where parts differ, as those of noise do, the widest ones are closest to the whole.
    return parts[2 * len(parts) // 3 :] if parts[-1].nodes > 1.5 * parts[0].nodes else parts


class _Sample(NamedTuple):
    """A small problem that is like a large one."""

    costs: npt.NDArray[np.integer[Any]]
    tail: npt.NDArray[np.int32]
    head: npt.NDArray[np.int32]
    weights: npt.NDArray[np.int32]
    like: npt.NDArray[np.int64]  # per edge: one of the large problem, whose prior it has
    row: int  # variables in a row, or 0 where the core shall find out


def _cut_of(
    sample: _Sample, method: str, options: Mapping[str, Any], edges: FixedEdges, moves: int
) -> _Cut:
    """Return the largest cut in so many first moves."""
    variables = sample.costs.shape[0]
    run = _core.minimize(
        method,
        sample.costs,
        sample.tail,
        sample.head,
        sample.weights,
        priors_in_core(edges, sample.like),
        np.zeros(variables, np.int32),
        options={**options, "engine": "dual"},
        row=sample.row,
        scale=1.0,
        offset=0.0,
        tolerance=0,
        threads=1,
        seed=0,
        max_iter=moves,
        time_limit=-1.0,
        max_memory=0,
        evaluate=None,
        on_iteration=None,
        true_costs=None,
        interrupted=lambda: False,
    )
    most = run["stats"].get
    return _Cut(
        most("most_cut_nodes", 0.0) / variables,
        most("most_cut_cells", 0.0) / max(1, sample.tail.size),
        most("most_cut_edges", 0.0) / max(1, sample.tail.size),
        most("most_undecided", 0.0) / variables,
    )


def _cut_out(energy: Energy, edges: FixedEdges, side: int) -> Iterator[_Sample]:
    """Yield the problems of parts alone, without their surroundings."""
    for rows in _parts(energy, side):
        place = np.full(energy.num_variables, -1, np.int32)
        place[rows] = np.arange(rows.size, dtype=np.int32)
        inside = (place[energy.tail] >= 0) & (place[energy.head] >= 0) & (edges.weights > 0)
        yield _Sample(
            edges.costs.some_rounded(edges, rows),
            place[energy.tail[inside]],
            place[energy.head[inside]],
            edges.weights[inside],
            np.flatnonzero(inside),
            min(side, energy.row, rows.size),
        )


def _merged(energy: Energy, edges: FixedEdges) -> _Sample:
    """Return a smaller image, a block of variables to each of its own.

    As in the engine's coarse start. Noise stays as strong beside the edges as it was, and what is
    decided from far away is so there as well: the smaller image leaves about the same share
    undecided. Parts cut out of an image do not.
    """
    blocks = _blocks(energy)
    tail, head = blocks.of[energy.tail], blocks.of[energy.head]
    between = np.flatnonzero((tail != head) & (edges.weights > 0))
    pairs = tail[between].astype(np.int64) * blocks.count + head[between]
    kept, first, which = np.unique(pairs, return_index=True, return_inverse=True)
    sums = np.bincount(which, edges.weights[between].astype(np.float64), kept.size)
    return _Sample(
        _merged_costs(energy, edges, blocks),
        (kept // blocks.count).astype(np.int32),
        (kept % blocks.count).astype(np.int32),
        np.maximum(1, sums / blocks.side).astype(np.int32),
        between[first],
        blocks.row,
    )


@dataclass(frozen=True)
class _Blocks:
    """Variables put together, a block to a variable of a smaller problem."""

    of: npt.NDArray[np.int32]  # per variable: its block
    count: int
    row: int  # blocks in a row, or 0 where the core shall find out
    side: int  # a block has about the square of it


def _blocks(energy: Energy) -> _Blocks:
    variables, length, place = energy.num_variables, energy.row, None
    if not length:
        found = energy._topology
        # In an order that has no rows, blocks are stretches.
        length = found.width if found.kind.startswith("grid") else 0
        if found.order is not None:
            place = np.empty(variables, np.int32)
            place[found.order] = np.arange(variables, dtype=np.int32)
    if place is None:
        place = np.arange(variables, dtype=np.int32)
    side = math.ceil(math.sqrt(variables / MOST_BLOCKS))
    if not length:
        of = place // np.int32(side * side)
        return _Blocks(of, int(of.max()) + 1, 0, side)
    row = -(-length // side)
    down, along = place // np.int32(length * side), place % np.int32(length) // np.int32(side)
    of = down * np.int32(row) + along
    return _Blocks(of, int(of.max()) + 1, row if energy.row else 0, side)


def _merged_costs(
    energy: Energy, edges: FixedEdges, blocks: _Blocks
) -> npt.NDArray[np.int32] | npt.NDArray[np.int64]:
    """Sum up the costs of every block, in units of the side of a block, as edges are."""
    merged = np.empty((blocks.count, energy.num_labels), np.int64)
    order = np.argsort(blocks.of, kind="stable").astype(np.int32)
    begins = np.searchsorted(blocks.of[order], np.arange(blocks.count + 1))
    step = max(1, CHUNK // (blocks.side * blocks.side * max(1, energy.num_labels // 16)))
    for low in range(0, blocks.count, step):
        high = min(low + step, blocks.count)
        rows = order[begins[low] : begins[high]]
        costs = edges.costs.some_rounded(edges, rows).astype(np.int64)
        merged[low:high] = np.add.reduceat(costs, begins[low:high] - begins[low], axis=0)
    merged -= merged.min(axis=1, keepdims=True)
    merged //= blocks.side
    # Sums of costs that are the largest there can be would go beyond them.
    np.minimum(merged, max(int(edges.largest_unary), LARGE_COST), out=merged)
    return merged if edges.wide else merged.astype(np.int32)


def _grid_row(energy: Energy) -> int:
    """The length of a row, or 0 where edges make no grid with four neighbours."""
    if energy.row or energy.num_edges > 2 * energy.num_variables:
        return energy.row
    return energy._topology.width if energy._topology.kind == "grid4" else 0


def _small_side(energy: Energy) -> int:
    # Small beside the problem: a look must not take what the run takes.
    return int(min(max(math.sqrt(energy.num_variables) / 5, SMALLEST_SIDE), LARGEST_SIDE))


def _parts(energy: Energy, most: int) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the variables of a few blocks, at most so many wide and high, spread over all."""
    length, order = energy.row, None
    if not length:
        found = energy._topology
        order = found.order
        # In an order that has no rows, blocks are stretches.
        is_grid = found.kind.startswith("grid")
        length = found.width if order is None or is_grid else most
    height = -(-energy.num_variables // length)
    side = (min(most, height), min(most, length))
    places = []
    for have, take in zip((height, length), side, strict=True):
        count = min(BLOCKS, 1 + (have - take) // max(1, take // 2))  # they may overlap by half
        places.append([(have - take) * (2 * k + 1) // (2 * count) for k in range(count)])
    for top in places[0]:
        for left in places[1]:
            rows = np.arange(top, top + side[0])[:, None] * length
            block = (rows + np.arange(left, left + side[1])).reshape(-1)
            block = block[block < energy.num_variables]
            yield block if order is None else order[block].astype(np.int64)
