"""The table of methods and the reasons it gives for refusing."""

import numpy as np
import pytest

import rangemoves as rm

ROBUST = [rm.TruncatedLinear(2), rm.TruncatedQuadratic(2), rm.Cauchy(2)]
CONVEX = [rm.Linear(), rm.Quadratic(), rm.Huber(2)]


def problem(prior, labels=9):
    return rm.Energy(np.ones((2, 3, labels)), prior, 10)


def method(name):
    return next(m for m in rm.methods() if m.name == name)


def test_every_method_says_what_it_is_good_for():
    names = [m.name for m in rm.methods()]
    assert len(set(names)) == len(names)
    assert {"ishikawa", "gswap", "gswapf"} <= set(names)
    for m in rm.methods():
        assert all((m.moves, m.requires, m.guarantees, m.when_to_use))
    for name in ("ishikawa", "gswap", "gswapf", "best"):
        assert "engine" in method(name).options


@pytest.mark.parametrize("prior", CONVEX, ids=repr)
@pytest.mark.parametrize("name", ["ishikawa", "gswap", "gswapf"])
def test_convex_priors_suit_every_method(name, prior):
    assert method(name).refusal(problem(prior)) is None


@pytest.mark.parametrize("prior", ROBUST, ids=repr)
def test_ishikawa_refuses_robust_priors(prior):
    with pytest.raises(ValueError, match=r"'ishikawa' cannot.*convex only for.*use method='gswap'"):
        rm.minimize(problem(prior), "ishikawa")


@pytest.mark.parametrize("prior", ROBUST, ids=repr)
def test_a_threshold_beyond_all_labels_makes_a_prior_convex(prior):
    assert method("ishikawa").refusal(problem(type(prior)(20))) is None


def test_gswapf_refuses_priors_that_go_on_growing():
    with pytest.raises(ValueError, match=r"'gswapf' cannot.*one and the same largest value"):
        rm.minimize(problem(rm.Cauchy(2)), "gswapf")


@pytest.mark.parametrize(
    "values",
    [
        [5, 5, 1, 0, 1, 4, 4],  # plateaus of unequal height
        [4, 4, 1, 0, 1, 5, 4],  # not flat
        [3, 3, 1, 0, 4, 8, 12],  # flat on one side, ever growing on the other
    ],
)
def test_gswapf_refuses_unequal_plateaus(values):
    assert method("gswapf").refusal(problem(rm.TablePrior(values), labels=4)) is not None


@pytest.mark.parametrize("prior", [rm.TruncatedLinear(2.5), rm.TruncatedQuadratic(np.sqrt(7))])
def test_gswapf_accepts_truncated_priors(prior):
    assert method("gswapf").refusal(problem(prior)) is None


def test_unknown_methods_and_options_are_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"method must be one of 'ishikawa', .*; found 'magic'"):
        rm.minimize(problem(rm.Linear()), "magic")
    with pytest.raises(TypeError, match=r"'gswapf' has no option 'strategy'; its options are"):
        rm.minimize(problem(rm.Linear()), "gswapf", strategy="range")
    with pytest.raises(ValueError, match=r"surrogate must be one of 'tight', .*found 'loose'"):
        rm.minimize(problem(rm.Linear()), "gswap", surrogate="loose")
    with pytest.raises(TypeError, match="method must be one of"):
        rm.minimize(problem(rm.Linear()), None)
