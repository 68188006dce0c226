"""``rangemoves demo``: pictures, a report, energies."""

import json

import numpy as np
import pytest

import rangemoves as rm

pytest.importorskip("typer")
from typer.testing import CliRunner

from rangemoves.cli import app, demo

FILES = ["disparity.png", "energy.png", "error.png", "left.png", "report.html", "right.png"]


@pytest.fixture
def small_scene(monkeypatch):
    """The demo on a scene that takes no time."""
    render = rm.datasets.synthetic_stereo

    def render_small(seed):
        return render(seed, shape=(48, 64), labels=12)

    monkeypatch.setattr(demo.datasets, "synthetic_stereo", render_small)
    return render_small


@pytest.mark.usefixtures("small_scene")
def test_it_writes_pictures_and_a_report(tmp_path):
    folder = tmp_path / "out"
    done = CliRunner().invoke(app, ["demo", "-o", str(folder)])
    assert done.exit_code == 0, done.output
    assert sorted(p.name for p in folder.iterdir()) == FILES
    assert "gswap " in done.stdout
    assert "gswapf" in done.stdout
    assert "energy" in done.stdout
    assert rm.io.read_image(folder / "left.png").shape == (48, 64, 3)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "TruncatedQuadratic" in page


def test_json_has_the_energies(tmp_path, small_scene):
    done = CliRunner().invoke(app, ["demo", "-o", str(tmp_path), "--seed", "2", "--json"])
    facts = json.loads(done.stdout)
    pair = small_scene(2)
    unary = rm.stereo.cost_volume(pair.left, pair.right, pair.labels)
    energy = rm.Energy(unary, rm.TruncatedQuadratic(demo.THRESHOLD), demo.WEIGHT)
    for method in ("gswap", "gswapf"):
        assert facts["results"][method]["energy"] == rm.minimize(energy, method).energy
        assert np.isfinite(facts["results"][method]["scores"]["bad1"])


@pytest.mark.usefixtures("small_scene")
def test_existing_files_are_kept_unless_forced(tmp_path):
    (tmp_path / "left.png").write_text("precious")
    assert CliRunner().invoke(app, ["demo", "-o", str(tmp_path)]).exit_code == 2
    assert (tmp_path / "left.png").read_text() == "precious"
    assert CliRunner().invoke(app, ["demo", "-o", str(tmp_path), "--force"]).exit_code == 0


@pytest.mark.usefixtures("small_scene")
def test_ctrl_c_still_shows_what_was_found(tmp_path, monkeypatch):
    def interrupted(energy, method, **kwargs):
        raise rm.Interrupted(rm.minimize(energy, method, max_iter=1))

    monkeypatch.setattr(demo, "minimize", interrupted)
    done = CliRunner().invoke(app, ["demo", "-o", str(tmp_path)])
    assert done.exit_code == 130
    assert sorted(p.name for p in tmp_path.iterdir()) == FILES
    assert "interrupted" in done.stderr
