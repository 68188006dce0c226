"""``rangemoves verify``: what a stored result says is true, or the exit code is 1."""

import dataclasses
import json

import numpy as np
import pytest
from certificate_writer import enumerated, swept

import rangemoves as rm
from rangemoves.certificate import Certificate

pytest.importorskip("typer")
from typer.testing import CliRunner

from rangemoves.cli import app

UNARY = np.random.default_rng(0).integers(0, 9, (2, 3, 3))
PROBLEM = {"unary": UNARY, "prior": "truncated-linear", "threshold": 1, "weights": 2}
ENERGY = rm.Energy(UNARY, rm.TruncatedLinear(1), 2)
LABELS, OPTIMUM = rm.testing.brute_force(ENERGY)
WORSE = LABELS + np.eye(2, 3, dtype=np.int32)
OPTIMAL = rm.Result(
    labels=LABELS,
    energy=OPTIMUM,
    lower_bound=OPTIMUM,
    status="optimal",
    iterations=0,
    trace=(),
    seconds=0.0,
    method="best",
    certificate=enumerated(ENERGY),
)


@pytest.fixture
def verify(tmp_path):
    """Store a problem and a result and call the command."""

    def run(result, *arguments, problem=PROBLEM):
        np.savez(tmp_path / "problem.npz", **problem)
        result.save(tmp_path / "result.npz")
        line = ["verify", str(tmp_path / "problem.npz"), str(tmp_path / "result.npz"), *arguments]
        return CliRunner().invoke(app, line)

    return run


def test_an_optimum_is_proven(verify):
    done = verify(OPTIMAL)
    assert done.exit_code == 0, done.output
    assert done.stdout == (
        "Verified: proven optimal\n"
        f"  energy       {OPTIMUM:g}\n"
        f"  lower bound  {OPTIMUM:g} (gap 0)\n"
    )
    facts = json.loads(verify(OPTIMAL, "--json").stdout)
    assert facts == {
        "verified": True,
        "optimal": True,
        "energy": OPTIMUM,
        "lower_bound": OPTIMUM,
        "gap": 0.0,
    }


def test_a_gap_is_told(verify):
    nothing = Certificate(1.0, [], [], np.zeros((0, 3), int))
    weak = float(UNARY.min(axis=-1).sum())
    result = dataclasses.replace(OPTIMAL, certificate=nothing, lower_bound=weak, status="converged")
    done = verify(result)
    assert done.exit_code == 0
    assert "Verified: not proven optimal" in done.stdout
    facts = json.loads(verify(result, "--json").stdout)
    assert facts["verified"]
    assert not facts["optimal"]
    assert facts["lower_bound"] == weak < facts["energy"]
    assert facts["gap"] == pytest.approx((OPTIMUM - weak) / OPTIMUM)


def test_float_costs(verify):
    problem = {**PROBLEM, "unary": UNARY * 0.7, "weights": 2.8}
    energy = rm.Energy(UNARY * 0.7, rm.TruncatedLinear(1), 2.8)
    value = energy(LABELS)
    whole = swept(energy, 64, 3)
    messages, to_head = whole.messages(range(7))
    certificate = Certificate(64.0, np.arange(7), to_head, messages)
    result = dataclasses.replace(
        OPTIMAL, energy=value, lower_bound=None, status="converged", certificate=certificate
    )
    done = verify(result, "--json", problem=problem)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["lower_bound"] <= value


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"certificate": None}, "must have a certificate"),
        ({"energy": OPTIMUM - 1}, "energy must be that of its labels"),
        ({"lower_bound": OPTIMUM + 1}, "lower_bound must be what the certificate proves"),
        ({"labels": WORSE, "energy": ENERGY(WORSE)}, "must not be 'optimal'"),
        ({"labels": LABELS[:1]}, "must have shape"),
        (
            {"certificate": dataclasses.replace(OPTIMAL.certificate, islands=())},
            "lower_bound must be what",
        ),
    ],
    ids=["no certificate", "energy", "bound", "status", "labels", "certificate"],
)
def test_what_is_not_true_fails_in_one_line(verify, change, words):
    result = dataclasses.replace(OPTIMAL, **change)
    done = verify(result)
    assert done.exit_code == 1
    assert done.stdout == ""
    assert done.stderr.startswith("rangemoves: not verified: ")
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    as_json = verify(result, "--json")
    assert as_json.exit_code == 1
    facts = json.loads(as_json.stdout)
    assert not facts["verified"]
    assert words in facts["reason"]


def test_the_certificate_of_another_problem_fails(verify):
    done = verify(OPTIMAL, problem={**PROBLEM, "unary": UNARY + 1})
    assert done.exit_code == 1
    assert "energy must be that of its labels" in done.stderr
    done = verify(OPTIMAL, problem={**PROBLEM, "unary": UNARY[:1]})
    assert done.exit_code == 1
    assert "must have shape" in done.stderr


def test_wrong_use(tmp_path):
    np.savez(tmp_path / "problem.npz", **PROBLEM)
    problem = str(tmp_path / "problem.npz")
    for line in (["verify"], ["verify", problem], ["verify", problem, problem, "--loud"]):
        assert CliRunner().invoke(app, line).exit_code == 2
    assert CliRunner().invoke(app, ["verify", problem, problem + "x"]).exit_code == 2
    done = CliRunner().invoke(app, ["verify", problem, problem])
    assert done.exit_code == 1
    assert "must be a file written by Result.save" in done.stderr


def test_solve_stores_certificates_of_best_in_whole_results(tmp_path):
    np.savez(tmp_path / "problem.npz", **PROBLEM)
    line = ["solve", str(tmp_path / "problem.npz"), "--certificate", "-o"]
    done = CliRunner().invoke(app, [*line, str(tmp_path / "labels.npy")])
    assert done.exit_code == 2
    assert "ends in .npz" in " ".join(done.stderr.replace("│", " ").split())
    done = CliRunner().invoke(app, [*line, str(tmp_path / "result.npz"), "--method", "trws"])
    assert done.exit_code == 1
    assert "certificate must be False for method 'trws'" in done.stderr
