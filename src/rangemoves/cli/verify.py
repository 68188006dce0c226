"""``rangemoves verify``: check what a stored result says, by code that knows no solver."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from ..result import Result
from ..testing import Verification, verify_result
from ._common import FAILED, print_json, say, with_exit_codes
from ._problem_file import energy_of, read_problem


@with_exit_codes
def command(
    problem: Annotated[
        Path,
        typer.Argument(
            help="The .npz file that was solved.", exists=True, dir_okay=False, readable=True
        ),
    ],
    result: Annotated[
        Path,
        typer.Argument(
            help="The .npz file that solve --certificate wrote.",
            exists=True,
            dir_okay=False,
            readable=True,
        ),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the outcome as JSON on standard output.")
    ] = False,
) -> None:
    """Check a result of rangemoves solve --certificate: its energy, its bound, its optimality.

    The energy of the labels and the lower bound are computed anew from PROBLEM and from the
    certificate in RESULT; nothing that the solver said is believed. The exit code is 0 where all
    that RESULT says is true, and 1 where it is not.

    Example: rangemoves verify problem.npz result.npz
    """
    energy = energy_of(read_problem(problem))
    loaded = Result.load(result)
    try:
        found = verify_result(energy, loaded)
    except ValueError as error:
        if as_json:
            print_json({"verified": False, "reason": str(error)})
        say(f"not verified: {error}")
        raise typer.Exit(FAILED) from None
    if as_json:
        print_json(_facts(found))
    else:
        typer.echo(_text(found))


def _facts(found: Verification) -> dict[str, object]:
    numbers = {name: getattr(found, name) for name in ("energy", "lower_bound", "gap")}
    finite = {name: value if math.isfinite(value) else None for name, value in numbers.items()}
    return {"verified": True, "optimal": found.optimal, **finite}


def _text(found: Verification) -> str:
    verdict = "proven optimal" if found.optimal else "not proven optimal"
    return (
        f"Verified: {verdict}\n"
        f"  energy       {found.energy:.12g}\n"
        f"  lower bound  {found.lower_bound:.12g} (gap {found.gap:.2g})"
    )
