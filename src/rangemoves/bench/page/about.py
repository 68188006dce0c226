"""Words about the run: what was run, how it ended, on which machine; its tables, to copy."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ...report.markup import table
from ..cell import About, Cell, Kind, PaperCell, in_words, record_of
from .words import STATUS_WORDS, chip, section


def headline(cells: Sequence[Cell]) -> str:
    """Return how many cells of what there are."""
    finished = sum(cell.seconds is not None for cell in cells)
    parts = [f"{finished} of {len(cells)} cells have a result"]
    records = [record_of(cell) for cell in cells]
    for key in ("instance", "prior", "problem", "case"):
        number = len({record[key] for record in records if record.get(key) is not None})
        if number:
            parts.append(f"{number} {key}{'s' if number > 1 else ''}")
    solvers = len({cell.who for cell in cells})
    word = "solver" if any("solver" in record for record in records) else "method"
    parts.append(f"{solvers} {word}{'s' if solvers != 1 else ''}")
    return html.escape("; ".join(parts))


def counts(cells: Sequence[Cell]) -> str:
    """Return how many cells ended in which way."""
    numbers = Counter(cell.status for cell in cells)
    return "".join(
        f"<li>{chip(status, f'{number} {STATUS_WORDS.get(status, status)}')}</li>"
        for status, number in numbers.most_common()
    )


def note(kind: Kind, cells: Sequence[Cell]) -> str:
    """Return how to read the table of all results."""
    notes = []
    if kind == "paper":
        notes.append(
            "The lowest energy of each instance and prior is highlighted. The paper prints its "
            "energies in thousands with one decimal; “=” means the same to its last digit. "
            "Times of the paper are from another machine."
        )
        if any(isinstance(cell, PaperCell) and cell.own for cell in cells):
            notes.append(
                "Instances marked “own” have costs that are not the paper's, which does not print "
                "them: their energies cannot be compared with its figures."
            )
    return html.escape(" ".join(notes))


def about_run(about: About, cells: Sequence[Cell]) -> str:
    """Return a table of what was run, and on what."""
    machine: dict[str, object] = {**about["machine"]}
    if (memory := about["machine"].get("memory_bytes")) is not None:
        del machine["memory_bytes"]
        machine["memory"] = f"{memory / 2**30:.1f} GiB"
    threads = sorted({cell.threads for cell in cells if cell.threads is not None})
    commit = in_words(cell.commit for cell in cells) or about.get("commit")
    rows = {
        "command": about["command"],
        "version": f"rangemoves {about['version']}" + (f", commit {commit}" if commit else ""),
        "date": about["created"],
        "seed": about["seed"],
        "cells at a time": about.get("processes"),
        "threads per cell": ", ".join(map(str, threads)) or None,
        **{name: value for name, value in machine.items() if value != ""},
    }
    return table("", {name: value for name, value in rows.items() if value is not None})


def sources(out: Path) -> str:
    """Return the tables that lie in the folder as text, to copy."""
    paths = sorted(path for ending in ("md", "tex") for path in out.glob(f"*.{ending}"))
    if not paths:
        return ""
    blocks = "".join(
        f"<details><summary>{html.escape(path.name)}</summary>"
        f'<pre tabindex="0">{html.escape(path.read_text(encoding="utf-8"))}</pre></details>'
        for path in paths
    )
    return section("sources", "The tables, to copy", blocks)
