"""Matching costs against a plain NumPy version of each definition."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import rangemoves as rm


def spans(image):
    """Least and greatest of a pixel and its half-way values to both neighbours."""
    before, after = image.copy(), image.copy()
    before[:, 1:] = (image[:, 1:] + image[:, :-1]) // 2
    after[:, :-1] = (image[:, :-1] + image[:, 1:]) // 2
    return np.minimum(image, np.minimum(before, after)), np.maximum(
        image, np.maximum(before, after)
    )


def birchfield_tomasi(left, right):
    """Per channel, for two columns of pixels (value, low, high)."""

    def outside(value, low, high):
        return np.maximum(0, np.maximum(value - high, low - value))

    (a, a_low, a_high), (b, b_low, b_high) = left, right
    return np.minimum(outside(a, b_low, b_high), outside(b, a_low, a_high))


def oracle(left, right, labels, cost, squared, truncate, min_disparity, window=(7, 9)):
    """Pixel by pixel and label by label, in the words of the documentation."""
    left, right = (image.astype(int) for image in (left, right))
    height, width, channels = left.shape
    reach = {"gradient": 510, "census": 0}.get(cost, 255)
    worst = channels * (reach**2 if squared else reach)
    if cost == "census":
        left, right = (census(grey(image), window) for image in (left, right))
        worst, channels = window[0] * window[1] - 1, 1
    cap = worst
    if truncate is not None:
        cap = min(worst, truncate**2 if squared else channels * truncate)
    volume = np.full((height, width, labels), cap)
    for x in range(width):
        for k in range(labels):
            match = x - min_disparity - k
            if not 0 <= match < width:
                continue
            if cost == "census":
                volume[:, x, k] = (left[:, x] != right[:, match]).sum(axis=1)
                continue
            if cost == "birchfield-tomasi":
                columns = [
                    (im[:, at], *(s[:, at] for s in spans(im)))
                    for im, at in ((left, x), (right, match))
                ]
                difference = birchfield_tomasi(*columns)
            elif cost == "gradient":
                difference = np.abs(gradient(left)[:, x] - gradient(right)[:, match])
            else:
                difference = np.abs(left[:, x] - right[:, match])
            volume[:, x, k] = (difference**2 if squared else difference).sum(axis=1)
    return np.minimum(volume, cap)


def gradient(image):
    padded = np.pad(image, ((0, 0), (1, 1), (0, 0)), mode="edge")
    return padded[:, 2:] - padded[:, :-2]


def grey(image):
    if image.shape[2] == 1:
        return image[..., 0]
    return np.rint((image * np.array([0.299, 0.587, 0.114])).sum(axis=2)).astype(int)


def census(image, window):
    """(H, W, neighbours) of booleans."""
    height, width = image.shape
    rows, columns = (side // 2 for side in window)
    padded = np.pad(image, ((rows, rows), (columns, columns)), mode="edge")
    return np.stack(
        [
            padded[y : y + height, x : x + width] < image
            for y in range(window[0])
            for x in range(window[1])
            if (y, x) != (rows, columns)
        ],
        axis=2,
    )


@st.composite
def pairs(draw):
    shape = draw(st.tuples(st.integers(1, 5), st.integers(1, 9), st.sampled_from([1, 3])))
    # Small values too: ties and equal neighbours are where the definitions differ.
    pixels = st.integers(0, 255) | st.integers(0, 3)
    return tuple(draw(hnp.arrays(np.uint8, shape, elements=pixels)) for _ in range(2))


@pytest.mark.parametrize("cost", ["birchfield-tomasi", "absolute", "gradient", "census"])
@given(
    pair=pairs(),
    labels=st.integers(1, 12),
    squared=st.booleans(),
    truncate=st.none() | st.integers(0, 60),
    min_disparity=st.integers(-12, 12),
    window=st.sampled_from([(7, 9), (3, 3), (1, 5), (5, 13)]),
)
def test_cost_is_as_documented(cost, pair, labels, squared, truncate, min_disparity, window):
    squared = squared and cost != "census"
    volume = rm.stereo.cost_volume(
        *pair, labels, cost, squared, truncate, min_disparity=min_disparity, window=window
    )
    expected = oracle(*pair, labels, cost, squared, truncate, min_disparity, window)
    assert volume.dtype == np.int32
    np.testing.assert_array_equal(volume, expected)


@pytest.mark.parametrize(
    ("name", "squared", "truncate"),
    [("sawtooth", False, None), ("venus", True, 16), ("cones", False, None), ("map", False, None)],
)
def test_birchfield_tomasi_on_real_pairs(data_folder, name, squared, truncate):
    pair = rm.datasets.middlebury(name, root=data_folder)
    volume = rm.stereo.cost_volume(
        pair.left, pair.right, pair.labels, squared=squared, truncate=truncate
    )
    left, right = (np.atleast_3d(image).astype(int) for image in (pair.left, pair.right))
    worst = left.shape[2] * (255**2 if squared else 255)
    cap = worst if truncate is None else truncate**2
    for d in range(0, pair.labels, 7):
        width = left.shape[1] - d
        columns = (
            [part[:, d:] for part in (left, *spans(left))],
            [part[:, :width] for part in (right, *spans(right))],
        )
        difference = birchfield_tomasi(*columns)
        expected = np.minimum((difference**2 if squared else difference).sum(axis=2), cap)
        np.testing.assert_array_equal(volume[:, d:, d], expected)
        assert (volume[:, :d, d] == cap).all()


def test_label_is_an_offset_from_the_least_disparity():
    pair = rm.datasets.synthetic_stereo(shape=(24, 40), labels=10)
    wide = rm.stereo.cost_volume(pair.left, pair.right, 20, min_disparity=-5)
    part = rm.stereo.cost_volume(pair.left, pair.right, 6, min_disparity=3)
    np.testing.assert_array_equal(wide[..., 8:14], part)


def test_census_does_not_mind_brightness():
    pair = rm.datasets.synthetic_stereo(shape=(24, 40), labels=10)
    half = pair.right // 2 + 60
    plain = rm.stereo.cost_volume(pair.left, pair.right, 10, "census").argmin(axis=2)
    darker = rm.stereo.cost_volume(pair.left, half, 10, "census").argmin(axis=2)
    assert np.mean(plain == darker) > 0.9


def test_16_bit_pair_is_scaled_by_one_factor():
    rng = np.random.default_rng(0)
    left, right = rng.integers(0, 256, (2, 4, 9), dtype=np.uint8)
    left[0, 0] = 255
    wide = (image.astype(np.uint16) * 257 for image in (left, right))
    np.testing.assert_array_equal(
        rm.stereo.cost_volume(*wide, 3), rm.stereo.cost_volume(left, right, 3)
    )
    swapped = ((image.astype(np.uint16) * 257).astype(">u2") for image in (left, right))
    np.testing.assert_array_equal(
        rm.stereo.cost_volume(*swapped, 3), rm.stereo.cost_volume(left, right, 3)
    )


def test_alpha_and_a_grey_partner_are_handled():
    rng = np.random.default_rng(0)
    left, right = rng.integers(0, 256, (2, 4, 9, 4), dtype=np.uint8)
    opaque = rm.stereo.cost_volume(left[..., :3], right[..., :3], 3)
    np.testing.assert_array_equal(rm.stereo.cost_volume(left, right, 3), opaque)
    grey_right = right[..., 0]
    assert rm.stereo.cost_volume(left, grey_right, 3).max() <= 255


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (
            {"right": np.zeros((4, 8), np.uint8)},
            ValueError,
            "same height and width; found 9x4 and 8x4",
        ),
        ({"right": np.zeros((4, 9), np.uint16)}, ValueError, "same dtype"),
        (
            {"left": np.zeros((4, 9), int)},
            TypeError,
            "left must be an image of uint8, uint16 or real",
        ),
        ({"left": np.zeros((4, 9, 2), np.uint8)}, ValueError, "left must have shape"),
        ({"left": np.zeros((0, 9), np.uint8)}, ValueError, "left must have shape"),
        ({"labels": 0}, ValueError, "labels must be at least 1"),
        ({"labels": 2.5}, TypeError, "labels must be an integer"),
        ({"min_disparity": 2**63}, ValueError, "min_disparity must be at most"),
        ({"cost": "ssd"}, ValueError, "cost must be one of"),
        ({"truncate": -1}, ValueError, "truncate must be at least 0"),
        ({"cost": "census", "squared": True}, ValueError, "squared must be False"),
        ({"cost": "census", "window": (4, 5)}, ValueError, "window must be"),
        ({"cost": "census", "window": (9, 9)}, ValueError, "window must be"),
    ],
)
def test_wrong_arguments_are_refused_in_words(change, error, words):
    images = np.zeros((4, 9), np.uint8)
    arguments = {"left": images, "right": images, "labels": 3, **change}
    with pytest.raises(error, match=words):
        rm.stereo.cost_volume(**arguments)


@pytest.mark.parametrize("cost", ["birchfield-tomasi", "census"])
def test_a_frame_of_a_car_takes_a_second_at_most(cost):
    rng = np.random.default_rng(0)
    left, right = rng.integers(0, 256, (2, 376, 1241), dtype=np.uint8)
    seconds = []
    for _ in range(3):
        begin = time.process_time()
        rm.stereo.cost_volume(left, right, 128, cost)
        seconds.append(time.process_time() - begin)
    assert min(seconds) < 1
