"""Moves: how many variables each iteration changed, and how many were free to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..._optional import optional_import
from .canvas import count_iterations, legend_below, single, thinned
from .runs import Run
from .style import line, style_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def changed_pixels(runs: Sequence[Run], title: str) -> Figure:
    """Draw which fraction of the variables changed in each iteration."""
    figure, axes = single(title)
    for run in runs:
        _fraction(axes, run, "changed")
    count_iterations(axes, runs)
    # Late moves change very little, the last one nothing: logarithmic, but linear around 0.
    axes.set_yscale("symlog", linthresh=0.01, linscale=0.5)
    axes.set_ylim(-0.002, 160)
    ticker = optional_import("matplotlib.ticker", purpose="plotting")
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda y, _: f"{y:g}"))
    axes.set_ylabel("changed pixels, per cent (log scale)")
    legend_below(figure, axes)
    return figure


def active_variables(runs: Sequence[Run], title: str) -> Figure:
    """Draw which fraction of the variables was free to move in each iteration."""
    figure, axes = single(title)
    for run in sorted(runs, key=lambda run: style_of(run.row).width):
        _fraction(axes, run, "active")
    axes.set_ylabel("active variables, per cent")
    axes.set_ylim(-3, 104)
    count_iterations(axes, runs)
    legend_below(figure, axes)
    return figure


def _fraction(axes: Axes, run: Run, key: str) -> None:
    trace = thinned(run.result.trace)
    steps = [record.iteration for record in trace]
    share = [100 * record[key] / run.result.labels.size for record in trace]
    look = line(style_of(run.row))
    if len(trace) > 30:
        look["markevery"] = [0, len(trace) - 1]
    axes.plot(steps, share, label=run.row, **look)
