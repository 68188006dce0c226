"""The options of methods: names, values, defaults and what each is for, once.

The rows of ``methods.py`` name those that a method takes; ``rm.minimize`` checks and documents
them, and the command line has them as options.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .errors import as_choice, as_integer

__all__ = ["Option"]

# No energy has more labels than that.
_LARGEST = 2**31


@dataclass(frozen=True)
class Option:
    """One option of a method: a word out of a few, or an integer.

    Attributes
    ----------
    name : str
        Of the keyword of ``rm.minimize``.
    help : str
        What it is for, in a line.
    choices : tuple of str
        The words it can be; none where it is an integer.
    least : int
        The least integer it can be.
    default : str, int or None
        What it is where it is left out; None where the problem decides.
    details : str
        What the documentation adds.

    Examples
    --------
    >>> import rangemoves as rm
    >>> rswape = next(method for method in rm.methods() if method.name == "rswape")
    >>> [(option.name, option.default) for option in rswape.option_table]
    [('engine', 'auto'), ('order', 'fixed'), ('extend', 2), ('surrogate', 'continued'),
     ('convex_range', 'table'), ('ties', 'keep')]
    """

    name: str
    help: str
    choices: tuple[str, ...] = ()
    least: int = 0
    default: str | int | None = None
    details: str = ""

    def parse(self, value: Any) -> str | int:
        """Return a value in the form the core takes, or say what is wrong with it."""
        if self.choices:
            return as_choice(value, self.name, self.choices)
        return min(as_integer(value, self.name, minimum=self.least), _LARGEST)

    @property
    def values(self) -> str:
        """What it can be, in words."""
        if not self.choices:
            return f"an integer of at least {self.least}"
        return ", ".join(self.choices[:-1]) + f" or {self.choices[-1]}"


ENGINE = Option(
    "engine",
    "What solves a move.",
    ("auto", "reference", "dual"),
    default="auto",
    details=(
        'Both engines are exact: "dual" sweeps messages and cuts what they leave open, "reference" '
        'cuts the whole graph; "auto" chooses.'
    ),
)
SURROGATE = Option(
    "surrogate",
    "How the convex part of the prior is continued.",
    ("tight", "huber", "chord"),
    default="tight",
    details=(
        "As low as possible, with the slope of the paper's Huber function (as low as possible "
        "where the prior is a table, which has none), or by chords from the current differences."
    ),
)
CONTINUED = Option(
    "surrogate",
    "How the convex part of the prior is continued.",
    ("continued", "tight"),
    default="continued",
    details="With the bend that the prior last has, or as low as possible.",
)
REWEIGHTED = Option(
    "surrogate",
    "How the convex part of the prior is continued.",
    ("tight", "huber"),
    default="tight",
    details=(
        "As low as possible, or with the slope of the paper's Huber function, as the authors of "
        "the method do."
    ),
)
REWEIGHTING = Option(
    "reweighting",
    "How much an edge weighs where the prior has a kink, as a truncated one has at T.",
    ("middle", "least"),
    default="middle",
    details=(
        '"middle" takes half way between the slopes on either side, and half of all weights in a '
        'first cut from the same label everywhere, as the authors of the method do; "least" '
        "takes the lesser slope, and whole weights from the start."
    ),
)
CONVEX_RANGE = Option(
    "convex_range",
    "Which differences count as those where the prior is convex.",
    ("table", "prior"),
    default="table",
    details=(
        "All that its values at integers allow, or those up to its own T, as in the paper: for the "
        "Cauchy prior one less. Where the prior has no T both are the same."
    ),
)
TIES = Option(
    "ties",
    "Which of several best labellings a move takes.",
    ("keep", "highest"),
    default="keep",
    details=(
        "The current one where it is among them, or the highest, even where nothing is gained by "
        "it: so did the paper's authors, by their figures. Range swaps then go through all ranges "
        "each time, which is slower."
    ),
)
STRATEGY = Option(
    "strategy",
    "How it is chosen who may move.",
    ("alternate", "range", "random", "ends"),
    default="alternate",
    details=(
        "Drop the larger and the smaller end of an edge by turns, keep the labels of one range "
        "after the other, drop either end at random, or drop the first and the second end of an "
        "edge by turns, which is what gives the figures of the paper."
    ),
)
ORDER = Option(
    "order",
    "In which order pairs or ranges of labels are tried.",
    ("fixed", "random"),
    default="fixed",
    details="Random with the seed.",
)
LABEL_ORDER = Option(
    "order",
    "In which order labels are tried.",
    ("fixed", "ascending", "random"),
    default="fixed",
    details=(
        '"fixed" goes up through the labels where the prior rises ever slower, as the truncated '
        'linear one, and scatters them elsewhere, which ends lower; "ascending" always goes up, '
        "which builds slopes where scattering leaves jumps: the better start for other moves; "
        '"random" with the seed.'
    ),
)
NONSUBMODULAR = Option(
    "nonsubmodular",
    "What is done with an edge that no cut can represent.",
    ("truncate", "qpbo"),
    default="truncate",
    details=(
        "Raise its cost where that cannot raise the energy, or leave the variables that QPBO "
        "cannot decide as they are."
    ),
)
EXTEND = Option(
    "extend",
    "By how many labels on either side the range to move to is widened.",
    least=0,
    default=2,
    details=(
        "As many as there are labels: all of them can be chosen. Sets of labels with gaps are not "
        "offered: with the labels between as well, the best that a move can do is never worse."
    ),
)
ISLANDS = Option(
    "islands",
    "How the small parts of a problem are solved that messages leave open.",
    ("auto", "branches"),
    default="auto",
    details=(
        '"auto" tries dynamic programming, whose tables may take some hundred megabytes, before '
        'labels are split; "branches" only splits, which takes less memory and mostly longer. '
        "What is proven is true either way."
    ),
)
WIDTH = Option(
    "width",
    "How far apart the labels of a range are.",
    least=1,
    details=(
        "By default as far as the prior is convex; in a wider range edges beyond that count as the "
        "least convex function above the prior."
    ),
)
