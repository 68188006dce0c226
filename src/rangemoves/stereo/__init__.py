"""Stereo: from two rectified images to a disparity map."""

from __future__ import annotations

from ._cost_volume import cost_volume
from ._edge_weights import edge_weights
from ._evaluate import evaluate
from ._match import StereoMatch, StereoMatcher, match
from .geometry import Calibration, depth, point_cloud, read_calibration

__all__ = [
    "Calibration",
    "StereoMatch",
    "StereoMatcher",
    "cost_volume",
    "depth",
    "edge_weights",
    "evaluate",
    "match",
    "point_cloud",
    "read_calibration",
]
