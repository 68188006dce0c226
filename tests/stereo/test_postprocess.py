"""Refinement, the left-right check, filling and the median, each on its own."""

import numpy as np
import pytest

from rangemoves.stereo import _postprocess as post


class TestRefinement:
    @pytest.mark.parametrize("minimum", [4.0, 4.2, 3.7, 4.5])
    def test_finds_the_minimum_of_costs_that_grow_linearly(self, minimum):
        unary = np.abs(1000 * (np.arange(9) - minimum)).astype(np.int32)
        volume = np.broadcast_to(unary, (3, 4, 9)).copy()
        labels = np.full((3, 4), 4, dtype=np.int32)
        np.testing.assert_allclose(4 + post.refinement(volume, labels, 1), minimum, atol=2e-3)

    def test_ends_of_the_range_stay(self):
        volume = np.zeros((1, 2, 3), dtype=np.int32)
        volume[..., 1] = -5
        labels = np.array([[0, 2]], dtype=np.int32)
        np.testing.assert_array_equal(post.refinement(volume, labels, 2), 0)

    def test_other_surfaces_are_not_asked(self):
        rng = np.random.default_rng(0)
        volume = rng.integers(0, 50, (9, 9, 12), dtype=np.int32)
        labels = np.full((9, 9), 3, dtype=np.int32)
        labels[:, 5:] = 8
        apart = post.refinement(volume, labels, 4)
        volume[:, 5:] = rng.integers(0, 50, (9, 4, 12), dtype=np.int32)
        np.testing.assert_array_equal(apart[:, :5], post.refinement(volume, labels, 4)[:, :5])

    def test_against_plain_loops(self):
        rng = np.random.default_rng(1)
        volume = rng.integers(0, 50, (70, 6, 5), dtype=np.int32)
        labels = rng.integers(0, 5, (70, 6), dtype=np.int32)
        expected = np.zeros(labels.shape)
        for (y, x), label in np.ndenumerate(labels):
            if 0 < label < 4:
                window = np.s_[max(y - 2, 0) : y + 3, max(x - 2, 0) : x + 3]
                same = np.abs(labels[window] - label) <= 1
                less, equal, more = volume[window][same][:, label - 1 : label + 2].sum(axis=0)
                steeper = max(less, more) - equal
                if steeper > 0 and steeper >= post.LEAST_RISE * same.sum():
                    expected[y, x] = np.clip((less - more) / (2 * steeper), -0.5, 0.5)
        assert np.count_nonzero(expected) > 20
        assert np.count_nonzero(expected == 0) > np.count_nonzero((labels == 0) | (labels == 4))
        np.testing.assert_allclose(post.refinement(volume, labels, 2), expected)

    def test_costs_that_hardly_rise_do_not_tell(self):
        volume = np.array([[[10, 0, 4, 14]]], dtype=np.int32)
        labels = np.array([[1]], dtype=np.int32)
        assert post.refinement(volume, labels, 0) == pytest.approx(0.3)
        assert post.refinement(volume * 7 // 10, labels, 0) == 0


class TestConsistency:
    def test_agrees_up_to_one_label(self):
        left = np.array([[0, 0, 2, 1, 3]], dtype=np.int32)
        right = np.array([[2, 0, 9, 0, 0]], dtype=np.int32)
        expected = [[False, True, True, False, False]]
        np.testing.assert_array_equal(post.consistent(left, right, 0), expected)

    def test_match_outside_the_image_is_not_consistent(self):
        left = np.zeros((1, 3), dtype=np.int32)
        assert post.consistent(left, left, 1).tolist() == [[False, True, True]]
        assert post.consistent(left, left, -1).tolist() == [[True, True, False]]
        assert not post.consistent(left, left, 7).any()


def test_median_removes_a_speck_and_keeps_an_edge():
    values = np.zeros((5, 6))
    values[:, 3:] = 8
    speck = values.copy()
    speck[2, 1] = 50
    np.testing.assert_array_equal(post.median3(speck), values)


def test_the_hidden_border_continues_its_surface():
    """Beyond the other image a slanted wall goes on as it is, and does not end flat."""
    column = np.arange(60)
    wall = np.tile(30 + 0.1 * column, (40, 1))
    agree = np.tile(column >= 15, (40, 1))
    image = np.full((40, 60, 1), 90, np.uint8)
    found = post.filled(np.where(agree, wall, 0.0), np.rint(wall).astype(np.int32), agree, image)
    np.testing.assert_allclose(found, wall, atol=0.1)


def test_specks_are_filled_like_what_is_hidden():
    labels = np.full((30, 40), 5, np.int32)
    labels[10:12, 20:23] = 25
    agree = np.ones(labels.shape, bool)
    image = np.full((30, 40, 3), 90, np.uint8)
    found = post.filled(labels.astype(np.float64), labels, agree, image)
    np.testing.assert_array_equal(found, 5)


def test_colours_say_where_what_hides_begins():
    """Windows of costs make the object one pixel too wide; its colour ends where it does."""
    labels = np.full((30, 60), 5, np.int32)
    labels[:, 29:] = 20  # the object begins in column 30
    agree = np.ones(labels.shape, bool)
    agree[:, 20:29] = False  # what it hides
    image = np.full((30, 60, 1), 40, np.uint8)
    image[:, 30:] = 200
    found = post.filled(labels.astype(np.float64), labels, agree, image)
    np.testing.assert_array_equal(found, np.where(np.arange(60) < 30, 5.0, 20.0)[None] + 0 * found)


def test_the_mean_of_a_surface_keeps_its_edge_and_its_slope():
    values = np.tile(np.where(np.arange(20) < 10, 3.0, 3.0 + 0.2 * np.arange(20)), (9, 1))
    noisy = values + np.random.default_rng(2).uniform(-0.3, 0.3, values.shape)
    found = post.mean_of_surface(noisy)
    inside = np.s_[2:-2, [2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 16, 17]]
    assert np.abs(found - values)[inside].max() < 0.7 * np.abs(noisy - values)[inside].max()
    assert np.abs(found - values).max() < 0.6


def test_where_nothing_is_known_all_stays():
    labels = np.arange(12, dtype=np.int32).reshape(3, 4)
    image = np.zeros((3, 4, 1), np.uint8)
    found = post.filled(labels.astype(np.float64), labels, np.zeros((3, 4), bool), image)
    assert np.isfinite(found).all()
