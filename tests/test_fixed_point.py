"""Costs to integers: exact where they can be, with an honest error where not."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import edge_costs, energies, every_labelling, unary_costs

import rangemoves as rm
from rangemoves import _core
from rangemoves.convexify import convex_range, is_convex
from rangemoves.fixed_point import to_fixed_edges, to_fixed_point
from rangemoves.fixed_point.rounded_tables import rounded_tables
from rangemoves.limits import LIMITS


def rounded_table(g, scale):
    """One table with its middle at zero."""
    return rounded_tables(g[None, :], scale, np.zeros(1, np.int32))[0]


def integer_energies(energy, fixed, x):
    """The energy of each labelling in the solver's integers."""
    i, j = energy.edges.T
    data = fixed.unary.astype(np.int64)[np.arange(energy.num_variables), x].sum(axis=1)
    difference = energy.num_labels - 1 + x[:, i] - x[:, j]
    kinds = fixed.table_index if fixed.table_index.size else np.zeros(energy.num_edges, int)
    tables = fixed.tables[kinds, difference]
    return data + (fixed.weights.astype(np.int64) * tables).sum(axis=1)


def true_energies(energy, x):
    return unary_costs(energy, x) + edge_costs(energy, x, energy.table).sum(axis=1)


def dominated(energy):
    """Labels that cost more than the cheapest with all edges at their worst."""
    costs = energy.unary.reshape(energy.num_variables, -1).astype(float)
    degree = np.bincount(energy.edges.ravel(), np.repeat(energy.weights, 2), energy.num_variables)
    reach = degree * (energy.table.max() - energy.table.min())
    return costs > costs.min(axis=1, keepdims=True) + reach[:, None]


@given(data=st.data(), forbid=st.booleans(), real=st.booleans())
def test_integer_energies_are_the_energy_up_to_the_stated_error(data, forbid, real):
    energy = data.draw(energies("any", forbid, real))
    fixed = to_fixed_point(energy)
    x = every_labelling(energy)
    truth = true_energies(energy, x)
    integers = integer_energies(energy, fixed, x)
    rounded = integers / fixed.scale + fixed.offset
    allowed = np.isfinite(truth)
    kept = ~dominated(energy)[np.arange(energy.num_variables), x].any(axis=1)
    slack = fixed.rounding_error + 1e-12 * np.abs(truth[kept])
    assert (np.abs(rounded[kept] - truth[kept]) <= slack).all()
    # A dominated or forbidden label is never worth it.
    assert (integers[~kept] > integers.min()).all()
    # The optimum is the same, up to the error.
    best = truth[integers.argmin()] - truth.min()
    assert best <= 2 * fixed.rounding_error + 1e-12 * np.abs(truth[allowed]).max()
    if not real:
        assert fixed.exact
        assert fixed.scale == 1
    assert fixed.weights.dtype == np.int32
    assert fixed.tables.dtype == np.int64
    kinds = (np.uint8, np.int16, np.uint16, np.int32, np.int64)
    assert fixed.unary.dtype in kinds
    for array in (fixed.unary, fixed.weights, fixed.tables):
        assert array.flags.c_contiguous


def test_integer_floats_are_exact_too():
    energy = rm.Energy(np.array([[[0.0, 3.0], [2.0, 5.0]]]), rm.TruncatedQuadratic(2), 7.0)
    fixed = to_fixed_point(energy)
    assert fixed.exact
    np.testing.assert_array_equal(fixed.unary, [[0, 3], [2, 5]])


def test_one_integer_weight_for_all_is_folded_into_the_prior():
    fixed = to_fixed_point(rm.Energy(np.zeros((2, 2, 2), int), rm.TablePrior([0, 4]), 3))
    np.testing.assert_array_equal(fixed.tables, [[12, 0, 12]])
    np.testing.assert_array_equal(fixed.weights, 1)


@pytest.mark.parametrize("weight", [0.1, 0.3, 0.8, 1 / 3, 7.7, 1e-5])
def test_one_real_weight_for_all_leaves_the_prior_alone(weight):
    for prior in (rm.Linear(), rm.Huber(1), rm.Huber(2), rm.Quadratic(), rm.TruncatedLinear(4)):
        energy = rm.Energy(np.random.default_rng(0).random((4, 5, 9)), prior, weight)
        (table,) = to_fixed_point(energy).tables
        np.testing.assert_array_equal(table * energy.table.max(), energy.table * table.max())


@pytest.mark.parametrize("scale", [2.0**9, 2.0**20, 2.0**40])
@pytest.mark.parametrize(
    "prior",
    [rm.Huber(0.3), rm.Huber(2.7), rm.Cauchy(0.7), rm.Cauchy(8), rm.TruncatedQuadratic(200**0.5)],
    ids=repr,
)
def test_a_rounded_prior_bends_as_the_prior_does(prior, scale):
    g = prior.values(60)
    table = rounded_table(g, scale)
    np.testing.assert_array_equal(table, table[::-1])
    bends, exact = np.diff(table, 2), np.diff(g, 2)
    straight = np.abs(exact) < 1e-10 * g.max()
    assert (bends[straight] == 0).all()
    # Coarse steps may straighten a weak bend, but never turn it round, and never lose a break.
    assert (bends[exact > 0] >= 0).all()
    if scale > 2.0**30:
        assert (np.sign(bends[~straight]) == np.sign(exact[~straight])).all()
    assert np.abs(table / scale - g).max() <= 60 / scale


def test_steps_that_differ_by_rounding_alone_stay_straight():
    g = np.arange(40) * 0.1
    table = np.concatenate([g[:0:-1], g])
    for scale in (2.0**20, 2.0**30, 2.0**45):
        assert is_convex(rounded_table(table, scale).astype(np.int64))


def test_unequal_sides_that_end_at_one_height_still_do():
    right = np.minimum(np.arange(12) * 0.1, 0.7)
    left = np.minimum(np.arange(12) * 0.233333, 0.7)
    left[3:] = 0.7
    table = rounded_table(np.concatenate([left[:0:-1], right]), 2.0**20)
    assert table[0] == table[-1] == table.max()


def test_the_prior_keeps_its_convex_range_when_rounded():
    for T in (2, 3, 8):
        energy = rm.Energy(np.zeros((4, 4, 60)) + 0.1, rm.Cauchy(T), 10)
        exact = np.diff(energy.table[59:], 2) < 0
        left, right = convex_range(to_fixed_point(energy).tables[0])
        assert left == right == int(np.argmax(exact)) + 1


def test_binary_fractions_are_exact():
    energy = rm.Energy(np.array([[[0.25, 0.5], [1.75, 0]]]), rm.Linear(), 0.125)
    assert to_fixed_point(energy).exact


@pytest.mark.parametrize("magnitude", [1e-305, 1e-250, 1e-9, 1.0, 1e9, 1e250, 1e303])
def test_costs_of_any_size_keep_their_precision(magnitude):
    rng = np.random.default_rng(0)
    weights = [rng.random((4, 6)), rng.random((5, 5))]
    unary = rng.random((5, 6, 7))
    energy = rm.Energy(unary * magnitude, rm.Cauchy(2), [w * magnitude for w in weights])
    fixed = to_fixed_point(energy)
    total = (30 + sum(w.sum() for w in weights) * energy.table.max()) * magnitude / fixed.unit
    # Both factors are real here, and share the bits there are.
    assert 0 < fixed.rounding_error < 5e-8 * total
    energy = rm.Energy(unary * magnitude, rm.Linear(), [w * magnitude for w in weights])
    assert 0 < to_fixed_point(energy).rounding_error < 1e-9 * total
    assert math.isfinite(fixed.scale)
    assert math.log2(fixed.unit) == round(math.log2(fixed.unit))


def test_one_huge_cost_leaves_the_others_their_precision():
    unary = np.random.default_rng(0).random((20, 20, 6))
    plain = to_fixed_point(rm.Energy(unary, rm.TruncatedLinear(2), 0.25))
    unary[3, 4, 2] = 1e7
    energy = rm.Energy(unary, rm.TruncatedLinear(2), 0.25)
    assert to_fixed_edges(energy).capped
    fixed = to_fixed_point(energy)
    assert fixed.scale == plain.scale
    row = fixed.unary[3 * 20 + 4]
    assert row.argmax() == 2
    assert row[2] < 2 * np.delete(row, 2).max() + 20 * fixed.tables.max()


def test_integers_too_large_for_32_bits_take_64():
    unary = np.zeros((2, 2, 3), np.int64)
    unary[0, 0] = 2**40, 0, 2**39
    energy = rm.Energy(unary, rm.Linear(), 2**41)
    fixed = to_fixed_point(energy)
    assert fixed.exact
    assert fixed.unary.dtype == np.int64
    np.testing.assert_array_equal(fixed.unary, unary.reshape(4, 3))


def test_integers_too_large_to_add_up_are_refused_by_name():
    with pytest.raises(OverflowError, match=r"one variable and its edges \(\(0, 0\) here\)"):
        to_fixed_point(rm.Energy(np.zeros((1, 2, 3), int), rm.Linear(), 2**53))
    weights = [np.array([[2**40], [1]]), np.zeros((3, 0))]
    with pytest.raises(OverflowError, match="one weight of several"):
        to_fixed_point(rm.Energy(np.zeros((3, 1, 3), int), rm.Linear(), weights))
    with pytest.raises(OverflowError, match="all of it may come to at most"):
        to_fixed_point(rm.Energy(np.zeros((64, 64, 3), int), rm.Linear(), 2**47))
    # As floats they are rounded.
    fixed = to_fixed_point(rm.Energy(np.zeros((1, 2, 3)) + 0.5, rm.Linear(), 2.0**60))
    assert fixed.scale < 1


def test_unsigned_and_offset_integers_are_exact():
    unary = np.array([[2**64 - 1, 2**64 - 5], [2**64 - 3, 2**64 - 1]], np.uint64)
    fixed = to_fixed_point(rm.Energy(unary, rm.Linear(), 3, edges=[[0, 1]]))
    assert fixed.exact
    np.testing.assert_array_equal(fixed.unary, [[4, 0], [0, 2]])


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


def test_forbidden_labels_leave_the_others_their_precision():
    unary = np.random.default_rng(1).random((6, 6, 16))
    plain = to_fixed_point(rm.Energy(unary, rm.TruncatedLinear(3), 0.2))
    unary[:, :, 5] = np.inf
    with_forbidden = to_fixed_point(rm.Energy(unary, rm.TruncatedLinear(3), 0.2))
    assert with_forbidden.scale >= plain.scale / 4


def test_costs_that_cannot_be_kept_apart_are_said():
    unary = np.random.default_rng(2).random((6, 6, 4))
    weights = [np.ones((5, 6)), np.ones((6, 5))]
    to_fixed_point(rm.Energy(unary, rm.Linear(), weights))
    weights[0][2, 3] = 1e14
    energy = rm.Energy(unary, rm.Linear(), weights)
    with pytest.warns(rm.PrecisionWarning) as said:
        to_fixed_point(energy)
    assert [("unary" in str(w.message), "3e+14" in str(w.message)) for w in said] == [
        (True, True),
        (False, True),
    ]


@pytest.mark.parametrize("weight", [1e13, 1e16, 2.0**63, 1e100, 1e290])
def test_weights_beside_which_costs_are_lost_are_said(weight):
    """However heavy: equal labels cost no edge anything, so that the energy shows every cost."""
    unary = np.random.default_rng(2).random((6, 6, 4))
    with pytest.warns(rm.PrecisionWarning, match="lower the largest costs or weights"):
        to_fixed_point(rm.Energy(unary, rm.Linear(), weight))


def test_costs_that_float64_does_not_show_are_not_missed():
    unary = np.random.default_rng(2).random((6, 6, 4))
    offset = rm.TablePrior(np.minimum(np.arange(4.0), 2) + 1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        to_fixed_point(rm.Energy(unary, offset, 1e17))


def test_core_and_python_have_the_same_limits():
    assert _core.limits() == LIMITS
    assert to_fixed_edges(rm.Energy(np.zeros((2, 2, 2)), rm.Linear())).weights.dtype == np.int32


def test_size_counts_labels_that_matter_and_no_others():
    # Edges can make up for 4: what costs 7 more than the cheapest is no label of an optimum, and
    # what is called optimal is measured by the sizes of those that are.
    unary = np.array([[[0.5, 1.5, 7.5], [0.25, 3.5, 0.5]]])
    fixed = to_fixed_point(rm.Energy(unary, rm.TruncatedLinear(2), 2.0))
    assert fixed.size == 1.5 + 3.5 + 4
