"""The oracles of the tests against each other."""

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from oracles import best_energy, energies, grid_optimum, hard_grid

import rangemoves as rm


@hypothesis.given(data=st.data())
def test_pixel_by_pixel_the_optimum_is_that_of_all_labellings(data):
    kind = data.draw(st.sampled_from(["convex", "robust", "flat", "any"]))
    forbid, features = data.draw(st.tuples(st.booleans(), st.booleans()))
    energy = data.draw(energies(kind, forbid, features=features).filter(lambda e: e.row > 0))
    hypothesis.assume(len(energy.shape) == 2)
    assert grid_optimum(energy) == best_energy(energy)


def test_rows_with_forbidden_differences_and_edges_without_weight():
    table = np.array([np.inf, 3, 0, 1, np.inf])
    rng = np.random.default_rng(0)
    weights = [rng.integers(0, 3, (2, 3)), rng.integers(1, 3, (3, 2))]
    energy = rm.Energy(rng.integers(0, 9, (3, 3, 3)), rm.TablePrior(table), weights)
    assert grid_optimum(energy) == rm.testing.brute_force(energy)[1]


def test_larger_grids_lie_between_bound_and_energy():
    energy = hard_grid(0, shape=(12, 5), labels=4)
    result = rm.minimize(energy, "best", threads=1)
    assert result.lower_bound <= grid_optimum(energy) <= result.energy


@pytest.mark.parametrize("prior", [rm.TruncatedLinear(1), rm.TruncatedLinear(2)], ids=repr)
def test_sweeps_alone_leave_a_gap_on_hard_grids(prior):
    gaps = 0
    for seed in range(10):
        energy = hard_grid(seed, prior=prior)
        sweeps = rm.minimize(energy, "trws", max_iter=200, threads=1)
        gaps += sweeps.lower_bound < grid_optimum(energy)
    assert gaps >= 4
