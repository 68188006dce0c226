"""The tables of a run, as Markdown and as LaTeX.

=========  ==================================================================
``paper``  the paper's tables, its figures beside ours
``plain``  a line per cell, for the other kinds of runs
``style``  how each kind of document writes them
=========  ==================================================================
"""

from __future__ import annotations

from ..cell import Cell, PaperCell, Results, of_kind
from . import paper, plain
from .style import LATEX, MARKDOWN

__all__ = ["latex", "markdown"]


def markdown(results: Results[Cell]) -> str:
    """Return all tables of a run as Markdown."""
    kind = results.about["kind"]
    if kind != "paper":
        lines = plain.table(results.cells, MARKDOWN)
        return f"# {plain.TITLES[kind]}\n\n{_made_by(results)}\n\n{lines}\n"
    parts = [f"# {paper.TITLE}", paper.notes(MARKDOWN), _made_by(results)]
    for table in paper.tables(of_kind(results.cells, PaperCell), MARKDOWN):
        parts += [f"## {table.title}", table.caption] if table.caption else [f"## {table.title}"]
        parts.append(MARKDOWN.table(table.head, table.body))
    return "\n\n".join(parts) + "\n"


def latex(results: Results[Cell]) -> str:
    """Return all tables of a run as LaTeX; the document needs the package booktabs."""
    made_by = "% " + _made_by(results).replace("`", "")
    if results.about["kind"] != "paper":
        return f"{made_by}\n\n{plain.table(results.cells, LATEX)}\n"
    parts = [made_by]
    for table in paper.tables(of_kind(results.cells, PaperCell), LATEX):
        caption = f"{LATEX.text(table.title)}. {table.caption} {paper.notes(LATEX)}"
        parts.append(
            "\\begin{table*}\n\\centering\\small\n"
            + LATEX.table(table.head, table.body)
            + f"\n\\caption{{{caption}}}\n\\end{{table*}}"
        )
    return "\n\n".join(parts) + "\n"


def _made_by(results: Results[Cell]) -> str:
    about = results.about
    machine = about["machine"]
    return (
        f"Made by `{about['command']}`, version {about['version']}, on {machine['processor']}, "
        f"{machine['cores']} cores, {machine['simd']}, seed {about['seed']}."
    )
