"""Minimise an energy that need not fit in memory: the entrance, its checks and its result."""

from __future__ import annotations

import math
import os
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._version import __version__
from ..energy import Energy
from ..errors import Interrupted, as_integer, as_real, describe
from ..interruption import Interruption
from ..machine import peak_memory, physical_memory
from ..methods import find_method
from ..minimize import check_task
from ..priors import Prior
from ..result import Result, TraceRecord
from .automatic import Crew, sides_of_tiles
from .checkpoint import Checkpoint, open_zarr_labels
from .engines import Engine, Threads
from .layouts import layout
from .problem import Problem, state_problem
from .run import Run
from .work import Halted, Settings

__all__ = ["minimize"]

Callback = Callable[[TraceRecord], object]

# Pixels around a tile in the first round, and its sweeps (measured by benchmarks/tiled.py).
MARGIN = 32
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
        Who sweeps messages.
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
        Where the labels go: an array of integers of any kind, or the path of a zarr array to make.

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
        If not even small tiles fit.
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
    task = check_task(
        chosen, {}, threads=threads, seed=seed, max_memory=max_memory, backend=backend
    )
    _refuse(problem, chosen)
    dimensions = len(problem.shape)
    edge = (MARGIN if dimensions == 2 else 4) if margin is None else margin
    settings = Settings(
        chosen,
        SWEEPS,
        as_integer(edge, "margin", minimum=0),
        threads=1,
        seed=task.seed,
        backend=backend,
    )
    place = _Place(problem, out, checkpoint)
    workers, crew = task.workers, _crew(client, task.workers, max_memory, place.bytes_in_memory)
    sides = _sides(problem, settings, tiles, crew)
    count = len(layout(problem.shape, sides, (0,) * dimensions))
    if count < workers and client is None:
        # The answer does not depend on it: a few large tiles have several threads each.
        settings = replace(settings, threads=max(1, workers // count))
        workers = count
    place.open(sides, lambda: _facts(problem, settings, sides))
    control = _Control(begin, limit, callback)
    return control.run(problem, settings, sides, workers, crew.client, place, source)


def _checked_limits(time_limit: Any, callback: Any, max_memory: Any) -> float:
    seconds = math.inf
    if time_limit is not None:
        seconds = as_real(time_limit, "time_limit", advice="leave it out for no limit")
        if seconds < 0:
            raise ValueError(f"time_limit must be at least 0 seconds; found {seconds:g}")
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be a function of one record; found {describe(callback)}")
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


def _crew(client: Any, threads: int, max_memory: int | None, labels: int) -> Crew:
    """Who works, and with how much memory for tiles."""
    if client is None:
        memory = physical_memory() * PART_OF_MEMORY if max_memory is None else max_memory - PROCESS
        return Crew(None, threads, threads, max(0, int(memory) - labels))
    from .dask_engine import find_client

    found = find_client(client)
    workers = found.scheduler_info(n_workers=-1)["workers"].values()
    limits = [int(one["memory_limit"]) for one in workers if one["memory_limit"]]
    memory = min(limits, default=physical_memory()) if max_memory is None else max_memory
    per_worker = max((one["nthreads"] for one in workers), default=1)
    everywhere = max(1, sum(one["nthreads"] for one in workers))
    # A worker is paused by Dask where it has used four fifths of its memory.
    return Crew(found, everywhere, per_worker, max(0, int(0.8 * memory) - PROCESS))


def _sides(problem: Problem, settings: Settings, tiles: Any, crew: Crew) -> tuple[int, ...]:
    if isinstance(tiles, str):
        if tiles != "auto":
            raise ValueError(f"tiles must be 'auto' or sides in pixels; found {tiles!r}")
        return sides_of_tiles(problem, settings, crew)
    if not isinstance(tiles, (tuple, list)) or len(tiles) != len(problem.shape):
        raise ValueError(
            f"tiles must be 'auto' or {len(problem.shape)} sides in pixels; found {describe(tiles)}"
        )
    sides = [as_integer(side, "tiles", minimum=1) for side in tiles]
    return tuple(min(side, n) for side, n in zip(sides, problem.shape, strict=True))


def _facts(problem: Problem, settings: Settings, sides: tuple[int, ...]) -> dict[str, Any]:
    """All that labels depend on, as far as it can be told without reading everything."""
    corner = tuple(slice(0, side) for side in sides)
    digest = 0
    for part in (problem.costs.read(corner), *problem.weights.read(corner)):
        digest = zlib.crc32(np.ascontiguousarray(part).tobytes(), digest)
    return {
        "shape": list(problem.costs.shape),
        "prior": problem.table.tolist(),
        "connectivity": len(problem.steps),
        "tiles": list(sides),
        "margin": settings.margin,
        "method": settings.method,
        "sweeps": settings.sweeps,
        "seed": settings.seed,
        "first costs": digest,
        "version": __version__,
    }


class _Place:
    """Where labels are while the run goes on, and where they go."""

    def __init__(self, problem: Problem, out: Any, checkpoint: Any) -> None:
        self._shape, self._labels_count = problem.shape, problem.labels
        self._path = os.fspath(out) if isinstance(out, (str, os.PathLike)) else None
        self._out = None if self._path is not None else out
        if checkpoint is not None and not isinstance(checkpoint, (str, os.PathLike)):
            raise TypeError(f"checkpoint must be a path; found {describe(checkpoint)}")
        self._folder = checkpoint
        if self._out is not None:
            self._check_out(self._out)
        self.checkpoint: Checkpoint | None = None

    def _check_out(self, out: Any) -> None:
        wanted = f"an array of integers of shape {self._shape}, or the path of a zarr array to make"
        if not all(hasattr(out, part) for part in ("shape", "dtype", "__setitem__")):
            raise TypeError(f"out must be {wanted}; found {describe(out)}")
        dtype = np.dtype(out.dtype)
        if tuple(out.shape) != self._shape or dtype.kind not in "iu":
            raise ValueError(f"out must be {wanted}; found {dtype} of shape {out.shape}")
        if dtype.kind == "u" or 2 ** (8 * dtype.itemsize - 1) < self._labels_count:
            raise ValueError(
                f"out must hold labels -1 .. {self._labels_count - 1}; found {dtype}; use int32"
            )

    @property
    def bytes_in_memory(self) -> int:
        """What the labels take of this process."""
        return 0 if self._out is not None or self._path else 4 * math.prod(self._shape)

    @property
    def is_callers(self) -> bool:
        """Whether the caller has said where labels go."""
        return self._out is not None

    def open(self, sides: tuple[int, ...], facts: Callable[[], dict[str, Any]]) -> None:
        """Make what is not there yet."""
        chunks = [max(1, side) for side in sides]
        if self._path is not None:
            self._out = open_zarr_labels(self._path, self._shape, chunks)
        if self._folder is not None:
            self.checkpoint = Checkpoint(self._folder, facts(), self._shape, chunks)
            self.labels: Any = self.checkpoint.labels
        elif self._out is not None:
            self.labels = self._out
        else:
            self.labels = np.zeros(self._shape, np.int32)

    def finished(self, sides: tuple[int, ...]) -> Any:
        """Return the labels where the caller wants them."""
        if self._out is None:
            return np.asarray(self.labels[...])
        if self._out is not self.labels:
            for tile in layout(self._shape, sides, (0,) * len(self._shape)):
                self._out[tile.box] = np.asarray(self.labels[tile.box])
        return self._out


class _Control:
    """Clock, Ctrl-C and callback of a run, and the result that is made of it."""

    def __init__(self, begin: float, seconds: float, callback: Callback | None) -> None:
        self._begin, self._deadline, self._callback = begin, begin + seconds, callback
        self._interruption = Interruption()
        self._stopped = False
        self._run: Run | None = None  # None while nothing may end it

    def _halted(self) -> bool:
        if self._run is None:
            return False
        # Before all costs have been looked at there is no labelling to end with.
        late = time.perf_counter() > self._deadline and self._run.state.phase != "survey"
        return self._interruption.arrived or late

    def run(
        self,
        problem: Problem,
        settings: Settings,
        sides: tuple[int, ...],
        workers: int,
        client: Any,
        place: _Place,
        source: Any,
    ) -> Result:
        """Run to the end, or as far as it gets."""
        engine = _engine(client, workers, settings.backend, self._halted)
        if isinstance(engine, Threads):
            settings = replace(settings, halted=self._halted)
        with self._interruption:
            run = Run(
                problem,
                settings,
                sides,
                engine,
                place.labels,
                place.checkpoint,
                self._teller(place),
            )
            try:
                self._run = run
                run.run()
                status = "optimal" if run.state.energy == run.state.bound else "converged"
            except Halted:
                status = "stopped" if self._stopped else "time_limit"
                if self._interruption.arrived:
                    status = "interrupted"
                if run.state.phase == "survey":
                    raise KeyboardInterrupt from None
            self._run = None
            energy = self._energy(run, status)
            labels = place.finished(sides)
        result = Result(
            labels=labels if place.is_callers else _as_given(labels, source),
            energy=energy,
            lower_bound=None if run.state.bound is None else min(run.state.bound, energy),
            status=status,
            iterations=len(run.state.trace),
            trace=tuple(TraceRecord(**one) for one in run.state.trace),
            seconds=run.seconds,
            method=settings.method,
            options={"tiles": list(sides), "margin": settings.margin},
            peak_memory=peak_memory(),
            threads=workers * settings.threads,
            version=__version__,
        )
        if status == "interrupted":
            raise Interrupted(result)
        return result

    def _teller(self, place: _Place) -> Callable[[TraceRecord], None]:
        def tell(record: TraceRecord) -> None:
            if self._callback is None:
                return
            with record.showing(lambda: np.asarray(place.labels[...])):
                stop = self._callback(record)
            if stop:
                self._stopped = True
                raise Halted

        return tell

    def _energy(self, run: Run, status: str) -> float:
        """The energy of the labels; read afresh at the end, and where nothing is known yet."""
        known = run.state.energy
        if known is not None and status not in ("optimal", "converged"):
            return known
        energy = run.sum_up()
        if known is not None and run.state.exact and energy != known:
            raise ValueError(
                "source and weights must give the same numbers whenever they are asked; found an "
                f"energy of {energy:.17g} where {known:.17g} was counted"
            )
        return energy


def _engine(client: Any, workers: int, backend: str, halted: Callable[[], bool]) -> Engine:
    if client is None:
        return Threads(workers, halted)
    from .dask_engine import DaskWorkers

    return DaskWorkers(client, halted, on_gpu=backend not in ("cpu", "auto"))


def _as_given(labels: Any, source: Any) -> Any:
    """Labels with the coordinates and attributes of a DataArray, where source is one."""
    if not (hasattr(source, "dims") and hasattr(source, "coords")):
        return labels
    dims = source.dims[:-1]
    coords = {name: one for name, one in source.coords.items() if set(one.dims) <= set(dims)}
    return type(source)(
        np.asarray(labels), dims=dims, coords=coords, attrs=source.attrs, name=source.name
    )
