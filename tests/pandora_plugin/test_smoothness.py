"""Priors and weights in units of pixels."""

import numpy as np
import pytest

from rangemoves import prior_by_name
from rangemoves.pandora_plugin.smoothness import POWER, edge_weights, mean_gradient, prior_in_labels


@pytest.mark.parametrize("name", POWER)
@pytest.mark.parametrize("steps", [1, 2, 4])
def test_a_pixel_costs_the_same_in_finer_labels(name, steps):
    threshold = None if name in ("linear", "quadratic") else 3
    fine, factor = prior_in_labels(name, threshold, steps)
    coarse = prior_by_name(name, threshold).values(9)
    np.testing.assert_allclose(fine.values(8 * steps + 1)[::steps] * factor, coarse)


def test_edges_weigh_less():
    image = np.array([[10.0, 12.0, 50.0, 51.0, np.nan]])
    down, right = edge_weights(image, 2, 4)
    np.testing.assert_array_equal(right, [[1, 0.25, 1, 1]])
    assert down.shape == (0, 5)


def test_the_mean_gradient_is_that_of_pixels_with_costs():
    image = np.array([[1.0, 2.0, 9.0, -9999.0], [1.0, 2.0, 9.0, np.nan]])
    takes_part = np.array([[True, True, True, False]] * 2)
    assert mean_gradient(image, takes_part) == (1 + 7 + 1 + 7) / 7
    assert mean_gradient(image, np.zeros((2, 4), bool)) == 0
