"""The labellings of all runs, in colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ... import plots
from ..._optional import optional_import
from .canvas import PNG_DPI
from .runs import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def disparity_maps(runs: Sequence[Run], largest: int, title: str) -> Figure:
    """Draw the maps of all runs side by side, each in its own size: a pixel is a pixel."""
    height, width = runs[0].result.labels.shape
    columns = min(len(runs), max(2, round(1800 / width)), 5)
    rows = math.ceil(len(runs) / columns)
    gap, heading, top = 16, 52, 64  # pixels
    size_x = columns * width + (columns + 1) * gap
    size_y = top + rows * (height + heading) + gap
    figure_module = optional_import("matplotlib.figure", purpose="plotting")
    figure: Figure = figure_module.Figure(figsize=(size_x / PNG_DPI, size_y / PNG_DPI))
    points = 72 / PNG_DPI
    figure.text(gap / size_x, 1 - 0.6 * top / size_y, title, fontsize=28 * points, va="center")
    lowest = min(run.energy for run in runs)
    for index, run in enumerate(runs):
        row, column = divmod(index, columns)
        left = gap + column * (width + gap)
        bottom = size_y - top - row * (height + heading) - heading - height
        box = (left / size_x, bottom / size_y, width / size_x, height / size_y)
        axes = figure.add_axes(box)
        axes.imshow(
            plots.disparity_colours(run.result.labels, (0, largest)),
            # Not resampled: in the SVG, too, a pixel is a variable.
            interpolation="none",
            aspect="auto",
        )
        axes.set_axis_off()
        axes.set_title(
            f"{run.row}  {run.energy / 1000:,.1f}k",
            loc="left",
            fontsize=22 * points,
            pad=10 * points,
            fontweight="bold" if run.energy == lowest else "normal",
        )
    return figure


def label_palette(largest: int) -> NDArray[np.uint8]:
    """Return the colours of the labels 0 .. ``largest``, as in the maps."""
    ramp = np.arange(largest + 1)[:, None]
    return plots.disparity_colours(ramp, (0, largest)).reshape(-1, 3)
