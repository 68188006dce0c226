"""The options that ``stereo`` and ``stereo-batch`` share, and the matcher they describe."""

from __future__ import annotations

import math
from enum import Enum
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from .. import io, plots
from ..methods import methods
from ..priors import prior_by_name
from ..stereo import StereoMatcher

_DEFAULT_THRESHOLD = 3.0
_WITHOUT_THRESHOLD = ("linear", "quadratic")


class Png(str, Enum):
    """What a file that ends in .png holds."""

    colour = "colour"
    kitti = "kitti"


Labels = Annotated[int, typer.Option(help="Number of disparities to try.", min=1)]
MinDisparity = Annotated[int, typer.Option(help="The smallest of them; may be negative.")]
PriorName = Annotated[
    str,
    typer.Option(
        "--prior",
        help="truncated-linear, truncated-quadratic, cauchy, linear, quadratic or huber.",
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(help=f"T of the prior, where it has one; {_DEFAULT_THRESHOLD:g} by default."),
]
Weight = Annotated[float, typer.Option(help="Of the prior: more is smoother.", min=0)]
MethodName = Annotated[
    str, typer.Option("--method", help="One of: " + ", ".join(m.name for m in methods()) + ".")
]
MaxIter = Annotated[
    int | None,
    typer.Option(help="The most iterations; 20 by default for trws, none for others.", min=0),
]
Subpixel = Annotated[bool, typer.Option(help="Refine to fractions of a pixel.")]
LeftRight = Annotated[
    bool, typer.Option(help="Match the right image too, and find what only one image shows.")
]
Fill = Annotated[bool, typer.Option(help="Fill what only one image shows from the background.")]
TimeLimit = Annotated[float | None, typer.Option(help="Seconds per pair.", min=0)]
Threads = Annotated[int | None, typer.Option(help="By default all cores.", min=1)]
Seed = Annotated[int, typer.Option(help="For everything random.", min=0)]
TruthScale = Annotated[
    float | None,
    typer.Option(help="What the truth's whole numbers are divided by; 8-bit maps need it.", min=0),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]
PngKind = Annotated[Png, typer.Option("--png", help="What a .png file is to hold.")]
Scale = Annotated[
    float | None, typer.Option(help="What to multiply by in an 8-bit .pgm file.", min=0)
]


def make_matcher(
    labels: int,
    min_disparity: int,
    prior: str,
    threshold: float | None,
    weight: float,
    method: str,
    max_iter: int | None,
    subpixel: bool,
    left_right: bool,
    fill: bool,
    time_limit: float | None,
    threads: int | None,
    seed: int,
) -> StereoMatcher:
    """The matcher that the options ask for; wrong ones end in exit code 2."""
    if threshold is None and prior not in _WITHOUT_THRESHOLD:
        threshold = _DEFAULT_THRESHOLD
    try:
        chosen = prior_by_name(prior, threshold)
    except (ValueError, TypeError) as error:
        raise typer.BadParameter(str(error), param_hint="--prior / --threshold") from None
    names = [row.name for row in methods()]
    if method not in names:
        raise typer.BadParameter(
            f"found {method!r}; choose one of {', '.join(names)}", param_hint="--method"
        )
    return StereoMatcher(
        labels=labels,
        min_disparity=min_disparity,
        prior=chosen,
        weight=weight,
        method=method,
        max_iter=max_iter,
        subpixel=subpixel,
        left_right=left_right,
        fill=fill,
        time_limit=time_limit,
        threads=threads,
        seed=seed,
    )


def check_map_name(path: Path, scale: float | None, option: str) -> None:
    """Refuse, before any work is done, a name whose format cannot be written."""
    if path.suffix.lower() not in (".pfm", ".npy", ".tif", ".tiff", ".png", ".pgm"):
        raise typer.BadParameter(
            f"{path} must end in .pfm, .npy, .tif, .png or .pgm", param_hint=option
        )
    if path.suffix.lower() == ".pgm" and not scale:
        raise typer.BadParameter(
            "an 8-bit .pgm file needs a scale, e.g. --scale 4", param_hint="--scale"
        )


def write_map(
    path: Path,
    disparity: NDArray[np.float64],
    matcher: StereoMatcher,
    png: Png,
    scale: float | None,
) -> None:
    """Write a disparity map in the format of its suffix; .png is for looking unless told."""
    if path.suffix.lower() == ".png" and png is Png.colour:
        limits = matcher.min_disparity, matcher.min_disparity + matcher.labels - 1
        io.write_image(path, plots.disparity_colours(disparity, limits))
    else:
        io.write_disparity(path, disparity, scale if path.suffix.lower() == ".pgm" else None)


def finite(scores: dict[str, float]) -> dict[str, float | None]:
    """The same for JSON, which has no NaN."""
    return {name: value if math.isfinite(value) else None for name, value in scores.items()}
