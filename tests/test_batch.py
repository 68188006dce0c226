"""rm.minimize_batch: the answers of rm.minimize, whoever runs beside whom."""

import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import rangemoves as rm
from rangemoves import batch


def drawn(seed, shape=(9, 11, 5), prior=None):
    unary = np.random.default_rng(seed).integers(0, 20, shape)
    return rm.Energy(unary, prior or rm.TruncatedQuadratic(2), 5)


@pytest.fixture
def energies():
    shapes = [(9, 11, 5), (30, 40, 8), (4, 3, 6), (3, 4, 5, 4), (50, 7)]
    shapes = [shape if len(shape) > 2 else (1, *shape) for shape in shapes]
    return [drawn(seed, shape) for seed, shape in enumerate(shapes)]


@pytest.mark.parametrize("large", [1, 1000, 2**20])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_answers_are_those_of_single_runs(energies, threads, large, monkeypatch):
    monkeypatch.setattr(batch, "LARGE", large)
    given = (energy for energy in energies)
    found = rm.minimize_batch(given, "gswap", threads=threads, bound=True, strategy="range")
    for energy, result in zip(energies, found, strict=True):
        alone = rm.minimize(energy, "gswap", bound=True, strategy="range", threads=1)
        np.testing.assert_array_equal(result.labels, alone.labels)
        assert (result.status, result.lower_bound) == (alone.status, alone.lower_bound)
        assert result.options == alone.options
        assert [r.energy for r in result.trace] == [r.energy for r in alone.trace]


def test_small_ones_share_the_threads_and_large_ones_have_all(energies, monkeypatch):
    monkeypatch.setattr(batch, "LARGE", energies[1].unary.size)
    found = rm.minimize_batch(energies, "trws", threads=4, max_iter=3)
    assert [result.threads for result in found] == [1, 4, 1, 1, 1]
    assert [r.threads for r in rm.minimize_batch(energies[:1], "trws", threads=4)] == [4]


def test_small_ones_run_side_by_side(energies):
    seen = set()

    def look(record):
        seen.add(threading.get_ident())
        time.sleep(0.2 if len(seen) == 1 else 0)

    rm.minimize_batch(energies[:2], "gswap", callback=look, threads=2)
    assert len(seen) == 2
    assert threading.get_ident() not in seen


def test_no_energies():
    assert rm.minimize_batch([]) == []


def test_one_callback_at_a_time_which_can_stop_its_run(energies):
    inside, most = 0, 0

    def stop(record):
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        time.sleep(0.01)
        inside -= 1
        return True

    found = rm.minimize_batch(energies, "expansion", callback=stop, threads=5)
    assert {(result.status, result.iterations) for result in found} == {("stopped", 1)}
    assert most == 1


def test_a_start_for_each(energies):
    starts = rm.minimize_batch(energies, "expansion")
    found = rm.minimize_batch(energies, "gswap", init=starts, max_iter=0)
    assert [result.energy for result in found] == [result.energy for result in starts]
    same = rm.minimize_batch(energies, "gswap", init="argmin", max_iter=0)
    for energy, result in zip(energies, same, strict=True):
        assert result.energy == energy(energy.unary.argmin(-1))
    with pytest.raises(ValueError, match="a result for each of 5 energies; found 2"):
        rm.minimize_batch(energies, init=starts[:2])


def test_errors_say_which_energy(energies):
    with pytest.raises(ValueError, match=r"energies\[1\]: method 'ishikawa' cannot"):
        rm.minimize_batch([drawn(0, prior=rm.Linear()), energies[0]], "ishikawa")
    with pytest.raises(TypeError, match=r"energies\[1\] must be an rm.Energy; found 3"):
        rm.minimize_batch([energies[0], 3])
    with pytest.raises(TypeError, match="energies must be a list"):
        rm.minimize_batch(energies[0])
    with pytest.raises(TypeError, match="callback must be a function"):
        rm.minimize_batch(energies, callback=3)
    with pytest.raises(TypeError, match="progress must be True or False"):
        rm.minimize_batch(energies, progress=1)
    with pytest.raises(TypeError, match="'gswap' has no option 'width'"):
        rm.minimize_batch(energies, "gswap", width=2)
    with pytest.raises(MemoryError, match=r"energies\[\d\]: "):
        rm.minimize_batch(energies, max_memory=1000)


class OwnError(ValueError):
    """What only the caller knows."""


def test_errors_of_a_callback_stay_what_they_are(energies):
    def fail(record):
        raise OwnError("mine")

    with pytest.raises(OwnError, match=r"^mine$"):
        rm.minimize_batch(energies, "gswap", callback=fail)


@pytest.mark.parametrize("large", [1, 2**20])
def test_ctrl_c_keeps_what_each_has_reached(energies, large, monkeypatch):
    monkeypatch.setattr(batch, "LARGE", large)
    sent = threading.Event()

    def press(record):
        if not sent.is_set():
            sent.set()
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.3)

    with pytest.raises(rm.Interrupted) as caught:
        rm.minimize_batch(energies * 3, "best", callback=press, threads=2)
    results = caught.value.results
    assert len(results) == 15
    assert caught.value.result.status == results[-1].status == "interrupted"
    assert results[-1].iterations == 0
    for energy, result in zip(energies * 3, results, strict=True):
        assert result.energy == energy(result.labels) <= energy(np.zeros(energy.shape, int))
    assert len(pickle.loads(pickle.dumps(caught.value)).results) == 15


def test_a_bar_counts_the_energies(energies, capfd, monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setenv("FORCE_COLOR", "1")
    rm.minimize_batch(energies, "gswap", progress=True)
    assert "5 of 5 energies" in capfd.readouterr().err
