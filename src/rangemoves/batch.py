"""Many energies, one method: small ones side by side, large ones one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from .energy import Energy
from .errors import BackendError, Interrupted, as_flag, describe
from .interruption import Interruption
from .minimize import Task, task_from
from .progress import counting_bar
from .result import Result, TraceRecord

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .signatures import (
        AnyRun,
        BestRun,
        Callback,
        EngineRun,
        ExpansionRun,
        GswapfRun,
        GswapRun,
        IrgcExpansionRun,
        IrgcRun,
        MethodName,
        RexpRun,
        RswapeRun,
        RswapRun,
        Start,
        SwapRun,
    )

__all__ = ["minimize_batch"]

# Costs of an energy (variables times labels) from which on it is solved alone, with all threads:
# each run holds memory of its own, tens of megabytes at this size.
LARGE = 2**20


@overload
def minimize_batch(
    energies: Iterable[Energy],
    method: Literal["auto", "gswap"] = "auto",
    init: Start | Sequence[Result] = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[GswapRun],
) -> list[Result]: ...


@overload
def minimize_batch(
    energies: Iterable[Energy],
    method: Literal["ishikawa"],
    init: Start | Sequence[Result] = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[EngineRun],
) -> list[Result]: ...


@overload
def minimize_batch(
    energies: Iterable[Energy],
    method: Literal["best"],
    init: Start | Sequence[Result] = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[BestRun],
) -> list[Result]: ...


@overload
def minimize_batch(
    energies: Iterable[Energy],
    method: Literal["gswapf"],
    init: Start | Sequence[Result] = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[GswapfRun],
) -> list[Result]: ...


@overload
def minimize_batch(
    energies: Iterable[Energy],
    method: Literal["expansion"],
    init: Start | Sequence[Result] = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[ExpansionRun],
) -> list[Result]: ...


@overload
def minimize_batch(
    energies: Iterable[Energy],
    method: Literal["swap"],
    init: Start | Sequence[Result] = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[SwapRun],
) -> list[Result]: ...


@overload
def minimize_batch(
    energies: Iterable[Energy],
    method: Literal["rswap"],
    init: Start | Sequence[Result] = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[RswapRun],
) -> list[Result]: ...


@overload
def minimize_batch(
    energies: Iterable[Energy],
    method: Literal["rswape"],
    init: Start | Sequence[Result] = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[RswapeRun],
) -> list[Result]: ...


@overload
def minimize_batch(
    energies: Iterable[Energy],
    method: Literal["rexp"],
    init: Start | Sequence[Result] = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[RexpRun],
) -> list[Result]: ...


@overload
def minimize_batch(
    energies: Iterable[Energy],
    method: Literal["irgc"],
    init: Start | Sequence[Result] = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[IrgcRun],
) -> list[Result]: ...


@overload
def minimize_batch(
    energies: Iterable[Energy],
    method: Literal["irgc+expansion"],
    init: Start | Sequence[Result] = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[IrgcExpansionRun],
) -> list[Result]: ...


@overload
def minimize_batch(
    energies: Iterable[Energy],
    method: MethodName | str,
    init: Start | Sequence[Result] = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[AnyRun],
) -> list[Result]: ...


def minimize_batch(
    energies: Iterable[Energy],
    method: MethodName | str = "auto",
    init: Start | Sequence[Result] = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Any,
) -> list[Result]:
    """Find a labelling of low energy for each of many energies.

    Each answer is the one that :func:`rangemoves.minimize` gives. Small energies are solved side by
    side, each with its part of the threads; large ones, for which memory matters, one after the
    other.

    Parameters
    ----------
    energies : iterable of Energy
        What to minimise, of any sizes.
    method : str, default "auto"
        As for :func:`rangemoves.minimize`.
    init : array_like, str, Result, list of Result or None
        The labelling to start from, for all the same, or a list with a result for each.
    callback : callable, optional
        Called with each :class:`TraceRecord` of each run, by one thread at a time; the run that the
        record is of stops when it returns True.
    time_limit : float, optional
        Seconds after which each run stops with the best labelling so far, counted from its own
        start.
    max_iter : int, optional
        The most iterations of each run.
    threads : int, optional
        Number of threads of all runs together, by default all cores. The answers do not depend on
        it.
    seed : int, default 0
        For everything that is random, in each run.
    progress : bool, default False
        True shows a bar that counts the energies.
    **options
        All else that :func:`rangemoves.minimize` takes; ``max_memory`` is what each run may use.

    Returns
    -------
    list of Result
        In the order of the energies.

    Raises
    ------
    ValueError, TypeError, OverflowError, MemoryError, BackendError
        As :func:`rangemoves.minimize` does; the message says which energy it is about. The other
        runs are stopped.
    Interrupted
        On Ctrl-C; ``.results`` has the best labelling so far of each, those that were not begun at
        their start.

    Examples
    --------
    >>> import numpy as np
    >>> import rangemoves as rm
    >>> costs = np.random.default_rng(0).integers(0, 20, (3, 10, 12, 5))
    >>> energies = [rm.Energy(unary, rm.TruncatedLinear(2), 4) for unary in costs]
    >>> results = rm.minimize_batch(energies, "gswap")
    >>> [result.energy == energy(result.labels) for result, energy in zip(results, energies)]
    [True, True, True]
    """
    given = _checked(energies)
    task = task_from(method, {**options, "max_iter": max_iter, "threads": threads, "seed": seed})
    starts = _starts(init, len(given))
    if as_flag(progress, "progress"):
        results = None
        try:
            with counting_bar(task.method.name, len(given)) as show:
                batch = _Batch(task, given, starts, _one_at_a_time(callback), time_limit, show)
                results = batch.solve()
        except KeyboardInterrupt:
            if not results:
                raise
            # It came while the bar was taken away.
            raise Interrupted(results[0]._but(status="interrupted"), results) from None
        return results
    return _Batch(task, given, starts, _one_at_a_time(callback), time_limit).solve()


@dataclass
class _Batch:
    """All runs of one call. They are in threads of their own; this one waits for Ctrl-C."""

    task: Task
    energies: list[Energy]
    starts: list[Start]
    callback: Callback | None
    time_limit: float | None
    show: Callable[[int], None] = lambda done: None

    def solve(self) -> list[Result]:
        """Solve all of them."""
        # Setting `arrived` of one stops that run.
        self._stops = [Interruption() for _ in self.energies]
        self._results: dict[int, Result] = {}
        small = [k for k, energy in enumerate(self.energies) if energy.unary.size < LARGE]
        large = [k for k, energy in enumerate(self.energies) if energy.unary.size >= LARGE]
        with Interruption() as interruption:
            self._side_by_side(small, min(len(small), self.task.workers), interruption)
            self._side_by_side(large, min(len(large), 1), interruption)
        results = [self._results[k] for k in range(len(self.energies))]
        if interruption.arrived:
            stopped = [result for result in results if result.status == "interrupted"]
            raise Interrupted([*stopped, *results][0], results)
        return results

    def _side_by_side(self, places: list[int], count: int, interruption: Interruption) -> None:
        if not places:
            return
        task = replace(self.task, workers=max(1, self.task.workers // count))
        with ThreadPoolExecutor(count) as pool:
            runs = {pool.submit(self._run, task, k): k for k in places}
            try:
                interruption.expose(lambda: self._watch(runs))
            except KeyboardInterrupt:
                interruption.arrived = True
                self._stop_all()
            except BaseException:
                self._stop_all()
                raise
        self._results.update({k: run.result() for run, k in runs.items()})

    def _watch(self, runs: Iterable[Future[Result]]) -> None:
        """Wait until all have ended, or one has failed."""
        for done, run in enumerate(as_completed(runs), 1 + len(self._results)):
            run.result()
            self.show(done)

    def _stop_all(self) -> None:
        for stop in self._stops:
            stop.arrived = True

    def _run(self, task: Task, k: int) -> Result:
        try:
            return task.solve(
                self.energies[k], self.starts[k], self.callback, self.time_limit, self._stops[k]
            )
        except Interrupted as stopped:
            return stopped.result
        except _ERRORS as error:
            if type(error) not in _ERRORS:  # somebody's own, from a callback
                raise
            raise type(error)(f"energies[{k}]: {error}") from error


_ERRORS = (ValueError, TypeError, OverflowError, MemoryError, BackendError)


def _checked(energies: Iterable[Energy]) -> list[Energy]:
    if isinstance(energies, Energy) or not isinstance(energies, Iterable):
        raise TypeError(f"energies must be a list of rm.Energy; found {describe(energies)}")
    found = list(energies)
    for k, energy in enumerate(found):
        if not isinstance(energy, Energy):
            raise TypeError(f"energies[{k}] must be an rm.Energy; found {describe(energy)}")
    return found


def _starts(init: Start | Sequence[Result], count: int) -> list[Start]:
    if isinstance(init, list | tuple) and all(isinstance(one, Result) for one in init):
        if len(init) != count:
            found = f"{count} energies; found {len(init)}"
            raise ValueError(f"init must have a result for each of {found}")
        return list(init)
    return [cast("Start", init)] * count


def _one_at_a_time(callback: Callback | None) -> Callback | None:
    if not callable(callback):
        return callback  # none, or refused by every run
    calling = Lock()

    def tell(record: TraceRecord) -> object:
        with calling:
            return callback(record)

    return tell
