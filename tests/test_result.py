"""Result and TraceRecord: short to print, safe to store."""

import copy
import dataclasses
import json
import pickle
import weakref
from contextlib import suppress
from types import SimpleNamespace
from typing import get_type_hints

import numpy as np
import numpy.typing as npt
import pytest

import rangemoves as rm

pytest.importorskip("matplotlib")


@pytest.fixture
def result():
    unary = np.random.default_rng(0).integers(0, 9, (5, 6, 7))
    return rm.minimize(rm.Energy(unary, rm.TruncatedLinear(2), 2), surrogate="tight", threads=1)


def same(a, b):
    np.testing.assert_array_equal(a.labels, b.labels)
    for field in dataclasses.fields(rm.Result):
        if field.name != "labels":
            assert getattr(a, field.name) == getattr(b, field.name), field.name
    return True


def test_it_carries_what_a_paper_needs(result):
    assert result.method == "gswap"
    assert result.options == {"surrogate": "tight"}
    assert result.version == rm.__version__
    assert result.threads == 1
    assert result.simd
    assert result.peak_memory > 2**20
    assert 0 < result.seconds < 60
    assert result.status in ("converged", "optimal")


def test_repr_says_what_matters_in_a_few_lines(result):
    text = repr(result)
    assert len(text.splitlines()) <= 6
    assert "gswap, converged" in text
    assert f"energy       {result.energy:g}" in text
    assert "unknown" in text
    exact = rm.minimize(rm.Energy(np.ones((2, 2, 3), int), rm.Linear()), "ishikawa")
    assert "lower bound  4 (gap 0)" in repr(exact)


def test_gap():
    def gap(energy, bound):
        return rm.Result(np.zeros((1, 1), np.int32), energy, bound, "", 0, (), 0.0, "").gap

    assert gap(10.0, None) is None
    assert gap(10.0, 9.0) == pytest.approx(0.1)
    assert gap(-10.0, -11.0) == pytest.approx(0.1)
    assert gap(0.0, 0.0) == 0
    assert gap(0.0, -1.0) == np.inf


def test_save_and_load(result, tmp_path):
    path = tmp_path / "result.npz"
    result.save(path)
    assert same(rm.Result.load(path), result)
    result.save(str(path))
    assert [p.name for p in tmp_path.iterdir()] == ["result.npz"]
    with np.load(path, allow_pickle=False) as stored:
        np.testing.assert_array_equal(stored["labels"], result.labels)


def test_types_that_numpy_has_as_aliases_are_known(result, tmp_path, monkeypatch):
    # As NumPy 2.5 has NDArray.
    alias = SimpleNamespace(__value__=npt.NDArray[np.int32])

    def hints(kind):
        return get_type_hints(kind) | ({"labels": alias} if kind is rm.Result else {})

    monkeypatch.setattr("rangemoves.result.get_type_hints", hints)
    result.save(tmp_path / "result.npz")
    assert same(rm.Result.load(tmp_path / "result.npz"), result)


def test_loading_something_else_says_so(tmp_path):
    path = tmp_path / "other.npz"
    np.savez(path, labels=np.zeros(3))
    with pytest.raises(ValueError, match=r"must be a file written by Result.save"):
        rm.Result.load(path)
    path.write_bytes(b"hello")
    with pytest.raises(ValueError, match=r"must be a file written by Result.save"):
        rm.Result.load(path)
    with pytest.raises(FileNotFoundError):
        rm.Result.load(tmp_path / "nowhere.npz")


@pytest.fixture
def stored(result, tmp_path):
    result.save(tmp_path / "result.npz")
    return tmp_path / "result.npz"


def refused(path, words="must be a file written by Result.save"):
    with pytest.raises(ValueError, match=rf"result\.npz {words}"):
        rm.Result.load(path)


def test_damaged_files_are_refused_by_name(stored):
    """Every byte matters, or does no harm: nothing but a ValueError may come of it."""
    whole = stored.read_bytes()
    for place in range(0, len(whole), 7):
        stored.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with suppress(ValueError):
            rm.Result.load(stored)
        stored.write_bytes(whole[:place])
        refused(stored)


@pytest.mark.parametrize(
    "change",
    [
        {"energy": "low"},
        {"trace": 3},
        {"trace": [{"iteration": 1}]},
        {"options": None},
        {"colour": 1},
        {"lower_bound": []},
    ],
    ids=str,
)
def test_other_facts_are_refused(stored, change):
    with np.load(stored) as arrays:
        labels, facts = arrays["labels"], json.loads(str(arrays["facts"]))
    np.savez(stored, labels=labels, facts=json.dumps({**facts, **change}))
    refused(stored)


def test_facts_without_end_are_refused(stored):
    np.savez(stored, labels=np.zeros(3, np.int32), facts="[" * 100_000)
    refused(stored)


@pytest.mark.parametrize(
    "labels", [np.zeros(3), np.zeros(0, np.int32), np.array(["text"]), np.array([{}])]
)
def test_other_labels_are_refused(stored, labels):
    with np.load(stored) as arrays:
        facts = arrays["facts"]
    np.savez(stored, labels=labels, facts=facts)
    refused(stored)


def test_it_pickles(result):
    assert same(pickle.loads(pickle.dumps(result)), result)


@pytest.mark.parametrize("scale", [1, 0.37, 1e-300])
@pytest.mark.parametrize("method", ["gswap", "trws", "best"])
def test_the_trace_is_what_a_callback_was_told(method, scale):
    unary = np.random.default_rng(0).integers(0, 9, (5, 6, 7)) * scale
    energy = rm.Energy(unary, rm.TruncatedLinear(2), 2 * scale)
    told = []
    result = rm.minimize(energy, method, callback=told.append)
    assert result.trace == tuple(told)
    assert isinstance(result.trace, tuple)
    for record in result.trace:
        for name, hint in get_type_hints(rm.TraceRecord).items():
            assert isinstance(record[name], hint), name


def test_a_trace_that_nobody_has_asked_for_is_handed_on():
    energy = rm.Energy(np.random.default_rng(0).random((5, 6, 7)), rm.TruncatedLinear(2), 0.3)
    seen = weakref.ref(energy)
    for use in (
        lambda r: r,
        lambda r: pickle.loads(pickle.dumps(r)),
        copy.copy,
        copy.deepcopy,
        lambda r: dataclasses.replace(r, status="stopped"),
    ):
        trace = use(rm.minimize(energy, "gswap", threads=1)).trace
        assert [record.iteration for record in trace] == [*range(1, len(trace) + 1)]
        assert trace
    result = rm.minimize(energy, "gswap")
    with pytest.raises(AttributeError, match="no attribute 'traces'"):
        _ = result.traces
    del energy
    assert seen() is None  # nor does it keep the costs


def test_it_cannot_be_changed(result):
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.energy = 0


def test_it_plots(result):
    figure = result.plot()
    assert len(figure.axes) == 3
    graph = rm.minimize(rm.Energy(np.ones((3, 2)), rm.Linear(), edges=[[0, 1]]), max_iter=0)
    assert len(graph.plot().axes) == 1


def test_records_are_attributes_and_mappings(result):
    record = result.trace[0]
    assert record["energy"] == record.energy
    assert dict(record)["active"] == record.active
    assert "huber_energy" in record
    assert record.get("nothing") is None
    assert {**record} == dataclasses.asdict(record)
    with pytest.raises(KeyError):
        record["nothing"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.energy = 0
