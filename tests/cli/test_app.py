"""The command line as a whole: version, help, methods, and what happens without its packages."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import rangemoves as rm

pytest.importorskip("typer")
from typer.testing import CliRunner

from rangemoves.cli import app

COMMANDS = sorted(command.name for command in app.registered_commands)


def test_version():
    for line in ([sys.executable, "-m", "rangemoves", "--version"], ["rangemoves", "--version"]):
        if line[0] == "rangemoves":
            line[0] = sys.executable.replace("python", "rangemoves").rstrip("0123456789.")
        done = subprocess.run(line, capture_output=True, text=True, check=True)
        assert done.stdout == f"rangemoves {rm.__version__}\n"


def test_no_command_shows_the_help():
    done = CliRunner().invoke(app, [])
    assert done.exit_code in (0, 2)
    for name in COMMANDS:
        assert name in done.output


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_shows_an_example(name):
    done = CliRunner().invoke(app, [name, "--help"])
    assert done.exit_code == 0
    assert f"rangemoves {name}" in done.output


def test_unknown_commands_are_wrong_use():
    assert CliRunner().invoke(app, ["frobnicate"]).exit_code == 2


def test_methods_as_a_table_and_as_json():
    table = CliRunner().invoke(app, ["methods"])
    facts = CliRunner().invoke(app, ["methods", "--json"])
    assert table.exit_code == facts.exit_code == 0
    rows = json.loads(facts.stdout)["methods"]
    assert [row["name"] for row in rows] == [m.name for m in rm.methods()]
    for row, method in zip(rows, rm.methods(), strict=True):
        assert row["name"] in table.stdout
        assert row["options"] == list(method.options)
        assert [option["default"] for option in row["option_table"]] == [
            option.default for option in method.option_table
        ]
        assert all(option in table.stdout for option in row["options"])


def test_the_page_of_methods_has_the_tables_of_the_command():
    printed = CliRunner().invoke(app, ["methods", "--markdown"])
    assert printed.exit_code == 0
    page = Path(__file__).resolve().parents[2] / "docs" / "methods.md"
    assert printed.stdout in page.read_text(encoding="utf-8"), "see what the page says of itself"


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_the_extra_one_line_says_what_to_install(missing):
    script = f"""
import sys
sys.modules["{missing}"] = None
from rangemoves.__main__ import main
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert 'pip install "rangemoves[app]"' in done.stderr


def test_the_library_needs_numpy_only():
    script = """
import sys
import rangemoves as rm
rm.minimize(rm.Energy([[[0, 1]]], rm.Linear()))
brought = {name.partition(".")[0] for name in sys.modules}
print(*brought & {"typer", "rich", "PIL", "matplotlib", "pooch", "scipy"})
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""
