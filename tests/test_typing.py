"""What a type checker says of calls: wrong options are found before anything runs."""

import os
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import rangemoves as rm
from rangemoves.methods import all_options, method_for
from rangemoves.signatures import MethodName

pytest.importorskip("mypy")

SOURCE = Path(__file__).resolve().parents[1] / "src"

BEGIN = """
from typing import Any, Literal
import numpy as np
import rangemoves as rm

energy = rm.Energy(np.zeros((2, 3, 4)), rm.Linear())
"""

CALLS = """
result: rm.Result = rm.minimize(energy)
rm.minimize(energy, strategy="range")
rm.minimize(energy, "gswap", result, None, 1.0, 5, 2, 3, engine="dual", surrogate="huber")
rm.minimize(energy, "rswape", extend=3, surrogate="continued", bound=True)
rm.minimize(energy, method="irgc+expansion", order="ascending", nonsubmodular="qpbo")
rm.minimize(energy, "trws", beliefs=True, max_memory=None, verbose=True, progress=False)
rm.minimize(energy, "best", time_limit=1, certificate=True, backend="auto")
rm.estimate_memory(energy, "rexp", width=2, order="random")
results: list[rm.Result] = rm.minimize_batch([energy], "swap", init=[result], order="random")
rm.Solver(energy, "gswap", threads=1, seed=2, max_iter=None, strategy="range").solve()

def any_method(name: str, options: dict[str, Any]) -> rm.Result:
    rm.Solver(energy, name, threads=1, **options)
    rm.estimate_memory(energy, name, **options)
    rm.minimize(energy, "gswap", **options)
    rm.minimize_batch([energy], name, **options)
    return rm.minimize(energy, name, threads=1, bound=True, **options)

def either(name: Literal["gswap", "gswapf"]) -> rm.Result:
    return rm.minimize(energy, name, surrogate="chord")

for method in rm.methods():
    rm.minimize(energy, method.name)
    names: list[str | int | None] = [option.default for option in method.option_table]

rm.minimize(energy, "gswap", stratgey="range")  # wrong
rm.minimize(energy, "gswap", nonsubmodular="qpbo")  # wrong
rm.minimize(energy, nonsubmodular="qpbo")  # wrong
rm.minimize(energy, method="trws", engine="dual")  # wrong
rm.minimize(energy, "gswap", strategy="rnage")  # wrong
rm.minimize(energy, "rswape", extend="2")  # wrong
rm.minimize(energy, "expansion", order=True)  # wrong
rm.minimize(energy, 3)  # wrong
rm.minimize(energy, any_method("gswap", {}).method, engine="fast")  # wrong
rm.minimize(energy, any_method("gswap", {}).method, engine="auto")  # wrong
rm.estimate_memory(energy, "gswap", enigne="dual")  # wrong
rm.estimate_memory(energy, "gswap", order="fixed")  # wrong
rm.Solver(energy, "gswap", order="fixed")  # wrong
rm.Solver(energy, "gswap", seed="one")  # wrong
rm.minimize_batch(energy, "gswap")  # wrong
"""


def found_wrong(tmp_path, source):
    """Return the lines that a type checker finds wrong, and those that say that they are."""
    (tmp_path / "calls.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports", "silent", "calls.py"]
    done = subprocess.run(
        [*command, "--python-version", "3.10", "--config-file", ""],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = source.splitlines()
    found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
    said = {place for place, line in enumerate(lines, 1) if line.endswith("# wrong")}
    return {lines[place - 1] for place in found}, {lines[place - 1] for place in said}


def test_wrong_names_and_values_are_found(tmp_path):
    found, said = found_wrong(tmp_path, BEGIN + CALLS)
    assert found == said


def takes(method, name, value):
    """Whether the table says that a method has this option, and that the option has this value."""
    row = method_for(method, {name: value})
    return any(
        option.name == name and (not option.choices or value in option.choices)
        for option in row.option_table
    )


def test_every_method_takes_the_options_of_its_row(tmp_path):
    values = {}
    for option in all_options():
        values.setdefault(option.name, {}).update(dict.fromkeys(option.choices or (2,)))
    source = BEGIN
    calls = (
        "minimize(energy",
        "minimize_batch([energy]",
        "estimate_memory(energy",
        "Solver(energy",
    )
    for call in calls:
        for method in rm.methods():
            for name, words in values.items():
                for value in words:
                    source += f"rm.{call}, {method.name!r}, {name}={value!r})"
                    source += "\n" if takes(method.name, name, value) else "  # wrong\n"
    found, said = found_wrong(tmp_path, source)
    assert found == said


def test_names_of_methods_are_those_of_the_table():
    assert get_args(MethodName) == tuple(method.name for method in rm.methods())
