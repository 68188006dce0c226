"""Packages only some users need: imported when used, asked for in one line when missing."""

from __future__ import annotations

import importlib
from types import ModuleType


def optional_import(module: str, *, purpose: str, extra: str = "app") -> ModuleType:
    """Import ``module``, or say what it is needed for and how to install it.

    Parameters
    ----------
    module : str
        Dotted name of the module.
    purpose : str
        What the caller wanted to do, as the start of a sentence: ``"plotting"``.
    extra : str
        The extra of this package that brings the module along.

    Returns
    -------
    module

    Raises
    ------
    ModuleNotFoundError
        When the module is not installed.

    Examples
    --------
    >>> optional_import("json", purpose="reading JSON").loads("[1]")
    [1]
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        raise ModuleNotFoundError(
            f"{purpose} needs the package {package!r}, which is not installed; "
            f"run: pip install 'rangemoves[{extra}]'",
            name=package,
        ) from error
