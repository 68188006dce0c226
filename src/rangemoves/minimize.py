"""The one entrance to all methods: check everything, go to integers, call the core, report."""

from __future__ import annotations

import inspect
import logging
import math
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from . import _core
from ._version import __version__
from .callers_numbers import CallersNumbers
from .cropped import crop
from .docstrings import with_text
from .energy import Energy
from .errors import BackendError, Interrupted, as_flag, as_integer, as_real, describe
from .fixed_point import FixedEdges, FixedPoint, priors_in_core, to_fixed_edges, to_fixed_point
from .interruption import Interruption
from .limits import require_graph
from .machine import available_cores, peak_memory, require_memory
from .memory import LargestCut, needed_memory, sampled_cut
from .methods import Method, describe_options, find_method, method_for
from .progress import progress_bar
from .result import Result, TraceRecord
from .starts import initial_labels

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
        Start,
        SwapRun,
    )

__all__ = ["Task", "check_task", "minimize", "require_callback", "task_from"]

logger = logging.getLogger("rangemoves")

# More is a mistake: each thread has a stack and a share of the work.
MOST_THREADS = 1024

# The most sweeps that bound=True asks for; they end sooner where they bring little.
BOUND_SWEEPS = 50

# Those that this machine has, and a word for the best of them.
BACKENDS = (*_core.backends(), "auto")

Labels = npt.NDArray[np.int32]
# Returns the labels while a callback runs, None afterwards.
Look = Callable[[], "Labels | None"]


@overload
def minimize(
    energy: Energy,
    method: Literal["auto", "gswap"] = "auto",
    init: Start = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[GswapRun],
) -> Result: ...


@overload
def minimize(
    energy: Energy,
    method: Literal["ishikawa"],
    init: Start = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[EngineRun],
) -> Result: ...


@overload
def minimize(
    energy: Energy,
    method: Literal["best"],
    init: Start = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[BestRun],
) -> Result: ...


@overload
def minimize(
    energy: Energy,
    method: Literal["gswapf"],
    init: Start = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[GswapfRun],
) -> Result: ...


@overload
def minimize(
    energy: Energy,
    method: Literal["expansion"],
    init: Start = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[ExpansionRun],
) -> Result: ...


@overload
def minimize(
    energy: Energy,
    method: Literal["swap"],
    init: Start = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[SwapRun],
) -> Result: ...


@overload
def minimize(
    energy: Energy,
    method: Literal["rswap"],
    init: Start = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[RswapRun],
) -> Result: ...


@overload
def minimize(
    energy: Energy,
    method: Literal["rswape"],
    init: Start = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[RswapeRun],
) -> Result: ...


@overload
def minimize(
    energy: Energy,
    method: Literal["rexp"],
    init: Start = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[RexpRun],
) -> Result: ...


@overload
def minimize(
    energy: Energy,
    method: Literal["irgc"],
    init: Start = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[IrgcRun],
) -> Result: ...


@overload
def minimize(
    energy: Energy,
    method: Literal["irgc+expansion"],
    init: Start = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[IrgcExpansionRun],
) -> Result: ...


@overload
def minimize(
    energy: Energy,
    method: MethodName | str,
    init: Start = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    progress: bool = False,
    **options: Unpack[AnyRun],
) -> Result: ...


@with_text("options", describe_options())
def minimize(
    energy: Energy,
    method: MethodName | str = "auto",
    init: Start = None,
    callback: Callback | None = None,
    time_limit: float | None = None,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    *,
    bound: bool = False,
    max_memory: int | None = None,
    verbose: bool = False,
    backend: str = "cpu",
    beliefs: bool = False,
    certificate: bool = False,
    progress: bool = False,
    **options: Any,
) -> Result:
    """Find a labelling of low energy.

    Parameters
    ----------
    energy : Energy
        What to minimise.
    method : str, default "auto"
        One of :func:`rangemoves.methods`: "auto" is exact for convex priors and on trees, and low
        and quick for others; "best" takes what time there is; "gswap" and "gswapf" are the paper's.
        With an option that "auto" does not have and gswap has, "auto" means "gswap".
    init : array_like, str, Result or None
        The labelling to start from: None takes the lowest labels that are allowed, "zero" label 0,
        "argmin" the cheapest label of each variable, "expansion" what alpha-expansion finds going
        up through the labels; an array or an earlier result is taken as is. It must keep to what
        the energy forbids.
    callback : callable, optional
        Called with each :class:`TraceRecord`; the run stops when it returns True.
        ``record.labels()`` is the labelling so far, a copy made when asked for.
    time_limit : float, optional
        Seconds after which the run stops with the best labelling so far.
    max_iter : int, optional
        The most iterations to make; 0 returns the start.
    threads : int, optional
        Number of threads, by default all cores. The answer does not depend on it.
    seed : int, default 0
        For everything that is random. The same seed gives the same answer.
    bound : bool, default False
        True finds a lower bound for methods that have none of their own, by a few dozen sweeps of
        message passing before they start: ``result.lower_bound`` and ``result.gap`` then say how
        good the answer is, and the run ends early where the energy meets the bound. On chains and
        trees the sweeps find the optimum itself, and the run ends with it.
    max_memory : int, optional
        Bytes that the run may use, by default all that the machine has. Where that is too little
        for the fast engine, and ``engine`` is left out, the reference engine takes its place if it
        fits: it needs less memory where costs are noise and labels few, is as exact, and slower;
        ``result.statistics["leaner_engine"]`` is then 1. Else MemoryError says so before it is
        used; :func:`rangemoves.estimate_memory` tells beforehand.
    verbose : bool, default False
        True prints a line per iteration to standard error. The same lines always go to the logger
        "rangemoves" at level INFO.
    backend : {"cpu", "auto"}, default "cpu"
        Where messages live and who sweeps; "auto" takes the fastest there is.
    beliefs : bool, default False
        True leaves in ``result.beliefs`` what the messages make each label of a variable cost more
        than its best one. For methods that send messages on the prior: auto, trws and best;
        None where the time limit ends the run.
    certificate : bool, default False
        True leaves in ``result.certificate`` what the lower bound rests on:
        :func:`rangemoves.testing.check_certificate` and ``rangemoves verify`` check it, with code
        of their own. For method best.
    progress : bool, default False
        True shows a bar in a terminal or notebook while the run lasts, by rich or tqdm, whichever
        is installed.
    **options
        Options of the method:

        {options}

    Returns
    -------
    Result
        Labels, energy, bound, trace, and how the run went.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong, or the method cannot minimise this energy; the message says why.
    OverflowError
        If integer costs are too large to be added up.
    MemoryError
        If memory does not suffice.
    BackendError
        If the backend is not there.
    Interrupted
        On Ctrl-C; ``.result`` has the best labelling so far.

    Notes
    -----
    The energy never rises, from the start on. Integer costs are minimised exactly as given; others
    are rounded to integers after scaling (``result.scale``), while the reported energy is always
    that of the labels under the costs as given, and so is the lower bound: messages found on
    rounded costs are summed up over the true ones.

    References
    ----------
    .. [1] R. Hartley and T. Ajanthan, "Generalized Range Moves", 2018.
    .. [2] H. Ishikawa, "Exact optimization for Markov random fields with convex priors", IEEE
       Transactions on Pattern Analysis and Machine Intelligence 25(10), 2003.
    .. [3] V. Kolmogorov, "Convergent tree-reweighted message passing for energy minimization",
       IEEE Transactions on Pattern Analysis and Machine Intelligence 28(10), 2006.

    Examples
    --------
    A noisy step edge: the robust prior keeps the jump and removes the noise.

    >>> import numpy as np
    >>> import rangemoves as rm
    >>> signal = np.array([[1, 0, 2, 1, 8, 7, 9, 8]])
    >>> unary = (signal[..., None] - np.arange(10)) ** 2
    >>> energy = rm.Energy(unary, rm.TruncatedQuadratic(2), weights=3)
    >>> result = rm.minimize(energy)
    >>> result.labels
    array([[1, 1, 1, 1, 8, 8, 8, 8]], dtype=int32)
    >>> result.energy == energy(result.labels)
    True
    """
    task = check_task(
        method,
        options,
        max_iter=max_iter,
        threads=threads,
        seed=seed,
        bound=bound,
        max_memory=max_memory,
        verbose=verbose,
        backend=backend,
        beliefs=beliefs,
        certificate=certificate,
    )
    if not as_flag(progress, "progress") or not (callback is None or callable(callback)):
        return task.solve(energy, init, callback, time_limit)
    result = None
    try:
        with progress_bar(task.method.name, max_iter) as show:
            result = task.solve(energy, init, _both(show, callback), time_limit)
    except KeyboardInterrupt:
        if result is None:
            raise
        # It came while the bar was taken away.
        raise Interrupted(result._but(status="interrupted")) from None
    return result


def _both(show: Callable[[TraceRecord], None], callback: Callback | None) -> Callback:
    """Move the bar on, then ask the caller's own callback whether to stop."""

    def tell(record: TraceRecord) -> object:
        show(record)
        return None if callback is None else callback(record)

    return tell


def check_task(
    method: str,
    options: Mapping[str, Any],
    *,
    max_iter: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    bound: bool = False,
    max_memory: int | None = None,
    verbose: bool = False,
    backend: str = "cpu",
    beliefs: bool = False,
    certificate: bool = False,
) -> Task:
    """Return what a run shall do, whatever the energy, or say what is wrong with it."""
    row = method_for(method, options)
    core_options = row.check_options(options)
    flags = (("bound", bound), ("beliefs", beliefs), ("certificate", certificate))
    for name, value in flags:
        as_flag(value, name)
    if bound and not row.has_own_bound:
        core_options["bound_sweeps"] = BOUND_SWEEPS
    if beliefs and not row.has_own_bound:
        raise ValueError(
            f"beliefs must be False for method {row.name!r}, which sends no messages on the prior; "
            "use method='auto', 'trws' or 'best'"
        )
    core_options["beliefs"] = bool(beliefs)
    if certificate:
        _ask_for_certificate(row, core_options)
    core_options["backend"] = _backend(backend)
    return Task(
        row,
        dict(options),
        core_options,
        max_iter=-1 if max_iter is None else _count(max_iter, "max_iter", minimum=0),
        workers=_workers(threads),
        seed=as_integer(seed, "seed", minimum=0),
        max_memory=None if max_memory is None else _count(max_memory, "max_memory", minimum=1),
        verbose=verbose,
    )


def task_from(method: str, keywords: Mapping[str, Any]) -> Task:
    """Return the same; keywords that are not about runs are options of the method."""
    run = {name: value for name, value in keywords.items() if name in _RUN_KEYWORDS}
    options = {name: value for name, value in keywords.items() if name not in _RUN_KEYWORDS}
    return check_task(method, options, **run)


_RUN_KEYWORDS = frozenset(inspect.signature(check_task).parameters) - {"method", "options"}


def _ask_for_certificate(row: Method, core_options: dict[str, Any]) -> None:
    if not row.has_certificate:
        raise ValueError(
            f"certificate must be False for method {row.name!r}, which keeps no record of what its "
            "bound rests on; use method='best'"
        )
    core_options["certificate"] = True


def _backend(name: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"backend must be one of {', '.join(BACKENDS)}; found {describe(name)}")
    if name not in BACKENDS:
        raise BackendError(f"backend must be one of {', '.join(BACKENDS)}; found {name!r}")
    return "cpu" if name == "auto" else name


@dataclass
class Task:
    """A method with its options and limits, checked. Solves one energy after the other."""

    method: Method
    options: Mapping[str, Any]  # as the caller gave them
    core_options: Mapping[str, Any]
    max_iter: int
    workers: int
    seed: int
    max_memory: int | None
    verbose: bool
    kept: _core.KeptRun | None = None  # what a run leaves for the next

    def solve(
        self,
        energy: Energy,
        init: Start = None,
        callback: Callback | None = None,
        time_limit: float | None = None,
        interruption: Interruption | None = None,
    ) -> Result:
        """Run the method on an energy, from a start; `interruption`, where given, can stop it."""
        begin = time.perf_counter()
        if not isinstance(energy, Energy):
            raise TypeError(f"energy must be an rm.Energy; found {describe(energy)}")
        seconds = math.inf if time_limit is None else _seconds(time_limit)
        require_callback(callback)
        expand_first = isinstance(init, str) and init == "expansion"
        result = None
        try:
            with interruption or Interruption() as interruption:
                start = initial_labels(energy, None if expand_first else init)
                seen = crop(energy)
                if seen is not energy:
                    start = seen.flat_labels(energy.shown_labels(start))
                run = _Run(self, seen, begin, begin + seconds, interruption)
                if expand_first:
                    expanded = run(find_method("expansion"), {"order": "ascending"}, start)
                    start = seen.flat_labels(expanded.labels)
                found = run(
                    self.method, self.core_options, start, self.max_iter, callback, self.kept
                )
                result = found._but(options=dict(self.options))
            if interruption.arrived:
                raise KeyboardInterrupt
            return result
        except KeyboardInterrupt:
            if result is None:
                raise  # there was not even a labelling to start from
            raise Interrupted(result._but(status="interrupted")) from None


class _OutOfTimeError(Exception):
    """The time was over before the solver could start."""


@dataclass
class _Run:
    """What all methods of one call have in common, and what the core calls back."""

    task: Task
    energy: Energy
    begin: float
    deadline: float
    interruption: Interruption

    def __call__(
        self,
        method: Method,
        options: Mapping[str, Any],
        start: Labels,
        max_iter: int = -1,
        callback: Callback | None = None,
        kept: _core.KeptRun | None = None,
    ) -> Result:
        """Run a method to its end, or as far as it gets."""
        asked = options
        try:
            fixed, options, memory = self.interruption.expose(lambda: self._round(method, options))
        except KeyboardInterrupt:
            self.interruption.arrived = True
            return self._without_core(method, start, "interrupted")
        except _OutOfTimeError:
            return self._without_core(method, start, "time_limit")

        numbers = CallersNumbers(self.energy, fixed)
        outcome = _core.minimize(
            method.name,
            fixed.unary,
            self.energy.tail,
            self.energy.head,
            fixed.weights,
            priors_in_core(fixed),
            start,
            options=options,
            row=self.energy.row,
            scale=fixed.scale,
            offset=fixed.offset,
            tolerance=fixed.tolerance,
            threads=self.task.workers,
            seed=self.task.seed % 2**63,
            max_iter=max_iter,
            # The time spent on checks and rounding counts: the caller sees one clock.
            time_limit=self._time_left(),
            max_memory=memory,
            evaluate=None if fixed.as_given else numbers.evaluate,
            on_iteration=self._listener(numbers, callback),
            true_costs=None if fixed.exact else numbers.true_costs(),
            interrupted=lambda: self.interruption.arrived,
            kept=kept,
            mask=None if self.energy.mask is None else self.energy.mask.reshape(-1),
        )
        if outcome["status"] == "interrupted":
            self.interruption.arrived = True
        if options is not asked:
            outcome["stats"]["leaner_engine"] = 1.0
        return self._finish(self._result(method, fixed, numbers, outcome))

    def _listener(
        self, numbers: CallersNumbers, callback: Callback | None
    ) -> Callable[[Mapping[str, Any], Look], bool] | None:
        """What the core calls with every record; it stops where that returns True.

        None where nobody listens: runs in several threads would wait for each other to tell of
        every iteration.
        """
        if callback is None and not self.task.verbose and not logger.isEnabledFor(logging.INFO):
            return None

        def tell(entry: Mapping[str, Any], look: Look) -> bool:
            told = numbers.record(entry)
            self._report(_line(told))
            if callback is None:
                return False
            with told.showing(lambda: self._shown(look())):
                return bool(callback(told))

        def on_iteration(entry: Mapping[str, Any], look: Look) -> bool:
            try:
                return self.interruption.expose(lambda: tell(entry, look))
            except KeyboardInterrupt:
                self.interruption.arrived = True
                return True

        return on_iteration

    def _shown(self, labels: Labels | None) -> Labels | None:
        return None if labels is None else self.energy.shown_labels(labels)

    def _result(
        self,
        method: Method,
        fixed: FixedPoint,
        numbers: CallersNumbers,
        outcome: Mapping[str, Any],
    ) -> Result:
        """What the core found, in the caller's numbers."""
        value = self.energy._evaluate(outcome["labels"])
        bound = numbers.final_bound(outcome, value)
        status = outcome["status"]
        if status == "optimal" and not numbers.is_optimal(value, bound):
            status = "converged"
        result = Result(
            labels=self.energy.shown_labels(outcome["labels"]),
            energy=value,
            lower_bound=bound,
            status=status,
            iterations=outcome["iterations"],
            trace=(),
            seconds=time.perf_counter() - self.begin,
            method=method.name,
            proven=outcome["proven"],
            rounding_error=fixed.rounding_error * fixed.unit,
            scale=fixed.scale / fixed.unit,
            peak_memory=peak_memory(),
            threads=outcome["threads"],
            simd=outcome["simd"],
            statistics=dict(outcome["stats"]),
            version=__version__,
            beliefs=self._beliefs(outcome["beliefs"], fixed.unit),
            certificate=numbers.certificate(outcome.get("certificate")),
            start=None if outcome["start"] is None else numbers.record(outcome["start"]),
        )
        return result._with_trace(numbers.trace(outcome["trace"]))

    def _beliefs(
        self, beliefs: npt.NDArray[np.float64] | None, unit: float
    ) -> npt.NDArray[np.float64] | None:
        if beliefs is None:
            return None
        rows = beliefs.reshape(-1, self.energy.num_labels) * unit
        return self.energy.shown_rows(rows)

    def _round(
        self, method: Method, options: Mapping[str, Any]
    ) -> tuple[FixedPoint, Mapping[str, Any], int]:
        """Return the energy in integers, the options to run with, and how much memory there is."""
        energy = self.energy
        require_graph(energy.num_variables, energy.num_labels, energy.num_edges, options)
        edges = to_fixed_edges(self.energy, self._watch_the_clock, bends_on=method.bends_on)
        method.require(edges, options)
        options, memory = self._fit_memory(edges, method, options)
        return to_fixed_point(self.energy, edges, self._watch_the_clock), options, memory

    def _fit_memory(
        self, edges: FixedEdges, method: Method, options: Mapping[str, Any]
    ) -> tuple[Mapping[str, Any], int]:
        """Return options that fit into memory, those asked for where they do, and the limit."""

        def needed(with_options: Mapping[str, Any], cut: LargestCut | None = None) -> int:
            return needed_memory(self.energy, edges, method, with_options, self.task.workers, cut)

        try:
            return options, require_memory(needed(options), self.task.max_memory)
        except MemoryError:
            # The upper estimate does not fit. Sampling a few cuts takes a moment and gives a closer
            # one.
            bytes_needed = needed(options, sampled_cut(self.energy, edges, method, options))
        try:
            return options, require_memory(bytes_needed, self.task.max_memory)
        except MemoryError:
            if options.get("engine") != "auto":
                raise
            leaner = {**options, "engine": "reference"}
            try:
                limit = require_memory(needed(leaner), self.task.max_memory)
            except MemoryError:
                limit = 0
            if limit == 0:
                raise
            self._report("too little memory for the fast engine: the reference engine, slower")
            return leaner, limit

    def _time_left(self) -> float:
        if math.isinf(self.deadline):
            return -1.0
        return max(0.0, self.deadline - time.perf_counter())

    def _watch_the_clock(self) -> None:
        if self._time_left() == 0:
            raise _OutOfTimeError

    def _without_core(self, method: Method, start: Labels, status: str) -> Result:
        """The start, which is all there is."""
        return self._finish(
            Result(
                labels=self.energy.shown_labels(start),
                energy=self.energy._evaluate(start),
                lower_bound=None,
                status=status,
                iterations=0,
                trace=(),
                seconds=time.perf_counter() - self.begin,
                method=method.name,
                peak_memory=peak_memory(),
                threads=self.task.workers,
                version=__version__,
            )
        )

    def _finish(self, result: Result) -> Result:
        try:
            self.interruption.expose(
                lambda: logger.info(
                    "%s: %s, energy %.12g", result.method, result.status, result.energy
                )
            )
        except KeyboardInterrupt:
            self.interruption.arrived = True
        return result

    def _report(self, line: str) -> None:
        logger.info(line)
        if self.task.verbose:
            print(line, file=sys.stderr, flush=True)


def _line(record: TraceRecord) -> str:
    step = f" ({record.step})" if record.step else ""
    known = "" if record.lower_bound is None else f", lower bound {record.lower_bound:.12g}"
    return (
        f"iteration {record.iteration}{step}: energy {record.energy:.12g}{known}, "
        f"{record.changed} of {record.active} active variables changed, "
        f"{record.seconds:.2f} s"
    )


def require_callback(callback: Any) -> None:
    """Raise TypeError for what cannot be called."""
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be a function of one record; found {describe(callback)}")


def _workers(threads: Any) -> int:
    if threads is None:
        return available_cores()
    return as_integer(threads, "threads", minimum=1, maximum=MOST_THREADS)


def _count(value: Any, name: str, minimum: int) -> int:
    # No limit that the core could count to is larger.
    return min(as_integer(value, name, minimum=minimum), 2**62)


def _seconds(time_limit: Any) -> float:
    seconds = as_real(time_limit, "time_limit", advice="leave it out for no limit")
    if seconds < 0:
        raise ValueError(f"time_limit must be at least 0 seconds; found {seconds:g}")
    # A clock counts nanoseconds in 64 bits; thirty years are no limit either.
    return min(seconds, 1e9)
