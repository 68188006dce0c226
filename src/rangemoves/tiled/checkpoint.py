"""A run that can be taken up again after it was killed at any moment, with the same end.

The folder is a zarr group. ``labels`` has the labelling after the last finished stage (all tiles of
a colour, or of a pass), ``state.json`` what else is known then, and ``messages.npz`` the border
messages. What single tiles of the next stage have brought waits in ``tiles/`` until all are there,
and only then goes into the labels: a tile never sees half a stage. Every file appears whole or not
at all, and putting finished tiles into the labels a second time changes nothing.
"""

from __future__ import annotations

import io
import itertools
import json
import os
import re
import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .._optional import optional_import
from ..errors import describe
from ..io import write_atomically
from ..io.arrays import read_npz
from ..labellings import LEFT_OUT
from .lock import NAME as LOCK
from .lock import FolderLock
from .work import Outcome

__all__ = ["NOT_SHOWN", "Checkpoint", "labels_in_zarr", "open_zarr_labels", "was_begun"]

Array = npt.NDArray[Any]

FORMAT = 2

# The setting that is a fingerprint.
NOT_SHOWN = "costs, weights or mask"


def open_zarr_labels(
    path: str | os.PathLike[str], shape: Sequence[int], chunks: Sequence[int]
) -> Any:
    """Create a zarr array for labels; nothing may be there yet."""
    zarr = optional_import("zarr", purpose="writing labels to zarr", extra="distributed")
    return zarr.create_array(
        store=os.fspath(path),
        shape=tuple(shape),
        chunks=tuple(chunks),
        dtype="int32",
        fill_value=0,
    )


def labels_in_zarr(path: str | os.PathLike[str]) -> Any:
    """Return the array of labels that a run before has left there, or None for anything else."""
    zarr = optional_import("zarr", purpose="writing labels to zarr", extra="distributed")
    try:
        found = zarr.open_array(store=os.fspath(path), mode="r+")
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if found.dtype == np.int32 else None


def was_begun(checkpoint: str | os.PathLike[str]) -> bool:
    """Return whether there is a run to be taken up."""
    return (Path(checkpoint) / "state.json").exists()


class Checkpoint:
    """What a run leaves on the disk.

    Parameters
    ----------
    path : path-like
        The folder; made where it is missing.
    settings : dict
        All that the labels depend on: a run that was begun with others is refused.
    chunks : sequence of int
        How labels are stored.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        settings: dict[str, Any],
        shape: Sequence[int],
        chunks: Sequence[int],
    ) -> None:
        self._zarr = optional_import("zarr", purpose="checkpoint=", extra="distributed")
        self._folder = Path(path)
        self._tiles = self._folder / "tiles"
        self._settings: dict[str, Any] = json.loads(json.dumps(settings))
        self._refuse_strangers()
        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            self._lock = FolderLock(self._folder)
        except BlockingIOError:
            raise ValueError(
                f"checkpoint must be of one run at a time; found {self._folder} in use by another; "
                "wait for it, or choose another name"
            ) from None
        try:
            self._open(shape, chunks)
        except BaseException:
            self.close()
            raise

    def _open(self, shape: Sequence[int], chunks: Sequence[int]) -> None:
        begun = self._read_state()
        if begun is None:
            # What a run that was killed while it was made has left.
            for part in ("labels", "tiles"):
                shutil.rmtree(self._folder / part, ignore_errors=True)
            (self._folder / "zarr.json").unlink(missing_ok=True)
            self._zarr.create_group(store=self._folder)
            open_zarr_labels(self._folder / "labels", shape, chunks)
            self.keep_state({})
        else:
            self.state: dict[str, Any] = begun
        self._tiles.mkdir(exist_ok=True)
        found = labels_in_zarr(self._folder / "labels")
        if found is None or found.shape != tuple(shape):
            raise self._damaged("labels")
        if begun is not None:
            self._check_labels(found)
        self.labels: Any = found

    def _check_labels(self, labels: Any) -> None:
        """Look at what a run before has left before anything is built on it."""
        most = self._settings.get("shape", [2**31])[-1]
        starts = (range(0, n, side) for n, side in zip(labels.shape, labels.chunks, strict=True))
        for corner in itertools.product(*starts):
            box = tuple(slice(a, a + n) for a, n in zip(corner, labels.chunks, strict=True))
            try:
                part = np.asarray(labels[box])
            except (*_DAMAGE, RuntimeError, TypeError) as error:
                raise self._damaged("labels") from error
            if part.min() < LEFT_OUT or part.max() >= most:
                raise self._damaged("labels")

    def close(self) -> None:
        """Let another run have the folder."""
        self._lock.close()

    def _damaged(self, part: str) -> ValueError:
        return ValueError(
            f"checkpoint {self._folder} must be whole; found its {part} missing or damaged; delete "
            "it to begin again"
        )

    def _refuse_strangers(self) -> None:
        """A folder with anything but a run that was killed while it was made is not ours."""
        if not self._folder.exists() or was_begun(self._folder):
            return
        if not self._folder.is_dir():
            raise ValueError(
                f"checkpoint must be a folder; found a file {self._folder}; choose another name"
            )
        known = {"zarr.json", "labels", "tiles", LOCK}
        others = [
            part.name
            for part in self._folder.iterdir()
            if part.name not in known and not part.name.startswith(".writing-")
        ]
        if others:
            raise ValueError(
                f"checkpoint must be a new folder or one of a run before; found {others[0]!r} in "
                f"{self._folder}; choose another name"
            )

    def _read_state(self) -> dict[str, Any] | None:
        try:
            stored = json.loads((self._folder / "state.json").read_bytes())
            state, begun_with = dict(stored["state"]), dict(stored["settings"])
            begun_with["format"] = stored["format"]
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"checkpoint {self._folder} must be of a run of tiles; found other content in "
                f"state.json ({error}); choose another name"
            ) from error
        for name, value in {"format": FORMAT, **self._settings}.items():
            before = begun_with.get(name)
            if before == value:
                continue
            # Of numbers that were too many to keep there is nothing to show.
            what = (
                f"other {name} than now"
                if name == NOT_SHOWN
                else (f"{name} = {describe(before)}; found {describe(value)} now")
            )
            raise ValueError(
                f"checkpoint {self._folder} was begun with {what}; use the same, or another "
                "checkpoint"
            )
        return state

    def finished_tiles(self, stage: int) -> list[int]:
        """Return the tiles of a stage that were done before the run was broken off."""
        found = []
        for path in list(self._tiles.iterdir()):
            name = re.fullmatch(rf"{stage}-(\d+)\.npz", path.name)
            if name is not None and _is_whole(path):
                found.append(int(name[1]))
            elif path.is_file():
                path.unlink()  # of a stage that is over, or half written
        return sorted(found)

    def tile(self, stage: int, number: int) -> Outcome:
        """Return what a tile of a stage has brought."""
        return _unpacked(self._tiles / f"{stage}-{number}.npz")

    def keep_tile(self, stage: int, number: int, outcome: Outcome) -> None:
        """Store what a tile has brought."""
        write_atomically(self._tiles / f"{stage}-{number}.npz", _packed(outcome))

    def keep_messages(self, rows: Sequence[Array], stage: int) -> None:
        """Store border messages, for the state that follows."""
        named = {f"rows{k}": part for k, part in enumerate(rows)}
        write_atomically(self._folder / f"messages-{stage}.npz", _packed(named))

    def messages(self, stage: int) -> list[Array]:
        """Return border messages as they were stored at a stage."""
        try:
            stored = _unpacked(self._folder / f"messages-{stage}.npz")
            return [stored[f"rows{k}"] for k in range(len(stored))]
        except _DAMAGE as error:
            raise self._damaged("messages") from error

    def keep_state(self, state: dict[str, Any]) -> None:
        """Store that a stage is over. Its tiles are no longer needed then."""
        self.state = state
        stored = {"format": FORMAT, "settings": self._settings, "state": state}
        write_atomically(self._folder / "state.json", json.dumps(stored).encode())
        shutil.rmtree(self._tiles, ignore_errors=True)
        self._tiles.mkdir(exist_ok=True)
        for path in self._folder.glob("messages-*.npz"):
            if path.name != f"messages-{state.get('messages')}.npz":
                path.unlink(missing_ok=True)


# What reading half a file can end with.
_DAMAGE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile)


def _is_whole(path: Path) -> bool:
    try:
        _unpacked(path)
    except _DAMAGE:
        return False
    return True


def _packed(outcome: Outcome) -> bytes:
    stored = io.BytesIO()
    np.savez(stored, **outcome)
    return stored.getvalue()


def _unpacked(path: Path) -> Outcome:
    stored = read_npz(path, "a part of a checkpoint")
    return {name: part.item() if part.ndim == 0 else part for name, part in stored.items()}
