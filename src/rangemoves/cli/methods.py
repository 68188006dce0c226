"""``rangemoves methods``: the table of methods."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from ..methods import methods
from ._common import print_json, with_exit_codes


@with_exit_codes
def command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the methods: what each needs, and what it promises.

    Example: rangemoves methods --json
    """
    rows = [
        {
            "name": method.name,
            "moves": method.moves,
            "requires": method.requires,
            "guarantees": method.guarantees,
            "when_to_use": method.when_to_use,
            "options": list(method.options),
        }
        for method in methods()
    ]
    if as_json:
        print_json({"methods": rows})
        return
    table = Table(show_lines=True)
    for heading in ("method", "needs", "promises", "take it when"):
        table.add_column(heading, style="bold" if heading == "method" else "")
    for method in methods():
        table.add_row(method.name, method.requires, method.guarantees, method.when_to_use)
    Console().print(table)
