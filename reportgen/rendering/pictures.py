"""Drawings as files of other kinds: WeasyPrint sets them with the fonts of the report, PDFium makes pixels of them."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any
from xml.etree import ElementTree

from reportgen.errors import SettingsError, install_command
from reportgen.machine.temporary import temporary_files
from reportgen.rendering import typefaces
from reportgen.rendering.pdf import SVG, drawn_pages
from reportgen.rendering.templates import Templates

PAGE = "html/pictures.html.j2"

POINTS = 0.75
"""Points in a pixel of a page."""

DOTS_PER_INCH = 288
"""Of a picture that is printed: four dots to a pixel of the page."""

LARGEST = 4000.0
"""Pixels of the page that a drawing may be wide or high."""

_BOX = re.compile(r"[-\d.]+[ ,]+[-\d.]+[ ,]+([\d.]+)[ ,]+([\d.]+)")
_LENGTH = re.compile(r"([\d.]+)(px|pt)?")


@dataclass(frozen=True)
class Drawing:
    """A drawing as SVG, with its size in pixels of the page and what it says to those who cannot see it.

    A `clear` one has no ground of its own: what it stands on shows through.
    """

    svg: str
    width: float
    height: float
    alt: str = ""
    clear: bool = False


def drawing_of(node: Any) -> Drawing:
    """Return the drawing that an SVG element of a parsed page is.

    Examples
    --------
    >>> node = ElementTree.fromstring('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><g/></svg>')
    >>> drawing_of(node)
    Drawing(svg='<svg viewBox="0 0 20 10"><g /></svg>', width=20.0, height=10.0, alt='', clear=False)
    """
    bare = deepcopy(node)
    bare.tail = None
    for each in bare.iter():
        if isinstance(each.tag, str):
            each.tag = each.tag.removeprefix(SVG)
    box = _BOX.fullmatch(node.get("viewBox", "").strip())
    width, height = (
        min(max(_length(node.get(name, "")) or (float(box[place]) if box else 300.0), 1.0), LARGEST)
        for place, name in enumerate(("width", "height"), start=1)
    )
    return Drawing(ElementTree.tostring(bare, encoding="unicode"), width, height, node.get("aria-label", ""))


def as_pdf(drawings: Sequence[Drawing], templates: Templates) -> bytes:
    """Return a PDF with each drawing on a page of its own size."""
    source = templates.page(PAGE, drawings=drawings, fonts=typefaces.fonts())
    with temporary_files("pictures"):
        return drawn_pages(source)


def as_png(drawings: Sequence[Drawing], templates: Templates, dots: int = DOTS_PER_INCH) -> Iterator[bytes]:
    """Yield each drawing as a PNG with so many dots per inch.

    Raises
    ------
    SettingsError
        If the package that makes them is not there.
    """
    require("pypdfium2", "pictures in PNG")
    if not drawings:
        return
    import pypdfium2

    document = pypdfium2.PdfDocument(as_pdf(drawings, templates))
    try:
        for page, drawing in zip(document, drawings, strict=True):
            ground = (255, 255, 255, 0 if drawing.clear else 255)
            picture = page.render(scale=dots / 72, fill_color=ground, maybe_alpha=drawing.clear).to_pil()
            page.close()
            file = io.BytesIO()
            picture.save(file, format="PNG", optimize=True, dpi=(dots, dots))
            yield file.getvalue()
    finally:
        document.close()


def require(package: str, what: str) -> None:
    """Refuse what needs a package that is not there.

    Raises
    ------
    SettingsError
        With the command that installs it.
    """
    if find_spec(package) is None:
        raise SettingsError(f"{what} needs one more package; type: {install_command(extra='docx')}")


def _length(text: str) -> float:
    found = _LENGTH.fullmatch(text.strip())
    return float(found[1]) / (POINTS if found[2] == "pt" else 1.0) if found else 0.0
