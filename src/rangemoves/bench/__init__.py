"""``rangemoves bench``: the paper's tables and figures, how time grows, and others beside us.

=============  ==================================================================
``problems``   the instances and priors, by name
``paper``      the figures that the paper has
``judgement``  how far above them a row may end
``remarks``    why a cell ends above the paper's figure
``claims``     what the paper claims, by its figures and by ours
``cell``       a cell of each kind of run, and how it is stored
``limits``     how many seconds a cell gets
``cells``      one cell of the paper's tables: plan it, run it
``scaling``    time and memory against pixels, labels and T
``compare``    other people's solvers on the same problems
``peers``      how each of those is called
``store``      the folder of a run: a file per finished cell, results.csv and .json
``worker``     the process that a cell of any kind runs in
``runner``     the queue: processes, limits, Ctrl-C
``progress``   what is done, running and left, while it goes on
``run``        a whole run: the queue, then tables, figures and page
``machine``    what it ran on
``growth``     the power with which a cost grows with a size
``tables``     Markdown and LaTeX
``figures``    the figures, PNG and SVG
``page``       one HTML page with all of it
=============  ==================================================================

What only developers ask, whether goals are met, is in the folder ``benchmarks`` of the source.
"""
