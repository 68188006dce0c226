"""Other people's solvers, called as their documentation has it.

Each is timed without building its graph; ours are timed with everything.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from .._optional import optional_import
from ..convexify import convexify
from ..datasets import StereoPair
from ..energy import Energy

Ints = npt.NDArray[np.int64]

_PURPOSE = "comparing"
_INFINITE = 10**9


class Ishikawa:
    """The graph of the first move, for a library that takes arcs (section 3 of the paper)."""

    def __init__(self, energy: Energy) -> None:
        labels = energy.num_labels
        self.unary: Ints = np.asarray(energy.unary, np.int64).reshape(-1, labels)
        self.tail, self.head = energy.tail, energy.head
        self.weight: Ints = energy.weights.astype(np.int64)
        surrogate = convexify(energy.table.astype(int))
        self.bend = dict(zip(range(2 - labels, labels - 1), np.diff(surrogate, 2), strict=True))

    @property
    def nodes(self) -> int:
        """How many nodes there are besides source and sink."""
        return int(self.unary.shape[0] * (self.unary.shape[1] - 1))

    def level(self, variables: Any, a: int) -> Any:
        """Return the nodes that say whether the label is at least ``a``."""
        return variables * (self.unary.shape[1] - 1) + a - 1

    def arcs(self) -> Iterator[tuple[Any, Any, Ints, Ints]]:
        """(from, to, capacity, capacity back) in pieces."""
        labels = self.unary.shape[1]
        everyone = np.arange(self.unary.shape[0])
        for a in range(1, labels - 1):
            infinite = np.full(len(everyone), _INFINITE)
            yield self.level(everyone, a), self.level(everyone, a + 1), self.unary[:, a], infinite
        for a in range(1, labels):
            for b in range(1, labels):
                if self.bend[a - b] == 0:
                    continue
                capacity = self.weight * self.bend[a - b]
                # The prior is symmetric: half of a diagonal cell goes either way.
                forward = capacity if a > b else capacity // 2 if a == b else 0 * capacity
                yield (
                    self.level(self.tail, a),
                    self.level(self.head, b),
                    forward,
                    capacity - forward,
                )


def bk(energy: Energy) -> tuple[float, float]:
    """Boykov-Kolmogorov as PyMaxflow has it: the value of the flow and the seconds it took."""
    maxflow = optional_import("maxflow", purpose=_PURPOSE, extra="bench")
    model = Ishikawa(energy)
    labels = model.unary.shape[1]
    graph = maxflow.GraphInt(model.nodes, model.nodes * 9)
    nodes = graph.add_nodes(model.nodes).reshape(-1, labels - 1)
    source = np.zeros(nodes.shape, np.int32)
    sink = np.zeros(nodes.shape, np.int32)
    source[:, 0] = model.unary[:, 0]
    sink[:, -1] = model.unary[:, -1]
    graph.add_grid_tedges(nodes, source, sink)
    for tail, head, there, back in model.arcs():
        graph.add_edges(tail, head, there.astype(np.int32), back.astype(np.int32))
    begin = time.perf_counter()
    value = graph.maxflow()
    return float(value), time.perf_counter() - begin


def ortools(energy: Energy) -> tuple[float, float]:
    """Push-relabel as OR-tools has it."""
    max_flow = optional_import("ortools.graph.python.max_flow", purpose=_PURPOSE, extra="bench")
    model = Ishikawa(energy)
    flow = max_flow.SimpleMaxFlow()
    for tail, head, there, back in model.arcs():
        for start, end, capacity in ((tail, head, there), (head, tail, back)):
            used = capacity > 0
            flow.add_arcs_with_capacity(start[used], end[used], capacity[used])
    everyone = np.arange(model.unary.shape[0])
    source, sink = model.nodes, model.nodes + 1
    last = model.unary.shape[1] - 1
    ends = np.full(len(everyone), source), np.full(len(everyone), sink)
    flow.add_arcs_with_capacity(ends[0], model.level(everyone, 1), model.unary[:, 0])
    flow.add_arcs_with_capacity(model.level(everyone, last), ends[1], model.unary[:, last])
    begin = time.perf_counter()
    if flow.solve(source, sink) != flow.OPTIMAL:
        raise RuntimeError("OR-tools found no optimum")
    return float(flow.optimal_flow()), time.perf_counter() - begin


def pairwise(energy: Energy) -> npt.NDArray[np.float64]:
    """Return the costs of pairs of labels, for libraries that take one matrix for all edges."""
    if not (energy.weights == energy.weights[0]).all():
        raise ValueError("it takes one weight for all edges; found several")
    d = np.arange(energy.num_labels)
    table = energy.table[energy.num_labels - 1 + d[:, None] - d]
    costs: npt.NDArray[np.float64] = energy.weights[0] * table
    return costs


def pymaxflow_expansion(energy: Energy) -> npt.ArrayLike:
    """Alpha-expansion of PyMaxflow."""
    fastmin = optional_import("maxflow.fastmin", purpose=_PURPOSE, extra="bench")
    labels: npt.ArrayLike = fastmin.aexpansion_grid(energy.unary.astype(float), pairwise(energy))
    return labels


def gco(energy: Energy, algorithm: str) -> npt.ArrayLike:
    """Run "expansion" or "swap" of gco."""
    module = optional_import("gco", purpose=_PURPOSE, extra="bench")
    unary, costs = energy.unary.astype(np.int32), pairwise(energy).astype(np.int32)
    labels: npt.ArrayLike = module.cut_grid_graph_simple(
        unary, costs, n_iter=-1, algorithm=algorithm
    )
    return labels


def opencv(pair: StereoPair) -> npt.NDArray[np.float64]:
    """StereoSGBM in its default mode."""
    return sgbm(pair, pair.labels)


def sgbm(
    pair: StereoPair, labels: int, mode: str = "SGBM", block: int = 5
) -> npt.NDArray[np.float64]:
    """StereoSGBM with what served it best on the public pairs.

    Penalties, uniqueness and speckle filter as OpenCV's documentation and samples recommend. It
    gives no answer in the first columns, as many as there are labels, though many of their pixels
    have a match: both images get that many columns more on the left, copies of their first.

    Parameters
    ----------
    pair : StereoPair
        Grey or RGB.
    labels : int
        Rounded up to a multiple of 16.
    mode : {"SGBM", "HH", "3WAY", "HH4"}
        Along how many directions costs are summed.
    block : int
        Side of the blocks that are compared.

    Returns
    -------
    ndarray of float64
        NaN where it has no answer.
    """
    cv2 = optional_import("cv2", purpose=_PURPOSE, extra="bench")
    channels = 3 if pair.left.ndim == 3 else 1
    names = {"SGBM": "MODE_SGBM", "HH": "MODE_HH", "3WAY": "MODE_SGBM_3WAY", "HH4": "MODE_HH4"}
    more = -(-labels // 16) * 16
    matcher = cv2.StereoSGBM_create(
        minDisparity=0,
        numDisparities=more,
        blockSize=block,
        P1=8 * channels * block**2,
        P2=32 * channels * block**2,
        disp12MaxDiff=1,
        uniquenessRatio=10,
        speckleWindowSize=100,
        speckleRange=2,
        mode=getattr(cv2, f"StereoSGBM_{names[mode]}"),
    )
    images = [
        cv2.copyMakeBorder(
            np.ascontiguousarray(image[..., ::-1] if image.ndim == 3 else image),
            *(0, 0, more, 0),
            cv2.BORDER_REPLICATE,
        )
        for image in (pair.left, pair.right)
    ]
    disparity: npt.NDArray[np.float64] = matcher.compute(*images)[:, more:] / 16.0
    disparity[disparity < 0] = np.nan
    return disparity
