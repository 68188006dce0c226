"""What neighbouring disparities of Pandora cost: a prior in labels, weights from the image.

Thresholds and weights are stated per pixel of disparity, whatever the steps of the labels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..priors import Prior, prior_by_name

__all__ = ["POWER", "edge_weights", "mean_gradient", "prior_in_labels"]

# g with threshold sT at s times the difference is s to this power times g with threshold T.
POWER = {
    "linear": 1,
    "truncated-linear": 1,
    "quadratic": 2,
    "huber": 2,
    "truncated-quadratic": 2,
    "cauchy": 2,
}

FloatArray = npt.NDArray[np.float64]


def prior_in_labels(name: str, threshold: float | None, steps: float) -> tuple[Prior, float]:
    """Return the prior of label differences, and the factor that makes it cost what pixels do.

    Parameters
    ----------
    name : str
        Of the prior.
    threshold : float or None
        In pixels of disparity.
    steps : float
        Labels per pixel of disparity.

    Returns
    -------
    prior : Prior
    factor : float

    Examples
    --------
    >>> prior_in_labels("truncated-linear", 3, 2)
    (TruncatedLinear(6), 0.5)
    """
    scaled = None if threshold is None else threshold * steps
    return prior_by_name(name, scaled), steps ** -POWER[name]


def mean_gradient(image: npt.NDArray[Any], takes_part: npt.NDArray[np.bool_]) -> float:
    """Return the mean absolute difference of neighbours.

    Parameters
    ----------
    image : numpy.ndarray
        (H, W), of any range.
    takes_part : numpy.ndarray
        Of bool, (H, W): pixels that have a cost. What the image shows elsewhere does not count.

    Returns
    -------
    float

    Examples
    --------
    >>> mean_gradient(np.array([[10.0, 12.0, 90.0]]), np.array([[True, True, False]]))
    2.0
    """
    both = takes_part[1:] & takes_part[:-1], takes_part[:, 1:] & takes_part[:, :-1]
    steps = np.concatenate([step[k] for step, k in zip(_steps(image), both, strict=True)])
    return float(steps.mean()) if steps.size else 0.0


def edge_weights(image: npt.NDArray[Any], gradient: float, factor: float) -> list[FloatArray]:
    """Return weights of the edges down and right, 1 where the image is smooth.

    Parameters
    ----------
    image : numpy.ndarray
        (H, W), of any range.
    gradient : float
        Beyond this a difference is an edge of the image.
    factor : float
        By which that divides the weight.

    Returns
    -------
    list of numpy.ndarray

    Examples
    --------
    >>> edge_weights(np.array([[10.0, 11.0, 90.0]]), 8, 4)[1]
    array([[1.  , 0.25]])
    """
    # Written so that NaN, in pixels without a cost, counts as smooth.
    return [np.where(step > gradient, 1 / factor, 1.0) for step in _steps(image)]


def _steps(image: npt.NDArray[Any]) -> list[FloatArray]:
    return [np.abs(np.diff(image.astype(np.float64), axis=axis)) for axis in (0, 1)]
