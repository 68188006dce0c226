"""The measures, by hand."""

import numpy as np
import pytest

import rangemoves as rm

NAN = np.nan


def test_thresholds_are_strict_and_percentages():
    truth = np.full((1, 10), 50.0)
    found = np.add(truth, [0, 0.5, 0.6, 1, 1.5, 2, 2.5, 4, 4.5, 9])
    scores = rm.stereo.evaluate(found, truth)
    assert scores["bad0.5"] == 80
    assert scores["bad1"] == 60
    assert scores["bad2"] == 40
    assert scores["bad4"] == 20
    assert scores["mae"] == pytest.approx(2.56)
    assert scores["coverage"] == 100


def test_d1_needs_three_pixels_and_five_percent():
    truth = np.array([[10.0, 100.0, 100.0, 10.0]])
    found = np.add(truth, [3.5, 4.0, 6.0, 3.0])
    assert rm.stereo.evaluate(found, truth)["d1"] == 50


def test_pixels_without_an_answer_are_bad_and_without_truth_do_not_count():
    truth = np.array([[5.0, 5.0, 5.0, NAN, np.inf]])
    found = np.array([[5.0, NAN, np.inf, 3.0, NAN]])
    scores = rm.stereo.evaluate(found, truth)
    assert scores["bad4"] == scores["d1"] == pytest.approx(200 / 3)
    assert scores["coverage"] == pytest.approx(100 / 3)
    assert scores["mae"] == 0


def test_no_answer_at_all_has_no_mean_error():
    assert np.isnan(rm.stereo.evaluate([[NAN]], [[1.0]])["mae"])


def test_mask_adds_the_visible_pixels():
    truth = np.array([[5.0, 5.0, 5.0, NAN]])
    found = np.array([[5.0, 5.0, 9.0, 1.0]])
    scores = rm.stereo.evaluate(found, truth, np.array([[True, True, False, True]]))
    assert scores["bad1"] == pytest.approx(100 / 3)
    assert scores["bad1_noc"] == 0
    assert {f"{name}_noc" for name in scores if not name.endswith("_noc")} < set(scores)


@pytest.mark.parametrize(
    ("found", "truth", "mask", "words"),
    [
        ([[1.0]], [[1.0, 2.0]], None, "same shape"),
        ([1.0], [1.0], None, "maps"),
        ([[1.0]], [[NAN]], None, "truth must be known somewhere"),
        ([[1.0]], [[1.0]], [[1]], "mask must be a map of booleans"),
        ([[1.0]], [[1.0]], [[False]], "mask must be True at some pixel"),
    ],
)
def test_wrong_arguments_are_refused_in_words(found, truth, mask, words):
    with pytest.raises(ValueError, match=words):
        rm.stereo.evaluate(found, truth, mask)
