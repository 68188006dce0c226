import numpy as np
import pytest

import rangemoves as rm
from rangemoves.bench.cells import plan, run
from rangemoves.bench.problems import INSTANCES
from rangemoves.bench.single_precision import energy_in_single_precision


def test_integers_are_summed_exactly():
    rng = np.random.default_rng(0)
    energy = rm.Energy(rng.integers(0, 500, (20, 30, 6)), rm.TruncatedQuadratic(2), 7)
    labels = rng.integers(0, 6, (20, 30), dtype=np.int32)
    assert energy_in_single_precision(energy, labels) == energy(labels)


def test_real_costs_are_added_one_by_one_a_pixel_before_its_edges():
    rng = np.random.default_rng(1)
    weights = [rng.random((4, 7)) * 1000, rng.random((5, 6)) * 1000]
    energy = rm.Energy(rng.integers(0, 900_000, (5, 7, 4)), rm.Cauchy(2), weights)
    labels = rng.integers(0, 4, (5, 7), dtype=np.int32)
    total = np.float32(0)
    for y in range(5):
        for x in range(7):
            total += np.float32(energy.unary[y, x, labels[y, x]])
            for axis, j in ((0, (y + 1, x)), (1, (y, x + 1))):
                if j[axis] < labels.shape[axis]:
                    difference = int(labels[y, x]) - int(labels[j])
                    g = rm.Cauchy(2).values(4)[difference + 3]
                    total += np.float32(weights[axis][y, x] * g)
    assert energy_in_single_precision(energy, labels) == total
    assert 0 < abs(float(total) - energy(labels)) < 1e-5 * energy(labels)


@pytest.mark.parametrize(("instance", "printed"), [("venus", "2558.4"), ("sawtooth", "843.7")])
def test_so_summed_the_papers_figures_come_out(tmp_path, data_folder, instance, printed):
    assert INSTANCES[instance].labels == 20
    jobs = plan([instance], ["cauchy"], ["gswap"], data=data_folder, with_written=True)
    [job] = [job for job in jobs if job.cell.row == "gswap-as-written"]
    (tmp_path / "cells").mkdir()
    cell = run(tmp_path, job)
    assert f"{cell.compared_energy / 1000:.1f}" == printed == f"{cell.paper_energy / 1000:.1f}"
    assert cell.energy != cell.single_energy
