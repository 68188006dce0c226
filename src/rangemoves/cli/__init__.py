"""The command line. A command is one file here, with a function ``command``, and one line below."""

from __future__ import annotations

from typing import Annotated

import typer

from .. import __version__
from . import bench, data, demo, methods, solve, stereo, stereo_batch, verify

app = typer.Typer(
    name="rangemoves",
    help="Minimise energies over ordered labels with generalized range moves.",
    no_args_is_help=True,
    # Wrong use is one line on standard error; any other exception is a bug and keeps its traceback.
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="rich",
)
app.command("demo")(demo.command)
app.command("solve")(solve.command)
app.command("verify")(verify.command)
app.command("stereo")(stereo.command)
app.command("stereo-batch")(stereo_batch.command)
app.command("methods")(methods.command)
app.add_typer(bench.app, name="bench")
app.add_typer(data.app, name="data")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rangemoves {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Minimise energies over ordered labels with generalized range moves."""
