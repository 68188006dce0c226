"""Energies beyond memory: tiles with a guarantee, in threads or on Dask workers."""

from __future__ import annotations

from .minimize import minimize

__all__ = ["minimize"]
