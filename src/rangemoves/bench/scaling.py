"""Time and memory against the number of pixels, of labels, and the threshold T."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from .._version import __version__
from ..datasets import synthetic_stereo
from ..energy import Energy
from ..machine import own_peak_memory
from ..methods import find_method
from ..minimize import minimize
from ..priors import TruncatedQuadratic
from ..stereo import cost_volume
from . import cells
from .machine import in_short
from .store import Cell, Job

METHODS = ("gswap", "gswapf", "trws", "expansion")
LABELS, T, WEIGHT = 30, 4, 20

# Pixels of the smallest and of the largest problem; between them equal ratios.
SMALLEST, LARGEST = 7_500, 200_000
_STEPS = 5
_MANY_LABELS = (15, 30, 60, 120)
_MANY_THRESHOLDS = (1, 2, 4, 8, 16)
_CASES = ("pixels", "labels", "T")


def _sizes(largest: int) -> Iterator[tuple[str, tuple[int, int], int, int]]:
    """Case, shape, labels and T of every problem."""
    for step in range(_STEPS):
        pixels = SMALLEST * (largest / SMALLEST) ** (step / (_STEPS - 1))
        width = round(math.sqrt(pixels * 4 / 3))
        yield "pixels", (width * 3 // 4, width), LABELS, T
    # Wide enough for the most labels; lower where less is asked for.
    height = max(16, min(120, largest // 400))
    for labels in _MANY_LABELS:
        yield "labels", (height, 400), labels, T
    for threshold in _MANY_THRESHOLDS:
        yield "T", (max(16, min(150, largest // 200)), 200), LABELS, threshold


def plan(
    methods: Sequence[str],
    *,
    largest: int = LARGEST,
    time_limit: float | None = None,
    threads: int = 1,
    seed: int = 0,
) -> list[Job]:
    """Return the jobs: every method on every size.

    Parameters
    ----------
    methods : sequence of str
        Of ``cells.METHODS``.
    largest : int
        Pixels of the largest problem.
    time_limit : float, optional
        Seconds per cell.
    threads, seed : int
        Threads of each cell; which pair is rendered.
    """
    jobs = []
    for case, shape, labels, threshold in dict.fromkeys(_sizes(largest)):
        for method in methods:
            pixels = shape[0] * shape[1]
            cell: Cell = {
                "case": case,
                "solver": method,
                "pixels": pixels,
                "labels": labels,
                "T": threshold,
                "status": "pending",
                "error": None,
                "energy": None,
                "seconds": None,
                "iterations": None,
                "memory_bytes": None,
                "threads": threads,
                "seed": seed,
                "version": __version__,
                "machine": None,
            }
            jobs.append(
                Job(
                    name=f"{case}-{shape[0]}x{shape[1]}x{labels}-T{threshold}-{method}",
                    task="scaling",
                    cell=cell,
                    settings={
                        "version": __version__,
                        "time_limit": time_limit,
                        "max_iter": cells.MAX_ITER.get(method),
                        "threads": threads,
                        "seed": seed,
                        "weight": WEIGHT,
                    },
                    order=(
                        _CASES.index(case),
                        pixels,
                        labels,
                        threshold,
                        cells.METHODS.index(method),
                    ),
                    cost=pixels * labels / 1e6,
                    limit=time_limit,
                    parameters={"shape": list(shape)},
                )
            )
    return jobs


def run(out: Path, job: Job) -> Cell:
    """Run a cell; its memory is what the run took beyond the problem itself."""
    cell, settings = job.cell, job.settings
    height, width = job.parameters["shape"]
    pair = synthetic_stereo(settings["seed"], (height, width), cell["labels"])
    unary = cost_volume(pair.left, pair.right, cell["labels"])
    energy = Energy(unary, TruncatedQuadratic(cell["T"]), settings["weight"], copy=False)
    facts: Cell = {**cell, "machine": in_short()}
    reason = find_method(cell["solver"]).refusal(energy)
    if reason is not None:
        return {**facts, "status": "refused", "error": reason}
    before = own_peak_memory()
    begin = time.perf_counter()
    result = minimize(
        energy,
        cell["solver"],
        time_limit=settings["time_limit"],
        max_iter=settings["max_iter"],
        threads=settings["threads"],
        seed=settings["seed"],
    )
    seconds = time.perf_counter() - begin
    after = own_peak_memory()
    return {
        **facts,
        "status": result.status,
        "energy": result.energy,
        "seconds": seconds,
        "iterations": result.iterations,
        "memory_bytes": None if after is None or before is None else after - before,
    }


def outcome(cell: Cell) -> str:
    """Return in a line how a cell ended."""
    if cell["seconds"] is None:
        return f"{cell['status']}: {cell['error']}"
    memory = "" if cell["memory_bytes"] is None else f", {cell['memory_bytes'] / 1e6:.0f} MB"
    return f"{cell['seconds']:.3f} s{memory}"
