"""How much memory a run takes, beside what rm.estimate_memory says.

    python benchmarks/memory.py                              # all methods, sizes and kinds of costs
    python benchmarks/memory.py --kinds syn --sizes 60x80x16 --methods gswap best
    python benchmarks/memory.py --one syn gswap 60x80x16     # one run, in this process

Every run has a process of its own, which holds the energy and nothing else; its peak is by how much
ru_maxrss grows over the call of rm.minimize. The estimate is made after it, or with
--estimate-first before it, when what the estimate itself has taken is there for the run to use.
Exits with 1 where an estimate is below the peak or more than a quarter above it. Two kinds of runs
are shown only: those that the time limit ends before they have made a cut, and method "best" where
its sweeps alone reach the optimum, so that the moves that were reckoned with are never made.
"""

import argparse
import json
import re
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np

import rangemoves as rm

SIZES = ("60x80x16", "150x200x32", "300x400x48")
KINDS = ("syn", "rand", "float", "weights")
LEAST, MOST = 1.0, 1.25
# Long enough for the first moves, which take the most.
SECONDS = 20


def costs(kind, shape):
    """Row by row: whatever larger arrays leave behind would be taken for memory not needed."""
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


def peak():
    if sys.platform == "linux":
        # What ru_maxrss is too, unless the process that started this one has had more.
        status = Path("/proc/self/status").read_text()
        return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status)[1])
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def measure(kind, method, size, seconds, estimate_first):
    energy = problem(kind, method, tuple(map(int, size.split("x"))))
    estimate = rm.estimate_memory(energy, method) if estimate_first else 0
    before = peak()
    result = rm.minimize(energy, method, time_limit=seconds)
    grown = peak() - before
    cuts = "cuts" in result.statistics
    moved = cuts or method in ("expansion", "swap", "rexp", "trws")
    estimate = estimate or rm.estimate_memory(energy, method)
    return {"estimate": estimate, "peak": grown, "moved": moved, "status": result.status}


def in_own_process(kind, method, size, seconds, estimate_first):
    command = [sys.executable, __file__, "--one", kind, method, size, "--seconds", str(seconds)]
    if estimate_first:
        command.append("--estimate-first")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def main():
    methods = [method.name for method in rm.methods()]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--sizes", nargs="+", default=SIZES, help="rows x columns x labels")
    parser.add_argument("--methods", nargs="+", choices=methods, default=methods)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="time limit of a run")
    parser.add_argument("--estimate-first", action="store_true")
    parser.add_argument("--one", nargs=3, metavar=("KIND", "METHOD", "SIZE"))
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measure(*given.one, given.seconds, given.estimate_first)))
        return 0
    missed = 0
    print(f"{'costs':7} {'size':11} {'method':15} {'estimate':>9} {'peak':>9}  ratio")
    for kind in given.kinds:
        for size in given.sizes:
            for method in given.methods:
                run = in_own_process(kind, method, size, given.seconds, given.estimate_first)
                ratio = run["estimate"] / max(1, run["peak"])
                good = LEAST <= ratio <= MOST
                missed += run["moved"] and not good
                note = "" if good else "missed" if run["moved"] else "not counted"
                print(
                    f"{kind:7} {size:11} {method:15} {run['estimate'] / 1e6:6.1f} MB "
                    f"{run['peak'] / 1e6:6.1f} MB  {ratio:.2f}  {run['status']} {note}",
                    flush=True,
                )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
