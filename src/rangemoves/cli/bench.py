"""``rangemoves bench``: the paper's tables and figures, how time grows, and others beside us."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ..bench import cells, compare, limits, rows, run, scaling
from ..bench.cell import Cell, Kind, PaperCell, of_kind
from ..bench.judgement import misses
from ..bench.problems import INSTANCES, PRIORS
from ..bench.progress import Tell
from ..bench.store import Job
from ..machine import available_cores
from ._common import FAILED, say, with_exit_codes
from ._method_options import takes_method_options

app = typer.Typer(no_args_is_help=True)

Output = Annotated[
    Path,
    typer.Option("--output", "-o", help="Folder for results, tables, figures and the page."),
]
Jobs = Annotated[int | None, typer.Option(help="Cells at a time; by default all cores.", min=1)]
Threads = Annotated[int, typer.Option(help="Of each cell.", min=1)]
Seed = Annotated[int, typer.Option(help="For everything random.", min=0)]
Data = Annotated[
    Path | None,
    typer.Option(
        help="Folder with middlebury and kitti; $RANGEMOVES_DATA or the user's cache if absent.",
        exists=True,
        file_okay=False,
    ),
]
Force = Annotated[
    bool, typer.Option("--force", help="Run the cells again that are finished already.")
]


@app.callback()
def _bench() -> None:
    """Measure: the paper's tables, growth with size, other solvers.

    Example: rangemoves bench paper -o results --instances venus,sawtooth
    """


@app.command("paper")
@with_exit_codes
@takes_method_options("options", leave_out=("engine",))
def paper(
    output: Output,
    instances: Annotated[
        list[str] | None,
        typer.Option(help=f"Of {', '.join(INSTANCES)}; separated by commas."),
    ] = None,
    priors: Annotated[
        list[str] | None, typer.Option(help=f"Of {', '.join(PRIORS)}; by default all.")
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(help=f"Of {', '.join(rows.ROWS)}; by default what the paper has, and best."),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(help="Seconds per cell; its best labelling so far counts.", min=0),
    ] = None,
    best_time_limit: Annotated[
        float | None,
        typer.Option(
            help="The same for the row best, which would go on for long; by default "
            f"{limits.USUAL.best:g}.",
            min=0,
        ),
    ] = None,
    jobs: Jobs = None,
    threads: Threads = 1,
    seed: Seed = 0,
    data: Data = None,
    with_slow: Annotated[
        bool,
        typer.Option("--with-slow", help="Also range expansion on KITTI."),
    ] = False,
    as_written: Annotated[
        bool,
        typer.Option(
            "--as-written",
            help="Also each method as the paper has it, in rows of their own: the Huber surrogate, "
            "the convex range up to T.",
        ),
    ] = False,
    starts: Annotated[
        bool,
        typer.Option(
            "--starts",
            help="Also gswap from other starts: TRW-S, the cheapest labels, random ones.",
        ),
    ] = False,
    everything: Annotated[
        bool,
        typer.Option(
            "--everything",
            help="All of the paper, as written and as ours, from all starts: estimated two and "
            "a half hours of a fast core, four of a slow one. "
            f"{limits.EVERYTHING.usual:g} seconds per cell, "
            f"{limits.EVERYTHING.swaps:g} for range swaps.",
        ),
    ] = False,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="A part of it, estimated a quarter to half an hour of one core: "
            f"{', '.join(limits.QUICK_INSTANCES)}, {limits.QUICK.usual:g} seconds per cell.",
        ),
    ] = False,
    commit: Annotated[
        str | None,
        typer.Option(
            help="Which state of the source this is: the tables say it, and cells of another one "
            "are run again."
        ),
    ] = None,
    any_commit: Annotated[
        bool,
        typer.Option(
            "--any-commit",
            help="Keep cells of other commits all the same; the tables say how many are of which.",
        ),
    ] = False,
    force: Force = False,
    *,
    options: dict[str, Any],
) -> None:
    """Make the paper's tables and figures: energies and times of all its methods.

    By default all instances of Middlebury, and KITTI 000070 where its files are there. Writes
    results.csv, results.json, tables.md, tables.tex, figures and index.html. Stopped in whatever
    way, the same command goes on where it was; a cell that was run with other settings or by
    another version is run again. Options of methods hold for all rows whose method has them. What
    matters most is run first.

    Example: rangemoves bench paper -o results --instances venus,sawtooth --methods gswap,gswapf
    """
    if everything and quick:
        raise typer.BadParameter("choose one of --everything and --quick", param_hint="--quick")
    names = _split(instances, INSTANCES, "--instances") or (
        list(limits.QUICK_INSTANCES) if quick else _default_instances(data)
    )
    chosen = _split(priors, PRIORS, "--priors") or list(PRIORS)
    wanted = _split(methods, rows.ROWS, "--methods")
    _require_takers(options, wanted or rows.ROWS)
    planned = cells.plan(
        names,
        chosen,
        wanted,
        data=data,
        limits=_limits(everything, quick, time_limit, best_time_limit),
        threads=threads,
        seed=seed,
        commit=commit,
        with_slow=with_slow or everything,
        with_written=as_written or everything or quick,
        with_starts=starts or everything,
        options=options,
    )
    shown = {
        "instances": instances and ",".join(names),
        "priors": priors and ",".join(chosen),
        "methods": wanted and ",".join(wanted),
        "time-limit": time_limit,
        "best-time-limit": best_time_limit,
        "everything": everything,
        "quick": quick,
        "with-slow": with_slow,
        "as-written": as_written,
        "starts": starts,
        **{name.replace("_", "-"): value for name, value in options.items()},
    }
    _carry_out(
        "paper",
        planned,
        cells.outcome,
        shown,
        output,
        jobs,
        threads,
        seed,
        force,
        commit=commit,
        any_commit=any_commit,
    )


@app.command("scaling")
@with_exit_codes
def scaling_command(
    output: Output,
    methods: Annotated[
        list[str] | None,
        typer.Option(help=f"By default {', '.join(scaling.METHODS)}; separated by commas."),
    ] = None,
    largest: Annotated[
        int, typer.Option(help="Pixels of the largest problem.", min=scaling.SMALLEST)
    ] = scaling.LARGEST,
    time_limit: Annotated[float | None, typer.Option(help="Seconds per cell.", min=0)] = None,
    jobs: Jobs = 1,
    threads: Threads = 1,
    seed: Seed = 0,
    force: Force = False,
) -> None:
    """Measure time and memory against pixels, labels and T, on pairs that are rendered here.

    One cell at a time unless --jobs says otherwise: cells that run beside each other slow each
    other down.

    Example: rangemoves bench scaling -o scaling --methods gswap,expansion
    """
    names = _split(methods, rows.METHODS, "--methods") or list(scaling.METHODS)
    planned = scaling.plan(
        names, largest=largest, time_limit=time_limit, threads=threads, seed=seed
    )
    options = {
        "methods": methods and ",".join(names),
        "largest": None if largest == scaling.LARGEST else largest,
        "time-limit": time_limit,
    }
    _carry_out("scaling", planned, scaling.outcome, options, output, jobs, threads, seed, force)


@app.command("compare")
@with_exit_codes
def compare_command(
    output: Output,
    instances: Annotated[
        list[str] | None,
        typer.Option(help="Of " + ", ".join(INSTANCES) + "; by default synthetic-200."),
    ] = None,
    repeat: Annotated[int, typer.Option(help="Runs per cell; the fastest counts.", min=1)] = 3,
    jobs: Jobs = 1,
    threads: Threads = 1,
    seed: Seed = 0,
    data: Data = None,
    force: Force = False,
) -> None:
    """Run other people's solvers on the same problems: PyMaxflow, gco, OR-tools, OpenCV.

    Those that are not installed are shown so; the extra "bench" of this package brings them.

    Example: rangemoves bench compare -o compare --instances venus
    """
    names = _split(instances, INSTANCES, "--instances") or ["synthetic-200"]
    planned = compare.plan(names, data=data, repeat=repeat, threads=threads, seed=seed)
    options = {
        "instances": instances and ",".join(names),
        "repeat": None if repeat == compare.REPEAT else repeat,
    }
    _carry_out("compare", planned, compare.outcome, options, output, jobs, threads, seed, force)


def _carry_out(
    kind: Kind,
    planned: Sequence[Job[Cell]],
    tell: Tell,
    options: dict[str, Any],
    output: Path,
    jobs: int | None,
    threads: int,
    seed: int,
    force: bool,
    *,
    commit: str | None = None,
    any_commit: bool = False,
) -> None:
    processes = available_cores() if jobs is None else jobs
    usual = None if kind == "paper" else 1
    options["jobs"] = None if jobs == usual else jobs
    options["threads"] = None if threads == 1 else threads
    options["seed"] = seed or None
    results = run.carry_out(
        output,
        kind,
        planned,
        tell,
        command=_command(kind, output, options),
        processes=processes,
        seed=seed,
        force=force,
        commit=commit,
        any_commit=any_commit,
    )
    failed = [cell for cell in results.cells if cell.status == "failed"]
    done = len(results.cells) - len(failed)
    say(f"{done} cells done, {len(failed)} failed; open {output / 'index.html'} to see them")
    for cell in filter(misses, of_kind(results.cells, PaperCell)):
        say(
            f"{cell.instance}, {cell.prior}, {cell.row}: energy {cell.energy:.10g} is "
            f"further above the paper's {cell.paper_energy:.10g} than it should be"
        )
    if failed:
        raise typer.Exit(FAILED)


def _limits(
    everything: bool, quick: bool, usual: float | None, best: float | None
) -> limits.TimeLimits:
    """The limits of a kind of run, or those that were asked for."""
    found = limits.USUAL
    if everything or quick:
        found = limits.EVERYTHING if everything else limits.QUICK
    if usual is not None:
        found = limits.TimeLimits(usual=usual, best=found.best)
    return found if best is None else replace(found, best=best)


def _split(values: list[str] | None, known: Iterable[str], option: str) -> list[str] | None:
    """The words of an option that may be given several times, or once with commas."""
    if not values:
        return None
    words = [word.strip() for value in values for word in value.split(",") if word.strip()]
    names = list(known)
    for word in words:
        if word not in names:
            raise typer.BadParameter(
                f"found {word!r}; choose from {', '.join(names)}", param_hint=option
            )
    return list(dict.fromkeys(words))


def _require_takers(options: dict[str, Any], names: Iterable[str]) -> None:
    """Refuse an option that would change no row."""
    for option, value in options.items():
        if not any(rows.options_of(row, {option: value}).get(option) == value for row in names):
            raise typer.BadParameter(
                f"found {value!r}, which no method of these rows has, or takes in place of what "
                "makes the row what it is; see rangemoves methods",
                param_hint="--" + option.replace("_", "-"),
            )


def _default_instances(data: Path | None) -> list[str]:
    """All that can be downloaded, and KITTI, which cannot, where it is there."""
    names = [
        name
        for name, instance in INSTANCES.items()
        if instance.shape is None and name != "kitti-000070"
    ]
    try:
        INSTANCES["kitti-000070"].pair(data)
    except FileNotFoundError as error:
        say(f"kitti-000070 is left out: {error}")
        return names
    return [*names, "kitti-000070"]


def _command(kind: str, output: Path, options: dict[str, Any]) -> str:
    """What to type for the same results; where files are is the reader's business."""
    words = ["rangemoves", "bench", kind, "-o", output.name]
    for name, value in options.items():
        if value is True:
            words.append(f"--{name}")
        elif value not in (None, False):
            words += [f"--{name}", f"{value:g}" if isinstance(value, float) else str(value)]
    return shlex.join(words)
