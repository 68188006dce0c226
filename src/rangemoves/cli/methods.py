"""``rangemoves methods``: the table of methods and that of their options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from ..methods import all_options, methods
from ._common import print_json, with_exit_codes

_METHODS = ("method", "needs", "promises", "take it when")
_OPTIONS = ("option", "for", "values", "default", "what it is for")


@with_exit_codes
def command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the tables of docs/methods.md.")
    ] = False,
) -> None:
    """List the methods: what each needs, what it promises, and its options.

    Example: rangemoves methods --json
    """
    if as_json:
        print_json({"methods": _facts()})
        return
    if as_markdown:
        typer.echo(markdown(_METHODS, _method_rows()))
        typer.echo()
        typer.echo(markdown(_OPTIONS, _option_rows(details=True)))
        return
    for headings, rows in ((_METHODS, _method_rows()), (_OPTIONS, _option_rows())):
        table = Table(show_lines=True)
        for place, heading in enumerate(headings):
            table.add_column(heading, style="" if place else "bold")
        for row in rows:
            table.add_row(*row)
        Console().print(table)


def markdown(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown whose first column is code."""
    lines = [headings, ["---"] * len(headings), *([f"`{row[0]}`", *row[1:]] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _facts() -> list[dict[str, object]]:
    return [
        {
            "name": method.name,
            "moves": method.moves,
            "requires": method.requires,
            "guarantees": method.guarantees,
            "when_to_use": method.when_to_use,
            "options": list(method.options),
            "option_table": [asdict(option) for option in method.option_table],
        }
        for method in methods()
    ]


def _method_rows() -> list[tuple[str, ...]]:
    return [(m.name, m.requires, m.guarantees, m.when_to_use) for m in methods()]


def _option_rows(*, details: bool = False) -> list[tuple[str, ...]]:
    return [
        (
            option.name,
            ", ".join(method.name for method in takers),
            option.values,
            "from the prior" if option.default is None else str(option.default),
            f"{option.help} {option.details}".strip() if details else option.help,
        )
        for option, takers in all_options().items()
    ]
