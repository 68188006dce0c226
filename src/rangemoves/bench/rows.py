"""The rows of the paper's tables: a method, where it starts, and how it is run.

"E+method" starts from what the row "E" found, "trws+gswap", "argmin+gswap" and "random+gswap" from
what they are called after, all others from label 0. A row whose name ends in
"-as-written" runs its method as the paper has it, where ours does better by default; one that ends
in "-chord" with the surrogate that the paper does not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..methods import find_method

# In the order of the paper, with ours at the end.
METHODS = (
    "expansion",
    "swap",
    "rswap",
    "rswape",
    "rexp",
    "trws",
    "irgc",
    "irgc+expansion",
    "gswap",
    "gswapf",
)
# What the paper compares its own methods with first of all: swaps of one range of labels at a time.
RANGE_SWAPS = ("rswap", "rswape")
START = "E"
FROM_EXPANSION = (
    "E+rswap",
    "E+rswape",
    "E+rexp",
    "E+trws",
    "E+irgc",
    "E+gswap",
    "E+gswapf",
)
# How much the start matters: from what TRW-S found, the cheapest labels, and random ones.
FROM_STARTS = ("trws+gswap", "argmin+gswap", "random+gswap")

AS_WRITTEN, CHORD = "-as-written", "-chord"
# Which options are the paper's. It does not say which of several best labellings a move takes; the
# highest gives its figures. It says that active sets drop the larger and the smaller end of an edge
# by turns; dropping the first and the second end gives its figures. All else is the default: ranges
# going up through the labels, the end where no move gains.
_WRITTEN: dict[str, dict[str, Any]] = {
    "rswap": {"convex_range": "prior", "ties": "highest"},
    "rswape": {"convex_range": "prior", "ties": "highest"},
    "irgc": {"surrogate": "huber", "ties": "highest"},
    "gswap": {
        "surrogate": "huber",
        "convex_range": "prior",
        "ties": "highest",
        "strategy": "ends",
    },
    "gswapf": {"surrogate": "huber", "convex_range": "prior", "ties": "highest"},
}


def base_of(row: str) -> str:
    """Return the row of the paper that a row is a variant of: itself, for most."""
    return row.removesuffix(AS_WRITTEN).removesuffix(CHORD)


def is_variant(row: str) -> bool:
    """Return whether a row is another one run in another way, or from a start of our own."""
    return row != base_of(row) or row in FROM_STARTS


def method_of(row: str) -> str:
    """Return the method that a row runs."""
    if row in FROM_STARTS:
        return row.partition("+")[2]
    return "expansion" if row == START else base_of(row).removeprefix("E+")


def start_of(row: str) -> str:
    """Return what a row starts from: "zero", "expansion", "trws", "argmin" or "random"."""
    if row in FROM_STARTS:
        return row.partition("+")[0]
    return "expansion" if starts_late(row) else "zero"


def needed_by(row: str) -> str | None:
    """Return the row whose labelling a row starts from, if any."""
    return {"expansion": START, "trws": "trws"}.get(start_of(row))


def starts_late(row: str) -> bool:
    """Return whether a row starts from alpha-expansion."""
    return base_of(row) in FROM_EXPANSION


def in_late_table(row: str) -> bool:
    """Return whether a row stands among those that start from alpha-expansion."""
    return row == START or starts_late(row)


def as_written(rows: Iterable[str]) -> list[str]:
    """Return the rows that run these as the paper has them, where there are such."""
    return [row + AS_WRITTEN for row in rows if row == base_of(row) and method_of(row) in _WRITTEN]


def options_of(row: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a row's method is run with.

    Parameters
    ----------
    row : str
        One of ``ROWS``.
    asked : mapping
        Options for all rows; those that its method does not have are left out. What makes the row
        what it is goes before them.
    """
    method = method_of(row)
    options = {
        option.name: asked[option.name]
        for option in find_method(method).option_table
        if option.name in asked and (not option.choices or asked[option.name] in option.choices)
    }
    if row == START:
        options["order"] = "ascending"
    elif row.endswith(CHORD):
        options["surrogate"] = "chord"
    elif row.endswith(AS_WRITTEN):
        options |= _WRITTEN[method]
    return options


def _with_variants(rows: Iterable[str]) -> Iterable[str]:
    for row in rows:
        yield row
        yield from as_written([row])
        if row in ("gswap", "gswapf"):
            yield row + CHORD


ROWS = (*_with_variants((*METHODS, START, *FROM_EXPANSION)), *FROM_STARTS, "auto", "best")

# Rows that the paper has no figures for.
OURS = ("irgc+expansion", "gswap" + CHORD, "auto", "best")
