"""Point clouds as PLY files (Turk 1994), in its binary form, which every viewer of clouds reads."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from ._atomic import write_atomically

_POSITION = [("x", "<f4"), ("y", "<f4"), ("z", "<f4")]
_COLOUR = [("red", "u1"), ("green", "u1"), ("blue", "u1")]
_NAMES = {"<f4": "float", "u1": "uchar"}


def write_ply(
    path: str | os.PathLike[str], points: ArrayLike, colours: ArrayLike | None = None
) -> None:
    """Write a point cloud.

    Parameters
    ----------
    path : path-like
        Ends in ``.ply``. The file appears only when it is complete.
    points : array_like, (N, 3)
        Coordinates x, y, z; finite.
    colours : array_like of uint8, (N, 3), optional
        Red, green and blue of each point.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rangemoves as rm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rm.io.write_ply(f"{folder}/cloud.ply", [[0.0, 1.0, 2.0]])
    ...     Path(f"{folder}/cloud.ply").read_bytes().splitlines()[2]
    b'element vertex 1'
    """
    if Path(path).suffix.lower() != ".ply":
        raise ValueError(f"path must end in .ply; found {os.fspath(path)!r}; rename the file")
    places = np.asarray(points, dtype=np.float64)
    if places.ndim != 2 or places.shape[1] != 3:
        raise ValueError(
            f"points must have shape (N, 3); found {places.shape}; pass x, y and z of each point"
        )
    if not np.isfinite(places).all():
        count = int(np.count_nonzero(~np.isfinite(places).all(axis=1)))
        raise ValueError(
            f"points must be finite; found {count} that are not; leave out those without a place"
        )
    fields = list(_POSITION)
    if colours is not None:
        shades = np.asarray(colours)
        if shades.shape != places.shape or shades.dtype != np.uint8:
            raise ValueError(
                f"colours must be uint8 of shape {places.shape}; found {shades.dtype} of shape "
                f"{shades.shape}; pass red, green and blue of each point"
            )
        fields += _COLOUR
    vertices = np.empty(len(places), dtype=fields)
    for axis, (name, _) in enumerate(_POSITION):
        vertices[name] = places[:, axis]
    if colours is not None:
        for channel, (name, _) in enumerate(_COLOUR):
            vertices[name] = shades[:, channel]
    lines = [
        "ply",
        "format binary_little_endian 1.0",
        f"element vertex {len(places)}",
        *(f"property {_NAMES[kind]} {name}" for name, kind in fields),
        "end_header\n",
    ]
    write_atomically(path, "\n".join(lines).encode() + vertices.tobytes())
