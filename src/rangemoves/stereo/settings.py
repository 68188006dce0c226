"""The settings of stereo matching: names, types, defaults and what each is for, once.

``StereoMatcher`` has them as fields, ``match`` as arguments, and the command line as options.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeVar, get_args, get_type_hints

from ..docstrings import entry, with_text
from ..errors import as_choice, as_flag, as_integer, as_real
from ..priors import Prior, TruncatedLinear

__all__ = [
    "SWEEPS",
    "Setting",
    "StereoSettings",
    "as_disparity",
    "default_prior",
    "default_weight",
    "documented",
    "settings",
]

# Labels to a step of T where the prior is left out, and the least and largest T.
_LABELS_PER_STEP = 10
_LEAST_T, _LARGEST_T = 3, 16
_WEIGHT = 32
_FURTHEST = 2**31 - 1  # no image is wider, and sums with columns and labels fit 64 bits
Preset = Literal["fast", "balanced", "accurate"]
# Iterations of "trws" where max_iter is left out.
SWEEPS: dict[str, int] = {"fast": 1, "balanced": 12, "accurate": 20}

T = TypeVar("T", bound=Callable[..., Any])


def _about(doc: str, help: str | None = None, minimum: float | None = None) -> dict[str, Any]:  # noqa: A002
    """What a field is for: in the documentation, on the command line, and its least value."""
    return {"doc": doc, "help": doc if help is None else help, "minimum": minimum}


def _sweeps() -> str:
    return ", ".join(str(count) for count in SWEEPS.values())


def as_disparity(value: Any, name: str) -> int:
    """Return a disparity as an int, or say why it is none.

    Examples
    --------
    >>> from rangemoves.stereo.settings import as_disparity
    >>> as_disparity(-3, "min_disparity")
    -3
    """
    return as_integer(value, name, minimum=-_FURTHEST, maximum=_FURTHEST)


def default_prior(labels: int) -> TruncatedLinear:
    """Return the prior where none is given: T is a tenth of the labels, from 3 to 16.

    The finer the disparities are for the depth of a scene, the steeper surfaces are in labels, and
    the more labels lie between two objects.

    Examples
    --------
    >>> from rangemoves.stereo.settings import default_prior
    >>> default_prior(16), default_prior(128)
    (TruncatedLinear(3), TruncatedLinear(13))
    """
    return TruncatedLinear(min(max(_LEAST_T, round(labels / _LABELS_PER_STEP)), _LARGEST_T))


def default_weight(prior: Prior | None, labels: int) -> int:
    """Return the weight where none is given: a step costs less where T is larger, a jump more.

    It is a multiple of 4, so that an eighth of it is whole in halves, which 16-bit messages hold.

    Examples
    --------
    >>> from rangemoves.stereo.settings import default_weight
    >>> default_weight(None, 16), default_weight(None, 128)
    (32, 16)
    """
    if prior is not None:
        return _WEIGHT
    share = math.sqrt(_LEAST_T / default_prior(labels).threshold)
    return 4 * round(_WEIGHT / 4 * share)


@dataclass(frozen=True)
class StereoSettings:
    """What a matcher does; one choice of defaults for all pairs.

    The defaults were found on the public pairs that ``benchmarks/stereo.py`` runs.
    """

    labels: int = field(metadata=_about("Number of disparities to try.", minimum=1))
    min_disparity: int = field(default=0, metadata=_about("The smallest of them; may be negative."))
    prior: Prior | None = field(
        default=None,
        metadata=_about(
            "What a step between neighbouring disparities costs; ``TruncatedLinear(T)`` when left "
            "out, T being a tenth of the labels, from 3 to 16."
        ),
    )
    weight: float | None = field(
        default=None,
        metadata=_about(
            "Factor of the prior where the image is smooth; an eighth of it across edges of the "
            "image. More makes the map smoother. Chosen with T when left out: 32 for T = 3, "
            "falling with its square root; 32 for a prior of your own.",
            "Of the prior: more is smoother. By default 32 or, for many labels, less.",
            minimum=0,
        ),
    )
    # The lowest energies for the time, and a lower bound.
    method: str = field(default="trws", metadata=_about("One of ``rangemoves.methods()``."))
    max_iter: int | None = field(
        default=None,
        metadata=_about(
            f'The most iterations for each view; when left out, {_sweeps()} for ``"trws"`` by '
            "preset, which brings the disparities close to where they end, and no limit for the "
            'others. With ``"balanced"`` the right view gets a third of the sweeps.',
            f"The most iterations; {_sweeps()} by default for trws by preset, none for others.",
            minimum=0,
        ),
    )
    subpixel: bool = field(
        default=True,
        metadata=_about(
            "Refine the disparities to fractions of a pixel.", "Refine to fractions of a pixel."
        ),
    )
    left_right: bool = field(
        default=True,
        metadata=_about(
            "Match the right image as well, and distrust pixels where the two disagree.",
            "Match the right image too, and find what only one image shows.",
        ),
    )
    fill: bool = field(
        default=True,
        metadata=_about(
            "Give distrusted pixels the disparity of the background beside them, so that every "
            "pixel has an answer; if False they are NaN.",
            "Fill what only one image shows from the background.",
        ),
    )
    time_limit: float | None = field(
        default=None,
        metadata=_about(
            "Seconds for the minimisation, shared by the views.", "Seconds per pair.", minimum=0
        ),
    )
    threads: int | None = field(
        default=None,
        metadata=_about("All cores when left out.", "By default all cores.", minimum=1),
    )
    seed: int = field(
        default=0,
        metadata=_about(
            "For methods that use random numbers.", "For everything random.", minimum=0
        ),
    )
    preset: str = field(
        default="balanced",
        metadata=_about(
            '``"fast"``, ``"balanced"`` or ``"accurate"``: how much time ``"trws"`` takes. The '
            "first two solve in bytes and 16-bit messages, in one thread and a third of the "
            "memory, where the prior is truncated linear; the last one finds a lower bound as "
            "well.",
            "fast, balanced or accurate.",
        ),
    )

    def __post_init__(self) -> None:
        as_integer(self.labels, "labels", minimum=1)
        as_disparity(self.min_disparity, "min_disparity")
        for name in ("subpixel", "left_right", "fill"):
            as_flag(getattr(self, name), name)
        as_choice(self.preset, "preset", get_args(Preset))
        if self.weight is not None and as_real(self.weight, "weight") < 0:
            raise ValueError(f"weight must be at least 0; found {self.weight:g}; pass e.g. 32")
        if self.time_limit is not None and as_real(self.time_limit, "time_limit") < 0:
            raise ValueError(
                f"time_limit must be at least 0 seconds; found {self.time_limit:g}; "
                "leave it out for no limit"
            )

    @property
    def prior_used(self) -> Prior:
        """The prior, chosen by the number of labels where it was left out."""
        return default_prior(self.labels) if self.prior is None else self.prior

    @property
    def weight_used(self) -> float:
        """The weight, chosen with the prior where it was left out."""
        return default_weight(self.prior, self.labels) if self.weight is None else self.weight


@dataclass(frozen=True)
class Setting:
    """One of the settings.

    Attributes
    ----------
    name : str
        Of the field and of the argument.
    type : object
        As annotated.
    default : object
        None where it may be left out without one, ``dataclasses.MISSING`` where it must be given.
    doc, help : str
        What it is for: in the documentation, and shorter on the command line.
    minimum : float or None
        The least value that the command line takes.
    """

    name: str
    type: Any
    default: Any
    doc: str
    help: str
    minimum: float | None


def settings() -> list[Setting]:
    """Return all settings in order.

    Examples
    --------
    >>> from rangemoves.stereo.settings import settings
    >>> [setting.name for setting in settings()][:3]
    ['labels', 'min_disparity', 'prior']
    """
    types = get_type_hints(StereoSettings)
    return [
        Setting(part.name, types[part.name], part.default, **part.metadata)
        for part in fields(StereoSettings)
    ]


def documented(thing: T) -> T:
    """Put the settings where the docstring of a class or function has ``{settings}``."""
    entries = []
    for setting in settings():
        choices = [kind for kind in get_args(setting.type) if kind is not type(None)]
        kind = f"{choices[0].__name__}, optional" if choices else setting.type.__name__
        entries.append(entry(setting.name, kind, setting.doc))
    return with_text("settings", "\n".join(entries))(thing)
