"""An energy in integers, as the core is given it, and what is known of how it was rounded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from .unary_costs import UnaryCosts

__all__ = ["FixedEdges", "FixedPoint", "priors_in_core"]

IntArray = npt.NDArray[np.int32]
LongArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FixedEdges:
    """The edges of an energy in integers, and the scale that suits all of it.

    Attributes
    ----------
    weights : numpy.ndarray
        int32, one per edge.
    tables : numpy.ndarray
        int64, shape (K, 2L-1): g(-(L-1)) .. g(L-1) of each kind of edge, up to a constant.
    table_index : numpy.ndarray
        int32, the kind of each edge; empty where there is only one.
    centres : numpy.ndarray
        int32, the difference nearest to the middle of the prior, for each kind.
    huber_slopes : numpy.ndarray
        int64, shape (K, 2): the slopes of the paper's Huber function to the left and to the right,
        in units of the tables, or -1 where a prior has none: it goes on as low as possible.
    prior_ranges : numpy.ndarray
        int32, shape (K, 2): each kind is convex from -left to right by the formula of its prior.
    names : tuple of str
        Each kind in words, or nothing where there is only one.
    limited : numpy.ndarray
        bool, whether a kind forbids differences.
    scale : float
        Integer energy = scale * (energy / unit - offset), up to rounding.
    unit : float
        A power of two; 1 but for costs near the ends of float64.
    rounding_error : float
        The most by which the integer costs of all edges / scale can differ from the costs / unit.
    wide : bool
        Whether unary costs take 64 bits.
    capped : bool
        Whether gaps between the costs of a variable are shortened to what decides just as well.
    shifted : bool
        Whether every variable's costs start from zero.
    g_offset : float
        What was taken off the tables, times the weights, over unit.
    reach : numpy.ndarray
        The most that the edges of each variable can cost more with one label than with another,
        under g or any surrogate of it, in integers.
    true_reach : numpy.ndarray
        The same before rounding, over unit: a label that costs more than this above the cheapest
        is dominated.
    margin : int
        By how much a shortened gap exceeds ``reach``: more than what counts as no difference.
    largest_unary : float
        The largest unary cost in integers.
    size : float
        The sum over the variables of the largest absolute cost among labels that matter, plus
        that over the edges of the weight times the largest absolute value of g, over unit.
    variation : float
        The same of what costs vary by.
    costs : UnaryCosts
        The unary costs, as they were looked at.
    """

    weights: IntArray
    tables: LongArray
    table_index: IntArray
    centres: IntArray
    huber_slopes: LongArray
    prior_ranges: IntArray
    names: tuple[str, ...]
    limited: npt.NDArray[np.bool_]
    scale: float
    unit: float
    rounding_error: float
    wide: bool
    capped: bool
    shifted: bool
    g_offset: float
    reach: FloatArray
    true_reach: FloatArray
    margin: int
    largest_unary: float
    size: float
    variation: float
    costs: UnaryCosts = field(repr=False)

    def kinds_in_use(self) -> list[int]:
        """Return which tables an edge has whose weight is not zero; the first where none has."""
        if self.table_index.size == 0:
            return [0]
        used: list[int] = np.unique(self.table_index[self.weights > 0]).tolist()
        return used or [0]


@dataclass(frozen=True, eq=False)
class FixedPoint:
    """An energy in integers.

    Attributes
    ----------
    unary : numpy.ndarray
        uint8, int16, uint16, int32 or int64, shape (N, L): the caller's array where that is as it
        must be. Forbidden labels have a cost that no labelling can make up for.
    weights : numpy.ndarray
        int32, one per edge.
    tables, table_index, centres, huber_slopes, prior_ranges : numpy.ndarray
        See :class:`FixedEdges`.
    scale, unit, offset : float
        Integer energy = scale * (energy / unit - offset), up to rounding.
    rounding_error : float
        The most by which integer energy / scale + offset can differ from energy / unit, for any
        labelling without capped labels; 0 for integer problems.
    tolerance : int
        An integer energy this close to its bound is as good as optimal.
    size : float
        See :class:`FixedEdges`.
    shifted : bool
        Whether every variable's costs start from zero; some labels may then cost less than they do.
    """

    unary: npt.NDArray[np.integer[Any]]
    weights: IntArray
    tables: LongArray
    table_index: IntArray
    centres: IntArray
    huber_slopes: LongArray
    prior_ranges: IntArray
    scale: float
    unit: float
    offset: float
    rounding_error: float
    tolerance: int
    size: float
    shifted: bool

    @property
    def exact(self) -> bool:
        """Whether nothing was rounded."""
        return self.rounding_error == 0.0

    @property
    def as_given(self) -> bool:
        """Whether integer energies are the caller's energies, as they are."""
        return self.exact and not self.shifted


def priors_in_core(
    edges: FixedPoint | FixedEdges, some: npt.NDArray[np.bool_ | np.int64] | None = None
) -> tuple[LongArray, IntArray, IntArray, LongArray, IntArray]:
    """Return what the core is told of priors: tables, whose they are, middles, slopes, ranges.

    Parameters
    ----------
    edges : FixedPoint or FixedEdges
        All edges.
    some : numpy.ndarray, optional
        Those that the core is told of, as flags or as indices; left out, all of them.

    Returns
    -------
    tuple of numpy.ndarray
    """
    index = edges.table_index
    if some is not None and index.size:
        index = index[some]
    return edges.tables, index, edges.centres, edges.huber_slopes, edges.prior_ranges
