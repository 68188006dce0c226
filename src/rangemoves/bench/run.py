"""A whole run of any kind: cells, then tables, figures and the page."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path

from .._version import __version__
from ..io import write_atomically
from . import progress, runner, tables
from .cell import About, Cell, CompareCell, Kind, PaperCell, Results, ScalingCell, of_kind
from .machine import machine
from .store import Job, Store, read


def carry_out(
    out: Path,
    kind: Kind,
    jobs: Sequence[Job[Cell]],
    tell: progress.Tell,
    *,
    command: str,
    processes: int,
    seed: int,
    force: bool,
    commit: str | None = None,
    any_commit: bool = False,
) -> Results[Cell]:
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
    commit : str, optional
        What the results say of the source.
    any_commit : bool
        Keep finished cells of other commits, too.

    Returns
    -------
    Results
        As in results.json.
    """
    store = Store(out, kind, any_commit=any_commit)
    store.open()
    about: About = {
        "kind": kind,
        "command": command,
        "version": __version__,
        "commit": commit,
        "machine": machine(),
        "processes": processes,
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
            _present(out, results)
        except KeyboardInterrupt:
            raise _interrupted(store, about, jobs) from None
    return results


def present(out: Path) -> None:
    """Write anew what is made of the cells of a run, whatever machine it was made on."""
    _present(out, read(out))


def _present(out: Path, results: Results[Cell]) -> None:
    _write_tables(out, results)
    _draw(out, results)


def _interrupted(store: Store, about: About, jobs: Sequence[Job[Cell]]) -> KeyboardInterrupt:
    """Write what there is, and return what to raise."""
    results = store.results(about, jobs)
    _write_tables(store.out, results)
    store.write_results(results)
    finished = len(jobs) - len(runner.left(store, jobs))
    return KeyboardInterrupt(
        f"interrupted; {finished} of {len(jobs)} cells are finished and kept in {store.out}; "
        "run the same command again to go on"
    )


def _write_tables(out: Path, results: Results[Cell]) -> None:
    write_atomically(out / "tables.md", tables.markdown(results).encode())
    write_atomically(out / "tables.tex", tables.latex(results).encode())


def _draw(out: Path, results: Results[Cell]) -> None:
    # Importing matplotlib takes a while: only once there is something to draw.
    from . import figures, page

    if results.about["kind"] == "paper":
        figures.draw(out, of_kind(results.cells, PaperCell))
    elif results.about["kind"] == "scaling":
        figures.draw_scaling(out, of_kind(results.cells, ScalingCell))
    else:
        figures.draw_compare(out, of_kind(results.cells, CompareCell))
    page.write(out, results)
