"""A problem that changes, solved again; labels while a run goes on; beliefs; backends."""

import threading

import numpy as np
import pytest

import rangemoves as rm
from rangemoves import testing


def problem(seed=0, shape=(12, 15), labels=6, dtype=np.int64):
    rng = np.random.default_rng(seed)
    unary = rng.integers(0, 30, (*shape, labels)).astype(dtype)
    return unary, rm.TruncatedQuadratic(2), 3


def changed(unary):
    other = unary.copy()
    other[2:6, 3:8] = other[2:6, 3:8, ::-1]
    return other


@pytest.mark.parametrize("method", [m.name for m in rm.methods()])
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_a_second_run_is_as_honest_as_the_first(method, dtype):
    unary, prior, weight = problem(dtype=dtype)
    if method == "ishikawa":
        prior = rm.Huber(2)
    solver = rm.Solver(rm.Energy(unary, prior, weight), method, seed=1)
    first = solver.solve(time_limit=20)
    assert solver.result is first
    alone = rm.minimize(rm.Energy(unary, prior, weight), method, seed=1, time_limit=20)
    np.testing.assert_array_equal(first.labels, alone.labels)
    assert first.lower_bound == alone.lower_bound

    other = rm.Energy(changed(unary), prior, weight)
    solver.update(unary=changed(unary))
    start = other(first.labels)
    second = solver.solve(time_limit=20)
    assert second.energy == other(second.labels) == solver.energy(second.labels)
    assert second.energy <= start
    if second.lower_bound is not None:
        fresh = rm.minimize(other, "best", seed=1, time_limit=20)
        assert second.lower_bound <= fresh.energy + 1e-9 * abs(fresh.energy)
    if method == "ishikawa":
        assert second.status == "optimal"
        assert second.energy == pytest.approx(rm.minimize(other, "ishikawa").energy, rel=1e-12)


@pytest.mark.parametrize("method", ["gswap", "trws", "best"])
def test_weights_change_too_and_edges_may_come_and_go(method):
    unary, prior, _ = problem()
    rng = np.random.default_rng(5)
    weights = [rng.integers(0, 4, (11, 15)), rng.integers(0, 4, (12, 14))]
    solver = rm.Solver(rm.Energy(unary, prior, 3), method)
    solver.solve(time_limit=10)
    solver.update(weights=weights)
    second = solver.solve(time_limit=10)
    other = rm.Energy(unary, prior, weights)
    assert second.energy == other(second.labels)
    fresh = rm.minimize(other, method, init=solver.result, time_limit=10)
    assert second.energy <= other(rm.minimize(rm.Energy(unary, prior, 3), method).labels)
    if second.lower_bound is not None:
        assert second.lower_bound <= fresh.energy


def test_a_chain_is_solved_exactly_again_and_again():
    rng = np.random.default_rng(2)
    edges = [(k, k + 1) for k in range(5)]
    unary = rng.integers(0, 30, (6, 4))
    solver = rm.Solver(rm.Energy(unary, rm.TruncatedLinear(2), 5, edges=edges), "trws")
    for _ in range(4):
        result = solver.solve()
        assert result.status == "optimal"
        assert result.energy == testing.brute_force(solver.energy)[1]
        unary = rng.integers(0, 30, (6, 4))
        solver.update(unary=unary)


def test_trws_goes_on_until_it_is_as_good_as_before():
    unary, prior, weight = problem(shape=(60, 80), labels=10)
    solver = rm.Solver(rm.Energy(unary, prior, weight), "trws", max_iter=60)
    assert solver.solve().status == "iteration_limit"
    solver.update(unary=changed(unary))
    second = solver.solve()
    assert second.status == "converged"
    assert second.iterations < 40
    # The labels of the first run are kept where those of a sweep are no better.
    assert second.energy <= 1.01 * rm.minimize(solver.energy, "trws").energy


def test_a_solver_refuses_what_it_cannot_do():
    unary, prior, weight = problem()
    energy = rm.Energy(unary, prior, weight)
    with pytest.raises(TypeError, match="starts where the last one ended"):
        rm.Solver(energy, init=0)
    with pytest.raises(TypeError, match="has no option 'colour'"):
        rm.Solver(energy, colour=1)
    solver = rm.Solver(energy)
    with pytest.raises(ValueError, match="unary must have shape"):
        solver.update(unary=unary[:, :-1])
    assert solver.energy is energy


def test_masks_and_priors_per_edge_stay():
    unary, _, _ = problem()
    mask = np.ones((12, 15), bool)
    mask[:3] = mask[5, 5] = False
    energy = rm.Energy(
        unary, [rm.Linear(), rm.TruncatedLinear(2)], 4, prior_index=[0, 1], mask=mask
    )
    solver = rm.Solver(energy, "trws", beliefs=True)
    solver.solve()
    solver.update(unary=changed(unary))
    result = solver.solve()
    assert (result.labels == -1).sum() == (~mask).sum()
    assert solver.energy.mask is not None
    assert len(solver.energy.prior) == 2
    assert np.isnan(result.beliefs[~mask]).all()
    assert np.isfinite(result.beliefs[mask]).all()


def test_a_callback_can_look_at_the_labels():
    unary, prior, weight = problem()
    energy = rm.Energy(unary, prior, weight)
    seen, records = [], []

    def callback(record):
        labels = record.labels()
        assert energy(labels) == record.energy
        labels[:] = 0  # a copy: the run does not mind
        seen.append(record.labels())
        records.append(record)

    result = rm.minimize(energy, "expansion", callback=callback)
    np.testing.assert_array_equal(seen[-1], result.labels)
    with pytest.raises(RuntimeError, match="for the callback"):
        records[0].labels()
    with pytest.raises(RuntimeError, match="for the callback"):
        result.trace[0].labels()


def test_beliefs_are_min_marginals_on_trees():
    rng = np.random.default_rng(3)
    edges = [(0, 1), (2, 1), (1, 3), (4, 3), (5, 3)]
    unary = rng.integers(0, 30, (6, 4)).astype(float) / 4
    energy = rm.Energy(unary, rm.TruncatedQuadratic(2), 0.75, edges=edges)
    result = rm.minimize(energy, "trws", beliefs=True)
    best = result.energy
    for i in range(6):
        for label in range(4):
            fixed = unary.copy()
            fixed[i, np.arange(4) != label] = np.inf
            least = testing.brute_force(energy.replaced(unary=fixed))[1]
            assert result.beliefs[i, label] == pytest.approx(least - best, abs=1e-6)


@pytest.mark.parametrize("method", ["trws", "best"])
def test_beliefs_elsewhere_start_from_zero(method, tmp_path):
    unary, prior, weight = problem()
    result = rm.minimize(rm.Energy(unary, prior, weight), method, beliefs=True, time_limit=5)
    assert result.beliefs.shape == unary.shape
    assert (result.beliefs.min(axis=-1) == 0).all()
    result.save(tmp_path / "result.npz")
    loaded = rm.Result.load(tmp_path / "result.npz")
    np.testing.assert_array_equal(loaded.beliefs, result.beliefs)


def test_beliefs_need_messages():
    unary, prior, weight = problem()
    with pytest.raises(ValueError, match="sends no messages on the prior"):
        rm.minimize(rm.Energy(unary, prior, weight), "gswap", beliefs=True)


def test_backends():
    unary, prior, weight = problem()
    energy = rm.Energy(unary, prior, weight)
    cpu = rm.minimize(energy, "trws", max_iter=3, backend="cpu")
    best = rm.minimize(energy, "trws", max_iter=3, backend="auto")
    np.testing.assert_array_equal(cpu.labels, best.labels)
    with pytest.raises(rm.BackendError, match="backend must be one of cpu, auto; found 'abacus'"):
        rm.minimize(energy, backend="abacus")
    with pytest.raises(TypeError, match="backend must be one of"):
        rm.minimize(energy, backend=3)


def test_one_run_at_a_time():
    unary, prior, weight = problem()
    solver = rm.Solver(rm.Energy(unary, prior, weight))
    with pytest.raises(RuntimeError, match="already running"):
        solver.solve(callback=lambda record: solver.solve())
    assert solver.solve().energy == solver.energy(solver.result.labels)

    refused = []

    def callback(record):
        def other():
            try:
                solver.solve()
            except RuntimeError as error:
                refused.append(str(error))

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()

    solver.update(unary=changed(unary))
    solver.solve(callback=callback)
    assert refused


def test_labels_are_gone_after_a_callback_that_fails():
    unary, prior, weight = problem()
    records = []

    def callback(record):
        records.append(record)
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        rm.minimize(rm.Energy(unary, prior, weight), "expansion", callback=callback)
    with pytest.raises(RuntimeError, match="for the callback"):
        records[0].labels()


def test_an_energy_keeps_to_itself_what_it_was_given():
    unary, _, _ = problem()
    weights = [np.full((11, 15), 3), np.full((12, 14), 3)]
    index = [np.zeros((11, 15), int), np.ones((12, 14), int)]
    energy = rm.Energy(unary, [rm.Linear(), rm.Quadratic()], weights, prior_index=index)
    labels = np.random.default_rng(1).integers(0, 6, (12, 15))
    before = energy(labels)
    weights[0][:] = index[1][:] = 0
    assert energy.replaced(unary=unary)(labels) == before
    assert energy.replaced(weights=3)(labels) == before
    with pytest.raises(TypeError, match="mask"):
        energy.replaced(unary=np.ma.masked_equal(unary, 3))


def test_trws_after_a_short_run_goes_on():
    unary, prior, weight = problem(shape=(40, 50), labels=8)
    solver = rm.Solver(rm.Energy(unary, prior, weight), "trws", max_iter=1)
    first = solver.solve()
    second = solver.solve()
    assert second.lower_bound > first.lower_bound


def test_labels_that_new_costs_forbid_are_no_start():
    unary, prior, weight = problem(dtype=np.float64)
    solver = rm.Solver(rm.Energy(unary, prior, weight), "gswap")
    first = solver.solve()
    other = unary.copy()
    other[3, 4, first.labels[3, 4]] = np.inf
    solver.update(unary=other)
    second = solver.solve()
    assert np.isfinite(second.energy)
    assert second.labels[3, 4] != first.labels[3, 4]
