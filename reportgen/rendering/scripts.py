"""The plotting library, from its installed package, as a page carries it."""

from __future__ import annotations

import base64
import hashlib
import zlib
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path


@dataclass(frozen=True)
class Library:
    """A script: compressed and in letters, as the page holds it, and the SHA-256 of its text.

    Templates write `packed`, a short mark in its place; two megabytes would be copied with every step of a page.
    """

    letters: bytes
    digest: bytes

    @property
    def packed(self) -> str:
        """The mark that stands for the letters until the page is written."""
        return f"script-{self.digest.hex()}"


COMPRESSION = 4
"""Level of gzip: half the time of 6, for a page that is 2 % larger."""

GZIP = 31
"""What zlib calls the gzip format, without a time."""

BLOCK = 1 << 18
"""Bytes of a library that are read at a time."""


@cache
def plotly() -> Library:
    """Return plotly.js from the installed plotly package, without importing plotly; once for all reports."""
    digest, packer, parts = hashlib.sha256(), zlib.compressobj(COMPRESSION, wbits=GZIP), []
    with (_folder("plotly") / "package_data" / "plotly.min.js").open("rb") as file:
        while block := file.read(BLOCK):  # never whole: it would be the largest thing in memory
            digest.update(block)
            parts.append(packer.compress(block))
    packed = b"".join([*parts, packer.flush()])
    return Library(base64.b64encode(packed), digest.digest())


def _folder(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"the package {package!r} is not installed", name=package)
    return Path(spec.origin).parent
