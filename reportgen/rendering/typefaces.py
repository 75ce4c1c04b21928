"""The typefaces of a report: whole files for paper, and for the screen the characters that its page uses."""

from __future__ import annotations

import base64
import hashlib
import html
import io
from collections.abc import Set
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

SANS, SERIF = "font_source_sans_pro", "font_source_serif_pro"
"""Packages that hold the files."""

TYPED = frozenset(map(chr, range(0x20, 0x7F)))
"""What a script of the page may write, in every subset: few pages then need one of their own."""

KEPT_NAMES = [0, 14]
"""Entries of a font's name table that a subset keeps: its copyright and the address of its licence."""


@dataclass(frozen=True)
class Font:
    """One face of a typeface, and the file that holds it; `screen` says whether pages for the screen carry it."""

    family: str
    weight: int
    style: str
    path: Path
    screen: bool = True

    @property
    def address(self) -> str:
        """Where the printed page finds the whole file."""
        return self.path.as_uri()

    @property
    def mark(self) -> str:
        """What stands for the embedded subset until the page is finished and its characters are known."""
        return f"font-{hashlib.sha256(self.path.name.encode()).hexdigest()}"


@cache
def fonts() -> tuple[Font, ...]:
    """Return the faces that are installed: their packages come with reportgen, so every machine has the same.

    Without the packages a page is set in the fonts that its reader has.
    """
    faces = (
        ("Report Sans", 400, "normal", SANS, "SourceSansPro-Regular.ttf", True),
        ("Report Sans", 600, "normal", SANS, "SourceSansPro-Semibold.ttf", True),
        ("Report Sans", 400, "italic", SANS, "SourceSansPro-It.ttf", False),
        ("Report Serif", 600, "normal", SERIF, "SourceSerifPro-Semibold.ttf", True),
    )
    found = (
        Font(family, weight, style, folder / "files" / file, screen)
        for family, weight, style, package, file, screen in faces
        if (folder := _folder(package)) is not None
    )
    return tuple(font for font in found if font.path.is_file())


def embedded(page: str) -> str:
    """Return a page for the screen with its fonts in the places of their marks, cut to its own characters.

    Examples
    --------
    >>> embedded("<p>no font is asked for</p>")
    '<p>no font is asked for</p>'
    """
    used = frozenset(html.unescape(page)) | TYPED
    for font in fonts():
        if font.mark in page:
            page = page.replace(font.mark, subset(font, used & characters(font)), 1)
    return page


@cache
def characters(font: Font) -> frozenset[str]:
    """Return the characters that a face has."""
    from fontTools.ttLib import TTFont

    with TTFont(font.path, lazy=True) as opened:
        return frozenset(map(chr, opened.getBestCmap()))


@lru_cache(maxsize=32)
def subset(font: Font, used: Set[str]) -> str:
    """Return a face with some of its characters as WOFF2, in the letters of Base64.

    Kerning stays where letters are large, in the serif of headings: it takes longer than all else, and at the size of
    text few pairs of letters need it.
    """
    from fontTools import subset as cutting
    from fontTools.ttLib import TTFont

    options = cutting.Options()
    options.layout_features = ["kern"] if font.family == "Report Serif" else []
    options.drop_tables += ["BASE", "DSIG", "GDEF", "GSUB", *([] if options.layout_features else ["GPOS"])]
    options.name_IDs = KEPT_NAMES
    options.hinting = False
    content = io.BytesIO()
    with TTFont(font.path, lazy=True, recalcTimestamp=False) as opened:
        cutter = cutting.Subsetter(options)
        cutter.populate(unicodes=sorted(map(ord, used)))
        cutter.subset(opened)
        opened.flavor = "woff2"
        opened.save(content)
    return base64.b64encode(content.getvalue()).decode()


def _folder(package: str) -> Path | None:
    spec = find_spec(package)
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None
