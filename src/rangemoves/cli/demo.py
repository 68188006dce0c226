"""``rangemoves demo``: from two images to a report, on a pair that the package renders itself."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from .. import datasets, plots, stereo
from ..energy import Energy
from ..errors import Interrupted
from ..io import write_atomically, write_image, write_ply
from ..minimize import minimize
from ..priors import TruncatedQuadratic
from ..report import write_report
from ..result import Result
from ._common import end_interrupted, print_json, progress, say, with_exit_codes
from ._outputs import check_outputs

# The energy on which methods are compared: simple costs, and a prior of the paper.
THRESHOLD = 2
WEIGHT = 12
PAPER = ("gswap", "gswapf")
SECONDS = 5.0  # for the method that goes on for as long as it may
PICTURES = ("left.png", "right.png", "disparity.png", "error.png", "cloud.png", "energy.png")
FILES = (*PICTURES, "cloud.ply", "report.html")


@with_exit_codes
def command(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder to write to.", file_okay=False)
    ] = Path("demo-output"),
    seed: Annotated[int, typer.Option(help="Chooses the scene.", min=0)] = 0,
    threads: Annotated[int | None, typer.Option(help="By default all cores.", min=1)] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the results as JSON on standard output.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
) -> None:
    """Match a synthetic stereo pair, compare methods on it, and write pictures and a report.

    Example: rangemoves demo --output demo-output --seed 3
    """
    output.mkdir(parents=True, exist_ok=True)
    check_outputs([output / name for name in FILES], "--output", force)
    pair = datasets.synthetic_stereo(seed=seed)
    shown = Demo(pair, seed, threads)
    found, interrupted = shown.match()
    results: dict[str, Result] = {}
    if not interrupted:
        results, interrupted = shown.compare()
    shown.write(output, found, results)
    scores = shown.scores(found.disparity)
    if as_json:
        facts = {name: result.to_dict() for name, result in results.items()}
        match = {**found.result.to_dict(), "scores": scores}
        print_json({"match": match, "results": facts, "report": str(output / "report.html")})
    else:
        typer.echo(f"{pair!r}")
        typer.echo(f"{found!r}")
        typer.echo(
            f"more than a pixel off: {scores['bad1']:.2f} % of all pixels, "
            f"{scores['bad1_noc']:.2f} % of those that both images show"
        )
        for line in _lines(results):
            typer.echo(line)
        say(f"open {output / 'report.html'} to see the result")
    if interrupted:
        end_interrupted("what was found so far was written")


def _lines(results: dict[str, Result]) -> list[str]:
    """A line per method, the lowest energy first."""
    bounds = [result.lower_bound for result in results.values() if result.lower_bound is not None]
    if not bounds:
        return []
    bound = max(bounds)
    lines = [f"one simpler energy, several methods; no labelling is below {bound:.10g}:"]
    for name, result in sorted(results.items(), key=lambda pair: pair[1].energy):
        above = 100 * (result.energy - bound) / abs(bound) if bound else 0.0
        lines.append(
            f"  {name:8} energy {result.energy:.10g}, {above:.2f} % above, {result.seconds:.1f} s"
        )
    return lines


@dataclass(frozen=True, eq=False)
class Demo:
    """A scene whose truth is known, and what is done with it."""

    pair: datasets.StereoPair
    seed: int
    threads: int | None

    @property
    def truth(self) -> NDArray[np.float64]:
        assert self.pair.disparity is not None  # a rendered pair knows its disparities
        return self.pair.disparity

    def match(self) -> tuple[stereo.StereoMatch, bool]:
        """The disparities as the library gives them, and whether Ctrl-C came."""
        matcher = stereo.StereoMatcher(labels=self.pair.labels, threads=self.threads)
        with progress("match") as callback:
            try:
                return matcher.run(self.pair.left, self.pair.right, callback), False
            except Interrupted as stopped:
                labels = stopped.result.labels.astype(np.float64)
                return stereo.StereoMatch(labels, stopped.result, None), True

    def compare(self) -> tuple[dict[str, Result], bool]:
        """What each method makes of one energy, and whether Ctrl-C ended the last of them."""
        unary = stereo.cost_volume(self.pair.left, self.pair.right, self.pair.labels)
        energy = Energy(unary, TruncatedQuadratic(THRESHOLD), WEIGHT, copy=False)
        runs: list[dict[str, Any]] = [{}, {"method": "best", "time_limit": SECONDS}]
        runs += [{"method": name} for name in PAPER]
        results: dict[str, Result] = {}
        for run in runs:
            if run.get("method") in results:
                continue
            with progress(run.get("method", "the default method")) as callback:
                try:
                    result = minimize(energy, callback=callback, threads=self.threads, **run)
                except Interrupted as stopped:
                    return {**results, stopped.result.method: stopped.result}, True
            results[result.method] = result
        return results, False

    def scores(self, disparity: NDArray[np.float64]) -> dict[str, float]:
        """How good a map is."""
        return stereo.evaluate(disparity, self.truth, self.pair.mask)

    def cloud(self, found: stereo.StereoMatch) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
        """Points in the colours of the disparity, lit by the image."""
        lit = 0.55 + 0.45 * self.pair.left.mean(axis=2, keepdims=True) / 128
        colours = np.clip(plots.disparity_colours(found.disparity) * lit, 0, 255).astype(np.uint8)
        width = self.pair.left.shape[1]
        # A scene has no metres: these cameras make it about as deep as it is wide.
        camera = stereo.Calibration(focal=width, baseline=1, doffs=0.6 * self.pair.labels)
        points, shades = stereo.point_cloud(found.disparity, camera, colours, mask=found.consistent)
        assert shades is not None  # colours were given
        return points, shades

    def write(self, output: Path, found: stereo.StereoMatch, results: dict[str, Result]) -> None:
        """Write the pictures, the cloud and the report."""
        pair, disparity = self.pair, found.disparity
        limits = (0.0, float(pair.labels - 1))
        points, colours = self.cloud(found)
        picture = plots.cloud_colours(points, colours, pair.left.shape[:2])
        write_image(output / "left.png", pair.left)
        write_image(output / "right.png", pair.right)
        write_image(output / "disparity.png", plots.disparity_colours(disparity, limits))
        write_image(output / "error.png", plots.error_colours(disparity, self.truth))
        write_image(output / "cloud.png", picture)
        write_ply(output / "cloud.ply", points, colours)
        traces = {name: result.trace for name, result in results.items()}
        curve = io.BytesIO()
        plots.energies(traces or {"match": found.result.trace}).savefig(curve, format="png")
        write_atomically(output / "energy.png", curve.getvalue())
        write_report(
            output / "report.html",
            left=pair.left,
            right=pair.right,
            disparity=disparity,
            truth=self.truth,
            mask=pair.mask,
            result=found.result,
            pictures={"Points in space, seen from aside": picture},
            parameters={"scene": pair.name, "labels": pair.labels, "seed": self.seed},
            title=f"rangemoves demo: {pair.name}",
        )
