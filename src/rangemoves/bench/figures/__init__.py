"""The figures of a run, each as PNG and as SVG in ``OUT/figures``.

==============  ==================================================================
``runs``        cells with the results they left behind
``style``       colour, marker and line of every row
``canvas``      axes, legends and files
``energies``    energy against time; E^h and E^g per iteration
``moves``       how much changes, and how much may
``maps``        the labellings
``paper``       all of these, for every instance and prior
``scaling``     time and memory against size
``comparison``  solvers beside each other
==============  ==================================================================
"""

from __future__ import annotations

from .comparison import draw_compare
from .paper import draw
from .scaling import draw_scaling

__all__ = ["draw", "draw_compare", "draw_scaling"]
