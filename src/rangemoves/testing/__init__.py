"""Oracles for tests, yours as well as ours: slow, plain, and sharing no code with the solvers."""

from __future__ import annotations

from ._enumeration import all_labellings, brute_force, reference_energy
from ._slack import slack_map
from .certificates import Verification, check_certificate, verify_result

__all__ = [
    "Verification",
    "all_labellings",
    "brute_force",
    "check_certificate",
    "reference_energy",
    "slack_map",
    "verify_result",
]
