"""What is done, what is running and what is left: a display on a terminal, lines elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from .cell import Cell
from .store import Job

BAD = ("failed", "not installed")

# Says in a line how a cell ended.
Tell = Callable[[Any], str]


class _Lines:
    """One line per cell that has ended."""

    def __init__(self, console: Console, total: int, tell: Tell) -> None:
        self.console, self.total, self.tell = console, total, tell
        self.done = self.failed = 0

    def started(self, job: Job[Cell]) -> None:
        """Nothing is printed for a cell that starts."""

    def finished(self, job: Job[Cell], cell: Cell) -> None:
        self.done += 1
        self.failed += cell.status == "failed"
        colour = "red" if cell.status in BAD else "default"
        line = f"[{self.done}/{self.total}] {job.name}: {self.tell(cell)}"
        self.console.print(f"[{colour}]{escape(line)}[/]", soft_wrap=True, highlight=False)


class _Live(_Lines):
    """The same above a bar for all cells and a clock for each that is running."""

    def __init__(
        self, console: Console, jobs: Sequence[Job[Cell]], tell: Tell, bars: Progress
    ) -> None:
        super().__init__(console, len(jobs), tell)
        self.bars = bars
        self.running: dict[str, TaskID] = {}
        self.all = bars.add_task(self._summary(), total=sum(job.cost for job in jobs) or 1.0)

    def _summary(self) -> str:
        waiting = self.total - self.done - len(self.running)
        failed = f", [red]{self.failed} failed[/]" if self.failed else ""
        return f"{self.done} done{failed}, {len(self.running)} running, {waiting} waiting"

    def started(self, job: Job[Cell]) -> None:
        self.running[job.name] = self.bars.add_task(f"  {job.name}", total=None)
        self.bars.update(self.all, description=self._summary())

    def finished(self, job: Job[Cell], cell: Cell) -> None:
        task = self.running.pop(job.name, None)
        if task is not None:
            self.bars.remove_task(task)
        super().finished(job, cell)
        self.bars.update(self.all, advance=job.cost, description=self._summary())


@contextmanager
def display(jobs: Sequence[Job[Cell]], tell: Tell) -> Iterator[_Lines]:
    """Show how the jobs that are left go, on standard error.

    Parameters
    ----------
    jobs : sequence of Job
        Those to be run.
    tell : callable
        Says in a line how a cell ended.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines(console, len(jobs), tell)
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bars:
        yield _Live(console, jobs, tell, bars)
