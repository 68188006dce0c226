"""Other people's solvers on the same problems, in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .._version import __version__
from ..energy import Energy
from ..machine import own_peak_memory
from ..minimize import minimize
from ..stereo import evaluate, match
from . import peers
from .machine import in_short
from .problems import INSTANCES, Instance, Root
from .store import Cell, Job

REPEAT = 3
# What takes longer than that is not repeated: its time says enough.
_LONG_SECONDS = 10.0

Solve = Callable[[Instance, Root, int], Callable[[], dict[str, Any]]]

# Expansions of others insist on a metric, so there the prior is the truncated linear one.
PRIOR = {"first move": "quadratic", "expansion": "linear", "swap": "quadratic", "stereo": None}


def _first_move(engine: str) -> Solve:
    """The first move of gswap, with its proof."""

    def prepare(instance: Instance, data: Root, threads: int) -> Callable[[], dict[str, Any]]:
        energy = instance.energy("quadratic", data)

        def solve() -> dict[str, Any]:
            result = minimize(energy, "gswap", engine=engine, threads=threads, max_iter=1)
            return {"energy": result.trace[0].surrogate_energy}

        return solve

    return prepare


def _flow(peer: Callable[[Energy], tuple[float, float]]) -> Solve:
    """A peer's max-flow on the graph of that move; it keeps its own time."""

    def prepare(instance: Instance, data: Root, threads: int) -> Callable[[], dict[str, Any]]:
        energy = instance.energy("quadratic", data)

        def solve() -> dict[str, Any]:
            value, seconds = peer(energy)
            return {"energy": value, "seconds": seconds}

        return solve

    return prepare


def _labelling(prior: str, peer: Callable[[Energy, int], npt.ArrayLike]) -> Solve:
    def prepare(instance: Instance, data: Root, threads: int) -> Callable[[], dict[str, Any]]:
        energy = instance.energy(prior, data)

        def solve() -> dict[str, Any]:
            labels = np.asarray(peer(energy, threads), dtype=np.int32)
            return {"energy": energy(labels.reshape(energy.shape))}

        return solve

    return prepare


def _ours(prior: str, method: str) -> Solve:
    return _labelling(
        prior, lambda energy, threads: minimize(energy, method, threads=threads).labels
    )


def _stereo(peer: Callable[[Any, int], npt.NDArray[np.float64]]) -> Solve:
    def prepare(instance: Instance, data: Root, threads: int) -> Callable[[], dict[str, Any]]:
        pair = instance.pair(data)

        def solve() -> dict[str, Any]:
            disparity = peer(pair, threads)
            if pair.disparity is None:
                return {}
            return {"bad1": evaluate(disparity, pair.disparity)["bad1"]}

        return solve

    return prepare


# What is compared, with whom; ours first.
SOLVERS: dict[str, dict[str, Solve]] = {
    "first move": {
        "rangemoves dual engine": _first_move("dual"),
        "rangemoves reference engine": _first_move("reference"),
        "PyMaxflow BK": _flow(peers.bk),
        "OR-tools": _flow(peers.ortools),
    },
    "expansion": {
        "rangemoves expansion": _ours("linear", "expansion"),
        "PyMaxflow aexpansion_grid": _labelling(
            "linear", lambda e, _: peers.pymaxflow_expansion(e)
        ),
        "gco expansion": _labelling("linear", lambda e, _: peers.gco(e, "expansion")),
    },
    "swap": {
        "rangemoves swap": _ours("quadratic", "swap"),
        "gco swap": _labelling("quadratic", lambda e, _: peers.gco(e, "swap")),
    },
    "stereo": {
        "rangemoves match": _stereo(
            lambda pair, threads: match(pair.left, pair.right, labels=pair.labels, threads=threads)
        ),
        "OpenCV StereoSGBM": _stereo(lambda pair, _: peers.opencv(pair)),
    },
}


def plan(
    instances: Sequence[str],
    *,
    data: Root = None,
    repeat: int = REPEAT,
    threads: int = 1,
    seed: int = 0,
) -> list[Job]:
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
        identity, left = instance.identity(pair), pair.left
        for number, (case, solvers) in enumerate(SOLVERS.items()):
            for rank, solver in enumerate(solvers):
                cell: Cell = {
                    "case": case,
                    "problem": name,
                    "prior": PRIOR[case],
                    "solver": solver,
                    "pixels": left.shape[0] * left.shape[1],
                    "labels": instance.labels,
                    "T": instance.threshold,
                    "status": "pending",
                    "error": None,
                    "energy": None,
                    "bad1": None,
                    "seconds": None,
                    "memory_bytes": None,
                    "threads": threads if solver.startswith("rangemoves") else 1,
                    "seed": seed,
                    "version": __version__,
                    "machine": None,
                }
                jobs.append(
                    Job(
                        name=f"{name}-{case}-{solver}".replace(" ", "_"),
                        task="compare",
                        cell=cell,
                        settings={
                            "version": __version__,
                            "problem": identity,
                            "repeat": repeat,
                            "threads": threads,
                            "seed": seed,
                        },
                        order=(place, number, rank),
                        parameters={"data": None if data is None else str(data)},
                    )
                )
    return jobs


def run(out: Path, job: Job) -> Cell:
    """Run a cell; its memory is what the solver took beyond the problem itself."""
    cell, settings = job.cell, job.settings
    facts: Cell = {**cell, "machine": in_short()}
    prepare = SOLVERS[cell["case"]][cell["solver"]]
    solve = prepare(INSTANCES[cell["problem"]], job.parameters["data"], settings["threads"])
    before = own_peak_memory()
    fastest: dict[str, Any] = {}
    try:
        for _ in range(settings["repeat"]):
            begin = time.perf_counter()
            found = solve()
            found.setdefault("seconds", time.perf_counter() - begin)
            if not fastest or found["seconds"] < fastest["seconds"]:
                fastest = found
            if time.perf_counter() - begin > _LONG_SECONDS:
                break
    except ModuleNotFoundError as error:
        return {**facts, "status": "not installed", "error": str(error)}
    except ValueError as error:
        return {**facts, "status": "refused", "error": str(error)}
    after = own_peak_memory()
    memory = None if after is None or before is None else after - before
    return {**facts, **fastest, "status": "converged", "memory_bytes": memory}


def outcome(cell: Cell) -> str:
    """Return in a line how a cell ended."""
    if cell["seconds"] is None:
        return f"{cell['status']}: {cell['error']}"
    energy = "" if cell["energy"] is None else f", energy {cell['energy']:.10g}"
    wrong = "" if cell["bad1"] is None else f", {cell['bad1']:.2f} % wrong"
    return f"{cell['seconds']:.3f} s{energy}{wrong}"
