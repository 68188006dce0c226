"""Random problems of up to 60 variables, as many kinds of them as there are: all are to be solved.

Grids with 4 and 8 neighbours, volumes with 6 and 26, sparse and dense graphs and trees; all priors,
among them tables of random values and such that push labels apart; weights that do and do not drown
the costs of labels.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import rangemoves as rm

MOST_VARIABLES = 60
MOST_LABELS = 12
REACH = 2  # of offsets

_TOPOLOGIES = {
    "grid-4": 0.2,
    "grid-8": 0.2,
    "volume-6": 0.1,
    "volume-26": 0.1,
    "sparse": 0.15,
    "dense": 0.15,
    "tree": 0.1,
}
_PRIORS = ["linear", "quadratic", "Cauchy", "Huber", "table", "table", "apart"]


def draw_small_problem(rng: np.random.Generator) -> tuple[rm.Energy, dict[str, str]]:
    """Return an energy, and what it is called by kind."""
    labels = int(rng.integers(2, MOST_LABELS + 1))
    topology = str(rng.choice(list(_TOPOLOGIES), p=list(_TOPOLOGIES.values())))
    shape, options = _shape(rng, topology)
    prior = str(rng.choice(_PRIORS))
    edges = options.get("edges")
    reach = REACH if edges is not None and rng.random() < 0.15 else 0
    unary = rng.integers(0, int(rng.choice([5, 20, 100])), (*shape, labels))
    weight: Any = int(rng.choice([1, 2, 5, 20]))
    if edges is not None and rng.random() < 0.4:
        weight = weight * rng.integers(0, 4, len(edges))
    if reach:
        options["offsets"] = rng.integers(-reach, reach + 1, len(edges))
    if edges is None and rng.random() < 0.15:
        options["mask"] = rng.random(shape) < 0.85
        options["mask"].reshape(-1)[0] = True
    if rng.random() < 0.3:
        unary = unary + rng.random(unary.shape)
    energy = rm.Energy(unary, _prior(rng, prior, labels - 1 + reach), weight, **options)
    return energy, {"topology": topology, "prior": prior, "dtype": unary.dtype.name}


def _shape(rng: np.random.Generator, topology: str) -> tuple[tuple[int, ...], dict[str, Any]]:
    kind, _, neighbours = topology.partition("-")
    if neighbours:
        axes, most = (2, 16) if kind == "grid" else (3, 6)
        while True:
            shape = tuple(rng.integers(1 if axes == 2 else 2, most, axes).tolist())
            if 2 <= np.prod(shape) <= MOST_VARIABLES:
                return shape, {"connectivity": int(neighbours)}
    count = int(rng.integers(2, MOST_VARIABLES + 1))
    if kind == "tree":
        pairs = np.array([(rng.integers(0, i), i) for i in range(1, count)])
    else:
        # Edges for each variable.
        low, high = (1, 2) if kind == "sparse" else (2, 4)
        tail = rng.integers(0, count, int(rng.integers(low * count, high * count + 1)))
        head = (tail + rng.integers(1, count, len(tail))) % count
        pairs = np.unique(np.sort(np.stack([tail, head], axis=1), axis=1), axis=0)
    return (count,), {"edges": pairs}


def _prior(rng: np.random.Generator, kind: str, length: int) -> rm.Prior:
    T = int(rng.integers(1, 4))
    named = {"linear": rm.TruncatedLinear, "quadratic": rm.TruncatedQuadratic}
    named |= {"Cauchy": rm.Cauchy, "Huber": rm.Huber}
    if kind in named:
        return named[kind](T)
    values = rng.integers(-10, 11, 2 * length + 1).astype(np.float64)
    if kind == "apart":
        values = np.maximum(0.0, T + 1.0 - np.abs(np.arange(-length, length + 1.0)))
    values[0] = values[1] + 1  # a table that only rises could be read in two ways
    return rm.TablePrior(values)
