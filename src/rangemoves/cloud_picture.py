"""A point cloud as a picture, seen from aside: every point a small square, the nearest on top."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["cloud_colours"]

_BACKGROUND = (16, 18, 24)
_INSIDE = 0.995  # of the points, along each axis, fit into the picture
_NEAREST = 0.05  # of the usual depth: what is closer to the eye would fill the picture


def cloud_colours(
    points: ArrayLike,
    colours: ArrayLike,
    shape: tuple[int, int] = (240, 320),
    *,
    yaw: float = -22.0,
    pitch: float = 14.0,
    size: int = 3,
) -> NDArray[np.uint8]:
    """Draw a point cloud as seen by an eye that has walked around its middle.

    Parameters
    ----------
    points : array_like, (N, 3)
        x to the right, y down, z away from the camera, as :func:`rangemoves.stereo.point_cloud`
        gives them.
    colours : array_like of uint8, (N, 3)
        Red, green and blue of each.
    shape : (int, int)
        Height and width of the picture.
    yaw, pitch : float
        By how many degrees the cloud is turned to the side and up.
    size : int
        Side of the square that a point becomes, in pixels.

    Returns
    -------
    ndarray of uint8, (H, W, 3)

    Examples
    --------
    >>> import rangemoves as rm
    >>> pair = rm.datasets.synthetic_stereo(shape=(48, 64), labels=12)
    >>> camera = rm.stereo.Calibration(focal=64, baseline=1, doffs=8)
    >>> cloud = rm.stereo.point_cloud(pair.disparity, camera, pair.left)
    >>> rm.plots.cloud_colours(*cloud, shape=(48, 64)).shape
    (48, 64, 3)
    """
    places, shades = np.asarray(points, dtype=np.float64), np.asarray(colours)
    if places.ndim != 2 or places.shape[1] != 3 or shades.shape != places.shape:
        raise ValueError(
            "points and colours must both have shape (N, 3); "
            f"found {places.shape} and {shades.shape}; pass what rm.stereo.point_cloud returns"
        )
    height, width = shape
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = _BACKGROUND
    if not len(places):
        return picture
    seen = _turned(places, yaw, pitch)
    in_front = seen[:, 2] > _NEAREST * np.median(places[:, 2])
    seen, shades = seen[in_front], shades[in_front]
    column, row = _projected(seen, height, width)
    # All squares in one list, the furthest first: of pixels painted twice the last one stays.
    steps = np.arange(size) - (size - 1) // 2
    columns = (column[:, None, None] + steps[None, None, :]).repeat(size, axis=1).reshape(-1)
    rows = (row[:, None, None] + steps[None, :, None]).repeat(size, axis=2).reshape(-1)
    order = np.argsort(-np.repeat(seen[:, 2], size * size), kind="stable")
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    order = order[inside[order]]
    picture[rows[order], columns[order]] = shades[order // (size * size)]
    return picture


def _turned(points: NDArray[np.float64], yaw: float, pitch: float) -> NDArray[np.float64]:
    """Points turned about one that lies ahead at the usual depth."""
    a, b = np.radians(yaw), np.radians(pitch)
    aside = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
    up = np.array([[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
    middle = np.array([0, 0, np.median(points[:, 2])])
    return np.asarray((points - middle) @ (up @ aside).T + middle)


def _projected(
    points: NDArray[np.float64], height: int, width: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Column and row of each point, so large that most of them fill the picture."""
    rays = points[:, :2] / points[:, 2:]
    low, high = np.quantile(rays, [1 - _INSIDE, _INSIDE], axis=0)
    scale = float(np.min(np.array([width, height]) / np.maximum(high - low, 1e-12)))
    place = (rays - (low + high) / 2) * scale + np.array([width, height]) / 2
    limit = 10 * max(width, height)  # far outside, and still an integer
    whole = np.clip(np.floor(place), -limit, limit).astype(np.intp)
    return whole[:, 0], whole[:, 1]
