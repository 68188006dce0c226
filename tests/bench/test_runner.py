"""The queue: what is kept, what is run again, what fails, and Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("rich")

import rangemoves as rm
from rangemoves.bench import cells, runner
from rangemoves.bench.limits import TimeLimits
from rangemoves.bench.problems import problem
from rangemoves.bench.store import Store, read

ABOUT = {"kind": "paper", "command": "", "version": "", "machine": {}, "seed": 0}

# A worker in which some cells meet with an accident.
CRASHING = """
import os, signal, sys, time
from rangemoves.bench import cells, worker

run = cells.run

def fail(out, job):
    if job.cell.row == "swap":
        raise RuntimeError("the disk is on fire")
    if job.cell.row == "E":
        os.kill(os.getpid(), signal.SIGKILL)
    if job.cell.row == "trws":
        time.sleep(60)
    return run(out, job)

cells.run = fail
worker.main()
"""


class Silent:
    def __init__(self):
        self.order = []
        self.seen = {}

    def started(self, job):
        self.order.append(job.cell.row)

    def finished(self, job, cell):
        self.seen[cell.row] = cell


@pytest.fixture
def crashing(tmp_path):
    script = tmp_path / "worker.py"
    script.write_text(CRASHING, encoding="utf-8")
    return [sys.executable, str(script)]


def run(out, rows, force=False, command=runner.COMMAND, processes=2, **options):
    store = Store(out, "paper")
    store.open()
    display = Silent()
    jobs = cells.plan(["synthetic"], ["quadratic"], rows, **options)
    runner.run(
        store, jobs, ABOUT, processes=processes, display=display, force=force, command=command
    )
    return {cell.row: cell for cell in read(out).cells}, display


def test_finished_cells_are_kept_and_others_are_run_again(tmp_path):
    out = tmp_path / "out"
    _, first = run(out, ["expansion", "gswap"])
    assert set(first.order) == {"expansion", "gswap"}
    _, again = run(out, ["expansion", "gswap"])
    assert again.order == []
    found, more = run(out, ["gswapf", "E+gswap"])
    assert set(more.order) == {"gswapf", "E", "E+gswap"}
    assert set(found) == {"expansion", "gswap", "gswapf", "E", "E+gswap"}
    _, forced = run(out, ["gswap"], force=True)
    assert forced.order == ["gswap"]


def test_other_settings_another_version_and_damage_are_run_again(tmp_path):
    out = tmp_path / "out"
    run(out, ["gswap", "gswapf"])
    found, seeded = run(out, ["gswap"], seed=3)
    assert seeded.order == ["gswap"]
    assert found["gswap"].seed == 3
    path = out / "cells" / "synthetic-quadratic-gswap.json"
    record = json.loads(path.read_bytes())
    record["settings"]["version"] = "0.0.1"
    path.write_text(json.dumps(record))
    assert run(out, ["gswap"], seed=3)[1].order == ["gswap"]
    (out / "cells" / "synthetic-quadratic-gswapf.json").write_text('{"settings": ')
    (out / "cells" / "synthetic-quadratic-gswap.npz").unlink()
    assert set(run(out, ["gswap", "gswapf"], seed=3)[1].order) == {"gswap", "gswapf"}


def test_what_others_start_from_is_run_first_and_they_follow_it(tmp_path):
    out = tmp_path / "out"
    found, display = run(out, ["E+rexp"], processes=1)
    assert display.order == ["E", "E+rexp"]
    own = found["E+rexp"].seconds - found["E+rexp"].start_seconds
    assert own > 0
    assert found["E+rexp"].start_seconds == found["E"].seconds
    assert found["E+rexp"].energy <= found["E"].energy
    start = rm.minimize(problem("synthetic-quadratic"), "expansion", order="ascending")
    assert found["E"].energy == start.energy
    (out / "cells" / "synthetic-quadratic-E.json").unlink()
    assert run(out, ["E+rexp"])[1].order == ["E", "E+rexp"]


def test_expensive_cells_go_first(tmp_path):
    _, display = run(tmp_path, ["gswap", "rexp", "trws"], processes=1)
    assert display.order == ["rexp", "gswap", "trws"]


def test_what_matters_goes_first_and_of_that_the_cheap_cells():
    [job] = cells.plan(["synthetic"], ["quadratic"], ["gswap"])
    rows = (("long", 0, 9.0, None), ("short", 0, 1.0, "start"), ("start", 1, 2.0, None))
    late = (("late", 1, 1.0, None), ("last", 1, 5.0, None))
    jobs = [
        replace(job, name=name, tier=tier, cost=cost, needs=needs)
        for name, tier, cost, needs in (*rows, *late)
    ]
    # "start" counts as the first that needs it; at the end the longest must not come last.
    order = ["short", "start", "long", "last", "late"]
    assert [job.name for job in runner._in_order(jobs)] == order


def test_a_cell_that_fails_is_shown_and_tried_again(tmp_path, crashing):
    out = tmp_path / "out"
    found, _ = run(out, ["swap", "E+gswap", "gswap"], command=crashing)
    assert found["swap"].status == "failed"
    assert "the disk is on fire" in found["swap"].error
    assert found["E"].status == "failed"
    assert "signal 9" in found["E"].error
    assert found["E+gswap"].status == "failed"
    assert "synthetic-quadratic-E" in found["E+gswap"].error
    assert found["gswap"].status == "converged"
    found, again = run(out, ["swap", "E+gswap", "gswap"])
    assert set(again.order) == {"swap", "E", "E+gswap"}
    assert {cell.status for cell in found.values()} == {"converged"}


def test_a_cell_that_does_not_end_at_its_limit_is_ended(tmp_path, crashing, monkeypatch):
    monkeypatch.setattr(runner, "GRACE_SECONDS", 1.0)
    found, _ = run(tmp_path / "out", ["trws"], command=crashing, limits=TimeLimits(usual=0.5))
    assert found["trws"].status == "failed"
    assert "past its limit" in found["trws"].error


def test_a_time_limit_ends_a_cell_with_what_it_has(tmp_path):
    found, _ = run(tmp_path, ["gswap"], limits=TimeLimits(usual=0))
    assert found["gswap"].status == "time_limit"
    assert found["gswap"].energy > 0
    assert (tmp_path / found["gswap"].result).is_file()


LONG = ["--instances", "synthetic-200", "--priors", "quadratic", "--jobs", "2"]


def start(out):
    command = [sys.executable, "-m", "rangemoves", "bench", "paper", "-o", str(out), *LONG]
    process = subprocess.Popen(
        [*command, "--methods", "trws,gswap,best"], stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    # One cell is finished, and one that takes two minutes is running.
    while not list(out.glob("cells/[!.]*.json")):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.02)
    return process


def children(pid):
    path = Path(f"/proc/{pid}/task/{pid}/children")
    if not path.exists():
        pytest.skip("the system does not list the children of a process")
    return [int(word) for word in path.read_text().split()]


def alive(pid):
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(tmp_path):
    out = tmp_path / "out"
    process = start(out)
    workers = children(process.pid)
    pressed = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=10)
    waited = time.monotonic() - pressed
    assert process.returncode == 130
    assert waited < 2  # half a second on a machine that does nothing else
    assert "run the same command again to go on" in errors
    assert not any(alive(worker) for worker in workers)
    assert not list(out.glob("cells/.*"))
    status = {cell.row: cell.status for cell in read(out).cells}
    assert status["best"] == "pending"
    finished = [row for row, found in status.items() if found != "pending"]
    assert finished
    assert "not run" in (out / "tables.md").read_text(encoding="utf-8")

    store = Store(out, "paper")
    store.open()
    jobs = cells.plan(["synthetic-200"], ["quadratic"], ["trws", "gswap"])
    display = Silent()
    runner.run(store, jobs, ABOUT, processes=1, display=display)
    assert set(display.order) == {"trws", "gswap"} - set(finished)


def test_cells_end_with_a_run_that_is_killed(tmp_path):
    process = start(tmp_path / "out")
    workers = children(process.pid)
    assert workers
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 5
    while any(alive(worker) for worker in workers):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert read(tmp_path / "out").about["kind"] == "paper"


def test_the_workers_memory_is_its_own(tmp_path):
    ballast = os.urandom(1) * 300_000_000
    found, _ = run(tmp_path, ["gswap"])
    assert len(ballast) == 300_000_000
    assert 10e6 < found["gswap"].memory_bytes < 250e6
