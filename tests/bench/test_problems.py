"""The named problems are the paper's: their energies meet its figures."""

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.bench import paper
from rangemoves.bench.problems import INSTANCES, PRIORS, problem


@pytest.mark.parametrize("instance", ["venus", "sawtooth"])
def test_the_papers_energy_to_its_last_digit(instance, data_folder):
    energy = problem(f"{instance}-quadratic", data_folder)
    result = rm.minimize(energy, "gswapf")
    theirs = paper.figures()[instance, "quadratic", "gswapf"].energy
    assert round(result.energy, -2) == theirs


def test_tsukuba_comes_close(data_folder):
    result = rm.minimize(problem("tsukuba-cauchy", data_folder), "gswap")
    theirs = paper.figures()["tsukuba", "cauchy", "gswap"].energy
    assert result.energy == pytest.approx(theirs, rel=1e-3)


def test_weights_follow_the_image_where_they_should(data_folder):
    assert set(problem("teddy-linear", data_folder).weights) == {10, 30}
    assert set(problem("tsukuba-linear", data_folder).weights) == {20, 40}
    assert set(problem("map-linear", data_folder).weights) == {4}


def test_every_problem_has_its_labels_and_prior():
    for prior, kind in PRIORS.items():
        energy = problem(f"synthetic-{prior}")
        assert energy.num_labels == INSTANCES["synthetic"].labels
        assert isinstance(energy.prior, kind)


def test_other_images_and_parameters_are_another_problem(tmp_path, data_folder):
    venus = INSTANCES["venus"]
    folder = tmp_path / "venus"
    folder.mkdir()
    pair = venus.pair(data_folder)
    changed = np.array(pair.left)
    changed[0, 0, 0] ^= 1
    for stem, image in (("im2", changed), ("im6", pair.right)):
        rm.io.write_image(folder / f"{stem}.png", image)
    (folder / "disp2.pgm").write_bytes(
        (data_folder / "middlebury" / "venus" / "disp2.pgm").read_bytes()
    )
    assert venus.identity(venus.pair(tmp_path)) != venus.identity(pair)
    assert venus.identity(venus.pair(data_folder / "middlebury")) == venus.identity(pair)
    assert INSTANCES["sawtooth"].identity(pair) != venus.identity(pair)


def test_unknown_names_are_listed():
    with pytest.raises(ValueError, match="venus"):
        problem("mars-quadratic")
    with pytest.raises(ValueError, match="cauchy"):
        problem("synthetic-cubic")
