"""For those who come from PyMaxflow: alpha-expansion on a grid, and what to try next.

    maxflow.fastmin.aexpansion_grid(unary, pairwise)   ->   rm.minimize(energy, "expansion").labels

PyMaxflow takes a cost for every pair of labels; here it is a function of their difference and a
weight per edge, which is what ordered labels have. Runs with and without PyMaxflow.
"""

import numpy as np

import rangemoves as rm

pair = rm.datasets.synthetic_stereo(seed=0, shape=(72, 96), labels=12)
unary = rm.stereo.cost_volume(pair.left, pair.right, labels=pair.labels)
energy = rm.Energy(unary, rm.TruncatedLinear(2), weights=20)

expansion = rm.minimize(energy, "expansion")
print(f"expansion            {expansion.energy:.0f}")

try:
    from maxflow import fastmin
except ImportError:
    print("PyMaxflow            not installed")
else:
    label = np.arange(pair.labels)
    pairwise = 20.0 * np.minimum(np.abs(label[:, None] - label), 2)
    theirs = fastmin.aexpansion_grid(unary.astype(float), pairwise)
    print(f"PyMaxflow            {energy(theirs.astype(np.int32)):.0f}")

# The same call, other methods; a result is a start for the next.
better = rm.minimize(energy, "irgc+expansion", init=expansion)
print(f"irgc+expansion       {better.energy:.0f}")

# And how far from the optimum that can be.
bounded = rm.minimize(energy, "expansion", init=better, bound=True)
print(f"lower bound          {bounded.lower_bound:.0f}, gap {100 * bounded.gap:.2f} %")
