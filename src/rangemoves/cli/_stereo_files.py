"""The files of ``rangemoves stereo``: what a pair consists of, and what is made of it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from .. import io
from ..images import check_valid_pair
from ..stereo import Calibration, StereoMatch, StereoMatcher, depth, point_cloud
from . import _stereo_options as option
from ._common import say
from ._outputs import check_files
from ._tabled import Command, in_place_of
from ._tabled import option as option_named

__all__ = ["PairInputs", "StereoFiles", "read_inputs", "takes_files", "with_limits"]

_FLOATS = (".pfm", ".npy", ".tif", ".tiff")
_SUFFIXES = {
    "output": option.MAP_SUFFIXES,
    "depth": _FLOATS,
    "ply": (".ply",),
    "confidence": (*_FLOATS, ".png"),
    "mask_out": (".png", ".npy"),
    "report": (".html", ".htm"),
    "save_settings": (".toml",),
}


@dataclass(frozen=True)
class StereoFiles:
    """What is to be written, and how."""

    output: Path
    png: option.Png
    scale: float | None
    depth: Path | None
    ply: Path | None
    confidence: Path | None
    mask_out: Path | None
    report: Path | None
    save_settings: Path | None
    force: bool

    def named(self) -> dict[str, Path]:
        """The files by the name of their option."""
        paths = ((name, getattr(self, name)) for name in _SUFFIXES)
        return {name: path for name, path in paths if path is not None}

    def made_of(self, found: StereoMatch) -> dict[str, Path]:
        """Those of them that can be made of a match; after Ctrl-C there is less to be written."""
        lacking = {
            "confidence": found.confidence is None,
            "mask_out": found.consistent is None,
        }
        return {name: path for name, path in self.named().items() if not lacking.get(name)}

    def check(self, matcher: StereoMatcher, inputs: Sequence[Path], goes_on: bool) -> None:
        """Say, before any work is done, whatever keeps a file from being written."""
        files = {
            f"--{name.replace('_', '-')}": (path, _SUFFIXES[name])
            for name, path in self.named().items()
        }
        may_exist = list(self.named().values()) if self.force else [self.output] if goes_on else []
        check_files(files, inputs, may_exist)
        option.check_map(self.output, matcher, self.png, self.scale)
        if self.mask_out is not None and not matcher.left_right:
            raise typer.BadParameter(
                "it is about where both views agree, which --no-left-right leaves out",
                param_hint="--mask-out",
            )

    def write(
        self,
        found: StereoMatch,
        pair: PairInputs,
        matcher: StereoMatcher,
        camera: Calibration | None,
    ) -> None:
        """Write all but the report."""
        place = pair.georeference
        option.write_map(self.output, found.disparity, matcher, self.png, self.scale, place)
        if self.depth is not None and camera is not None:
            option.write_floats(self.depth, depth(found.disparity, camera), place)
        if self.ply is not None and camera is not None:
            colours = pair.left_bytes()
            io.write_ply(
                self.ply, *point_cloud(found.disparity, camera, colours, mask=found.consistent)
            )
        if self.confidence is not None and found.confidence is not None:
            if self.confidence.suffix.lower() == ".png":
                io.write_image(self.confidence, np.rint(255 * found.confidence).astype(np.uint8))
            else:
                option.write_floats(self.confidence, found.confidence, place)
        if self.mask_out is not None and found.consistent is not None:
            if self.mask_out.suffix.lower() == ".png":
                io.write_image(self.mask_out, np.where(found.consistent, 255, 0).astype(np.uint8))
            else:
                buffer = BytesIO()
                np.save(buffer, found.consistent)
                io.write_atomically(self.mask_out, buffer.getvalue())


def takes_files(command: Command) -> Command:
    """Give a command the options below in place of its parameter ``files``."""
    return in_place_of("files", list(_options()), StereoFiles)(command)


def _options() -> Iterator[inspect.Parameter]:
    some_path = Path | None
    yield option_named(
        "output",
        Path,
        inspect.Parameter.empty,
        ".pfm, .npy, .tif, .pgm, or .png for a map in colours.",
        flags=("--output", "-o"),
    )
    yield option_named(
        "png", option.Png, option.Png.colour, "What a .png file is to hold.", flags=("--png",)
    )
    yield option_named("scale", float | None, None, "What to multiply by in an 8-bit .pgm file.", 0)
    yield option_named("depth", some_path, None, "Write depths: .pfm, .npy or .tif.")
    yield option_named(
        "ply", some_path, None, "Write points in colour, where both views agree: .ply."
    )
    yield option_named(
        "confidence", some_path, None, "Write how sure each disparity is, 0 to 1 (.png: to 255)."
    )
    yield option_named("mask_out", some_path, None, "Write where both views agree: .png or .npy.")
    yield option_named("report", some_path, None, "Write a page with all pictures and figures.")
    yield option_named(
        "save_settings", some_path, None, "Write all settings of this run to a .toml file."
    )
    yield option_named("force", bool, False, "Replace existing files.", flags=("--force",))


@dataclass(frozen=True, eq=False)
class PairInputs:
    """A pair as read from files, and what else is known about it.

    Attributes
    ----------
    left, right : numpy.ndarray
        The images.
    mask : numpy.ndarray of bool or None
        Which pixels of the left image are to be used.
    limits : (numpy.ndarray, numpy.ndarray) or None
        The least and the largest disparity of each pixel.
    truth : numpy.ndarray or None
        The true disparities.
    georeference : Georeference or None
        Where the left image lies.
    """

    left: NDArray[Any]
    right: NDArray[Any]
    mask: NDArray[np.bool_] | None = None
    limits: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    truth: NDArray[np.float64] | None = None
    georeference: io.Georeference | None = None

    def left_bytes(self) -> NDArray[np.uint8]:
        """The left image as it is looked at."""
        return check_valid_pair(self.left, self.right).left


def read_inputs(
    left: Path, right: Path, truth: Path | None, truth_scale: float | None
) -> PairInputs:
    """Read a pair and its truth, and hold their sizes against each other."""
    first, place = _read_image(left)
    second, _ = _read_image(right)
    check_valid_pair(first, second)
    inputs = PairInputs(first, second, georeference=place)
    if truth is None:
        return inputs
    expected = io.read_disparity(truth, truth_scale)
    _same_size(expected, first, "--truth", truth)
    if not np.isfinite(expected).any():
        raise ValueError(
            f"{truth} must be known somewhere; found no disparity; check --truth-scale"
        )
    return replace(inputs, truth=expected)


def with_limits(
    inputs: PairInputs, mask: Path | None, low: Path | None, high: Path | None
) -> PairInputs:
    """Read the mask and the range of each pixel, where they are given."""
    shape = inputs.left.shape[:2]
    keep = None
    if mask is not None:
        keep = io.read_mask(mask)
        _same_size(keep, inputs.left, "--mask", mask)
    limits = None
    if low is not None or high is not None:
        unlimited = np.full(shape, np.nan)
        maps = []
        for option_name, path in (("--low", low), ("--high", high)):
            maps.append(unlimited if path is None else io.read_disparity(path))
            if path is not None:
                _same_size(maps[-1], inputs.left, option_name, path)
        limits = maps[0], maps[1]
    return replace(inputs, mask=keep, limits=limits)


def _read_image(path: Path) -> tuple[NDArray[Any], io.Georeference | None]:
    image, place = io.read_placed_image(path)
    if place is None and io.is_geotiff(path):
        say(
            f"the coordinates of {path} are not kept, which needs the package 'rasterio'; "
            "run: pip install 'rangemoves[geo]'"
        )
    return image, place


def _same_size(found: NDArray[Any], image: NDArray[Any], name: str, path: Path) -> None:
    if found.shape != image.shape[:2]:
        raise typer.BadParameter(
            f"{path} must have the size of the images, {image.shape[1]}x{image.shape[0]}; found "
            f"{'x'.join(map(str, found.shape[::-1]))}; pass the one that belongs to the left image",
            param_hint=name,
        )
