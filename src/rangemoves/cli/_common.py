"""What all commands share: exit codes, messages, progress, and how a result is told.

Exit codes: 0 done, 1 failed, 2 wrong use, 130 ended by Ctrl-C, 143 by SIGTERM. Standard output is
for the answer alone; all else goes to standard error.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, ParamSpec, TypeVar

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from .._command_line import exit_code, exit_on_signals, raise_on_signals
from ..errors import Interrupted
from ..interruption import Interruption
from ..result import Result, TraceRecord

FAILED = 1

P = ParamSpec("P")
R = TypeVar("R")


def with_exit_codes(command: Callable[P, R]) -> Callable[P, R]:
    """Turn errors into one line on standard error and the exit code that belongs to them."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            try:
                raise_on_signals()
                return command(*args, **kwargs)
            finally:
                exit_on_signals()
        except KeyboardInterrupt as interruption:
            say(str(interruption) or "interrupted")
            raise typer.Exit(exit_code()) from None
        except (
            ValueError,
            TypeError,
            OverflowError,
            MemoryError,
            OSError,
            ModuleNotFoundError,
        ) as error:
            say(str(error) or type(error).__name__)
            raise typer.Exit(FAILED) from None

    return wrapped


def say(message: str) -> None:
    """Print a line to standard error."""
    typer.echo(f"rangemoves: {message}", err=True)


def end_interrupted(kept: str) -> NoReturn:
    """Say what was kept, and exit."""
    say(f"interrupted; {kept}")
    raise typer.Exit(exit_code())


def solve_and_write(
    solve: Callable[[], R], rescue: Callable[[Result], R], write: Callable[[R], None]
) -> tuple[R, bool]:
    """Solve, and write what was found, whenever Ctrl-C arrives.

    Parameters
    ----------
    solve : callable
        Gives what is to be written. Ctrl-C breaks it off.
    rescue : callable
        Makes the same of the result so far.
    write : callable
        Writes it. Ctrl-C waits for its end.

    Returns
    -------
    object
        What was written.
    bool
        Whether there was an interruption.
    """
    with Interruption() as interruption:
        try:
            found = interruption.expose(solve)
        except Interrupted as stopped:
            interruption.arrived = True
            found = rescue(stopped.result)
        write(found)
    return found, interruption.arrived


@contextmanager
def progress(
    title: str, max_iter: int | None = None, quiet: bool = False
) -> Iterator[Callable[[TraceRecord], bool]]:
    """Show how a run goes, where standard error is a terminal; gives the callback to pass on."""
    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[state]}"),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=quiet or not console.is_terminal
    ) as bar:
        task = bar.add_task(title, total=max_iter, state="first move")

        def after_iteration(record: TraceRecord) -> bool:
            state = f"iteration {record.iteration}, energy {record.energy:.10g}"
            bar.update(task, advance=1, state=state)
            return False

        yield after_iteration


def print_json(facts: dict[str, Any]) -> None:
    """Print one JSON document to standard output."""
    typer.echo(json.dumps(facts, indent=2, allow_nan=False))
