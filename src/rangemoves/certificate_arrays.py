"""A certificate as a few arrays with names, as a file holds them.

Trees have many small parts: parts of a kind are stored one after the other, and a row for each step
says how many rows of each are its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .certificate import STEP_KINDS, Certificate, Island, Step
from .machine import require_memory

__all__ = ["from_arrays", "to_arrays"]

Array = npt.NDArray[Any]

_KINDS = tuple(STEP_KINDS)
# Of the row of a step: its kind, how much of each array is its own, and its numbers.
COLUMNS = 9
# What a step takes in memory beside its numbers, about: more than a file needs to name it.
_STEP_BYTES = 2048


def to_arrays(certificate: Certificate) -> dict[str, Array]:
    """Return the arrays that :func:`from_arrays` makes a certificate of.

    Parameters
    ----------
    certificate : Certificate
        Any.

    Returns
    -------
    dict
        Arrays of numbers; their names begin with ``certificate_``.
    """
    islands = certificate.islands
    steps = [step for island in islands for step in island.steps]
    stored = {
        "scales": np.array([certificate.scale, *(island.scale for island in islands)]),
        "edge": certificate.edge,
        "to_head": certificate.to_head,
        "messages": _narrow(certificate.messages),
        "island_sizes": np.array(
            [(len(island.variables), len(island.steps)) for island in islands], np.int64
        ).reshape(-1, 2),
        "island_variables": _joined([island.variables for island in islands], (0,)),
        "steps": np.array([_row(step) for step in steps], np.int64).reshape(-1, COLUMNS),
        "step_messages": _narrow(_joined_messages([step.messages for step in steps])),
        "step_sent": _narrow(_joined_messages([step.sent for step in steps])),
        "step_to_head": _joined([step.to_head for step in steps], (0,)).astype(bool),
        "step_order": _joined([step.order for step in steps], (0,)),
        "step_eliminated": _joined([step.eliminated for step in steps], (0, 2)),
        "step_tables": _joined([step.tables for step in steps], (0,)),
    }
    return {f"certificate_{name}": array for name, array in stored.items()}


def from_arrays(stored: Mapping[str, Array]) -> Certificate | None:
    """Return the certificate among arrays of a file, or None where there is none.

    Parameters
    ----------
    stored : mapping
        All arrays of the file, whatever they are.

    Returns
    -------
    Certificate or None

    Raises
    ------
    KeyError, ValueError
        If the arrays are not those of :func:`to_arrays`.
    """
    if not any(name.startswith("certificate_") for name in stored):
        return None
    large = ("messages", "step_messages", "step_sent")
    named = {name: _part(stored, name) for name in (*large, "steps")}
    wide = 8 * sum(named[name].size for name in large)
    require_memory(wide + _STEP_BYTES * len(named["steps"]), None)
    scales = _part(stored, "scales")
    sizes = _table(stored, "island_sizes", 2)
    if scales.shape != (1 + len(sizes),):
        raise ValueError(f"found {scales.size} scales for {len(sizes)} islands")
    variables = _Reader(_part(stored, "island_variables"))
    steps = _StepReader(stored)
    islands = tuple(
        Island(variables.next(count), scale, tuple(steps.next() for _ in range(length)))
        for scale, (count, length) in zip(scales[1:].tolist(), sizes.tolist(), strict=True)
    )
    for reader in (variables, *steps.readers):
        reader.require_end()
    return Certificate(
        scale=scales[0].item(),
        edge=_part(stored, "edge"),
        to_head=_part(stored, "to_head"),
        messages=named["messages"],
        islands=islands,
    )


def _row(step: Step) -> tuple[int, ...]:
    lengths = (len(step.messages), len(step.order), len(step.eliminated), len(step.tables))
    return (_KINDS.index(step.kind), *lengths, *(step.split or (0, 0)), step.rounds, step.above)


def _joined(parts: Sequence[Array], shape_of_none: tuple[int, ...]) -> Array:
    return np.concatenate([np.zeros(shape_of_none, np.int32), *parts]).astype(np.int32)


def _joined_messages(rows: Sequence[Array]) -> Array:
    parts = [part for part in rows if len(part)]
    if len({part.shape[1] for part in parts}) > 1:
        raise ValueError("messages of a certificate must all have the same number of labels")
    return np.concatenate(parts) if parts else np.zeros((0, 0), np.int64)


def _narrow(messages: Array) -> Array:
    """The same integers in the narrowest type that holds them: files are mostly messages."""
    least, most = int(messages.min(initial=0)), int(messages.max(initial=0))
    for dtype in (np.int8, np.int16, np.int32):
        if np.iinfo(dtype).min <= least and most <= np.iinfo(dtype).max:
            return messages.astype(dtype)
    return messages


def _part(stored: Mapping[str, Array], name: str) -> Array:
    return stored[f"certificate_{name}"]


def _table(stored: Mapping[str, Array], name: str, width: int) -> Array:
    table = _part(stored, name)
    if table.dtype.kind not in "iu" or table.ndim != 2 or table.shape[1] != width:
        raise ValueError(f"found a table of {table.dtype} and shape {table.shape}")
    return table


def _wide(stored: Mapping[str, Array], name: str) -> Array:
    messages = _part(stored, name)
    if messages.dtype.kind != "i":
        raise ValueError(f"found messages of {messages.dtype}")
    return messages.astype(np.int64)


class _Reader:
    """An array whose rows belong to one step after the other."""

    def __init__(self, array: Array) -> None:
        if array.ndim == 0:
            raise ValueError("found a number instead of an array")
        self._array, self._next = array, 0

    def next(self, count: int) -> Array:
        end = self._next + count
        if count < 0 or end > len(self._array):
            raise ValueError(f"found {len(self._array)} rows where {end} were counted")
        begin, self._next = self._next, end
        return self._array[begin:end]

    def require_end(self) -> None:
        if self._next != len(self._array):
            raise ValueError(f"found {len(self._array)} rows where {self._next} were counted")


class _StepReader:
    """The steps of all islands, one after the other."""

    def __init__(self, stored: Mapping[str, Array]) -> None:
        # Wide at once: the steps' own messages are then parts of it, without copies.
        self._messages = _Reader(_wide(stored, "step_messages"))
        self._sent = _Reader(_wide(stored, "step_sent"))
        self._to_head = _Reader(_part(stored, "step_to_head"))
        self._order = _Reader(_part(stored, "step_order"))
        self._eliminated = _Reader(_part(stored, "step_eliminated"))
        self._tables = _Reader(_part(stored, "step_tables"))
        self._steps = _Reader(_table(stored, "steps", COLUMNS))

    @property
    def readers(self) -> list[_Reader]:
        of_messages = [self._messages, self._to_head, self._sent]
        return [self._steps, *of_messages, self._order, self._eliminated, self._tables]

    def next(self) -> Step:
        # Python's integers, which do not wrap around.
        row = self._steps.next(1)[0].tolist()
        kind, messages, order, eliminated, tables, variable, label, rounds, above = row
        if not 0 <= kind < len(_KINDS):
            raise ValueError(f"found a step of kind {kind}")
        return Step(
            _KINDS[kind],
            self._messages.next(messages),
            self._to_head.next(messages),
            order=self._order.next(order),
            eliminated=self._eliminated.next(eliminated),
            sent=self._sent.next(messages if _KINDS[kind] == "eliminate" else 0),
            split=(variable, label) if _KINDS[kind] == "split" else None,
            tables=self._tables.next(tables),
            rounds=rounds,
            above=above,
        )
