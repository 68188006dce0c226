"""For those who come from gco: swap and expansion on a grid and on any graph.

    gco.cut_grid_graph_simple(unary, pairwise, algorithm="swap")
        ->   rm.minimize(rm.Energy(unary, prior, weights), "swap").labels
    gco.cut_general_graph(edges, weights, unary, pairwise, algorithm="expansion")
        ->   rm.minimize(rm.Energy(unary, prior, weights, edges=edges), "expansion").labels

Costs may be integers or floats of any size, expansion needs no metric, and nothing is rounded or
scaled by hand. Runs with and without gco-wrapper.
"""

import numpy as np

import rangemoves as rm

rng = np.random.default_rng(0)
truth = np.add.outer(np.arange(40) // 10, np.arange(60) // 12)
noisy = truth + rng.integers(-2, 3, truth.shape)
label = np.arange(9)
unary = np.minimum((noisy[..., None] - label) ** 2, 12).astype(np.int32)

energy = rm.Energy(unary, rm.TruncatedQuadratic(2), weights=2)
swap = rm.minimize(energy, "swap")
print(f"swap                 {swap.energy:.0f}")

try:
    import gco
except ImportError:
    print("gco                  not installed")
else:
    pairwise = (2 * np.minimum((label[:, None] - label) ** 2, 4)).astype(np.int32)
    theirs = gco.cut_grid_graph_simple(unary, pairwise, n_iter=-1, algorithm="swap")
    print(f"gco                  {energy(theirs.reshape(truth.shape)):.0f}")

# The same problem as a graph: any edges, a weight for each.
graph = rm.Energy(
    unary.reshape(-1, label.size), rm.TruncatedQuadratic(2), energy.weights, edges=energy.edges
)
expansion = rm.minimize(graph, "expansion")
print(f"expansion, a graph   {expansion.energy:.0f}")

# This prior is no metric: moves over many labels at once go lower.
gswap = rm.minimize(graph, "gswap", init=expansion)
print(f"gswap                {gswap.energy:.0f}")
