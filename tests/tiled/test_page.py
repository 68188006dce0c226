"""docs/tiles.md: the code that needs zarr and Dask runs too; doctest runs the rest."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tiles.md"


def guarded(lines):
    return "if __name__ == '__main__':\n" + "".join(f"    {line}\n" for line in lines)


def test_the_code_of_the_page_runs(tmp_path):
    pytest.importorskip("zarr")
    pytest.importorskip("distributed")
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    plain = [block for block in blocks if ">>>" not in block]
    assert len(plain) == 3
    # A file, as Dask's processes import it again: only one part of it is for the first process.
    first, second, third = plain
    imports = "\n".join(first.splitlines()[:4])
    script = tmp_path / "page.py"
    begin, end = guarded(first.splitlines()[4:]), guarded(third.splitlines())
    script.write_text(f"{imports}\n{begin}\n{second}\n{end}")
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "labels.zarr").is_dir()
