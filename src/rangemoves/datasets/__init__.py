"""Stereo pairs to try things on: rendered by the package, or public ones read from a folder."""

from __future__ import annotations

from ._stereo_pair import StereoPair
from ._synthetic import synthetic_stereo

__all__ = ["StereoPair", "synthetic_stereo"]
