"""Why a cell ends above the paper's figure, in a line: what is known, and where nothing is."""

from __future__ import annotations

from collections.abc import Sequence

from . import paper
from .cell import PaperCell
from .rows import AS_WRITTEN, RANGE_SWAPS, START, base_of, method_of, starts_late

# Per cent above the paper from which on a cell is explained.
WORTH_A_REMARK = 0.1

_LIMIT = "ended by the time limit, before its moves had ceased to gain"
_START = (
    "they start from our alpha-expansion (row E), which ends elsewhere than the paper's: in which "
    "order that tries the labels the paper does not say"
)
_ORDER = (
    "what is found depends on the order in which labels are tried, of which the paper says nothing"
)
_TIES = (
    "of several best labellings the paper's programs take the highest, ours keep the current one; "
    f"the rows {AS_WRITTEN} take the highest, and end at most {WORTH_A_REMARK:g} % above the paper"
)
_OPTIONS = (
    f"the rows {AS_WRITTEN}, with all options as in the paper, end at most "
    f"{WORTH_A_REMARK:g} % above the paper"
)
_DECODING = (
    "messages are rounded differently, and of several labels with the same belief another is taken"
)
_REAL = (
    "the costs of edges are real numbers, on whose last digits range swaps from label 0 depend; "
    "how the paper's max-flow rounded them is not known, but that it sums in single precision"
)
_OPEN = f"the rows {AS_WRITTEN}, which would show whether it is ties, were ended by the time limit"
_UNKNOWN = "not explained"


def excess(cell: PaperCell) -> float | None:
    """Return by how many per cent a cell ends above the paper, where that can be compared."""
    if cell.own or cell.compared_energy is None or not cell.paper_energy:
        return None
    return 100 * (cell.compared_energy / cell.paper_energy - 1)


def _starts_elsewhere(start: PaperCell | None) -> bool:
    """Whether our alpha-expansion and the paper's differ in the digits that it prints."""
    if start is None or start.energy is None:
        return False
    theirs = paper.figures().get((start.instance, start.prior, "expansion"))
    return theirs is not None and abs(start.energy - theirs.energy) > 50


def _why(cell: PaperCell, written: PaperCell | None, start: PaperCell | None) -> str:
    """Say why a cell ends higher.

    Parameters
    ----------
    cell : PaperCell
        It.
    written : PaperCell or None
        The same row as the paper has it, if run.
    start : PaperCell or None
        What rows that start from alpha-expansion start from.
    """
    method = method_of(cell.row)
    if cell.status == "time_limit":
        return _LIMIT
    above = None if written is None or written is cell else excess(written)
    if above is not None and above <= WORTH_A_REMARK:
        # With Cauchy the convex range is another, too.
        return _TIES if method in RANGE_SWAPS and cell.prior != "cauchy" else _OPTIONS
    if starts_late(cell.row) and _starts_elsewhere(start):
        return _START
    if method in ("expansion", "swap", "rexp"):
        return _ORDER
    if method in RANGE_SWAPS and cell.prior == "cauchy":
        return _REAL
    if written is not None and written is not cell and written.status == "time_limit":
        return _OPEN
    return _DECODING if method == "trws" else _UNKNOWN


def remarks(cells: Sequence[PaperCell], run: Sequence[PaperCell]) -> list[str]:
    """Return a line per reason, with all cells that it explains.

    Parameters
    ----------
    cells : sequence of PaperCell
        Those of one table.
    run : sequence of PaperCell
        All there are: a cell has the same reason in every table.
    """
    by_place = {(cell.instance, cell.prior, cell.row): cell for cell in run}
    found: dict[str, list[str]] = {}
    for cell in cells:
        above = excess(cell)
        if above is None or above <= WORTH_A_REMARK or cell.row == START:
            continue
        written = by_place.get((cell.instance, cell.prior, base_of(cell.row) + AS_WRITTEN))
        start = by_place.get((cell.instance, cell.prior, START))
        found.setdefault(_why(cell, written, start), []).append(
            f"{cell.row} on {cell.instance} (+{above:.1f} %)"
        )
    return [f"{', '.join(places)}: {reason}." for reason, places in found.items()]
