"""Where a labelling pays more than its bound, by the messages of a certificate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..energy import Energy
from ..result import Result
from ._bound import arithmetic, check_messages, sent_messages
from ._edges import Edges
from ._numbers import Beliefs

__all__ = ["slack_map"]


def slack_map(energy: Energy, result: Result) -> npt.NDArray[np.float64]:
    """Return what each variable adds to the gap between an energy and the bound of the messages.

    Parameters
    ----------
    energy : Energy
        The problem that was solved.
    result : Result
        With a certificate: ``rm.minimize(energy, "best", certificate=True)``.

    Returns
    -------
    numpy.ndarray
        float64, of the energy's shape, in its units, never negative; 0 where a mask leaves a pixel
        out. The sum is ``result.energy`` minus the bound that the messages give without islands:
        exactly for integers, up to rounding for other costs.

    Notes
    -----
    Messages turn every edge's cost c into a part m for one end, a part q for the other and a rest
    c - m - q that is never negative. A variable adds by how much its label, with all its parts,
    costs more than its best label, and half the rest of each of its edges. Islands, where best has
    to branch, lie where that is not zero.

    Examples
    --------
    >>> import numpy as np
    >>> import rangemoves as rm
    >>> from rangemoves.certificate import Certificate
    >>> from dataclasses import replace
    >>> energy = rm.Energy(np.array([[[0, 5], [9, 0]]]), rm.Linear(), 2)
    >>> found = rm.minimize(energy, "ishikawa")
    >>> zeros = Certificate(scale=1.0, edge=[0], to_head=[False], messages=[[0, 0]])
    >>> rm.testing.slack_map(energy, replace(found, certificate=zeros))
    array([[1., 1.]])
    """
    if result.certificate is None:
        raise ValueError(
            "result must have a certificate; found none; solve with method 'best' and "
            "certificate=True"
        )
    certificate = replace(result.certificate, islands=())
    check_messages(energy, certificate)
    labels = energy.check_labels(result.labels, "result.labels")
    numbers = arithmetic(energy, certificate)
    rows = energy.unary.reshape(energy.num_variables, -1)
    possible = np.isfinite(rows)
    edges, beliefs = Edges(energy, numbers), Beliefs(numbers, numbers.costs(rows))
    everywhere = np.arange(energy.num_variables)
    # Twice what is paid: halves of integers are none.
    paid = np.zeros(energy.num_variables, dtype=numbers.dtype)
    between = np.arange(len(edges))
    for sent in sent_messages(edges, between, certificate, numbers, possible):
        beliefs.add(sent.receiver, sent.messages)
        beliefs.add(sent.other, sent.vectors)
        one = np.arange(len(sent.edges))
        rest = edges.cost(sent.edges, labels) - sent.messages[one, labels[sent.receiver]]
        rest -= sent.vectors[one, labels[sent.other]]
        np.add.at(paid, sent.receiver, rest)
        np.add.at(paid, sent.other, rest)
    own = beliefs.floor()[everywhere, labels] - beliefs.least(possible)
    doubled: npt.NDArray[np.float64] = (paid + 2 * own).astype(np.float64)
    return (doubled * (float(numbers.in_units(1)) / 2)).reshape(energy.shape)
