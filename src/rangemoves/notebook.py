"""What notebooks show of a result or an energy: its words, and a picture made without a library."""

from __future__ import annotations

import base64
import html
import struct
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["as_html", "small_map"]

# Pixels of the longer side of a picture.
SIDE = 320


def as_html(text: str, picture: npt.NDArray[Any] | None) -> str:
    """Return a text as it stands, below a picture of numbers where there is one.

    Parameters
    ----------
    text : str
        What ``repr`` says.
    picture : numpy.ndarray or None
        (H, W), dark for low numbers; NaN is black.
    """
    words = f"<pre>{html.escape(text)}</pre>"
    if picture is None:
        return words
    return f'<img alt="" src="data:image/png;base64,{_png(picture)}">{words}'


def small_map(shape: tuple[int, ...]) -> tuple[Any, ...] | None:
    """Return the index of a small part of a grid of that shape; None where it is no picture.

    Every so many pixels of an image, or of the middle slice of a volume.
    """
    if len(shape) not in (2, 3) or min(shape[-2:]) < 2:
        return None
    step = -(-max(shape[-2:]) // SIDE)
    return (*(side // 2 for side in shape[:-2]), slice(None, None, step), slice(None, None, step))


def _png(values: npt.NDArray[Any]) -> str:
    """An 8-bit grey PNG in base64."""
    known = np.isfinite(values)
    low = values.min(where=known, initial=np.inf)
    high = values.max(where=known, initial=-np.inf)
    with np.errstate(invalid="ignore"):
        grey = np.where(known, 40 + 215 * (values - low) / max(high - low, 1), 0).astype(np.uint8)
    height, width = grey.shape
    rows = np.zeros((height, width + 1), np.uint8)  # each row begins with the filter "none"
    rows[:, 1:] = grey
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows.tobytes())),
        (b"IEND", b""),
    )
    stream = b"\x89PNG\r\n\x1a\n"
    for kind, data in parts:
        stream += struct.pack(">I", len(data)) + kind + data
        stream += struct.pack(">I", zlib.crc32(kind + data))
    return base64.b64encode(stream).decode("ascii")
