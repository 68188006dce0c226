"""Which files of a folder are stereo pairs, by the names that datasets and cameras give them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..io.formats import FORMATS

_STEMS = (
    ("left", "right"),
    ("im0", "im1"),
    ("im2", "im6"),
    ("view1", "view5"),
    ("image_0", "image_1"),
    ("image_2", "image_3"),
    ("scene1.row3.col3", "scene1.row3.col4"),
)


@dataclass(frozen=True)
class PairFiles:
    """The files of a pair; one of the two may be missing, which is for the reader to say."""

    name: str
    left: Path
    right: Path

    def is_whole(self) -> bool:
        return self.left.is_file() and self.right.is_file()


def find_pairs(folder: Path) -> list[PairFiles]:
    """All pairs in a folder, by name; of one name the second is called NAME-2, and so on.

    One folder per pair (``venus/im2.ppm``, ``venus/im6.ppm``), two folders with equal names
    (``left/7.png``, ``right/7.png``), or names that end so (``7_left.png``, ``7_right.png``).
    """
    found = sorted(dict.fromkeys(_candidates(folder)), key=lambda pair: pair.name)
    # Maps of Venus and venus would be one file on some systems.
    reserved = {pair.name.casefold() for pair in found}
    given: set[str] = set()
    pairs = []
    for pair in found:
        name, number = pair.name, 1
        while name.casefold() in (reserved if number > 1 else given):
            number += 1
            name = f"{pair.name}-{number}"
        given.add(name.casefold())
        reserved.add(name.casefold())
        pairs.append(replace(pair, name=name))
    return pairs


def _candidates(folder: Path) -> Iterator[PairFiles]:
    inner = sorted(path for path in folder.iterdir() if path.is_dir())
    for first, second in _STEMS:
        left, right = folder / first, folder / second
        if left.is_dir() and right.is_dir():
            for stem in sorted({path.stem for path in _images(left) + _images(right)}):
                yield PairFiles(stem, _file(left, stem), _file(right, stem))
    for each in inner:
        yield from _pairs_of(each)
    for image in _images(folder):
        name, _, side = image.stem.rpartition("_")
        if name and side in ("left", "right"):
            yield PairFiles(name, _file(folder, f"{name}_left"), _file(folder, f"{name}_right"))


def _pairs_of(folder: Path) -> list[PairFiles]:
    """The pairs in the folder of one scene."""
    try:
        stems = {path.stem for path in _images(folder)}
    except OSError:  # reported when its images are read; the other pairs must still be found
        return [PairFiles(folder.name, folder / "left.png", folder / "right.png")]
    pairs = [
        PairFiles(folder.name, _file(folder, first), _file(folder, second))
        for first, second in _STEMS
        if {first, second} & stems
    ]
    # A folder may have im1 alone beside im2 and im6: half a pair counts only without a whole one.
    return [pair for pair in pairs if pair.is_whole()] or pairs[:1]


def unpaired(folder: Path, pairs: Sequence[PairFiles]) -> list[Path]:
    """Images in a folder, not in those inside it, that are half of no pair."""
    used = {path for pair in pairs for path in (pair.left, pair.right)}
    return [path for path in _images(folder) if path not in used]


def _images(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix.lower() in FORMATS)


def _file(folder: Path, stem: str) -> Path:
    """The image of that name, or what it would be called."""
    for path in _images(folder):
        if path.stem == stem:
            return path
    return folder / f"{stem}.png"


def printable(text: str) -> str:
    """The same with escapes for what a terminal must not be told, and cannot always be."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )
