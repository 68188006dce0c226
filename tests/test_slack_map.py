"""Where a labelling pays: all of the gap, nowhere less than nothing, and inside the islands."""

import dataclasses
import math

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from oracles import energies, hard_grid, size, starts

import rangemoves as rm
from rangemoves.testing._bound import certified_bound

KINDS = ["convex", "robust", "flat", "any"]


def bound_of_messages(energy, result):
    return certified_bound(energy, dataclasses.replace(result.certificate, islands=()))


@hypothesis.settings(max_examples=200)
@hypothesis.given(data=st.data())
def test_integers_add_up_to_the_gap_exactly(data):
    kind, forbid, features = data.draw(st.tuples(st.sampled_from(KINDS), *[st.booleans()] * 2))
    energy = data.draw(energies(kind, forbid, features=features))
    result = rm.minimize(energy, "best", certificate=True)
    labels = data.draw(starts(energy))  # any labelling has a slack
    other = dataclasses.replace(result, labels=labels, energy=energy(labels))
    for each in (result, other):
        slack = rm.testing.slack_map(energy, each)
        assert slack.shape == energy.shape
        assert slack.min() >= 0
        assert math.fsum(slack.flat) == each.energy - bound_of_messages(energy, each)


@hypothesis.given(data=st.data())
def test_real_costs_add_up_to_it_up_to_rounding(data):
    energy = data.draw(energies(data.draw(st.sampled_from(KINDS)), real=True, features=True))
    result = rm.minimize(energy, "best", certificate=True)
    slack = rm.testing.slack_map(energy, result)
    gap = result.energy - bound_of_messages(energy, result)
    assert slack.min() >= 0
    assert math.fsum(slack.flat) == pytest.approx(gap, rel=1e-9, abs=1e-12 * size(energy))


def test_by_hand():
    """Two variables that differ: with zeros for messages the edge pays all there is."""
    from rangemoves.certificate import Certificate

    energy = rm.Energy(np.array([[[0, 5], [9, 0]]]), rm.Linear(), 2)
    zeros = Certificate(scale=1.0, edge=[0], to_head=[False], messages=[[0, 0]])
    found = dataclasses.replace(rm.minimize(energy, "ishikawa"), certificate=zeros)
    assert rm.testing.slack_map(energy, found).tolist() == [[1, 1]]
    worse = dataclasses.replace(found, labels=np.array([[1, 1]]))
    assert rm.testing.slack_map(energy, worse).tolist() == [[5, 0]]


def test_islands_lie_where_the_optimum_pays():
    energy = hard_grid(0, shape=(60, 50))
    result = rm.minimize(energy, "best", certificate=True, time_limit=20)
    inside = np.zeros(energy.num_variables, bool)
    for island in result.certificate.islands:
        inside[island.variables] = True
    slack = rm.testing.slack_map(energy, result).reshape(-1)
    assert inside.sum() > 0
    assert slack[inside].sum() > 0.9 * slack.sum() > 0


def test_it_needs_a_certificate():
    energy = hard_grid(0, shape=(4, 4))
    with pytest.raises(ValueError, match="result must have a certificate"):
        rm.testing.slack_map(energy, rm.minimize(energy, "best"))
