"""A bar for long runs on standard error: by rich or tqdm, whichever is installed; else none."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .result import TraceRecord

__all__ = ["progress_bar"]

Show = Callable[[TraceRecord], None]


@contextmanager
def progress_bar(title: str, most: int | None) -> Iterator[Show]:
    """Show a bar for as long as the block runs; yields what moves it on.

    Parameters
    ----------
    title : str
        What is going on.
    most : int or None
        The number of iterations at which the bar is full; None where nobody knows.
    """
    for name, make in (("rich.progress", _by_rich), ("tqdm.std", _by_tqdm)):
        try:
            library = importlib.import_module(name)
        except ImportError:
            continue
        with make(library, title, most) as show:
            yield show
        return
    yield lambda record: None


@contextmanager
def _by_rich(library: Any, title: str, most: int | None) -> Iterator[Show]:
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

        def show(record: TraceRecord) -> None:
            bar.update(task, completed=record.iteration, state=_state(record))

        yield show


@contextmanager
def _by_tqdm(library: Any, title: str, most: int | None) -> Iterator[Show]:
    with library.tqdm(desc=title, total=most, unit=" iterations", leave=False) as bar:

        def show(record: TraceRecord) -> None:
            bar.update(record.iteration - bar.n)
            bar.set_postfix_str(_state(record))

        yield show


def _state(record: TraceRecord) -> str:
    known = "" if record.lower_bound is None else f", bound {record.lower_bound:.6g}"
    return f"iteration {record.iteration}, energy {record.energy:.6g}{known}"
