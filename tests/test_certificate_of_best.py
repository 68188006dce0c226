"""What ``best`` says of its bound is true, by code that knows nothing of it."""

import dataclasses

import hypothesis
import numpy as np
import pytest
from fuzz.small_problems import draw_small_problem
from hypothesis import strategies as st
from oracles import best_energy, energies, grid_optimum, hard_grid, size, solve

import rangemoves as rm

KINDS = ["convex", "robust", "flat", "any"]


def proven(energy, **options):
    """The result of ``best``, whose bound must be the one that its certificate proves."""
    result = solve(energy, "best", certificate=True, **options)
    bound = rm.testing.check_certificate(energy, result)
    if energy.has_forbidden_differences:
        # The core has large costs for these; to know that they are infinite can raise a bound.
        assert bound >= result.lower_bound - 1e-9 * abs(result.lower_bound)
    elif result.rounding_error == 0 and result.lower_bound.is_integer():
        assert bound == result.lower_bound
    else:
        assert bound == pytest.approx(result.lower_bound, rel=1e-12, abs=1e-9 * size(energy))
    return result


@hypothesis.settings(max_examples=300)
@hypothesis.given(data=st.data())
def test_integers_are_proven_to_the_unit(data):
    kind, forbid, features = data.draw(st.tuples(st.sampled_from(KINDS), *[st.booleans()] * 2))
    energy = data.draw(energies(kind, forbid, features=features))
    assert proven(energy).lower_bound <= best_energy(energy)


@hypothesis.settings(max_examples=150)
@hypothesis.given(data=st.data())
def test_real_costs(data):
    kind, forbid, features = data.draw(st.tuples(st.sampled_from(KINDS), *[st.booleans()] * 2))
    energy = data.draw(energies(kind, forbid, real=True, features=features))
    assert proven(energy).lower_bound <= best_energy(energy) + 1e-12 * size(energy)


@pytest.mark.parametrize("seed", range(6))
def test_hard_grids_are_proven_optimal(seed):
    energy = hard_grid(seed)
    result = proven(energy)
    assert result.status == "optimal"
    assert result.energy == grid_optimum(energy)
    assert result.certificate.islands or seed not in (0, 1, 2)


def noise(*shape, top=30, seed=0):
    return np.random.default_rng(seed).integers(0, top, shape)


@pytest.mark.parametrize("connectivity", [4, 8])
def test_whenever_the_clock_ends_a_run(connectivity):
    unary = noise(30, 40, 5, top=100)
    energy = rm.Energy(unary, rm.TablePrior([3, 2, 3, 2, 1]), 50, connectivity=connectivity)
    held = 0
    for k in range(40):
        limits = {"time_limit": 0.002 * 1.1**k, "islands": "branches"}
        result = rm.minimize(energy, "best", certificate=True, **limits)
        if result.certificate is not None:
            # The clock may end a run between a sweep and the note of its bound.
            assert rm.testing.check_certificate(energy, result) >= result.lower_bound
            held += 1
        else:
            # Over before the first sweep: there is no bound either.
            assert result.status == "time_limit"
            assert result.lower_bound is None
    assert held > 20


def test_masks():
    mask = np.ones((14, 15), bool)
    mask[:3], mask[6:9, 4:8], mask[:, 12:] = False, False, False
    result = proven(rm.Energy(noise(14, 15, 6), rm.TruncatedLinear(1), 9, mask=mask))
    for island in result.certificate.islands:
        assert mask.reshape(-1)[island.variables].all()


@pytest.mark.parametrize(
    "energy",
    [
        rm.Energy(noise(10, 11, 6), rm.TruncatedLinear(1), 5, connectivity=8),
        rm.Energy(noise(4, 5, 6, 5), rm.TruncatedQuadratic(2), 4),
        rm.Energy(noise(3, 4, 4, 4), rm.TruncatedLinear(1), 2, connectivity=26),
        rm.Energy(
            noise(9, 10, 6),
            [rm.TruncatedLinear(1), rm.TruncatedQuadratic(2)],
            6,
            prior_index=[noise(8, 10, top=2), noise(9, 9, top=2)],
            offsets=[noise(8, 10, top=5) - 2, noise(9, 9, top=5) - 2],
        ),
        rm.Energy(noise(60, 5), rm.TruncatedLinear(1), 7, edges=np.add(noise(60, 2), [0, 30])),
        rm.Energy(noise(8, 9, 6), rm.TablePrior([0, 2, 5, np.inf, np.inf, np.inf]), 3),
    ],
    ids=["8 neighbours", "volume", "26 neighbours", "priors per edge", "graph", "limits"],
)
def test_every_kind_of_problem(energy):
    proven(energy)


def test_floats_of_all_sizes():
    rng = np.random.default_rng(0)
    for factor in (1e-9, 1.0, 1e9):
        unary = rng.random((9, 10, 5)) * factor
        proven(rm.Energy(unary, rm.Cauchy(2), 0.37 * factor))


def test_runs_that_end_early_prove_what_they_say():
    energy = hard_grid(0, shape=(60, 50))
    for limits in ({"max_iter": 3}, {"time_limit": 0.05}):
        result = rm.minimize(energy, "best", certificate=True, **limits)
        if result.certificate is not None:
            assert rm.testing.check_certificate(energy, result) >= result.lower_bound


def test_a_saved_certificate_proves_the_same(tmp_path):
    energy = hard_grid(1)
    result = proven(energy)
    result.save(tmp_path / "result.npz")
    loaded = rm.Result.load(tmp_path / "result.npz")
    assert rm.testing.check_certificate(energy, loaded) == result.lower_bound
    higher = dataclasses.replace(loaded, lower_bound=loaded.lower_bound + 1)
    with pytest.raises(ValueError, match="lower_bound must be what the certificate proves"):
        rm.testing.check_certificate(energy, higher)


def test_a_certificate_of_another_problem_proves_nothing_here():
    energy = hard_grid(0)
    result = proven(energy)
    other = energy.replaced(weights=50)
    claims = dataclasses.replace(result, energy=other(result.labels), status="converged")
    with pytest.raises(ValueError, match="lower_bound must be what the certificate proves"):
        rm.testing.check_certificate(other, claims)


def test_on_the_command_line(tmp_path):
    runner = pytest.importorskip("typer.testing").CliRunner()
    from rangemoves.cli import app

    unary, problem = noise(9, 10, 5), str(tmp_path / "problem.npz")
    np.savez(problem, unary=unary, prior="truncated-linear", threshold=1, weights=9)
    result = str(tmp_path / "result.npz")
    line = ["solve", problem, "-o", result, "--method", "best", "--certificate"]
    assert runner.invoke(app, line).exit_code == 0
    done = runner.invoke(app, ["verify", problem, result])
    assert done.exit_code == 0
    assert done.stdout.startswith("Verified: ")


def test_edges_that_cost_the_same_whatever_the_labels_do_not_weaken_a_proof():
    """The solver leaves them out; what is checked has them, and must prove as much."""
    eliminates = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        edges = [rng.choice(10, 2, replace=False) for _ in range(30)]
        priors = [rm.TablePrior(rng.integers(-9, 10, 3)), rm.TablePrior([4, 4, 4])]
        unary, index = 9 * rng.random((10, 2)), rng.integers(0, 2, 30)
        energy = rm.Energy(unary, priors, 0.37, edges=edges, prior_index=index)
        result = proven(energy, islands="branches")
        steps = [step for island in result.certificate.islands for step in island.steps]
        eliminates += any(step.kind == "eliminate" for step in steps)
    assert eliminates > 3


def test_tables_that_are_made_to_agree_first():
    """A volume whose optimum no search by smaller tables, or without rounds, has shown."""
    energy, _ = draw_small_problem(np.random.default_rng([77, 722]))
    result = proven(energy)
    assert result.status == "optimal"
    assert result.energy == -918
    (island,) = result.certificate.islands
    assert [(step.kind, step.rounds) for step in island.steps if step.rounds] == [("tables", 10)]
