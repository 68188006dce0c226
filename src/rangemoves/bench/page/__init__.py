"""One HTML page with all of a run: tables, figures and maps, to sort, to filter and to send.

Everything is inside the file; it opens without a network and needs no other file.

============  ==================================================================
``document``  the page as a whole
``about``     words about the run
``overview``  the first table: energies, or powers
``results``   the table of all results, and its filters
``columns``   what is in it
``numbers``   what the numbers say
``charts``    the figures
``maps``      the labellings
``words``     small pieces of markup
============  ==================================================================
"""

from __future__ import annotations

from .document import write

__all__ = ["write"]
