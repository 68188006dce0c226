"""The order of a run: a look at all costs, a first round, the bound, rounds of moves.

Everything is a stage: one piece of work for each of many tiles, none of which needs another of the
same stage. After each stage the labels are those of a whole number of stages, which is where a
checkpoint takes a run up again.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ..result import TraceRecord
from . import work
from .borders import Messages, scale_of_messages
from .checkpoint import Checkpoint
from .engines import Engine
from .layouts import Tile, box_name, grown, layout, shifts
from .problem import Problem
from .work import Halted, Outcome, Settings

__all__ = ["ENOUGH", "Run", "State"]

# Rounds of moves end where one gains less than this part of the energy.
ENOUGH = 1e-5
# The bound: passes in which tiles exchange messages end where one raises it by less than this part;
# the last pass sweeps longer.
ENOUGH_BOUND = 1e-3
MOST_PASSES = 8
SWEEPS_OF_EXCHANGE = 25
SWEEPS_OF_BOUND = 50

# Floats sum integers exactly below this.
LARGEST_SUM = 2.0**53


@dataclass
class State:
    """Where a run is; all of it can be stored as JSON.

    Attributes
    ----------
    phase : str
        "survey", "first", "evaluate", "bound", "moves" or "done".
    stage : int
        How many stages are over.
    exact, largest
        What the survey found, see :class:`Problem`.
    total : float
        No labelling costs more.
    fingerprints : list of int
        Of the costs and weights of all tiles, as the survey has seen them.
    energy : float or None
        Of the labels, once there are some.
    bound : float or None
        The best so far, in the caller's costs.
    passes : int
        Passes of the bound that are over.
    messages : int or None
        The stage whose messages are stored.
    round, colour : int
        Which of the rounds of moves, and how many of its colours are over.
    gained : float
        By this round so far.
    seconds : float
        Of work so far.
    trace : list of dict
        A record per stage that changed the labels or the bound.
    """

    phase: str = "survey"
    stage: int = 0
    exact: bool = False
    largest: float = math.inf
    total: float = math.inf
    fingerprints: list[int] = field(default_factory=list)
    energy: float | None = None
    bound: float | None = None
    passes: int = 0
    messages: int | None = None
    round: int = 2
    colour: int = 0
    gained: float = 0.0
    seconds: float = 0.0
    trace: list[dict[str, Any]] = field(default_factory=list)


class Run:
    """One minimisation by tiles.

    Parameters
    ----------
    problem : Problem
        What to minimise.
    settings : Settings
        How tiles are solved.
    tile : sequence of int
        The largest sides of a tile.
    engine : Engine
        Who works on them.
    labels : object
        An array of any kind that takes labels box by box.
    checkpoint : Checkpoint or None
        Where stages are stored.
    tell : callable
        Called with each record; may raise Halted.
    """

    def __init__(
        self,
        problem: Problem,
        settings: Settings,
        tile: Sequence[int],
        engine: Engine,
        labels: Any,
        checkpoint: Checkpoint | None,
        tell: Callable[[TraceRecord], None],
    ) -> None:
        self._settings, self._tile = settings, tuple(tile)
        self._engine, self._labels, self._checkpoint, self._tell = engine, labels, checkpoint, tell
        self.state = State()
        if checkpoint is not None and checkpoint.state:
            self.state = State(**checkpoint.state)
        self._problem = problem.known_to_be(self.state.exact, self.state.largest)
        self._tiles = self._layout((0,) * len(problem.shape))
        self._begin = time.perf_counter() - self.state.seconds
        self._messages: Messages | None = None
        self._told = len(self.state.trace)

    def run(self) -> None:
        """Go through all phases that are not over; raises Halted where the run shall end."""
        phases = {
            "survey": self._survey,
            "first": self._first_round,
            "evaluate": self._evaluate,
            "bound": self._bound_pass,
            "moves": self._colour,
        }
        while self.state.phase != "done":
            phases[self.state.phase]()

    def sum_up(self) -> float:
        """Return the energy of the labels as they are, read afresh.

        Raises
        ------
        ValueError
            If the numbers that were read are not those of the survey.
        """
        parts = self._outcomes(work.evaluate, self._tiles, self._with_labels, kept=False)
        for number, seen in enumerate(self.state.fingerprints):
            # Real costs may come from sums whose order is left to chance.
            if self.state.exact and parts[number]["fingerprint"] != seen:
                raise ValueError(
                    "source, weights and mask must give the same numbers whenever they are asked; "
                    f"found others in the box {box_name(self._tiles[number].box)}"
                )
        return math.fsum(part["energy"] for part in parts.values())

    @property
    def seconds(self) -> float:
        """Of work so far, those before it was taken up again included."""
        return time.perf_counter() - self._begin

    def _layout(self, shift: tuple[int, ...]) -> list[Tile]:
        return layout(self._problem.shape, self._tile, shift)

    def _survey(self) -> None:
        found = self._outcomes(work.survey, self._tiles, _alone)
        exact = all(part["whole"] for part in found.values())
        table = self._problem.table
        exact = exact and bool((table == np.rint(table)).all())
        integers = all(part["integers"] for part in found.values())
        total = math.fsum(part["total"] for part in found.values())
        if not any(part["pixels"] for part in found.values()):
            raise ValueError("mask must be True for some pixel; found it False for all")
        if exact and integers and total >= LARGEST_SUM:
            raise OverflowError(
                f"integer costs of tiles must add up to less than 2**53; found up to {total:.3g}; "
                "divide all costs by a common factor"
            )
        # Floats of that size are all whole, and still sums of them are rounded.
        exact = exact and total < LARGEST_SUM
        self.state.exact, self.state.total = exact, total
        self.state.fingerprints = [found[number]["fingerprint"] for number in sorted(found)]
        self.state.largest = max(part["largest"] for part in found.values())
        self._problem = self._problem.known_to_be(exact, self.state.largest)
        self._over("first")

    def _first_round(self) -> None:
        self._outcomes(work.first_labels, self._tiles, _alone)
        self._over("evaluate")

    def _evaluate(self) -> None:
        parts = self._outcomes(work.evaluate, self._tiles, self._with_labels)
        self.state.energy = math.fsum(part["energy"] for part in parts.values())
        size = math.prod(self._problem.shape)
        self._record("round 1", changed=size, active=size)
        self._over("bound")

    def _bound_pass(self) -> None:
        """One pass over all tiles, with the messages that the pass before has left."""
        state = self.state
        messages = self._border_messages()
        factor = scale_of_messages(state.exact, state.largest)
        alone = len(self._tiles) == 1
        last = alone or state.passes + 1 >= MOST_PASSES or self._settled()
        sweeps = SWEEPS_OF_BOUND if last else SWEEPS_OF_EXCHANGE
        if alone:
            sweeps = self._settings.sweeps  # as without tiles

        def with_messages(tile: Tile) -> tuple[Any, ...]:
            return tile.box, messages.of_box(tile.box), factor, sweeps, not last

        found = self._outcomes(work.bound, self._tiles, with_messages)
        self._take_bound([part["bound"] for part in found.values()], factor)
        if last:
            self._messages = None  # moves need none
        else:
            boxes = [tile.box for tile in self._tiles]
            edges = 2 * len(self._problem.steps)
            shares = [[found[i][f"share{k}"] for k in range(edges)] for i in range(len(boxes))]
            self._messages = messages.renewed(boxes, shares)
            if self._checkpoint is not None:
                self._checkpoint.keep_messages(self._messages.rows, state.stage)
            state.messages = state.stage
        state.passes += 1
        self._record(f"bound {state.passes}", changed=0, active=0)
        self._over("moves" if last else "bound")

    def _settled(self) -> bool:
        """Whether the pass before has raised the bound by little, so that the last may come."""
        bounds = [one["lower_bound"] for one in self.state.trace if "bound" in one["step"]]
        if len(bounds) < 2:
            return False
        return bool(bounds[-1] - bounds[-2] < ENOUGH_BOUND * max(abs(bounds[-1]), 1e-300))

    def _take_bound(self, bounds: Sequence[float], factor: int) -> None:
        state = self.state
        if state.exact:
            # Energies of integers are integers: a bound rounds up.
            found = float(-(-sum(map(int, bounds)) // factor))
        else:
            total = math.fsum(bounds)
            found = total - work.EPSILON * abs(total)  # what rounding the sum can have added
        assert state.energy is not None
        state.bound = min(found if state.bound is None else max(state.bound, found), state.energy)

    def _border_messages(self) -> Messages:
        if self._messages is None:
            problem = self._problem
            self._messages = Messages(
                self._tiles, problem.shape, problem.steps, problem.labels, problem.exact
            )
            if self.state.messages is not None:
                assert self._checkpoint is not None
                stored = self._checkpoint.messages(self.state.messages)
                self._messages = self._messages.with_rows(stored)
        return self._messages

    def _colour(self) -> None:
        """Move the tiles of one colour, all else frozen."""
        state = self.state
        assert state.energy is not None
        if state.energy == state.bound:
            self._over("done")
            return
        order = shifts(len(self._problem.shape))
        tiles = self._layout(order[(state.round - 2) % len(order)])
        colours = sorted({tile.colour for tile in tiles})
        chosen = [tile for tile in tiles if tile.colour == colours[state.colour]]
        found = self._outcomes(work.move, chosen, self._with_labels)
        gain = math.fsum(part["gain"] for part in found.values())
        # Tiles of a colour do not touch: what they gain adds up, and none can lose.
        assert all(part["gain"] >= 0 for part in found.values())
        state.energy -= gain
        state.gained += gain
        state.colour += 1
        name = f"round {state.round}, colour {state.colour} of {len(colours)}"
        active = sum(math.prod(p.stop - p.start for p in tile.box) for tile in chosen)
        changed = sum(part["changed"] for part in found.values())
        after = "moves"
        if state.colour == len(colours):
            if state.gained <= ENOUGH * abs(state.energy):
                after = "done"
            state.round, state.colour, state.gained = state.round + 1, 0, 0.0
        self._record(name, changed=changed, active=active)
        self._over(after)

    def _with_labels(self, tile: Tile) -> tuple[Any, ...]:
        around = grown(tile.box, 1, self._problem.shape)
        return tile.box, np.asarray(self._labels[around])

    def _outcomes(
        self,
        what: Callable[..., Outcome],
        tiles: Sequence[Tile],
        arguments: Callable[[Tile], tuple[Any, ...]],
        *,
        kept: bool = True,
    ) -> dict[int, Outcome]:
        """Do a piece of work for each of the tiles; those that a run before has done are done."""
        checkpoint = self._checkpoint if kept else None
        stage = self.state.stage
        done: dict[int, Outcome] = {}
        if checkpoint is not None:
            finished = checkpoint.finished_tiles(stage)
            done = {number: _without_labels(checkpoint.tile(stage, number)) for number in finished}

        def jobs() -> Iterator[tuple[int, Any]]:
            for number, tile in enumerate(tiles):
                if number not in done:
                    yield number, arguments(tile)

        try:
            for number, outcome in self._engine.run(self._problem, self._settings, what, jobs()):
                if checkpoint is not None:
                    checkpoint.keep_tile(stage, number, outcome)
                else:
                    # Tiles of a stage do not see each other's labels: no need to wait for all.
                    self._take(tiles[number], outcome)
                done[number] = _without_labels(outcome)
        except Halted:
            if checkpoint is None and kept and self.state.energy is not None:
                # Of a stage that does not come to its end each tile is good without the others.
                self.state.energy -= math.fsum(one.get("gain", 0.0) for one in done.values())
            raise
        if checkpoint is not None:
            for number, tile in enumerate(tiles):
                self._take(tile, checkpoint.tile(stage, number))
        return done

    def _take(self, tile: Tile, outcome: Outcome) -> None:
        if "labels" in outcome and outcome.get("changed", 1):
            self._labels[tile.box] = outcome["labels"]

    def _record(self, step: str, *, changed: int, active: int) -> None:
        state = self.state
        assert state.energy is not None
        record = TraceRecord(
            iteration=len(state.trace) + 1,
            seconds=self.seconds,
            energy=state.energy,
            # Sums over all edges of other functions than g are not kept: tiles minimise g itself.
            huber_energy=state.energy,
            surrogate_energy=state.energy,
            changed=changed,
            active=active,
            lower_bound=state.bound,
            step=step,
        )
        state.trace.append(asdict(record))

    def _over(self, phase: str) -> None:
        """Store that a stage is over, then tell of it."""
        state = self.state
        told = state.trace[-1] if state.trace else None
        is_new = told is not None and told["iteration"] > self._told
        state.phase, state.stage, state.seconds = phase, state.stage + 1, self.seconds
        if self._checkpoint is not None:
            self._checkpoint.keep_state(asdict(state))
        if is_new and told is not None:
            self._told = told["iteration"]
            self._tell(TraceRecord(**told))


def _alone(tile: Tile) -> tuple[Any, ...]:
    return (tile.box,)


def _without_labels(outcome: Outcome) -> Outcome:
    """What is kept of a tile in memory until all are there."""
    return {name: value for name, value in outcome.items() if name != "labels"}
