"""Stereo: from two rectified images to a disparity map."""

from __future__ import annotations

from ._evaluate import evaluate

__all__ = ["evaluate"]
