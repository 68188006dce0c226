"""Pixels that are missing and disparities that are not allowed, by hand and through a match."""

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.images import ValidPair, check_pair, check_valid_pair
from rangemoves.stereo.restrictions import Restrictions

PAIR = rm.datasets.synthetic_stereo(seed=1, shape=(60, 90), labels=14)
MATCHER = rm.stereo.StereoMatcher(labels=14)
GREY = [image[..., 1].astype(np.float64) for image in (PAIR.left, PAIR.right)]


def test_costs_by_hand():
    image = np.zeros((1, 4, 1), np.uint8)
    here, there = np.array([[1, 1, 0, 1]], bool), np.array([[1, 0, 1, 1]], bool)
    low, high = np.array([[0, 0, 0, 1]]), np.array([[0, 1, 1, 1]])
    limits = Restrictions.of(ValidPair(image, image, here, there), (low, high), 0, 2)
    costs = np.arange(8, dtype=np.int32).reshape(1, 4, 2)
    limits.restrict(costs, 0, -5)
    # Pixel 0: only label 0. Pixel 1: label 0 meets a hole. Pixel 2 is one. Pixel 3: only label 1.
    assert costs.tolist() == [[[0, 4000], [-5, 3], [-5, -5], [4000, 7]]]

    mirrored = limits.the_other_way()
    costs = np.arange(8, dtype=np.int32).reshape(1, 4, 2)
    mirrored.restrict(costs, 0, -5)
    # The right image from its right end: pixels 3, 2, 1, 0 of it, whose label 1 means pixel + 1 of
    # the left one.
    assert costs.tolist() == [[[4000, 1], [-5, 3], [-5, -5], [6, 7]]]


def test_pixels_that_are_missing_have_no_answer_and_do_no_harm():
    keep = np.ones(PAIR.left.shape[:2], bool)
    keep[20:40, 30:60] = False
    found = MATCHER.run(PAIR.left, PAIR.right, mask=keep)
    np.testing.assert_array_equal(np.isnan(found.disparity), ~keep)
    assert not found.consistent[~keep].any()
    whole = MATCHER.run(PAIR.left, PAIR.right)
    assert np.mean(np.abs(found.disparity - whole.disparity)[keep] > 1) < 0.02
    assert found.agreement == pytest.approx(found.consistent[keep].mean())


def test_nan_in_either_image_is_a_missing_pixel():
    left, right = (image.copy() for image in GREY)
    left[5:9, 40:50] = np.nan
    right[30:50, 20:40] = np.inf
    found = MATCHER.run(left, right)
    assert np.isnan(found.disparity[5:9, 40:50]).all()
    assert np.isfinite(found.disparity).mean() > 0.98
    known = np.isfinite(found.disparity)
    scores = rm.stereo.evaluate(found.disparity, np.where(known, PAIR.disparity, np.nan))
    assert scores["bad2"] < 15


def test_real_numbers_are_stretched_alike():
    plain = check_pair(*(image.astype(np.uint8) for image in GREY))
    shifted = check_pair(*(image / 7 - 300 for image in GREY))
    # A thousandth is cut off at either end, and what is left fills 0..255.
    for a, b in zip(plain, shifted, strict=True):
        assert np.corrcoef(a.ravel(), b.ravel())[0, 1] > 0.999
    found = rm.stereo.match(*(image / 7 - 300 for image in GREY), labels=14)
    assert rm.stereo.evaluate(found, PAIR.disparity)["bad2"] < 15


@pytest.mark.parametrize("value", [0.0, 3.5, -1e300, 1e-300])
def test_constant_images_of_real_numbers(value):
    image = np.full((6, 8), value)
    assert np.isfinite(rm.stereo.match(image, image, labels=3)).all()


def test_bad_pixels_are_said_where_they_cannot_be_left_out():
    left = GREY[0].copy()
    left[3, 4] = np.nan
    with pytest.raises(ValueError, match=r"left must be finite; found 1 pixels .* \(3, 4\)"):
        rm.stereo.cost_volume(left, GREY[1], 4)
    with pytest.raises(ValueError, match="finite pixels; found none"):
        check_valid_pair(np.full((3, 3), np.nan), np.full((3, 3), np.nan))
    with pytest.raises(TypeError, match="uint8, uint16 or real numbers; found int64"):
        rm.stereo.match(np.zeros((3, 3), int), np.zeros((3, 3), int), labels=1)


@pytest.mark.parametrize(
    ("mask", "words"),
    [
        (np.ones((60, 89), bool), "map of booleans of shape"),
        (np.ones((60, 90)), "map of booleans of shape"),
        (np.zeros((60, 90), bool), "True somewhere"),
    ],
)
def test_bad_masks(mask, words):
    with pytest.raises(ValueError, match=words):
        rm.stereo.match(PAIR.left, PAIR.right, labels=14, mask=mask)


def test_disparities_stay_within_the_range_of_each_pixel():
    low = np.floor(PAIR.disparity) - 1
    high = low + 3
    low[:, :10], high[10:20] = np.nan, np.nan  # no limit
    free = MATCHER.run(PAIR.left, PAIR.right)
    held = MATCHER.run(PAIR.left, PAIR.right, disparity_range=(low, high))
    assert not (held.disparity < low).any()
    assert not (held.disparity > high).any()
    truth = PAIR.disparity
    better, worse = (rm.stereo.evaluate(found.disparity, truth)["mae"] for found in (held, free))
    assert better < worse
    assert held.right.labels.max() <= 13


def test_a_range_for_all_is_that_of_fewer_labels():
    found = rm.stereo.match(PAIR.left, PAIR.right, labels=14, disparity_range=(2, 9.7))
    assert found.min() >= 2
    assert found.max() <= 9


@pytest.mark.parametrize(
    ("limits", "error", "words"),
    [
        ((np.zeros((3, 3)), 5), ValueError, "two maps of shape"),
        ((20, 30), ValueError, "leave every pixel a whole disparity in 0..13; found none at 5400"),
        ((5, 4), ValueError, "found none at"),
        ((4.2, 4.8), ValueError, "found none at"),
        (3, TypeError, "pair"),
        (("a", "b"), TypeError, "pair"),
    ],
)
def test_bad_ranges(limits, error, words):
    with pytest.raises(error, match=words):
        rm.stereo.match(PAIR.left, PAIR.right, labels=14, disparity_range=limits)
