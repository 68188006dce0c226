"""Ctrl-C: answered within half a second from inside a cut, with the best labelling kept."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import rangemoves as rm

SCRIPT = """
import os, signal, sys, threading, time
import numpy as np
import rangemoves as rm

rng = np.random.default_rng(0)
shape, labels = (200, 250), 40
columns = np.arange(shape[1]) // 30 * 7 % labels
unary = np.abs(columns[None, :, None] - np.arange(labels)) * 3
unary = unary + rng.integers(0, 60, (*shape, labels))
energy = rm.Energy(unary, rm.TruncatedQuadratic(3), 8)
pressed = []

def press():
    pressed.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)

def press_soon(record=None):
    if not pressed and not getattr(press_soon, "armed", False):
        press_soon.armed = True
        threading.Timer(float(sys.argv[2]), press).start()

callback = None
if sys.argv[1] == "first":
    press_soon()
elif sys.argv[1] == "later":
    callback = press_soon
else:
    callback = lambda record: press() or time.sleep(0.2)
try:
    rm.minimize(energy, engine="reference", init=sys.argv[3], callback=callback)
except rm.Interrupted as interruption:
    waited = time.perf_counter() - pressed[0]
    result = interruption.result
    assert isinstance(interruption, KeyboardInterrupt)
    assert result.status == "interrupted"
    assert result.energy == energy(result.labels)
    start = energy(unary.argmin(axis=-1) if sys.argv[3] == "argmin" else np.zeros(shape, int))
    kept = result.trace[-1].energy if result.trace else start
    assert result.energy == kept, (result.energy, kept)
    print(waited, result.iterations)
else:
    print("the run ended before Ctrl-C", file=sys.stderr)
    sys.exit(3)
"""


@pytest.mark.parametrize(
    ("moment", "delay", "init"),
    [("first", 0.5, "zero"), ("later", 0.2, "argmin"), ("callback", 0, "zero")],
)
def test_ctrl_c_is_answered_within_half_a_second(moment, delay, init):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, moment, str(delay), init],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    waited, iterations = done.stdout.split()
    assert float(waited) < 0.5
    assert int(iterations) == (0 if moment == "first" else 1)


def test_an_interruption_says_what_it_kept_and_pickles():
    energy = rm.Energy(np.zeros((1, 2, 2)), rm.Linear())
    result = rm.minimize(energy)
    interruption = pickle.loads(pickle.dumps(rm.Interrupted(result)))
    assert interruption.result.energy == result.energy
    assert "the labelling so far is in .result" in str(interruption)
