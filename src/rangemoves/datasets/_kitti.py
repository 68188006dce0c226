"""KITTI stereo pairs (2012 and 2015), from a folder."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..images import check_pair
from ..io import read_disparity, read_image
from ._folder import VARIABLE, data_folder
from ._stereo_pair import StereoPair


@dataclass(frozen=True)
class _Layout:
    """Where a folder keeps the files of a frame."""

    left: str
    right: str
    occ: str
    noc: str


_LAYOUTS = (
    # One folder per frame.
    _Layout("{0}/image_0.png", "{0}/image_1.png", "{0}/disp_occ.png", "{0}/disp_noc.png"),
    # The development kit of 2012, grey.
    _Layout(
        "training/image_0/{0}_10.png",
        "training/image_1/{0}_10.png",
        "training/disp_occ/{0}_10.png",
        "training/disp_noc/{0}_10.png",
    ),
    # The development kit of 2015, in colour.
    _Layout(
        "training/image_2/{0}_10.png",
        "training/image_3/{0}_10.png",
        "training/disp_occ_0/{0}_10.png",
        "training/disp_noc_0/{0}_10.png",
    ),
)


def kitti(frame: str | int, root: str | os.PathLike[str] | None = None) -> StereoPair:
    """Read a KITTI stereo pair with its sparse ground truth.

    Parameters
    ----------
    frame : str or int
        Number of the frame: ``"000070"`` or 70.
    root : path-like, optional
        A folder with ``training/`` as it comes in the archives of KITTI 2012 or 2015, or with one
        folder per frame (``000070/image_0.png``, ``image_1.png``, ``disp_occ.png``,
        ``disp_noc.png``); or a folder with any of these in a folder ``kitti``.
        ``$RANGEMOVES_DATA`` when left out.

    Returns
    -------
    StereoPair
        ``disparity`` is NaN where the laser scanner measured nothing, ``mask`` is True where the
        pixel is known and visible in both images. Both are None for frames without ground truth.

    References
    ----------
    A. Geiger, P. Lenz and R. Urtasun, "Are we ready for autonomous driving? The KITTI vision
    benchmark suite", CVPR 2012. The data are for non-commercial use only.

    Examples
    --------
    >>> import rangemoves as rm
    >>> rm.datasets.kitti(70, root="nowhere")
    Traceback (most recent call last):
    FileNotFoundError: KITTI frame 000070 must be in nowhere; found no folder 000070 and no ...
    """
    name = f"{frame:06d}" if isinstance(frame, int) else str(frame)
    folder = data_folder(root)
    for base in (folder, folder / "kitti"):
        for layout in _LAYOUTS:
            if (base / layout.left.format(name)).is_file():
                return _read(base, layout, name)
    raise FileNotFoundError(
        f"KITTI frame {name} must be in {folder}; found no folder {name} and no folder training "
        f"with it; pass root= or set {VARIABLE} to where the data were unpacked"
    )


def _read(base: Path, layout: _Layout, name: str) -> StereoPair:
    left, right = check_pair(
        read_image(base / layout.left.format(name)), read_image(base / layout.right.format(name))
    )
    occ, noc = (base / path.format(name) for path in (layout.occ, layout.noc))
    disparity = read_disparity(occ) if occ.is_file() else None
    mask = np.isfinite(read_disparity(noc)) if noc.is_file() else None
    # 128 disparities are what most people try on these pictures; near objects may need more.
    largest = 0.0 if disparity is None else float(np.nanmax(disparity))
    labels = max(128, 16 * math.ceil((largest + 2) / 16))
    return StereoPair(np.squeeze(left), np.squeeze(right), disparity, mask, f"kitti-{name}", labels)
