"""Options of a command that come from a table of the library."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

Command = Callable[..., None]


def option(
    name: str,
    kind: Any,
    default: Any,
    words: str,
    minimum: float | None = None,
    flags: Sequence[str] = (),
    **checks: Any,
) -> inspect.Parameter:
    """Return an option as typer reads it off a signature; ``checks`` are those of typer.Option."""
    annotated: Any = Annotated  # as a value: mypy takes Annotated[..] for a type
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=annotated[kind, typer.Option(*flags, help=words, min=minimum, **checks)],
    )


def in_place_of(
    name: str, options: Sequence[inspect.Parameter], make: Callable[..., Any]
) -> Callable[[Command], Command]:
    """Give a command options in place of a parameter, which gets what ``make`` makes of them."""
    names = [part.name for part in options]

    def replace(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)

        @functools.wraps(command)
        def with_options(**given: Any) -> None:
            chosen = {part: given.pop(part) for part in names}
            command(**given, **{name: make(**chosen)})

        parameters: list[inspect.Parameter] = []
        for parameter in signature.parameters.values():
            parameters += options if parameter.name == name else [parameter]
        # typer reads options from the signature and from the annotations.
        keywords = [part.replace(kind=inspect.Parameter.KEYWORD_ONLY) for part in parameters]
        with_options.__signature__ = signature.replace(parameters=keywords)  # type: ignore[attr-defined]
        with_options.__annotations__ = {part.name: part.annotation for part in keywords}
        return with_options

    return replace
