"""Where costs and weights come from, box by box: arrays of any kind, or functions of a box."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import as_integer, describe, refuse_masked
from .layouts import Box, box_name, extent

__all__ = ["Reader", "Weights", "first_pixels", "open_costs", "open_mask", "open_weights"]

Array = npt.NDArray[Any]
Step = tuple[int, ...]


@dataclass(frozen=True)
class Reader:
    """Something that gives an array for a box.

    Attributes
    ----------
    name : str
        The argument it was, for messages.
    shape : tuple of int
        Of the whole array; boxes are about its first axes.
    content : object
        An array of any kind, or a function of a box.
    """

    name: str
    shape: tuple[int, ...]
    content: Any

    def read(self, box: Box) -> Array:
        """Return the part in a box, as a plain array, or say what came instead."""
        try:
            found = self.content(box) if callable(self.content) else _sliced(self.content, box)
        except Exception as error:
            if hasattr(error, "add_note"):  # since Python 3.11
                error.add_note(f"{self.name} was asked for the box {box_name(box)}")
            raise
        refuse_masked(found, self.name, "pass mask= to leave pixels out")
        part = np.asarray(found)
        expected = extent(box) + self.shape[len(box) :]
        if part.shape != expected:
            raise ValueError(
                f"{self.name} must give shape {expected} for the box {box_name(box)}; "
                f"found {part.shape}"
            )
        return part

    def __getstate__(self) -> dict[str, Any]:
        # A memory map travels as the name of its file: pickled it would be the whole array.
        content: Any = self.content
        if isinstance(content, np.memmap) and content.filename is not None:
            content = _MapOfFile.of(content)
        return {"name": self.name, "shape": self.shape, "content": content}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if isinstance(state["content"], _MapOfFile):
            state["content"] = state["content"].open()
        self.__dict__.update(state)


@dataclass(frozen=True)
class _MapOfFile:
    """A memory map, by the name of its file."""

    file: str
    dtype: np.dtype[Any]
    offset: int
    shape: tuple[int, ...]
    order: str

    @classmethod
    def of(cls, mapped: np.memmap[Any, Any]) -> _MapOfFile:
        order = "C" if mapped.flags.c_contiguous else "F"
        start = mapped.__array_interface__["data"][0]
        base: Any = mapped
        while isinstance(base.base, np.memmap):
            base = base.base
        offset = mapped.offset + start - base.__array_interface__["data"][0]
        if not (mapped.flags.c_contiguous or mapped.flags.f_contiguous):
            raise ValueError(
                "a memory map for workers must be a whole array; found a part with gaps; "
                "pass the whole map, or a function of a box"
            )
        return cls(os.fspath(mapped.filename or ""), mapped.dtype, offset, mapped.shape, order)

    def open(self) -> Array:
        return np.memmap(
            self.file,
            self.dtype,
            "r",
            self.offset,
            self.shape,
            "C" if self.order == "C" else "F",
        )


def _sliced(array: Any, box: Box) -> Any:
    part = array[box]
    if hasattr(part, "compute"):
        # Boxes are read by several threads or workers already.
        part = part.compute(scheduler="synchronous")
    return part


class _OnDisk:
    """A DataArray of a file that has not been read: its own ``data`` would read all of it."""

    def __init__(self, array: Any) -> None:
        self._array = array
        self.shape, self.dtype = tuple(array.shape), array.dtype

    def __getitem__(self, box: Box) -> Array:
        return np.asarray(self._array[box].values)


def _content_of(array: Any) -> Any:
    """What a DataArray holds: an array in memory, a dask array, or a part of a file."""
    in_memory = isinstance(getattr(array.variable, "_data", None), np.ndarray)
    return array.data if in_memory or array.chunks is not None else _OnDisk(array)


def _plain(source: Any, name: str) -> Any:
    """An object with shape, dtype and boxes, or an array made of what was given."""
    if hasattr(source, "dims") and hasattr(source, "variable"):
        source = _content_of(source)
    refuse_masked(source, name, "pass mask= to leave pixels out")
    if all(hasattr(source, part) for part in ("shape", "dtype", "__getitem__")):
        return source
    if source is None or isinstance(source, (str, os.PathLike)) or hasattr(source, "keys"):
        raise TypeError(
            f"{name} must be an array or a function of a box; found {describe(source)}; open files "
            "first, and of a group or Dataset pass one of its arrays"
        )
    try:
        return np.asarray(source)
    except ValueError as error:
        raise ValueError(f"{name} must be an array; found {describe(source)}") from error


def open_costs(source: Any, shape: Any) -> Reader:
    """Return what reads the costs, or say what is wrong with them."""
    if callable(source) and not hasattr(source, "dtype"):
        if shape is None:
            raise ValueError(
                "shape must be the whole (H, W, L) where source is a function; found None"
            )
        sides = tuple(shape) if isinstance(shape, (tuple, list, np.ndarray)) else ()
        whole = tuple(as_integer(side, "shape", minimum=1) for side in sides)
        return Reader("source", _grid_of_labels(whole), source)
    array = _plain(source, "source")
    if np.dtype(array.dtype).kind not in "biuf":
        raise TypeError(f"source must be real numbers; found dtype {array.dtype}")
    if any(side != side for side in array.shape):
        raise ValueError(
            f"source must have a known shape; found {tuple(array.shape)}; call its "
            "compute_chunk_sizes() first"
        )
    whole = _grid_of_labels(tuple(int(side) for side in array.shape))
    if shape is not None and tuple(shape) != whole:
        raise ValueError(f"shape must be that of source, {whole}; found {shape}; leave it out")
    return Reader("source", whole, array)


def _grid_of_labels(shape: tuple[int, ...]) -> tuple[int, ...]:
    if len(shape) < 3 or math.prod(shape) == 0:
        raise ValueError(
            "source must have shape (H, W, L) or (D, H, W, L) with a pixel and a label; "
            f"found {shape}"
        )
    return shape


def open_mask(mask: Any, shape: tuple[int, ...]) -> Reader | None:
    """Return what reads the mask, or None where there is none."""
    if mask is None:
        return None
    if callable(mask) and not hasattr(mask, "dtype"):
        return Reader("mask", shape, mask)
    array = _plain(mask, "mask")
    if np.dtype(array.dtype) != np.bool_:
        raise TypeError(
            f"mask must be booleans, True where a pixel takes part; found dtype {array.dtype}"
        )
    if tuple(array.shape) != shape:
        raise ValueError(f"mask must have the shape of a labelling, {shape}; found {array.shape}")
    return Reader("mask", shape, array)


def first_pixels(box: Box, step: Step, shape: Sequence[int]) -> Box:
    """Return the pixels of a box from which a step stays in the grid.

    Examples
    --------
    >>> from rangemoves.tiled.sources import first_pixels
    >>> first_pixels((slice(0, 4), slice(0, 4)), (1, -1), (4, 9))
    (slice(0, 3, None), slice(1, 4, None))
    """
    pixels = []
    for part, along, length in zip(box, step, shape, strict=True):
        low = max(part.start, -along)
        pixels.append(slice(low, max(low, min(part.stop, length - along))))
    return tuple(pixels)


@dataclass(frozen=True)
class Weights:
    """The weights of a grid's edges.

    Attributes
    ----------
    shape : tuple of int
        Of the grid.
    steps : tuple
        From the first pixel of an edge to its second: one per axis, then diagonals.
    content : object
        A function of a box; or per step a number or something that reads boxes.
    """

    shape: tuple[int, ...]
    steps: tuple[Step, ...]
    content: Callable[[Box], Any] | tuple[float | Reader, ...]

    def read(self, box: Box) -> list[Array]:
        """Return, per step, the weights of the edges whose first pixel lies in a box."""
        if callable(self.content):
            pixels = [first_pixels(box, step, self.shape) for step in self.steps]
            return self._of_function(self.content(box), box, [extent(one) for one in pixels])
        found: list[Array] = []
        for place, part in zip(self.places(box), self.content, strict=True):
            if isinstance(part, Reader):
                found.append(part.read(place))
            else:
                found.append(np.broadcast_to(np.float64(part), extent(place)))
        return found

    def places(self, box: Box) -> list[Box]:
        """Return, per step, where in an array of weights those of a box are."""
        found = []
        for step in self.steps:
            pixels = first_pixels(box, step, self.shape)
            # It begins at the first pixel from which the step is possible.
            first = [max(0, -along) for along in step]
            parts = zip(pixels, first, strict=True)
            found.append(tuple(slice(p.start - low, p.stop - low) for p, low in parts))
        return found

    def _of_function(self, given: Any, box: Box, expected: list[tuple[int, ...]]) -> list[Array]:
        if not isinstance(given, (list, tuple)) or len(given) != len(expected):
            raise ValueError(
                f"weights must give {len(expected)} arrays of shapes {expected} for the box "
                f"{box_name(box)}; found {describe(given)}"
            )
        arrays: list[Array] = []
        for k, (one, sides) in enumerate(zip(given, expected, strict=True)):
            array = np.asarray(one)
            if array.shape != sides:
                raise ValueError(
                    f"weights must give shape {sides} in place {k}, one per edge whose first pixel "
                    f"lies in the box {box_name(box)}; found {array.shape}"
                )
            arrays.append(array)
        return arrays


def open_weights(weights: Any, shape: tuple[int, ...], steps: Sequence[Step]) -> Weights:
    """Return what reads the weights, or say what is wrong with them."""
    steps = tuple(steps)
    if callable(weights) and not hasattr(weights, "dtype"):
        return Weights(shape, steps, weights)
    sizes = [tuple(n - abs(d) for n, d in zip(shape, step, strict=True)) for step in steps]
    if not isinstance(weights, (list, tuple)):
        return Weights(shape, steps, (_weight(weights, "weights", sizes),) * len(steps))
    if len(weights) != len(steps):
        raise ValueError(
            f"weights must be a number, a function of a box, or {len(steps)} arrays of shapes "
            f"{sizes}; found {len(weights)} arrays"
        )
    parts: list[float | Reader] = []
    for k, (one, size) in enumerate(zip(weights, sizes, strict=True)):
        if np.ndim(one) == 0 and not hasattr(one, "dims"):
            parts.append(_weight(one, f"weights[{k}]", sizes))
            continue
        array = _plain(one, f"weights[{k}]")
        if tuple(array.shape) != size:
            raise ValueError(
                f"weights[{k}] must have shape {size}, one per edge in that direction; "
                f"found {array.shape}"
            )
        parts.append(Reader(f"weights[{k}]", size, array))
    return Weights(shape, steps, tuple(parts))


def _weight(given: Any, name: str, sizes: list[tuple[int, ...]]) -> float:
    refuse_masked(given, name, "use .filled(0) to leave edges out")
    if np.ndim(given) != 0 or np.asarray(given).dtype.kind not in "biuf":
        raise ValueError(
            f"{name} must be a number, a function of a box, or {len(sizes)} arrays of shapes "
            f"{sizes}; found {describe(given)}"
        )
    weight = float(np.asarray(given))
    if not (math.isfinite(weight) and weight >= 0):
        raise ValueError(f"{name} must be finite and >= 0; found {weight}")
    return weight
