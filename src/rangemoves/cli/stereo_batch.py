"""``rangemoves stereo-batch``: many pairs, one after the other, resumable."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from .. import io
from ..stereo import StereoMatcher, evaluate
from . import _stereo_options as option
from ._common import FAILED, facts_of, print_json, say, with_exit_codes
from ._pairs import PairFiles, find_pairs


@with_exit_codes
def command(
    folder: Annotated[
        Path, typer.Argument(help="Folder with the pairs.", exists=True, file_okay=False)
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Folder for maps and figures.", file_okay=False),
    ],
    suffix: Annotated[
        str, typer.Option(help="Format of the maps: .pfm, .npy, .tif, .pgm or .png.")
    ] = ".pfm",
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
        str | None,
        typer.Option(help="Name of the true disparities beside each left image: disp2.pgm."),
    ] = None,
    truth_scale: option.TruthScale = None,
    time_limit: option.TimeLimit = None,
    threads: option.Threads = None,
    seed: option.Seed = 0,
    as_json: option.AsJson = False,
    force: Annotated[bool, typer.Option("--force", help="Do finished pairs again.")] = False,
) -> None:
    """Compute disparity maps for all pairs in FOLDER.

    Pairs are found by name: one folder per pair with left and right (or im0 and im1, im2 and im6,
    image_0 and image_1, view1 and view5), two folders left and right with equal names, or files
    NAME_left and NAME_right. Each gives a map OUTPUT/NAME.pfm and figures OUTPUT/NAME.json. Run
    again, only what is missing, failed or was done with other settings is done. A pair that fails
    is reported, and the others go on; the exit code is then 1.

    Example: rangemoves stereo-batch pairs -o maps --labels 64
    """
    option.check_map_name(Path(f"map{suffix}"), scale, "--suffix")
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
    pairs = find_pairs(folder)
    if not pairs:
        raise typer.BadParameter(
            f"{folder} has no pair; see --help for the names that are looked for",
            param_hint="FOLDER",
        )
    output.mkdir(parents=True, exist_ok=True)
    settings = {
        **matcher.parameters(),
        "png": png.value,
        "scale": scale,
        "truth": truth,
        "truth_scale": truth_scale,
    }
    facts: dict[str, Any] = {}
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task("pairs", total=len(pairs))
        for pair in pairs:
            bar.update(task, description=pair.name)
            map_file, facts_file = output / f"{pair.name}{suffix}", output / f"{pair.name}.json"
            stored = None if force else _finished(map_file, facts_file, settings)
            if stored is None:
                stored = _solve(pair, map_file, matcher, settings, png, scale)
                io.write_atomically(facts_file, json.dumps(stored, indent=2).encode())
            facts[pair.name] = stored
            bar.advance(task)
            if not as_json:
                typer.echo(f"{pair.name}: {_line(stored)}")
    failed = [name for name, stored in facts.items() if "error" in stored]
    if as_json:
        print_json({"pairs": facts, "failed": failed})
    say(f"{len(facts) - len(failed)} of {len(facts)} pairs done, {len(failed)} failed")
    if failed:
        raise typer.Exit(FAILED)


def _finished(map_file: Path, facts_file: Path, settings: dict[str, Any]) -> dict[str, Any] | None:
    """What an earlier run found out about a pair, if it can be kept."""
    try:
        stored = json.loads(facts_file.read_bytes())
    except (OSError, ValueError):
        return None
    as_stored = json.loads(json.dumps(settings))
    if not isinstance(stored, dict) or stored.get("parameters") != as_stored:
        return None
    return stored if "error" not in stored and map_file.is_file() else None


def _solve(
    pair: PairFiles,
    map_file: Path,
    matcher: StereoMatcher,
    settings: dict[str, Any],
    png: option.Png,
    scale: float | None,
) -> dict[str, Any]:
    begin = time.perf_counter()
    facts: dict[str, Any] = {"left": str(pair.left), "right": str(pair.right)}
    try:
        found = matcher.run(io.read_image(pair.left), io.read_image(pair.right))
        if settings["truth"] is not None:
            truth = io.read_disparity(
                pair.left.with_name(settings["truth"]), settings["truth_scale"]
            )
            facts["evaluation"] = option.finite(evaluate(found.disparity, truth))
        option.write_map(map_file, found.disparity, matcher, png, scale)
        facts |= {**facts_of(found.result), "output": str(map_file)}
    except (ValueError, TypeError, OverflowError, MemoryError, OSError) as error:
        say(f"{pair.name} failed: {error}")
        facts["error"] = str(error) or type(error).__name__
    return facts | {"seconds": time.perf_counter() - begin, "parameters": settings}


def _line(facts: dict[str, Any]) -> str:
    if "error" in facts:
        return "failed"
    line = f"energy {facts['energy']:.10g}, {facts['seconds']:.1f} s"
    if facts.get("evaluation"):
        line += f", bad1 {facts['evaluation']['bad1']:.2f} %"
    return line
