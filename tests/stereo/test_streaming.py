"""Stereo by tiles: costs, weights, check and fill are those of the whole, pixel by pixel."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.images import check_pair, check_valid_pair
from rangemoves.stereo._match import REFINE_RADIUS, data_cost
from rangemoves.stereo._postprocess import refinement
from rangemoves.stereo.restrictions import Restrictions
from rangemoves.stereo.streamed_pair import (
    PairCosts,
    PairWeights,
    StreamedPair,
    pair_of_files,
)
from rangemoves.stereo.streaming import disparities, match_in_tiles
from rangemoves.tiled.layouts import layout

PAIR = rm.datasets.synthetic_stereo(seed=2, shape=(70, 90), labels=14)


def pair_in_colours(colours):
    if colours == "grey":
        return PAIR.left.mean(axis=2).astype(np.uint8), PAIR.right.mean(axis=2).astype(np.uint8)
    return PAIR.left, PAIR.right


@pytest.mark.parametrize("min_disparity", [-5, 0, 3])
@pytest.mark.parametrize("colours", ["rgb", "grey"])
def test_costs_of_tiles_are_those_of_the_whole(min_disparity, colours):
    images = check_pair(*pair_in_colours(colours))
    pair = StreamedPair(*images)
    whole = PairCosts(pair, 14, min_disparity)(np.s_[0:70, 0:90])
    single = rm.stereo.StereoMatcher(labels=14, min_disparity=min_disparity, max_iter=0)
    np.testing.assert_array_equal(single._solve(*images, None)[1], whole)
    for tile in layout((70, 90), (20, 17), (1, 0)):
        part = PairCosts(pair, 14, min_disparity)(tile.box)
        np.testing.assert_array_equal(part, whole[tile.box])


def test_weights_of_tiles_are_those_of_the_whole():
    images = check_pair(PAIR.left, PAIR.right)
    down, right = rm.stereo.edge_weights(images[0], 4, 32, 8, mode="mean")
    for rows, columns in (tile.box for tile in layout((70, 90), (20, 17), (0, 1))):
        part = PairWeights(StreamedPair(*images), 32)((rows, columns))
        np.testing.assert_array_equal(part[0], down[rows, columns])
        np.testing.assert_array_equal(part[1], right[rows, columns])


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"subpixel": False},
        {"fill": False},
        {"left_right": False},
        {"min_disparity": 2},
    ],
)
def test_check_refinement_and_fill_cross_tiles(settings, monkeypatch):
    """Given the same labels, what is made of them is the same, pixel by pixel."""
    monkeypatch.setattr(rm.stereo.streaming, "_STRIP", 16)
    monkeypatch.setattr(rm.stereo.streaming, "_COLUMNS", 23)
    matcher = rm.stereo.StereoMatcher(labels=14, max_iter=3, **settings)
    expected = matcher.run(PAIR.left, PAIR.right)
    pair = StreamedPair(*check_pair(PAIR.left, PAIR.right))
    other = None if expected.right is None else expected.right.labels[:, ::-1]
    found = disparities(matcher, pair, expected.result, other)
    np.testing.assert_array_equal(found.disparity, expected.disparity)
    np.testing.assert_array_equal(found.consistent, expected.consistent)


def test_what_is_filled_from_afar_crosses_strips(monkeypatch):
    """Little is known, and far away: each pixel is filled from as many rows as ever matter."""
    monkeypatch.setattr(rm.stereo.streaming, "_STRIP", 16)
    monkeypatch.setattr(rm.stereo.streaming, "_COLUMNS", 23)
    scene = rm.datasets.synthetic_stereo(seed=2, shape=(180, 90), labels=14)
    images = check_pair(scene.left, scene.right)
    matcher = rm.stereo.StereoMatcher(labels=14, max_iter=3)
    views = matcher.run(*images)
    other = views.right.labels[:, ::-1].copy()
    is_wrong = np.random.default_rng(0).random((30, 15)) > 0.1
    is_wrong = np.kron(is_wrong, np.ones((6, 6), bool))
    other[is_wrong] = (other[is_wrong] + 5) % 14
    mirrored = replace(views.right, labels=np.ascontiguousarray(other[:, ::-1]))
    mine, pair = views.result.labels, StreamedPair(*images)
    rough = mine + refinement(PairCosts(pair, 14, 0)(np.s_[0:180, 0:90]), mine, REFINE_RADIUS)
    expected = matcher._finished(images[0], views.result, rough, mirrored)
    assert np.count_nonzero(~expected.consistent) > 0.8 * mine.size
    found = disparities(matcher, pair, views.result, other)
    np.testing.assert_array_equal(found.disparity, expected.disparity)
    np.testing.assert_array_equal(found.consistent, expected.consistent)


def restricted():
    """A mask, and a range that keeps some pixels from their true disparity."""
    rng = np.random.default_rng(1)
    mask = rng.random((70, 90)) > 0.05
    mask[20:40, 50:80] = False
    low = np.floor(PAIR.disparity) - rng.integers(0, 3, (70, 90))
    high = low + rng.integers(2, 6, (70, 90))
    low[:20], high[30:50, :40] = np.nan, np.nan
    return {"mask": mask, "disparity_range": (low, high)}


@pytest.mark.parametrize("min_disparity", [-3, 0])
def test_masks_and_ranges_cross_tiles(min_disparity, monkeypatch):
    """Costs of both views and all that is made of labels are those of the whole."""
    monkeypatch.setattr(rm.stereo.streaming, "_STRIP", 16)
    monkeypatch.setattr(rm.stereo.streaming, "_COLUMNS", 23)
    limits = restricted()
    matcher = rm.stereo.StereoMatcher(labels=17, min_disparity=min_disparity, max_iter=3)
    expected = matcher.run(PAIR.left, PAIR.right, **limits)
    pair = StreamedPair.of(PAIR.left, PAIR.right, *limits.values())
    whole = Restrictions.of(
        check_valid_pair(PAIR.left, PAIR.right, limits["mask"]),
        limits["disparity_range"],
        min_disparity,
        17,
    )
    views = [(pair, whole), (pair.the_other_way(), whole.the_other_way())]
    for view, restrictions in views:
        costs = data_cost(view.left, view.right, 17, min_disparity, restrictions)
        for tile in layout((70, 90), (20, 17), (1, 0)):
            part = PairCosts(view, 17, min_disparity)(tile.box)
            np.testing.assert_array_equal(part, costs[tile.box])
    found = disparities(matcher, pair, expected.result, expected.right.labels[:, ::-1])
    np.testing.assert_array_equal(found.disparity, expected.disparity)
    np.testing.assert_array_equal(found.consistent, expected.consistent)
    np.testing.assert_array_equal(found.missing, expected.missing)


def test_a_pair_with_a_mask_and_a_range_in_tiles():
    limits = restricted()
    matcher = rm.stereo.StereoMatcher(labels=14)
    found = match_in_tiles(matcher, PAIR.left, PAIR.right, tiles=(30, 30), **limits)
    known, (low, high) = limits["mask"], limits["disparity_range"]
    np.testing.assert_array_equal(np.isnan(found.disparity), ~known)
    inside = (found.disparity >= np.fmax(low, 0)) | np.isnan(low)
    assert inside[known].all()
    assert ((found.disparity <= np.fmin(high, 13)) | np.isnan(high))[known].all()
    with pytest.raises(ValueError, match="a whole disparity"):
        match_in_tiles(matcher, PAIR.left, PAIR.right, disparity_range=(5, 4))
    with pytest.raises(ValueError, match="shape"):
        match_in_tiles(matcher, PAIR.left, PAIR.right, disparity_range=(low[1:], 13))
    with pytest.raises(ValueError, match="mask must be left out"):
        match_in_tiles(matcher, StreamedPair.of(PAIR.left, PAIR.right), mask=known)


def test_a_mask_and_a_range_in_files_travel_by_name(tmp_path):
    pytest.importorskip("PIL")
    limits = restricted()
    rm.io.write_image(tmp_path / "l.png", PAIR.left)
    rm.io.write_image(tmp_path / "r.png", PAIR.right)
    np.save(tmp_path / "mask.npy", limits["mask"])
    np.save(tmp_path / "high.npy", limits["disparity_range"][1])
    names = ("l.png", "r.png", "mask.npy", None, "high.npy")
    pair = pair_of_files(*(None if name is None else tmp_path / name for name in names))
    for one in (pair, pair.the_other_way()):
        packed = pickle.dumps(one)
        assert len(packed) < 1000
        box = np.s_[10:50, 20:70]
        costs = [PairCosts(view, 14, 0)(box) for view in (pickle.loads(packed), one)]
        np.testing.assert_array_equal(*costs)
    given = StreamedPair.of(
        PAIR.left, PAIR.right, limits["mask"], (np.nan, limits["disparity_range"][1])
    )
    np.testing.assert_array_equal(
        PairCosts(pair.the_other_way(), 14, 0)(box),
        PairCosts(pickle.loads(pickle.dumps(given.the_other_way())), 14, 0)(box),
    )


def test_a_pair_in_tiles():
    matcher = rm.stereo.StereoMatcher(labels=14)
    found = match_in_tiles(matcher, PAIR.left, PAIR.right, tiles=(30, 30))
    whole = matcher.run(PAIR.left, PAIR.right)
    assert found.result.energy <= whole.result.energy
    bad = [rm.stereo.evaluate(one.disparity, PAIR.disparity)["bad1"] for one in (found, whole)]
    assert bad[0] <= bad[1] + 1


def test_settings_that_mean_nothing_are_refused():
    with pytest.raises(ValueError, match="must be left out with tiles"):
        match_in_tiles(rm.stereo.StereoMatcher(labels=14, max_iter=3), PAIR.left, PAIR.right)
    with pytest.raises(ValueError, match="preset must be left out with tiles"):
        match_in_tiles(rm.stereo.StereoMatcher(labels=14, preset="fast"), PAIR.left, PAIR.right)
    with pytest.raises(TypeError, match="right must be an image"):
        match_in_tiles(rm.stereo.StereoMatcher(labels=14), PAIR.left)


def test_a_pair_of_files_travels_by_name(tmp_path):
    pytest.importorskip("PIL")
    rm.io.write_image(tmp_path / "l.png", PAIR.left)
    rm.io.write_image(tmp_path / "r.png", PAIR.right)
    pair = pair_of_files(str(tmp_path / "l.png"), str(tmp_path / "r.png"))
    for one in (pair, pair.the_other_way()):
        packed = pickle.dumps(one)
        assert len(packed) < 1000
        other = pickle.loads(packed)
        np.testing.assert_array_equal(other.left, one.left)
        np.testing.assert_array_equal(other.right, one.right)


def test_missing_pixels_cross_tiles(tmp_path):
    """Costs, agreement and answers are those of the whole."""
    left, right = (image[..., 1].astype(np.float32) for image in (PAIR.left, PAIR.right))
    left[10:30, 40:60], right[40:60, 20:35] = np.nan, np.nan
    matcher = rm.stereo.StereoMatcher(labels=14)
    pair = StreamedPair.of(left, right)
    for view, valid in ((pair, pair.left_valid), (pair.the_other_way(), pair.right_valid)):
        whole = PairCosts(view, 14, 0)((slice(0, 70), slice(0, 90)))
        part = PairCosts(view, 14, 0)((slice(5, 45), slice(30, 70)))
        np.testing.assert_array_equal(part, whole[5:45, 30:70])
        assert view.left_valid.sum() == valid.sum() < valid.size
    found = match_in_tiles(matcher, left, right, tiles=(40, 50))
    np.testing.assert_array_equal(np.isnan(found.disparity), ~pair.left_valid)
    assert not found.consistent[~pair.left_valid].any()
    truth = np.where(pair.left_valid, PAIR.disparity, np.nan)
    assert rm.stereo.evaluate(found.disparity, truth)["bad2"] < 15

    files = []
    for name, image in (("left.tif", left), ("right.tif", right)):
        rm.io.write_disparity(tmp_path / name, image)
        files.append(str(tmp_path / name))
    stored = pickle.loads(pickle.dumps(pair_of_files(*files)))
    np.testing.assert_array_equal(stored.left_valid, pair.left_valid)
