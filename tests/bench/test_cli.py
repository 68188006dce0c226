"""``rangemoves bench``: paper, scaling and compare, from the command line to the page."""

import csv
import json
import shutil

import pytest

import rangemoves as rm

pytest.importorskip("typer")
pytest.importorskip("matplotlib")
from typer.testing import CliRunner

from rangemoves.bench.problems import problem
from rangemoves.bench.run import present
from rangemoves.bench.store import Store
from rangemoves.cli import app

SMALL = ["--instances", "synthetic", "--priors", "quadratic,cauchy", "--best-time-limit", "1"]


def bench(*arguments):
    return CliRunner().invoke(app, ["bench", *map(str, arguments)])


@pytest.fixture(scope="module")
def paper_run(tmp_path_factory):
    out = tmp_path_factory.mktemp("bench") / "paper"
    done = bench("paper", "-o", out, *SMALL, "--methods", "expansion,gswap,gswapf,E+gswap,best")
    assert done.exit_code == 0, done.output
    return out, done


def test_it_writes_everything(paper_run):
    out, done = paper_run
    for name in ("results.csv", "results.json", "tables.md", "tables.tex", "index.html"):
        assert (out / name).stat().st_size > 0
    suffixes = {path.suffix for path in (out / "figures").iterdir()}
    assert {".png", ".svg"} <= suffixes
    assert done.stderr.count("synthetic-") == 12
    assert "[12/12]" in done.stderr


def test_results_say_what_was_found_and_on_what(paper_run):
    out, _ = paper_run
    results = json.loads((out / "results.json").read_bytes())
    about = results["about"]
    assert about["kind"] == "paper"
    assert about["version"] == rm.__version__
    assert about["command"].startswith("rangemoves bench paper -o paper --instances synthetic")
    assert set(about["machine"]) >= {"system", "processor", "cores", "memory_bytes", "simd"}
    assert len(results["cells"]) == 12
    for cell in results["cells"]:
        if (cell["prior"], cell["row"]) == ("cauchy", "gswapf"):
            assert cell["status"] == "refused"
            assert "largest value" in cell["error"]
            continue
        stored = rm.Result.load(out / cell["result"])
        energy = problem(f"synthetic-{cell['prior']}")
        assert cell["energy"] == stored.energy == energy(stored.labels)
        assert cell["iterations"] == len(stored.trace) or cell["row"] == "best"
        assert cell["seconds"] == pytest.approx(stored.seconds + cell["start_seconds"])
        assert cell["own"] is True
        assert cell["paper_energy"] is None
        assert cell["memory_bytes"] > 10e6
        assert cell["machine"]
    lowest = {}
    for cell in results["cells"]:
        if cell["energy"] is not None:
            lowest[cell["prior"]] = min(lowest.get(cell["prior"], 1e9), cell["energy"])
    for cell in results["cells"]:
        if cell["row"] == "best":
            assert cell["energy"] == lowest[cell["prior"]]
            assert cell["lower_bound"] <= cell["energy"]


def test_a_run_made_elsewhere_is_shown_anew_with_its_machine(paper_run, tmp_path):
    out = tmp_path / "copied"
    shutil.copytree(paper_run[0], out)
    stored = json.loads((out / "results.json").read_bytes())
    assert stored["about"]["processes"] >= 1
    stored["about"]["machine"]["processor"] = "another machine"
    (out / "results.json").write_text(json.dumps(stored))
    drawn = {path.name for path in (out / "figures").iterdir()}
    shutil.rmtree(out / "figures")
    present(out)
    assert {path.name for path in (out / "figures").iterdir()} == drawn
    assert "on another machine," in (out / "tables.md").read_text(encoding="utf-8")
    assert "another machine" in (out / "index.html").read_text(encoding="utf-8")


def test_csv_has_the_same_cells(paper_run):
    out, _ = paper_run
    with (out / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    cells = json.loads((out / "results.json").read_bytes())["cells"]
    wanted = "energy lower_bound seconds iterations memory_bytes version machine seed status"
    assert set(wanted.split()) <= set(rows[0])
    assert [row["row"] for row in rows] == [cell["row"] for cell in cells]
    assert rows[1]["energy"] == str(cells[1]["energy"])


def test_other_folders_are_refused(tmp_path, paper_run):
    (tmp_path / "thesis.tex").write_text("precious")
    refused = bench("paper", "-o", tmp_path, *SMALL)
    assert refused.exit_code == 1
    assert "other files" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    refused = bench("scaling", "-o", paper_run[0])
    assert refused.exit_code == 1
    assert "'bench paper'" in refused.stderr


def test_two_runs_in_one_folder_are_refused(paper_run):
    pytest.importorskip("fcntl")
    out, _ = paper_run
    with Store(out, "paper").alone():
        refused = bench("paper", "-o", out, *SMALL)
    assert refused.exit_code == 1
    assert "another one going on" in refused.stderr


def test_missing_data_are_named_before_any_work(tmp_path):
    (tmp_path / "middlebury" / "venus").mkdir(parents=True)
    out = tmp_path / "out"
    for name, missing in (("venus", "im2"), ("kitti-000070", "000070"), ("teddy", "teddy")):
        done = bench("paper", "-o", out, "--instances", f"synthetic,{name}", "--data", tmp_path)
        assert done.exit_code == 1
        assert missing in done.stderr
        assert not out.exists()


@pytest.mark.parametrize("option", ["--instances", "--priors", "--methods"])
def test_unknown_names_are_wrong_use(tmp_path, option):
    done = bench("paper", "-o", tmp_path / "out", option, "mars")
    assert done.exit_code == 2
    assert "mars" in done.stderr


def test_scaling_without_data(tmp_path):
    out = tmp_path / "scaling"
    done = bench("scaling", "-o", out, "--methods", "trws", "--largest", 7500, "--jobs", 2)
    assert done.exit_code == 0, done.output
    cells = json.loads((out / "results.json").read_bytes())["cells"]
    assert {cell["case"] for cell in cells} == {"pixels", "labels", "T"}
    assert all(cell["seconds"] > 0 for cell in cells)
    assert (out / "index.html").is_file()
    assert "| labels |" in (out / "tables.md").read_text(encoding="utf-8")


def test_compare_shows_who_is_not_installed(tmp_path):
    out = tmp_path / "compare"
    done = bench("compare", "-o", out, "--instances", "synthetic", "--repeat", 1, "--jobs", 2)
    assert done.exit_code == 0, done.output
    cells = json.loads((out / "results.json").read_bytes())["cells"]
    by_name = {cell["solver"]: cell for cell in cells}
    ours, reference = (by_name[f"rangemoves {e} engine"] for e in ("dual", "reference"))
    assert ours["energy"] == reference["energy"]
    for solver, package in (("PyMaxflow BK", "maxflow"), ("OR-tools", "ortools")):
        try:
            __import__(package)
        except ModuleNotFoundError:
            assert by_name[solver]["status"] == "not installed"
        else:
            assert by_name[solver]["energy"] == ours["energy"]
    assert by_name["rangemoves match"]["bad1"] < 50
    assert (out / "index.html").is_file()


@pytest.mark.parametrize("command", ["paper", "scaling", "compare"])
def test_every_help_shows_an_example(command):
    done = bench(command, "--help")
    assert done.exit_code == 0
    assert f"rangemoves bench {command}" in done.output


def test_methods_as_written_and_with_options(tmp_path):
    out = tmp_path / "out"
    arguments = ["--instances", "synthetic", "--priors", "cauchy", "--methods", "gswap,rswape"]
    done = bench("paper", "-o", out, *arguments, "--as-written", "--strategy", "random")
    assert done.exit_code == 0, done.output
    results = json.loads((out / "results.json").read_bytes())
    assert results["about"]["command"].endswith("--as-written --strategy random")
    cells = {cell["row"]: cell for cell in results["cells"]}
    assert set(cells) == {"gswap", "gswap-as-written", "rswape", "rswape-as-written"}
    found = {row: rm.Result.load(out / cell["result"]).options for row, cell in cells.items()}
    assert found["gswap"] == {"strategy": "random"}
    assert found["rswape"] == {}
    assert found["rswape-as-written"] == {"convex_range": "prior", "ties": "highest"}
    assert found["gswap-as-written"] == {
        "strategy": "ends",
        "surrogate": "huber",
        "convex_range": "prior",
        "ties": "highest",
    }


@pytest.mark.parametrize(
    ("row", "option", "value"),
    [
        ("gswap", "extend", "3"),
        ("gswapf", "strategy", "ends"),
        ("swap", "order", "ascending"),
        ("irgc", "surrogate", "chord"),
        ("gswap", "width", "2"),
        ("rexp", "nonsubmodular", "qpbo"),
        ("irgc", "convex-range", "prior"),
        ("rexp", "ties", "highest"),
        # What makes the row what it is.
        ("gswap-as-written", "surrogate", "tight"),
        ("E", "order", "random"),
    ],
)
def test_an_option_that_no_row_takes_is_refused(tmp_path, row, option, value):
    small = ["--instances", "synthetic", "--priors", "quadratic", "--methods", row]
    done = bench("paper", "-o", tmp_path / "out", *small, f"--{option}", value)
    assert done.exit_code == 2
    assert f"--{option}" in done.stderr
    assert not (tmp_path / "out").exists()


def test_gswap_from_several_starts(tmp_path):
    out = tmp_path / "out"
    arguments = ["--instances", "synthetic", "--priors", "linear", "--methods", "gswap"]
    done = bench("paper", "-o", out, *arguments, "--starts", "--jobs", "1")
    assert done.exit_code == 0, done.output
    cells = json.loads((out / "results.json").read_bytes())["cells"]
    starts = {cell["row"]: cell["start"] for cell in cells if cell["method"] == "gswap"}
    assert starts == {
        "gswap": "zero",
        "E+gswap": "expansion",
        "trws+gswap": "trws",
        "argmin+gswap": "argmin",
        "random+gswap": "random",
    }
    energy = problem("synthetic-linear")
    for cell in cells:
        begin = rm.Result.load(out / cell["result"]).start
        if cell["row"] == "argmin+gswap":
            assert begin.energy == energy(energy.unary.argmin(axis=-1))
        if cell["row"] == "trws+gswap":
            [trws] = [other for other in cells if other["row"] == "trws"]
            assert begin.energy == trws["energy"]
    assert "gswap from several starts" in (out / "tables.md").read_text(encoding="utf-8")


def test_everything_or_a_quick_part_but_not_both(tmp_path):
    done = bench("paper", "-o", tmp_path / "out", "--everything", "--quick")
    assert done.exit_code == 2
    assert "choose one of" in done.stderr
    assert not (tmp_path / "out").exists()


def test_everything_of_an_instance_says_its_commit_and_is_run_again_at_another(tmp_path):
    out = tmp_path / "out"
    small = ["--instances", "synthetic", "--priors", "quadratic", "--methods", "gswap"]

    def run(commit, *more):
        done = bench("paper", "-o", out, *small, "--quick", "--commit", commit, *more)
        assert done.exit_code == 0, done.output
        return done.stderr.count("synthetic-")

    assert [run("abc"), run("abc"), run("def")] == [2, 0, 2]
    about = json.loads((out / "results.json").read_bytes())["about"]
    assert about["commit"] == "def"
    assert "version 0.1.0, commit def, on" in (out / "tables.md").read_text(encoding="utf-8")
    assert "commit def" in (out / "index.html").read_text(encoding="utf-8")
    # Of several commits on request, which the tables then say.
    (out / "cells" / "synthetic-quadratic-gswap.json").unlink()
    assert run("ghi", "--any-commit") == 1
    both = "commit ghi (1 cells) and def (1 cells)"
    assert both in (out / "tables.md").read_text(encoding="utf-8")
    assert both in (out / "index.html").read_text(encoding="utf-8")
