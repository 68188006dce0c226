"""How good a disparity map is, in the measures of the Middlebury and KITTI benchmarks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..labellings import as_map

_THRESHOLDS = (0.5, 1, 2, 4)


def evaluate(
    disparity: ArrayLike, truth: ArrayLike, mask: ArrayLike | None = None
) -> dict[str, float]:
    """Compare a disparity map with the truth.

    Parameters
    ----------
    disparity : array_like, (H, W)
        NaN or infinite where there is no answer, or -1 in labels (integers): such a pixel counts as
        bad at every threshold.
    truth : array_like, (H, W)
        NaN or infinite where unknown; such pixels do not count at all.
    mask : array_like of bool, (H, W), optional
        True where a pixel is visible in both images.

    Returns
    -------
    dict of str to float
        ``bad0.5``, ``bad1``, ``bad2``, ``bad4``: percentage of the known pixels whose error is
        greater than that many pixels. ``d1``: percentage whose error is greater than 3 pixels and
        than 5 % of the truth (KITTI). ``mae``: mean absolute error in pixels over the pixels with
        an answer, NaN when there are none. ``coverage``: percentage of the known pixels with an
        answer. With a mask, also each of them over the visible pixels: ``bad1_noc`` and so on.

    References
    ----------
    D. Scharstein and R. Szeliski, "A taxonomy and evaluation of dense two-frame stereo
    correspondence algorithms", IJCV 2002. M. Menze and A. Geiger, "Object scene flow for
    autonomous vehicles", CVPR 2015.

    Examples
    --------
    >>> import rangemoves as rm
    >>> scores = rm.stereo.evaluate([[3.0, 9.0, 5.0, float("nan")]], [[3.0, 4.0, 5.5, 7.0]])
    >>> scores["bad1"], scores["mae"], scores["coverage"]
    (50.0, 1.8333333333333333, 75.0)
    """
    found = as_map(disparity)
    expected = np.asarray(truth, dtype=np.float64)
    if found.shape != expected.shape or found.ndim != 2:
        raise ValueError(
            "disparity and truth must be maps (H, W) of the same shape; "
            f"found {found.shape} and {expected.shape}; pass maps of the same image"
        )
    known = np.isfinite(expected)
    if not known.any():
        raise ValueError(
            "truth must be known somewhere; found no finite value; check the file and its scale"
        )
    scores = _scores(found[known], expected[known])
    if mask is not None:
        visible = np.asarray(mask)
        if visible.shape != found.shape or visible.dtype != np.bool_:
            raise ValueError(
                f"mask must be a map of booleans of shape {found.shape}; "
                f"found {visible.dtype} of shape {visible.shape}; pass e.g. occlusion == 0"
            )
        if not (known & visible).any():
            raise ValueError(
                "mask must be True at some pixel with known truth; found none; "
                "leave it out, or check that it is not inverted"
            )
        seen = _scores(found[known & visible], expected[known & visible])
        scores |= {f"{name}_noc": value for name, value in seen.items()}
    return scores


def _scores(found: NDArray[np.float64], expected: NDArray[np.float64]) -> dict[str, float]:
    answered = np.isfinite(found)
    error = np.abs(np.where(answered, found, np.inf) - expected)

    def percentage(pixels: NDArray[np.bool_]) -> float:
        return 100.0 * float(np.count_nonzero(pixels)) / pixels.size

    scores = {f"bad{threshold:g}": percentage(error > threshold) for threshold in _THRESHOLDS}
    scores["d1"] = percentage((error > 3) & (error > 0.05 * np.abs(expected)))
    scores["mae"] = float(error[answered].mean()) if answered.any() else float("nan")
    scores["coverage"] = percentage(answered)
    return scores
