"""Whatever a decoder stumbles over becomes one sentence that names the file."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def readable(path: str | os.PathLike[str], what: str) -> Iterator[None]:
    """Turn the many ways in which reading fails into a ValueError; a missing file stays one."""
    try:
        yield
    except (FileNotFoundError, IsADirectoryError, PermissionError):
        raise
    except (OSError, EOFError, SyntaxError, ValueError, struct.error) as error:
        reason = str(error).rstrip(".") or type(error).__name__
        raise ValueError(
            f"{os.fspath(path)} must be {what}; could not read it: {reason}; "
            "it may be truncated or of another kind, get it again"
        ) from error
