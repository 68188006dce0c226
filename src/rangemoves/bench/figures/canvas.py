"""What all figures share: plain axes, few enough points, and files that are always the same."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ... import plots
from ..._optional import optional_import
from ...io import write_atomically
from .runs import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PNG_DPI = 200
_MOST_POINTS = 240

Item = TypeVar("Item")


def plain(axes: Axes) -> None:
    """Leave out frames and offsets, and write numbers as numbers."""
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    if axes.get_yscale() == "linear":
        axes.ticklabel_format(axis="y", style="plain", useOffset=False)
    if axes.get_xscale() == "log":
        ticker = optional_import("matplotlib.ticker", purpose="plotting")
        axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda x, _: f"{x:g}"))


def count_iterations(axes: Axes, runs: Sequence[Run]) -> None:
    """Make the horizontal axis one of iterations, logarithmic where there are many."""
    ticker = optional_import("matplotlib.ticker", purpose="plotting")
    most = max(run.result.trace[-1].iteration for run in runs)
    if most > 40:
        axes.set_xscale("log")
        axes.set_xlabel("iteration (log scale)")
    else:
        axes.set_xlabel("iteration")
        axes.set_xlim(0.5, max(most, 2) + 0.5)
        axes.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    plain(axes)


def single(title: str) -> tuple[Figure, Axes]:
    """Return a small figure with one plot."""
    figure = plots.new_figure(5.6, 4.2)
    axes = figure.add_subplot()
    axes.set_title(title, loc="left")
    return figure, axes


def legend_below(figure: Figure, axes: Axes) -> None:
    """Put the legend under the plot, in four columns."""
    figure.legend(
        *axes.get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=9
    )


def thinned(trace: Sequence[Item]) -> list[Item]:
    """Return the records that can be told apart in a drawing, the first and the last included."""
    if len(trace) <= _MOST_POINTS:
        return list(trace)
    # Steps of equal ratio are evenly spaced on a logarithmic axis.
    chosen = np.unique(np.geomspace(1, len(trace), _MOST_POINTS).round().astype(int)) - 1
    return [trace[index] for index in chosen]


def save(out: Path, name: str, figure: Figure) -> list[Path]:
    """Write a figure to ``out/figures`` as PNG and SVG; the same data give the same bytes."""
    folder = out / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    matplotlib = optional_import("matplotlib", purpose="plotting")
    paths = []
    # Text stays text; ids of the SVG come from the name, not from chance.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        for ending, unwanted in (("png", "Software"), ("svg", "Date")):
            stored = io.BytesIO()
            figure.savefig(stored, format=ending, dpi=PNG_DPI, metadata={unwanted: None})
            paths.append(folder / f"{name}.{ending}")
            write_atomically(paths[-1], stored.getvalue())
    return paths
