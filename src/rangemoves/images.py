"""What the stereo functions accept as images, and how grey values are taken from colour."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Image = NDArray[np.uint8]


def check_pair(left: ArrayLike, right: ArrayLike) -> tuple[Image, Image]:
    """Both images as (H, W, C) of uint8 with C = 1 or 3, or an error that says what is wrong.

    A fourth channel (alpha) is left out. A pair of 16-bit images is brought to 8 bits by one common
    factor, its largest value becoming 255, so that equal values stay equal. A grey image beside a
    colour image turns both to grey.
    """
    first, second = _channels(left, "left"), _channels(right, "right")
    if first.shape[:2] != second.shape[:2]:
        raise ValueError(
            "left and right must have the same height and width; "
            f"found {_size(first)} and {_size(second)}; rectify or crop the pair"
        )
    if first.dtype != second.dtype:
        raise ValueError(
            f"left and right must have the same dtype; found {first.dtype} and {second.dtype}; "
            "convert both to uint8"
        )
    if first.dtype == np.uint16:
        brightest = max(int(first.max()), int(second.max()), 1)
        first, second = (np.rint(image * (255.0 / brightest)) for image in (first, second))
    if first.shape[2] != second.shape[2]:
        first, second = (grey(image)[..., None] for image in (first, second))
    return _as_bytes(first), _as_bytes(second)


def check_image(image: ArrayLike, name: str = "image") -> Image:
    """A single image as (H, W, C) of uint8 with C = 1 or 3; 16-bit values are scaled to 255."""
    array = _channels(image, name)
    if array.dtype == np.uint16:
        array = np.rint(array * (255.0 / max(int(array.max()), 1)))
    return _as_bytes(array)


def grey(image: NDArray[Any]) -> NDArray[np.float64]:
    """Rounded luma of an (H, W, C) image: 0.299 R + 0.587 G + 0.114 B, or its only channel."""
    if image.shape[2] == 1:
        return image[..., 0].astype(np.float64)
    return np.asarray(np.rint((image * np.array([0.299, 0.587, 0.114])).sum(axis=2)))


def _as_bytes(image: NDArray[Any]) -> Image:
    return np.ascontiguousarray(image, dtype=np.uint8)


def _size(image: NDArray[Any]) -> str:
    return f"{image.shape[1]}x{image.shape[0]}"


def _channels(image: ArrayLike, name: str) -> NDArray[Any]:
    array = np.asarray(image)
    if array.dtype not in (np.uint8, np.uint16):
        raise TypeError(
            f"{name} must be an image of uint8 or uint16; found {array.dtype}; "
            "convert it, for values in 0..1 with (255 * image).round().astype('uint8')"
        )
    if array.ndim == 2:
        array = array[..., None]
    if array.ndim != 3 or array.shape[2] not in (1, 3, 4) or array.size == 0:
        raise ValueError(
            f"{name} must have shape (H, W), (H, W, 3) or (H, W, 4), none of it empty; "
            f"found {np.shape(image)}; pass one image, rows first"
        )
    return array[..., :3]
