"""Swapped images and too few disparities are noticed, said with what helps, and nothing else is."""

import numpy as np
import pytest

import rangemoves as rm

PAIR = rm.datasets.synthetic_stereo(seed=1, shape=(90, 140), labels=24)


def warnings_of(left, right, **settings):
    return " ".join(rm.stereo.StereoMatcher(**settings).run(left, right).warnings)


@pytest.mark.parametrize(
    "settings", [{"labels": 24}, {"labels": 40}, {"labels": 48, "min_disparity": -24}]
)
def test_a_good_pair_gives_no_reason(settings):
    assert warnings_of(PAIR.left, PAIR.right, **settings) == ""


@pytest.mark.parametrize("left_right", [True, False])
def test_swapped_images_are_noticed(left_right):
    said = warnings_of(PAIR.right, PAIR.left, labels=24, left_right=left_right)
    assert "seem to be swapped" in said
    assert "exchange the two images" in said


def test_too_few_labels_are_noticed_and_enough_are_named():
    said = warnings_of(PAIR.left, PAIR.right, labels=11)
    assert "too few labels" in said
    assert "disparities above 10; pass about 24 labels" in said
    assert warnings_of(PAIR.left, PAIR.right, labels=24) == ""


def test_a_range_that_begins_too_high_is_noticed():
    said = warnings_of(PAIR.left, PAIR.right, labels=24, min_disparity=12)
    assert "min_disparity seems too large" in said


def test_one_image_given_twice_is_noticed():
    assert warnings_of(PAIR.left, PAIR.left, labels=24) == (
        "left and right are the same image; pass the two images of a pair"
    )
    flat = np.full((20, 30), 7, np.uint8)
    assert warnings_of(flat, flat, labels=5) == ""


def test_two_different_scenes_are_noticed():
    other = rm.datasets.synthetic_stereo(seed=7, shape=(90, 140), labels=24)
    said = warnings_of(PAIR.left, other.right[::-1], labels=24)
    assert "of the pixels only; check that the pair is rectified" in said


def test_functions_that_hand_out_a_map_alone_warn():
    with pytest.warns(UserWarning, match="swapped") as caught:
        rm.stereo.match(PAIR.right, PAIR.left, labels=24)
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="swapped"):
        rm.stereo.StereoMatcher(labels=24).compute(PAIR.right, PAIR.left)


def test_a_time_limit_that_leaves_nothing_is_said():
    found = rm.stereo.StereoMatcher(labels=24, time_limit=0).run(PAIR.left, PAIR.right)
    assert not found.is_solved
    assert found.warnings == ("the time limit was over before anything was found; raise it",)
    with pytest.warns(UserWarning, match="time limit was over"):
        rm.stereo.match(PAIR.left, PAIR.right, labels=24, time_limit=0)


def test_agreement_is_that_of_the_views():
    found = rm.stereo.StereoMatcher(labels=24).run(PAIR.left, PAIR.right)
    assert found.is_solved
    assert found.agreement == np.mean(found.consistent) > 0.7
    assert found.right is not None
    alone = rm.stereo.StereoMatcher(labels=24, left_right=False).run(PAIR.left, PAIR.right)
    assert alone.agreement is None
    assert alone.right is None


@pytest.mark.parametrize("name", ["tsukuba", "map", "sawtooth", "venus", "cones", "teddy"])
def test_public_pairs(data_folder, name):
    """Right, wide enough to the unit, swapped, and with half the disparities that are there."""
    from rangemoves.images import check_pair
    from rangemoves.stereo.range_check import look_closer

    pair = rm.datasets.middlebury(name, data_folder)
    left, right = check_pair(pair.left, pair.right)
    largest = int(np.nanmax(pair.disparity))
    assert look_closer(left, right, 0, pair.labels, 1.0) == []
    assert look_closer(left, right, 0, largest + 1, 1.0) == []
    assert "swapped" in look_closer(right, left, 0, pair.labels, 1.0)[0]
    assert "too few labels" in look_closer(left, right, 0, largest // 2, 1.0)[0]
