"""One HTML page with all of a run: tables, figures and maps, to sort, to filter and to send.

Everything is inside the file; it opens without a network and needs no other file.
"""

from __future__ import annotations

import html
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._optional import optional_import
from ..io import write_atomically
from ..report.markup import fill, picture_uri, png_uri, svg_uri, table
from .figures import (
    PRIOR_NAMES,
    Cell,
    compare_name,
    compared,
    fit,
    groups,
    label_palette,
    load_runs,
    maps_of,
    scaling_name,
    scaling_series,
    solver_of,
    style_of,
    title_of,
)

__all__ = ["write"]

_TITLES = {
    "paper": "The paper's experiments, run again",
    "scaling": "How time and memory grow",
    "compare": "Beside other solvers",
}
_STATUS_WORDS = {"iteration_limit": "iteration limit", "time_limit": "time limit"}
_UNKNOWN = "–"
# Half of the last digit that the paper prints, in the energy's own units.
_PAPER_DIGIT = 50.0

_FIGURE_WORDS = {
    "energy-time": "Energy against time; on the right the lowest part of the same curves",
    "energies": "The energy with the convex surrogate, E^h, and the true energy, E^g, per "
    "iteration: what falls is the true one",
    "changed": "How many of the pixels changed their label in each iteration",
    "active": "How many of the pixels were free to move in each iteration",
}
_NARROW = ("changed", "active")


def write(out: Path, results: Mapping[str, Any]) -> Path:
    """Write ``out/index.html`` from the results and from the figures found in ``out/figures``.

    Parameters
    ----------
    out : Path
        The folder of the run.
    results : mapping
        What ``results.json`` holds.

    Returns
    -------
    Path
        The page.
    """
    about, cells = results["about"], list(results["cells"])
    kind = str(about["kind"])
    columns = _PAPER_COLUMNS if kind == "paper" else _columns_of(cells)
    best = lowest_energies(cells) if kind == "paper" else {}
    sections = {"results-heading": "All results"}
    overviews = {"paper": ("Energies", _overview), "scaling": ("Powers", _powers)}
    overview = ""
    if kind in overviews:
        heading, make = overviews[kind]
        overview = (
            f'<section aria-labelledby="overview-heading"><h2 id="overview-heading">{heading}</h2>'
            f"{make(cells)}</section>"
        )
        sections = {"overview-heading": heading, **sections}
    figures = _grouped_figures(out, cells) if kind == "paper" else _plain_figures(out, cells, kind)
    if figures:
        sections["figures-heading"] = "Figures"
    sections["about-heading"] = "About this run"
    page = fill(
        __package__,
        "page",
        title=_TITLES.get(kind, "Benchmark"),
        headline=_headline(cells),
        counts=_counts(cells),
        contents=" ".join(f'<a href="#{name}">{words}</a>' for name, words in sections.items()),
        overview=overview,
        filters="\n".join(_filters(cells)),
        total=len(cells),
        columns="".join(column.heading for column in columns),
        rows="\n".join(_row(cell, columns, best) for cell in cells),
        note=_note(kind, cells),
        figures=figures,
        sources=_sources(out),
        about=f'<div class="about">{_about(about, cells)}</div>',
    )
    path = out / "index.html"
    write_atomically(path, page.encode())
    return path


# ---- what the numbers say


def lowest_energies(cells: Iterable[Cell]) -> dict[tuple[str, str], float]:
    """Return the lowest energy that any row found, for each instance and prior."""
    return {
        case: min(energies)
        for case, members in groups(cells).items()
        if (energies := [c["energy"] for c in members if c.get("energy") is not None])
    }


def _is_best(cell: Cell, best: Mapping[tuple[str, str], float]) -> bool:
    lowest = best.get((cell.get("instance", ""), cell.get("prior", "")))
    energy = cell.get("energy")
    return lowest is not None and energy is not None and math.isclose(energy, lowest, rel_tol=1e-9)


def paper_energy(cell: Cell) -> float | None:
    """Return the paper's energy; None where the costs are not the paper's: nothing to compare."""
    return None if cell.get("own") else cell.get("paper_energy")


def paper_seconds(cell: Cell) -> float | None:
    """Return the paper's time, by the same rule."""
    return None if cell.get("own") else cell.get("paper_seconds")


def difference(cell: Cell) -> float | None:
    """Return how far the energy is above the paper's in per cent, 0 where it prints the same."""
    ours, paper = cell.get("energy"), paper_energy(cell)
    if ours is None or not paper:
        return None
    return 0.0 if abs(ours - paper) <= _PAPER_DIGIT else 100 * (ours - paper) / abs(paper)


def gap(cell: Cell) -> float | None:
    """Return how far the energy is above the lower bound, in per cent of it."""
    ours, bound = cell.get("energy"), cell.get("lower_bound")
    if ours is None or bound is None:
        return None
    return 100 * (ours - bound) / abs(ours) if ours else 0.0


# ---- the table of all results


@dataclass(frozen=True)
class Column:
    """One column of the table: what it sorts by and what it shows.

    Attributes
    ----------
    label : str
        Its heading.
    value : callable
        What a cell is sorted by; None where unknown.
    text : callable
        What is shown of it, as markup.
    number : bool
        Whether it is sorted as numbers.
    hint : str
        A longer name.
    """

    label: str
    value: Callable[[Cell], Any]
    text: Callable[[Cell], str]
    number: bool = False
    hint: str = ""

    @property
    def heading(self) -> str:
        kind = ' class="number"' if self.number else ""
        hint = f' title="{html.escape(self.hint)}"' if self.hint else ""
        return (
            f'<th scope="col"{kind}><button type="button"{hint}>'
            f"{html.escape(self.label)}</button></th>"
        )

    def cell(self, cell: Cell, extra: str = "") -> str:
        value = self.value(cell)
        classes = " ".join(filter(None, ("number" if self.number else "", extra)))
        kind = f' class="{classes}"' if classes else ""
        stored = "" if value is None else html.escape(str(value))
        return f'<td{kind} data-value="{stored}">{self.text(cell)}</td>'


def _words(key: str) -> Callable[[Cell], str]:
    return lambda cell: html.escape(str(cell[key])) if cell.get(key) is not None else _UNKNOWN


def _figure(value: Callable[[Cell], Any], form: str) -> Callable[[Cell], str]:
    return lambda cell: _UNKNOWN if (found := value(cell)) is None else format(found, form)


def _number(
    label: str, key: str | Callable[[Cell], Any], form: str = ",.0f", hint: str = ""
) -> Column:
    value = (lambda cell: cell.get(key)) if isinstance(key, str) else key
    return Column(label, value, _figure(value, form), number=True, hint=hint)


def _text(label: str, key: str) -> Column:
    return Column(label, lambda cell: cell.get(key), _words(key))


def _per_key(key: str, unit: float) -> Callable[[Cell], float | None]:
    return lambda cell: None if cell.get(key) is None else cell[key] / unit


def _instance(cell: Cell) -> str:
    mark = ' <span class="own" title="costs that are not the paper\'s">own</span>'
    return html.escape(str(cell["instance"])) + (mark if cell.get("own") else "")


def _status(cell: Cell) -> str:
    error = cell.get("error")
    status = str(cell.get("status", ""))
    if not error:
        return _chip(status)
    # A refusal is as it should be; a failure wants to be read.
    shown = "" if status == "refused" else " open"
    return (
        f'<details class="error"{shown}><summary>{_chip(status)} why</summary>'
        f"<span>{html.escape(str(error))}</span></details>"
    )


def _chip(status: str, words: str | None = None) -> str:
    kind = re.sub(r"\W", "-", status)
    text = words if words is not None else _STATUS_WORDS.get(status, status)
    return f'<span class="chip {kind}">{html.escape(text)}</span>'


def _signed(cell: Cell) -> str:
    value = difference(cell)
    if value is None:
        return _UNKNOWN
    if value == 0:
        return '<span class="same" title="the same as printed in the paper">=</span>'
    return f'<span class="{"above" if value > 0 else "below"}">{value:+.3f}</span>'


def _method(cell: Cell) -> str:
    row = str(cell["row"])
    return swatch(row) + html.escape(row)


def _seconds(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _seconds_column(label: str, value: Callable[[Cell], float | None], hint: str = "") -> Column:
    return Column(
        label,
        value,
        lambda cell: _UNKNOWN if (found := value(cell)) is None else _seconds(found),
        number=True,
        hint=hint,
    )


_ENERGY = _number("energy", "energy", ",.1f")
_SECONDS = _seconds_column("seconds", lambda cell: cell.get("seconds"))
_MEMORY = _number("MiB", _per_key("memory_bytes", 2**20), hint="peak memory")
_STATUS = Column("status", lambda cell: cell.get("status"), _status)
_PAPER_COLUMNS = (
    Column("instance", lambda cell: cell.get("instance"), _instance),
    _text("prior", "prior"),
    Column("method", lambda cell: cell.get("row"), _method),
    _STATUS,
    _ENERGY,
    _number("paper", paper_energy, ",.0f", "the paper's energy"),
    Column("diff. %", difference, _signed, True, "above the paper's energy, in per cent"),
    _number("bound", "lower_bound", ",.1f", "no labelling has a lower energy"),
    _number("gap %", gap, ".4f", "above the bound, in per cent"),
    _SECONDS,
    _seconds_column("paper s", paper_seconds, "the paper's time, on its machine"),
    _number("moves", "iterations", ",d", "iterations"),
    _MEMORY,
)
_OTHER_COLUMNS = {
    "case": _text("case", "case"),
    "problem": _text("problem", "problem"),
    "instance": _text("instance", "instance"),
    "prior": _text("prior", "prior"),
    "solver": _text("solver", "solver"),
    "row": _text("method", "row"),
    "method": _text("method", "method"),
    "status": _STATUS,
    "pixels": _number("pixels", "pixels", ",d"),
    "labels": _number("labels", "labels", ",d"),
    "T": _number("T", "T", "g"),
    "energy": _ENERGY,
    "seconds": _SECONDS,
    "memory_bytes": _MEMORY,
    "iterations": _number("moves", "iterations", ",d", "iterations"),
    "bad1": _number("wrong %", "bad1", ".2f", "pixels off by more than one, in per cent"),
    "threads": _number("threads", "threads", "d"),
}


def _columns_of(cells: Sequence[Cell]) -> tuple[Column, ...]:
    known = [key for key in _OTHER_COLUMNS if any(cell.get(key) is not None for cell in cells)]
    # The row of ours names the method already.
    if "row" in known and "method" in known:
        known.remove("method")
    return tuple(_OTHER_COLUMNS[key] for key in known)


_FILTERS = {
    "instance": "Instance",
    "case": "Case",
    "problem": "Problem",
    "prior": "Prior",
    "row": "Method",
    "solver": "Solver",
    "status": "Status",
}


def _filters(cells: Sequence[Cell]) -> Iterable[str]:
    for key, label in _FILTERS.items():
        values = dict.fromkeys(str(cell[key]) for cell in cells if cell.get(key) is not None)
        if not values:
            continue
        options = "".join(
            f'<option value="{html.escape(value)}">'
            f"{html.escape(_STATUS_WORDS.get(value, value))}</option>"
            for value in values
        )
        yield (
            f'<label>{label} <select data-key="{key}" autocomplete="off">'
            f'<option value="">all</option>{options}</select></label>'
        )


def _row(cell: Cell, columns: Sequence[Column], best: Mapping[tuple[str, str], float]) -> str:
    data = "".join(
        f' data-{key}="{html.escape(str(cell[key]))}"' for key in _FILTERS if cell.get(key)
    )
    highlighted = _is_best(cell, best)
    return (
        f"<tr{data}>"
        + "".join(
            column.cell(cell, "best" if highlighted and column is _ENERGY else "")
            for column in columns
        )
        + "</tr>"
    )


# ---- the overview: a table per prior, as the paper prints it


def _overview(cells: Sequence[Cell]) -> str:
    best = lowest_energies(cells)
    tables = [
        _overview_table(prior, [cell for cell in cells if cell["prior"] == prior], best)
        for prior in dict.fromkeys(str(cell["prior"]) for cell in cells)
    ]
    return (
        '<p class="note">In thousands; the lowest of each column is highlighted. Below it the '
        'paper\'s figure and how far ours is above it: <span class="same">=</span> where both '
        "print the same. E+ rows start from what E found, all others from label 0.</p>"
        + "\n".join(tables)
    )


def _powers(cells: Sequence[Cell]) -> str:
    """Return the fitted exponents: a row per solver, time and memory for each size."""
    series = scaling_series(cells)
    quantities = (("seconds", "time"), ("memory_bytes", "memory"))
    headings = "".join(
        f'<th scope="col" class="number">{word}, {html.escape(size)}</th>'
        for size in series
        for _, word in quantities
    )
    lines = []
    for solver in dict.fromkeys(name for members in series.values() for name in members):
        powers = [
            fit(members.get(solver, []), size, key)[0]
            for size, members in series.items()
            for key, _ in quantities
        ]
        places = "".join(
            f'<td class="number">{_UNKNOWN if power is None else f"{power:.2f}"}</td>'
            for power in powers
        )
        lines.append(f'<tr><th scope="row">{swatch(solver)}{html.escape(solver)}</th>{places}</tr>')
    return (
        '<p class="note">The p of cost ~ size<sup>p</sup>, fitted to the logarithms: 1 is '
        "proportional, 0 does not depend on it. What the time limit ended is left out.</p>"
        '<div class="wide overview" tabindex="0" role="region" aria-label="Fitted powers"><table>'
        f'<thead><tr><th scope="col">method</th>{headings}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _overview_table(
    prior: str, cells: Sequence[Cell], best: Mapping[tuple[str, str], float]
) -> str:
    instances = {str(cell["instance"]): cell for cell in cells}
    by_place = {(cell["row"], cell["instance"]): cell for cell in cells}
    headings = "".join(
        f'<th scope="col" class="number"><a href="#{_anchor(name, prior)}">'
        f"{html.escape(name)}</a>{_instance(cell).removeprefix(html.escape(name))}</th>"
        for name, cell in instances.items()
    )
    lines = []
    for row in dict.fromkeys(str(cell["row"]) for cell in cells):
        places = "".join(_place(by_place.get((row, name)), best) for name in instances)
        lines.append(f'<tr><th scope="row">{swatch(row)}{html.escape(row)}</th>{places}</tr>')
    words = PRIOR_NAMES.get(prior, prior)
    caption = html.escape(words[0].upper() + words[1:])
    return (
        f'<div class="wide overview" tabindex="0" role="region" aria-label="{caption}"><table>'
        f'<caption>{caption}</caption><thead><tr><th scope="col">method</th>{headings}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _place(cell: Cell | None, best: Mapping[tuple[str, str], float]) -> str:
    if cell is None:
        return '<td class="number"></td>'
    small = []
    paper, value = paper_energy(cell), difference(cell)
    if paper is not None:
        small.append(f"paper {paper / 1000:,.1f}")
    if value is not None:
        kind = "same" if value == 0 else "above" if value > 0 else "below"
        text = "=" if value == 0 else f"{value:+.2f} %"
        small.append(f'<span class="{kind}">{text}</span>')
    if cell.get("energy") is None:
        main = _chip(str(cell["status"]))
    else:
        main = f"{cell['energy'] / 1000:,.1f}"
        if cell["status"] == "time_limit":
            small.append('<span class="above">time limit</span>')
    lines = f"<small>{' '.join(small)}</small>" if small else ""
    kind = "number best" if _is_best(cell, best) else "number"
    return f'<td class="{kind}">{main}{lines}</td>'


# ---- figures


_SHAPES = {
    "o": '<circle cx="14" cy="5" r="3.6"/>',
    "s": '<path d="M10.5 1.5h7v7h-7z"/>',
    "^": '<path d="M14 .8l4 7.7h-8z"/>',
    "v": '<path d="M14 9.2l4-7.7h-8z"/>',
    "<": '<path d="M9.8 5l7.7-4v8z"/>',
    ">": '<path d="M18.2 5l-7.7-4v8z"/>',
    "D": '<path d="M14 .5l4.5 4.5-4.5 4.5-4.5-4.5z"/>',
    "d": '<path d="M14 .2l3 4.8-3 4.8-3-4.8z"/>',
    "P": '<path d="M12.5 1h3v2.5H18v3h-2.5V9h-3V6.5H10v-3h2.5z"/>',
    "X": '<path d="M12 1l2 2 2-2 2 2-2 2 2 2-2 2-2-2-2 2-2-2 2-2-2-2z"/>',
    "*": '<path d="M14-.2l1.3 3.6 3.9.1-3.1 2.4 1.1 3.8L14 7.5l-3.2 2.2 1.1-3.8-3.1-2.4 3.9-.1z"/>',
    "h": '<path d="M14 1l3.5 2v4L14 9l-3.5-2V3z"/>',
}


def swatch(row: str) -> str:
    """Return the line and marker that a row has in the figures, as a small drawing."""
    style = style_of(row)
    # Black would not be seen on a dark page.
    black = style.colour == "#000000"
    paint = 'class="black"' if black else f'stroke="{style.colour}" fill="{style.colour}"'
    dashes = ' stroke-dasharray="5 3"' if style.line == "--" else ""
    inside = ' fill="var(--page)"' if style.line == "--" else ""
    return (
        f'<svg class="swatch" viewBox="0 0 28 10" aria-hidden="true"><g {paint}>'
        f'<path d="M0 5h28" stroke-width="{style.width:g}"{dashes}/><g{inside}>'
        f"{_SHAPES.get(style.marker, _SHAPES['o'])}</g></g></svg>"
    )


def _anchor(instance: str, prior: str) -> str:
    return re.sub(r"[^\w-]", "-", f"{instance}-{prior}")


def _chart(path: Path, words: str, kind: str = "") -> str:
    # Two decimals of a point are finer than any screen, and half the size.
    drawing = re.sub(rb"(\d\.\d\d)\d+", rb"\1", path.read_bytes())
    text = html.escape(words)
    return (
        f'<figure><div class="chart {kind}" tabindex="0"><img src="{svg_uri(drawing)}" '
        f'alt="{text}"></div><figcaption>{text}</figcaption></figure>'
    )


def _grouped_figures(out: Path, cells: Sequence[Cell]) -> str:
    sections: dict[tuple[str, str], str] = {}
    for (instance, prior), members in groups(cells).items():
        charts = {
            name: _chart(path, words, "half" if name in _NARROW else "")
            for name, words in _FIGURE_WORDS.items()
            if (path := out / "figures" / f"{instance}-{prior}-{name}.svg").is_file()
        }
        content = "\n".join(chart for name, chart in charts.items() if name not in _NARROW)
        if halves := [chart for name, chart in charts.items() if name in _NARROW]:
            content += f'<div class="halves">{"".join(halves)}</div>'
        content += _maps(out, members)
        if content:
            own = any(cell.get("own") for cell in members)
            title = html.escape(title_of(instance, prior, own))
            sections[instance, prior] = (
                f'<section class="group" id="{_anchor(instance, prior)}" aria-label="{title}">'
                f"<h3>{title}</h3>{content}</section>"
            )
    if not sections:
        return ""
    return (
        '<section aria-labelledby="figures-heading"><h2 id="figures-heading">Figures</h2>'
        + _chooser(sections)
        + "\n".join(sections.values())
        + "</section>"
    )


def _chooser(cases: Iterable[tuple[str, str]]) -> str:
    priors: dict[str, list[str]] = {}
    for instance, prior in cases:
        priors.setdefault(instance, []).append(prior)
    lines = "".join(
        f"<dt>{html.escape(instance)}</dt><dd>"
        + "".join(f'<a href="#{_anchor(instance, prior)}">{html.escape(prior)}</a>' for prior in of)
        + "</dd>"
        for instance, of in priors.items()
    )
    return (
        f'<dl class="chooser" id="all-figures" aria-label="Choose an instance and a prior">{lines}'
        '<dt>all</dt><dd><a href="#all-figures">everything</a></dd></dl>'
    )


def _map_uri(labels: NDArray[np.int32], palette: NDArray[np.uint8]) -> str:
    if len(palette) > 256:
        return png_uri(palette[labels])
    # One byte per pixel and few colours: a picture of a few kilobytes.
    pillow = optional_import("PIL.Image", purpose="writing the page")
    picture = pillow.fromarray(labels.astype(np.uint8))
    picture.putpalette(palette.tobytes())
    return picture_uri(picture)


def _maps(out: Path, cells: Sequence[Cell]) -> str:
    shown, largest = maps_of(load_runs(out, cells))
    if not shown:
        return ""
    palette = label_palette(largest)
    lowest = min(run.energy for run in shown)
    figures = []
    for run in shown:
        uri = _map_uri(run.result.labels, palette)
        words = html.escape(f"{run.row}, energy {run.energy / 1000:,.1f}k")
        star = " best" if math.isclose(run.energy, lowest, rel_tol=1e-9) else ""
        seconds = run.cell.get("seconds")
        time = "" if seconds is None else f", {_seconds(seconds)} s"
        figures.append(
            f'<figure><button type="button" title="Show in large"><img src="{uri}"'
            f' alt="{words}"></button><figcaption>{swatch(run.row)}<b>{html.escape(run.row)}</b> '
            f'<span class="{star.strip()}">{run.energy / 1000:,.1f}k</span>{time}</figcaption>'
            "</figure>"
        )
    wide = shown[0].result.labels.shape[1] > 2 * shown[0].result.labels.shape[0]
    size = ' style="--map: 26rem; --least: 100%"' if wide else ""
    return (
        f'<h4>Labels of every method</h4><div class="maps"{size}>{"".join(figures)}</div>'
        f'<div class="ramp" aria-hidden="true"><span>0</span><img src="{png_uri(palette[None])}" '
        f'alt=""><span>{largest}</span></div>'
    )


def _plain_figures(out: Path, cells: Sequence[Cell], kind: str) -> str:
    if kind == "scaling":
        words = {
            scaling_name(size): f"Time and memory against {size}, with the fitted powers; hollow "
            "where the time limit ended a run"
            for size in scaling_series(cells)
        }
    else:
        words = {
            compare_name(case): f"{case}: every solver, the fastest first"
            for case in compared(cells)
        }
    charts = [
        _chart(path, text)
        for name, text in words.items()
        if (path := out / "figures" / f"{name}.svg").is_file()
    ]
    if not charts:
        return ""
    return (
        '<section aria-labelledby="figures-heading"><h2 id="figures-heading">Figures</h2>'
        + "\n".join(charts)
        + "</section>"
    )


# ---- words about the run


def _headline(cells: Sequence[Cell]) -> str:
    finished = sum(cell.get("seconds") is not None for cell in cells)
    parts = [f"{finished} of {len(cells)} cells have a result"]
    for key, word in (
        ("instance", "instance"),
        ("prior", "prior"),
        ("problem", "problem"),
        ("case", "case"),
    ):
        number = len({cell[key] for cell in cells if cell.get(key) is not None})
        if number:
            parts.append(f"{number} {word}{'s' if number > 1 else ''}")
    solvers = len({solver_of(cell) for cell in cells})
    word = "solver" if any(cell.get("solver") for cell in cells) else "method"
    parts.append(f"{solvers} {word}{'s' if solvers != 1 else ''}")
    return html.escape("; ".join(parts))


def _counts(cells: Sequence[Cell]) -> str:
    numbers = Counter(str(cell.get("status", "unknown")) for cell in cells)
    return "".join(
        f"<li>{_chip(status, f'{number} {_STATUS_WORDS.get(status, status)}')}</li>"
        for status, number in numbers.most_common()
    )


def _note(kind: str, cells: Sequence[Cell]) -> str:
    notes = []
    if kind == "paper":
        notes.append(
            "The lowest energy of each instance and prior is highlighted. The paper prints its "
            "energies in thousands with one decimal; “=” means the same to its last digit. "
            "Times of the paper are from another machine."
        )
        if any(cell.get("own") for cell in cells):
            notes.append(
                "Instances marked “own” have costs that are not the paper's, which does not print "
                "them: their energies cannot be compared with its figures."
            )
    return html.escape(" ".join(notes))


def _about(about: Mapping[str, Any], cells: Sequence[Cell]) -> str:
    machine = dict(about.get("machine") or {})
    memory = machine.pop("memory_bytes", None)
    if memory is not None:
        machine["memory"] = f"{memory / 2**30:.1f} GiB"
    threads = sorted({cell["threads"] for cell in cells if cell.get("threads") is not None})
    rows = {
        "command": about.get("command"),
        "version": f"rangemoves {about.get('version')}",
        "date": about.get("created"),
        "seed": about.get("seed"),
        "threads per cell": ", ".join(map(str, threads)) or None,
        **{name: value for name, value in machine.items() if value != ""},
    }
    return table("", {name: value for name, value in rows.items() if value is not None})


def _sources(out: Path) -> str:
    """Return the tables that lie in the folder as text, to copy."""
    paths = sorted(path for ending in ("md", "tex") for path in out.glob(f"*.{ending}"))
    if not paths:
        return ""
    blocks = "".join(
        f"<details><summary>{html.escape(path.name)}</summary>"
        f'<pre tabindex="0">{html.escape(path.read_text(encoding="utf-8"))}</pre></details>'
        for path in paths
    )
    return (
        '<section aria-labelledby="sources-heading"><h2 id="sources-heading">The tables, to copy'
        f"</h2>{blocks}</section>"
    )
