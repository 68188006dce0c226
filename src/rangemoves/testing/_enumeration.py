"""Small problems by trying all labellings, and energies by the formula."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ..energy import Energy
from ..priors import prior_table

__all__ = ["all_labellings", "brute_force", "reference_energy"]

# Enumerating more takes minutes: surely a mistake in a test.
MOST_LABELLINGS = 5_000_000


def all_labellings(energy: Energy) -> Iterator[npt.NDArray[np.int32]]:
    """Yield every labelling of a small problem.

    Parameters
    ----------
    energy : Energy
        The problem; at most five million labellings.

    Yields
    ------
    numpy.ndarray
        int32, of the energy's shape; -1 where its mask is False.
    """
    kept = np.ones(energy.shape, dtype=bool) if energy.mask is None else energy.mask
    count = energy.num_labels ** int(kept.sum())
    if count > MOST_LABELLINGS:
        raise ValueError(
            f"energy must have at most {MOST_LABELLINGS} labellings; found {count}; "
            "use fewer variables or labels"
        )
    choices = itertools.product(range(energy.num_labels), repeat=int(kept.sum()))
    for chosen in choices:
        labels = np.full(energy.shape, -1, dtype=np.int32)
        labels[kept] = chosen
        yield labels


def brute_force(energy: Energy) -> tuple[npt.NDArray[np.int32], float]:
    """Return the best labelling of a small problem by trying all of them.

    Parameters
    ----------
    energy : Energy
        The problem; at most five million labellings.

    Returns
    -------
    labels : numpy.ndarray
        The first of the best, in lexicographic order.
    value : float
        Its energy.

    Examples
    --------
    >>> import numpy as np
    >>> import rangemoves as rm
    >>> energy = rm.Energy(np.array([[[0, 5], [9, 0]]]), rm.Linear(), 2)
    >>> rm.testing.brute_force(energy)
    (array([[0, 1]], dtype=int32), 2.0)
    """
    best: tuple[npt.NDArray[np.int32], float] | None = None
    for labels in all_labellings(energy):
        value = energy(labels)
        if best is None or value < best[1]:
            best = labels, value
    assert best is not None
    return best


def reference_energy(energy: Energy, labels: npt.ArrayLike) -> float:
    """Return the energy of a labelling by the formula, one term after the other.

    Parameters
    ----------
    energy : Energy
        The problem.
    labels : array_like
        Integers of the energy's shape.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> import rangemoves as rm
    >>> energy = rm.Energy(np.array([[[0, 5], [9, 0]]]), rm.Linear(), 2)
    >>> rm.testing.reference_energy(energy, [[0, 1]])
    2.0
    """
    x = [int(label) for label in np.asarray(labels).reshape(-1)]
    unary = energy.unary.reshape(len(x), -1)
    total = sum(float(unary[i, label]) for i, label in enumerate(x) if label >= 0)
    priors = energy.prior if isinstance(energy.prior, tuple) else (energy.prior,)
    kinds = list(zip(energy.prior_index.tolist(), energy.offsets.tolist(), strict=True))
    weights = energy.weights.tolist()
    furthest: dict[int, int] = {}
    for (k, offset), weight in zip(kinds, weights, strict=True):
        if weight > 0:
            furthest[k] = max(furthest.get(k, 0), abs(offset))
    for (i, j), weight, (k, offset) in zip(energy.edges.tolist(), weights, kinds, strict=True):
        if weight == 0:
            continue
        g = prior_table(priors[k], energy.num_labels, offset, furthest[k])
        total += weight * float(g[energy.num_labels - 1 + x[i] - x[j]])
    return total
