"""A bar for long runs on standard error: by rich or tqdm, whichever is installed; else none."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .result import TraceRecord

__all__ = ["counting_bar", "progress_bar"]

# Moves a bar to a count, with a few words.
Move = Callable[[int, str], None]


@contextmanager
def progress_bar(title: str, most: int | None) -> Iterator[Callable[[TraceRecord], None]]:
    """Show a bar for as long as the block runs; yields what moves it on to a record.

    Parameters
    ----------
    title : str
        What is going on.
    most : int or None
        The number of iterations at which the bar is full; None where nobody knows.
    """
    with _bar(title, most, "iterations") as move:
        yield lambda record: move(record.iteration, _state(record))


@contextmanager
def counting_bar(title: str, most: int) -> Iterator[Callable[[int], None]]:
    """Show the same for a batch; yields what moves it on to so many energies done."""
    with _bar(title, most, "energies") as move:
        yield lambda done: move(done, f"{done} of {most} energies")


@contextmanager
def _bar(title: str, most: int | None, unit: str) -> Iterator[Move]:
    for name, make in (("rich.progress", _by_rich), ("tqdm.std", _by_tqdm)):
        try:
            library = importlib.import_module(name)
        except ImportError:
            continue
        with make(library, title, most, unit) as move:
            yield move
        return
    yield lambda count, state: None


@contextmanager
def _by_rich(library: Any, title: str, most: int | None, unit: str) -> Iterator[Move]:
    console = importlib.import_module("rich.console").Console(stderr=True)
    columns = (
        library.TextColumn("{task.description}", markup=False),
        library.BarColumn(),
        library.TextColumn("{task.fields[state]}", markup=False),
        library.TimeElapsedColumn(),
    )
    hidden = not (console.is_terminal or console.is_jupyter)  # a bar in a log file helps nobody
    with library.Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task(title, total=most, state="")

        yield lambda count, state: bar.update(task, completed=count, state=state)


@contextmanager
def _by_tqdm(library: Any, title: str, most: int | None, unit: str) -> Iterator[Move]:
    with library.tqdm(desc=title, total=most, unit=f" {unit}", leave=False) as bar:

        def move(count: int, state: str) -> None:
            bar.update(count - bar.n)
            bar.set_postfix_str(state)

        yield move


def _state(record: TraceRecord) -> str:
    known = "" if record.lower_bound is None else f", bound {record.lower_bound:.6g}"
    return f"iteration {record.iteration}, energy {record.energy:.6g}{known}"
