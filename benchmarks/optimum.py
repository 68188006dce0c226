"""Does ``best`` prove the global optimum, and within what time? Where it cannot: how far it gets.

    python benchmarks/optimum.py                                # all problems, 2 threads
    python benchmarks/optimum.py sawtooth-quadratic --verify    # one; its certificate is checked
    python benchmarks/optimum.py --markdown demo-output/optimum.md
    python benchmarks/optimum.py sawtooth-quadratic --picture demo-output/proof.svg

Goals are a status of "optimal", the optimum that is known, and seconds of wall-clock time, with a
certificate asked for. A busy machine needs more of them: --patience 4 lets a run go on for four
times its goal, which it then misses, but is proven. CPU seconds are those of all threads together.
Exits with 1 where a goal is missed.
"""

import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from measuring import DATA, ROOT, Goals, Table, parser, problem
from trws import tsukuba

import rangemoves as rm
from rangemoves.bench import machine

THREADS = 2


@dataclass(frozen=True)
class Goal:
    """Seconds that a run may take, and the optimum that it must prove; None: as far as it gets."""

    seconds: float
    optimum: int | None = None


GOALS = {
    "sawtooth-quadratic": Goal(20, 1_032_840),
    "venus-quadratic": Goal(20, 3_072_775),
    "cones-quadratic": Goal(40, 2_694_923),
    "teddy-quadratic": Goal(90, 2_985_253),
    "sawtooth-linear": Goal(60, 919_202),
    "venus-linear": Goal(60, 2_891_937),
    "tsukuba-benchmark": Goal(10, 369_218),
    "sawtooth-cauchy": Goal(60),
    "venus-cauchy": Goal(60),
    "cones-cauchy": Goal(60),
    "teddy-cauchy": Goal(60),
    "kitti-000070-quadratic": Goal(60),
    "kitti-000070-linear": Goal(60),
    "kitti-000070-cauchy": Goal(60),
}


@dataclass(frozen=True)
class Run:
    energy: rm.Energy
    result: rm.Result
    cpu_seconds: float


def solve(name, patience):
    energy = tsukuba() if name == "tsukuba-benchmark" else problem(name)
    limit = GOALS[name].seconds * (patience if GOALS[name].optimum else 1)
    begin = time.process_time()
    result = rm.minimize(energy, "best", time_limit=limit, threads=THREADS, certificate=True)
    return Run(energy, result, time.process_time() - begin)


def proof_in_numbers(result):
    """Islands, variables of the largest one, branches: from the certificate of the bound."""
    if result.certificate is None:
        return "-", "-", "-"
    islands = result.certificate.islands
    branches = sum(step.kind == "split" for island in islands for step in island.steps)
    return len(islands), max((len(i.variables) for i in islands), default=0), branches


def verified(run):
    """What a checker that knows nothing of the solver says of the bound."""
    if run.result.certificate is None:
        return "no certificate"
    begin = time.perf_counter()
    try:
        bound = rm.testing.check_certificate(run.energy, run.result)
    except ValueError as error:
        return f"NO: {error}"
    return f"{amount(bound)} in {time.perf_counter() - begin:.0f} s"


def amount(value):
    """An energy in the form 1 032 840, with a decimal where there is one."""
    form = f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"
    return form.replace(",", " ")


def judge(name, run, goals):
    goal, result = GOALS[name], run.result
    if goal.optimum is None:
        return
    found = f"{result.status}, {amount(result.energy)}"
    proven = result.status == "optimal" and result.energy == goal.optimum
    goals.add(name, found, f"optimal, {amount(goal.optimum)}", proven)
    goals.at_most(f"{name}, time", result.seconds, goal.seconds, "s", ".1f")


def measure(names, given, goals):
    head = ["problem", "energy", "bound", "gap %", "status", "s", "CPU s"]
    head += ["islands", "largest", "branches", *(["verified"] if given.verify else [])]
    table = Table(*head)
    for name in names:
        run = solve(name, given.patience)
        result = run.result
        check = [verified(run)] if given.verify else []
        table.row(
            name,
            amount(result.energy),
            "-" if result.lower_bound is None else amount(result.lower_bound),
            "-" if result.gap is None else f"{100 * result.gap:.4f}",
            result.status,
            f"{result.seconds:.1f}",
            f"{run.cpu_seconds:.1f}",
            *proof_in_numbers(result),
            *check,
        )
        judge(name, run, goals)
        if check and check[0].startswith("NO"):
            goals.add(f"{name}, certificate", check[0], "verified", False)
        if given.picture and result.certificate is not None:
            draw(name, run, given.picture)
    return table


def draw(name, run, path):
    slack = rm.testing.slack_map(run.energy, run.result)
    figure = rm.plots.proof(run.result, slack, title=f"{name}: {run.result.status}")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    print(f"wrote {path}", file=sys.stderr)


def where():
    """The machine and the commit, in a line."""
    asked = ["git", "-C", ROOT, "describe", "--always", "--dirty"]
    said = subprocess.run(asked, capture_output=True, text=True, check=False)
    commit = said.stdout.strip() or "unknown"
    return f"{machine.in_short()}; {THREADS} threads; commit {commit}"


def main():
    arguments = parser(__doc__)
    arguments.add_argument("problems", nargs="*", help=", ".join(GOALS))
    arguments.add_argument("--verify", action="store_true", help="check the certificates")
    arguments.add_argument("--patience", type=float, default=1.0, help="times the limit of time")
    arguments.add_argument("--markdown", type=Path, help="write both tables to this file")
    arguments.add_argument("--picture", type=Path, help="SVG or PNG of the proof of one problem")
    given = arguments.parse_args()
    for name in given.problems:
        if name not in GOALS:
            arguments.error(f"no such problem: {name}; one of {', '.join(GOALS)}")
    if given.picture and len(given.problems) != 1:
        arguments.error("--picture shows one problem; name it")
    goals = Goals()
    print(where(), f"images from {DATA}", sep="; ", end="\n\n")
    table = measure(given.problems or list(GOALS), given, goals)
    print()
    summary, code = goals.tell()
    if given.markdown:
        given.markdown.parent.mkdir(parents=True, exist_ok=True)
        text = f"{where()}\n\n{table}\n\n{summary}\n"
        given.markdown.write_text(text, encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
