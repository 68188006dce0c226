"""Costs to integers: exact where they can be, with an honest error where not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import edge_costs, energies, every_labelling, unary_costs

import rangemoves as rm
from rangemoves.convexify import convex_range
from rangemoves.fixed_point import INTEGER_LIMIT, ROUNDED_LIMIT, to_fixed_point


def integer_energies(energy, fixed, x):
    """The energy of each labelling in the solver's integers."""
    i, j = energy.edges.T
    data = fixed.unary.astype(np.int64)[np.arange(energy.num_variables), x].sum(axis=1)
    difference = energy.num_labels - 1 + x[:, i] - x[:, j]
    pairs = fixed.weights.astype(np.int64) * fixed.table.astype(np.int64)[difference]
    return data + pairs.sum(axis=1)


@given(data=st.data(), forbid=st.booleans(), real=st.booleans())
def test_integer_energies_are_the_energy_up_to_the_stated_error(data, forbid, real):
    energy = data.draw(energies("any", forbid, real))
    fixed = to_fixed_point(energy)
    x = every_labelling(energy)
    truth = unary_costs(energy, x) + edge_costs(energy, x, energy.table).sum(axis=1)
    rounded = integer_energies(energy, fixed, x)
    allowed = np.isfinite(truth)
    slack = fixed.rounding_error + 1e-12 * np.abs(truth[allowed])
    assert (np.abs(rounded[allowed] / fixed.scale - truth[allowed]) <= slack).all()
    if not real:
        assert fixed.exact
        assert fixed.scale == 1
    if not allowed.all():
        # Changing a forbidden label to an allowed one always pays, whatever the others are.
        assert rounded[~allowed].min() > rounded[allowed].min()
    for array in (fixed.unary, fixed.weights, fixed.table):
        assert array.dtype == np.int32
        assert array.flags.c_contiguous


def test_integer_floats_are_exact_too():
    energy = rm.Energy(np.array([[[0.0, 3.0], [2.0, 5.0]]]), rm.TruncatedQuadratic(2), 7.0)
    fixed = to_fixed_point(energy)
    assert fixed.exact
    np.testing.assert_array_equal(fixed.unary, [[0, 3], [2, 5]])


def test_one_weight_for_all_is_folded_into_the_prior():
    fixed = to_fixed_point(rm.Energy(np.zeros((2, 2, 2), int), rm.TablePrior([0, 4]), 0.5))
    assert fixed.exact
    np.testing.assert_array_equal(fixed.table, [2, 0, 2])
    np.testing.assert_array_equal(fixed.weights, 1)


def test_binary_fractions_are_exact():
    energy = rm.Energy(np.array([[[0.25, 0.5], [1.75, 0]]]), rm.Linear(), 0.125)
    assert to_fixed_point(energy).exact


def test_rounded_costs_stay_below_the_limit():
    rng = np.random.default_rng(0)
    for magnitude in (1e-250, 1e-9, 1.0, 1e9, 1e250):
        weights = [rng.random((4, 6)) * magnitude, rng.random((5, 5)) * magnitude]
        unary = rng.random((5, 6, 7)) * magnitude
        energy = rm.Energy(unary, rm.Cauchy(2), weights)
        fixed = to_fixed_point(energy)
        assert np.log2(fixed.scale) == round(np.log2(fixed.scale))
        degree = np.bincount(energy.edges.ravel(), np.repeat(fixed.weights, 2), 30)
        local = np.abs(fixed.unary).max(axis=1) + degree * np.abs(fixed.table).max()
        assert ROUNDED_LIMIT / 8 < local.max() < ROUNDED_LIMIT * 1.1
        total = unary.max() * 30 + energy.weights.sum() * energy.table.max()
        assert 0 < fixed.rounding_error < 1e-2 * total


def test_the_prior_keeps_its_convex_range_when_rounded():
    for T in (2, 3, 8):
        energy = rm.Energy(np.zeros((4, 4, 60)) + 0.1, rm.Cauchy(T), 10)
        left, right = convex_range(to_fixed_point(energy).table)
        assert left == right
        assert T <= left <= T + 1


def test_integers_too_large_to_add_up_are_refused():
    unary = np.zeros((2, 2, 3), np.int64)
    unary[0, 0, 0] = int(INTEGER_LIMIT) + 1
    with pytest.raises(OverflowError, match=r"found 1073741829; divide.*or pass unary as floats"):
        to_fixed_point(rm.Energy(unary, rm.Linear(), 1))
    with pytest.raises(OverflowError, match="cost at most"):
        to_fixed_point(rm.Energy(np.zeros((2, 2, 3), int), rm.Linear(), 10**9))


def test_the_same_costs_as_floats_are_rounded():
    unary = np.zeros((2, 2, 3))
    unary[0, 0, 0] = 2**40 + 1
    fixed = to_fixed_point(rm.Energy(unary, rm.Linear(), 1))
    assert fixed.scale < 1
    assert fixed.rounding_error > 0


def test_sums_beyond_float64_are_refused():
    with pytest.raises(OverflowError, match="float64"):
        to_fixed_point(rm.Energy(np.full((2, 2, 3), 1.7e308), rm.Linear(), 1.7e308))


def test_what_costs_nothing_need_not_fit():
    for energy in (
        rm.Energy(np.zeros((2, 2, 3), int), rm.TablePrior([0, 10**12, 10**13]), 0),
        rm.Energy(np.zeros((2, 3), int), rm.TablePrior([0, 10**12, 10**13]), edges=[]),
        rm.Energy(np.zeros((2, 2, 3), int), rm.TablePrior([0, 0, 0]), 10**12),
    ):
        assert to_fixed_point(energy).exact


def test_int32_costs_are_not_copied():
    unary = np.zeros((4, 4, 5), np.int32)
    energy = rm.Energy(unary, rm.Linear(), copy=False)
    assert np.shares_memory(to_fixed_point(energy).unary, unary)


def test_forbidden_labels_leave_the_others_their_precision():
    unary = np.random.default_rng(1).random((6, 6, 16))
    plain = to_fixed_point(rm.Energy(unary, rm.TruncatedLinear(3), 0.2))
    unary[:, :, 5] = np.inf
    with_forbidden = to_fixed_point(rm.Energy(unary, rm.TruncatedLinear(3), 0.2))
    assert with_forbidden.scale >= plain.scale / 16
