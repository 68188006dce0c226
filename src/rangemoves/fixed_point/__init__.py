"""Costs to integers: everything inside the solvers is exact because it is integer.

Integer problems stay what they are. Others are scaled and rounded: the tables of g with one scale,
and the weights apart from them; one weight for all moves into the scale. Where edges are few and
both factors are real, each edge gets a table of its own instead, its weight times g. What is
convex, straight or flat stays so in every table. Where two labels of a variable differ by more than
its edges can make up for, the cheaper one is the better choice whatever the difference: such gaps
are shortened, so that one huge cost does not take the precision of all others. A forbidden
difference costs more than all that a labelling could save by it. What rounding can change in the
energy is added up, so that a proven bound can be lowered by it.

How large the integers may be is said in ``core/include/rangemoves/problem/limits.hpp``.
"""

from __future__ import annotations

from .conversion import to_fixed_edges, to_fixed_point
from .integers import FixedEdges, FixedPoint, priors_in_core

__all__ = ["FixedEdges", "FixedPoint", "priors_in_core", "to_fixed_edges", "to_fixed_point"]
