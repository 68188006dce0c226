"""How a match shows itself: in a line, and in a notebook as a small picture with it."""

from __future__ import annotations

import base64
import html
import io
from typing import TYPE_CHECKING

import numpy as np

from .._optional import optional_import

if TYPE_CHECKING:
    from ._match import StereoMatch

_WIDEST = 320  # pixels of a picture in a notebook


def in_a_line(found: StereoMatch) -> str:
    """Size, range, coverage, agreement."""
    height, width = found.disparity.shape
    known = np.isfinite(found.disparity)
    parts = [f"{width}x{height} pixels"]
    if known.any():
        answers = found.disparity[known]
        parts.append(f"disparities {answers.min():.4g} to {answers.max():.4g}")
    parts.append(f"{100 * known.mean():.1f} % have one")
    if found.agreement is not None:
        parts.append(f"the views agree on {100 * found.agreement:.1f} %")
    return ", ".join(parts)


def as_html(found: StereoMatch) -> str:
    """A picture of the disparities, where there is anything to draw it with, and the line."""
    words = html.escape(in_a_line(found))
    words += "".join(f"<br>warning: {html.escape(sentence)}" for sentence in found.warnings)
    try:
        picture = f'<img src="{_picture(found)}" alt="disparity in colours"><br>'
    except ModuleNotFoundError:
        picture = ""
    return f"<div>{picture}{words}</div>"


def _picture(found: StereoMatch) -> str:
    from ..plots import disparity_colours

    pillow = optional_import("PIL.Image", purpose="showing a picture")
    step = -(-found.disparity.shape[1] // _WIDEST)
    known = found.disparity[np.isfinite(found.disparity)]
    limits = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    colours = disparity_colours(found.disparity[::step, ::step], limits)
    buffer = io.BytesIO()
    pillow.fromarray(colours).save(buffer, format="PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
