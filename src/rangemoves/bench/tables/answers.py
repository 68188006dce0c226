"""Beside the paper's tables: rows as written, proven optima, what became of its claims."""

from __future__ import annotations

from collections.abc import Sequence

from .. import paper
from ..cell import PaperCell
from ..claims import Ratio, claims
from ..problems import INSTANCES, PRIOR_NAMES
from ..remarks import excess
from ..rows import AS_WRITTEN, RANGE_SWAPS, method_of
from .style import Style

WRITTEN = "As written"
# Per cent from the paper's figure up to which a row as written counts as the paper's.
AS_GOOD_AS_EQUAL = 0.5
WRITTEN_CAPTION = (
    "The paper's own methods and range swaps as it has them, where the costs are the paper's: from "
    "label 0, and (E+) from our alpha-expansion, which is not quite the paper's; in thousands, "
    "ours / the paper's, and how far ours is from that where it is by more than "
    f"{AS_GOOD_AS_EQUAL:g} per cent. With the Cauchy prior ours are summed here as the paper's "
    "programs sum, in single precision."
)

OPTIMA = "Proven optima"
OPTIMA_CAPTION = (
    "What best found, and the bound below which no labelling can be. Where both meet, the energy "
    "is the global optimum. How far the lowest of the paper is above it, where the costs are the "
    "paper's."
)
CLAIMS = "What the paper claims"
CLAIMS_CAPTION = (
    "How many times as high, or as long, over all instances with the truncated quadratic and the "
    "Cauchy prior: the least and the largest ratio, by the paper's own figures, by ours as "
    "written, and by ours as they are. Energies of runs that the time limit ended do not count. "
    "Of starts: where a method ends from another one (E+: from alpha-expansion), compared with "
    "where it ends from label 0."
)


def optima(cells: Sequence[PaperCell], style: Style) -> str:
    """Return a line for each instance and prior for which best was run; empty where none was."""
    head = ["instance", "prior", "proven optimum", "best", "bound", "T", "paper's lowest", "above"]
    body = []
    for cell in cells:
        if cell.row != "best" or cell.energy is None or cell.seconds is None:
            continue
        proven = cell.status == "optimal"
        bound = cell.energy if proven else cell.lower_bound
        lowest = None if cell.own else _papers_lowest(cell.instance, cell.prior)
        body.append(
            [
                style.text(cell.instance) + (style.own if cell.own else ""),
                style.text(PRIOR_NAMES[cell.prior]),
                style.bold(_number(cell.energy)) if proven else style.nothing,
                _number(cell.energy),
                style.nothing if bound is None else _number(bound),
                f"{cell.seconds:.0f}",
                style.nothing if lowest is None else f"{lowest / 1000:.1f}",
                _above(lowest, bound, proven, style),
            ]
        )
    return style.table(head, body) if body else ""


def written_cells(cells: Sequence[PaperCell]) -> list[PaperCell]:
    """Return those of the paper's own methods and of range swaps as written, with its figure."""
    return [
        cell
        for cell in cells
        if cell.row.endswith(AS_WRITTEN)
        and method_of(cell.row) in ("gswap", "gswapf", *RANGE_SWAPS)
        and excess(cell) is not None
    ]


def written(cells: Sequence[PaperCell], style: Style) -> str:
    """Return a line for each method and prior as written, a column for each instance."""
    chosen = {(cell.prior, cell.row, cell.instance): cell for cell in written_cells(cells)}
    names = [name for name in INSTANCES if any(name == its for _, _, its in chosen)]
    body = []
    for prior, row in dict.fromkeys((prior, row) for prior, row, _ in chosen):
        line = [style.text(f"{row.removesuffix(AS_WRITTEN)}, {PRIOR_NAMES[prior]}")]
        line += [_beside(chosen.get((prior, row, name)), style) for name in names]
        body.append(line)
    return style.table(["method", *map(style.text, names)], body) if body else ""


def _beside(cell: PaperCell | None, style: Style) -> str:
    if cell is None or cell.compared_energy is None or cell.paper_energy is None:
        return style.nothing
    text = f"{cell.compared_energy / 1000:.3f} / {cell.paper_energy / 1000:.1f}"
    off = excess(cell)
    if off is not None and abs(off) > AS_GOOD_AS_EQUAL:
        text += style.text(f" ({off:+.1f} %)")
    return text + (style.limit if cell.status == "time_limit" else "")


def _number(energy: float) -> str:
    return f"{energy:.0f}" if float(energy).is_integer() else f"{energy:.1f}"


def _papers_lowest(instance: str, prior: str) -> float | None:
    found = [
        figure.energy
        for (its, other, _), figure in paper.figures().items()
        if its == instance and other == prior
    ]
    return min(found, default=None)


def _above(lowest: float | None, bound: float | None, proven: bool, style: Style) -> str:
    if lowest is None or bound is None:
        return style.nothing
    # The paper rounds its figures: one may lie below the optimum, by less than is shown.
    above = round(100 * (lowest / bound - 1), 2) + 0.0
    percent = style.text(f"{above:.2f} %")
    return percent if proven else f"at most {percent}"


def answers(cells: Sequence[PaperCell], style: Style) -> str:
    """Return the claims and their ratios as a table."""
    head = ["claim", "by the paper's figures", "ours, as written", "ours"]
    body = [
        [style.text(claim.words), *(_range(found, style) for found in claim.sources.values())]
        for claim in claims(cells)
    ]
    return style.table(head, body)


def _range(found: tuple[Ratio, Ratio] | None, style: Style) -> str:
    if found is None:
        return style.nothing
    least, largest = found
    return style.text(f"{least} to {largest}")
