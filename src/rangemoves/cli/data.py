"""``rangemoves data``: fetch public datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ..datasets import download_middlebury, middlebury_names
from ..datasets.download import MIDDLEBURY_URL
from ._common import print_json, say, with_exit_codes

app = typer.Typer(no_args_is_help=True)


@app.callback()
def _data() -> None:
    """Fetch public datasets.

    Example: rangemoves data middlebury venus cones
    """


@app.command("middlebury")
@with_exit_codes
def middlebury(
    names: Annotated[
        list[str] | None,
        typer.Argument(help=f"Any of: {', '.join(middlebury_names())}; all of them if absent."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Folder; $RANGEMOVES_DATA or the user's cache if absent."
        ),
    ] = None,
    url: Annotated[str, typer.Option(help="A mirror of the collection.")] = MIDDLEBURY_URL,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the folders as JSON on standard output.")
    ] = False,
) -> None:
    """Download Middlebury stereo pairs of 2001 and 2003, checked against known checksums.

    Please cite Scharstein and Szeliski (IJCV 2002; CVPR 2003) where you use them.

    Example: rangemoves data middlebury venus cones --output data
    """
    unknown = [name for name in names or [] if name not in middlebury_names()]
    if unknown:
        raise typer.BadParameter(
            f"found {unknown[0]!r}; choose from {', '.join(middlebury_names())}",
            param_hint="NAMES",
        )
    progress = Console(stderr=True).is_terminal
    folders = download_middlebury(names or None, output, url=url, progress=progress)
    if as_json:
        print_json({"folders": [str(folder) for folder in folders]})
        return
    for folder in folders:
        typer.echo(str(folder))
    say(f"{len(folders)} pairs are there and checked")
