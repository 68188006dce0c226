"""The table of all results: its rows, and the filters above it."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from ..cell import Cell, record_of
from .columns import ENERGY, Column
from .numbers import Lowest, is_lowest
from .words import STATUS_WORDS

_FILTERS = {
    "instance": "Instance",
    "case": "Case",
    "problem": "Problem",
    "prior": "Prior",
    "row": "Method",
    "solver": "Solver",
    "status": "Status",
}


def filters(cells: Sequence[Cell]) -> Iterable[str]:
    """Yield a choice for every column of names."""
    records = [record_of(cell) for cell in cells]
    for key, label in _FILTERS.items():
        values = dict.fromkeys(str(r[key]) for r in records if r.get(key) is not None)
        if not values:
            continue
        options = "".join(
            f'<option value="{html.escape(value)}">'
            f"{html.escape(STATUS_WORDS.get(value, value))}</option>"
            for value in values
        )
        yield (
            f'<label>{label} <select data-key="{key}" autocomplete="off">'
            f'<option value="">all</option>{options}</select></label>'
        )


def row(cell: Cell, columns: Sequence[Column], lowest: Lowest) -> str:
    """Return the row of a cell, which says for every filter what it is."""
    record = record_of(cell)
    data = "".join(
        f' data-{key}="{html.escape(str(record[key]))}"' for key in _FILTERS if record.get(key)
    )
    best = is_lowest(cell, lowest)
    entries = (column.cell(cell, "best" if best and column is ENERGY else "") for column in columns)
    return f"<tr{data}>{''.join(entries)}</tr>"
