"""Images as arrays, through Pillow."""

from __future__ import annotations

import io
import os
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._optional import optional_import
from ._atomic import write_atomically
from ._errors import readable

_SIXTEEN_BIT_MODES = ("I;16", "I;16B", "I;16L", "I")


def pillow() -> ModuleType:
    """``PIL.Image``, or a line on what to install."""
    return optional_import("PIL.Image", purpose="reading and writing images")


def open_pixels(path: str | os.PathLike[str]) -> Any:
    """A Pillow image with its pixels decoded: Pillow itself waits, and fails late."""
    with pillow().open(path) as image:
        image.load()
        return image.copy()


def _is_16_bit_colour_png(path: str | os.PathLike[str]) -> bool:
    with Path(path).open("rb") as file:
        header = file.read(26)
    # Signature, IHDR, then bit depth and colour type; colour type 0 is plain grey.
    return header[:8] == b"\x89PNG\r\n\x1a\n" and header[24:25] == b"\x10" and header[25] != 0


def read_image(path: str | os.PathLike[str]) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Read a grey or colour image.

    Parameters
    ----------
    path : path-like
        Any format that Pillow knows.

    Returns
    -------
    ndarray
        uint8 of shape (H, W) or (H, W, 3), or uint16 of shape (H, W) for a 16-bit grey image.
        Alpha is left out; palettes and other colour spaces become RGB.

    Raises
    ------
    ValueError
        For a truncated or unknown file, for floating-point images, and for PNG files with 16-bit
        *colour*, which Pillow would cut to 8 bits without a word.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import rangemoves as rm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rm.io.write_image(f"{folder}/grey.png", np.full((4, 6), 7, dtype=np.uint8))
    ...     rm.io.read_image(f"{folder}/grey.png").shape
    (4, 6)
    """
    with readable(path, "an image"):
        image = open_pixels(path)
    if _is_16_bit_colour_png(path):
        raise ValueError(
            f"{os.fspath(path)} must be an 8-bit or a grey image; found 16-bit colour; "
            "convert it to 8 bits per channel, or to 16-bit grey"
        )
    if image.mode in _SIXTEEN_BIT_MODES:
        values = np.asarray(image)
        if values.min() < 0 or values.max() > 65535:
            raise ValueError(
                f"{os.fspath(path)} must have values in 0..65535; found {values.min()}.."
                f"{values.max()}; convert it to 16-bit grey"
            )
        return values.astype(np.uint16)
    if image.mode == "F":
        raise ValueError(
            f"{os.fspath(path)} must be an 8-bit or 16-bit image; found floating-point pixels; "
            "scale and convert it to 8 bits"
        )
    grey = image.mode in ("1", "L", "LA", "La")
    return np.asarray(image.convert("L" if grey else "RGB"))


def write_image(path: str | os.PathLike[str], image: ArrayLike) -> None:
    """Write an 8-bit image in the format that the suffix names.

    Parameters
    ----------
    path : path-like
        The file appears only when it is complete.
    image : array_like of uint8, (H, W) or (H, W, 3)

    Examples
    --------
    >>> import tempfile
    >>> import rangemoves as rm
    >>> pair = rm.datasets.synthetic_stereo(shape=(48, 64), labels=12)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rm.io.write_image(f"{folder}/left.png", pair.left)
    """
    array = np.asarray(image)
    if array.dtype != np.uint8 or array.ndim not in (2, 3) or array.shape[2:] not in ((), (3,)):
        raise ValueError(
            "image must be uint8 of shape (H, W) or (H, W, 3); "
            f"found {array.dtype} of shape {array.shape}; convert it first"
        )
    write_atomically(path, encode_image(array, path))


def encode_image(array: NDArray[Any], path: str | os.PathLike[str]) -> bytes:
    """The bytes of an image file in the format that the suffix of ``path`` names."""
    suffix = Path(path).suffix.lower()
    formats: dict[str, str] = pillow().registered_extensions()
    if suffix not in formats:
        raise ValueError(
            f"path must end in the suffix of an image format; found {os.fspath(path)!r}; "
            "use e.g. .png"
        )
    buffer = io.BytesIO()
    pillow().fromarray(np.ascontiguousarray(array)).save(buffer, format=formats[suffix])
    return buffer.getvalue()
