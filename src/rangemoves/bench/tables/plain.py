"""Scaling and compare: every cell a line, every column that has something in it a column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..cell import Cell, record_of
from .style import Style

TITLES = {"scaling": "Time and memory against size", "compare": "Beside other solvers"}

_HIDDEN = ("version", "machine", "seed")
_HEADS = {"memory_bytes": "memory, MB", "bad1": "bad1, %", "error": "remark"}


def table(cells: Sequence[Cell], style: Style) -> str:
    """Return the cells as one table, the fastest of each problem in bold."""
    records = [record_of(cell) for cell in cells]
    columns = [
        key
        for key in dict.fromkeys(key for record in records for key in record)
        if key not in _HIDDEN and any(record.get(key) is not None for record in records)
    ]
    fastest = _fastest(records)
    body = []
    for record in records:
        line = []
        for key in columns:
            text = style.text(_value(key, record.get(key)))
            is_fastest = key == "seconds" and fastest.get(_group(record)) == record.get(key)
            line.append(style.bold(text) if is_fastest and text else text)
        body.append(line)
    return style.table([style.text(_HEADS.get(key, key)) for key in columns], body)


def _group(record: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(record.get(key) for key in ("case", "problem", "pixels", "labels", "T"))


def _fastest(records: Sequence[dict[str, Any]]) -> dict[tuple[Any, ...], float]:
    found: dict[tuple[Any, ...], float] = {}
    for record in records:
        if record["seconds"] is not None:
            key = _group(record)
            found[key] = min(found.get(key, record["seconds"]), record["seconds"])
    return found


def _value(key: str, value: Any) -> str:
    if value is None:
        return ""
    if key == "memory_bytes":
        return f"{value / 1e6:.0f}"
    if key == "seconds":
        return f"{value:.3f}" if value < 10 else f"{value:.1f}"
    if key == "bad1":
        return f"{value:.2f}"
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value)
