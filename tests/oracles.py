"""What the tests believe instead of the code under test: plain NumPy and enumeration."""

import itertools

import numpy as np
from hypothesis import strategies as st

import rangemoves as rm


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
    if energy.table_index.size:
        return energy.tables[energy.table_index]
    if not isinstance(energy.prior, tuple) and not energy.offsets.any():
        table = energy.prior.values(energy.num_labels)
    else:
        (table,) = energy.tables
    return np.broadcast_to(table, (energy.num_edges, table.size))


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
    if result.rounding_error == 0:
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


def every_labelling(energy):
    """All labellings, one per row."""
    choices = itertools.product(range(energy.num_labels), repeat=energy.num_variables)
    return np.array(list(choices), dtype=np.int64)


def edge_costs(energy, x, table):
    """The cost of each edge (columns) in each labelling (rows) under one table or one per edge."""
    i, j = energy.edges.T
    difference = energy.num_labels - 1 + x[:, i] - x[:, j]
    tables = np.broadcast_to(table, (energy.num_edges, 2 * energy.num_labels - 1))
    return energy.weights * tables[np.arange(energy.num_edges), difference]


def unary_costs(energy, x):
    unary = np.asarray(energy.unary, dtype=np.float64).reshape(energy.num_variables, -1)
    return unary[np.arange(energy.num_variables), x].sum(axis=1)


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

SHAPES = [(1, 1), (1, 2), (1, 3), (2, 2), (3, 1), (1, 4), (2, 3), (2, 1, 2), (1, 5)]


@st.composite
def sides(draw, length, flat=False):
    """Half a prior: steps that grow, then shrink (or stop at once)."""
    convex = draw(st.integers(0, length))
    steps = sorted(draw(st.lists(st.integers(0, 6), min_size=convex, max_size=convex)))
    limit = steps[-1] if steps else draw(st.integers(0, 6))
    rest = length - convex
    if flat:
        return steps + [0] * rest
    falling = draw(st.lists(st.integers(0, limit), min_size=rest, max_size=rest))
    return steps + sorted(falling, reverse=True)


@st.composite
def tables(draw, labels, kind):
    """Priors of integers: convex, robust (convex, then concave), flat (truncated) or anything."""
    if kind == "any":
        return draw(st.lists(st.integers(-5, 9), min_size=2 * labels - 1, max_size=2 * labels - 1))
    if kind == "convex":
        steps = sorted(
            draw(st.lists(st.integers(-6, 6), min_size=2 * labels - 2, max_size=2 * labels - 2))
        )
        start = draw(st.integers(-3, 9))
        return list(itertools.accumulate(steps, initial=start))
    right = draw(sides(labels - 1, flat=kind == "flat"))
    left = right if kind == "flat" or draw(st.booleans()) else draw(sides(labels - 1))
    rising = list(itertools.accumulate(right, initial=0))
    return list(itertools.accumulate(left, initial=0))[:0:-1] + rising


@st.composite
def energies(draw, kind="robust", forbid=False, real=False, most=800):
    """Small problems on grids and graphs, with integer costs unless ``real``."""
    shape = draw(st.sampled_from(SHAPES))
    variables = int(np.prod(shape))
    labels = draw(st.integers(1, 6).filter(lambda count: count**variables <= most))
    table = draw(tables(labels, kind))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    unary = rng.integers(-4, 20, (*shape, labels)).astype(np.float64)
    if real:
        unary += rng.random(unary.shape)
        table = np.array(table) * draw(st.sampled_from([1.0, 0.37, np.pi, 1e-3, 1e6]))
    if forbid:
        forbidden = rng.random(unary.shape) < 0.4
        forbidden[(*np.indices(shape), rng.integers(0, labels, shape))] = False
        unary[forbidden] = np.inf
    elif not real and draw(st.booleans()):
        unary = unary.astype(draw(st.sampled_from([np.int8, np.int64, np.float32])))
    prior = rm.TablePrior(table)
    if draw(st.booleans()):
        weight = draw(st.sampled_from([0, 1, 3] if not real else [0.0, 0.3, 2.5]))
        return rm.Energy(unary, prior, weight)
    edges = [(i, j) for i in range(variables) for j in range(variables) if i != j]
    chosen = draw(st.lists(st.sampled_from(edges), max_size=6)) if edges else []
    weights = rng.integers(0, 4, len(chosen))
    if real:
        weights = weights * rng.random(len(chosen))
    return rm.Energy(
        unary.reshape(variables, labels),
        prior,
        weights,
        edges=np.array(chosen, dtype=np.int64).reshape(-1, 2),
    )


@st.composite
def starts(draw, energy):
    """A labelling without forbidden labels."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    allowed = np.isfinite(np.asarray(energy.unary, dtype=np.float64))
    return np.where(allowed, rng.random(allowed.shape), -1).argmax(axis=-1).astype(np.int32)
