"""Our binary moves beside PyMaxflow's and gco's on Venus: one thread, the same energy, in one run.

    python benchmarks/methods.py                   # a table
    python benchmarks/methods.py --json out.json   # and the figures for machines

The truncated quadratic of the paper. Runs alternate and the best of three counts, so that whatever
else the machine does hits all alike. Exits with 1 if a goal is missed: a ratio of times, at an
energy that is no higher. Needs ``make bench``; the data are looked for in $RANGEMOVES_DATA, else in
../shared/data.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

import numpy as np

import rangemoves as rm
from rangemoves.bench.peers import gco, pymaxflow_expansion
from rangemoves.bench.problems import problem

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("RANGEMOVES_DATA", ROOT.parent / "shared" / "data"))
REPEAT = 3
# Ours, theirs, how many times faster ours has to be.
GOALS = [("expansion", "PyMaxflow aexpansion_grid", 3), ("swap", "gco swap", 2)]


def ours(method):
    return lambda energy: rm.minimize(energy, method, threads=1).labels


SOLVERS = {
    "expansion": ours("expansion"),
    "PyMaxflow aexpansion_grid": pymaxflow_expansion,
    "swap": ours("swap"),
    "gco swap": lambda energy: gco(energy, "swap"),
}


def measure(energy):
    seconds = {name: [] for name in SOLVERS}
    energies = {}
    for _ in range(REPEAT):
        for name, solver in SOLVERS.items():
            begin = time.perf_counter()
            labels = solver(energy)
            seconds[name].append(time.perf_counter() - begin)
            energies[name] = energy(np.asarray(labels, dtype=np.int32).reshape(energy.shape))
    return {name: {"seconds": min(seconds[name]), "energy": energies[name]} for name in SOLVERS}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, help="where to write the figures")
    arguments = parser.parse_args()
    figures = measure(problem("venus-quadratic", DATA))
    print("| solver | seconds | energy |\n|---|---|---|")
    for name, figure in figures.items():
        print(f"| {name} | {figure['seconds']:.2f} | {figure['energy']:.0f} |")
    missed = []
    for name, rival, goal in GOALS:
        ratio = figures[rival]["seconds"] / figures[name]["seconds"]
        figures[name]["ratio"] = ratio
        print(f"{name}: {ratio:.1f} times as fast as {rival}; goal {goal}")
        if ratio < goal or figures[name]["energy"] > figures[rival]["energy"]:
            missed.append(name)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    if missed:
        sys.exit(f"goal missed: {', '.join(missed)}")


if __name__ == "__main__":
    main()
