"""The scripts for developers: each can be started, and what they share measures as it says."""

import signal
import subprocess
import sys
import time
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


def test_rounds_go_through_all_and_the_fastest_counts(measuring):
    times = iter([0, 5, 10, 11, 20, 22, 30, 39])
    order = []
    works = {name: lambda name=name: order.append(name) or len(order) for name in "ab"}
    fastest = measuring.fastest(works, 2, clock=lambda: next(times))
    assert fastest == {"a": (3, 2), "b": (2, 1)}
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


def test_pages_are_written_from_one_run(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    import paper

    from rangemoves.bench.cell import PaperCell, Results
    from rangemoves.bench.store import Store

    out, docs = tmp_path / "run", tmp_path / "docs"
    (docs / "images" / "paper").mkdir(parents=True)
    (out / "figures").mkdir(parents=True)
    (out / "figures" / "a.png").write_bytes(b"new")
    shown = "![a](images/paper/a.png) ![b](images/paper/b.png)"
    (docs / "results.md").write_text(f"before\n{paper.BEGIN}\nold\n{paper.END}\nafter {shown}\n")
    about = {
        "kind": "paper",
        "command": "rangemoves bench paper",
        "version": "1",
        "commit": "abc",
        "machine": {"processor": "a machine", "cores": 2, "simd": "plain"},
        "processes": 2,
        "seed": 0,
        "created": "2026-01-02T03:04:05+00:00",
    }
    place = {"instance": "venus", "prior": "quadratic", "method": "gswap"}
    place |= {"machine": "a machine, 2 cores", "paper_energy": 3_080_600.0, "paper_seconds": 13.0}
    cells = [
        PaperCell(**place, row="gswap", energy=3_080_619.0, seconds=1.0, status="converged"),
        PaperCell(**place, row="gswap-as-written", energy=3.081e6, seconds=1.0, status="converged"),
        PaperCell(**place, row="irgc", energy=3_090_000.0, seconds=2.0, status="time_limit"),
    ]
    Store(out, "paper").write_results(Results(about, cells))

    paper.write_pages(out, docs)
    text = (docs / "results.md").read_text()
    assert text.startswith("before\n")
    assert text.endswith(f"after {shown}\n")
    assert "old" not in text
    assert (
        "ended 2026-01-02, commit abc, one thread a cell, 2 cells at a time, on a machine," in text
    )
    assert "3 cells, 1 of them ended by the time limit" in text
    assert "All cells together took 0 minutes of one core." in text
    assert "0 end more than 0.1 % below it, 1 above it" in text
    assert "of 1 figures of gswap, gswapf, rswap and rswape from label 0, 1 ended" in text
    assert "0 of those are the paper's to the printed digit, 1 within 0.5 %." in text
    assert "ours as they are more than 2.0 (venus, quadratic, irgc to gswap)" in text
    assert "| gswap | **3080.6** / 3080.6 |" in (docs / "paper.md").read_text()
    assert (docs / "images" / "paper" / "a.png").read_bytes() == b"new"


@pytest.mark.parametrize("words", [[], ["--pages"]])
@pytest.mark.parametrize(("status", "written"), [("pending", False), ("failed", True)])
def test_no_pages_of_a_run_that_is_not_over(status, written, words, tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(FOLDER)
    import paper

    from rangemoves.bench.cell import PaperCell, Results
    from rangemoves.bench.store import Store

    cell = PaperCell(
        instance="venus", prior="quadratic", row="gswap", method="gswap", status=status
    )
    Store(tmp_path, "paper").write_results(Results({"kind": "paper"}, [cell]))
    pages = []
    monkeypatch.setattr(paper, "run", lambda out, chosen: 1)
    monkeypatch.setattr(paper.bench, "present", lambda out: None)
    monkeypatch.setattr(paper, "write_pages", pages.append)
    monkeypatch.setattr(sys, "argv", ["paper.py", str(tmp_path), *words])
    assert paper.main() == (0 if words and written else 1)
    assert pages == ([tmp_path] if written else [])
    assert ("found 1 of 1 cells that were not run yet" in capsys.readouterr().err) is not written


@pytest.mark.parametrize(
    ("kind", "why"), [(None, "No such file"), ("compare", "found one of 'bench compare'")]
)
def test_no_pages_of_what_is_no_run_of_the_paper(kind, why, tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(FOLDER)
    import paper

    from rangemoves.bench.cell import Results
    from rangemoves.bench.store import Store

    if kind is not None:
        Store(tmp_path, kind).write_results(Results({"kind": kind}, []))
    monkeypatch.setattr(sys, "argv", ["paper.py", str(tmp_path), "--pages"])
    assert paper.main() == 1
    said = capsys.readouterr().err
    assert said.startswith("no pages were written: ")
    assert why in said


def test_where_there_is_no_git_the_commit_is_asked_for(tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(FOLDER)
    import paper

    monkeypatch.setattr(paper, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.setattr(sys, "argv", ["paper.py", str(tmp_path / "run")])
    assert paper.main() == 2
    assert "pass --commit" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_a_run_that_is_interrupted_says_how_to_go_on(tmp_path, data_folder):
    script = str(FOLDER / "paper.py")
    words = [tmp_path / "run", "--quick", "--commit", "a", "--data", data_folder, "--jobs", "1"]
    with subprocess.Popen(
        [sys.executable, script, *map(str, words)], stderr=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + 60
        while not (tmp_path / "run" / "results.json").exists():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert "run the same command again to go on" in said
    assert "Traceback" not in said


def test_pages_that_a_run_has_written_do_not_make_it_another_source(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    import paper

    def git(*words):
        named = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *named, *words], cwd=tmp_path, check=True, capture_output=True)

    monkeypatch.setattr(paper, "ROOT", tmp_path)
    for name in (*paper.COMPUTED_BY, "docs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("old")
    (tmp_path / paper.SHOWN_BY[0]).parent.mkdir(parents=True)
    (tmp_path / paper.SHOWN_BY[0]).write_text("old")
    git("init")
    git("add", ".")
    git("commit", "--message", "first")
    first = paper.commit()
    (tmp_path / paper.SHOWN_BY[0]).write_text("new")
    assert paper.commit() == first
    (tmp_path / "docs" / "file").write_text("new")
    assert paper.commit() == first
    git("commit", "--all", "--message", "its pages")
    assert paper.commit() == first
    (tmp_path / "core" / "file").write_text("new")
    assert paper.commit() == f"{first}-dirty"
