"""Labellings as maps: what a mask left out has label -1, and as a map of numbers it is unknown."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["LEFT_OUT", "as_map"]

# The label of a variable that takes no part.
LEFT_OUT = -1


def as_map(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return a map of numbers, with NaN where a labelling is -1.

    Parameters
    ----------
    values : array_like
        Any numbers; in integers, as labels are, -1 stands for what was left out, and so does the
        mask of a masked array.

    Returns
    -------
    numpy.ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from rangemoves.labellings import as_map
    >>> as_map(np.array([3, -1])), as_map([3.0, -1.0])
    (array([ 3., nan]), array([ 3., -1.]))
    """
    given = np.asarray(values)
    numbers = given.astype(np.float64)
    if isinstance(values, np.ma.MaskedArray):
        numbers[np.ma.getmaskarray(values)] = np.nan
    if given.dtype.kind == "i":
        numbers[given == LEFT_OUT] = np.nan
    return numbers
