"""A problem in a file: the arrays of an .npz that state an energy."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..energy import Energy
from ..io.arrays import read_npz
from ..priors import Prior, TablePrior, prior_by_name

Arrays = dict[str, npt.NDArray[Any]]


def read_problem(path: Path) -> Arrays:
    """Return all arrays of a problem's file."""
    return read_npz(path, "an .npz file of plain arrays")


def energy_of(arrays: Arrays) -> Energy:
    """Return the energy that the arrays of a file state, or say what is wrong with them."""
    known = (
        r"unary|prior|threshold|table(_\d+)?|(weights|offsets|prior_index)(_\d+)?|edges|"
        r"connectivity|mask|init"
    )
    unknown = [name for name in arrays if not re.fullmatch(known, name)]
    if unknown:
        raise ValueError(
            f"the problem has an entry {unknown[0]!r} that means nothing; expected unary, prior, "
            "threshold, table, weights, weights_0, weights_1, .., offsets, prior_index, edges, "
            "connectivity, mask, init"
        )
    for name in ("unary", "prior"):
        if name not in arrays:
            found = ", ".join(sorted(arrays)) or "nothing"
            raise ValueError(f"the problem must have an entry {name!r}; found {found}")
    return Energy(
        arrays["unary"],
        _prior(arrays),
        _per_axis(arrays, "weights", 1),
        prior_index=_per_axis(arrays, "prior_index", None),
        offsets=_per_axis(arrays, "offsets", None),
        mask=arrays.get("mask"),
        edges=arrays.get("edges"),
        connectivity=_single(arrays, "connectivity", "iu", "an integer"),
        copy=False,
    )


def _prior(arrays: Arrays) -> Prior | list[Prior]:
    if arrays["prior"].ndim == 1:
        return _priors(arrays)
    name = _single(arrays, "prior", "U", "the name of a prior")
    if name == "table":
        if "table" not in arrays:
            raise ValueError("a problem with prior 'table' must have its values in 'table'")
        return TablePrior(arrays["table"])
    return prior_by_name(name, _single(arrays, "threshold", "iuf", "a number"))


def _priors(arrays: Arrays) -> list[Prior]:
    """Several priors: a row of names, and a row of thresholds with NaN for those without."""
    names = arrays["prior"]
    thresholds = arrays.get("threshold", np.full(names.shape, np.nan))
    if names.dtype.kind != "U" or thresholds.shape != names.shape or names.size == 0:
        raise ValueError(
            "'prior' and 'threshold' of the problem must be rows of as many names and numbers; "
            f"found {names.dtype} of shape {names.shape} and {thresholds.dtype} of shape "
            f"{thresholds.shape}"
        )
    if thresholds.dtype.kind not in "iuf":
        raise ValueError(f"'threshold' of the problem must be numbers; found {thresholds.dtype}")
    priors: list[Prior] = []
    for k, (name, threshold) in enumerate(zip(names.tolist(), thresholds.tolist(), strict=True)):
        if name != "table":
            priors.append(prior_by_name(name, None if np.isnan(threshold) else threshold))
        elif f"table_{k}" in arrays:
            priors.append(TablePrior(arrays[f"table_{k}"]))
        else:
            raise ValueError(f"a problem whose prior {k} is 'table' must have 'table_{k}'")
    return priors


def _single(arrays: Arrays, name: str, kinds: str, what: str) -> Any:
    """Return an entry that is one value, or None where there is none."""
    if name not in arrays:
        return None
    entry = arrays[name]
    if entry.ndim != 0 or entry.dtype.kind not in kinds:
        raise ValueError(
            f"{name!r} of the problem must be {what}; found {entry.dtype} of shape {entry.shape}; "
            "store a single value"
        )
    return entry.item()


def _per_axis(arrays: Arrays, name: str, default: Any) -> Any:
    """Return an entry that is one array, or one per axis."""
    per_axis = [entry for entry in arrays if re.fullmatch(rf"{name}_\d+", entry)]
    if not per_axis:
        return arrays.get(name, default)
    expected = [f"{name}_{axis}" for axis in range(len(per_axis))]
    if name in arrays or sorted(per_axis) != sorted(expected):
        raise ValueError(
            f"the problem must have either {name} or {name}_0, {name}_1, ..; found "
            + ", ".join(sorted(entry for entry in arrays if entry.startswith(name)))
        )
    return [arrays[entry] for entry in expected]
