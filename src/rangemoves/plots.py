"""Pictures of disparities, errors and runs.

``disparity_colours`` and ``error_colours`` turn a map into an RGB image of the same size,
``cloud_colours`` a point cloud into one. The other functions return a matplotlib figure, and
neither show nor save it: they work without a display.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._optional import optional_import
from .cloud_picture import cloud_colours
from .labellings import as_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .result import Result

__all__ = [
    "cloud_colours",
    "disparity",
    "disparity_colours",
    "energies",
    "energy",
    "error_colours",
    "error_map",
    "proof",
]

Limits = tuple[float, float]

_UNKNOWN = (60, 60, 60)  # dark grey: in neither colour map
_ERROR_RANGE = 4.0  # pixels; beyond it a match is simply wrong
_ENERGY, _BOUND = "#1f5fa8", "#c2571a"
_SEVERAL = ("#1f5fa8", "#2a9d5c", "#8a5fb0", "#b8860b", "#7a7a7a")
_WORTH_SHOWING = 0.01  # of what the largest slack is


def _map2d(values: ArrayLike, name: str) -> NDArray[np.float64]:
    array = as_map(values)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(
            f"{name} must be a non-empty map of shape (height, width); found shape {array.shape}; "
            "pass one number per pixel"
        )
    return array


def _colour(
    values: NDArray[np.float64], low: float, high: float, colour_map: str
) -> NDArray[np.uint8]:
    matplotlib = optional_import("matplotlib", purpose="colouring a map")
    known = np.isfinite(values)
    fraction = (np.where(known, values, low) - low) / max(high - low, 1e-12)
    coloured = matplotlib.colormaps[colour_map](np.clip(fraction, 0, 1), bytes=True)[..., :3]
    coloured[~known] = _UNKNOWN
    return np.ascontiguousarray(coloured, dtype=np.uint8)


def _limits(values: NDArray[np.float64], limits: Limits | None) -> Limits:
    if limits is not None:
        return limits
    known = values[np.isfinite(values)]
    return (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)


def _error(disparity: ArrayLike, truth: ArrayLike) -> NDArray[np.float64]:
    found, expected = _map2d(disparity, "disparity"), _map2d(truth, "truth")
    if found.shape != expected.shape:
        raise ValueError(
            f"truth must have the shape of disparity, {found.shape}; found {expected.shape}; "
            "pass maps of the same image"
        )
    error = np.abs(found - expected)
    # A pixel whose truth is known but which got no answer is as wrong as can be.
    error[np.isfinite(expected) & ~np.isfinite(found)] = np.inf
    return np.where(np.isfinite(expected), np.minimum(error, _ERROR_RANGE), np.nan)


def disparity_colours(disparity: ArrayLike, limits: Limits | None = None) -> NDArray[np.uint8]:
    """Colour a disparity map: blue is far, red is near, dark grey is unknown.

    Parameters
    ----------
    disparity : array_like, (H, W)
        NaN and infinite values count as unknown, and -1 in labels (integers).
    limits : (float, float), optional
        Disparities of the two ends of the colour scale; the smallest and largest known value
        when left out.

    Returns
    -------
    ndarray of uint8, (H, W, 3)

    Examples
    --------
    >>> import rangemoves as rm
    >>> rm.plots.disparity_colours([[0.0, 5.0], [9.0, float("nan")]]).shape
    (2, 2, 3)
    """
    values = _map2d(disparity, "disparity")
    return _colour(values, *_limits(values, limits), "turbo")


def error_colours(disparity: ArrayLike, truth: ArrayLike) -> NDArray[np.uint8]:
    """Colour the absolute error: black is right, pale yellow is 4 pixels off or more.

    Parameters
    ----------
    disparity, truth : array_like, (H, W)
        A pixel with known truth and unknown disparity is pale yellow; unknown truth is dark grey.

    Returns
    -------
    ndarray of uint8, (H, W, 3)

    Examples
    --------
    >>> import rangemoves as rm
    >>> right, wrong = rm.plots.error_colours([[3.0, 3.0]], [[3.0, 9.0]])[0]
    >>> bool(right.max() < 10 < 200 < wrong.max())
    True
    """
    return _colour(_error(disparity, truth), 0.0, _ERROR_RANGE, "inferno")


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of this size in inches, which no window and no global state knows."""
    figure_module = optional_import("matplotlib.figure", purpose="plotting")
    # A bare Figure has an Agg canvas: no display, no global state, nothing to close.
    figure: Figure = figure_module.Figure(figsize=(width, height), layout="constrained")
    return figure


def _map_figure(
    image: NDArray[np.uint8],
    low: float,
    high: float,
    colour_map: str,
    label: str,
    title: str | None,
) -> Figure:
    height, width = image.shape[:2]
    figure = new_figure(6.4, min(9.6, max(1.6, 5.4 * height / width)))
    axes = figure.add_subplot()
    axes.imshow(image, interpolation="nearest")
    axes.set_axis_off()
    if title:
        axes.set_title(title)
    scale = optional_import("matplotlib.cm", purpose="plotting").ScalarMappable(cmap=colour_map)
    scale.set_clim(low, high)
    figure.colorbar(scale, ax=axes, label=label)
    return figure


def disparity(
    disparity: ArrayLike, limits: Limits | None = None, *, title: str | None = None
) -> Figure:
    """Draw a disparity map with its colour scale.

    Parameters
    ----------
    disparity : array_like, (H, W)
        NaN where unknown.
    limits : (float, float), optional
        Ends of the colour scale.
    title : str, optional
        Text above the map.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import rangemoves as rm
    >>> pair = rm.datasets.synthetic_stereo(shape=(48, 64), labels=12)
    >>> figure = rm.plots.disparity(pair.disparity, title=pair.name)
    """
    values = _map2d(disparity, "disparity")
    low, high = _limits(values, limits)
    image = disparity_colours(values, (low, high))
    return _map_figure(image, low, high, "turbo", "disparity in pixels", title)


def error_map(disparity: ArrayLike, truth: ArrayLike, *, title: str | None = None) -> Figure:
    """Draw where a disparity map is wrong, and by how much.

    Parameters
    ----------
    disparity, truth : array_like, (H, W)
        Found and true disparities, NaN where unknown.
    title : str, optional
        Text above the map.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import rangemoves as rm
    >>> pair = rm.datasets.synthetic_stereo(shape=(48, 64), labels=12)
    >>> figure = rm.plots.error_map(pair.disparity.round(), pair.disparity)
    """
    image = error_colours(disparity, truth)
    return _map_figure(image, 0.0, _ERROR_RANGE, "inferno", "absolute error in pixels", title)


def energy(
    trace: Iterable[Mapping[str, Any]],
    *,
    against: Literal["seconds", "iteration"] = "seconds",
    title: str | None = None,
) -> Figure:
    """Draw the energy of a run, and its lower bound where known, against time or iteration.

    Parameters
    ----------
    trace : iterable of mappings
        The ``trace`` of a result: each record has ``energy``, ``seconds``, ``iteration`` and,
        where known, ``lower_bound``.
    against : {"seconds", "iteration"}
        The horizontal axis.
    title : str, optional
        Text above the curves.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import rangemoves as rm
    >>> trace = [{"iteration": 1, "seconds": 0.1, "energy": 9.0, "lower_bound": 7.0},
    ...          {"iteration": 2, "seconds": 0.2, "energy": 8.0, "lower_bound": 7.5}]
    >>> figure = rm.plots.energy(trace, against="iteration")
    """
    if against not in ("seconds", "iteration"):
        raise ValueError(
            f"against must be 'seconds' or 'iteration'; found {against!r}; pass one of the two"
        )
    records = list(trace)
    figure = new_figure(6.4, 3.6)
    axes = figure.add_subplot()
    _curve(axes, records, against, "energy", "energy", _ENERGY, "o")
    _curve(axes, records, against, "lower_bound", "lower bound", _BOUND, "^")
    axes.set_xlabel("seconds" if against == "seconds" else "iteration")
    axes.set_ylabel("energy")
    axes.grid(alpha=0.3)
    if against == "iteration":
        ticker = optional_import("matplotlib.ticker", purpose="plotting")
        axes.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    if axes.has_data():
        axes.legend()
    else:
        axes.text(0.5, 0.5, "no iteration was recorded", ha="center", transform=axes.transAxes)
    if title:
        axes.set_title(title)
    return figure


def energies(
    traces: Mapping[str, Iterable[Mapping[str, Any]]], *, title: str | None = None
) -> Figure:
    """Draw the energies of several runs against time, and the highest lower bound below them.

    Parameters
    ----------
    traces : mapping of str to iterable of mappings
        The ``trace`` of each result, by the name of its method. All are of one energy.
    title : str, optional
        Text above the curves.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import numpy as np
    >>> import rangemoves as rm
    >>> unary = np.random.default_rng(0).integers(0, 30, (12, 14, 4))
    >>> energy = rm.Energy(unary, rm.TruncatedLinear(1), 20)
    >>> traces = {name: rm.minimize(energy, name).trace for name in ("gswap", "trws")}
    >>> figure = rm.plots.energies(traces)
    """
    runs = {name: list(trace) for name, trace in traces.items()}
    figure = new_figure(6.4, 3.6)
    axes = figure.add_subplot()
    everything = [record for run in runs.values() for record in run]
    last = max((record["seconds"] for record in everything), default=1.0)
    for number, (name, run) in enumerate(runs.items()):
        points = [(record["seconds"], record["energy"]) for record in run]
        if points:
            # A run that has ended keeps its energy.
            x, y = zip(*points, (last, points[-1][1]), strict=True)
            colour = _SEVERAL[number % len(_SEVERAL)]
            axes.step(x, y, where="post", color=colour, label=name, linewidth=1.6)
    _draw_bound(axes, everything, last)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("seconds")
    axes.set_ylabel("energy")
    axes.grid(alpha=0.3)
    if axes.has_data():
        axes.legend()
    if title:
        axes.set_title(title)
    return figure


def _draw_bound(axes: Axes, records: Sequence[Mapping[str, Any]], last: float) -> None:
    """The highest bound that any run had proved by a time: a bound of one is a bound of all."""
    known = [(r["seconds"], r["lower_bound"]) for r in records if r.get("lower_bound") is not None]
    known = sorted((x, y) for x, y in known if np.isfinite(y))
    if known:
        seconds, bounds = (np.array(part) for part in zip(*known, (last, -np.inf), strict=True))
        highest = np.maximum.accumulate(bounds)
        axes.step(seconds, highest, where="post", color=_BOUND, linestyle="--", label="lower bound")


def _curve(
    axes: Axes,
    records: Sequence[Mapping[str, Any]],
    against: str,
    key: str,
    label: str,
    colour: str,
    marker: str,
) -> None:
    points = [(r[against], r[key]) for r in records if r.get(key) is not None]
    points = [(x, y) for x, y in points if np.isfinite(y)]
    if points:
        x, y = zip(*points, strict=True)
        # Between two records the energy is the earlier one: it falls in steps.
        axes.step(x, y, where="post", label=label, color=colour, marker=marker, markersize=4)


def proof(result: Result, slack: ArrayLike, *, title: str | None = None) -> Figure:
    """Draw where a proof had to work, and how energy and bound came together.

    Left, over the labels in grey: what each pixel adds to the gap between the energy and the bound
    of the messages, and the outlines of the islands that close it. Right: energy and bound against
    time, as distances from the final energy on a scale that is logarithmic beyond 1.

    Parameters
    ----------
    result : Result
        Of a 2-D problem, with a certificate.
    slack : array_like, (H, W)
        ``rm.testing.slack_map(energy, result)``.
    title : str, optional
        Text above the two.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import numpy as np
    >>> import rangemoves as rm
    >>> unary = np.random.default_rng(0).integers(0, 30, (12, 14, 4))
    >>> energy = rm.Energy(unary, rm.TruncatedLinear(1), 20)
    >>> result = rm.minimize(energy, "best", certificate=True)
    >>> figure = rm.plots.proof(result, rm.testing.slack_map(energy, result))
    """
    if result.certificate is None:
        raise ValueError(
            "result must have a certificate; found none; solve with method 'best' and "
            "certificate=True"
        )
    labels, values = _map2d(result.labels, "result.labels"), _map2d(slack, "slack")
    if labels.shape != values.shape:
        raise ValueError(
            f"slack must have the shape of the labels, {labels.shape}; found {values.shape}; pass "
            "rm.testing.slack_map(energy, result)"
        )
    inside = np.zeros(labels.size, dtype=bool)
    for island in result.certificate.islands:
        inside[island.variables] = True
    figure = new_figure(11.0, 4.6)
    where, when = figure.subplots(1, 2, width_ratios=[1, 1.1])
    _draw_slack(figure, where, labels, values, inside.reshape(labels.shape))
    _draw_meeting(when, result)
    if title:
        figure.suptitle(title)
    return figure


def _draw_slack(
    figure: Figure,
    axes: Axes,
    labels: NDArray[np.float64],
    slack: NDArray[np.float64],
    inside: NDArray[np.bool_],
) -> None:
    axes.imshow(labels, cmap="gray", interpolation="nearest")
    axes.set_axis_off()
    if inside.any():
        # Between the pixels, and closed where an island ends at the border of the image.
        framed = np.pad(inside, 1).astype(np.float64)
        rows, columns = (np.arange(-1, n + 1) for n in inside.shape)
        axes.contour(columns, rows, framed, levels=[0.5], colors=_BOUND, linewidths=1.2)
    y, x = np.nonzero(slack > _WORTH_SHOWING * slack.max(initial=0.0))
    order = np.argsort(slack[y, x])  # the largest on top
    points = axes.scatter(x[order], y[order], c=slack[y, x][order], cmap="plasma", s=9)
    axes.set_title(f"slack {slack.sum():.1f} in all; islands outlined", fontsize="medium")
    if x.size:
        figure.colorbar(points, ax=axes, label="slack, in units of the energy", shrink=0.8)


def _draw_meeting(axes: Axes, result: Result) -> None:
    end = result.energy
    for key, label, colour in (
        ("energy", "energy", _ENERGY),
        ("lower_bound", "lower bound", _BOUND),
    ):
        points = [(r.seconds, r[key] - end) for r in result.trace if r[key] is not None]
        if points:
            x, y = zip(*points, strict=True)
            axes.step(x, y, where="post", label=label, color=colour)
    axes.set_yscale("symlog", linthresh=1.0)
    axes.axhline(0.0, color="0.6", linewidth=0.8)
    axes.set_xlabel("seconds")
    axes.set_ylabel(f"distance from {end:,.0f}")
    axes.grid(alpha=0.3)
    if result.trace:
        axes.legend()
