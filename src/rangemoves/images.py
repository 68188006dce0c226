"""What the stereo functions accept as images, and how grey values are taken from colour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import refuse_masked

Image = NDArray[np.uint8]
Mask = NDArray[np.bool_]

# Of real-valued images this part of the pixels, the darkest and the brightest, is cut off.
_CUT_OFF = 0.001


@dataclass(frozen=True, eq=False)
class ValidPair:
    """A pair and which of its pixels show anything.

    Attributes
    ----------
    left, right : numpy.ndarray
        (H, W, C) of uint8 with C = 1 or 3.
    left_valid, right_valid : numpy.ndarray of bool, (H, W), or None
        False where a pixel is not to be used; None where all are.
    """

    left: Image
    right: Image
    left_valid: Mask | None = None
    right_valid: Mask | None = None


def check_pair(left: ArrayLike, right: ArrayLike) -> tuple[Image, Image]:
    """Both images as (H, W, C) of uint8 with C = 1 or 3, or an error that says what is wrong.

    A fourth channel (alpha) is left out. A pair of 16-bit images is brought to 8 bits by one common
    factor, its largest value becoming 255, so that equal values stay equal. A pair of real numbers
    is stretched to 0..255 alike, a thousandth of the pixels cut off at either end. A grey image
    beside a colour image turns both to grey.
    """
    pair = check_valid_pair(left, right)
    for name, valid in (("left", pair.left_valid), ("right", pair.right_valid)):
        if valid is not None:
            row, column = np.argwhere(~valid)[0]
            raise ValueError(
                f"{name} must be finite; found {np.count_nonzero(~valid)} pixels that are not, the "
                f"first at ({row}, {column}); rangemoves.stereo.match leaves them out"
            )
    return pair.left, pair.right


def check_valid_pair(left: ArrayLike, right: ArrayLike, mask: ArrayLike | None = None) -> ValidPair:
    """Do the same for a pair in which pixels may be missing: NaN, infinite, or not in the mask.

    Parameters
    ----------
    left, right : array_like
        Images of uint8, uint16 or real numbers.
    mask : array_like of bool, (H, W), optional
        False where a pixel of the left image is not to be used.
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
    valid = [_finite(first), _finite(second)]
    if first.dtype == np.uint16:
        brightest = max(int(first.max()), int(second.max()), 1)
        first, second = (np.rint(image * (255.0 / brightest)) for image in (first, second))
    elif first.dtype.kind == "f":
        first, second = _stretched([first, second], valid)
    if first.shape[2] != second.shape[2]:
        first, second = (grey(image)[..., None] for image in (first, second))
    if mask is not None:
        wanted = _as_mask(mask, first.shape[:2])
        valid[0] = wanted if valid[0] is None else valid[0] & wanted
    return ValidPair(_as_bytes(first), _as_bytes(second), *(_unless_all(part) for part in valid))


def check_image(image: ArrayLike, name: str = "image") -> Image:
    """A single image as (H, W, C) of uint8 with C = 1 or 3; other values are scaled to 255."""
    array = _channels(image, name)
    if array.dtype == np.uint16:
        array = np.rint(array * (255.0 / max(int(array.max()), 1)))
    elif array.dtype.kind == "f":
        (array,) = _stretched([array], [_finite(array)])
    return _as_bytes(array)


def grey(image: NDArray[Any]) -> NDArray[np.float64]:
    """Rounded luma of an (H, W, C) image: 0.299 R + 0.587 G + 0.114 B, or its only channel."""
    if image.shape[2] == 1:
        return image[..., 0].astype(np.float64)
    red, green, blue = (image[..., channel] for channel in range(3))
    return np.asarray(np.rint(0.299 * red + 0.587 * green + 0.114 * blue))


def _finite(image: NDArray[Any]) -> Mask | None:
    return np.asarray(np.isfinite(image).all(axis=2)) if image.dtype.kind == "f" else None


def _unless_all(valid: Mask | None) -> Mask | None:
    return None if valid is None or valid.all() else valid


def _as_mask(mask: ArrayLike, shape: tuple[int, ...]) -> Mask:
    refuse_masked(mask, "mask", "use .filled(False)")
    wanted = np.asarray(mask)
    if wanted.shape != shape or wanted.dtype != np.bool_:
        raise ValueError(
            f"mask must be a map of booleans of shape {shape}; found {wanted.dtype} of shape "
            f"{wanted.shape}; pass e.g. image > 0"
        )
    if not wanted.any():
        raise ValueError(
            "mask must be True somewhere; found False everywhere; check that it is not inverted"
        )
    return wanted


def _stretched(images: list[NDArray[Any]], valid: list[Mask | None]) -> list[NDArray[np.float64]]:
    """All of them by one and the same map to 0..255, with 0 where a pixel is missing."""
    there = [
        np.isfinite(image).all(axis=2) if v is None else v
        for image, v in zip(images, valid, strict=True)
    ]
    values = np.concatenate([image[v].reshape(-1) for image, v in zip(images, there, strict=True)])
    if values.size == 0:
        raise ValueError("images must have finite pixels; found none; check how they were read")
    low, high = np.quantile(values.astype(np.float64), [_CUT_OFF, 1 - _CUT_OFF])
    scale = 255.0 / (high - low) if high > low else 0.0
    filled = (np.where(v[..., None], image, low) for image, v in zip(images, there, strict=True))
    return [np.rint(np.clip((image - low) * scale, 0, 255)) for image in filled]


def _as_bytes(image: NDArray[Any]) -> Image:
    return np.ascontiguousarray(image, dtype=np.uint8)


def _size(image: NDArray[Any]) -> str:
    return f"{image.shape[1]}x{image.shape[0]}"


def _channels(image: ArrayLike, name: str) -> NDArray[Any]:
    refuse_masked(image, name, "use .filled(nan) on real numbers, or pass mask= to match")
    array = np.asarray(image)
    if array.dtype.kind == "u":
        array = array.astype(array.dtype.newbyteorder("="), copy=False)
    if array.dtype not in (np.uint8, np.uint16) and array.dtype.kind != "f":
        raise TypeError(
            f"{name} must be an image of uint8, uint16 or real numbers; found {array.dtype}; "
            "convert it, e.g. with image.astype('uint8')"
        )
    if array.ndim == 2:
        array = array[..., None]
    if array.ndim != 3 or array.shape[2] not in (1, 3, 4) or array.size == 0:
        raise ValueError(
            f"{name} must have shape (H, W), (H, W, 3) or (H, W, 4), none of it empty; "
            f"found {np.shape(image)}; pass one image, rows first"
        )
    return array[..., :3]
