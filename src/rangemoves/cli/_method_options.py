"""The options of methods as options of a command, one per name in the table."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from ..methods import all_options
from ._tabled import Command, in_place_of, option


def takes_method_options(
    name: str, leave_out: tuple[str, ...] = ()
) -> Callable[[Command], Command]:
    """Give a command the options of all methods; ``name`` gets those that were given, as a dict."""
    return in_place_of(name, [o for o in _options() if o.name not in leave_out], _given)


def _options() -> Iterator[inspect.Parameter]:
    """Yield an option per name in the table of options, with what it is for each method."""
    by_name: dict[str, list[str]] = {}
    kinds: dict[str, tuple[Any, int | None]] = {}
    for entry, takers in all_options().items():
        default = "" if entry.default is None else f", default {entry.default}"
        names = ", ".join(method.name for method in takers)
        by_name.setdefault(entry.name, [entry.help]).append(f"{names}: {entry.values}{default}.")
        kinds[entry.name] = (str | None, None) if entry.choices else (int | None, entry.least)
    for name, words in by_name.items():
        kind, least = kinds[name]
        yield option(name, kind, None, " ".join(words), least)


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}
