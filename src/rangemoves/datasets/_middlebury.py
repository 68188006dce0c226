"""The Middlebury stereo pairs of 2001 and 2003, from a folder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ..errors import as_choice
from ..images import check_pair
from ..io import read_disparity, read_image
from ._folder import VARIABLE, data_folder
from ._stereo_pair import StereoPair


@dataclass(frozen=True)
class Scene:
    """A pair: where it is, and what its pixels hash to, whatever the file format."""

    folder: str  # below the address of the collection
    suffixes: tuple[str, str]  # of the images and of the disparities, as published
    left: str
    right: str
    disparity: str
    scale: int  # 0 means unknown in all of them
    labels: int
    pixels: tuple[str, str, str]  # SHA-256 of left, right, disparity

    def stems(self) -> tuple[str, str, str]:
        return self.left, self.right, self.disparity

    def published(self) -> tuple[str, str, str]:
        image, disparity = self.suffixes
        return self.left + image, self.right + image, self.disparity + disparity


SCENES = {
    "tsukuba": Scene(
        folder="scenes2001/data/tsukuba/",
        suffixes=(".ppm", ".pgm"),
        left="scene1.row3.col3",
        right="scene1.row3.col4",
        disparity="truedisp.row3.col3",
        scale=16,
        labels=16,
        pixels=(
            "a96dcdd0f488d3a6aff45ed9cb323976c0f47c579694855ca0b430bc20401ef7",
            "0e4af252a3d8c947423d0c3990c0f174cde7d0bfefb3617179cf4a857d0da9d2",
            "1a9fbc011d96112cb6a758bf27e42dea5446716c6ad26bbc1c1e5ad4814a169a",
        ),
    ),
    "map": Scene(
        folder="scenes2001/data/map/",
        suffixes=(".pgm", ".pgm"),
        left="im0",
        right="im1",
        disparity="disp0",
        scale=8,
        labels=30,
        pixels=(
            "37ebb4dbfa6a6f3cb000d2b5b48a2401cbe0e218e65bfd60f6a763722488472b",
            "d63da6945839c85c6fea9927c3f4622828b856286b8836ce468c6364e5b2de55",
            "7a092999bd65ae8009c91f5940c0427f7f19737927556006dd1568788c410808",
        ),
    ),
    "sawtooth": Scene(
        folder="scenes2001/data/sawtooth/",
        suffixes=(".ppm", ".pgm"),
        left="im2",
        right="im6",
        disparity="disp2",
        scale=8,
        labels=20,
        pixels=(
            "fb2f62303368b6cb1d625905aef1fd71cbbc3fa14ee6a232fa876b9039e3fccf",
            "4411afe012a34cc4285454fd9244a397edb849db92b1b1a2cdf7e1d874909df5",
            "e37ded794da26c69bc736be53628e17dedff0343d99bdba25c62e13d30ae2adf",
        ),
    ),
    "venus": Scene(
        folder="scenes2001/data/venus/",
        suffixes=(".ppm", ".pgm"),
        left="im2",
        right="im6",
        disparity="disp2",
        scale=8,
        labels=20,
        pixels=(
            "6ea6f1c3c9126f8817d7ea585f3911f29b2c7ffa135b29e82e5c31ffc8ce32ec",
            "7c320c4464846b7b0722ebac952eec132d6c74d40ed553e6c4a0cea9d0ba3714",
            "faff1306a04ce1a7b35bbc43564abc8a501bd2629c02e8793a08548e34a9a611",
        ),
    ),
    "cones": Scene(
        folder="scenes2003/newdata/cones/",
        suffixes=(".png", ".png"),
        left="im2",
        right="im6",
        disparity="disp2",
        scale=4,
        labels=60,
        pixels=(
            "f31fb9f56ee6b81c1442b8f18dad1ea9d92c6886d89f9b8b07852f4da1dad433",
            "450e60009f99e3e0db5db241c7a3b23d6cecce0b239747164422c09be3fa980b",
            "8fc3e350e686d71ac3fdc7703e8472f36f4e2a10e6fec3594a4e0ee0a3526d12",
        ),
    ),
    "teddy": Scene(
        folder="scenes2003/newdata/teddy/",
        suffixes=(".png", ".png"),
        left="im2",
        right="im6",
        disparity="disp2",
        scale=4,
        labels=60,
        pixels=(
            "8ab3351a6fdd07aa07426589b7c5bfb99ddd6508e67271953eb607f4b44c498e",
            "e0b74127a75fd69935ec6ec1683a991e07e10f0b5c7b2062781153ef48cd1ada",
            "a676341f430db5dd4be1534b4b8881b215c714a541e3c07d67f3a3cf33edf14d",
        ),
    ),
}


def middlebury_names() -> list[str]:
    """The names that :func:`middlebury` knows."""
    return list(SCENES)


def middlebury(name: str, root: str | os.PathLike[str] | None = None) -> StereoPair:
    """Read a Middlebury pair of 2001 or 2003 with its ground truth.

    Parameters
    ----------
    name : {"tsukuba", "map", "sawtooth", "venus", "cones", "teddy"}
    root : path-like, optional
        A folder with one folder per pair, or with these in a folder ``middlebury``. Left out:
        ``$RANGEMOVES_DATA``, else where ``rangemoves data middlebury`` puts them.

    Returns
    -------
    StereoPair
        NaN in ``disparity`` where the truth is unknown; ``mask`` is None.

    References
    ----------
    D. Scharstein and R. Szeliski, IJCV 2002 and CVPR 2003. Tsukuba is by the University of Tsukuba.

    Examples
    --------
    >>> import rangemoves as rm
    >>> rm.datasets.middlebury("venus", root="nowhere")
    Traceback (most recent call last):
    FileNotFoundError: the pair venus must be in nowhere/venus or nowhere/middlebury/venus; ...
    """
    scene = SCENES[as_choice(name, "name", SCENES)]
    base = data_folder(root)
    candidates = base / name, base / "middlebury" / name
    folder = next((path for path in candidates if path.is_dir()), None)
    if folder is None:
        raise FileNotFoundError(
            f"the pair {name} must be in {candidates[0]} or {candidates[1]}; found neither; "
            f"run: rangemoves data middlebury, or pass root=, or set {VARIABLE}"
        )
    left, right, truth = (_existing(folder, stem) for stem in scene.stems())
    first, second = check_pair(read_image(left), read_image(right))
    disparity = read_disparity(truth, scene.scale)
    return StereoPair(first.squeeze(), second.squeeze(), disparity, None, name, scene.labels)


def _existing(folder: Path, stem: str) -> Path:
    for suffix in (".png", ".ppm", ".pgm"):
        path = folder / f"{stem}{suffix}"
        if path.is_file():
            return path
    raise FileNotFoundError(
        f"{folder} must have {stem}.png, .ppm or .pgm; found none of them; "
        "run: rangemoves data middlebury"
    )
