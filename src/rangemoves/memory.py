"""How much memory a run takes, said before any of it is allocated."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
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
REAL_THINGS = 250_000

# Cuts are looked at in so many blocks along either side of an image, so many variables wide.
BLOCKS = 3
SMALLEST_SIDE, LARGEST_SIDE = 12, 24
# Where more variables are undecided after some sweeps, the fast engine cuts all (kFewestCut in
# band_search.cpp).
MOST_UNDECIDED = 0.5


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
    are about depends on the costs: first moves of a few small blocks are made to find out, which
    takes milliseconds, on large images of pure noise some tenths of a second.

    It is at most a quarter above the peak, and not below it, for most of what
    ``benchmarks/memory.py`` measures in processes that hold nothing but the energy. It can be off
    by more on costs of pure noise, where a few blocks say little about the whole, and for problems
    so small that the system's own count of pages, by tenths of a megabyte, matters.
    The peak is lower where memory that was freed before can be used again: what the estimate itself
    takes (0.4 to 2 MB for 60x80x16, 13 MB for real costs of 300x400x48) a run after it in the same
    process needs no more. It is lower as well where a run ends before its largest move: ``auto``
    and ``best`` make none if message passing alone finds the optimum.

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
    """Return the nodes per variable and cells per edge of the cuts in a few small parts.

    How many labels a cut is about depends on the costs: nothing but a first move shows it.
    """
    sample = method.cuts
    if sample is None or options.get("engine") == "reference":
        return None
    known = find_method(sample.of).options
    allowed = {name: value for name, value in options.items() if name in known}
    # The first ranges have no room to extend on either side.
    moves = 1 + int(min(options.get("extend", 0), energy.num_labels))
    cuts, undecided = [], []
    for rows in _parts(energy):
        place = np.full(energy.num_variables, -1, np.int32)
        place[rows] = np.arange(rows.size, dtype=np.int32)
        inside = (place[energy.tail] >= 0) & (place[energy.head] >= 0) & (edges.weights > 0)
        run = _core.minimize(
            sample.of,
            edges.costs.some_rounded(edges, rows),
            place[energy.tail[inside]],
            place[energy.head[inside]],
            edges.weights[inside],
            priors_in_core(edges, inside),
            np.zeros(rows.size, np.int32),
            options={**allowed, "engine": "dual"},
            row=min(_side(energy), energy.row, rows.size),  # 0 where the core shall find out
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
        nodes = run["stats"].get("most_cut_nodes", 0.0) / rows.size
        cells = run["stats"].get("most_cut_cells", 0.0) / max(1, int(np.count_nonzero(inside)))
        cuts.append((nodes, cells))
        undecided.append(run["stats"].get("most_undecided", 0.0) / rows.size)
    share = sum(undecided) / len(undecided)
    if not sample.narrow and share < MOST_UNDECIDED:
        # The whole is cut where sweeps leave it undecided. So are the blocks that are decided like
        # it; the others were cut as a whole, and the undecided part of them would have been.
        parts = [part if part > MOST_UNDECIDED else 1.0 for part in undecided]
        cuts = [
            (nodes * part, cells * part) for (nodes, cells), part in zip(cuts, parts, strict=True)
        ]
        return sum(cut[0] for cut in cuts) / len(cuts), sum(cut[1] for cut in cuts) / len(cuts)
    cuts.sort()
    if sample.narrow:
        # The whole is about as wide as its parts, rather a little wider.
        cuts += 2 * cuts[len(cuts) // 2 :]
    elif cuts[-1][0] > 1.5 * cuts[0][0]:
        # Where blocks differ, as those of noise do, the widest ones are closest to the whole.
        cuts = cuts[2 * len(cuts) // 3 :]
    return sum(cut[0] for cut in cuts) / len(cuts), sum(cut[1] for cut in cuts) / len(cuts)


def _grid_row(energy: Energy) -> int:
    """The length of a row, or 0 where edges make no grid with four neighbours."""
    if energy.row or energy.num_edges > 2 * energy.num_variables:
        return energy.row
    return energy._topology.width if energy._topology.kind == "grid4" else 0


def _side(energy: Energy) -> int:
    # Small beside the problem: a look must not take what the run takes.
    return int(min(max(math.sqrt(energy.num_variables) / 5, SMALLEST_SIDE), LARGEST_SIDE))


def _parts(energy: Energy) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the variables of a few small blocks, spread over all."""
    length, order = energy.row, None
    if not length:
        found = energy._topology
        order = found.order
        # In an order that has no rows, blocks are stretches.
        is_grid = found.kind.startswith("grid")
        length = found.width if order is None or is_grid else _side(energy)
    height = -(-energy.num_variables // length)
    side = (min(_side(energy), height), min(_side(energy), length))
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
