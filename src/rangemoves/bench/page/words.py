"""Small pieces of markup that several parts of the page show."""

from __future__ import annotations

import html
import re

from ..figures.style import style_of

UNKNOWN = "–"
STATUS_WORDS = {"iteration_limit": "iteration limit", "time_limit": "time limit"}

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


def chip(status: str, words: str | None = None) -> str:
    """Return a status in a coloured frame."""
    kind = re.sub(r"\W", "-", status)
    text = words if words is not None else STATUS_WORDS.get(status, status)
    return f'<span class="chip {kind}">{html.escape(text)}</span>'


def seconds(value: float) -> str:
    """Return a time as it is shown everywhere."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def anchor(instance: str, prior: str) -> str:
    """Return the address of an instance and prior within the page."""
    return re.sub(r"[^\w-]", "-", f"{instance}-{prior}")


def marked_instance(instance: str, own: bool) -> str:
    """Return the name of an instance, marked where its costs are not the paper's."""
    mark = ' <span class="own" title="costs that are not the paper\'s">own</span>'
    return html.escape(instance) + (mark if own else "")


def section(name: str, heading: str, content: str) -> str:
    """Return a part of the page with its heading."""
    return (
        f'<section aria-labelledby="{name}-heading"><h2 id="{name}-heading">{heading}</h2>'
        f"{content}</section>"
    )
