"""``python -m rangemoves`` and the command ``rangemoves``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line, or say in one line what it needs."""
    try:
        from .cli import app
    except ModuleNotFoundError as error:
        # Only what the extra would bring: a mistake of our own must stay visible.
        if error.name is None or error.name.partition(".")[0] not in ("typer", "rich"):
            raise
        print(
            f"rangemoves: the command line needs {error.name}, which is not installed; "
            'run: pip install "rangemoves[app]"',
            file=sys.stderr,
        )
        sys.exit(1)
    app()


if __name__ == "__main__":
    main()
