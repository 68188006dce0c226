"""``rangemoves solve``: minimise an energy that is stored in a file."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape

from ..io import write_atomically
from ..methods import methods
from ..minimize import minimize
from ..result import Result, TraceRecord
from ._common import (
    end_interrupted,
    print_json,
    progress,
    say,
    solve_and_write,
    with_exit_codes,
)
from ._method_options import takes_method_options
from ._outputs import check_outputs
from ._problem_file import energy_of, read_problem
from ._tiling import Tiling, takes_tiling
from ._zarr_problem import solve_zarr

Callback = Callable[[TraceRecord], bool]


@with_exit_codes
@takes_tiling
@takes_method_options("options")
def command(
    problem: Annotated[
        Path, typer.Argument(help="The .npz file, or a zarr group.", exists=True, readable=True)
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help=".npy or .zarr for labels, .npz for the result."),
    ],
    tiling: Tiling,
    method: Annotated[
        str,
        typer.Option(
            help="One of: " + ", ".join(m.name for m in methods()) + "; by default auto, "
            "which chooses by the prior where a zarr group is solved tile by tile, too."
        ),
    ] = "auto",
    init: Annotated[
        str | None,
        typer.Option(help='"zero", "argmin" or "expansion"; overrides init in the file.'),
    ] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds.", min=0)] = None,
    max_iter: Annotated[int | None, typer.Option(help="The most iterations.", min=0)] = None,
    threads: Annotated[int | None, typer.Option(help="By default all cores.", min=1)] = None,
    seed: Annotated[int, typer.Option(help="For everything random.", min=0)] = 0,
    certificate: Annotated[
        bool,
        typer.Option(
            "--certificate",
            help="Store what the bound of best rests on, for rangemoves verify; .npz only.",
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON on standard output.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing output.")] = False,
    *,
    options: dict[str, Any],
) -> None:
    """Minimise the energy in PROBLEM and write the labels.

    The file holds [bold]unary[/bold] (H, W, L), [bold]prior[/bold] (a name), [bold]threshold[/bold]
    where the prior has one (or prior "table" with the values in [bold]table[/bold]),
    [bold]weights[/bold] or one array per axis [bold]weights_0[/bold], [bold]weights_1[/bold], ..,
    and optionally [bold]edges[/bold] (E, 2), [bold]connectivity[/bold], [bold]mask[/bold],
    [bold]offsets[/bold] or offsets_0, offsets_1, .., and [bold]init[/bold].
    Several priors: [bold]prior[/bold] and [bold]threshold[/bold] are rows (NaN for no threshold),
    the values of a table k are in [bold]table_k[/bold], and [bold]prior_index[/bold] or
    prior_index_0, prior_index_1, .. says which edge has which.

    A zarr group has arrays [bold]unary[/bold], weights_0, weights_1, .., mask and table, and
    attributes [bold]prior[/bold], threshold, weights and connectivity; it is solved tile by tile,
    and the labels can go to a .zarr array.

    Example: rangemoves solve problem.npz -o labels.npy --method gswapf --time-limit 60
    """
    in_zarr = problem.is_dir()
    others = {"init": init, "max_iter": max_iter, "certificate": certificate or None, **options}
    _check_use(in_zarr, output, tiling, others)
    if certificate and output.suffix != ".npz":
        raise typer.BadParameter(
            f"--certificate needs an output that ends in .npz; found {output}",
            param_hint="--output",
        )
    _check_output(output, force or tiling.goes_on(output))
    limits = {"time_limit": time_limit, "threads": threads, "seed": seed}
    run: Callable[[Callback], Result]
    if in_zarr:

        def run(callback: Callback) -> Result:
            return solve_zarr(problem, method, tiling, output, callback, **limits)
    else:
        arrays = read_problem(problem)
        energy = energy_of(arrays)
        start: Any = init if init is not None else arrays.get("init")

        def run(callback: Callback) -> Result:
            how = {**limits, **options, "max_iter": max_iter, "certificate": certificate}
            return minimize(energy, method, init=start, callback=callback, **how)

    with progress(escape(f"{method} on {problem.name}"), max_iter) as callback:
        result, interrupted = solve_and_write(
            lambda: run(callback),
            lambda so_far: so_far,
            lambda found: _write(output, found),
        )
    if not interrupted:
        tiling.forget(output)
    if as_json:
        print_json({**result.to_dict(), "output": str(output)})
    else:
        typer.echo(repr(result))
        say(f"wrote {output}")
    if interrupted:
        end_interrupted("the best labelling so far was written")


def _check_use(in_zarr: bool, output: Path, tiling: Tiling, others: dict[str, Any]) -> None:
    """Refuse, before any work is done, what a problem of this kind cannot have."""
    suffixes = (".npy", ".npz", ".zarr") if in_zarr else (".npy", ".npz")
    if output.suffix not in suffixes:
        words = " or ".join([", ".join(suffixes[:-1]), suffixes[-1]])
        raise typer.BadParameter(f"{output} must end in {words}", param_hint="--output")
    if not in_zarr and tiling:
        raise typer.BadParameter(
            "is for problems in zarr; an .npz file is read as a whole", param_hint="--tiles"
        )
    given = [name for name, value in others.items() if value is not None]
    if in_zarr and given:
        raise typer.BadParameter(
            "is not for problems in zarr, which are solved tile by tile",
            param_hint="--" + given[0].replace("_", "-"),
        )


def _check_output(output: Path, force: bool) -> None:
    if output.suffix == ".zarr" and output.is_dir() and force:
        return  # a zarr array is a folder
    check_outputs([output], "--output", force)


def _write(path: Path, result: Result) -> None:
    if path.suffix == ".zarr":
        return  # labels went there box by box
    if path.suffix == ".npz":
        result.save(path)
        return
    stored = io.BytesIO()
    np.save(stored, result.labels, allow_pickle=False)
    write_atomically(path, stored.getvalue())
