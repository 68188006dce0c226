"""The default method: exact where that is cheap, never above gswap, and the same every time."""

import numpy as np
import pytest
from oracles import best_energy, solve
from test_minimize import textured

import rangemoves as rm

ROBUST = [rm.TruncatedLinear(3), rm.TruncatedQuadratic(2), rm.Cauchy(2)]


def noisy(seed, shape=(12, 16), labels=9):
    """Blocks of one label each, and noise that hides them."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, labels, shape)
    for axis, side in enumerate(shape):
        truth = truth.take(np.arange(side) // 4 * 4, axis)
    return 6 * np.abs(truth[..., None] - np.arange(labels)) + rng.integers(0, 40, (*shape, labels))


def test_it_is_the_default_everywhere():
    energy = rm.Energy(noisy(0), rm.TruncatedLinear(2), 9)
    result = rm.minimize(energy)
    assert result.method == "auto" == rm.Solver(energy).solve().method
    np.testing.assert_array_equal(result.labels, rm.minimize(energy, "auto").labels)
    assert rm.estimate_memory(energy) == rm.estimate_memory(energy, "auto")


@pytest.mark.parametrize("method", [(), ("auto",)])
def test_with_an_option_of_gswap_it_is_gswap(method):
    energy = rm.Energy(noisy(0), rm.TruncatedLinear(2), 9)
    for options in ({"surrogate": "huber"}, {"strategy": "range", "engine": "reference"}):
        result = rm.minimize(energy, *method, **options)
        assert (result.method, result.options) == ("gswap", options)
        np.testing.assert_array_equal(result.labels, rm.minimize(energy, "gswap", **options).labels)
        assert rm.estimate_memory(energy, *method, **options) == rm.estimate_memory(
            energy, "gswap", **options
        )
    assert rm.minimize(energy, *method, engine="reference").method == "auto"
    assert rm.Solver(energy, *method, surrogate="chord").solve().method == "gswap"


def test_other_options_are_refused_with_the_methods_that_have_them():
    energy = rm.Energy(noisy(0), rm.TruncatedLinear(2), 9)
    with pytest.raises(TypeError, match=r"'auto' has no option 'extend'.* with .* are: rswape"):
        rm.minimize(energy, extend=1)


@pytest.mark.parametrize("prior", ROBUST, ids=repr)
@pytest.mark.parametrize("start", ["zero", "argmin", "expansion", "random"])
def test_it_never_ends_above_gswap_from_the_same_start(prior, start):
    lower = 0
    for seed in range(4):
        energy = rm.Energy(noisy(seed), prior, 12)
        init = np.random.default_rng(seed).integers(0, 9, energy.shape)
        given = init if start == "random" else start
        found, moved = (solve(energy, name, init=given) for name in ("auto", "gswap"))
        assert found.energy <= moved.energy + moved.rounding_error
        assert found.lower_bound <= found.energy
        energies = [record.energy for record in found.trace]
        assert energies == sorted(energies, reverse=True)
        lower += found.energy < moved.energy
    assert lower > 0


def test_the_trace_says_what_ran():
    unary = noisy(1, (30, 30))
    # The less is taken off every cost, the smaller a part of the energy the gap is.
    for less, prior, weight, last in (
        (0, rm.TruncatedQuadratic(2), 12, "fusion with gswap from the start"),
        (20, rm.TruncatedQuadratic(2), 12, "gswapf from the best"),
        (28, rm.Cauchy(2), 20, "gswap from the best"),
    ):
        energy = rm.Energy(unary - less, prior, weight)
        steps = [record.step for record in solve(energy, "auto").trace]
        assert steps[0] == "sweep 1"
        assert "gswap from the start" in steps
        assert "expansion of what is unsettled" in steps
        assert steps[-1] == last


@pytest.mark.parametrize("prior", [rm.Linear(), rm.Quadratic(), rm.Huber(2)], ids=repr)
def test_convex_priors_are_cut_exactly(prior):
    result = solve(rm.Energy(noisy(2), prior, 7), "auto")
    expected = solve(rm.Energy(noisy(2), prior, 7), "ishikawa")
    assert (result.status, result.energy) == ("optimal", expected.energy)
    assert result.iterations == 1


@pytest.mark.parametrize("prior", ROBUST, ids=repr)
def test_chains_and_trees_are_solved_at_once(prior):
    edges = [[0, 1], [1, 2], [1, 3], [3, 4], [3, 5]]
    unary = noisy(3, (6,), 5)
    result = solve(rm.Energy(unary, prior, 9, edges=edges), "auto")
    assert (result.status, result.iterations) == ("optimal", 1)
    assert result.energy == pytest.approx(
        best_energy(rm.Energy(unary, prior, 9, edges=edges)), rel=1e-12
    )
    assert solve(rm.Energy(noisy(4, (1, 50)), prior, 9), "auto").iterations == 1


def test_it_takes_what_others_take():
    energy = rm.Energy(noisy(5, (20, 20)), rm.TruncatedQuadratic(2), 7)
    swept = solve(energy, "auto", beliefs=True, bound=True, seed=3)
    assert swept.beliefs.shape == energy.unary.shape
    assert swept.beliefs.min(axis=-1).max() == 0
    few = solve(energy, "auto", max_iter=3)
    assert (few.status, few.iterations) == ("iteration_limit", 3)
    with pytest.raises(ValueError, match="certificate must be False for method 'auto'"):
        rm.minimize(energy, certificate=True)


def test_a_little_time_gives_a_labelling_of_the_sweeps():
    energy = rm.Energy(textured((300, 300), 40), rm.TruncatedQuadratic(6), 20)
    result = solve(energy, "auto", callback=lambda record: record.iteration == 1)
    assert result.status == "stopped"
    assert result.energy < 0.9 * energy(np.zeros(energy.shape, int))


@pytest.mark.parametrize("prior", ROBUST, ids=repr)
def test_the_answer_does_not_depend_on_threads_or_a_constant(prior):
    unary = noisy(6, (40, 50))
    energy = rm.Energy(unary, prior, 7)
    alone = solve(energy, "auto", threads=1)
    for threads in (2, 3):
        np.testing.assert_array_equal(alone.labels, solve(energy, "auto", threads=threads).labels)
    if not isinstance(prior, rm.Cauchy):
        shifted = solve(rm.Energy(unary + 1000, prior, 7), "auto")
        np.testing.assert_array_equal(alone.labels, shifted.labels)


def test_a_solver_goes_on_from_its_messages():
    unary = textured((60, 80), 12)
    solver = rm.Solver(rm.Energy(unary, rm.TruncatedQuadratic(2), 20))

    def sweeps(result):
        last = [r.step for r in result.trace if r.step.startswith("sweep")][-1]
        return int(last.split()[1])

    first = solver.solve()
    changed = unary.copy()
    changed[:5, :5] = changed[:5, :5, ::-1]
    solver.update(unary=changed)
    second = solver.solve()
    assert second.energy == solver.energy(second.labels)
    assert sweeps(second) < sweeps(first)
