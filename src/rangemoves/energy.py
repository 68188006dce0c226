"""The energy E(x) = sum_i theta_i(x_i) + sum_ij w_ij g(x_i - x_j) over ordered labels.

Equation (1) of the paper. This is the problem as the caller states it, in the caller's own costs;
what the solvers work on is made from it in :mod:`rangemoves.fixed_point`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import describe, refuse_masked
from .limits import require_count
from .neighbourhood import Topology, graph_neighbourhood, grid_neighbourhood
from .priors import Prior, check_prior

__all__ = ["Energy"]

# Entries looked at in one go: temporaries stay at a few megabytes whatever the size of the volume.
CHUNK = 1 << 20


class Energy:
    """An energy over ordered labels, on a grid or on any graph. It never changes.

    Parameters
    ----------
    unary : array_like
        Cost of each label of each variable: shape (H, W, L) for an image, (D, H, W, L) for a
        volume and so on, (1, N, L) for a chain, or (N, L) together with ``edges``. Any real dtype;
        ``+inf`` forbids a label.
    prior : Prior
        Cost g of the difference of two neighbouring labels, e.g. ``rm.TruncatedQuadratic(3)``.
    weights : float or sequence of array_like, default 1
        Weights w >= 0 of the edges. On a grid: a number, or one array per axis in axis order
        (down, right), each one shorter than the grid along its axis; with diagonal neighbours
        further arrays follow in the order of :func:`rangemoves.neighbourhood.grid_offsets`.
        With ``edges``: a number or one per edge.
    edges : array_like, optional
        Shape (E, 2): the variables (i, j) of each edge, whose cost is w g(x_i - x_j).
    connectivity : int, optional
        Neighbours on a grid: 4 (default) or 8 for images, 6 (default) or 26 for volumes.
    copy : bool, default True
        False keeps a reference to ``unary`` where its layout allows it, which saves memory; the
        array must then not be changed afterwards.

    Notes
    -----
    On a grid the argument of g is the label here minus the label further along the axis (to the
    right, below), which only matters for a prior that is not symmetric.

    Examples
    --------
    >>> import numpy as np
    >>> import rangemoves as rm
    >>> unary = np.array([[[0, 2, 4], [1, 1, 1], [4, 2, 0]]])
    >>> energy = rm.Energy(unary, rm.Quadratic())
    >>> energy
    Energy(shape=(1, 3), labels=3, edges=2, prior=Quadratic())
    >>> energy([[0, 1, 2]])
    3.0
    """

    def __init__(
        self,
        unary: npt.ArrayLike,
        prior: Prior,
        weights: Any = 1,
        *,
        edges: npt.ArrayLike | None = None,
        connectivity: int | None = None,
        copy: bool = True,
    ) -> None:
        costs = _real_array(unary)
        if edges is None:
            self._shape = _grid_shape(costs)
        else:
            self._shape = _graph_shape(costs, connectivity)
        variables, labels = math.prod(self._shape), costs.shape[-1]
        require_count(variables, "nodes", "variables in unary")
        self._prior = prior
        self._table = check_prior(prior, labels)
        if edges is None:
            self._neighbourhood = grid_neighbourhood(self._shape, weights, connectivity)
        else:
            self._neighbourhood = graph_neighbourhood(variables, edges, weights)
        rows = np.array(costs, order="C", copy=True if copy else None).reshape(variables, labels)
        if not copy:
            # A view of the caller's array: our flag must not make the caller's array read-only.
            rows = rows.view()
        rows.setflags(write=False)
        self._rows = rows
        self._forbids = _check_costs(rows, self._shape)

    @property
    def unary(self) -> npt.NDArray[Any]:
        """The costs, in the caller's dtype and shape; read-only."""
        return self._rows.reshape(*self._shape, self.num_labels)

    @property
    def prior(self) -> Prior:
        """The prior g."""
        return self._prior

    @property
    def table(self) -> npt.NDArray[np.float64]:
        """The values g(-(L-1)), ..., g(L-1); read-only."""
        return self._table

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of a labelling."""
        return self._shape

    @property
    def num_labels(self) -> int:
        """The number L of labels."""
        return int(self._rows.shape[1])

    @property
    def num_variables(self) -> int:
        """The number of variables."""
        return int(self._rows.shape[0])

    @property
    def num_edges(self) -> int:
        """The number of edges."""
        return int(self._neighbourhood.tail.size)

    @property
    def edges(self) -> npt.NDArray[np.int32]:
        """The edges (i, j), shape (E, 2), by flat index of the variables."""
        return np.stack([self._neighbourhood.tail, self._neighbourhood.head], axis=1)

    @property
    def tail(self) -> npt.NDArray[np.int32]:
        """The first variable i of each edge; read-only."""
        return self._neighbourhood.tail

    @property
    def head(self) -> npt.NDArray[np.int32]:
        """The second variable j of each edge; read-only."""
        return self._neighbourhood.head

    @property
    def row(self) -> int:
        """How many consecutive variables form a row of the grid; 0 where edges were given."""
        return self._neighbourhood.row

    @functools.cached_property
    def _topology(self) -> Topology:
        """What kind of graph the edges make, found out once."""
        return self._neighbourhood.topology(self.num_variables)

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """The weight of each edge, in the order of :attr:`edges`; read-only."""
        return self._neighbourhood.weights

    @property
    def has_forbidden_labels(self) -> bool:
        """Whether any cost is ``+inf``."""
        return self._forbids

    def __call__(self, labels: npt.ArrayLike) -> float:
        """Return the energy of a labelling, in float64 from the costs as they were given.

        Parameters
        ----------
        labels : array_like
            Integers 0 .. L-1, of shape :attr:`shape`.

        Returns
        -------
        float
            ``inf`` where a forbidden label is used. Exact for integer costs (below 2**53).
        """
        return self._evaluate(self.check_labels(labels))

    def check_labels(self, labels: npt.ArrayLike, name: str = "labels") -> npt.NDArray[np.int32]:
        """Return a labelling as one row of int32, or say what is wrong with it.

        Parameters
        ----------
        labels : array_like
            Integers 0 .. L-1, of shape :attr:`shape`.
        name : str, default "labels"
            What to call the argument in a message.

        Returns
        -------
        numpy.ndarray
        """
        refuse_masked(labels, name, "use .filled(label)")
        given = np.asarray(labels)
        if given.dtype.kind not in "iu":
            raise TypeError(
                f"{name} must be integers; found dtype {given.dtype}; round them and convert with "
                ".astype(int)"
            )
        if given.shape != self._shape:
            raise ValueError(f"{name} must have shape {self._shape}; found {given.shape}")
        flat = given.reshape(-1)
        outside = (flat < 0) | (flat >= self.num_labels)
        if outside.any():
            at = int(np.flatnonzero(outside)[0])
            raise ValueError(
                f"{name} must be between 0 and {self.num_labels - 1}; found "
                f"{int(outside.sum())} outside, first {flat[at]} at {_index(at, self._shape)}"
            )
        return np.ascontiguousarray(flat, dtype=np.int32)

    def _evaluate(self, flat: npt.NDArray[np.int32]) -> float:
        """Energy of labels that are known to be good. The solvers call this once a move."""
        parts = []
        for low, high in chunks(self.num_variables, 1):
            costs = self._rows[np.arange(low, high), flat[low:high]]
            parts.append(float(np.sum(costs, dtype=np.float64)))
        edges = self._neighbourhood
        centre = self.num_labels - 1
        for low, high in chunks(self.num_edges, 1):
            difference = flat[edges.tail[low:high]] - flat[edges.head[low:high]]
            costs = self._table[difference + centre] * edges.weights[low:high]
            parts.append(float(np.sum(costs)))
        return math.fsum(parts)

    def __repr__(self) -> str:
        return (
            f"Energy(shape={self._shape}, labels={self.num_labels}, edges={self.num_edges}, "
            f"prior={self._prior!r})"
        )


def chunks(length: int, width: int) -> Iterator[tuple[int, int]]:
    """Yield [low, high) over ``length`` rows of ``width`` entries, about CHUNK entries each."""
    step = max(1, CHUNK // max(1, width))
    for low in range(0, length, step):
        yield low, min(low + step, length)


def _real_array(unary: npt.ArrayLike) -> npt.NDArray[Any]:
    refuse_masked(
        unary,
        "unary",
        "use unary.filled(0) where nothing is known, unary.filled(np.inf) to forbid labels",
    )
    try:
        costs = np.asarray(unary)
    except ValueError as error:
        raise ValueError(f"unary must be an array of numbers; found {describe(unary)}") from error
    if costs.dtype.kind not in "biuf":
        raise TypeError(f"unary must be real numbers; found dtype {costs.dtype}")
    if costs.dtype.kind == "f" and costs.dtype.itemsize > 8:
        # Energies are float64: what these cannot hold cannot be added up.
        beyond = np.isfinite(costs) & (np.abs(costs) > np.finfo(np.float64).max)
        if beyond.any():
            raise OverflowError(
                f"unary must fit float64; found {int(beyond.sum())} costs beyond 1.8e308, first "
                f"at {_index(int(np.argmax(beyond)), costs.shape)}; divide all costs by a common "
                "factor"
            )
    return costs


def _grid_shape(costs: npt.NDArray[Any]) -> tuple[int, ...]:
    if costs.ndim < 3:
        raise ValueError(
            "unary must have shape (H, W, L), or more grid axes before the labels; found "
            f"{costs.shape}; pass edges= for a graph, or shape (1, N, L) for a chain"
        )
    if costs.size == 0:
        raise ValueError(
            f"unary must have at least one variable and one label; found shape {costs.shape}"
        )
    return costs.shape[:-1]


def _graph_shape(costs: npt.NDArray[Any], connectivity: int | None) -> tuple[int, ...]:
    if connectivity is not None:
        raise ValueError(
            f"connectivity is for grids; found {connectivity!r} together with edges=; leave one out"
        )
    if costs.ndim != 2:
        raise ValueError(
            f"unary must have shape (N, L) together with edges=; found {costs.shape}; "
            "reshape it to (-1, L), or leave edges out for a grid"
        )
    if costs.size == 0:
        raise ValueError(
            f"unary must have at least one variable and one label; found shape {costs.shape}"
        )
    return costs.shape[:-1]


def _check_costs(rows: npt.NDArray[Any], shape: tuple[int, ...]) -> bool:
    """Refuse NaN, -inf and variables without a label; return whether any label is forbidden."""
    if rows.dtype.kind != "f":
        return False
    variables, labels = rows.shape
    forbids = False
    nan_count, nan_first = 0, -1
    for low, high in chunks(variables, labels):
        part = rows[low:high]
        if np.isfinite(part).all():
            continue
        nan = np.isnan(part)
        if nan.any():
            nan_count += int(nan.sum())
            if nan_first < 0:
                nan_first = low * labels + int(np.argmax(nan))
            continue
        if np.isneginf(part).any():
            at = low * labels + int(np.argmax(np.isneginf(part)))
            raise ValueError(
                f"unary must not be -inf; found it at {_index(at, (*shape, labels))}; "
                "forbid the other labels with +inf instead"
            )
        forbids = True
        empty = np.isposinf(part).all(axis=1)
        if empty.any():
            at = low + int(np.argmax(empty))
            raise ValueError(
                f"unary must allow every variable at least one label; found all {labels} labels "
                f"of variable {_index(at, shape)} forbidden (+inf)"
            )
    if nan_count:
        raise ValueError(
            f"unary must not be NaN; found {nan_count} NaN, first at "
            f"{_index(nan_first, (*shape, labels))}; use 0 where nothing is known, +inf to forbid"
        )
    return forbids


def _index(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(k) for k in np.unravel_index(flat, shape))
