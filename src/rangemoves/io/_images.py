"""Images as arrays, through Pillow."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._optional import optional_import
from ..errors import refuse_masked
from ._atomic import write_atomically
from ._errors import opened
from .arrays import MOST_INFLATION, read_npy
from .formats import FORMATS

_SIXTEEN_BIT_MODES = ("I;16", "I;16B", "I;16L", "I")
_GREY_MODES = ("1", "L", "LA", "La")
_UNCOMPRESSED = ("raw", "ppm", "ppm_plain")
# How Pillow names pixels of several channels with 16 bits each.
_SIXTEEN_BIT_COLOUR = re.compile(r"(L|RGB|CMYK)[AaX]*;16")


def pillow() -> ModuleType:
    """``PIL.Image``, or a line on what to install."""
    return optional_import("PIL.Image", purpose="reading and writing images")


def open_image(data: bytes, path: str | os.PathLike[str]) -> Any:
    """A Pillow image of the format that the suffix names; its pixels are decoded when used.

    From memory: asked for the length that a header claims, a file would set aside as much.
    """
    kind = _format_of(path)
    try:
        image = pillow().open(io.BytesIO(data), formats=[kind])
    except (pillow().DecompressionBombError, pillow().DecompressionBombWarning):
        raise ValueError(_too_large()) from None
    except pillow().UnidentifiedImageError:
        raise ValueError(f"found no {kind} image") from None
    _check_size(image, len(data))
    return image


def _too_large() -> str:
    return (
        f"found more pixels than the {pillow().MAX_IMAGE_PIXELS} that Pillow takes "
        "(PIL.Image.MAX_IMAGE_PIXELS)"
    )


def _check_size(image: Any, size: int) -> None:
    """Refuse an image that is larger than its file can hold, before it takes any memory."""
    pixels = image.width * image.height
    if pixels == 0:
        raise ValueError("found no pixels")
    # Pillow itself warns above its limit, and refuses only above twice of it.
    limit = pillow().MAX_IMAGE_PIXELS
    if limit is not None and pixels > limit:
        raise ValueError(_too_large())
    most = size * max((_pixels_per_byte(image.mode, tile) for tile in image.tile), default=0)
    for width, height in (image.size, _tile_size(image)):
        if width * height > most:
            raise ValueError(
                f"its header claims {width}x{height} pixels, more than its {size} bytes can hold"
            )


def _tile_size(image: Any) -> tuple[int, int]:
    """How many pixels are decoded at once in a TIFF file of tiles, which may exceed the image."""
    if image.format != "TIFF":
        return 0, 0
    return int(image.tag_v2.get(322, 0)), int(image.tag_v2.get(323, 0))


def _pixels_per_byte(mode: str, tile: Any) -> int:
    """At most so many pixels are stored in a byte."""
    packed = mode == "1" or (mode in ("L", "P") and ";" in _stored_as(tile))
    inflation = 1 if tile[0] in _UNCOMPRESSED else MOST_INFLATION
    return inflation * (8 if packed else 1)


def _is_16_bit_colour(image: Any) -> bool:
    wide = any(_SIXTEEN_BIT_COLOUR.match(_stored_as(tile)) for tile in image.tile)
    return wide or (image.mode == "RGB" and largest_value(image) > 255)


def largest_value(image: Any) -> int:
    """What white is in a .pgm or .ppm file that says so; Pillow makes it 255 or 65535."""
    for codec, _, _, arguments in image.tile:
        if codec in ("ppm", "ppm_plain") and isinstance(arguments, tuple):
            return int(arguments[1])
    return 255


def _stored_as(tile: Any) -> str:
    """Pillow's name of how the pixels lie in the file."""
    arguments = tile[3]
    return str(arguments[0] if isinstance(arguments, tuple) else arguments)


def read_image(path: str | os.PathLike[str]) -> NDArray[Any]:
    """Read a grey or colour image; the suffix names the format.

    Parameters
    ----------
    path : path-like
        ``.png``, ``.ppm``, ``.pgm``, ``.jpg``, ``.jpeg``, ``.tif``, ``.tiff`` or ``.bmp``.

    Returns
    -------
    ndarray
        uint8 of shape (H, W) or (H, W, 3), or of shape (H, W) uint16 for a 16-bit grey image and
        float32 for a TIFF file of floats. Alpha is left out; palettes and other colour spaces
        become RGB.

    Raises
    ------
    ValueError
        For a truncated file or one of another format than its suffix says, for one that claims
        more pixels than its bytes can hold or than Pillow's limit, and for 16-bit *colour*, which
        Pillow would cut to 8 bits without a word.

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
    _format_of(path)  # a wrong suffix is said before the file is opened
    with opened(path, "an image") as file:
        image = open_image(file.read(), path)
        if _is_16_bit_colour(image):
            raise ValueError("found 16-bit colour, expected 8 bits per channel or 16-bit grey")
        if image.mode not in (*_SIXTEEN_BIT_MODES, "F"):
            image = image.convert("L" if image.mode in _GREY_MODES else "RGB")
        values = np.asarray(image)
    if image.mode not in _SIXTEEN_BIT_MODES:
        return values
    if values.min() < 0 or values.max() > 65535:
        raise ValueError(
            f"{os.fspath(path)} must have values in 0..65535; found {values.min()}.."
            f"{values.max()}; convert it to 16-bit grey"
        )
    return values.astype(np.uint16)


def read_mask(path: str | os.PathLike[str]) -> NDArray[np.bool_]:
    """Read which pixels are to be used: those that are not 0.

    Parameters
    ----------
    path : path-like
        An image as :func:`read_image` takes it, or ``.npy``.

    Returns
    -------
    ndarray of bool, (H, W)

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import rangemoves as rm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rm.io.write_image(f"{folder}/mask.png", np.eye(2, dtype=np.uint8))
    ...     rm.io.read_mask(f"{folder}/mask.png")
    array([[ True, False],
           [False,  True]])
    """
    values = _mask_array(path) if Path(path).suffix.lower() == ".npy" else read_image(path)
    return np.asarray(values.any(axis=2) if values.ndim == 3 else values != 0, dtype=np.bool_)


def _mask_array(path: str | os.PathLike[str]) -> NDArray[Any]:
    with opened(path, "a mask") as file:
        data = file.read()
        values = read_npy(io.BytesIO(data), len(data))
        if values.ndim != 2 or values.size == 0 or values.dtype.kind not in "biuf":
            raise ValueError(f"found {values.dtype} of shape {values.shape}, expected (H, W)")
    return values


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
    refuse_masked(image, "image", "use .filled() with a value of your own")
    array = np.asarray(image)
    if array.dtype != np.uint8 or array.ndim not in (2, 3) or array.shape[2:] not in ((), (3,)):
        raise ValueError(
            "image must be uint8 of shape (H, W) or (H, W, 3); "
            f"found {array.dtype} of shape {array.shape}; convert it first"
        )
    write_atomically(path, encode_image(array, path))


def encode_image(array: NDArray[Any], path: str | os.PathLike[str]) -> bytes:
    """The bytes of an image file in the format that the suffix of ``path`` names."""
    kind = _format_of(path)
    buffer = io.BytesIO()
    pillow().fromarray(np.ascontiguousarray(array)).save(buffer, format=kind)
    return buffer.getvalue()


def _format_of(path: str | os.PathLike[str]) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise ValueError(
            f"path must end in the suffix of an image, one of {', '.join(FORMATS)}; "
            f"found {os.fspath(path)!r}; convert it"
        )
    return FORMATS[suffix]
