"""The priors: their values, names, equality and refusals."""

import pickle

import numpy as np
import pytest

import rangemoves as rm

PRIORS = [
    rm.Linear(),
    rm.Quadratic(),
    rm.Huber(2),
    rm.TruncatedLinear(2.5),
    rm.TruncatedQuadratic(3),
    rm.Cauchy(1.5),
    rm.TablePrior([0, 1, 2, 7, 7, 9]),
]

FORMULAS = [
    (rm.Linear(), abs),
    (rm.Quadratic(), lambda d: d * d),
    (rm.Huber(2), lambda d: d * d if abs(d) <= 2 else 4 * abs(d) - 4),
    (rm.Huber(2.5), lambda d: d * d if abs(d) <= 2.5 else 5 * abs(d) - 6.25),
    (rm.TruncatedLinear(2.5), lambda d: min(abs(d), 2.5)),
    (rm.TruncatedQuadratic(3), lambda d: min(d * d, 9)),
    (rm.TruncatedQuadratic(np.sqrt(7)), lambda d: min(d * d, 7)),
    (rm.Cauchy(3), lambda d: 4.5 * np.log(1 + (d / 3) ** 2)),
]


@pytest.mark.parametrize(
    ("prior", "formula"),
    FORMULAS,
    ids=lambda value: repr(value) if isinstance(value, rm.Prior) else "formula",
)
@pytest.mark.parametrize("labels", [1, 2, 9])
def test_values_follow_the_formula(prior, formula, labels):
    expected = [formula(d) for d in range(1 - labels, labels)]
    values = prior.values(labels)
    assert values.dtype == np.float64
    np.testing.assert_allclose(values, expected, rtol=1e-14)


def test_a_cap_meant_to_be_an_integer_is_one():
    values = rm.TruncatedQuadratic(np.sqrt(200)).values(256)
    assert values.max() == 200.0


def test_tables_are_symmetric_or_complete():
    np.testing.assert_array_equal(rm.TablePrior([0, 2, 3]).values(3), [3, 2, 0, 2, 3])
    np.testing.assert_array_equal(rm.TablePrior([5, 1, 0, 2, 3]).values(3), [5, 1, 0, 2, 3])
    np.testing.assert_array_equal(rm.TablePrior([4]).values(1), [4])
    with pytest.raises(ValueError, match=r"must have 4 values \(symmetric\) or 7; found 3"):
        rm.TablePrior([0, 1, 2]).values(4)


def test_a_table_is_copied():
    given = np.array([0.0, 1.0])
    prior = rm.TablePrior(given)
    given[1] = 9
    prior.values(2)[0] = 9
    np.testing.assert_array_equal(prior.values(2), [1, 0, 1])


@pytest.mark.parametrize("prior", PRIORS, ids=repr)
def test_priors_compare_hash_and_pickle_by_value(prior):
    twin = pickle.loads(pickle.dumps(prior))
    assert twin == prior
    assert hash(twin) == hash(prior)
    assert [other == prior for other in PRIORS].count(True) == 1
    assert prior != "prior"


def test_repr_is_what_one_would_type():
    assert repr(rm.TruncatedQuadratic(3)) == "TruncatedQuadratic(3)"
    assert repr(rm.Linear()) == "Linear()"
    assert repr(rm.TablePrior([0, 1])) == "TablePrior([0., 1.])"


@pytest.mark.parametrize("prior", PRIORS[:-1], ids=repr)
def test_lookup_by_name(prior):
    threshold = getattr(prior, "threshold", None)
    assert rm.prior_by_name(prior.name, threshold) == prior


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("potts",), "prior must be one of 'linear'.*found 'potts'"),
        (("cauchy",), "needs a threshold"),
        (("linear", 3), "has no threshold; found 3"),
    ],
)
def test_lookup_says_what_is_wrong(arguments, message):
    with pytest.raises(ValueError, match=message):
        rm.prior_by_name(*arguments)


@pytest.mark.parametrize("threshold", [0, -1, np.nan, np.inf])
def test_bad_thresholds_are_refused(threshold):
    with pytest.raises(ValueError, match=r"Cauchy\(threshold\) must be"):
        rm.Cauchy(threshold)


@pytest.mark.parametrize("threshold", ["3", None, True, [3]])
def test_thresholds_that_are_no_numbers_are_refused(threshold):
    with pytest.raises(TypeError, match=r"Huber\(threshold\) must be a real number"):
        rm.Huber(threshold)


@pytest.mark.parametrize(
    "values", [[], [[0, 1]], [0, np.nan], [0, -np.inf], [np.inf], [0, np.inf, 1]]
)
def test_bad_tables_are_refused(values):
    with pytest.raises(ValueError, match=r"TablePrior\(values\) must be"):
        rm.TablePrior(values)


def test_tables_of_other_things_are_refused():
    with pytest.raises(TypeError, match="real numbers; found dtype"):
        rm.TablePrior(["a", "b"])


def test_a_prior_of_ones_own_joins_by_its_values():
    class Potts(rm.Prior):
        name = "potts"

        def values(self, labels):
            return (np.arange(1 - labels, labels) != 0).astype(float)

    energy = rm.Energy(np.zeros((1, 2, 3)), Potts())
    assert energy([[0, 2]]) == 1


def test_a_prior_of_the_wrong_length_is_refused():
    class Broken(rm.Prior):
        name = "broken"

        def values(self, labels):
            return np.zeros(labels)

    with pytest.raises(ValueError, match=r"prior.values\(3\) must be 5 finite numbers"):
        rm.Energy(np.zeros((1, 2, 3)), Broken())


class Given(rm.Prior):
    """Whatever it is given."""

    name = "given"

    def __init__(self, values):
        self._values = values

    def values(self, labels):
        return self._values


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        (None, TypeError, "be real numbers"),
        ("abc", TypeError, "be real numbers"),
        (np.zeros(3) * 1j, TypeError, "be real numbers"),
        (np.float64(3), ValueError, "be 3 finite numbers"),
        (np.ma.masked_equal([1, 0, 1], 1), TypeError, "be a plain array"),
        (
            np.array([1, 0, 1], np.longdouble) * np.longdouble("1e4000"),
            OverflowError,
            "fit float64",
        ),
    ],
)
def test_values_that_are_no_numbers_are_refused(values, error, words):
    if np.asarray(values).dtype == np.longdouble and np.isinf(np.asarray(values)).any():
        pytest.skip("long double is float64 on this machine")
    with pytest.raises(error, match=rf"prior.values\(2\) must {words}"):
        rm.Energy(np.zeros((1, 2, 2)), Given(values))


def test_masked_tables_are_refused():
    with pytest.raises(TypeError, match=r"TablePrior\(values\) must be a plain array"):
        rm.TablePrior(np.ma.masked_equal([0, 1, 2], 1))


def test_thresholds_beyond_float64_are_refused():
    with pytest.raises(ValueError, match=r"TruncatedLinear\(threshold\) must be finite"):
        rm.TruncatedLinear(10**400)


@pytest.mark.parametrize(
    "threshold", [5e-324, 1e-200, 1e-3, 0.3, 7, 1e5, 1e12, 1e100, 1e155, 1e308]
)
def test_cauchy_of_any_threshold(threshold):
    distance = np.arange(-5, 6, dtype=np.longdouble)
    T = np.longdouble(threshold)
    expected = np.where(
        np.abs(distance) < T * 1e-9, distance**2 / 2, T * T / 2 * np.log1p((distance / T) ** 2)
    )
    np.testing.assert_allclose(
        rm.Cauchy(threshold).values(6), expected.astype(float), rtol=1e-9, atol=1e-323
    )
