"""Costs from volumes and back."""

import numpy as np

from rangemoves.pandora_plugin.volume import matching_costs, volume_of_beliefs


def test_costs_are_negated_where_most_is_best():
    volume = np.array([[[1, np.nan, -2], [np.nan, np.nan, np.nan]]], np.float32)
    costs = matching_costs(volume, most_is_best=True)
    np.testing.assert_array_equal(costs.unary, [[[-1, np.inf, 2], [0, 0, 0]]])
    np.testing.assert_array_equal(costs.takes_part, [[True, False]])
    assert volume[0, 0, 0] == 1


def test_infinite_costs_are_no_costs():
    costs = matching_costs(np.array([[[-np.inf, 3, np.inf]]], np.float32), most_is_best=False)
    np.testing.assert_array_equal(costs.forbidden, [[[True, False, True]]])


def test_contrast_is_the_mean_lead_of_the_best():
    volume = np.array([[[0, 2, 4], [5, np.nan, 7], [np.nan] * 3]], np.float32)
    assert matching_costs(volume, most_is_best=False).contrast() == 1.5
    assert matching_costs(np.ones((2, 2, 3), np.float32), most_is_best=False).contrast() == 1


def test_the_chosen_label_is_strictly_best_whatever_the_beliefs():
    volume = np.array([[[10, 20, 30, np.nan], [10, 20, 30, 40]]], np.float32)
    costs = matching_costs(volume, most_is_best=False)
    beliefs = np.array([[[0, 4, 9, np.inf], [3.0, 3, 0, 1]]])
    found = volume_of_beliefs(costs, np.array([[1, 0]], np.int32), beliefs, 5, most_is_best=False)
    # Label 0 of the first pixel has the lower belief, and comes just above the chosen one.
    np.testing.assert_allclose(found, [[[20.005, 20, 25, np.nan], [10, 10.005, 10.005, 10.005]]])


def test_the_lead_survives_large_costs():
    volume = np.full((1, 1, 3), 3e7, np.float32)
    costs = matching_costs(volume, most_is_best=False)
    labels = np.array([[1]], np.int32)
    found = volume_of_beliefs(costs, labels, np.zeros((1, 1, 3)), 1, most_is_best=False)
    assert (found[0, 0, [0, 2]] > found[0, 0, 1]).all()
