"""Minimise energies over ordered labels with generalized range moves.

State a problem with :class:`Energy` and one of the priors, solve it with :func:`minimize`:

>>> import numpy as np
>>> import rangemoves as rm
>>> unary = np.array([[[0, 2, 4], [1, 1, 1], [4, 2, 0]]])
>>> result = rm.minimize(rm.Energy(unary, rm.TruncatedLinear(1)))
>>> result.energy
2.0

``rm.stereo``, ``rm.io``, ``rm.datasets``, ``rm.report`` and ``rm.plots`` go from images to labels
and back to pictures; ``rm.tiled`` solves what does not fit in memory; ``rm.testing`` has slow
oracles for tests.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from . import _command_line  # noqa: F401  (first: it handles signals while the rest is imported)
from ._version import __version__

if TYPE_CHECKING:
    from . import datasets, io, plots, report, stereo, testing, tiled
    from .batch import minimize_batch
    from .energy import Energy
    from .errors import BackendError, Interrupted, PrecisionWarning
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
    from .solver import Solver

__all__ = [
    "BackendError",
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
    "Solver",
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
    "minimize_batch",
    "plots",
    "prior_by_name",
    "report",
    "stereo",
    "testing",
    "tiled",
]

# The module that each name is imported from at its first use: reading images does not load the
# compiled solver, and solving does not load images and plots.
_HOMES = {
    "BackendError": "errors",
    "Cauchy": "priors",
    "Energy": "energy",
    "Huber": "priors",
    "Interrupted": "errors",
    "Linear": "priors",
    "Method": "methods",
    "PrecisionWarning": "errors",
    "Prior": "priors",
    "Quadratic": "priors",
    "Result": "result",
    "Solver": "solver",
    "TablePrior": "priors",
    "TraceRecord": "result",
    "TruncatedLinear": "priors",
    "TruncatedQuadratic": "priors",
    "estimate_memory": "memory",
    "methods": "methods",
    "minimize": "minimize",
    "minimize_batch": "batch",
    "prior_by_name": "priors",
}
_SUBPACKAGES = frozenset({"datasets", "io", "plots", "report", "stereo", "testing", "tiled"})


def __getattr__(name: str) -> Any:
    if name in _SUBPACKAGES:
        return importlib.import_module(f".{name}", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOMES[name]
    if home == "energy":
        # Whoever states a problem will solve it: modules loaded later would count as its memory.
        importlib.import_module(".minimize", __name__)
    value = getattr(importlib.import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    # Names of this module's own machinery would only be in the way of completion.
    return sorted(__all__)


class _Package(ModuleType):
    """The class of this package, in which ``rm.minimize`` and ``rm.methods`` stay functions.

    Python binds a submodule to its name in the package once it is imported, by whomever; these two
    have the names of the functions in them.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType) and _HOMES.get(name) == name:
            value = getattr(value, name)
        super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        # Pickled by name, as ordinary modules are: functions that use ``rm`` are sent to workers.
        return importlib.import_module, (self.__name__,)


sys.modules[__name__].__class__ = _Package
