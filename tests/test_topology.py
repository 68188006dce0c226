"""What edges turn out to be: grids run as grids do, trees are solved in one pass."""

import numpy as np
import pytest
from oracles import best_energy, solve

import rangemoves as rm

PRIORS = {
    "truncated quadratic": rm.TruncatedQuadratic(3),
    "asymmetric": rm.TablePrior([9, 7, 6, 2, 0, 1, 3, 3, 3]),
    "any": rm.TablePrior([3, 9, 1, 7, 0, 2, 5, 2, 8]),
}


def noisy_steps(shape, labels, rng):
    """Costs of a piecewise smooth signal under noise."""
    places = np.indices(shape).reshape(len(shape), -1)
    truth = labels / 3 * (1 + np.sin(places[-1] / 9)) + (places[0] > shape[0] // 2)
    noisy = truth + rng.normal(0, 1, truth.shape)
    costs = 6 * np.minimum((noisy[:, None] - np.arange(labels)) ** 2, 9)
    return np.round(costs).astype(np.int32).reshape(*shape, labels)


def grid(shape, labels, prior, rng, connectivity=None):
    energy = rm.Energy(noisy_steps(shape, labels, rng), prior, 1, connectivity=connectivity)
    return with_weights(energy, rng.integers(3, 12, energy.num_edges), shape, connectivity)


def with_weights(energy, weights, shape, connectivity):
    """The same grid with a weight for every edge."""
    steps = rm.neighbourhood.grid_offsets(len(shape), connectivity)
    parts, at = [], 0
    for step in steps:
        part = tuple(n - abs(d) for d, n in zip(step, shape, strict=True))
        parts.append(weights[at : at + int(np.prod(part))].reshape(part))
        at += parts[-1].size
    return rm.Energy(energy.unary, energy.prior, parts, connectivity=connectivity)


def as_edges(energy, order=None, turn=None, new_names=None):
    """The same energy as a list of edges: in another order, some turned, variables renamed."""
    rows = energy.unary.reshape(energy.num_variables, -1)
    edges, weights = energy.edges, energy.weights
    if order is not None:
        edges, weights = edges[order], weights[order]
    if turn is not None:
        edges = np.where(turn[:, None], edges[:, ::-1], edges)
    if new_names is not None:
        edges = new_names[edges]
        rows = rows[np.argsort(new_names)]
    return rm.Energy(rows, energy.prior, weights, edges=edges)


def kind(energy):
    return energy._topology.kind


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("method", ["trws", "gswap", "best"])
def test_the_edges_of_a_grid_run_as_the_grid_does(method, prior):
    rng = np.random.default_rng(5)
    energy = grid((40, 35), 5, PRIORS[prior], rng)
    steps = {"max_iter": 6 if method == "trws" else 20}
    expected = solve(energy, method, **steps)
    listed = as_edges(energy, order=rng.permutation(energy.num_edges))
    assert kind(listed) == "grid4"
    found = solve(listed, method, **steps)
    np.testing.assert_array_equal(found.labels, expected.labels.ravel())
    assert (found.energy, found.lower_bound) == (expected.energy, expected.lower_bound)
    assert [r.lower_bound for r in found.trace] == [r.lower_bound for r in expected.trace]


@pytest.mark.parametrize(
    ("shape", "connectivity", "name"),
    [
        ((9, 12), 4, "grid4"),
        ((9, 12), 8, "grid8"),
        ((3, 4, 5), 6, "grid6"),
        ((3, 4, 5), 26, "grid26"),
    ],
)
def test_every_grid_is_recognised_in_its_edges(shape, connectivity, name):
    rng = np.random.default_rng(6)
    energy = grid(shape, 5, rm.TruncatedLinear(2), rng, connectivity)
    listed = as_edges(energy, rng.permutation(energy.num_edges), rng.random(energy.num_edges) < 0.5)
    for found in (energy, listed):
        assert kind(found) == name
        found = found._topology
        assert (found.depth, found.height, found.width)[-len(shape) :] == shape
    expected, found = (solve(e, "trws", max_iter=5) for e in (energy, listed))
    np.testing.assert_array_equal(found.labels, expected.labels.ravel())
    assert found.lower_bound == expected.lower_bound


def test_a_shuffled_grid_is_swept_as_well_as_the_grid():
    rng = np.random.default_rng(7)
    energy = grid((60, 77), 12, rm.TruncatedQuadratic(3), rng)
    mixed = as_edges(
        energy,
        rng.permutation(energy.num_edges),
        rng.random(energy.num_edges) < 0.5,
        rng.permutation(energy.num_variables),
    )
    assert kind(mixed) == "grid4"
    bounds = [solve(e, "trws", max_iter=20).lower_bound for e in (energy, mixed)]
    assert abs(bounds[1] - bounds[0]) <= 0.001 * bounds[0]
    expected, found = (solve(e, "gswap") for e in (energy, mixed))
    assert found.energy == expected.energy
    # It starts from smaller images too.
    assert "coarse_seconds" in found.statistics
    assert found.statistics["sweeps"] <= 1.2 * expected.statistics["sweeps"]


@pytest.mark.parametrize(
    ("shape", "connectivity", "name"),
    [((40, 57), 8, "grid8"), ((9, 14, 17), 6, "grid6"), ((7, 12, 15), 26, "grid26")],
)
def test_other_shuffled_grids_are_swept_as_well_as_the_grid(shape, connectivity, name):
    rng = np.random.default_rng(11)
    energy = grid(shape, 10, rm.TruncatedQuadratic(3), rng, connectivity)
    mixed = as_edges(
        energy,
        rng.permutation(energy.num_edges),
        rng.random(energy.num_edges) < 0.5,
        rng.permutation(energy.num_variables),
    )
    found = mixed._topology
    sides = [side for side in (found.depth, found.height, found.width) if side > 1]
    assert (found.kind, sides) == (name, sorted(shape))
    # Its longest side is along the rows, as here: only which end is first may differ.
    bounds = [solve(e, "trws", max_iter=20).lower_bound for e in (energy, mixed)]
    assert abs(bounds[1] - bounds[0]) <= 0.001 * bounds[0]
    results = [solve(e, "gswap") for e in (energy, mixed)]
    assert results[1].energy <= 1.001 * results[0].energy
    assert results[1].energy == mixed(results[1].labels)
    assert rm.estimate_memory(mixed, "gswap") > 0


def test_a_shuffled_grid_with_holes_is_swept_as_well():
    rng = np.random.default_rng(8)
    full = grid((50, 60), 12, rm.TruncatedQuadratic(3), rng)
    weights = full.weights * (rng.random(full.num_edges) < 0.9)
    energy = with_weights(full, weights, (50, 60), 4)
    assert kind(energy) == "grid4"
    assert kind(as_edges(energy)) == "grid4"
    mixed = as_edges(energy, new_names=rng.permutation(energy.num_variables))
    assert kind(mixed) == "general"
    bounds = [solve(e, "trws", max_iter=20).lower_bound for e in (energy, mixed)]
    assert bounds[1] >= 0.998 * bounds[0]


def test_results_do_not_depend_on_threads_on_any_graph():
    rng = np.random.default_rng(9)
    places = rng.random((9000, 2))
    cells = np.floor(places * 60).astype(int)
    by_cell = {}
    for i, cell in enumerate(map(tuple, cells)):
        by_cell.setdefault(cell, []).append(i)
    edges = []
    for (y, x), here in by_cell.items():
        for other in ((y, x + 1), (y + 1, x), (y + 1, x + 1)):
            edges += [(i, j) for i in here for j in by_cell.get(other, [])][:6]
    unary = rng.integers(0, 60, (9000, 50))
    energy = rm.Energy(unary, rm.TruncatedQuadratic(4), 3, edges=edges)
    one, other = (solve(energy, "trws", max_iter=4, threads=n) for n in (1, 4))
    np.testing.assert_array_equal(one.labels, other.labels)
    assert one.lower_bound == other.lower_bound


def tree(rng, variables, reach, components=1):
    """The edges of a tree, or of several, its variables numbered at random."""
    names = rng.permutation(variables)
    roots = set(range(components))
    pairs = [
        (i, max(0, i - 1 - int(rng.integers(0, reach)))) for i in range(variables) if i not in roots
    ]
    pairs = np.array(pairs, dtype=int).reshape(-1, 2)
    turn = rng.random(len(pairs)) < 0.5
    return names[np.where(turn[:, None], pairs[:, ::-1], pairs)]


def least_energy(energy):
    """The least energy of a forest by dynamic programming in float64."""
    table, labels = energy.table, energy.num_labels
    cost = energy.unary.astype(np.float64).copy()
    around = [[] for _ in range(energy.num_variables)]
    for (i, j), w in zip(energy.edges.tolist(), energy.weights.tolist(), strict=True):
        around[i].append((j, w, True))
        around[j].append((i, w, False))
    difference = labels - 1 + np.arange(labels)[:, None] - np.arange(labels)
    seen, total = np.zeros(energy.num_variables, bool), 0.0
    for root in range(energy.num_variables):
        if seen[root]:
            continue
        seen[root] = True
        order, up = [root], {}
        for i in order:
            for j, w, is_tail in around[i]:
                if not seen[j]:
                    seen[j] = True
                    up[j] = (i, w, is_tail)
                    order.append(j)
        for i in reversed(order[1:]):
            parent, w, is_tail = up[i]
            g = w * table[difference if is_tail else difference.T]  # g[parent's, child's]
            cost[parent] += (g + cost[i]).min(axis=1)
        total += cost[root].min()
    return total


def random_forest(seed):
    rng = np.random.default_rng(seed)
    variables, labels = int(rng.integers(1, 60)), int(rng.integers(1, 9))
    reach = int(rng.choice([1, 3, 60]))
    edges = tree(rng, variables, reach, components=int(rng.integers(1, min(4, variables) + 1)))
    half = rng.integers(0, 30, 2 * labels - 1)
    real = seed % 3 == 0
    unary = (
        rng.normal(0, 9, (variables, labels)) if real else rng.integers(0, 60, (variables, labels))
    )
    weights = rng.random(len(edges)) if real else rng.integers(1, 9, len(edges))
    return rm.Energy(unary, rm.TablePrior(half), weights, edges=edges)


@pytest.mark.parametrize("seed", range(60))
def test_trees_are_solved_in_one_pass(seed):
    energy = random_forest(seed)
    least = least_energy(energy)
    assert kind(energy) in ("chain", "tree")
    for method, options in [("trws", {}), ("best", {}), ("irgc", {"bound": True})]:
        result = solve(energy, method, **options)
        assert result.status == "optimal"
        assert result.iterations <= 1
        np.testing.assert_allclose(result.energy, least, rtol=1e-9, atol=1e-7)
        np.testing.assert_allclose(result.lower_bound, least, rtol=1e-6, atol=1e-5)
        if np.issubdtype(energy.unary.dtype, np.integer):
            assert result.gap == 0


@pytest.mark.parametrize("seed", range(20))
def test_small_trees_against_enumeration(seed):
    rng = np.random.default_rng(seed)
    edges = tree(rng, 6, 4, components=1 + seed % 3)
    prior = rm.TablePrior(rng.integers(0, 30, 5))
    energy = rm.Energy(
        rng.integers(-9, 30, (6, 3)), prior, rng.integers(1, 6, len(edges)), edges=edges
    )
    result = solve(energy, "trws")
    assert (result.status, result.iterations) == ("optimal", 1)
    assert result.energy == best_energy(energy)


@pytest.mark.parametrize(
    "edges", [np.zeros((0, 2), int), [[0, 1]], [[1, 0], [2, 1]]], ids=["none", "one", "two"]
)
def test_hardly_any_edges(edges):
    unary = np.array([[3, 1, 2], [0, 5, 9], [4, 4, 0]])
    energy = rm.Energy(unary, rm.TruncatedLinear(1), 2, edges=edges)
    result = solve(energy, "trws")
    assert (result.status, result.energy) == ("optimal", best_energy(energy))
    one = rm.Energy(unary[:1], rm.TruncatedLinear(1), 2, edges=np.zeros((0, 2), int))
    assert solve(one, "trws").energy == 1


def test_a_hub_with_many_leaves():
    rng = np.random.default_rng(4)
    leaves, hub = 66_000, 30_000
    others = np.delete(np.arange(leaves + 1), hub)
    edges = np.stack([others, np.full(leaves, hub)], axis=1)
    unary = rng.integers(0, 1000, (leaves + 1, 4))
    energy = rm.Energy(unary, rm.TruncatedLinear(2), rng.integers(1, 100_000, leaves), edges=edges)
    result = solve(energy, "trws")
    assert (result.status, result.iterations, result.gap) == ("optimal", 1, 0)
    assert result.energy == least_energy(energy)
