"""The energy E(x) = sum_i theta_i(x_i) + sum_ij w_ij g_ij(x_i - x_j + o_ij) over ordered labels.

Equation (1) of the paper, where g is the same on all edges and o is zero. This is the problem as
the caller states it, in the caller's own costs; what the solvers work on is made from it in
:mod:`rangemoves.fixed_point`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from copy import copy as shallow_copy
from copy import deepcopy
from typing import Any

import numpy as np
import numpy.typing as npt

from .edge_tables import EdgeTables, edge_tables
from .errors import describe, refuse_masked
from .labellings import LEFT_OUT
from .limits import require_count
from .neighbourhood import Topology, graph_neighbourhood, grid_neighbourhood
from .notebook import as_html, small_map
from .priors import Prior, check_priors

__all__ = ["Energy"]

# Entries looked at in one go. Temporaries, of which there are a few at a time, then take less than
# half a megabyte whatever the size of the volume, and stay in the cache.
CHUNK = 1 << 13


BoolArray = npt.NDArray[np.bool_]


class Energy:
    """An energy over ordered labels, on a grid or on any graph. It never changes.

    Parameters
    ----------
    unary : array_like
        Cost of each label of each variable: shape (H, W, L) for an image, (D, H, W, L) for a
        volume and so on, (1, N, L) for a chain, or (N, L) together with ``edges``. Any real dtype;
        ``+inf`` forbids a label. A masked array (``np.ma``) leaves out the variables whose labels
        are all masked, and forbids single labels that are.
    prior : Prior or sequence of Prior
        Cost g of the difference of two neighbouring labels, e.g. ``rm.TruncatedQuadratic(3)``; of
        several, ``prior_index`` says which edge has which.
    weights : float or sequence of array_like, default 1
        Weights w >= 0 of the edges. On a grid: a number, or one array per axis in axis order
        (down, right), each one shorter than the grid along its axis; with diagonal neighbours
        further arrays follow in the order of :func:`rangemoves.neighbourhood.grid_offsets`.
        With ``edges``: a number or one per edge.
    edges : array_like, optional
        Shape (E, 2): the variables (i, j) of each edge, whose cost is w g(x_i - x_j).
    connectivity : int, optional
        Neighbours on a grid: 4 (default) or 8 for images, 6 (default) or 26 for volumes.
    prior_index : optional
        Which of several priors each edge has, counted from 0. On a grid: one integer per step
        (down, right, and so on), or one array of integers per step, shaped as the weights. With
        ``edges``: one integer per edge.
    offsets : optional
        Integers o, in the forms of ``weights``: an edge costs w g(x_i - x_j + o).
    mask : array_like of bool, optional
        Of the shape of a labelling: True takes part. What is False has no cost and no edge,
        whatever its costs are, NaN included; its label is -1.
    copy : bool, default True
        False keeps a reference to ``unary`` where its layout allows it, which saves memory; the
        array must then not be changed afterwards. Costs that a mask leaves out are always copied.

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

    The middle left out:

    >>> rm.Energy(unary, rm.Quadratic(), mask=[[True, False, True]])([[0, -1, 2]])
    0.0

    Labels that should rise by one from variable to variable:

    >>> rm.Energy(unary, rm.Quadratic(), offsets=1)([[0, 1, 2]])
    1.0
    """

    def __init__(
        self,
        unary: npt.ArrayLike,
        prior: Prior | Sequence[Prior],
        weights: Any = 1,
        *,
        edges: npt.ArrayLike | None = None,
        connectivity: int | None = None,
        prior_index: Any = None,
        offsets: Any = None,
        mask: npt.ArrayLike | None = None,
        copy: bool = True,
    ) -> None:
        costs, forbidden = _real_array(unary)
        if edges is None:
            self._shape = _grid_shape(costs)
        else:
            self._shape = _graph_shape(costs, connectivity)
        variables, labels = math.prod(self._shape), costs.shape[-1]
        require_count(variables, "nodes", "variables in unary")
        self._mask = _taking_part(mask, forbidden, self._shape)
        priors = check_priors(prior)
        self._prior = priors if isinstance(prior, (list, tuple)) else priors[0]
        if len(priors) > 1 and prior_index is None:
            raise ValueError(
                f"prior_index must say which edge has which of {len(priors)} priors; found None; "
                "pass one integer per direction of the grid, or per edge"
            )
        per_edge = {"prior_index": prior_index, "offsets": offsets, "priors": len(priors)}
        if edges is None:
            neighbourhood = grid_neighbourhood(self._shape, weights, connectivity, **per_edge)
        else:
            neighbourhood = graph_neighbourhood(variables, edges, weights, **per_edge)
        if self._mask is not None:
            neighbourhood = neighbourhood.among(self._mask.reshape(-1))
        self._neighbourhood = neighbourhood
        several = isinstance(prior, (list, tuple))
        self._tables = edge_tables(priors, neighbourhood, labels, several=several)
        self._limits = bool(np.isinf(self._tables.values).any())
        # For the same edges with other weights; copies, since callers may change their arrays.
        self._edges_as_given = {
            "edges": None if edges is None else np.array(edges),
            "connectivity": connectivity,
            "prior_index": deepcopy(prior_index),
            "offsets": deepcopy(offsets),
        }
        self._take_costs(costs, forbidden, copy)

    def _take_costs(self, costs: npt.NDArray[Any], forbidden: BoolArray | None, copy: bool) -> None:
        rows = np.array(costs, order="C", copy=True if copy else None).reshape(-1, costs.shape[-1])
        if not copy:
            # A view of the caller's array: our flag must not make the caller's array read-only.
            rows = rows.view()
        rows = _with_mask(rows, self._mask, forbidden, owned=copy)
        rows.setflags(write=False)
        self._rows = rows
        self._forbids = _check_costs(rows, self._shape)

    @property
    def unary(self) -> npt.NDArray[Any]:
        """The costs, in the caller's dtype and shape; read-only."""
        return self._rows.reshape(*self._shape, self.num_labels)

    @property
    def prior(self) -> Prior | tuple[Prior, ...]:
        """The prior g, or all of them where several were given."""
        return self._prior

    @property
    def table(self) -> npt.NDArray[np.float64]:
        """The values g(-(L-1)), ..., g(L-1), where they are the same on all edges; read-only."""
        if self._tables.count > 1:
            raise ValueError(
                f"table is for energies with the same costs on all edges; found "
                f"{self._tables.count} kinds of edges; use tables and table_index"
            )
        return np.asarray(self._tables.values[0])

    @property
    def tables(self) -> npt.NDArray[np.float64]:
        """The costs of the differences -(L-1) .. L-1, one row per kind of edge; read-only.

        A kind is a prior with an offset, which shifts its values.
        """
        return self._tables.values

    @property
    def table_index(self) -> npt.NDArray[np.int32]:
        """Which row of :attr:`tables` each edge has; empty where there is only one; read-only."""
        return self._tables.index

    @property
    def prior_index(self) -> npt.NDArray[np.int32]:
        """Which prior each edge has, counted from 0; read-only."""
        given = self._neighbourhood.prior_index
        return np.broadcast_to(np.int32(0), (self.num_edges,)) if given is None else given

    @property
    def offsets(self) -> npt.NDArray[np.int32]:
        """What is added to the difference of the labels of each edge; read-only."""
        given = self._neighbourhood.offsets
        return np.broadcast_to(np.int32(0), (self.num_edges,)) if given is None else given

    @property
    def kinds(self) -> EdgeTables:
        """The kinds of edges, with their tables, in words as well."""
        return self._tables

    @property
    def mask(self) -> BoolArray | None:
        """Which variables take part, in the shape of a labelling; None: all of them."""
        return self._mask

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

    @property
    def has_forbidden_differences(self) -> bool:
        """Whether the prior of any edge is ``+inf`` somewhere."""
        return self._limits

    def __call__(self, labels: npt.ArrayLike) -> float:
        """Return the energy of a labelling, in float64 from the costs as they were given.

        Parameters
        ----------
        labels : array_like
            Integers 0 .. L-1, of shape :attr:`shape`; -1 where the mask is False, and only there.

        Returns
        -------
        float
            ``inf`` where a forbidden label or difference is used. Exact for integer costs (below
            2**53).
        """
        return self._evaluate(self.check_labels(labels))

    def check_labels(self, labels: npt.ArrayLike, name: str = "labels") -> npt.NDArray[np.int32]:
        """Return a labelling as one row of int32, or say what is wrong with it.

        Parameters
        ----------
        labels : array_like
            Integers 0 .. L-1, of shape :attr:`shape`; -1 where the mask is False.
        name : str, default "labels"
            What to call the argument in a message.

        Returns
        -------
        numpy.ndarray
            Label 0 where the mask is False, as the solvers have it.
        """
        refuse_masked(labels, name, "use .filled(-1) for what the energy's mask leaves out")
        given = np.asarray(labels)
        if given.dtype.kind not in "iu":
            raise TypeError(
                f"{name} must be integers; found dtype {given.dtype}; round them and convert with "
                ".astype(int)"
            )
        if given.shape != self._shape:
            raise ValueError(f"{name} must have shape {self._shape}; found {given.shape}")
        flat = given.reshape(-1)
        if self._mask is not None:
            out = ~self._mask.reshape(-1)
            wrong = out & (flat != LEFT_OUT)
            if wrong.any():
                at = int(np.flatnonzero(wrong)[0])
                raise ValueError(
                    f"{name} must be {LEFT_OUT} where the mask is False; found {int(wrong.sum())} "
                    f"that are not, first {flat[at]} at {_index(at, self._shape)}"
                )
            flat = np.where(out, 0, flat)
        outside = (flat < 0) | (flat >= self.num_labels)
        if outside.any():
            at = int(np.flatnonzero(outside)[0])
            raise ValueError(
                f"{name} must be between 0 and {self.num_labels - 1}; found "
                f"{int(outside.sum())} outside, first {flat[at]} at {_index(at, self._shape)}"
            )
        return np.ascontiguousarray(flat, dtype=np.int32)

    def flat_labels(self, labels: npt.ArrayLike, name: str = "labels") -> npt.NDArray[np.int32]:
        """Return a labelling as the solvers have it, or say what is wrong with it.

        Parameters
        ----------
        labels : array_like
            As :meth:`shown_labels` returns it.
        name : str, default "labels"
            What to call the argument in a message.

        Returns
        -------
        numpy.ndarray
        """
        return self.check_labels(labels, name)

    def place(self, flat: int) -> tuple[int, ...]:
        """Return where a variable is, for messages.

        Parameters
        ----------
        flat : int
            Its number.

        Returns
        -------
        tuple of int
        """
        return _index(flat, self._shape)

    def callers_variables(self, flat: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Return the numbers that some variables of the solvers have in the energy as stated.

        Parameters
        ----------
        flat : numpy.ndarray
            int32, variables.

        Returns
        -------
        numpy.ndarray
        """
        return flat

    def shown_labels(self, flat: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Return a labelling of the solvers in the shape of the grid, -1 where the mask is False.

        Parameters
        ----------
        flat : numpy.ndarray
            int32, one per variable.

        Returns
        -------
        numpy.ndarray
        """
        labels = flat.reshape(self._shape)
        if self._mask is None:
            return labels
        return np.where(self._mask, labels, np.int32(LEFT_OUT))

    def shown_rows(self, rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return values per label in the shape of the costs, NaN where the mask is False.

        Parameters
        ----------
        rows : numpy.ndarray
            One row per variable.

        Returns
        -------
        numpy.ndarray
        """
        shown = rows.reshape(*self._shape, self.num_labels)
        return shown if self._mask is None else np.where(self._mask[..., None], shown, np.nan)

    def replaced(self, unary: npt.ArrayLike | None = None, weights: Any = None) -> Energy:
        """Return an energy with other costs or weights, and all else as it is here.

        Parameters
        ----------
        unary : array_like, optional
            Costs of the same shape.
        weights : optional
            Weights in any form that :class:`Energy` takes.

        Returns
        -------
        Energy

        Examples
        --------
        >>> import numpy as np
        >>> import rangemoves as rm
        >>> energy = rm.Energy(np.zeros((2, 2, 3)), rm.Linear(), 2)
        >>> energy.replaced(weights=1)(np.array([[0, 1], [0, 0]]))
        2.0
        """
        if unary is None:
            other = self
        else:
            refuse_masked(unary, "unary", "the mask stays as it is")
            costs, forbidden = _real_array(unary)
            if costs.shape != (*self._shape, self.num_labels):
                raise ValueError(
                    f"unary must have shape {(*self._shape, self.num_labels)}, as before; found "
                    f"{costs.shape}"
                )
            other = shallow_copy(self)
            other._take_costs(costs, forbidden, copy=True)
        if weights is None:
            return other
        return Energy(
            other.unary, self._prior, weights, mask=self._mask, copy=False, **self._edges_as_given
        )

    def _evaluate(self, flat: npt.NDArray[np.int32]) -> float:
        """Energy of labels that are known to be good. The solvers call this once a move."""
        parts: list[float] = []
        for low, high in chunks(self.num_variables, 1):
            costs = self._rows[np.arange(low, high), flat[low:high]]
            parts += _exact_sum(costs)
        edges = self._neighbourhood
        centre = self.num_labels - 1
        for low, high in chunks(self.num_edges, 1):
            difference = flat[edges.tail[low:high]] - flat[edges.head[low:high]]
            costs = self._tables.of_edges(low, high, difference + centre)
            weights = edges.weights[low:high]
            if self._limits:
                # Without a weight nothing is forbidden.
                costs = np.where(weights > 0, costs, 0.0)
                if np.isinf(costs).any():
                    return math.inf
            parts += _exact_sum(costs * weights)
        return math.fsum(parts)

    def __repr__(self) -> str:
        out = "" if self._mask is None else f", left_out={int((~self._mask).sum())}"
        return (
            f"Energy(shape={self._shape}, labels={self.num_labels}, edges={self.num_edges}, "
            f"prior={self._prior!r}{out})"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: the cheapest labels as a small picture, and a line."""
        part = small_map(self._shape)
        if part is None:
            return as_html(repr(self), None)
        cheapest = self.unary[part].argmin(axis=-1).astype(np.float64)
        if self._mask is not None:
            cheapest[~self._mask[part]] = np.nan
        return as_html(repr(self), cheapest)


def chunks(length: int, width: int) -> Iterator[tuple[int, int]]:
    """Yield [low, high) over ``length`` rows of ``width`` entries, about CHUNK entries each."""
    step = max(1, CHUNK // max(1, width))
    for low in range(0, length, step):
        yield low, min(low + step, length)


def _exact_sum(costs: npt.NDArray[Any]) -> list[float]:
    """Numbers whose sum is that of a chunk of costs: exactly, where those are whole numbers."""
    total = float(np.sum(costs, dtype=np.float64))
    largest = max(float(costs.max()), -float(costs.min()))
    if not 2.0**53 < largest * costs.size < 2.0**80:
        return [total]
    # In two halves, neither of which is rounded.
    if costs.dtype.kind in "iu":
        return [float((costs >> 26).sum()) * 2.0**26, float((costs & (2**26 - 1)).sum())]
    upper = np.floor(costs / 2.0**26) * 2.0**26
    lower = costs - upper
    whole = bool((lower == np.rint(lower)).all())
    return [float(upper.sum()), float(lower.sum())] if whole else [total]


def _real_array(unary: npt.ArrayLike) -> tuple[npt.NDArray[Any], BoolArray | None]:
    """The costs, and which of their entries are masked."""
    masked = None
    if isinstance(unary, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(unary) if np.ma.is_masked(unary) else None
        unary = unary.data
    refuse_masked(unary, "unary", "join the parts with np.ma.stack")
    try:
        costs = np.asarray(unary)
    except ValueError as error:
        raise ValueError(f"unary must be an array of numbers; found {describe(unary)}") from error
    if costs.dtype.kind not in "biuf":
        raise TypeError(f"unary must be real numbers; found dtype {costs.dtype}")
    if costs.dtype.kind == "f" and costs.dtype.itemsize > 8:
        # Energies are float64: what these cannot hold cannot be added up.
        beyond = np.isfinite(costs) & (np.abs(costs) > np.finfo(np.float64).max)
        if masked is not None:
            beyond &= ~masked
        if beyond.any():
            raise OverflowError(
                f"unary must fit float64; found {int(beyond.sum())} costs beyond 1.8e308, first "
                f"at {_index(int(np.argmax(beyond)), costs.shape)}; divide all costs by a common "
                "factor"
            )
    return costs, masked


def _taking_part(
    mask: npt.ArrayLike | None, forbidden: BoolArray | None, shape: tuple[int, ...]
) -> BoolArray | None:
    """Which variables take part, by the mask and by costs whose labels are all masked."""
    takes_part: BoolArray | None = None
    if mask is not None:
        refuse_masked(mask, "mask", "use .filled(False)")
        given = np.asarray(mask)
        if given.dtype != np.bool_:
            raise TypeError(
                f"mask must be booleans, True where a variable takes part; found dtype "
                f"{given.dtype}; convert it with .astype(bool)"
            )
        if given.shape != shape:
            raise ValueError(
                f"mask must have the shape of a labelling, {shape}; found {given.shape}"
            )
        if not given.any():
            raise ValueError("mask must be True for some variable; found it False for all")
        takes_part = np.array(given)
    if forbidden is not None:
        has_label: BoolArray = np.asarray(~forbidden.all(axis=-1))
        takes_part = has_label if takes_part is None else takes_part & has_label
        if not takes_part.any():
            raise ValueError(
                "unary must have a label that is not masked; found none in a variable that takes "
                "part"
            )
    if takes_part is None or takes_part.all():
        return None
    takes_part.setflags(write=False)
    return takes_part


def _with_mask(
    rows: npt.NDArray[Any], mask: BoolArray | None, forbidden: BoolArray | None, *, owned: bool
) -> npt.NDArray[Any]:
    """The costs with masked labels forbidden, and nothing to choose where the mask is False."""
    if not owned and (mask is not None or forbidden is not None):
        rows = rows.copy()
    if forbidden is not None:
        forbidden = forbidden.reshape(rows.shape)
        if mask is not None:
            forbidden = forbidden & mask.reshape(-1, 1)
        if forbidden.any():
            if rows.dtype.kind != "f":
                if np.abs(rows[~forbidden].astype(np.float64)).max(initial=0.0) > 2.0**53:
                    raise OverflowError(
                        "unary with masked labels must fit float64; found integers beyond 2**53; "
                        "divide all costs by a common factor"
                    )
                rows = rows.astype(np.float64)
            rows[forbidden] = np.inf
    if mask is not None:
        rows[~mask.reshape(-1)] = 0
    return rows


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
            f"{_index(nan_first, (*shape, labels))}; use 0 where nothing is known, +inf to forbid, "
            "mask= to leave variables out"
        )
    return forbids


def _index(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(k) for k in np.unravel_index(flat, shape))
