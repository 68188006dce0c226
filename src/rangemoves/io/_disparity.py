"""Disparity maps in the formats of the benchmarks: in memory unknown is NaN in all of them."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..labellings import as_map
from ._atomic import write_atomically
from ._errors import opened
from ._geotiff import NODATA_TAG
from ._images import encode_image, largest_value, open_image
from ._pfm import encode_pfm, read_pfm
from .arrays import read_npy

_KITTI_SCALE = 256.0
_SUFFIXES = ".pfm, .npy, .tif, .tiff, .png or .pgm"


def read_disparity(
    path: str | os.PathLike[str], scale: float | None = None, *, zero_is_unknown: bool = True
) -> NDArray[np.float64]:
    """Read a disparity map; the suffix names the format.

    Parameters
    ----------
    path : path-like
        ``.pfm``, ``.npy``, ``.tif``, ``.tiff``: the disparities themselves, NaN or infinite (or
        what GDAL's nodata says) where unknown. ``.png``, ``.pgm``: whole numbers, the disparities
        times a scale.
    scale : float, optional
        What whole numbers are divided by. Left out, it is 256 for 16-bit files (KITTI); an 8-bit
        file (Middlebury) does not say its scale, so it has to be given.
    zero_is_unknown : bool
        Whether 0 means unknown in a file of whole numbers.

    Returns
    -------
    ndarray of float64, (H, W)
        NaN where unknown.

    Examples
    --------
    >>> import tempfile
    >>> import rangemoves as rm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rm.io.write_disparity(f"{folder}/kitti.png", [[1.5, float("nan")]])
    ...     rm.io.read_disparity(f"{folder}/kitti.png")
    array([[1.5, nan]])
    """
    _check_scale(scale)
    suffix = _suffix(path)
    with opened(path, "a disparity map") as file:
        data = file.read()
        if suffix == ".pfm":
            return _floats(read_pfm(data))
        if suffix == ".npy":
            return _floats(read_npy(io.BytesIO(data), len(data)))
        image = open_image(data, path)
        if (largest := largest_value(image)) not in (255, 65535):
            raise ValueError(f"found values in 0..{largest}, expected 0..255 or 0..65535")
        values = np.asarray(image)
        if image.mode == "F" and suffix in (".tif", ".tiff"):
            return _floats(_without(values, image.tag_v2.get(NODATA_TAG)))
    if values.ndim != 2 or image.mode in ("1", "P", "F"):
        raise ValueError(
            f"{os.fspath(path)} must have one channel of whole numbers, or of floats in .tif; "
            f"found {image.mode} of shape {values.shape}; a map in colours cannot be read back"
        )
    if scale is None:
        if values.dtype == np.uint8:
            raise ValueError(
                f"scale must be given for {os.fspath(path)}, an 8-bit map; found None; "
                "pass what its disparities were multiplied by (4 for cones, 8 for venus)"
            )
        scale = _KITTI_SCALE
    disparity = values.astype(np.float64) / scale
    if zero_is_unknown:
        disparity[values == 0] = np.nan
    return disparity


def write_disparity(
    path: str | os.PathLike[str],
    disparity: ArrayLike,
    scale: float | None = None,
    *,
    byte_order: Literal["little", "big"] = "little",
) -> None:
    """Write a disparity map; the suffix names the format.

    Parameters
    ----------
    path : path-like
        ``.pfm``, ``.tif``, ``.tiff``: 32-bit floats; ``.npy``: 64-bit floats; unknown is infinite
        in PFM and NaN in the others. ``.png`` without a scale: KITTI's 16 bits, 256 times the
        disparity. ``.pgm`` and ``.png`` with a scale: Middlebury's 8 bits. The file appears only
        when it is complete.
    disparity : array_like, (H, W)
        NaN or infinite where unknown.
    scale : float, optional
        For 8-bit files, what to multiply by.
    byte_order : {"little", "big"}
        For PFM.

    Notes
    -----
    In files of whole numbers 0 means unknown, so a known disparity that would be rounded to 0 is
    stored as 1, as KITTI does.

    Examples
    --------
    >>> import tempfile
    >>> import rangemoves as rm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rm.io.write_disparity(f"{folder}/map.pgm", [[1.5, 3.25]], scale=8)
    ...     rm.io.read_disparity(f"{folder}/map.pgm", scale=8)
    array([[1.5 , 3.25]])
    """
    _check_scale(scale)
    suffix = _suffix(path)
    values = as_map(disparity)
    if values.ndim != 2 or values.size == 0:
        raise ValueError(
            "disparity must be a non-empty map of shape (H, W); "
            f"found shape {values.shape}; pass one disparity per pixel"
        )
    if byte_order not in ("little", "big"):
        raise ValueError(
            f"byte_order must be 'little' or 'big'; found {byte_order!r}; pass one of the two"
        )
    values = np.where(np.isfinite(values), values, np.nan)
    if suffix == ".pfm":
        unknown_infinite = np.where(np.isnan(values), np.inf, values)
        data = encode_pfm(unknown_infinite.astype(np.float32), byte_order)
    elif suffix == ".npy":
        buffer = io.BytesIO()
        np.save(buffer, values)
        data = buffer.getvalue()
    elif suffix in (".tif", ".tiff"):
        data = encode_image(values.astype(np.float32), path)
    elif scale is None:
        if suffix == ".pgm":
            raise ValueError(
                "scale must be given for an 8-bit .pgm map; found None; "
                "pass what to multiply by, e.g. 4"
            )
        data = encode_image(_whole_numbers(values, _KITTI_SCALE, np.uint16), path)
    else:
        data = encode_image(_whole_numbers(values, scale, np.uint8), path)
    write_atomically(path, data)


def _suffix(path: str | os.PathLike[str]) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES.replace(" or", ",").split(", "):
        raise ValueError(
            f"path must end in {_SUFFIXES}; found {os.fspath(path)!r}; rename the file"
        )
    return suffix


def _check_scale(scale: float | None) -> None:
    if scale is not None and not (np.isfinite(scale) and scale > 0):
        raise ValueError(f"scale must be a positive number; found {scale!r}; pass e.g. 8")


def _without(values: NDArray[Any], nodata: object) -> NDArray[Any]:
    """Make NaN of what GDAL has marked as missing; it writes numbers as text."""
    try:
        missing = values == np.float32(str(nodata).strip("\0 "))
    except ValueError:  # the file does not say
        return values
    return np.where(missing, np.nan, values)


def _floats(values: NDArray[Any]) -> NDArray[np.float64]:
    if values.ndim != 2 or values.size == 0 or values.dtype.kind not in "fiu":
        raise ValueError(f"found {values.dtype} of shape {values.shape}, expected real (H, W)")
    with np.errstate(all="ignore"):  # beyond float64: infinite, that is unknown
        disparity = values.astype(np.float64)
    disparity[~np.isfinite(disparity)] = np.nan
    return disparity


def _whole_numbers(
    values: NDArray[np.float64], scale: float, dtype: type[np.uint8] | type[np.uint16]
) -> NDArray[Any]:
    known = np.isfinite(values)
    scaled = np.rint(np.where(known, values, 0) * scale)
    largest = np.iinfo(dtype).max
    if scaled.min() < 0 or scaled.max() > largest:
        low, high = values[known].min(), values[known].max()
        raise ValueError(
            f"disparity must lie in 0..{largest / scale:g} to be stored in {largest.bit_length()} "
            f"bits with scale {scale:g}; found {low:g}..{high:g}; use .pfm, .tif or .npy"
        )
    return np.where(known, np.maximum(scaled, 1), 0).astype(dtype)
