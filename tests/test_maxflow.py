"""The max-flow of the reference engine: flow equals cut, and equals SciPy's."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from rangemoves import _core


def solve_both(nodes, tail, head, forward, backward, source, sink):
    ours = _core.max_flow(nodes, tail, head, forward, backward, source, sink)
    matrix = np.zeros((nodes + 2, nodes + 2), np.int32)
    np.add.at(matrix, (tail, head), forward)
    np.add.at(matrix, (head, tail), backward)
    matrix[nodes, :nodes] = source
    matrix[:nodes, nodes + 1] = sink
    return ours, matrix, maximum_flow(csr_array(matrix), nodes, nodes + 1).flow_value


def check(nodes, rng, arcs, largest):
    tail = rng.integers(0, nodes, arcs).astype(np.int32)
    head = rng.integers(0, nodes, arcs).astype(np.int32)
    loop = tail == head
    tail, head = tail[~loop], head[~loop]
    forward, backward = (rng.integers(0, largest, tail.size).astype(np.int64) for _ in range(2))
    source, sink = (
        (rng.integers(0, 2 * largest, nodes) * (rng.random(nodes) < 0.5)).astype(np.int64)
        for _ in range(2)
    )
    ours, matrix, expected = solve_both(nodes, tail, head, forward, backward, source, sink)
    assert ours["flow"] == expected
    side = np.append(ours["source_side"].astype(bool), [True, False])
    assert matrix[np.ix_(side, ~side)].sum() == expected


@given(nodes=st.integers(1, 12), arcs=st.integers(0, 40), seed=st.integers(0, 2**32 - 1))
def test_small_random_graphs(nodes, arcs, seed):
    check(nodes, np.random.default_rng(seed), arcs, 8)


def test_larger_random_graphs():
    for seed in range(5):
        check(400, np.random.default_rng(seed), 3000, 1000)


def test_capacities_beyond_32_bits():
    large = 2**40
    ours = _core.max_flow(
        2,
        np.array([0], np.int32),
        np.array([1], np.int32),
        np.array([large], np.int64),
        np.array([0], np.int64),
        np.array([2 * large, 0], np.int64),
        np.array([0, 3 * large], np.int64),
    )
    assert ours["flow"] == large
    assert ours["source_side"].tolist() == [1, 0]
