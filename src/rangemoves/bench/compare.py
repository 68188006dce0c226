"""Other people's solvers on the same problems, in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from .._version import __version__
from ..datasets import StereoPair
from ..energy import Energy
from ..machine import own_peak_memory
from ..minimize import minimize
from ..stereo import evaluate, match
from . import peers
from .cell import CompareCell
from .machine import in_short
from .problems import INSTANCES, Instance, Root
from .store import Job, Settings

REPEAT = 3
# Runs longer than this are not repeated: noise is small beside them.
_LONG_SECONDS = 10.0


@dataclass(frozen=True)
class Finding:
    """What one run of a solver gave; ``seconds`` where it kept its own time."""

    energy: float | None = None
    bad1: float | None = None
    seconds: float | None = None


# Takes an instance, the folder of the data and a number of threads, and returns what is timed.
Solve = Callable[[Instance, Root, int], Callable[[], Finding]]

# Other expansions need a metric, so those run on the truncated linear prior.
PRIOR = {"first move": "quadratic", "expansion": "linear", "swap": "quadratic", "stereo": None}


def first_move(engine: Literal["dual", "reference"]) -> Solve:
    """Return the first move of gswap, with its proof."""

    def prepare(instance: Instance, data: Root, threads: int) -> Callable[[], Finding]:
        energy = instance.energy("quadratic", data)

        def solve() -> Finding:
            result = minimize(energy, "gswap", engine=engine, threads=threads, max_iter=1)
            return Finding(energy=result.trace[0].surrogate_energy)

        return solve

    return prepare


def flow(peer: Callable[[Energy], tuple[float, float]]) -> Solve:
    """Return a peer's max-flow on the graph of that move; it keeps its own time."""

    def prepare(instance: Instance, data: Root, threads: int) -> Callable[[], Finding]:
        energy = instance.energy("quadratic", data)

        def solve() -> Finding:
            value, seconds = peer(energy)
            return Finding(energy=value, seconds=seconds)

        return solve

    return prepare


def labelling(prior: str, peer: Callable[[Energy, int], npt.ArrayLike]) -> Solve:
    """Return a solver that gives labels for an energy, with a number of threads."""

    def prepare(instance: Instance, data: Root, threads: int) -> Callable[[], Finding]:
        energy = instance.energy(prior, data)

        def solve() -> Finding:
            labels = np.asarray(peer(energy, threads), dtype=np.int32)
            return Finding(energy=energy(labels.reshape(energy.shape)))

        return solve

    return prepare


def ours(prior: str, method: str) -> Solve:
    """Return a method of this package."""
    return labelling(
        prior, lambda energy, threads: minimize(energy, method, threads=threads).labels
    )


def stereo(peer: Callable[[StereoPair, int], npt.NDArray[np.float64]]) -> Solve:
    """Return a matcher, judged by the true disparities."""

    def prepare(instance: Instance, data: Root, threads: int) -> Callable[[], Finding]:
        pair = instance.pair(data)

        def solve() -> Finding:
            disparity = peer(pair, threads)
            if pair.disparity is None:
                return Finding()
            return Finding(bad1=evaluate(disparity, pair.disparity)["bad1"])

        return solve

    return prepare


# What is compared, with whom; ours first.
SOLVERS: dict[str, dict[str, Solve]] = {
    "first move": {
        "rangemoves dual engine": first_move("dual"),
        "rangemoves reference engine": first_move("reference"),
        "PyMaxflow BK": flow(peers.bk),
        "OR-tools": flow(peers.ortools),
    },
    "expansion": {
        "rangemoves expansion": ours("linear", "expansion"),
        "PyMaxflow aexpansion_grid": labelling("linear", lambda e, _: peers.pymaxflow_expansion(e)),
        "gco expansion": labelling("linear", lambda e, _: peers.gco(e, "expansion")),
    },
    "swap": {
        "rangemoves swap": ours("quadratic", "swap"),
        "gco swap": labelling("quadratic", lambda e, _: peers.gco(e, "swap")),
    },
    "stereo": {
        "rangemoves match": stereo(
            lambda pair, threads: match(pair.left, pair.right, labels=pair.labels, threads=threads)
        ),
        "OpenCV StereoSGBM": stereo(lambda pair, _: peers.opencv(pair)),
    },
}


def plan(
    instances: Sequence[str],
    *,
    data: Root = None,
    repeat: int = REPEAT,
    threads: int = 1,
    seed: int = 0,
) -> list[Job[CompareCell]]:
    """Return the jobs: every solver on every instance.

    Parameters
    ----------
    instances : sequence of str
        Names of ``problems.INSTANCES``.
    data : path-like, optional
        Where the images are; FileNotFoundError names the file that is missing.
    repeat : int
        How often a cell is run; the fastest counts.
    threads, seed : int
        Threads of ours; peers have one.
    """
    jobs = []
    for place, name in enumerate(instances):
        instance = INSTANCES[name]
        pair = instance.pair(data)
        settings = Settings(
            version=__version__,
            problem=instance.identity(pair),
            repeat=repeat,
            threads=threads,
            seed=seed,
        )
        for number, (case, solvers) in enumerate(SOLVERS.items()):
            for rank, solver in enumerate(solvers):
                jobs.append(
                    Job(
                        name=f"{name}-{case}-{solver}".replace(" ", "_"),
                        task="compare",
                        cell=_cell(instance, pair, case, solver, threads, seed),
                        settings=settings,
                        order=(place, number, rank),
                        parameters={"data": None if data is None else str(data)},
                    )
                )
    return jobs


def _cell(
    instance: Instance, pair: StereoPair, case: str, solver: str, threads: int, seed: int
) -> CompareCell:
    return CompareCell(
        case=case,
        problem=instance.name,
        prior=PRIOR[case],
        solver=solver,
        pixels=pair.left.shape[0] * pair.left.shape[1],
        labels=instance.labels,
        T=instance.threshold,
        threads=threads if solver.startswith("rangemoves") else 1,
        seed=seed,
    )


def run(out: Path, job: Job[CompareCell]) -> CompareCell:
    """Run a cell; its memory is what the solver took beyond the problem itself."""
    settings = job.settings
    cell = replace(job.cell, machine=in_short())
    prepare = SOLVERS[cell.case][cell.solver]
    solve = prepare(INSTANCES[str(cell.problem)], job.parameters["data"], settings["threads"])
    before = own_peak_memory()
    try:
        found = _fastest(solve, settings["repeat"])
    except ModuleNotFoundError as error:
        return replace(cell, status="not installed", error=str(error))
    except ValueError as error:
        return replace(cell, status="refused", error=str(error))
    after = own_peak_memory()
    return replace(
        cell,
        status="converged",
        energy=found.energy,
        bad1=found.bad1,
        seconds=found.seconds,
        memory_bytes=None if after is None or before is None else after - before,
    )


def _fastest(solve: Callable[[], Finding], repeat: int) -> Finding:
    runs = []
    for _ in range(repeat):
        begin = time.perf_counter()
        found = solve()
        seconds = time.perf_counter() - begin
        taken = seconds if found.seconds is None else found.seconds
        runs.append((taken, replace(found, seconds=taken)))
        if seconds > _LONG_SECONDS:
            break
    return min(runs, key=lambda run: run[0])[1]


def outcome(cell: CompareCell) -> str:
    """Return in a line how a cell ended."""
    if cell.seconds is None:
        return f"{cell.status}: {cell.error}"
    energy = "" if cell.energy is None else f", energy {cell.energy:.10g}"
    wrong = "" if cell.bad1 is None else f", {cell.bad1:.2f} % wrong"
    return f"{cell.seconds:.3f} s{energy}{wrong}"
