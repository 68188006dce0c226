"""The surrogates on the functions of the paper."""

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.convexify import agrees, convex_range, convexify, dominates, is_convex


def integers(prior, labels=12, scale=1):
    return np.rint(prior.values(labels) * scale).astype(np.int32)


@pytest.mark.parametrize(
    ("prior", "expected"),
    [
        (rm.TruncatedLinear(4), 4),
        (rm.TruncatedQuadratic(4), 4),
        (rm.TruncatedQuadratic(np.sqrt(7)), 3),
        (rm.Linear(), 11),
        (rm.Quadratic(), 11),
        (rm.Huber(3), 11),
    ],
)
def test_the_convex_range_is_read_off_the_table(prior, expected):
    assert convex_range(integers(prior)) == (expected, expected)


def test_each_side_has_its_own_range():
    assert convex_range(np.array([6, 6, 5, 2, 0, 1, 3, 6, 10])) == (2, 4)


def test_the_tight_surrogate_of_the_truncated_quadratic_goes_on_with_its_last_step():
    g = integers(rm.TruncatedQuadratic(3), 7)
    assert convexify(g)[6:].tolist() == [0, 1, 4, 9, 14, 19, 24]
    assert convexify(g, "huber", slopes=(6, 6))[6:].tolist() == [0, 1, 4, 9, 15, 21, 27]


def test_a_side_without_a_slope_is_tight():
    g = integers(rm.TruncatedQuadratic(3), 7)
    tight, huber = convexify(g), convexify(g, "huber", slopes=(None, 6))
    assert huber[:7].tolist() == tight[:7].tolist()
    assert huber[6:].tolist() == [0, 1, 4, 9, 15, 21, 27]


def test_the_tight_surrogate_of_cauchy_follows_it_past_the_threshold():
    g = integers(rm.Cauchy(3), 12, 1000)
    left, right = convex_range(g)
    assert right == 4
    h = convexify(g)
    assert agrees(h, g, left, right)
    assert len(set(np.diff(h[11 + right :]))) == 1


def test_a_chord_is_flatter_than_the_tight_surrogate():
    g = integers(rm.TruncatedQuadratic(4), 12)
    tight, chord = convexify(g), convexify(g, "chord", difference=1)
    assert is_convex(chord)
    assert dominates(chord, g)
    assert agrees(chord, g, 0, 1)
    assert chord[-1] < tight[-1]


def test_the_conditions_can_be_violated():
    assert not is_convex([0, 1, 1])
    assert not dominates([0, 1, 2], [0, 2, 2])
    assert not agrees([1, 0, 2], [1, 0, 1], 1, 1)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([0.5, 0, 0.5],), TypeError, "table must be integers"),
        (([1, 0],), ValueError, "an odd number of values"),
        (([1, 0, 1], "loose"), ValueError, "kind must be one of"),
        (([1, 0, 1], "huber"), ValueError, "slopes must be given"),
        (([2**60, 0, 1],), OverflowError, "table must be within"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        convexify(*arguments)


def test_a_chord_starts_in_the_convex_range():
    with pytest.raises(ValueError, match=r"must lie in the convex range -1 .. 1; found 2"):
        convexify([1, 1, 0, 1, 1], "chord", difference=2)


def test_huber_slopes_must_keep_it_convex():
    with pytest.raises(ValueError, match="slopes"):
        convexify(integers(rm.TruncatedQuadratic(3)), "huber", slopes=(1, 1))
