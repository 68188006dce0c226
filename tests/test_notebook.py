"""What notebooks show: the words, and a picture that any PNG reader can read."""

import base64
import io
import json
import re

import numpy as np
import pytest

import rangemoves as rm

Image = pytest.importorskip("PIL.Image")


def picture(shown):
    found = re.match(r'<img alt="" src="data:image/png;base64,([A-Za-z0-9+/=]+)"><pre>', shown)
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(found[1]))))


def result_of(shape, **options):
    unary = np.random.default_rng(0).integers(0, 9, (*shape, 5))
    energy = rm.Energy(unary, rm.TruncatedLinear(2), **options)
    return energy, rm.minimize(energy, threads=1)


def test_images_are_shown_in_grey():
    energy, result = result_of((12, 20))
    shown = picture(result._repr_html_())
    assert shown.shape == (12, 20)
    order = np.argsort(result.labels, axis=None)
    assert (np.diff(shown.reshape(-1)[order].astype(int)) >= 0).all()
    assert "auto, " in result._repr_html_()
    assert picture(energy._repr_html_()).shape == (12, 20)
    assert "TruncatedLinear(2)" in energy._repr_html_()


def test_what_a_mask_left_out_is_black():
    mask = np.ones((12, 20), bool)
    mask[:3] = False
    energy, result = result_of((12, 20), mask=mask)
    for shown in (result._repr_html_(), energy._repr_html_()):
        assert (picture(shown)[:3] == 0).all()
        assert (picture(shown)[3:] > 0).all()


def test_large_images_and_volumes_are_shown_in_part():
    result = rm.minimize(rm.Energy(np.zeros((3, 700, 2)), rm.Linear()), max_iter=0)
    assert max(picture(result._repr_html_()).shape) <= 320
    _, volume = result_of((4, 6, 7))
    assert picture(volume._repr_html_()).shape == (6, 7)


def test_graphs_and_signals_have_words_alone():
    chain, result = result_of((1, 9))
    for shown in (chain, result):
        assert shown._repr_html_().startswith("<pre>")
    graph = rm.Energy(np.zeros((3, 2)), rm.Linear(), edges=[[0, 1]])
    assert graph._repr_html_() == f"<pre>{graph!r}</pre>"


def test_results_go_to_json():
    _, result = result_of((6, 7))
    facts = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert facts["method"] == "auto"
    assert facts["energy"] == result.energy
    assert facts["gap"] == result.gap
    assert facts["trace"] == [dict(record) for record in result.trace]
