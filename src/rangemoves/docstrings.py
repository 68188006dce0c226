"""Docstrings that take a part of their text from a table."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["entry", "with_text"]

_WIDTH = 88  # columns of a paragraph, before it is indented

T = TypeVar("T", bound=Callable[..., Any])


def entry(name: str, kind: str, words: str) -> str:
    """Return a parameter as numpydoc lists it.

    Examples
    --------
    >>> from rangemoves.docstrings import entry
    >>> print(entry("extend", "int, default 2", "By how many labels."))
    extend : int, default 2
        By how many labels.
    """
    return f"{name} : {kind}\n{textwrap.indent(textwrap.fill(words, _WIDTH), '    ')}"


def with_text(place: str, text: str) -> Callable[[T], T]:
    """Put a text where the docstring of a class or function has a line ``{place}``."""

    def fill(thing: T) -> T:
        if thing.__doc__ is not None:  # python -OO drops docstrings
            mark = f"{{{place}}}"
            line = next(line for line in thing.__doc__.splitlines() if line.strip() == mark)
            margin = line.removesuffix(mark)
            thing.__doc__ = thing.__doc__.replace(line, textwrap.indent(text, margin))
        return thing

    return fill
