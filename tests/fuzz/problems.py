"""Random small problems, drawn to be nasty: every topology, prior, dtype and magnitude there is."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import rangemoves as rm
from rangemoves.neighbourhood import grid_offsets

# Problems up to this size are enumerated; larger ones must be narrow enough for elimination.
MOST_LABELLINGS = 20_000

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
# With the largest number that each holds.
REALS = {np.float16: 6e4, np.float32: 3e38, np.float64: 1e308, np.longdouble: 1e308}


@dataclass
class Problem:
    """The arguments of rm.Energy, and in words how they came about."""

    unary: np.ndarray
    prior: rm.Prior | list[rm.Prior]
    weights: Any
    edges: np.ndarray | None = None
    connectivity: int | None = None
    copy: bool = True
    prior_index: Any = None
    offsets: Any = None
    mask: np.ndarray | None = None
    tags: dict[str, str] = field(default_factory=dict)

    def energy(self) -> rm.Energy:
        return rm.Energy(
            self.unary,
            self.prior,
            self.weights,
            edges=self.edges,
            connectivity=self.connectivity,
            copy=self.copy,
            prior_index=self.prior_index,
            offsets=self.offsets,
            mask=self.mask,
        )

    @property
    def priors(self) -> list[rm.Prior]:
        return self.prior if isinstance(self.prior, list) else [self.prior]

    @property
    def is_convex(self) -> bool:
        """Whether its priors are convex by their names."""
        return all(isinstance(p, (rm.Linear, rm.Quadratic, rm.Huber)) for p in self.priors)

    @property
    def limited(self) -> bool:
        """Whether a prior forbids differences."""
        return "limits" in self.tags["prior"]

    def arrays(self) -> list[np.ndarray]:
        """Copies of all that the caller owns."""
        owned = [self.unary, self.edges, self.mask]
        for given in (self.weights, self.prior_index, self.offsets):
            owned += given if isinstance(given, list) else [given]
        return [np.array(a) for a in owned if a is not None]

    def code(self) -> str:
        """Python code that makes the problem again."""
        priors = [show_prior(prior) for prior in self.priors]
        shown = f"[{', '.join(priors)}]" if isinstance(self.prior, list) else priors[0]
        edges = "" if self.edges is None else f", edges={show(self.edges)}.reshape(-1, 2)"
        rest = "".join(
            f", {name}={show(getattr(self, name))}"
            for name in ("connectivity", "prior_index", "offsets", "mask")
            if getattr(self, name) is not None
        )
        return (
            "import numpy as np\nimport rangemoves as rm\n"
            f"unary = {show(self.unary)}\n"
            f"energy = rm.Energy(unary, {shown}, {show(self.weights)}{edges}{rest})"
        )


def show_prior(prior: rm.Prior) -> str:
    if isinstance(prior, rm.TablePrior):
        return f"rm.TablePrior({prior._table.tolist()})".replace("inf", "np.inf")
    if hasattr(prior, "threshold"):
        return f"rm.{type(prior).__name__}({prior.threshold!r})"
    return f"rm.{prior!r}"


def show(value: Any) -> str:
    """Python code that makes the same value again."""
    if isinstance(value, list):
        return "[" + ", ".join(show(each) for each in value) + "]"
    if not isinstance(value, np.ndarray):
        return repr(value)
    if value.dtype == np.longdouble:
        return f"{show(value.astype(np.float64))}.astype(np.longdouble)"
    text = f"np.array({value.tolist()!r}, dtype={value.dtype.str!r})"
    return text.replace("inf", "np.inf").replace("nan", "np.nan")


def draw_problem(rng: np.random.Generator, middle: bool = False) -> Problem:
    """Draw any problem, or a grid of some hundred variables."""
    topology, shape, edges, connectivity, labels = _middle(rng) if middle else _topology(rng)
    per_edge = rng.random() < 0.3
    furthest = int(rng.integers(0, labels + 2)) if per_edge and rng.random() < 0.6 else None
    prior, prior_tag = _prior(rng, labels, furthest)
    if per_edge and rng.random() < 0.7:
        drawn = [_prior(rng, labels, furthest) for _ in range(int(rng.integers(0, 3)))]
        prior, prior_tag = (
            [prior, *(p for p, _ in drawn)],
            "+".join([prior_tag, *(t for _, t in drawn)]),
        )
    unary, magnitude, factor = _unary(rng, (*shape, labels))
    if edges is None:
        parts = [
            tuple(n - abs(d) for n, d in zip(shape, step, strict=True))
            for step in grid_offsets(len(shape), connectivity)
        ]
    else:
        parts = [(len(edges),)]
    weights, weight_tag = _weights(rng, parts, factor)
    which = _per_edge(rng, parts, 0, len(prior) - 1) if isinstance(prior, list) else None
    offsets = None if furthest is None else _per_edge(rng, parts, -furthest, furthest)
    if edges is not None:
        weights, which, offsets = (
            given[0] if isinstance(given, list) else given for given in (weights, which, offsets)
        )
    mask = None
    if edges is None and rng.random() < 0.12:
        mask = rng.random(shape) < rng.choice([0.3, 0.8])
        mask.reshape(-1)[rng.integers(mask.size)] = True
        if unary.dtype.kind == "f" and rng.random() < 0.7:
            unary[~mask] = np.nan
    return Problem(
        unary=_layout(rng, unary),
        prior=prior,
        weights=weights,
        prior_index=which,
        offsets=offsets,
        mask=mask,
        edges=edges,
        connectivity=connectivity,
        copy=bool(rng.random() < 0.8),
        tags={
            "topology": topology,
            "prior": prior_tag,
            "costs": magnitude,
            "dtype": unary.dtype.name,
            "weights": weight_tag,
            "labels": str(labels),
            "offsets": "" if furthest is None else str(furthest),
            "mask": "" if mask is None else "mask",
        },
    )


# ---- who is a neighbour of whom ------------------------------------------------------------------

SMALL_SHAPES = [
    *[(1, 1), (1, 2), (2, 1), (1, 3), (2, 2), (1, 4), (4, 1), (2, 3), (3, 2), (1, 6), (3, 3)],
    *[(2, 4), (2, 5), (1, 9), (2, 2, 2), (1, 2, 3), (2, 1, 2), (3, 1, 2), (2, 2, 3), (1, 1, 2, 2)],
]


def _topology(rng: np.random.Generator):
    kind = rng.choice(
        ["grid", "graph", "chain", "strip", "tree", "star", "hub", "large"],
        p=[0.47, 0.25, 0.08, 0.08, 0.06, 0.0587, 0.001, 0.0003],
    )
    connectivity = edges = None
    if kind in ("grid", "graph"):
        shape = SMALL_SHAPES[rng.integers(len(SMALL_SHAPES))]
        variables = math.prod(shape)
        # Mostly far below what can be enumerated, which is quicker.
        most = MOST_LABELLINGS if rng.random() < 0.1 else 2000
        labels = _labels(rng, 12, lambda count: count**variables <= most)
        if kind == "graph":
            shape, edges = (variables,), _random_edges(rng, variables)
        elif len(shape) in (2, 3) and rng.random() < 0.4:
            connectivity = [[4, 8], [6, 26]][len(shape) - 2][rng.integers(2)]
            kind = f"grid-{connectivity}"
    elif kind == "chain":
        length = int(rng.integers(1, 150))
        labels = _labels(rng, 40)
        shape = (1, length) if rng.random() < 0.5 else (length, 1)
    elif kind == "strip":
        width, length = int(rng.integers(2, 4)), int(rng.integers(2, 75))
        labels = _labels(rng, 12, lambda count: count ** (width + 2) <= 1500)
        shape = (length, width) if rng.random() < 0.7 else (width, length)
        connectivity = int(rng.choice([4, 8]))
    elif kind in ("tree", "star"):
        variables = int(rng.integers(2, 60))
        labels = _labels(rng, 16)
        far = np.arange(1, variables)
        near = rng.integers(0, far) if kind == "tree" else np.zeros_like(far)
        edges = _flipped(rng, np.stack([near, far], axis=1))
        shape = (variables,)
    elif kind == "hub":
        variables = int(rng.integers(30_000, 75_000))
        labels = int(rng.integers(2, 4))
        far = np.arange(1, variables)
        edges = _flipped(rng, np.stack([np.zeros_like(far), far], axis=1))
        shape = (variables,)
    else:
        shape = (int(rng.integers(90, 130)), int(rng.integers(180, 230)))
        labels = int(rng.integers(16, 22))
    return str(kind), shape, edges, connectivity, labels


def _middle(rng: np.random.Generator):
    """Grids on which sweeps go by rows and moves are solved part by part.

    Long and narrow, with an optimum that elimination finds, or about square, with none known.
    """
    if rng.random() < 0.5:
        width, length = int(rng.integers(3, 5)), int(rng.integers(60, 200))
        labels = _labels(rng, 6, lambda count: 1 < count ** (width + 1) <= 1500)
        shape = (length, width) if rng.random() < 0.5 else (width, length)
    else:
        shape = (int(rng.integers(33, 45)), int(rng.integers(33, 45)))
        labels = int(rng.integers(2, 6))
    return "middle", shape, None, None, labels


def _labels(rng: np.random.Generator, most: int, fits=lambda count: True) -> int:
    counts = [count for count in range(1, most + 1) if fits(count)]
    odds = np.array([0.3 if count == 1 else 1.0 for count in counts])
    return int(rng.choice(counts, p=odds / odds.sum()))


def _random_edges(rng: np.random.Generator, variables: int) -> np.ndarray:
    """Any edges: parallel ones, reversed ones, variables without any."""
    count = 0 if variables == 1 else int(rng.integers(0, 2 * variables + 2))
    tail = rng.integers(0, variables, count)
    head = (tail + rng.integers(1, max(2, variables), count)) % variables
    edges = np.stack([tail, head], axis=1)
    if count and rng.random() < 0.3:
        again = edges[rng.integers(0, count, 2)]
        edges = np.concatenate([edges, again, again[:, ::-1]])
    return edges.astype(rng.choice([np.int64, np.int32, np.uint16]))


def _flipped(rng: np.random.Generator, edges: np.ndarray) -> np.ndarray:
    flip = rng.random(len(edges)) < rng.choice([0.0, 0.5])
    return np.where(flip[:, None], edges[:, ::-1], edges)


# ---- priors --------------------------------------------------------------------------------------


def _per_edge(rng: np.random.Generator, parts: list[tuple[int, ...]], low: int, high: int) -> Any:
    """Integers in one of the forms that they may have."""
    if rng.random() < 0.2 and low < 0:
        return int(rng.integers(low, high + 1))
    scalars = len(parts) > 1 and rng.random() < 0.4
    return [np.asarray(rng.integers(low, high + 1, () if scalars else part)) for part in parts]


def _prior(
    rng: np.random.Generator, labels: int, furthest: int | None = None
) -> tuple[rm.Prior, str]:
    """A prior that can be used with offsets that far."""
    T = float(rng.integers(1, labels + 2)) if rng.random() < 0.6 else float(rng.uniform(0.2, 6))
    named = [
        rm.Linear(),
        rm.Quadratic(),
        rm.Huber(T),
        rm.TruncatedLinear(T),
        rm.TruncatedQuadratic(T),
        rm.Cauchy(T),
    ]
    if rng.random() < 0.6:
        prior = named[rng.integers(len(named))]
        return prior, prior.name
    kind = str(rng.choice(["convex", "robust", "flat", "any", "falling"]))
    symmetric = rng.random() < 0.5
    limits = (
        sorted(rng.integers(-labels, labels + 1, 2))
        if kind != "any" and rng.random() < 0.15
        else None
    )
    labels += furthest or 0
    right = _side(rng, labels - 1, kind)
    left = right if symmetric or kind == "flat" else _side(rng, labels - 1, kind)
    values = np.concatenate([left[::-1], [0.0], right])
    if kind == "convex" and not symmetric:
        # Its least value anywhere.
        steps = np.sort(rng.integers(-6, 7, 2 * labels - 2))
        values = np.concatenate([[0.0], np.cumsum(steps)])
    offset = float(rng.choice([0, 0, 0, -3, 7, 1000, -1000, 10**6]))
    factor = float(rng.choice([1, 1, 1, 1, 0.37, math.pi, 1e-3, 1e4]))
    values = (values + offset) * factor
    if limits is not None and limits[0] <= 0 <= limits[1]:
        kind += "-limits"
        difference = np.arange(1 - labels, labels)
        reach = limits[1] if symmetric else -limits[0]
        values[(difference > limits[1]) | (difference < -reach)] = np.inf
    if furthest is not None and (np.diff(values[np.isfinite(values)]) >= 0).all():
        values = values[::-1]  # what only rises could be read in two ways
    elif furthest is None and symmetric and rng.random() < 0.5:
        return rm.TablePrior(values[labels - 1 :]), f"table-{kind}"
    return rm.TablePrior(values), f"table-{kind}"


def _side(rng: np.random.Generator, length: int, kind: str) -> np.ndarray:
    """Half a prior, g(1) .. g(length)."""
    if kind == "any":
        return rng.integers(-5, 10, length).astype(float)
    steps = np.sort(rng.integers(0, 7, length)).astype(float)
    if kind != "convex":
        turn = int(rng.integers(0, length + 1))
        limit = int(steps[turn - 1]) if turn else 6
        rest = np.sort(rng.integers(0, limit + 1, length - turn))[::-1]
        if kind == "flat":
            rest = np.zeros(length - turn)
        elif kind == "falling":
            rest = -rng.integers(0, 4, length - turn)
        steps[turn:] = rest
    return np.cumsum(steps)


# ---- costs ---------------------------------------------------------------------------------------


def _unary(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[np.ndarray, str, float]:
    """Costs, what they are called, and what weights should be multiplied by to matter."""
    kind = str(
        rng.choice(
            ["small", "large", "real", "tiny", "huge", "big-M", "ties", "equal", "zeros", "wide"],
            p=[0.3, 0.07, 0.2, 0.07, 0.07, 0.1, 0.06, 0.04, 0.03, 0.06],
        )
    )
    factor = 1.0
    noise = rng.random(shape)
    if kind == "small":
        low = int(rng.choice([0, -4, -20]))
        costs = np.floor(low + noise * rng.choice([2, 24, 100]))
    elif kind == "large":
        factor = 2.0 ** int(rng.integers(16, 39))
        costs = np.floor((noise - rng.choice([0, 0.5])) * factor * 4)
    elif kind == "tiny":
        factor = 10.0 ** -int(rng.integers(100, 301))
        costs = noise * factor
    elif kind == "huge":
        factor = 10.0 ** int(rng.integers(100, 271))
        costs = noise * factor
    elif kind == "big-M":
        costs = noise
        many = rng.random(shape) < 0.1
        many.reshape(-1)[rng.integers(costs.size)] = True
        if rng.random() < 0.5:
            costs = np.floor(costs * 20)
        costs[many] = 10.0 ** int(rng.integers(4, 13))
    elif kind == "ties":
        costs = 1 + 1e-8 * noise
    elif kind == "equal":
        costs = np.full(shape, float(rng.choice([1, -7, 0.1, 1e6])))
    elif kind == "zeros":
        costs = np.zeros(shape)
    elif kind == "wide":
        costs = (noise - 0.3) * 10 ** rng.uniform(-6, 6, shape)
    else:
        costs = (noise - rng.choice([0, 0.5])) * rng.choice([1, 30, 1e-4])
    if rng.random() < 0.3:
        factor = 1.0
    costs = costs.astype(_dtype(rng, costs))
    if costs.dtype.kind == "f" and rng.random() < 0.2:
        forbidden = rng.random(shape) < rng.choice([0.1, 0.4, 0.8])
        allowed = rng.integers(0, shape[-1], shape[:-1])
        np.put_along_axis(forbidden, allowed[..., None], False, axis=-1)
        costs[forbidden] = np.inf
        kind += "+inf"
    return costs, kind, factor


def _dtype(rng: np.random.Generator, costs: np.ndarray) -> type:
    largest = float(np.abs(costs).max())
    reals = [t for t, most in REALS.items() if largest <= most]
    if 0 < largest < 1e-30:
        reals = [np.float64, np.longdouble]
    if largest > 2**62 or (np.rint(costs) != costs).any():
        return reals[rng.integers(len(reals))]
    if set(np.unique(costs)) <= {0.0, 1.0} and rng.random() < 0.3:
        return np.bool_
    fits = [
        t
        for t in INTEGERS
        if costs.min() >= np.iinfo(t).min and costs.max() <= float(np.iinfo(t).max)
    ]
    if rng.random() < 0.5:
        return np.int64 if rng.random() < 0.3 else fits[rng.integers(len(fits))]
    return reals[rng.integers(len(reals))]


def _layout(rng: np.random.Generator, costs: np.ndarray) -> np.ndarray:
    """The same numbers as they may lie in memory."""
    chance = rng.random()
    if chance < 0.05:
        return np.asfortranarray(costs)
    if chance < 0.1:
        return np.repeat(costs, 2, axis=-1)[..., ::2]
    if chance < 0.15:
        return np.ascontiguousarray(costs[..., ::-1])[..., ::-1]
    if chance < 0.18:
        return costs.astype(costs.dtype.newbyteorder(">"))
    return costs


def _weights(
    rng: np.random.Generator, parts: list[tuple[int, ...]], factor: float
) -> tuple[Any, str]:
    kind = str(
        rng.choice(
            ["int", "float", "ints", "floats", "zeros", "wide"],
            p=[0.25, 0.25, 0.2, 0.2, 0.03, 0.07],
        )
    )
    if kind == "int":
        weight = int(rng.integers(0, 8)) * (int(factor) if factor < 2**40 else factor)
        return (weight if factor >= 1 else rng.integers(0, 8) * factor), kind
    if kind == "float":
        return float(rng.choice([0.1, 0.3, 0.8, 2.5, rng.random()])) * factor, kind

    def part(shape: tuple[int, ...]) -> np.ndarray:
        if kind == "ints":
            values = rng.integers(0, 7, shape) * factor
            return values.astype(np.int64) if factor == 1 and rng.random() < 0.7 else values
        if kind == "floats":
            values = rng.random(shape) * 3 * factor
            return values.astype(np.float32) if factor == 1 and rng.random() < 0.2 else values
        if kind == "wide":
            return 10 ** rng.uniform(-3, 6, shape) * factor
        return np.zeros(shape)

    return [part(shape) for shape in parts], kind
