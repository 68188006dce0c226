"""A cell, typed by the kind of its run: one entry of results.json, one line of results.csv.

None stands for what is not known, or not known yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, Generic, Literal, TypedDict, TypeVar

from .._version import __version__
from .machine import Machine

Kind = Literal["paper", "scaling", "compare"]
Size = Literal["pixels", "labels", "T"]

# The order of columns in results.csv and in tables, for all kinds of runs.
COLUMNS = (
    *("instance", "own", "case", "problem", "prior", "row", "method", "start", "solver"),
    *("pixels", "labels", "T", "status", "error", "energy", "single_energy"),
    *("lower_bound", "bad1"),
    *("seconds", "start_seconds", "iterations", "memory_bytes", "threads", "seed", "version"),
    *("commit", "machine", "proven", "paper_energy", "paper_seconds", "result"),
)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What cells of every kind have: how they ended, and what they took.

    Attributes
    ----------
    status : str
        "pending", "failed", "refused", "not installed", or the status of a result.
    error : str or None
        Why there is no result.
    energy, seconds : float or None
        What was found, in which time.
    memory_bytes : int or None
        Peak memory.
    threads, seed : int or None
        What it was run with.
    version, machine : str or None
        What it was run by and on.
    commit : str or None
        Of the source, where it was told.
    """

    status: str = "pending"
    error: str | None = None
    energy: float | None = None
    seconds: float | None = None
    memory_bytes: int | None = None
    threads: int | None = None
    seed: int | None = None
    version: str = __version__
    machine: str | None = None
    commit: str | None = None

    @property
    def who(self) -> str:
        """What ran: a row of the paper's tables, or a solver."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class PaperCell(Cell):
    """A cell of the paper's tables.

    Attributes
    ----------
    instance, prior, row, method : str
        Its place in the tables, and the method that the row runs.
    own : bool
        Whether the data costs are not the paper's.
    start : {"zero", "expansion", "trws", "argmin", "random"}
        What the method starts from.
    single_energy : float or None
        Of rows as written with real costs: the energy as the paper's programs sum it, which is what
        compares with its figures (``single_precision.py``).
    lower_bound : float or None
        No labelling has an energy below it.
    start_seconds : float or None
        The part of ``seconds`` that its start took.
    iterations : int or None
        Number of moves.
    proven : bool or None
        Whether every move is known to be the best of its kind.
    paper_energy, paper_seconds : float or None
        What the paper has in this place.
    result : str or None
        The file of labels and trace, in the folder of the run.
    """

    instance: str
    prior: str
    row: str
    method: str
    own: bool = False
    start: str = "zero"
    single_energy: float | None = None
    lower_bound: float | None = None
    start_seconds: float | None = None
    iterations: int | None = None
    proven: bool | None = None
    paper_energy: float | None = None
    paper_seconds: float | None = None
    result: str | None = None

    @property
    def who(self) -> str:
        return self.row

    @property
    def compared_energy(self) -> float | None:
        """What compares with the paper's figure."""
        return self.energy if self.single_energy is None else self.single_energy


@dataclass(frozen=True, kw_only=True)
class ScalingCell(Cell):
    """A method on a problem of some size; ``case`` says which of the three sizes is varied."""

    case: Size
    solver: str
    pixels: int
    labels: int
    T: int
    iterations: int | None = None

    @property
    def who(self) -> str:
        return self.solver


@dataclass(frozen=True, kw_only=True)
class CompareCell(Cell):
    """A solver, ours or another, on a task; ``bad1`` is per cent of pixels more than 1 off."""

    case: str
    solver: str
    problem: str | None = None
    prior: str | None = None
    pixels: int | None = None
    labels: int | None = None
    T: int | None = None
    bad1: float | None = None

    @property
    def who(self) -> str:
        return self.solver


CELLS: dict[Kind, type[Cell]] = {
    "paper": PaperCell,
    "scaling": ScalingCell,
    "compare": CompareCell,
}

C = TypeVar("C", bound=Cell)
C_co = TypeVar("C_co", bound=Cell, covariant=True)


def record_of(cell: Cell) -> dict[str, Any]:
    """Return a cell as it is stored."""
    own = {field.name for field in fields(cell)}
    return {name: getattr(cell, name) for name in COLUMNS if name in own}


def cell_of(kind: Kind, record: dict[str, Any]) -> Cell:
    """Return a cell from how it was stored; entries that no cell has are left out."""
    known = {field.name for field in fields(CELLS[kind])}
    return CELLS[kind](**{name: value for name, value in record.items() if name in known})


def of_kind(cells: Iterable[Cell], kind: type[C]) -> list[C]:
    """Return the cells of one kind."""
    return [cell for cell in cells if isinstance(cell, kind)]


def in_words(names: Iterable[str | None]) -> str | None:
    """Return what cells were run by or on; where that was several, how many by each."""
    found = Counter(name for name in names if name is not None)
    if len(found) <= 1:
        return next(iter(found), None)
    return " and ".join(f"{name} ({count} cells)" for name, count in found.most_common())


class About(TypedDict):
    """What the results say of the run as a whole."""

    kind: Kind
    command: str
    version: str
    commit: str | None  # of the source, where it was told
    machine: Machine
    processes: int  # cells at a time
    seed: int
    created: str


@dataclass(frozen=True)
class Results(Generic[C_co]):
    """All cells of a run, finished or not, and what it was."""

    about: About
    cells: list[C_co]
