"""Fetching the Middlebury pairs, each checked against what its pixels must be."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from .._optional import optional_import
from ..errors import as_choice
from ..io import read_image
from ._folder import data_folder
from ._middlebury import SCENES

MIDDLEBURY_URL = "https://vision.middlebury.edu/stereo/data/"


def download_middlebury(
    names: list[str] | None = None,
    root: str | os.PathLike[str] | None = None,
    *,
    url: str = MIDDLEBURY_URL,
    progress: bool = False,
) -> list[Path]:
    """Fetch Middlebury pairs and check them, pixel by pixel, against known checksums.

    Files that are there already are checked and kept.

    Parameters
    ----------
    names : list of str, optional
        Which pairs; all of them when left out.
    root : path-like, optional
        Where to put them, each in ``middlebury/NAME``; see :func:`middlebury`.
    url : str
        A mirror with the folders ``scenes2001`` and ``scenes2003`` of the original.
    progress : bool
        Show a progress bar per file on standard error.

    Returns
    -------
    list of Path
        The folders of the pairs.

    Raises
    ------
    OSError
        When a file cannot be fetched.
    ValueError
        When a fetched file is not the known one; it is removed.

    Examples
    --------
    >>> import rangemoves as rm
    >>> rm.datasets.download_middlebury([])
    []
    """
    wanted = [as_choice(name, "names", SCENES) for name in (SCENES if names is None else names)]
    folders = []
    for name in wanted:
        scene = SCENES[name]
        folder = data_folder(root) / "middlebury" / name
        for file, digest in zip(scene.published(), scene.pixels, strict=True):
            if not _is_known(folder / file, digest):
                _fetch(urljoin(url, scene.folder + file), folder / file, digest, progress)
        folders.append(folder)
    return folders


def pixel_digest(path: Path) -> str:
    """SHA-256 of an image's shape and pixels: the same for PNG and PPM."""
    image = read_image(path)
    return hashlib.sha256(repr(image.shape).encode() + image.tobytes()).hexdigest()


def _is_known(path: Path, digest: str) -> bool:
    try:
        return pixel_digest(path) == digest
    except (ValueError, OSError):
        return False


def _fetch(url: str, path: Path, digest: str, progress: bool) -> None:
    pooch = optional_import("pooch", purpose="downloading")
    pooch.get_logger().setLevel("WARNING")  # it would print the hashes of all files
    path.parent.mkdir(parents=True, exist_ok=True)
    # Only a file that passed the check gets its name.
    with tempfile.TemporaryDirectory(dir=path.parent) as folder, _bar(path, progress) as bar:
        fetched = pooch.retrieve(
            url,
            known_hash=None,
            fname=path.name,
            path=folder,
            downloader=pooch.HTTPDownloader(progressbar=bar),
        )
        if not _is_known(Path(fetched), digest):
            raise ValueError(
                f"{url} must have the known pixels; found others; "
                "try again later, or pass url= with another mirror"
            )
        Path(fetched).replace(path)


class _Bar:
    """What pooch calls while it downloads, shown by rich."""

    def __init__(self, progress: Any, task: Any) -> None:
        self._progress, self._task = progress, task
        self.total: int | None = None

    def update(self, step: int) -> None:
        self._progress.update(self._task, total=self.total, advance=step)

    def reset(self) -> None:
        self._progress.reset(self._task, total=self.total)

    def close(self) -> None:
        self._progress.stop_task(self._task)


@contextmanager
def _bar(path: Path, wanted: bool) -> Iterator[_Bar | bool]:
    if not wanted:
        yield False
        return
    console = optional_import("rich.console", purpose="a progress bar").Console(stderr=True)
    progress = optional_import("rich.progress", purpose="a progress bar").Progress(console=console)
    with progress:
        yield _Bar(progress, progress.add_task(f"{path.parent.name}/{path.name}", total=None))
