"""Pictures of disparities, errors and runs.

``disparity_colours`` and ``error_colours`` turn a map into an RGB image of the same size. The other
functions return a matplotlib figure, and neither show nor save it: they work without a display.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._optional import optional_import
from .labellings import as_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["disparity", "disparity_colours", "energy", "error_colours", "error_map"]

Limits = tuple[float, float]

_UNKNOWN = (60, 60, 60)  # dark grey: in neither colour map
_ERROR_RANGE = 4.0  # pixels; beyond it a match is simply wrong


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
    _curve(axes, records, against, "energy", "energy", "#1f5fa8", "o")
    _curve(axes, records, against, "lower_bound", "lower bound", "#c2571a", "^")
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
