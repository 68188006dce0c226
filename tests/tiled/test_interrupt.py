"""Ctrl-C while threads work on tiles: answered soon, with the labelling so far."""

import subprocess
import sys

import pytest

SCRIPT = """
import os, signal, sys, threading, time
import numpy as np
import rangemoves as rm

rng = np.random.default_rng(0)
costs = rng.integers(0, 60, (400, 500, 24)).astype(np.int32)
prior = rm.TruncatedQuadratic(3)
pressed = []

def press():
    pressed.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)

def press_soon(record):
    if record.step.startswith(sys.argv[1]) and not pressed:
        threading.Timer(0.3, press).start()

callback = press_soon
if sys.argv[1] == "start":
    threading.Timer(1.0, press).start()
try:
    rm.tiled.minimize(costs, prior, 8, tiles=(100, 100), callback=callback)
except rm.Interrupted as interruption:
    waited = time.perf_counter() - pressed[0]
    result = interruption.result
    assert result.status == "interrupted"
    assert result.energy == rm.Energy(costs, prior, 8)(result.labels)
    print(waited)
else:
    print("the run ended before Ctrl-C", file=sys.stderr)
    sys.exit(3)
"""


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["start", "round 1"])
def test_ctrl_c_keeps_the_labelling(moment):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, moment], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 10  # on a busy machine; a sweep of a tile, and the sum of all
