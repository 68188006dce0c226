"""Reading and writing images and disparity maps."""

from __future__ import annotations

from ._atomic import write_atomically

__all__ = ["write_atomically"]
