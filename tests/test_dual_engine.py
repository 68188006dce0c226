"""The fast engine against the reference engine and enumeration: same energies, always proven."""

import itertools
import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from oracles import best_energy, check, solve

import rangemoves as rm
from rangemoves import _core
from rangemoves.bench.scaling import textured

PRIORS = [
    rm.Linear(),
    rm.Quadratic(),
    rm.Huber(2),
    rm.TruncatedLinear(2),
    rm.TruncatedQuadratic(3),
    rm.Cauchy(2),
    rm.TruncatedQuadratic(50),
    # Not symmetric: cheap upward, dear downward, its least value not at zero.
    rm.TablePrior([19, 14, 10, 7, 5, 3, 2, 3, 5, 9, 13, 17, 21]),
]


def random_energy(rng, shape, labels, prior, connectivity=None, forbid=False):
    """Costs around a picture with jumps, noise on top, weights from 0 up."""
    truth = rng.integers(0, labels, [2] * len(shape))
    for axis, length in enumerate(shape):
        truth = np.repeat(truth, (length + 1) // 2, axis=axis).take(range(length), axis=axis)
    unary = np.abs(truth[..., None] - np.arange(labels)) * rng.integers(1, 9)
    unary = unary + rng.integers(-5, rng.integers(2, 40), (*shape, labels))
    if forbid:
        unary = unary.astype(float)
        forbidden = rng.random(unary.shape) < 0.3
        forbidden[..., rng.integers(0, labels)] = False
        unary[forbidden] = np.inf
    flat = rm.Energy(unary, prior, 1, connectivity=connectivity)
    weights = rng.integers(0, 6, flat.num_edges)
    if rng.random() < 0.5:
        return rm.Energy(unary, prior, int(weights.max(initial=1)), connectivity=connectivity)
    return rm.Energy(
        unary.reshape(-1, labels),
        prior,
        weights,
        edges=flat.edges,
    )


def compare(energy, method="gswap", **options):
    """One move by each engine: the least surrogate energy to the unit, and proven."""
    dual = solve(energy, method, engine="dual", max_iter=1, **options)
    reference = solve(energy, method, engine="reference", max_iter=1, **options)
    # Of several minima each may find its own, and sums of real costs end on another last digit.
    rounding = 1e-12 if dual.rounding_error else 0
    expected = pytest.approx(reference.trace[0].surrogate_energy, rel=rounding, abs=0)
    assert dual.trace[0].surrogate_energy == expected
    assert dual.trace[0].proven
    assert dual.proven
    return dual


@pytest.mark.parametrize("part", range(10))
def test_a_thousand_random_moves_equal_the_reference(part):
    shapes = [(3, 5), (1, 9), (4, 1), (12, 9), (2, 3, 4), (17, 5)]
    for seed in range(100 * part, 100 * (part + 1)):
        rng = np.random.default_rng(seed)
        shape, prior = shapes[seed % len(shapes)], PRIORS[rng.integers(len(PRIORS) - 1)]
        labels = int(rng.integers(1, 10))
        if seed % 7 == 0:
            labels, prior = 7, PRIORS[-1]
        energy = random_energy(rng, shape, labels, prior, forbid=seed % 5 == 0)
        start = [None, "argmin"][seed % 2]
        compare(energy, init=start, surrogate=["tight", "huber", "chord"][seed % 3])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("shape", "connectivity"), [((12, 9), 4), ((12, 9), 8), ((40, 3), 4), ((4, 5, 6), 6)]
)
def test_grids_of_every_kind_equal_the_reference(shape, connectivity, seed):
    rng = np.random.default_rng(seed)
    energy = random_energy(rng, shape, 7, PRIORS[seed], connectivity)
    compare(energy)
    compare(energy, init="argmin")


@pytest.mark.parametrize("seed", range(60))
def test_proven_never_contradicts_enumeration(seed):
    rng = np.random.default_rng(seed)
    labels = int(rng.integers(2, 5))
    prior = rm.TablePrior(np.cumsum(np.sort(rng.integers(-6, 7, 2 * labels - 1))))
    energy = random_energy(rng, [(2, 2), (2, 3), (1, 5)][seed % 3], labels, prior)
    result = solve(energy, "ishikawa", engine="dual")
    assert result.proven
    assert result.energy == result.lower_bound == best_energy(energy)


def test_one_label_ends():
    energy = rm.Energy([[16.0], [11.0]], rm.TablePrior([1.0]), 2, edges=[[0, 1]])
    for engine in ("dual", "reference"):
        assert solve(energy, "ishikawa", engine=engine).energy == 29


def test_many_labels():
    rng = np.random.default_rng(0)
    unary = rng.integers(0, 2000, (3, 4, 1024)) + np.abs(np.arange(1024) - 700)
    for prior in (rm.TruncatedQuadratic(30), rm.TruncatedLinear(200), rm.Cauchy(40)):
        compare(rm.Energy(unary, prior, 3))


def test_thresholds_beyond_all_labels():
    rng = np.random.default_rng(1)
    for threshold in (12, 13, 400):
        energy = random_energy(rng, (12, 9), 13, rm.TruncatedQuadratic(threshold))
        assert compare(energy).status == "optimal"


def test_a_quadratic_prior_with_256_labels():
    rng = np.random.default_rng(2)
    noisy = np.clip(np.indices((12, 10)).sum(axis=0) * 9 + rng.normal(0, 20, (12, 10)), 0, 255)
    energy = rm.Energy((noisy[..., None] - np.arange(256)) ** 2 // 1, rm.Quadratic(), 4)
    compare(energy, "ishikawa")


@pytest.mark.parametrize("exponent", [18, 21, 24, 26, 28])
def test_large_integer_costs_are_solved_all_the_same(exponent):
    rng = np.random.default_rng(exponent)
    unary = rng.integers(0, 2**exponent, (4, 5, 6))
    energy = rm.Energy(unary, rm.TruncatedLinear(2), 2 ** (exponent - 4))
    compare(energy)
    compare(energy, init="argmin")


# ---- several moves: messages are kept from one to the next -------------------------------------


@pytest.mark.parametrize("init", ["zero", "argmin"])
@pytest.mark.parametrize(
    ("method", "prior"),
    [
        ("gswap", rm.TruncatedLinear(2)),
        ("gswap", rm.TruncatedQuadratic(2)),
        ("gswap", rm.Cauchy(1)),
        ("gswapf", rm.TruncatedLinear(2)),
        ("gswapf", rm.TruncatedQuadratic(2)),
    ],
)
@pytest.mark.parametrize("surrogate", ["tight", "chord"])
def test_runs_go_the_way_of_the_reference(method, prior, surrogate, init):
    iterations = 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        truth = np.where(np.indices((14, 11)).sum(axis=0) % 9 < 4, 1, 8)
        noisy = truth + rng.integers(-2, 3, truth.shape)
        # Costs so fine that no two labellings cost the same: then there is one way only.
        unary = np.abs(noisy[..., None] - np.arange(10)) * 40_000
        unary = unary + rng.integers(0, 90_000, unary.shape)
        energy = rm.Energy(unary, prior, 30_000)
        options = {"init": init, "surrogate": surrogate}
        dual = solve(energy, method, engine="dual", **options)
        reference = solve(energy, method, engine="reference", **options)
        assert all(record.proven for record in dual.trace)
        for ours, theirs in itertools.zip_longest(dual.trace, reference.trace):
            assert ours.surrogate_energy == theirs.surrogate_energy
            assert ours.energy == theirs.energy
        np.testing.assert_array_equal(dual.labels, reference.labels)
        iterations = max(iterations, dual.iterations)
    if init == "argmin":
        assert iterations > 2


# ---- the same answer from every machine --------------------------------------------------------

ANSWERS = """
import json, sys
import numpy as np
import rangemoves as rm

rng = np.random.default_rng(5)
rows = rng.integers(0, 50, (19, 23, 21)) + 4 * np.abs(np.arange(21) - np.arange(23)[:, None] // 2)
grid = rm.Energy(rows, rm.TruncatedQuadratic(3), 6)
graph = rm.Energy(
    rows.reshape(-1, 21), rm.TruncatedLinear(4), rng.integers(0, 9, grid.num_edges),
    edges=rng.permutation(grid.edges),
)
real = rm.Energy(rows * np.pi, rm.Cauchy(2.5), 3.3)
volume = rm.Energy(rows[:18, :20].reshape(6, 6, 10, 21), rm.Huber(2), 5)
answers = {"simd": set()}
for name, energy in {"grid": grid, "graph": graph, "real": real, "volume": volume}.items():
    result = rm.minimize(energy, "gswap", init="argmin", engine="dual")
    assert result.proven
    answers["simd"].add(result.simd)
    answers[name] = [result.labels.tolist(), [record.energy for record in result.trace]]
answers["simd"] = list(answers["simd"])
print(json.dumps(answers))
"""


def answers_with(level):
    return subprocess.run(
        [sys.executable, "-c", ANSWERS],
        env={**os.environ, "RANGEMOVES_SIMD": level},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_every_instruction_set_gives_the_same_labels():
    levels = _core.simd_levels()
    assert {"plain", "plain8", "plain16", "plain32"} <= set(levels)
    answers = {}
    for level in levels:
        done = answers_with(level)
        assert done.returncode == 0, done.stderr
        answers[level] = json.loads(done.stdout)
        assert answers[level].pop("simd") == [level]
    for level in levels:
        assert answers[level] == answers["plain"]


def test_an_unknown_instruction_set_is_refused():
    done = answers_with("abacus")
    assert done.returncode == 1
    assert "ValueError: RANGEMOVES_SIMD must be one of" in done.stderr
    assert "found abacus" in done.stderr


@pytest.mark.parametrize("kind", ["grid", "graph"])
def test_threads_give_the_same_labels_where_they_are_used(kind):
    rng = np.random.default_rng(6)
    shape, labels = (120, 210), 17
    assert np.prod(shape) * labels > 400_000
    truth = np.indices(shape)[1] // 15 % labels
    unary = np.abs(truth[..., None] - np.arange(labels)) * 5 + rng.integers(0, 40, (*shape, labels))
    energy = rm.Energy(unary, rm.TruncatedQuadratic(3), 7)
    if kind == "graph":
        energy = rm.Energy(unary.reshape(-1, labels), energy.prior, 7, edges=energy.edges[:, ::-1])
    alone = solve(energy, engine="dual", threads=1)
    assert alone.proven
    for threads in (2, 3):
        together = solve(energy, engine="dual", threads=threads)
        np.testing.assert_array_equal(together.labels, alone.labels)
        assert [r.energy for r in together.trace] == [r.energy for r in alone.trace]


def test_a_first_move_by_region_equals_the_reference():
    energy = textured(150, 200, 30)
    reference = solve(energy, engine="reference", max_iter=1)
    alone = solve(energy, engine="dual", threads=1, max_iter=1)
    assert alone.proven
    assert alone.trace[0].surrogate_energy == reference.trace[0].surrogate_energy
    # Most variables are decided by sweeps, and what one cut leaves is solved in parts.
    assert alone.statistics["cut_nodes"] < 2 * 150 * 200
    assert alone.statistics["parts"] > 0
    for threads in (2, 3):
        together = solve(energy, engine="dual", threads=threads, max_iter=1)
        np.testing.assert_array_equal(together.labels, alone.labels)


# ---- limits ------------------------------------------------------------------------------------


def large_energy():
    rng = np.random.default_rng(7)
    unary = rng.integers(0, 255, (300, 400, 60))
    return rm.Energy(unary, rm.TruncatedQuadratic(8), 5)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_time_limit_is_kept_inside_a_move(threads):
    energy = large_energy()
    begin = time.perf_counter()
    result = rm.minimize(energy, "gswap", engine="dual", time_limit=0.5, threads=threads)
    # Half a second, and the time to check and round the costs.
    assert time.perf_counter() - begin < 3
    assert result.status == "time_limit"
    assert result.iterations == 0
    check(energy, result)


INTERRUPT = """
import os, signal, sys, threading, time
import numpy as np
import rangemoves as rm

unary = np.random.default_rng(7).integers(0, 255, (300, 400, 60)).astype(np.int32)
energy = rm.Energy(unary, rm.TruncatedQuadratic(8), 5)
pressed = []

def press():
    pressed.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)

threading.Timer(float(sys.argv[1]), press).start()
try:
    rm.minimize(energy, "gswap", engine="dual", threads=int(sys.argv[2]))
except rm.Interrupted as interruption:
    waited = time.perf_counter() - pressed[0]
    result = interruption.result
    assert result.energy == energy(result.labels)
    print(waited)
"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("delay", [0.8, 1.5])
def test_ctrl_c_is_answered_within_half_a_second(delay, threads):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPT, str(delay), str(threads)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 0.5


@pytest.mark.parametrize("shift", [-200, 0])
def test_narrow_cuts_prove_nothing_that_is_not_so(shift):
    # Costs below zero have bounds below zero. The first cuts, narrow for memory, miss the best.
    noise = np.random.default_rng(0).integers(0, 100, (50, 60, 32)).astype(np.int32) + shift
    energy = rm.Energy(noise.astype(np.int32), rm.TruncatedQuadratic(3), 10)
    found, exact = (
        solve(energy, "gswap", engine=engine, max_iter=1).trace[0]
        for engine in ("dual", "reference")
    )
    assert found.proven
    assert found.surrogate_energy == exact.surrogate_energy


def test_a_cut_of_noise_is_about_few_labels():
    noise = np.random.default_rng(0).integers(0, 100, (60, 80, 16)).astype(np.int32)
    result = solve(rm.Energy(noise, rm.TruncatedQuadratic(3), 10), "gswap", max_iter=1)
    # Nothing but noise is never decided, yet sweeps leave few of the 15 steps between labels open.
    assert result.proven
    assert result.statistics["most_undecided"] > noise.shape[0] * noise.shape[1] / 2
    assert result.statistics["most_cut_nodes"] < 8 * noise.shape[0] * noise.shape[1]
