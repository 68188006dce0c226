"""``rangemoves demo``: pictures, a cloud, a report, energies."""

import json

import numpy as np
import pytest

import rangemoves as rm

pytest.importorskip("typer")
from typer.testing import CliRunner

from rangemoves.cli import app, demo


@pytest.fixture
def small_scene(monkeypatch):
    """The demo on a scene that takes no time."""
    render = rm.datasets.synthetic_stereo

    def render_small(seed):
        return render(seed, shape=(48, 64), labels=12)

    monkeypatch.setattr(demo.datasets, "synthetic_stereo", render_small)
    monkeypatch.setattr(demo, "SECONDS", 0.5)
    return render_small


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.usefixtures("small_scene")
def test_it_writes_pictures_a_cloud_and_a_report(tmp_path):
    folder = tmp_path / "out"
    done = CliRunner().invoke(app, ["demo", "-o", str(folder)])
    assert done.exit_code == 0, done.output
    assert names(folder) == sorted(demo.FILES)
    assert "more than a pixel off" in done.stdout
    for method in ("best", "gswap", "gswapf"):
        assert f"  {method} " in done.stdout
    for name in ("left", "disparity", "error", "cloud"):
        assert rm.io.read_image(folder / f"{name}.png").shape == (48, 64, 3)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Points in space" in page


def test_json_has_the_match_and_the_energies(tmp_path, small_scene):
    done = CliRunner().invoke(app, ["demo", "-o", str(tmp_path), "--seed", "2", "--json"])
    facts = json.loads(done.stdout)
    pair = small_scene(2)
    found = rm.stereo.match(pair.left, pair.right, labels=pair.labels)
    expected = rm.stereo.evaluate(found, pair.disparity, pair.mask)
    assert facts["match"]["scores"] == expected
    unary = rm.stereo.cost_volume(pair.left, pair.right, pair.labels)
    energy = rm.Energy(unary, rm.TruncatedQuadratic(demo.THRESHOLD), demo.WEIGHT)
    for method in ("gswap", "gswapf"):
        assert facts["results"][method]["energy"] == rm.minimize(energy, method).energy
    assert rm.minimize(energy).method in facts["results"]
    assert facts["results"]["best"]["lower_bound"] is not None


@pytest.mark.usefixtures("small_scene")
def test_existing_files_are_kept_unless_forced(tmp_path):
    (tmp_path / "left.png").write_text("precious")
    assert CliRunner().invoke(app, ["demo", "-o", str(tmp_path)]).exit_code == 2
    assert (tmp_path / "left.png").read_text() == "precious"
    assert CliRunner().invoke(app, ["demo", "-o", str(tmp_path), "--force"]).exit_code == 0


@pytest.mark.usefixtures("small_scene")
def test_ctrl_c_while_methods_are_compared(tmp_path, monkeypatch):
    def interrupted(energy, **_):
        raise rm.Interrupted(rm.minimize(energy, "gswap", max_iter=1))

    monkeypatch.setattr(demo, "minimize", interrupted)
    done = CliRunner().invoke(app, ["demo", "-o", str(tmp_path)])
    assert done.exit_code == 130
    assert names(tmp_path) == sorted(demo.FILES)
    assert "interrupted" in done.stderr


def test_ctrl_c_while_the_pair_is_matched(tmp_path, monkeypatch, small_scene):
    pair = small_scene(0)
    first = rm.stereo.StereoMatcher(labels=pair.labels, max_iter=1).run(pair.left, pair.right)

    def interrupted(*_, **__):
        raise rm.Interrupted(first.result)

    monkeypatch.setattr(rm.stereo.StereoMatcher, "run", interrupted)
    done = CliRunner().invoke(app, ["demo", "-o", str(tmp_path)])
    assert done.exit_code == 130
    assert names(tmp_path) == sorted(demo.FILES)


def test_the_result_is_one_to_be_proud_of():
    pair = rm.datasets.synthetic_stereo(seed=0)
    found, interrupted = demo.Demo(pair, 0, None).match()
    assert not interrupted
    scores = rm.stereo.evaluate(found.disparity, pair.disparity, pair.mask)
    assert scores["bad1_noc"] < 0.5
    assert scores["bad1"] < 2
    assert np.isfinite(found.disparity).all()
