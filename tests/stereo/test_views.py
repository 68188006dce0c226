"""Views in bytes and 16-bit messages: the same costs and the same energy as anything else."""

import os
import subprocess
import sys

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.images import check_pair
from rangemoves.stereo import _match, _views
from rangemoves.stereo.restrictions import Restrictions

PAIR = rm.datasets.synthetic_stereo(seed=3, shape=(50, 70), labels=21)


@pytest.mark.parametrize("min_disparity", [-5, 0, 3])
@pytest.mark.parametrize("colours", ["rgb", "grey"])
def test_costs_are_those_of_other_methods(min_disparity, colours):
    images = (PAIR.left, PAIR.right)
    if colours == "grey":
        images = tuple(image[..., 1] for image in images)
    left, right = check_pair(*images)
    costs = _views.view_costs(left, right, 21, min_disparity)
    assert costs.shape == (50, 70, 32)
    expected = _match.data_cost(left, right, 21, min_disparity)
    np.testing.assert_array_equal(costs[..., :21], expected)
    _views.turn_right(costs, 21, min_disparity)
    views = (np.ascontiguousarray(image[:, ::-1]) for image in (right, left))
    mirrored = _match.data_cost(*views, 21, min_disparity, Restrictions(from_left=False))
    np.testing.assert_array_equal(costs[:, ::-1, :21], mirrored)


@pytest.mark.parametrize("min_disparity", [-9, 0, 3])
def test_a_match_outside_costs_between_the_best_and_the_mean_inside(min_disparity):
    left, right = check_pair(PAIR.left, PAIR.right)
    costs = _views.view_costs(left, right, 21, min_disparity)[..., :21].astype(int)
    match = np.arange(70)[:, None] - np.arange(21) - min_disparity
    inside = (match >= 0) & (match < 70)
    assert not inside.all()
    for column in np.flatnonzero(~inside.all(axis=1)):
        seen = costs[:, column, inside[column]]
        expected = np.full(50, 60)
        if seen.shape[1] >= 8:
            expected = (seen.min(axis=1) + seen.sum(axis=1) // seen.shape[1]) // 2
        outside = costs[:, column, ~inside[column]]
        np.testing.assert_array_equal(outside, np.broadcast_to(expected[:, None], outside.shape))


def test_refinement_is_that_of_whole_costs():
    left, right = check_pair(PAIR.left, PAIR.right)
    labels = np.random.default_rng(0).integers(0, 21, (50, 70)).astype(np.int32)
    fine = _views.refined(_views.view_costs(left, right, 21, 0), labels, 21, 3)
    unary = _match.data_cost(left, right, 21, 0)
    np.testing.assert_array_equal(fine, _match.refinement(unary, labels, 3))


@pytest.mark.parametrize(
    ("prior", "weight", "fits"),
    [
        (rm.TruncatedLinear(3), 32, True),
        (rm.TruncatedLinear(16), 28, True),
        (rm.TruncatedLinear(3), 2, True),
        (rm.TruncatedLinear(3), 1, False),
        (rm.TruncatedLinear(3), 0.3, False),
        (rm.TruncatedLinear(17), 4, False),
        (rm.TruncatedLinear(2.5), 32, False),
        (rm.TruncatedLinear(16), 400, False),
        (rm.TruncatedQuadratic(3), 32, False),
    ],
)
def test_what_does_not_fit_goes_the_other_way(prior, weight, fits):
    assert _views.fits(prior, weight, _match.EDGE_FACTOR) is fits
    matcher = rm.stereo.StereoMatcher(21, prior=prior, weight=weight, max_iter=2)
    found = matcher.run(PAIR.left, PAIR.right)
    # Only the general solver knows a bound.
    assert (found.result.lower_bound is None) is fits


@pytest.mark.parametrize("settings", [{"RANGEMOVES_SIMD": "plain"}, {"RANGEMOVES_LANES": "16"}])
def test_every_instruction_set_gives_the_same_labels(settings):
    code = """
import hashlib
import rangemoves as rm
pair = rm.datasets.synthetic_stereo(seed=3, shape=(50, 70), labels=21)
found = rm.stereo.StereoMatcher(21).run(pair.left, pair.right)
print(hashlib.sha256(found.disparity.tobytes()).hexdigest())
"""
    answers = [
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | one,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for one in ({}, settings)
    ]
    assert answers[0] == answers[1]
