"""Confidence: by hand, and sparing the errors better than raw costs do on every pair."""

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.stereo.confidence import confidence, weakened_by_doubt


def test_by_hand():
    beliefs = np.array([[[0.0, 1.0, 8.0, 24.0], [0.0, 0.0, 3.0, 0.0], [0.0, 9.0, 9.0, 9.0]]])
    labels = np.array([[0, 1, 3]], np.int32)
    # The best rivals further than a label away cost 8 more, 0 more, and less: one is better.
    np.testing.assert_array_equal(confidence(beliefs, labels, 8.0), [[0.5, 0.0, 0.0]])


def test_without_a_rival_all_is_sure():
    assert confidence(np.zeros((1, 1, 2)), np.zeros((1, 1), np.int32), 8.0).tolist() == [[1.0]]


def test_doubt_of_the_other_view_counts():
    agree = np.ones((5, 7), bool)
    agree[:, 5:] = False
    weakened = weakened_by_doubt(np.full(agree.shape, 0.8), agree)
    # So many of the five columns around are agreed on; beyond the border the last stands in.
    agreed = np.array([5, 5, 5, 4, 3, 2, 1])
    np.testing.assert_allclose(weakened[2], 0.8 * (agreed / 5) ** 2)
    assert weakened_by_doubt(agree * 1.0, None).sum() == agree.sum()


def area_under_sparsification(sure, wrong):
    """Mean share of wrong pixels among the surest n, over all n."""
    order = np.argsort(-sure, kind="stable")
    return float(np.mean(np.cumsum(wrong[order]) / np.arange(1, wrong.size + 1)))


def compare(pair):
    found = rm.stereo.StereoMatcher(labels=pair.labels).run(pair.left, pair.right, confidence=True)
    raw = rm.stereo.cost_volume(pair.left, pair.right, pair.labels, "census")
    known = np.isfinite(pair.disparity)
    wrong = (np.abs(found.disparity - pair.disparity) > 1)[known]
    two = np.partition(raw, 1, axis=2)
    rivals = [found.confidence, two[..., 1] - two[..., 0], confidence(raw, raw.argmin(2), 1.0)]
    return [area_under_sparsification(sure[known], wrong) for sure in rivals]


@pytest.mark.parametrize("seed", [0, 3])
def test_it_beats_margins_of_raw_costs(seed):
    ours, *others = compare(rm.datasets.synthetic_stereo(seed=seed, shape=(100, 150), labels=24))
    assert ours < 0.7 * min(others)


def test_it_beats_margins_of_raw_costs_on_a_public_pair(data_folder):
    ours, *others = compare(rm.datasets.middlebury("map", data_folder))
    assert ours < 0.7 * min(others)


def test_it_lies_between_0_and_1_and_is_not_there_unless_asked_for():
    pair = rm.datasets.synthetic_stereo(shape=(48, 64), labels=12)
    matcher = rm.stereo.StereoMatcher(labels=12)
    found = matcher.run(pair.left, pair.right, confidence=True)
    assert 0 <= found.confidence.min() < 0.5 < found.confidence.max() <= 1
    plain = matcher.run(pair.left, pair.right)
    assert plain.confidence is None
    np.testing.assert_array_equal(plain.disparity, found.disparity)


def test_methods_without_messages_say_so():
    pair = rm.datasets.synthetic_stereo(shape=(48, 64), labels=12)
    matcher = rm.stereo.StereoMatcher(labels=12, method="swap")
    with pytest.raises(ValueError, match="which sends no messages"):
        matcher.run(pair.left, pair.right, confidence=True)
