"""Where public datasets are looked for."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "RANGEMOVES_DATA"


def data_folder(root: str | os.PathLike[str] | None = None) -> Path:
    """``root`` if given, else ``$RANGEMOVES_DATA``, else a folder in the user's cache."""
    if root is not None:
        return Path(root)
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE])
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "rangemoves"
