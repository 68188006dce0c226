"""What a type checker says of calls: wrong options are found before anything runs."""

import os
import subprocess
import sys
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import rangemoves as rm
from rangemoves.methods import all_options
from rangemoves.options import MethodName, Options

pytest.importorskip("mypy")

SOURCE = Path(__file__).resolve().parents[1] / "src"

CALLS = """
from typing import Any
import numpy as np
import rangemoves as rm

energy = rm.Energy(np.zeros((2, 3, 4)), rm.Linear())
result: rm.Result = rm.minimize(energy)
rm.minimize(energy, "gswap", engine="dual", surrogate="huber", strategy="range", seed=1)
rm.minimize(energy, "rswape", extend=3, surrogate="continued", bound=True)
rm.minimize(energy, method="irgc+expansion", order="ascending", nonsubmodular="qpbo")
rm.estimate_memory(energy, "rexp", width=2, order="random")

def any_method(name: str, options: dict[str, Any]) -> rm.Result:
    return rm.minimize(energy, name, engine="auto", **options)

for method in rm.methods():
    rm.minimize(energy, method.name)
    names: list[str | int | None] = [option.default for option in method.option_table]

rm.minimize(energy, "gswap", stratgey="range")  # wrong
rm.minimize(energy, "gswap", strategy="rnage")  # wrong
rm.minimize(energy, "rswape", extend="2")  # wrong
rm.minimize(energy, "expansion", order=True)  # wrong
rm.minimize(energy, 3)  # wrong
rm.minimize(energy, any_method("gswap", {}).method, engine="fast")  # wrong
rm.estimate_memory(energy, "gswap", enigne="dual")  # wrong
"""


def test_wrong_names_and_values_are_found(tmp_path):
    file = tmp_path / "calls.py"
    file.write_text(CALLS, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports", "silent", "calls.py"]
    done = subprocess.run(
        [*command, "--python-version", "3.10", "--config-file", ""],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    found = {line.split(":")[1] for line in done.stdout.splitlines() if ": error:" in line}
    lines = CALLS.splitlines()
    wrong = {str(place) for place, line in enumerate(lines, 1) if line.endswith("# wrong")}
    assert found == wrong, done.stdout + done.stderr


def test_types_say_what_the_table_says():
    assert get_args(MethodName) == tuple(method.name for method in rm.methods())
    values = {}
    for option in all_options():
        values.setdefault(option.name, set()).update(option.choices)
    hints = get_type_hints(Options)
    assert hints.keys() == values.keys()
    for name, words in values.items():
        assert set(get_args(hints[name])) == words
        assert words or hints[name] is int
