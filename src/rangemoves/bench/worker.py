"""What the process of a cell does: take the job from standard input, run it, record it.

A process per cell: its peak memory is the cell's own, and a crash costs one cell. It ends with its
parent, however that ended: standard input is then at its end.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import threading
from pathlib import Path
from typing import Any

from .cell import Cell, Kind, cell_of
from .store import Job, Store

# The module of each kind of cell; its function run(out, job) returns the cell.
TASKS: dict[Kind, str] = {"paper": "cells", "scaling": "scaling", "compare": "compare"}


def message(out: Path, job: Job[Cell]) -> bytes:
    """Return the line that a process is to read."""
    return json.dumps({"out": str(out), "job": dataclasses.asdict(job)}).encode() + b"\n"


def _job(stored: dict[str, Any]) -> Job[Cell]:
    cell = cell_of(stored["task"], stored["cell"])
    return Job(**{**stored, "cell": cell, "order": tuple(stored["order"])})


def main() -> None:
    """Run the job that standard input describes."""
    order = json.loads(_line())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    out = Path(order["out"])
    job = _job(order["job"])
    store = Store(out, job.task)
    # The old record must not stand beside a new labelling, should this process die in between.
    store.forget(job)
    task = importlib.import_module(f".{TASKS[job.task]}", __package__)
    store.write(job, task.run(out, job))


# Not through sys.stdin: Python cannot exit in order while a daemon thread waits in its buffer.
def _line() -> bytes:
    read = b""
    while not read.endswith(b"\n"):
        more = os.read(0, 1 << 16)
        if not more:
            raise EOFError("a job must be one line on standard input; found its end")
        read += more
    return read


def _end_with_parent() -> None:
    while os.read(0, 1 << 16):
        pass
    os._exit(1)


if __name__ == "__main__":
    main()
