"""A problem that changes and is solved again: video, interaction, parameters to be found."""

from __future__ import annotations

import math
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from . import _core
from .energy import Energy
from .errors import Interrupted, describe
from .minimize import Task, task_from
from .result import Result

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .signatures import (
        AnyRun,
        BestRun,
        Callback,
        EngineRun,
        ExpansionRun,
        GswapfRun,
        GswapRun,
        IrgcExpansionRun,
        IrgcRun,
        MethodName,
        RexpRun,
        RswapeRun,
        RswapRun,
        SwapRun,
    )

__all__ = ["Solver"]


class Solver:
    """Solves an energy, and again after its costs have changed, from where it stands.

    The next run starts from the labels of the last one, and from its messages: where little has
    changed, little is left to do. A method that ends by itself ends as it would otherwise; sweeps
    (``trws``, ``auto``) go on until one brings no more than twice what the last one of the run
    before did, and take of the labels there are and of those a sweep finds the better parts.

    Parameters
    ----------
    energy : Energy
        The first problem.
    method : str, default "auto"
        As for :func:`rangemoves.minimize`.
    **options
        All else that :func:`rangemoves.minimize` takes, apart from ``init``, ``callback`` and
        ``time_limit``.

    Examples
    --------
    >>> import numpy as np
    >>> import rangemoves as rm
    >>> unary = np.random.default_rng(0).integers(0, 20, (30, 40, 8))
    >>> solver = rm.Solver(rm.Energy(unary, rm.TruncatedLinear(2), 5))
    >>> first = solver.solve()
    >>> unary[:5, :5] = 20 - unary[:5, :5]
    >>> solver.update(unary=unary)
    >>> second = solver.solve()
    >>> second.energy == solver.energy(second.labels)
    True
    """

    @overload
    def __init__(
        self,
        energy: Energy,
        method: Literal["auto", "gswap"] = "auto",
        *,
        max_iter: int | None = None,
        threads: int | None = None,
        seed: int = 0,
        **options: Unpack[GswapRun],
    ) -> None: ...

    @overload
    def __init__(
        self,
        energy: Energy,
        method: Literal["ishikawa"],
        *,
        max_iter: int | None = None,
        threads: int | None = None,
        seed: int = 0,
        **options: Unpack[EngineRun],
    ) -> None: ...

    @overload
    def __init__(
        self,
        energy: Energy,
        method: Literal["best"],
        *,
        max_iter: int | None = None,
        threads: int | None = None,
        seed: int = 0,
        **options: Unpack[BestRun],
    ) -> None: ...

    @overload
    def __init__(
        self,
        energy: Energy,
        method: Literal["gswapf"],
        *,
        max_iter: int | None = None,
        threads: int | None = None,
        seed: int = 0,
        **options: Unpack[GswapfRun],
    ) -> None: ...

    @overload
    def __init__(
        self,
        energy: Energy,
        method: Literal["expansion"],
        *,
        max_iter: int | None = None,
        threads: int | None = None,
        seed: int = 0,
        **options: Unpack[ExpansionRun],
    ) -> None: ...

    @overload
    def __init__(
        self,
        energy: Energy,
        method: Literal["swap"],
        *,
        max_iter: int | None = None,
        threads: int | None = None,
        seed: int = 0,
        **options: Unpack[SwapRun],
    ) -> None: ...

    @overload
    def __init__(
        self,
        energy: Energy,
        method: Literal["rswap"],
        *,
        max_iter: int | None = None,
        threads: int | None = None,
        seed: int = 0,
        **options: Unpack[RswapRun],
    ) -> None: ...

    @overload
    def __init__(
        self,
        energy: Energy,
        method: Literal["rswape"],
        *,
        max_iter: int | None = None,
        threads: int | None = None,
        seed: int = 0,
        **options: Unpack[RswapeRun],
    ) -> None: ...

    @overload
    def __init__(
        self,
        energy: Energy,
        method: Literal["rexp"],
        *,
        max_iter: int | None = None,
        threads: int | None = None,
        seed: int = 0,
        **options: Unpack[RexpRun],
    ) -> None: ...

    @overload
    def __init__(
        self,
        energy: Energy,
        method: Literal["irgc"],
        *,
        max_iter: int | None = None,
        threads: int | None = None,
        seed: int = 0,
        **options: Unpack[IrgcRun],
    ) -> None: ...

    @overload
    def __init__(
        self,
        energy: Energy,
        method: Literal["irgc+expansion"],
        *,
        max_iter: int | None = None,
        threads: int | None = None,
        seed: int = 0,
        **options: Unpack[IrgcExpansionRun],
    ) -> None: ...

    @overload
    def __init__(
        self,
        energy: Energy,
        method: MethodName | str,
        *,
        max_iter: int | None = None,
        threads: int | None = None,
        seed: int = 0,
        **options: Unpack[AnyRun],
    ) -> None: ...

    def __init__(self, energy: Energy, method: MethodName | str = "auto", **options: Any) -> None:
        if not isinstance(energy, Energy):
            raise TypeError(f"energy must be an rm.Energy; found {describe(energy)}")
        for name in ("init", "callback", "time_limit"):
            if name in options:
                raise TypeError(f"{name} is not an option of rm.Solver; {_INSTEAD[name]}")
        self._task: Task = task_from(method, options)
        self._task.kept = _core.KeptRun()
        self._energy = energy
        self._last: Result | None = None
        self._running = Lock()  # runs share messages: one at a time

    @property
    def energy(self) -> Energy:
        """The problem as it is now."""
        return self._energy

    @property
    def result(self) -> Result | None:
        """What the last run found; None before the first."""
        return self._last

    def solve(self, time_limit: float | None = None, callback: Callback | None = None) -> Result:
        """Solve the problem as it is now.

        Parameters
        ----------
        time_limit : float, optional
            Seconds after which the run stops with the best labelling so far.
        callback : callable, optional
            Called with each :class:`TraceRecord`; the run stops when it returns True.

        Returns
        -------
        Result

        Raises
        ------
        RuntimeError
            If a run of this solver is going on.
        Interrupted
            On Ctrl-C; the next run starts from the best labelling so far.
        """
        if not self._running.acquire(blocking=False):
            raise RuntimeError(
                "solve() is already running, in another thread or around this callback; wait for "
                "it, or use a solver for each"
            )
        try:
            self._last = self._task.solve(self._energy, self._start(), callback, time_limit)
        except Interrupted as stopped:
            self._last = stopped.result
            raise
        finally:
            self._running.release()
        return self._last

    def _start(self) -> npt.NDArray[np.int32] | None:
        """The labels of the last run, unless new costs forbid them."""
        if self._last is None:
            return None
        energy, labels = self._energy, self._last.labels
        forbids = energy.has_forbidden_labels or energy.has_forbidden_differences
        return None if forbids and math.isinf(energy(labels)) else labels

    def update(self, unary: npt.ArrayLike | None = None, weights: Any = None) -> None:
        """Change costs, weights or both; all else stays.

        Parameters
        ----------
        unary : array_like, optional
            Costs of the same shape as before, all of them.
        weights : optional
            Weights in any form that :class:`Energy` takes.
        """
        self._energy = self._energy.replaced(unary, weights)


_INSTEAD = {
    "init": "a run starts where the last one ended",
    "callback": "pass it to solve()",
    "time_limit": "pass it to solve()",
}
