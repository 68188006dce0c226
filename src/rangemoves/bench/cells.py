"""One cell of the paper's tables: an instance, a prior and a row, run in a process of its own.

The row "E" is alpha-expansion going up through the labels, as ``init="expansion"`` does; rows
"E+method" start from what it found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .._version import __version__
from ..energy import Energy
from ..errors import as_choice
from ..machine import own_peak_memory
from ..methods import find_method
from ..minimize import minimize
from ..result import Result
from . import paper
from .cell import PaperCell
from .limits import USUAL, TimeLimits
from .machine import in_short
from .problems import INSTANCES, PRIORS, Instance, Root
from .rows import (
    AS_WRITTEN,
    FROM_STARTS,
    OURS,
    RANGE_SWAPS,
    ROWS,
    as_written,
    base_of,
    method_of,
    needed_by,
    options_of,
    start_of,
    starts_late,
)
from .single_precision import energy_in_single_precision
from .store import Job, Settings

# Iterations; all other methods run until nothing improves, as in the paper.
MAX_ITER = {"trws": 100}

# Left out unless asked for: far slower than all other cells.
SLOW = {("kitti-000070", row) for row in ("rexp", "E+rexp")}

# About how many seconds a row takes per million (pixel, label) pairs, the median of what it took on
# Tsukuba, Venus, Sawtooth, Teddy and Cones, or a little more: the longest jobs start first.
_SECONDS = {
    "expansion": 0.6,
    "swap": 1.1,
    "rswap": 1.5,
    "rswape": 1.2,
    "rexp": 8.0,
    "trws": 0.3,
    "irgc": 0.4,
    "irgc+expansion": 1.5,
    "gswap": 0.35,
    "gswap-chord": 2.0,
    "gswapf": 0.15,
    "E+rswap": 0.1,
    "E+rswape": 0.1,
    "E+rexp": 6.0,
    "E+irgc": 0.6,
    "E+gswap": 0.3,
    "E+gswapf": 0.6,
    "auto": 1.0,
}
# More labels are more ranges, and more rounds until a swap of any of them gains nothing: the rates
# of range swaps are those of 20 labels, and grow with the square of their number.
_USUAL_LABELS = 20


def plan(
    instances: Sequence[str],
    priors: Sequence[str],
    rows: Sequence[str] | None = None,
    *,
    data: Root = None,
    limits: TimeLimits = USUAL,
    threads: int = 1,
    seed: int = 0,
    commit: str | None = None,
    with_slow: bool = False,
    with_written: bool = False,
    with_starts: bool = False,
    options: Mapping[str, Any] | None = None,
) -> list[Job[PaperCell]]:
    """Return the jobs of a run; FileNotFoundError names the file that an instance lacks.

    Parameters
    ----------
    instances, priors : sequence of str
        Names of ``problems.INSTANCES`` and ``problems.PRIORS``.
    rows : sequence of str, optional
        Which rows; by default those that the paper has under the prior, and ours. Where a row
        starts from alpha-expansion, that is run too.
    data : path-like, optional
        Where the images are.
    limits : TimeLimits
        Seconds for each cell.
    threads, seed : int
        For each cell.
    commit : str, optional
        Of the source; cells of another one are run again.
    with_slow : bool
        Whether to run range expansion on the largest instance too. By name it always is.
    with_written : bool
        Whether to run each row also as the paper has it, as a row of its own.
    with_starts : bool
        Whether to run gswap from other starts, too.
    options : mapping, optional
        For all methods that take them.
    """
    jobs: dict[str, Job[PaperCell]] = {}
    for name in instances:
        instance = INSTANCES[as_choice(name, "instance", INSTANCES)]
        pair = instance.pair(data)
        millions = pair.left.shape[0] * pair.left.shape[1] * instance.labels / 1e6
        settings = Settings(
            version=__version__, problem=instance.identity(pair), threads=threads, seed=seed
        )
        if commit is not None:
            settings["commit"] = commit
        for prior in priors:
            as_choice(prior, "prior", PRIORS)
            wanted = _rows(name, prior, rows, with_slow)
            written = with_written and not limits.is_short(instance, millions)
            for row in _with_others(wanted, with_written=written, with_starts=with_starts):
                own: Settings = {
                    **settings,
                    "time_limit": limits.of(instance, millions, row),
                    "options": options_of(row, options or {}),
                }
                job = _job(instance, prior, row, own, data, millions)
                jobs[job.name] = job
    return list(jobs.values())


def _rows(instance: str, prior: str, wanted: Sequence[str] | None, with_slow: bool) -> set[str]:
    if wanted is None:
        chosen = {*paper.rows_of(prior), *OURS}
        if not with_slow:
            chosen -= {row for its, row in SLOW if its == instance}
    else:
        chosen = {as_choice(row, "row", ROWS) for row in wanted}
    return chosen


def _with_others(chosen: set[str], *, with_written: bool, with_starts: bool) -> list[str]:
    """Return rows in order, with those that go with them and those that they need."""
    rows = set(chosen)
    if with_written:
        rows.update(as_written(chosen))
    if with_starts:
        rows.update(("gswap", "E+gswap", *FROM_STARTS))
    needed = {needed_by(row) for row in rows}
    return [row for row in ROWS if row in rows or row in needed]


def name_of(instance: str, prior: str, row: str) -> str:
    """Return the name of a cell's files."""
    return f"{instance}-{prior}-{row}"


def _tier(instance: Instance, row: str) -> int:
    """The paper's own methods first, then all that can be compared with it, then the rest."""
    if instance.own or row in FROM_STARTS or (row in OURS and row != "best"):
        return 3
    if base_of(row) in ("gswap", "gswapf", *RANGE_SWAPS):
        return 0
    return 2 if starts_late(row) or method_of(row) == "rexp" else 1


def _job(
    problem: Instance, prior: str, row: str, settings: Settings, data: Root, millions: float
) -> Job[PaperCell]:
    method, limit, needs = method_of(row), settings["time_limit"], needed_by(row)
    printed = paper.figures().get((problem.name, prior, row.removesuffix(AS_WRITTEN)))
    cell = PaperCell(
        instance=problem.name,
        own=problem.own,
        prior=prior,
        row=row,
        method=method,
        start=start_of(row),
        threads=settings["threads"],
        seed=settings["seed"],
        paper_energy=printed.energy if printed else None,
        paper_seconds=printed.seconds if printed else None,
    )
    guess = millions * _rate(row, problem.labels)
    if row == "best" and limit is not None:
        guess = limit
    return Job(
        name=name_of(problem.name, prior, row),
        task="paper",
        cell=cell,
        settings={**settings, "max_iter": MAX_ITER.get(method)},
        order=(list(INSTANCES).index(problem.name), list(PRIORS).index(prior), ROWS.index(row)),
        tier=_tier(problem, row),
        cost=guess if limit is None else min(guess, limit),
        limit=limit,
        needs=None if needs is None else name_of(problem.name, prior, needs),
        parameters={"data": None if data is None else str(data)},
    )


def _rate(row: str, labels: int) -> float:
    names = (row, base_of(row), method_of(row))
    rate = next((_SECONDS[name] for name in names if name in _SECONDS), 10.0)
    return rate * (labels / _USUAL_LABELS) ** 2 if method_of(row) in RANGE_SWAPS else rate


def run(out: Path, job: Job[PaperCell]) -> PaperCell:
    """Run a cell; its labelling and trace go to ``cells/NAME.npz``."""
    settings = job.settings
    cell = replace(job.cell, machine=in_short())
    energy = INSTANCES[cell.instance].energy(cell.prior, job.parameters["data"])
    reason = find_method(cell.method).refusal(energy)
    if reason is not None:
        return replace(cell, status="refused", error=reason)
    start = None if job.needs is None else Result.load(out / "cells" / f"{job.needs}.npz")
    result = minimize(
        energy,
        cell.method,
        init=_start(cell, energy) if start is None else start,
        time_limit=settings["time_limit"],
        max_iter=settings["max_iter"],
        threads=settings["threads"],
        seed=settings["seed"],
        **settings["options"],
    )
    stored = f"cells/{job.name}.npz"
    result.save(out / stored)
    before = 0.0 if start is None else start.seconds
    return replace(
        cell,
        status=result.status,
        energy=result.energy,
        single_energy=_single_energy(cell, energy, result),
        lower_bound=result.lower_bound,
        seconds=result.seconds + before,
        start_seconds=before,
        iterations=result.iterations,
        memory_bytes=own_peak_memory(),
        threads=result.threads,
        proven=result.proven,
        result=stored,
    )


def _single_energy(cell: PaperCell, energy: Energy, result: Result) -> float | None:
    """Where it may differ from the energy and stand beside the paper's figure."""
    if cell.own or not cell.row.endswith(AS_WRITTEN) or float(result.energy).is_integer():
        return None
    return energy_in_single_precision(energy, result.labels)


def _start(cell: PaperCell, energy: Energy) -> str | npt.NDArray[np.int64]:
    """What a cell starts from that needs no other."""
    if cell.start != "random":
        return cell.start
    return np.random.default_rng(cell.seed).integers(0, energy.num_labels, energy.shape)


def outcome(cell: PaperCell) -> str:
    """Return in a line how a cell ended."""
    if cell.energy is None or cell.seconds is None:
        return f"{cell.status}: {cell.error}" if cell.error else cell.status
    bound = "" if cell.lower_bound is None else f", bound {cell.lower_bound:.10g}"
    return f"energy {cell.energy:.10g}{bound}, {cell.status}, {cell.seconds:.1f} s"
