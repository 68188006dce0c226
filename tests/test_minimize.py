"""rm.minimize: starts, limits, callbacks, options, degenerate problems, threads."""

import concurrent.futures
import importlib
import itertools
import logging
import multiprocessing
import time

import numpy as np
import pytest
from oracles import best_energy, check, solve

import rangemoves as rm

METHODS = ["gswap", "gswapf"]


def textured(shape=(12, 14), labels=10, seed=0, dtype=np.int32):
    """Noisy costs around a picture with jumps: robust priors need several moves on it."""
    rng = np.random.default_rng(seed)
    truth = np.where(np.indices(shape).sum(axis=0) % 9 < 4, 1, labels - 2)
    noisy = truth + rng.integers(-1, 2, shape)
    unary = np.abs(noisy[..., None] - np.arange(labels)) * 4 + rng.integers(0, 5, (*shape, labels))
    return unary.astype(dtype)


@pytest.fixture
def energy():
    return rm.Energy(textured(), rm.TruncatedQuadratic(2), 3)


@pytest.mark.parametrize("method", ["ishikawa", "gswap", "gswapf"])
@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (6, 1), (1, 1, 3)])
@pytest.mark.parametrize("labels", [1, 2, 5])
def test_the_smallest_problems_work(method, shape, labels):
    unary = np.random.default_rng(1).integers(0, 9, (*shape, labels))
    energy = rm.Energy(unary, rm.Linear(), 2)
    result = solve(energy, method)
    assert result.energy == best_energy(energy)


@pytest.mark.parametrize("method", METHODS)
def test_without_edges_each_variable_takes_its_best(method):
    unary = np.random.default_rng(2).integers(0, 9, (7, 4))
    energy = rm.Energy(unary, rm.TruncatedLinear(2), edges=[])
    assert solve(energy, method).energy == unary.min(axis=1).sum()


@pytest.mark.parametrize("method", METHODS)
def test_thresholds_larger_than_the_labels_are_convex(method):
    energy = rm.Energy(textured((2, 3), 3), rm.TruncatedQuadratic(50), 1)
    result = solve(energy, method)
    assert result.status == "optimal"
    assert result.energy == best_energy(energy)


@pytest.mark.parametrize("surrogate", ["tight", "huber", "chord"])
@pytest.mark.parametrize(
    ("method", "prior"),
    [
        *itertools.product(
            METHODS, [rm.TruncatedLinear(2.5), rm.TruncatedQuadratic(np.sqrt(7)), rm.Huber(1)]
        ),
        ("gswap", rm.Cauchy(2)),
    ],
)
def test_every_surrogate_minimises(method, surrogate, prior):
    energy = rm.Energy(textured(), prior, 3)
    result = solve(energy, method, surrogate=surrogate)
    assert result.energy < energy(np.zeros(energy.shape, int))
    assert result.options == {"surrogate": surrogate}


def test_the_huber_surrogate_is_steeper():
    energy = rm.Energy(textured(), rm.TruncatedQuadratic(2), 1)
    steeper = solve(energy, "gswap", surrogate="huber", max_iter=1)
    tight = solve(energy, "gswap", surrogate="tight", max_iter=1)
    assert tight.trace[0].surrogate_energy < steeper.trace[0].surrogate_energy


@pytest.mark.parametrize("surrogate", ["tight", "huber"])
def test_the_trace_has_the_energy_of_the_surrogate_in_use(surrogate):
    energy = rm.Energy(textured(), rm.TruncatedQuadratic(2), 1)
    first = solve(energy, "gswap", surrogate=surrogate, max_iter=1).trace[0]
    assert first.active == energy.num_variables
    assert first.energy < first.huber_energy == first.surrogate_energy


def test_the_start_has_a_record_of_its_own(energy):
    result = solve(energy, "gswap", init="argmin")
    start = energy.unary.argmin(axis=-1)
    assert (result.start.iteration, result.start.changed) == (0, 0)
    assert result.start.energy == result.start.surrogate_energy == energy(start)
    assert result.start.huber_energy > result.start.energy
    assert result.start.seconds <= result.trace[0].seconds
    assert result.trace[0].iteration == 1
    assert solve(energy, init="argmin", max_iter=0).start.energy == energy(start)


def test_the_convex_range_ends_at_the_priors_own_threshold():
    """With the Huber surrogate that is the paper's h: straight on from T with slope T/2."""
    energy = rm.Energy(textured(), rm.Cauchy(2), 3)
    distance = np.arange(energy.num_labels, dtype=float)
    g = rm.Cauchy(2).values(energy.num_labels)[energy.num_labels - 1 :]
    h = np.where(distance <= 2, g, g[2] + (distance - 2))
    best = solve(rm.Energy(energy.unary, rm.TablePrior(h), 3), "ishikawa").energy
    options = {"surrogate": "huber", "max_iter": 1}
    as_in_the_paper = solve(energy, "gswap", convex_range="prior", **options)
    assert as_in_the_paper.trace[0].surrogate_energy == pytest.approx(best, rel=1e-6)
    assert solve(energy, "gswap", **options).trace[0].surrogate_energy < best - 1


def test_ranges_are_as_wide_as_the_convex_range():
    labels = np.arange(8).reshape(1, 8)
    energy = rm.Energy(np.zeros((1, 8, 8)), rm.Cauchy(3))
    for convex_range, width in (("table", 4), ("prior", 3)):
        for method in ("rswap", "rswape"):
            result = rm.minimize(energy, method, init=labels, max_iter=1, convex_range=convex_range)
            assert result.trace[0].active == width + 1


@pytest.mark.parametrize("strategy", ["alternate", "range", "random", "ends"])
def test_every_strategy_minimises(energy, strategy):
    start = solve(energy, init="argmin", max_iter=0)
    assert solve(energy, strategy=strategy, init="argmin").energy < start.energy


def test_a_chain_whose_middle_never_alternates_is_still_solved():
    unary = np.full((1, 3, 21), 50)
    unary[0, 0, 0] = unary[0, 1, 1] = unary[0, 2, 20] = 0
    energy = rm.Energy(unary, rm.TruncatedLinear(4), 1)
    result = solve(energy, init=[[0, 10, 20]])
    assert result.labels.tolist() == [[0, 1, 20]]


def test_starts_by_name_array_and_result(energy):
    for init, labels in [
        (None, np.zeros(energy.shape)),
        ("zero", np.zeros(energy.shape)),
        ("argmin", energy.unary.argmin(axis=-1)),
        (np.full(energy.shape, 3, np.uint8), np.full(energy.shape, 3)),
    ]:
        result = solve(energy, init=init, max_iter=0)
        np.testing.assert_array_equal(result.labels, labels)
        assert result.status == "iteration_limit"
    first = solve(energy, max_iter=1)
    again = solve(energy, init=first, max_iter=0)
    np.testing.assert_array_equal(again.labels, first.labels)


def test_the_start_is_not_changed(energy):
    start = np.zeros(energy.shape, np.int32)
    solve(energy, init=start)
    assert not start.any()


def test_the_default_start_is_the_lowest_allowed_label():
    unary = textured().astype(float)
    unary[:, :3, 0] = unary[:, 0, 1] = np.inf
    energy = rm.Energy(unary, rm.TruncatedLinear(2), 3)
    start = solve(energy, max_iter=0).labels
    np.testing.assert_array_equal(start[:, :4], [[2, 1, 1, 0]] * 12)
    assert np.isfinite(solve(energy).energy)


def test_forbidden_starts_are_refused():
    unary = textured().astype(float)
    unary[4, 5, 0] = np.inf
    energy = rm.Energy(unary, rm.TruncatedLinear(2), 3)
    for init in ("zero", np.zeros(energy.shape, int)):
        with pytest.raises(ValueError, match=r"init must use allowed.*first label 0 at \(4, 5\)"):
            rm.minimize(energy, init=init)
    solve(energy, init="argmin")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"init": "best"}, ValueError, "init must be None, 'zero', 'argmin'"),
        ({"init": np.zeros((2, 2), int)}, ValueError, r"init must have shape \(12, 14\)"),
        ({"init": np.full((12, 14), 10)}, ValueError, "init must be between 0 and 9"),
        ({"init": np.zeros((12, 14))}, TypeError, "init must be integers"),
        ({"max_iter": -1}, ValueError, "max_iter must be at least 0; found -1"),
        ({"max_iter": 1.5}, TypeError, "max_iter must be an integer"),
        ({"time_limit": -1}, ValueError, "time_limit must be at least 0"),
        ({"time_limit": "1"}, TypeError, "time_limit must be a real number"),
        ({"threads": 0}, ValueError, "threads must be at least 1"),
        ({"threads": 10**20}, ValueError, "threads must be at most 1024"),
        ({"threads": True}, TypeError, "threads must be an integer"),
        ({"seed": -3}, ValueError, "seed must be at least 0"),
        ({"callback": 3}, TypeError, "callback must be a function"),
        ({"max_memory": 0}, ValueError, "max_memory must be at least 1"),
        ({"engine": "steam"}, ValueError, "engine must be one of"),
    ],
)
def test_bad_arguments_are_refused(energy, arguments, error, message):
    with pytest.raises(error, match=message):
        rm.minimize(energy, **arguments)


def test_huge_limits_are_no_limits(energy):
    result = solve(energy, max_iter=10**30, max_memory=10**30, seed=10**30, time_limit=1e300)
    assert result.status == "converged"


def test_only_energies_are_minimised():
    with pytest.raises(TypeError, match=r"energy must be an rm.Energy; found"):
        rm.minimize(np.zeros((2, 2, 2)))


def test_too_little_memory_is_said_before_it_is_used():
    energy = rm.Energy(textured((60, 60), 30), rm.TruncatedQuadratic(4), 3)
    with pytest.raises(MemoryError):
        rm.minimize(energy, max_memory=1000)


@pytest.mark.parametrize("method", METHODS)
def test_the_iteration_limit_is_kept(energy, method):
    result = solve(energy, method, init="argmin", max_iter=1)
    assert result.iterations == 1
    assert result.status in ("iteration_limit", "converged")
    longer = solve(energy, method, init="argmin")
    assert longer.iterations > 1
    assert longer.energy <= result.energy


def test_a_time_limit_of_nothing_returns_the_start(energy):
    result = solve(energy, time_limit=0)
    assert result.status == "time_limit"
    assert not result.labels.any()


def test_the_time_limit_is_kept_inside_a_move():
    energy = rm.Energy(textured((300, 300), 40), rm.TruncatedQuadratic(6), 20)
    begin = time.perf_counter()
    result = solve(energy, time_limit=0.3, engine="reference")
    assert result.status == "time_limit"
    assert time.perf_counter() - begin < 3


def test_the_callback_sees_each_record_and_can_stop(energy):
    seen = []
    result = solve(energy, init="argmin", callback=seen.append)
    assert tuple(seen) == result.trace
    assert result.iterations > 1
    stopped = solve(energy, init="argmin", callback=lambda record: record.iteration == 1)
    assert stopped.status == "stopped"
    assert stopped.iterations == 1
    assert stopped.energy == result.trace[0].energy


def test_an_error_in_the_callback_comes_through(energy):
    def fail(record):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        rm.minimize(energy, callback=fail)


def test_the_same_seed_gives_the_same_answer(energy):
    runs = [solve(energy, strategy="random", init="argmin", seed=4) for _ in range(2)]
    np.testing.assert_array_equal(runs[0].labels, runs[1].labels)
    assert [r.energy for r in runs[0].trace] == [r.energy for r in runs[1].trace]


@pytest.mark.parametrize("method", METHODS)
def test_the_answer_does_not_depend_on_the_threads(energy, method):
    alone = solve(energy, method, threads=1)
    for threads in (2, 3, 8):
        together = solve(energy, method, threads=threads)
        np.testing.assert_array_equal(alone.labels, together.labels)
        assert together.threads == threads


def test_several_runs_at_once_do_not_disturb_each_other(energy):
    expected = solve(energy, "auto").labels
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for result in pool.map(lambda _: rm.minimize(energy, threads=2), range(8)):
            check(energy, result)
            np.testing.assert_array_equal(result.labels, expected)


def _solve_in_child(queue, energy):
    queue.put(rm.minimize(energy, threads=2).energy)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_after_use_still_works(energy):
    expected = solve(energy, "auto", threads=2).energy
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_solve_in_child, args=(queue, energy))
    child.start()
    assert queue.get(timeout=30) == expected
    child.join(timeout=30)
    assert child.exitcode == 0


def test_the_interpreter_goes_on_during_a_run():
    energy = rm.Energy(textured((150, 150), 30), rm.TruncatedQuadratic(4), 20)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        run = pool.submit(rm.minimize, energy, time_limit=1.0, engine="reference")
        ticks = 0
        while not run.done():
            time.sleep(0.01)
            ticks += 1
    assert ticks >= 10 or run.result().seconds < 0.2


def test_nobody_is_told_where_nobody_listens(energy, caplog, capfd, monkeypatch):
    """Every call takes the GIL, for which runs in other threads wait."""
    module = importlib.import_module("rangemoves.minimize")
    solve, told = module._core.minimize, []

    def watched(*arguments, **keywords):
        told.append(keywords["on_iteration"] is not None)
        return solve(*arguments, **keywords)

    monkeypatch.setattr(module._core, "minimize", watched)
    quiet = rm.minimize(energy, "trws", max_iter=3)
    listened = rm.minimize(energy, "trws", max_iter=3, callback=lambda record: False)
    rm.minimize(energy, "trws", max_iter=3, verbose=True)
    with caplog.at_level(logging.INFO, logger="rangemoves"):
        rm.minimize(energy, "trws", max_iter=3)
    assert told == [False, True, True, True]
    assert [one.energy for one in quiet.trace] == [one.energy for one in listened.trace]


def test_it_is_silent_unless_asked(energy, capfd, caplog):
    rm.minimize(energy)
    assert capfd.readouterr() == ("", "")
    with caplog.at_level(logging.INFO, logger="rangemoves"):
        rm.minimize(energy, verbose=True)
    out, err = capfd.readouterr()
    assert out == ""
    assert "iteration 1 (sweep 1): energy" in err
    assert any("iteration 1 (sweep 1): energy" in message for message in caplog.messages)


def test_real_costs_report_their_true_energy():
    rng = np.random.default_rng(3)
    energy = rm.Energy(
        rng.random((10, 11, 8)), rm.Cauchy(2), [rng.random((9, 11)), rng.random((10, 10))]
    )
    result = solve(energy)
    assert result.scale > 1
    assert 0 < result.rounding_error < 1


def test_the_bound_is_lowered_by_the_rounding_error():
    unary = np.random.default_rng(4).random((2, 3, 3))
    energy = rm.Energy(unary, rm.Quadratic(), 0.3)
    result = solve(energy, "ishikawa")
    assert result.lower_bound < result.energy
    assert result.lower_bound <= best_energy(energy)
    assert result.gap < 1e-5


@pytest.mark.parametrize("connectivity", [4, 8])
def test_diagonal_neighbours_are_the_same_as_their_graph(connectivity):
    energy = rm.Energy(textured(), rm.TruncatedLinear(3), 2, connectivity=connectivity)
    flat = energy.unary.reshape(-1, energy.num_labels)
    graph = rm.Energy(flat, energy.prior, 2, edges=energy.edges)
    assert solve(energy).energy == solve(graph).energy
