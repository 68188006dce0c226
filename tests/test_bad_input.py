"""Every row of the tables in docs/bad-input.md does what it says."""

import builtins
import os
import re
import shlex
import zipfile
from pathlib import Path

import numpy as np
import pytest

import rangemoves as rm

pytest.importorskip("PIL")
pytest.importorskip("typer")
from PIL import Image
from typer.testing import CliRunner

from rangemoves.cli import app

PAGE = Path(__file__).resolve().parents[1] / "docs" / "bad-input.md"
LINES = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
ROWS = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in LINES]
FILES = [(name, outcome) for name, _, outcome in (row for row in ROWS if len(row) == 3)]
COMMANDS = [(line, int(code), words) for line, _, code, words in (r for r in ROWS if len(r) == 4)]
READERS = {".pfm": "disparity", ".npy": "disparity", ".exr": "disparity", ".npz": "result"}


def npy_header(shape):
    text = repr({"descr": "<f8", "fortran_order": False, "shape": shape}).ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """All files of the page."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    picture = rng.integers(0, 256, (20, 30), dtype=np.uint8)
    for name in ("left", "half", "claims"):
        rm.io.write_image(f"{name}.png", picture)
    rm.io.write_image("small.png", picture[:, 1:])
    np.save("small.npy", np.ones((20, 29)))
    rm.io.write_image("colours.png", np.zeros((2, 3, 3), np.uint8))
    rm.io.write_image("eight.pgm", picture)
    half = Path("half.png").read_bytes()
    Path("half.png").write_bytes(half[: len(half) // 2])
    claims = Path("claims.png").read_bytes()
    Image.new("L", (9000, 9000)).save("claims.png", compress_level=1)
    Path("claims.png").write_bytes(Path("claims.png").read_bytes()[:33] + claims[33:])
    Image.new("1", (12000, 12000)).save("bomb.png")
    Path("empty.png").write_bytes(b"")
    Image.new("RGB", (4, 3)).save("postscript.png", format="EPS")
    Image.new("RGB", (4, 3)).save("picture.gif")
    os.mkfifo("pipe.png")
    Path("deep.ppm").write_bytes(b"P6\n1 1\n65535\n" + bytes(6))
    Path("claims.pgm").write_bytes(b"P5\n9000 9000\n255\n")
    Path("sixty.pgm").write_bytes(b"P5\n1 1\n60\n\x1e")
    Path("scale0.pfm").write_bytes(b"Pf\n1 1\n0\n" + bytes(4))
    Path("scalenan.pfm").write_bytes(b"Pf\n1 1\nnan\n" + bytes(4))
    Path("short.pfm").write_bytes(b"Pf\n3 3\n-1\n" + bytes(35))
    Path("long.pfm").write_bytes(b"Pf\n3 3\n-1\n" + bytes(37))
    Path("colour.pfm").write_bytes(b"PF\n1 1\n-1\n" + bytes(12))
    np.save("objects.npy", np.array([[{}]], dtype=object))
    np.save("volume.npy", np.zeros((2, 3, 4)))
    Path("claims.npy").write_bytes(npy_header((10**6, 10**6)) + bytes(8))
    unary = rng.integers(0, 9, (3, 4, 5))
    for name in ("damaged.npz", "result.npz"):
        rm.minimize(rm.Energy(unary, rm.Linear())).save(name)
    damaged = bytearray(Path("damaged.npz").read_bytes())
    damaged[100] ^= 0x55
    Path("damaged.npz").write_bytes(damaged)
    np.savez("other.npz", labels=np.zeros(3))
    np.savez("problem.npz", unary=unary, prior="linear")
    np.savez("objects.npz", unary=np.array([{}]), prior="linear")
    np.savez("nounary.npz", prior="linear")
    np.savez("words.npz", unary=np.full((2, 2, 2), "text"), prior="linear")
    Path("text.npz").write_text("hello")
    with zipfile.ZipFile("claims.npz", "w") as archive:
        archive.writestr("unary.npy", Path("claims.npy").read_bytes())
    Path("nothing").mkdir()
    for name in ("good", "bad"):
        Path("pairs", name).mkdir(parents=True)
        rm.io.write_image(f"pairs/{name}/left.png", picture)
    rm.io.write_image("pairs/good/right.png", picture)
    return tmp_path


def read(name):
    disparity = name in ("eight.pgm", "sixty.pgm", "colours.png")
    kind = "disparity" if disparity else READERS.get(Path(name).suffix, "image")
    if kind == "image":
        rm.io.read_image(name)
    elif kind == "result":
        rm.Result.load(name)
    else:
        rm.io.read_disparity(name, 4 if name in ("sixty.pgm", "colours.png") else None)


def test_the_page_has_its_tables():
    assert len(FILES) >= 24
    assert len(COMMANDS) >= 18


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
@pytest.mark.usefixtures("folder")
def test_files():
    for name, outcome in FILES:
        kind, _, words = outcome.partition(": ")
        with pytest.raises(Exception, match=re.escape(words)) as caught:
            read(name)
        assert type(caught.value).__name__ == kind, name


@pytest.mark.usefixtures("folder")
def test_commands():
    for line, code, words in COMMANDS:
        done = CliRunner().invoke(app, shlex.split(line)[1:])
        assert done.exit_code == code, (line, done.output)
        assert words in re.sub(r"[\s│]+", " ", done.stderr), (line, done.stderr)


PYTHON = [row for row in ROWS if len(row) == 5]


@pytest.mark.parametrize(("code", "error", "words"), [(r[0], r[2], r[3]) for r in PYTHON])
def test_python(code, error, words):
    u = np.random.default_rng(0).random((2, 3, 4))
    names = {"np": np, "rm": rm, "u": u, "m": rm.Energy(u, rm.Linear())}
    with pytest.raises(getattr(builtins, error), match=re.escape(words)):
        eval(code, {**names, "nan": np.nan, "inf": np.inf})


def test_every_kind_of_row_is_there():
    assert FILES
    assert COMMANDS
    assert PYTHON
