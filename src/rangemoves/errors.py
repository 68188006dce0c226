"""What goes wrong, in words: each message names the argument, what was expected and what was found.

Bad values raise ValueError, wrong types TypeError, sums that cannot fit OverflowError and a lack of
memory MemoryError. Of our own are the exceptions :class:`Interrupted` and :class:`BackendError`
and the warning :class:`PrecisionWarning`.
"""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .result import Result

__all__ = ["BackendError", "Interrupted", "PrecisionWarning"]

_MOST_AXES = 64  # of an array, as NumPy counts them: lists go no deeper


class PrecisionWarning(UserWarning):
    """Costs differ so much in size that rounding them together loses the smaller ones.

    Examples
    --------
    >>> import rangemoves as rm
    >>> issubclass(rm.PrecisionWarning, UserWarning)
    True
    """


class BackendError(RuntimeError):
    """The asked-for device is not there, or it failed.

    Examples
    --------
    >>> import rangemoves as rm
    >>> issubclass(rm.BackendError, RuntimeError)
    True
    """


class Interrupted(KeyboardInterrupt):
    """Ctrl-C arrived during a minimisation; the best labelling so far is kept.

    Attributes
    ----------
    result : Result
        What the run had reached, with ``status="interrupted"``.
    results : list of Result
        Of a batch: what each run had reached, in the order of the energies. Else that one alone.

    Examples
    --------
    >>> import rangemoves as rm
    >>> issubclass(rm.Interrupted, KeyboardInterrupt)
    True
    """

    def __init__(self, result: Result, results: list[Result] | None = None) -> None:
        super().__init__(
            f"interrupted after {result.iterations} iterations at energy {result.energy:g}; "
            "the labelling so far is in .result"
        )
        self.result = result
        self.results = [result] if results is None else results

    def __reduce__(self) -> tuple[type[Interrupted], tuple[Result, list[Result]]]:
        return type(self), (self.result, self.results)


def refuse_masked(value: object, name: str, advice: str) -> None:
    """Raise TypeError for a masked array, or lists of them: NumPy would drop the masks."""
    if _has_mask(value):
        raise TypeError(
            f"{name} must be a plain array; found a masked one, whose mask would be lost; {advice}"
        )


def _has_mask(value: object, depth: int = 0) -> bool:
    if isinstance(value, list | tuple) and depth < _MOST_AXES:
        return any(_has_mask(part, depth + 1) for part in value)
    return isinstance(value, np.ma.MaskedArray)


def describe(value: object) -> str:
    """Name a value found where another was expected, short enough for one line."""
    text = repr(value)
    if len(text) > 60:
        text = text[:57] + "..."
    return f"{text} ({type(value).__name__})"


def as_integer(
    value: Any,
    name: str,
    *,
    minimum: int | None = None,
    maximum: int | None = None,
    advice: str = "",
) -> int:
    """Return ``value`` as an int, or say why it is none."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise TypeError(f"{name} must be an integer; found {describe(value)}{_then(advice)}")
    if minimum is not None and number < minimum:
        raise ValueError(f"{name} must be at least {minimum}; found {number}{_then(advice)}")
    if maximum is not None and number > maximum:
        raise ValueError(f"{name} must be at most {maximum}; found {number}{_then(advice)}")
    return number


def as_real(value: Any, name: str, *, positive: bool = False, advice: str = "") -> float:
    """Return ``value`` as a finite float, or say why it is none."""
    # NumPy's own scalars register as Real; its 0-d arrays do not, and are not asked for.
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a real number; found {describe(value)}{_then(advice)}")
    try:
        number = float(value)
    except OverflowError:  # an integer beyond float64
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite; found {number}{_then(advice)}")
    if positive and number <= 0:
        raise ValueError(f"{name} must be greater than 0; found {number:g}{_then(advice)}")
    return number


def as_flag(value: Any, name: str) -> bool:
    """Return ``value`` if it is True or False, or say that it is neither."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False; found {describe(value)}")
    return bool(value)


def as_choice(value: Any, name: str, choices: Iterable[str]) -> str:
    """Return ``value`` if it is one of the given words, or list them."""
    words = list(choices)
    listed = ", ".join(repr(word) for word in words)
    if not isinstance(value, str):
        raise TypeError(f"{name} must be one of {listed}; found {describe(value)}")
    if value not in words:
        raise ValueError(f"{name} must be one of {listed}; found {value!r}")
    return value


def _then(advice: str) -> str:
    return f"; {advice}" if advice else ""
