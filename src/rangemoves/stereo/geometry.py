"""From disparities to metres: the calibration of a rectified pair, depth, points in space.

A point at depth Z has the disparity ``d = focal * baseline / Z - doffs``, where ``doffs`` is by how
much the principal point of the right camera lies further right than that of the left one. Depth and
points are in the unit of the baseline: metres for KITTI, millimetres for Middlebury.
"""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..images import check_image
from ..labellings import as_map

__all__ = ["Calibration", "depth", "point_cloud", "read_calibration"]

_LARGEST_FILE = 1_000_000  # bytes; a calibration is a page of text
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"


@dataclass(frozen=True)
class Calibration:
    """What a rectified pair of cameras measures with.

    Parameters
    ----------
    focal : float
        Focal length in pixels.
    baseline : float
        Distance between the cameras; its unit is that of depths and points.
    centre : (float, float), optional
        Column and row of the principal point of the left image; the middle of the image when left
        out.
    doffs : float
        Column of the right principal point minus that of the left one.

    Examples
    --------
    >>> import rangemoves as rm
    >>> rm.stereo.depth([[10.0, 20.0]], rm.stereo.Calibration(focal=700, baseline=0.5))
    array([[35. , 17.5]])
    """

    focal: float
    baseline: float
    centre: tuple[float, float] | None = None
    doffs: float = 0.0

    def __post_init__(self) -> None:
        for name in ("focal", "baseline"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise ValueError(
                    f"{name} must be a positive number; found {value!r}; "
                    "pass focal in pixels and baseline in the unit that depths shall have"
                )
        if not math.isfinite(self.doffs):
            raise ValueError(f"doffs must be a number of pixels; found {self.doffs!r}; pass e.g. 0")
        if self.centre is not None and not all(map(math.isfinite, self.centre)):
            raise ValueError(
                f"centre must be a column and a row; found {self.centre!r}; pass pixels, or None"
            )


def read_calibration(
    path: str | os.PathLike[str], cameras: tuple[int, int] = (0, 1)
) -> Calibration:
    r"""Read the calibration of a pair from a file of KITTI or Middlebury.

    Parameters
    ----------
    path : path-like
        KITTI: lines ``P0: ..`` or ``P_rect_00: ..`` with the 12 numbers of a projection matrix.
        Middlebury (2014 and later): lines ``cam0=[f 0 cx; 0 f cy; 0 0 1]``, ``baseline=..`` and,
        where there is one, ``doffs=..``.
    cameras : (int, int)
        For KITTI: the left and the right camera, (0, 1) for the grey and (2, 3) for the colour
        images.

    Returns
    -------
    Calibration

    Examples
    --------
    >>> import tempfile
    >>> import rangemoves as rm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "calib.txt"
    ...     _ = path.write_text("cam0=[1000 0 300; 0 1000 200; 0 0 1]\nbaseline=150\ndoffs=20")
    ...     rm.stereo.read_calibration(path)
    Calibration(focal=1000.0, baseline=150.0, centre=(300.0, 200.0), doffs=20.0)
    """
    name = os.fspath(path)
    if Path(path).exists() and not Path(path).is_file():  # a pipe may have no end
        raise ValueError(f"{name} must be a calibration file; found a folder, a pipe or a device")
    with Path(path).open("rb") as file:
        text = file.read(_LARGEST_FILE).decode("utf-8", errors="replace")
    found = _middlebury(text) or _kitti(text, cameras)
    if found is None:
        first, second = cameras
        raise ValueError(
            f"{name} must be a calibration of KITTI (lines P{first}: and P{second}:) or Middlebury "
            "(lines cam0= and baseline=); found neither; pass focal length and baseline instead"
        )
    focal, baseline, centre, doffs = found
    if not all(map(math.isfinite, (focal, baseline, *centre, doffs))):
        raise ValueError(
            f"{name} must have numbers that a double can hold; found the focal length {focal:g}, "
            f"the baseline {baseline:g}, the centre {centre[0]:g}, {centre[1]:g} and doffs "
            f"{doffs:g}; get it again"
        )
    if not (focal > 0 and baseline > 0):
        raise ValueError(
            f"{name} must have a positive focal length and baseline; found {focal:g} and "
            f"{baseline:g}; check which camera is the left one"
        )
    return Calibration(focal, baseline, centre, doffs)


_Numbers = tuple[float, float, tuple[float, float], float]


def _middlebury(text: str) -> _Numbers | None:
    matrix = re.search(r"^\s*cam0\s*=\s*\[([^\]]*)\]", text, re.MULTILINE)
    numbers = [] if matrix is None else _numbers(matrix[1].replace(";", " "))
    baseline = _assigned(text, "baseline")
    if len(numbers) != 9 or baseline is None:
        return None
    return numbers[0], baseline, (numbers[2], numbers[5]), _assigned(text, "doffs") or 0.0


def _assigned(text: str, name: str) -> float | None:
    found = re.search(rf"^\s*{name}\s*=\s*({_NUMBER})\s*$", text, re.MULTILINE)
    return None if found is None else float(found[1])


def _kitti(text: str, cameras: tuple[int, int]) -> _Numbers | None:
    projections = []
    for camera in cameras:
        found = re.search(rf"^\s*(?:P{camera}|P_rect_0{camera})\s*:(.*)$", text, re.MULTILINE)
        numbers = [] if found is None else _numbers(found[1])
        if len(numbers) != 12:
            return None
        projections.append(numbers)
    left, right = projections
    if left[0] == 0:
        return None
    # The fourth column is the focal length times where a camera stands, to the left positive.
    baseline = (left[3] - right[3]) / left[0]
    return left[0], baseline, (left[2], left[6]), right[2] - left[2]


def _numbers(text: str) -> list[float]:
    words = text.split()
    return [float(word) for word in words] if all(_is_number(word) for word in words) else []


def _is_number(word: str) -> bool:
    return re.fullmatch(_NUMBER, word) is not None


def depth(disparity: ArrayLike, calibration: Calibration) -> NDArray[np.float64]:
    """Distance from the cameras, along the direction in which they look.

    Parameters
    ----------
    disparity : array_like, (H, W)
        NaN where unknown.
    calibration : Calibration
        Of the pair.

    Returns
    -------
    ndarray of float64, (H, W)
        In the unit of the baseline; NaN where the disparity is unknown or that of nothing in front
        of the cameras.

    Examples
    --------
    >>> import rangemoves as rm
    >>> rm.stereo.depth([[35.0, 0.0]], rm.stereo.Calibration(focal=700, baseline=0.5))
    array([[10., nan]])
    """
    found = as_map(disparity)
    if found.ndim != 2:
        raise ValueError(
            f"disparity must be a map of shape (H, W); found shape {found.shape}; "
            "pass one disparity per pixel"
        )
    total = found + calibration.doffs
    seen = np.isfinite(total) & (total > 0)
    with np.errstate(over="ignore"):
        distance = calibration.focal * calibration.baseline / np.where(seen, total, 1.0)
    return np.where(seen & np.isfinite(distance), distance, np.nan)


def point_cloud(
    disparity: ArrayLike,
    calibration: Calibration,
    image: ArrayLike | None = None,
    *,
    mask: ArrayLike | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.uint8] | None]:
    """Points in space, as seen from the left camera.

    Parameters
    ----------
    disparity : array_like, (H, W)
        NaN where unknown.
    calibration : Calibration
        Of the pair.
    image : array_like, (H, W), (H, W, 3) or (H, W, 4), optional
        The left image, for the colours.
    mask : array_like of bool, (H, W), optional
        True where a pixel shall become a point, e.g. ``StereoMatch.consistent``.

    Returns
    -------
    points : ndarray of float64, (N, 3)
        x to the right, y down, z away from the camera, in the unit of the baseline; one for each
        pixel with a depth, row by row.
    colours : ndarray of uint8, (N, 3), or None
        Red, green and blue of each; None without an image.

    Examples
    --------
    >>> import rangemoves as rm
    >>> pair = rm.datasets.synthetic_stereo(shape=(48, 64), labels=12)
    >>> camera = rm.stereo.Calibration(focal=60, baseline=0.1)
    >>> points, colours = rm.stereo.point_cloud(pair.disparity, camera, pair.left)
    >>> points.shape, colours.shape
    ((3072, 3), (3072, 3))
    """
    distance = depth(disparity, calibration)
    keep = np.isfinite(distance)
    if mask is not None:
        wanted = np.asarray(mask)
        if wanted.shape != keep.shape or wanted.dtype != np.bool_:
            raise ValueError(
                f"mask must be a map of booleans of shape {keep.shape}; found {wanted.dtype} of "
                f"shape {wanted.shape}; pass e.g. the consistent pixels of a StereoMatch"
            )
        keep &= wanted
    height, width = distance.shape
    column, row = calibration.centre or ((width - 1) / 2, (height - 1) / 2)
    rows, columns = np.nonzero(keep)
    away = distance[keep]
    scale = away / calibration.focal
    points = np.stack([(columns - column) * scale, (rows - row) * scale, away], axis=1)
    if image is None:
        return points, None
    shades = check_image(image)
    if shades.shape[:2] != keep.shape:
        raise ValueError(
            f"image must have the height and width of disparity, {keep.shape}; "
            f"found {shades.shape[:2]}; pass the left image"
        )
    return points, np.ascontiguousarray(np.broadcast_to(shades[keep], (len(points), 3)))
