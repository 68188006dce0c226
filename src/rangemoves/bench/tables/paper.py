"""The paper's tables: the best in bold, the paper's figures beside ours.

Energies are in thousands with one decimal, as the paper prints them; so are ties decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .. import paper
from ..cell import PaperCell
from ..judgement import misses
from ..problems import INSTANCES, PRIOR_NAMES, PRIORS
from ..remarks import WORTH_A_REMARK, remarks
from ..rows import AS_WRITTEN, CHORD, FROM_STARTS, ROWS, base_of, in_late_table
from .style import Lines, Style

TITLE = "The paper's tables"
REMARKS = f"More than {WORTH_A_REMARK:g} % above the paper:"

_STATUS = {
    "pending": "not run",
    "failed": "failed",
    "refused": "not possible",
    "not installed": "not installed",
}
_PLACES = {
    "quadratic": " (Table 1 of the paper)",
    "cauchy": " (Table 1 of the paper)",
    "linear": " (in the source of the paper)",
}
_LATE = (
    "E is alpha-expansion going up through the labels; all other rows start from what it found, "
    "and their seconds are those of both together, then in brackets without those of E, as the "
    "paper counts them."
)
_BOTH = (
    "Rows that begin with E+ start from alpha-expansion going up through the labels (row E below), "
    "all others from label 0. The seconds of the former are those of both together, then in "
    "brackets without those of E, as the paper counts them."
)

_SENSITIVE = (
    "How much the start matters: gswap from label 0, from alpha-expansion (E), from what TRW-S "
    "found, from the cheapest label of each pixel, and from random labels. Seconds as above."
)


@dataclass(frozen=True)
class _Layout:
    """Which rows a table has, in its order, and under which priors there is such a table.

    It is made where each row of ``needs`` was run.
    """

    rows: tuple[str, ...]
    title: str
    caption: str = ""
    needs: tuple[str, ...] = ()
    priors: tuple[str, ...] = tuple(PRIORS)


def _written_too(*rows: str) -> tuple[str, ...]:
    return tuple(each for row in rows for each in (row, row + AS_WRITTEN))


_LAYOUTS = (
    _Layout(tuple(row for row in ROWS if not in_late_table(row) and row not in FROM_STARTS), ""),
    _Layout(
        _written_too("rswap", "E+rswap", "rswape", "E+rswape", "gswap", "gswapf"),
        " (Table 2 of the paper)",
        _BOTH,
        needs=("rswap", "E+rswap"),
        priors=("quadratic", "cauchy"),
    ),
    _Layout(tuple(filter(in_late_table, ROWS)), ", from alpha-expansion", _LATE),
    _Layout(
        ("gswap", "E+gswap", *FROM_STARTS),
        ", gswap from several starts",
        _SENSITIVE,
        needs=FROM_STARTS,
    ),
)


@dataclass(frozen=True)
class Table:
    """One of the tables, its entries written in the style of the document."""

    title: str
    caption: str
    head: list[str]
    body: Lines
    remarks: list[str]


def notes(style: Style) -> str:
    """Return what the marks in the tables mean."""
    percent = style.text("%")
    return (
        "E: energy in thousands, T: seconds; ours / the paper's. Bold: the lowest of ours. "
        f"{style.own.strip()}: data costs that are not the paper's, so not to be compared with its "
        f"figures. {style.limit.strip()}: ended by the time limit. {style.missed.strip()}: further "
        f"above the paper than it should be (expansion 2 {percent}, swap, rswap and rswape "
        f"10 {percent}, gswap and gswapf 0 {percent} for the truncated quadratic, 0.05 {percent} "
        f"for Cauchy, 0.5 {percent} for the truncated linear prior, others 1 {percent}). Rows that "
        f"end in {style.text(AS_WRITTEN)} run a method as the paper has it (the Huber surrogate, "
        "the convex range up to T, of several best labellings the highest), the others as it does "
        "best here (the tight surrogate, all that "
        f"is convex at integers); {style.text(CHORD)}: the surrogate that the paper does not have. "
        "Rows as written are empty where they were not run: on large instances whose data costs "
        "are not the paper's."
    )


def tables(cells: Sequence[PaperCell], style: Style) -> list[Table]:
    """Table 1 of the paper is the first two; then the truncated linear prior; then Table 2.

    After that all E+ rows, and, where they were run, gswap from several starts.
    """
    found = []
    for layout in _LAYOUTS:
        for prior in layout.priors:
            chosen = [cell for cell in cells if cell.prior == prior and cell.row in layout.rows]
            if not chosen or not {*layout.needs} <= {cell.row for cell in chosen}:
                continue
            name = PRIOR_NAMES[prior]
            title = name[0].upper() + name[1:] + (layout.title or _PLACES[prior])
            found.append(_table(title, layout, chosen, remarks(chosen, cells), style))
    return found


def _table(
    title: str,
    layout: _Layout,
    cells: Sequence[PaperCell],
    reasons: list[str],
    style: Style,
) -> Table:
    by_place = {(cell.instance, cell.row): cell for cell in cells}
    instances = [name for name in INSTANCES if any(name == its for its, _ in by_place)]
    rows = [row for row in layout.rows if any(row == its for _, its in by_place)]
    lowest = {
        name: min(
            (
                _thousands(cell.energy)
                for cell in cells
                if cell.instance == name and cell.energy is not None
            ),
            default=None,
        )
        for name in instances
    }
    head = ["method"]
    for name in instances:
        mark = style.own if INSTANCES[name].own else ""
        head += [f"{style.text(name)}{mark} E", "T"]
    body = []
    for row in rows:
        line = [style.text(row)]
        for name in instances:
            cell = by_place.get((name, row))
            line += (
                _not_run(name, cells[0].prior, row, rows, style)
                if cell is None
                else _figures(cell, lowest[name], style)
            )
        body.append(line)
    return Table(title, layout.caption, head, body, reasons)


def _thousands(energy: float) -> float:
    return round(energy / 1000, 1)


def _not_run(instance: str, prior: str, row: str, rows: Sequence[str], style: Style) -> list[str]:
    """The place of a cell that was not run: what the paper has there, if anything.

    Where the row that this one is a variant of stands in the table as well, that has it.
    """
    figure = paper.figures().get((instance, prior, row.removesuffix(AS_WRITTEN)))
    if figure is None or (base_of(row) != row and base_of(row) in rows):
        return ["", ""]
    return [
        f"{style.nothing} / {figure.energy / 1000:.1f}",
        f"{style.nothing} / {figure.seconds:.0f}",
    ]


def _figures(cell: PaperCell, lowest: float | None, style: Style) -> list[str]:
    if cell.energy is None or cell.seconds is None:
        energy, seconds = _STATUS.get(cell.status, cell.status), style.nothing
    else:
        energy = f"{_thousands(cell.energy):.1f}"
        if _thousands(cell.energy) == lowest:
            energy = style.bold(energy)
        if misses(cell):
            energy += style.missed
        seconds = _seconds(cell.seconds)
        if cell.start_seconds:
            seconds += f" ({_seconds(cell.seconds - cell.start_seconds)})"
        if cell.status == "time_limit":
            seconds += style.limit
    if cell.paper_energy is not None:
        energy += f" / {cell.paper_energy / 1000:.1f}"
        seconds += f" / {cell.paper_seconds:.0f}"
    return [energy, seconds]


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f}" if seconds < 99.5 else f"{seconds:.0f}"
