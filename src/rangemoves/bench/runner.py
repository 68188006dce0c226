"""The queue: so many processes at a time, what is wanted soonest first, what it needs before it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import IO, Protocol

from . import worker
from .cell import About, Cell, Results
from .store import Job, Store

COMMAND = (sys.executable, "-m", "rangemoves.bench.worker")
# How long past its limit a cell may run before it is killed: solvers check limits between steps.
GRACE_SECONDS = 60.0
_POLL_SECONDS = 0.05


class Display(Protocol):
    """What a run tells while it goes on."""

    def started(self, job: Job[Cell]) -> None:
        """A cell has been started."""

    def finished(self, job: Job[Cell], cell: Cell) -> None:
        """A cell has ended."""


@dataclass
class _Running:
    job: Job[Cell]
    process: subprocess.Popen[bytes]
    errors: IO[bytes]
    begin: float

    def overdue(self) -> bool:
        limit = self.job.limit
        return limit is not None and self.seconds() > 1.5 * limit + GRACE_SECONDS

    def seconds(self) -> float:
        return time.perf_counter() - self.begin

    def stop(self) -> None:
        """Kill the process; a half-written cell does not count."""
        self.process.kill()
        self.process.wait()
        self.close()

    def close(self) -> None:
        if self.process.stdin is not None:
            with suppress(OSError):
                self.process.stdin.close()
        self.errors.close()

    def last_words(self) -> str:
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""


def run(
    store: Store,
    jobs: Sequence[Job[Cell]],
    about: About,
    *,
    processes: int,
    display: Display,
    force: bool = False,
    command: Sequence[str] = COMMAND,
) -> Results[Cell]:
    """Run the jobs that are not finished yet, and return the results.

    Parameters
    ----------
    store : Store
        The folder, opened.
    jobs : sequence of Job
        What is wanted; those finished with the same settings are kept.
    about : About
        What the results say of the run.
    processes : int
        How many cells are run at a time.
    display : Display
        Is told what starts and ends.
    force : bool
        Run all jobs, also finished ones.
    command : sequence of str
        What starts the process of a cell.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, once all processes have been ended and the results written.
    """
    waiting = _to_run(store, jobs, force)
    store.write_results(store.results(about, jobs))
    with _processes(store) as running:
        while waiting or running:
            _fill(store, waiting, running, processes, command, display)
            time.sleep(_POLL_SECONDS)
            for one in list(running):
                if _has_ended(store, one):
                    running.remove(one)
                    display.finished(one.job, _ended(store, one.job))
                    store.write_results(store.results(about, jobs))
    results = store.results(about, jobs)
    store.write_results(results)
    return results


def _to_run(store: Store, jobs: Sequence[Job[Cell]], force: bool) -> list[Job[Cell]]:
    """Return the jobs to run, in order, and remove what earlier runs left of them."""
    if force:
        for job in jobs:
            store.forget(job)
    waiting = [job for job in jobs if store.kept(job) is None]
    again = {job.name for job in waiting}
    # Finished cells whose start is about to change.
    dependants = [job for job in jobs if job.needs in again and job.name not in again]
    for job in waiting + dependants:
        earlier = store.stored(job.name)
        if job in dependants or (earlier is not None and earlier.status == "failed"):
            store.forget(job)
    return _in_order(waiting + dependants)


def _fill(
    store: Store,
    waiting: list[Job[Cell]],
    running: list[_Running],
    processes: int,
    command: Sequence[str],
    display: Display,
) -> None:
    """Start waiting jobs while there is room; fail those whose start has no result."""
    while len(running) < processes and (turn := _next(waiting, running)) is not None:
        waiting.remove(turn)
        if _lacks_start(store, turn):
            why = f"what it starts from, {turn.needs}, has no result"
            _record_failure(store, turn, why)
            display.finished(turn, _ended(store, turn))
            continue
        running.append(_start(store, turn, command))
        display.started(turn)


def left(store: Store, jobs: Sequence[Job[Cell]]) -> list[Job[Cell]]:
    """Return the jobs that are not finished."""
    return [job for job in jobs if store.kept(job) is None]


def _in_order(jobs: list[Job[Cell]]) -> list[Job[Cell]]:
    """Tier by tier; a job that others need belongs to the first tier of these.

    The short ones of a tier first: whenever a run is stopped, most of what matters is there. In the
    last tier the longest first, or one of them would keep a single process busy at the end.
    """
    longest: dict[str, float] = {}
    soonest: dict[str, int] = {}
    for job in jobs:
        if job.needs is not None:
            longest[job.needs] = max(longest.get(job.needs, 0.0), job.cost)
            soonest[job.needs] = min(soonest.get(job.needs, job.tier), job.tier)
    last = max((job.tier for job in jobs), default=0)

    def place(job: Job[Cell]) -> tuple[int, float]:
        tier = min(job.tier, soonest.get(job.name, job.tier))
        return tier, job.cost if tier < last else -job.cost - longest.get(job.name, 0.0)

    return sorted(jobs, key=place)


def _next(waiting: list[Job[Cell]], running: list[_Running]) -> Job[Cell] | None:
    unfinished = {job.name for job in waiting} | {one.job.name for one in running}
    return next((job for job in waiting if job.needs not in unfinished), None)


def _lacks_start(store: Store, job: Job[Cell]) -> bool:
    if job.needs is None:
        return False
    cell = store.stored(job.needs)
    return cell is None or getattr(cell, "result", None) is None


@contextmanager
def _processes(store: Store) -> Iterator[list[_Running]]:
    running: list[_Running] = []
    try:
        yield running
    finally:
        for one in running:
            one.process.kill()
        for one in running:
            one.stop()
        store.sweep()


def _start(store: Store, job: Job[Cell], command: Sequence[str]) -> _Running:
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - open for as long as the process runs
    process = subprocess.Popen(
        list(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        # A session of its own: Ctrl-C in the terminal then reaches the parent alone.
        start_new_session=True,
    )
    assert process.stdin is not None
    with suppress(BrokenPipeError):
        process.stdin.write(worker.message(store.out.resolve(), job))
        process.stdin.flush()
    return _Running(job, process, errors, time.perf_counter())


def _has_ended(store: Store, one: _Running) -> bool:
    if one.process.poll() is None:
        if not one.overdue():
            return False
        one.process.kill()
        one.process.wait()
        _record_failure(
            store, one.job, f"ended by force {one.seconds():.0f} s after its start: past its limit"
        )
    elif store.kept(one.job) is None:
        code = one.process.returncode
        how = f"exit code {code}" if code >= 0 else f"killed by signal {-code}"
        _record_failure(store, one.job, one.last_words() or f"its process ended with {how}")
    one.close()
    return True


def _record_failure(store: Store, job: Job[Cell], error: str) -> None:
    store.write(job, replace(job.cell, status="failed", error=error))


def _ended(store: Store, job: Job[Cell]) -> Cell:
    cell = store.stored(job.name)
    return cell if cell is not None else replace(job.cell, status="pending")
