"""The figures of the run, grouped by instance and prior, with the labellings below them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ...report.markup import svg_uri
from ..cell import CompareCell, PaperCell, ScalingCell
from ..figures.comparison import compare_name, compared
from ..figures.runs import groups, title_of
from ..figures.scaling import scaling_name
from ..growth import series
from .maps import maps
from .words import anchor, section

_FIGURE_WORDS = {
    "energy-time": "Energy against time; on the right the lowest part of the same curves",
    "energies": "The energy with the convex surrogate, E^h, and the true energy, E^g, per "
    "iteration: what falls is the true one",
    "changed": "How many of the pixels changed their label in each iteration",
    "active": "How many of the pixels were free to move in each iteration",
}
_NARROW = ("changed", "active")


def paper_charts(out: Path, cells: Sequence[PaperCell]) -> str:
    """Return the figures of every instance and prior, with links to choose among them."""
    parts: dict[tuple[str, str], str] = {}
    for (instance, prior), members in groups(cells).items():
        content = _group(out, f"{instance}-{prior}") + maps(out, members)
        if content:
            title = html.escape(title_of(instance, prior, any(cell.own for cell in members)))
            parts[instance, prior] = (
                f'<section class="group" id="{anchor(instance, prior)}" aria-label="{title}">'
                f"<h3>{title}</h3>{content}</section>"
            )
    if not parts:
        return ""
    return section("figures", "Figures", _chooser(parts) + "\n".join(parts.values()))


def _group(out: Path, prefix: str) -> str:
    charts = {
        name: _chart(path, words, "half" if name in _NARROW else "")
        for name, words in _FIGURE_WORDS.items()
        if (path := out / "figures" / f"{prefix}-{name}.svg").is_file()
    }
    content = "\n".join(chart for name, chart in charts.items() if name not in _NARROW)
    if halves := [chart for name, chart in charts.items() if name in _NARROW]:
        content += f'<div class="halves">{"".join(halves)}</div>'
    return content


def _chooser(cases: Iterable[tuple[str, str]]) -> str:
    priors: dict[str, list[str]] = {}
    for instance, prior in cases:
        priors.setdefault(instance, []).append(prior)
    lines = "".join(
        f"<dt>{html.escape(instance)}</dt><dd>"
        + "".join(f'<a href="#{anchor(instance, prior)}">{html.escape(prior)}</a>' for prior in of)
        + "</dd>"
        for instance, of in priors.items()
    )
    return (
        f'<dl class="chooser" id="all-figures" aria-label="Choose an instance and a prior">{lines}'
        '<dt>all</dt><dd><a href="#all-figures">everything</a></dd></dl>'
    )


def scaling_charts(out: Path, cells: Sequence[ScalingCell]) -> str:
    """Return the figures of time and memory against size."""
    words = {
        scaling_name(size): f"Time and memory against {size}, with the fitted powers; hollow "
        "where the time limit ended a run"
        for size in series(cells)
    }
    return _plain_charts(out, words)


def compare_charts(out: Path, cells: Sequence[CompareCell]) -> str:
    """Return the figures of solvers beside each other."""
    words = {
        compare_name(case): f"{case}: every solver, the fastest first" for case in compared(cells)
    }
    return _plain_charts(out, words)


def _plain_charts(out: Path, words: Mapping[str, str]) -> str:
    charts = [
        _chart(path, text)
        for name, text in words.items()
        if (path := out / "figures" / f"{name}.svg").is_file()
    ]
    return section("figures", "Figures", "\n".join(charts)) if charts else ""


def _chart(path: Path, words: str, kind: str = "") -> str:
    # Two decimals of a point are finer than any screen, and halve the file.
    drawing = re.sub(rb"(\d\.\d\d)\d+", rb"\1", path.read_bytes())
    text = html.escape(words)
    return (
        f'<figure><div class="chart {kind}" tabindex="0"><img src="{svg_uri(drawing)}" '
        f'alt="{text}"></div><figcaption>{text}</figcaption></figure>'
    )
