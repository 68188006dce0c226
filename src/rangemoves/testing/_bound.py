"""The bound that a certificate proves: messages over the whole problem, and islands by themselves.

Nothing of the solver is used or believed, only the definition of the energy and the rules of
``certificate.py``. Wherever a certificate does not say what the rules ask for, ValueError does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from ..certificate import Certificate
from ..energy import Energy
from ._edges import Edges, Rows, parts
from ._island import IslandProblem, check_steps
from ._numbers import Beliefs, Bound, Exact, Numbers, Outward

__all__ = [
    "Sent",
    "arithmetic",
    "certified_bound",
    "check_messages",
    "is_integral",
    "sent_messages",
]

Array = npt.NDArray[Any]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int32]

# No island: the number of the island of a variable that is in none.
OUTSIDE = -1


def certified_bound(energy: Energy, certificate: Certificate) -> Fraction | float:
    """Return the lower bound that a certificate proves.

    Parameters
    ----------
    energy : Energy
        The problem.
    certificate : Certificate
        What the bound rests on.

    Returns
    -------
    fractions.Fraction or float
        In the energy's units, without any rounding where that is possible; ``math.inf`` where no
        labelling is allowed.
    """
    check_messages(energy, certificate)
    island_of = _islands_of_variables(energy, certificate)
    numbers = arithmetic(energy, certificate)
    try:
        with np.errstate(over="raise", invalid="raise"):
            return numbers.in_units(_bound(energy, certificate, island_of, numbers))
    except FloatingPointError:
        raise ValueError(
            "the costs and messages must have sums within float64; found larger ones"
        ) from None


def is_integral(energy: Energy) -> bool:
    """Whether all costs are whole numbers, so that all energies are."""
    unary = energy.unary
    values = [energy.weights, energy.tables]
    values += [unary] if unary.dtype.kind == "f" else []
    return all(bool((np.rint(v) == v)[np.isfinite(v)].all()) for v in values)


def arithmetic(energy: Energy, certificate: Certificate) -> Numbers:
    """Integers where all numbers are whole and their sums fit 64 bits, floats elsewhere."""
    scales = [certificate.scale, *(island.scale for island in certificate.islands)]
    if not is_integral(energy) or not all(scale.is_integer() for scale in scales):
        return Outward()
    scale = math.lcm(*(int(s) for s in scales))
    if scale > Exact.most:
        return Outward()
    matter = energy.weights > 0
    ends = energy.edges[matter].reshape(-1)
    degree = int(np.bincount(ends, minlength=1).max())
    largest_message = max(
        [
            _largest(messages) * scale / own
            for messages, own in _all_messages(certificate)
            if messages.size
        ],
        default=0.0,
    )
    with np.errstate(over="ignore"):
        on_edge = _largest(energy.tables) * float(energy.weights.max(initial=0.0)) * scale
        # All that vectors can make of a cost. Of each edge a variable has at most four at a time:
        # in a forward pass what it got and what it gets from now on, on either side of the visit.
        most = _largest(energy.unary) * scale + (5 * degree + 4) * (on_edge + largest_message)
    return Exact(scale) if most < Exact.most else Outward()


def _largest(values: Array) -> float:
    """The largest absolute value of those that are finite."""
    finite = values[np.isfinite(values)].astype(np.float64)
    return float(np.abs(finite).max(initial=0.0))


def _all_messages(certificate: Certificate) -> Iterator[tuple[Array, float]]:
    yield certificate.messages, certificate.scale
    for island in certificate.islands:
        for step in island.steps:
            yield step.messages, island.scale
            yield step.sent, island.scale


def check_messages(energy: Energy, certificate: Certificate) -> None:
    """Raise ValueError where messages are not for edges and labels of this energy."""
    edge, labels = certificate.edge, energy.num_labels
    if certificate.messages.shape[1] != labels and len(edge):
        raise ValueError(
            f"messages of a certificate must have {labels} labels; found "
            f"{certificate.messages.shape[1]}"
        )
    if ((edge < 0) | (edge >= energy.num_edges)).any():
        raise ValueError(
            f"edge of a certificate must name edges 0 .. {energy.num_edges - 1}; found "
            f"{int(edge.min())} .. {int(edge.max())}"
        )
    if len(np.unique(edge)) < len(edge):
        raise ValueError("edge of a certificate must name each edge at most once")


def _islands_of_variables(energy: Energy, certificate: Certificate) -> Ints:
    """Which island each variable is in."""
    island_of = np.full(energy.num_variables, OUTSIDE, dtype=np.int32)
    for number, island in enumerate(certificate.islands):
        variables = island.variables
        if len(variables) == 0:
            raise ValueError(f"island {number} must have variables; found none")
        if variables.min() < 0 or variables.max() >= energy.num_variables:
            raise ValueError(
                f"variables of island {number} must be 0 .. {energy.num_variables - 1}; found "
                f"{variables.min()} .. {variables.max()}"
            )
        if len(np.unique(variables)) < len(variables):
            raise ValueError(f"island {number} must have each variable once")
        if (island_of[variables] != OUTSIDE).any():
            raise ValueError(
                f"islands must not overlap; found island {number} with variables of an earlier one"
            )
        island_of[variables] = number
        check_steps(island, number)
    return island_of


def _bound(energy: Energy, certificate: Certificate, island_of: Ints, numbers: Numbers) -> Bound:
    rows = energy.unary.reshape(energy.num_variables, -1)
    possible = np.isfinite(rows)
    edges = Edges(energy, numbers)
    beliefs = Beliefs(numbers, numbers.costs(rows))
    _send_between(edges, certificate, island_of, numbers, beliefs, possible)
    outside = np.flatnonzero(island_of == OUTSIDE)
    least = beliefs.of(outside).least(possible[outside])
    if (least == numbers.nothing).any():
        return math.inf
    bounds = [numbers.total(least)]
    inside = _inner_edges(edges, island_of)
    place = np.zeros(energy.num_variables, dtype=np.intp)
    for number, island in enumerate(certificate.islands):
        variables = island.variables
        place[variables] = np.arange(len(variables))
        inner = np.flatnonzero(inside == number)
        part = edges.subset(inner, place[edges.tail[inner]], place[edges.head[inner]])
        problem = IslandProblem(numbers, part, beliefs.of(variables), island, number)
        bounds.append(problem.bound(possible[variables]))
    if any(bound == math.inf for bound in bounds):
        return math.inf
    return numbers.total(np.array(bounds, dtype=object))


def _inner_edges(edges: Edges, island_of: Ints) -> Ints:
    """The island that each edge is inside of."""
    at_tail, at_head = island_of[edges.tail], island_of[edges.head]
    inside: Ints = np.where(at_tail == at_head, at_tail, OUTSIDE).astype(np.int32)
    return inside


def _send_between(
    edges: Edges,
    certificate: Certificate,
    island_of: Ints,
    numbers: Numbers,
    beliefs: Beliefs,
    possible: Bools,
) -> None:
    """Give both ends of every edge outside of islands their vectors.

    ``possible`` loses labels that no label of a neighbour goes with.
    """
    between = np.flatnonzero(_inner_edges(edges, island_of) == OUTSIDE)
    for sent in sent_messages(edges, between, certificate, numbers, possible):
        beliefs.add(sent.receiver, sent.messages)
        beliefs.add(sent.other, sent.vectors)


@dataclass(frozen=True)
class Sent:
    """What a few edges give to their ends.

    Attributes
    ----------
    edges : numpy.ndarray
        Which of the edges.
    receiver, messages : numpy.ndarray
        For each, the variable that its message is addressed to, and that message.
    other, vectors : numpy.ndarray
        Its other end, and what follows for that.
    """

    edges: Rows
    receiver: Ints
    messages: Array
    other: Ints
    vectors: Array


def sent_messages(
    edges: Edges, chosen: Rows, certificate: Certificate, numbers: Numbers, possible: Bools
) -> Iterator[Sent]:
    """Yield what the chosen edges give to both of their ends, some edges at a time.

    ``possible`` loses labels that no label of a neighbour goes with.
    """
    stored = np.full(int(edges.rows.max(initial=-1)) + 1, -1, dtype=np.intp)
    has_weight = certificate.edge < len(stored)
    stored[certificate.edge[has_weight]] = np.flatnonzero(has_weight)
    at_first = possible.copy()
    labels = possible.shape[1]
    for part in parts(len(chosen), labels):
        here = chosen[part]
        source = stored[edges.rows[here]]
        given = source >= 0
        messages = np.zeros((len(here), labels), dtype=numbers.dtype)
        messages[given] = numbers.message(certificate.messages[source[given]], certificate.scale)
        to_head = np.zeros(len(here), dtype=bool)
        to_head[given] = certificate.to_head[source[given]]
        tail, head = edges.tail[here], edges.head[here]
        receiver, other = np.where(to_head, head, tail), np.where(to_head, tail, head)
        vectors, none = edges.implied(here, to_head, messages, at_first[receiver])
        yield Sent(here, receiver, messages, other, vectors)
        place, label = np.nonzero(none)
        possible[other[place], label] = False
