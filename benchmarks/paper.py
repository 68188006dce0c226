"""Run the paper's tables and write docs/paper.md, docs/results.md and their figures from that run.

    python benchmarks/paper.py runs/paper            all of it: estimated 150 to 240 core minutes
    python benchmarks/paper.py runs/paper --quick    a part of it: estimated 15 to 30 core minutes
    python benchmarks/paper.py runs/paper --pages    only the pages, from what the folder holds

Stopped in whatever way, the same command goes on. Cells are run again where a commit has changed
what they are computed by; where there is no git, --commit says which one this is. A folder that was
run on another machine becomes pages here with --pages, which name that machine.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rangemoves.bench import run as bench
from rangemoves.bench import store, tables
from rangemoves.bench.cell import PaperCell, Results, in_words, of_kind
from rangemoves.bench.claims import Claim, claims
from rangemoves.bench.remarks import WORTH_A_REMARK, excess
from rangemoves.bench.rows import AS_WRITTEN, starts_late
from rangemoves.bench.tables import answers
from rangemoves.cli import app

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
# The part of docs/results.md that is written from the run.
BEGIN, END = "<!-- from the run -->", "<!-- end of what is from the run -->"


# What a cell is computed by. The pages that a run writes are not, nor what writes them: the next
# run goes on after them.
COMPUTED_BY = ("CMakeLists.txt", "pyproject.toml", "bindings", "core", "src")
_BENCH = "src/rangemoves/bench"
SHOWN_BY = tuple(
    f"{_BENCH}/{name}"
    for name in ("claims.py", "figures", "judgement.py", "page", "remarks.py", "tables")
)
_COMPUTING = ("--", *COMPUTED_BY, *(f":(exclude){name}" for name in SHOWN_BY))


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit() -> str:
    """Return the last commit that changed what cells are computed by, and whether that was since.

    Not the last of all: a run goes on after its pages, or others, were committed.
    """
    changed = _git("status", "--porcelain", *_COMPUTING)
    return _git("log", "-1", "--format=%h", *_COMPUTING) + ("-dirty" if changed else "")


def run(out: Path, chosen: argparse.Namespace) -> int:
    """Run or go on with the run in a folder, and return what it exits with."""
    try:
        state = chosen.commit or commit()
    except (OSError, subprocess.CalledProcessError):
        print("git does not say which state of the source this is; pass --commit", file=sys.stderr)
        return 2
    words = ["bench", "paper", "-o", str(out)]
    words += ["--quick" if chosen.quick else "--everything"]
    words += ["--commit", state]
    words += ["--any-commit"] if chosen.any_commit else []
    words += ["--data", chosen.data] if chosen.data else []
    words += ["--jobs", str(chosen.jobs)] if chosen.jobs else []
    # In this process: Ctrl-C then reaches the run, which says what it kept and how to go on.
    try:
        app(words)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
    return 0


def _machine(results: Results[PaperCell]) -> str:
    about = results.about
    cells = results.cells
    source = in_words(cell.commit for cell in cells) or about.get("commit") or "unknown"
    return (
        f"One run of `{about['command']}`, ended {about['created'][:10]}, commit {source}, "
        "one thread a cell, "
        f"{about['processes']} cells at a time, on {in_words(cell.machine for cell in cells)}."
    )


def _counts(cells: Sequence[PaperCell]) -> str:
    done = [cell for cell in cells if cell.energy is not None]
    above = [found for cell in done if (found := excess(cell)) is not None]
    high = sum(found > WORTH_A_REMARK for found in above)
    low = sum(found < -WORTH_A_REMARK for found in above)
    limit = sum(cell.status == "time_limit" and cell.row != "best" for cell in done)
    proven = sum(cell.row == "best" and cell.status == "optimal" for cell in done)
    return (
        f"{len(done)} cells, {limit} of them ended by the time limit, `best` not counted. "
        f"{len(above)} can be compared with the paper: {low} end more than {WORTH_A_REMARK:g} % "
        f"below it, {high} above it, the others at its figure. `best` proved {proven} optima. "
        f"All cells together took {_own_seconds(done) / 60:.0f} minutes of one core."
    )


def _own_seconds(cells: Sequence[PaperCell]) -> float:
    """Of all cells together, each start counted once."""
    return sum((cell.seconds or 0.0) - (cell.start_seconds or 0.0) for cell in cells)


def _written(cells: Sequence[PaperCell]) -> str:
    """How many of the rows as written are the paper's, and which are not."""
    compared = answers.written_cells(cells)
    if not compared:
        return "No row was run as written."
    zero = [cell for cell in compared if not starts_late(cell.row)]
    late = [cell for cell in compared if starts_late(cell.row)]
    words = [_met(zero, "from label 0")] if zero else []
    words += [_met(late, "from our alpha-expansion, not quite the paper's")] if late else []
    return " ".join(words)


def _met(compared: Sequence[PaperCell], start: str) -> str:
    ended = [cell for cell in compared if cell.status != "time_limit"]
    off = {
        f"{cell.row.removesuffix(AS_WRITTEN)} on {cell.instance}, {cell.prior}": found
        for cell in ended
        if abs(found := excess(cell) or 0.0) > answers.AS_GOOD_AS_EQUAL
    }
    equal = sum(
        f"{cell.compared_energy / 1e3:.1f}" == f"{cell.paper_energy / 1e3:.1f}" for cell in ended
    )
    others = ", ".join(f"{where} ({found:+.2f} %)" for where, found in off.items())
    return (
        f"As written, of {len(compared)} figures of gswap, gswapf, rswap and rswape {start}, "
        f"{len(ended)} ended by themselves: {equal} of those are the paper's to the printed digit, "
        f"{len(ended) - len(off)} within {answers.AS_GOOD_AS_EQUAL:g} %"
        + (f", and not: {others}." if others else ".")
    )


def _answer(claim: Claim) -> str:
    words = {
        "paper": "By the paper's own figures",
        "as written": "ours as written",
        "ours": "ours as they are",
    }
    parts = [
        f"{words[name]} {found[0]} to {found[1]}"
        for name, found in claim.sources.items()
        if found is not None
    ]
    return f"- **{claim.words[0].upper()}{claim.words[1:]}.** {'; '.join(parts)}."


def from_the_run(results: Results[PaperCell]) -> str:
    """Return the part of docs/results.md that follows from the results."""
    cells = results.cells
    parts = [BEGIN, _machine(results), _counts(cells), _written(cells)]
    parts.append("What the paper claims, and what the figures say:")
    parts.append("\n".join(_answer(claim) for claim in claims(cells)))
    return "\n\n".join([*parts, END])


def what_is_missing(out: Path) -> str | None:
    """Return why no pages can be made of a folder, or None where all cells have ended somehow."""
    try:
        results = store.read(out)
    except (OSError, ValueError) as error:
        return f"{out} must hold a run of 'bench paper'; {error}"
    kind, cells = results.about["kind"], results.cells
    if kind != "paper":
        return f"{out} must hold a run of 'bench paper'; found one of 'bench {kind}'"
    left = sum(cell.status == "pending" for cell in cells)
    if left:
        return (
            f"the run in {out} must be over before pages are made of it; found {left} of "
            f"{len(cells)} cells that were not run yet; run the same command without --pages"
        )
    return None


def write_pages(out: Path, docs: Path = DOCS) -> None:
    """Write both pages and copy the figures that they show."""
    stored = store.read(out)
    results = Results(stored.about, of_kind(stored.cells, PaperCell))
    page = docs / "results.md"
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise ValueError(f"{page} must have the lines {BEGIN} and {END}; found none")
    figures = re.findall(r"\(images/paper/([\w.-]+)\)", text)
    missing = [name for name in figures if not (out / "figures" / name).is_file()]
    (docs / "paper.md").write_text(tables.markdown(results), encoding="utf-8")
    page.write_text(before + from_the_run(results) + after, encoding="utf-8")
    for name in set(figures) - set(missing):
        shutil.copyfile(out / "figures" / name, docs / "images" / "paper" / name)
    if missing:
        print(f"the run has no {', '.join(missing)}: the pages keep what they had", file=sys.stderr)


def main() -> int:
    """Run, then write the pages."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="of the run")
    parser.add_argument(
        "--quick", action="store_true", help="a part of it, estimated 15 to 30 core minutes"
    )
    parser.add_argument("--pages", action="store_true", help="run nothing, only write the pages")
    parser.add_argument("--data", help="folder with middlebury and kitti")
    parser.add_argument("--jobs", type=int, help="cells at a time; by default all cores")
    parser.add_argument("--commit", help="which state of the source this is, where git cannot say")
    parser.add_argument(
        "--any-commit",
        action="store_true",
        help="keep cells of other commits; the pages say how many are of which",
    )
    arguments = parser.parse_args()
    failed = 0 if arguments.pages else run(arguments.folder, arguments)
    # 1: some cells failed, and the pages show which; or there was no run at all.
    if failed not in (0, 1):
        return failed
    missing = what_is_missing(arguments.folder)
    if missing is not None:
        print(f"no pages were written: {missing}", file=sys.stderr)
        return 1
    if arguments.pages:
        bench.present(arguments.folder)
    write_pages(arguments.folder)
    return failed


if __name__ == "__main__":
    sys.exit(main())
