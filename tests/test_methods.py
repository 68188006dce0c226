"""The table of methods and the reasons it gives for refusing."""

import re
from pathlib import Path

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.methods import all_options

README = Path(__file__).resolve().parents[1] / "README.md"

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


def test_gswapf_refuses_a_prior_that_grows_beyond_the_range_asked_for():
    energy = problem(rm.Cauchy(1), labels=4)  # convex up to 2 at integers, up to 1 by its formula
    assert rm.minimize(energy, "gswapf").status in ("optimal", "converged")
    for call in (rm.minimize, rm.estimate_memory):
        with pytest.raises(ValueError, match=r"'gswapf' cannot.*outside -1 \.\. 1"):
            call(energy, "gswapf", convex_range="prior")


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
    with pytest.raises(
        ValueError, match=r"method must be one of 'auto', 'ishikawa', .*; found 'magic'"
    ):
        rm.minimize(problem(rm.Linear()), "magic")
    with pytest.raises(TypeError, match=r"'gswapf' has no option 'strategy'; its options are"):
        rm.minimize(problem(rm.Linear()), "gswapf", strategy="range")
    with pytest.raises(ValueError, match=r"surrogate must be one of 'tight', .*found 'loose'"):
        rm.minimize(problem(rm.Linear()), "gswap", surrogate="loose")
    with pytest.raises(TypeError, match="method must be one of"):
        rm.minimize(problem(rm.Linear()), None)


def test_options_are_listed_with_their_values_and_defaults():
    for m in rm.methods():
        assert m.options == tuple(option.name for option in m.option_table)
        for option in m.option_table:
            assert re.fullmatch(r"[A-Z].*\.", option.help)
            assert "\n" not in option.help
            if option.default is not None:
                assert option.parse(option.default) == option.default
            if not option.choices:
                with pytest.raises(ValueError, match=f"{option.name} must be at least"):
                    option.parse(option.least - 1)


def test_what_is_left_out_has_its_default():
    given = {"engine": "dual", "extend": np.int8(3)}
    assert method("rswape").check_options(given) == {
        "engine": "dual",
        "order": "fixed",
        "extend": 3,
        "surrogate": "continued",
        "convex_range": "table",
        "ties": "keep",
    }
    assert method("rexp").check_options({}) == {"order": "fixed", "convex_range": "table"}


@pytest.mark.parametrize("name", [m.name for m in rm.methods()])
def test_the_solver_takes_every_value_in_the_table(name):
    energy = rm.Energy(np.arange(24).reshape(2, 3, 4) % 5, rm.Linear(), 1)
    plain = rm.minimize(energy, name)
    assert plain.options == {}
    for option in method(name).option_table:
        for value in option.choices or (option.least, option.least + 1):
            result = rm.minimize(energy, name, **{option.name: value})
            assert result.options == {option.name: value}
            if value == option.default:
                np.testing.assert_array_equal(result.labels, plain.labels)


def test_help_lists_every_option_with_its_default():
    text = " ".join(rm.minimize.__doc__.split())
    for option, takers in all_options().items():
        values = ", ".join(f'"{word}"' for word in option.choices)
        kind = f'{{{values}}}, default "{option.default}"' if values else "int, "
        names = ", ".join(m.name for m in takers)
        assert f"{option.name} : {kind}" in text
        assert f"For {names}: {option.help[0].lower()}{option.help[1:]} {option.details}" in text


def test_the_table_of_the_readme_names_methods_that_take_its_priors():
    page = README.read_text(encoding="utf-8")
    section = page.partition("## Methods")[2].partition("\n## ")[0]
    rows = [line.split("|")[2:4] for line in section.splitlines() if line.startswith("| ")][1:]
    assert rows[0][0].split() == ["`auto`,", "the", "default"]
    assert len(rows) == 4
    for names, promises in rows:
        found = [name for name in re.findall(r"`(\w+)`", names) if name != "time_limit"]
        assert found
        assert all(method(name) for name in found)
        for prior in re.findall(r"`([A-Z]\w+)`", promises):
            kind = getattr(rm, prior)
            given = kind() if prior in ("Linear", "Quadratic") else kind(2)
            result = rm.minimize(problem(given, labels=4), found[0])
            assert result.status == "optimal"
    for name in re.findall(r"`(\w+)`", section.partition("compares with are")[2].split(":")[0]):
        assert method(name)
