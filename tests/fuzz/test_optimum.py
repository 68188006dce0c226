"""The fuzzer of proofs: a short run of it, its oracles, and that it would notice."""

import dataclasses

import numpy as np
import pytest
from fuzz import optimum
from fuzz.hard_problems import draw_hard_problem
from fuzz.solver import fuzz, report
from fuzz.truth import Truth
from oracles import best_energy

import rangemoves as rm


def problem(number, seed=1):
    return draw_hard_problem(np.random.default_rng([seed, number]))


def test_proofs_of_random_hard_problems_hold():
    failures = fuzz(seed=0, numbers=range(50), jobs=1, check=optimum.check_number)
    assert not failures, report(failures, seed=0, target="fuzz-optimum")


def test_the_oracles_agree():
    enumerated = eliminated = 0
    for number in range(150):
        energy = problem(number).energy()
        if energy.num_variables > 60:
            continue
        found, truth = optimum.optimum_of(energy), Truth(energy)
        slack = 0 if truth.exact else 1e-12 * truth.magnitude
        assert abs(found - truth._by_elimination()) <= slack
        eliminated += 1
        if truth.enumerable:
            assert abs(found - best_energy(energy)) <= slack
            enumerated += 1
    assert eliminated > 80
    assert enumerated > 8


@pytest.mark.parametrize(("kind", "eliminated"), [("tables", 16), ("split", 8)])
def test_problems_are_hard(kind, eliminated):
    """Sweeps alone do not solve them; islands, tables and branches are tried too.

    Where tables solve an island nothing is left to eliminate: one in ``eliminated`` problems does.
    """
    islands = "branches" if kind == "split" else "auto"
    kinds = [
        {step.kind for island in result.certificate.islands for step in island.steps}
        for number in range(60)
        if problem(number).unary.size < 300
        for energy in [problem(number).energy()]
        for result in [rm.minimize(energy, "best", certificate=True, islands=islands)]
    ]
    assert sum(kind in each for each in kinds) > len(kinds) / 8
    assert sum("eliminate" in each for each in kinds) > len(kinds) / eliminated


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("energy below the optimum", lambda r: {"energy": r.energy - 1}),
        ("bound above the optimum", lambda r: {"lower_bound": r.energy + 1}),
        ("broken certificate", lambda r: {"lower_bound": r.energy + 1}),
        ("ends converged", lambda r: {"status": "converged"}),
        ("no certificate", lambda r: {"certificate": None}),
    ],
)
def test_what_is_wrong_is_noticed(monkeypatch, kind, change):
    honest = rm.minimize

    def lie(*args, **kwargs):
        result = honest(*args, **kwargs)
        return dataclasses.replace(result, **change(result))

    monkeypatch.setattr(rm, "minimize", lie)
    assert kind in {f.kind for number in range(6) for f in optimum.check_number(3, number)}


def test_a_false_optimum_is_noticed(monkeypatch):
    honest = rm.minimize

    def lie(energy, *args, **kwargs):
        result = honest(energy, *args, **kwargs)
        labels = honest(energy, "trws", max_iter=0, init=energy.unary.argmax(axis=-1)).labels
        return dataclasses.replace(
            result, labels=labels, energy=energy(labels), lower_bound=None, status="optimal"
        )

    monkeypatch.setattr(rm, "minimize", lie)
    draws = (problem(number, 3) for number in range(20))
    plain = [k for k, each in enumerate(draws) if each.mask is None and not each.limited]
    found = {f.kind for number in plain for f in optimum.check_number(3, number)}
    assert {"optimal is not", "broken certificate"} <= found
