"""The rendered pair: its truth has to hold in its images."""

import numpy as np
import pytest

import rangemoves as rm


def warp_right_to_left(pair):
    """What the right image shows at the true match of every left pixel."""
    height, width = pair.disparity.shape
    rows, columns = np.mgrid[:height, :width]
    x = np.clip(columns - pair.disparity, 0, width - 1.001)
    below = x.astype(int)
    part = (x - below)[..., None]
    return (1 - part) * pair.right[rows, below] + part * pair.right[rows, below + 1]


@pytest.mark.parametrize("seed", range(4))
def test_truth_explains_the_images_where_both_see(seed):
    pair = rm.datasets.synthetic_stereo(seed=seed)
    error = np.abs(warp_right_to_left(pair) - pair.left).mean(axis=2)
    assert np.median(error[pair.mask]) < 4
    assert np.median(error[~pair.mask]) > 15


@pytest.mark.parametrize(("shape", "labels"), [((16, 24), 8), ((48, 64), 12), ((60, 300), 100)])
def test_disparities_stay_within_the_labels(shape, labels):
    for seed in range(5):
        pair = rm.datasets.synthetic_stereo(seed=seed, shape=shape, labels=labels)
        assert pair.disparity.min() >= 1
        assert pair.disparity.max() <= labels - 2
        assert pair.left.shape == pair.right.shape == (*shape, 3)


def test_it_has_occlusions_slants_and_jumps():
    pair = rm.datasets.synthetic_stereo()
    assert 0.02 < np.mean(~pair.mask) < 0.3
    step = np.abs(np.diff(pair.disparity, axis=1))
    assert (step > 4).any()
    assert np.mean((step > 0) & (step < 0.5)) > 0.2


def test_same_seed_same_pair_other_seed_other_pair():
    first, again, other = (rm.datasets.synthetic_stereo(s, (48, 64), 12) for s in (1, 1, 2))
    np.testing.assert_array_equal(first.left, again.left)
    np.testing.assert_array_equal(first.disparity, again.disparity)
    assert (first.left != other.left).any()


def test_pair_is_frozen_and_describes_itself():
    pair = rm.datasets.synthetic_stereo(3, (48, 64), 12)
    assert repr(pair) == "StereoPair('synthetic-3', 64x48, 12 labels, with truth)"
    with pytest.raises(AttributeError):
        pair.name = "other"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [({"shape": (8, 64)}, "shape must be at least"), ({"labels": 200}, "labels must be between")],
)
def test_bad_sizes_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        rm.datasets.synthetic_stereo(**arguments)
