"""Message passing: bounds that hold, labellings worth having, the same on every machine."""

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from oracles import best_energy, check, energies, solve

import rangemoves as rm
from rangemoves import _core

KINDS = ["convex", "robust", "flat", "any"]


def picture(seed=0, shape=(40, 50), labels=12, prior=None, weights=4):
    rng = np.random.default_rng(seed)
    truth = np.kron(rng.integers(0, labels, (5, 5)), np.ones((shape[0] // 5, shape[1] // 5)))
    noisy = np.clip(truth + rng.normal(0, 1.5, truth.shape), 0, labels - 1)
    unary = np.minimum((noisy[..., None] - np.arange(labels)) ** 2, 30).astype(np.int32)
    return rm.Energy(unary, prior or rm.TruncatedQuadratic(3), weights)


@hypothesis.settings(max_examples=500)
@hypothesis.given(data=st.data())
def test_the_optimum_lies_between_bound_and_energy(data):
    kind, forbid, features = data.draw(st.tuples(st.sampled_from(KINDS), *[st.booleans()] * 2))
    energy = data.draw(energies(kind, forbid, features=features))
    result = solve(energy, "trws", max_iter=20)
    optimum = best_energy(energy)
    assert result.lower_bound <= optimum <= result.energy
    for record in result.trace:
        assert record.lower_bound <= optimum <= record.energy


@hypothesis.settings(max_examples=500)
@hypothesis.given(data=st.data())
def test_every_method_has_a_true_bound_on_request(data):
    forbid, real, features = data.draw(st.tuples(*[st.booleans()] * 3))
    energy = data.draw(energies("flat", forbid, real, features=features))
    method = data.draw(st.sampled_from(["gswap", "gswapf"]))
    hypothesis.assume(not next(m for m in rm.methods() if m.name == method).refusal(energy))
    result = solve(energy, method, bound=True)
    optimum = best_energy(energy)
    assert result.lower_bound <= optimum + abs(optimum) * 1e-12
    assert optimum <= result.energy + abs(optimum) * 1e-12
    assert result.gap >= 0


@hypothesis.given(data=st.data())
def test_bounds_of_rounded_costs_hold_for_the_true_ones(data):
    forbid, features = data.draw(st.tuples(st.booleans(), st.booleans()))
    energy = data.draw(energies("robust", forbid, real=True, features=features))
    result = solve(energy, "trws", max_iter=10)
    best = best_energy(energy)
    assert result.lower_bound <= best + 1e-12 * (1 + abs(best))


def test_bound_rises_and_energy_falls():
    result = solve(picture(), "trws")
    bounds = [record.lower_bound for record in result.trace]
    assert bounds == sorted(bounds)
    assert result.gap < 0.02


def test_a_chain_is_solved_in_one_sweep():
    rng = np.random.default_rng(3)
    energy = rm.Energy(rng.integers(0, 50, (1, 40, 9)), rm.TruncatedLinear(3), 7)
    result = solve(energy, "trws")
    assert result.status == "optimal"
    assert result.iterations == 1
    assert result.energy == result.lower_bound
    assert result.proven


def test_a_hundred_sweeps_unless_told_otherwise():
    unary = np.random.default_rng(0).integers(0, 20, (20, 20, 4))
    energy = rm.Energy(unary, rm.TablePrior([3, 9, 1, 7, 8, 2, 5]), 3, connectivity=8)
    result = solve(energy, "trws")
    assert (result.status, result.iterations) == ("iteration_limit", 100)
    assert solve(energy, "trws", max_iter=3).iterations == 3
    assert solve(energy, "trws", time_limit=0).status == "time_limit"


def test_bound_makes_gswap_stop_at_the_optimum():
    energy = rm.Energy(np.random.default_rng(1).integers(0, 9, (1, 30, 6)), rm.Cauchy(1), 2)
    without = solve(energy, "gswap")
    assert without.lower_bound is None
    assert without.gap is None
    result = solve(energy, "gswap", bound=True)
    assert result.lower_bound is not None
    best = solve(energy, "trws")
    again = solve(energy, "gswap", bound=True, init=best)
    assert again.status == "optimal"
    assert again.iterations == 0


def test_bound_is_true_or_false():
    with pytest.raises(TypeError, match="bound must be True or False; found"):
        rm.minimize(picture(), bound="yes")


PROBLEMS = {
    "truncated quadratic": lambda: picture(),
    "truncated linear": lambda: picture(prior=rm.TruncatedLinear(2), labels=16),
    "cauchy": lambda: picture(prior=rm.Cauchy(2), labels=21),
    "asymmetric": lambda: picture(prior=rm.TablePrior([9, 7, 6, 2, 0, 1, 3, 3, 3]), labels=5),
    "8-connected": lambda: rm.Energy(picture().unary, rm.TruncatedQuadratic(3), 2, connectivity=8),
}


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("method", ["trws", "gswap"])
def test_every_instruction_set_gives_the_same(name, method, monkeypatch):
    energy = PROBLEMS[name]()
    results = {}
    for level in _core.simd_levels():
        monkeypatch.setenv("RANGEMOVES_SIMD", level)
        results[level] = solve(energy, method, max_iter=12, bound=True)
        assert results[level].simd == level
    one, *others = results.values()
    for other in others:
        np.testing.assert_array_equal(one.labels, other.labels)
        assert [r.lower_bound for r in one.trace] == [r.lower_bound for r in other.trace]
        assert one.lower_bound == other.lower_bound


@pytest.mark.parametrize("threads", [2, 3])
def test_any_number_of_threads_gives_the_same(threads):
    energy = picture(shape=(200, 200))
    one, several = (solve(energy, "trws", max_iter=5, threads=n) for n in (1, threads))
    np.testing.assert_array_equal(one.labels, several.labels)
    assert one.lower_bound == several.lower_bound


def test_records_survive_storage(tmp_path):
    result = solve(picture(), "trws", max_iter=3)
    result.save(tmp_path / "run.npz")
    stored = rm.Result.load(tmp_path / "run.npz")
    assert stored.trace == result.trace
    check(picture(), stored)


def stop_after(iterations):
    return lambda record: record.iteration == iterations


def halves(energy):
    """With costs that have to be rounded."""
    return energy.replaced(unary=energy.unary * 0.37 + 0.01)


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("name", PROBLEMS)
def test_shorter_runs_are_the_beginning_of_longer_ones(name, real):
    # The last labelling of a run is read off by itself, all others while the next sweep goes on.
    energy = halves(PROBLEMS[name]()) if real else PROBLEMS[name]()
    records = solve(energy, "trws", max_iter=7).trace
    for n in range(1, 8):
        shorter = solve(energy, "trws", max_iter=n)
        assert shorter.status in ("iteration_limit", "optimal")
        assert [r.energy for r in shorter.trace] == [r.energy for r in records[:n]]
        assert [r.lower_bound for r in shorter.trace] == [r.lower_bound for r in records[:n]]


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("name", PROBLEMS)
def test_a_run_that_is_stopped_half_way_into_a_sweep(name, real):
    energy = halves(PROBLEMS[name]()) if real else PROBLEMS[name]()
    long = solve(energy, "trws", max_iter=40)
    stopped = solve(energy, "trws", callback=stop_after(2), beliefs=True)
    shorter, longer = (solve(energy, "trws", max_iter=n, beliefs=True) for n in (2, 3))
    assert stopped.status == "stopped"
    np.testing.assert_array_equal(stopped.labels, shorter.labels)
    assert stopped.trace[-1].lower_bound == shorter.trace[-1].lower_bound
    assert shorter.lower_bound - 1e-9 <= stopped.lower_bound <= long.energy
    # Beliefs are those of whole sweeps.
    grid = "8-connected" not in name
    np.testing.assert_array_equal(stopped.beliefs, (longer if grid else shorter).beliefs)


@pytest.mark.parametrize("real", [False, True])
def test_a_solver_goes_on_from_a_run_that_was_stopped(real):
    energy = halves(picture()) if real else picture()
    other = energy.replaced(unary=energy.unary[::-1].copy())
    solver = rm.Solver(energy, "trws")
    stopped = solver.solve(callback=stop_after(4))
    assert stopped.status == "stopped"
    again = solver.solve(callback=stop_after(1))
    check(energy, again)
    # No sweep is lost: the fifth is ended before the first of this run.
    fresh = solve(energy, "trws", max_iter=6)
    assert again.lower_bound >= fresh.lower_bound - 1e-9 * abs(fresh.lower_bound)
    solver.solve(callback=stop_after(2))
    solver.update(unary=other.unary)
    changed = solver.solve()
    check(other, changed)
    assert changed.lower_bound <= solve(other, "best", time_limit=2).energy


@pytest.mark.parametrize("milliseconds", [0, 1, 5, 20, 60])
def test_a_run_that_is_out_of_time_keeps_what_it_has(milliseconds):
    energy = picture(shape=(300, 300))
    result = solve(energy, "trws", time_limit=milliseconds / 1000)
    assert result.status == "time_limit"
    if result.iterations:
        same = solve(energy, "trws", max_iter=result.iterations)
        np.testing.assert_array_equal(result.labels, same.labels)
        assert result.lower_bound >= same.trace[-1].lower_bound


def test_an_optimum_that_is_met_on_the_way():
    rng = np.random.default_rng(2)
    energy = rm.Energy(rng.integers(0, 100, (30, 30, 6)), rm.TruncatedLinear(3), 1)
    result = solve(energy, "trws")
    assert result.status == "optimal"
    assert 1 < result.iterations < 100
    real = solve(halves(energy), "trws")
    assert real.status == "optimal"
