"""The first table of the page: energies as the paper prints them, or the fitted powers."""

from __future__ import annotations

import html
from collections.abc import Sequence

from ..cell import PaperCell, ScalingCell
from ..growth import Cost, fit, series
from ..problems import PRIOR_NAMES
from .numbers import Lowest, difference, is_lowest, lowest_energies, paper_energy
from .words import UNKNOWN, anchor, chip, marked_instance, swatch

_COSTS: tuple[tuple[Cost, str], ...] = (("seconds", "time"), ("memory_bytes", "memory"))


def energies(cells: Sequence[PaperCell]) -> str:
    """Return a table of energies per prior, the paper's below ours."""
    lowest = lowest_energies(cells)
    tables = [
        _energy_table(prior, [cell for cell in cells if cell.prior == prior], lowest)
        for prior in dict.fromkeys(cell.prior for cell in cells)
    ]
    return (
        '<p class="note">In thousands; the lowest of each column is highlighted. Below it the '
        'paper\'s figure and how far ours is above it: <span class="same">=</span> where both '
        "print the same. E+ rows start from what E found, all others from label 0.</p>"
        + "\n".join(tables)
    )


def _energy_table(prior: str, cells: Sequence[PaperCell], lowest: Lowest) -> str:
    instances = {cell.instance: cell for cell in cells}
    by_place = {(cell.row, cell.instance): cell for cell in cells}
    headings = "".join(
        f'<th scope="col" class="number"><a href="#{anchor(name, prior)}">'
        f"{html.escape(name)}</a>{marked_instance(name, cell.own).removeprefix(html.escape(name))}"
        "</th>"
        for name, cell in instances.items()
    )
    lines = []
    for row in dict.fromkeys(cell.row for cell in cells):
        places = "".join(_place(by_place.get((row, name)), lowest) for name in instances)
        lines.append(f'<tr><th scope="row">{swatch(row)}{html.escape(row)}</th>{places}</tr>')
    words = PRIOR_NAMES.get(prior, prior)
    caption = html.escape(words[0].upper() + words[1:])
    return (
        f'<div class="wide overview" tabindex="0" role="region" aria-label="{caption}"><table>'
        f'<caption>{caption}</caption><thead><tr><th scope="col">method</th>{headings}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _place(cell: PaperCell | None, lowest: Lowest) -> str:
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
    if cell.energy is None:
        main = chip(cell.status)
    else:
        main = f"{cell.energy / 1000:,.1f}"
        if cell.status == "time_limit":
            small.append('<span class="above">time limit</span>')
    lines = f"<small>{' '.join(small)}</small>" if small else ""
    kind = "number best" if is_lowest(cell, lowest) else "number"
    return f'<td class="{kind}">{main}{lines}</td>'


def powers(cells: Sequence[ScalingCell]) -> str:
    """Return the fitted exponents: a row per solver, time and memory for each size."""
    found = series(cells)
    headings = "".join(
        f'<th scope="col" class="number">{word}, {html.escape(size)}</th>'
        for size in found
        for _, word in _COSTS
    )
    lines = []
    for solver in dict.fromkeys(name for members in found.values() for name in members):
        exponents = [
            fit(members.get(solver, []), size, cost)[0]
            for size, members in found.items()
            for cost, _ in _COSTS
        ]
        places = "".join(
            f'<td class="number">{UNKNOWN if power is None else f"{power:.2f}"}</td>'
            for power in exponents
        )
        lines.append(f'<tr><th scope="row">{swatch(solver)}{html.escape(solver)}</th>{places}</tr>')
    return (
        '<p class="note">The p of cost ~ size<sup>p</sup>, fitted to the logarithms: 1 is '
        "proportional, 0 does not depend on it. What the time limit ended is left out.</p>"
        '<div class="wide overview" tabindex="0" role="region" aria-label="Fitted powers"><table>'
        f'<thead><tr><th scope="col">method</th>{headings}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )
