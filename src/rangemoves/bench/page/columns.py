"""The columns of the table of all results: what each sorts by and what it shows."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..cell import Cell, Kind, PaperCell, record_of
from . import numbers
from .words import UNKNOWN, chip, marked_instance, seconds, swatch

Value = Callable[[Any], Any]


@dataclass(frozen=True)
class Column:
    """One column of the table: what it sorts by and what it shows.

    Attributes
    ----------
    label : str
        Its heading.
    value : callable
        What a cell is sorted by; None where unknown.
    text : callable
        What is shown of it, as markup.
    number : bool
        Whether it is sorted as numbers.
    hint : str
        A longer name.
    """

    label: str
    value: Value
    text: Callable[[Any], str]
    number: bool = False
    hint: str = ""

    @property
    def heading(self) -> str:
        kind = ' class="number"' if self.number else ""
        hint = f' title="{html.escape(self.hint)}"' if self.hint else ""
        return (
            f'<th scope="col"{kind}><button type="button"{hint}>'
            f"{html.escape(self.label)}</button></th>"
        )

    def cell(self, cell: Cell, extra: str = "") -> str:
        value = self.value(cell)
        classes = " ".join(filter(None, ("number" if self.number else "", extra)))
        kind = f' class="{classes}"' if classes else ""
        stored = "" if value is None else html.escape(str(value))
        return f'<td{kind} data-value="{stored}">{self.text(cell)}</td>'


def _entry(key: str) -> Value:
    return lambda cell: getattr(cell, key, None)


def _shown(value: Value, form: Callable[[Any], str]) -> Callable[[Cell], str]:
    return lambda cell: UNKNOWN if (found := value(cell)) is None else form(found)


def _number(label: str, value: Value | str, form: str = ",.0f", hint: str = "") -> Column:
    taken = _entry(value) if isinstance(value, str) else value
    return Column(label, taken, _shown(taken, lambda found: format(found, form)), True, hint)


def _seconds(label: str, value: Value, hint: str = "") -> Column:
    return Column(label, value, _shown(value, seconds), True, hint)


def _text(label: str, key: str) -> Column:
    return Column(label, _entry(key), _shown(_entry(key), lambda found: html.escape(str(found))))


def _status(cell: Cell) -> str:
    if not cell.error:
        return chip(cell.status)
    # Folded where the method cannot do it, which is expected; open where it failed.
    shown = "" if cell.status == "refused" else " open"
    return (
        f'<details class="error"{shown}><summary>{chip(cell.status)} why</summary>'
        f"<span>{html.escape(cell.error)}</span></details>"
    )


def _difference(cell: PaperCell) -> str:
    value = numbers.difference(cell)
    if value is None:
        return UNKNOWN
    if value == 0:
        return '<span class="same" title="the same as printed in the paper">=</span>'
    return f'<span class="{"above" if value > 0 else "below"}">{value:+.3f}</span>'


def _megabytes(cell: Cell) -> float | None:
    return None if cell.memory_bytes is None else cell.memory_bytes / 2**20


ENERGY = _number("energy", "energy", ",.1f")
_SECONDS = _seconds("seconds", _entry("seconds"))
_MEMORY = _number("MiB", _megabytes, hint="peak memory")
_STATUS = Column("status", _entry("status"), _status)
_MOVES = _number("moves", "iterations", ",d", "iterations")
_PAPER_COLUMNS = (
    Column("instance", _entry("instance"), lambda cell: marked_instance(cell.instance, cell.own)),
    _text("prior", "prior"),
    Column("method", _entry("row"), lambda cell: swatch(cell.row) + html.escape(cell.row)),
    _STATUS,
    ENERGY,
    _number("paper", numbers.paper_energy, ",.0f", "the paper's energy"),
    Column(
        "diff. %",
        numbers.difference,
        _difference,
        number=True,
        hint="above the paper's energy, in per cent",
    ),
    _number("bound", "lower_bound", ",.1f", "no labelling has a lower energy"),
    _number("gap %", numbers.gap, ".4f", "above the bound, in per cent"),
    _SECONDS,
    _seconds("paper s", numbers.paper_seconds, "the paper's time, on its machine"),
    _MOVES,
    _MEMORY,
)
_OTHER_COLUMNS = {
    "case": _text("case", "case"),
    "problem": _text("problem", "problem"),
    "prior": _text("prior", "prior"),
    "solver": _text("solver", "solver"),
    "status": _STATUS,
    "pixels": _number("pixels", "pixels", ",d"),
    "labels": _number("labels", "labels", ",d"),
    "T": _number("T", "T", "g"),
    "energy": ENERGY,
    "seconds": _SECONDS,
    "memory_bytes": _MEMORY,
    "iterations": _MOVES,
    "bad1": _number("wrong %", "bad1", ".2f", "pixels off by more than one, in per cent"),
    "threads": _number("threads", "threads", "d"),
}


def columns_of(kind: Kind, cells: Sequence[Cell]) -> tuple[Column, ...]:
    """Return the paper's columns, or for other kinds of runs those that have something in them."""
    if kind == "paper":
        return _PAPER_COLUMNS
    used = {key for cell in cells for key, value in record_of(cell).items() if value is not None}
    return tuple(column for key, column in _OTHER_COLUMNS.items() if key in used)
