"""Who works on the tiles: threads of this process (the core releases the GIL), or Dask workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Protocol

from .problem import Problem
from .work import Halted, Outcome, Settings

__all__ = ["Engine", "Threads"]

Work = Callable[..., Outcome]

# Seconds between two looks at the clock and for Ctrl-C while tiles are worked on.
GLANCE = 0.1


class Engine(Protocol):
    """Works on tiles, several at a time."""

    def run(
        self, problem: Problem, settings: Settings, work: Work, jobs: Iterable[tuple[int, Any]]
    ) -> Iterator[tuple[int, Outcome]]:
        """Yield the number of each job and its outcome, in any order; raise Halted to end."""
        ...


class Threads:
    """Tiles in threads of this process.

    Parameters
    ----------
    workers : int
        How many tiles at a time.
    halted : callable
        Whether the run shall end; asked often.
    """

    def __init__(self, workers: int, halted: Callable[[], bool]) -> None:
        self._workers, self._halted = workers, halted

    def run(
        self, problem: Problem, settings: Settings, work: Work, jobs: Iterable[tuple[int, Any]]
    ) -> Iterator[tuple[int, Outcome]]:
        """Yield the number of each job and its outcome, in any order; raise Halted to end."""
        running: dict[Future[Outcome], int] = {}
        left = iter(jobs)
        with ThreadPoolExecutor(self._workers, "rangemoves-tile") as pool:
            try:
                while True:
                    # One waits, so that a thread that is done goes on at once; more would only
                    # take memory.
                    while len(running) <= self._workers:
                        job = next(left, None)
                        if job is None:
                            break
                        number, arguments = job
                        running[pool.submit(work, problem, settings, *arguments)] = number
                    if not running:
                        return
                    done, _ = wait(running, GLANCE, FIRST_COMPLETED)
                    if self._halted():
                        raise Halted
                    for future in done:
                        yield running.pop(future), future.result()
            finally:
                for future in running:
                    future.cancel()
