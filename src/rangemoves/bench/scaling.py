"""Time and memory against the number of pixels, of labels, and the threshold T."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from .._version import __version__
from ..datasets import synthetic_stereo
from ..energy import Energy
from ..machine import own_peak_memory
from ..methods import find_method
from ..minimize import minimize
from ..priors import TruncatedQuadratic
from ..stereo import cost_volume
from . import cells, rows
from .cell import ScalingCell, Size
from .machine import in_short
from .store import Job

METHODS = ("gswap", "gswapf", "trws", "expansion")
LABELS, T, WEIGHT = 30, 4, 20

# Pixels of the smallest and of the largest problem; sizes between them grow by equal factors.
SMALLEST, LARGEST = 7_500, 200_000
_STEPS = 5
_MANY_LABELS = (15, 30, 60, 120)
_MANY_THRESHOLDS = (1, 2, 4, 8, 16)
_CASES: tuple[Size, ...] = ("pixels", "labels", "T")


@dataclass(frozen=True)
class _Problem:
    """A problem, and which of its sizes is varied in the series it belongs to."""

    case: Size
    height: int
    width: int
    labels: int = LABELS
    threshold: int = T

    @property
    def pixels(self) -> int:
        return self.height * self.width


def _problems(largest: int) -> Iterator[_Problem]:
    for step in range(_STEPS):
        pixels = SMALLEST * (largest / SMALLEST) ** (step / (_STEPS - 1))
        width = round(math.sqrt(pixels * 4 / 3))
        yield _Problem("pixels", width * 3 // 4, width)
    # 400 columns hold 120 labels; fewer rows where ``largest`` is small.
    for labels in _MANY_LABELS:
        yield _Problem("labels", max(16, min(120, largest // 400)), 400, labels)
    for threshold in _MANY_THRESHOLDS:
        yield _Problem("T", max(16, min(150, largest // 200)), 200, threshold=threshold)


def plan(
    methods: Sequence[str],
    *,
    largest: int = LARGEST,
    time_limit: float | None = None,
    threads: int = 1,
    seed: int = 0,
) -> list[Job[ScalingCell]]:
    """Return the jobs: every method on every size.

    Parameters
    ----------
    methods : sequence of str
        Of ``rows.METHODS``.
    largest : int
        Pixels of the largest problem.
    time_limit : float, optional
        Seconds per cell.
    threads, seed : int
        Threads of each cell; which pair is rendered.
    """
    return [
        _job(problem, method, time_limit, threads, seed)
        for problem in dict.fromkeys(_problems(largest))
        for method in methods
    ]


def _job(
    problem: _Problem, method: str, time_limit: float | None, threads: int, seed: int
) -> Job[ScalingCell]:
    size = f"{problem.height}x{problem.width}x{problem.labels}-T{problem.threshold}"
    return Job(
        name=f"{problem.case}-{size}-{method}",
        task="scaling",
        cell=ScalingCell(
            case=problem.case,
            solver=method,
            pixels=problem.pixels,
            labels=problem.labels,
            T=problem.threshold,
            threads=threads,
            seed=seed,
        ),
        settings={
            "version": __version__,
            "time_limit": time_limit,
            "max_iter": cells.MAX_ITER.get(method),
            "threads": threads,
            "seed": seed,
            "weight": WEIGHT,
        },
        order=(
            _CASES.index(problem.case),
            problem.pixels,
            problem.labels,
            problem.threshold,
            rows.METHODS.index(method),
        ),
        cost=problem.pixels * problem.labels / 1e6,
        limit=time_limit,
        parameters={"shape": [problem.height, problem.width]},
    )


def textured(
    height: int,
    width: int,
    labels: int,
    threshold: int = T,
    searched: int | None = None,
    seed: int = 0,
) -> Energy:
    """Return the energy of a rendered pair of any size.

    Parameters
    ----------
    height, width, labels : int
        Size of the pair, and how many disparities it has.
    threshold : int
        T of the truncated quadratic prior.
    searched : int, optional
        Number of labels of the energy, where it is to have more than the pair needs.
    seed : int
        Which pair is rendered.
    """
    pair = synthetic_stereo(seed, (height, width), labels)
    unary = cost_volume(pair.left, pair.right, searched or labels)
    return Energy(unary, TruncatedQuadratic(threshold), WEIGHT, copy=False)


def run(out: Path, job: Job[ScalingCell]) -> ScalingCell:
    """Run a cell; its memory is what the run took beyond the problem itself."""
    settings = job.settings
    cell = replace(job.cell, machine=in_short())
    height, width = job.parameters["shape"]
    energy = textured(height, width, cell.labels, cell.T, seed=settings["seed"])
    reason = find_method(cell.solver).refusal(energy)
    if reason is not None:
        return replace(cell, status="refused", error=reason)
    before = own_peak_memory()
    begin = time.perf_counter()
    result = minimize(
        energy,
        cell.solver,
        time_limit=settings["time_limit"],
        max_iter=settings["max_iter"],
        threads=settings["threads"],
        seed=settings["seed"],
    )
    seconds = time.perf_counter() - begin
    after = own_peak_memory()
    return replace(
        cell,
        status=result.status,
        energy=result.energy,
        seconds=seconds,
        iterations=result.iterations,
        memory_bytes=None if after is None or before is None else after - before,
    )


def outcome(cell: ScalingCell) -> str:
    """Return in a line how a cell ended."""
    if cell.seconds is None:
        return f"{cell.status}: {cell.error}"
    memory = "" if cell.memory_bytes is None else f", {cell.memory_bytes / 1e6:.0f} MB"
    return f"{cell.seconds:.3f} s{memory}"
