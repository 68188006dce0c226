"""How sure the labels of a tiled run are, tile by tile.

Tiles keep no messages. So each tile is swept once more, with a margin around it, as a pair of its
size would be without tiles; its beliefs then say how sure the labels of the run are. One tile over
the whole image gives what the untiled matcher gives. Smaller ones differ from it as far as messages
from beyond the margin matter.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..energy import Energy
from ..machine import available_cores
from ..minimize import minimize
from ..tiled.layouts import Box, grown, layout, part_of
from ._coarse_start import LARGEST_BLOCK
from ._match import StereoMatcher
from ._views import view_costs
from .confidence import confidence
from .streamed_pair import PairCosts, PairWeights, StreamedPair

__all__ = ["confidence_of_tiles"]

Labels = NDArray[np.int32]
Map = NDArray[np.float64]


def confidence_of_tiles(
    matcher: StereoMatcher,
    pair: StreamedPair,
    labels: Labels,
    tiles: tuple[int, ...],
    margin: int,
) -> Map:
    """Return how sure labels of the left view are by its messages; the other view is not asked.

    Parameters
    ----------
    matcher : StereoMatcher
        Its settings.
    pair : StreamedPair
        The images.
    labels : numpy.ndarray, (H, W)
        Of the left view.
    tiles : tuple of int
        The largest sides of a tile.
    margin : int
        Pixels around a tile that are swept with it.

    Returns
    -------
    ndarray of float64, (H, W)
    """
    # Messages come first in tiles, whichever method moves them later.
    how = replace(matcher, method="trws", time_limit=None)
    sure = np.empty(labels.shape)

    def work(box: Box) -> None:
        around = _on_blocks(grown(box, margin, labels.shape))
        mine = np.ascontiguousarray(labels[around])
        sure[box] = _confidence_in(how, pair, around, mine)[part_of(box, around)]

    with ThreadPoolExecutor(matcher.threads or available_cores()) as pool:
        boxes = [tile.box for tile in layout(labels.shape, tiles, (0, 0))]
        for _ in pool.map(work, boxes):
            pass
    return sure


def _on_blocks(box: Box) -> Box:
    """Return a box grown so that it begins where blocks of the whole image begin."""
    return tuple(slice(side.start - side.start % LARGEST_BLOCK, side.stop) for side in box)


def _confidence_in(matcher: StereoMatcher, pair: StreamedPair, box: Box, labels: Labels) -> Map:
    """How sure the labels of a box are, by messages inside it."""
    costs = PairCosts(pair, matcher.labels, matcher.min_disparity)
    if matcher.is_in_bytes and not pair.is_restricted:
        part = costs.with_matches(box)
        left, right = (np.ascontiguousarray(image[part]) for image in (pair.left, pair.right))
        volume = view_costs(left, right, matcher.labels, matcher.min_disparity)
        volume = np.ascontiguousarray(volume[part_of(box, part)])
        image = np.ascontiguousarray(pair.left[box])
        return matcher.sweeps_in_bytes().confidence(volume, image, labels)
    height, width = labels.shape
    down, across = PairWeights(pair, matcher.weight_used)(box)
    weights = [down[: height - 1], across[:, : width - 1]]  # of edges that stay in the box
    swept = minimize(
        Energy(costs(box), matcher.prior_used, weights, copy=False),
        "trws",
        max_iter=matcher.sweeps,
        threads=1,
        seed=matcher.seed,
        beliefs=True,
    )
    assert swept.beliefs is not None
    return confidence(swept.beliefs, labels, matcher.weight_used)
