"""What type checkers know of calls: which options each method takes, and their values.

Overloads of ``rm.minimize`` and its kin name these types: a mistake such as an option of another
method is seen before anything runs. Type checkers run no code, so all of it is written out; tests
ask one about every option with every method of the table in ``methods.py``.

The last overload is for names of methods that are found while the program runs, as plain ``str``.
It takes no option by name, since nobody knows which ones there are; pass those as
``**options`` of the type ``dict[str, Any]``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    import numpy.typing as npt

    from .result import Result, TraceRecord

__all__ = [
    "AnyRun",
    "BestOptions",
    "BestRun",
    "Callback",
    "EngineOptions",
    "EngineRun",
    "ExpansionOptions",
    "ExpansionRun",
    "GswapOptions",
    "GswapRun",
    "GswapfOptions",
    "GswapfRun",
    "IrgcExpansionOptions",
    "IrgcExpansionRun",
    "IrgcOptions",
    "IrgcRun",
    "MethodName",
    "RexpOptions",
    "RexpRun",
    "RswapOptions",
    "RswapRun",
    "RswapeOptions",
    "RswapeRun",
    "Start",
    "SwapOptions",
    "SwapRun",
]

Callback: TypeAlias = "Callable[[TraceRecord], object]"
Start: TypeAlias = "npt.ArrayLike | str | Result | None"

MethodName = Literal[
    "auto",
    "ishikawa",
    "gswap",
    "gswapf",
    "expansion",
    "swap",
    "rswap",
    "rswape",
    "rexp",
    "irgc",
    "irgc+expansion",
    "trws",
    "best",
]

LabelOrder = Literal["fixed", "ascending", "random"]
Nonsubmodular = Literal["truncate", "qpbo"]
Order = Literal["fixed", "random"]
Surrogate = Literal["tight", "huber", "chord"]
Ties = Literal["keep", "highest"]


class EngineOptions(TypedDict, total=False):
    """For ishikawa."""

    engine: Literal["auto", "reference", "dual"]


class BestOptions(EngineOptions, total=False):
    """For best."""

    islands: Literal["auto", "branches"]


class _ConvexMoves(EngineOptions, total=False):
    """What the paper's moves have in common."""

    convex_range: Literal["table", "prior"]
    ties: Ties


class GswapfOptions(_ConvexMoves, total=False):
    """For gswapf."""

    surrogate: Surrogate


class GswapOptions(_ConvexMoves, total=False):
    """For gswap, and for auto, which hands them on to it."""

    surrogate: Surrogate
    strategy: Literal["alternate", "range", "random", "ends"]


class ExpansionOptions(TypedDict, total=False):
    """For expansion."""

    order: LabelOrder
    nonsubmodular: Nonsubmodular


class SwapOptions(TypedDict, total=False):
    """For swap."""

    order: Order
    nonsubmodular: Nonsubmodular


class RswapOptions(_ConvexMoves, total=False):
    """For rswap."""

    order: Order


class RswapeOptions(_ConvexMoves, total=False):
    """For rswape."""

    order: Order
    extend: int
    surrogate: Literal["continued", "tight"]


class RexpOptions(TypedDict, total=False):
    """For rexp."""

    order: Order
    width: int
    convex_range: Literal["table", "prior"]


class _ReweightedCuts(EngineOptions, total=False):
    """What both kinds of iteratively reweighted cuts have in common."""

    surrogate: Literal["tight", "huber"]
    reweighting: Literal["middle", "least"]


class IrgcOptions(_ReweightedCuts, total=False):
    """For irgc."""

    ties: Ties


class IrgcExpansionOptions(_ReweightedCuts, total=False):
    """For irgc+expansion."""

    order: LabelOrder
    nonsubmodular: Nonsubmodular


class AnyRun(TypedDict, total=False):
    """Keywords of a run with any method."""

    bound: bool
    max_memory: int | None
    verbose: bool
    backend: str
    beliefs: bool
    certificate: bool


class EngineRun(AnyRun, EngineOptions, total=False):
    """Keywords of a run, and options of the method. So are those below."""


class BestRun(AnyRun, BestOptions, total=False):
    pass


class GswapRun(AnyRun, GswapOptions, total=False):
    pass


class GswapfRun(AnyRun, GswapfOptions, total=False):
    pass


class ExpansionRun(AnyRun, ExpansionOptions, total=False):
    pass


class SwapRun(AnyRun, SwapOptions, total=False):
    pass


class RswapRun(AnyRun, RswapOptions, total=False):
    pass


class RswapeRun(AnyRun, RswapeOptions, total=False):
    pass


class RexpRun(AnyRun, RexpOptions, total=False):
    pass


class IrgcRun(AnyRun, IrgcOptions, total=False):
    pass


class IrgcExpansionRun(AnyRun, IrgcExpansionOptions, total=False):
    pass
