"""How large a pair may be: said before the first cost is computed."""

from __future__ import annotations

from collections.abc import Sequence

from ..machine import physical_memory

# Costs, their messages and what comes and goes: so many bytes at the peak, as measured.
BYTES_PER_COST = 20
BYTES_PER_SMALL_COST = 5  # presets "fast" and "balanced": a byte, and two messages of two
_BLOCK = 16  # to which their labels are filled up
BYTES_PER_PIXEL = 100
BYTES_PER_BELIEF = 16  # kept for a confidence, in units of the solver and in those of the costs


def needed_memory(
    shape: Sequence[int], labels: int, beliefs: bool = False, in_bytes: bool = False
) -> int:
    """Return about how many bytes matching a pair of this height and width takes at its peak."""
    pixels = shape[0] * shape[1]
    per_label: float = BYTES_PER_COST + (BYTES_PER_BELIEF if beliefs else 0)
    if in_bytes:
        per_label, labels = BYTES_PER_SMALL_COST, -(-labels // _BLOCK) * _BLOCK
    return int(pixels * (labels * per_label + BYTES_PER_PIXEL))


def check_width(width: int, labels: int) -> None:
    """Refuse more disparities than the image has columns."""
    if labels > width:
        raise ValueError(
            f"labels must be at most the width of the images, {width}; found {labels}; "
            "no pixel has so many matches, pass the largest disparity that can occur, plus 1"
        )


def check_size(
    shape: Sequence[int],
    labels: int,
    beliefs: bool = False,
    at_once: int = 1,
    in_bytes: bool = False,
) -> None:
    """Refuse what cannot be matched, or not in this machine's memory, so many pairs at a time."""
    check_width(shape[1], labels)
    needed, there = at_once * needed_memory(shape, labels, beliefs, in_bytes), physical_memory()
    if needed > there:
        pairs, fewer = "", ""
        if at_once > 1:
            pairs, fewer = f", {at_once} pairs at a time", "do fewer pairs at a time, "
        raise MemoryError(
            f"about {needed / 1e9:,.1f} GB of memory are needed for {shape[1]}x{shape[0]} pixels "
            f"and {labels} labels{pairs}; this machine has {there / 1e9:,.1f} GB; {fewer}work tile "
            "by tile (rangemoves stereo --tiles auto, rangemoves.stereo.streaming.match_in_tiles), "
            "pass fewer labels with a larger min_disparity, "
            f"{'' if in_bytes else 'take a smaller preset, '}or smaller images"
        )
