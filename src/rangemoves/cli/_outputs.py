"""The files that a command is to write: whatever can be wrong with them is said before any work."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import typer

__all__ = ["check_files", "check_outputs"]


def check_outputs(paths: Sequence[Path], option: str, force: bool) -> None:
    """Refuse to overwrite files, or to write where that cannot be done."""
    for path in paths:
        for sentence in _faults(path, force):
            raise typer.BadParameter(sentence, param_hint=option)


def check_files(
    files: Mapping[str, tuple[Path, Sequence[str]]],
    inputs: Iterable[Path],
    replaceable: Iterable[Path],
) -> None:
    """Look at all outputs of a command at once, and say all that is wrong with them.

    Parameters
    ----------
    files : mapping
        Of an option to the path it was given and the suffixes that it takes.
    inputs : iterable of Path
        What is never to be replaced.
    replaceable : iterable of Path
        What may be there already.
    """
    faults: list[tuple[str, str]] = []
    taken = {os.path.realpath(path): "an input" for path in inputs}
    allowed = set(replaceable)
    for option, (path, suffixes) in files.items():
        real = os.path.realpath(path)
        if path.suffix.lower() not in suffixes:
            faults.append((option, f"{path} must end in {_listed(suffixes)}"))
        elif real in taken and taken[real] == "an input":
            faults.append((option, f"{path} is an input and would be lost; choose another name"))
        elif real in taken:
            faults.append((option, f"{path} is also the file of {taken[real]}; name two files"))
        else:
            faults += [(option, sentence) for sentence in _faults(path, path in allowed)]
        taken.setdefault(real, option)
    if len(faults) == 1:
        raise typer.BadParameter(faults[0][1], param_hint=faults[0][0])
    if faults:
        raise typer.BadParameter("; ".join(f"{option}: {what}" for option, what in faults))


def _faults(path: Path, may_exist: bool) -> list[str]:
    if path.is_dir():
        return [f"{path} is a folder; name a file"]
    if path.exists() and not may_exist:
        return [f"{path} exists; choose another name, or pass --force to replace it"]
    if not path.parent.is_dir():
        return [f"the folder {path.parent} does not exist; create it first"]
    try:
        # As the writer does it: permissions alone do not tell, nor does a disk that is read-only.
        with tempfile.TemporaryFile(dir=path.parent):
            return []
    except OSError as error:
        return [f"nothing can be written in the folder {path.parent}: {error.strerror or error}"]


def _listed(suffixes: Sequence[str]) -> str:
    *first, last = suffixes
    return f"{', '.join(first)} or {last}" if first else last
