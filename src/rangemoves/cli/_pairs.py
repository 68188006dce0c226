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

    def is_whole(self) -> bool:
        return self.left.is_file() and self.right.is_file()


def find_pairs(folder: Path) -> list[PairFiles]:
    """All pairs in a folder, by name.

    One folder per pair (``venus/im2.ppm``, ``venus/im6.ppm``), two folders with equal names
    (``left/7.png``, ``right/7.png``), or names that end so (``7_left.png``, ``7_right.png``).
    """
    found: dict[str, PairFiles] = {}
    for pair in _candidates(folder):
        # A folder may have im1 alone beside im2 and im6: whole pairs go first.
        if pair.name not in found or (pair.is_whole() and not found[pair.name].is_whole()):
            found[pair.name] = pair
    return [found[name] for name in sorted(found)]


def _candidates(folder: Path) -> Iterator[PairFiles]:
    inner = sorted(path for path in folder.iterdir() if path.is_dir())
    for first, second in _STEMS:
        left, right = folder / first, folder / second
        if left.is_dir() and right.is_dir():
            for stem in sorted({path.stem for path in _images(left) + _images(right)}):
                yield PairFiles(stem, _file(left, stem), _file(right, stem))
        for each in inner:
            if {first, second} & {path.stem for path in _images(each)}:
                yield PairFiles(each.name, _file(each, first), _file(each, second))
    for image in _images(folder):
        name, _, side = image.stem.rpartition("_")
        if side in ("left", "right"):
            yield PairFiles(name, _file(folder, f"{name}_left"), _file(folder, f"{name}_right"))


def _images(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix.lower() in _SUFFIXES)


def _file(folder: Path, stem: str) -> Path:
    """The image of that name, or what it would be called."""
    for path in _images(folder):
        if path.stem == stem:
            return path
    return folder / f"{stem}.png"
