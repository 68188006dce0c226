"""The part of a masked energy that solvers need to see: the smallest box around what takes part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from .energy import Energy

__all__ = ["crop"]

Labels = npt.NDArray[np.int32]


def crop(energy: Energy) -> Energy:
    """Return the energy on the smallest box that holds all that takes part.

    Parameters
    ----------
    energy : Energy
        Any energy; without a mask, or where the box is all there is, it comes back as it is.

    Returns
    -------
    Energy
        Its variables are those of the box; what it shows is the whole.
    """
    if energy.mask is None:
        return energy
    box = []
    for axis in range(energy.mask.ndim):
        others = tuple(a for a in range(energy.mask.ndim) if a != axis)
        some = np.flatnonzero(energy.mask.any(axis=others))
        box.append(slice(int(some[0]), int(some[-1]) + 1))
    if all(part.stop - part.start == n for part, n in zip(box, energy.shape, strict=True)):
        return energy
    return _Cropped(energy, tuple(box))


class _Cropped(Energy):
    """A box of another energy, which evaluates and shows the whole."""

    def __init__(self, whole: Energy, box: tuple[slice, ...]) -> None:
        self.__dict__.update(whole.__dict__)
        self.__dict__.pop("_topology", None)  # that of the whole
        assert whole.mask is not None
        self._whole, self._box = whole, box
        self._shape = tuple(part.stop - part.start for part in box)
        mask = np.array(whole.mask[box])
        mask.setflags(write=False)
        self._mask = None if mask.all() else mask
        rows = np.ascontiguousarray(whole.unary[box]).reshape(-1, whole.num_labels)
        rows.setflags(write=False)
        self._rows = rows
        place = np.full(whole.shape, -1, dtype=np.int32)
        place[box] = np.arange(mask.size, dtype=np.int32).reshape(self._shape)
        flat = place.reshape(-1)
        edges = whole._neighbourhood
        is_grid = len(self._shape) > 1
        self._neighbourhood = replace(
            edges,
            tail=flat[edges.tail],
            head=flat[edges.head],
            row=self._shape[-1] if is_grid else edges.row,
        )

    def shown_labels(self, flat: Labels) -> Labels:
        return self._whole.shown_labels(self._expanded(flat))

    def shown_rows(self, rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        whole = np.full((*self._whole.shape, self.num_labels), np.nan)
        whole[self._box] = super().shown_rows(rows)
        return whole

    def flat_labels(self, labels: npt.ArrayLike, name: str = "labels") -> Labels:
        whole = self._whole.check_labels(labels, name)
        return self._cut(whole)

    def callers_variables(self, flat: Labels) -> Labels:
        numbers = np.arange(self._whole.num_variables, dtype=np.int32).reshape(self._whole.shape)
        return np.asarray(numbers[self._box].reshape(-1)[flat])

    def place(self, flat: int) -> tuple[int, ...]:
        inside = super().place(flat)
        return tuple(k + part.start for k, part in zip(inside, self._box, strict=True))

    def _evaluate(self, flat: Labels) -> float:
        # In the order of the whole: sums of floats depend on it.
        return self._whole._evaluate(self._expanded(flat))

    def _cut(self, whole: Labels) -> Labels:
        return np.ascontiguousarray(whole.reshape(self._whole.shape)[self._box]).reshape(-1)

    def _expanded(self, flat: Labels) -> Labels:
        labels = np.zeros(self._whole.shape, dtype=np.int32)
        labels[self._box] = flat.reshape(self._shape)
        return labels.reshape(-1)
