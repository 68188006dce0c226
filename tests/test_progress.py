"""progress=True: a bar on standard error by whatever is installed, and the same answer."""

import importlib
import sys

import numpy as np
import pytest

import rangemoves as rm

bars = importlib.import_module("rangemoves.progress")


@pytest.fixture
def energy():
    unary = np.random.default_rng(0).integers(0, 20, (12, 14, 6))
    return rm.Energy(unary, rm.TruncatedQuadratic(2), 5)


class Bar:
    """What tqdm looks like from here."""

    made = []  # noqa: RUF012

    def __init__(self, **given):
        self.given, self.n, self.said, self.closed = given, 0, [], False
        Bar.made.append(self)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.closed = True

    def update(self, count):
        self.n += count

    def set_postfix_str(self, text):
        self.said.append(text)


def test_rich_shows_a_bar_in_a_terminal_alone(energy, capfd, monkeypatch):
    pytest.importorskip("rich")
    rm.minimize(energy, progress=True)
    assert capfd.readouterr() == ("", "")
    monkeypatch.setenv("FORCE_COLOR", "1")
    seen = []
    shown = rm.minimize(energy, progress=True, callback=seen.append)
    out, err = capfd.readouterr()
    assert out == ""
    assert "auto" in err
    assert tuple(seen) == shown.trace
    np.testing.assert_array_equal(shown.labels, rm.minimize(energy).labels)


def test_tqdm_where_there_is_no_rich(energy, monkeypatch):
    Bar.made.clear()
    monkeypatch.setitem(sys.modules, "rich.progress", None)
    monkeypatch.setitem(sys.modules, "tqdm.std", type(sys)("tqdm.std"))
    sys.modules["tqdm.std"].tqdm = Bar
    result = rm.minimize(energy, "expansion", max_iter=4, progress=True)
    (bar,) = Bar.made
    assert (bar.given["desc"], bar.given["total"]) == ("expansion", 4)
    assert bar.n == result.iterations == len(bar.said)
    assert bar.closed
    stopped = rm.minimize(energy, "expansion", progress=True, callback=lambda record: True)
    assert (stopped.status, stopped.iterations) == ("stopped", 1)


def test_nothing_where_there_is_neither(energy, monkeypatch, capfd):
    for name in ("rich.progress", "tqdm.std"):
        monkeypatch.setitem(sys.modules, name, None)
    assert rm.minimize(energy, progress=True).energy == rm.minimize(energy).energy
    assert capfd.readouterr() == ("", "")


def test_bad_values_are_refused_in_words(energy):
    with pytest.raises(TypeError, match="progress must be True or False; found"):
        rm.minimize(energy, progress="yes")
    with pytest.raises(TypeError, match="callback must be a function"):
        rm.minimize(energy, progress=True, callback=3)
