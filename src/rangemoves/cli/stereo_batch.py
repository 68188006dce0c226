"""``rangemoves stereo-batch``: many pairs, one after the other or several at a time, resumable."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from .. import io
from ..stereo import StereoMatcher, evaluate
from . import _stereo_options as option
from ._at_once import in_turn
from ._common import FAILED, print_json, say, with_exit_codes
from ._map_figures import about_map, map_line
from ._outputs import check_files, check_outputs
from ._pairs import PairFiles, find_pairs, printable, unpaired
from ._settings_file import SettingsFile, write_settings
from ._stereo_files import read_inputs
from ._tiling import connected

Facts = dict[str, Any]
Halted = Callable[[], bool]


@with_exit_codes
@option.takes_matcher
def command(
    context: typer.Context,
    folder: Annotated[
        Path, typer.Argument(help="Folder with the pairs.", exists=True, file_okay=False)
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Folder for maps and figures.", file_okay=False),
    ],
    matcher: StereoMatcher,
    suffix: Annotated[
        str, typer.Option(help="Format of the maps: .pfm, .npy, .tif, .pgm or .png.")
    ] = ".pfm",
    png: option.PngKind = option.Png.colour,
    scale: option.Scale = None,
    truth: Annotated[
        str | None,
        typer.Option(help="Name of the true disparities beside each left image: disp2.pgm."),
    ] = None,
    truth_scale: option.TruthScale = None,
    workers: Annotated[
        int, typer.Option(help="Pairs at a time; the threads are shared by them.", min=1)
    ] = 1,
    scheduler: Annotated[
        str | None,
        typer.Option(help="Address of a Dask scheduler; its workers must see the files."),
    ] = None,
    settings: SettingsFile = None,
    save_settings: Annotated[
        Path | None, typer.Option(help="Write all settings of this run to a .toml file.")
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing but warnings and errors.")
    ] = False,
    as_json: option.AsJson = False,
    force: Annotated[bool, typer.Option("--force", help="Do finished pairs again.")] = False,
) -> None:
    """Compute disparity maps for all pairs in FOLDER.

    Pairs are found by name: one folder per pair with left and right (or im0 and im1, im2 and im6,
    image_0 and image_1, view1 and view5), two folders left and right with equal names, or files
    NAME_left and NAME_right; of one name the second is called NAME-2. Each gives a map
    OUTPUT/NAME.pfm and figures OUTPUT/NAME.json. Run again, only what is missing, failed or was
    done with other settings or other images is done; what is skipped is said, and images that
    belong to no pair are. A pair that fails is reported, has no map, and the others go on; the exit
    code is then 1.

    Example: rangemoves stereo-batch pairs -o maps --labels 64
    """
    _check_name(f"map{suffix}", "--suffix")
    option.check_map(Path(f"map{suffix}"), matcher, png, scale, "--suffix")
    if truth is not None:
        _check_name(truth, "--truth")
    pairs = find_pairs(folder)
    if not pairs:
        raise typer.BadParameter(
            f"{folder} has no pair; see --help for the names that are looked for",
            param_hint="FOLDER",
        )
    _check_inputs_stay(pairs, output, suffix)
    output.mkdir(parents=True, exist_ok=True)
    check_outputs([output / f"map{suffix}"], "--output", True)
    if save_settings is not None:
        check_files({"--save-settings": (save_settings, (".toml",))}, [], [save_settings] * force)
        write_settings(save_settings, context, option.used_settings(matcher))
    batch = Batch(
        matcher,
        output,
        suffix,
        {
            **matcher.parameters(),
            "png": png.value,
            "scale": scale,
            "truth": truth,
            "truth_scale": truth_scale,
        },
    )
    alone = unpaired(folder, pairs)
    for path in alone:
        say(printable(f"skipped {path}: no other image of the folder makes a pair with it"))
    facts: dict[str, dict[str, Any]] = {}
    # Closed at once on Ctrl-C: the bar must be gone before anything is said.
    with (
        connected(scheduler) as client,
        closing(in_turn(batch, pairs, force, workers, client)) as done,
        closing(_with_progress(done, len(pairs), quiet)) as shown,
    ):
        for pair, stored in shown:
            facts[pair.name] = stored
            if "error" in stored:
                say(printable(f"{pair.name} failed: {stored['error']}"))
            for sentence in stored.get("warnings", ()):
                say(printable(f"{pair.name}: warning: {sentence}"))
            if not as_json and not quiet:
                typer.echo(f"{printable(pair.name)}: {_line(stored)}")
    facts = {pair.name: facts[pair.name] for pair in pairs}
    _tell(facts, [str(path) for path in alone], as_json, quiet)


def _tell(facts: dict[str, Facts], alone: list[str], as_json: bool, quiet: bool) -> None:
    """Say how many pairs were done, skipped and failed; exit with 1 after a failure."""
    failed = [name for name, stored in facts.items() if "error" in stored]
    skipped = [name for name, stored in facts.items() if stored.get("skipped")]
    if as_json:
        print_json({"pairs": facts, "failed": failed, "skipped": skipped, "unpaired": alone})
    if not quiet:
        line = f"{len(facts) - len(failed)} of {len(facts)} pairs done, {len(failed)} failed"
        say(line + (f", {len(skipped)} skipped as they were done before" if skipped else ""))
    if failed:
        raise typer.Exit(FAILED)


def _with_progress(
    done: Iterator[tuple[PairFiles, Facts]], count: int, quiet: bool
) -> Generator[tuple[PairFiles, Facts], None, None]:
    """Yield what is known of pairs as they are done, and show on a terminal how far that is."""
    console = Console(stderr=True)
    hidden = quiet or not console.is_terminal
    with Progress(console=console, disable=hidden, transient=True) as bar:
        task = bar.add_task("pairs", total=count)
        for pair, stored in done:
            bar.update(task, description=escape(printable(pair.name)), advance=1)
            yield pair, stored


@dataclass(frozen=True)
class Batch:
    """What all pairs of a batch share.

    Attributes
    ----------
    matcher : StereoMatcher
        Does the work.
    output : Path
        Folder for maps and figures.
    suffix : str
        Format of the maps.
    settings : dict
        All that a map depends on besides its images.
    at_once : int
        Pairs that share the memory of this machine.
    """

    matcher: StereoMatcher
    output: Path
    suffix: str
    settings: dict[str, Any]
    at_once: int = 1

    def do(self, pair: PairFiles, force: bool, halted: Halted | None = None) -> Facts:
        """Do a pair that is not done yet, and return what is known of it."""
        map_file = self.output / f"{pair.name}{self.suffix}"
        facts_file = self.output / f"{pair.name}.json"
        inputs = _digests(pair, self.settings["truth"])
        earlier = _stored(facts_file)
        if not force and _holds(earlier, map_file, self.settings, inputs):
            return {**earlier, "skipped": "done before, with the same images and settings"}
        # Removed first: if this run is killed, old figures must not stand beside a new map.
        _remove(facts_file)
        found = {**self._solve(pair, map_file, halted), "inputs": inputs}
        stored = _write_facts(facts_file, found)
        if "error" in stored and "output" in earlier:
            _remove(map_file)  # it is of other files, or of other settings
        return stored

    def _solve(self, pair: PairFiles, map_file: Path, halted: Halted | None) -> Facts:
        begin = time.perf_counter()
        facts: dict[str, Any] = {"left": str(pair.left), "right": str(pair.right)}
        truth, truth_scale = self.settings["truth"], self.settings["truth_scale"]
        try:
            expected = None if truth is None else pair.left.with_name(truth)
            inputs = read_inputs(pair.left, pair.right, expected, truth_scale)
            self.matcher.check_size(inputs.left.shape[:2], at_once=self.at_once)
            found = self.matcher.run(
                inputs.left, inputs.right, None if halted is None else lambda _: halted()
            )
            if halted is not None and halted():
                raise KeyboardInterrupt  # the map is not that of the settings
            if not found.is_solved:
                raise ValueError(
                    "the time limit was over before anything was found; raise --time-limit"
                )
            if inputs.truth is not None:
                facts["evaluation"] = option.finite(evaluate(found.disparity, inputs.truth))
            png, scale = option.Png(self.settings["png"]), self.settings["scale"]
            place = inputs.georeference
            option.write_map(map_file, found.disparity, self.matcher, png, scale, place)
            facts |= {"map": about_map(found, self.matcher), "warnings": list(found.warnings)}
            facts |= {**found.result.to_dict(), "output": str(map_file)}
        except typer.BadParameter as error:
            facts["error"] = error.message
        except (ValueError, TypeError, OverflowError, MemoryError, OSError) as error:
            facts["error"] = str(error) or type(error).__name__
        return facts | {"seconds": time.perf_counter() - begin, "parameters": self.settings}


def _check_name(name: str, hint: str) -> None:
    if "/" in name or "\\" in name:
        raise typer.BadParameter(
            f"{name!r} has a slash; pass a name, without a folder", param_hint=hint
        )


def _check_inputs_stay(pairs: list[PairFiles], output: Path, suffix: str) -> None:
    """Refuse to write a map over an image."""
    images = {os.path.realpath(path) for pair in pairs for path in (pair.left, pair.right)}
    for pair in pairs:
        if os.path.realpath(output / f"{pair.name}{suffix}") in images:
            raise typer.BadParameter(
                f"{printable(pair.name)}{suffix} in it would replace an image; "
                "choose another folder",
                param_hint="--output",
            )


def _digests(pair: PairFiles, truth: str | None) -> dict[str, str | None]:
    """What the files of a pair hold; a map is kept as long as it is that of the same."""
    paths = {"left": pair.left, "right": pair.right}
    if truth is not None:
        paths["truth"] = pair.left.with_name(truth)
    return {name: _digest(path) for name, path in paths.items()}


def _digest(path: Path) -> str | None:
    try:
        if not path.is_file():  # reading a pipe could wait for ever
            return None
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while part := file.read(2**20):
                digest.update(part)
        return digest.hexdigest()
    except OSError:
        return None


def _stored(facts_file: Path) -> dict[str, Any]:
    """What an earlier run found out about a pair; nothing where it cannot be used."""
    try:
        stored = json.loads(facts_file.read_bytes())
        _line(stored)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    return dict(stored)


def _holds(
    stored: dict[str, Any],
    map_file: Path,
    settings: dict[str, Any],
    inputs: dict[str, str | None],
) -> bool:
    """Whether the map is there, and is what would be made now."""
    as_stored = json.loads(json.dumps(settings))
    same = stored.get("parameters") == as_stored and stored.get("inputs") == inputs
    return same and "error" not in stored and map_file.is_file()


def _write_facts(path: Path, facts: dict[str, Any]) -> dict[str, Any]:
    """Store what was found out; a pair whose figures cannot be stored has failed."""
    try:
        io.write_atomically(path, json.dumps(facts, indent=2).encode())
    except OSError as error:
        return {**facts, "error": facts.get("error", str(error))}
    return facts


def _remove(path: Path) -> None:
    """Take away what an earlier run wrote; what cannot be is for the writer to say."""
    with suppress(OSError):
        path.unlink(missing_ok=True)


def _line(facts: dict[str, Any]) -> str:
    if "error" in facts:
        return "failed"
    if facts.get("skipped"):
        return f"skipped, {facts['skipped']}"
    line = f"{map_line(facts['map'])}; energy {facts['energy']:.10g}, {facts['seconds']:.1f} s"
    if facts.get("evaluation"):
        line += f", bad1 {facts['evaluation']['bad1']:.2f} %"
    return line
