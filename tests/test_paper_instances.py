"""The paper's own stereo problems, to the unit (table of results, truncated quadratic and Cauchy).

The data cost volumes are computed here with NumPy alone: these figures also check rm.stereo.
"""

import numpy as np
import pytest
from oracles import solve

import rangemoves as rm

Image = pytest.importorskip("PIL.Image")

# name: labels, threshold, weight, squared, cap, energy of the first move, energy with Cauchy
INSTANCES = {
    "sawtooth": (20, 3, 20, False, 3 * 255, 1_042_797, 843_700),
    "venus": (20, 3, 50, True, 256, 3_080_619, 2_558_400),
    "cones": (60, 8, 10, False, 3 * 255, 2_694_923, 2_302_000),
}


def span(image):
    """Least and largest value within half a pixel to either side."""
    before, after = image.copy(), image.copy()
    before[:, 1:] = (image[:, 1:] + image[:, :-1]) // 2
    after[:, :-1] = (image[:, :-1] + image[:, 1:]) // 2
    return np.minimum(image, np.minimum(before, after)), np.maximum(
        image, np.maximum(before, after)
    )


def birchfield_tomasi(left, right, labels, squared, cap):
    left, right = left.astype(np.int32), right.astype(np.int32)
    height, width = left.shape[:2]
    (low_left, high_left), (low_right, high_right) = span(left), span(right)
    cost = np.full((height, width, labels), cap, np.int32)
    for d in range(labels):
        here, there = left[:, d:], right[:, : width - d]
        one = np.maximum(here - high_right[:, : width - d], low_right[:, : width - d] - here)
        two = np.maximum(there - high_left[:, d:], low_left[:, d:] - there)
        difference = np.minimum(np.maximum(one, 0), np.maximum(two, 0))
        total = (difference**2 if squared else difference).sum(axis=2)
        cost[:, d:, d] = np.minimum(total, cap)
    return cost


@pytest.fixture(scope="module", params=INSTANCES)
def instance(request, data_folder):
    labels, threshold, weight, squared, cap, energy, cauchy = INSTANCES[request.param]
    folder = data_folder / "middlebury" / request.param
    images = []
    for name in ("im2.ppm", "im6.ppm"):
        with Image.open(folder / name) as image:
            images.append(np.asarray(image))
    unary = birchfield_tomasi(*images, labels, squared, cap)
    return images, unary, threshold, weight, squared, energy, cauchy


def test_our_cost_volume_is_the_papers(instance):
    images, unary, _, _, squared, _, _ = instance
    ours = rm.stereo.cost_volume(
        *images, unary.shape[-1], squared=squared, truncate=16 if squared else None
    )
    np.testing.assert_array_equal(ours, unary)


@pytest.mark.parametrize("method", ["gswap", "gswapf"])
def test_truncated_quadratic_to_the_unit(instance, method):
    _, unary, threshold, weight, _, expected, _ = instance
    energy = rm.Energy(unary, rm.TruncatedQuadratic(threshold), weight, copy=False)
    result = solve(energy, method, init="zero")
    assert result.energy == expected
    assert result.proven


@pytest.mark.slow
def test_cauchy_within_half_a_thousandth(instance):
    _, unary, threshold, weight, _, _, expected = instance
    energy = rm.Energy(unary, rm.Cauchy(threshold), weight, copy=False)
    result = solve(energy, "gswap", init="zero")
    assert result.energy <= expected * 1.0005
