"""Random problems on which plain sweeps stop below the optimum, all small or narrow enough for it.

Edges forgive jumps, or push labels apart; costs offer several labels that are about as good. What
lies on a cycle then pays something that no messages can show.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from fuzz.problems import Problem

import rangemoves as rm
from rangemoves.neighbourhood import grid_offsets

# Entries of the largest array that finding the optimum by elimination may need.
MOST_ENTRIES = 50_000
FURTHEST_OFFSET = 2


def draw_hard_problem(rng: np.random.Generator) -> Problem:
    topology, shape, edges, connectivity, labels = _topology(rng)
    reach = FURTHEST_OFFSET if rng.random() < 0.15 else 0
    several = rng.random() < 0.2
    drawn = [_prior(rng, labels, reach) for _ in range(3 if several else 1)]
    costs, unary, unit = _unary(rng, shape, labels)
    # What the dearest difference costs more than the cheapest is about what labels differ by.
    tables = [prior.values(labels + reach) for prior, _ in drawn]
    spread = max(float(np.ptp(table[np.isfinite(table)])) for table in tables)
    weight = unit * float(rng.choice([0.5, 1, 1, 2])) / max(spread, 1.0)
    if not costs.endswith("real"):
        weight = max(1, round(weight))
    if edges is None:
        parts = [
            tuple(n - abs(d) for n, d in zip(shape, step, strict=True))
            for step in grid_offsets(len(shape), connectivity)
        ]
    else:
        parts = [(len(edges),)]

    def per_edge(low: int, high: int) -> Any:
        arrays = [rng.integers(low, high, part) for part in parts]
        return arrays if edges is None else arrays[0]

    weights: Any = weight
    if rng.random() < 0.5:
        factors = per_edge(0, 3)
        weights = [f * weight for f in factors] if edges is None else factors * weight
    return Problem(
        unary=unary,
        prior=[prior for prior, _ in drawn] if several else drawn[0][0],
        weights=weights,
        edges=edges,
        connectivity=connectivity,
        prior_index=per_edge(0, 3) if several else None,
        offsets=per_edge(-reach, reach + 1) if reach else None,
        mask=_mask(rng, shape) if edges is None and rng.random() < 0.15 else None,
        tags={
            "topology": topology,
            "prior": "+".join(name for _, name in drawn),
            "costs": costs,
            "dtype": unary.dtype.name,
            "weights": "per edge" if weights is not weight else "one",
        },
    )


def _topology(rng: np.random.Generator):
    kind = str(rng.choice(["grid", "strip", "graph", "cliques", "tree", "volume"], p=ODDS))
    edges = connectivity = None
    if kind == "grid":
        shape, room = (int(rng.integers(4, 12)), int(rng.integers(2, 6))), 2
    elif kind == "strip":
        # Above 150 variables a problem is no longer one island.
        width = int(rng.integers(3, 7))
        shape, room = (int(rng.integers(160, 400)) // width, width), 2
    elif kind == "volume":
        shape, room = (int(rng.integers(2, 9)), 2, 2), 6
        connectivity = int(rng.choice([6, 26]))
    elif kind == "graph":
        shape, room = (int(rng.integers(3, 10)),), -1
        tail = rng.integers(0, shape[0], int(rng.integers(shape[0], 4 * shape[0])))
        edges = np.stack([tail, (tail + rng.integers(1, shape[0], tail.size)) % shape[0]], axis=1)
    else:
        shape, room = (int(rng.integers(4, 80)),), 4 if kind == "cliques" else 2
        edges = _tree_of_cliques(rng, shape[0], 3 if kind == "cliques" else 1)
    if kind in ("grid", "strip"):
        connectivity = int(rng.choice([4, 8]))
        kind += f"-{connectivity}"
    # What finding the optimum joins: all of a small graph, else a few variables more than the
    # width.
    joined = shape[0] + 1 if kind == "graph" else math.prod(shape[1:]) + room - (edges is not None)
    most = max(2, int(MOST_ENTRIES ** (1 / joined) + 1e-9))
    # Two labels are easy, and many make most of them irrelevant.
    labels = int(rng.integers(3, min(most, 7) + 1)) if most > 2 and rng.random() < 0.95 else 2
    if edges is None and len(shape) == 2 and rng.random() < 0.3:
        shape = shape[::-1]
    return kind, shape, edges, connectivity, labels


ODDS = [0.3, 0.25, 0.12, 0.2, 0.03, 0.1]


def _tree_of_cliques(rng: np.random.Generator, variables: int, most: int) -> np.ndarray:
    """Each variable joined to up to ``most`` earlier ones, which are joined to each other."""
    cliques, edges = [(0,)], []
    for new in range(1, variables):
        near = cliques[rng.integers(len(cliques))]
        near = near if len(near) < most else tuple(rng.permutation(near)[:most].tolist())
        cliques.append((*near, new))
        edges += [(new, old) if rng.random() < 0.5 else (old, new) for old in near]
    return np.array(edges)[rng.permutation(len(edges))]


def _prior(rng: np.random.Generator, labels: int, offset: int) -> tuple[rm.Prior, str]:
    T = int(rng.choice([1, 1, 2, 3]))
    kind = str(rng.choice(["linear", "quadratic", "Cauchy", "table", "apart", "limits"], p=PRIORS))
    if kind in ("linear", "quadratic", "Cauchy"):
        named = {"linear": rm.TruncatedLinear, "quadratic": rm.TruncatedQuadratic}
        return named.get(kind, rm.Cauchy)(T), kind
    length = labels - 1 + offset
    if kind == "limits" and not offset:
        values = rng.integers(0, 6, labels).astype(np.float64)
        values[max(1, labels - 2) :] = np.inf
        return rm.TablePrior([*values[:0:-1], *values]), kind
    values = rng.integers(-5, 10, 2 * length + 1).astype(np.float64)
    if kind == "apart":
        # The same label on both ends is the worst: a cycle of odd length has nowhere to go.
        values = np.maximum(0.0, T + 1.0 - np.abs(np.arange(-length, length + 1.0)))
    if length:
        values[0] = values[1] + 1  # a table that only rises could be read in two ways
    return rm.TablePrior(values), kind


PRIORS = [0.25, 0.1, 0.05, 0.3, 0.25, 0.05]


def _unary(rng: np.random.Generator, shape: tuple[int, ...], labels: int):
    """What the costs are called, the costs, and what edges should cost to matter as much."""
    kind = str(rng.choice(["choices", "noise", "ties", "weak"], p=[0.4, 0.2, 0.2, 0.2]))
    unit = 100
    if kind == "choices":
        # Of three labels each is about as good, and all others are out of the question.
        costs = rng.integers(3 * unit, 6 * unit, (*shape, labels))
        for _ in range(min(3, labels)):
            cheap = rng.integers(0, labels, (*shape, 1))
            np.put_along_axis(costs, cheap, rng.integers(0, unit // 2, (*shape, 1)), axis=-1)
    elif kind == "noise":
        costs = rng.integers(0, 2 * unit, (*shape, labels))
    elif kind == "ties":
        costs, unit = rng.integers(0, 3, (*shape, labels)), 3
    else:
        costs = rng.integers(-unit // 5, unit // 5 + 1, (*shape, labels))
    if rng.random() < 0.35:
        factor = float(rng.choice([1.0, 0.37, 1e-6, 1e6]))
        real = (costs + rng.random(costs.shape)) * factor
        forbidden = rng.random(real.shape) < rng.choice([0, 0, 0.3])
        allowed = rng.integers(0, labels, (*shape, 1))
        np.put_along_axis(forbidden, allowed, False, axis=-1)
        # Forbidden labels beside forbidden differences may leave nothing: that is another matter.
        real[forbidden] = 1e4 * factor
        return f"{kind} real", real, unit * factor * (0.5 + rng.random())
    factor = int(rng.choice([1, 1, 1, 1000, 10**6]))
    dtype = rng.choice([np.int32, np.int64, np.float64])
    return kind, (costs * factor).astype(dtype), unit * factor


def _mask(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    mask = rng.random(shape) < 0.85
    mask.reshape(-1)[rng.integers(mask.size)] = True
    return mask
