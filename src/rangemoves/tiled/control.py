"""Clock, Ctrl-C and callback of a run by tiles, and the result that is made of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from .._version import __version__
from ..errors import Interrupted
from ..interruption import Interruption
from ..machine import peak_memory
from ..result import Result, TraceRecord
from .engines import Engine, Threads
from .places import Place
from .problem import Problem
from .run import Run
from .work import Halted, Settings

__all__ = ["Callback", "Control", "as_given"]

Callback = Callable[[TraceRecord], object]

# Of all real costs together, what sums of them can be off; float64 itself adds far less.
ROUNDING = 1e-9


class Control:
    """Starts a run and ends it when that is asked for.

    Parameters
    ----------
    begin : float
        When the caller's clock started.
    seconds : float
        How long it may run.
    callback : callable or None
        Sees each record; True ends the run.
    """

    def __init__(self, begin: float, seconds: float, callback: Callback | None) -> None:
        self._begin, self._deadline, self._callback = begin, begin + seconds, callback
        self._interruption = Interruption()
        self._stopped = False
        self._run: Run | None = None  # None while nothing may end it

    def _halted(self) -> bool:
        if self._run is None:
            return False
        # Before all costs have been looked at there is no labelling to end with.
        late = self._late() and self._run.state.phase != "survey"
        return self._interruption.arrived or late

    def _late(self) -> bool:
        return time.perf_counter() > self._deadline

    def run(
        self,
        problem: Problem,
        settings: Settings,
        sides: tuple[int, ...],
        workers: int,
        client: Any,
        place: Place,
        source: Any,
    ) -> Result:
        """Run to the end, or as far as it gets."""
        engine = self._engine(client, workers, settings.backend)
        if isinstance(engine, Threads):
            settings = replace(settings, halted=self._halted)
        with self._interruption:
            run = Run(
                problem,
                settings,
                sides,
                engine,
                place.labels,
                place.checkpoint,
                self._teller(place),
            )
            try:
                self._run = run
                run.run()
                status = "optimal" if run.state.energy == run.state.bound else "converged"
            except Halted:
                status = "stopped" if self._stopped else "time_limit"
                if self._interruption.arrived:
                    status = "interrupted"
                if run.state.phase == "survey":
                    raise KeyboardInterrupt from None
            self._run = None
            energy = self._energy(run, status)
            labels = place.finished(sides)
        result = Result(
            labels=labels if place.is_callers else as_given(labels, source),
            energy=energy,
            lower_bound=None if run.state.bound is None else min(run.state.bound, energy),
            status=status,
            iterations=len(run.state.trace),
            trace=tuple(TraceRecord(**one) for one in run.state.trace),
            seconds=run.seconds,
            method=settings.method,
            options={"tiles": list(sides), "margin": settings.margin},
            peak_memory=peak_memory(),
            threads=workers * settings.threads,
            version=__version__,
        )
        if status == "interrupted":
            raise Interrupted(result)
        return result

    def _engine(self, client: Any, workers: int, backend: str) -> Engine:
        if client is None:
            return Threads(workers, self._halted)
        from .dask_engine import DaskWorkers, needed_resources

        return DaskWorkers(client, self._halted, self._late, needed_resources(backend))

    def _teller(self, place: Place) -> Callable[[TraceRecord], None]:
        def tell(record: TraceRecord) -> None:
            if self._callback is None:
                return
            with record.showing(lambda: np.asarray(place.labels[...])):
                stop = self._callback(record)
            if stop:
                self._stopped = True
                raise Halted

        return tell

    def _energy(self, run: Run, status: str) -> float:
        """The energy of the labels; read afresh at the end, and where nothing is known yet."""
        known = run.state.energy
        if known is not None and status not in ("optimal", "converged"):
            return known
        energy = run.sum_up()
        off = 0 if known is None else abs(energy - known)
        if off > (0 if run.state.exact else ROUNDING * run.state.total):
            raise ValueError(
                "source, weights and mask must give the same numbers whenever they are asked; "
                f"found an energy of {energy:.17g} where {known:.17g} was counted"
            )
        return energy


def as_given(labels: Any, source: Any) -> Any:
    """Labels with the coordinates and attributes of a DataArray, where source is one."""
    if not (hasattr(source, "dims") and hasattr(source, "coords")):
        return labels
    dims = source.dims[:-1]
    coords = {name: one for name, one in source.coords.items() if set(one.dims) <= set(dims)}
    return type(source)(labels, dims=dims, coords=coords, attrs=source.attrs, name=source.name)
