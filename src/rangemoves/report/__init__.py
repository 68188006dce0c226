"""Results as a page to look at and to send to somebody."""

from __future__ import annotations

from ._write import write_report

__all__ = ["write_report"]
