"""The figures of the paper from the cells of a run: energy against time, moves, maps.

``draw``, ``draw_scaling`` and ``draw_compare`` write every figure that the results have data for to
``OUT/figures``, each as PNG and as SVG. A method has the same colour and marker in all of them; a
row "E+method", started from alpha-expansion, has those of its method and a dashed line.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import plots
from .._optional import optional_import
from ..io import write_atomically
from ..result import Result
from .cells import method_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw", "draw_compare", "draw_scaling"]

Cell = Mapping[str, Any]
Item = TypeVar("Item")

PRIOR_NAMES = {
    "quadratic": "truncated quadratic",
    "linear": "truncated linear",
    "cauchy": "Cauchy",
}

# Colours told apart by all kinds of colour vision, markers for print: one pair per method.
_STYLES = {
    "gswap": ("#d55e00", "o"),
    "gswapf": ("#0072b2", "s"),
    "best": ("#000000", "*"),
    "expansion": ("#009e73", "^"),
    "swap": ("#56b4e9", "v"),
    "rswap": ("#cc79a7", "<"),
    "rswape": ("#882255", ">"),
    "rexp": ("#e69f00", "D"),
    "irgc": ("#999933", "P"),
    "irgc+expansion": ("#44aa99", "X"),
    "trws": ("#332288", "d"),
    "ishikawa": ("#777777", "h"),
}
_PACKAGES = {
    "rangemoves": "#0072b2",
    "PyMaxflow": "#e69f00",
    "OR-tools": "#cc79a7",
    "gco": "#009e73",
    "OpenCV": "#882255",
}
# Whatever else is drawn: by its place in the list.
_OTHERS = tuple(_STYLES.values())
_OURS = ("gswap", "gswapf")
_PNG_DPI = 200
_MOST_POINTS = 240
# Where gswap and gswapf agree, the square stands inside the circle.
_MARKER_SIZES = {"*": 9.0, "o": 8.0, "s": 4.5}


@dataclass(frozen=True)
class Style:
    """How one row is drawn in every figure.

    Attributes
    ----------
    colour, marker, line : str
        As matplotlib names them.
    width : float
        Of the line, in points; thicker for the paper's own methods.
    """

    colour: str
    marker: str
    line: str
    width: float


def style_of(row: str) -> Style:
    """Return how a row such as "gswap" or "E+rswap" is drawn."""
    method = method_of(row)
    colour, marker = _STYLES.get(method, ("#777777", "h"))
    strong = method in (*_OURS, "best")
    return Style(colour, marker, "--" if row != method else "-", 2.2 if strong else 1.4)


@dataclass(frozen=True)
class Run:
    """A cell and what it left behind.

    Attributes
    ----------
    cell : mapping
        One entry of the results.
    result : Result
        Its labelling and trace.
    """

    cell: Cell
    result: Result

    @property
    def row(self) -> str:
        return str(self.cell["row"])

    @property
    def energy(self) -> float:
        return float(self.cell["energy"])

    @property
    def seconds(self) -> list[float]:
        """When each record was made, counting what the start took before."""
        before = float(self.cell.get("start_seconds") or 0)
        return [before + record.seconds for record in self.result.trace]


def title_of(instance: str, prior: str, own: bool = False) -> str:
    """Return the words for one instance and prior."""
    name = instance.upper() if instance.startswith("kitti") else instance.capitalize()
    return f"{name}{' (own costs)' if own else ''}, {PRIOR_NAMES.get(prior, prior)}"


def groups(cells: Iterable[Cell]) -> dict[tuple[str, str], list[Cell]]:
    """Return the cells of each instance and prior, in the order in which they first come."""
    found: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        found.setdefault((str(cell["instance"]), str(cell["prior"])), []).append(cell)
    return found


def load_runs(out: Path, cells: Iterable[Cell]) -> list[Run]:
    """Return the runs of those cells that left a result."""
    return [
        Run(cell, Result.load(out / str(cell["result"])))
        for cell in cells
        if cell.get("result") and (out / str(cell["result"])).is_file()
    ]


def maps_of(runs: Iterable[Run]) -> tuple[list[Run], int]:
    """Return the runs whose labels are an image, and the largest label among them."""
    shown = [run for run in runs if run.result.labels.ndim == 2]
    return shown, max((int(run.result.labels.max()) for run in shown), default=0)


def draw(out: Path, results: Mapping[str, Any]) -> list[Path]:
    """Draw the paper's figures for every instance and prior that has the data.

    Parameters
    ----------
    out : Path
        The folder of the run; the figures go to ``out/figures``.
    results : mapping
        What ``results.json`` holds.

    Returns
    -------
    list of Path
        What was written: ``INSTANCE-PRIOR-FIGURE.png`` and ``.svg``.
    """
    written: list[Path] = []
    for (instance, prior), cells in groups(results["cells"]).items():
        runs = load_runs(out, cells)
        title = title_of(instance, prior, any(cell.get("own") for cell in cells))
        for name, figure in _figures(runs, title):
            written += _save(out, f"{instance}-{prior}-{name}", figure)
    return written


def _figures(runs: Sequence[Run], title: str) -> Iterator[tuple[str, Figure]]:
    traced = [run for run in runs if run.result.trace]
    if traced:
        yield "energy-time", energy_against_time(traced, title)
    ours = [run for run in traced if run.row in _OURS]
    if ours and all(len(run.result.trace) == 1 for run in ours):
        # From label 0 one move did it all; from alpha-expansion there are several to see.
        ours += [run for run in traced if method_of(run.row) in _OURS and run not in ours]
    if ours:
        yield "energies", both_energies(ours, title)
        yield "changed", changed_pixels(ours, title)
    # Message passing has no moves, "best" mixes several kinds, and rows with a start of their own
    # look as those without.
    moving = [run for run in traced if run.row in _STYLES and run.row not in ("trws", "best")]
    if moving:
        yield "active", active_variables(moving, title)
    shown, largest = maps_of(runs)
    if shown:
        yield "maps", disparity_maps(shown, largest, title)


def energy_against_time(runs: Sequence[Run], title: str) -> Figure:
    """Draw the energy of every run against time, all of it and, beside it, the lowest part."""
    figure = plots.new_figure(11, 4.2)
    whole, zoomed = figure.subplots(1, 2)
    ranked = sorted(runs, key=lambda run: run.energy)
    times = [seconds for run in runs for seconds in run.seconds]
    long = max(times) > 20 * max(min(times), 1e-3)
    for axes in (whole, zoomed):
        # The runs that matter are drawn last, on top of the others.
        for run in sorted(ranked, key=lambda run: style_of(run.row).width):
            _energy_curve(axes, run)
        if long:
            axes.set_xscale("log")
        axes.set_xlabel("seconds" + (" (log scale)" if long else ""))
        axes.set_ylabel("energy / 1000")
        _plain(axes)
    low, high = _zoom(ranked)
    bounds = [run.cell["lower_bound"] for run in runs if run.cell.get("lower_bound") is not None]
    if bounds:
        bound = max(bounds)
        if low - (high - low) < bound:
            low = min(low, bound - 0.06 * (high - low))
        for axes in (whole, zoomed):
            axes.axhline(bound / 1000, color="#555555", linewidth=1, linestyle=(0, (1, 2)))
    zoomed.set_ylim(low / 1000, high / 1000)
    whole.set_title(title, loc="left")
    zoomed.set_title("the same, zoomed in", loc="left")
    handles = {line.get_label(): line for line in whole.lines}
    names = [_legend_label(run) for run in ranked]
    legend = {name: handles[name] for name in names}
    if bounds:
        legend[f"lower bound  {bound / 1000:,.1f}"] = whole.lines[-1]
    figure.legend(
        legend.values(), legend, loc="outside right upper", fontsize=8.5, title="lowest first"
    )
    return figure


def _legend_label(run: Run) -> str:
    return f"{run.row}  {run.energy / 1000:,.1f}"


def _energy_curve(axes: Axes, run: Run) -> None:
    look = _line(style_of(run.row))
    points = thinned(list(zip(run.seconds, run.result.trace, strict=True)))
    # Where several curves meet, the end of each is what the eye looks for.
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


def _line(style: Style) -> dict[str, Any]:
    return {
        "color": style.colour,
        "linestyle": style.line,
        "linewidth": style.width,
        "marker": style.marker,
        "markersize": _MARKER_SIZES.get(style.marker, 5.5),
        "markerfacecolor": "white" if style.line == "--" else style.colour,
    }


def thinned(trace: Sequence[Item]) -> list[Item]:
    """Return the records that can be told apart in a drawing, the first and the last included."""
    if len(trace) <= _MOST_POINTS:
        return list(trace)
    # Steps of equal ratio: on a logarithmic axis they are as far apart as can be.
    chosen = np.unique(np.geomspace(1, len(trace), _MOST_POINTS).round().astype(int)) - 1
    return [trace[index] for index in chosen]


def _zoom(ranked: Sequence[Run]) -> tuple[float, float]:
    """Return the range of energies in which the better half of the methods end, ours included."""
    lowest = ranked[0].energy
    better = ranked[: max(2, (len(ranked) + 1) // 2)]
    ends = [run.energy for run in better] + [run.energy for run in ranked if run.row in _OURS]
    span = max(1.25 * (max(ends) - lowest), 1e-3 * abs(lowest), 1e-9)
    return lowest - 0.08 * span, lowest + span


def both_energies(runs: Sequence[Run], title: str) -> Figure:
    """Draw E^h, which may rise, and E^g, which never does, per iteration."""
    figure = plots.new_figure(9, 3.8)
    values, changes = figure.subplots(1, 2)
    for run in runs:
        style = style_of(run.row)
        steps = [record.iteration for record in run.result.trace]
        for key, name, line, filled in (
            ("huber_energy", "$E^h$", "--", False),
            ("energy", "$E^g$", "-", True),
        ):
            value = np.array([record[key] for record in run.result.trace])
            if not np.isfinite(value).all():
                continue
            look = _line(style) | {"linestyle": line, "markerfacecolor": style.colour}
            if not filled:
                look["markerfacecolor"] = "white"
            if style.line == "--":
                look |= {"linewidth": 1.2, "markersize": 3.5}
            values.plot(steps, value / 1000, label=f"{name}, {run.row}", **look)
            first = abs(value[0]) or 1.0
            changes.plot(steps, 100 * (value - value[0]) / first, **look)
    values.set_ylabel("energy / 1000")
    changes.set_ylabel("change since iteration 1, per cent")
    changes.axhline(0, color="#555555", linewidth=0.8, zorder=0)
    values.set_title(title, loc="left")
    single = all(len(run.result.trace) == 1 for run in runs)
    changes.set_title("one move each" if single else "$E^g$ never rises; $E^h$ may", loc="left")
    for axes in (values, changes):
        _iterations(axes, runs)
    values.legend(fontsize=9)
    return figure


def changed_pixels(runs: Sequence[Run], title: str) -> Figure:
    """Draw which fraction of the variables changed in each iteration."""
    figure, axes = _single(title)
    for run in runs:
        _fraction(axes, run, "changed")
    _iterations(axes, runs)
    # The fine-tuning after the first moves would be a flat line on a linear scale, and the last
    # move, which changes nothing, has no place on a logarithmic one.
    axes.set_yscale("symlog", linthresh=0.01, linscale=0.5)
    axes.set_ylim(-0.002, 160)
    ticker = optional_import("matplotlib.ticker", purpose="plotting")
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda y, _: f"{y:g}"))
    axes.set_ylabel("changed pixels, per cent (log scale)")
    _legend_below(figure, axes)
    return figure


def active_variables(runs: Sequence[Run], title: str) -> Figure:
    """Draw which fraction of the variables was free to move in each iteration."""
    figure, axes = _single(title)
    for run in sorted(runs, key=lambda run: style_of(run.row).width):
        _fraction(axes, run, "active")
    axes.set_ylabel("active variables, per cent")
    axes.set_ylim(-3, 104)
    _iterations(axes, runs)
    _legend_below(figure, axes)
    return figure


def _single(title: str) -> tuple[Figure, Axes]:
    figure = plots.new_figure(5.6, 4.2)
    axes = figure.add_subplot()
    axes.set_title(title, loc="left")
    return figure, axes


def _fraction(axes: Axes, run: Run, key: str) -> None:
    trace = thinned(run.result.trace)
    steps = [record.iteration for record in trace]
    share = [100 * record[key] / run.result.labels.size for record in trace]
    look = _line(style_of(run.row))
    if len(trace) > 30:
        look["markevery"] = [0, len(trace) - 1]
    axes.plot(steps, share, label=run.row, **look)


def _legend_below(figure: Figure, axes: Axes) -> None:
    figure.legend(
        *axes.get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=9
    )


def _iterations(axes: Axes, runs: Sequence[Run]) -> None:
    ticker = optional_import("matplotlib.ticker", purpose="plotting")
    most = max(run.result.trace[-1].iteration for run in runs)
    if most > 40:
        axes.set_xscale("log")
        axes.set_xlabel("iteration (log scale)")
    else:
        axes.set_xlabel("iteration")
        axes.set_xlim(0.5, max(most, 2) + 0.5)
        axes.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    _plain(axes)


def _plain(axes: Axes) -> None:
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    if axes.get_yscale() == "linear":
        axes.ticklabel_format(axis="y", style="plain", useOffset=False)
    if axes.get_xscale() == "log":
        ticker = optional_import("matplotlib.ticker", purpose="plotting")
        axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda x, _: f"{x:g}"))


def disparity_maps(runs: Sequence[Run], largest: int, title: str) -> Figure:
    """Draw the maps of all runs side by side, each in its own size: a pixel is a pixel."""
    height, width = runs[0].result.labels.shape
    columns = min(len(runs), max(2, round(1800 / width)), 5)
    rows = math.ceil(len(runs) / columns)
    gap, heading, top = 16, 52, 64  # pixels
    size_x = columns * width + (columns + 1) * gap
    size_y = top + rows * (height + heading) + gap
    figure_module = optional_import("matplotlib.figure", purpose="plotting")
    figure: Figure = figure_module.Figure(figsize=(size_x / _PNG_DPI, size_y / _PNG_DPI))
    points = 72 / _PNG_DPI
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
            # Left as it is: in the SVG, too, the picture has a pixel per variable.
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


def draw_scaling(out: Path, results: Mapping[str, Any]) -> list[Path]:
    """Draw time and memory against pixels, labels and T, with the fitted exponents.

    Parameters
    ----------
    out : Path
        The folder of the run.
    results : mapping
        What ``results.json`` of a scaling run holds.

    Returns
    -------
    list of Path
        ``scaling-pixels.png``, ``.svg`` and so on, for each size that was varied.
    """
    written: list[Path] = []
    for size, cells in scaling_series(results["cells"]).items():
        written += _save(out, scaling_name(size), scaling(size, cells))
    return written


def scaling_name(size: str) -> str:
    """Return the name of the figure for that size."""
    return f"scaling-{size}"


_SIZES = {"pixels": "pixels", "labels": "labels", "T": "truncation T"}


def scaling_series(cells: Iterable[Cell]) -> dict[str, dict[str, list[Cell]]]:
    """Return the finished cells by what was varied (pixels, labels or T), then by solver.

    A cell's "case" or "series" may say what was varied; where it does not, a size counts as varied
    among those cells of a solver that agree in the other two.
    """
    finished = [cell for cell in cells if cell.get("seconds") is not None]
    found: dict[str, dict[str, list[Cell]]] = {}
    for size in _SIZES:
        others = [other for other in _SIZES if other != size]
        alike: dict[tuple[Any, ...], list[Cell]] = {}
        for cell in finished:
            if cell.get(size) is None or _varied(cell) not in (None, size):
                continue
            alike.setdefault((solver_of(cell), *map(cell.get, others)), []).append(cell)
        best: dict[str, list[Cell]] = {}
        for (solver, *_), members in alike.items():
            distinct = len({cell[size] for cell in members})
            if distinct > max(1, len({cell[size] for cell in best.get(solver, [])})):
                best[solver] = sorted(members, key=lambda cell: float(cell[size]))
        if best:
            found[size] = best
    return found


def _varied(cell: Cell) -> str | None:
    for key in ("varied", "series", "case"):
        words = str(cell.get(key) or "").replace("-", " ").replace("_", " ").split()
        for size in _SIZES:
            if words and words[0] == size:
                return size
    return None


def solver_of(cell: Cell) -> str:
    """Return what ran: the solver, or the row or method of ours."""
    for key in ("solver", "row", "method"):
        if cell.get(key):
            return str(cell[key])
    return "unnamed"


def exponent(sizes: ArrayLike, costs: ArrayLike) -> float | None:
    """Return p of the fit cost ~ size**p by least squares of the logarithms.

    Examples
    --------
    >>> round(exponent([1, 2, 4], [3, 12, 48]), 6)
    2.0
    """
    x, y = np.log(np.asarray(sizes, float)), np.log(np.asarray(costs, float))
    if np.unique(x).size < 2 or not np.isfinite(y).all():
        return None
    return float(np.polyfit(x, y, 1)[0])


def fit(
    cells: Iterable[Cell], size: str, key: str
) -> tuple[float | None, NDArray[np.float64], NDArray[np.float64]]:
    """Return the exponent with which a cost grows with a size, and the points it was fitted to.

    What the time limit ended is left out: it would have cost more.
    """
    points = [
        (float(cell[size]), float(cell[key]))
        for cell in cells
        if cell.get(key) and cell.get("status") != "time_limit"
    ]
    x, y = np.array(points).reshape(-1, 2).T
    return exponent(x, y), x, y


def scaling(size: str, series: Mapping[str, Sequence[Cell]]) -> Figure:
    """Draw time and memory against one size, on logarithmic axes."""
    ticker = optional_import("matplotlib.ticker", purpose="plotting")
    figure = plots.new_figure(10.5, 4.6)
    panels = figure.subplots(1, 2)
    quantities = (("seconds", "seconds", 1.0), ("memory_bytes", "memory, MiB", 2.0**20))
    for axes, (key, label, unit) in zip(panels, quantities, strict=True):
        for index, (solver, cells) in enumerate(series.items()):
            colour, marker = _look(solver, index)
            power, x, y = fit(cells, size, key)
            look = {"color": colour, "marker": marker, "linestyle": "none", "markersize": 6}
            cut = [c for c in cells if c.get(key) and c.get("status") == "time_limit"]
            if cut:
                cost = [float(c[key]) / unit for c in cut]
                axes.plot([float(c[size]) for c in cut], cost, markerfacecolor="white", **look)
            if not x.size:
                continue
            name = solver if power is None else f"{solver}: power {power:.2f}"
            axes.plot(x, y / unit, label=name, **look)
            if power is not None:
                centre = np.exp(np.log(y / unit).mean() - power * np.log(x).mean())
                axes.plot(x, centre * x**power, color=colour, linewidth=1.4)
        axes.set(xscale="log", yscale="log", xlabel=_SIZES[size], ylabel=label)
        _plain(axes)
        sizes = sorted({float(cell[size]) for cells in series.values() for cell in cells})
        axes.set_xticks(sizes, [f"{value:,.6g}" for value in sizes])
        axes.xaxis.set_minor_locator(ticker.NullLocator())
        axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:,.6g}"))
        axes.yaxis.set_minor_formatter(ticker.NullFormatter())
        if axes.has_data():
            axes.legend(fontsize=8.5, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
    panels[0].set_title(f"Time against {_SIZES[size]}", loc="left")
    panels[1].set_title(f"Memory against {_SIZES[size]}", loc="left")
    return figure


def _look(solver: str, index: int) -> tuple[str, str]:
    return _STYLES.get(solver, _OTHERS[index % len(_OTHERS)])


def draw_compare(out: Path, results: Mapping[str, Any]) -> list[Path]:
    """Draw the time, and where known energy and memory, of every solver for each case.

    Parameters
    ----------
    out : Path
        The folder of the run.
    results : mapping
        What ``results.json`` of a comparison holds.

    Returns
    -------
    list of Path
        ``compare-PROBLEM-CASE.png`` and ``.svg``.
    """
    written: list[Path] = []
    for case, cells in compared(results["cells"]).items():
        written += _save(out, compare_name(case), comparison(case, cells))
    return written


def compared(cells: Iterable[Cell]) -> dict[str, list[Cell]]:
    """Return the finished cells by problem and case."""
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        if cell.get("seconds") is not None:
            words = (cell.get("problem"), cell.get("case"))
            found.setdefault(": ".join(str(word) for word in words if word), []).append(cell)
    return found


def compare_name(case: str) -> str:
    """Return the name of the figure of such a case."""
    return "-".join(["compare", *re.findall(r"\w+", case)])


def comparison(case: str, cells: Sequence[Cell]) -> Figure:
    """Draw bars, fastest first; each with its figure written at its end."""
    shown = sorted(cells, key=lambda cell: float(cell["seconds"]))
    quantities = [
        (key, label, unit)
        for key, label, unit in (
            ("seconds", "seconds", 1.0),
            ("memory_bytes", "memory, MiB", 2.0**20),
            ("energy", "energy above the lowest, per cent", None),
            ("bad1", "wrong pixels, per cent", 1.0),
        )
        if any(cell.get(key) is not None for cell in shown)
    ]
    figure = plots.new_figure(1.6 + 3.4 * len(quantities), 1.3 + 0.42 * len(shown))
    panels = figure.subplots(1, len(quantities), sharey=True, squeeze=False)[0]
    energies = [cell["energy"] for cell in shown if cell.get("energy") is not None]
    for axes, (key, label, unit) in zip(panels, quantities, strict=True):
        values = [float("nan") if cell.get(key) is None else float(cell[key]) for cell in shown]
        if unit is None:
            lowest = min(energies)
            values = [100 * (value - lowest) / (abs(lowest) or 1.0) for value in values]
        else:
            values = [value / unit for value in values]
        colours = [_PACKAGES.get(solver_of(cell).split()[0], "#777777") for cell in shown]
        bars = axes.barh(range(len(shown)), np.nan_to_num(values), color=colours, height=0.62)
        texts = ["not measured" if np.isnan(value) else f"{value:.3g}" for value in values]
        axes.bar_label(bars, texts, padding=3, fontsize=9)
        axes.margins(x=0.24)
        axes.set_xlim(left=0)
        axes.set_xlabel(label)
        axes.grid(axis="x", alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_yticks(range(len(shown)), [solver_of(cell) for cell in shown])
    panels[0].invert_yaxis()
    panels[0].set_title(case, loc="left")
    return figure


def _save(out: Path, name: str, figure: Figure) -> list[Path]:
    folder = out / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    matplotlib = optional_import("matplotlib", purpose="plotting")
    paths = []
    # Text stays text, and the same data give the same file.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        for ending, unwanted in (("png", "Software"), ("svg", "Date")):
            stored = io.BytesIO()
            figure.savefig(stored, format=ending, dpi=_PNG_DPI, metadata={unwanted: None})
            paths.append(folder / f"{name}.{ending}")
            write_atomically(paths[-1], stored.getvalue())
    return paths


def label_palette(largest: int) -> NDArray[np.uint8]:
    """Return the colours of the labels 0 .. ``largest``, as in the maps."""
    ramp = np.arange(largest + 1)[:, None]
    return plots.disparity_colours(ramp, (0, largest)).reshape(-1, 3)
