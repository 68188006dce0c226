"""Files appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write ``data`` beside ``path`` and move it there: a reader never sees half a file.

    Not even after a power failure: the bytes are on the disk before the name is. An existing file
    keeps its permissions; a new one gets the usual ones.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(f"{folder}/a.txt", b"whole")
    ...     Path(f"{folder}/a.txt").read_bytes()
    b'whole'
    """
    # Writing through a symbolic link must replace what it points to, not the link.
    target = Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    # A short name of its own: that of the target with a suffix could be too long.
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".writing-")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        temporary.replace(target)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None:
            # Of a full disk the system says no more than that, and not which.
            raise type(error)(error.errno, error.strerror, os.fspath(path)) from error
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name last, where the system can: not every one opens folders."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
