"""The tables of a run, as Markdown and as LaTeX.

===========  ==================================================================
``paper``    the paper's tables, its figures beside ours
``answers``  rows as written, proven optima, what became of the paper's claims
``plain``    a line per cell, for the other kinds of runs
``style``    how each kind of document writes them
===========  ==================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..cell import Cell, PaperCell, Results, in_words, of_kind
from ..claims import claims
from . import answers, paper, plain
from .style import LATEX, MARKDOWN, Style

__all__ = ["latex", "markdown"]


def markdown(results: Results[Cell]) -> str:
    """Return all tables of a run as Markdown."""
    kind = results.about["kind"]
    if kind != "paper":
        lines = plain.table(results.cells, MARKDOWN)
        return f"# {plain.TITLES[kind]}\n\n{_made_by(results)}\n\n{lines}\n"
    parts = [f"# {paper.TITLE}", paper.notes(MARKDOWN), _made_by(results)]
    cells = of_kind(results.cells, PaperCell)
    for table in paper.tables(cells, MARKDOWN):
        parts += [f"## {table.title}", table.caption] if table.caption else [f"## {table.title}"]
        parts.append(MARKDOWN.table(table.head, table.body))
        if table.remarks:
            parts += [paper.REMARKS, "\n".join(f"- {remark}" for remark in table.remarks)]
    for title, caption, text in _beside(cells, MARKDOWN):
        parts += [f"## {title}", caption, text]
    return "\n\n".join(parts) + "\n"


def latex(results: Results[Cell]) -> str:
    """Return all tables of a run as LaTeX; the document needs the package booktabs."""
    made_by = "% " + _made_by(results).replace("`", "")
    if results.about["kind"] != "paper":
        return f"{made_by}\n\n{plain.table(results.cells, LATEX)}\n"
    parts = [made_by]
    cells = of_kind(results.cells, PaperCell)
    for table in paper.tables(cells, LATEX):
        caption = f"{LATEX.text(table.title)}. {table.caption} {paper.notes(LATEX)}"
        if table.remarks:
            caption += " " + LATEX.text(" ".join([paper.REMARKS, *table.remarks]))
        parts.append(_floating(LATEX.table(table.head, table.body), caption))
    for title, caption, text in _beside(cells, LATEX):
        parts.append(_floating(text, f"{title}. {caption}"))
    return "\n\n".join(parts) + "\n"


def _floating(table: str, caption: str) -> str:
    return (
        f"\\begin{{table*}}\n\\centering\\small\n{table}\n\\caption{{{caption}}}\n\\end{{table*}}"
    )


def _beside(cells: Sequence[PaperCell], style: Style) -> Iterator[tuple[str, str, str]]:
    """Title, caption and table of what stands beside the paper's tables."""
    written = answers.written(cells, style)
    if written:
        yield answers.WRITTEN, answers.WRITTEN_CAPTION, written
    optima = answers.optima(cells, style)
    if optima:
        yield answers.OPTIMA, answers.OPTIMA_CAPTION, optima
    if any(found for claim in claims(cells) for found in list(claim.sources.values())[1:]):
        yield answers.CLAIMS, answers.CLAIMS_CAPTION, answers.answers(cells, style)


def _made_by(results: Results[Cell]) -> str:
    about = results.about
    machine = about["machine"]
    commit = in_words(cell.commit for cell in results.cells) or about.get("commit")
    version = about["version"] + (f", commit {commit}" if commit else "")
    return (
        f"Made by `{about['command']}`, version {version}, on {machine['processor']}, "
        f"{machine['cores']} cores, {machine['simd']}, seed {about['seed']}."
    )
