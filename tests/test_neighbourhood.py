"""The edges of grids and graphs."""

import itertools

import numpy as np
import pytest

from rangemoves.neighbourhood import graph_neighbourhood, grid_neighbourhood, grid_offsets


def neighbours_by_definition(shape, connectivity):
    points = list(itertools.product(*(range(n) for n in shape)))
    reach = 1 if connectivity == 2 * len(shape) else len(shape)
    pairs = set()
    for a, b in itertools.combinations(points, 2):
        steps = [abs(p - q) for p, q in zip(a, b, strict=True)]
        if max(steps) == 1 and sum(steps) <= reach:
            pairs.add(frozenset(np.ravel_multi_index(p, shape).item() for p in (a, b)))
    return pairs


@pytest.mark.parametrize(
    ("shape", "connectivity"),
    [((3, 4), 4), ((3, 4), 8), ((1, 5), 8), ((2, 3, 2), 6), ((2, 3, 2), 26), ((1, 1), 4)],
)
def test_grids_have_the_edges_of_the_definition(shape, connectivity):
    found = grid_neighbourhood(shape, 1, connectivity)
    pairs = [frozenset(edge) for edge in zip(found.tail.tolist(), found.head.tolist(), strict=True)]
    assert set(pairs) == neighbours_by_definition(shape, connectivity)
    assert len(set(pairs)) == len(pairs)
    assert found.row == shape[-1]


def test_edges_go_down_and_to_the_right():
    found = grid_neighbourhood((2, 2), 1)
    np.testing.assert_array_equal(found.tail, [0, 1, 0, 2])
    np.testing.assert_array_equal(found.head, [2, 3, 1, 3])


def test_weights_go_with_their_edges():
    down, right = np.array([[1, 2, 3]]), np.array([[4, 5], [6, 7]])
    found = grid_neighbourhood((2, 3), (down, right))
    by_edge = dict(
        zip(zip(found.tail.tolist(), found.head.tolist(), strict=True), found.weights, strict=True)
    )
    assert by_edge == {
        (0, 3): 1,
        (1, 4): 2,
        (2, 5): 3,
        (0, 1): 4,
        (1, 2): 5,
        (3, 4): 6,
        (4, 5): 7,
    }


def test_diagonal_weights_go_with_their_edges():
    weights = [np.full((1, 2), 1), np.full((2, 1), 2), [[3]], [[4]]]
    found = grid_neighbourhood((2, 2), weights, 8)
    edges = list(zip(found.tail.tolist(), found.head.tolist(), found.weights, strict=True))
    assert edges[-2:] == [(1, 2, 3), (0, 3, 4)]


def test_a_number_per_axis_is_enough():
    found = grid_neighbourhood((2, 2), (2, 3.5))
    np.testing.assert_array_equal(found.weights, [2, 2, 3.5, 3.5])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (-1, "weights must be finite and >= 0"),
        (np.nan, "weights must be finite and >= 0"),
        (np.ones((2, 3)), "must be a number or a list of 2 arrays of shapes"),
        ([np.ones((1, 3))], "found 1 arrays"),
        ([np.ones((2, 3)), np.ones((2, 2))], r"weights\[0\] must have shape \(1, 3\)"),
        ([np.ones((1, 3)), [[1, 1], [1, -2]]], r"weights\[1\].*first -2 at \(1, 1\)"),
    ],
)
def test_bad_grid_weights_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        grid_neighbourhood((2, 3), weights)


@pytest.mark.parametrize("weights", ["heavy", None, 1j])
def test_grid_weights_that_are_no_numbers_are_refused(weights):
    with pytest.raises(TypeError, match="weights must be real numbers"):
        grid_neighbourhood((2, 3), weights)


@pytest.mark.parametrize("connectivity", [5, 6, 0, -4])
def test_bad_connectivity_is_refused(connectivity):
    with pytest.raises(ValueError, match="must be 4 or 8; found"):
        grid_offsets(2, connectivity)


def test_graphs_keep_their_edges():
    found = graph_neighbourhood(4, [[3, 0], [1, 2]], [0.5, 2])
    np.testing.assert_array_equal(found.tail, [3, 1])
    np.testing.assert_array_equal(found.head, [0, 2])
    np.testing.assert_array_equal(found.weights, [0.5, 2])
    assert found.tail.dtype == found.head.dtype == np.int32


def test_a_graph_may_have_no_edges():
    for edges in ([], np.zeros((0, 2), int)):
        assert graph_neighbourhood(3, edges, 1).tail.size == 0


@pytest.mark.parametrize(
    ("edges", "weights", "message"),
    [
        ([0, 1], 1, r"edges must have shape \(E, 2\); found \(2,\)"),
        ([[0, 3]], 1, r"edges must name variables 0 .. 2.*first \(0, 3\) in row 0"),
        ([[0, 1], [-1, 1]], 1, r"first \(-1, 1\) in row 1"),
        ([[1, 1]], 1, "must join two different variables"),
        ([[0, 1]], [1, 2], r"one entry per edge, shape \(1,\); found shape \(2,\)"),
        ([[0, 1]], [-1], "weights must be finite and >= 0"),
    ],
)
def test_bad_graphs_are_refused(edges, weights, message):
    with pytest.raises(ValueError, match=message):
        graph_neighbourhood(3, edges, weights)


def test_edges_that_are_no_integers_are_refused():
    with pytest.raises(TypeError, match="edges must be integers"):
        graph_neighbourhood(3, [[0.0, 1.0]], 1)
