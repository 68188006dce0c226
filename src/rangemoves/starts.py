"""Where a run starts: a labelling without forbidden labels and without forbidden differences."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .energy import Energy, chunks
from .result import Result

__all__ = ["initial_labels"]

Labels = npt.NDArray[np.int32]


def initial_labels(energy: Energy, init: npt.ArrayLike | str | Result | None) -> Labels:
    """Return the labelling to start from, one label per variable, or say what is wrong with it.

    Parameters
    ----------
    energy : Energy
        The problem.
    init : array_like, str, Result or None
        See :func:`rangemoves.minimize`; None takes the lowest labels that are allowed.

    Returns
    -------
    numpy.ndarray
        int32.
    """
    if init is None:
        labels = _first_allowed(energy)
        if energy.has_forbidden_differences and _broken(energy, labels).size:
            return _lowest_within_limits(energy, labels)
        return labels
    if isinstance(init, str):
        if init == "zero":
            labels = np.zeros(energy.num_variables, dtype=np.int32)
        elif init == "argmin":
            labels = energy.unary.argmin(axis=-1).reshape(-1).astype(np.int32)
        else:
            raise ValueError(
                "init must be None, 'zero', 'argmin', 'expansion', a labelling or a Result; "
                f"found {init!r}"
            )
    elif isinstance(init, Result):
        labels = energy.check_labels(init.labels, "init.labels").copy()
    else:
        labels = energy.check_labels(init, "init").copy()
    if energy.has_forbidden_labels:
        _refuse_forbidden_labels(energy, labels)
    if energy.has_forbidden_differences:
        _refuse_forbidden_differences(energy, labels)
    return labels


def _refuse_forbidden_labels(energy: Energy, labels: Labels) -> None:
    costs = energy.unary.reshape(energy.num_variables, -1)
    forbidden = np.isinf(costs[np.arange(labels.size), labels])
    if forbidden.any():
        at = int(np.argmax(forbidden))
        raise ValueError(
            f"init must use allowed labels only; found {int(forbidden.sum())} forbidden ones, "
            f"first label {labels[at]} at {energy.place(at)}; leave init out for the lowest "
            "allowed label"
        )


def _refuse_forbidden_differences(energy: Energy, labels: Labels) -> None:
    broken = _broken(energy, labels)
    if broken.size:
        i, j = int(energy.tail[broken[0]]), int(energy.head[broken[0]])
        raise ValueError(
            "init must keep to the differences that the prior allows; found "
            f"{broken.size} edges that do not, first between {energy.place(i)} and "
            f"{energy.place(j)} with labels {labels[i]} and {labels[j]}; leave init out for the "
            "lowest labels that do"
        )


def _first_allowed(energy: Energy) -> Labels:
    labels = np.zeros(energy.num_variables, dtype=np.int32)
    if energy.has_forbidden_labels:
        costs = energy.unary.reshape(energy.num_variables, energy.num_labels)
        for low, high in chunks(*costs.shape):
            labels[low:high] = np.isfinite(costs[low:high]).argmax(axis=1)
    return labels


def _broken(energy: Energy, labels: Labels) -> npt.NDArray[np.intp]:
    """The edges with a weight that have a forbidden difference."""
    difference = labels[energy.tail] - labels[energy.head]
    costs = energy.kinds.of_edges(0, energy.num_edges, difference + energy.num_labels - 1)
    return np.flatnonzero(np.isinf(costs) & (energy.weights > 0))


def _lowest_within_limits(energy: Energy, labels: Labels) -> Labels:
    """Raise labels as far as the limits ask, and no further.

    Of two labellings that keep to all limits the lower label of each variable does so too: there is
    a lowest one, and raising what is too low for a neighbour leads there or nowhere.
    """
    last = energy.num_labels - 1
    allowed = np.isfinite(energy.tables)
    least = (allowed.argmax(axis=1) - last).astype(np.int64)
    most = (last - allowed[:, ::-1].argmax(axis=1)).astype(np.int64)
    kinds = energy.table_index if energy.table_index.size else np.zeros(energy.num_edges, int)
    limits = np.asarray(~allowed.all(axis=1))
    limited = limits[kinds] & (energy.weights > 0)
    tail, head, kinds = energy.tail[limited], energy.head[limited], kinds[limited]
    next_allowed = _next_allowed(energy)
    while True:
        raised = labels.astype(np.int64)
        np.maximum.at(raised, tail, labels[head] + least[kinds])
        np.maximum.at(raised, head, labels[tail] - most[kinds])
        if next_allowed is not None:
            inside = np.minimum(raised, last + 1)
            raised = next_allowed[np.arange(raised.size), inside].astype(np.int64)
        beyond = raised > last
        if beyond.any():
            where = energy.place(int(np.argmax(beyond)))
            raise ValueError(
                "energy must have a labelling that keeps to all differences that its priors allow; "
                f"found none: variable {where} would need a label beyond {last}; allow larger "
                "differences or more labels"
            )
        if (raised == labels).all():
            return labels
        labels = raised.astype(np.int32)


def _next_allowed(energy: Energy) -> npt.NDArray[np.int32] | None:
    """For each variable and label the least allowed one that is no lower; L where there is none."""
    if not energy.has_forbidden_labels:
        return None
    labels = energy.num_labels
    costs = energy.unary.reshape(energy.num_variables, labels)
    result = np.full((energy.num_variables, labels + 2), labels, dtype=np.int32)
    result[:, :labels] = np.where(np.isfinite(costs), np.arange(labels, dtype=np.int32), labels)
    return np.minimum.accumulate(result[:, ::-1], axis=1)[:, ::-1]
