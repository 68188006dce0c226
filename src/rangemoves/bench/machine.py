"""What a run was made on, and what a process took of it."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from typing import Any

from .. import _core
from ..memory import _physical_memory, available_cores
from ..minimize import _peak_memory


def machine() -> dict[str, Any]:
    """Return what the results say of the machine."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": available_cores(),
        "memory_bytes": _physical_memory(),
        "python": platform.python_version(),
        "simd": _core.simd_levels()[0],
    }


def in_short() -> str:
    """Return the same in a line, for a column."""
    facts = machine()
    return f"{facts['system']}, {facts['processor']}, {facts['cores']} cores, {facts['simd']}"


def own_peak_memory() -> int | None:
    """Return the largest memory this process has had, in bytes.

    What the system counts for a child begins with what its parent had: Linux knows better.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return _peak_memory()
    found = re.search(r"VmHWM:\s*(\d+) kB", status)
    return int(found[1]) * 1024 if found else _peak_memory()


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    except OSError:
        found = None
    return found[1].strip() if found else platform.processor() or os.name
