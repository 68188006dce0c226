"""What the paper's figure of E^h and E^g shows: the true energy never rises, the surrogate does."""

import itertools

import pytest

import rangemoves as rm
from rangemoves.bench.problems import INSTANCES, problem


def check(energy, method):
    trace = rm.minimize(energy, method).trace
    assert sum(record.changed > 0 for record in trace) >= 3
    assert all(after.energy <= before.energy for before, after in itertools.pairwise(trace))
    assert trace[-1].energy < trace[0].energy
    # The first move minimises E^h: whatever lowers E^g after it pays with E^h.
    assert trace[-1].huber_energy > trace[0].huber_energy
    assert any(
        after.huber_energy > before.huber_energy for before, after in itertools.pairwise(trace)
    )


@pytest.mark.parametrize("method", ["gswap", "gswapf"])
@pytest.mark.parametrize("prior", ["quadratic", "linear"])
def test_the_energy_never_rises_while_the_huber_energy_does(prior, method):
    check(problem(f"synthetic-{prior}"), method)


@pytest.mark.parametrize("method", ["gswap", "gswapf"])
def test_also_on_the_papers_instance(data_folder, method):
    """Sawtooth with the truncated linear prior, a third of the rows."""
    instance = INSTANCES["sawtooth"]
    pair = instance.pair(data_folder)
    rows = slice(120, 250)
    costs = rm.stereo.cost_volume(pair.left[rows], pair.right[rows], instance.labels)
    prior = rm.TruncatedLinear(instance.threshold)
    check(rm.Energy(costs, prior, instance.weight), method)
