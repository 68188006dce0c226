"""How much memory a run takes, said before any of it is allocated."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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

    from .options import MethodName, Options

__all__ = ["estimate_memory"]

# What comes and goes, stacks of threads, Python's own objects: a part of all, and so many bytes.
SMALL_PART = 1.02
SMALL_THINGS = 500_000
# Code of NumPy that only real costs use, and its temporaries.
REAL_THINGS = 450_000

# Cuts are looked at in so many blocks along either side of an image, so many variables wide.
BLOCKS = 3
SHIFTS = (-1, 0, 1)  # within their part of the side: at its begin, in the middle, at its end
SMALLEST_SIDE, LARGEST_SIDE = 12, 24
# Cuts about more labels than these for each variable are those of noise. How wide they get differs
# from part to part, and no part says it of the whole: the widest and so much more.
WIDE, WIDER = 5.0, 1.12


def estimate_memory(
    energy: Energy, method: MethodName | str = "auto", **options: Unpack[Options]
) -> int:
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
    are about depends on the costs: first moves of a few small blocks, put together to a small
    image, are made to find out, which takes milliseconds, on large images of pure noise some tenths
    of a second.

    It is at most a quarter above the peak, and not below it, for almost all of what
    ``benchmarks/memory.py`` measures in processes that hold nothing but the energy. On costs of
    pure noise no part says how large the cuts of the whole are: there it is up to a half above. For
    problems so small that the system's own count of pages matters, by tenths of a megabyte, it can
    be off by more.
    The peak is lower where memory that was freed before can be used again, as what the estimate
    itself has taken. It is lower as well where a run ends before its largest move: ``auto`` and
    ``best`` make none if message passing alone finds the optimum. ``best`` can take up to 300 MB
    more where it searches for the proof of an optimum.

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


def needed_memory(
    energy: Energy,
    edges: FixedEdges,
    method: Method,
    options: Mapping[str, Any],
    threads: int,
    cut: tuple[float, float] | None = None,
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
    cut : (float, float), optional
        Nodes per variable and cells per edge of the largest cut; left out, all there can be.

    Returns
    -------
    int
    """
    degree = _core.degrees(energy.num_variables, energy.tail, energy.head, edges.weights)
    nodes, cells = (-1.0, -1.0) if cut is None else cut
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
        nodes_per_variable=nodes,
        cells_per_edge=cells,
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
    if not edges.shifted and not edges.wide and energy.unary.dtype == np.int32:
        return total
    total += (8 if edges.wide else 4) * energy.unary.size
    if edges.shifted:
        # Energies are looked up in the costs as given: indices, costs and their products.
        total += 16 * min(variables, CHUNK) + 28 * min(count, CHUNK)
    if edges.scale != 1.0 or edges.rounding_error > 0:
        total += 2 * energy.weights.nbytes  # before rounding, for a bound on the costs as given
    return total


def sampled_cut(
    energy: Energy, edges: FixedEdges, method: Method, options: Mapping[str, Any]
) -> tuple[float, float] | None:
    """Return the nodes per variable and cells per edge of the largest cut of a few small parts.

    How many labels a cut is about depends on the costs: nothing but a first move shows it.
    """
    if method.cuts is None or options.get("engine") == "reference":
        return None
    known = find_method(method.cuts).options
    allowed = {name: value for name, value in options.items() if name in known}
    # The first ranges have no room to extend on either side.
    moves = 1 + int(min(options.get("extend", 0), energy.num_labels))
    cuts = [_first_cut(energy, edges, method.cuts, allowed, moves, shift) for shift in SHIFTS]
    if max(cuts)[0] <= WIDE:
        return statistics.fmean(nodes for nodes, _ in cuts), statistics.fmean(c for _, c in cuts)
    # Noise: the largest, and more.
    nodes, cells = max(nodes for nodes, _ in cuts), max(cells for _, cells in cuts)
    more = min(WIDER, (energy.num_labels - 1) / nodes)
    return more * nodes, more * cells


def _first_cut(
    energy: Energy,
    edges: FixedEdges,
    method: str,
    options: Mapping[str, Any],
    moves: int,
    shift: int,
) -> tuple[float, float]:
    """Return nodes per variable and cells per edge of the largest cut of a sample."""
    part = _sample(energy, edges.weights > 0, shift)
    run = _core.minimize(
        method,
        edges.costs.some_rounded(edges, part.variables),
        part.tail,
        part.head,
        edges.weights[part.edges],
        priors_in_core(edges, part.edges),
        np.zeros(part.variables.size, np.int32),
        options={**options, "engine": "dual"},
        row=part.row,
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
    stats = run["stats"]
    return (
        stats.get("most_cut_nodes", 0.0) / part.variables.size,
        stats.get("most_cut_cells", 0.0) / max(1, part.edges.size),
    )


@dataclass(frozen=True)
class _Sample:
    """A small problem made of parts of a large one."""

    variables: npt.NDArray[np.int64]  # which they are in the large one
    tail: npt.NDArray[np.int32]
    head: npt.NDArray[np.int32]
    edges: npt.NDArray[np.int64]  # whose weights and priors its edges have
    row: int  # 0 where the core shall find out


def _sample(energy: Energy, counts: npt.NDArray[np.bool_], shift: int) -> _Sample:
    """Return a few small blocks of a problem, put together to a small problem of the same kind.

    Put together, since how long sweeps go on and how wide bands are depends on all variables; and
    with the edges that leave a block leading to the next one: at borders bands are narrower.
    """
    length, order = energy.row, None
    if not length:
        found = energy._topology
        order = found.order
        # In an order that has no rows, blocks are stretches.
        is_grid = found.kind.startswith("grid")
        length = found.width if order is None or is_grid else _side(energy)
    height = -(-energy.num_variables // length)
    down, across = (_blocks(have, _side(energy), shift) for have in (height, length))
    rows = (down[:, None] * length + across).reshape(-1)
    whole = rows < energy.num_variables
    rows, width = rows[whole], across.size
    place = np.full(energy.num_variables, -1, np.int32)  # in the sample, by place in the order
    place[rows] = np.flatnonzero(whole)
    at = np.arange(energy.num_variables, dtype=np.int32)
    if order is not None:
        at[order] = np.arange(order.size, dtype=np.int32)
    some = np.flatnonzero((place[at[energy.tail]] >= 0) & counts)
    tail, head = at[energy.tail[some]], at[energy.head[some]]
    # As far down and across as in the whole.
    row, column = np.divmod(place[tail], width)
    row += head // length - tail // length
    column += head % length - tail % length
    there = (row >= 0) & (row < down.size) & (column >= 0) & (column < width)
    there &= row * width + column < rows.size
    some = some[there]
    return _Sample(
        variables=rows if order is None else order[rows].astype(np.int64),
        tail=place[tail][there],
        head=(row * width + column)[there].astype(np.int32),
        edges=some,
        row=width if energy.row else 0,
    )


def _blocks(have: int, take: int, shift: int) -> npt.NDArray[np.int64]:
    """Return the places of a few blocks, spread over a side of an image, moved either way."""
    take = min(have, take)
    count = min(BLOCKS, have // take)
    room = have // count
    starts = [k * room + (room - take) * (shift + 1) // 2 for k in range(count)]
    return np.concatenate([np.arange(start, start + take) for start in starts])


def _grid_row(energy: Energy) -> int:
    """The length of a row, or 0 where edges make no grid with four neighbours."""
    if energy.row or energy.num_edges > 2 * energy.num_variables:
        return energy.row
    return energy._topology.width if energy._topology.kind == "grid4" else 0


def _side(energy: Energy) -> int:
    # Small beside the problem: a look must not take what the run takes.
    return int(min(max(math.sqrt(energy.num_variables) / 8, SMALLEST_SIDE), LARGEST_SIDE))
