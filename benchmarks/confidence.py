"""How well a confidence sorts out the wrong disparities: ours beside margins of the raw costs.

    python benchmarks/confidence.py                 # the Middlebury pairs, KITTI, synthetic pairs
    python benchmarks/confidence.py --pairs venus   # one of them

The area under the sparsification curve: the mean, over all n, of the percentage of the n surest
pixels that are more than one pixel off. Smaller is better; the last column is what an order that
knows the errors would have. Exits with 1 where ours is not the smaller.
"""

import sys

import numpy as np
from measuring import DATA, Goals, Table, parser

import rangemoves as rm
from rangemoves.stereo.confidence import confidence


def pairs(names):
    for name in names:
        if name == "kitti":
            yield rm.datasets.kitti(70, DATA)
        elif name.startswith("synthetic-"):
            yield rm.datasets.synthetic_stereo(seed=int(name.removeprefix("synthetic-")))
        else:
            yield rm.datasets.middlebury(name, DATA)


def area(sure, wrong):
    # Ties in random order: a map of one value must not profit from the order of pixels.
    order = np.lexsort((np.random.default_rng(0).random(sure.size), -sure))
    return 100 * float(np.mean(np.cumsum(wrong[order]) / np.arange(1, wrong.size + 1)))


def compare(pair):
    found = rm.stereo.StereoMatcher(labels=pair.labels).run(pair.left, pair.right, confidence=True)
    raw = rm.stereo.cost_volume(pair.left, pair.right, pair.labels, "census")
    pixel = rm.stereo.cost_volume(pair.left, pair.right, pair.labels, truncate=20)
    raw = 2 * raw + pixel * (3 if pair.left.ndim == 2 else 1)
    known = np.isfinite(pair.disparity)
    wrong = (np.abs(found.disparity - pair.disparity) > 1)[known]
    labels = np.clip(np.rint(found.disparity), 0, pair.labels - 1).astype(np.int32)
    orders = (
        found.confidence,
        confidence(raw, raw.argmin(axis=2).astype(np.int32), 32.0),
        confidence(raw, labels, 32.0),
        None,
    )
    return [
        area(-wrong.astype(float) if order is None else order[known], wrong) for order in orders
    ]


def main():
    everything = [*rm.datasets.middlebury_names(), "kitti", "synthetic-0", "synthetic-1"]
    arguments = parser(__doc__)
    arguments.add_argument("--pairs", nargs="*", default=everything)
    names = arguments.parse_args().pairs
    goals = Goals()
    table = Table("pair", "confidence", "raw, cheapest", "raw, chosen", "perfect")
    for pair in pairs(names):
        ours, *others = compare(pair)
        table.row(pair.name, *(f"{value:.2f}" for value in (ours, *others)))
        raw = min(others[:2])
        goals.add(f"{pair.name}: area", f"{ours:.2f}", f"< {raw:.2f}", ours < raw)
    return goals.tell()[1]


if __name__ == "__main__":
    sys.exit(main())
