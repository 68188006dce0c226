"""The labellings of one instance and prior, as pictures to flick through."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..._optional import optional_import
from ...report.markup import picture_uri, png_uri
from ..cell import PaperCell
from ..figures.maps import label_palette
from ..figures.runs import Run, load_runs, maps_of
from .words import seconds, swatch


def maps(out: Path, cells: Sequence[PaperCell]) -> str:
    """Return the labellings that are images, with the colours of their labels below them."""
    shown, largest = maps_of(load_runs(out, cells))
    if not shown:
        return ""
    palette = label_palette(largest)
    lowest = min(run.energy for run in shown)
    pictures = "".join(_picture(run, palette, lowest) for run in shown)
    height, width = shown[0].result.labels.shape
    size = ' style="--map: 26rem; --least: 100%"' if width > 2 * height else ""
    return (
        f'<h4>Labels of every method</h4><div class="maps"{size}>{pictures}</div>'
        f'<div class="ramp" aria-hidden="true"><span>0</span><img src="{png_uri(palette[None])}" '
        f'alt=""><span>{largest}</span></div>'
    )


def _picture(run: Run, palette: NDArray[np.uint8], lowest: float) -> str:
    words = html.escape(f"{run.row}, energy {run.energy / 1000:,.1f}k")
    kind = "best" if math.isclose(run.energy, lowest, rel_tol=1e-9) else ""
    time = "" if run.cell.seconds is None else f", {seconds(run.cell.seconds)} s"
    return (
        '<figure><button type="button" title="Show in large">'
        f'<img src="{map_uri(run.result.labels, palette)}" alt="{words}"></button>'
        f"<figcaption>{swatch(run.row)}<b>{html.escape(run.row)}</b> "
        f'<span class="{kind}">{run.energy / 1000:,.1f}k</span>{time}</figcaption>'
        "</figure>"
    )


def map_uri(labels: NDArray[np.int32], palette: NDArray[np.uint8]) -> str:
    """Return a labelling as a PNG inside an address, in the colours of a palette."""
    if len(palette) > 256:
        return png_uri(palette[labels])
    # A byte per pixel and few colours: a picture of a few kilobytes.
    pillow = optional_import("PIL.Image", purpose="writing the page")
    picture = pillow.fromarray(labels.astype(np.uint8))
    picture.putpalette(palette.tobytes())
    return picture_uri(picture)
