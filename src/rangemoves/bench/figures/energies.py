"""Energies: of all runs against time, and what a move minimises beside what falls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ... import plots
from .canvas import count_iterations, plain, thinned
from .runs import Run
from .style import OURS, line, style_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def energy_against_time(runs: Sequence[Run], title: str) -> Figure:
    """Draw the energy of every run against time, all of it and, beside it, the lowest part."""
    figure = plots.new_figure(11, 4.2)
    whole, zoomed = figure.subplots(1, 2)
    ranked = sorted(runs, key=lambda run: run.energy)
    for axes in (whole, zoomed):
        _energy_curves(axes, ranked)
    low, high = _zoom(ranked)
    bound = max((b for run in runs if (b := run.cell.lower_bound) is not None), default=None)
    if bound is not None:
        if low - (high - low) < bound:
            low = min(low, bound - 0.06 * (high - low))
        for axes in (whole, zoomed):
            axes.axhline(bound / 1000, color="#555555", linewidth=1, linestyle=(0, (1, 2)))
    zoomed.set_ylim(low / 1000, high / 1000)
    whole.set_title(title, loc="left")
    zoomed.set_title("the same, zoomed in", loc="left")
    handles = {line.get_label(): line for line in whole.lines}
    legend = {name: handles[name] for name in map(_legend_label, ranked)}
    if bound is not None:
        legend[f"lower bound  {bound / 1000:,.1f}"] = whole.lines[-1]
    figure.legend(
        legend.values(), legend, loc="outside right upper", fontsize=8.5, title="lowest first"
    )
    return figure


def _energy_curves(axes: Axes, runs: Sequence[Run]) -> None:
    # The runs that matter are drawn last, on top of the others.
    for run in sorted(runs, key=lambda run: style_of(run.row).width):
        _energy_curve(axes, run)
    times = [seconds for run in runs for seconds in run.seconds]
    long = max(times) > 20 * max(min(times), 1e-3)
    if long:
        axes.set_xscale("log")
    axes.set_xlabel("seconds" + (" (log scale)" if long else ""))
    axes.set_ylabel("energy / 1000")
    plain(axes)


def _legend_label(run: Run) -> str:
    return f"{run.row}  {run.energy / 1000:,.1f}"


def _energy_curve(axes: Axes, run: Run) -> None:
    look = line(style_of(run.row))
    points = thinned(list(zip(run.seconds, run.result.trace, strict=True)))
    # Many markers would hide other curves: mark the end alone.
    if len(points) > 8:
        look["markevery"] = [len(points) - 1]
    # Between two records the energy is the earlier one: it falls in steps.
    axes.step(
        [max(seconds, 1e-3) for seconds, _ in points],
        [record.energy / 1000 for _, record in points],
        where="post",
        label=_legend_label(run),
        **look,
    )


def _zoom(ranked: Sequence[Run]) -> tuple[float, float]:
    """Return the range of energies in which the better half of the methods end, ours included."""
    lowest = ranked[0].energy
    better = ranked[: max(2, (len(ranked) + 1) // 2)]
    ends = [run.energy for run in better] + [run.energy for run in ranked if run.row in OURS]
    span = max(1.25 * (max(ends) - lowest), 1e-3 * abs(lowest), 1e-9)
    return lowest - 0.08 * span, lowest + span


def both_energies(runs: Sequence[Run], title: str) -> Figure:
    """Draw E^h, which may rise, and E^g, which never does, per iteration."""
    figure = plots.new_figure(9, 3.8)
    values, changes = figure.subplots(1, 2)
    for run in runs:
        _energy_pair(values, changes, run)
    values.set_ylabel("energy / 1000")
    changes.set_ylabel("change since iteration 1, per cent")
    changes.axhline(0, color="#555555", linewidth=0.8, zorder=0)
    values.set_title(title, loc="left")
    once = all(len(run.result.trace) == 1 for run in runs)
    changes.set_title("one move each" if once else "$E^g$ never rises; $E^h$ may", loc="left")
    for axes in (values, changes):
        count_iterations(axes, runs)
    values.legend(fontsize=9)
    return figure


def _energy_pair(values: Axes, changes: Axes, run: Run) -> None:
    """Draw E^h and E^g of a run: themselves, and by how much they changed."""
    style = style_of(run.row)
    steps = [record.iteration for record in run.result.trace]
    for key, name, dashes, fill in (
        ("huber_energy", "$E^h$", "--", "white"),
        ("energy", "$E^g$", "-", style.colour),
    ):
        value = np.array([record[key] for record in run.result.trace])
        if not np.isfinite(value).all():
            continue
        look = line(style) | {"linestyle": dashes, "markerfacecolor": fill}
        if style.line == "--":
            look |= {"linewidth": 1.2, "markersize": 3.5}
        values.plot(steps, value / 1000, label=f"{name}, {run.row}", **look)
        first = abs(value[0]) or 1.0
        changes.plot(steps, 100 * (value - value[0]) / first, **look)
