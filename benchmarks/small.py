"""How long ``best`` takes to prove the optimum of small problems of all kinds.

    python benchmarks/small.py                          # 1000 problems of up to 60 variables
    python benchmarks/small.py --first 1000 --count 200 --limit 60

Each runs on one thread with a certificate, which is checked. Seconds are those of the processor, so
that a busy machine changes little; --limit is by the clock. Goals: 99 of 100 within 0.1 s, and none
that is not proven. Exits with 1 where one is missed.
"""

import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
from measuring import parser as script_parser

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from fuzz.small_problems import draw_small_problem

import rangemoves as rm

SEED = 77
QUICK = 0.1


def main() -> int:
    parser = script_parser(__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--limit", type=float, default=30.0, help="seconds for one problem")
    asked = parser.parse_args()
    seconds, slow, unproven = [], Counter(), Counter()
    for number in range(asked.first, asked.first + asked.count):
        energy, tags = draw_small_problem(np.random.default_rng([SEED, number]))
        name = f"{tags['topology']}, {tags['prior']}"
        begin = time.process_time()
        result = rm.minimize(energy, "best", time_limit=asked.limit, threads=1, certificate=True)
        seconds.append(time.process_time() - begin)
        checked = time.process_time()
        rm.testing.check_certificate(energy, result)
        checked = time.process_time() - checked
        slow[name] += seconds[-1] > QUICK
        unproven[name] += result.status != "optimal"
        if seconds[-1] > QUICK or result.status != "optimal":
            print(
                f"{number}: {name}, {energy.num_variables} variables, {energy.num_labels} labels: "
                f"{result.status} in {seconds[-1]:.2f} s, checked in {checked:.2f} s, "
                f"energy {result.energy:g}, bound {result.lower_bound:g}",
                flush=True,
            )
    within = np.quantile(seconds, [0.5, 0.9, 0.99, 1.0])
    print("processor's seconds: half, 90 %, 99 %, all within", *(f"{s:.4f}" for s in within))
    for title, counted in (("over 0.1 s", slow), ("not proven", unproven)):
        print(f"{title}: {counted.total()} of {asked.count};", dict((+counted).most_common()))
    return 1 if slow.total() > asked.count / 100 or unproven.total() else 0


if __name__ == "__main__":
    sys.exit(main())
