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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..io import write_atomically

Cell = dict[str, Any]

RESULTS = "results.json"
_LOCK = ".lock"
# What a later run does again: it may have been the machine.
NOT_KEPT = ("failed", "pending")


@dataclass(frozen=True)
class Job:
    """A cell to be run.

    Attributes
    ----------
    name : str
        Of its files.
    task : str
        Which function of the worker runs it.
    cell : dict
        What is known of the cell before it is run.
    settings : dict
        All that its outcome depends on: what it is run with, and what a finished cell must have
        been run with to be kept.
    order : tuple
        Its place among all cells.
    cost : float
        About how many seconds it takes; the expensive ones go first.
    limit : float or None
        Seconds after which it ends by itself.
    needs : str or None
        Name of the job that must have ended before.
    """

    name: str
    task: str
    cell: Cell
    settings: dict[str, Any]
    order: tuple[int, ...]
    cost: float = 1.0
    limit: float | None = None
    needs: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)


class Store:
    """The folder of a run of one kind: "paper", "scaling" or "compare"."""

    def __init__(self, out: Path, kind: str) -> None:
        self.out, self.kind = out, kind
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
        """Remove what processes that were killed had begun to write."""
        for path in self.cells.glob(".*"):
            path.unlink(missing_ok=True)

    def kept(self, job: Job) -> Cell | None:
        """Return a finished cell that was run with the same settings."""
        record = _record(self.cells / f"{job.name}.json")
        if record is None or record["settings"] != json.loads(json.dumps(job.settings)):
            return None
        cell: Cell = record["cell"]
        result = cell.get("result")
        whole = result is None or (self.out / result).is_file()
        return cell if whole and cell["status"] not in NOT_KEPT else None

    def stored(self, name: str) -> Cell | None:
        """Return a cell as it stands in the folder, whatever it was run with."""
        record = _record(self.cells / f"{name}.json")
        return None if record is None else record["cell"]

    def forget(self, job: Job) -> None:
        """Let a cell be no longer finished: it is about to be replaced, or to be run again."""
        (self.cells / f"{job.name}.json").unlink(missing_ok=True)

    def write(self, job: Job, cell: Cell) -> None:
        """Record a finished cell."""
        record = {"settings": job.settings, "order": job.order, "cell": cell}
        write_atomically(self.cells / f"{job.name}.json", _json(record))

    def results(self, about: dict[str, Any], jobs: Iterable[Job]) -> dict[str, Any]:
        """Return all cells: those of the jobs, pending where not run, and earlier ones."""
        found: dict[str, tuple[list[int], Cell]] = {}
        for path in self.cells.glob("[!.]*.json"):
            record = _record(path)
            if record is not None:
                found[path.stem] = record["order"], record["cell"]
        for job in jobs:
            failed = found.get(job.name, ([], {}))[1].get("status") == "failed"
            if self.kept(job) is None and not failed:
                found[job.name] = list(job.order), {**job.cell, "status": "pending"}
        ordered = sorted(found.items(), key=lambda item: (item[1][0], item[0]))
        return {"about": about, "cells": [cell for _, (_, cell) in ordered]}

    def write_results(self, results: dict[str, Any]) -> None:
        """Write results.json and results.csv."""
        write_atomically(self.out / RESULTS, _json(results))
        table = io.StringIO()
        columns = dict.fromkeys(key for cell in results["cells"] for key in cell)
        writer = csv.DictWriter(table, list(columns), lineterminator="\n")
        writer.writeheader()
        writer.writerows(results["cells"])
        write_atomically(self.out / "results.csv", table.getvalue().encode())


def read(out: Path) -> dict[str, Any]:
    """Return the results of a run: ``{"about": {..}, "cells": [{..}, ..]}``."""
    path = Path(out) / RESULTS
    try:
        results: dict[str, Any] = json.loads(path.read_bytes())
        results["about"]["kind"], results["cells"]
    except FileNotFoundError:
        raise
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path} must be the results of a run; it cannot be read: {error}") from (
            error
        )
    return results


def _json(facts: object) -> bytes:
    return json.dumps(facts, indent=1, allow_nan=False).encode() + b"\n"


def _kind_of(out: Path) -> str | None:
    try:
        return str(read(out)["about"]["kind"])
    except (OSError, ValueError):
        return None


def _record(path: Path) -> dict[str, Any] | None:
    try:
        record = json.loads(path.read_bytes())
        record["settings"], record["order"], record["cell"]["status"]
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return dict(record)
