"""In which order should sweeps go over an image? Rows from the top, or the middle first.

    python benchmarks/order.py                          # all instances, all priors: hours
    python benchmarks/order.py tsukuba venus --priors quadratic linear
    python benchmarks/order.py --check tsukuba          # first: is it what the product does?

The other order: by the distance of a row from the middle row, then by the distance of a column from
the middle column. Both go through the same kernel, the one for graphs of any kind, so that nothing
but the order differs. The same number of sweeps counts as the same time: every variable is visited
once and every message made once in either, and only the variables in the middle row and column
differ, which share what they have among three chains in place of two.

The middle first is taken if neither bound nor energy is anywhere worse by more than 0.02 %. Prints
by how many per cent both end above those of the order by rows, and writes the table to
demo-output/order. Finished runs are kept there, and not made again.
"""

import json
import sys
from dataclasses import replace

import numpy as np
from measuring import Table, output_folder, parser, problem

import rangemoves as rm
from rangemoves.bench.problems import INSTANCES, PRIOR_NAMES

FOLDER = "order"
AFTER = (10, 30, 100)
ALLOWED = 0.02  # per cent


def by_rows(height, width):
    return np.arange(height * width)


def middle_first(height, width):
    """The pixels in this order, by their number."""
    down, right = (np.abs(2 * np.arange(side) - (side - 1)) for side in (height, width))
    rows, columns = np.argsort(down, kind="stable"), np.argsort(right, kind="stable")
    return (rows[:, None] * width + columns).reshape(-1)


ORDERS = {"rows": by_rows, "middle": middle_first}


def in_order(energy, order):
    """The same energy, its variables numbered so that sweeps visit them in this order.

    Rows of a known length say that the numbers are an order to be kept. One more variable, without
    edges, keeps these from being a grid's, which another kernel would sweep.
    """
    pixels, width = energy.num_variables, energy.shape[1]
    place = np.empty(pixels, np.int64)
    place[order(*energy.shape)] = np.arange(pixels)
    costs = np.zeros((pixels + 1, energy.num_labels), energy.unary.dtype)
    costs[place] = energy.unary.reshape(pixels, -1)
    graph = rm.Energy(costs, energy.prior, energy.weights, edges=place[energy.edges], copy=False)
    graph._neighbourhood = replace(graph._neighbourhood, row=width)
    found = graph._neighbourhood.topology(graph.num_variables)
    if found.kind != "general" or found.order is not None:
        raise RuntimeError(f"sweeps would not keep the order: {found}")
    return graph


def sweeps(energy, count):
    """Bound and energy of the best labelling after 1, 2, ... sweeps there and back."""
    trace = rm.minimize(energy, "trws", max_iter=count, threads=1).trace
    return {r.iteration: (r.lower_bound, r.energy) for r in trace if r.iteration > 0}


def measured(case, order, count):
    file = output_folder(FOLDER) / f"{case}-{order}-{count}.json"
    if not file.exists():
        found = sweeps(in_order(problem(case), ORDERS[order]), count)
        # A run that has met its bound ends before the last sweep.
        file.write_text(json.dumps({n: found[min(n, max(found))] for n in AFTER if n <= count}))
    return {int(n): values for n, values in json.loads(file.read_text()).items()}


def check(case):
    """Rows from the top must be what the product's own sweeps over a grid find."""
    grid, graph = problem(case), in_order(problem(case), by_rows)
    ours, theirs = sweeps(grid, min(AFTER)), sweeps(graph, min(AFTER))
    same = ours == theirs
    print(f"{case}: as a grid {ours[min(AFTER)]}, as a graph {theirs[min(AFTER)]}", flush=True)
    return same


def per_cent(ours, theirs):
    return 100 * (ours - theirs) / abs(theirs)


def main():
    arguments = parser(__doc__)
    instances = [name for name in INSTANCES if not name.startswith("synthetic")]
    arguments.add_argument("instances", nargs="*", help=", ".join(instances))
    arguments.add_argument("--priors", nargs="+", choices=PRIOR_NAMES, default=[*PRIOR_NAMES])
    arguments.add_argument("--sweeps", type=int, choices=AFTER, default=max(AFTER))
    arguments.add_argument("--check", action="store_true", help="against sweeps over a grid")
    given = arguments.parse_args()
    cases = {
        f"{name}-{prior}": f"{name}, {PRIOR_NAMES[prior]}"
        for name in given.instances or instances
        for prior in given.priors
    }
    if given.check:
        return sum(not check(case) for case in cases)
    table = Table(
        "",
        *(f"{what}, {n}" for what in ("bound", "energy") for n in AFTER),
        "bound and energy, rows",
    )
    worse = 0
    for case, title in cases.items():
        rows, middle = (measured(case, order, given.sweeps) for order in ORDERS)
        entries, losses = [], []
        for what, sign in ((0, -1), (1, 1)):
            for n in AFTER:
                if n not in rows:
                    entries.append("-")
                    continue
                change = per_cent(middle[n][what], rows[n][what])
                losses.append(sign * change)
                entries.append(f"{change:+.3f}")
        worse += max(losses) > ALLOWED
        bound, energy = rows[max(rows)]
        table.row(title, *entries, f"{bound:.0f}, {energy:.0f}")
    print(f"\nworse by more than {ALLOWED} % somewhere: {worse} of {len(cases)} rows")
    (output_folder(FOLDER) / "table.md").write_text(f"{table}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
