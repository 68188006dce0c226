"""How large a problem may be: the core's own numbers, asked for once and checked in words.

What stands behind them is argued in ``core/include/rangemoves/problem/limits.hpp``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import _core

__all__ = ["LIMITS", "require_count", "require_graph"]

LIMITS = _core.limits()


def require_count(count: int, kind: str, what: str) -> None:
    """Raise OverflowError where there are more than the core can number.

    Parameters
    ----------
    count : int
        How many there are.
    kind : str
        A name of ``LIMITS``.
    what : str
        What is counted, and in which argument, e.g. ``"variables in unary"``.
    """
    if count > LIMITS[kind]:
        raise OverflowError(
            f"there must be at most {LIMITS[kind]} {what}; found {count}; split the problem"
        )


def require_graph(variables: int, labels: int, edges: int, options: Mapping[str, Any]) -> None:
    """Raise OverflowError where the graph that the options ask for is too large to be numbered.

    Parameters
    ----------
    variables, labels, edges : int
        The size of the problem.
    options : mapping
        The options of the method.
    """
    if options.get("engine") == "reference":
        nodes = variables * (labels - 1)
        require_count(nodes, "cut_nodes", "variables times labels with engine='reference'")
    if options.get("nonsubmodular") == "qpbo":
        require_count(2 * variables, "nodes", "variables, doubled by nonsubmodular='qpbo'")
        require_count(2 * edges, "edges", "edges, doubled by nonsubmodular='qpbo'")
