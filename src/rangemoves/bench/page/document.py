"""The page as a whole, filled into ``page.html``."""

from __future__ import annotations

from pathlib import Path

from ...io import write_atomically
from ...report.markup import fill
from ..cell import Cell, CompareCell, PaperCell, Results, ScalingCell, of_kind
from . import about, charts, overview, results
from .columns import columns_of
from .numbers import lowest_energies
from .words import section

_TITLES = {
    "paper": "The paper's experiments, run again",
    "scaling": "How time and memory grow",
    "compare": "Beside other solvers",
}


def write(out: Path, found: Results[Cell]) -> Path:
    """Write ``out/index.html`` from the results and from the figures found in ``out/figures``.

    Parameters
    ----------
    out : Path
        The folder of the run.
    found : Results
        What ``results.json`` holds.

    Returns
    -------
    Path
        The page.
    """
    kind, cells = found.about["kind"], found.cells
    columns = columns_of(kind, cells)
    lowest = lowest_energies(of_kind(cells, PaperCell))
    heading, first = _overview(cells)
    figures = _figures(out, cells)
    headings = {
        "overview": heading if first else "",
        "results": "All results",
        "figures": "Figures" if figures else "",
        "about": "About this run",
    }
    page = fill(
        __package__,
        "page",
        title=_TITLES[kind],
        headline=about.headline(cells),
        counts=about.counts(cells),
        contents=" ".join(
            f'<a href="#{name}-heading">{words}</a>' for name, words in headings.items() if words
        ),
        overview=section("overview", heading, first) if first else "",
        filters="\n".join(results.filters(cells)),
        total=len(cells),
        columns="".join(column.heading for column in columns),
        rows="\n".join(results.row(cell, columns, lowest) for cell in cells),
        note=about.note(kind, cells),
        figures=figures,
        sources=about.sources(out),
        about=f'<div class="about">{about.about_run(found.about, cells)}</div>',
    )
    path = out / "index.html"
    write_atomically(path, page.encode())
    return path


def _overview(cells: list[Cell]) -> tuple[str, str]:
    """Return heading and content of the first table; nothing where a kind of run has none."""
    if paper := of_kind(cells, PaperCell):
        return "Energies", overview.energies(paper)
    if scaling := of_kind(cells, ScalingCell):
        return "Powers", overview.powers(scaling)
    return "", ""


def _figures(out: Path, cells: list[Cell]) -> str:
    return (
        charts.paper_charts(out, of_kind(cells, PaperCell))
        + charts.scaling_charts(out, of_kind(cells, ScalingCell))
        + charts.compare_charts(out, of_kind(cells, CompareCell))
    )
