"""Point clouds as pictures: what is near hides what is far, and what is empty stays dark."""

import numpy as np
import pytest

import rangemoves as rm


def grid(depth, colour):
    y, x = np.mgrid[-1:1:21j, -1:1:21j]
    points = np.stack([x * depth, y * depth, np.full(x.shape, depth)], axis=-1).reshape(-1, 3)
    return points, np.full(points.shape, colour, np.uint8)


def test_the_near_hides_the_far():
    far, near = grid(2.0, 200), grid(1.0, 100)
    for order in ((far, near), (near, far)):
        points, colours = (np.concatenate(part) for part in zip(*order, strict=True))
        picture = rm.plots.cloud_colours(points, colours, (40, 40), yaw=0, pitch=0, size=3)
        assert (picture[10:30, 10:30] == 100).all()


def test_from_aside_both_are_seen():
    points, colours = (np.concatenate(p) for p in zip(grid(2.0, 200), grid(1.0, 100), strict=True))
    picture = rm.plots.cloud_colours(points, colours, (60, 80), yaw=-30, pitch=0)
    assert (picture == 100).any()
    assert (picture == 200).any()


def test_few_points_and_none():
    dark = rm.plots.cloud_colours(np.empty((0, 3)), np.empty((0, 3), np.uint8), (5, 6))
    assert dark.shape == (5, 6, 3)
    assert dark.max() < 30
    one = rm.plots.cloud_colours([[0, 0, 1.0]], np.full((1, 3), 250, np.uint8), (5, 6), size=1)
    assert np.count_nonzero((one == 250).all(axis=2)) == 1


def test_bad_clouds_are_refused():
    with pytest.raises(ValueError, match=r"must both have shape \(N, 3\)"):
        rm.plots.cloud_colours(np.zeros((4, 3)), np.zeros((3, 3), np.uint8))
