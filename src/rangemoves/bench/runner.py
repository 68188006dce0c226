"""The queue: so many processes at a time, the expensive cells first, what they need before them."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Any, Protocol

from . import worker
from .store import Cell, Job, Store

COMMAND = (sys.executable, "-m", "rangemoves.bench.worker")
# How much later than its limit a cell may end: a limit is looked at between steps.
GRACE_SECONDS = 60.0
_POLL_SECONDS = 0.05


class Display(Protocol):
    """What a run tells while it goes on."""

    def started(self, job: Job) -> None:
        """A cell has been started."""

    def finished(self, job: Job, cell: Cell) -> None:
        """A cell has ended."""


@dataclass
class _Running:
    job: Job
    process: subprocess.Popen[bytes]
    errors: IO[bytes]
    begin: float

    def overdue(self) -> bool:
        limit = self.job.limit
        return limit is not None and self.seconds() > 1.5 * limit + GRACE_SECONDS

    def seconds(self) -> float:
        return time.perf_counter() - self.begin

    def stop(self) -> None:
        """End the process at once; what it had written of its cell is not the cell."""
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
    jobs: Sequence[Job],
    about: dict[str, Any],
    *,
    processes: int,
    display: Display,
    force: bool = False,
    command: Sequence[str] = COMMAND,
) -> dict[str, Any]:
    """Run the jobs that are not finished yet, and return the results.

    Parameters
    ----------
    store : Store
        The folder, opened.
    jobs : sequence of Job
        What is wanted; those finished with the same settings are kept.
    about : dict
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
    if force:
        for job in jobs:
            store.forget(job)
    waiting = _by_cost([job for job in jobs if store.kept(job) is None])
    again = {job.name for job in waiting}
    # What a finished cell started from is about to be another one.
    dependants = [job for job in jobs if job.needs in again and job.name not in again]
    waiting = _by_cost(waiting + dependants)
    for job in waiting:
        failed = store.stored(job.name)
        if job in dependants or (failed is not None and failed["status"] == "failed"):
            store.forget(job)
    store.write_results(store.results(about, jobs))
    with _processes(store, command) as running:
        while waiting or running:
            while len(running) < processes and (turn := _next(waiting, running)) is not None:
                waiting.remove(turn)
                if _lacks_start(store, turn):
                    why = f"what it starts from, {turn.needs}, has no result"
                    _record_failure(store, turn, why)
                    display.finished(turn, _ended(store, turn))
                    continue
                running.append(_start(store, turn, command))
                display.started(turn)
            time.sleep(_POLL_SECONDS)
            for one in list(running):
                if _has_ended(store, one):
                    running.remove(one)
                    display.finished(one.job, _ended(store, one.job))
                    store.write_results(store.results(about, jobs))
    results = store.results(about, jobs)
    store.write_results(results)
    return results


def left(store: Store, jobs: Sequence[Job]) -> list[Job]:
    """Return the jobs that are not finished."""
    return [job for job in jobs if store.kept(job) is None]


def _by_cost(jobs: list[Job]) -> list[Job]:
    """The longest first; a job that others need counts as long as the longest of them, too."""
    longest: dict[str, float] = {}
    for job in jobs:
        if job.needs is not None:
            longest[job.needs] = max(longest.get(job.needs, 0.0), job.cost)
    return sorted(jobs, key=lambda job: -job.cost - longest.get(job.name, 0.0))


def _next(waiting: list[Job], running: list[_Running]) -> Job | None:
    unfinished = {job.name for job in waiting} | {one.job.name for one in running}
    return next((job for job in waiting if job.needs not in unfinished), None)


def _lacks_start(store: Store, job: Job) -> bool:
    if job.needs is None:
        return False
    cell = store.stored(job.needs)
    return cell is None or cell.get("result") is None


@contextmanager
def _processes(store: Store, command: Sequence[str]) -> Iterator[list[_Running]]:
    running: list[_Running] = []
    try:
        yield running
    finally:
        for one in running:
            one.process.kill()
        for one in running:
            one.stop()
        store.sweep()


def _start(store: Store, job: Job, command: Sequence[str]) -> _Running:
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - open for as long as the process runs
    process = subprocess.Popen(
        list(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        # Ctrl-C in a terminal goes to all of a session: it is for the parent to answer.
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


def _record_failure(store: Store, job: Job, error: str) -> None:
    store.write(job, {**job.cell, "status": "failed", "error": error})


def _ended(store: Store, job: Job) -> Cell:
    cell = store.stored(job.name)
    return cell if cell is not None else {**job.cell, "status": "pending"}
