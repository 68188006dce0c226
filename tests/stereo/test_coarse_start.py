"""A view that begins with messages of blocks: lower energies, the same kind of answer."""

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.images import check_pair
from rangemoves.stereo import _views
from rangemoves.stereo._coarse_start import Problem, _block_weights, _made_of_blocks, start_coarse

PAIR = rm.datasets.synthetic_stereo(seed=1, shape=(71, 90), labels=20)
LEFT, RIGHT = check_pair(PAIR.left, PAIR.right)


def solved(count, from_blocks, **change):
    settings = {"time_limit": None, "callback": None} | change
    how = _views.Sweeps(20, 3, 4, 32, 8, count, from_blocks, **settings)
    costs = _views.view_costs(LEFT, RIGHT, 20, 0)
    # What is left of another view must not matter.
    room = np.full((2, *costs.shape), 77, np.int16)
    return how.solve(costs, LEFT, room, with_confidence=True)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_energies_are_lower(count):
    with_blocks, without = (solved(count, from_blocks)[0] for from_blocks in (True, False))
    assert with_blocks.energy < without.energy
    assert with_blocks.iterations == without.iterations == count


def test_weights_between_blocks():
    weights = np.arange(2 * 3 * 4, dtype=np.int16).reshape(2, 3, 4)
    weights[0, 2], weights[1, :, 3] = 0, 0  # no edges leave the image
    expected = [[[(4 + 5) // 4, (6 + 7) // 4], [0, 0]], [[(13 + 17) // 4, 0], [21 // 4, 0]]]
    np.testing.assert_array_equal(_block_weights(weights), expected)


@pytest.mark.parametrize("shape", [(31, 31), (32, 31), (71, 90), (64, 130)])
def test_blocks_share_the_memory_of_the_messages(shape):
    costs = np.random.default_rng(0).integers(0, 255, (*shape, 16), dtype=np.uint8)
    view = Problem(costs, np.ones((2, *shape), np.int16), np.empty((2, *shape, 16), np.int16))
    problems = _made_of_blocks(view)
    assert len(problems) == (2 if min(shape) > 60 else 1)
    parts = [part for problem in problems for part in (problem.costs, problem.messages)]
    assert all(np.shares_memory(part, view.messages) for part in parts)
    pairs = [(a, b) for i, a in enumerate(parts) for b in parts[:i]]
    assert not any(np.shares_memory(a, b) for a, b in pairs)


def test_small_views_begin_with_nothing():
    costs = np.zeros((20, 30, 16), np.uint8)
    view = Problem(costs, np.ones((2, 20, 30), np.int16), np.full((2, 20, 30, 16), 5, np.int16))
    assert start_coarse(view, lambda problem: pytest.fail("nothing to sweep over"))
    assert not view.messages.any()


def test_no_messages_where_there_is_no_edge():
    """Beliefs add up all messages: those of edges that leave the image must be zero."""
    costs = _views.view_costs(LEFT, RIGHT, 20, 0)
    weights = np.full((2, 71, 90), 64, np.int16)
    weights[0, -1], weights[1, :, -1] = 0, 0
    view = Problem(costs, weights, np.full((2, *costs.shape), 5, np.int16))
    how = _views.Sweeps(20, 3, 4, 32, 8, 1, True, None, None)
    run = _views._Run(how, costs, weights, view.messages)
    assert start_coarse(view, run._sweep)
    right, down = view.messages
    assert right.any()
    assert down.any()
    assert not right[:, -1].any()
    assert not down[-1].any()


def test_without_time_the_start_is_what_is_left():
    result, sure = solved(4, True, time_limit=0)
    assert (result.status, result.iterations) == ("time_limit", 0)
    assert not result.labels.any()
    assert np.isfinite(sure).all()


def test_interrupted_between_blocks(monkeypatch):
    calls = []

    def interrupt(*args, **kwargs):
        calls.append(1)
        raise KeyboardInterrupt

    monkeypatch.setattr(_views._core, "sweep_view", interrupt)
    with pytest.raises(rm.Interrupted) as caught:
        solved(4, True)
    assert len(calls) == 1
    assert caught.value.result.iterations == 0
    assert not caught.value.result.labels.any()


def test_presets_and_sweeps_of_each_view():
    for preset, left, right in (("fast", 1, 1), ("balanced", 12, 4)):
        found = rm.stereo.StereoMatcher(20, preset=preset).run(LEFT, RIGHT)
        assert (found.result.iterations, found.right.iterations) == (left, right)
    found = rm.stereo.StereoMatcher(20, max_iter=7).run(LEFT, RIGHT)
    assert (found.result.iterations, found.right.iterations) == (7, 3)
    # A settings file holds the number of sweeps: it must give the same map again.
    matcher = rm.stereo.StereoMatcher(20)
    again = rm.stereo.StereoMatcher(20, max_iter=matcher.sweeps)
    maps = [one.run(LEFT, RIGHT).disparity for one in (matcher, again)]
    np.testing.assert_array_equal(*maps)
