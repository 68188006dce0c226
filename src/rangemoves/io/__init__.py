"""Reading and writing images, disparity maps and point clouds."""

from __future__ import annotations

from ._atomic import write_atomically
from ._disparity import read_disparity, write_disparity
from ._geotiff import (
    Georeference,
    is_geotiff,
    read_geotiff,
    read_placed_image,
    write_geotiff,
)
from ._images import read_image, read_mask, write_image
from ._ply import write_ply

__all__ = [
    "Georeference",
    "is_geotiff",
    "read_disparity",
    "read_geotiff",
    "read_image",
    "read_mask",
    "read_placed_image",
    "write_atomically",
    "write_disparity",
    "write_geotiff",
    "write_image",
    "write_ply",
]
