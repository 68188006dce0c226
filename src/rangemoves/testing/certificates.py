"""Whether a result is worth what it says: its energy, its bound, and "optimal" where it says so."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from ..energy import Energy
from ..errors import describe
from ..result import Result
from ._bound import certified_bound, is_integral

__all__ = ["Verification", "check_certificate", "verify_result"]

# Of costs that are no integers, as parts of what all costs add up to at most: how far an optimum
# may be from its bound (docs/exactness.md), and how far two ways to add up the same may differ.
OPTIMAL_GAP = 1e-6
ROUNDING = 1e-9

Value = Fraction | float


@dataclass(frozen=True)
class Verification:
    """What of a result was found to be true.

    Attributes
    ----------
    energy : float
        The energy of the labels, computed anew.
    lower_bound : float
        The bound that the certificate proves.
    optimal : bool
        Whether the two meet: no labelling has a lower energy.
    """

    energy: float
    lower_bound: float
    optimal: bool

    @property
    def gap(self) -> float:
        """(energy - lower_bound) / abs(energy)."""
        if self.energy == self.lower_bound:
            return 0.0
        return (self.energy - self.lower_bound) / abs(self.energy) if self.energy else math.inf


def check_certificate(energy: Energy, result: Result) -> float:
    """Return the lower bound that the certificate of a result proves.

    Parameters
    ----------
    energy : Energy
        The problem that was solved.
    result : Result
        With a certificate: ``rm.minimize(energy, "best", certificate=True)``.

    Returns
    -------
    float
        In the energy's units. Of integer costs all of it is exact, and rounded up to the next
        integer; of others it is safe from rounding.

    Raises
    ------
    ValueError
        If there is no certificate, if it is not one of this energy, or if the result says more than
        is true: another energy of its labels, a higher bound, or "optimal" without the proof.

    Notes
    -----
    Nothing that the solver found is believed, and no code of it is used: the bound follows from the
    costs of the energy and the numbers in the certificate by the rules in
    :mod:`rangemoves.certificate`.

    Examples
    --------
    >>> import numpy as np
    >>> import rangemoves as rm
    >>> from rangemoves.certificate import Certificate
    >>> from dataclasses import replace
    >>> energy = rm.Energy(np.array([[[0, 5], [9, 0]]]), rm.Linear(), 2)
    >>> found = rm.minimize(energy, "ishikawa")
    >>> message = Certificate(scale=1.0, edge=[0], to_head=[False], messages=[[2, 0]])
    >>> rm.testing.check_certificate(energy, replace(found, certificate=message))
    2.0
    """
    return verify_result(energy, result).lower_bound


def verify_result(energy: Energy, result: Result) -> Verification:
    """Return what of a result is true, or raise ValueError where it says more.

    Parameters
    ----------
    energy : Energy
        The problem that was solved.
    result : Result
        With a certificate.

    Returns
    -------
    Verification
    """
    if not isinstance(energy, Energy):
        raise TypeError(f"energy must be an rm.Energy; found {describe(energy)}")
    if not isinstance(result, Result):
        raise TypeError(f"result must be an rm.Result; found {describe(result)}")
    if result.certificate is None:
        raise ValueError(
            "result must have a certificate; found none; solve with method 'best' and "
            "certificate=True"
        )
    integral = is_integral(energy)
    size = 0.0 if integral else _size(energy)
    value = _energy_of(energy, energy.check_labels(result.labels, "result.labels"), integral)
    _require_energy(result.energy, value, ROUNDING * size)
    bound = certified_bound(energy, result.certificate)
    if integral and math.isfinite(bound):
        bound = Fraction(math.ceil(bound))
    _require_bound(result.lower_bound, bound, ROUNDING * size)
    optimal = bound >= value if integral else float(value) - bound <= OPTIMAL_GAP * size
    if result.status == "optimal" and not optimal:
        raise ValueError(
            f"result.status must not be 'optimal': its labels have energy {float(value):.17g}, and "
            f"the certificate proves a bound of {_rounded_down(bound):.17g} only"
        )
    return Verification(float(value), _rounded_down(bound), bool(optimal))


def _require_energy(said: float, value: Value, tolerance: float) -> None:
    if said == float(value):  # which holds large integers rounded
        return
    if math.isfinite(said) and abs(said - value) <= tolerance:
        return
    raise ValueError(
        f"result.energy must be that of its labels, {float(value):.17g}; found {said:.17g}"
    )


def _require_bound(said: float | None, bound: Value, tolerance: float) -> None:
    if said is None or said <= bound + tolerance or said == float(bound):
        return
    raise ValueError(
        f"result.lower_bound must be what the certificate proves, {_rounded_down(bound):.17g} at "
        f"most; found {said:.17g}"
    )


def _rounded_down(value: Value) -> float:
    rounded = float(value)
    return rounded if rounded <= value else math.nextafter(rounded, -math.inf)


def _energy_of(energy: Energy, labels: npt.NDArray[np.int32], integral: bool) -> Value:
    """The energy of a labelling by its definition, exact for integers."""
    rows = energy.unary.reshape(energy.num_variables, -1)
    terms = rows[np.arange(energy.num_variables), labels].tolist()
    has_weight = energy.weights > 0
    tail, head = energy.edges[has_weight].T
    kinds = energy.table_index if energy.table_index.size else np.zeros(energy.num_edges, int)
    place = energy.num_labels - 1 + labels[tail] - labels[head]
    values = energy.tables[kinds[has_weight], place].tolist()
    weights = energy.weights[has_weight].tolist()
    if any(math.isinf(term) for term in (*terms, *values)):
        return math.inf
    if integral:
        products = (int(w) * int(g) for w, g in zip(weights, values, strict=True))
        return Fraction(sum(int(term) for term in terms) + sum(products))
    products_of_floats = (w * g for w, g in zip(weights, values, strict=True))
    return math.fsum([*map(float, terms), *products_of_floats])


def _size(energy: Energy) -> float:
    """What all costs add up to at most, without labels that no optimum has.

    Such a label costs more than the cheapest one of its variable with all edges at their worst.
    """
    finite = np.isfinite(energy.tables)
    tables = np.where(finite, energy.tables, 0.0)
    kinds = energy.table_index if energy.table_index.size else np.zeros(energy.num_edges, int)
    spread = np.where(finite.all(axis=1), np.ptp(tables, axis=1), np.inf)[kinds]
    with np.errstate(invalid="ignore"):
        costs = np.where(energy.weights > 0, energy.weights * spread, 0.0)
    reach: Any = np.zeros(energy.num_variables)
    for end in energy.edges.T:
        reach = reach + np.bincount(end, costs, energy.num_variables)
    rows = energy.unary.reshape(energy.num_variables, -1).astype(np.float64)
    matters = np.isfinite(rows) & (rows <= (rows.min(axis=1) + reach)[:, None])
    largest = np.abs(rows).max(axis=1, where=matters, initial=0.0)
    highest = np.abs(tables).max(axis=1)[kinds]
    return float(largest.sum() + (energy.weights * highest).sum())
