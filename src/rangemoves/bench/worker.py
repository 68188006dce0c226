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

from .store import Job, Store

# Each has a function run(out, job) that returns the cell.
TASKS = {"paper": "cells", "scaling": "scaling", "compare": "compare"}


def message(out: Path, job: Job) -> bytes:
    """Return the line that a process is to read."""
    return json.dumps({"out": str(out), "job": dataclasses.asdict(job)}).encode() + b"\n"


def main() -> None:
    """Run the job that standard input describes."""
    order = json.loads(_line())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    out = Path(order["out"])
    job = Job(**{**order["job"], "order": tuple(order["job"]["order"])})
    store = Store(out, job.task)
    # Until the new one is whole the cell is not finished: labelling and figures belong together.
    store.forget(job)
    task = importlib.import_module(f".{TASKS[job.task]}", __package__)
    store.write(job, task.run(out, job))


# Read without Python's buffer: a thread that waits in it cannot be ended in order.
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
