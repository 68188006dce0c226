"""Minimise energies over ordered labels with generalized range moves.

State a problem with :class:`Energy` and one of the priors, solve it with :func:`minimize`:

>>> import numpy as np
>>> import rangemoves as rm
>>> unary = np.array([[[0, 2, 4], [1, 1, 1], [4, 2, 0]]])
>>> result = rm.minimize(rm.Energy(unary, rm.TruncatedLinear(1)))
>>> result.energy
2.0

``rm.stereo``, ``rm.io``, ``rm.datasets``, ``rm.report`` and ``rm.plots`` go from images to labels
and back to pictures; ``rm.testing`` has slow oracles for tests.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _command_line  # noqa: F401  (first, and for what it does)
from ._version import __version__
from .energy import Energy
from .errors import Interrupted, PrecisionWarning
from .memory import estimate_memory
from .methods import Method, methods
from .minimize import minimize
from .priors import (
    Cauchy,
    Huber,
    Linear,
    Prior,
    Quadratic,
    TablePrior,
    TruncatedLinear,
    TruncatedQuadratic,
    prior_by_name,
)
from .result import Result, TraceRecord

if TYPE_CHECKING:
    from . import datasets, io, plots, report, stereo, testing

__all__ = [
    "Cauchy",
    "Energy",
    "Huber",
    "Interrupted",
    "Linear",
    "Method",
    "PrecisionWarning",
    "Prior",
    "Quadratic",
    "Result",
    "TablePrior",
    "TraceRecord",
    "TruncatedLinear",
    "TruncatedQuadratic",
    "__version__",
    "datasets",
    "estimate_memory",
    "io",
    "methods",
    "minimize",
    "plots",
    "prior_by_name",
    "report",
    "stereo",
    "testing",
]

# Imported at first use: who only minimises does not wait for images and plots.
_LAZY = frozenset({"datasets", "io", "plots", "report", "stereo", "testing"})


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | _LAZY)
