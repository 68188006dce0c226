"""A problem in a zarr group, solved tile by tile: nothing of it is read as a whole."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .._optional import optional_import
from ..priors import Prior, TablePrior, prior_by_name
from ..result import Result, TraceRecord
from ._tiling import Tiling

__all__ = ["solve_zarr"]

_ARRAYS = ("unary", "weights_0", "weights_1", "weights_2", "mask", "table")
_ATTRIBUTES = ("prior", "threshold", "weights", "connectivity")


def solve_zarr(
    path: Path,
    method: str,
    tiling: Tiling,
    output: Path,
    callback: Callable[[TraceRecord], bool],
    **limits: Any,
) -> Result:
    """Minimise the energy in a zarr group.

    Parameters
    ----------
    path : Path
        The group.
    method : str
        What moves tiles.
    tiling : Tiling
        How it is cut.
    output : Path
        A name that ends in .zarr gets the labels chunk by chunk.
    callback : callable
        Sees each record.
    **limits
        ``time_limit``, ``threads`` and ``seed``.

    Returns
    -------
    Result
    """
    from .. import tiled

    group = _open(path)
    prior, weights = _prior(group), _weights(group)
    if output.suffix == ".zarr" and output.exists() and not tiling.goes_on(output):
        _remove_labels(output)
    with tiling.arguments(output) as how:
        return tiled.minimize(
            group["unary"],
            prior,
            weights,
            method,
            connectivity=_attribute(group, "connectivity", int, None),
            mask=group.get("mask"),
            out=output if output.suffix == ".zarr" else None,
            callback=callback,
            **{**how, "tiles": how["tiles"] or "auto"},
            **limits,
        )


def _remove_labels(output: Path) -> None:
    """Make room for new labels, where the caller has said so, in place of old ones."""
    from ..tiled.checkpoint import labels_in_zarr

    if labels_in_zarr(output) is None:
        raise ValueError(
            f"{output} must be a zarr array of labels to be replaced; found something else; choose "
            "another name"
        )
    shutil.rmtree(output)


def _open(path: Path) -> Any:
    zarr = optional_import("zarr", purpose="a problem in zarr", extra="distributed")
    try:
        group = zarr.open_group(store=path, mode="r")
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(
            f"{path} must be a zarr group with an array 'unary'; found none: {error}"
        ) from None
    names = sorted(group.array_keys())
    unknown = [name for name in names if name not in _ARRAYS]
    unknown += [name for name in group.attrs if name not in _ATTRIBUTES]
    if unknown:
        raise ValueError(
            f"the problem has an entry {unknown[0]!r} that means nothing; expected arrays "
            f"{', '.join(_ARRAYS)} and attributes {', '.join(_ATTRIBUTES)}"
        )
    if "unary" not in names or "prior" not in group.attrs:
        found = ", ".join([*names, *group.attrs]) or "nothing"
        raise ValueError(
            f"the problem must have an array 'unary' and an attribute 'prior'; found {found}"
        )
    return group


def _attribute(group: Any, name: str, kind: Any, default: Any) -> Any:
    value = group.attrs.get(name, default)
    if value is not default and (not isinstance(value, kind) or isinstance(value, bool)):
        raise ValueError(f"attribute {name!r} of the problem must be a number; found {value!r}")
    return value


def _prior(group: Any) -> Prior:
    name = group.attrs["prior"]
    if name == "table":
        if "table" not in group:
            raise ValueError("a problem with prior 'table' must have its values in 'table'")
        return TablePrior(np.asarray(group["table"][...]))
    return prior_by_name(name, _attribute(group, "threshold", (int, float), None))


def _weights(group: Any) -> Any:
    per_axis = [name for name in group.array_keys() if name.startswith("weights_")]
    if not per_axis:
        return _attribute(group, "weights", (int, float), 1)
    expected = [f"weights_{axis}" for axis in range(len(per_axis))]
    if sorted(per_axis) != expected or "weights" in group.attrs:
        raise ValueError(
            "the problem must have either weights or weights_0, weights_1, ..; found "
            + ", ".join(sorted(per_axis))
        )
    return [group[name] for name in expected]
