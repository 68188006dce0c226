"""How a match shows itself, in a line and in a notebook."""

import base64
import io
import re
import sys
from dataclasses import replace

import numpy as np
import pytest

import rangemoves as rm

PAIR = rm.datasets.synthetic_stereo(shape=(48, 64), labels=12)


@pytest.fixture(scope="module")
def found():
    return rm.stereo.StereoMatcher(labels=12).run(PAIR.left, PAIR.right)


def test_a_line_about_the_map(found):
    pattern = (
        r"StereoMatch\(64x48 pixels, disparities [\d.]+ to [\d.]+, 100.0 % have one, the views"
    )
    assert re.match(pattern, repr(found))
    assert "agree" not in repr(replace(found, consistent=None))
    nothing = replace(found, disparity=np.full((2, 3), np.nan), consistent=None)
    assert repr(nothing) == "StereoMatch(3x2 pixels, 0.0 % have one)"


def test_a_notebook_shows_the_colours_of_the_map(found):
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("matplotlib")
    shown = found._repr_html_()
    data = re.search(r"base64,([^\"]+)\"", shown)[1]
    picture = np.asarray(image.open(io.BytesIO(base64.b64decode(data))))
    np.testing.assert_array_equal(picture, rm.plots.disparity_colours(found.disparity))
    assert "64x48 pixels" in shown
    wide = replace(found, disparity=np.zeros((30, 1000)), consistent=None)
    assert len(wide._repr_html_()) < 5000


def test_words_cannot_become_markup(found):
    shown = replace(found, warnings=("a < b",))._repr_html_()
    assert "warning: a &lt; b" in shown


def test_without_anything_to_draw_with_there_is_the_line(found, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert found._repr_html_().startswith("<div>64x48 pixels")
