"""The options that ``stereo`` and ``stereo-batch`` share, and the matcher they describe."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from .. import io, plots
from ..methods import methods
from ..priors import prior_by_name
from ..stereo import StereoMatcher
from ..stereo.settings import default_prior, settings
from ._tabled import in_place_of, option

# The library has no default for the number of labels; the command line does.
_LABELS = 64
_PRIORS = "truncated-linear, truncated-quadratic, cauchy, linear, quadratic or huber"
_WITHOUT_THRESHOLD = ("linear", "quadratic")

MAP_SUFFIXES = (".pfm", ".npy", ".tif", ".tiff", ".png", ".pgm")


class Png(str, Enum):
    """What a file that ends in .png holds."""

    colour = "colour"
    kitti = "kitti"


TruthScale = Annotated[
    float | None,
    typer.Option(help="What the truth's whole numbers are divided by; 8-bit maps need it.", min=0),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]
PngKind = Annotated[Png, typer.Option("--png", help="What a .png file is to hold.")]
Scale = Annotated[
    float | None, typer.Option(help="What to multiply by in an 8-bit .pgm file.", min=0)
]


def takes_matcher(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a matcher in place of its parameter ``matcher``."""
    return in_place_of("matcher", list(_options()), _matcher)(command)


def _options() -> Iterator[inspect.Parameter]:
    """Yield an option per setting; the prior, an object in the library, has a name and a T."""
    for setting in settings():
        if setting.name == "prior":
            words = "T of the prior, where it has one; by default a tenth of the labels, 3 to 16."
            yield option("prior", str, default_prior(_LABELS).name, f"{_PRIORS}.")
            yield option("threshold", float | None, None, words)
        elif setting.name == "method":
            names = ", ".join(row.name for row in methods())
            yield option("method", str, setting.default, f"One of: {names}.")
        else:
            default = _LABELS if setting.name == "labels" else setting.default
            yield option(setting.name, setting.type, default, setting.help, setting.minimum)


def _matcher(prior: str, threshold: float | None, method: str, **others: Any) -> StereoMatcher:
    """The matcher that the options ask for; wrong ones end in exit code 2."""
    usual = default_prior(others["labels"])
    chosen = None
    try:
        if threshold is not None or prior != usual.name:
            if threshold is None and prior not in _WITHOUT_THRESHOLD:
                threshold = usual.threshold
            chosen = prior_by_name(prior, threshold)
    except (ValueError, TypeError) as error:
        raise typer.BadParameter(str(error), param_hint="--prior / --threshold") from None
    names = [row.name for row in methods()]
    if method not in names:
        raise typer.BadParameter(
            f"found {method!r}; choose one of {', '.join(names)}", param_hint="--method"
        )
    return StereoMatcher(prior=chosen, method=method, **others)


def used_settings(matcher: StereoMatcher, tiled: bool = False) -> dict[str, Any]:
    """What a matcher takes for options that may be left out."""
    known = matcher.parameters()
    return {
        "threshold": getattr(matcher.prior_used, "threshold", None),
        "weight": known.get("weight"),
        "max_iter": None if tiled else known.get("max_iter"),
    }


def check_map(
    path: Path, matcher: StereoMatcher, png: Png, scale: float | None, hint: str = "--output"
) -> None:
    """Refuse, before any work is done, a map whose format cannot hold what may come out."""
    suffix = path.suffix.lower()
    if suffix not in MAP_SUFFIXES:
        raise typer.BadParameter(
            f"{path} must end in .pfm, .npy, .tif, .png or .pgm", param_hint=hint
        )
    if suffix == ".pgm" and not scale:
        raise typer.BadParameter(
            "an 8-bit .pgm file needs a scale, e.g. --scale 4", param_hint="--scale"
        )
    first, last = matcher.min_disparity, matcher.min_disparity + matcher.labels - 1
    whole_numbers = suffix == ".pgm" or (suffix == ".png" and png is Png.kitti)
    if whole_numbers and first < 0:
        raise typer.BadParameter(
            f"{path} cannot hold negative disparities, which --min-disparity {first} allows; "
            "use .pfm, .tif or .npy",
            param_hint=hint,
        )
    factor, largest = (scale or 1.0, 255) if suffix == ".pgm" else (256.0, 65535)
    if whole_numbers and last * factor > largest:
        helps = "use .pfm, .tif or .npy"
        if suffix == ".pgm":
            helps = f"pass --scale {math.floor(100 * largest / last) / 100:g} or less, or {helps}"
        raise typer.BadParameter(
            f"{path} holds disparities up to {largest / factor:g}, and {matcher.labels} labels go "
            f"up to {last}; {helps}",
            param_hint=hint,
        )


def write_map(
    path: Path,
    disparity: NDArray[np.float64],
    matcher: StereoMatcher,
    png: Png,
    scale: float | None,
    place: io.Georeference | None = None,
) -> None:
    """Write a disparity map in the format of its suffix; .png is for looking unless told."""
    suffix = path.suffix.lower()
    if suffix == ".png" and png is Png.colour:
        limits = matcher.min_disparity, matcher.min_disparity + matcher.labels - 1
        io.write_image(path, plots.disparity_colours(disparity, limits))
    elif suffix in (".pgm", ".png"):
        io.write_disparity(path, disparity, scale if suffix == ".pgm" else None)
    else:
        write_floats(path, disparity, place)


def write_floats(
    path: Path, values: NDArray[np.float64], place: io.Georeference | None = None
) -> None:
    """Write a map of real numbers; in TIFF with its place on Earth, where it has one."""
    if place is not None and path.suffix.lower() in (".tif", ".tiff"):
        io.write_geotiff(path, values, place)
    else:
        io.write_disparity(path, values)


def finite(scores: dict[str, float]) -> dict[str, float | None]:
    """The same for JSON, which has no NaN."""
    return {name: value if math.isfinite(value) else None for name, value in scores.items()}
