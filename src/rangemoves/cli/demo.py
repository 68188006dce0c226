"""``rangemoves demo``: from two images to a report, on a pair that the package renders itself."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from .. import datasets, plots, stereo
from ..energy import Energy
from ..errors import Interrupted
from ..io import write_atomically, write_image
from ..minimize import minimize
from ..priors import TruncatedQuadratic
from ..report import write_report
from ..result import Result
from ._common import (
    end_interrupted,
    facts_of,
    print_json,
    progress,
    say,
    with_exit_codes,
)
from ._outputs import check_outputs

METHODS = ("gswap", "gswapf")
THRESHOLD = 2
WEIGHT = 12
FILES = ("left.png", "right.png", "disparity.png", "error.png", "energy.png", "report.html")


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
    """Solve a synthetic stereo pair and write pictures and a report.

    Example: rangemoves demo --output demo-output --seed 3
    """
    output.mkdir(parents=True, exist_ok=True)
    check_outputs([output / name for name in FILES], "--output", force)
    pair = datasets.synthetic_stereo(seed=seed)
    assert pair.disparity is not None  # a rendered pair knows its disparities
    unary = stereo.cost_volume(pair.left, pair.right, pair.labels)
    energy = Energy(unary, TruncatedQuadratic(THRESHOLD), WEIGHT, copy=False)

    results, interrupted = _solve(energy, threads)
    scores = {
        method: stereo.evaluate(result.labels, pair.disparity, pair.mask)
        for method, result in results.items()
    }
    best = min(results.values(), key=lambda result: result.energy)
    _write(output, pair, energy, best, seed)
    if as_json:
        facts = {name: {**facts_of(results[name]), "scores": scores[name]} for name in results}
        print_json({"results": facts, "report": str(output / "report.html")})
    else:
        typer.echo(f"{pair!r}, {energy.prior!r}, weight {WEIGHT}")
        for name, result in results.items():
            typer.echo(
                f"{name:8} energy {result.energy:.10g}, {result.iterations} iterations, "
                f"{result.seconds:.1f} s, {scores[name]['bad1']:.1f} % of pixels more than 1 off"
            )
        say(f"open {output / 'report.html'} to see the result")
    if interrupted:
        end_interrupted("the best labelling so far was written")


def _solve(energy: Energy, threads: int | None) -> tuple[dict[str, Result], bool]:
    """Return the result of each method, and whether Ctrl-C ended the last of them."""
    results: dict[str, Result] = {}
    for method in METHODS:
        with progress(method) as callback:
            try:
                results[method] = minimize(energy, method, callback=callback, threads=threads)
            except Interrupted as interruption:
                results[method] = interruption.result
                return results, True
    return results, False


def _write(
    output: Path, pair: datasets.StereoPair, energy: Energy, best: Result, seed: int
) -> None:
    """Write the pictures and the report."""
    assert pair.disparity is not None  # a rendered pair knows its disparities
    disparity = best.labels.astype(np.float64)
    limits = (0.0, float(pair.labels - 1))
    write_image(output / "left.png", pair.left)
    write_image(output / "right.png", pair.right)
    write_image(output / "disparity.png", plots.disparity_colours(disparity, limits))
    write_image(output / "error.png", plots.error_colours(disparity, pair.disparity))
    curve = io.BytesIO()
    plots.energy(best.trace, against="iteration", title=best.method).savefig(curve, format="png")
    write_atomically(output / "energy.png", curve.getvalue())
    write_report(
        output / "report.html",
        left=pair.left,
        right=pair.right,
        disparity=disparity,
        truth=pair.disparity,
        mask=pair.mask,
        result=best,
        parameters={
            "method": best.method,
            "prior": energy.prior,
            "weight": WEIGHT,
            "labels": pair.labels,
            "seed": seed,
        },
        title=f"rangemoves demo: {pair.name}",
    )
