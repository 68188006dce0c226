"""Tiles: the energy is that of the whole, it never rises, and how it is split changes nothing."""

import itertools
import signal
import threading

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.minimize import Task
from rangemoves.tiled.engines import Threads
from rangemoves.tiled.layouts import extent, grown, layout, shifts
from rangemoves.tiled.problem import state_problem
from rangemoves.tiled.work import Halted, Settings, evaluate


@pytest.fixture(scope="module")
def stereo():
    pair = rm.datasets.synthetic_stereo(seed=3, shape=(70, 90), labels=10)
    costs = rm.stereo.cost_volume(pair.left, pair.right, 10)
    weights = rm.stereo.edge_weights(pair.left, 12, 24, 8)
    return costs, rm.TruncatedQuadratic(2), weights


def small(seed, shape, labels=5):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 30, (*shape, labels)).astype(np.int32)


def test_near_the_whole_and_never_rising(stereo):
    costs, prior, weights = stereo
    energy = rm.Energy(costs, prior, weights)
    records = []
    result = rm.tiled.minimize(costs, prior, weights, tiles=(30, 30), callback=records.append)
    assert result.status in ("converged", "optimal")
    assert result.energy == energy(result.labels)
    assert result.labels.dtype == np.int32
    whole = rm.minimize(energy, "gswapf", init=rm.minimize(energy, "trws", max_iter=40))
    assert result.energy <= 1.0005 * whole.energy
    energies = [record.energy for record in result.trace]
    assert energies == sorted(energies, reverse=True)
    assert [record.step for record in records] == [record.step for record in result.trace]
    steps = {record.step for record in result.trace}
    assert {"round 1", "bound 1", "round 2, colour 1 of 4", "round 2, colour 4 of 4"} <= steps


def test_the_next_tile_waits_while_one_is_worked_on():
    """So that a thread that is done need not wait for what its next tile needs."""
    problem = state_problem(small(0, (4, 4)), rm.TruncatedLinear(2), 1, None, None, None)
    prepared = threading.Event()

    def jobs():
        yield 0, (prepared,)
        prepared.set()
        yield 1, (prepared,)

    def work(problem, settings, event):
        return {"was_prepared": event.wait(30)}

    engine = Threads(1, lambda: False)
    assert all(outcome["was_prepared"] for _, outcome in engine.run(problem, None, work, jobs()))


def test_a_tile_ends_in_the_middle_of_its_work():
    asked = []

    def halted():
        asked.append(0)
        return len(asked) > 2

    settings = Settings("gswap", 5, 1, threads=1, seed=0, backend="cpu", halted=halted)
    energy = rm.Energy(small(0, (200, 200), labels=20), rm.TruncatedLinear(2), 7)
    with pytest.raises(Halted):
        settings.solve(energy, "trws", max_iter=10**6)


def test_ctrl_c_in_a_tile_is_ctrl_c(monkeypatch):
    """Where a scheduler works in the main thread."""
    settings = Settings("gswap", 5, 1, threads=1, seed=0, backend="cpu")
    monkeypatch.setattr(Task, "solve", lambda *_, **__: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        settings.solve(rm.Energy(small(0, (4, 4)), rm.TruncatedLinear(2)), "trws")


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_change_the_answer(stereo, threads):
    costs, prior, weights = stereo
    expected = rm.tiled.minimize(costs, prior, weights, tiles=(24, 40), threads=3)
    found = rm.tiled.minimize(costs, prior, weights, tiles=(24, 40), threads=threads)
    np.testing.assert_array_equal(found.labels, expected.labels)
    assert (found.energy, found.lower_bound) == (expected.energy, expected.lower_bound)


@pytest.mark.parametrize(
    ("shape", "tiles", "how"),
    [
        ((20, 23), (7, 9), {}),
        ((20, 23), (7, 9), {"connectivity": 8}),
        ((1, 40), (1, 9), {}),
        ((7, 8, 9), (4, 4, 4), {}),
        ((6, 7, 8), (3, 4, 5), {"connectivity": 26}),
        ((12, 12), (50, 50), {}),
    ],
)
def test_every_kind_of_grid(shape, tiles, how):
    costs = small(1, shape)
    energy = rm.Energy(costs, rm.TruncatedLinear(2), 6, **how)
    result = rm.tiled.minimize(costs, rm.TruncatedLinear(2), 6, tiles=tiles, **how)
    assert result.energy == energy(result.labels)
    assert result.lower_bound <= result.energy
    best = rm.minimize(energy, "best", time_limit=2)
    assert result.lower_bound <= best.energy
    assert result.energy <= 1.03 * best.energy


def test_masks_leave_tiles_and_pixels_out(stereo):
    costs, prior, weights = stereo
    rng = np.random.default_rng(0)
    mask = rng.random(costs.shape[:2]) < 0.9
    mask[:40, :50] = False
    broken = np.where(mask[..., None], costs, np.nan)
    result = rm.tiled.minimize(broken, prior, weights, tiles=(20, 20), mask=mask)
    energy = rm.Energy(broken, prior, weights, mask=mask)
    assert ((result.labels == -1) == ~mask).all()
    assert result.energy == energy(result.labels)
    assert result.lower_bound <= rm.minimize(energy, "gswapf").energy


def test_real_costs_and_forbidden_labels():
    rng = np.random.default_rng(5)
    costs = rng.random((30, 31, 6))
    costs[rng.random(costs.shape) < 0.1] = np.inf
    costs[..., 2] = rng.random(costs.shape[:-1])
    weights = [rng.random((29, 31)), rng.random((30, 30))]
    result = rm.tiled.minimize(costs, rm.Cauchy(2), weights, tiles=(12, 12))
    energy = rm.Energy(costs, rm.Cauchy(2), weights)
    assert result.energy == pytest.approx(energy(result.labels), rel=1e-12)
    assert np.isfinite(result.energy)
    whole = rm.minimize(energy, "trws")
    assert 0.99 * whole.lower_bound < result.lower_bound <= whole.energy * (1 + 1e-9)


@pytest.mark.parametrize(
    ("prior", "method"),
    [(rm.Quadratic(), "ishikawa"), (rm.TruncatedLinear(2), "gswapf"), (rm.Cauchy(1), "gswap")],
)
def test_auto_takes_the_method_that_suits_the_prior(prior, method):
    assert rm.tiled.minimize(small(0, (9, 9)), prior, tiles=(5, 5)).method == method


@pytest.mark.parametrize("method", ["expansion", "rswap", "trws"])
def test_other_methods_move_tiles(method):
    costs = small(0, (18, 18))
    result = rm.tiled.minimize(costs, rm.TruncatedLinear(2), 4, method, tiles=(8, 8))
    assert result.method == method
    assert result.energy == rm.Energy(costs, rm.TruncatedLinear(2), 4)(result.labels)


def test_a_frozen_tile_counts_what_the_whole_counts():
    rng = np.random.default_rng(2)
    costs = small(2, (9, 10))
    steps = rm.neighbourhood.grid_offsets(2, 8)
    weights = [rng.integers(0, 5, (9 - abs(a), 10 - abs(b))) for a, b in steps]
    prior = rm.TablePrior([9, 4, 3, 1, 0, 2, 5, 6, 11])  # not symmetric
    whole = rm.Energy(costs, prior, weights, connectivity=8)
    problem = state_problem(costs, prior, weights, None, 8, None).known_to_be(True, 100)
    labels = rng.integers(0, 5, (9, 10)).astype(np.int32)
    for box in (np.s_[2:5, 3:7], np.s_[0:4, 6:10], np.s_[0:9, 0:10]):
        tile = problem.frozen(box, labels[grown(box, 1, (9, 10))])
        other = labels.copy()
        other[box] = rng.integers(0, 5, extent(box))
        change = tile(other[box]) - tile(labels[box])
        assert change == whole(other) - whole(labels)


@pytest.mark.parametrize("shift", shifts(2))
def test_sums_over_tiles_are_the_energy(shift, stereo):
    costs, prior, weights = stereo
    labels = np.random.default_rng(0).integers(0, 10, costs.shape[:2]).astype(np.int32)
    problem = state_problem(costs, prior, weights, None, None, None)
    parts = [
        evaluate(problem, None, tile.box, labels[grown(tile.box, 1, problem.shape)])["energy"]
        for tile in layout(problem.shape, (17, 29), shift)
    ]
    assert sum(parts) == rm.Energy(costs, prior, weights)(labels)


@pytest.mark.parametrize("shift", shifts(2))
def test_tiles_cover_the_grid_once_and_those_of_a_colour_do_not_touch(shift):
    shape = (37, 50)
    tiles = layout(shape, (8, 11), shift)
    owner = np.full(shape, -1)
    for number, tile in enumerate(tiles):
        assert (owner[tile.box] == -1).all()
        owner[tile.box] = number
    assert (owner >= 0).all()
    for one, other in itertools.combinations(range(len(tiles)), 2):
        if tiles[one].colour == tiles[other].colour:
            assert not (owner[grown(tiles[one].box, 1, shape)] == other).any()


def test_a_function_is_asked_for_boxes_and_nothing_is_pickled(stereo):
    costs, prior, weights = stereo
    lock = threading.Lock()  # cannot be pickled
    asked = []

    def source(box):
        with lock:
            asked.append(extent(box))
        return costs[box]

    def edges(box):
        rows, columns = box
        return weights[0][rows, columns], weights[1][rows, columns]

    found = rm.tiled.minimize(source, prior, edges, shape=costs.shape, tiles=(30, 30), margin=5)
    expected = rm.tiled.minimize(costs, prior, weights, tiles=(30, 30), margin=5)
    np.testing.assert_array_equal(found.labels, expected.labels)
    assert max(asked) <= (40, 40)


def test_out_takes_the_labels(stereo, tmp_path):
    costs, prior, weights = stereo
    expected = rm.tiled.minimize(costs, prior, weights, tiles=(30, 30))
    mapped = np.memmap(tmp_path / "labels", np.int16, "w+", shape=costs.shape[:2])
    result = rm.tiled.minimize(costs, prior, weights, tiles=(30, 30), out=mapped)
    assert result.labels is mapped
    np.testing.assert_array_equal(mapped, expected.labels)


def test_the_callback_ends_the_run_with_what_there_is(stereo):
    costs, prior, weights = stereo
    seen = []

    def stop(record):
        seen.append(record.labels())
        return record.step.startswith("bound")

    result = rm.tiled.minimize(costs, prior, weights, tiles=(30, 30), callback=stop)
    assert result.status == "stopped"
    np.testing.assert_array_equal(result.labels, seen[-1])
    assert result.energy == rm.Energy(costs, prior, weights)(result.labels)
    assert result.lower_bound is not None


@pytest.mark.parametrize("seconds", [0, 0.2, 0.4])
def test_a_time_limit_leaves_a_labelling(stereo, seconds):
    costs, prior, weights = stereo
    mask = np.random.default_rng(1).random(costs.shape[:2]) < 0.9
    how = {"tiles": (12, 12), "mask": mask}
    result = rm.tiled.minimize(costs, prior, weights, time_limit=seconds, **how)
    assert result.energy == rm.Energy(costs, prior, weights, mask=mask)(result.labels)
    assert result.status == "time_limit"


def test_a_source_that_changes_its_mind_is_found_out():
    count = itertools.count()

    def source(box):
        return np.full((*extent(box), 3), next(count) // 40)

    with pytest.raises(ValueError, match="must give the same numbers"):
        rm.tiled.minimize(source, rm.Linear(), shape=(20, 20, 3), tiles=(8, 8), threads=1)


@pytest.mark.parametrize("real", [False, True])
def test_costs_that_change_where_no_label_is_are_found_out_too(real):
    """The energy stays the same, but the bound would be about another problem."""
    count = itertools.count()
    half = 0.5 if real else 0

    def source(box):
        costs = np.full((*extent(box), 3), 9 + half)
        costs[..., 0] = 1
        if next(count) > 30:
            costs[..., 0 if real else 2] += 1
        return costs

    with pytest.raises(ValueError, match="must give the same numbers"):
        rm.tiled.minimize(source, rm.Linear(), shape=(20, 20, 3), tiles=(8, 8), threads=1)


def test_what_the_mask_leaves_out_may_be_anything():
    rng = np.random.default_rng(0)
    costs, mask = rng.integers(0, 9, (20, 24, 3)), rng.random((20, 24)) < 0.7

    def source(box):
        part = costs[box].copy()
        part[~mask[box]] = rng.integers(0, 99, 3)
        return part

    how = {"shape": costs.shape, "mask": mask, "tiles": (9, 9), "threads": 1}
    found = rm.tiled.minimize(source, rm.Linear(), 2, **how)
    assert found.energy == rm.Energy(costs, rm.Linear(), 2, mask=mask)(found.labels)


def test_whole_floats_beyond_exact_sums_are_real_numbers():
    costs = np.random.default_rng(0).integers(0, 9, (20, 24, 3)) * 2.0**60
    found = rm.tiled.minimize(costs, rm.Linear(), 2.0**60, tiles=(9, 9))
    whole = rm.Energy(costs, rm.Linear(), 2.0**60)
    assert found.energy == pytest.approx(whole(found.labels), rel=1e-12)
    optimum = rm.minimize(whole, "ishikawa").energy
    assert found.lower_bound <= optimum * (1 + 1e-12)
    assert found.lower_bound >= 0.97 * optimum


def test_sides_may_be_arrays(stereo):
    costs, prior, weights = stereo
    how = {"time_limit": 0, "tiles": np.array([12, 12])}
    found = rm.tiled.minimize(
        lambda box: costs[box], prior, weights, shape=np.array(costs.shape), **how
    )
    assert found.options["tiles"] == [12, 12]


READ_ONLY = np.broadcast_to(np.int32(0), (8, 8))
GOOD = {"source": np.zeros((8, 8, 3)), "prior": rm.Linear()}


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"source": np.zeros((8, 8))}, ValueError, r"must have shape \(H, W, L\)"),
        ({"source": lambda box: 0}, ValueError, "shape must be the whole"),
        ({"source": lambda box: 0, "shape": (8, 8, 3)}, ValueError, r"must give shape \(8, 8, 3\)"),
        ({"source": np.full((8, 8, 3), np.nan)}, ValueError, r"box \[0:\d, 0:\d\].*NaN"),
        ({"source": np.zeros((8, 8, 3), complex)}, TypeError, "real numbers"),
        ({"source": np.ma.masked_equal(np.eye(4)[None], 0)}, TypeError, "mask="),
        ({"source": np.full((8, 8, 3), 2**47)}, OverflowError, r"less than 2\*\*53"),
        ({"shape": (8, 8, 4)}, ValueError, "that of source"),
        ({"prior": "linear"}, TypeError, "one prior"),
        ({"prior": rm.TablePrior([0, 1, np.inf])}, ValueError, "finite for tiles"),
        ({"prior": rm.TruncatedLinear(1), "method": "ishikawa"}, ValueError, "cannot minimise"),
        ({"weights": -1}, ValueError, ">= 0"),
        ({"weights": [np.ones((8, 8)), np.ones((8, 7))]}, ValueError, r"weights\[0\] .*\(7, 8\)"),
        ({"weights": [np.full((7, 8), -1), 1]}, ValueError, "finite and >= 0"),
        ({"weights": lambda box: [1]}, ValueError, "must give 2 arrays"),
        ({"method": "magic"}, ValueError, "magic"),
        ({"tiles": "large"}, ValueError, "'auto' or sides"),
        ({"tiles": (4,)}, ValueError, "2 sides"),
        ({"tiles": (0, 4)}, ValueError, "at least 1"),
        ({"margin": -1}, ValueError, "margin"),
        ({"mask": np.ones((8, 8))}, TypeError, "booleans"),
        ({"mask": np.zeros((8, 8), bool)}, ValueError, "True for some"),
        ({"mask": np.ones((8, 9), bool)}, ValueError, "shape of a labelling"),
        ({"connectivity": 5}, ValueError, "connectivity"),
        ({"time_limit": -1}, ValueError, "time_limit"),
        ({"callback": 3}, TypeError, "callback"),
        ({"max_memory": 0}, ValueError, "max_memory"),
        ({"max_memory": 1000}, MemoryError, "raise max_memory"),
        ({"max_memory": 1000, "tiles": (4, 4)}, MemoryError, "smaller tiles"),
        ({"out": ""}, ValueError, "out must have a name"),
        ({"checkpoint": ""}, ValueError, "checkpoint must have a name"),
        ({"out": np.zeros((8, 8))}, ValueError, "integers"),
        ({"out": np.zeros((8, 8), np.uint8)}, ValueError, "-1"),
        ({"out": 3}, TypeError, "out must be"),
        ({"out": READ_ONLY}, ValueError, "only be read"),
        ({"checkpoint": 3}, TypeError, "checkpoint must be a path"),
        ({"threads": 0}, ValueError, "threads"),
        ({"backend": "abacus"}, rm.BackendError, "backend"),
    ],
)
def test_what_is_wrong_is_said_before_any_work(wrong, error, words):
    told = []
    arguments = {"callback": told.append, **GOOD, **wrong}
    with pytest.raises(error, match=words):
        rm.tiled.minimize(**arguments)
    assert told == []
