"""``rangemoves solve``: files in, labels out, and the right exit code."""

import copy
import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
import zipfile

import numpy as np
import pytest

import rangemoves as rm

pytest.importorskip("typer")
from typer.testing import CliRunner

from rangemoves.cli import app

UNARY = np.random.default_rng(0).integers(0, 30, (6, 7, 8))
GSWAP = {"unary": UNARY, "prior": "truncated-quadratic", "threshold": 2, "weights": 3}


def solve(folder, problem, *arguments):
    np.savez(folder / "problem.npz", **problem)
    output = folder / "labels.npy"
    line = ["solve", str(folder / "problem.npz"), "-o", str(output), *map(str, arguments)]
    return CliRunner().invoke(app, line), output


def test_labels_are_those_of_the_library(tmp_path):
    done, output = solve(tmp_path, GSWAP)
    assert done.exit_code == 0, done.output
    expected = rm.minimize(rm.Energy(UNARY, rm.TruncatedQuadratic(2), 3))
    np.testing.assert_array_equal(np.load(output), expected.labels)
    assert f"energy       {expected.energy:g}" in done.stdout
    assert f"wrote {output}" in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["labels.npy", "problem.npz"]


def test_json_alone_is_on_standard_output(tmp_path):
    done, output = solve(tmp_path, GSWAP, "--json", "--method", "gswapf")
    facts = json.loads(done.stdout)
    energy = rm.Energy(UNARY, rm.TruncatedQuadratic(2), 3)
    assert facts["energy"] == energy(np.load(output))
    assert facts["method"] == "gswapf"
    assert facts["output"] == str(output)
    assert facts["trace"][-1]["energy"] == facts["energy"]
    assert facts["version"] == rm.__version__


def test_the_whole_result_can_be_stored(tmp_path):
    np.savez(tmp_path / "problem.npz", **GSWAP)
    output = tmp_path / "result.npz"
    line = ["solve", str(tmp_path / "problem.npz"), "-o", str(output)]
    assert CliRunner().invoke(app, line).exit_code == 0
    assert rm.Result.load(output).method == "auto"


@pytest.mark.parametrize(
    ("problem", "energy"),
    [
        ({"unary": UNARY, "prior": "linear"}, rm.Energy(UNARY, rm.Linear())),
        (
            {
                "unary": UNARY,
                "prior": "linear",
                "weights_0": np.ones((5, 7)),
                "weights_1": np.full((6, 6), 2),
            },
            rm.Energy(UNARY, rm.Linear(), (1, 2)),
        ),
        (
            {"unary": UNARY, "prior": "table", "table": np.arange(8), "connectivity": 8},
            rm.Energy(UNARY, rm.Linear(), connectivity=8),
        ),
        (
            {"unary": UNARY[0], "prior": "linear", "edges": [[0, 1], [5, 2]], "weights": [1.5, 2]},
            rm.Energy(UNARY[0], rm.Linear(), [1.5, 2], edges=[[0, 1], [5, 2]]),
        ),
    ],
    ids=["plain", "weights per axis", "table", "graph"],
)
def test_every_kind_of_problem_is_read(tmp_path, problem, energy):
    done, output = solve(tmp_path, problem, "--method", "ishikawa")
    assert done.exit_code == 0, done.output
    assert energy(np.load(output)) == rm.minimize(energy, "ishikawa").energy


def test_the_start_comes_from_the_file_or_the_line(tmp_path):
    start = np.full((6, 7), 5)
    _, output = solve(tmp_path, {**GSWAP, "init": start}, "--max-iter", 0)
    np.testing.assert_array_equal(np.load(output), start)
    _, output = solve(
        tmp_path, {**GSWAP, "init": start}, "--max-iter", 0, "--init", "zero", "--force"
    )
    assert not np.load(output).any()


def test_an_existing_output_is_kept_unless_forced(tmp_path):
    output = tmp_path / "labels.npy"
    output.write_text("precious")
    done, _ = solve(tmp_path, GSWAP)
    assert done.exit_code == 2
    assert "--force" in done.stderr
    assert output.read_text() == "precious"
    done, _ = solve(tmp_path, GSWAP, "--force")
    assert done.exit_code == 0
    assert np.load(output).shape == (6, 7)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"prior": "potts"}, "prior must be one of"),
        ({"threshold": -2}, "must be greater than 0"),
        ({"unary": np.full((2, 2, 2), np.nan)}, "must not be NaN; found 8 NaN"),
        ({"colour": 3}, "entry 'colour' that means nothing"),
        ({"weights_0": 1}, "either weights or weights_0"),
        ({"prior": "table"}, "must have its values in 'table'"),
        ({"prior": ["linear", "cauchy"]}, "rows of as many names and numbers"),
        ({"prior": 3}, "'prior' of the problem must be the name of a prior; found int64"),
        ({"threshold": "two"}, "'threshold' of the problem must be a number; found <U3"),
        ({"threshold": [1, 2]}, "must be a number; found int64 of shape (2,)"),
        ({"connectivity": 4.0}, "'connectivity' of the problem must be an integer; found float64"),
        ({"connectivity": [4, 8]}, "'connectivity' of the problem must be an integer"),
        ({"unary": np.zeros((2, 2, 2), "M8[s]")}, "expected numbers or text"),
        ({"unary": np.zeros((2, 2, 2), complex)}, "must be real numbers"),
        ({"unary": np.full((2, 2, 2), "text")}, "must be real numbers"),
    ],
)
def test_bad_problems_fail_in_one_line(tmp_path, change, message):
    done, output = solve(tmp_path, {**GSWAP, **change})
    assert done.exit_code == 1
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""
    assert not output.exists()


def test_a_refusal_fails_with_the_reason(tmp_path):
    done, _ = solve(tmp_path, {**GSWAP, "prior": "cauchy"}, "--method", "gswapf")
    assert done.exit_code == 1
    assert "one and the same largest value" in done.stderr


def single_array():
    stored = io.BytesIO()
    np.save(stored, UNARY)
    return stored.getvalue()


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 broken", single_array()])
def test_files_that_are_no_problems_fail(tmp_path, content):
    path = tmp_path / "problem.npz"
    path.write_bytes(content)
    done = CliRunner().invoke(app, ["solve", str(path), "-o", str(tmp_path / "labels.npy")])
    assert done.exit_code == 1
    assert "must be an .npz file" in done.stderr


def test_pickles_are_not_opened(tmp_path):
    path = tmp_path / "problem.npz"
    np.savez(path, unary=np.array([{}], dtype=object), prior="linear")
    done = CliRunner().invoke(app, ["solve", str(path), "-o", str(tmp_path / "labels.npy")])
    assert done.exit_code == 1
    assert "plain arrays" in done.stderr


def stored_npy(array):
    stored = io.BytesIO()
    np.save(stored, array)
    return stored.getvalue()


def rewritten(folder, change=lambda name, data: data, method=zipfile.ZIP_STORED):
    """A problem whose entries were changed, in an archive that is whole."""
    path = folder / "problem.npz"
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, value in GSWAP.items():
            archive.writestr(f"{name}.npy", change(name, stored_npy(np.asarray(value))))
    return path


def fails(path, words):
    done = CliRunner().invoke(app, ["solve", str(path), "-o", str(path.with_name("labels.npy"))])
    assert done.exit_code == 1, done.output
    assert "must be an .npz file of plain arrays" in done.stderr
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


class TestHostileFiles:
    def test_a_shape_that_the_file_cannot_hold(self, tmp_path):
        def claim(name, data):
            return data.replace(b"(6, 7, 8), }  ", b"(60000, 70000, 8), }")[: len(data)]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(np.lib.format, "read_array", lambda *_, **__: pytest.fail("was read"))
            fails(rewritten(tmp_path, claim), "its header claims int64 of shape (60000, 70000")

    def test_an_entry_that_claims_more_than_deflate_can_hold(self, tmp_path):
        path = rewritten(tmp_path, method=zipfile.ZIP_DEFLATED)
        data = bytearray(path.read_bytes())
        # The size before compression, in the first record of the directory.
        start = data.index(b"PK\x01\x02") + 24
        data[start : start + 4] = (2**31).to_bytes(4, "little")
        path.write_bytes(data)
        fails(path, "'unary.npy' claims 2147483648 bytes, more than")

    def test_entries_that_share_their_bytes(self, tmp_path):
        path = rewritten(tmp_path)
        with zipfile.ZipFile(path, "a") as archive:
            for number in range(9):
                twin = copy.copy(archive.getinfo("unary.npy"))
                twin.filename = f"weights_{number}.npy"
                archive.filelist.append(twin)
            archive._didModify = True
        fails(path, "its entries claim more than")

    def test_more_than_the_machine_has(self, tmp_path, monkeypatch):
        monkeypatch.setattr("rangemoves.machine.physical_memory", lambda: 1000)
        path = rewritten(tmp_path)
        done = CliRunner().invoke(app, ["solve", str(path), "-o", str(tmp_path / "labels.npy")])
        assert done.exit_code == 1
        assert "problem.npz must fit into memory" in done.stderr

    @pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    def test_other_compressions(self, tmp_path, method):
        fails(rewritten(tmp_path, method=method), "in a way that NumPy does not write")

    def test_two_entries_of_one_name(self, tmp_path):
        path = rewritten(tmp_path)
        with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("unary.npy", stored_npy(UNARY))
        fails(path, "each with its own name")

    def test_an_entry_that_is_no_array(self, tmp_path):
        path = rewritten(tmp_path)
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr("notes.txt", "hello")
        fails(path, "found the entry 'notes.txt'")

    def test_a_locked_entry(self, tmp_path):
        path = rewritten(tmp_path)
        data = bytearray(path.read_bytes())
        data[data.index(b"PK\x01\x02") + 8] |= 1
        data[data.index(b"PK\x03\x04") + 6] |= 1
        path.write_bytes(data)
        fails(path, "encrypted")

    def test_text_that_is_none(self, tmp_path):
        def spoil(name, data):
            return data[:-4] + b"BBBB" if name == "prior" else data

        fails(rewritten(tmp_path, spoil), "numbers that are no characters")

    def test_a_pipe(self, tmp_path):
        os.mkfifo(tmp_path / "problem.npz")
        fails(tmp_path / "problem.npz", "found a pipe or a device")


@pytest.mark.parametrize(
    "arguments",
    [
        ["missing.npz", "-o", "labels.npy"],
        ["problem.npz"],
        ["problem.npz", "-o", "labels.txt"],
        ["problem.npz", "-o", "nowhere/labels.npy"],
        ["problem.npz", "-o", "labels.npy", "--threads", "0"],
        ["problem.npz", "-o", "labels.npy", "--frobnicate"],
    ],
)
def test_wrong_use_is_exit_code_2(tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    np.savez("problem.npz", **GSWAP)
    assert CliRunner().invoke(app, ["solve", *arguments]).exit_code == 2


def test_every_option_of_every_method_is_one_of_the_command(tmp_path):
    path, output = tmp_path / "problem.npz", tmp_path / "result.npz"
    np.savez(path, unary=UNARY, prior="linear", weights=3)
    for method in rm.methods():
        for option in method.option_table:
            value = option.choices[-1] if option.choices else option.least + 1
            line = ["solve", str(path), "-o", str(output), "--force", "--method", method.name]
            name = option.name.replace("_", "-")
            done = CliRunner().invoke(app, [*line, f"--{name}", str(value)])
            assert done.exit_code == 0, done.output
            assert rm.Result.load(output).options == {option.name: value}


def test_options_of_other_methods_and_wrong_values_fail(tmp_path):
    done, _ = solve(tmp_path, GSWAP, "--method", "gswapf", "--strategy", "range")
    assert done.exit_code == 1
    assert "'gswapf' has no option 'strategy'" in done.output
    done, _ = solve(tmp_path, GSWAP, "--surrogate", "loose")
    assert done.exit_code == 1
    assert "surrogate must be one of" in done.output
    done, _ = solve(tmp_path, GSWAP, "--method", "rexp", "--width", 0)
    assert done.exit_code == 2


def large_problem(folder):
    rng = np.random.default_rng(0)
    columns = np.arange(250) // 30 * 7 % 40
    unary = np.abs(columns[:, None] - np.arange(40)) * 3 + rng.integers(0, 60, (200, 250, 40))
    np.savez(
        folder / "problem.npz", unary=unary, prior="truncated-quadratic", threshold=3, weights=8
    )


def test_ctrl_c_writes_the_best_labelling(tmp_path):
    large_problem(tmp_path)
    line = [sys.executable, "-m", "rangemoves", "solve", "problem.npz", "-o", "labels.npy"]
    line += ["--json", "--engine", "reference"]
    run = subprocess.Popen(
        line, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    time.sleep(2.5)
    assert run.poll() is None, run.communicate()
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=30)
    assert run.returncode == 130, err
    assert json.loads(out)["status"] == "interrupted"
    assert "the best labelling so far was written" in err
    assert np.load(tmp_path / "labels.npy").shape == (200, 250)


@pytest.mark.parametrize("name", ["problem.npz", "[red] problem.npz"])
def test_a_terminal_gets_a_progress_bar(tmp_path, name):
    np.savez(tmp_path / name, **GSWAP)
    primary, secondary = pty.openpty()
    line = [
        sys.executable,
        "-m",
        "rangemoves",
        "solve",
        name,
        "-o",
        "labels.npy",
        "--json",
    ]
    with subprocess.Popen(
        line,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=secondary,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    ) as run:
        os.close(secondary)
        shown = b""
        try:
            while part := os.read(primary, 4096):
                shown += part
        except OSError:  # Linux says so when the other end has closed
            pass
        out = run.stdout.read()
    os.close(primary)
    assert json.loads(out)["status"] in ("converged", "optimal")
    assert f"auto on {name}".encode() in shown


def test_masks_offsets_and_several_priors(tmp_path):
    mask = np.random.default_rng(1).random((6, 7)) < 0.8
    offsets = [np.ones((5, 7), int), np.zeros((6, 6), int)]
    values = np.minimum(np.arange(9), 3)
    problem = {
        "unary": UNARY,
        "prior": ["linear", "truncated-quadratic", "table"],
        "threshold": [np.nan, 2, np.nan],
        "table_2": values,
        "prior_index_0": np.full((5, 7), 2),
        "prior_index_1": 1,
        "offsets_0": offsets[0],
        "offsets_1": offsets[1],
        "mask": mask,
    }
    done, output = solve(tmp_path, problem)
    assert done.exit_code == 0, done.output
    energy = rm.Energy(
        UNARY,
        [rm.Linear(), rm.TruncatedQuadratic(2), rm.TablePrior(values)],
        prior_index=[2, 1],
        offsets=offsets,
        mask=mask,
    )
    expected = rm.minimize(energy)
    np.testing.assert_array_equal(np.load(output), expected.labels)
    np.testing.assert_array_equal(np.load(output) == -1, ~mask)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"prior": ["linear", "linear"]}, "prior_index must say which edge"),
        ({"prior": ["linear", "table"], "prior_index": [0, 1]}, "must have 'table_1'"),
        ({"prior": ["linear", "huber"], "threshold": [1.0]}, "rows of as many names and numbers"),
        ({"mask": np.ones((6, 7), int)}, "mask must be booleans"),
        ({"offsets": 1, "offsets_0": 1}, "either offsets or offsets_0"),
    ],
)
def test_what_is_wrong_with_them_is_said(tmp_path, change, words):
    done, _ = solve(tmp_path, {"unary": UNARY, "prior": "linear", **change})
    assert done.exit_code == 1
    assert words in " ".join(done.stderr.split())
