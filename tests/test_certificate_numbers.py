"""The arithmetic of the checker of certificates: exact, or off to the safe side alone."""

from fractions import Fraction

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.testing._edges import Edges
from rangemoves.testing._numbers import Beliefs, Exact, Outward

FLOATS = Outward()


def floats(rng, *shape):
    """Numbers of all sizes, which sums cannot hold."""
    return rng.standard_normal(shape) * 10.0 ** rng.integers(-12, 12, shape)


def fractions(values):
    """The same numbers, of which Python can take sums without rounding."""
    return np.vectorize(Fraction, otypes=[object])(values)


@pytest.mark.parametrize("seed", range(5))
def test_sums_of_floats_are_not_above_the_true_ones(seed):
    rng = np.random.default_rng(seed)
    costs, vectors = floats(rng, 4, 50), floats(rng, 12, 50)
    receivers = rng.integers(0, 4, 12)
    true = fractions(costs)
    np.add.at(true, receivers, fractions(vectors))
    beliefs = Beliefs(FLOATS, costs.copy())
    beliefs.add(receivers, vectors)
    found = beliefs.floor()
    assert (fractions(found) <= true).all()
    np.testing.assert_allclose(found, true.astype(float), rtol=1e-12, atol=1e-2)
    plain = costs.copy()
    np.add.at(plain, receivers, vectors)
    assert (fractions(plain) > true).any()  # what plain sums would have been


@pytest.mark.parametrize("seed", range(5))
def test_implied_vectors_of_floats_are_not_above_the_true_ones(seed):
    rng = np.random.default_rng(seed)
    labels, count = 5, 60
    weights, table = np.abs(floats(rng, count)), floats(rng, 2 * labels - 1)
    ends = [(0, 1)] * count
    energy = rm.Energy(np.zeros((2, labels)), rm.TablePrior(table), weights, edges=ends)
    messages, to_head = floats(rng, count, labels), rng.random(count) < 0.5
    possible = rng.random((count, labels)) < 0.8
    possible[:, 0] = True
    found, none = Edges(energy, FLOATS).implied(np.arange(count), to_head, messages, possible)
    assert not none.any()
    above = 0
    for e in range(count):
        for b in range(labels):
            sign = -1 if to_head[e] else 1
            terms = [
                (table[labels - 1 + sign * (a - b)], messages[e, a])
                for a in np.flatnonzero(possible[e])
            ]
            true = min(Fraction(weights[e]) * Fraction(g) - Fraction(m) for g, m in terms)
            assert found[e, b] <= true
            assert found[e, b] == pytest.approx(float(true), rel=1e-9, abs=1e-3)
            above += min(weights[e] * g - m for g, m in terms) > true
    assert above  # what plain floats would have made of it


def test_running_sums_of_floats_are_not_above_the_true_ones():
    rng = np.random.default_rng(1)
    length, changes = 30, floats(rng, 200)
    times, first = rng.integers(0, length, 200), 1e5 / 3
    found = FLOATS.running(first, times, changes, length)
    for time in range(length):
        true = Fraction(first) + sum(Fraction(change) for change in changes[times < time])
        assert found[time] <= true
        assert found[time] >= true - Fraction(1e-13 * np.abs(changes).sum())
    assert FLOATS.total(changes) <= sum(map(Fraction, changes))


def test_exchanges_of_floats_are_not_above_the_true_ones():
    rng = np.random.default_rng(1)
    for total, out, into in floats(rng, 200, 3).tolist():
        true = Fraction(total) - Fraction(out) + Fraction(into)
        assert FLOATS.exchanged(total, out, into) <= true
        assert FLOATS.exchanged(total, out, into) >= true - Fraction(1, 10**3)


def test_products_near_zero():
    """Where products underflow no relative error holds."""
    smallest = 5e-324
    energy = rm.Energy(
        np.zeros((2, 2)), rm.TablePrior([0.35, 0.4, 0.35]), smallest * 5, edges=[(0, 1)]
    )
    found, _ = Edges(energy, FLOATS).implied(
        np.arange(1), np.array([True]), np.zeros((1, 2)), np.ones((1, 2), bool)
    )
    true = Fraction(0.35) * Fraction(smallest * 5)
    assert all(value <= true for value in found[0])


def test_integers_are_exact():
    exact = Exact(8)
    np.testing.assert_array_equal(exact.costs(np.array([1.0, np.inf, -3.0])), [8, 0, -24])
    np.testing.assert_array_equal(exact.message(np.array([[3, -1]]), 2.0), [[12, -4]])
    assert exact.total(np.array([2**62] * 8)) == 2**65
    running = exact.running(2**63, np.array([0, 2, 0]), np.array([5, 7, 2**62]), 3)
    assert running == [2**63, 2**63 + 2**62 + 5, 2**63 + 2**62 + 5]
    assert exact.in_units(4) == Fraction(1, 2)
