"""The table of methods: what each needs, what it promises, when to take it, how it can be set.

A method joins with one row here; :func:`rangemoves.minimize` refuses with the reason when
``refusal`` gives one. Its options are rows of ``options.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core, options
from .docstrings import entry
from .errors import as_choice
from .options import Option

if TYPE_CHECKING:
    from .energy import Energy
    from .fixed_point import FixedEdges

__all__ = [
    "Cuts",
    "Method",
    "all_options",
    "describe_options",
    "find_method",
    "method_for",
    "methods",
]

Table = npt.NDArray[np.int64]
# The middle of a table, and how far it is convex to the left and to the right of zero.
Convex = tuple[int, int, int]
# Why a method cannot do with a table; None where it can.
Refusal = Callable[[Table, Convex], str | None]


@dataclass(frozen=True)
class Cuts:
    """How ``memory.py`` finds out from a few small parts how large the cuts of a method will be.

    Attributes
    ----------
    of : str
        The method whose first moves show it.
    narrow : bool
        Whether each cut is about few labels: all of its first moves are then looked at.
    moves : int
        How many of its first moves are looked at else: more than one where the first is not the
        largest.
    """

    of: str
    narrow: bool = False
    moves: int = 1


@dataclass(frozen=True)
class Method:
    """One way to minimise an energy.

    Attributes
    ----------
    name : str
        What to pass as ``method=``.
    moves : str
        Which variables may change in one step, and to which labels.
    requires : str
        What the prior must be like.
    guarantees : str
        What the answer is worth.
    when_to_use : str
        Why to choose it.
    options : tuple of str
        The options of its own that ``rm.minimize`` takes.
    option_table : tuple of Option
        The same with their values, defaults and what each is for.
    has_own_bound : bool
        Whether it finds a lower bound without being asked.
    has_certificate : bool
        Whether it can hand out what that bound rests on.
    leaves_edges_out : bool
        Whether its moves do not look at edges beyond the convex range.
    bends_on : bool
        Whether its surrogate may go on with the last bend of the prior: then costs grow larger.
    cuts : Cuts or None
        How large its cuts will be can be seen so; None where that follows from the sizes alone.
    """

    name: str
    moves: str
    requires: str
    guarantees: str
    when_to_use: str
    _refusal: Refusal = field(repr=False)
    option_table: tuple[Option, ...] = field(default=(), repr=False)
    has_own_bound: bool = False
    has_certificate: bool = field(default=False, repr=False)
    leaves_edges_out: bool = field(default=False, repr=False)
    bends_on: bool = field(default=False, repr=False)
    cuts: Cuts | None = field(default=None, repr=False)

    @property
    def options(self) -> tuple[str, ...]:
        """The options of its own that ``rm.minimize`` takes."""
        return tuple(option.name for option in self.option_table)

    def refusal(self, energy: Energy) -> str | None:
        """Return why the method cannot minimise this energy, or None where it can.

        Parameters
        ----------
        energy : Energy
            The problem.

        Returns
        -------
        str or None
        """
        from .fixed_point import to_fixed_edges

        return self.refusal_of_edges(to_fixed_edges(energy, bends_on=self.bends_on))

    def refusal_of_edges(
        self, edges: FixedEdges, options: Mapping[str, Any] = MappingProxyType({})
    ) -> str | None:
        """Return the same for the integer tables that the solver will really use."""
        # What lies beyond T is left out then, and must cost the same there.
        by_prior = self.leaves_edges_out and options.get("convex_range") == "prior"
        for k in edges.kinds_in_use():
            table, centre = edges.tables[k], int(edges.centres[k])
            left, right = _core.convex_range(table, centre)
            if by_prior:
                left = min(left, max(int(edges.prior_ranges[k, 0]), -centre))
                right = min(right, max(int(edges.prior_ranges[k, 1]), centre))
            reason = self._refusal(table, (centre, left, right))
            if reason is None and self.leaves_edges_out and edges.limited[k]:
                reason = _needs_every_edge(table, (centre, left, right))
            if reason is not None:
                name = edges.names[k]
                return f"{name}: {reason}" if name else reason
        return None

    def require(self, edges: FixedEdges, options: Mapping[str, Any] = MappingProxyType({})) -> None:
        """Raise ValueError, with the reason, where the method cannot minimise such an energy."""
        reason = self.refusal_of_edges(edges, options)
        if reason is not None:
            raise ValueError(f"method {self.name!r} cannot minimise this energy: {reason}")

    def check_options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options in the form the core takes, or say which is wrong."""
        unknown = [name for name in given if name not in self.options]
        if unknown:
            known = ", ".join(self.options) or "none"
            takers = ", ".join(row.name for row in _METHODS if unknown[0] in row.options)
            elsewhere = f"; methods with that option are: {takers}" if takers else ""
            raise TypeError(
                f"method {self.name!r} has no option {unknown[0]!r}; its options are: {known}"
                f"{elsewhere}"
            )
        checked: dict[str, Any] = {}
        for option in self.option_table:
            if option.name in given:
                checked[option.name] = option.parse(given[option.name])
            elif option.default is not None:
                checked[option.name] = option.default
        return checked


def methods() -> tuple[Method, ...]:
    """Return the table of methods.

    Returns
    -------
    tuple of Method
        Each with ``name``, ``moves``, ``requires``, ``guarantees``, ``when_to_use``, ``options``,
        and ``option_table`` for the values and defaults of the latter.

    Examples
    --------
    >>> import rangemoves as rm
    >>> [method.name for method in rm.methods()]
    ['auto', 'ishikawa', 'gswap', 'gswapf', 'expansion', 'swap', 'rswap', 'rswape', 'rexp',
     'irgc', 'irgc+expansion', 'trws', 'best']
    >>> rm.methods()[1].guarantees
    'the global optimum, in one cut'
    """
    return _METHODS


def find_method(name: Any) -> Method:
    """Return the row of that name, or list the names there are."""
    by_name = {method.name: method for method in _METHODS}
    return by_name[as_choice(name, "method", by_name)]


def method_for(name: Any, options: Mapping[str, Any]) -> Method:
    """Return the row of that name; of "auto" with an option that only gswap has, gswap's.

    Parameters
    ----------
    name : str
        As given to ``rm.minimize``.
    options : mapping
        As given beside it.
    """
    row = find_method(name)
    gswap = find_method("gswap")
    own = set(options) - set(row.options)
    if row.name == "auto" and own & set(gswap.options):
        return gswap
    return row


def all_options() -> dict[Option, tuple[Method, ...]]:
    """Return every option there is, with the methods that take it.

    Some have the name of another, with other values.
    """
    found: dict[Option, list[Method]] = {}
    for method in _METHODS:
        for option in method.option_table:
            found.setdefault(option, []).append(method)
    return {option: tuple(takers) for option, takers in found.items()}


def describe_options() -> str:
    """Return the options of all methods as numpydoc lists parameters."""
    entries = []
    for option, takers in all_options().items():
        values = ", ".join(f'"{word}"' for word in option.choices)
        kind = f"{{{values}}}" if values else "int"
        if option.default is None:
            kind += ", optional"
        else:
            kind += f', default "{option.default}"' if values else f", default {option.default}"
        names = ", ".join(method.name for method in takers)
        words = f"For {names}: {option.help[0].lower()}{option.help[1:]} {option.details}"
        entries.append(entry(option.name, kind, words))
    return "\n".join(entries)


def _needs_convex(table: Table, convex: Convex) -> str | None:
    labels = (table.size + 1) // 2
    _, left, right = convex
    if left >= labels - 1 and right >= labels - 1:
        return None
    return (
        f"the prior is convex only for differences from {-left} to {right}, and it must be convex "
        f"for all up to {labels - 1}; use method='gswap', or a convex prior such as rm.Huber(T)"
    )


def _needs_flat_tails(table: Table, convex: Convex) -> str | None:
    labels = (table.size + 1) // 2
    _, left, right = convex
    difference = np.arange(1 - labels, labels)
    beyond = (difference < -left) | (difference > right)
    if (table[beyond] == table.max()).all():
        return None
    return (
        "the prior must have one and the same largest value for all differences outside "
        f"{-left} .. {right}, where it is convex; with any other an edge that is left out could "
        "make the energy rise; use method='gswap'"
    )


def _needs_every_edge(table: Table, convex: Convex) -> str | None:
    if _needs_convex(table, convex) is None:
        return None
    return (
        "the prior forbids differences, and is not convex between those that it allows: edges that "
        "are left out could end at forbidden ones; use method='gswap'"
    )


def _needs_convex_steps(table: Table, convex: Convex) -> str | None:
    labels = (table.size + 1) // 2
    centre, left, right = convex
    if labels == 1 or min(left, right) >= 1:
        return None
    if centre != 0:
        return (
            "the offset moves the differences for which the prior is convex to "
            f"{-left} .. {right}, and they must hold -1 .. 1, so that there is a range of two "
            "labels to move in; use method='gswap'"
        )
    return (
        "the prior must be convex at least for differences from -1 to 1, so that there is a range "
        "of two labels to move in; use method='expansion'"
    )


def _accepts_all(table: Table, convex: Convex) -> str | None:
    return None


_METHODS = (
    Method(
        name="auto",
        moves=(
            "none but messages, then those of gswap, what both found fused, and from there those "
            "of gswapf or gswap; one cut where the prior is convex"
        ),
        requires="nothing",
        guarantees=(
            "the global optimum for convex priors and on trees; else the energy never rises, ends "
            "no higher than gswap from the same start, and has a lower bound"
        ),
        when_to_use="always, at first: it is the default",
        _refusal=_accepts_all,
        option_table=(options.ENGINE,),
        has_own_bound=True,
        cuts=Cuts("gswap"),
    ),
    Method(
        name="ishikawa",
        moves="all variables, to all labels",
        requires="a convex prior",
        guarantees="the global optimum, in one cut",
        when_to_use="the prior is convex: Linear, Quadratic, Huber",
        _refusal=_needs_convex,
        option_table=(options.ENGINE,),
        cuts=Cuts("ishikawa"),
    ),
    Method(
        name="gswap",
        moves="a large set without an edge beyond the convex range inside it, to all labels",
        requires="a prior that is convex near zero, concave beyond",
        guarantees=(
            "the energy never rises; each move is optimal for a convex energy that is never below "
            "the true one"
        ),
        when_to_use="the paper's method; where memory is too little for auto",
        _refusal=_accepts_all,
        option_table=(
            options.ENGINE,
            options.SURROGATE,
            options.STRATEGY,
            options.CONVEX_RANGE,
            options.TIES,
        ),
        cuts=Cuts("gswap"),
    ),
    Method(
        name="gswapf",
        moves="all variables, to all labels; edges beyond the convex range are left out",
        requires="a prior with one and the same largest value beyond its convex range",
        guarantees="as gswap",
        when_to_use="a truncated prior; often fewer moves than gswap",
        _refusal=_needs_flat_tails,
        option_table=(options.ENGINE, options.SURROGATE, options.CONVEX_RANGE, options.TIES),
        leaves_edges_out=True,
        cuts=Cuts("gswapf"),
    ),
    Method(
        name="expansion",
        moves="all variables: keep, or one label, for one label after the other",
        requires="nothing; edges that are not submodular are raised, or left to QPBO",
        guarantees=(
            "the energy never rises; for a metric at most 2c times the optimum, with c the largest "
            "over the smallest g between different labels"
        ),
        when_to_use="truncated linear priors; a quick start for other methods",
        _refusal=_accepts_all,
        option_table=(options.LABEL_ORDER, options.NONSUBMODULAR),
    ),
    Method(
        name="swap",
        moves="the variables that have one of two labels, to either, for one pair after the other",
        requires="nothing; every prior with g(0) as its minimum is submodular for it",
        guarantees="the energy never rises; each move is the best between its two labels",
        when_to_use="to compare with",
        _refusal=_accepts_all,
        option_table=(options.ORDER, options.NONSUBMODULAR),
    ),
    Method(
        name="rswap",
        moves="the variables that have a label of a range as wide as the convex range, within it",
        requires="a prior that is convex near zero",
        guarantees="the energy never rises; each move is the best within its range",
        when_to_use="after expansion (init='expansion'); from zero it ends early",
        _refusal=_needs_convex_steps,
        option_table=(options.ENGINE, options.ORDER, options.CONVEX_RANGE, options.TIES),
        cuts=Cuts("rswap", narrow=True),
    ),
    Method(
        name="rswape",
        moves="as rswap, to a range wider by `extend` labels on either side",
        requires="a prior that is convex near zero",
        guarantees="the energy never rises; no move is worse than that of rswap would be",
        when_to_use="after expansion (init='expansion')",
        _refusal=_needs_convex_steps,
        option_table=(
            options.ENGINE,
            options.ORDER,
            options.EXTEND,
            options.CONTINUED,
            options.CONVEX_RANGE,
            options.TIES,
        ),
        bends_on=True,
        cuts=Cuts("rswape", narrow=True),
    ),
    Method(
        name="rexp",
        moves="all variables: keep, or any label of a range as wide as the convex range",
        requires="a prior that is convex near zero",
        guarantees=(
            "the energy never rises; each move is optimal for an energy that is never below the "
            "true one, and equal to it where both ends of an edge keep or both take, by default"
        ),
        when_to_use="truncated priors: mostly lower than expansion, for more time and memory",
        _refusal=_needs_convex_steps,
        option_table=(options.ORDER, options.WIDTH, options.CONVEX_RANGE),
    ),
    Method(
        name="irgc",
        moves="all variables, to all labels; edges are weighted by how they stand now",
        requires="a prior that is a concave function of a convex one",
        guarantees="the energy never rises; the optimum where the prior is convex",
        when_to_use="robust priors, as gswapf; also those that go on growing, as Cauchy",
        _refusal=_accepts_all,
        option_table=(
            options.ENGINE,
            options.REWEIGHTED,
            options.REWEIGHTING,
            options.TIES,
        ),
        leaves_edges_out=True,
        cuts=Cuts("irgc", moves=3),
    ),
    Method(
        name="irgc+expansion",
        moves="those of irgc and of expansion in turns",
        requires="a prior that is a concave function of a convex one",
        guarantees="the energy never rises; no higher than irgc",
        when_to_use="lower energies than gswap for a little more time",
        _refusal=_accepts_all,
        option_table=(
            options.ENGINE,
            options.LABEL_ORDER,
            options.NONSUBMODULAR,
            options.REWEIGHTED,
            options.REWEIGHTING,
        ),
        leaves_edges_out=True,
        cuts=Cuts("irgc", moves=3),
    ),
    Method(
        name="trws",
        moves="none: messages along the edges, and labellings read off them",
        requires="nothing",
        guarantees="a lower bound that rises with every sweep; the best labelling is kept",
        when_to_use="to know how good an answer is, and as a start for other methods",
        _refusal=_accepts_all,
        has_own_bound=True,
    ),
    Method(
        name="best",
        moves="messages, and from what they find the moves of gswap and gswapf, fused",
        requires="nothing",
        guarantees="the energy never rises; a lower bound that never falls",
        when_to_use="the lowest energy in the time there is: pass time_limit",
        _refusal=_accepts_all,
        option_table=(options.ENGINE, options.ISLANDS),
        has_own_bound=True,
        has_certificate=True,
        cuts=Cuts("gswap"),
    ),
)
