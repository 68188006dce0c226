"""Let ``best`` prove the optimum of random hard problems whose optimum is known without it.

    PYTHONPATH=tests python -m fuzz.optimum --seed 0 --count 10000
    PYTHONPATH=tests python -m fuzz.optimum --seed 0 --only 1234

No bound may lie above the optimum, nothing may be called optimal that is not, certificates must
hold before a checker that knows nothing of the solver, and small problems must be solved.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from fuzz import solver
from fuzz.checks import DOCUMENTED_WARNINGS, OPTIMAL_ERROR, SUM_ERROR, WIDTHS, Failure, environment
from fuzz.hard_problems import draw_hard_problem
from fuzz.problems import Problem
from fuzz.truth import Truth
from oracles import grid_optimum

import rangemoves as rm

# Up to so many variables a run ends with a proof, and within this time: most take milliseconds.
SMALL, SMALL_SECONDS = 40, 10.0
# For larger ones, which need not be solved.
SECONDS = 1.0


def check_number(seed: int, number: int, verbose: bool = False) -> list[Failure]:
    """Solve problem ``number`` and return everything that is wrong with what is said about it."""
    rng = np.random.default_rng([seed, number])
    problem = draw_hard_problem(rng)
    run = draw_run(rng, problem)
    width = WIDTHS[int(rng.integers(len(WIDTHS)))]
    run["islands"] = "branches" if rng.random() < 0.5 else "auto"
    if verbose:
        options = ", ".join(f"{name}={value!r}" for name, value in run.items())
        print(f"# {problem.tags}, {width}", problem.code(), sep="\n")
        print(f'result = rm.minimize(energy, "best", certificate=True, {options})', flush=True)
    energy = problem.energy()
    judge = Judge(energy, run)
    result = solve(energy, run, width)
    judge.look_at(result)
    if rng.random() < 0.1 and result.status != "time_limit":
        other = WIDTHS[int(rng.integers(len(WIDTHS)))]
        judge.compare(result, solve(energy, {**run, "threads": 3 - run["threads"]}, other))
    if verbose:
        print(f"# the optimum is {judge.optimum!r}", *judge.found, sep="\n# ")
    tags = {**problem.tags, **width}
    size = problem.unary.size
    return [Failure(kind, text, number, "best", size, tags) for kind, text in judge.found]


def draw_run(rng: np.random.Generator, problem: Problem) -> dict[str, Any]:
    """Options of a run."""
    run: dict[str, Any] = {"threads": int(rng.integers(1, 3)), "seed": int(rng.integers(9))}
    if rng.random() < 0.1:
        run["max_iter"] = int(rng.integers(1, 8))
    else:
        small = problem.unary.size // problem.unary.shape[-1] <= SMALL
        run["time_limit"] = SMALL_SECONDS if small else SECONDS
    return run


def solve(energy: rm.Energy, run: dict[str, Any], width: dict[str, str]) -> rm.Result:
    with environment(width), warnings.catch_warnings():
        warnings.simplefilter("error")
        for documented in DOCUMENTED_WARNINGS:
            warnings.simplefilter("ignore", documented)
        return rm.minimize(energy, "best", certificate=True, **run)


def optimum_of(energy: rm.Energy) -> float:
    """By dynamic programming over rows, or by elimination in any other order."""
    if len(energy.shape) == 2 and energy.shape[0] >= energy.shape[1]:
        return grid_optimum(energy)
    return Truth(energy).optimum


class Judge:
    """What is known about a problem, and what was found to be wrong."""

    def __init__(self, energy: rm.Energy, run: dict[str, Any]) -> None:
        self.energy, self.run = energy, run
        # Branches alone may need longer than there is time.
        self.must_end = energy.num_variables <= SMALL and run["islands"] == "auto"
        self.truth, self.optimum = Truth(energy), optimum_of(energy)
        size = max(self.truth.magnitude, abs(self.optimum))
        self.slack = 0.0 if self.truth.exact else SUM_ERROR * size
        self.found: list[tuple[str, str]] = []

    def require(self, condition: Any, kind: str, text: str = "") -> None:
        if not condition:
            self.found.append((kind, text))

    def look_at(self, result: rm.Result) -> None:
        value, optimum = result.energy, self.optimum
        true = self.truth.energy(result.labels)
        self.require(abs(value - true) <= self.slack, "energy", f"{value!r}, but it is {true!r}")
        self.require(
            value >= optimum - self.slack, "energy below the optimum", f"{value!r} < {optimum!r}"
        )
        for bound in (result.lower_bound, *(record.lower_bound for record in result.trace)):
            self._require_bound(bound, "bound above the optimum")
        if result.status == "optimal":
            off = value - optimum
            allowed = 0.0
            if not self.truth.exact:
                allowed = max(OPTIMAL_ERROR * self.truth.magnitude, 2 * result.rounding_error)
            self.require(off <= allowed, "optimal is not", f"{value!r}, not {optimum!r}")
        self._look_at_end(result)
        self._look_at_certificate(result)

    def _look_at_end(self, result: rm.Result) -> None:
        ends = {"optimal"}
        if "max_iter" in self.run:
            ends.add("iteration_limit")
        elif not self.must_end:
            ends.add("time_limit")
        self.require(result.status in ends, f"ends {result.status}", f"gap {result.gap}")

    def _look_at_certificate(self, result: rm.Result) -> None:
        if result.certificate is None:
            self.require(result.status != "optimal", "no certificate", "of what is optimal")
            return
        try:
            proven = rm.testing.check_certificate(self.energy, result)
        except ValueError as error:
            self.found.append(("broken certificate", str(error)))
            return
        self._require_bound(proven, "proven bound above the optimum")

    def _require_bound(self, bound: float | None, kind: str) -> None:
        if bound is not None:
            holds = bound <= self.optimum + self.slack
            self.require(holds, kind, f"{bound!r} > {self.optimum!r}")

    def compare(self, one: rm.Result, other: rm.Result) -> None:
        if other.status == "time_limit":
            return  # where that ends a run depends on the machine
        same = np.array_equal(one.labels, other.labels)
        for name in ("energy", "lower_bound", "status", "iterations"):
            same = same and getattr(one, name) == getattr(other, name)
        self.require(same, "threads or vectors change the answer", f"{one!r} and {other!r}")


def main() -> int:
    return solver.main(check_number, "optimum", __doc__, 10_000, "fuzz-optimum")


if __name__ == "__main__":
    sys.exit(main())
