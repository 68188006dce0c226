"""The scripts for developers: each can be started, and what they share measures as it says."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"
SCRIPTS = sorted(path for path in FOLDER.glob("*.py") if path.name != "measuring.py")


@pytest.fixture
def measuring(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    import measuring

    return measuring


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_every_script_says_what_it_does(script):
    done = subprocess.run([sys.executable, script, "--help"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f"python benchmarks/{script.name}" in done.stdout


def test_the_readme_names_every_script():
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"`{script.name}`" in text for script in SCRIPTS)


def test_rounds_go_through_all_and_the_fastest_counts(measuring, monkeypatch):
    clock = iter([0, 5, 10, 11, 20, 22, 30, 39])
    monkeypatch.setattr(measuring.time, "perf_counter", lambda: next(clock))
    order = []
    works = {name: lambda name=name: order.append(name) or len(order) for name in "ab"}
    assert measuring.fastest(works, 2) == {"a": (3, 2), "b": (2, 1)}
    assert order == ["a", "b", "a", "b"]


def test_a_missed_goal_is_an_exit_code(measuring, capsys):
    goals = measuring.Goals()
    goals.ratio("speed", slow=6.0, fast=2.0, goal=3)
    assert goals.tell()[1] == 0
    goals.at_most("memory", 5.0, 4, "GB")
    table, code = goals.tell()
    assert code == 1
    assert "| memory | 5.00 GB | <= 4 GB | NO |" in str(table)
    assert "| speed | 3.0 (6.00 s / 2.000 s) | >= 3 | yes |" in capsys.readouterr().out


def test_memory_of_one_small_run():
    script = FOLDER / "memory.py"
    arguments = ["--kinds", "syn", "--sizes", "20x30x8", "--methods", "expansion"]
    done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True)
    assert "| syn | 20x30x8 | expansion |" in done.stdout, done.stderr
