"""The method that puts all others together: as low as it gets, and known to be so."""

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from oracles import best_energy, energies, hard_grid, solve, starts

import rangemoves as rm

KINDS = ["convex", "robust", "flat", "any"]


def noise(shape=(30, 40, 8), weights=3, prior=None, seed=0):
    unary = np.random.default_rng(seed).integers(0, 30, shape)
    return rm.Energy(unary, prior or rm.TruncatedQuadratic(2), weights)


@hypothesis.settings(max_examples=500)
@hypothesis.given(data=st.data())
def test_the_optimum_lies_between_bound_and_energy(data):
    kind, forbid, features = data.draw(st.tuples(st.sampled_from(KINDS), *[st.booleans()] * 2))
    energy = data.draw(energies(kind, forbid, features=features))
    result = solve(energy, "best", init=data.draw(starts(energy)))
    optimum = best_energy(energy)
    assert result.lower_bound <= optimum <= result.energy
    if result.status == "optimal":
        assert result.energy == optimum


@hypothesis.given(data=st.data())
def test_real_costs(data):
    kind, features = data.draw(st.tuples(st.sampled_from(KINDS), st.booleans()))
    energy = data.draw(energies(kind, real=True, features=features))
    result = solve(energy, "best")
    optimum = best_energy(energy)
    tolerance = 1e-12 * abs(optimum) + 1e-12
    assert result.lower_bound <= optimum + tolerance
    assert optimum <= result.energy + tolerance


@pytest.mark.parametrize(
    "prior", [rm.TruncatedLinear(2), rm.TruncatedQuadratic(2), rm.Cauchy(2)], ids=repr
)
def test_no_higher_than_any_other(prior):
    energy = noise(prior=prior)
    result = solve(energy, "best")
    assert result.status in ("optimal", "converged")
    for method in ("gswap", "trws"):
        assert result.energy <= solve(energy, method).energy
    assert result.gap < 0.01


def test_the_trace_says_what_each_step_was():
    result = solve(noise(weights=6), "best")
    steps = {record.step.rstrip("0123456789") for record in result.trace}
    assert "sweep " in steps
    assert all(record.step for record in result.trace)
    bounds = [record.lower_bound for record in result.trace]
    assert bounds == sorted(bounds)


def test_what_sweeps_leave_open_goes_to_islands():
    result = solve(hard_grid(0), "best")
    steps = [record.step for record in result.trace]
    assert steps[:4] == ["sweep 25", "sweep 50", "sweep 75", "sweep 100"]
    moved = steps.index("fusion with gswap from the start")
    assert set(steps[4:moved]) == {"gswap from the start"}
    assert set(steps[moved + 1 :]) == {"lazy sweep", "islands"}
    assert (steps[-1], result.status) == ("islands", "optimal")


def test_the_same_seed_gives_the_same_for_any_number_of_threads():
    energy = noise(shape=(120, 130, 26))
    one, two = (solve(energy, "best", threads=n, seed=4, max_iter=150) for n in (1, 2))
    np.testing.assert_array_equal(one.labels, two.labels)
    assert one.lower_bound == two.lower_bound
    assert [r.step for r in one.trace] == [r.step for r in two.trace]


def test_limits_and_graphs():
    energy = noise(shape=(60, 70, 16))
    assert solve(energy, "best", max_iter=5).status == "iteration_limit"
    assert solve(energy, "best", time_limit=0).status == "time_limit"
    assert solve(energy, "best", time_limit=0.05).lower_bound is not None
    ring = np.array([(i, (i + 1) % 50) for i in range(50)])
    graph = rm.Energy(energy.unary[0, :50, :7], rm.Cauchy(2), 4, edges=ring)
    assert solve(graph, "best").gap < 0.05


def test_it_stops_when_the_callback_says_so():
    result = solve(noise(), "best", callback=lambda record: record.iteration == 3)
    assert (result.status, result.iterations) == ("stopped", 3)


def test_certificates_are_for_best_and_only_where_asked_for():
    energy = noise(shape=(5, 6, 4))
    assert solve(energy, "best").certificate is None
    for method in rm.methods():
        if method.name != "best":
            with pytest.raises(ValueError, match=r"certificate must be False .*'best'"):
                rm.minimize(energy, method.name, certificate=True)
    with pytest.raises(TypeError, match="certificate must be True or False"):
        rm.minimize(energy, "best", certificate="yes")
    with pytest.raises(ValueError, match="certificate must be False for method 'trws'"):
        rm.Solver(energy, "trws", certificate=True)


def colouring():
    """Neighbours of a grid, diagonal ones too, want to differ, which two labels do not allow.

    Messages say nothing of it, and all of the grid would be one island, too large to be tried.
    """
    unary = np.random.default_rng(0).integers(0, 2, (111, 111, 2))
    return rm.Energy(unary, rm.TablePrior([1, 0]), 100, connectivity=8)


def test_it_ends_by_itself_where_nothing_brings_more():
    result = solve(colouring(), "best")
    assert result.status == "converged"
    assert result.lower_bound < result.energy
    # The last rounds: neither a lower energy nor a higher bound.
    assert len({(r.energy, r.lower_bound) for r in result.trace[-100:]}) == 1


def test_a_limit_of_time_is_used_where_the_gap_stays_open():
    result = solve(colouring(), "best", time_limit=8)
    assert result.status == "time_limit"
    assert result.seconds >= 8
    assert result.lower_bound < result.energy
