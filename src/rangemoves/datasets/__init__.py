"""Stereo pairs to try things on: rendered by the package, or public ones read from a folder."""

from __future__ import annotations

from ._kitti import kitti
from ._middlebury import middlebury, middlebury_names
from ._stereo_pair import StereoPair
from ._synthetic import synthetic_stereo
from .download import download_middlebury

__all__ = [
    "StereoPair",
    "download_middlebury",
    "kitti",
    "middlebury",
    "middlebury_names",
    "synthetic_stereo",
]
