"""Time and memory against a size, on logarithmic axes, with the fitted powers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import plots
from ..._optional import optional_import
from ..cell import ScalingCell, Size
from ..growth import SIZES, Cost, cost_of, fit, series, size_of
from .canvas import plain, save
from .style import look_of_solver

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_QUANTITIES: tuple[tuple[Cost, str, float], ...] = (
    ("seconds", "seconds", 1.0),
    ("memory_bytes", "memory, MiB", 2.0**20),
)


def draw_scaling(out: Path, cells: Iterable[ScalingCell]) -> list[Path]:
    """Draw time and memory against pixels, labels and T, with the fitted exponents.

    Parameters
    ----------
    out : Path
        The folder of the run.
    cells : iterable of ScalingCell
        Its cells.

    Returns
    -------
    list of Path
        ``scaling-pixels.png``, ``.svg`` and so on, for each size that was varied.
    """
    written: list[Path] = []
    for size, by_solver in series(cells).items():
        written += save(out, scaling_name(size), scaling(size, by_solver))
    return written


def scaling_name(size: Size) -> str:
    """Return the name of the figure for that size."""
    return f"scaling-{size}"


def scaling(size: Size, by_solver: Mapping[str, Sequence[ScalingCell]]) -> Figure:
    """Draw time and memory against one size."""
    figure = plots.new_figure(10.5, 4.6)
    panels = figure.subplots(1, 2)
    for axes, (cost, label, unit) in zip(panels, _QUANTITIES, strict=True):
        for index, (solver, cells) in enumerate(by_solver.items()):
            _points(axes, look_of_solver(solver, index), solver, cells, size, cost, unit)
        axes.set(xscale="log", yscale="log", xlabel=SIZES[size], ylabel=label)
        plain(axes)
        _ticks(axes, {size_of(cell, size) for cells in by_solver.values() for cell in cells})
        if axes.has_data():
            axes.legend(fontsize=8.5, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
    panels[0].set_title(f"Time against {SIZES[size]}", loc="left")
    panels[1].set_title(f"Memory against {SIZES[size]}", loc="left")
    return figure


def _points(
    axes: Axes,
    look: tuple[str, str],
    solver: str,
    cells: Sequence[ScalingCell],
    size: Size,
    cost: Cost,
    unit: float,
) -> None:
    """Draw the cells of a solver and the line fitted to them; hollow what the time limit ended."""
    colour, marker = look
    style: dict[str, Any] = {
        "color": colour,
        "marker": marker,
        "linestyle": "none",
        "markersize": 6,
    }
    cut = [
        (size_of(cell, size), value / unit)
        for cell in cells
        if (value := cost_of(cell, cost)) is not None and cell.status == "time_limit"
    ]
    if cut:
        axes.plot(*zip(*cut, strict=True), markerfacecolor="white", **style)
    power, x, y = fit(cells, size, cost)
    if not x.size:
        return
    name = solver if power is None else f"{solver}: power {power:.2f}"
    axes.plot(x, y / unit, label=name, **style)
    if power is not None:
        centre = np.exp(np.log(y / unit).mean() - power * np.log(x).mean())
        axes.plot(x, centre * x**power, color=colour, linewidth=1.4)


def _ticks(axes: Axes, sizes: Iterable[float]) -> None:
    """Label the sizes that were run, and costs at 1, 2 and 5 of every decade."""
    ticker = optional_import("matplotlib.ticker", purpose="plotting")
    places = sorted(sizes)
    axes.set_xticks(places, [f"{value:,.6g}" for value in places])
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:,.6g}"))
    axes.yaxis.set_minor_formatter(ticker.NullFormatter())
