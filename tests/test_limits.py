"""Sizes that the core cannot number are refused by name, before anything is allocated."""

import pytest

from rangemoves.limits import LIMITS, require_count, require_graph
from rangemoves.neighbourhood import grid_neighbourhood


def test_counts():
    require_count(LIMITS["nodes"], "nodes", "variables in unary")
    with pytest.raises(
        OverflowError, match=r"at most 2147483647 variables in unary; found 2147483648"
    ):
        require_count(LIMITS["nodes"] + 1, "nodes", "variables in unary")


def test_edges_of_a_grid_are_counted_before_they_are_made():
    with pytest.raises(OverflowError, match="edges between the variables in unary"):
        grid_neighbourhood((40_000, 40_000), 1)


def test_graphs_that_options_ask_for():
    large = 10**8
    require_graph(large, 60, 2 * large, {})
    require_graph(large, 21, 2 * large, {"engine": "reference"})
    with pytest.raises(OverflowError, match="variables times labels with engine='reference'"):
        require_graph(large, 60, 2 * large, {"engine": "reference"})
    with pytest.raises(OverflowError, match="edges, doubled by nonsubmodular='qpbo'"):
        require_graph(large, 60, 6 * large, {"nonsubmodular": "qpbo"})
