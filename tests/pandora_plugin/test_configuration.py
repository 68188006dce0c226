"""The configuration: defaults, what is refused, and the example of the documentation."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pandora", reason="pandora is not installed; pip install 'rangemoves[pandora]'")

import pandora
import rasterio
from json_checker.core.exceptions import CheckerError
from pandora_plugin.pipelines import check, datasets, grey_pair, pipeline

from rangemoves.pandora_plugin.configuration import DEFAULTS, check_configuration

pandora.import_plugin()
PAGE = Path(__file__).resolve().parents[2] / "docs" / "pandora.md"


def checked(**given):
    return check_configuration({"optimization_method": "rangemoves", **given})


def test_defaults_are_filled_in():
    assert checked() == {"optimization_method": "rangemoves", **DEFAULTS}
    assert checked(weight=2)["weight"] == 2
    assert checked(prior="linear")["threshold"] is None


def test_pandora_writes_the_defaults_into_its_configuration():
    _, complete = check(pipeline(optimization={"sweeps": 7}), *datasets(*grey_pair()[:2]))
    assert complete["pipeline"]["optimization"] == {**checked(), "sweeps": 7}
    json.dumps(complete["pipeline"]["optimization"])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"weight": -1}, "weight must be at least 0; found -1"),
        ({"weight": "much"}, "weight must be a real number; found 'much'"),
        ({"weight": True}, "weight must be a real number"),
        ({"weight": float("nan")}, "weight must be finite"),
        ({"threshold": 0}, "threshold must be greater than 0"),
        ({"threshold": None}, "needs a threshold"),
        ({"prior": "linear", "threshold": 3}, "has no threshold"),
        ({"prior": "potts"}, "prior must be one of 'linear'"),
        ({"prior": ["linear"]}, "prior must be one of 'linear'"),
        ({"cost_unit": 0}, "cost_unit must be greater than 0"),
        ({"cost_unit": "own"}, "cost_unit must be a real number"),
        ({"edge_factor": 0.5}, "edge_factor must be at least 1"),
        ({"edge_gradient": -1}, "edge_gradient must be at least 0"),
        ({"method": "sgm"}, "method must be one of"),
        ({"sweeps": 0}, "sweeps must be at least 1"),
        ({"sweeps": 2.5}, "sweeps must be an integer"),
        ({"time_limit": -1}, "time_limit must be at least 0"),
        ({"threads": 0}, "threads must be at least 1"),
        ({"penalty": {"P1": 4}}, "penalty"),
        ({"optimization_method": "sgm"}, "optimization_method must be one of"),
    ],
)
def test_what_is_wrong_is_said_with_its_key(given, words):
    with pytest.raises(CheckerError, match=re.escape(words)) as caught:
        checked(**given)
    assert next(iter(given)) in str(caught.value) or "threshold" in str(caught.value)


def test_a_method_that_cannot_use_the_prior_is_refused_before_any_work():
    with pytest.raises(
        ValueError, match=r"'ishikawa' cannot be used with prior 'truncated-linear'"
    ):
        checked(method="ishikawa")
    assert checked(method="ishikawa", prior="quadratic")


def test_pandora_hands_the_refusal_on():
    with pytest.raises(CheckerError, match="weight must be at least 0"):
        check(pipeline(optimization={"weight": -1}), *datasets(*grey_pair()[:2]))


@pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")
def test_the_example_of_the_documentation_runs(tmp_path, monkeypatch):
    (example,) = re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    left, right, truth = grey_pair()
    shape = {"height": left.shape[0], "width": left.shape[1], "count": 1, "dtype": "float32"}
    for name, image in (("left.tif", left), ("right.tif", right)):
        with rasterio.open(name, "w", driver="GTiff", **shape) as file:
            file.write(image.astype(np.float32), 1)
    Path("config.json").write_text(example, encoding="utf-8")
    pandora.main("config.json", "maps", verbose=False)
    with rasterio.open("maps/left_disparity.tif") as file:
        disparity = -file.read(1)
    known = np.isfinite(truth) & np.isfinite(disparity)
    assert np.mean(np.abs(disparity - truth)[known] <= 1) > 0.9


def test_the_documentation_names_every_key_with_its_default():
    page = PAGE.read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| `([^`]*)` \|", page, re.MULTILINE))
    assert {key: json.loads(value) for key, value in rows.items()} == DEFAULTS
