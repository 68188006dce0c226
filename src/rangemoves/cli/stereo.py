"""``rangemoves stereo``: from two images to a disparity map."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape

from ..images import check_valid_pair
from ..report import write_report
from ..result import Result, TraceRecord
from ..stereo import Calibration, StereoMatch, StereoMatcher, evaluate
from ..stereo.streamed_pair import pair_of_files
from ..stereo.streaming import match_in_tiles
from . import _stereo_options as option
from ._camera import Camera, takes_camera
from ._common import (
    end_interrupted,
    print_json,
    progress,
    say,
    solve_and_write,
    with_exit_codes,
)
from ._map_figures import about_map, lines_about
from ._settings_file import SettingsFile, write_settings
from ._stereo_files import PairInputs, StereoFiles, read_inputs, takes_files, with_limits
from ._tiling import Tiling, takes_tiling


@with_exit_codes
@takes_camera
@takes_tiling
@option.takes_matcher
@takes_files
def command(
    context: typer.Context,
    left: Annotated[
        Path, typer.Argument(help="Left image.", exists=True, dir_okay=False, readable=True)
    ],
    right: Annotated[
        Path, typer.Argument(help="Right image.", exists=True, dir_okay=False, readable=True)
    ],
    files: StereoFiles,
    matcher: StereoMatcher,
    tiling: Tiling,
    camera: Camera,
    mask: Annotated[
        Path | None,
        typer.Option(help="Image or .npy: 0 where LEFT is not to be used.", exists=True),
    ] = None,
    low: Annotated[
        Path | None, typer.Option(help="Map of the least disparity of each pixel.", exists=True)
    ] = None,
    high: Annotated[
        Path | None, typer.Option(help="Map of the largest disparity of each pixel.", exists=True)
    ] = None,
    truth: Annotated[
        Path | None,
        typer.Option(help="True disparities to compare with.", exists=True, dir_okay=False),
    ] = None,
    truth_scale: option.TruthScale = None,
    settings: SettingsFile = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing but warnings and errors.")
    ] = False,
    as_json: option.AsJson = False,
) -> None:
    """Compute the disparity of every pixel of LEFT, the left image of a rectified pair.

    The format of the output goes by its suffix. A .png is a picture in colours; with
    [bold]--png kitti[/bold] it is a map of 16-bit numbers as KITTI wants them. A GeoTIFF gives
    maps in .tif with its coordinates.

    With [bold]--tiles auto[/bold] costs are made tile by tile and never exist as a whole; with
    [bold]--resume[/bold] such a run can be killed and started again.

    Example: rangemoves stereo left.png right.png -o disparity.pfm --labels 64 --report report.html
    """
    begin = time.perf_counter()
    given = [path for path in (left, right, mask, low, high, truth, settings) if path is not None]
    files.check(matcher, given, tiling.goes_on(files.output))
    calibration = _calibration(camera, files, left)
    pair = with_limits(read_inputs(left, right, truth, truth_scale), mask, low, high)
    job = Job(matcher, tiling, (left, right), (mask, low, high), pair, files)
    job.check()
    with progress(escape(f"{left.name}, {right.name}"), quiet=quiet) as callback:
        found, interrupted = solve_and_write(
            lambda: job.solve(callback),
            job.rescue,
            lambda found: files.write(found, pair, matcher, calibration),
        )
    if not interrupted:
        tiling.forget(files.output)
    scores = None if pair.truth is None else evaluate(found.disparity, pair.truth)
    if files.report is not None:
        job.report(found, files.report)
    if files.save_settings is not None:
        used = option.used_settings(matcher, bool(tiling))
        write_settings(files.save_settings, context, used)
    seconds = time.perf_counter() - begin
    for sentence in found.warnings:
        say(f"warning: {sentence}")
    if as_json:
        status = "interrupted" if interrupted else found.result.status
        written = {name: str(path) for name, path in files.made_of(found).items()}
        facts = _facts(found, matcher, scores, seconds)
        print_json({**facts, "status": status, "report": None, **written})
    elif not quiet:
        for line in lines_about(found, matcher, scores, seconds):
            typer.echo(line)
        say("wrote " + ", ".join(str(path) for path in files.made_of(found).values()))
    if interrupted:
        end_interrupted("the best disparities so far were written")


def _calibration(camera: Camera, files: StereoFiles, left: Path) -> Calibration | None:
    found = camera.calibration(left)
    for name in ("depth", "ply"):
        if getattr(files, name) is not None and found is None:
            raise typer.BadParameter(
                "depths need --calib, or --focal and --baseline", param_hint=f"--{name}"
            )
    return found


@dataclass(frozen=True, eq=False)
class Job:
    """A pair that is to be matched.

    ``names`` are the files of its images, ``about`` those of the mask and the range.
    """

    matcher: StereoMatcher
    tiling: Tiling
    names: tuple[Path, Path]
    about: tuple[Path | None, Path | None, Path | None]
    pair: PairInputs
    files: StereoFiles

    def check(self) -> None:
        """Say, before any work is done, what keeps the pair from being matched."""
        height, width = self.pair.left.shape[:2]
        if self.matcher.labels > width:
            raise typer.BadParameter(
                f"{self.matcher.labels} labels are more than the {width} columns of the images; "
                "pass the largest disparity that can occur, plus 1",
                param_hint="--labels",
            )
        if not self.tiling:
            confidence = self.files.confidence is not None
            self.matcher.check_size((height, width), confidence=confidence)

    def solve(self, callback: Callable[[TraceRecord], bool]) -> StereoMatch:
        """Match the pair; a time limit that left nothing but the start is an error."""
        confidence = self.files.confidence is not None
        if self.tiling:
            with self.tiling.arguments(self.files.output) as how:
                pair = pair_of_files(*self.names, *self.about)
                found = match_in_tiles(
                    self.matcher, pair, confidence=confidence, callback=callback, **how
                )
        else:
            found = self.matcher.run(
                self.pair.left,
                self.pair.right,
                callback,
                mask=self.pair.mask,
                disparity_range=self.pair.limits,
                confidence=confidence,
            )
        if not found.is_solved:
            raise ValueError(
                "the time limit was over before anything was found, and nothing was written; "
                f"raise --time-limit; found {self.matcher.time_limit} s"
            )
        return found

    def rescue(self, so_far: Result) -> StereoMatch:
        """What is known when Ctrl-C arrives."""
        disparity = so_far.labels.astype(np.float64) + self.matcher.min_disparity
        valid = check_valid_pair(self.pair.left, self.pair.right, self.pair.mask).left_valid
        if valid is not None:
            disparity[~valid] = np.nan
        return StereoMatch(disparity, so_far, None)

    def report(self, found: StereoMatch, path: Path) -> None:
        """Write the page with everything."""
        left, right = (name.name for name in self.names)
        write_report(
            path,
            left=np.nan_to_num(self.pair.left),
            right=np.nan_to_num(self.pair.right),
            disparity=found.disparity,
            truth=self.pair.truth,
            result=found.result,
            parameters={"left": left, "right": right, **self.matcher.parameters()},
            title=f"Stereo: {left}, {right}",
        )


def _facts(
    found: StereoMatch,
    matcher: StereoMatcher,
    scores: dict[str, float] | None,
    seconds: float,
) -> dict[str, Any]:
    return {
        "map": about_map(found, matcher),
        "warnings": list(found.warnings),
        **found.result.to_dict(),
        "seconds": seconds,
        "evaluation": None if scores is None else option.finite(scores),
        "parameters": matcher.parameters(),
    }
