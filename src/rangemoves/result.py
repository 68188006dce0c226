"""What a minimisation found, how good it is known to be, and how it got there."""

from __future__ import annotations

import io
import json
import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from types import UnionType
from typing import TYPE_CHECKING, Any, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from ._optional import optional_import
from .certificate import Certificate
from .certificate_arrays import from_arrays, to_arrays
from .errors import describe
from .labellings import LEFT_OUT, as_map
from .notebook import as_html, small_map

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Result", "TraceRecord"]


@dataclass(frozen=True)
class TraceRecord(Mapping[str, Any]):
    """One iteration, by attribute (``record.energy``) or by key (``record["energy"]``).

    Attributes
    ----------
    iteration : int
        Counted from 1; 0 for the start (``result.start``).
    seconds : float
        Since the start of the run.
    energy : float
        The energy after the iteration.
    huber_energy : float
        The energy with the convex surrogate on all edges, as in the paper's figures: that of
        ``surrogate=``; with "chord", which has one for each difference, the tight one.
    surrogate_energy : float
        What the move minimised.
    changed : int
        How many variables changed their label.
    active : int
        How many were allowed to.
    lower_bound : float or None
        What no labelling can fall below, where known.
    proven : bool
        Whether the move is known to be the best of its kind.
    step : str
        What was tried, where a method has several kinds of steps.

    Examples
    --------
    >>> from rangemoves import TraceRecord
    >>> record = TraceRecord(iteration=1, seconds=0.5, energy=7.0, huber_energy=8.0,
    ...                      surrogate_energy=8.0, changed=3, active=9)
    >>> record.energy == record["energy"]
    True
    """

    iteration: int
    seconds: float
    energy: float
    huber_energy: float
    surrogate_energy: float
    changed: int
    active: int
    lower_bound: float | None = None
    proven: bool = False
    step: str = ""

    def labels(self) -> npt.NDArray[np.int32]:
        """Return a copy of the labelling after this iteration, while a callback is told of it.

        Returns
        -------
        numpy.ndarray

        Raises
        ------
        RuntimeError
            After the callback: the run has gone on, and keeps no old labellings.
        """
        look = self.__dict__.get("_look")
        labels = None if look is None else look()
        if labels is None:
            raise RuntimeError(
                "record.labels() is for the callback that is told of the iteration; call it there "
                "and keep what it returns"
            )
        return np.array(labels)

    @contextmanager
    def showing(self, look: Callable[[], npt.NDArray[np.int32] | None]) -> Iterator[None]:
        """Let :meth:`labels` answer, for a while."""
        self.__dict__["_look"] = look
        try:
            yield
        finally:
            del self.__dict__["_look"]

    def __getitem__(self, key: str) -> Any:
        if key not in self.__dataclass_fields__:
            raise KeyError(key)
        return getattr(self, key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dataclass_fields__)

    def __len__(self) -> int:
        return len(self.__dataclass_fields__)


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """The outcome of :func:`rangemoves.minimize`.

    Attributes
    ----------
    labels : numpy.ndarray
        The best labelling, int32, of the energy's shape; -1 where its mask is False.
    energy : float
        Its energy, recomputed in float64 from the caller's own costs.
    lower_bound : float or None
        No labelling has an energy below it; None where nothing is known.
    status : str
        "optimal" (the bound is met), "converged", "iteration_limit", "time_limit", "stopped" (by
        the callback) or "interrupted" (by Ctrl-C).
    iterations : int
        Number of moves made.
    trace : tuple of TraceRecord
        One record per iteration.
    start : TraceRecord or None
        The labelling that the method started from, as iteration 0; None where the time was over
        before it could start.
    seconds : float
        Wall-clock time of the whole run.
    method : str
        The method used.
    options : dict
        The options it was called with.
    proven : bool or None
        Whether every move is known to be the best of its kind; None where no move was made.
    rounding_error : float
        The most by which rounding costs that are not integers can change the energy of a
        labelling; 0 for integers. The bound has been certified or lowered by it already.
    scale : float
        The factor by which costs were multiplied before rounding to integers.
    peak_memory : int or None
        Largest memory of the process so far, in bytes.
    threads : int
        Number of threads used.
    simd : str
        The instruction set used.
    statistics : dict
        Where the time went; the entries depend on the engine.
    version : str
        Version of this package.
    beliefs : numpy.ndarray or None
        Where asked for: (..., L), what the messages make each label cost more than the best one of
        its variable; NaN where a mask leaves a pixel out. Min-marginals on chains and trees.
    certificate : Certificate or None
        Where asked for: what the lower bound rests on, for
        :func:`rangemoves.testing.check_certificate` to check.

    Examples
    --------
    >>> import numpy as np
    >>> import rangemoves as rm
    >>> unary = np.array([[[0, 2, 4], [1, 1, 1], [4, 2, 0]]])
    >>> result = rm.minimize(rm.Energy(unary, rm.Quadratic()), method="ishikawa")
    >>> result.energy, result.status, result.gap
    (3.0, 'optimal', 0.0)
    """

    labels: npt.NDArray[np.int32]
    energy: float
    lower_bound: float | None
    status: str
    iterations: int
    trace: tuple[TraceRecord, ...]
    seconds: float
    method: str
    options: dict[str, Any] = field(default_factory=dict)
    proven: bool | None = None
    rounding_error: float = 0.0
    scale: float = 1.0
    peak_memory: int | None = None
    threads: int = 1
    simd: str = ""
    statistics: dict[str, float] = field(default_factory=dict)
    version: str = ""
    beliefs: npt.NDArray[np.float64] | None = field(default=None, repr=False)
    certificate: Certificate | None = field(default=None, repr=False)
    start: TraceRecord | None = field(default=None, repr=False)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The records of the trace, made when they are asked for the first time."""
            make = self.__dict__.get("_make_trace")
            if name == "trace" and make is not None:
                self.__dict__["trace"] = make()
                self.__dict__["_make_trace"] = None
            if name == "trace" and "trace" in self.__dict__:  # or another thread has made them
                return self.__dict__["trace"]
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        state = {**self.__dict__, "trace": self.trace}
        state.pop("_make_trace", None)
        return state

    def _with_trace(self, make: Callable[[], tuple[TraceRecord, ...]]) -> Result:
        """Return the same with a trace that is made when it is asked for.

        A run of a minute can make millions of records: objects for all of them would take seconds
        beyond its time limit.
        """
        other = self._but(_make_trace=make)
        del other.__dict__["trace"]
        return other

    def _but(self, **changes: Any) -> Result:
        """Return the same with some fields changed; a trace that is not there yet is not made."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__ | changes)
        return other

    @property
    def gap(self) -> float | None:
        """(energy - lower_bound) / abs(energy), or None where no bound is known."""
        if self.lower_bound is None:
            return None
        if self.energy == self.lower_bound:
            return 0.0
        return (self.energy - self.lower_bound) / abs(self.energy) if self.energy else float("inf")

    def __repr__(self) -> str:
        bound = "unknown"
        if self.lower_bound is not None:
            bound = f"{self.lower_bound:.12g} (gap {self.gap:.2g})"
        memory = "" if self.peak_memory is None else f", peak {self.peak_memory / 2**20:.0f} MiB"
        moves = "iteration" if self.iterations == 1 else "iterations"
        simd = f", {self.simd}" if self.simd else ""
        return (
            f"Result: {self.method}, {self.status}\n"
            f"  energy       {self.energy:.12g}\n"
            f"  lower bound  {bound}\n"
            f"  labels       {self.labels.shape}, {self._range_of_labels()}\n"
            f"  run          {self.iterations} {moves}, {self.seconds:.3g} s, "
            f"{self.threads} thread{'s' if self.threads != 1 else ''}{simd}{memory}"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: the labels as a small picture, and the same words."""
        part = small_map(self.labels.shape)
        if part is None:
            return as_html(repr(self), None)
        labels = np.asarray(self.labels[part])
        return as_html(repr(self), np.where(labels == LEFT_OUT, np.nan, labels))

    def to_dict(self) -> dict[str, Any]:
        """Return how the run went, ready for JSON: all but arrays and statistics.

        Returns
        -------
        dict
            ``method``, ``status``, ``energy``, ``lower_bound``, ``gap`` (None where unknown or
            infinite), ``iterations``, ``proven``, ``seconds``, ``peak_memory``, ``threads``,
            ``simd``, ``version``, and ``trace``, a list of dicts.
        """
        facts: dict[str, Any] = {
            name: getattr(self, name)
            for name in (
                *("method", "status", "energy", "lower_bound", "gap", "iterations", "proven"),
                *("seconds", "peak_memory", "threads", "simd", "version"),
            )
        }
        if self.gap is not None and not math.isfinite(self.gap):
            facts["gap"] = None
        return {**facts, "trace": [dict(record) for record in self.trace]}

    def _range_of_labels(self) -> str:
        """The least and the largest label, without what was left out."""
        labels = np.asarray(self.labels[...])  # tiles may have left them in a file
        largest = labels.max()
        return f"{labels.min(where=labels != LEFT_OUT, initial=largest)} .. {largest}"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result to an .npz file; :meth:`load` reads it back.

        Parameters
        ----------
        path : path-like
            Where to; an existing file is replaced, and only once the new one is complete.
        """
        # Imported here: solving does not load the code for image files.
        from .io import write_atomically

        arrays: dict[str, Any] = {"labels": self.labels}
        if self.beliefs is not None:
            arrays["beliefs"] = self.beliefs
        if self.certificate is not None:
            arrays |= to_arrays(self.certificate)
        in_arrays = ("labels", "beliefs", "certificate")
        names = [f.name for f in fields(self) if f.name not in in_arrays]
        facts = {name: getattr(self, name) for name in names}
        facts["trace"] = [asdict(record) for record in self.trace]
        facts["start"] = None if self.start is None else asdict(self.start)
        stored = io.BytesIO()
        np.savez_compressed(stored, facts=np.array(json.dumps(facts)), **arrays)
        write_atomically(path, stored.getvalue())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Result:
        """Read a result that :meth:`save` wrote.

        Parameters
        ----------
        path : path-like
            The .npz file.

        Returns
        -------
        Result
        """
        from .io.arrays import read_npz

        what = "a file written by Result.save"
        stored = read_npz(path, what)
        try:
            labels, facts = stored["labels"], json.loads(str(stored["facts"]))
            facts["trace"] = tuple(TraceRecord(**record) for record in facts["trace"])
            if facts.get("start") is not None:
                facts["start"] = TraceRecord(**facts["start"])
            beliefs, certificate = stored.get("beliefs"), from_arrays(stored)
            result = cls(labels=labels, beliefs=beliefs, certificate=certificate, **facts)
            _check_types(result)
            for record in (*result.trace, result.start):
                if record is not None:
                    _check_types(record)
            if labels.dtype.kind not in "iu" or labels.size == 0:
                raise TypeError(f"labels of {labels.dtype} and shape {labels.shape}")
        # RecursionError: JSON that is nested too deeply.
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise ValueError(
                f"{os.fspath(path)} must be {what}; found other content: "
                f"{type(error).__name__} {error}; save it again"
            ) from error
        return result

    def plot(self) -> Figure:
        """Draw the labelling, where it is an image, and the energy against the iteration.

        Returns
        -------
        matplotlib.figure.Figure
            Needs matplotlib: ``pip install "rangemoves[app]"``.
        """
        figures = optional_import("matplotlib.figure", purpose="plotting a result")
        shows_image = self.labels.ndim == 2 and min(self.labels.shape) > 1
        figure: Figure = figures.Figure(figsize=(10 if shows_image else 5, 4), layout="constrained")
        axes = figure.subplots(1, 2 if shows_image else 1, squeeze=False)[0]
        if shows_image:
            picture = axes[0].imshow(as_map(self.labels), interpolation="nearest")
            axes[0].set_title("labels")
            axes[0].set_axis_off()
            figure.colorbar(picture, ax=axes[0])
        iterations = [record.iteration for record in self.trace]
        axes[-1].plot(iterations, [record.energy for record in self.trace], "o-", label="energy")
        if self.lower_bound is not None:
            axes[-1].axhline(self.lower_bound, linestyle="--", color="grey", label="lower bound")
        axes[-1].set(title=f"{self.method}: {self.energy:.6g}", xlabel="iteration", ylabel="energy")
        if self.trace:
            axes[-1].legend()
        return figure


def _check_types(part: Result | TraceRecord) -> None:
    """Refuse what only a file that :meth:`Result.save` did not write can hold."""
    for name, hint in get_type_hints(type(part)).items():
        choices = hint.__args__ if isinstance(hint, UnionType) else (hint,)
        kind = tuple(_class_of(choice) for choice in choices)
        value = getattr(part, name)
        whole = isinstance(value, int) and isinstance(0.0, kind)
        if not whole and not isinstance(value, kind):
            raise TypeError(f"{name} of {describe(value)}")


def _class_of(hint: Any) -> Any:
    """Return the class whose instances a hint allows."""
    found = get_origin(hint) or hint
    # NDArray is a class in some versions of NumPy, in others an alias that stands for one.
    while hasattr(found, "__value__"):
        found = get_origin(found.__value__) or found.__value__
    return found
