"""Whatever a decoder stumbles over becomes one sentence that names the file."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_LONGEST_REASON = 300


@contextmanager
def opened(path: str | os.PathLike[str], what: str) -> Iterator[BinaryIO]:
    """Open a file for a decoder; its many ways to fail become a ValueError in words.

    A file that cannot be opened or read at all stays an OSError, a lack of memory a MemoryError.
    """
    name = os.fspath(path)
    mode = Path(path).stat().st_mode
    # Opening a pipe may wait for ever, and a device may have no end.
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise ValueError(f"{name} must be {what}; found a pipe or a device; store it in a file")
    with Path(path).open("rb") as file:
        try:
            yield file
        except MemoryError as error:
            raise MemoryError(
                f"{name} must fit into memory; could not read it: {_reason(error)}; "
                "free memory, or use a smaller one"
            ) from error
        # Decoders raise all sorts of things over damaged files, in C and in Python.
        except Exception as error:
            # An errno is the system's failure; but EINVAL is a decoder seeking where a damaged file
            # sends it.
            if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
                raise
            raise ValueError(
                f"{name} must be {what}; could not read it: {_reason(error)}; "
                "it may be damaged or of another kind, get it again or convert it"
            ) from error


def _reason(error: Exception) -> str:
    """What a decoder says, in one line: some quote all that they were given."""
    words = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    return words if len(words) <= _LONGEST_REASON else words[:_LONGEST_REASON] + " .."
