"""Ctrl-C and SIGTERM on the command line, in real processes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
COMMANDS = {
    "module": [sys.executable, "-m", "rangemoves"],
    "script": [str(Path(sys.executable).with_name("rangemoves"))],
}


def start(command, *arguments, **options):
    line = [*COMMANDS[command], *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(line, text=True, **pipes, **options)


@pytest.fixture
def problem(tmp_path):
    """A problem that takes minutes."""
    rng = np.random.default_rng(0)
    unary = rng.random((300, 400, 40)) * 60
    np.savez(
        tmp_path / "problem.npz", unary=unary, prior="truncated-quadratic", threshold=3, weights=8.1
    )
    return tmp_path


@pytest.mark.parametrize("number", CODES)
@pytest.mark.parametrize("module", ["numpy", "typer"])
@pytest.mark.parametrize("command", COMMANDS)
def test_while_modules_are_imported(tmp_path, command, module, number):
    """A module of that name takes for ever to come."""
    (tmp_path / f"{module}.py").write_text(
        "import time\nprint('importing', flush=True)\ntime.sleep(60)\n"
    )
    run = start(command, "methods", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert run.stdout.readline() == "importing\n"
    run.send_signal(number)
    out, err = run.communicate(timeout=30)
    assert (run.returncode, out, err) == (CODES[number], "", "")


@pytest.mark.parametrize("number", CODES)
@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_the_best_labelling_is_written(problem, number, suffix):
    output = problem / f"labels{suffix}"
    run = start("module", "solve", problem / "problem.npz", "-o", output, "--json")
    time.sleep(4)
    assert run.poll() is None, run.communicate()
    run.send_signal(number)
    out, err = run.communicate(timeout=30)
    assert run.returncode == CODES[number], err
    assert json.loads(out)["status"] == "interrupted"
    assert "the best labelling so far was written" in err
    stored = np.load(output)
    assert (stored if suffix == ".npy" else stored["labels"]).shape == (300, 400)


@pytest.mark.parametrize("number", CODES)
def test_at_any_moment_the_code_is_right_and_no_file_is_damaged(problem, number):
    for delay in np.geomspace(0.1, 3, 8):
        output = problem / "labels.npy"
        output.unlink(missing_ok=True)
        run = start("module", "solve", problem / "problem.npz", "-o", output)
        time.sleep(delay)
        run.send_signal(number)
        _, err = run.communicate(timeout=30)
        if run.returncode == -number:
            continue  # Python itself had not yet begun to look at our code
        assert run.returncode == CODES[number], (delay, err)
        assert "Traceback" not in err
        assert output.exists() == ("so far was written" in err)
        if output.exists():
            assert np.load(output).shape == (300, 400)


def test_a_disparity_map_is_written_on_sigterm(tmp_path):
    from PIL import Image

    rng = np.random.default_rng(1)
    for name in ("left.png", "right.png"):
        Image.fromarray(rng.integers(0, 255, (400, 500), np.uint8)).save(tmp_path / name)
    arguments = ["left.png", "right.png", "-o", "map.npy", "--labels", 60, "--method", "best"]
    run = start("module", "stereo", *arguments, "--json", cwd=tmp_path)
    time.sleep(5)
    assert run.poll() is None, run.communicate()
    run.send_signal(signal.SIGTERM)
    out, err = run.communicate(timeout=30)
    assert run.returncode == 143, err
    assert json.loads(out)["status"] == "interrupted"
    assert np.load(tmp_path / "map.npy").shape == (400, 500)


def test_what_is_ignored_from_the_start_stays_ignored(problem):
    """As nohup or a shell's & leave it; SIGTERM still ends the run in order."""
    output = problem / "labels.npy"

    def ignore():
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    run = start("module", "solve", problem / "problem.npz", "-o", output, preexec_fn=ignore)
    time.sleep(3)
    run.send_signal(signal.SIGINT)
    time.sleep(1)
    assert run.poll() is None, run.communicate()
    run.send_signal(signal.SIGTERM)
    _, err = run.communicate(timeout=30)
    assert run.returncode == 143, err
    assert output.exists()


def test_the_library_leaves_signals_alone():
    script = "import signal as s; a = s.getsignal(2), s.getsignal(15); import rangemoves; "
    script += "assert a == (s.getsignal(2), s.getsignal(15))"
    subprocess.run([sys.executable, "-c", script], check=True)
