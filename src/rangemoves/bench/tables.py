"""The tables of a run, as Markdown and as LaTeX: the best in bold, the paper's figures beside ours.

Energies are in thousands with one decimal, as the paper prints them; so are ties decided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .cells import METHODS, ROWS, in_late_table
from .problems import INSTANCES, PRIORS

Cell = Mapping[str, Any]
Results = Mapping[str, Any]

PRIOR_NAMES = {
    "quadratic": "Truncated quadratic",
    "cauchy": "Cauchy",
    "linear": "Truncated linear",
}

# How far above the paper's energy a row may end, in per cent, where not said otherwise. Swaps
# depend on the order in which labels are tried, of which the paper says nothing.
ALLOWED = {"expansion": 2.0, "swap": 10.0, "rswap": 10.0, "rswape": 10.0}
ALLOWED_ELSE = 1.0
# Ours to show: exact moves, so the same energy; Cauchy is rounded, and linear has ties.
ALLOWED_GSWAP = {"quadratic": 0.0, "cauchy": 0.05, "linear": 0.5}

_STATUS = {
    "pending": "not run",
    "failed": "failed",
    "refused": "not possible",
    "not installed": "not installed",
}


@dataclass(frozen=True)
class Style:
    """How a kind of document writes the parts of a table."""

    bold: Callable[[str], str]
    text: Callable[[str], str]
    own: str
    missed: str
    limit: str
    nothing: str


MARKDOWN = Style(
    bold=lambda text: f"**{text}**",
    text=lambda text: text.replace("|", "\\|"),
    own="†",
    missed=" ✗",
    limit="\\*",
    nothing="–",
)


def _escape(text: str) -> str:
    for sign in "&%$#_{}":
        text = text.replace(sign, "\\" + sign)
    return text


LATEX = Style(
    bold=lambda text: f"\\textbf{{{text}}}",
    text=_escape,
    own="$^\\dagger$",
    missed="$^\\times$",
    limit="$^*$",
    nothing="--",
)


def allowed(prior: str, row: str) -> float:
    """Return how far above the paper's energy a row may end, in per cent."""
    if row in ("gswap", "gswapf"):
        return ALLOWED_GSWAP[prior]
    return ALLOWED.get(row, ALLOWED_ELSE)


def misses(cell: Cell) -> bool:
    """Return whether a cell ended further above the paper's energy than it may."""
    if cell["own"] or cell["energy"] is None or cell["paper_energy"] is None:
        return False
    # Printed to hundreds: what rounds to the paper's figure is the paper's figure.
    highest = cell["paper_energy"] * (1 + allowed(cell["prior"], cell["row"]) / 100)
    return bool(cell["energy"] >= highest + 50)


def markdown(results: Results) -> str:
    """Return all tables of a run as Markdown."""
    if results["about"]["kind"] != "paper":
        return _plain(results, _markdown_table)
    parts = [f"# {_TITLE}", *_notes(MARKDOWN), _made_by(results)]
    for table in _tables(results, MARKDOWN):
        parts += [f"## {table.title}", table.caption] if table.caption else [f"## {table.title}"]
        parts.append(_markdown_table(table.head, table.body))
    return "\n\n".join(parts) + "\n"


def latex(results: Results) -> str:
    """Return all tables of a run as LaTeX; the document needs the package booktabs."""
    if results["about"]["kind"] != "paper":
        return _plain(results, _latex_table)
    parts = ["% " + _made_by(results).replace("`", "")]
    notes = " ".join(_notes(LATEX))
    for table in _tables(results, LATEX):
        caption = f"{LATEX.text(table.title)}. {table.caption} {notes}"
        parts.append(
            "\\begin{table*}\n\\centering\\small\n"
            + _latex_table(table.head, table.body)
            + f"\n\\caption{{{caption}}}\n\\end{{table*}}"
        )
    return "\n\n".join(parts) + "\n"


_TITLE = "The paper's tables"


def _notes(style: Style) -> list[str]:
    percent = style.text("%")
    return [
        "E: energy in thousands, T: seconds; ours / the paper's. Bold: the lowest of ours. "
        f"{style.own.strip()}: data costs that are not the paper's, so not to be compared with its "
        f"figures. {style.limit.strip()}: ended by the time limit. {style.missed.strip()}: further "
        f"above the paper than it should be (expansion 2 {percent}, swap, rswap and rswape "
        f"10 {percent}, gswap and gswapf 0 {percent} for the truncated quadratic, 0.05 {percent} "
        f"for Cauchy, 0.5 {percent} for the truncated linear prior, others 1 {percent})."
    ]


def _made_by(results: Results) -> str:
    about = results["about"]
    machine = about["machine"]
    return (
        f"Made by `{about['command']}`, version {about['version']}, on {machine['processor']}, "
        f"{machine['cores']} cores, {machine['simd']}, seed {about['seed']}."
    )


@dataclass(frozen=True)
class _Table:
    title: str
    caption: str
    head: list[str]
    body: list[list[str]]


_PLACES = {
    "quadratic": " (Table 1 of the paper)",
    "cauchy": " (Table 1 of the paper)",
    "linear": " (in the source of the paper)",
}
_LATE = (
    "E is alpha-expansion going up through the labels; all other rows start from what it found, "
    "and their seconds are those of both together."
)


def _tables(results: Results, style: Style) -> list[_Table]:
    """Table 1 of the paper is the first two; then the truncated linear prior, then all E+ rows."""
    cells = results["cells"]
    found = []
    for late in (False, True):
        for prior in PRIORS:
            chosen = [
                cell
                for cell in cells
                if cell["prior"] == prior and in_late_table(cell["row"]) == late
            ]
            if not chosen:
                continue
            title = PRIOR_NAMES[prior] + (", from alpha-expansion" if late else _PLACES[prior])
            found.append(_table(title, _LATE if late else "", chosen, style))
    return found


def _table(title: str, caption: str, cells: Sequence[Cell], style: Style) -> _Table:
    by_place = {(cell["instance"], cell["row"]): cell for cell in cells}
    instances = [name for name in INSTANCES if any(name == its for its, _ in by_place)]
    rows = [row for row in ROWS if any(row == its for _, its in by_place)]
    lowest = {
        name: min(
            (_thousands(c) for c in cells if c["instance"] == name and c["energy"] is not None),
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
            line += _figures(by_place.get((name, row)), lowest[name], style)
        body.append(line)
    return _Table(title, caption, head, body)


def _thousands(cell: Cell) -> float:
    return round(float(cell["energy"]) / 1000, 1)


def _figures(cell: Cell | None, lowest: float | None, style: Style) -> list[str]:
    if cell is None:
        return ["", ""]
    theirs, their_seconds = cell["paper_energy"], cell["paper_seconds"]
    if cell["energy"] is None:
        energy, seconds = _STATUS.get(cell["status"], str(cell["status"])), style.nothing
    else:
        energy = f"{_thousands(cell):.1f}"
        if _thousands(cell) == lowest:
            energy = style.bold(energy)
        if misses(cell):
            energy += style.missed
        seconds = _seconds(cell["seconds"])
        # The row "best" goes on for as long as it may.
        if cell["status"] == "time_limit" and cell["row"] != "best":
            seconds += style.limit
    if theirs is not None:
        energy += f" / {theirs / 1000:.1f}"
        seconds += f" / {their_seconds:.0f}"
    return [energy, seconds]


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f}" if seconds < 99.5 else f"{seconds:.0f}"


def _plain(results: Results, table: Callable[[list[str], list[list[str]]], str]) -> str:
    """Every cell a line, every column that has something in it a column: scaling and compare."""
    cells = results["cells"]
    hidden = ("version", "machine", "seed")
    columns = [
        key
        for key in dict.fromkeys(key for cell in cells for key in cell)
        if key not in hidden and any(cell.get(key) is not None for cell in cells)
    ]
    is_latex = table is _latex_table
    fastest = _fastest(cells)
    body = []
    for cell in cells:
        line = []
        for key in columns:
            text = _value(key, cell.get(key))
            text = _escape(text) if is_latex else MARKDOWN.text(text)
            if key == "seconds" and fastest.get(_group(cell)) == cell.get(key) is not None:
                text = (LATEX if is_latex else MARKDOWN).bold(text)
            line.append(text)
        body.append(line)
    head = [_HEADS.get(key, key) for key in columns]
    made_by = _made_by(results)
    if is_latex:
        return f"% {made_by.replace('`', '')}\n\n" + table([_escape(h) for h in head], body) + "\n"
    title = {"scaling": "Time and memory against size", "compare": "Beside other solvers"}
    return f"# {title[results['about']['kind']]}\n\n{made_by}\n\n{table(head, body)}\n"


_HEADS = {"memory_bytes": "memory, MB", "bad1": "bad1, %", "error": "remark"}


def _group(cell: Cell) -> tuple[Any, ...]:
    return tuple(cell.get(key) for key in ("case", "problem", "pixels", "labels", "T"))


def _fastest(cells: Sequence[Cell]) -> dict[tuple[Any, ...], float]:
    found: dict[tuple[Any, ...], float] = {}
    for cell in cells:
        if cell.get("seconds") is not None:
            key = _group(cell)
            found[key] = min(found.get(key, cell["seconds"]), cell["seconds"])
    return found


def _value(key: str, value: Any) -> str:
    if value is None:
        return ""
    if key == "memory_bytes":
        return f"{value / 1e6:.0f}"
    if key == "seconds":
        return f"{value:.3f}" if value < 10 else f"{value:.1f}"
    if key == "bad1":
        return f"{value:.2f}"
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value)


def _markdown_table(head: list[str], body: list[list[str]]) -> str:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _latex_table(head: list[str], body: list[list[str]]) -> str:
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
