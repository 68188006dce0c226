"""How far above the paper's energy a row may end."""

from __future__ import annotations

from .cell import PaperCell
from .rows import base_of

# Per cent above the paper's energy, where nothing else is said. Swaps depend on the order in which
# labels are tried, of which the paper says nothing.
ALLOWED = {"expansion": 2.0, "swap": 10.0, "rswap": 10.0, "rswape": 10.0}
ALLOWED_ELSE = 1.0
# The paper's own methods make exact moves: the same energy, but for rounding (Cauchy) and ties
# (linear).
ALLOWED_GSWAP = {"quadratic": 0.0, "cauchy": 0.05, "linear": 0.5}


def allowed(prior: str, row: str) -> float:
    """Return how far above the paper's energy a row may end, in per cent."""
    row = base_of(row)
    if row in ("gswap", "gswapf"):
        return ALLOWED_GSWAP[prior]
    return ALLOWED.get(row, ALLOWED_ELSE)


def misses(cell: PaperCell) -> bool:
    """Return whether a cell ended further above the paper's energy than it may."""
    if cell.own or cell.compared_energy is None or cell.paper_energy is None:
        return False
    # The paper prints hundreds: what rounds to its figure is its figure.
    highest = cell.paper_energy * (1 + allowed(cell.prior, cell.row) / 100)
    return cell.compared_energy >= highest + 50
