"""The smoothness term of stereo: neighbours that look alike should have like disparities."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import as_choice, as_real
from ..images import check_image, grey

Mode = Literal["absolute", "signed", "mean", "rms"]


def edge_weights(
    image: ArrayLike, low: float, high: float, threshold: float, mode: Mode = "absolute"
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weights of the grid's edges: ``high`` where the image is smooth, ``low`` across its edges.

    Parameters
    ----------
    image : array_like of uint8, uint16 or real, (H, W), (H, W, 3) or (H, W, 4)
        The reference image.
    low, high : float
        The two weights, not negative.
    threshold : float
        A gradient up to this counts as smooth.
    mode : {"absolute", "signed", "mean", "rms"}
        The gradient between a pixel and its lower or right neighbour. ``"absolute"``: absolute
        difference of grey values. ``"signed"``: grey value here minus the neighbour's, so that an
        edge counts only from bright to dark. ``"mean"``: mean of the absolute differences of the
        channels, which sees colours that are equally bright. ``"rms"``: their root mean square.

    Returns
    -------
    down : ndarray of float64, (H - 1, W)
    right : ndarray of float64, (H, W - 1)
        In the order that ``rangemoves.Energy`` takes them.

    Examples
    --------
    >>> import numpy as np
    >>> import rangemoves as rm
    >>> image = np.array([[10, 11, 90]], dtype=np.uint8)
    >>> down, right = rm.stereo.edge_weights(image, low=1, high=3, threshold=8)
    >>> right
    array([[3., 1.]])
    """
    array = check_image(image)
    as_choice(mode, "mode", get_args(Mode))
    for name, weight in (("low", low), ("high", high)):
        if as_real(weight, name) < 0:
            raise ValueError(f"{name} must be at least 0; found {weight:g}; pass e.g. 10")
    threshold = as_real(threshold, "threshold", advice="pass e.g. 8 grey levels")

    def along(axis: int) -> NDArray[np.float64]:
        if mode == "rms":
            squares = np.diff(array.astype(np.float64), axis=axis) ** 2
            # Compared as sums of squares: whole numbers, so that ties are decided exactly.
            smooth = squares.sum(axis=2) <= array.shape[2] * threshold**2
            smooth &= threshold >= 0
        elif mode == "mean":
            steps = np.abs(np.diff(array.astype(np.int16), axis=axis))
            # Channel after channel: NumPy takes several times as long to sum the last axis.
            smooth = sum(steps[..., c] for c in range(array.shape[2])) <= array.shape[2] * threshold
        else:
            step = -np.diff(grey(array), axis=axis)
            smooth = (np.abs(step) if mode == "absolute" else step) <= threshold
        return np.where(smooth, float(high), float(low))

    return along(0), along(1)
