"""The options of commands that can work tile by tile, and what they mean."""

from __future__ import annotations

import inspect
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from .._optional import optional_import
from ._tabled import Command, in_place_of, option

__all__ = ["Tiling", "takes_tiling"]


@dataclass(frozen=True)
class Tiling:
    """What was asked for.

    Attributes
    ----------
    tiles : str, tuple of int or None
        "auto", sides in pixels, or None where the whole is solved at once.
    resume : bool
        Whether a run leaves a checkpoint beside its output, and takes up one that is there.
    scheduler : str or None
        The address of a Dask scheduler whose workers do the tiles.
    """

    tiles: str | tuple[int, ...] | None
    resume: bool
    scheduler: str | None

    def __bool__(self) -> bool:
        return self.tiles is not None

    def checkpoint(self, output: Path) -> Path | None:
        """Where a run with this output leaves its checkpoint."""
        return output.with_name(f"{output.name}.checkpoint") if self.resume else None

    def goes_on(self, output: Path) -> bool:
        """Whether there is a run to be taken up."""
        folder = self.checkpoint(output)
        return folder is not None and folder.exists()

    def forget(self, output: Path) -> None:
        """Remove the checkpoint of a run that has come to its end."""
        folder = self.checkpoint(output)
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def arguments(self, output: Path) -> Iterator[dict[str, Any]]:
        """What :func:`rangemoves.tiled.minimize` is to be called with."""
        how = {"tiles": self.tiles, "checkpoint": self.checkpoint(output)}
        with connected(self.scheduler) as client:
            yield {**how, "client": client}


@contextmanager
def connected(scheduler: str | None) -> Iterator[Any]:
    """Give a client of a Dask scheduler, or None without one; closed at the end."""
    if scheduler is None:
        yield None
        return
    distributed = optional_import("distributed", purpose="--scheduler", extra="distributed")
    try:
        client = distributed.Client(scheduler, timeout=10, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise typer.BadParameter(
            f"no Dask scheduler answers at {scheduler!r}: {error}", param_hint="--scheduler"
        ) from None
    with client:
        yield client


def takes_tiling(command: Command) -> Command:
    """Give a command the options below in place of its parameter ``tiling``."""
    return in_place_of("tiling", list(_options()), _tiling)(command)


def _options() -> Iterator[inspect.Parameter]:
    yield option(
        "tiles",
        str | None,
        None,
        "Work tile by tile, so that the costs need not fit in memory: auto, or sides as 256x256.",
    )
    yield option(
        "resume",
        bool,
        False,
        "With tiles: keep a checkpoint beside the output until the run is over, and go on from it.",
    )
    yield option(
        "scheduler", str | None, None, "With tiles: address of a Dask scheduler for the work."
    )


def _tiling(tiles: str | None, resume: bool, scheduler: str | None) -> Tiling:
    if tiles is None:
        # Both mean nothing else.
        asked = "auto" if resume or scheduler is not None else None
        return Tiling(asked, resume, scheduler)
    if tiles == "auto":
        return Tiling("auto", resume, scheduler)
    if not re.fullmatch(r"[1-9]\d*(x[1-9]\d*)+", tiles):
        raise typer.BadParameter(
            f"found {tiles!r}; pass auto, or sides such as 256x256", param_hint="--tiles"
        )
    return Tiling(tuple(int(side) for side in tiles.split("x")), resume, scheduler)
