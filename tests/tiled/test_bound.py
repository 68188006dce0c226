"""The bound of tiles: a bound of the whole for any messages, and close to that without tiles."""

import itertools

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.testing import brute_force
from rangemoves.tiled.borders import Messages, given_back, passed_on, scale_of_messages
from rangemoves.tiled.layouts import layout
from rangemoves.tiled.problem import state_problem
from rangemoves.tiled.work import Settings, bound

SETTINGS = Settings("gswap", sweeps=5, margin=1, threads=1, seed=0, backend="cpu")


def random_problem(seed, *, real=False):
    """A grid small enough to enumerate, with whatever a problem may have."""
    rng = np.random.default_rng(seed)
    shape = [(2, 3), (3, 2), (1, 7), (1, 3, 2)][seed % 4]
    labels = 3
    connectivity = None if seed % 3 else 3 ** len(shape) - 1
    unary = rng.integers(0, 12, (*shape, labels)).astype(float if real else np.int32)
    steps = rm.neighbourhood.grid_offsets(len(shape), connectivity)
    weights = [
        rng.integers(0, 4, [n - abs(d) for n, d in zip(shape, step, strict=True)]).astype(float)
        for step in steps
    ]
    table = rng.integers(0, 9, 2 * labels - 1).astype(float)
    mask = None
    if real:
        unary += rng.random(unary.shape)
        weights = [w * rng.random() for w in weights]
        table = table + 0.1
        unary[rng.random(unary.shape) < 0.1] = np.inf
        unary[..., 1][np.isinf(unary).all(axis=-1)] = 0
    if seed % 5 == 0:
        mask = rng.random(shape) < 0.8
        mask.flat[0] = True
    return unary, rm.TablePrior(table), weights, {"connectivity": connectivity, "mask": mask}


def tiled_bound(problem, factor, messages, tiles):
    parts = [
        bound(problem, SETTINGS, tile.box, messages.of_box(tile.box), factor, 20, False)["bound"]
        for tile in tiles
    ]
    return sum(parts) / factor


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.parametrize("real", [False, True])
def test_any_messages_give_a_bound(seed, real):
    unary, prior, weights, how = random_problem(seed, real=real)
    _, optimum = brute_force(rm.Energy(unary, prior, weights, **how))
    problem = state_problem(unary, prior, weights, None, how["connectivity"], how["mask"])
    problem = problem.known_to_be(not real, 1000.0)
    tiles = layout(problem.shape, (2,) * len(problem.shape), (seed % 2,) * len(problem.shape))
    factor = 1 if real else 8
    messages = Messages(tiles, problem.shape, problem.steps, problem.labels, not real)
    rng = np.random.default_rng(seed)
    for size in (0, 5, 60, 10**12):
        rows = [rng.integers(-size, size + 1, part.shape) for part in messages.rows]
        found = tiled_bound(problem, factor, messages.with_rows(rows), tiles)
        assert found <= optimum + (1e-9 if real else 0)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_passed_on_is_the_most_there_is(seed):
    rng = np.random.default_rng(seed)
    table, weights = rng.integers(0, 20, 7), rng.integers(1, 4, 5)
    m = rng.integers(-9, 9, (5, 4))
    q = passed_on(table, weights, m)
    for edge in range(5):
        for b in range(4):
            costs = [weights[edge] * table[a - b + 3] - m[edge, a] for a in range(4)]
            assert q[edge, b] == min(costs)
    back = given_back(table, weights, q)
    assert (back >= m).all()
    np.testing.assert_array_equal(passed_on(table, weights, back), q)


def test_exchange_brings_the_bound_near_that_of_the_whole():
    pair = rm.datasets.synthetic_stereo(seed=0, shape=(120, 160), labels=16)
    costs = rm.stereo.cost_volume(pair.left, pair.right, 16)
    prior, weights = rm.TruncatedQuadratic(3), rm.stereo.edge_weights(pair.left, 12, 24, 8)
    whole = rm.minimize(rm.Energy(costs, prior, weights), "trws").lower_bound
    result = rm.tiled.minimize(costs, prior, weights, tiles=(40, 40))
    bounds = [record.lower_bound for record in result.trace if record.step.startswith("bound")]
    assert bounds == sorted(bounds)
    assert result.lower_bound == bounds[-1] <= result.energy
    assert (whole - bounds[0]) / whole > 0.02  # edges between tiles left out
    assert (whole - bounds[-1]) / whole < 0.002


@pytest.mark.parametrize("prior", [rm.TruncatedQuadratic(3), rm.TruncatedLinear(3)])
def test_exchange_with_8_neighbours(prior):
    """A pixel on the border then has three edges to send its belief over."""
    pair = rm.datasets.synthetic_stereo(seed=3, shape=(100, 140), labels=12)
    costs = rm.stereo.cost_volume(pair.left, pair.right, 12)
    whole = rm.minimize(rm.Energy(costs, prior, 10, connectivity=8), "trws").lower_bound
    how = {
        "connectivity": 8,
        "tiles": (50, 70),
        "callback": lambda record: "round 2" in record.step,
    }
    found = rm.tiled.minimize(costs, prior, 10, **how)
    first = next(one.lower_bound for one in found.trace if one.step == "bound 1")
    assert whole - first > 0.02 * whole
    assert whole - found.lower_bound < 0.005 * whole


def test_one_tile_has_the_bound_of_the_whole():
    costs = np.random.default_rng(1).integers(0, 30, (31, 37, 7))
    whole = rm.minimize(rm.Energy(costs, rm.TruncatedLinear(3), 5), "trws")
    found = rm.tiled.minimize(costs, rm.TruncatedLinear(3), 5, tiles=(50, 50))
    assert found.lower_bound == min(whole.lower_bound, found.energy)


def test_messages_renewed_by_all_tiles_reach_every_edge():
    shape, steps = (6, 7), rm.neighbourhood.grid_offsets(2, 8)
    tiles = layout(shape, (3, 3), (0, 1))
    messages = Messages(tiles, shape, steps, 2, True)
    boxes = [tile.box for tile in tiles]
    shares = [[rows + np.array([0, 4]) for rows in messages.of_box(box)] for box in boxes]
    renewed = messages.renewed(boxes, shares)
    # Both ends of every edge propose the same: the mean is that.
    for rows in renewed.rows:
        assert (rows == [-4, 0]).all()
    owner = {
        (y, x): number
        for number, box in enumerate(boxes)
        for y, x in itertools.product(
            range(box[0].start, box[0].stop), range(box[1].start, box[1].stop)
        )
    }
    for step, rows in zip(steps, renewed.rows, strict=True):
        crossing = [
            (y, x)
            for (y, x), tile in owner.items()
            if owner.get((y + step[0], x + step[1]), tile) != tile
        ]
        assert len(crossing) == len(rows)


def test_costs_are_scaled_as_far_as_they_fit():
    assert scale_of_messages(True, 100) == 64
    assert scale_of_messages(True, 2**20) == 4
    assert scale_of_messages(True, 2**40) == 1
    assert scale_of_messages(False, 100) == 1


def test_passes_go_on_while_they_bring_something():
    """With 8 neighbours four passes stay more than 0.2 % below the bound of the whole."""
    pair = rm.datasets.synthetic_stereo(seed=0, shape=(160, 240), labels=16)
    costs = rm.stereo.cost_volume(pair.left, pair.right, 16)
    prior = rm.TruncatedQuadratic(3)
    whole = rm.minimize(rm.Energy(costs, prior, 12, connectivity=8), "trws", max_iter=100)
    found = rm.tiled.minimize(costs, prior, 12, connectivity=8, tiles=(64, 64))
    assert 0.998 * whole.lower_bound <= found.lower_bound <= found.energy
