"""A whole run of any kind: cells, then tables, figures and the page."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .._version import __version__
from ..io import write_atomically
from . import progress, runner, tables
from .machine import machine
from .store import Cell, Job, Store


def carry_out(
    out: Path,
    kind: str,
    jobs: Sequence[Job],
    tell: Callable[[Cell], str],
    *,
    command: str,
    processes: int,
    seed: int,
    force: bool,
) -> dict[str, Any]:
    """Run the jobs into a folder and write all that is made of their cells.

    Parameters
    ----------
    out : Path
        The folder: new, empty, or one of the same kind, which is gone on with.
    kind : {"paper", "scaling", "compare"}
    jobs : sequence of Job
        What to run.
    tell : callable
        Says in a line how a cell ended.
    command : str
        What the reader types to get the same.
    processes, seed : int
        How many cells at a time; what the results say of randomness.
    force : bool
        Run finished cells again.

    Returns
    -------
    dict
        The results, as in results.json.
    """
    store = Store(out, kind)
    store.open()
    about = {
        "kind": kind,
        "command": command,
        "version": __version__,
        "machine": machine(),
        "seed": seed,
        "created": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
    }
    with store.alone():
        waiting = list(jobs) if force else runner.left(store, jobs)
        try:
            with progress.display(waiting, tell) as display:
                results = runner.run(
                    store, jobs, about, processes=processes, display=display, force=force
                )
            _write_tables(store, results)
            _draw(out, kind, results)
        except KeyboardInterrupt:
            results = store.results(about, jobs)
            _write_tables(store, results)
            store.write_results(results)
            finished = len(jobs) - len(runner.left(store, jobs))
            raise KeyboardInterrupt(
                f"interrupted; {finished} of {len(jobs)} cells are finished and kept in {out}; "
                "run the same command again to go on"
            ) from None
    return results


def _write_tables(store: Store, results: dict[str, Any]) -> None:
    write_atomically(store.out / "tables.md", tables.markdown(results).encode())
    write_atomically(store.out / "tables.tex", tables.latex(results).encode())


def _draw(out: Path, kind: str, results: dict[str, Any]) -> None:
    # Drawing needs matplotlib, which takes a while to come: only once there is something to draw.
    from . import figures, page

    draw = {
        "paper": figures.draw,
        "scaling": figures.draw_scaling,
        "compare": figures.draw_compare,
    }
    draw[kind](out, results)
    page.write(out, results)
