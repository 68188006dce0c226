"""The section of a Pandora configuration that is ours: names, defaults, checks.

Checked as Pandora checks its own steps, by a schema of json_checker. Each entry of the schema
raises a sentence, which json_checker puts into its error together with the key.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from json_checker import Checker

from ..energy import Energy
from ..errors import as_choice, as_integer, as_real
from ..methods import Method, methods
from ..minimize import MOST_THREADS
from ..priors import prior_by_name
from .smoothness import POWER

__all__ = ["DEFAULTS", "METHOD_NAME", "check_configuration"]

METHOD_NAME = "rangemoves"

# Threshold and weight were chosen with census costs, on all the pairs that
# benchmarks/pandora_plugin.py runs.
DEFAULTS: dict[str, Any] = {
    "prior": "truncated-linear",
    "threshold": 5,
    "weight": 0.8,
    "cost_unit": "auto",
    "edge_factor": 4,
    "edge_gradient": "auto",
    "method": "trws",
    "sweeps": 20,
    "time_limit": None,
    "threads": None,
}

WITHOUT_THRESHOLD = ("linear", "quadratic")

Check = Callable[[Any], bool]


def check_configuration(given: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration with defaults filled in, or say what is wrong with it.

    Parameters
    ----------
    given : dict
        As the user wrote it.

    Returns
    -------
    dict

    Raises
    ------
    json_checker.core.exceptions.CheckerError
        For an unknown key, or a value that is none.
    ValueError
        Where the method cannot minimise energies with this prior.

    Examples
    --------
    >>> check_configuration({"optimization_method": "rangemoves", "weight": 2})["weight"]
    2
    """
    configuration = DEFAULTS | given
    if configuration["prior"] in WITHOUT_THRESHOLD and "threshold" not in given:
        configuration["threshold"] = None
    Checker(_schema(configuration["prior"])).validate(configuration)
    _require_method(configuration)
    return configuration


def _schema(prior: Any) -> dict[str, Check]:
    names = [method.name for method in methods()]
    return {
        "optimization_method": _passes(
            lambda x: as_choice(x, "optimization_method", [METHOD_NAME])
        ),
        "prior": _passes(lambda x: as_choice(x, "prior", POWER)),
        "threshold": _passes(lambda x: _threshold(prior, x)),
        "weight": _passes(lambda x: _not_negative(x, "weight")),
        "cost_unit": _passes(lambda x: x == "auto" or as_real(x, "cost_unit", positive=True)),
        "edge_factor": _passes(lambda x: _at_least_one(x, "edge_factor")),
        "edge_gradient": _passes(lambda x: x == "auto" or _not_negative(x, "edge_gradient")),
        "method": _passes(lambda x: as_choice(x, "method", names)),
        "sweeps": _passes(lambda x: as_integer(x, "sweeps", minimum=1)),
        "time_limit": _passes(lambda x: x is None or _not_negative(x, "time_limit")),
        "threads": _passes(
            lambda x: x is None or as_integer(x, "threads", minimum=1, maximum=MOST_THREADS)
        ),
    }


def _passes(check: Callable[[Any], object]) -> Check:
    """A function that json_checker can ask: true unless the check raises."""

    def passes(value: Any) -> bool:
        check(value)
        return True

    return passes


def _threshold(prior: Any, value: Any) -> None:
    if value is not None:
        as_real(value, "threshold", positive=True)
    if prior in POWER:
        prior_by_name(prior, value)


def _not_negative(value: Any, name: str) -> float:
    number = as_real(value, name)
    if number < 0:
        raise ValueError(f"{name} must be at least 0; found {number:g}")
    return number


def _at_least_one(value: Any, name: str) -> None:
    if as_real(value, name) < 1:
        raise ValueError(f"{name} must be at least 1; found {value:g}; 1 ignores the image")


def _require_method(configuration: dict[str, Any]) -> None:
    """Refuse now what the method would refuse when the costs are there."""
    threshold = configuration["threshold"]
    prior = prior_by_name(configuration["prior"], threshold)
    # Two pixels, and labels enough to see the prior on both sides of its threshold.
    labels = 8 if threshold is None else 2 * int(min(threshold, 1000)) + 8
    method = _method(configuration["method"])
    reason = method.refusal(Energy(np.zeros((1, 2, labels)), prior))
    if reason is not None:
        raise ValueError(
            f"method {method.name!r} cannot be used with prior {prior.name!r}: {reason}; "
            "leave method out"
        )


def _method(name: str) -> Method:
    return next(method for method in methods() if method.name == name)
