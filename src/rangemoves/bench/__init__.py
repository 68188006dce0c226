"""``rangemoves bench``: the paper's tables and figures, how time grows, and others beside us.

=============  ==================================================================
``problems``   the instances and priors, by name
``paper``      the figures that the paper has
``cells``      one cell of a table: run it, record it; also what its process runs
``store``      the folder of a run: a file per finished cell, results.csv and .json
``runner``     the queue: processes, limits, progress, Ctrl-C
``tables``     Markdown and LaTeX
``scaling``    time and memory against pixels, labels and T
``compare``    other people's solvers on the same problems
``figures``    the figures, PNG and SVG
``page``       one HTML page with all of it
=============  ==================================================================
"""
