"""Forbidden differences: +inf at the ends of a prior is never paid, whatever the method."""

import itertools

import numpy as np
import pytest

import rangemoves as rm

METHODS = [method.name for method in rm.methods()]
INF = np.inf


def within(labels, limit):
    """Whether neighbours differ by no more than that."""
    return all(np.abs(np.diff(labels, axis=axis)).max(initial=0) <= limit for axis in (0, 1))


def draw(rng, values, shape=(2, 3), labels=4, real=False, forbid=False, **kwargs):
    unary = rng.integers(0, 20, (*shape, labels)).astype(float)
    if real:
        unary += rng.random(unary.shape)
    if forbid:
        unary[rng.random(unary.shape) < 0.3] = INF
        unary[..., 0] = np.where(np.isinf(unary).all(axis=-1), 1.0, unary[..., 0])
    parts = [(shape[0] - 1, shape[1]), (shape[0], shape[1] - 1)]
    weights = [rng.integers(1, 4, part) for part in parts]
    if real:
        weights = [w * rng.random(w.shape) for w in weights]
    return rm.Energy(unary, rm.TablePrior(values), weights, **kwargs)


def test_energy_is_infinite_beyond_the_limits():
    energy = rm.Energy(np.zeros((1, 2, 3)), rm.TablePrior([0, 1, INF]), 5)
    assert energy.has_forbidden_differences
    assert energy([[0, 1]]) == 5
    assert energy([[0, 2]]) == INF
    assert rm.testing.reference_energy(energy, [[2, 0]]) == INF
    # Without a weight nothing is forbidden.
    assert rm.Energy(np.zeros((1, 2, 3)), rm.TablePrior([0, 1, INF]), 0)([[0, 2]]) == 0


CONVEX = [[0, 1, INF, INF], [0, 1, 3, INF], [INF, INF, 1, 0, 0, 1, INF], [0, INF, INF, INF]]
ROBUST = [[0, 1, 1, INF], [INF, 3, 3, 0, 2, 2, INF]]


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("values", CONVEX + ROBUST, ids=str)
def test_no_method_breaks_them(values, real):
    rng = np.random.default_rng(1)
    tried = set()
    for number in range(3):
        factor = 0.37 if real else 1
        energy = draw(rng, np.array(values) * factor, real=real, forbid=number == 2)
        _, best = rm.testing.brute_force(energy)
        if not np.isfinite(best):
            with pytest.raises(ValueError, match="found none"):
                rm.minimize(energy)
            continue
        slack = 1e-9 * abs(best) if real else 0
        for method in METHODS:
            row = rm.methods()[METHODS.index(method)]
            if row.refusal(energy) is not None:
                continue
            tried.add(method)
            result = rm.minimize(energy, method, bound=method in ("gswap", "swap"))
            assert np.isfinite(energy(result.labels))
            assert result.energy >= best - slack
            if result.lower_bound is not None:
                assert result.lower_bound <= best + 1e-12 * abs(best)
            convex = values in CONVEX and method in ("ishikawa", "gswap", "gswapf", "irgc")
            if convex or result.status == "optimal":
                assert result.energy <= best + slack, method
    assert {"gswap", "expansion", "swap", "trws", "best", "rexp"} <= tried
    assert ("ishikawa" in tried) == (values in CONVEX)


@pytest.mark.parametrize("method", ["gswapf", "irgc", "irgc+expansion"])
def test_methods_that_leave_edges_out_refuse_them(method):
    energy = draw(np.random.default_rng(0), [0, 1, 1, INF])
    with pytest.raises(ValueError, match="cannot minimise this energy"):
        rm.minimize(energy, method)
    convex = draw(np.random.default_rng(0), [0, 1, 2, INF])
    assert rm.minimize(convex, method).status == "optimal"


def test_a_slope_limit_on_an_image():
    rng = np.random.default_rng(3)
    truth = np.minimum(np.arange(30) // 2, 9)[None, :] + np.zeros((20, 1), int)
    noisy = np.clip(truth + rng.integers(-4, 5, truth.shape), 0, 15)
    unary = np.abs(noisy[..., None] - np.arange(16))
    energy = rm.Energy(unary, rm.TablePrior([0, 0] + [INF] * 14))
    result = rm.minimize(energy, "ishikawa")
    assert result.status == "optimal"
    assert within(result.labels, 1)
    free = rm.Energy(unary, rm.TablePrior([0] * 16))
    assert not within(rm.minimize(free, "ishikawa").labels, 1)
    assert rm.minimize(energy, "gswap").energy == result.energy
    assert rm.minimize(energy, "ishikawa", engine="reference").energy == result.energy
    assert rm.estimate_memory(energy, "ishikawa") > 0


def test_starts_keep_to_them():
    unary = np.zeros((1, 4, 6))
    unary[0, 2, :4] = INF
    energy = rm.Energy(unary, rm.TablePrior([0, 1, INF, INF, INF, INF]))
    start = rm.minimize(energy, max_iter=0).labels
    np.testing.assert_array_equal(start, [[2, 3, 4, 3]])
    with pytest.raises(ValueError, match=r"init must keep to the differences.*between \(0, 1\)"):
        rm.minimize(energy, init=[[3, 2, 4, 4]])
    unary[0, 0, 1:] = INF
    with pytest.raises(ValueError, match="found none: variable"):
        rm.minimize(rm.Energy(unary, rm.TablePrior([0, 1, INF, INF, INF, INF])))


def test_offsets_move_the_limits():
    rng = np.random.default_rng(5)
    wide = [INF, INF, INF, INF, 1, 0, 1, INF, INF, INF, INF]
    unary = rng.integers(0, 9, (1, 4, 5))
    offsets = [np.zeros((0, 4), int), [[1, -1, 1]]]
    energy = rm.Energy(unary, rm.TablePrior(wide), offsets=offsets)
    labels, best = rm.testing.brute_force(energy)
    for method in ("ishikawa", "gswap", "best", "trws"):
        result = rm.minimize(energy, method)
        assert np.isfinite(result.energy)
        assert result.energy == best or method == "trws"
    always = rm.Energy(unary, rm.TablePrior(wide), offsets=[0, -1])
    assert np.isfinite(rm.minimize(always).energy)
    assert labels.shape == (1, 4)


def test_a_lowest_start_is_found_wherever_there_is_one():
    rng = np.random.default_rng(7)
    found = 0
    for _ in range(40):
        unary = np.where(rng.random((4, 4)) < 0.5, INF, 0.0)
        unary[np.arange(4), rng.integers(0, 4, 4)] = 0
        values = np.full(11, INF)
        values[5 - rng.integers(0, 2) : 6 + rng.integers(0, 2)] = 0
        edges = [[0, 1], [1, 2], [3, 2], [3, 0]]
        offsets = rng.integers(-2, 3, 4)
        energy = rm.Energy(unary, rm.TablePrior(values), edges=edges, offsets=offsets)
        allowed = [x for x in itertools.product(range(4), repeat=4) if np.isfinite(energy(x))]
        if not allowed:
            with pytest.raises(ValueError, match="found none"):
                rm.minimize(energy, max_iter=0)
            continue
        found += 1
        lowest = np.min(allowed, axis=0)
        np.testing.assert_array_equal(rm.minimize(energy, max_iter=0).labels, lowest)
    assert 5 < found < 40


@pytest.mark.parametrize("method", ["gswap", "trws", "best"])
def test_a_huge_cost_elsewhere_takes_no_precision_from_them(method):
    # The price of a forbidden difference counts what can be saved by it, not what any label costs.
    rng = np.random.default_rng(0)
    unary = rng.random((6, 5))
    unary[0, 2] = 1e10  # no label of an edge with limits
    energy = rm.Energy(
        unary,
        [rm.TablePrior([0, 0.7, INF, INF, INF]), rm.TruncatedLinear(2)],
        rng.random(5) * 3,
        edges=[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]],
        prior_index=[1, 0, 0, 0, 0],
    )
    result = rm.minimize(energy, method, bound=True)
    assert result.status == "optimal"
    assert result.gap < 1e-10
    assert result.energy == pytest.approx(rm.testing.brute_force(energy)[1], rel=1e-12)
