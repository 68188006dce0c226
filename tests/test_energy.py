"""rm.Energy: what it accepts, what it computes, what it refuses."""

import pickle

import numpy as np
import pytest
from oracles import recompute

import rangemoves as rm

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("dtype", ["?", *"bBhHiIlLqQ", *"efdg"])
def test_any_real_dtype_is_accepted_and_kept(dtype):
    unary = RNG.integers(0, 2, (3, 4, 5)).astype(dtype)
    energy = rm.Energy(unary, rm.Linear(), 0.5)
    assert energy.unary.dtype == dtype
    labels = RNG.integers(0, 5, (3, 4))
    assert (
        energy(labels) == recompute(energy, labels) == rm.testing.reference_energy(energy, labels)
    )


@pytest.mark.parametrize("shape", [(3, 4), (1, 7), (2, 3, 4), (2, 2, 2, 2), (1, 1)])
def test_energy_is_the_formula_on_any_grid(shape):
    unary = RNG.random((*shape, 6))
    energy = rm.Energy(unary, rm.TablePrior(RNG.random(11)), 1.7)
    labels = RNG.integers(0, 6, shape)
    np.testing.assert_allclose(
        energy(labels), rm.testing.reference_energy(energy, labels), rtol=1e-13
    )


def test_energy_on_a_grid_by_hand():
    unary = np.arange(12).reshape(2, 2, 3)
    down, right = [[2, 3]], [[5], [7]]
    energy = rm.Energy(unary, rm.TablePrior([10, 20, 0, 1, 4]), (down, right))
    # x = 0 2 / 1 0: unary 0 + 5 + 7 + 9; down g(-1), g(2); right g(-2), g(1)
    assert energy([[0, 2], [1, 0]]) == 21 + 2 * 20 + 3 * 4 + 5 * 10 + 7 * 1


def test_large_sums_of_integers_are_exact():
    unary = np.full((1000, 1100, 2), 2**29 + 1, dtype=np.int64)
    energy = rm.Energy(unary, rm.Linear(), 0)
    assert energy(np.zeros((1000, 1100), int)) == 1_100_000 * (2**29 + 1)


def test_forbidden_labels_cost_infinity():
    energy = rm.Energy([[[0.0, np.inf], [1.0, 2.0]]], rm.Linear())
    assert energy.has_forbidden_labels
    assert energy([[1, 0]]) == np.inf
    assert energy([[0, 1]]) == 3


def test_array_likes_are_accepted():
    energy = rm.Energy([[[0, 1], [1, 0]]], rm.Linear(), weights=[np.zeros((0, 2)), [[2]]])
    assert energy(((0, 1),)) == 2


def test_the_energy_never_changes():
    unary = np.zeros((2, 2, 3))
    energy = rm.Energy(unary, rm.Linear())
    unary[:] = 7
    assert energy(np.zeros((2, 2), int)) == 0
    for array in (energy.unary, energy.weights, energy.table, energy.tail, energy.head):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 1


def test_inputs_are_never_changed():
    unary, weights = np.ones((2, 2, 3)), [np.ones((1, 2)), np.ones((2, 1))]
    rm.Energy(unary, rm.Linear(), weights)
    rm.Energy(unary, rm.Linear(), weights, copy=False)
    assert unary.flags.writeable
    assert all(w.flags.writeable for w in weights)


def test_without_a_copy_memory_is_shared():
    unary = np.zeros((2, 2, 3))
    assert np.shares_memory(rm.Energy(unary, rm.Linear(), copy=False).unary, unary)
    assert not np.shares_memory(rm.Energy(unary, rm.Linear()).unary, unary)
    turned = np.zeros((3, 2, 2)).T
    assert rm.Energy(turned, rm.Linear(), copy=False)(np.zeros((2, 2), int)) == 0


def test_energies_pickle():
    energy = rm.Energy(RNG.random((2, 3, 4)), rm.Cauchy(2), 0.3)
    labels = RNG.integers(0, 4, (2, 3))
    assert pickle.loads(pickle.dumps(energy))(labels) == energy(labels)


def test_repr_is_short():
    text = repr(rm.Energy(np.zeros((4, 5, 6)), rm.TruncatedLinear(2)))
    assert text == "Energy(shape=(4, 5), labels=6, edges=31, prior=TruncatedLinear(2))"


@pytest.mark.parametrize(
    ("unary", "message"),
    [
        (np.zeros((3, 4)), r"shape \(H, W, L\).*found \(3, 4\); pass edges="),
        (np.zeros((0, 4, 3)), "at least one variable and one label"),
        (np.zeros((3, 4, 0)), "at least one variable and one label"),
        ([[[0, 1], [2]]], "unary must be an array of numbers"),
    ],
)
def test_bad_shapes_are_refused(unary, message):
    with pytest.raises(ValueError, match=message):
        rm.Energy(unary, rm.Linear())


@pytest.mark.parametrize("unary", [np.zeros((2, 2, 2), complex), [[["a"]]], [[[None]]]])
def test_costs_that_are_no_numbers_are_refused(unary):
    with pytest.raises(TypeError, match="unary must be real numbers"):
        rm.Energy(unary, rm.Linear())


def test_nan_is_refused_with_its_place():
    unary = np.zeros((3, 20, 5), np.float32)
    unary[1, 17, 4] = unary[2, 0, 0] = np.nan
    with pytest.raises(ValueError, match=r"found 2 NaN, first at \(1, 17, 4\)"):
        rm.Energy(unary, rm.Linear())


def test_minus_infinity_is_refused_with_its_place():
    unary = np.zeros((3, 4, 5))
    unary[2, 1, 3] = -np.inf
    with pytest.raises(ValueError, match=r"must not be -inf; found it at \(2, 1, 3\)"):
        rm.Energy(unary, rm.Linear())


def test_a_variable_without_a_label_is_refused_with_its_place():
    unary = np.zeros((3, 4, 5))
    unary[2, 1] = np.inf
    with pytest.raises(ValueError, match=r"all 5 labels of variable \(2, 1\) forbidden"):
        rm.Energy(unary, rm.Linear())


def test_wrong_priors_are_refused():
    with pytest.raises(TypeError, match=r"prior must be a Prior.*wrap a table"):
        rm.Energy(np.zeros((1, 1, 2)), [0, 1])
    with pytest.raises(TypeError, match="prior must be a Prior"):
        rm.Energy(np.zeros((1, 1, 2)), rm.Linear)


def test_graph_arguments_must_fit_together():
    with pytest.raises(ValueError, match=r"shape \(N, L\) together with edges="):
        rm.Energy(np.zeros((2, 2, 3)), rm.Linear(), edges=[[0, 1]])
    with pytest.raises(ValueError, match="connectivity is for grids"):
        rm.Energy(np.zeros((2, 3)), rm.Linear(), edges=[[0, 1]], connectivity=4)


@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        (np.zeros((3, 2), int), ValueError, r"labels must have shape \(2, 3\); found \(3, 2\)"),
        (np.full((2, 3), 4), ValueError, r"between 0 and 3; found 6 outside, first 4 at \(0, 0\)"),
        ([[0, 0, 0], [0, -1, 0]], ValueError, r"first -1 at \(1, 1\)"),
        (np.zeros((2, 3)), TypeError, "labels must be integers; found dtype float64"),
    ],
)
def test_bad_labels_are_refused(labels, error, message):
    with pytest.raises(error, match=message):
        rm.Energy(np.zeros((2, 3, 4)), rm.Linear())(labels)


def test_labels_of_any_integer_dtype_are_accepted():
    energy = rm.Energy(np.zeros((1, 2, 300)), rm.Linear())
    for dtype in (np.uint8, np.int16, np.uint64):
        assert energy(np.array([[0, 255]], dtype)) == 255
