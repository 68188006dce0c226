"""A folder that one run at a time may use; a run that is killed lets go of it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["NAME", "FolderLock"]

NAME = "lock"  # of the file in the folder


class FolderLock:
    """Holds a folder until it is closed, or the process ends in whatever way.

    Parameters
    ----------
    folder : Path
        Where others would look.

    Raises
    ------
    BlockingIOError
        If another run holds it.
    """

    def __init__(self, folder: Path) -> None:
        self._file: int | None = os.open(folder / NAME, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            import fcntl
        except ImportError:
            return  # a system without: nobody is kept out
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise
        except OSError:
            pass  # a file system without

    def close(self) -> None:
        """Let go; a second time does nothing."""
        if self._file is not None:
            with suppress(OSError):
                os.close(self._file)
            self._file = None
