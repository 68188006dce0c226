"""A prior and an offset per edge: what they cost, and that every method keeps its promises."""

import itertools
import math
import pickle

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.active_set import active_set
from rangemoves.fixed_point import to_fixed_edges, to_fixed_point
from rangemoves.neighbourhood import grid_offsets

METHODS = [method.name for method in rm.methods()]
TOPOLOGIES = ["grid", "grid-8", "volume", "edges"]
EXACT = ("ishikawa", "gswap", "gswapf", "irgc", "irgc+expansion")


class Case:
    """A random problem, with all that an edge costs as plain Python functions."""

    def __init__(self, rng, topology, kind, real, labels=3):
        shape = {"grid": (2, 3), "grid-8": (2, 3), "volume": (2, 1, 3), "edges": (6,)}[topology]
        connectivity = 8 if topology == "grid-8" else None
        self.labels, self.shape = labels, shape
        reach = labels + 2
        self.functions, priors = [], []
        for _ in range(3):
            prior, function = draw_prior(rng, kind, reach, real)
            priors.append(prior)
            self.functions.append(function)
        unary = rng.integers(-4, 12, (*shape, labels))
        if real:
            unary = unary + rng.random(unary.shape)
        if topology == "edges":
            pairs = np.array([(i, j) for i in range(6) for j in range(6) if i != j])
            edges = pairs[rng.choice(len(pairs), 7, replace=False)]
            parts = [(len(edges),)]
        else:
            steps = grid_offsets(len(shape), connectivity)
            parts = [tuple(n - abs(d) for n, d in zip(shape, s, strict=True)) for s in steps]
            edges = None
        which = [rng.integers(0, 3, part) for part in parts]
        offsets = [rng.integers(-2, 3, part) for part in parts]
        weights = [rng.random(p) * 3 if real else rng.integers(0, 4, p) for p in parts]
        if edges is not None:
            which, offsets, weights = which[0], offsets[0], weights[0]
        self.energy = rm.Energy(
            unary,
            priors,
            weights,
            edges=edges,
            connectivity=connectivity,
            prior_index=which,
            offsets=offsets,
        )
        self.which, self.offsets, self.weights = (
            np.concatenate([np.ravel(part) for part in (given if edges is None else [given])])
            for given in (which, offsets, weights)
        )
        self.unary = unary.reshape(-1, labels)

    def __call__(self, x):
        x = [int(label) for label in np.ravel(x)]
        total = [float(self.unary[i, label]) for i, label in enumerate(x)]
        for e, (i, j) in enumerate(self.energy.edges.tolist()):
            difference = x[i] - x[j] + int(self.offsets[e])
            if self.weights[e] > 0:
                cost = self.functions[self.which[e]](difference)
                total.append(float(self.weights[e]) * cost)
        return math.fsum(total)

    @property
    def magnitude(self):
        costs = np.abs(self.energy.tables).max() * self.energy.weights.sum()
        return float(np.abs(self.unary).max(axis=1).sum() + costs)

    def optimum(self):
        choices = itertools.product(range(self.labels), repeat=math.prod(self.shape))
        return min(self(x) for x in choices)


def draw_prior(rng, kind, reach, real):
    """A prior, and its formula."""
    factor = float(rng.choice([1.0, 0.37, np.pi])) if real else 1.0
    chance = rng.random()
    T = int(rng.integers(1, 4))
    if kind == "convex" and chance < 0.4:
        return rm.Quadratic(), lambda d: d * d
    if kind == "convex" and chance < 0.6:
        return rm.Linear(), abs
    if kind == "robust" and chance < 0.4:
        return rm.TruncatedLinear(T), lambda d: min(abs(d), T)
    if kind == "robust" and chance < 0.7:
        return rm.TruncatedQuadratic(T), lambda d: min(d * d, T * T)
    steps = rng.integers(-5, 6, 2 * reach - 2)
    if kind == "convex":
        steps = np.sort(steps)
    elif kind == "robust":
        right = np.r_[np.sort(rng.integers(0, 5, T)), np.zeros(reach - 1 - T, int)]
        steps = np.r_[-right[::-1], right]
    if kind == "any":
        steps[0] = -1  # a table that only rises could be read in two ways
    values = factor * np.r_[0, np.cumsum(steps)]
    return rm.TablePrior(values), lambda d: float(values[reach - 1 + d])


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_energy_is_the_formula(topology, real):
    rng = np.random.default_rng([3, real])
    for _ in range(20):
        case = Case(rng, topology, "any", real, labels=4)
        x = rng.integers(0, 4, case.shape)
        expected = pytest.approx(case(x), rel=1e-13, abs=1e-13) if real else case(x)
        assert case.energy(x) == expected
        assert rm.testing.reference_energy(case.energy, x) == expected


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("kind", ["convex", "robust", "any"])
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_every_method_keeps_its_promises(topology, kind, real):
    rng = np.random.default_rng([5, TOPOLOGIES.index(topology), real])
    tried = set()
    for number in range(4):
        case = Case(rng, topology, kind, real)
        best, energy = case.optimum(), case.energy
        slack = 1e-9 * case.magnitude if real else 0.0
        start = case(np.zeros(case.shape, int))
        for method in rm.methods():
            if method.refusal(energy) is not None:
                continue
            tried.add(method.name)
            kwargs = {"bound": True} if number % 2 else {}
            result = rm.minimize(energy, method.name, **kwargs)
            value = case(result.labels)
            assert result.energy == (pytest.approx(value, rel=1e-12) if real else value)
            assert best - slack <= result.energy <= start + slack
            trace = [record.energy for record in result.trace]
            assert all(a >= b for a, b in itertools.pairwise(trace))
            if result.lower_bound is not None:
                assert result.lower_bound <= best + 1e-12 * case.magnitude
            if result.status == "optimal" or (kind == "convex" and method.name in EXACT):
                assert result.energy <= best + slack
    assert {"gswap", "expansion", "swap", "trws", "best", "irgc"} <= tried
    if kind == "convex":
        assert {"ishikawa", "gswapf"} <= tried


@pytest.mark.parametrize("surrogate", ["tight", "huber", "chord"])
@pytest.mark.parametrize("engine", ["reference", "dual"])
def test_engines_and_surrogates(engine, surrogate):
    rng = np.random.default_rng(8)
    for _ in range(5):
        case = Case(rng, "grid", "robust", real=False, labels=4)
        result = rm.minimize(case.energy, "gswap", engine=engine, surrogate=surrogate)
        assert result.energy == case(result.labels) <= case(np.zeros(case.shape, int))


def test_grid_forms_of_prior_index_and_offsets():
    unary = np.random.default_rng(0).integers(0, 9, (3, 4, 5))
    priors = [rm.Linear(), rm.Quadratic()]
    down, right = np.zeros((2, 4), int), np.ones((3, 3), int)
    forms = [[0, 1], (0, 1), np.array([0, 1]), [down, right], [0, right]]
    energies = [rm.Energy(unary, priors, 2, prior_index=form) for form in forms]
    x = np.random.default_rng(1).integers(0, 5, (3, 4))
    assert len({energy(x) for energy in energies}) == 1
    assert energies[0].prior == tuple(priors)
    np.testing.assert_array_equal(energies[0].prior_index, [0] * 8 + [1] * 9)
    energies = [rm.Energy(unary, priors[1], offsets=form) for form in (3, [3, 3], [down + 3, 3])]
    assert len({energy(x) for energy in energies}) == 1
    assert (energies[0].offsets == 3).all()
    assert pickle.loads(pickle.dumps(energies[0]))(x) == energies[0](x)


@pytest.mark.parametrize("method", METHODS)
def test_the_same_prior_twice_is_one_prior(method):
    rng = np.random.default_rng(2)
    unary = rng.integers(0, 30, (5, 6, 7))
    weights = [rng.integers(1, 5, (4, 6)), rng.integers(1, 5, (5, 5))]
    plain = rm.Energy(unary, rm.TruncatedLinear(7), weights)
    which = [rng.integers(0, 3, (4, 6)), rng.integers(0, 3, (5, 5))]
    several = rm.Energy(
        unary,
        [rm.TruncatedLinear(7), rm.Linear(), rm.TablePrior(range(7))],
        weights,
        prior_index=which,
    )
    shifted = rm.Energy(unary, rm.TruncatedLinear(7), weights, offsets=0)
    expected = rm.minimize(plain, method)
    for energy in (several, shifted):
        assert energy.tables.shape == (1, 13)
        result = rm.minimize(energy, method)
        np.testing.assert_array_equal(result.labels, expected.labels)
        assert result.energy == expected.energy


def test_an_edge_turned_round_with_the_offset_is_the_same():
    rng = np.random.default_rng(4)
    unary = rng.integers(0, 20, (4, 6))
    edges = np.array([[0, 1], [1, 2], [2, 3], [0, 3]])
    offsets = np.array([1, -2, 0, 3])
    there = rm.Energy(unary, rm.Quadratic(), 2, edges=edges, offsets=offsets)
    back = rm.Energy(unary, rm.Quadratic(), 2, edges=edges[:, ::-1], offsets=-offsets)
    results = [rm.minimize(energy, "ishikawa") for energy in (there, back)]
    assert results[0].energy == results[1].energy


def test_an_offset_moves_what_is_smooth():
    ramp = 3 * np.arange(6)
    unary = np.zeros((1, 6, 20))
    unary[0, 0, 1:] = 5
    energy = rm.Energy(unary, rm.TruncatedQuadratic(2), 4, offsets=3)
    result = rm.minimize(energy)
    np.testing.assert_array_equal(result.labels, [ramp])
    assert result.energy == 0


def test_offsets_beyond_all_labels_leave_a_constant():
    unary = np.random.default_rng(0).integers(0, 9, (2, 3, 4))
    energy = rm.Energy(unary, rm.TruncatedLinear(2), 3, offsets=100)
    for method in METHODS:
        if rm.methods()[METHODS.index(method)].refusal(energy) is None:
            assert rm.minimize(energy, method).energy == unary.min(axis=-1).sum() + 7 * 3 * 2


def test_only_what_an_edge_uses_counts():
    unary = np.random.default_rng(0).integers(0, 9, (2, 2, 4))
    priors = [rm.Linear(), rm.TruncatedLinear(1), rm.TablePrior([0, 1])]
    which = [[[0, 1]], [[0], [2]]]
    weights = [[[2, 0]], [[3], [0]]]
    energy = rm.Energy(unary, priors, weights, prior_index=which)
    assert rm.minimize(energy, "ishikawa").status == "optimal"
    weights[0][0][1] = 1
    with pytest.raises(ValueError, match=r"prior\[1\] = TruncatedLinear\(1\): the prior is convex"):
        rm.minimize(rm.Energy(unary, priors, weights, prior_index=which), "ishikawa")


@pytest.mark.parametrize("method", ["rswap", "rswape", "rexp"])
def test_range_moves_refuse_offsets_beyond_the_convex_range(method):
    unary = np.random.default_rng(0).integers(0, 9, (3, 3, 6))
    offsets = [np.zeros((2, 3), int), np.zeros((3, 2), int)]
    offsets[1][0, 0] = 1
    rm.minimize(rm.Energy(unary, rm.TruncatedQuadratic(2), offsets=offsets), method)
    offsets[1][0, 0] = 3
    energy = rm.Energy(unary, rm.TruncatedQuadratic(2), offsets=offsets)
    with pytest.raises(
        ValueError, match=r"TruncatedQuadratic\(2\) with offset 3: the offset moves"
    ):
        rm.minimize(energy, method)
    assert rm.minimize(energy, "gswap").energy <= energy(np.zeros((3, 3), int))


def test_tables_of_one_energy_share_their_scale():
    rng = np.random.default_rng(0)
    energy = rm.Energy(
        rng.random((4, 5, 6)),
        [rm.Cauchy(2), rm.Huber(1.5)],
        0.7,
        prior_index=[0, 1],
        offsets=[0, 1],
    )
    fixed = to_fixed_point(energy)
    assert fixed.tables.shape == (2, 11)
    least = energy.tables.min(axis=1, keepdims=True)
    rounded = fixed.tables / fixed.scale / 0.7
    np.testing.assert_allclose(rounded, energy.tables - least, atol=1e-9)
    np.testing.assert_array_equal(fixed.centres, [0, -1])


@pytest.mark.parametrize("prior", [rm.Cauchy(2), rm.Huber(1.7), rm.Linear()], ids=repr)
def test_few_edges_with_real_weights_lose_nothing(prior):
    rng = np.random.default_rng(1)
    unary = rng.random((6, 7, 8))
    energy = rm.Energy(unary, prior, [rng.random((5, 7)), rng.random((6, 6))])
    fixed = to_fixed_point(energy)
    assert fixed.tables.shape[0] == energy.num_edges
    assert (fixed.weights == 1).all()
    assert fixed.rounding_error < 1e-12 * fixed.size
    signs = np.sign(np.diff(fixed.tables, 2))
    steps = np.diff(energy.table, 2)
    expected = np.sign(np.where(abs(steps) < 1e-12, 0, steps))
    assert (signs == expected).all()


def test_exact_integers_keep_their_weights():
    rng = np.random.default_rng(1)
    weights = [rng.integers(1, 9, (5, 7)), rng.integers(1, 9, (6, 6))]
    for unary in (rng.integers(0, 9, (6, 7, 8)), rng.integers(0, 9, (6, 7, 8)) / 4):
        fixed = to_fixed_edges(rm.Energy(unary, rm.Quadratic(), weights))
        assert fixed.tables.shape[0] == 1
        assert fixed.rounding_error == 0


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"prior": [rm.Linear(), 3], "prior_index": 0}, TypeError, "prior[1] must be a Prior"),
        ({"prior": [rm.Linear()] * 2}, ValueError, "prior_index must say which edge"),
        ({"prior_index": [0, 1]}, ValueError, "prior_index[1] must name one of the priors, 0 .. 0"),
        ({"prior_index": [0, -1]}, ValueError, "prior_index[1] must name one of the priors"),
        ({"prior_index": [0, 0.0]}, TypeError, "prior_index[1] must be integers"),
        ({"prior_index": [0, 0, 0]}, ValueError, "found 3 arrays"),
        ({"prior_index": np.zeros((2, 3), int)}, ValueError, "found one array of shape (2, 3)"),
        ({"offsets": [[0, 0], 1]}, ValueError, "offsets[0] must have shape (1, 3)"),
        ({"offsets": 0.5}, TypeError, "offsets must be integers"),
        ({"offsets": True}, TypeError, "offsets must be integers"),
        ({"offsets": 2**31}, ValueError, "offsets must shift differences of labels"),
        ({"offsets": 1, "prior": rm.TablePrior([0, 1, 2, 3])}, ValueError, "at least 5 values"),
        ({"offsets": 1, "prior": rm.TablePrior(range(11))}, ValueError, "which value is g(0)"),
        ({"offsets": 9, "prior": rm.TablePrior([0] + [np.inf] * 12)}, ValueError, "leave a diff"),
    ],
)
def test_what_is_wrong_is_said(arguments, error, words):
    prior = arguments.pop("prior", rm.Linear())
    with pytest.raises(error) as caught:
        rm.Energy(np.zeros((2, 3, 4)), prior, **arguments)
    assert words in str(caught.value)


def test_tables_of_the_widest_offset_serve_all():
    unary = np.zeros((3, 4))
    edges = [[0, 1], [1, 2]]
    for prior in (rm.TablePrior(range(6)), rm.TablePrior(np.abs(np.arange(-5, 6)))):
        energy = rm.Energy(unary, prior, edges=edges, offsets=[2, -1])
        assert energy([0, 3, 0]) == abs(-3 + 2) + abs(3 - 1)
    with pytest.raises(ValueError, match="2 kinds of edges"):
        _ = energy.table


@pytest.mark.parametrize("method", METHODS)
def test_memory_is_enough_where_it_was_estimated(method):
    rng = np.random.default_rng(0)
    unary = rng.random((20, 25, 8))
    weights = [rng.random((19, 25)), rng.random((20, 24))]
    convex = rm.Energy(unary, [rm.Huber(1.5), rm.Linear()], weights, prior_index=[0, 1])
    offsets = [rng.integers(-1, 2, weight.shape) for weight in weights]
    robust = rm.Energy(unary, rm.TruncatedQuadratic(3), 0.3, offsets=offsets)
    for energy in (convex, robust):
        if rm.methods()[METHODS.index(method)].refusal(energy) is None:
            needed = rm.estimate_memory(energy, method)
            result = rm.minimize(energy, method, max_iter=2, max_memory=needed)
            assert np.isfinite(result.energy)


def test_the_range_of_a_prior_moves_with_its_offset():
    """By the formula: g(d + 3) of a Cauchy prior with T = 2 is convex from -5 to -1."""
    unary = np.zeros((1, 2, 10))
    energy = rm.Energy(unary, rm.Cauchy(2), offsets=3)
    assert energy.kinds.ranges.tolist() == [[5, -1]]
    for difference in range(-9, 10):
        labels = [[max(difference, 0), max(-difference, 0)]]
        active = active_set(energy, labels, convex_range="prior")
        assert active.all() == (-5 <= difference <= -1)
