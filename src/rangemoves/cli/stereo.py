"""``rangemoves stereo``: from two images to a disparity map."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.markup import escape

from .. import io
from ..report import write_report
from ..stereo import StereoMatch, evaluate
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


@with_exit_codes
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
    labels: option.Labels = 64,
    min_disparity: option.MinDisparity = 0,
    prior: option.PriorName = "truncated-linear",
    threshold: option.Threshold = None,
    weight: option.Weight = 32,
    method: option.MethodName = "trws",
    max_iter: option.MaxIter = None,
    subpixel: option.Subpixel = True,
    left_right: option.LeftRight = True,
    fill: option.Fill = True,
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
    time_limit: option.TimeLimit = None,
    threads: option.Threads = None,
    seed: option.Seed = 0,
    as_json: option.AsJson = False,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
) -> None:
    """Compute the disparity of every pixel of LEFT, the left image of a rectified pair.

    The format of the output goes by its suffix. A .png is a picture in colours; with
    [bold]--png kitti[/bold] it is a map of 16-bit numbers as KITTI wants them.

    Example: rangemoves stereo left.png right.png -o disparity.pfm --labels 64 --report report.html
    """
    begin = time.perf_counter()
    option.check_map_name(output, scale, "--output")
    check_outputs([output], "--output", force)
    if report is not None:
        check_outputs([report], "--report", force)
    matcher = option.make_matcher(
        labels,
        min_disparity,
        prior,
        threshold,
        weight,
        method,
        max_iter,
        subpixel,
        left_right,
        fill,
        time_limit,
        threads,
        seed,
    )
    images = io.read_image(left), io.read_image(right)
    expected = None if truth is None else io.read_disparity(truth, truth_scale)
    with progress(escape(f"{left.name}, {right.name}")) as callback:
        found, interrupted = solve_and_write(
            lambda: matcher.run(*images, callback),
            lambda so_far: StereoMatch(
                so_far.labels.astype(np.float64) + min_disparity, so_far, None
            ),
            lambda found: option.write_map(output, found.disparity, matcher, png, scale),
        )
    disparity, result = found.disparity, found.result
    scores = None if expected is None else evaluate(disparity, expected)
    if report is not None:
        write_report(
            report,
            left=images[0],
            right=images[1],
            disparity=disparity,
            truth=expected,
            result=result,
            parameters={"left": left.name, "right": right.name, **matcher.parameters()},
            title=f"Stereo: {left.name}, {right.name}",
        )
    seconds = time.perf_counter() - begin
    if as_json:
        print_json(
            {
                **facts_of(result),
                "status": "interrupted" if interrupted else result.status,
                "seconds": seconds,
                "evaluation": None if scores is None else option.finite(scores),
                "parameters": matcher.parameters(),
                "output": str(output),
                "report": None if report is None else str(report),
            }
        )
    else:
        typer.echo(
            f"energy {result.energy:.10g}, {result.status} after {result.iterations} iterations, "
            f"{seconds:.1f} s"
        )
        for name, value in (scores or {}).items():
            typer.echo(f"{name:10} {value:.3f}")
        say(f"wrote {output}" + (f" and {report}" if report else ""))
    if interrupted:
        end_interrupted("the best disparities so far were written")
