"""The compiled core. Arguments are checked by the Python above it."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypedDict

import numpy as np
import numpy.typing as npt

_Bytes = npt.NDArray[np.uint8]
_Ints = npt.NDArray[np.int32]
_Longs = npt.NDArray[np.int64]
_Floats = npt.NDArray[np.float64]
_Options = Mapping[str, str | int | float | bool]

class _Record(TypedDict):
    iteration: int
    seconds: float
    energy: float
    huber_energy: float
    surrogate_energy: float
    changed: int
    active: int
    lower_bound: float | None
    proven: bool
    step: str

class _Trace(TypedDict):  # an entry per iteration
    iteration: _Longs
    seconds: _Floats
    energy: _Floats
    huber_energy: _Floats
    surrogate_energy: _Floats
    changed: _Longs
    active: _Longs
    lower_bound: _Floats  # NaN where unknown
    proven: npt.NDArray[np.uint8]
    step: _Ints  # places in steps
    steps: list[str]

class _Run(TypedDict):
    labels: _Ints
    status: str
    iterations: int
    lower_bound: float | None
    certified_bound: float | None
    proven: bool | None
    beliefs: _Floats | None
    certificate: _Certificate | None  # only where asked for
    trace: _Trace
    start: _Record | None
    simd: str
    threads: int
    stats: dict[str, float]

# What a bound rests on, as src/rangemoves/certificate.py says. `scale` is that of the messages
# times the `scale` that minimize() was given; edges and variables are numbered as minimize() was
# given them, edges of weight 0 included, but those are no inner edges of an island.
class _Step(TypedDict, total=False):
    kind: Literal["leaf", "eliminate", "split"]
    messages: _Longs  # (inner edges, labels), unless split
    to_head: npt.NDArray[np.bool_]  # unless split
    order: _Ints  # eliminate
    eliminated: _Ints  # eliminate: (n, 2)
    split: tuple[int, int]  # split

class _Island(TypedDict):
    variables: _Ints
    scale: float
    steps: list[_Step]

class _Certificate(TypedDict):
    scale: float
    edge: _Ints
    to_head: npt.NDArray[np.bool_]
    messages: _Longs
    islands: list[_Island]

class _Cut(TypedDict):
    flow: int
    source_side: _Bytes

class _Topology(TypedDict):
    kind: str
    depth: int
    height: int
    width: int
    order: _Ints | None

# Tables, a row each; which of them an edge has (empty: the first); where their middle lies; how the
# Huber function of each goes on to the left and to the right.
_Priors = tuple[_Longs, _Ints, _Ints, _Longs, _Ints]

class KeptRun:
    def __init__(self) -> None: ...

# ---- the methods ----

def minimize(
    method: str,
    unary: npt.NDArray[np.integer[Any]],
    tail: _Ints,
    head: _Ints,
    weights: _Ints,
    priors: _Priors,
    labels: _Ints,
    *,
    options: _Options,
    row: int,
    scale: float,
    offset: float,
    tolerance: int,
    threads: int,
    seed: int,
    max_iter: int,
    time_limit: float,
    max_memory: int,
    evaluate: Callable[[_Ints], float] | None,
    on_iteration: Callable[[_Record, Callable[[], _Ints | None]], bool] | None,
    true_costs: tuple[Callable[[int, int], _Floats], _Floats, _Floats, _Ints] | None,
    interrupted: Callable[[], bool],
    kept: KeptRun | None = None,
    mask: npt.NDArray[np.bool_] | None = None,
) -> _Run: ...
def estimate_memory(
    method: str,
    priors: _Priors,
    *,
    options: _Options,
    variables: int,
    edges: int,
    row: int,
    largest_unary: int,
    largest_weight: int,
    largest_degree: int,
    wide_costs: bool,
    threads: int,
    nodes_per_variable: float,
    cells_per_edge: float,
    joined: float,
    cuts_whole: bool,
) -> int: ...
def degrees(variables: int, tail: _Ints, head: _Ints, weights: _Floats | _Ints) -> _Floats: ...
def backends() -> list[str]: ...
def simd_levels() -> list[str]: ...
def limits() -> dict[str, int]: ...

# ---- their pieces ----

def convex_range(
    table: _Longs, centre: int = 0, prior: tuple[int, int] | None = None
) -> tuple[int, int]: ...
def convexify(
    table: _Longs,
    kind: str,
    difference: int = 0,
    slope_left: int = -1,
    slope_right: int = -1,
) -> _Longs: ...
def topology(variables: int, tail: _Ints, head: _Ints, row: int) -> _Topology: ...
def active_set(
    labels: _Ints,
    tail: _Ints,
    head: _Ints,
    ranges: _Ints,
    range_index: _Ints,
    strategy: str,
    iteration: int,
    range_low: int,
    range_high: int,
    favour: _Bytes,
    seed: int,
) -> _Bytes: ...
def max_flow(
    nodes: int,
    tail: _Ints,
    head: _Ints,
    capacity: _Longs,
    reverse_capacity: _Longs,
    source_capacity: _Longs,
    sink_capacity: _Longs,
    algorithm: Literal["pseudoflow", "incremental-bfs"] = "pseudoflow",
) -> _Cut: ...

# ---- stereo ----

def cost_volume(
    left: _Bytes,
    right: _Bytes,
    out: _Ints,
    *,
    cost: str,
    squared: bool,
    cap: int,
    min_disparity: int,
    census_height: int,
    census_width: int,
    first_row: int,
) -> None: ...
def count_support(
    labels: _Ints, known: npt.NDArray[np.bool_], out: _Ints, *, radius: int, first_row: int
) -> None: ...
def median_of_nine(values: _Floats, out: _Floats, *, first_row: int) -> None: ...
def mean_of_surface(
    values: _Floats, out: _Floats, *, radius: int, tolerance: float, first_row: int
) -> None: ...
def extend_planes(
    disparity: _Floats,
    known: npt.NDArray[np.bool_],
    image: npt.NDArray[np.uint8],
    out: _Floats,
    *,
    radius: int,
    reach: int,
    first_row: int,
) -> None: ...
def continue_background(
    disparity: _Floats,
    known: npt.NDArray[np.bool_],
    image: npt.NDArray[np.uint8],
    out: _Floats,
    *,
    radius: int,
    first_row: int,
) -> None: ...
def weighted_median(
    disparity: _Floats,
    known: npt.NDArray[np.bool_],
    image: npt.NDArray[np.uint8],
    wanted: npt.NDArray[np.bool_],
    out: _Floats,
    *,
    radius: int,
    first_row: int,
) -> None: ...
def refine_labels(
    unary: _Ints,
    labels: _Ints,
    out: _Floats,
    *,
    radius: int,
    least_rise: int,
    first_row: int,
) -> None: ...

VIEW_SCALE: int
VIEW_LARGEST_JUMP: int
VIEW_LARGEST_TRUNCATION: int
VIEW_LABEL_BLOCK: int

def view_level() -> str: ...
def view_costs(
    left: _Bytes,
    right: _Bytes,
    grey_left: _Bytes,
    grey_right: _Bytes,
    out: _Bytes,
    *,
    labels: int,
    min_disparity: int,
    first_row: int,
) -> None: ...
def turn_costs_right(
    costs: _Bytes, *, labels: int, min_disparity: int, first_row: int, last_row: int
) -> None: ...
def refine_view(
    costs: _Bytes,
    labels: _Ints,
    out: _Floats,
    *,
    num_labels: int,
    radius: int,
    least_rise: int,
    first_row: int,
) -> None: ...
def block_costs(costs: _Bytes, out: _Bytes, *, first_row: int) -> None: ...
def spread_messages(
    blocks: npt.NDArray[np.int16],
    messages: npt.NDArray[np.int16],
    *,
    first_row: int,
    last_row: int,
) -> None: ...
def sweep_view(
    costs: _Bytes,
    weights: npt.NDArray[np.int16],
    messages: npt.NDArray[np.int16],
    *,
    labels: int,
    truncation: int,
    first_row: int,
    last_row: int,
    backward: bool,
) -> None: ...
def decode_view(
    costs: _Bytes,
    weights: npt.NDArray[np.int16],
    messages: npt.NDArray[np.int16],
    out: _Ints,
    *,
    labels: int,
    truncation: int,
    first_row: int,
    last_row: int,
) -> None: ...
def view_energy(
    costs: _Bytes,
    weights: npt.NDArray[np.int16],
    found: _Ints,
    *,
    labels: int,
    truncation: int,
) -> int: ...
