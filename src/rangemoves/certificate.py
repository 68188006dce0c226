"""Why a lower bound holds, as numbers that anybody can check.

An edge between variables a and b costs c(x_a, x_b). Any vector m addressed to a is as good as any
other: b gets q(x_b) = min over x_a of (c(x_a, x_b) - m(x_a)), and c >= m + q whatever m is. So the
sum over the variables of the least of (own cost + vectors addressed to it) is a lower bound. A
certificate stores m; :func:`rangemoves.testing.check_certificate` finds all else by itself.

Where messages alone leave a gap, islands close it: small sets of variables whose inner edges keep
their true costs. A tree of steps, in which labels are tried apart or removed or all labellings are
searched through, bounds each of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["STEP_KINDS", "Certificate", "Island", "Step"]

# How many subtrees follow a step of each kind.
STEP_KINDS = {"leaf": 0, "eliminate": 1, "split": 2, "tables": 0}

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Step:
    """One step of the tree that bounds an island, over the labels that are allowed there.

    Attributes
    ----------
    kind : str
        "leaf": messages bound the island as it is, and nothing follows. "split": two subtrees
        follow, for labels up to k of a variable and for those above. "eliminate": a forward pass of
        messages bounds what some labels cost at least; one subtree follows, without those labels.
        "tables": a search with tables finds nothing below a cut, and nothing follows.
    messages : numpy.ndarray
        int64, (inner edges, L): the vector that each inner edge stores; empty for a split.
    to_head : numpy.ndarray
        bool: whether that vector is addressed to the second variable of its edge. In an "eliminate"
        all are addressed to the end that comes first in the order.
    order : numpy.ndarray
        int32, for "eliminate": the place of each variable of the island in the forward pass.
    eliminated : numpy.ndarray
        int32, (n, 2), for "eliminate": pairs of a variable, counted within the island, and a label.
    sent : numpy.ndarray
        int64, (inner edges, L), for "eliminate": the vector that the first end of each edge sends
        to the other when the pass comes to it. Any numbers are allowed; good ones prove more.
    split : (int, int) or None
        For "split": a variable, counted within the island, and k.
    tables : numpy.ndarray
        int32, for "tables": one table after the other, each as the number of its variables and
        these, counted within the island, the one that is taken out last.
    rounds : int
        For "tables": how often they are made to agree before the first variable is taken out.
    above : int
        For "tables": how far the cut is above what the messages prove.
    """

    kind: str
    messages: Longs = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    to_head: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))
    order: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    eliminated: Ints = field(default_factory=lambda: np.zeros((0, 2), np.int32))
    sent: Longs = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    split: tuple[int, int] | None = None
    tables: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    rounds: int = 0
    above: int = 0

    def __post_init__(self) -> None:
        if self.kind not in STEP_KINDS:
            kinds = ", ".join(STEP_KINDS)
            raise ValueError(f"kind of a step must be one of {kinds}; found {self.kind!r}")
        if (self.split is not None) != (self.kind == "split"):
            raise ValueError(f"split of a step must go with kind 'split'; found {self.kind!r}")
        if self.split is not None:
            variable, k = self.split
            object.__setattr__(self, "split", (int(variable), int(k)))
        _hold(self, "messages", np.int64, 2)
        _hold(self, "to_head", np.bool_, 1)
        _hold(self, "order", np.int32, 1)
        _hold(self, "eliminated", np.int32, 2)
        _hold(self, "sent", np.int64, 2)
        _hold(self, "tables", np.int32, 1)
        for name in ("rounds", "above"):
            number = int(getattr(self, name))
            object.__setattr__(self, name, number)
            if abs(number) >= 2**63:
                raise ValueError(f"{name} of a step must fit int64; found {number}")
        _same_length("messages and to_head of a step", self.messages, self.to_head)
        rows = len(self.messages) if self.kind == "eliminate" else 0
        if len(self.sent) != rows or (rows and self.sent.shape != self.messages.shape):
            raise ValueError(
                "sent of a step must have the shape of its messages, and only a step 'eliminate' "
                f"has it; found {self.sent.shape} and {self.messages.shape}"
            )
        if self.eliminated.shape[1] != 2:
            raise ValueError(
                "eliminated of a step must be pairs of a variable and a label; found shape "
                f"{self.eliminated.shape}"
            )


@dataclass(frozen=True, eq=False)
class Island:
    """Variables whose inner edges keep their true costs, and the tree of steps that bounds them.

    Attributes
    ----------
    variables : numpy.ndarray
        int32, flat indices of the energy's variables.
    scale : float
        How many units of the integers in ``steps`` make one of the energy.
    steps : tuple of Step
        The tree, each step before those that follow it. Its inner edges are those of
        ``energy.edges``, in that order, that have a weight and both ends in ``variables``.
    """

    variables: Ints
    scale: float
    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        _hold(self, "variables", np.int32, 1)
        _hold_scale(self, "scale of an island")


@dataclass(frozen=True, eq=False)
class Certificate:
    """What a lower bound rests on; :func:`rangemoves.testing.check_certificate` checks it.

    Attributes
    ----------
    scale : float
        How many units of the integers in ``messages`` make one of the energy; a whole number where
        all costs are.
    edge : numpy.ndarray
        int32: the edges that store a message, as rows of ``energy.edges``. Those left out store
        zeros, addressed to their first variable.
    to_head : numpy.ndarray
        bool: whether that message is addressed to the second variable of its edge.
    messages : numpy.ndarray
        int64, one row of L integers per entry of ``edge``.
    islands : tuple of Island
        Sets of variables, none in two of them, that are bounded each by itself.
    """

    scale: float
    edge: Ints
    to_head: Bools
    messages: Longs
    islands: tuple[Island, ...] = ()

    def __post_init__(self) -> None:
        _hold(self, "edge", np.int32, 1)
        _hold(self, "to_head", np.bool_, 1)
        _hold(self, "messages", np.int64, 2)
        _same_length("edge and to_head of a certificate", self.edge, self.to_head)
        _same_length("edge and messages of a certificate", self.edge, self.messages)
        _hold_scale(self, "scale of a certificate")

    @classmethod
    def from_core(cls, found: Mapping[str, Any]) -> Certificate:
        """Return the certificate that the core describes.

        Parameters
        ----------
        found : mapping
            "scale", "edge", "to_head" and "messages" as the attributes above, and "islands", each a
            mapping of "variables", "scale" and "steps"; a step is a mapping of "kind" and of those
            attributes of :class:`Step` that belong to it.

        Returns
        -------
        Certificate
            In the core's numbers: variables of the box that a mask leaves, edges that have a weight
            after rounding.
        """
        islands = tuple(
            Island(
                variables=island["variables"],
                scale=island["scale"],
                steps=tuple(Step(**step) for step in island["steps"]),
            )
            for island in found["islands"]
        )
        return cls(found["scale"], found["edge"], found["to_head"], found["messages"], islands)

    def __repr__(self) -> str:
        steps = sum(len(island.steps) for island in self.islands)
        return f"Certificate(messages={len(self.edge)}, islands={len(self.islands)}, steps={steps})"


def _hold(owner: Any, name: str, dtype: type[Any], axes: int) -> None:
    """Make an attribute a read-only array of one type, or say why it cannot be one."""
    given = np.asarray(getattr(owner, name))
    kinds = "b" if dtype is np.bool_ else "iu"
    if given.dtype.kind not in kinds and given.size:
        expected = np.dtype(dtype).name
        raise ValueError(f"{name} of a certificate must be {expected}; found {given.dtype}")
    if given.ndim != axes:
        raise ValueError(
            f"{name} of a certificate must have {axes} axes; found shape {given.shape}"
        )
    held = given.astype(dtype, copy=False).view()
    if given.dtype != held.dtype and not np.array_equal(held, given):
        raise ValueError(
            f"{name} of a certificate must fit {held.dtype}; found {given.min()} .. {given.max()}"
        )
    held.setflags(write=False)
    object.__setattr__(owner, name, held)


def _hold_scale(owner: Any, name: str) -> None:
    scale = float(owner.scale)
    if not (np.isfinite(scale) and scale > 0):
        raise ValueError(f"{name} must be a finite number above 0; found {scale}")
    object.__setattr__(owner, "scale", scale)


def _same_length(names: str, first: npt.NDArray[Any], second: npt.NDArray[Any]) -> None:
    if len(first) != len(second):
        raise ValueError(f"{names} must have one entry each; found {len(first)} and {len(second)}")
