"""The folder of a run: one file per finished cell, and the results made from them.

A cell is finished when its file ``cells/NAME.json`` is there; files appear whole or not at all, so
a run that was stopped in whatever way is resumed by running it again. ``results.json`` and
``results.csv`` hold all cells, also those that failed or have not been run yet.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, TypedDict

from ..io import write_atomically
from .cell import CELLS, About, C_co, Cell, Kind, Results, cell_of, record_of

RESULTS = "results.json"
_LOCK = ".lock"
# Run again by the next run: the cause may have been the machine.
NOT_KEPT = ("failed", "pending")


class Settings(TypedDict, total=False):
    """All that the outcome of a cell depends on; a kind of cell has some of these."""

    version: str
    commit: str
    problem: str
    time_limit: float | None
    max_iter: int | None
    options: dict[str, Any]
    threads: int
    seed: int
    weight: int
    repeat: int


class Parameters(TypedDict, total=False):
    """What a cell is made from besides."""

    data: str | None
    shape: list[int]


@dataclass(frozen=True)
class Job(Generic[C_co]):
    """A cell to be run.

    Attributes
    ----------
    name : str
        Of its files.
    task : {"paper", "scaling", "compare"}
        Which function of the worker runs it.
    cell : Cell
        What is known of the cell before it is run.
    settings : Settings
        What it is run with, and what a finished cell must have been run with to be kept.
    order : tuple
        Its place among all cells.
    tier : int
        How soon it is wanted: all of a tier are started before any of the next.
    cost : float
        About how many seconds it takes; the cheap ones of a tier go first, in the last tier the
        expensive ones.
    limit : float or None
        Seconds after which it ends by itself.
    needs : str or None
        Name of the job that must have ended before.
    parameters : Parameters
        Where its data are, or how large they are.
    """

    name: str
    task: Kind
    cell: C_co
    settings: Settings
    order: tuple[int, ...]
    tier: int = 0
    cost: float = 1.0
    limit: float | None = None
    needs: str | None = None
    parameters: Parameters = field(default_factory=Parameters)


@dataclass(frozen=True)
class _Record:
    """What the file of a finished cell holds."""

    settings: dict[str, Any]
    order: list[int]
    cell: Cell


class Store:
    """The folder of a run of one kind: "paper", "scaling" or "compare"."""

    def __init__(self, out: Path, kind: Kind, *, any_commit: bool = False) -> None:
        self.out, self.kind, self.any_commit = out, kind, any_commit
        self.cells = out / "cells"

    def open(self) -> None:
        """Create the folder, or go on with one of the same kind; refuse any other."""
        if self.out.exists() and not self.out.is_dir():
            raise FileExistsError(f"{self.out} must be a folder; found a file; choose another name")
        if self.out.is_dir() and any(path.name != _LOCK for path in self.out.iterdir()):
            found = _kind_of(self.out)
            if found != self.kind:
                what = "other files" if found is None else f"a run of 'bench {found}'"
                raise FileExistsError(
                    f"{self.out} must be empty or hold a run of 'bench {self.kind}'; found {what}; "
                    "choose another folder"
                )
        self.cells.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other runs out of the folder, where the system can."""
        try:
            import fcntl
        except ImportError:  # Windows
            yield
            return
        with (self.out / _LOCK).open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise FileExistsError(
                    f"{self.out} must be of one run at a time; found another one going on in it; "
                    "wait for it, or choose another folder"
                ) from None
            self.sweep()
            yield

    def sweep(self) -> None:
        """Remove half-written files of processes that were killed."""
        for path in self.cells.glob(".*"):
            path.unlink(missing_ok=True)

    def kept(self, job: Job[Cell]) -> Cell | None:
        """Return a finished cell that was run with the same settings."""
        record = self._record(job.name)
        if record is None:
            return None
        wanted = json.loads(json.dumps(job.settings))
        if self.any_commit:
            wanted["commit"] = record.settings.get("commit")
        if record.settings != wanted:
            return None
        result = getattr(record.cell, "result", None)
        whole = result is None or (self.out / result).is_file()
        return record.cell if whole and record.cell.status not in NOT_KEPT else None

    def stored(self, name: str) -> Cell | None:
        """Return a cell as it stands in the folder, whatever it was run with."""
        record = self._record(name)
        return None if record is None else record.cell

    def forget(self, job: Job[Cell]) -> None:
        """Remove a cell's file: it is about to be run again."""
        (self.cells / f"{job.name}.json").unlink(missing_ok=True)

    def write(self, job: Job[Cell], cell: Cell) -> None:
        """Record a finished cell."""
        record = {"settings": job.settings, "order": job.order, "cell": record_of(cell)}
        write_atomically(self.cells / f"{job.name}.json", _json(record))

    def results(self, about: About, jobs: Iterable[Job[Cell]]) -> Results[Cell]:
        """Return all cells: those of the jobs, pending where not run, and earlier ones."""
        found: dict[str, tuple[list[int], Cell]] = {}
        for path in self.cells.glob("[!.]*.json"):
            record = self._record(path.stem)
            if record is not None:
                found[path.stem] = record.order, record.cell
        for job in jobs:
            failed = job.name in found and found[job.name][1].status == "failed"
            if self.kept(job) is None and not failed:
                found[job.name] = list(job.order), replace(job.cell, status="pending")
        ordered = sorted(found.items(), key=lambda item: (item[1][0], item[0]))
        return Results(about, [cell for _, (_, cell) in ordered])

    def write_results(self, results: Results[Cell]) -> None:
        """Write results.json and results.csv."""
        records = [record_of(cell) for cell in results.cells]
        write_atomically(self.out / RESULTS, _json({"about": results.about, "cells": records}))
        table = io.StringIO()
        columns = dict.fromkeys(key for record in records for key in record)
        writer = csv.DictWriter(table, list(columns), lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
        write_atomically(self.out / "results.csv", table.getvalue().encode())

    def _record(self, name: str) -> _Record | None:
        try:
            record = json.loads((self.cells / f"{name}.json").read_bytes())
            settings = record["settings"]
            cell = replace(cell_of(self.kind, record["cell"]), commit=settings.get("commit"))
            return _Record(settings, record["order"], cell)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None


def read(out: Path) -> Results[Cell]:
    """Return the results of a run."""
    path = Path(out) / RESULTS
    try:
        stored = json.loads(path.read_bytes())
        about: About = stored["about"]
        if about["kind"] not in CELLS:
            raise ValueError(f"found kind {about['kind']!r}")
        return Results(about, [cell_of(about["kind"], record) for record in stored["cells"]])
    except FileNotFoundError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"{path} must be the results of a run; it cannot be read: {error}") from (
            error
        )


def _json(facts: object) -> bytes:
    return json.dumps(facts, indent=1, allow_nan=False).encode() + b"\n"


def _kind_of(out: Path) -> str | None:
    try:
        return read(out).about["kind"]
    except (OSError, ValueError):
        return None
