"""Ctrl-C: answered within half a second wherever it arrives, with the best labelling kept."""

import contextlib
import importlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path

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
    rm.minimize(energy, "gswap", engine="reference", init=sys.argv[3], callback=callback)
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


def run_script(script, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    ("moment", "delay", "init"),
    [("first", 0.5, "zero"), ("later", 0.2, "argmin"), ("callback", 0, "zero")],
)
def test_ctrl_c_is_answered_within_half_a_second(moment, delay, init):
    waited, iterations = run_script(SCRIPT, moment, delay, init)
    assert float(waited) < 0.5
    assert int(iterations) == (0 if moment == "first" else 1)


# With costs that are no integers the core asks Python for every energy: Ctrl-C comes there too.
REAL_COSTS = """
import os, signal, sys, threading, time
import numpy as np
import rangemoves as rm

method, init, delay, label_count = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
rng = np.random.default_rng(0)
unary = rng.random((300, 400, label_count)) * 10
energy = rm.Energy(unary, rm.TruncatedLinear(3), 0.7)
pressed = []

def press():
    pressed.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)

threading.Timer(delay, press).start()
try:
    while True:
        rm.minimize(energy, method, init=init if init != "none" else None)
except rm.Interrupted as interruption:
    waited = time.perf_counter() - pressed[0]
    assert interruption.result.status == "interrupted"
    assert interruption.result.energy == energy(interruption.result.labels)
    assert interruption.result.method == method
    print(waited)
"""


@pytest.mark.parametrize("delay", [0.3, 0.7, 1.3])
@pytest.mark.parametrize(
    ("method", "init"),
    [
        ("auto", "none"),
        ("trws", "none"),
        ("expansion", "none"),
        ("best", "none"),
        ("gswap", "expansion"),
    ],
)
def test_ctrl_c_with_real_costs(method, init, delay):
    (waited,) = run_script(REAL_COSTS, method, init, delay, 16)
    assert float(waited) < 0.5


def test_ctrl_c_while_costs_are_rounded():
    (waited,) = run_script(REAL_COSTS, "gswap", "none", 0.3, 400)
    assert float(waited) < 0.5


def small_energy(scale=1.0, labels=4):
    unary = np.random.default_rng(3).integers(0, 30, (5, 6, labels)) * scale
    return rm.Energy(unary, rm.TruncatedLinear(2), 7 * scale)


PACKAGE = str(Path(rm.__file__).parent)


class PressAtLine:
    """Presses Ctrl-C when so many lines of the package have been run since the start was made."""

    def __init__(self, line):
        self.left = line
        self.started = False

    def __call__(self, frame, event, argument):
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        if event == "return" and frame.f_code.co_name == "initial_labels":
            self.started = True
        elif event == "line" and self.started:
            self.left -= 1
            if self.left == 0:
                sys.settrace(None)
                signal.raise_signal(signal.SIGINT)
        return self


def press_at(line, solve):
    """Whether the run lasted that long."""
    press = PressAtLine(line)
    before, tracer = signal.getsignal(signal.SIGINT), sys.gettrace()
    sys.settrace(press)
    try:
        solve()
        result = None
    except rm.Interrupted as interruption:
        result = interruption.result
    finally:
        sys.settrace(tracer)
    if press.left <= 0:
        assert result is not None, "Ctrl-C got lost"
        assert (result.status, result.labels.shape) == ("interrupted", (5, 6))
    assert signal.getsignal(signal.SIGINT) is before
    return press.left <= 0


@pytest.mark.parametrize("scale", [1, 0.37])
@pytest.mark.parametrize(
    ("method", "init"),
    [
        ("auto", None),
        ("trws", None),
        ("expansion", None),
        ("best", None),
        ("gswap", "expansion"),
    ],
)
def test_ctrl_c_at_any_line_keeps_the_labels(method, init, scale):
    energy = small_energy(scale)
    minimize = rm.minimize  # loaded before lines are counted

    def solve():
        minimize(energy, method, init=init, max_iter=2, threads=1, callback=lambda record: False)

    line = 1
    while press_at(line, solve):
        # All of the first and, where there are thousands, every so many after them.
        line += 1 + line // 400
    assert line > 100


def test_ctrl_c_while_the_result_is_put_together(monkeypatch):
    # Not as an attribute: there the function has the name of its module.
    module = importlib.import_module("rangemoves.minimize")
    monkeypatch.setattr(module, "peak_memory", lambda: signal.raise_signal(signal.SIGINT))
    energy = small_energy()
    with pytest.raises(rm.Interrupted) as caught:
        rm.minimize(energy, "gswap")
    assert caught.value.result.energy == energy(caught.value.result.labels)
    assert caught.value.result.iterations > 0


@pytest.mark.parametrize("batch", [False, True])
def test_ctrl_c_while_the_bar_is_taken_away(monkeypatch, batch):
    @contextlib.contextmanager
    def bar(title, most):
        yield lambda done: None
        signal.raise_signal(signal.SIGINT)

    energy = small_energy()
    # Not as attributes: there the functions have the names of their modules.
    for module, name in (("minimize", "progress_bar"), ("batch", "counting_bar")):
        monkeypatch.setattr(importlib.import_module(f"rangemoves.{module}"), name, bar)
    minimize, of = (rm.minimize_batch, [energy, energy]) if batch else (rm.minimize, energy)
    with pytest.raises(rm.Interrupted) as caught:
        minimize(of, "gswap", progress=True)
    assert caught.value.result.energy == energy(caught.value.result.labels)
    assert caught.value.result.status == "interrupted"
    assert len(caught.value.results) == (2 if batch else 1)


def test_a_callback_that_sleeps_is_woken_by_ctrl_c():
    (waited,) = run_script(
        """
import os, signal, threading, time
import numpy as np
import rangemoves as rm

energy = rm.Energy(np.random.default_rng(0).random((20, 20, 8)), rm.TruncatedLinear(2), 0.1)
threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begin = time.perf_counter()
try:
    rm.minimize(energy, "gswap", callback=lambda record: time.sleep(60))
except rm.Interrupted as interruption:
    assert interruption.result.iterations == 1
    print(time.perf_counter() - begin)
"""
    )
    assert float(waited) < 1.5


@pytest.mark.skipif(os.name != "posix", reason="a POSIX shell")
def test_tests_of_ctrl_c_pass_in_the_background_of_a_shell():
    names = "may_catch_ctrl_c_itself or callback_that_sleeps"
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__, "-k", names]
    done = subprocess.run(
        ["sh", "-c", '"$@" & wait $!', "sh", *tests], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


@pytest.mark.parametrize("scale", [1, 0.37])
@pytest.mark.parametrize("method", [method.name for method in rm.methods()])
def test_a_callback_that_raises(method, scale):
    energy = small_energy(scale)
    if method == "ishikawa":
        energy = rm.Energy(energy.unary, rm.Linear())

    def interrupt(record):
        raise KeyboardInterrupt

    with pytest.raises(rm.Interrupted) as caught:
        rm.minimize(energy, method, callback=interrupt)
    result = caught.value.result
    assert (result.status, result.iterations) == ("interrupted", 1)
    assert result.energy == energy(result.labels) == result.trace[0].energy

    def fail(record):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        rm.minimize(energy, method, callback=fail)


def test_a_callback_may_catch_ctrl_c_itself():
    def callback(record):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            return False

    assert rm.minimize(small_energy(), "gswap", callback=callback).status == "converged"


def test_a_callback_may_minimise():
    """The inner run is interrupted, and with it the outer one."""
    inner = []

    def callback(record):
        def press(record):
            signal.raise_signal(signal.SIGINT)

        try:
            rm.minimize(small_energy(), "gswap", callback=press)
        except rm.Interrupted as interruption:
            inner.append(interruption.result)
            raise

    with pytest.raises(rm.Interrupted) as caught:
        rm.minimize(small_energy(labels=5), "expansion", callback=callback)
    assert inner[0].method == "gswap"
    assert caught.value.result.method == "expansion"


def test_another_thread_is_not_interrupted_by_ctrl_c_but_by_its_callback():
    found = []

    def interrupt(record):
        raise KeyboardInterrupt

    def solve():
        found.append(rm.minimize(small_energy(0.37), "gswap").status)
        try:
            rm.minimize(small_energy(0.37), "gswap", callback=interrupt)
        except rm.Interrupted as interruption:
            found.append(interruption.result.status)

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=solve)
    thread.start()
    thread.join()
    assert found == ["converged", "interrupted"]
    assert signal.getsignal(signal.SIGINT) is before


@pytest.fixture
def handle():
    """Set a handler of SIGINT for one test."""
    before = signal.getsignal(signal.SIGINT)
    yield lambda handler: signal.signal(signal.SIGINT, handler)
    signal.signal(signal.SIGINT, before)


def press_in_energy(energy):
    """An energy that presses Ctrl-C each time the core asks for it."""

    class Pressing(rm.Energy):
        def _evaluate(self, flat):
            signal.raise_signal(signal.SIGINT)
            return super()._evaluate(flat)

    return Pressing(energy.unary, energy.prior, energy.weights[0])


def test_the_caller_may_handle_ctrl_c(handle):
    calls = []
    handle(lambda number, frame: calls.append(number))
    result = rm.minimize(press_in_energy(small_energy(0.37)), "gswap")
    assert result.status == "converged"
    assert set(calls) == {signal.SIGINT}


def test_what_a_handler_raises_goes_on(handle):
    class TimeIsUpError(Exception):
        pass

    def handler(number, frame):
        raise TimeIsUpError

    handle(handler)
    with pytest.raises(TimeIsUpError):
        rm.minimize(press_in_energy(small_energy(0.37)), "gswap")
    assert signal.getsignal(signal.SIGINT) is handler


def test_a_handler_may_be_replaced_meanwhile(handle):
    def other(number, frame):
        """Somebody else's."""

    rm.minimize(small_energy(), "gswap", callback=lambda record: handle(other) is None)
    assert signal.getsignal(signal.SIGINT) is other


def test_ctrl_c_that_is_ignored_stays_ignored(handle):
    handle(signal.SIG_IGN)
    assert rm.minimize(press_in_energy(small_energy(0.37)), "gswap").status == "converged"
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_an_interruption_says_what_it_kept_and_pickles():
    energy = rm.Energy(np.zeros((1, 2, 2)), rm.Linear())
    result = rm.minimize(energy, "gswap")
    interruption = pickle.loads(pickle.dumps(rm.Interrupted(result)))
    assert interruption.result.energy == result.energy
    assert "the labelling so far is in .result" in str(interruption)
