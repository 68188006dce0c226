"""The exact move beside other people's max-flow: the same convex problem, the same run.

    python benchmarks/engine.py                    # all of it, about 15 minutes
    python benchmarks/engine.py cuts               # one cut: BK, OR-tools and both engines
    python benchmarks/engine.py moves              # first moves against BK; Cones, KITTI
    python benchmarks/engine.py scaling            # time against pixels and labels, plotted
    python benchmarks/engine.py profile            # where the time goes

Every measurement is a process of its own, on one thread unless it says otherwise. Peers are timed
without building their graph, we with everything. Ratios are against the peer in the same run; the
best of several counts. The data are looked for in $RANGEMOVES_DATA, else in ../shared/data.
Writes a table (Markdown) and plots to demo-output/engine. Exits with 1 if a goal is missed.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import rangemoves as rm
from rangemoves.bench import peers, problems

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("RANGEMOVES_DATA", ROOT.parent / "shared" / "data"))
OUT = ROOT / "demo-output" / "engine"


def textured(height, width, labels, searched=None):
    """A textured pair of any size, threshold 4, weight 20; more labels than it has if asked for."""
    pair = rm.datasets.synthetic_stereo(shape=(height, width), labels=labels)
    cost = rm.stereo.cost_volume(pair.left, pair.right, searched or labels)
    return rm.Energy(cost, rm.TruncatedQuadratic(4), weights=20)


def problem(case):
    if case[0].isdigit():
        return textured(*(int(n) for n in case.replace(":", "x").split("x")))
    name = "kitti-000070" if case == "kitti" else case
    return problems.problem(f"{name}-quadratic", DATA)


def theirs(flow):
    return lambda energy: (*flow(energy), {})


def ours(engine, threads=1, max_iter=1):
    def run(energy):
        begin = time.perf_counter()
        result = rm.minimize(
            energy, "gswap", engine=engine, threads=threads, max_iter=max_iter, strategy="alternate"
        )
        seconds = time.perf_counter() - begin
        if not result.proven:
            raise RuntimeError("a move was not proven optimal")
        first = result.trace[0] if max_iter == 1 else result.trace[-1]
        details = {"iterations": result.iterations, "energy": result.energy, **result.statistics}
        return first.surrogate_energy, seconds, details

    return run


SOLVERS = {
    "bk": theirs(peers.bk),
    "ortools": theirs(peers.ortools),
    "reference": ours("reference"),
    "dual": ours("dual"),
    "dual-2": ours("dual", threads=2),
    "gswap-2": ours("auto", threads=2, max_iter=None),
}


def peak_megabytes():
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


def child(case, solver):
    energy = problem(case)
    before = peak_megabytes()
    value, seconds, details = SOLVERS[solver](energy)
    more = peak_megabytes() - before
    report = {"energy": value, "seconds": seconds, "megabytes": more, "details": details}
    print(json.dumps(report))


def measure(case, solver, repeat=1):
    """The fastest of several processes."""
    runs = []
    for _ in range(repeat):
        command = [sys.executable, __file__, "--child", case, solver]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            raise SystemExit(f"{solver} on {case} failed:\n{run.stderr}")
        runs.append(json.loads(run.stdout.splitlines()[-1]))
    best = min(runs, key=lambda run: run["seconds"])
    print(
        f"  {case:>12} {solver:>10} {best['seconds']:9.3f} s {best['megabytes']:8.0f} MB",
        flush=True,
    )
    return best


class Goals:
    def __init__(self):
        self.rows = []

    def add(self, what, found, goal, met):
        self.rows.append((what, found, goal, "yes" if met else "NO"))

    def table(self):
        lines = ["| measured | found | goal | met |", "|---|---|---|---|"]
        lines += [f"| {what} | {found} | {goal} | {met} |" for what, found, goal, met in self.rows]
        return "\n".join(lines)

    def ratio(self, what, slow, fast, goal):
        ratio = slow["seconds"] / fast["seconds"]
        text = f"{ratio:.1f} ({slow['seconds']:.2f} s / {fast['seconds']:.3f} s)"
        self.add(what, text, f">= {goal}", ratio >= goal)


def same_energy(case, *runs):
    if len({round(run["energy"]) for run in runs}) != 1:
        raise SystemExit(f"{case}: the solvers disagree: {[run['energy'] for run in runs]}")


def cuts(goals):
    case = "150x200x30"
    peer, other = measure(case, "bk"), measure(case, "ortools")
    reference, dual = measure(case, "reference", 3), measure(case, "dual", 3)
    same_energy(case, reference, dual)
    constant = reference["energy"] - peer["energy"]
    if round(other["energy"] + constant) != round(reference["energy"]):
        raise SystemExit("BK and OR-tools disagree")
    goals.ratio("200x150x30: reference engine against BK", peer, reference, 5)
    goals.ratio("200x150x30: reference engine against OR-tools", other, reference, 1)
    memory = reference["megabytes"] / peer["megabytes"]
    goals.add(
        "200x150x30: reference engine's memory over BK's", f"{memory:.2f}", "<= 0.20", memory <= 0.2
    )


def moves(goals):
    for case, goal in (("90x120x30", 30), ("150x200x30", 30), ("venus", 30)):
        peer, dual = measure(case, "bk"), measure(case, "dual", 5)
        goals.ratio(f"{case}: first move, dual engine against BK, one thread", peer, dual, goal)
    cones = measure("cones", "dual-2", 3)
    goals.add(
        "Cones: first move with proof, 2 threads",
        f"{cones['seconds']:.2f} s",
        "<= 5 s",
        cones["seconds"] <= 5,
    )
    goals.add(
        "Cones: memory", f"{cones['megabytes']:.0f} MB", "< 1000 MB", cones["megabytes"] < 1000
    )
    run = measure("kitti", "gswap-2")
    goals.add(
        "KITTI 000070: whole gswap run, 2 threads",
        f"{run['seconds']:.1f} s",
        "<= 60 s",
        run["seconds"] <= 60,
    )
    goals.add(
        "KITTI 000070: memory", f"{run['megabytes']:.0f} MB", "< 3000 MB", run["megabytes"] < 3000
    )


def exponent(sizes, seconds):
    """Of the power law that fits best."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def scaling(goals):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    widths, searched, spans = (100, 160, 240, 360, 540), (30, 60, 120, 240), (15, 30, 60, 120)
    pixel_cases = [f"{width * 3 // 4}x{width}x30" for width in widths]
    figure, axes = plt.subplots(1, 3, figsize=(13, 3.6), layout="constrained")
    sizes = [width * (width * 3 // 4) for width in widths]
    # Labels alone, and labels together with jumps as wide as they are: at the same threshold that
    # is a harder scene, which takes more sweeps.
    for axis, cases, size, name, goal in (
        (axes[0], pixel_cases, sizes, "pixels", 1.3),
        (axes[1], [f"120x400x30:{count}" for count in searched], searched, "labels", 1.3),
        (axes[2], [f"120x400x{count}" for count in spans], spans, "labels and jumps", None),
    ):
        seconds = [measure(case, "dual", 2)["seconds"] for case in cases]
        power = exponent(size, seconds)
        axis.loglog(size, seconds, "o-")
        axis.set(
            xlabel=name,
            ylabel="seconds, one thread",
            title=f"first move: time ~ {name}^{power:.2f}",
        )
        axis.grid(visible=True, which="both", alpha=0.3)
        if goal is None:
            goals.add(f"time against {name}", f"power {power:.2f}", "none", met=True)
        else:
            goals.add(f"time against {name}", f"power {power:.2f}", f"<= {goal}", power <= goal)
    for suffix in ("png", "svg"):
        figure.savefig(OUT / f"scaling.{suffix}")


def profile(goals):
    steps = ("load", "coarse", "sweep", "graph", "cut", "flow_back", "proof")
    lines = ["| problem | total | " + " | ".join(steps) + " | sweeps | cuts | nodes cut |"]
    lines.append("|---" * (len(steps) + 5) + "|")
    for case in ("90x120x30", "150x200x30", "venus", "cones", "kitti"):
        run = measure(case, "dual", 1)
        d = run["details"]
        shares = [f"{d.get(step + '_seconds', 0):.2f}" for step in steps]
        counts = [f"{d.get(name, 0):.0f}" for name in ("sweeps", "cuts", "cut_nodes")]
        lines.append(f"| {case} | {run['seconds']:.2f} | " + " | ".join(shares + counts) + " |")
    text = "Seconds of the first move, one thread:\n\n" + "\n".join(lines)
    print(text)
    (OUT / "profile.md").write_text(text + "\n")


PARTS = {"cuts": cuts, "moves": moves, "scaling": scaling, "profile": profile}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[])
    parser.add_argument("--child", nargs=2, metavar=("CASE", "SOLVER"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(*arguments.child)
        return 0
    OUT.mkdir(parents=True, exist_ok=True)
    goals = Goals()
    for name in arguments.parts or PARTS:
        print(name)
        PARTS[name](goals)
    table = goals.table()
    print(table)
    (OUT / "goals.md").write_text(table + "\n")
    return 0 if all(row[3] == "yes" for row in goals.rows) else 1


if __name__ == "__main__":
    sys.exit(main())
