"""How sure labels of tiles are: one tile says what the whole says, smaller ones nearly that."""

from dataclasses import replace

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.stereo.confidence import weakened_by_doubt
from rangemoves.stereo.streamed_pair import StreamedPair
from rangemoves.stereo.streaming import match_in_tiles
from rangemoves.stereo.tile_confidence import confidence_of_tiles

PAIR = rm.datasets.synthetic_stereo(seed=2, shape=(130, 170), labels=14)


def everything(height, width):
    """Settings of a run, and what it knows about pixels: in bytes, and in 32-bit integers."""
    mask = np.ones((height, width), bool)
    mask[30:50, 60:90] = False
    low = np.where(np.arange(width) < 50, 2.0, np.nan) + np.zeros((height, 1))
    return {
        "bytes": ({}, {}),
        "shifted": ({"min_disparity": -3}, {}),
        "no check": ({"left_right": False}, {}),
        "real prior": ({"prior": rm.Cauchy(3)}, {}),
        "mask": ({}, {"mask": mask}),
        "range": ({}, {"disparity_range": (low, 13.0)}),
    }


CASES = everything(130, 170)


@pytest.fixture(scope="module", params=CASES)
def case(request):
    settings, limits = CASES[request.param]
    matcher = rm.stereo.StereoMatcher(labels=17, **settings)
    whole = matcher.run(PAIR.left, PAIR.right, confidence=True, **limits)
    return matcher, whole, StreamedPair.of(PAIR.left, PAIR.right, *_in_order(limits))


def _in_order(limits):
    return limits.get("mask"), limits.get("disparity_range")


def found_by(case, tiles, margin):
    matcher, whole, pair = case
    sure = confidence_of_tiles(matcher, pair, whole.result.labels, tiles, margin)
    return weakened_by_doubt(sure, whole.consistent)


def test_one_tile_says_what_the_whole_says(case):
    np.testing.assert_array_equal(found_by(case, (130, 170), 0), case[1].confidence)


def test_tiles_with_a_margin_say_nearly_that(case):
    off = np.abs(found_by(case, (64, 64), 32) - case[1].confidence)
    assert np.mean(off > 0.01) < 0.01
    assert off.max() < 0.15
    without = np.abs(found_by(case, (64, 64), 0) - case[1].confidence)
    assert np.mean(without > 0.01) > 5 * np.mean(off > 0.01)


def test_labels_from_elsewhere_are_judged_not_their_own():
    matcher = rm.stereo.StereoMatcher(labels=14)
    whole = matcher.run(PAIR.left, PAIR.right)
    pair = StreamedPair.of(PAIR.left, PAIR.right)
    wrong = (whole.result.labels + 6) % 14
    sure, of_wrong = (
        confidence_of_tiles(matcher, pair, labels, (64, 64), 32)
        for labels in (whole.result.labels, wrong)
    )
    assert of_wrong.mean() < 0.1 * sure.mean()


def test_a_pair_in_tiles():
    """The labels of a tiled run where they are those of the untiled one are as sure as there."""
    matcher = rm.stereo.StereoMatcher(labels=14)
    found = match_in_tiles(matcher, PAIR.left, PAIR.right, tiles=(64, 64), confidence=True)
    whole = matcher.run(PAIR.left, PAIR.right, confidence=True)
    same = (found.result.labels == whole.result.labels) & (found.consistent == whole.consistent)
    assert same.mean() > 0.9
    # Agreement counts on 5 x 5 pixels, some of which may differ around equal ones.
    off = np.abs(found.confidence - whole.confidence)[same]
    assert np.mean(off > 0.01) < 0.1
    assert match_in_tiles(matcher, PAIR.left, PAIR.right, tiles=(64, 64)).confidence is None


def test_any_method_may_move_the_tiles():
    found = [
        match_in_tiles(
            rm.stereo.StereoMatcher(labels=14, method=method),
            PAIR.left,
            PAIR.right,
            tiles=(64, 64),
            confidence=True,
        )
        for method in ("trws", "expansion")
    ]
    same = replace(rm.stereo.StereoMatcher(labels=14), threads=1)
    pair = StreamedPair.of(PAIR.left, PAIR.right)
    for one in found:
        sure = confidence_of_tiles(same, pair, one.result.labels, (64, 64), 32)
        np.testing.assert_array_equal(one.confidence, weakened_by_doubt(sure, one.consistent))
