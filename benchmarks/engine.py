"""The exact move beside other people's max-flow: the same convex problem, the same run.

    python benchmarks/engine.py                    # all of it, about 15 minutes
    python benchmarks/engine.py cuts               # one cut: BK, OR-tools and both engines
    python benchmarks/engine.py moves              # first moves against BK and the reference engine
    python benchmarks/engine.py threads            # first moves with one thread and with two
    python benchmarks/engine.py later              # whole runs of gswap: Teddy, KITTI
    python benchmarks/engine.py scaling            # time against pixels and labels, plotted
    python benchmarks/engine.py profile            # where the time goes

Every measurement is a process of its own, on one thread unless it says otherwise. Peers are timed
without building their graph, we with everything. Ratios are against the peer in the same run; the
best of several counts. How time grows is measured in seconds of the processor. Writes tables
(Markdown) and plots to demo-output/engine. Exits with 1 if a goal is missed.
"""

import argparse
import json
import sys
import time

from measuring import (
    Goals,
    Table,
    in_own_process,
    output_folder,
    parser,
    problem,
    restoration,
    timed,
)

from rangemoves import minimize
from rangemoves.bench import peers
from rangemoves.bench.growth import exponent
from rangemoves.bench.scaling import textured
from rangemoves.machine import own_peak_memory

FOLDER = "engine"
CROPPED = (60, 80)
PROFILED = ("90x120x30", "150x200x30", "venus", "cones", "kitti")


def energy_of(case):
    """A named pair or image, or HEIGHTxWIDTHxLABELS of a rendered pair.

    With ":N" such a pair is searched among N labels, and the middle of the image has N levels.
    """
    if case == "house":
        return restoration(case)
    if case.startswith("house:"):
        return restoration("house", CROPPED, int(case.removeprefix("house:")))
    if not case[0].isdigit():
        name = "kitti-000070" if case == "kitti" else case
        return problem(name if "-linear" in name else f"{name}-quadratic")
    size, _, searched = case.partition(":")
    return textured(*map(int, size.split("x")), searched=int(searched) if searched else None)


def theirs(flow):
    return lambda energy: (*flow(energy), {})


def ours(engine, threads=1, max_iter=1):
    def run(energy):
        result, seconds = timed(
            lambda: minimize(
                energy,
                "gswap",
                engine=engine,
                threads=threads,
                max_iter=max_iter,
                strategy="alternate",
            )
        )
        if not result.proven:
            raise RuntimeError("a move was not proven optimal")
        first = result.trace[0] if max_iter == 1 else result.trace[-1]
        details = {
            "iterations": result.iterations,
            "energy": result.energy,
            "first_seconds": result.trace[0].seconds,
            **result.statistics,
        }
        return first.surrogate_energy, seconds, details

    return run


SOLVERS = {
    "bk": theirs(peers.bk),
    "ortools": theirs(peers.ortools),
    "reference": ours("reference"),
    "dual": ours("dual"),
    "dual-2": ours("dual", threads=2),
    "gswap": ours("dual", max_iter=None),
    "gswap-2": ours("auto", threads=2, max_iter=None),
}


def child(case, solver):
    energy = energy_of(case)
    before = own_peak_memory()
    (value, seconds, details), cpu_seconds = timed(
        lambda: SOLVERS[solver](energy), clock=time.process_time
    )
    more = (own_peak_memory() - before) / 1e6
    report = {
        "energy": value,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,  # of all threads, and of peers with the graph
        "megabytes": more,
        "details": details,
    }
    print(json.dumps(report))


def measure(case, solver, repeat=1, by="seconds"):
    """The fastest of several processes."""
    runs = [in_own_process(__file__, "--child", case, solver) for _ in range(repeat)]
    best = min(runs, key=lambda run: run[by])
    print(
        f"  {case:>12} {solver:>10} {best[by]:9.3f} s {best['megabytes']:8.0f} MB",
        flush=True,
    )
    return best


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
    ours = reference["seconds"]
    goals.ratio("200x150x30: reference engine against BK", peer["seconds"], ours, 5)
    goals.ratio("200x150x30: reference engine against OR-tools", other["seconds"], ours, 1)
    memory = reference["megabytes"] / peer["megabytes"]
    goals.at_most("200x150x30: reference engine's memory over BK's", memory, 0.2, "")


def moves(goals):
    for case, goal in (("90x120x30", 30), ("150x200x30", 100), ("venus", 60)):
        peer, reference, dual = (
            measure(case, "bk"),
            measure(case, "reference"),
            measure(case, "dual", 5),
        )
        same_energy(case, reference, dual)
        what = f"{case}: first move, dual engine against BK, one thread"
        goals.ratio(what, peer["seconds"], dual["seconds"], goal)
        what = f"{case}: first move, dual engine against the reference engine"
        goals.ratio(what, reference["seconds"], dual["seconds"], 25)
    cones = measure("cones", "dual-2", 3)
    goals.at_most("Cones: first move with proof, 2 threads", cones["seconds"], 5, "s")
    goals.at_most("Cones: memory", cones["megabytes"], 1000, "MB", ".0f")
    kitti = measure("kitti", "dual")
    goals.at_most("KITTI 000070: memory of the first move", kitti["megabytes"], 500, "MB", ".0f")
    house = measure("house", "dual", 2)
    goals.at_most("House, 256 labels, plain quadratic, one thread", house["seconds"], 10, "s")


def threads(goals):
    for case in ("venus", "cones", "kitti"):
        repeat = 1 if case == "kitti" else 5
        one, two = measure(case, "dual", repeat), measure(case, "dual-2", repeat)
        same_energy(case, one, two)
        goals.ratio(f"{case}: whole first move, two threads", one["seconds"], two["seconds"], 1.6)


def later(goals):
    """Moves after the first, which change little: a whole run over its first move."""
    run = measure("teddy-linear", "gswap", 2)
    what = "Teddy, truncated linear: seconds of the whole gswap run over those of its first move"
    goals.at_most(what, run["seconds"] / run["details"]["first_seconds"], 1.4, "")
    run = measure("kitti", "gswap-2")
    goals.at_most("KITTI 000070: whole gswap run, 2 threads", run["seconds"], 10, "s", ".1f")
    goals.at_most("KITTI 000070: memory of the run", run["megabytes"], 3000, "MB", ".0f")


def scaling(goals):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    widths, searched, spans = (100, 160, 240, 360, 540), (30, 60, 120, 240), (15, 30, 60, 120)
    levels = (16, 32, 64, 128, 256)
    pixel_cases = [f"{width * 3 // 4}x{width}x30" for width in widths]
    figure, axes = plt.subplots(1, 4, figsize=(17, 3.6), layout="constrained")
    sizes = [width * (width * 3 // 4) for width in widths]
    # Labels alone, and labels together with jumps as wide as they are: at the same threshold that
    # is a harder scene, which takes more sweeps. A plain quadratic bends everywhere.
    for axis, cases, size, name, goal in (
        (axes[0], pixel_cases, sizes, "pixels", 1.05),
        (axes[1], [f"120x400x30:{count}" for count in searched], searched, "labels", 1.15),
        (axes[2], [f"120x400x{count}" for count in spans], spans, "labels and jumps", None),
        (axes[3], [f"house:{count}" for count in levels], levels, "labels, plain quadratic", 1.15),
    ):
        runs = [measure(case, "dual", 3, by="cpu_seconds") for case in cases]
        seconds = [run["cpu_seconds"] for run in runs]
        power = exponent(size, seconds)
        axis.loglog(size, seconds, "o-")
        axis.set(
            xlabel=name,
            ylabel="seconds of the processor, one thread",
            title=f"first move: power {power:.2f}",
        )
        axis.grid(visible=True, which="both", alpha=0.3)
        if goal is None:
            goals.add(f"time against {name}", f"power {power:.2f}", "none", met=True)
        else:
            goals.add(f"time against {name}", f"power {power:.2f}", f"<= {goal}", power <= goal)
    for suffix in ("png", "svg"):
        figure.savefig(output_folder(FOLDER) / f"scaling.{suffix}")


def profile(goals):
    steps = ("load", "coarse", "sweep", "graph", "cut", "flow_back", "proof", "part")
    runs = {case: measure(case, "dual") for case in PROFILED}
    print("Seconds of the first move, one thread:\n")
    table = Table("problem", "total", *steps, "sweeps", "cuts", "nodes cut")
    for case, run in runs.items():
        d = run["details"]
        shares = [f"{d.get(step + '_seconds', 0):.2f}" for step in steps]
        counts = [f"{d.get(name, 0):.0f}" for name in ("sweeps", "cuts", "cut_nodes")]
        table.row(case, f"{run['seconds']:.2f}", *shares, *counts)
    (output_folder(FOLDER) / "profile.md").write_text(f"{table}\n")


PARTS = {
    "cuts": cuts,
    "moves": moves,
    "threads": threads,
    "later": later,
    "scaling": scaling,
    "profile": profile,
}


def main():
    arguments = parser(__doc__)
    arguments.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[])
    arguments.add_argument("--child", nargs=2, metavar=("CASE", "SOLVER"), help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.child:
        child(*given.child)
        return 0
    goals = Goals()
    for name in given.parts or PARTS:
        print(name)
        PARTS[name](goals)
    table, code = goals.tell()
    (output_folder(FOLDER) / "goals.md").write_text(f"{table}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
