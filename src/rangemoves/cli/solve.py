"""``rangemoves solve``: minimise an energy that is stored in a file."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer
from rich.markup import escape

from ..energy import Energy
from ..io import write_atomically
from ..io.arrays import read_npz
from ..methods import methods
from ..minimize import minimize
from ..priors import Prior, TablePrior, prior_by_name
from ..result import Result
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
from ._method_options import takes_method_options

Arrays = dict[str, npt.NDArray[Any]]


@with_exit_codes
@takes_method_options("options")
def command(
    problem: Annotated[
        Path, typer.Argument(help="The .npz file.", exists=True, dir_okay=False, readable=True)
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help=".npy for the labels, .npz for the whole result."),
    ],
    method: Annotated[
        str, typer.Option(help="One of: " + ", ".join(m.name for m in methods()) + ".")
    ] = "gswap",
    init: Annotated[
        str | None,
        typer.Option(help='"zero", "argmin" or "expansion"; overrides init in the file.'),
    ] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds.", min=0)] = None,
    max_iter: Annotated[int | None, typer.Option(help="The most iterations.", min=0)] = None,
    threads: Annotated[int | None, typer.Option(help="By default all cores.", min=1)] = None,
    seed: Annotated[int, typer.Option(help="For everything random.", min=0)] = 0,
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

    Example: rangemoves solve problem.npz -o labels.npy --method gswapf --time-limit 60
    """
    if output.suffix not in (".npy", ".npz"):
        raise typer.BadParameter(f"{output} must end in .npy or .npz", param_hint="--output")
    check_outputs([output], "--output", force)
    arrays = read_npz(problem, "an .npz file of plain arrays")
    energy = _energy(arrays)
    start: Any = init if init is not None else arrays.get("init")
    with progress(escape(f"{method} on {problem.name}"), max_iter) as callback:
        result, interrupted = solve_and_write(
            lambda: minimize(
                energy,
                method,
                init=start,
                callback=callback,
                time_limit=time_limit,
                max_iter=max_iter,
                threads=threads,
                seed=seed,
                **options,
            ),
            lambda so_far: so_far,
            lambda found: _write(output, found),
        )
    if as_json:
        print_json({**facts_of(result), "output": str(output)})
    else:
        typer.echo(repr(result))
        say(f"wrote {output}")
    if interrupted:
        end_interrupted("the best labelling so far was written")


def _energy(arrays: Arrays) -> Energy:
    known = (
        r"unary|prior|threshold|table(_\d+)?|(weights|offsets|prior_index)(_\d+)?|edges|"
        r"connectivity|mask|init"
    )
    unknown = [name for name in arrays if not re.fullmatch(known, name)]
    if unknown:
        raise ValueError(
            f"the problem has an entry {unknown[0]!r} that means nothing; expected unary, prior, "
            "threshold, table, weights, weights_0, weights_1, .., offsets, prior_index, edges, "
            "connectivity, mask, init"
        )
    for name in ("unary", "prior"):
        if name not in arrays:
            found = ", ".join(sorted(arrays)) or "nothing"
            raise ValueError(f"the problem must have an entry {name!r}; found {found}")
    return Energy(
        arrays["unary"],
        _prior(arrays),
        _per_axis(arrays, "weights", 1),
        prior_index=_per_axis(arrays, "prior_index", None),
        offsets=_per_axis(arrays, "offsets", None),
        mask=arrays.get("mask"),
        edges=arrays.get("edges"),
        connectivity=_single(arrays, "connectivity", "iu", "an integer"),
        copy=False,
    )


def _prior(arrays: Arrays) -> Prior | list[Prior]:
    if arrays["prior"].ndim == 1:
        return _priors(arrays)
    name = _single(arrays, "prior", "U", "the name of a prior")
    if name == "table":
        if "table" not in arrays:
            raise ValueError("a problem with prior 'table' must have its values in 'table'")
        return TablePrior(arrays["table"])
    return prior_by_name(name, _single(arrays, "threshold", "iuf", "a number"))


def _priors(arrays: Arrays) -> list[Prior]:
    """Several priors: a row of names, and a row of thresholds with NaN for those without."""
    names = arrays["prior"]
    thresholds = arrays.get("threshold", np.full(names.shape, np.nan))
    if names.dtype.kind != "U" or thresholds.shape != names.shape or names.size == 0:
        raise ValueError(
            "'prior' and 'threshold' of the problem must be rows of as many names and numbers; "
            f"found {names.dtype} of shape {names.shape} and {thresholds.dtype} of shape "
            f"{thresholds.shape}"
        )
    if thresholds.dtype.kind not in "iuf":
        raise ValueError(f"'threshold' of the problem must be numbers; found {thresholds.dtype}")
    priors: list[Prior] = []
    for k, (name, threshold) in enumerate(zip(names.tolist(), thresholds.tolist(), strict=True)):
        if name != "table":
            priors.append(prior_by_name(name, None if np.isnan(threshold) else threshold))
        elif f"table_{k}" in arrays:
            priors.append(TablePrior(arrays[f"table_{k}"]))
        else:
            raise ValueError(f"a problem whose prior {k} is 'table' must have 'table_{k}'")
    return priors


def _single(arrays: Arrays, name: str, kinds: str, what: str) -> Any:
    """Return an entry that is one value, or None where there is none."""
    if name not in arrays:
        return None
    entry = arrays[name]
    if entry.ndim != 0 or entry.dtype.kind not in kinds:
        raise ValueError(
            f"{name!r} of the problem must be {what}; found {entry.dtype} of shape {entry.shape}; "
            "store a single value"
        )
    return entry.item()


def _per_axis(arrays: Arrays, name: str, default: Any) -> Any:
    """Return an entry that is one array, or one per axis."""
    per_axis = [entry for entry in arrays if re.fullmatch(rf"{name}_\d+", entry)]
    if not per_axis:
        return arrays.get(name, default)
    expected = [f"{name}_{axis}" for axis in range(len(per_axis))]
    if name in arrays or sorted(per_axis) != sorted(expected):
        raise ValueError(
            f"the problem must have either {name} or {name}_0, {name}_1, ..; found "
            + ", ".join(sorted(entry for entry in arrays if entry.startswith(name)))
        )
    return [arrays[entry] for entry in expected]


def _write(path: Path, result: Result) -> None:
    if path.suffix == ".npz":
        result.save(path)
        return
    stored = io.BytesIO()
    np.save(stored, result.labels, allow_pickle=False)
    write_atomically(path, stored.getvalue())
