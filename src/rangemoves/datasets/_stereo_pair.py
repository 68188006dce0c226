"""What every stereo dataset hands out: two rectified images and their known disparities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class StereoPair:
    """A rectified pair: ``left[y, x]`` shows what ``right[y, x - disparity[y, x]]`` shows.

    Attributes
    ----------
    left, right : ndarray of uint8, (H, W) or (H, W, 3)
        The two images.
    disparity : ndarray of float64, (H, W), or None
        True disparity of the left image in pixels, NaN where unknown; None without ground truth.
    mask : ndarray of bool, (H, W), or None
        True where the left pixel is visible in the right image; None when that is not known.
    name : str
        What to call the pair in tables and pictures.
    labels : int
        How many disparities 0, 1, .. are enough for this pair.

    Examples
    --------
    >>> import rangemoves as rm
    >>> pair = rm.datasets.synthetic_stereo(shape=(48, 64), labels=12)
    >>> pair.left.shape, pair.disparity.shape, pair.labels
    ((48, 64, 3), (48, 64), 12)
    """

    left: NDArray[np.uint8]
    right: NDArray[np.uint8]
    disparity: NDArray[np.float64] | None
    mask: NDArray[np.bool_] | None
    name: str
    labels: int

    def __repr__(self) -> str:
        height, width = self.left.shape[:2]
        truth = "no truth" if self.disparity is None else "with truth"
        return f"StereoPair({self.name!r}, {width}x{height}, {self.labels} labels, {truth})"
