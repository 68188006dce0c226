"""What the results of a run say of the machine it was made on."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from typing import TypedDict

from .. import _core
from ..machine import available_cores, physical_memory


class Machine(TypedDict):
    """A machine, as results.json has it."""

    system: str
    processor: str
    cores: int
    memory_bytes: int
    python: str
    simd: str


def machine() -> Machine:
    """Return what this machine is."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": available_cores(),
        "memory_bytes": physical_memory(),
        "python": platform.python_version(),
        "simd": _core.simd_levels()[0],
    }


def in_short() -> str:
    """Return the same in a line, for a column."""
    facts = machine()
    return f"{facts['system']}, {facts['processor']}, {facts['cores']} cores, {facts['simd']}"


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    except OSError:
        found = None
    return found[1].strip() if found else platform.processor() or os.name
