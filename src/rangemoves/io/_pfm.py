"""Portable float maps: one 32-bit float per pixel, bottom row first, in either byte order."""

from __future__ import annotations

import math
import re
from typing import Literal

import numpy as np
from numpy.typing import NDArray

# Kind, width, height, scale; then exactly one white space (or \r\n) before the floats.
_HEADER = re.compile(rb"(P[Ff])\s+(\d{1,9})\s+(\d{1,9})\s+(\S{1,40})(?:\r\n|\s)")


def read_pfm(data: bytes) -> NDArray[np.float32]:
    """The values of a grey PFM file, top row first."""
    header = _HEADER.match(data)
    if header is None:
        raise ValueError("found no PFM header (Pf, width, height, scale)")
    kind, width, height, written = header.groups()
    if kind == b"PF":
        raise ValueError("found three channels (PF), expected one (Pf)")
    scale = float(written)
    if scale == 0 or not math.isfinite(scale):
        raise ValueError(f"found scale {scale:g}, expected a finite one, negative or positive")
    shape = int(height), int(width)
    expected, found = 4 * shape[0] * shape[1], len(data) - header.end()
    if found != expected:
        raise ValueError(f"expected {expected} bytes of pixels, found {found}")
    dtype = np.dtype("<f4" if scale < 0 else ">f4")
    values = np.frombuffer(data, dtype, offset=header.end())
    return values.reshape(shape)[::-1].astype(np.float32)


def encode_pfm(values: NDArray[np.float32], byte_order: Literal["little", "big"]) -> bytes:
    """The bytes of a grey PFM file; the sign of the scale tells the byte order."""
    height, width = values.shape
    scale, dtype = ("-1", "<f4") if byte_order == "little" else ("1", ">f4")
    return f"Pf\n{width} {height}\n{scale}\n".encode() + values[::-1].astype(dtype).tobytes()
