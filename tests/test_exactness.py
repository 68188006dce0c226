"""Exact means exact: what once went wrong on some processor, number type or size."""

import contextlib
import itertools
import subprocess
import sys
import time

import numpy as np
import pytest
from oracles import best_energy, size, solve

import rangemoves as rm

WIDTHS = [("RANGEMOVES_LANES", lanes) for lanes in ("4", "8", "16", "32")]
WIDTHS += [("RANGEMOVES_SIMD", "")]  # the best that this machine has


@pytest.fixture(params=WIDTHS, ids=lambda width: width[1] or "best")
def width(request, monkeypatch):
    monkeypatch.setenv(*request.param)


def chain_optimum(energy):
    """The least energy of a chain, label by label along it."""
    costs = energy.unary.reshape(energy.num_variables, -1).astype(float)
    labels = np.arange(energy.num_labels)
    g = energy.table[energy.num_labels - 1 + labels[:, None] - labels]
    best = costs[0]
    for weight, cost in zip(energy.weights, costs[1:], strict=True):
        best = (best[:, None] + weight * g).min(axis=0) + cost
    return best.min()


@pytest.mark.usefixtures("width")
@pytest.mark.parametrize(("length", "weight"), [(500, 1), (20, 5)])
def test_long_chains_of_two_labels(length, weight):
    unary = np.random.default_rng(0).random((1, length, 2))
    energy = rm.Energy(unary, rm.TruncatedLinear(1), weight)
    result = solve(energy)
    assert result.status == "optimal"
    assert abs(result.energy - chain_optimum(energy)) < 1e-9 * size(energy)


@pytest.mark.usefixtures("width")
def test_a_heavy_edge_between_two_labels():
    unary = [[105298, 329091], [40666, 199835]]
    energy = rm.Energy(unary, rm.TruncatedLinear(1), [22206180], edges=[[0, 1]])
    assert solve(energy).energy == 145964


@pytest.mark.usefixtures("width")
@pytest.mark.parametrize("offset", [-(10**7), 10**7])
def test_a_prior_far_from_zero(offset):
    table = rm.TablePrior([offset + 10000, offset, offset + 10000])
    energy = rm.Energy([[1, 0], [0, 0]], table, [4], edges=[[0, 1]])
    for method in ("gswapf", "gswap", "trws", "best"):
        result = solve(energy, method, init="argmin", bound=True)
        assert result.energy == 4 * offset
    triangle = rm.Energy(
        [[18, 10], [3, 5], [1, 23]],
        rm.TablePrior([offset, offset + 5, offset + 11]),
        3,
        edges=[[0, 1], [1, 2], [2, 0]],
    )
    assert solve(triangle, "gswap", bound=True).energy >= best_energy(triangle)


@pytest.mark.usefixtures("width")
@pytest.mark.parametrize("seed", range(6))
def test_range_swaps_of_large_costs(seed):
    rng = np.random.default_rng(seed)
    unary = rng.integers(-(2**20), 2**20, (3, 3, 4))
    energy = rm.Energy(unary, rm.TruncatedQuadratic(2), int(rng.integers(1, 2**18)))
    results = [
        solve(energy, "rswap", engine=engine, init="argmin") for engine in ("dual", "reference")
    ]
    assert results[0].energy == results[1].energy


@pytest.mark.parametrize("weight", [0.1, 0.3, 0.8])
@pytest.mark.parametrize("prior", [rm.Linear(), rm.Huber(1), rm.Huber(2), rm.Quadratic()], ids=repr)
def test_one_real_weight_leaves_a_convex_prior_convex(prior, weight):
    rng = np.random.default_rng(1)
    for _ in range(20):
        energy = rm.Energy(rng.random((2, 3, 3)), prior, weight)
        result = solve(energy, "ishikawa")
        assert result.status == "optimal"
        assert result.energy - best_energy(energy) <= 1e-9 * size(energy)


def test_one_real_weight_leaves_a_flat_prior_flat():
    rng = np.random.default_rng(2)
    for _ in range(50):
        unary = rng.random((6, 6, 8))
        energy = rm.Energy(unary, rm.TruncatedLinear(4), 0.8)
        tenfold = rm.Energy(10 * unary, rm.TruncatedLinear(4), 8)
        one, ten = (solve(e, "gswapf") for e in (energy, tenfold))
        np.testing.assert_array_equal(one.labels, ten.labels)
        assert solve(energy).energy == pytest.approx(solve(tenfold).energy / 10, rel=1e-12)


@pytest.mark.parametrize("dtype", [float, int])
def test_one_huge_cost_changes_nothing_else(dtype):
    unary = (np.random.default_rng(3).random((20, 20, 6)) * 1000).astype(dtype)
    weight = 250
    plain = rm.Energy(unary, rm.TruncatedLinear(2), weight)
    unary[3, 4, 2] = 10**10
    huge = rm.Energy(unary, rm.TruncatedLinear(2), weight)
    for method in ("gswap", "gswapf", "trws"):
        one, other = solve(plain, method, bound=True), solve(huge, method, bound=True)
        assert other.energy <= one.energy * 1.0001
        assert one.labels[3, 4] != 2 or other.energy >= one.energy
        assert other.status != "optimal" or other.energy - other.lower_bound <= 1e-6 * size(huge)


def test_a_cost_that_nobody_pays_may_be_anything():
    unary = np.random.default_rng(4).random((2, 3, 3))
    for huge in (1e3, 1e9, 1e100, 1e300):
        unary[1, 1, 2] = huge
        energy = rm.Energy(unary, rm.TruncatedLinear(2), 0.25)
        result = solve(energy, "best")
        assert result.status == "optimal"
        assert result.energy - best_energy(energy) <= 1e-9 * size(energy)


def star_optimum(energy):
    costs = energy.unary.astype(float)
    labels = np.arange(energy.num_labels)
    g = energy.table[energy.num_labels - 1 + labels[:, None] - labels]
    leaves = (costs[1:, None, :] + energy.weights[:, None, None] * g).min(axis=2).sum(axis=0)
    return (costs[0] + leaves).min()


@pytest.mark.parametrize("leaves", [33_000, 66_000])
@pytest.mark.parametrize("real", [False, True])
def test_hubs(leaves, real):
    rng = np.random.default_rng(5)
    unary = rng.integers(0, 10, (leaves + 1, 4)) + (rng.random((leaves + 1, 4)) if real else 0)
    edges = np.stack([np.zeros(leaves, int), np.arange(1, leaves + 1)], axis=1)
    energy = rm.Energy(unary, rm.Linear(), 0.37 if real else 3, edges=edges)
    optimum = star_optimum(energy)
    for method, options in (
        ("gswap", {}),
        ("ishikawa", {}),
        ("ishikawa", {"engine": "reference"}),
        ("best", {}),
        ("trws", {}),
        ("rswap", {"max_iter": 3}),
        ("expansion", {"threads": 2}),
    ):
        begin = time.process_time()
        result = solve(energy, method, **options)
        # No method looks at all leaves again and again: that would take many seconds.
        assert time.process_time() - begin < 2.5
        if method not in ("rswap", "expansion"):
            assert result.status == "optimal"
            assert result.energy - optimum <= 1e-9 * size(energy)


@pytest.mark.parametrize("magnitude", [1e-310, 1e-305, 1e-300, 1e-200, 1e200, 1e279, 1e300])
def test_costs_near_the_ends_of_float64(magnitude):
    rng = np.random.default_rng(6)
    for _ in range(5):
        unary, weights = rng.random((2, 3, 3)), [rng.random((1, 3)), rng.random((2, 2))]
        energy = rm.Energy(unary * magnitude, rm.Linear(), [w * magnitude for w in weights])
        rm.estimate_memory(energy)
        for method in ("ishikawa", "best"):
            result = rm.minimize(energy, method)
            assert result.status == "optimal"
            assert result.energy - best_energy(energy) <= max(1e-9 * size(energy), 1e-322)
            assert result.lower_bound <= best_energy(energy) + 1e-322


def test_long_doubles_beyond_float64_are_refused():
    unary = np.zeros((1, 2, 2), np.longdouble)
    unary[0, 1, 1] = np.longdouble("1e4000")
    if not np.isfinite(unary).all():
        pytest.skip("long double is float64 on this machine")
    with pytest.raises(OverflowError, match=r"unary must fit float64; .*first at \(0, 1, 1\)"):
        rm.Energy(unary, rm.Linear())


@pytest.mark.parametrize("method", ["trws", "best", "gswap"])
def test_large_integers_have_bounds_too(method):
    rng = np.random.default_rng(7)
    energy = rm.Energy(rng.integers(0, 2**27, (3, 4, 3)), rm.TruncatedLinear(2), 2**21)
    result = solve(energy, method, bound=True)
    assert result.lower_bound is not None
    assert result.lower_bound <= best_energy(energy) <= result.energy


def test_masks_that_would_be_lost_are_refused():
    with pytest.raises(TypeError, match="weights must be a plain array"):
        rm.Energy(np.zeros((2, 2)), rm.Linear(), np.ma.array([1]), edges=[[0, 1]])
    energy = rm.Energy(np.zeros((2, 2)), rm.Linear(), edges=[[0, 1]])
    with pytest.raises(TypeError, match="labels must be a plain array"):
        energy(np.ma.array([0, 1]))
    rows = [np.ma.array([0.0, 1.0], mask=[True, False]), np.array([1.0, 0.0])]
    for lists in (rows, tuple(rows), [[0.0, np.ma.masked], [1.0, 0.0]]):
        with pytest.raises(TypeError, match=r"unary must be a plain array.*np\.ma\.stack"):
            rm.Energy(lists, rm.Linear(), edges=[[0, 1]])
    stacked = rm.Energy(np.ma.stack(rows), rm.Linear(), edges=[[0, 1]])
    assert rm.minimize(stacked).labels[0] == 1


def test_lanes_that_there_are_not_are_refused():
    code = "import rangemoves as rm; rm.minimize(rm.Energy([[[0, 1]]], rm.Linear()))"
    for variables, message in (
        ({"RANGEMOVES_LANES": "5"}, "RANGEMOVES_LANES must be one of 4, 8, 16, 32; found 5"),
        ({"RANGEMOVES_LANES": "8", "RANGEMOVES_SIMD": "avx2"}, "leave one out"),
    ):
        run = subprocess.run(
            [sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False
        )
        assert message in run.stderr


# What the fuzzer found while this was made.


def test_a_variable_without_edges_takes_its_cheapest_label():
    unary = [
        [[3e-3, 1.4e-5], [-1.2e-5, 4.4e-6]],
        [[19.0, -4.7], [1.3e-7, 6.3]],
    ]
    weights = [np.array([[0.0, 5.0]]), np.array([[2.0], [0.0]])]
    energy = rm.Energy(unary, rm.Linear(), weights)
    for method in ("gswap", "ishikawa", "trws", "best"):
        result = solve(energy, method, bound=True)
        assert result.status == "optimal"
        assert result.labels[1, 0] == 1


@pytest.mark.parametrize("method", ["rswap", "swap", "rswape"])
def test_of_two_labels_that_cost_too_much_the_cheaper_one_is_better(method):
    # All but one label of each variable are dominated, and moves reach neighbouring labels only.
    unary = np.random.default_rng(9).permuted(np.arange(4)[None] * 10**9 * np.ones((9, 1)), axis=1)
    energy = rm.Energy(
        unary.reshape(3, 3, 4).astype(np.int64), rm.TablePrior([10**6, 10**6 + 1] + [10**6 + 1] * 2)
    )
    result = solve(energy, method)
    for x in np.ndindex(3, 3):
        for label in (result.labels[x] - 1, result.labels[x] + 1):
            changed = result.labels.copy()
            if 0 <= label < 4:
                changed[x] = label
                assert energy(changed) >= result.energy


def test_a_prior_that_is_constant_costs_no_precision():
    unary = np.random.default_rng(10).random((3, 3, 2))
    energy = rm.Energy(unary * 1e119, rm.TablePrior([3141.6, 3141.6]), 1e120)
    result = solve(energy, "ishikawa")
    np.testing.assert_array_equal(result.labels, unary.argmin(axis=-1))


def test_reweighting_a_prior_that_is_not_concave_beyond_does_not_overflow():
    rng = np.random.default_rng(11)
    for _ in range(20):
        table = rm.TablePrior(1000 + rng.integers(-5, 8, 59) / 1000)
        energy = rm.Energy(rng.random((1, 40, 30)), table, 2)
        for method in ("irgc", "irgc+expansion"):
            solve(energy, method)


def test_huge_costs_beside_light_edges():
    unary = np.random.default_rng(12).random((2, 2, 2)) * 1e179
    weights = [np.array([[0.18, 0.215]]), np.array([[42654.8], [877.2]])]
    energy = rm.Energy(unary, rm.TablePrior([100000.0, 70000.0, 100000.0]), weights)
    np.testing.assert_array_equal(solve(energy, "best").labels, unary.argmin(axis=-1))


@pytest.mark.parametrize("method", ["gswap", "gswapf"])
def test_moves_up_to_a_threshold_below_one_are_not_all_there_are(method):
    # With two labels every prior is convex, but moves up to T = 0.9 leave out edges that differ.
    unary = np.array([[-3.0, -4.0], [-4.0, -3.0], [-3.0, -4.0], [-4.0, -3.0]])
    edges = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]]
    energy = rm.Energy(unary, rm.TruncatedLinear(0.9), [6, 5, 6, 5, 4], edges=edges)
    optimum = best_energy(energy)
    for start in itertools.product((0, 1), repeat=4):
        result = rm.minimize(energy, method, convex_range="prior", init=np.array(start))
        assert result.status != "optimal" or result.energy == pytest.approx(optimum, abs=1e-9)
        assert result.lower_bound is None or result.lower_bound <= optimum + 1e-9
    assert rm.minimize(energy, method, init=np.array(start)).energy == pytest.approx(optimum)


# What a hostile tester found later.


@pytest.mark.parametrize("weight", [0, 1, 0.5, 2**31])
def test_int64_costs_further_apart_than_int64_reaches(weight):
    ends = np.iinfo(np.int64)
    rng = np.random.default_rng(13)
    unary = rng.integers(ends.min, ends.max, (2, 2, 3), endpoint=True)
    unary[0, 0] = ends.max, ends.min, 0
    energy = rm.Energy(unary, rm.Linear(), weight)
    for method in ("gswap", "best"):
        result = solve(energy, method, bound=True)
        np.testing.assert_array_equal(result.labels, unary.argmin(axis=-1))


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("threshold", [5e-324, 1e-308, 1e-160, 1e-9, 1e8, 1e155, 1.7e308])
@pytest.mark.parametrize(
    "prior", [rm.TruncatedLinear, rm.TruncatedQuadratic, rm.Huber, rm.Cauchy], ids=repr
)
def test_thresholds_of_any_size(prior, threshold, real):
    unary = np.random.default_rng(14).integers(0, 20, (2, 3, 3)) * (0.37 if real else 1)
    energy = rm.Energy(unary, prior(threshold), 0.3 if real else 3)
    for method in ("gswap", "gswapf", "best", "expansion"):
        result = solve(energy, method, bound=True)
        if method != "expansion":
            assert result.status == "optimal"
            assert result.energy - best_energy(energy) <= 1e-9 * size(energy)


def test_an_edge_too_light_for_its_costs_forbids_all_the_same():
    unary = np.random.default_rng(15).random((2, 3, 4))
    for scale, weight in ((1.0, 1.0), (1e300, 5e-324), (1e-300, 1e300)):
        for prior in (rm.TablePrior([0, 1, np.inf, np.inf]), rm.TablePrior([0, 0, np.inf, np.inf])):
            energy = rm.Energy(unary * scale, prior, weight)
            result = rm.minimize(energy, "best")
            assert result.status == "optimal"
            assert result.energy == pytest.approx(best_energy(energy), rel=1e-9)


@pytest.mark.parametrize("weight", [2.0**-600, 1e-200, 2.0**600, 1e300])
def test_integers_beside_weights_of_any_size(weight):
    unary = np.random.default_rng(17).integers(0, 30, (2, 3, 4))
    for prior in (rm.TruncatedLinear(2), rm.TruncatedLinear(0.5)):
        energy = rm.Energy(unary, prior, weight)
        if weight > 1 and prior.threshold == 2:
            with pytest.raises(OverflowError, match="exact integer sums"):
                rm.minimize(energy, "best")
            continue
        said = pytest.warns(rm.PrecisionWarning) if weight > 1 else contextlib.nullcontext()
        with said:
            result = solve(energy, "best")
        assert result.status == "optimal"
        assert result.energy - best_energy(energy) <= 1e-9 * size(energy)


def test_weights_of_two_sizes_too_light_for_the_costs():
    unary = np.random.default_rng(16).random((2, 3, 4)) * 1e300
    weights = [np.full((1, 3), 5e-324), np.full((2, 2), 1e-323)]
    result = solve(rm.Energy(unary, rm.TruncatedLinear(2), weights), "best")
    np.testing.assert_array_equal(result.labels, unary.argmin(axis=-1))


@pytest.mark.parametrize("weights", [[3.0, 0.0, 3.0], [3.0, 1.0, 3.0]])
def test_edges_that_only_forbid_cost_what_they_cost(weights):
    # All allowed differences cost -1. Only where they cost nothing may a weight be chosen.
    prior = rm.TablePrior([np.inf] * 6 + [-1.0] * 3 + [np.inf] * 6)
    unary = np.full((1, 4, 8), 1e6, np.float32)
    energy = rm.Energy(unary, prior, [np.zeros((0, 4)), np.array([weights])])
    result = solve(energy, "swap")
    assert result.energy == 4e6 - sum(weights)
    assert {record.energy for record in result.trace} == {result.energy}
    assert solve(energy, "trws").lower_bound == result.energy


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.float64])
@pytest.mark.parametrize("method", ["auto", "gswap", "rswap", "trws", "best"])
@pytest.mark.parametrize("seed", [21, 44, 51])
def test_energies_beyond_what_float64_counts(seed, method, dtype):
    # The start is a few units above the optimum, and float64 shows every fourth.
    rng = np.random.default_rng(seed)
    costs, weights = rng.integers(0, 9, (5, 3)), rng.integers(1, 4, 4)
    edges = np.array([[4, 2], [0, 4], [1, 2], [2, 3]])
    labels = np.array(list(itertools.product(range(3), repeat=5)))
    jumps = np.abs(labels[:, edges[:, 0]] - labels[:, edges[:, 1]])
    energies = costs[np.arange(5), labels].sum(axis=1) + jumps @ weights
    energy = rm.Energy((costs + 2**52).astype(dtype), rm.Linear(), weights, edges=edges)
    result = rm.minimize(energy, method)  # the oracles add up in float64
    assert energies[(labels == result.labels).all(axis=1)] == energies.min()
    assert result.energy == float(5 * 2**52 + int(energies.min()))
    assert method == "rswap" or (result.status, result.gap) == ("optimal", 0)
