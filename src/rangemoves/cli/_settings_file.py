"""A run's settings in a TOML file: ``--settings`` reads one, ``--save-settings`` writes one.

A setting is an option that changes the answer, under its own name. What is given on the command
line wins over the file, and the file over the defaults.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import __version__
from .._optional import optional_import
from ..io import write_atomically

__all__ = ["SettingsFile", "write_settings"]

# Options of files, and of how a run is done or shown.
_FILES = {"output", "depth", "ply", "confidence", "mask_out", "report", "save_settings", "settings"}
_FILES |= {"left", "right", "folder", "mask", "low", "high", "truth", "calib"}
_MANNER = {"force", "as_json", "quiet", "resume", "scheduler", "workers", "threads", "help"}
_LARGEST_FILE = 1_000_000  # bytes


def _read(context: typer.Context, path: Path | None) -> Path | None:
    """Make the values of a file the defaults of the command."""
    if path is None:
        return None
    toml = optional_import(
        "tomllib" if sys.version_info >= (3, 11) else "tomli", purpose="reading settings"
    )
    with path.open("rb") as file:
        data = file.read(_LARGEST_FILE)
    try:
        values = toml.loads(data.decode())
    except (ValueError, RecursionError) as error:  # of TOML, and of UTF-8
        raise typer.BadParameter(
            f"{path} must be a TOML file of settings; could not read it: {error}"
        ) from None
    names = {name.replace("_", "-"): name for name in _settings_of(context)}
    for key, value in values.items():
        if key not in names:
            raise typer.BadParameter(
                f"{path} has the entry {key!r}, which is no setting; there are "
                f"{', '.join(sorted(names))}"
            )
        if isinstance(value, dict | list):
            raise typer.BadParameter(f"{key} in {path} must be a single value; found {value!r}")
        _check_type(context, names[key], value, f"{key} in {path}")
    context.default_map = {names[key]: value for key, value in values.items()}
    return path


def _check_type(context: typer.Context, name: str, value: Any, place: str) -> None:
    """Say where a value of a wrong type stands: as a default it would be blamed on an option."""
    parameter = next(part for part in context.command.params if part.name == name)
    try:
        # As it would be typed: 2.5 and true are no integers.
        parameter.process_value(context, str(value))
    except typer.BadParameter as error:
        raise typer.BadParameter(f"{place} is {value!r}: {error.message}") from None


SettingsFile = Annotated[
    Path | None,
    typer.Option(
        "--settings",
        help="Take settings that are not given here from this TOML file.",
        exists=True,
        dir_okay=False,
        is_eager=True,
        callback=_read,
    ),
]


def write_settings(path: Path, context: typer.Context, used: Mapping[str, Any]) -> None:
    """Write all settings of a command that has been called.

    Parameters
    ----------
    path : Path
        The file.
    context : typer.Context
        Of the command.
    used : mapping
        What was used for options that were left out: defaults may be others some day.
    """
    lines = [
        f"# rangemoves {__version__}: {context.info_name}",
        f"# Again: rangemoves {context.info_name} .. --settings {path.name}",
    ]
    for name in _settings_of(context):
        value = context.params.get(name)
        value = used.get(name) if value is None else value
        if value is not None:
            lines.append(f"{name.replace('_', '-')} = {_as_toml(value)}")
    write_atomically(path, ("\n".join(lines) + "\n").encode())


def _settings_of(context: typer.Context) -> list[str]:
    """Names of the options that shape the answer."""
    names = [str(part.name) for part in context.command.params]
    return [name for name in names if name not in _FILES | _MANNER]


def _as_toml(value: Any) -> str:
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, bool | str):
        return json.dumps(value)
    return repr(value)
