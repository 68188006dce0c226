"""How a row is drawn: a method has the same colour and marker in all figures.

A row "E+method", started from alpha-expansion, has those of its method and a dashed line; a variant
such as "gswap-as-written" a dotted one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..rows import base_of, method_of

# The paper's own methods.
OURS = ("gswap", "gswapf")

# One pair per method: colours that colour-blind readers can tell apart, markers for print.
STYLES = {
    "gswap": ("#d55e00", "o"),
    "gswapf": ("#0072b2", "s"),
    "auto": ("#117733", "p"),
    "best": ("#000000", "*"),
    "expansion": ("#009e73", "^"),
    "swap": ("#56b4e9", "v"),
    "rswap": ("#cc79a7", "<"),
    "rswape": ("#882255", ">"),
    "rexp": ("#e69f00", "D"),
    "irgc": ("#999933", "P"),
    "irgc+expansion": ("#44aa99", "X"),
    "trws": ("#332288", "d"),
    "ishikawa": ("#777777", "h"),
}
_PACKAGES = {
    "rangemoves": "#0072b2",
    "PyMaxflow": "#e69f00",
    "OR-tools": "#cc79a7",
    "gco": "#009e73",
    "OpenCV": "#882255",
}
_OTHER = "#777777"
# Where gswap and gswapf agree, the square stands inside the circle.
_MARKER_SIZES = {"*": 9.0, "o": 8.0, "s": 4.5}


@dataclass(frozen=True)
class Style:
    """How one row is drawn in every figure.

    Attributes
    ----------
    colour, marker, line : str
        As matplotlib names them.
    width : float
        Of the line, in points; thicker for the paper's own methods.
    """

    colour: str
    marker: str
    line: str
    width: float


def style_of(row: str) -> Style:
    """Return how a row such as "gswap" or "E+rswap" is drawn."""
    method = method_of(row)
    colour, marker = STYLES.get(method, (_OTHER, "h"))
    strong = method in (*OURS, "best")
    line = ":" if row != base_of(row) else "--" if row != method else "-"
    return Style(colour, marker, line, 2.2 if strong else 1.4)


def line(style: Style) -> dict[str, Any]:
    """Return the arguments of matplotlib's plot that draw a row."""
    return {
        "color": style.colour,
        "linestyle": style.line,
        "linewidth": style.width,
        "marker": style.marker,
        "markersize": _MARKER_SIZES.get(style.marker, 5.5),
        "markerfacecolor": "white" if style.line == "--" else style.colour,
    }


def look_of_solver(solver: str, index: int) -> tuple[str, str]:
    """Return colour and marker of a solver: those of its method, else by its place in the list."""
    return STYLES.get(solver, tuple(STYLES.values())[index % len(STYLES)])


def colour_of_package(solver: str) -> str:
    """Return the colour of the package that a solver's name begins with."""
    return _PACKAGES.get(solver.split()[0], _OTHER)
