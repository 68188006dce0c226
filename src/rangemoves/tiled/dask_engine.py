"""Tiles on the workers of a dask.distributed Client.

Workers read their boxes by themselves: what travels is the problem, as the names of files or as
code, and per tile its labels or border messages. Dask moves tiles of a worker that dies to another
one; what a tile brings depends on nothing but what it is given, so that changes no answer.

Some backends need workers that have something, which Dask calls resources: a worker says what it
has when it is started, a tile says what it needs, and the scheduler brings them together.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from .._optional import optional_import
from ..errors import BackendError, describe
from .engines import GLANCE, Work
from .problem import Problem
from .work import Halted, Outcome, Settings

__all__ = [
    "RESOURCES",
    "DaskWorkers",
    "able_workers",
    "find_client",
    "needed_resources",
    "require_backend",
]

Resources = Mapping[str, float]

# What a worker must have for each tile of a backend: dask worker --resources "GPU=1".
RESOURCES: dict[str, Resources] = {"cuda": {"GPU": 1}}

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


def needed_resources(backend: str) -> Resources:
    """Return what a worker must have: what the caller has annotated, and what a backend needs."""
    dask = optional_import("dask", purpose="client=", extra="distributed")
    annotated: Resources = dask.get_annotations().get("resources") or {}
    return {**annotated, **RESOURCES.get(backend, {})}


def able_workers(client: Any, needed: Resources) -> dict[str, int]:
    """Return the addresses of workers that have what is needed, and how many tiles each can do."""
    able = {}
    for address, one in client.scheduler_info(n_workers=-1)["workers"].items():
        has = one.get("resources") or {}
        enough = [int(has.get(name, 0) // amount) for name, amount in needed.items()]
        tiles = min([int(one["nthreads"]), *enough])
        if tiles > 0:
            able[address] = tiles
    return able


def require_backend(client: Any, backend: str, needed: Resources) -> None:
    """Say early what keeps the workers of a client from working; without any there is time left.

    Raises
    ------
    BackendError
        If no worker has what the backend needs, or one of those that do cannot run it, or does not
        even have this package.
    ValueError
        If no worker has the resources that the caller has annotated.
    """
    count = len(client.nthreads())
    able = able_workers(client, needed)
    if count and not able:
        flags = " ".join(f"{name}={amount:g}" for name, amount in needed.items())
        kind = BackendError if backend in RESOURCES else ValueError
        raise kind(
            f"client must have a worker with the resources {flags}"
            f"{f' for backend={backend!r}' if backend in RESOURCES else ''}; found none among "
            f'{count}; start some with: dask worker --resources "{flags}"'
        )
    for address, found in client.run(_asked_for(), workers=list(able), on_error="return").items():
        if isinstance(found, ImportError):
            # Dask would try to send it tiles for ever.
            raise BackendError(f"client must have workers with rangemoves; {address} has: {found}")
        if backend in RESOURCES and isinstance(found, list) and backend not in found:
            raise BackendError(
                f"backend must be one of {', '.join(found)}, which the worker {address} has; found "
                f"{backend!r}"
            )


def _asked_for() -> Callable[[], list[str]]:
    """A function that travels as code, also to where this package is not."""

    def backends() -> list[str]:
        from rangemoves import _core

        return list(_core.backends())

    return backends


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
    needed : mapping
        Resources that a worker must have for a tile, such as ``{"GPU": 1}``.
    """

    def __init__(
        self, client: Any, halted: Callable[[], bool], late: Callable[[], bool], needed: Resources
    ) -> None:
        self._client, self._halted, self._late, self._needed = client, halted, late, needed

    def run(
        self, problem: Problem, settings: Settings, work: Work, jobs: Iterable[tuple[int, Any]]
    ) -> Iterator[tuple[int, Outcome]]:
        """Yield the number of each job and its outcome, in any order; raise Halted to end."""
        distributed = optional_import("distributed", purpose="client=", extra="distributed")
        packed = _packed(problem, settings)
        running: dict[Any, tuple[int, Any, int]] = {}

        def start(number: int, arguments: Any, tries: int) -> None:
            future = self._client.submit(
                _do, packed, work, arguments, pure=False, resources=dict(self._needed) or None
            )
            running[future] = (number, arguments, tries)

        left = iter(jobs)
        try:
            while True:
                most = self._most_at_once()
                while len(running) < most:
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
            # Only where there is something: the scheduler tells every client of it, and one that
            # is just connecting takes that for the answer to its greeting and fails.
            if running:
                self._client.cancel(list(running))

    def _most_at_once(self) -> int:
        # One waits while one is worked on; more would only take memory.
        return max(1, 2 * sum(able_workers(self._client, self._needed).values()))

    def _finished(self, futures: list[Any], distributed: Any) -> Iterable[Any]:
        done: set[Any] = set()
        # Dask waits with the client that is current, which another one may be.
        with suppress(TimeoutError), self._client.as_current():
            done = distributed.wait(futures, GLANCE, "FIRST_COMPLETED").done
        if self._halted():
            raise Halted
        if not done and self._late() and not able_workers(self._client, self._needed):
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
