"""Pieces of a page that needs no other file: pictures as data, text that cannot become markup."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Mapping
from importlib import resources
from string import Template
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._optional import optional_import
from .._version import __version__


def resource(package: str, name: str) -> str:
    """Return the text of a file that is installed with a package."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def fill(package: str, name: str, *, title: str, **parts: object) -> str:
    """Fill the template ``name.html`` of a package and put it, its style and its script in a page.

    ``title`` is text; the other parts are markup already.
    """
    heading = html.escape(title)
    content = Template(resource(package, f"{name}.html")).substitute(title=heading, **parts)
    return Template(resource(__package__, "base.html")).substitute(
        title=heading,
        version=html.escape(__version__),
        style=resource(__package__, "base.css") + resource(package, f"{name}.css"),
        content=content,
        script=resource(package, f"{name}.js"),
    )


def picture_uri(picture: Any) -> str:
    """Return a pillow image as a PNG inside an address."""
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def png_uri(image: NDArray[np.uint8]) -> str:
    """Return an array of pixels as a PNG inside an address."""
    pillow = optional_import("PIL.Image", purpose="writing a report")
    grey = image.shape[2] == 1
    return picture_uri(pillow.fromarray(image[..., 0] if grey else image))


def svg_uri(drawing: bytes) -> str:
    """Return an SVG drawing inside an address."""
    return "data:image/svg+xml;base64," + base64.b64encode(drawing).decode()


def figure(uri: str, caption: str) -> str:
    """Return a picture with words below it, which are also read out in its place."""
    text = html.escape(caption)
    return f'<figure><img src="{uri}" alt="{text}"><figcaption>{text}</figcaption></figure>'


def table(caption: str, rows: Mapping[str, object]) -> str:
    """Return a table of names and values."""
    body = "\n".join(
        f'<tr><th scope="row">{html.escape(str(name))}</th><td>{html.escape(str(value))}</td></tr>'
        for name, value in rows.items()
    )
    return f"<table><caption>{html.escape(caption)}</caption><tbody>\n{body}\n</tbody></table>"
