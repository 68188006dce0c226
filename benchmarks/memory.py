"""How much memory a run takes, beside what rm.estimate_memory says.

    python benchmarks/memory.py                              # all methods, sizes and kinds of costs
    python benchmarks/memory.py --kinds syn --sizes 60x80x16 --methods gswap best
    python benchmarks/memory.py --one syn gswap 60x80x16     # one run, in this process

Every run has a process of its own, which holds the energy and nothing else; its peak is by how much
ru_maxrss grows over the call of rm.minimize, after memory that is free was given back. That counts
the pages of code that the run is the first to touch, up to a megabyte ("code" of --one), unless the
system mapped them with others. The estimate is made after the run, or with --estimate-first before
it, when code and arrays that the estimate keeps are there for the run to use.
Exits with 1 where an estimate is below the peak or more than a quarter above it. Two kinds of runs
are shown only: those that the time limit ends before they have made a cut, and method "best" where
its sweeps alone reach the optimum, so that the moves that were reckoned with are never made.
"""

import ctypes
import gc
import json
import re
import sys
from pathlib import Path

import numpy as np
from measuring import Table, in_own_process, parser

import rangemoves as rm
from rangemoves.machine import own_peak_memory

SIZES = ("60x80x16", "150x200x32", "300x400x48")
KINDS = ("syn", "rand", "float", "weights")
LEAST, MOST = 1.0, 1.25
# Long enough for the first moves, which take the most memory.
SECONDS = 20


def costs(kind, shape):
    """Filled row by row: the run would use the memory of large temporaries again, uncounted."""
    height, width, labels = shape
    rng = np.random.default_rng(0)
    is_real = kind in ("float", "weights")
    unary = np.empty(shape, np.float64 if is_real else np.int32)
    column = np.arange(width) // (width // 4) * (labels // 5)
    for y in range(height):
        if is_real:
            unary[y] = rng.random((width, labels))
        elif kind == "rand":
            unary[y] = rng.integers(0, 100, (width, labels))
        else:
            truth = (column + y * labels // (3 * height)) % labels + rng.integers(-2, 3, width)
            distance = np.abs(truth[:, None] - np.arange(labels))
            noise = rng.integers(0, 20, (width, labels))
            unary[y] = np.minimum(8 * distance, 120) + noise
    return unary


def problem(kind, method, shape):
    height, width, _ = shape
    rng = np.random.default_rng(1)
    prior, weight = {
        "syn": (rm.TruncatedLinear(3), 12),
        "rand": (rm.TruncatedQuadratic(3), 10),
        "float": (rm.TruncatedLinear(2), 0.3),
        "weights": (
            rm.TruncatedQuadratic(3),
            [rng.random((height - 1, width)), rng.random((height, width - 1))],
        ),
    }[kind]
    if method == "ishikawa":
        prior = rm.Huber(3)
    return rm.Energy(costs(kind, shape), prior, weight, copy=False)


def give_back_free_memory():
    """So that the next call cannot use it uncounted: compiling modules alone leaves megabytes."""
    if not Path("/proc/self/clear_refs").exists():
        return
    gc.collect()
    libc = ctypes.CDLL(None)
    if hasattr(libc, "malloc_trim"):
        libc.malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here


def mapped_files():
    """Bytes of this process that are files: its code; 0 where the system does not tell."""
    try:
        found = re.search(r"RssFile:\s*(\d+) kB", Path("/proc/self/status").read_text())
    except OSError:
        return 0
    return 0 if found is None else 1024 * int(found[1])


def measure(kind, method, size, seconds, estimate_first):
    energy = problem(kind, method, tuple(map(int, size.split("x"))))
    estimate = rm.estimate_memory(energy, method) if estimate_first else 0
    give_back_free_memory()
    before, code = own_peak_memory(), mapped_files()
    result = rm.minimize(energy, method, time_limit=seconds)
    grown, code = own_peak_memory() - before, mapped_files() - code
    cuts = "cuts" in result.statistics
    moved = cuts or method in ("expansion", "swap", "rexp", "trws")
    estimate = estimate or rm.estimate_memory(energy, method)
    return {
        "estimate": estimate,
        "peak": grown,
        "code": code,
        "moved": moved,
        "status": result.status,
    }


def main():
    methods = [method.name for method in rm.methods()]
    arguments = parser(__doc__)
    arguments.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    arguments.add_argument("--sizes", nargs="+", default=SIZES, help="rows x columns x labels")
    arguments.add_argument("--methods", nargs="+", choices=methods, default=methods)
    arguments.add_argument("--seconds", type=float, default=SECONDS, help="time limit of a run")
    arguments.add_argument("--estimate-first", action="store_true")
    arguments.add_argument("--one", nargs=3, metavar=("KIND", "METHOD", "SIZE"))
    given = arguments.parse_args()
    if given.one:
        print(json.dumps(measure(*given.one, given.seconds, given.estimate_first)))
        return 0
    missed = 0
    table = Table("costs", "size", "method", "estimate", "peak", "ratio", "status", "")
    for kind in given.kinds:
        for size in given.sizes:
            for method in given.methods:
                command = ["--one", kind, method, size, "--seconds", given.seconds]
                if given.estimate_first:
                    command.append("--estimate-first")
                run = in_own_process(__file__, *command)
                ratio = run["estimate"] / max(1, run["peak"])
                good = LEAST <= ratio <= MOST
                missed += run["moved"] and not good
                note = "" if good else "missed" if run["moved"] else "not counted"
                sizes = (f"{run[key] / 1e6:.1f} MB" for key in ("estimate", "peak"))
                table.row(kind, size, method, *sizes, f"{ratio:.2f}", run["status"], note)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
