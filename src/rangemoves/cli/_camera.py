"""The options that say what a pair of cameras measures with."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import typer

from ..stereo import Calibration, read_calibration
from ._tabled import Command, in_place_of, option

__all__ = ["Camera", "takes_camera"]

# Folders of KITTI's images in colour, which have cameras of their own.
_COLOUR = ("image_2", "image_02", "image_3", "image_03")


@dataclass(frozen=True)
class Camera:
    """What was given."""

    calib: Path | None
    focal: float | None
    baseline: float | None

    def calibration(self, left: Path) -> Calibration | None:
        """What a pair was taken with, or None where nothing was said.

        Parameters
        ----------
        left : Path
            The left image, whose name tells which of KITTI's cameras took it.
        """
        if self.calib is not None:
            if self.focal is not None or self.baseline is not None:
                raise typer.BadParameter(
                    "pass either a calibration file or focal length and baseline",
                    param_hint="--calib",
                )
            colour = any(name in (left.stem, *left.parts) for name in _COLOUR)
            return read_calibration(self.calib, (2, 3) if colour else (0, 1))
        if self.focal is None and self.baseline is None:
            return None
        if self.focal is None or self.baseline is None:
            missing = "--focal" if self.focal is None else "--baseline"
            raise typer.BadParameter(
                "focal length and baseline belong together; pass both", param_hint=missing
            )
        return Calibration(self.focal, self.baseline)


def takes_camera(command: Command) -> Command:
    """Give a command the options below in place of its parameter ``camera``."""
    return in_place_of("camera", list(_options()), Camera)(command)


def _options() -> Iterator[inspect.Parameter]:
    yield option(
        "calib",
        Path | None,
        None,
        "Calibration file of KITTI or Middlebury, for --depth and --ply.",
        exists=True,
        dir_okay=False,
    )
    yield option("focal", float | None, None, "Focal length in pixels, in place of a file.", 0)
    yield option("baseline", float | None, None, "Distance of the cameras; depth has its unit.", 0)
