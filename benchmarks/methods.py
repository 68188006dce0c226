"""Our binary moves beside PyMaxflow's and gco's on Venus: one thread, the same energy, in one run.

    python benchmarks/methods.py                   # tables
    python benchmarks/methods.py --json out.json   # and the figures for machines

The truncated quadratic of the paper; the best of three counts. Exits with 1 if a goal is missed: a
ratio of times, at an energy that is no higher. Needs ``make bench``.
"""

import json
import sys
from pathlib import Path

from measuring import DATA, Goals, Table, fastest, parser

from rangemoves.bench import compare, peers
from rangemoves.bench.problems import INSTANCES

REPEAT = 3
PRIOR = "quadratic"
SOLVERS = {
    "expansion": compare.ours(PRIOR, "expansion"),
    "PyMaxflow aexpansion_grid": compare.labelling(
        PRIOR, lambda energy, _: peers.pymaxflow_expansion(energy)
    ),
    "swap": compare.ours(PRIOR, "swap"),
    "gco swap": compare.labelling(PRIOR, lambda energy, _: peers.gco(energy, "swap")),
}
# Ours, theirs, how many times faster ours has to be.
GOALS = [("expansion", "PyMaxflow aexpansion_grid", 3), ("swap", "gco swap", 2)]


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--json", type=Path, help="where to write the figures")
    given = arguments.parse_args()
    venus = INSTANCES["venus"]
    runs = fastest({name: solver(venus, DATA, 1) for name, solver in SOLVERS.items()}, REPEAT)
    table = Table("solver", "seconds", "energy")
    for name, (found, seconds) in runs.items():
        table.row(name, f"{seconds:.2f}", f"{found.energy:.0f}")
    goals = Goals()
    figures = {
        name: {"seconds": seconds, "energy": found.energy}
        for name, (found, seconds) in runs.items()
    }
    for name, rival, goal in GOALS:
        ours, theirs = figures[name], figures[rival]
        ours["ratio"] = theirs["seconds"] / ours["seconds"]
        goals.ratio(
            f"{name} against {rival}",
            theirs["seconds"],
            ours["seconds"],
            goal,
            met=ours["energy"] <= theirs["energy"],
        )
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return goals.tell()[1]


if __name__ == "__main__":
    sys.exit(main())
