"""tiles="auto": as large as memory allows, and small enough that every core has some."""

import math
from dataclasses import replace

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.tiled.automatic import Crew, bytes_of_tile, sides_of_tiles
from rangemoves.tiled.problem import state_problem
from rangemoves.tiled.work import Settings

SETTINGS = Settings("gswapf", sweeps=10, margin=32, threads=1, seed=0, backend="cpu")


def source(box):
    y, x = np.mgrid[box]
    return np.abs((x // 50 + y // 60)[..., None] % 16 - np.arange(16)).astype(np.int32)


@pytest.fixture(scope="module")
def problem():
    return state_problem(source, rm.TruncatedLinear(2), 3, (3000, 4000, 16), None, None)


def test_more_memory_gives_larger_tiles(problem):
    per_pixel = bytes_of_tile(problem, SETTINGS, (96, 96))
    before = 0
    for memory in (50e6, 200e6, 800e6):
        sides = sides_of_tiles(problem, SETTINGS, Crew(None, 2, 2, int(memory)))
        assert 2 * per_pixel * math.prod(side + 64 for side in sides) <= memory
        assert min(sides) > before
        before = min(sides)


def test_many_cores_give_smaller_tiles(problem):
    few = sides_of_tiles(problem, SETTINGS, Crew(None, 2, 2, 10**12))
    many = sides_of_tiles(problem, SETTINGS, Crew(None, 64, 4, 10**12))
    assert math.prod(many) < math.prod(few) <= 512**2
    tiles = math.prod(-(-n // side) for n, side in zip((3000, 4000), many, strict=True))
    assert tiles >= 2 * 64


def test_too_little_memory_is_said(problem):
    with pytest.raises(MemoryError, match=r"2 tiles of \(64, 64\) pixels"):
        sides_of_tiles(problem, SETTINGS, Crew(None, 2, 2, 10**6))


def test_small_images_and_volumes():
    crew = Crew(None, 2, 2, 10**9)
    small = state_problem(np.zeros((5, 7, 3)), rm.Linear(), 1, None, None, None)
    assert sides_of_tiles(small, SETTINGS, crew) == (5, 7)
    volume = state_problem(np.zeros((60, 70, 80, 3)), rm.Linear(), 1, None, 26, None)
    assert len(sides_of_tiles(volume, replace(SETTINGS, margin=4), crew)) == 3
