"""Masks: what is left out has no cost, no edge and label -1; the rest is the problem without it."""

import itertools

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.active_set import active_set, is_maximal, satisfies_criterion
from rangemoves.cropped import crop
from rangemoves.neighbourhood import grid_offsets

METHODS = [method.name for method in rm.methods()]
RNG = np.random.default_rng(6)


def draw(rng, shape, labels, connectivity=None, real=False, prior=None):
    """A masked problem, and the same as a list of edges over the variables that take part."""
    unary = rng.integers(0, 20, (*shape, labels)).astype(float)
    if real:
        unary += rng.random(unary.shape)
    mask = rng.random(shape) < 0.7
    mask.reshape(-1)[0] = True
    unary[~mask] = np.nan
    prior = rm.TruncatedQuadratic(2) if prior is None else prior
    weights = [rng.integers(1, 4, part) for part in edge_shapes(shape, connectivity)]
    masked = rm.Energy(unary, prior, weights, mask=mask, connectivity=connectivity)
    whole = rm.Energy(np.zeros_like(unary), prior, weights, connectivity=connectivity)
    place = np.full(mask.size, -1)
    place[mask.reshape(-1)] = np.arange(mask.sum())
    pairs = place[whole.edges]
    inside = (pairs >= 0).all(axis=1)
    plain = rm.Energy(unary[mask], prior, whole.weights[inside], edges=pairs[inside].reshape(-1, 2))
    return masked, plain, mask


def edge_shapes(shape, connectivity):
    steps = grid_offsets(len(shape), connectivity)
    return [tuple(n - abs(d) for n, d in zip(shape, step, strict=True)) for step in steps]


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize(
    ("shape", "connectivity"), [((3, 4), None), ((3, 4), 8), ((2, 2, 3), None), ((1, 9), None)]
)
def test_a_masked_grid_is_the_graph_of_the_rest(shape, connectivity, real):
    rng = np.random.default_rng([1, real])
    for _ in range(3):
        masked, plain, mask = draw(rng, shape, 4, connectivity, real)
        assert masked.num_edges == plain.num_edges
        labels = np.where(mask, rng.integers(0, 4, shape), -1)
        assert masked(labels) == pytest.approx(plain(labels[mask]), rel=1e-13)
        assert rm.testing.reference_energy(masked, labels) == pytest.approx(masked(labels))
        for method in METHODS:
            result = rm.minimize(masked, method) if suits(masked, method) else None
            if result is None:
                continue
            assert result.labels.dtype == np.int32
            np.testing.assert_array_equal(result.labels == -1, ~mask)
            assert result.energy == masked(result.labels)
            assert result.energy == pytest.approx(plain(result.labels[mask]), rel=1e-13)


def suits(energy, name):
    return rm.methods()[METHODS.index(name)].refusal(energy) is None


@pytest.mark.parametrize("real", [False, True])
def test_exact_methods_find_the_same_energy(real):
    rng = np.random.default_rng(2)
    for prior in (rm.Linear(), rm.Huber(2), rm.Quadratic()):
        masked, plain, _ = draw(rng, (5, 6), 7, real=real, prior=prior)
        for method in ("ishikawa", "gswap", "gswapf", "irgc"):
            found, expected = (rm.minimize(energy, method) for energy in (masked, plain))
            assert found.energy == pytest.approx(expected.energy, rel=1e-12)
            assert found.lower_bound == pytest.approx(expected.lower_bound, rel=1e-9)


def test_the_best_of_all_labellings():
    rng = np.random.default_rng(3)
    masked, plain, mask = draw(rng, (2, 3), 3)
    labels, value = rm.testing.brute_force(masked)
    assert value == rm.testing.brute_force(plain)[1]
    np.testing.assert_array_equal(labels == -1, ~mask)
    assert len(list(rm.testing.all_labellings(masked))) == 3 ** mask.sum()
    assert rm.minimize(masked, "best").energy == value


@pytest.mark.parametrize("method", METHODS)
def test_a_mask_that_is_all_true_is_none(method):
    unary = RNG.integers(0, 20, (4, 5, 6))
    energies = [
        rm.Energy(unary, rm.TruncatedLinear(6), 2),
        rm.Energy(unary, rm.TruncatedLinear(6), 2, mask=np.ones((4, 5), bool)),
        rm.Energy(np.ma.array(unary), rm.TruncatedLinear(6), 2),
        rm.Energy(np.ma.array(unary, mask=np.zeros_like(unary, bool)), rm.TruncatedLinear(6), 2),
    ]
    results = [rm.minimize(energy, method) for energy in energies]
    assert all(energy.mask is None for energy in energies)
    for result in results[1:]:
        np.testing.assert_array_equal(result.labels, results[0].labels)
        assert result.energy == results[0].energy


def test_masked_arrays_leave_out_and_forbid():
    unary = RNG.integers(0, 20, (3, 4, 5))
    hidden = np.zeros(unary.shape, bool)
    hidden[0, 1] = True
    hidden[1, 2, :3] = True
    costs = np.ma.array(unary, mask=hidden)
    energy = rm.Energy(costs, rm.Linear(), 3)
    np.testing.assert_array_equal(energy.mask, ~hidden.all(axis=-1))
    assert energy.has_forbidden_labels
    result = rm.minimize(energy, "ishikawa")
    assert result.labels[0, 1] == -1
    assert result.labels[1, 2] >= 3
    assert result.status == "optimal"
    assert result.rounding_error == 0
    expected = np.where(hidden, np.inf, unary)
    expected[0, 1] = 0
    other = rm.Energy(expected, rm.Linear(), 3, mask=~hidden.all(axis=-1))
    assert rm.minimize(other, "ishikawa").energy == result.energy
    both = rm.Energy(costs, rm.Linear(), 3, mask=np.arange(12).reshape(3, 4) != 7)
    assert (~both.mask).sum() == 2
    assert hidden.sum() == 8  # nothing of the caller's has changed
    np.testing.assert_array_equal(costs.mask, hidden)


def test_masked_costs_of_any_kind_do_not_matter():
    unary = RNG.random((3, 4, 5))
    mask = np.ones((3, 4), bool)
    mask[1, 1] = mask[2, 3] = False
    values = []
    for left_out in (0.0, np.nan, np.inf, -np.inf, 1e300):
        costs = unary.copy()
        costs[~mask] = left_out
        for copy in (True, False):
            before = costs.copy()
            energy = rm.Energy(costs, rm.Cauchy(2), 0.3, mask=mask, copy=copy)
            result = rm.minimize(energy, "gswap")
            values.append((result.energy, result.labels.tobytes(), result.scale))
            np.testing.assert_array_equal(costs, before)
    assert len(set(values)) == 1


def test_starts_and_results_have_minus_one_where_the_mask_is_false():
    masked, _, mask = draw(np.random.default_rng(4), (5, 6), 7)
    first = rm.minimize(masked, "gswap")
    again = rm.minimize(masked, "swap", init=first)
    assert again.energy <= first.energy
    start = np.where(mask, 3, -1)
    assert rm.minimize(masked, init=start, max_iter=0).energy == masked(start)
    np.testing.assert_array_equal(rm.minimize(masked, init=start, max_iter=0).labels, start)
    for init in ("zero", "argmin", "expansion", None):
        result = rm.minimize(masked, init=init, max_iter=1)
        np.testing.assert_array_equal(result.labels == -1, ~mask)
    late = rm.minimize(masked, time_limit=0)
    np.testing.assert_array_equal(late.labels == -1, ~mask)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda x, mask: np.where(mask, x, 0), "labels must be -1 where the mask is False"),
        (lambda x, mask: np.full_like(x, -1), "labels must be between 0 and 6"),
        (lambda x, mask: np.where(mask, x, -2), "found 10 that are not, first -2 at"),
    ],
)
def test_labels_in_wrong_places_are_refused(change, words):
    masked, _, mask = draw(np.random.default_rng(4), (5, 6), 7)
    labels = np.where(mask, 1, -1)
    assert np.isfinite(masked(labels))
    with pytest.raises(ValueError, match=words):
        masked(change(labels, mask))


@pytest.mark.parametrize(
    ("mask", "error", "words"),
    [
        (np.zeros((2, 3), bool), ValueError, "mask must be True for some variable"),
        (np.ones((3, 2), bool), ValueError, r"mask must have the shape of a labelling, \(2, 3\)"),
        (np.ones((2, 3), int), TypeError, "mask must be booleans"),
        (np.ma.ones((2, 3), bool), TypeError, "mask must be a plain array"),
    ],
)
def test_bad_masks_are_refused(mask, error, words):
    with pytest.raises(error, match=words):
        rm.Energy(np.zeros((2, 3, 4)), rm.Linear(), mask=mask)


def test_nan_that_takes_part_is_refused():
    unary = np.full((2, 3, 4), np.nan)
    unary[0] = 0
    with pytest.raises(ValueError, match=r"found 4 NaN, first at \(1, 2, 0\)"):
        rm.Energy(unary, rm.Linear(), mask=[[True] * 3, [False, False, True]])
    with pytest.raises(ValueError, match="a label that is not masked"):
        rm.Energy(np.ma.masked_all((2, 3, 4)), rm.Linear())


def test_the_mask_is_kept_and_cannot_be_changed():
    mask = np.array([[True, False, True]])
    energy = rm.Energy(np.zeros((1, 3, 4)), rm.Linear(), mask=mask)
    mask[:] = True
    np.testing.assert_array_equal(energy.mask, [[True, False, True]])
    with pytest.raises(ValueError, match="read-only"):
        energy.mask[0, 0] = False
    assert "left_out=1" in repr(energy)
    assert energy.num_edges == 0


def test_results_are_stored_and_shown(tmp_path):
    masked, _, mask = draw(np.random.default_rng(4), (5, 6), 7)
    result = rm.minimize(masked)
    result.save(tmp_path / "result.npz")
    np.testing.assert_array_equal(rm.Result.load(tmp_path / "result.npz").labels, result.labels)
    assert f"{result.labels[mask].min()} .. {result.labels.max()}" in repr(result)
    pytest.importorskip("matplotlib")
    shown = result.plot().axes[0].images[0].get_array()
    np.testing.assert_array_equal(np.ma.getmaskarray(shown), ~mask)
    colours = rm.plots.disparity_colours(result.labels)
    assert (colours[~mask] == 60).all()
    truth = np.where(mask, result.labels, 3).astype(float)
    scores = rm.stereo.evaluate(result.labels, truth)
    assert scores["coverage"] == pytest.approx(100 * mask.mean())
    rm.io.write_disparity(tmp_path / "map.pfm", result.labels)
    read = rm.io.read_disparity(tmp_path / "map.pfm")
    np.testing.assert_array_equal(np.isfinite(read), mask)


def test_memory_and_active_sets_of_masked_energies():
    masked, _, mask = draw(np.random.default_rng(4), (5, 6), 7)
    assert rm.estimate_memory(masked) > 0
    labels = np.where(mask, np.arange(30).reshape(5, 6) % 7, -1)
    chosen = active_set(masked, labels)
    assert satisfies_criterion(masked, labels, chosen)
    assert is_maximal(masked, labels, chosen)


@pytest.mark.parametrize("real", [False, True])
def test_solvers_see_the_box_around_what_takes_part(real):
    rng = np.random.default_rng(11)
    unary = rng.integers(0, 30, (9, 12, 5)) + (rng.random((9, 12, 5)) if real else 0)
    mask = np.zeros((9, 12), bool)
    mask[2:6, 3:10] = rng.random((4, 7)) < 0.8
    mask[2, 3] = mask[5, 9] = True
    weights = [rng.random((8, 12)), rng.random((9, 11))] if real else 2
    energy = rm.Energy(unary, rm.TruncatedLinear(2), weights, mask=mask)
    seen = crop(energy)
    assert seen.shape == (4, 7)
    assert seen.row == 7
    assert seen.num_edges == energy.num_edges
    assert seen.place(0) == (2, 3)
    assert crop(rm.Energy(unary, rm.Linear())).shape == (9, 12)
    inside = [w[2 : 6 - (k == 0), 3 : 10 - (k == 1)] for k, w in enumerate(weights)] if real else 2
    plain = rm.Energy(unary[2:6, 3:10], rm.TruncatedLinear(2), inside, mask=mask[2:6, 3:10])
    for method in [name for name in METHODS if suits(energy, name)]:
        result, expected = rm.minimize(energy, method), rm.minimize(plain, method)
        np.testing.assert_array_equal(result.labels[2:6, 3:10], expected.labels)
        assert result.energy == energy(result.labels)
        assert result.trace[-1].energy == result.energy
        assert (result.labels[~mask] == -1).all()
    assert rm.estimate_memory(energy) == rm.estimate_memory(plain)
    assert rm.minimize(energy, init="expansion", max_iter=0).energy <= energy(np.where(mask, 0, -1))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [(6, 8), (1, 24)])
def test_traces_count_only_what_takes_part(method, shape):
    """A chain too: with bound=True its sweep finds the labelling."""
    masked, _, mask = draw(np.random.default_rng(12), shape, 5, prior=rm.TruncatedLinear(2))
    if not suits(masked, method):
        masked, _, mask = draw(np.random.default_rng(12), shape, 5, prior=rm.Linear())
    start = np.where(mask, 4, -1)
    last, seen = start, []

    def look(record):
        nonlocal last
        seen.append((record, record.labels()))
        assert record.changed == np.count_nonzero(seen[-1][1] != last)
        assert record.changed <= record.active or method in ("auto", "best", "trws")
        assert record.active <= mask.sum()
        last = seen[-1][1]

    result = rm.minimize(masked, method, start, look, max_iter=400, bound=True)
    assert [(r.changed, r.active) for r in result.trace] == [(r.changed, r.active) for r, _ in seen]
    assert max(record.active for record in result.trace) > 0
    if method in ("gswapf", "ishikawa", "irgc", "trws") or (
        shape[0] == 1 and method not in ("auto", "best")
    ):
        assert result.trace[0].active == mask.sum()


def test_masks_go_with_priors_per_edge():
    rng = np.random.default_rng(9)
    unary = rng.integers(0, 9, (2, 3, 3))
    mask = np.array([[True, True, False], [True, True, True]])
    priors = [rm.Linear(), rm.TruncatedLinear(1)]
    offsets = [rng.integers(-1, 2, (1, 3)), rng.integers(-1, 2, (2, 2))]
    energy = rm.Energy(unary, priors, 2, prior_index=[0, 1], offsets=offsets, mask=mask)
    best = min(plain_energy(unary, offsets, mask, x) for x in itertools.product(range(3), repeat=5))
    assert rm.minimize(energy, "best").energy == best == rm.testing.brute_force(energy)[1]


def plain_energy(unary, offsets, mask, chosen):
    x = np.full(mask.shape, -1)
    x[mask] = chosen
    total = sum(int(unary[(*at, x[at])]) for at in np.ndindex(mask.shape) if mask[at])
    for i, j in np.ndindex(1, 3):
        if mask[i, j] and mask[i + 1, j]:
            total += 2 * abs(x[i, j] - x[i + 1, j] + offsets[0][i, j])
    for i, j in np.ndindex(2, 2):
        if mask[i, j] and mask[i, j + 1]:
            total += 2 * min(1, abs(x[i, j] - x[i, j + 1] + offsets[1][i, j]))
    return total
