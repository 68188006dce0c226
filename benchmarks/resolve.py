"""How long a problem takes that has changed in 5 % of its pixels, against the first run.

    python benchmarks/resolve.py

Venus, one connected region of it with new costs, gswap and trws, one thread. Exits with 1 where
solving again takes more than a third of the first time, by the clock or in processor time, or ends
more than 1 % higher than a run from scratch.
"""

import sys
import time

import numpy as np
from measuring import Table, parser, problem

import rangemoves as rm

MOST = 1 / 3


def changed(unary):
    height, width = unary.shape[:2]
    side = int((0.05 * height * width) ** 0.5)
    other = np.array(unary)
    y, x = height // 3, width // 3
    other[y : y + side, x : x + side] = np.roll(other[y : y + side, x : x + side], 3, axis=-1)
    return other


def clocks():
    return np.array([time.perf_counter(), time.process_time()])


def seconds_of(energy, other, method):
    """By the clock and of the processor: of the first run, and of the update with the next one."""
    solver = rm.Solver(energy, method, threads=1)
    begin = clocks()
    solver.solve()
    first = clocks() - begin
    begin = clocks()
    solver.update(unary=other)
    again = solver.solve()
    return first, clocks() - begin, again


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--repeat", type=int, default=5)
    given = arguments.parse_args()
    energy = problem("venus-quadratic")
    other = changed(energy.unary)
    table = Table("method", "seconds", "first", "again", "ratio", "energy", "from scratch")
    missed = False
    for method in ("gswap", "trws"):
        runs = [seconds_of(energy, other, method) for _ in range(given.repeat)]
        first, again = (np.min([run[k] for run in runs], axis=0) for k in (0, 1))
        scratch = rm.minimize(energy.replaced(unary=other), method, threads=1)
        found = runs[0][2].energy
        missed = missed or (again > MOST * first).any() or found > 1.01 * scratch.energy
        for kind, one, two in zip(("clock", "processor"), first, again, strict=True):
            cells = (f"{one:.3f}", f"{two:.3f}", f"{two / one:.2f}")
            table.row(method, kind, *cells, f"{found:.0f}", f"{scratch.energy:.0f}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
