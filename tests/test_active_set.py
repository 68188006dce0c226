"""Who may move, by each strategy."""

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.active_set import active_set, is_maximal, satisfies_criterion


@pytest.fixture
def chain():
    return rm.Energy(np.zeros((1, 4, 30)), rm.TruncatedLinear(4))


def test_all_are_active_where_no_edge_is_beyond_the_range(chain):
    assert active_set(chain, [[3, 7, 4, 0]]).all()


def test_alternating_drops_the_larger_then_the_smaller(chain):
    labels = [[0, 1, 10, 11]]
    assert active_set(chain, labels).tolist() == [[True, True, False, True]]
    assert active_set(chain, labels, iteration=1).tolist() == [[True, False, True, True]]


def test_a_range_stays(chain):
    labels = [[0, 1, 10, 11]]
    kept = active_set(chain, labels, "range", label_range=(10, 12))
    assert kept.tolist() == [[True, False, True, True]]


def test_the_favoured_stay(chain):
    favour = np.array([[False, False, True, False]])
    assert active_set(chain, [[0, 1, 10, 11]], favour=favour)[0, 2]


def test_the_random_set_depends_on_the_seed_alone():
    rng = np.random.default_rng(0)
    energy = rm.Energy(np.zeros((9, 9, 30)), rm.TruncatedLinear(4))
    labels = rng.integers(0, 30, (9, 9))
    sets = [active_set(energy, labels, "random", seed=seed) for seed in range(20)]
    again = [active_set(energy, labels, "random", seed=seed) for seed in range(20)]
    np.testing.assert_array_equal(sets, again)
    assert len({active.tobytes() for active in sets}) == 20
    for active in sets:
        assert satisfies_criterion(energy, labels, active)
        assert is_maximal(energy, labels, active)


def test_the_conditions_can_be_violated(chain):
    labels = [[0, 10, 20, 20]]
    assert not satisfies_criterion(chain, labels, np.ones((1, 4), bool))
    assert not is_maximal(chain, labels, np.zeros((1, 4), bool))


def test_edges_without_weight_do_not_count():
    energy = rm.Energy(np.zeros((1, 2, 30)), rm.TruncatedLinear(4), 0)
    assert active_set(energy, [[0, 29]]).all()


def test_the_range_can_end_at_the_priors_own_threshold():
    energy = rm.Energy(np.zeros((1, 2, 30)), rm.Cauchy(4))
    for difference, by_table, by_prior in ((4, True, True), (5, True, False), (6, False, False)):
        labels, everyone = [[0, difference]], np.ones((1, 2), bool)
        for convex_range, all_stay in (("table", by_table), ("prior", by_prior)):
            active = active_set(energy, labels, convex_range=convex_range)
            assert active.all() == all_stay
            assert satisfies_criterion(energy, labels, active, convex_range=convex_range)
            assert is_maximal(energy, labels, active, convex_range=convex_range)
            found = satisfies_criterion(energy, labels, everyone, convex_range=convex_range)
            assert found == all_stay


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"strategy": "luck"}, ValueError, "strategy must be one of"),
        ({"strategy": "range"}, ValueError, "label_range must be given"),
        ({"favour": np.ones((1, 3), bool)}, ValueError, r"favour must have shape \(1, 4\)"),
        ({"favour": np.ones((1, 4))}, TypeError, "favour must be booleans"),
        ({"convex_range": "all"}, ValueError, "convex_range must be one of"),
        ({"iteration": -1}, ValueError, "iteration must be at least 0"),
    ],
)
def test_bad_arguments_are_refused(chain, arguments, error, message):
    with pytest.raises(error, match=message):
        active_set(chain, [[0, 0, 0, 0]], **arguments)
