"""A stereo pair with exact truth: textured slanted and curved surfaces that hide each other.

Each surface gives its disparity as a function of the left image. The left image shows, at every
pixel, the surface with the largest disparity (the nearest one). The right image does the same after
solving ``x - d(x) = x_right`` for every surface, so that both images sample one continuous scene
and the truth holds to a fraction of a pixel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ._stereo_pair import StereoPair

Array = NDArray[np.float64]
Field = Callable[[Array, Array], Array]
Support = Callable[[Array, Array], NDArray[np.bool_]]

# x = x_right + d(x) is solved by iterating it. The surfaces below change by less than 0.4 pixels of
# disparity per pixel, so the error shrinks by at least that factor each time.
_FIXED_POINT_STEPS = 20
_NOISE = 1.5  # standard deviation of the sensor noise, in grey levels


@dataclass(frozen=True)
class _Surface:
    """A textured sheet: where it is (in the left image), how near it is, what is printed on it."""

    support: Support
    disparity: Field
    texture: Field  # (y, x) -> (..., 3)


def _texture(rng: np.random.Generator, shape: tuple[int, int], margin: int) -> Field:
    """A smooth random colour pattern with detail at every scale down to about two pixels."""
    height, width = shape
    base = rng.uniform(90, 165) + rng.uniform(-35, 35, size=3)
    tint = rng.uniform(0.6, 1.0, size=3)
    layers = []
    for spacing, strength in ((2.0, 34.0), (4.5, 30.0), (11.0, 26.0), (29.0, 20.0)):
        rows = int(height / spacing) + 4
        columns = int((width + 2 * margin) / spacing) + 4
        layers.append((spacing, strength * rng.standard_normal((rows, columns))))

    def texture(y: Array, x: Array) -> Array:
        grey = sum(
            _bilinear(values, y / spacing, (x + margin) / spacing) for spacing, values in layers
        )
        return base + np.multiply.outer(grey, tint)

    return texture


def _bilinear(values: Array, y: Array, x: Array) -> Array:
    y = np.clip(y, 0, values.shape[0] - 1.001)
    x = np.clip(x, 0, values.shape[1] - 1.001)
    row, column = y.astype(np.intp), x.astype(np.intp)
    v, u = y - row, x - column
    upper = (1 - u) * values[row, column] + u * values[row, column + 1]
    lower = (1 - u) * values[row + 1, column] + u * values[row + 1, column + 1]
    return np.asarray((1 - v) * upper + v * lower)


def _scene(rng: np.random.Generator, shape: tuple[int, int], labels: int) -> list[_Surface]:
    """Wall, floor, ball, board, curtain and pole; disparities stay within [1, labels - 2]."""
    # The order of the random numbers is part of what a seed means: places first, textures last.
    places = _Places.draw(rng, shape, labels)
    parts = (_wall, _floor, _ball, _board, _curtain, _pole)
    return [_Surface(*part(places), _texture(rng, shape, margin=labels)) for part in parts]


@dataclass(frozen=True)
class _Places:
    """Where the surfaces of a scene are: lengths in pixels, disparities in pixels."""

    height: int
    width: int
    span: float  # largest disparity minus smallest
    wall: tuple[float, float]  # disparity at the left and at the right
    horizon: float
    ball: tuple[float, float, float]  # row, column, radius
    board: tuple[float, float, float]  # row, column, tilt
    curtain: float
    curtain_waves: float
    pole: float

    @classmethod
    def draw(cls, rng: np.random.Generator, shape: tuple[int, int], labels: int) -> _Places:
        height, width = shape
        span = float(labels - 3)
        wall_left, wall_right = rng.permutation([1.0 + span * 0.02, 1.0 + span * 0.22])
        return cls(
            height=height,
            width=width,
            span=span,
            wall=(wall_left, wall_right),
            horizon=rng.uniform(0.62, 0.72) * height,
            ball=(
                rng.uniform(0.25, 0.4) * height,
                rng.uniform(0.55, 0.75) * width,
                rng.uniform(0.16, 0.22) * min(height, width),
            ),
            board=(
                rng.uniform(0.35, 0.5) * height,
                rng.uniform(0.24, 0.36) * width,
                rng.uniform(-0.35, 0.35),
            ),
            curtain=rng.uniform(0.86, 0.92) * width,
            curtain_waves=rng.uniform(2.0, 3.0),
            pole=rng.uniform(0.46, 0.54) * width,
        )

    def near(self, fraction: float) -> float:
        """A disparity: 0 is the far end of the scene, 1 the near one."""
        return 1.0 + self.span * fraction


def _wall(places: _Places) -> tuple[Support, Field]:
    left, right = places.wall

    def disparity(y: Array, x: Array) -> Array:
        return np.asarray(left + (right - left) * np.clip(x / places.width, -0.5, 1.5))

    return lambda y, x: np.ones(np.broadcast(y, x).shape, dtype=bool), disparity


def _floor(places: _Places) -> tuple[Support, Field]:
    depth = places.height - places.horizon

    def disparity(y: Array, x: Array) -> Array:
        return places.near(0.22) + places.span * 0.5 * (y - places.horizon) / depth + 0 * x

    return lambda y, x: (y >= places.horizon) & (x == x), disparity


def _ball(places: _Places) -> tuple[Support, Field]:
    row, column, radius = places.ball

    def distance(y: Array, x: Array) -> Array:
        return np.asarray(((y - row) ** 2 + (x - column) ** 2) / radius**2)

    def disparity(y: Array, x: Array) -> Array:
        return places.near(0.34) + places.span * 0.14 * (1 - np.minimum(distance(y, x), 1.0))

    return lambda y, x: distance(y, x) <= 1, disparity


def _board(places: _Places) -> tuple[Support, Field]:
    row, column, tilt = places.board

    def frame(y: Array, x: Array) -> tuple[Array, Array]:
        cosine, sine = np.cos(tilt), np.sin(tilt)
        dy, dx = (y - row) / (0.24 * places.height), (x - column) / (0.14 * places.width)
        return np.asarray(cosine * dy - sine * dx), np.asarray(sine * dy + cosine * dx)

    def support(y: Array, x: Array) -> NDArray[np.bool_]:
        v, u = frame(y, x)
        return (np.abs(v) <= 1) & (np.abs(u) <= 1)

    def disparity(y: Array, x: Array) -> Array:
        v, u = frame(y, x)
        slope = 0.08 * np.clip(u, -1.5, 1.5) + 0.06 * np.clip(v, -1.5, 1.5)
        return places.near(0.55) + places.span * slope

    return support, disparity


def _curtain(places: _Places) -> tuple[Support, Field]:
    def disparity(y: Array, x: Array) -> Array:
        wave = np.sin(2 * np.pi * places.curtain_waves * y / places.height)
        return places.near(0.62) + places.span * 0.04 * wave + 0 * x

    return lambda y, x: (x >= places.curtain) & (y == y), disparity


def _pole(places: _Places) -> tuple[Support, Field]:
    half = max(1.0, 0.008 * places.width)

    def disparity(y: Array, x: Array) -> Array:
        return places.near(0.9) + 0.04 * places.span * (y / places.height) + 0 * x

    return lambda y, x: (np.abs(x - places.pole) <= half) & (y == y), disparity


def _look(
    surfaces: list[_Surface], y: Array, x_of: Callable[[_Surface], Array]
) -> tuple[Array, Array]:
    """Colour and disparity of the nearest surface, met at the left column ``x_of(surface)``."""
    nearest = np.full(y.shape, -np.inf)
    colour = np.zeros((*y.shape, 3))
    for surface in surfaces:
        x = x_of(surface)
        disparity = surface.disparity(y, x)
        front = surface.support(y, x) & (disparity > nearest)
        nearest[front] = disparity[front]
        colour[front] = surface.texture(y[front], x[front])
    return colour, nearest


def _left_column(surface: _Surface, y: Array, x_right: Array) -> Array:
    x = x_right
    for _ in range(_FIXED_POINT_STEPS):
        x = x_right + surface.disparity(y, x)
    return x


def synthetic_stereo(
    seed: int = 0, shape: tuple[int, int] = (240, 320), labels: int = 32
) -> StereoPair:
    """Render a stereo pair with known disparities: textured slanted and curved surfaces.

    Parameters
    ----------
    seed : int
        Chooses places, textures and noise; the same seed gives the same images.
    shape : (int, int)
        Height and width in pixels, each at least 16.
    labels : int
        Number of disparities needed, at least 8 and at most a third of the width:
        every true disparity lies between 1 and ``labels - 2``.

    Returns
    -------
    StereoPair
        RGB images, the exact disparity of every left pixel, and which of them the right one shows.

    Examples
    --------
    >>> import rangemoves as rm
    >>> pair = rm.datasets.synthetic_stereo(seed=1)
    >>> pair
    StereoPair('synthetic-1', 320x240, 32 labels, with truth)
    >>> bool(pair.disparity.max() <= pair.labels - 2)
    True
    """
    height, width = shape
    if height < 16 or width < 16:
        raise ValueError(
            f"shape must be at least (16, 16); found {tuple(shape)}; "
            "pass a larger shape=(height, width)"
        )
    if not 8 <= labels <= width // 3:
        raise ValueError(
            f"labels must be between 8 and a third of the width ({width // 3}); found {labels}; "
            "pass fewer labels or a wider shape"
        )
    rng = np.random.default_rng(seed)
    surfaces = _scene(rng, (height, width), labels)
    y, x = np.mgrid[:height, :width].astype(np.float64)

    left, disparity = _look(surfaces, y, lambda surface: x)
    right, _ = _look(surfaces, y, lambda surface: _left_column(surface, y, x))

    x_right = x - disparity
    _, seen = _look(surfaces, y, lambda surface: _left_column(surface, y, x_right))
    visible = (x_right >= 0) & (seen <= disparity + 1e-6)

    def photograph(image: Array) -> NDArray[np.uint8]:
        noisy = image + rng.normal(0.0, _NOISE, size=image.shape)
        return np.clip(np.rint(noisy), 0, 255).astype(np.uint8)

    return StereoPair(
        photograph(left), photograph(right), disparity, visible, f"synthetic-{seed}", labels
    )
