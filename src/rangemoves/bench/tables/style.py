"""How Markdown and LaTeX write a table and the marks in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..rows import METHODS

Lines = list[list[str]]


@dataclass(frozen=True)
class Style:
    """How a kind of document writes the parts of a table.

    Attributes
    ----------
    bold, text : callable
        The lowest of a column; any text, escaped.
    table : callable
        A table, from its head and its lines.
    own, missed, limit, nothing : str
        Marks: costs not the paper's, energy too high, ended by the time limit, no figure.
    """

    bold: Callable[[str], str]
    text: Callable[[str], str]
    table: Callable[[list[str], Lines], str]
    own: str
    missed: str
    limit: str
    nothing: str


def _latex_text(text: str) -> str:
    for sign in "&%$#_{}":
        text = text.replace(sign, "\\" + sign)
    return text


def _markdown_table(head: list[str], body: Lines) -> str:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _latex_table(head: list[str], body: Lines) -> str:
    lines = [
        f"\\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}",
        "\\toprule",
        " & ".join(head) + " \\\\",
        "\\midrule",
    ]
    for number, line in enumerate(body):
        # As in the paper: a rule before its own methods.
        if number and line[0] == METHODS[-2]:
            lines.append("\\midrule")
        lines.append(" & ".join(line) + " \\\\")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}"])


MARKDOWN = Style(
    bold=lambda text: f"**{text}**",
    text=lambda text: text.replace("|", "\\|"),
    table=_markdown_table,
    own="†",
    missed=" ✗",
    limit="\\*",
    nothing="–",
)
LATEX = Style(
    bold=lambda text: f"\\textbf{{{text}}}",
    text=_latex_text,
    table=_latex_table,
    own="$^\\dagger$",
    missed="$^\\times$",
    limit="$^*$",
    nothing="--",
)
