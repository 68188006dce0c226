"""The fuzzer: a short run of it, and that it would notice."""

import dataclasses

import numpy as np
import pytest
from fuzz import checks
from fuzz.problems import draw_problem
from fuzz.solver import fuzz, report
from fuzz.truth import Truth

import rangemoves as rm


@pytest.mark.parametrize("first", [0, 250, 500, 750])
def test_a_thousand_random_problems_keep_every_promise(first):
    failures = fuzz(seed=0, numbers=range(first, first + 250), jobs=1)
    assert not failures, report(failures, seed=0)


def test_elimination_agrees_with_enumeration():
    compared = 0
    for number in range(300):
        problem = draw_problem(np.random.default_rng([1, number]))
        if problem.unary.size > 5000:
            continue
        truth = Truth(problem.energy())
        if truth.enumerable:
            slack = 0 if truth.exact else checks.SUM_ERROR * truth.magnitude
            assert abs(truth._by_elimination() - truth.optimum) <= slack
            compared += 1
    assert compared > 100


def test_the_optimum_of_a_star_agrees_with_elimination():
    rng = np.random.default_rng(2)
    edges = np.array([[0, 1], [2, 0], [0, 3], [4, 0]])
    energy = rm.Energy(
        rng.integers(0, 9, (5, 4)), rm.TablePrior([5, 3, 1, 0, 2, 2, 9]), [1, 2, 3, 4], edges=edges
    )
    truth = Truth(energy)
    assert truth._star_optimum() == truth._by_elimination() == truth.optimum


def test_no_labelling_is_seen_without_the_optimum():
    found = {True: 0, False: 0}
    for number in range(2000):
        problem = draw_problem(np.random.default_rng([0, number]))
        if not problem.limited:
            continue
        try:
            truth = Truth(problem.energy())
        except ValueError:  # no difference is left at an edge
            continue
        expected = truth.has_no_labelling
        assert truth.optimum is not None
        truth.__dict__["optimum"] = None
        assert truth.has_no_labelling == expected
        found[expected] += 1
    assert min(found.values()) > 0


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("energy is not that of the labels", lambda r: {"energy": r.energy - 1}),
        ("bound above the optimum", lambda r: {"lower_bound": r.energy + 1}),
        ("optimal", lambda r: {"labels": np.zeros_like(r.labels), "status": "optimal"}),
        ("trace", lambda r: {"iterations": r.iterations + 1}),
        ("status", lambda r: {"status": "time_limit"}),
    ],
)
def test_what_is_wrong_is_noticed(monkeypatch, kind, change):
    honest = rm.minimize

    def lie(*args, **kwargs):
        result = honest(*args, **kwargs)
        return dataclasses.replace(result, **change(result))

    monkeypatch.setattr(rm, "minimize", lie)
    found = {f.kind for number in range(40) for f in checks.check_number(3, number)}
    assert any(kind in each for each in found)
