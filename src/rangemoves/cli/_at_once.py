"""Many pairs: one after the other, several at a time in threads, or on Dask workers."""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .._optional import optional_import
from ..machine import available_cores
from ._pairs import PairFiles

if TYPE_CHECKING:
    from .stereo_batch import Batch

__all__ = ["in_turn"]

Done = Generator[tuple[PairFiles, dict[str, Any]], None, None]

# Seconds between two chances for Ctrl-C to be answered.
GLANCE = 0.1


def in_turn(
    batch: Batch, pairs: Sequence[PairFiles], force: bool, workers: int, client: Any
) -> Done:
    """Yield each pair with what is known of it, as it is done.

    Parameters
    ----------
    batch : Batch
        Does a pair.
    pairs : sequence of PairFiles
        All of them.
    force : bool
        Whether finished pairs are done again.
    workers : int
        Pairs at a time in this process.
    client : dask.distributed.Client or None
        Whose workers do them instead.
    """
    if client is not None:
        return _on_workers(batch, pairs, force, client)
    if workers > 1:
        return _in_threads(batch, pairs, force, workers)
    return ((pair, batch.do(pair, force)) for pair in pairs)


def _in_threads(batch: Batch, pairs: Sequence[PairFiles], force: bool, workers: int) -> Done:
    over = threading.Event()
    cores = batch.matcher.threads or available_cores()
    # Threads change no map: they may differ from those of the settings.
    shared = replace(batch.matcher, threads=max(1, cores // workers))
    batch = replace(batch, matcher=shared, at_once=min(workers, len(pairs)))
    with ThreadPoolExecutor(workers, "rangemoves-pair") as pool:
        running = {pool.submit(batch.do, pair, force, over.is_set): pair for pair in pairs}
        try:
            while running:
                # In the order of the pairs, where several are done.
                done = wait(running, GLANCE, FIRST_COMPLETED).done
                for future in [one for one in running if one in done]:
                    yield running.pop(future), future.result()
        finally:
            over.set()
            for future in running:
                future.cancel()


def _on_workers(batch: Batch, pairs: Sequence[PairFiles], force: bool, client: Any) -> Done:
    distributed = optional_import("distributed", purpose="--scheduler", extra="distributed")
    there = [replace(pair, left=pair.left.resolve(), right=pair.right.resolve()) for pair in pairs]
    batch = replace(batch, output=batch.output.resolve())
    named = dict(zip((pair.name for pair in there), pairs, strict=True))
    futures = {client.submit(batch.do, pair, force, pure=False, retries=3): pair for pair in there}
    with client.as_current():
        completed = distributed.as_completed(futures)
    try:
        for future in completed:
            pair = named[futures[future].name]
            try:
                stored = future.result()
            except (distributed.KilledWorker, OSError) as error:
                stored = {"error": f"the worker failed: {error}"}
            yield pair, stored
    finally:
        # Only what is not done: the scheduler tells every client of it, and one that is just
        # connecting fails by it.
        unfinished = [future for future in futures if not future.done()]
        if unfinished:
            client.cancel(unfinished)
