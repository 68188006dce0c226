"""Messages of a view to begin with, from blocks of its pixels.

Blocks of 2 x 2 pixels make a problem of the same kind and a quarter of the size, and blocks of
those one of a sixteenth. A sweep there carries twice as far, and four times, for little work: what
large even areas are comes from far away. Any messages are a start like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import _core

__all__ = ["LARGEST_BLOCK", "Problem", "start_coarse"]

# More sizes, or more sweeps of each, hardly lower the energies of the public pairs any more.
_SIZES, _SWEEPS = 2, 4
_SHORTEST_SIDE = 16  # below that blocks do not pay

LARGEST_BLOCK = 2**_SIZES  # pixels of a side

_ROWS_AT_A_TIME = 32  # Python handles Ctrl-C between two calls of the core


@dataclass(frozen=True, eq=False)
class Problem:
    """A view, or the blocks of one.

    Attributes
    ----------
    costs : numpy.ndarray of uint8, (H, W, S)
        Of labels, filled up to vectors of S.
    weights : numpy.ndarray of int16, (2, H, W)
        Of edges down and to the right.
    messages : numpy.ndarray of int16, (2, H, W, S)
        Of edges to the right and down.
    """

    costs: NDArray[np.uint8]
    weights: NDArray[np.int16]
    messages: NDArray[np.int16]


def start_coarse(view: Problem, sweep: Callable[[Problem], bool]) -> bool:
    """Set the messages of a view; all zero where it is too small for blocks.

    Parameters
    ----------
    view : Problem
        Its messages may hold anything; until they are set, blocks live in their memory.
    sweep : callable
        Sweeps over a problem, there and back; False where there is no time left for it.

    Returns
    -------
    bool
        False where there was no time for it: the messages are then all zero.
    """
    above = None
    for problem in reversed(_made_of_blocks(view)):
        _begin(problem, above)
        for _ in range(_SWEEPS):
            if not sweep(problem):
                view.messages.fill(0)
                return False
        above = problem
    _begin(view, above)
    return True


def _made_of_blocks(view: Problem) -> list[Problem]:
    """Blocks of the view, blocks of these, and so on.

    Their memory is that of the view's messages: the first messages at its very end, from where
    they can be spread over all of it, everything else at its beginning.
    """
    memory = view.messages.reshape(-1).view(np.uint8)
    taken, problems = 0, [view]
    while len(problems) <= _SIZES:
        last = problems[-1]
        height, width = ((side + 1) // 2 for side in last.costs.shape[:2])
        if min(height, width) < _SHORTEST_SIDE:
            break
        size = height * width * last.costs.shape[2]
        costs = memory[taken : taken + size].reshape(height, width, -1)
        taken += size
        if last is view:
            rest = memory[memory.size - 4 * size :]
        else:
            rest = memory[taken : taken + 4 * size]
            taken += 4 * size
        for row in range(0, height, _ROWS_AT_A_TIME):
            _core.block_costs(last.costs, costs[row : row + _ROWS_AT_A_TIME], first_row=row)
        messages = rest.view(np.int16).reshape(2, height, width, -1)
        problems.append(Problem(costs, _block_weights(last.weights), messages))
    return problems[1:]


def _block_weights(weights: NDArray[np.int16]) -> NDArray[np.int16]:
    """A quarter of the weights of the two edges that leave a block each way."""
    height, width = weights.shape[1:]
    even = np.zeros((2, height + height % 2, width + width % 2), np.int16)
    even[:, :height, :width] = weights
    down, right = even
    leaving = (down[1::2, ::2] + down[1::2, 1::2], right[::2, 1::2] + right[1::2, 1::2])
    quarter: NDArray[np.int16] = np.stack(leaving) // np.int16(4)
    return quarter


def _begin(problem: Problem, blocks: Problem | None) -> None:
    """Set messages to those of the blocks, or to zero."""
    if blocks is None:
        problem.messages.fill(0)
        return
    for theirs, mine in zip(blocks.messages, problem.messages, strict=True):
        for row in range(0, len(theirs), _ROWS_AT_A_TIME):
            last = min(row + _ROWS_AT_A_TIME, len(theirs))
            _core.spread_messages(theirs, mine, first_row=row, last_row=last)
