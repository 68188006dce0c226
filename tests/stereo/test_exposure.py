"""Pairs whose images were exposed differently."""

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.images import check_valid_pair
from rangemoves.stereo.exposure import with_equal_exposure
from rangemoves.stereo.streaming import match_in_tiles

CHANGES = {
    "power": lambda image: np.rint(255 * (image / 255.0) ** 0.6).astype(np.uint8),
    "half": lambda image: image // 2,
    "offset": lambda image: np.clip(image.astype(int) + 25, 0, 255).astype(np.uint8),
}


@pytest.fixture(scope="module")
def pair():
    return rm.datasets.synthetic_stereo(shape=(120, 160), labels=16, seed=3)


def bad(disparity, pair):
    return rm.stereo.evaluate(disparity, pair.disparity)["bad1"]


def test_a_pair_of_one_exposure_stays_what_it_is(pair):
    images = check_valid_pair(pair.left, pair.right)
    assert with_equal_exposure(images) is images


def test_public_pairs_stay_what_they_are(data_folder):
    for name in ("tsukuba", "cones"):
        found = rm.datasets.middlebury(name, root=data_folder)
        images = check_valid_pair(found.left, found.right)
        assert with_equal_exposure(images) is images


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("side", ["left", "right"])
def test_another_exposure_does_not_matter(pair, change, side):
    usual = bad(rm.stereo.match(pair.left, pair.right, labels=16), pair)
    left = change(pair.left) if side == "left" else pair.left
    right = change(pair.right) if side == "right" else pair.right
    assert bad(rm.stereo.match(left, right, labels=16), pair) < usual + 0.5


def test_values_come_back(pair):
    images = check_valid_pair(pair.left, CHANGES["half"](pair.left))
    found = with_equal_exposure(images)
    assert found.left is images.left
    assert np.abs(found.right.astype(int) - pair.left).mean() < 3


def test_missing_pixels_do_not_count(pair):
    left = pair.left.astype(float)
    left[:60] = np.nan
    images = check_valid_pair(left, np.where(np.isnan(left), np.nan, pair.left / 2))
    found = with_equal_exposure(images)
    shown = found.left_valid
    assert np.abs(found.right.astype(int) - found.left)[shown].mean() < 3


def test_nothing_to_compare(pair):
    flat = np.full((20, 30), 10, np.uint8)
    images = check_valid_pair(flat, flat + 90)
    found = with_equal_exposure(images)
    assert np.array_equal(found.left, found.right)


def test_one_tile_and_many_see_the_same_images(pair):
    right = CHANGES["power"](pair.right)
    matcher = rm.stereo.StereoMatcher(labels=16)
    found = match_in_tiles(matcher, pair.left, right, tiles=(60, 80))
    assert bad(found.disparity, pair) < bad(matcher.run(pair.left, right).disparity, pair) + 0.5
