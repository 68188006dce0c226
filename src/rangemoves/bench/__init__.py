"""``rangemoves bench``: the paper's tables and figures, how time grows, and others beside us.

=============  ==================================================================
``problems``   the instances and priors, by name
``paper``      the figures that the paper has
``cells``      one cell of the paper's tables: run it, record it
``worker``     the process that a cell of any kind runs in
``store``      the folder of a run: a file per finished cell, results.csv and .json
``runner``     the queue: processes, limits, Ctrl-C
``progress``   what is done, running and left, while it goes on
``run``        a whole run: the queue, then tables, figures and page
``machine``    what it ran on, and how much memory it took
``tables``     Markdown and LaTeX
``scaling``    time and memory against pixels, labels and T
``compare``    other people's solvers on the same problems
``peers``      how each of those is called
``figures``    the figures, PNG and SVG
``page``       one HTML page with all of it
=============  ==================================================================
"""
