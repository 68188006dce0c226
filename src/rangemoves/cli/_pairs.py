"""Which files of a folder are stereo pairs, by the names that datasets and cameras give them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_STEMS = (
    ("left", "right"),
    ("im0", "im1"),
    ("im2", "im6"),
    ("view1", "view5"),
    ("image_0", "image_1"),
    ("image_2", "image_3"),
    ("scene1.row3.col3", "scene1.row3.col4"),
)
_SUFFIXES = (".png", ".ppm", ".pgm", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp")


@dataclass(frozen=True)
class PairFiles:
    """The files of a pair; one of the two may be missing, which is for the reader to say."""

    name: str
    left: Path
    right: Path


def find_pairs(folder: Path) -> list[PairFiles]:
    """All pairs in a folder, by name.

    One folder per pair (``venus/im2.ppm``, ``venus/im6.ppm``), two folders with equal names
    (``left/7.png``, ``right/7.png``), or names that end so (``7_left.png``, ``7_right.png``).
    """
    pairs = {pair.name: pair for pair in _all(folder)}
    return [pairs[name] for name in sorted(pairs)]


def _all(folder: Path) -> Iterator[PairFiles]:
    for first, second in _STEMS:
        left, right = folder / first, folder / second
        if left.is_dir() and right.is_dir():
            for image in _images(left):
                yield PairFiles(image.stem, image, _sibling(right, image.stem, image.suffix))
        for inner in sorted(path for path in folder.iterdir() if path.is_dir()):
            for image in _images(inner):
                if image.stem == first:
                    yield PairFiles(inner.name, image, _sibling(inner, second, image.suffix))
    for image in _images(folder):
        if image.stem.endswith("_left"):
            name = image.stem.removesuffix("_left")
            yield PairFiles(name, image, _sibling(folder, f"{name}_right", image.suffix))


def _images(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix.lower() in _SUFFIXES)


def _sibling(folder: Path, stem: str, suffix: str) -> Path:
    """The image of that name; the suffix is that of its partner unless only another one exists."""
    for path in _images(folder):
        if path.stem == stem:
            return path
    return folder / f"{stem}{suffix}"
