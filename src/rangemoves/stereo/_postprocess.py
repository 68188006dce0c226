"""What is done to the labels of two views: find what only one of them saw, and fill it in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..images import Image

Map = NDArray[np.float64]
Labels = NDArray[np.int32]
Known = NDArray[np.bool_]

_ROWS_AT_A_TIME = 64  # Python handles Ctrl-C between two calls of the core

# Each call fits planes to the ends of some rows around its own as well: few and large calls.
_ROWS_OF_PLANES = 256

# Refinement: costs that rise by less on average do not tell where between labels their minimum is.
LEAST_RISE = 8

_SUPPORT_RADIUS, _LEAST_SUPPORT = 4, 15
_PLANE_RADIUS, _PLANE_REACH = 25, 12
_MEDIAN_RADIUS = 8
# Windows of costs make a surface wider than it is: beside what it hides, colours decide.
_WIDENED_BY = 1
_SMOOTH_RADIUS, _SURFACE_STEP = 2, 1.0

# How many rows around a row matter to what it is filled with, and to what it is smoothed to.
ROWS_AROUND_FILL = _SUPPORT_RADIUS + _PLANE_RADIUS + _PLANE_REACH + _MEDIAN_RADIUS
ROWS_AROUND_SMOOTH = 1 + _SMOOTH_RADIUS


def refinement(unary: NDArray[np.int32], labels: Labels, radius: int) -> Map:
    """By how much, at most half a label, the least cost around a pixel is off its label."""
    offset = np.empty(labels.shape)
    for row in range(0, labels.shape[0], _ROWS_AT_A_TIME):
        piece = offset[row : row + _ROWS_AT_A_TIME]
        _core.refine_labels(
            unary, labels, piece, radius=radius, least_rise=LEAST_RISE, first_row=row
        )
    return offset


def consistent(left: Labels, right: Labels, min_disparity: int) -> Known:
    """Where the match of a left pixel points back to it, up to one label.

    ``left`` and ``right`` are the labels of the two views. A pixel hidden in the right image takes
    the label of something else, which then does not point back.
    """
    height, width = left.shape
    rows, columns = np.ogrid[:height, :width]
    match = columns - left - min_disparity
    inside = (match >= 0) & (match < width)
    back = right[rows, np.clip(match, 0, width - 1)]
    return np.asarray(inside & (np.abs(left - back) <= 1))


def supported(labels: Labels, known: Known) -> Known:
    """Which known pixels have others of their surface around them: specks are not to be trusted."""
    count = np.empty(labels.shape, np.int32)
    for row in range(0, labels.shape[0], _ROWS_AT_A_TIME):
        piece = count[row : row + _ROWS_AT_A_TIME]
        _core.count_support(labels, known, piece, radius=_SUPPORT_RADIUS, first_row=row)
    return np.asarray(known & (count >= _LEAST_SUPPORT))


def filled(disparity: Map, labels: Labels, agree: Known, image: Image) -> Map:
    """Disparities where the two views do not agree.

    Inside the image what one view hides is background, which goes on as a plane, and edges of the
    image say how far it goes. What lies beyond the border of the other image continues the surface
    beside it to which the colours lead.
    """
    known = supported(np.ascontiguousarray(labels), agree)
    beyond, background, inside = (np.empty(disparity.shape) for _ in range(3))
    for row in range(0, disparity.shape[0], _ROWS_OF_PLANES):
        piece = slice(row, row + _ROWS_OF_PLANES)
        _core.extend_planes(
            disparity,
            known,
            image,
            beyond[piece],
            radius=_PLANE_RADIUS,
            reach=_PLANE_REACH,
            first_row=row,
        )
        _core.continue_background(
            disparity, known, image, background[piece], radius=_PLANE_RADIUS, first_row=row
        )
    is_beyond = ~np.logical_or.accumulate(known, axis=1)
    is_beyond |= ~np.logical_or.accumulate(known[:, ::-1], axis=1)[:, ::-1]
    is_beyond &= known.any(axis=1, keepdims=True)
    start = np.where(is_beyond, beyond, background)
    hidden = ~known & ~is_beyond
    sure = _not_widened(start, known, hidden)
    asked = ~sure & ~is_beyond
    for row in range(0, disparity.shape[0], _ROWS_AT_A_TIME):
        piece = slice(row, row + _ROWS_AT_A_TIME)
        _core.weighted_median(
            start, sure, image, asked, inside[piece], radius=_MEDIAN_RADIUS, first_row=row
        )
    return inside


def _not_widened(disparity: Map, known: Known, hidden: Known) -> Known:
    """Known pixels but the first ones of what hides the pixels on their left."""
    sure = known.copy()
    for step in range(1, _WIDENED_BY + 1):
        is_in_front = disparity[:, step:] > disparity[:, :-step] + 1
        sure[:, step:] &= ~(hidden[:, :-step] & is_in_front)
    return np.asarray(sure)


def smoothed(disparity: Map) -> Map:
    """Without specks, and each pixel the mean of the surface around it."""
    return mean_of_surface(median3(disparity))


def median3(values: Map) -> Map:
    """Median of each 3 x 3 neighbourhood; beyond the border the nearest pixel stands in."""
    median = np.empty(values.shape)
    for row in range(0, len(values), _ROWS_AT_A_TIME):
        _core.median_of_nine(values, median[row : row + _ROWS_AT_A_TIME], first_row=row)
    return median


def mean_of_surface(values: Map) -> Map:
    """Mean of the pixels around that are at most one away; slopes stay what they are."""
    mean = np.empty(values.shape)
    for row in range(0, len(values), _ROWS_AT_A_TIME):
        _core.mean_of_surface(
            values,
            mean[row : row + _ROWS_AT_A_TIME],
            radius=_SMOOTH_RADIUS,
            tolerance=_SURFACE_STEP,
            first_row=row,
        )
    return mean
