"""The presets "fast" and "balanced": both views in bytes and 16-bit messages.

The energy is the one that any other method would get; costs take a byte instead of four, messages
two instead of four, and the right view's costs are the left's in other places, so that there is
never a second volume.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._version import __version__
from ..errors import Interrupted
from ..images import Image, grey
from ..machine import peak_memory
from ..priors import Prior, TruncatedLinear
from ..result import Result, TraceRecord
from ._coarse_start import Problem, start_coarse
from ._edge_weights import Mode, edge_weights
from ._postprocess import LEAST_RISE
from .confidence import confidence

Bytes = NDArray[np.uint8]
Labels = NDArray[np.int32]
Messages = NDArray[np.int16]
Map = NDArray[np.float64]
Callback = Callable[[TraceRecord], object]

EDGE_MODE: Mode = "mean"  # red beside a green that is as bright is an edge too
_ROWS_AT_A_TIME = 32  # Python handles Ctrl-C and the time limit between two calls of the core


def fits(prior: Prior, weight: float, edge_factor: int) -> bool:
    """Whether an energy is one that bytes and 16-bit messages are for, and fits them."""
    t, step = truncation(prior), _core.VIEW_SCALE * weight / edge_factor
    return (
        0 < t <= _core.VIEW_LARGEST_TRUNCATION
        and step == int(step)
        and step * edge_factor * t <= _core.VIEW_LARGEST_JUMP
    )


def truncation(prior: Prior) -> int:
    """T of a truncated linear prior where it is whole; 0 for any other prior."""
    t = prior.threshold if isinstance(prior, TruncatedLinear) else 0
    return int(t) if t == int(t) else 0


def view_costs(left: Image, right: Image, labels: int, min_disparity: int) -> Bytes:
    """The data costs of the left view; vectors of labels are filled up to a multiple of 16."""
    height, width = left.shape[:2]
    stride = -(-labels // _core.VIEW_LABEL_BLOCK) * _core.VIEW_LABEL_BLOCK
    volume = np.empty((height, width, stride), np.uint8)
    grey_left, grey_right = (grey(image)[..., None].astype(np.uint8) for image in (left, right))
    for rows in _pieces(height):
        _core.view_costs(
            left,
            right,
            grey_left,
            grey_right,
            volume[rows],
            labels=labels,
            min_disparity=min_disparity,
            first_row=rows.start,
        )
    return volume


def room_for_messages(costs: Bytes) -> Messages:
    """Memory for the messages of a view, and then for those of the other: got only once."""
    return np.empty((2, *costs.shape), np.int16)


def turn_right(costs: Bytes, labels: int, min_disparity: int) -> None:
    """Make the costs of the left view those of the right one, in place."""
    for rows in _pieces(len(costs)):
        _core.turn_costs_right(
            costs,
            labels=labels,
            min_disparity=min_disparity,
            first_row=rows.start,
            last_row=rows.stop,
        )


def refined(costs: Bytes, labels: Labels, num_labels: int, radius: int) -> Map:
    """By how much, at most half a label, the least cost around a pixel is off its label."""
    offset = np.empty(labels.shape)
    for rows in _pieces(len(labels)):
        _core.refine_view(
            costs,
            labels,
            offset[rows],
            num_labels=num_labels,
            radius=radius,
            least_rise=LEAST_RISE,
            first_row=rows.start,
        )
    return offset


@dataclass(frozen=True)
class Sweeps:
    """How a view is solved.

    Attributes
    ----------
    labels : int
        How many there are.
    truncation : int
        T of the prior.
    low, high : float
        Weights across edges of the image, and elsewhere.
    gradient : float
        What counts as an edge.
    count : int
        How many sweeps, there and back.
    from_blocks : bool
        Whether to begin with messages of blocks of pixels.
    time_limit : float or None
        In seconds.
    callback : callable or None
        Sees a record after each sweep; True ends the run.
    """

    labels: int
    truncation: int
    low: float
    high: float
    gradient: float
    count: int
    from_blocks: bool
    time_limit: float | None
    callback: Callback | None

    def solve(
        self, costs: Bytes, image: Image, room: Messages, with_confidence: bool = False
    ) -> tuple[Result, Map | None]:
        """Minimise the energy of one view; where asked, find out how sure each label is."""
        run = _Run(self, costs, self._weights(image), room)
        result = run.result()
        return result, run.confidence(result.labels) if with_confidence else None

    def confidence(self, costs: Bytes, image: Image, labels: Labels) -> Map:
        """Sweep, and say how sure labels are that came from elsewhere."""
        run = _Run(self, costs, self._weights(image), room_for_messages(costs))
        run.result()
        return run.confidence(labels)

    def _weights(self, image: Image) -> Messages:
        height, width = image.shape[:2]
        weights = np.zeros((2, height, width), np.int16)
        down, right = edge_weights(image, self.low, self.high, self.gradient, EDGE_MODE)
        weights[0, : height - 1] = _core.VIEW_SCALE * down
        weights[1, :, : width - 1] = _core.VIEW_SCALE * right
        return weights


class _Run:
    """One view on its way."""

    def __init__(self, how: Sweeps, costs: Bytes, weights: Messages, room: Messages) -> None:
        self._how, self._costs, self._weights = how, costs, weights
        self._view = Problem(costs, weights, room)
        self._begin = time.perf_counter()
        self._shape = {"labels": how.labels, "truncation": how.truncation}
        self._messages = room
        self._is_begun = False
        self._found = np.zeros(costs.shape[:2], np.int32)
        self._trace: list[TraceRecord] = []
        self._start = self._record(0)

    def result(self) -> Result:
        """Sweep until the end, and say what was found."""
        status, done = "iteration_limit", 0
        try:
            has_time = self._begin_messages()
            while done < self._how.count:
                if not has_time or not self._sweep(self._view):
                    status = "time_limit"
                    break
                done += 1
                if self._how.callback is not None and self._is_stopped(done):
                    status = "stopped"
                    break
            if self._how.callback is None and done > 0:
                self._look(done)
        except KeyboardInterrupt:
            if self._is_begun:
                self._look(done)
            raise Interrupted(self._result("interrupted", done)) from None
        return self._result(status, done)

    def confidence(self, labels: Labels) -> Map:
        """How sure each label is, by its belief: what it costs, and what all messages say."""
        sure = np.empty(self._found.shape)
        rights, downs = self._messages
        for rows in _pieces(len(sure)):
            beliefs = _core.VIEW_SCALE * self._costs[rows].astype(np.float64)
            beliefs += rights[rows] + downs[rows]
            beliefs[:, 1:] += rights[rows, :-1]
            inner = slice(max(rows.start, 1), rows.stop)
            beliefs[inner.start - rows.start :] += downs[inner.start - 1 : inner.stop - 1]
            beliefs = beliefs[..., : self._how.labels] / _core.VIEW_SCALE
            sure[rows] = confidence(beliefs, labels[rows], self._how.high)
        return sure

    def _begin_messages(self) -> bool:
        """Set the messages to begin with; False where the time was over before."""
        has_time = True
        if self._how.from_blocks and self._how.count > 0:
            has_time = start_coarse(self._view, self._sweep)
        else:
            self._messages.fill(0)
        self._is_begun = True
        return has_time

    def _sweep(self, problem: Problem) -> bool:
        """There and back; False where the time was over before."""
        pieces = list(_pieces(len(problem.costs)))
        for backward in (False, True):
            for rows in reversed(pieces) if backward else pieces:
                limit = self._how.time_limit
                if limit is not None and time.perf_counter() - self._begin >= limit:
                    return False
                _core.sweep_view(
                    problem.costs,
                    problem.weights,
                    problem.messages,
                    **self._shape,
                    first_row=rows.start,
                    last_row=rows.stop,
                    backward=backward,
                )
        return True

    def _is_stopped(self, done: int) -> bool:
        record = self._look(done)
        callback = self._how.callback
        with record.showing(lambda: self._found):
            return callback is not None and callback(record) is True

    def _look(self, done: int) -> TraceRecord:
        """Decode, and put what was found into the trace."""
        before = self._found
        self._found = np.empty_like(before)
        for rows in _pieces(len(before)):
            _core.decode_view(
                self._costs,
                self._weights,
                self._messages,
                self._found,
                **self._shape,
                first_row=rows.start,
                last_row=rows.stop,
            )
        record = self._record(done, int(np.count_nonzero(before != self._found)))
        self._trace.append(record)
        return record

    def _record(self, done: int, changed: int = 0) -> TraceRecord:
        fine = _core.view_energy(self._costs, self._weights, self._found, **self._shape)
        energy = fine / _core.VIEW_SCALE
        seconds = time.perf_counter() - self._begin
        return TraceRecord(done, seconds, energy, energy, energy, changed, self._found.size)

    def _result(self, status: str, done: int) -> Result:
        return Result(
            labels=self._found,
            energy=self._trace[-1].energy if self._trace else self._start.energy,
            lower_bound=None,
            status=status,
            iterations=done,
            trace=tuple(self._trace),
            seconds=time.perf_counter() - self._begin,
            method="trws",
            peak_memory=peak_memory(),
            simd=_core.view_level(),
            version=__version__,
            start=self._start,
        )


def _pieces(height: int) -> Iterator[slice]:
    for top in range(0, height, _ROWS_AT_A_TIME):
        yield slice(top, min(top + _ROWS_AT_A_TIME, height))
