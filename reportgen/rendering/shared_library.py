"""The plotting library in a file of its own, which the pages of many reports ask for it."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import jinja2

from reportgen.rendering import scripts
from reportgen.rendering.look import Look
from reportgen.storing.report_folder import SHARED
from reportgen.wording.vocabulary import folders


def write_library(look: Look, folder: Path) -> Path:
    """Write the file into a folder; pages run what it holds only if it is the library that they know by its hash."""
    searched = jinja2.FileSystemLoader(folders(look.templates))
    environment = jinja2.Environment(loader=searched, autoescape=True, undefined=jinja2.StrictUndefined)
    library = scripts.plotly()
    script = environment.get_template("html/plotly.js").render().strip()
    text = environment.get_template("html/plotly.html.j2").render(
        library=library.packed, script=script, hashes=hashes_of(script)
    )
    before, _, after = text.partition(library.packed)
    path = folder / SHARED
    path.write_bytes(before.encode() + library.letters + after.encode())
    return path


def hashes_of(*texts: str) -> tuple[str, ...]:
    """Return scripts as a content security policy names those that may run.

    Examples
    --------
    >>> hashes_of("x")
    ("'sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE='",)
    """
    return tuple(policy_source(hashlib.sha256(text.encode()).digest()) for text in texts)


def policy_source(digest: bytes) -> str:
    """Return a SHA-256 as a content security policy writes it."""
    return f"'sha256-{base64.b64encode(digest).decode()}'"
