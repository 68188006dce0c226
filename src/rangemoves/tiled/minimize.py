"""Minimise an energy that need not fit in memory: the entrance, its checks and its result."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._version import __version__
from ..energy import Energy
from ..errors import as_integer, as_real, describe
from ..machine import physical_memory
from ..methods import find_method
from ..minimize import check_task, require_callback
from ..priors import Prior
from ..result import Result
from .automatic import Crew, require_tiles, sides_of_tiles
from .checkpoint import NOT_SHOWN
from .control import Callback, Control
from .fingerprints import fingerprint_of_samples
from .layouts import layout
from .places import Place
from .problem import Problem, state_problem
from .work import Settings

__all__ = ["SWEEPS", "margin_used", "minimize"]

# Pixels around a tile in the first round, those of a volume, and the sweeps of that round (measured
# by benchmarks/tiled.py).
MARGIN, MARGIN_OF_CUBE = 32, 4
SWEEPS = 100

# Of the machine's memory, what tiles may take where max_memory is left out.
PART_OF_MEMORY = 0.6
# What Python, NumPy and the core take before any tile.
PROCESS = 120_000_000


def minimize(
    source: Any,
    prior: Prior,
    weights: Any = 1,
    method: str = "auto",
    *,
    tiles: str | Sequence[int] = "auto",
    margin: int | None = None,
    shape: Sequence[int] | None = None,
    connectivity: int | None = None,
    mask: Any = None,
    threads: int | None = None,
    seed: int = 0,
    backend: str = "cpu",
    max_memory: int | None = None,
    time_limit: float | None = None,
    callback: Callback | None = None,
    client: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    out: Any = None,
) -> Result:
    """Find a labelling of low energy, tile by tile.

    Parameters
    ----------
    source : array_like or callable
        Costs (H, W, L) or (D, H, W, L): an array, memory map, zarr, dask or xarray array; or a
        function that gets a box, a slice per axis of the grid, and returns the costs of its pixels:
        then the whole need never exist.
    prior : Prior
        Cost of the difference of two neighbouring labels; finite.
    weights : float, sequence of array_like, or callable
        As for :class:`rangemoves.Energy`; arrays of any kind that source can be; or a function that
        gets a box and returns, per axis, the weights of the edges whose first pixel lies in it.
    method : str, default "auto"
        What moves tiles, see :func:`rangemoves.methods`. "auto" takes "ishikawa" for convex priors,
        "gswapf" for truncated ones, "gswap" for others.
    tiles : "auto" or sequence of int
        The largest sides of a tile. "auto": as large as memory allows while all cores are busy.
    margin : int, optional
        Pixels around a tile that are solved with it in the first round; 32 by default (4 in
        volumes).
    shape : sequence of int, optional
        Of all costs, (H, W, L), where source is a function.
    connectivity : int, optional
        Neighbours: 4 (default) or 8 for images, 6 (default) or 26 for volumes.
    mask : array_like or callable, optional
        True takes part; labels are -1 elsewhere.
    threads : int, optional
        How many tiles at a time, by default one per core. The answer does not depend on it.
    seed : int, default 0
        For everything random.
    backend : str, default "cpu"
        Who sweeps messages. With ``client`` workers must have it: tiles for "cuda" go to workers
        that were started with ``--resources "GPU=1"``.
    max_memory : int, optional
        Bytes that this process may use, tiles and labels; with ``client``, bytes of a worker.
    time_limit : float, optional
        Seconds after which the run ends with what it has.
    callback : callable, optional
        Sees a :class:`TraceRecord` after each stage, and ends the run by returning True.
    client : dask.distributed.Client or "current", optional
        Its workers do the tiles, and read their boxes by themselves. None: threads of this process.
    checkpoint : path-like, optional
        A folder, best named .zarr. A run that was killed goes on from there, and ends with the same
        labels as one that was not.
    out : array or path-like, optional
        Where the labels go: an array of integers of any kind, which is overwritten, or the path of
        a zarr array to make, which must be a new name unless a checkpoint goes on.

    Returns
    -------
    Result
        ``energy`` is summed over tiles, for integers exactly what :class:`rangemoves.Energy` says;
        ``lower_bound`` holds for the whole. ``trace`` has a record per stage: the first round, each
        pass of the bound, each colour of each round of moves; their ``huber_energy`` and
        ``surrogate_energy`` are the energy. ``labels`` is ``out`` where that is given, and a
        DataArray where source is one.

    Raises
    ------
    ValueError, TypeError, OverflowError
        If an argument is wrong, or costs are, which are all looked at before anything is solved.
    MemoryError
        If not even small tiles fit, or not those asked for.
    BackendError
        If this process, or with ``client`` its workers, do not have the backend.
    Interrupted
        On Ctrl-C; ``.result`` has the labelling so far.

    Notes
    -----
    The first round solves tiles with a margin by message passing, and crops them. Rounds of moves
    follow, on layouts shifted by half a tile: with all else frozen a move in a tile cannot raise
    the energy of the whole, and tiles that do not touch move at once. They end with a round that
    gains less than a hundred thousandth of the energy. See docs/tiles.md.

    Examples
    --------
    >>> import numpy as np
    >>> import rangemoves as rm
    >>> def source(box):
    ...     y, x = np.mgrid[box]
    ...     return np.abs((x // 20 + y // 30)[..., None] - np.arange(8)) + (x * y % 5)[..., None]
    >>> prior = rm.TruncatedLinear(2)
    >>> result = rm.tiled.minimize(source, prior, 2, shape=(90, 120, 8), tiles=(32, 32))
    >>> whole = rm.Energy(source(np.s_[0:90, 0:120]), prior, 2)
    >>> result.energy == whole(result.labels), result.lower_bound <= result.energy
    (True, True)
    """
    begin = time.perf_counter()
    problem = state_problem(source, prior, weights, shape, connectivity, mask)
    limit = _checked_limits(time_limit, callback, max_memory)
    chosen = _method(problem, method)
    here = backend if client is None else _backend_here(backend)
    task = check_task(chosen, {}, threads=threads, seed=seed, max_memory=max_memory, backend=here)
    _refuse(problem, chosen)
    dimensions = len(problem.shape)
    settings = Settings(
        chosen,
        SWEEPS,
        margin_used(margin, dimensions),
        threads=1,
        seed=task.seed,
        backend=backend,
    )
    place = Place(problem, out, checkpoint)
    if client is None:
        crew = _threads(task.workers, max_memory, place.bytes_in_memory)
    else:
        crew = _dask_workers(client, backend, max_memory)
    workers = task.workers
    sides = _sides(problem, settings, tiles, crew)
    count = len(layout(problem.shape, sides, (0,) * dimensions))
    if count < workers and client is None:
        # The answer does not depend on it: a few large tiles have several threads each.
        settings = replace(settings, threads=max(1, workers // count))
        workers = count
    control = Control(begin, limit, callback)
    try:
        place.open(sides, lambda: _facts(problem, settings, sides))
        return control.run(problem, settings, sides, workers, crew.client, place, source)
    finally:
        place.close()


def margin_used(margin: Any, dimensions: int) -> int:
    """Return the margin that was asked for, or the usual one."""
    if margin is None:
        return MARGIN if dimensions == 2 else MARGIN_OF_CUBE
    return as_integer(margin, "margin", minimum=0)


def _checked_limits(time_limit: Any, callback: Any, max_memory: Any) -> float:
    seconds = math.inf
    if time_limit is not None:
        seconds = as_real(time_limit, "time_limit", advice="leave it out for no limit")
        if seconds < 0:
            raise ValueError(f"time_limit must be at least 0 seconds; found {seconds:g}")
    require_callback(callback)
    if max_memory is not None:
        as_integer(max_memory, "max_memory", minimum=1)
    return seconds


def _small(problem: Problem) -> Energy:
    """An energy with the same prior, to ask methods about."""
    zeros = np.zeros((2,) * len(problem.shape) + (problem.labels,), np.int32)
    return Energy(zeros, problem.prior, connectivity=problem.connectivity)


def _method(problem: Problem, method: str) -> str:
    if method != "auto":
        return find_method(method).name
    small = _small(problem)
    for name in ("ishikawa", "gswapf"):
        if find_method(name).refusal(small) is None:
            return name
    return "gswap"


def _refuse(problem: Problem, method: str) -> None:
    reason = find_method(method).refusal(_small(problem))
    if reason is not None:
        raise ValueError(f"method {method!r} cannot minimise this energy: {reason}")


def _backend_here(backend: Any) -> Any:
    """What to check of a backend that workers have: this process only sums up."""
    from .dask_engine import RESOURCES

    return "cpu" if isinstance(backend, str) and backend in RESOURCES else backend


def _threads(threads: int, max_memory: int | None, labels: int) -> Crew:
    """Threads of this process, with the memory that its labels leave."""
    memory = physical_memory() * PART_OF_MEMORY if max_memory is None else max_memory - PROCESS
    return Crew(None, threads, threads, max(0, int(memory) - labels))


def _dask_workers(client: Any, backend: str, max_memory: int | None) -> Crew:
    """The workers of a client that can do tiles, with the memory of the smallest."""
    from .dask_engine import able_workers, find_client, needed_resources, require_backend

    found, needed = find_client(client), needed_resources(backend)
    require_backend(found, backend, needed)
    able = able_workers(found, needed)
    workers = found.scheduler_info(n_workers=-1)["workers"]
    limits = [int(workers[one]["memory_limit"] or 0) for one in able if one in workers]
    limits = [limit for limit in limits if limit]
    memory = min(limits, default=physical_memory()) if max_memory is None else max_memory
    # A worker is paused by Dask where it has used four fifths of its memory.
    return Crew(
        found,
        max(1, sum(able.values())),
        max(able.values(), default=1),
        max(0, int(0.8 * memory) - PROCESS),
    )


def _sides(problem: Problem, settings: Settings, tiles: Any, crew: Crew) -> tuple[int, ...]:
    if isinstance(tiles, str):
        if tiles != "auto":
            raise ValueError(f"tiles must be 'auto' or sides in pixels; found {tiles!r}")
        return sides_of_tiles(problem, settings, crew)
    if isinstance(tiles, np.ndarray):
        tiles = tiles.tolist()
    if not isinstance(tiles, (tuple, list)) or len(tiles) != len(problem.shape):
        raise ValueError(
            f"tiles must be 'auto' or {len(problem.shape)} sides in pixels; found {describe(tiles)}"
        )
    sides = [as_integer(side, "tiles", minimum=1) for side in tiles]
    within = tuple(min(side, n) for side, n in zip(sides, problem.shape, strict=True))
    return require_tiles(problem, settings, crew, within)


def _facts(problem: Problem, settings: Settings, sides: tuple[int, ...]) -> dict[str, Any]:
    """All that labels depend on, as far as it can be told without reading everything."""
    return {
        "shape": list(problem.costs.shape),
        "prior": problem.table.tolist(),
        "connectivity": len(problem.steps),
        "tiles": list(sides),
        "margin": settings.margin,
        "method": settings.method,
        "sweeps": settings.sweeps,
        "seed": settings.seed,
        NOT_SHOWN: fingerprint_of_samples(problem),
        "version": __version__,
    }
