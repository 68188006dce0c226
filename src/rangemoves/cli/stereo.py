"""``rangemoves stereo``: from two images to a disparity map."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape

from .. import io
from ..report import write_report
from ..result import Result, TraceRecord
from ..stereo import StereoMatch, StereoMatcher, evaluate
from ..stereo.streaming import match_in_tiles, pair_of_files
from . import _stereo_options as option
from ._common import (
    check_outputs,
    end_interrupted,
    facts_of,
    print_json,
    progress,
    say,
    solve_and_write,
    with_exit_codes,
)
from ._tiling import Tiling, takes_tiling


@with_exit_codes
@takes_tiling
@option.takes_matcher
def command(
    left: Annotated[
        Path, typer.Argument(help="Left image.", exists=True, dir_okay=False, readable=True)
    ],
    right: Annotated[
        Path, typer.Argument(help="Right image.", exists=True, dir_okay=False, readable=True)
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help=".pfm, .npy, .tif, .pgm, or .png for a map in colours."
        ),
    ],
    matcher: StereoMatcher,
    tiling: Tiling,
    png: option.PngKind = option.Png.colour,
    scale: option.Scale = None,
    truth: Annotated[
        Path | None,
        typer.Option(help="True disparities to compare with.", exists=True, dir_okay=False),
    ] = None,
    truth_scale: option.TruthScale = None,
    report: Annotated[
        Path | None, typer.Option(help="Write a page with all pictures and figures here.")
    ] = None,
    as_json: option.AsJson = False,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
) -> None:
    """Compute the disparity of every pixel of LEFT, the left image of a rectified pair.

    The format of the output goes by its suffix. A .png is a picture in colours; with
    [bold]--png kitti[/bold] it is a map of 16-bit numbers as KITTI wants them.

    With [bold]--tiles auto[/bold] costs are made tile by tile and never exist as a whole; with
    [bold]--resume[/bold] such a run can be killed and started again.

    Example: rangemoves stereo left.png right.png -o disparity.pfm --labels 64 --report report.html
    """
    begin = time.perf_counter()
    option.check_map_name(output, scale, "--output")
    check_outputs([output], "--output", force or tiling.goes_on(output))
    if report is not None:
        check_outputs([report], "--report", force)
    expected = None if truth is None else io.read_disparity(truth, truth_scale)

    def rescue(so_far: Result) -> StereoMatch:
        disparity = so_far.labels.astype(np.float64) + matcher.min_disparity
        return StereoMatch(disparity, so_far, None)

    with progress(escape(f"{left.name}, {right.name}")) as callback:
        found, interrupted = solve_and_write(
            lambda: _match(matcher, tiling, (left, right), output, callback),
            rescue,
            lambda found: option.write_map(output, found.disparity, matcher, png, scale),
        )
    if not interrupted:
        tiling.forget(output)
    scores = None if expected is None else evaluate(found.disparity, expected)
    if report is not None:
        write_report(
            report,
            left=io.read_image(left),
            right=io.read_image(right),
            disparity=found.disparity,
            truth=expected,
            result=found.result,
            parameters={"left": left.name, "right": right.name, **matcher.parameters()},
            title=f"Stereo: {left.name}, {right.name}",
        )
    seconds = time.perf_counter() - begin
    if as_json:
        files = {"output": str(output), "report": None if report is None else str(report)}
        status = "interrupted" if interrupted else found.result.status
        print_json({**_facts(found.result, matcher, scores, seconds), "status": status, **files})
    else:
        _tell(found.result, scores, seconds)
        say(f"wrote {output}" + (f" and {report}" if report else ""))
    if interrupted:
        end_interrupted("the best disparities so far were written")


def _match(
    matcher: StereoMatcher,
    tiling: Tiling,
    files: tuple[Path, Path],
    output: Path,
    callback: Callable[[TraceRecord], bool],
) -> StereoMatch:
    if not tiling:
        return matcher.run(io.read_image(files[0]), io.read_image(files[1]), callback)
    with tiling.arguments(output) as how:
        pair = pair_of_files(*map(str, files))
        return match_in_tiles(matcher, pair, callback=callback, **how)


def _facts(
    result: Result, matcher: StereoMatcher, scores: dict[str, float] | None, seconds: float
) -> dict[str, Any]:
    return {
        **facts_of(result),
        "seconds": seconds,
        "evaluation": None if scores is None else option.finite(scores),
        "parameters": matcher.parameters(),
    }


def _tell(result: Result, scores: dict[str, float] | None, seconds: float) -> None:
    typer.echo(
        f"energy {result.energy:.10g}, {result.status} after {result.iterations} iterations, "
        f"{seconds:.1f} s"
    )
    for name, value in (scores or {}).items():
        typer.echo(f"{name:10} {value:.3f}")
