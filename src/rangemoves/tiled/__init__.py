"""Energies beyond memory: tiles with a guarantee, in threads or on Dask workers."""

from __future__ import annotations

from .lazy import lazy
from .minimize import minimize

__all__ = ["lazy", "minimize"]
