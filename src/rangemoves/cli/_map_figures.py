"""What is said of a disparity map: its range, how much of it there is, whether the views agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..stereo import StereoMatch, StereoMatcher

__all__ = ["about_map", "lines_about", "map_line"]


def about_map(found: StereoMatch, matcher: StereoMatcher) -> dict[str, Any]:
    """Figures about a map, ready for JSON; None where there is nothing to be said."""
    known = np.isfinite(found.disparity)
    answers = found.disparity[known]
    return {
        "least": float(answers.min()) if answers.size else None,
        "largest": float(answers.max()) if answers.size else None,
        "range": [matcher.min_disparity, matcher.min_disparity + matcher.labels - 1],
        "coverage": 100 * float(known.mean()),
        "agreement": None if found.agreement is None else 100 * found.agreement,
    }


def lines_about(
    found: StereoMatch,
    matcher: StereoMatcher,
    scores: dict[str, float] | None,
    seconds: float,
) -> Iterator[str]:
    """Lines about the map first, then its errors where the truth is known, then the run."""
    yield map_line(about_map(found, matcher))
    for name, value in (scores or {}).items():
        yield f"{name:10} {value:.3f}"
    result = found.result
    yield (
        f"energy {result.energy:.10g}, {result.status} after {result.iterations} iterations, "
        f"{seconds:.1f} s"
    )


def map_line(figures: dict[str, Any]) -> str:
    """A line about a map."""
    if figures["least"] is None:
        return "no pixel has an answer"
    first, last = figures["range"]
    line = (
        f"disparities {figures['least']:.4g} to {figures['largest']:.4g} (looked for in {first} to "
        f"{last}), {figures['coverage']:.1f} % of the pixels have one"
    )
    if figures["agreement"] is not None:
        line += f", the views agree on {figures['agreement']:.1f} %"
    return line
