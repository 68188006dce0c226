"""What the scripts in this folder share: data, clocks, processes, tables and goals."""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import rangemoves as rm
from rangemoves.bench import problems

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("RANGEMOVES_DATA", ROOT.parent / "shared" / "data"))


def problem(name):
    """The energy of a named problem, such as "venus-quadratic"."""
    return problems.problem(name, DATA)


def restoration(name, shape=None, levels=256):
    """An image of the MRF benchmark to restore, with its parameters; 0 in the mask: no cost.

    ``shape``: only its middle, of so many rows and columns; ``levels``: fewer levels of grey.
    """
    image, mask = (
        rm.io.read_image(DATA / "mrf-benchmark" / f"{name}-{part}.png").astype(int)
        for part in ("input", "mask")
    )
    image, mask = (array if array.ndim == 2 else array[..., 0] for array in (image, mask))
    if shape is not None:
        corner = [(whole - side) // 2 for whole, side in zip(image.shape, shape, strict=True)]
        middle = tuple(slice(at, at + side) for at, side in zip(corner, shape, strict=True))
        image, mask = image[middle], mask[middle]
    costs = (image[..., None] * levels // 256 - np.arange(levels)) ** 2
    costs[mask == 0] = 0
    prior, weight = {
        "penguin": (rm.TruncatedQuadratic(200**0.5), 25),
        "house": (rm.Quadratic(), 5),
    }[name]
    return rm.Energy(costs.astype(np.int32), prior, weight)


def output_folder(name):
    """A folder for what a script writes; git ignores it."""
    folder = ROOT / "demo-output" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def timed(work, clock=time.perf_counter):
    """What a function returns, and the seconds it took.

    ``clock``: time.process_time, for work on one thread, leaves out what others did meanwhile.
    """
    begin = clock()
    found = work()
    return found, clock() - begin


def fastest(works, repeat, clock=time.perf_counter):
    """The fastest run of each function by name, as (what it returned, seconds).

    Rounds go through all of them: whatever else the machine does hits all alike. ``clock``: as for
    :func:`timed`.
    """
    best = {}
    for _ in range(repeat):
        for name, work in works.items():
            run = timed(work, clock)
            if name not in best or run[1] < best[name][1]:
                best[name] = run
    return best


def in_own_process(script, *arguments, shown=False):
    """The JSON that a script prints in its last line, run in a process of its own.

    Its peak of memory is then its own, and nothing is warm. ``shown``: what it writes to the
    standard error is seen while it runs.
    """
    command = [sys.executable, script, *map(str, arguments)]
    errors = None if shown else subprocess.PIPE
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=errors, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, arguments))} failed:\n{done.stderr or ''}")
    return json.loads(done.stdout.splitlines()[-1])


class Table:
    """A Markdown table that is printed line by line, while it is measured."""

    def __init__(self, *head):
        self.lines = []
        self.row(*head)
        self._line("|" + "---|" * len(head))

    def row(self, *entries):
        self._line("| " + " | ".join(map(str, entries)) + " |")

    def _line(self, line):
        self.lines.append(line)
        print(line, flush=True)

    def __str__(self):
        return "\n".join(self.lines)


class Goals:
    """What was to be reached and what was; a script ends with 1 where one is missed."""

    def __init__(self):
        self.rows = []

    def add(self, what, found, goal, met):
        self.rows.append((what, found, goal, "yes" if met else "NO"))

    def ratio(self, what, slow, fast, goal, met=True):
        """How many times faster: at least ``goal``, and ``met`` besides."""
        found = f"{slow / fast:.1f} ({slow:.2f} s / {fast:.3f} s)"
        self.add(what, found, f">= {goal}", met and slow / fast >= goal)

    def at_most(self, what, value, goal, unit, form=".2f"):
        self.add(what, f"{value:{form}} {unit}", f"<= {goal} {unit}", value <= goal)

    def tell(self):
        """Print all of them; return the table and the exit code."""
        table = Table("measured", "found", "goal", "met")
        for row in self.rows:
            table.row(*row)
        return table, 0 if all(met == "yes" for *_, met in self.rows) else 1


def parser(doc):
    """A parser that shows the docstring of the script."""
    return argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
