"""Tiles on the workers of a dask.distributed Client.

Workers read their boxes by themselves: what travels is the problem, as the names of files or as
code, and per tile its labels or border messages. Dask moves tiles of a worker that dies to another
one; what a tile brings depends on nothing but what it is given, so that changes no answer.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

from .._optional import optional_import
from ..errors import describe
from .engines import GLANCE, Work
from .problem import Problem
from .work import Halted, Outcome, Settings

__all__ = ["DaskWorkers", "find_client"]

# The scheduler gives up on a tile after a few dead workers: it could be what killed them. A tile is
# tried again so often before that is believed.
MOST_RETRIES = 4

# Bytes of a problem that may travel to the workers with every tile.
LARGEST_PROBLEM = 1 << 22


def find_client(client: Any) -> Any:
    """Return the client that was meant, or say what is wrong with it."""
    distributed = optional_import("distributed", purpose="client=", extra="distributed")
    if isinstance(client, str):
        if client != "current":
            raise ValueError(
                f"client must be a dask.distributed.Client or 'current'; found {client!r}"
            )
        try:
            return distributed.get_client()
        except ValueError as error:
            raise ValueError(
                "client='current' must have one to find; found none; make a "
                "dask.distributed.Client first"
            ) from error
    if not isinstance(client, distributed.Client):
        raise TypeError(
            f"client must be a dask.distributed.Client or 'current'; found {describe(client)}"
        )
    if client.status != "running" or client.asynchronous:
        how = "an asynchronous one" if client.asynchronous else f"one that is {client.status}"
        raise ValueError(f"client must be connected, to be used from plain code; found {how}")
    if not client.nthreads():
        warnings.warn("client has no workers yet; tiles wait until it has some", stacklevel=4)
    return client


class DaskWorkers:
    """Tiles on the workers of a client.

    Parameters
    ----------
    client : dask.distributed.Client
        Whose workers.
    halted : callable
        Whether the run shall end; asked often.
    late : callable
        Whether the time of the run is over.
    on_gpu : bool
        Whether tiles need a worker that was started with ``--resources "GPU=1"``.
    """

    def __init__(
        self, client: Any, halted: Callable[[], bool], late: Callable[[], bool], on_gpu: bool
    ) -> None:
        self._client, self._halted, self._late = client, halted, late
        self._resources = {"GPU": 1} if on_gpu else None

    def run(
        self, problem: Problem, settings: Settings, work: Work, jobs: Iterable[tuple[int, Any]]
    ) -> Iterator[tuple[int, Outcome]]:
        """Yield the number of each job and its outcome, in any order; raise Halted to end."""
        distributed = optional_import("distributed", purpose="client=", extra="distributed")
        packed = _packed(problem, settings)
        running: dict[Any, tuple[int, Any, int]] = {}

        def start(number: int, arguments: Any, tries: int) -> None:
            future = self._client.submit(
                _do, packed, work, arguments, pure=False, resources=self._resources
            )
            running[future] = (number, arguments, tries)

        left = iter(jobs)
        try:
            while True:
                while len(running) < self._most_at_once():
                    job = next(left, None)
                    if job is None:
                        break
                    start(*job, 0)
                if not running:
                    return
                for future in self._finished(list(running), distributed):
                    number, arguments, tries = running.pop(future)
                    try:
                        yield number, future.result()
                    except distributed.KilledWorker:
                        if tries >= MOST_RETRIES:
                            raise
                        start(number, arguments, tries + 1)
        finally:
            self._client.cancel(list(running))

    def _most_at_once(self) -> int:
        # One waits while one is worked on; more would only take memory.
        threads: list[int] = list(self._client.nthreads().values())
        return max(1, 2 * sum(threads))

    def _finished(self, futures: list[Any], distributed: Any) -> Iterable[Any]:
        done: set[Any] = set()
        # Dask waits with the client that is current, which another one may be.
        with suppress(TimeoutError), self._client.as_current():
            done = distributed.wait(futures, GLANCE, "FIRST_COMPLETED").done
        if self._halted():
            raise Halted
        if not done and self._late() and not self._client.nthreads():
            raise TimeoutError(
                "client must have workers; found none until the time limit; start some, or wait "
                "for them with client.wait_for_workers(1)"
            )
        return done


def _packed(problem: Problem, settings: Settings) -> bytes:
    cloudpickle = optional_import("cloudpickle", purpose="client=", extra="distributed")
    try:
        data: bytes = cloudpickle.dumps((problem, settings))
    except (TypeError, AttributeError) as error:
        raise TypeError(
            f"source, weights and mask must travel to the workers of client; {error}; pass a zarr "
            "or dask array, or a function that opens what it needs"
        ) from error
    if len(data) > LARGEST_PROBLEM:
        raise ValueError(
            "source, weights and mask must be things that workers read by themselves; found "
            f"{len(data) / 1e6:.1f} MB to send with every tile; pass zarr or dask arrays, memory "
            "maps of files that all workers see, or functions of a box"
        )
    return data


@functools.lru_cache(maxsize=2)
def _unpacked(packed: bytes) -> tuple[Problem, Settings]:
    cloudpickle = optional_import("cloudpickle", purpose="client=", extra="distributed")
    problem, settings = cloudpickle.loads(packed)
    return problem, settings


def _do(packed: bytes, work: Work, arguments: tuple[Any, ...]) -> Outcome:
    """What a worker is asked to do."""
    problem, settings = _unpacked(packed)
    return work(problem, settings, *arguments)
