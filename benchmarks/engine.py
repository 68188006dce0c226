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
from rangemoves.convexify import convexify

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("RANGEMOVES_DATA", ROOT.parent / "shared" / "data"))
OUT = ROOT / "demo-output" / "engine"


def textured(height, width, labels):
    """A textured pair of any size, threshold 4, weight 20."""
    pair = rm.datasets.synthetic_stereo(shape=(height, width), labels=labels)
    cost = rm.stereo.cost_volume(pair.left, pair.right, labels)
    return rm.Energy(cost, rm.TruncatedQuadratic(4), weights=20)


def public(name, labels, threshold, weight, **cost):
    pair = rm.datasets.middlebury(name, DATA / "middlebury")
    volume = rm.stereo.cost_volume(pair.left, pair.right, labels, **cost)
    return rm.Energy(volume, rm.TruncatedQuadratic(threshold), weights=weight)


def kitti():
    pair = rm.datasets.kitti("000070", root=DATA / "kitti")
    volume = rm.stereo.cost_volume(pair.left, pair.right, 40)
    return rm.Energy(volume, rm.TruncatedQuadratic(8), weights=20)


def problem(case):
    if case == "venus":
        return public("venus", 20, 3, 50, squared=True, truncate=16)
    if case == "sawtooth":
        return public("sawtooth", 20, 3, 20)
    if case == "cones":
        return public("cones", 60, 8, 10)
    if case == "kitti":
        return kitti()
    height, width, labels = (int(n) for n in case.split("x"))
    return textured(height, width, labels)


class Ishikawa:
    """The graph of the first move, for a library that takes arcs (section 3 of the paper)."""

    def __init__(self, energy):
        labels = energy.num_labels
        self.unary = np.asarray(energy.unary, np.int64).reshape(-1, labels)
        self.tail, self.head = energy.tail, energy.head
        self.weight = energy.weights.astype(np.int64)
        surrogate = convexify(energy.table.astype(int))
        self.bend = dict(zip(range(2 - labels, labels - 1), np.diff(surrogate, 2), strict=True))

    @property
    def nodes(self):
        return self.unary.shape[0] * (self.unary.shape[1] - 1)

    def level(self, variables, a):
        return variables * (self.unary.shape[1] - 1) + a - 1

    def arcs(self):
        """(from, to, capacity, capacity back) in pieces; 10^9 is infinite."""
        labels = self.unary.shape[1]
        everyone = np.arange(self.unary.shape[0])
        for a in range(1, labels - 1):
            infinite = np.full(len(everyone), 10**9)
            yield self.level(everyone, a), self.level(everyone, a + 1), self.unary[:, a], infinite
        for a in range(1, labels):
            for b in range(1, labels):
                if self.bend[a - b] == 0:
                    continue
                capacity = self.weight * self.bend[a - b]
                # The prior is symmetric: half of a diagonal cell goes either way.
                forward = capacity if a > b else capacity // 2 if a == b else 0 * capacity
                yield (
                    self.level(self.tail, a),
                    self.level(self.head, b),
                    forward,
                    capacity - forward,
                )


def bk(energy):
    """Boykov-Kolmogorov as PyMaxflow has it."""
    import maxflow

    model = Ishikawa(energy)
    labels = model.unary.shape[1]
    graph = maxflow.GraphInt(model.nodes, model.nodes * 9)
    nodes = graph.add_nodes(model.nodes).reshape(-1, labels - 1)
    source = np.zeros(nodes.shape, np.int32)
    sink = np.zeros(nodes.shape, np.int32)
    source[:, 0] = model.unary[:, 0]
    sink[:, -1] = model.unary[:, -1]
    graph.add_grid_tedges(nodes, source, sink)
    for tail, head, there, back in model.arcs():
        graph.add_edges(tail, head, there.astype(np.int32), back.astype(np.int32))
    begin = time.perf_counter()
    value = graph.maxflow()
    return value, time.perf_counter() - begin, {}


def ortools(energy):
    """Push-relabel as OR-tools has it."""
    from ortools.graph.python import max_flow

    model = Ishikawa(energy)
    flow = max_flow.SimpleMaxFlow()
    for tail, head, there, back in model.arcs():
        for start, end, capacity in ((tail, head, there), (head, tail, back)):
            used = capacity > 0
            flow.add_arcs_with_capacity(start[used], end[used], capacity[used])
    everyone = np.arange(model.unary.shape[0])
    source, sink = model.nodes, model.nodes + 1
    last = model.unary.shape[1] - 1
    ends = np.full(len(everyone), source), np.full(len(everyone), sink)
    flow.add_arcs_with_capacity(ends[0], model.level(everyone, 1), model.unary[:, 0])
    flow.add_arcs_with_capacity(model.level(everyone, last), ends[1], model.unary[:, last])
    begin = time.perf_counter()
    if flow.solve(source, sink) != flow.OPTIMAL:
        raise RuntimeError("OR-tools found no optimum")
    return flow.optimal_flow(), time.perf_counter() - begin, {}


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
    "bk": bk,
    "ortools": ortools,
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

    widths, labels = (100, 160, 240, 360, 540), (15, 30, 60, 120)
    pixel_cases = [f"{width * 3 // 4}x{width}x30" for width in widths]
    label_cases = [f"120x400x{count}" for count in labels]
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    sizes = [width * (width * 3 // 4) for width in widths]
    for axis, cases, size, name in (
        (axes[0], pixel_cases, sizes, "pixels"),
        (axes[1], label_cases, list(labels), "labels"),
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
        goals.add(f"time against {name}", f"power {power:.2f}", "<= 1.3", power <= 1.3)
    for suffix in ("png", "svg"):
        figure.savefig(OUT / f"scaling.{suffix}")


def profile(goals):
    steps = ("load", "sweep", "graph", "cut", "flow_back", "proof")
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
