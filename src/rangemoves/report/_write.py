"""One HTML file that shows a stereo result: everything inlined, nothing fetched."""

from __future__ import annotations

import html
import io
import os
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import plots
from ..images import check_pair
from ..io import write_atomically
from ..labellings import as_map
from ..stereo import evaluate
from .markup import figure, fill, png_uri, svg_uri, table


class Run(Protocol):
    """What a report shows of a run; the result of ``rangemoves.minimize`` has all of it."""

    @property
    def energy(self) -> float: ...
    @property
    def lower_bound(self) -> float | None: ...
    @property
    def gap(self) -> float | None: ...
    @property
    def status(self) -> str: ...
    @property
    def iterations(self) -> int: ...
    @property
    def trace(self) -> Iterable[Mapping[str, Any]]: ...


def write_report(
    path: str | os.PathLike[str],
    *,
    left: ArrayLike,
    right: ArrayLike,
    disparity: ArrayLike,
    truth: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    result: Run | None = None,
    parameters: Mapping[str, object] | None = None,
    pictures: Mapping[str, NDArray[np.uint8]] | None = None,
    title: str = "Stereo result",
) -> None:
    """Write a stereo result as one HTML page that opens without a network.

    The page has both images, the disparity in colour with a slider between it and the left image,
    the error map where the truth is known, energy and lower bound against time, the figures of the
    run and of the evaluation, the parameters, and the version of this package.

    Parameters
    ----------
    path : path-like
        Where to write; the file appears only when it is complete.
    left, right : array_like of uint8, uint16 or real, (H, W), (H, W, 3) or (H, W, 4)
        The images.
    disparity : array_like, (H, W)
        Disparity of the left image, NaN where unknown.
    truth : array_like, (H, W), optional
        True disparities, NaN where unknown.
    mask : array_like of bool, (H, W), optional
        Pixels visible in both images, for the evaluation.
    result : Result, optional
        What ``rangemoves.minimize`` returned; its trace is drawn.
    parameters : mapping, optional
        Names and values to print.
    pictures : mapping of str to ndarray of uint8, (H, W, 3), optional
        Further pictures, by the words below them.
    title : str
        Heading of the page.

    Examples
    --------
    >>> import tempfile
    >>> import rangemoves as rm
    >>> pair = rm.datasets.synthetic_stereo(shape=(48, 64), labels=12)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rm.report.write_report(f"{folder}/report.html", left=pair.left, right=pair.right,
    ...                            disparity=pair.disparity.round(), truth=pair.disparity)
    """
    found = as_map(disparity)
    expected = None if truth is None else np.asarray(truth, dtype=np.float64)
    first, second = check_pair(left, right)
    if found.shape != first.shape[:2]:
        raise ValueError(
            f"disparity must have the height and width of left, {first.shape[:2]}; "
            f"found shape {found.shape}; pass the disparity of the left image"
        )

    limits = _shared_limits(found, expected)
    coloured = png_uri(plots.disparity_colours(found, limits))
    left_uri = png_uri(first)
    figures = [
        figure(left_uri, "Left image"),
        figure(png_uri(second), "Right image"),
        figure(coloured, "Disparity of the left image: blue is far, red is near"),
    ]
    tables = [table("Run", _run_figures(result))] if result is not None else []
    height, width = found.shape
    headline = f"{width} x {height} pixels"
    if expected is not None:
        scores = evaluate(found, expected, mask)
        figures += _comparison(found, expected, limits)
        tables.append(table("Evaluation", {key: f"{value:.3f}" for key, value in scores.items()}))
        headline += f"; {scores['bad1']:.2f} % of the known pixels are off by more than one pixel"
    figures += [figure(png_uri(image), words) for words, image in (pictures or {}).items()]
    if parameters:
        tables.append(table("Parameters", parameters))
    page = fill(
        __package__,
        "page",
        title=title,
        headline=html.escape(headline),
        width=width,
        height=height,
        left=left_uri,
        disparity=coloured,
        ramp=png_uri(plots.disparity_colours(np.linspace(0, 1, 256)[None, :])),
        lowest=f"{limits[0]:.4g}",
        highest=f"{limits[1]:.4g}",
        pictures="\n".join(figures),
        energy=_energy_chart(result),
        tables="\n".join(tables),
    )
    write_atomically(path, page.encode())


def _comparison(
    found: NDArray[np.float64], expected: NDArray[np.float64], limits: tuple[float, float]
) -> list[str]:
    """The truth in the colours of the disparity, and where both differ."""
    return [
        figure(png_uri(plots.disparity_colours(expected, limits)), "True disparity"),
        figure(
            png_uri(plots.error_colours(found, expected)),
            "Error: black is right, pale yellow is 4 pixels off or more, grey has no truth",
        ),
    ]


def _shared_limits(
    found: NDArray[np.float64], expected: NDArray[np.float64] | None
) -> tuple[float, float]:
    """One colour means one disparity in both maps, so the truth rules where there is one."""
    values = found if expected is None else expected
    known = values[np.isfinite(values)]
    return (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)


def _run_figures(result: Run) -> dict[str, str]:
    trace = list(result.trace)
    unknown = "not known"
    return {
        "energy": f"{result.energy:,.6g}" if abs(result.energy) < 1e5 else f"{result.energy:,.1f}",
        "lower bound": unknown if result.lower_bound is None else f"{result.lower_bound:,.1f}",
        "gap": unknown if result.gap is None else f"{100 * result.gap:.4f} %",
        "status": result.status,
        "iterations": str(result.iterations),
        "seconds": f"{trace[-1]['seconds']:.2f}" if trace else "0",
    }


def _energy_chart(result: Run | None) -> str:
    trace = [] if result is None else list(result.trace)
    if not trace:
        return "<p>No iteration was recorded.</p>"
    buffer = io.BytesIO()
    plots.energy(trace).savefig(buffer, format="svg", metadata={"Date": None})
    text = (
        f"Energy {trace[0]['energy']:,.1f} after iteration 1, "
        f"{trace[-1]['energy']:,.1f} after iteration {len(trace)}"
    )
    return f'<div class="chart">{figure(svg_uri(buffer.getvalue()), text)}</div>'
