"""What the paper claims of its methods, computed from its own figures and from ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from . import paper
from .cell import PaperCell
from .problems import INSTANCES
from .rows import AS_WRITTEN, FROM_STARTS, RANGE_SWAPS, starts_late

_OURS = ("gswap", "gswapf")
# The priors of the paper's printed tables: its claims are about those.
_PRIORS = ("quadratic", "cauchy")


class Figure(NamedTuple):
    """An energy, a time, and whether a time limit cut the run short."""

    energy: float
    seconds: float
    cut_short: bool = False


Figures = dict[tuple[str, str, str], Figure]


class Ratio(NamedTuple):
    """How many times as large, and where; ``more``: at least that, for the one was cut short."""

    value: float
    where: str
    more: bool = False
    digits: int = 1

    def __str__(self) -> str:
        least = "more than " if self.more else ""
        return f"{least}{self.value:.{self.digits}f} ({self.where})"


@dataclass(frozen=True)
class Claim:
    """A claim, and the least and largest ratio by the paper's figures, and by ours.

    Attributes
    ----------
    words : str
        What the paper says.
    sources : dict
        "paper", "as written" and "ours" to the least and the largest ratio; None where nothing can
        be compared.
    """

    words: str
    sources: dict[str, tuple[Ratio, Ratio] | None]


def _paper_figures() -> Figures:
    """Those that it prints, since its text is about them, and where it started from elsewhere.

    Of those its text says something, but the tables are in its source alone.
    """
    return {
        place: Figure(figure.energy, figure.seconds)
        for place, figure in paper.figures().items()
        if figure.printed or starts_late(place[2])
    }


def _our_figures(cells: Iterable[PaperCell], suffix: str) -> Figures:
    return {
        (cell.instance, cell.prior, cell.row.removesuffix(suffix) if suffix else cell.row): Figure(
            cell.energy, cell.seconds, cell.status == "time_limit"
        )
        for cell in cells
        if cell.energy is not None and cell.seconds is not None and cell.row.endswith(suffix)
    }


def _pairs(
    figures: Figures, compared: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, Figure, Figure]]:
    for instance in INSTANCES:
        for prior in _PRIORS:
            for other, own in compared:
                one = figures.get((instance, prior, other))
                two = figures.get((instance, prior, own))
                if one is not None and two is not None:
                    yield f"{instance}, {prior}, {other} to {own}", one, two


def _energies(where: str, other: Figure, own: Figure) -> Ratio | None:
    # An energy that would still have fallen says nothing.
    return None if other.cut_short else Ratio(other.energy / own.energy, where)


def _ends(where: str, other: Figure, own: Figure) -> Ratio | None:
    cut_short = other.cut_short or own.cut_short
    return None if cut_short else Ratio(other.energy / own.energy, where, digits=3)


def _times(where: str, other: Figure, own: Figure) -> Ratio | None:
    if own.cut_short or not own.seconds:
        return None
    return Ratio(other.seconds / own.seconds, where, other.cut_short)


def _with_ours(others: Sequence[str]) -> list[tuple[str, str]]:
    return [(other, own) for other in others for own in _OURS]


_OTHERS = ("expansion", "swap", *RANGE_SWAPS, "rexp", "trws", "irgc")
_STARTS = [*((row, "gswap") for row in ("E+gswap", *FROM_STARTS)), ("E+gswapf", "gswapf")]
_OTHER_STARTS = [(f"E+{row}", row) for row in ("rexp", "trws", "irgc")]
_CLAIMS: tuple[
    tuple[str, Sequence[tuple[str, str]], Callable[[str, Figure, Figure], Ratio | None]], ...
] = (
    ("up to 3 times lower energy than range swaps", _with_ours(RANGE_SWAPS), _energies),
    ("up to 24 times faster than range swaps", _with_ours(RANGE_SWAPS), _times),
    ("2 to 9 times faster than IRGC", _with_ours(("irgc",)), _times),
    ("the lowest energy of all methods, or virtually that", _with_ours(_OTHERS), _ends),
    ("gswapf ends virtually where gswap does", [("gswapf", "gswap")], _ends),
    (
        "range swaps from alpha-expansion still end higher",
        _with_ours([f"E+{row}" for row in RANGE_SWAPS]),
        _ends,
    ),
    ("insensitive to initialization", _STARTS, _ends),
    ("range expansion, TRW-S and IRGC are insensitive to it, too", _OTHER_STARTS, _ends),
)


def claims(cells: Sequence[PaperCell]) -> list[Claim]:
    """Return each claim with what the paper's figures and the cells say of it."""
    sources = {
        "paper": _paper_figures(),
        "as written": _our_figures(cells, AS_WRITTEN),
        "ours": _our_figures(cells, ""),
    }
    found = []
    for words, compared, ratio in _CLAIMS:
        extremes: dict[str, tuple[Ratio, Ratio] | None] = {}
        for name, figures in sources.items():
            ratios = [
                found_ratio
                for place in _pairs(figures, compared)
                if (found_ratio := ratio(*place)) is not None
            ]
            extremes[name] = (min(ratios), max(ratios)) if ratios else None
        found.append(Claim(words, extremes))
    return found
