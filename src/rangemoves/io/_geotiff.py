"""Images that know where on Earth they lie: GeoTIFF, by way of rasterio (the extra ``geo``)."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._optional import optional_import
from ..labellings import as_map
from ._atomic import write_atomically
from ._errors import opened
from ._images import open_image, read_image
from ._tiff_tags import with_possible_tags
from .arrays import MOST_INFLATION

# What a TIFF file says about places: scale, tie points, a matrix, keys; and GDAL's missing value.
_PLACES = (33550, 33922, 34264, 34735)
NODATA_TAG = 42113


@dataclass(frozen=True)
class Georeference:
    """Where the pixels of an image lie, to be handed on to a map of the same pixels.

    Attributes
    ----------
    crs : str or None
        The coordinate reference system, as WKT.
    transform : tuple of 6 float
        From column and row to coordinates: ``x = a * column + b * row + c``, ``y = d * column +
        e * row + f``, as (a, b, c, d, e, f).
    nodata : float or None
        What stands for a missing pixel.
    """

    crs: str | None
    transform: tuple[float, float, float, float, float, float]
    nodata: float | None = None


def is_geotiff(path: str | os.PathLike[str]) -> bool:
    """Whether a TIFF file says where it lies; found out without rasterio."""
    if Path(path).suffix.lower() not in (".tif", ".tiff"):
        return False
    with opened(path, "an image") as file:
        tags = open_image(file.read(), path).tag_v2
        return any(tag in tags for tag in (*_PLACES, NODATA_TAG))


def read_geotiff(path: str | os.PathLike[str]) -> tuple[NDArray[Any], Georeference]:
    """Read an image with its place on Earth; needs rasterio (``pip install rangemoves[geo]``).

    Parameters
    ----------
    path : path-like
        A GeoTIFF of one band, or of three or four: red, green, blue and, left out, alpha.

    Returns
    -------
    image : ndarray, (H, W) or (H, W, 3)
        uint8 or uint16 where the file has these and no pixel is missing, else floats, with NaN
        where one is.
    georeference : Georeference
        To be handed to :func:`write_geotiff`.
    """
    rasterio = _rasterio()
    with (
        opened(path, "a GeoTIFF") as file,
        rasterio.MemoryFile(data := with_possible_tags(file.read())) as memory,
        memory.open(driver="GTiff") as source,
    ):
        if source.count not in (1, 3, 4):
            raise ValueError(f"found {source.count} bands, expected 1, 3 or 4")
        if source.width * source.height > MOST_INFLATION * len(data):
            raise ValueError(
                f"its header claims {source.width}x{source.height} pixels, more than its "
                f"{len(data)} bytes can hold"
            )
        bands = source.read(range(1, min(source.count, 3) + 1))
        there = (source.read_masks() if source.nodata is not None else source.dataset_mask()) > 0
        georeference = Georeference(
            None if source.crs is None else source.crs.to_wkt(),
            tuple(source.transform)[:6],
            source.nodata,
        )
    if bands.dtype.kind not in "fiu":
        raise ValueError(
            f"{os.fspath(path)} must have real values; found {bands.dtype}; convert it"
        )
    valid = there if there.ndim == 2 else there.all(axis=0)
    image = bands[0] if len(bands) == 1 else np.moveaxis(bands, 0, -1)
    if image.dtype not in (np.uint8, np.uint16) or not valid.all():
        image = image.astype(np.float64)
        image[~valid] = np.nan
    return np.ascontiguousarray(image), georeference


def read_placed_image(
    path: str | os.PathLike[str],
) -> tuple[NDArray[Any], Georeference | None]:
    """Read any image, and where it lies if it says so and rasterio is there to understand it."""
    if is_geotiff(path) and importlib.util.find_spec("rasterio") is not None:
        return read_geotiff(path)
    return read_image(path), None


def write_geotiff(
    path: str | os.PathLike[str], values: ArrayLike, georeference: Georeference
) -> None:
    """Write a map of 32-bit floats at the same place; needs rasterio.

    Parameters
    ----------
    path : path-like
        Ends in ``.tif`` or ``.tiff``. The file appears only when it is complete.
    values : array_like, (H, W)
        NaN or infinite where unknown.
    georeference : Georeference
        Of an image with the same pixels. Unknown is stored as its ``nodata``, or as NaN where it
        has none or a known value would look the same.
    """
    rasterio = _rasterio()
    if Path(path).suffix.lower() not in (".tif", ".tiff"):
        raise ValueError(
            f"path must end in .tif or .tiff; found {os.fspath(path)!r}; rename the file"
        )
    found = as_map(values)
    if found.ndim != 2 or found.size == 0:
        raise ValueError(
            f"values must be a non-empty map of shape (H, W); found shape {found.shape}; "
            "pass one number per pixel"
        )
    stored = found.astype(np.float32)
    nodata = np.float32(np.nan if georeference.nodata is None else georeference.nodata)
    if (stored == nodata).any():
        nodata = np.float32(np.nan)
    stored[~np.isfinite(found)] = nodata
    height, width = stored.shape
    with rasterio.MemoryFile() as memory:
        with memory.open(
            driver="GTiff",
            height=height,
            width=width,
            count=1,
            dtype="float32",
            crs=georeference.crs,
            transform=rasterio.Affine(*georeference.transform),
            nodata=float(nodata),
            compress="deflate",
        ) as target:
            target.write(stored, 1)
        data = memory.read()
    write_atomically(path, data)


def _rasterio() -> ModuleType:
    module = optional_import("rasterio", purpose="reading and writing GeoTIFF", extra="geo")
    optional_import("rasterio.io", purpose="reading and writing GeoTIFF", extra="geo")
    return module
