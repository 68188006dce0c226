"""What the tests believe instead of the code under test: plain NumPy and enumeration."""

import itertools

import numpy as np
from hypothesis import strategies as st

import rangemoves as rm
from rangemoves.neighbourhood import grid_offsets


def recompute(energy, labels):
    """The energy of a labelling from the caller's own numbers, sharing no code with rm.Energy."""
    x = np.asarray(labels, dtype=np.int64).reshape(-1)
    unary = np.asarray(energy.unary, dtype=np.float64).reshape(x.size, -1)
    i, j = energy.edges.T
    data = unary[np.arange(x.size), x][x >= 0].sum()
    difference = energy.num_labels - 1 + x[i] - x[j]
    costs = tables_of_edges(energy)[np.arange(energy.num_edges), difference]
    return float(data + (energy.weights * costs).sum())


def tables_of_edges(energy):
    """What each edge costs by its difference, before its weight: one row per edge."""
    labels = energy.num_labels
    priors = energy.prior if isinstance(energy.prior, tuple) else (energy.prior,)
    if energy.offsets.any() and any(isinstance(prior, rm.TablePrior) for prior in priors):
        # How far such a table must reach depends on all edges.
        index = energy.table_index if energy.table_index.size else np.zeros(energy.num_edges, int)
        return energy.tables[index]
    rows = [
        priors[k].values(labels + abs(o))[abs(o) + o :][: 2 * labels - 1]
        for k, o in zip(energy.prior_index.tolist(), energy.offsets.tolist(), strict=True)
    ]
    return np.array(rows, dtype=np.float64).reshape(energy.num_edges, 2 * labels - 1)


def solve(energy, method="gswap", **kwargs):
    """rm.minimize, with everything checked that must hold for every result."""
    before = energy.unary.copy()
    result = rm.minimize(energy, method, **kwargs)
    check(energy, result)
    np.testing.assert_array_equal(energy.unary, before)
    return result


def check(energy, result):
    assert result.labels.shape == energy.shape
    assert result.labels.dtype == np.int32
    expected = recompute(energy, result.labels)
    # Real costs may be solved without any rounding; their sum still depends on its order.
    if result.rounding_error == 0 and expected.is_integer():
        assert result.energy == expected
    else:
        np.testing.assert_allclose(result.energy, expected, rtol=1e-12)
    assert result.energy == energy(result.labels)
    assert np.isfinite(result.energy)
    energies = [record.energy for record in result.trace]
    assert all(a >= b for a, b in itertools.pairwise(energies)), "the energy rose"
    assert len(result.trace) == result.iterations
    assert [record.iteration for record in result.trace] == list(range(1, result.iterations + 1))
    if energies:
        np.testing.assert_allclose(energies[-1], result.energy, rtol=1e-12)
    if result.lower_bound is not None:
        assert result.lower_bound <= result.energy
    if result.status == "optimal":
        allowed = 0 if result.rounding_error == 0 else 1e-6 * size(energy)
        assert result.energy - result.lower_bound <= allowed


def size(energy):
    """What all terms add up to at most: the measure of what counts as optimal for real costs.

    Labels that no optimum has, whatever the edges cost, do not count.
    """
    costs = energy.unary.reshape(energy.num_variables, -1).astype(float)
    degree = np.bincount(energy.edges.ravel(), np.repeat(energy.weights, 2), energy.num_variables)
    reach = degree * max(np.ptp(table) for table in energy.tables)
    matters = costs <= (costs.min(axis=1) + reach)[:, None]
    largest = np.abs(np.where(matters, costs, 0)).max(axis=1)
    return float(largest.sum() + np.abs(energy.tables).max() * energy.weights.sum())


def takes_part(energy):
    """Which variables have a label, one after the other."""
    return np.ones(energy.num_variables, bool) if energy.mask is None else energy.mask.reshape(-1)


def every_labelling(energy):
    """All labellings, one per row; -1 where a mask is False."""
    kept = takes_part(energy)
    choices = itertools.product(range(energy.num_labels), repeat=int(kept.sum()))
    chosen = np.array(list(choices), dtype=np.int64)
    labellings = np.full((len(chosen), kept.size), -1, dtype=np.int64)
    labellings[:, kept] = chosen
    return labellings


def edges_matter(energy):
    """Whether what the edges cost together differs between labellings without forbidden labels."""
    x = every_labelling(energy)
    x = x[np.isfinite(unary_costs(energy, x))]
    return bool(np.ptp(edge_costs(energy, x, tables_of_edges(energy)).sum(axis=1)) > 0)


def edges_decide(energy):
    """Whether the edges make another labelling the best than costs of labels alone would."""
    x = every_labelling(energy)
    data = unary_costs(energy, x)
    costs = data + edge_costs(energy, x, tables_of_edges(energy)).sum(axis=1)
    return bool(costs[data.argmin()] > costs.min())


def edge_costs(energy, x, table):
    """The cost of each edge (columns) in each labelling (rows) under one table or one per edge."""
    i, j = energy.edges.T
    difference = energy.num_labels - 1 + x[:, i] - x[:, j]
    tables = np.broadcast_to(table, (energy.num_edges, 2 * energy.num_labels - 1))
    return energy.weights * tables[np.arange(energy.num_edges), difference]


def unary_costs(energy, x):
    unary = np.asarray(energy.unary, dtype=np.float64).reshape(energy.num_variables, -1)
    return np.where(x >= 0, unary[np.arange(energy.num_variables), x], 0).sum(axis=1)


def best_energy(energy):
    x = every_labelling(energy)
    costs = edge_costs(energy, x, tables_of_edges(energy)).sum(axis=1)
    return float((unary_costs(energy, x) + costs).min())


def far_apart(energy, x, left, right):
    """Which edges (columns) lie beyond the convex range in which labellings (rows)."""
    i, j = energy.edges.T
    difference = x[:, i] - x[:, j]
    return (difference < -left) | (difference > right)


# ---- random problems -------------------------------------------------------------------------
#
# Hypothesis draws what a problem is like and a seed; numbers come from that seed. Numbers that
# Hypothesis draws are mostly zero, and with them most edges cost nothing.

TOPOLOGIES = {
    "grid": [(2, 2), (2, 3), (1, 3), (3, 2), (3, 3), (1, 5)],
    "grid-8": [(2, 2), (2, 3), (3, 2), (3, 3)],
    "volume": [(2, 1, 2), (2, 2, 2), (1, 2, 3)],
    "chain": [(4,), (2,), (3,), (6,)],
    "tree": [(4,), (3,), (5,), (6,)],
    "graph": [(4,), (2,), (3,), (5,)],
}
FURTHEST_OFFSET = 2
# How many problems are so simple that hardly anything is left to do, each in a way of its own.
SIMPLE = 0.01


class Steps(rm.Prior):
    """A prior whose values are known as far as any offset leads."""

    def __init__(self, table):
        self.table = np.asarray(table, dtype=np.float64)

    def values(self, labels):
        middle = self.table.size // 2
        return self.table[middle - labels + 1 : middle + labels]

    def __repr__(self):
        return f"Steps({self.table.tolist()})"


def half_prior(rng, length, flat=False):
    """Steps that grow, then shrink (or stop at once)."""
    convex = rng.integers(0, length + 1)
    steps = np.sort(rng.integers(0, 7, convex)).tolist()
    limit = steps[-1] if steps else int(rng.integers(0, 7))
    rest = length - convex
    if flat:
        return steps + [0] * rest
    return steps + sorted(rng.integers(0, limit + 1, rest).tolist(), reverse=True)


def any_table(rng, reach, kind):
    """A prior of integers for differences up to ``reach``."""
    if kind == "any":
        return rng.integers(-5, 10, 2 * reach + 1).tolist()
    if kind == "convex":
        steps = np.sort(rng.integers(-6, 7, 2 * reach)).tolist()
        return list(itertools.accumulate(steps, initial=int(rng.integers(-3, 10))))
    right = half_prior(rng, reach, flat=kind == "flat")
    left = right if kind == "flat" or rng.random() < 0.5 else half_prior(rng, reach)
    rising = list(itertools.accumulate(right, initial=0))
    return list(itertools.accumulate(left, initial=0))[:0:-1] + rising


def random_table(rng, labels, kind, offset=0):
    """A prior: convex, robust (convex, then concave), flat (truncated) or anything."""
    for _ in range(20):
        table = any_table(rng, labels - 1 + offset, kind)
        seen = table[offset : len(table) - offset]
        if len(set(seen)) > 1 or rng.random() < SIMPLE:
            break
    return table


def random_edges(rng, topology, variables):
    """The edges of a chain, a tree or any graph, with variables in any order; None on a grid."""
    if topology not in ("chain", "tree", "graph"):
        return None
    if topology == "graph":
        # Some twice, some both ways.
        tail = rng.integers(0, variables, int(rng.integers(2, 7)))
        head = (tail + rng.integers(1, variables, tail.size)) % variables
    else:
        head = np.arange(1, variables)
        tail = head - 1 if topology == "chain" else rng.integers(0, head)
    names = rng.permutation(variables)
    turned = rng.random(head.size) < 0.5
    edges = names[np.stack([np.where(turned, head, tail), np.where(turned, tail, head)], axis=1)]
    return edges[rng.permutation(len(edges))]


def random_unary(rng, shape, labels, forbid, real):
    unary = rng.integers(-4, 20, (*shape, labels)).astype(np.float64)
    if real:
        unary += rng.random(unary.shape)
    if forbid:
        forbidden = rng.random(unary.shape) < 0.3
        forbidden[(*np.indices(shape), rng.integers(0, labels, shape))] = False
        unary[forbidden] = np.inf
    return unary


def random_mask(rng, shape):
    """All but one variable or two; all where there are few."""
    mask = np.ones(shape, bool)
    dropped = min(int(rng.integers(1, 3)), mask.size - 3)
    mask.reshape(-1)[rng.choice(mask.size, max(dropped, 0), replace=False)] = False
    return mask


@st.composite
def energies(draw, kind="robust", forbid=False, real=False, most=800, features=False):
    """Small problems on grids and graphs, with integer costs unless ``real``.

    With ``features`` they may have several priors, offsets and a mask.
    """
    topology = draw(st.sampled_from(list(TOPOLOGIES)))
    shape = draw(st.sampled_from(TOPOLOGIES[topology]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    has = {name: features and rng.random() < 0.6 for name in ("mask", "offsets", "several")}
    mask = random_mask(rng, shape) if has["mask"] else None
    kept = int(np.prod(shape) if mask is None else mask.sum())
    labels = draw(st.sampled_from([n for n in (3, 2, 4, 5, 6) if n**kept <= most]))
    labels = 1 if rng.random() < SIMPLE else labels
    reach = FURTHEST_OFFSET if has["offsets"] else 0
    factor = draw(st.sampled_from([1.0, 0.37, np.pi, 1e-3, 1e6])) if real else 1
    priors = [
        (Steps if reach else rm.TablePrior)(
            np.array(random_table(rng, labels, kind, reach)) * factor
        )
        for _ in range(3 if has["several"] else 1)
    ]
    unary = random_unary(rng, shape, labels, forbid, real)
    if not forbid and not real and draw(st.booleans()):
        unary = unary.astype(draw(st.sampled_from([np.int8, np.int64, np.float32])))
    edges = random_edges(rng, topology, unary.size // labels)
    connectivity = 8 if topology == "grid-8" else None
    if edges is None:
        steps = grid_offsets(len(shape), connectivity)
        parts = [tuple(n - abs(d) for n, d in zip(shape, step, strict=True)) for step in steps]
    else:
        parts = [(len(edges),)]

    def per_edge(values):
        arrays = [rng.choice(values, part) for part in parts]
        return arrays if edges is None else arrays[0]

    weights = np.array([0, 1, 1, 1, 2, 2, 3, 5]) * (0.3 + rng.random() if real else 1)
    weights = per_edge(weights) if draw(st.booleans()) else rng.choice(weights[1:])
    if rng.random() < SIMPLE:
        weights = 0
    return rm.Energy(
        unary,
        priors if has["several"] else priors[0],
        weights,
        edges=edges,
        connectivity=connectivity,
        prior_index=per_edge(range(3)) if has["several"] else None,
        offsets=per_edge(range(-reach, reach + 1)) if reach else None,
        mask=mask,
    )


@st.composite
def starts(draw, energy):
    """A labelling without forbidden labels."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    allowed = np.isfinite(np.asarray(energy.unary, dtype=np.float64))
    labels = np.where(allowed, rng.random(allowed.shape), -1).argmax(axis=-1).astype(np.int32)
    return np.where(takes_part(energy).reshape(energy.shape), labels, -1).astype(np.int32)


# ---- grids too large to enumerate ------------------------------------------------------------


def grid_optimum(energy):
    """The least energy of a narrow grid: pixel by pixel, for all labels of the last row and one.

    Edges may have any tables and join what lies no further apart: 4 or 8 neighbours.
    """
    width, labels = energy.shape[-1], energy.num_labels
    unary = np.asarray(energy.unary, dtype=np.float64).reshape(-1, labels)
    difference = labels - 1 + np.arange(labels)[:, None] - np.arange(labels)
    backward = [[] for _ in unary]
    for (i, j), weight, table in zip(
        energy.edges.tolist(), energy.weights, tables_of_edges(energy), strict=True
    ):
        if weight > 0:
            costs = weight * table[difference]  # by the label of i, then by that of j
            backward[max(i, j)].append((min(i, j), costs if i < j else costs.T))
    best, open_pixels = np.zeros(()), []
    for i, costs in enumerate(unary):
        best = best[..., None] + costs
        open_pixels.append(i)
        for j, joint in backward[i]:
            shape = [labels if k in (i, j) else 1 for k in open_pixels]
            assert j in open_pixels
            best = best + joint.reshape(shape)
        if len(open_pixels) > width + 1:
            best = best.min(axis=0)
            del open_pixels[0]
    return float(best.min())


def hard_grid(seed, shape=(40, 5), labels=6, prior=None, weight=100):
    """Pieces of one label each, seen with noise that offers two other labels as good as the right.

    Edges are weak and forgive jumps. On most of these plain sweeps stop below the optimum.
    """
    rng = np.random.default_rng(seed)
    height, width = shape
    truth = np.zeros(shape, dtype=np.int64)
    for _ in range(height * width // 20):
        down, right = rng.integers(0, height), rng.integers(0, width)
        truth[down : down + 6, right : right + 3] = rng.integers(0, labels)
    seen = np.where(rng.random(shape) < 0.25, truth, rng.integers(0, labels, shape))
    unary = rng.integers(3 * weight, 6 * weight, (*shape, labels))
    for cheap in (rng.integers(0, labels, shape), rng.integers(0, labels, shape), seen):
        costs = rng.integers(0, weight // 2, (*shape, 1))
        np.put_along_axis(unary, cheap[..., None], costs, axis=-1)
    return rm.Energy(unary, prior or rm.TruncatedLinear(1), weight)
