"""The data term of stereo: what it costs a pixel to have a disparity."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import as_choice, as_integer
from ..images import check_pair, grey
from .settings import as_disparity

Cost = Literal["birchfield-tomasi", "absolute", "census", "gradient"]

_ROWS_AT_A_TIME = 64  # Python handles Ctrl-C between two calls of the core


def cost_volume(
    left: ArrayLike,
    right: ArrayLike,
    labels: int,
    cost: Cost = "birchfield-tomasi",
    squared: bool = False,
    truncate: int | None = None,
    *,
    min_disparity: int = 0,
    window: tuple[int, int] = (7, 9),
) -> NDArray[np.int32]:
    """Compute how badly each pixel of the left image matches at each disparity.

    Label ``k`` stands for the disparity ``d = min_disparity + k``: ``left[y, x]`` is compared with
    ``right[y, x - d]``.

    Parameters
    ----------
    left, right : array_like of uint8, uint16 or real, (H, W), (H, W, 3) or (H, W, 4)
        A rectified pair. Alpha is left out; 16-bit pairs go to 8 bits by one common factor.
    labels : int
        Number of disparities.
    cost : {"birchfield-tomasi", "absolute", "census", "gradient"}
        What to compare. ``"absolute"``: pixel values. ``"birchfield-tomasi"``: the same, but within
        half a pixel to either side, so that sampling does not matter [1]_. ``"gradient"``: the
        horizontal central difference ``I[x+1] - I[x-1]``. ``"census"``: which pixels of a window
        are darker than its centre, on grey values; the cost is the number of those that disagree
        [2]_, and does not change when one image is brighter.
    squared : bool
        Square the difference of each channel; not for census.
    truncate : int, optional
        No cost is larger than ``channels * truncate``, or ``truncate ** 2`` when squared, or
        ``truncate`` for census.
    min_disparity : int
        The disparity of label 0; negative where the images were shifted towards each other.
    window : (int, int)
        Height and width of the census window: odd, at most 65 pixels in all.

    Returns
    -------
    ndarray of int32, (H, W, labels)

    Notes
    -----
    A match outside the right image costs as much as the cap that ``truncate`` sets, and without one
    as much as the worst match there is: ``channels * 255`` (twice that for gradients, the square of
    it per channel when squared), or the number of neighbours for census.

    References
    ----------
    .. [1] S. Birchfield and C. Tomasi, "A pixel dissimilarity measure that is insensitive to image
       sampling", PAMI 1998.
    .. [2] R. Zabih and J. Woodfill, "Non-parametric local transforms for computing visual
       correspondence", ECCV 1994.

    Examples
    --------
    >>> import rangemoves as rm
    >>> pair = rm.datasets.synthetic_stereo(shape=(48, 64), labels=12)
    >>> volume = rm.stereo.cost_volume(pair.left, pair.right, pair.labels, truncate=20)
    >>> volume.shape, int(volume.max())
    ((48, 64, 12), 60)
    """
    first, second = check_pair(left, right)
    labels = as_integer(labels, "labels", minimum=1)
    min_disparity = as_disparity(min_disparity, "min_disparity")
    as_choice(cost, "cost", get_args(Cost))
    if cost == "census":
        first, second = (grey(image)[..., None].astype(np.uint8) for image in (first, second))
    cap = _cap(cost, squared, truncate, first.shape[2], window)
    height, width = first.shape[:2]
    volume = np.empty((height, width, labels), dtype=np.int32)
    for row in range(0, height, _ROWS_AT_A_TIME):
        _core.cost_volume(
            first,
            second,
            volume[row : row + _ROWS_AT_A_TIME],
            cost=cost,
            squared=bool(squared),
            cap=cap,
            min_disparity=min_disparity,
            census_height=window[0],
            census_width=window[1],
            first_row=row,
        )
    return volume


def _cap(
    cost: Cost, squared: bool, truncate: int | None, channels: int, window: tuple[int, int]
) -> int:
    """The largest cost, which is also that of a match outside the image."""
    if cost == "census":
        if squared:
            raise ValueError(
                "squared must be False for cost='census'; found True; "
                "a census cost is a number of pixels"
            )
        rows, columns = (as_integer(side, "window", minimum=1) for side in window)
        if rows % 2 == 0 or columns % 2 == 0 or not 1 < rows * columns <= 65:
            raise ValueError(
                "window must be (height, width), both odd, with 3 to 65 pixels in all; "
                f"found {window}; pass e.g. (7, 9)"
            )
        worst = rows * columns - 1
        channels = 1
    else:
        per_channel = 510 if cost == "gradient" else 255
        worst = channels * (per_channel**2 if squared else per_channel)
    if truncate is None:
        return worst
    truncate = as_integer(truncate, "truncate", minimum=0)
    return min(worst, truncate**2 if squared else channels * truncate)
