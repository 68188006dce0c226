"""Every promise about a result, checked against what is known without a solver."""

from __future__ import annotations

import itertools
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from fuzz.problems import Problem, draw_problem
from fuzz.truth import Truth

import rangemoves as rm
from rangemoves import _core
from rangemoves.active_set import active_set
from rangemoves.convexify import convex_range, convexify
from rangemoves.fixed_point.edge_costs import MOST_PRODUCTS

# How vector code can be run: each instruction set this machine has, and each width without any.
# Of the environment: what decides how the core does its work, and never what it finds.
VARIABLES = ("RANGEMOVES_SIMD", "RANGEMOVES_LANES")
WIDTHS = [{"RANGEMOVES_SIMD": level} for level in _core.simd_levels()]
WIDTHS += [{"RANGEMOVES_LANES": str(lanes)} for lanes in (4, 8, 16, 32)]
if os.environ.get("RANGEMOVES_LANES"):
    WIDTHS = [{"RANGEMOVES_LANES": os.environ["RANGEMOVES_LANES"]}]

METHODS = {method.name: method for method in rm.methods()}
# Types of costs that the core reads as they are, and one that is always copied.
TYPES = [np.int32, np.uint8, np.int16, np.uint16, np.int64]
INTEGERS = {"extend": [0, 1, 2, 9], "width": [1, 2, 5, 100]}
SOLVE_CONVEX_PRIORS = ("auto", "ishikawa", "gswap", "gswapf", "irgc", "irgc+expansion")

# Warnings that the documentation announces; none so far.
DOCUMENTED_WARNINGS = (rm.PrecisionWarning,)

# Errors of float64 sums, of energies and bounds, and what "optimal" may be off by; all relative to
# the size of the costs that matter.
SUM_ERROR = 1e-12
OPTIMAL_ERROR = 1e-9
OPTIMAL_GAP = 1e-6

# One problem in so many is a grid of some hundred variables.
MIDDLE = 100

# Branches alone take time that grows exponentially where priors push labels apart. Larger problems
# for them, with a limit of time, are those of fuzz.optimum.
MOST_FOR_BRANCHES = 12

# On large grids: a cut of rexp over all labels takes minutes where costs are noise.
MOST_LARGE_WIDTH = 5

# Enumerating the surrogate of a move takes longer than anything else here.
MOST_FOR_SURROGATE = 800


def is_allowed_refusal(error: Exception, problem: Problem, truth: Truth | None) -> bool:
    """Which refusals are fine: all of them in this one place."""
    text = str(error)
    largest = 0.0
    if truth is not None:
        finite = np.where(np.isfinite(truth.unary), np.abs(truth.unary), 0.0)
        largest = float(finite.max() + (truth.highest * truth.weights).sum())
        if truth.limited:
            # A forbidden difference must cost more than all the rest together.
            largest *= truth.variables * truth.labels
    if isinstance(error, OverflowError):
        # Integers that are too large for exact sums, and sums that float64 cannot hold.
        return (largest >= 2**20 and "exact integer sums" in text) or (
            largest >= 1e270 and "1e308" in text
        )
    if isinstance(error, ValueError):
        # "zero" and the like, where that label is forbidden, or a difference.
        return (
            ("+inf" in problem.tags["costs"] and "init must use allowed labels" in text)
            or (problem.limited and "differences that the prior allows" in text)
            or (problem.limited and "offsets must leave a difference" in text)
            or (problem.limited and "found none" in text and truth.has_no_labelling)
            # convex_range="prior": the table goes on being convex beyond the T of its prior.
            or ("cauchy" in problem.tags["prior"] and "the same largest value" in text)
        )
    return False


@dataclass
class Failure:
    kind: str
    detail: str
    number: int = -1
    method: str = ""
    size: int = 0
    tags: dict[str, str] = field(default_factory=dict)


@dataclass
class Run:
    method: str
    kwargs: dict[str, Any]

    def code(self) -> str:
        shown = ", ".join(
            f"{key}=np.array({value.tolist()})"
            if isinstance(value, np.ndarray)
            else f"{key}={value!r}"
            for key, value in self.kwargs.items()
        )
        return f"result = rm.minimize(energy, {self.method!r}, {shown})"


class RefusedError(Exception):
    """Raised in place of a refusal that is fine."""


@contextmanager
def environment(variables: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.pop(name, None) for name in VARIABLES}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def check_number(seed: int, number: int, verbose: bool = False) -> list[Failure]:
    """Draw problem ``number`` and return everything that is wrong with what is said about it."""
    rng = np.random.default_rng([seed, number])
    problem = draw_problem(rng, middle=number % MIDDLE == MIDDLE // 2)
    return Checker(problem, rng, number, verbose).run()


class Checker:
    def __init__(
        self, problem: Problem, rng: np.random.Generator, number: int, verbose: bool
    ) -> None:
        self.problem, self.rng, self.number, self.verbose = problem, rng, number, verbose
        self.chance = np.random.default_rng(number)  # of checks that are made now and then
        self.failures: list[Failure] = []
        self.truth: Truth | None = None
        self.current: Run | None = None
        self.width: dict[str, str] = {}

    def fail(self, kind: str, detail: str) -> None:
        if self.verbose:
            print(f"# FAILS: {kind}: {detail}", flush=True)
        tags = {**self.problem.tags, **self.width}
        if self.current is not None:
            tags["engine"] = str(self.current.kwargs.get("engine", ""))
        method = self.current.method if self.current else ""
        size = self.problem.unary.size
        self.failures.append(Failure(kind, detail, self.number, method, size, tags))

    def _show(self, heading: str, code: Callable[[], str]) -> None:
        # Before it is run: a crash leaves no time for it.
        if self.verbose:
            text = code()
            shown = text if len(text) < 100_000 else f"{text[:300]} ... # too long to show"
            print(heading, shown, sep="\n", flush=True)

    def require(self, condition: Any, kind: str, detail: str = "") -> None:
        if not condition:
            self.fail(kind, detail)

    def run(self) -> list[Failure]:
        before = self.problem.arrays()
        self._show(f"# {self.problem.tags}", self.problem.code)
        try:
            energy = self._guarded(self.problem.energy)
        except RefusedError:
            return self.failures
        self.truth = Truth(energy)
        self.centres = energy.kinds.centres
        self.prior_ranges = energy.kinds.ranges
        large = self.problem.unary.size > 50_000
        for _ in range(1 if large else int(self.rng.integers(1, 4))):
            self.width = WIDTHS[int(self.rng.integers(len(WIDTHS)))]
            with environment(self.width):
                self._one_run(energy)
        self.current = None
        after = self.problem.arrays()
        same = all(
            np.array_equal(a, b, equal_nan=a.dtype.kind == "f") and a.dtype == b.dtype
            for a, b in zip(before, after, strict=True)
        )
        self.require(same, "input changed")
        return self.failures

    def _guarded(self, call: Any, *args: Any, **kwargs: Any) -> Any:
        """Call, and judge what escapes: refusals in words, and no warnings."""
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for documented in DOCUMENTED_WARNINGS:
                warnings.simplefilter("ignore", documented)
            try:
                return call(*args, **kwargs)
            except Warning as warning:
                self.fail("warning", f"{type(warning).__name__}: {warning}")
            except (ValueError, TypeError, OverflowError, MemoryError) as error:
                words = str(error).split()
                if len(words) < 4:
                    self.fail(f"no sentence: {error}", repr(error))
                elif not is_allowed_refusal(error, self.problem, self.truth):
                    self.fail(f"refused: {' '.join(words[:5])}", f"{type(error).__name__}: {error}")
            except Exception as error:
                self.fail(f"escaped: {' '.join(str(error).split()[:5])}", repr(error))
        raise RefusedError

    # ---- one call of rm.minimize -----------------------------------------------------------------

    def _one_run(self, energy: rm.Energy) -> None:
        self.current = None
        try:
            self.current = self._draw_run(energy)
            kwargs = self.current.kwargs
            self._show(f"# {self.width}", self.current.code)
            init = kwargs.get("init")
            given = init.copy() if isinstance(init, np.ndarray) else None
            result = self._guarded(rm.minimize, energy, self.current.method, **kwargs)
            if given is not None:
                self.require(np.array_equal(given, init), "input changed", "init")
            self._check_result(energy, result)
            self._check_moves(energy, result)
            self._check_repeats(energy, result)
            self._check_against_gswap(energy, result)
            self._check_engines(energy, result)
            self._check_batch(energy, result)
            self._check_solver(energy)
            self._check_types(energy)
        except RefusedError:
            return

    def _draw_run(self, energy: rm.Energy) -> Run:
        rng, prior = self.rng, self.problem.prior
        for name in rng.permutation(list(METHODS)):
            method = METHODS[str(name)]
            reason = self._guarded(method.refusal, energy)
            if reason is None:
                break
            convex = self.problem.is_convex
            truncated = isinstance(prior, (rm.TruncatedLinear, rm.TruncatedQuadratic))
            if (method.name == "ishikawa" and convex) or (method.name == "gswapf" and truncated):
                self.fail(f"{method.name} refuses {prior}", reason)
        kwargs: dict[str, Any] = {"threads": int(rng.integers(1, 4)), "seed": int(rng.integers(9))}
        for option in method.option_table:
            choices = option.choices or INTEGERS[option.name]
            if option.name == "engine" and self.problem.tags["topology"] == "large":
                choices = ["auto", "dual"]  # the reference engine would take minutes
            if rng.random() < 0.7:
                kwargs[option.name] = choices[rng.integers(len(choices))]
        if kwargs.get("islands") == "branches" and energy.num_variables > MOST_FOR_BRANCHES:
            kwargs["islands"] = "auto"
        if self.problem.tags["topology"] == "large" and method.name == "rexp":
            kwargs["width"] = min(kwargs.get("width", MOST_LARGE_WIDTH), MOST_LARGE_WIDTH)
        if rng.random() < 0.4:
            kwargs["bound"] = True
        large = self.problem.tags["topology"] in ("large", "hub")
        slow = self.problem.tags["topology"] == "middle" and method.name == "best"
        if rng.random() < 0.3 or large or slow:
            kwargs["max_iter"] = int(rng.integers(0, 4))
        init = rng.choice(["none", "zero", "argmin", "array", "expansion"])
        if init == "array":
            flat = np.isfinite(energy.unary.astype(np.float64)) * rng.random(energy.unary.shape)
            dtype = rng.choice([np.int32, np.int64, np.uint8])
            kwargs["init"] = flat.argmax(axis=-1).astype(dtype)
            if energy.mask is not None:
                kwargs["init"] = np.where(energy.mask, kwargs["init"].astype(np.int16), -1)
        elif init != "none" and not (large and init == "expansion"):
            kwargs["init"] = str(init)
        return Run(method.name, kwargs)

    def _start(self, energy: rm.Energy) -> np.ndarray | None:
        """The labelling that a run starts from; None where another run decides."""
        init = self.current.kwargs.get("init")
        costs = energy.unary
        if isinstance(init, np.ndarray):
            return init
        if init is None:
            labels = np.isfinite(costs.astype(np.float64)).argmax(axis=-1)
        elif init == "zero":
            labels = np.zeros(energy.shape, dtype=np.int64)
        elif init == "argmin":
            labels = costs.argmin(axis=-1)
        else:
            return None
        shown = labels if energy.mask is None else np.where(energy.mask, labels, -1)
        # A start that breaks limits is replaced by one that does not.
        return None if init is None and np.isinf(self.truth.energy(shown)) else shown

    def _check_result(self, energy: rm.Energy, result: rm.Result) -> None:
        truth, method = self.truth, METHODS[result.method]
        labels, value, bound = result.labels, result.energy, result.lower_bound
        shaped = labels.shape == energy.shape and labels.dtype == np.int32
        self.require(shaped, "labels", f"{labels.shape}, {labels.dtype}")
        inside = labels if energy.mask is None else labels[energy.mask]
        if not (shaped and inside.min() >= 0 and inside.max() < energy.num_labels):
            self.fail("labels", "outside their range")
            return
        if energy.mask is not None and (labels[~energy.mask] != -1).any():
            self.fail("labels", "of what is left out")
            return
        M = truth.magnitude
        self.require(value == energy(labels), "energy is not that of the labels", f"{value!r}")
        again = truth.energy(labels)
        slack = 0.0 if truth.exact else SUM_ERROR * max(M, abs(again))
        self.require(abs(value - again) <= slack, "energy", f"{value!r}, but it is {again!r}")
        self.require(np.isfinite(value), "energy is not finite", f"{value!r}")

        energies = [record.energy for record in result.trace]
        rises = any(a < b for a, b in itertools.pairwise(energies))
        self.require(not rises, "energy rose", f"trace {energies}")
        start = self._start(energy)
        if start is not None:
            first = energy(start)
            highest = max([value, *energies])
            self.require(highest <= first, "energy above the start", f"{highest!r} > {first!r}")
            if self.current.kwargs.get("max_iter") == 0 and method.name != "best":
                self.require(value == first, "max_iter=0 moved", f"{first!r} to {value!r}")
        if energies:
            self.require(
                abs(energies[-1] - value) <= slack,
                "trace",
                f"ends at {energies[-1]!r}, not {value!r}",
            )
        counted = [record.iteration for record in result.trace] == [
            *range(1, result.iterations + 1)
        ]
        self.require(counted, "trace", "iterations are not counted from 1")

        optimum = truth.optimum
        bounds = [bound, *(record.lower_bound for record in result.trace)]
        for each in bounds:
            if each is None:
                continue
            self.require(each <= value, "bound above the energy", f"{each!r} > {value!r}")
            if optimum is not None:
                above = f"{each!r} > {optimum!r}"
                self.require(each <= optimum + slack, "bound above the optimum", above)
        if method.has_own_bound or self.current.kwargs.get("bound"):
            asked = self.current.kwargs.get("max_iter") is None
            self.require(bound is not None or not asked, "no bound")
        if method.has_own_bound:
            known = [b for b in bounds[1:] if b is not None]
            falls = any(a > b for a, b in itertools.pairwise(known))
            self.require(not falls, "bound fell", f"{known}")

        if result.status == "optimal":
            self._check_optimal(result)
        elif result.status not in ("converged", "iteration_limit"):
            self.fail("status", result.status)
        elif result.status == "iteration_limit" and method.name != "trws":
            limited = "max_iter" in self.current.kwargs
            self.require(limited, "status", "iteration_limit without max_iter")
        if (
            method.name in SOLVE_CONVEX_PRIORS
            and self.problem.is_convex
            and "max_iter" not in self.current.kwargs
            # Chords lie above a convex prior too.
            and self.current.kwargs.get("surrogate") != "chord"
            and optimum is not None
        ):
            off = value - optimum
            limit = 0.0 if truth.exact else self._allowed_error(result)
            self.require(
                off <= limit, "exact method misses the optimum", f"by {off / M if M else off:g} M"
            )

    def _check_optimal(self, result: rm.Result) -> None:
        truth, value, bound = self.truth, result.energy, result.lower_bound
        kind = "integers" if truth.exact else "reals"
        M, optimum = truth.magnitude, truth.optimum
        if bound is None:
            self.fail("optimal without a bound", "")
            return
        if truth.exact:
            self.require(result.gap == 0, f"optimal with a gap, {kind}", f"{result.gap!r}")
            if optimum is not None:
                self.require(
                    value == optimum, f"optimal is not, {kind}", f"{value!r}, not {optimum!r}"
                )
            return
        gap = value - bound
        self.require(
            gap <= OPTIMAL_GAP * M, f"optimal with a gap, {kind}", f"{gap / M if M else gap:g} M"
        )
        if optimum is not None:
            off = value - optimum
            relative = f"by {off / M if M else off:g} M"
            allowed = self._allowed_error(result)
            self.require(off <= allowed, f"optimal is not, {kind}", relative)

    def _allowed_error(self, result: rm.Result) -> float:
        """How far from the optimum of real costs a proven labelling may be."""
        allowed = OPTIMAL_ERROR * self.truth.magnitude
        if self.truth.weights.size * (2 * self.truth.labels - 1) <= MOST_PRODUCTS:
            return allowed
        # On larger problems a real prior and real weights, one per edge, share the bits there are.
        return max(allowed, 2 * result.rounding_error)

    # ---- the same answer however it is computed --------------------------------------------------

    def _check_repeats(self, energy: rm.Energy, result: rm.Result) -> None:
        threaded = self.problem.tags["topology"] == "large"
        if self.rng.random() < 0.1 or threaded:
            for threads in (1, 2, 3):
                again = self._guarded(
                    rm.minimize,
                    energy,
                    self.current.method,
                    **{**self.current.kwargs, "threads": threads},
                )
                self._require_same(result, again, "threads change the answer", f"{threads} threads")
        if self.rng.random() < 0.15 and not threaded:
            for width in WIDTHS:
                with environment(width):
                    again = self._guarded(
                        rm.minimize, energy, self.current.method, **self.current.kwargs
                    )
                self._require_same(result, again, "vector width changes the answer", f"{width}")

    def _check_against_gswap(self, energy: rm.Energy, result: rm.Result) -> None:
        """What is found by default is no higher than gswap from the same start."""
        if result.method != "auto" or "max_iter" in self.current.kwargs:
            return
        gswap = self._guarded(rm.minimize, energy, "gswap", **self.current.kwargs)
        slack = 0.0 if self.truth.exact else self._allowed_error(result)
        above = f"{result.energy!r} > {gswap.energy!r}"
        self.require(result.energy <= gswap.energy + slack, "auto above gswap", above)

    def _check_engines(self, energy: rm.Energy, result: rm.Result) -> None:
        """The first move is solved exactly by either engine, threads and vectors as may be."""
        middle = self.problem.tags["topology"] == "middle"
        if result.method not in ("gswap", "gswapf", "ishikawa") or not middle:
            return
        kwargs = {**self.current.kwargs, "max_iter": 1}
        found = {}
        for engine, threads in (("reference", 1), ("dual", 1), ("dual", 2)):
            width = WIDTHS[int(self.chance.integers(len(WIDTHS)))]
            with environment(width):
                run = self._guarded(
                    rm.minimize,
                    energy,
                    result.method,
                    **{**kwargs, "engine": engine, "threads": threads},
                )
            if run.trace:
                found[f"{engine}, {threads} threads, {width}"] = run.trace[0].surrogate_energy
        slack = 0.0 if self.truth.exact else SUM_ERROR * self.truth.magnitude
        apart = max(found.values(), default=0.0) - min(found.values(), default=0.0)
        self.require(apart <= slack, "engines disagree", f"{found}")

    def _check_batch(self, energy: rm.Energy, result: rm.Result) -> None:
        """Solved beside another one: the same answer."""
        if self.chance.random() > 0.04 or self.problem.unary.size > 50_000:
            return
        kwargs = {name: value for name, value in self.current.kwargs.items() if name != "init"}
        alone = result
        if "init" in self.current.kwargs:
            alone = self._guarded(rm.minimize, energy, result.method, **kwargs)
        both = self._guarded(rm.minimize_batch, [energy, energy], result.method, **kwargs)
        for one in both:
            self._require_same(alone, one, "a batch changes the answer", "")

    def _check_solver(self, energy: rm.Energy) -> None:
        """A problem whose costs change, solved again: as honest, and always the same."""
        if self.rng.random() > 0.15 or self.problem.unary.size > 50_000:
            return
        if energy.has_forbidden_differences and energy.has_forbidden_labels:
            return  # other costs may forbid all labellings
        method = self.current.method
        kwargs = {name: value for name, value in self.current.kwargs.items() if name != "init"}
        # Costs of some variables the other way round: nothing is forbidden that no label can avoid.
        # Here and there, or, as most callers do it, side by side.
        rows = np.array(energy.unary).reshape(-1, energy.num_labels)
        turned = self.rng.random(len(rows)) < 0.3
        if self.chance.random() < 0.5:
            turned = np.arange(len(rows)) % 40 < self.chance.integers(2, 12)
            turned &= np.arange(len(rows)) < 0.3 * len(rows)
        rows[turned] = rows[turned][:, ::-1]
        costs = rows.reshape(energy.unary.shape)

        def both(options: dict[str, Any]) -> tuple[rm.Solver, rm.Result, rm.Result]:
            solver = rm.Solver(energy, method, **options)
            first = solver.solve()
            solver.update(unary=costs)
            return solver, first, solver.solve()

        solver, first, second = self._guarded(both, kwargs)
        alone = self._guarded(rm.minimize, energy, method, **kwargs)
        self._require_same(first, alone, "a solver changes the answer", "")
        other = WIDTHS[int(self.rng.integers(len(WIDTHS)))]
        with environment(other):
            again = self._guarded(both, {**kwargs, "threads": 2})[2]
        self._require_same(second, again, "solved again, another answer", f"{other}, 2 threads")
        before = self.truth, self.current
        self.truth = Truth(solver.energy)
        if np.isfinite(self.truth.energy(first.labels)):
            kwargs = {**kwargs, "init": first.labels}
        self.current = Run(method, kwargs)
        self._check_result(solver.energy, second)
        self.truth, self.current = before

    def _check_types(self, energy: rm.Energy) -> None:
        """The same integers in another type, which the core may read as they are: no difference."""
        costs = energy.unary
        chosen = self.chance.random() < 0.15 and self.problem.unary.size <= 50_000
        if costs.dtype.kind not in "biu" or not chosen:
            return
        low, high = int(costs.min()), int(costs.max())
        fits = [t for t in TYPES if np.iinfo(t).min <= low and high <= np.iinfo(t).max]
        found = [
            (dtype, self._guarded(rm.minimize, one, self.current.method, **self.current.kwargs))
            for dtype in fits
            for one in [energy.replaced(costs.astype(dtype))]
        ]
        for dtype, result in found[1:]:
            kinds = f"{found[0][0].__name__}, {dtype.__name__}"
            self._require_same(found[0][1], result, "the type of costs changes the answer", kinds)

    def _require_same(self, one: rm.Result, other: rm.Result, kind: str, detail: str) -> None:
        facts = [
            (
                *(r.energy, r.lower_bound, r.status, r.iterations),
                [(record.energy, record.lower_bound) for record in r.trace],
            )
            for r in (one, other)
        ]
        if facts[0] != facts[1]:
            self.fail(kind, f"{detail}: {facts[0][:4]} and {facts[1][:4]}")
        elif not np.array_equal(one.labels, other.labels):
            self.fail(kind, f"{detail}: labels of the same energy")

    # ---- what is promised of the moves -----------------------------------------------------------

    def _check_moves(self, energy: rm.Energy, result: rm.Result) -> None:
        truth = self.truth
        if not truth.enumerable or truth.labels == 1 or truth.limited or truth.mask is not None:
            return
        if truth.exact and result.status == "converged":
            self._check_converged(result)
        surrogate = self.current.kwargs.get("surrogate", "tight")
        strategy = self.current.kwargs.get("strategy", "alternate")
        convex = self.current.kwargs.get("convex_range", "table")
        start = self._start(energy)
        if (
            truth.exact
            and result.method in ("gswap", "gswapf")
            and (surrogate, strategy, convex) == ("tight", "alternate", "table")
            and result.trace
            and not result.trace[0].step  # on a forest the sweeps for a bound are all there is
            and start is not None
            and truth.weights.any()
            and not self.centres.any()
            and truth.labels**truth.variables <= MOST_FOR_SURROGATE
        ):
            self._check_first_cut(energy, result, start)

    def _check_converged(self, result: rm.Result) -> None:
        """Where a run has ended none of its moves leads any lower."""
        truth, x = self.truth, result.labels.reshape(-1).tolist()
        kinds = np.unique(truth.index[truth.weights > 0]).tolist() or [0]
        priors = [
            {d - truth.labels + 1: v for d, v in enumerate(truth.tables[k].tolist())} for k in kinds
        ]
        reach = truth.labels - 1
        for k in kinds:
            table, centre = truth.tables[k].astype(np.int64), int(self.centres[k])
            by_prior = self.current.kwargs.get("convex_range") == "prior"
            prior = tuple(self.prior_ranges[k].tolist()) if by_prior else None
            reach = min(reach, *_core.convex_range(table, centre, prior))
        every = range(truth.labels)

        def lowest(kind: str, choices: list[list[int]]) -> None:
            best = float(truth.tensor[np.ix_(*choices)].min())
            self.require(
                result.energy <= best, f"{kind} could still fall", f"{result.energy!r} to {best!r}"
            )

        if result.method == "swap" and all(2 * g[0] <= g[d] + g[-d] for g in priors for d in every):
            if self.current.kwargs.get("nonsubmodular") == "qpbo":
                return  # of several best labellings QPBO may choose none
            for a, b in itertools.combinations(every, 2):
                lowest("swap", [[a, b] if k in (a, b) else [k] for k in x])
        elif result.method == "expansion" and all(
            g[0] + g[k - m] <= g[k - a] + g[a - m]
            for g, a, k, m in itertools.product(priors, every, every, every)
        ):
            for a in every:
                lowest("expansion", [sorted({k, a}) for k in x])
        elif result.method in ("rswap", "rswape") and reach >= 1:
            for a in range(truth.labels - reach):
                inside = range(a, a + reach + 1)
                lowest(result.method, [list(inside) if k in inside else [k] for k in x])
        elif result.method == "rexp" and reach >= 1:
            reach = min(reach, self.current.kwargs.get("width", reach))
            for a in range(truth.labels - reach):
                lowest("rexp", [list(range(a, a + reach + 1))] * len(x))

    def _check_first_cut(self, energy: rm.Energy, result: rm.Result, start: np.ndarray) -> None:
        """The first move is the best for the surrogate, among all that it may do."""
        truth, flat = self.truth, start.reshape(-1).astype(np.int64)
        g = truth.tables.astype(np.int64)
        left, right = np.array([convex_range(table) for table in g]).T[:, truth.index]
        # One weight for all goes into g, so that slopes are rounded up after it, not before.
        weights = truth.weights[truth.weights > 0].astype(np.int64)
        common = int(weights[0]) if (weights == weights[0]).all() else 1
        h = np.stack([convexify(common * table) for table in g])[truth.index] / common
        x = np.indices((truth.labels,) * truth.variables).reshape(truth.variables, -1).T
        i, j = truth.tail, truth.head
        centre = truth.labels - 1
        difference = flat[i] - flat[j]
        apart = (difference < -left) | (difference > right)
        at = centre + x[:, i] - x[:, j]
        true, every = truth.tables[truth.index], np.arange(i.size)
        if result.method == "gswap":
            active = active_set(energy, start).reshape(-1)
            x_allowed = (x[:, ~active] == flat[~active]).all(axis=1)
            edge = np.where(active[i] & active[j], h[every, at], true[every, at])
        else:
            x_allowed = np.ones(len(x), dtype=bool)
            edge = np.where(apart, true.max(axis=1), h[every, at])
        values = truth.unary[np.arange(truth.variables), x].sum(axis=1) + edge @ truth.weights
        best = float(values[x_allowed].min())
        got = result.trace[0].surrogate_energy
        self.require(got == best, "move is not the best", f"surrogate {got!r}, best {best!r}")


def _in_units(amount: float, magnitude: float) -> str:
    return f"{amount / magnitude:g} M" if magnitude else f"{amount:g}"
