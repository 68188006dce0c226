"""The default method beside others: energies and times, on synthetic and public stereo pairs.

    python benchmarks/auto.py                                      # all problems
    python benchmarks/auto.py synthetic-0-linear venus-quadratic   # some of them
    python benchmarks/auto.py --markdown demo-output/auto.md

"synthetic-3-linear" is ``rm.datasets.synthetic_stereo(seed=3)`` with 300 x 400 pixels, 24 labels,
weight 12 and T = 3; the others are those of the paper; "penguin" is that of the MRF benchmark. One
thread; seconds are those of the processor, so that a busy machine matters little. ``best`` has 20
seconds of the clock (--seconds).

Goals: ``auto`` ends no higher than ``gswap``, at most 0.5 % above ``best``, in at most three times
the time of ``gswap``; penguin at or below 16.1 million within 30 seconds of the clock. Exits with 1
where one is missed.
"""

import subprocess
import sys
import time
from pathlib import Path

from measuring import ROOT, Goals, Table, parser, problem, restoration

import rangemoves as rm
from rangemoves.bench import machine
from rangemoves.bench.problems import PRIORS

METHODS = ("gswap", "gswapf", "expansion", "trws", "best")
PAIRS = ("tsukuba", "map", "venus", "sawtooth", "teddy", "cones", "kitti-000070")
PROBLEMS = (
    *(f"synthetic-{seed}-{prior}" for seed in range(6) for prior in ("linear", "quadratic")),
    *(f"{pair}-{prior}" for pair in PAIRS for prior in PRIORS),
    "penguin",
)
ABOVE_BEST, TIMES_GSWAP, PENGUIN = 0.5, 3, 16_100_000
PENGUIN_SECONDS = 30.0


def synthetic(seed, prior):
    pair = rm.datasets.synthetic_stereo(seed=seed, shape=(300, 400), labels=24)
    costs = rm.stereo.cost_volume(pair.left, pair.right, 24)
    return rm.Energy(costs, PRIORS[prior](3), 12)


def energy_of(name):
    if name == "penguin":
        return restoration(name)
    kind, _, rest = name.partition("-")
    if kind == "synthetic":
        seed, _, prior = rest.partition("-")
        return synthetic(int(seed), prior)
    return problem(name)


def solve(energy, method, seconds):
    """The result and the processor's seconds, or None where the method refuses."""
    row = next(row for row in rm.methods() if row.name == method)
    if row.refusal(energy):
        return None
    limits = {"max_iter": 30} if method == "trws" else {}
    if method == "best" or seconds is not None:
        limits["time_limit"] = seconds
    begin = time.process_time()
    result = rm.minimize(energy, method, threads=1, **limits)
    return result, time.process_time() - begin


def cell(run):
    return "-" if run is None else f"{run[0].energy:.0f}, {run[1]:.1f} s"


def judge(name, runs, goals):
    (ours, our_seconds), (gswap, seconds) = runs["auto"], runs["gswap"]
    lowest = runs["best"][0].energy
    slack = gswap.rounding_error
    goals.add(
        f"{name}, against gswap",
        f"{ours.energy - gswap.energy:.0f}",
        "<= 0",
        ours.energy <= gswap.energy + slack,
    )
    above = 100 * (ours.energy - lowest) / abs(lowest)
    goals.at_most(f"{name}, above best", above, ABOVE_BEST, "%", ".3f")
    goals.at_most(f"{name}, time", our_seconds / seconds, TIMES_GSWAP, "times gswap's")


def measure(names, seconds, goals):
    table = Table("problem", "bound", "auto", *METHODS)
    for name in names:
        energy = energy_of(name)
        limit = PENGUIN_SECONDS if name == "penguin" else None
        runs = {"auto": solve(energy, "auto", limit)}
        for method in METHODS:
            runs[method] = solve(energy, method, seconds if method == "best" else limit)
        bound = max(runs[method][0].lower_bound for method in ("auto", "best", "trws"))
        table.row(name, f"{bound:.0f}", *(cell(run) for run in runs.values()))
        if name == "penguin":
            goals.at_most(name, runs["auto"][0].energy, PENGUIN, "", ".0f")
        else:
            judge(name, runs, goals)
    return table


def where():
    asked = ["git", "-C", ROOT, "describe", "--always", "--dirty"]
    said = subprocess.run(asked, capture_output=True, text=True, check=False)
    return f"{machine.in_short()}; 1 thread; commit {said.stdout.strip() or 'unknown'}"


def main():
    arguments = parser(__doc__)
    arguments.add_argument("problems", nargs="*", help=", ".join(PROBLEMS))
    arguments.add_argument("--seconds", type=float, default=20.0, help="for best")
    arguments.add_argument("--markdown", type=Path, help="write both tables to this file")
    given = arguments.parse_args()
    for name in given.problems:
        if name not in PROBLEMS:
            arguments.error(f"no such problem: {name}; one of {', '.join(PROBLEMS)}")
    goals = Goals()
    print(where(), end="\n\n")
    table = measure(given.problems or PROBLEMS, given.seconds, goals)
    print()
    summary, code = goals.tell()
    if given.markdown:
        given.markdown.parent.mkdir(parents=True, exist_ok=True)
        given.markdown.write_text(f"{where()}\n\n{table}\n\n{summary}\n", encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
