"""Weights by the gradient of the image."""

import numpy as np
import pytest

import rangemoves as rm

GREY = np.array([[10, 18, 30], [10, 9, 90]], dtype=np.uint8)


def test_absolute_counts_edges_both_ways():
    down, right = rm.stereo.edge_weights(GREY, low=1, high=3, threshold=8)
    np.testing.assert_array_equal(down, [[3, 1, 1]])
    np.testing.assert_array_equal(right, [[3, 1], [3, 1]])


def test_signed_counts_edges_from_bright_to_dark():
    down, right = rm.stereo.edge_weights(GREY, low=1, high=3, threshold=8, mode="signed")
    np.testing.assert_array_equal(down, [[3, 1, 3]])
    np.testing.assert_array_equal(right, [[3, 3], [3, 3]])


@pytest.mark.parametrize("mode", ["mean", "rms"])
def test_channels_show_edges_between_colours_of_equal_grey(mode):
    image = np.zeros((1, 2, 3), dtype=np.uint8)
    image[0, 0] = 100, 0, 0
    image[0, 1] = 0, 51, 0
    by_grey = rm.stereo.edge_weights(image, 1, 3, 8)[1]
    by_colour = rm.stereo.edge_weights(image, 1, 3, 8, mode=mode)[1]
    assert (by_grey.item(), by_colour.item()) == (3, 1)


@pytest.mark.parametrize("mode", ["mean", "rms"])
def test_ties_are_decided_exactly(mode):
    image = np.zeros((1, 2, 3), dtype=np.uint8)
    image[0, 1] = 8, 8, 8
    assert rm.stereo.edge_weights(image, 1, 3, 8, mode=mode)[1].item() == 3
    assert rm.stereo.edge_weights(image, 1, 3, 7.99, mode=mode)[1].item() == 1


def test_mean_is_that_of_the_channels():
    image = np.array([[[200, 100, 0], [176, 100, 0], [176, 125, 0]]], dtype=np.uint8)
    np.testing.assert_array_equal(rm.stereo.edge_weights(image, 1, 3, 8, mode="mean")[1], [[3, 1]])


def test_one_pixel_wide_image_has_no_edges_to_the_right():
    down, right = rm.stereo.edge_weights(GREY[:, :1], 1, 3, 8)
    assert (down.shape, right.shape) == ((1, 1), (2, 0))


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"image": [[1, 2]]}, TypeError, "image must be an image of uint8"),
        ({"mode": "sobel"}, ValueError, "mode must be one of"),
        ({"low": -1}, ValueError, "low must be at least 0"),
        ({"high": float("nan")}, ValueError, "high must be finite"),
        ({"threshold": float("nan")}, ValueError, "threshold must be finite"),
    ],
)
def test_wrong_arguments_are_refused_in_words(change, error, words):
    arguments = {"image": GREY, "low": 1, "high": 3, "threshold": 8, **change}
    with pytest.raises(error, match=words):
        rm.stereo.edge_weights(**arguments)
