"""Reading and writing images and disparity maps."""

from __future__ import annotations

from ._atomic import write_atomically
from ._disparity import read_disparity, write_disparity
from ._images import read_image, write_image

__all__ = ["read_disparity", "read_image", "write_atomically", "write_disparity", "write_image"]
