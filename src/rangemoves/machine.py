"""What the machine has and a process took: cores and memory, without loading the solver."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

__all__ = ["available_cores", "own_peak_memory", "peak_memory", "physical_memory", "require_memory"]


def available_cores() -> int:
    """Return how many threads can run at once."""
    # A container or taskset may allow fewer cores than the machine has.
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def physical_memory() -> int:
    """Return the machine's memory in bytes, or more than any machine has where it is unknown."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        # No limit is better than a wrong one.
        return 2**62


def require_memory(needed: int, max_memory: int | None) -> int:
    """Return the limit that holds, or raise MemoryError where more is needed.

    Parameters
    ----------
    needed : int
        Bytes.
    max_memory : int or None
        The caller's limit in bytes; None for what the machine has.

    Returns
    -------
    int
        The limit in bytes.
    """
    limit = physical_memory() if max_memory is None else max_memory
    if needed <= limit:
        return limit
    if max_memory is None:
        found, advice = "this machine has", "use fewer labels or a smaller problem"
    else:
        found, advice = "max_memory is", "raise it, or use fewer labels or a smaller problem"
    raise MemoryError(
        f"about {_megabytes(needed)} of memory are needed; {found} {_megabytes(limit)}; {advice}"
    )


def peak_memory() -> int | None:
    """Return the largest memory this process has had, in bytes, as the system counts it."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak) if sys.platform == "darwin" else int(peak) * 1024


def own_peak_memory() -> int | None:
    """Return the same without what the parent process had.

    ``ru_maxrss`` of a child starts at the peak of its parent; Linux's ``VmHWM`` does not.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return peak_memory()
    found = re.search(r"VmHWM:\s*(\d+) kB", status)
    return int(found[1]) * 1024 if found else peak_memory()


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
