"""Where labels are while a run goes on, and where they go."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import describe
from .checkpoint import Checkpoint, labels_in_zarr, open_zarr_labels, was_begun
from .layouts import layout
from .problem import Problem

__all__ = ["Place"]


class Place:
    """An array of any kind for labels.

    Parameters
    ----------
    problem : Problem
        Whose labels.
    out : object
        Where the caller wants them: an array, the path of a zarr array to make, or None.
    checkpoint : path-like or None
        The folder of a run that can be taken up again.
    """

    def __init__(self, problem: Problem, out: Any, checkpoint: Any) -> None:
        self._shape, self._labels_count = problem.shape, problem.labels
        self._path = Path(out) if isinstance(out, (str, os.PathLike)) else None
        for name, value in (("out", out), ("checkpoint", checkpoint)):
            if isinstance(value, str) and not value:
                raise ValueError(f"{name} must have a name; found ''; leave it out for none")
        self._out = None if self._path is not None else out
        if checkpoint is not None and not isinstance(checkpoint, (str, os.PathLike)):
            raise TypeError(f"checkpoint must be a path; found {describe(checkpoint)}")
        self._folder = checkpoint
        if self._path is not None and checkpoint is not None:
            _require_apart(self._path, Path(checkpoint))
        if self._out is not None:
            self._check_out(self._out)
        self.checkpoint: Checkpoint | None = None

    def _check_out(self, out: Any) -> None:
        wanted = f"an array of integers of shape {self._shape}, or the path of a zarr array to make"
        if not all(hasattr(out, part) for part in ("shape", "dtype", "__setitem__")):
            raise TypeError(f"out must be {wanted}; found {describe(out)}")
        dtype = np.dtype(out.dtype)
        if tuple(out.shape) != self._shape or dtype.kind not in "iu":
            raise ValueError(f"out must be {wanted}; found {dtype} of shape {out.shape}")
        if dtype.kind == "u" or 2 ** (8 * dtype.itemsize - 1) < self._labels_count:
            raise ValueError(
                f"out must hold labels -1 .. {self._labels_count - 1}; found {dtype}; use int32"
            )
        writeable = getattr(getattr(out, "flags", None), "writeable", True)
        if not writeable or getattr(out, "read_only", False):
            raise ValueError("out must be an array to write to; found one that can only be read")

    @property
    def bytes_in_memory(self) -> int:
        """What the labels take of this process."""
        return 0 if self._out is not None or self._path else 4 * math.prod(self._shape)

    @property
    def is_callers(self) -> bool:
        """Whether the caller has said where labels go."""
        return self._out is not None

    def open(self, sides: tuple[int, ...], facts: Callable[[], dict[str, Any]]) -> None:
        """Make what is not there yet."""
        chunks = [max(1, side) for side in sides]
        if self._folder is None or not was_begun(self._folder):
            self._require_new()
        if self._folder is not None:
            self.checkpoint = Checkpoint(self._folder, facts(), self._shape, chunks)
        if self._path is not None:
            self._out = self._made_before()
            if self._out is None:
                self._out = open_zarr_labels(self._path, self._shape, chunks)
        if self.checkpoint is not None:
            self.labels: Any = self.checkpoint.labels
        elif self._out is not None:
            self.labels = self._out
        else:
            self.labels = np.zeros(self._shape, np.int32)

    def close(self) -> None:
        """Let others have the checkpoint."""
        if self.checkpoint is not None:
            self.checkpoint.close()

    def _made_before(self) -> Any:
        """The array of labels of a run that goes on; None where it is still to be made."""
        assert self._path is not None
        if self.checkpoint is not None and self._path.exists():
            found = labels_in_zarr(self._path)
            if found is not None and found.shape == self._shape:
                return found
        self._require_new()
        return None

    def _require_new(self) -> None:
        if self._path is not None and (self._path.exists() or self._path.is_symlink()):
            raise ValueError(
                f"out must be a new name; found {self._path}, which is there; delete it, choose "
                "another name, or pass the array itself to have it overwritten"
            )

    def finished(self, sides: tuple[int, ...]) -> Any:
        """Return the labels where the caller wants them."""
        if self._out is None:
            return np.asarray(self.labels[...])
        if self._out is not self.labels:
            for tile in layout(self._shape, sides, (0,) * len(self._shape)):
                self._out[tile.box] = np.asarray(self.labels[tile.box])
        return self._out


def _require_apart(out: Path, checkpoint: Path) -> None:
    one, other = out.resolve(), checkpoint.resolve()
    if one == other or one in other.parents or other in one.parents:
        raise ValueError(
            f"out and checkpoint must be folders of their own; found {out} and {checkpoint}; "
            "choose another name for one of them"
        )
