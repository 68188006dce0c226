"""Message passing: its speed beside others in one run, and the lowest energies it leads to.

    python benchmarks/trws.py                      # the speed of the sweeps
    python benchmarks/trws.py energies             # method "best" on all problems, 2 minutes each
    python benchmarks/trws.py energies venus teddy-linear

Speed: 100 sweeps on Venus on one thread against PyMaxflow's alpha-expansion run to convergence on
the same energy, and a sweep against the plain scalar one that the tests of the core believe. Goals
are ratios. Energies: those to reach, and bounds. Exits with 1 if a goal is missed. The data are
looked for in $RANGEMOVES_DATA, else in ../shared/data.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import rangemoves as rm
from rangemoves.bench.problems import problem

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("RANGEMOVES_DATA", ROOT.parent / "shared" / "data"))
BUILD = ROOT / "build" / "core"

EXPANSION_RATIO, PLAIN_RATIO = 5, 6

# Energy and bound to reach, in the energy's own units; a bound of None is not asked for. With the
# truncated linear and the Cauchy prior: the lowest that the paper's source has.
GOALS = {
    "sawtooth-quadratic": (1_034_000, 1_032_600),
    "venus-quadratic": (3_077_400, 3_072_000),
    "teddy-quadratic": (2_985_300, 2_983_800),
    "cones-quadratic": (2_694_900, 2_693_550),
    "tsukuba-benchmark": (369_218, 369_217),
    "sawtooth-linear": (919_700, None),
    "venus-linear": (2_895_700, None),
    "teddy-linear": (2_652_500, None),
    "cones-linear": (2_328_400, None),
    "sawtooth-cauchy": (843_700, None),
    "venus-cauchy": (2_558_400, None),
    "teddy-cauchy": (2_424_400, None),
    "cones-cauchy": (2_302_000, None),
}


def tsukuba():
    """With the parameters of the Middlebury MRF benchmark."""
    pair = rm.datasets.middlebury("tsukuba", root=DATA)
    colours = pair.left.astype(int)
    weights = [
        np.where((np.diff(colours, axis=axis) ** 2).sum(axis=-1) < 3 * 8**2, 40, 20)
        for axis in (0, 1)
    ]
    cost = rm.stereo.cost_volume(pair.left, pair.right, 16)
    return rm.Energy(cost, rm.TruncatedLinear(2), weights)


def energy_of(case):
    return tsukuba() if case == "tsukuba-benchmark" else problem(case, DATA)


def timed(work):
    begin = time.perf_counter()
    result = work()
    return result, time.perf_counter() - begin


def against_expansion():
    """PyMaxflow's expansion asks for a metric: the truncated linear prior."""
    from maxflow.fastmin import aexpansion_grid

    energy = problem("venus-linear", DATA)
    labels = np.arange(energy.num_labels)
    binary = 50.0 * np.minimum(np.abs(labels[:, None] - labels), 3)
    # The better of two each: a machine that others use too may be busy for a while.
    theirs, their_seconds = min(
        (timed(lambda: aexpansion_grid(energy.unary.astype(float), binary)) for _ in range(2)),
        key=lambda run: run[1],
    )
    ours, our_seconds = min(
        (timed(lambda: rm.minimize(energy, "trws", max_iter=100, threads=1)) for _ in range(2)),
        key=lambda run: run[1],
    )
    ratio = their_seconds / our_seconds
    print(f"| alpha-expansion, PyMaxflow | {energy(theirs):.0f} | {their_seconds:.2f} | 1 |")
    print(
        f"| TRW-S, 100 sweeps, {ours.simd} | {ours.energy:.0f} | {our_seconds:.2f} | {ratio:.1f} |"
    )
    return ratio >= EXPANSION_RATIO


def against_plain():
    """A sweep there and back over a grid of Venus's size."""
    test = BUILD / "test_trws"
    if not test.exists():
        subprocess.run(["make", "test-core"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    run = subprocess.run([test, "--ratio"], check=True, capture_output=True, text=True)
    facts = json.loads(run.stdout)
    ratio = facts["plain_seconds"] / facts["seconds"]
    print(f"| plain sweep | | {facts['plain_seconds']:.3f} | 1 |")
    print(f"| {facts['simd']} sweep | | {facts['seconds']:.3f} | {ratio:.1f} |")
    return ratio >= PLAIN_RATIO


def speed():
    print("| | energy | s | times faster |")
    print("|---|---|---|---|")
    return all([against_expansion(), against_plain()])


def energies(cases, time_limit):
    print("| problem | energy | goal | bound | goal | gap % | status | s |")
    print("|---|---|---|---|---|---|---|---|")
    reached = True
    for case in cases:
        result = rm.minimize(energy_of(case), "best", time_limit=time_limit)
        energy, bound = GOALS[case]
        # The paper rounds to hundreds.
        reached &= result.energy < energy + 50 and (bound is None or result.lower_bound >= bound)
        print(
            f"| {case} | {result.energy:.0f} | {energy} | {result.lower_bound:.0f} | "
            f"{'' if bound is None else bound} | {100 * result.gap:.4f} | {result.status} | "
            f"{result.seconds:.0f} |",
            flush=True,
        )
    return reached


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", nargs="?", choices=["speed", "energies"], default="speed")
    parser.add_argument("cases", nargs="*", help=", ".join(GOALS))
    parser.add_argument("--time-limit", type=float, default=120.0, help="seconds per problem")
    arguments = parser.parse_args()
    for case in arguments.cases:
        if case not in GOALS:
            parser.error(f"no such problem: {case}; one of {', '.join(GOALS)}")
    if arguments.part == "speed":
        reached = speed()
    else:
        reached = energies(arguments.cases or list(GOALS), arguments.time_limit)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
