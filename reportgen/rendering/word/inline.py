"""Running text: pieces of a paragraph with their form, from the elements of a page to the runs of a document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any

from reportgen.charts.svg import clean
from reportgen.rendering.word import fields
from reportgen.rendering.word.sheet import Sheet, classes

HIDDEN = frozenset(("unseen", "screen-only", "grouped-by"))
"""Classes of what paper does not show."""

QUIET = frozenset((
    "limits", "measure", "unit", "chart-note", "conditions", "mark", "group", "reason", "page-of", "note-mark",
))  # fmt: skip
"""Classes of what stands back in grey."""

STRONG = frozenset(("value", "label"))

EMU = 9525
"""Units of python-docx in a pixel of the page."""

_SPACES = re.compile(r"[ \t\r\n\f]+")


@dataclass(frozen=True)
class Form:
    """How a piece of text looks, and where it leads."""

    bold: bool = False
    italic: bool = False
    raised: bool = False
    lowered: bool = False
    code: bool = False
    quiet: bool = False
    address: str = ""


@dataclass(frozen=True)
class Piece:
    """A piece of text in one form, or a picture in the line."""

    text: str
    form: Form = Form()
    picture: Any = None


PLAIN = Form()
TOGETHER = "\N{NO-BREAK SPACE}"
LINE = "\v"
"""Stands for the beginning of a new line within a paragraph."""


def pieces(node: Any, form: Form = PLAIN, lines: frozenset[str] = frozenset()) -> Iterator[Piece]:
    """Yield the text below an element, in its forms; elements of the classes `lines` begin a line of their own."""
    if node.text:
        whole = "limits" in classes(node) and node.text.startswith("[")
        yield Piece(node.text.replace(" ", TOGETHER) if whole else node.text, form)
    for child in node:
        yield from element(child, form, lines)
        if child.tail:
            yield Piece(child.tail, form)


def element(node: Any, form: Form = PLAIN, lines: frozenset[str] = frozenset()) -> Iterator[Piece]:
    """Yield an element of running text with its form."""
    kinds = classes(node)
    if not isinstance(node.tag, str) or kinds & HIDDEN or node.tag in ("script", "style"):
        return
    if node.tag.endswith("}svg") or node.tag == "img":
        yield Piece("", form, node)
    elif "drawn-sign" in kinds:
        yield from (Piece("", form, node), Piece(TOGETHER, form))
    elif node.tag == "br":
        yield Piece(LINE, form)
    else:
        if kinds & lines:
            yield Piece(LINE, form)
        yield from pieces(node, _formed(node, kinds, form), lines)
        if "mark" in kinds and "".join(node.itertext()):
            yield Piece(TOGETHER, form)


def _formed(node: Any, kinds: frozenset[str], form: Form) -> Form:
    tag = node.tag
    return replace(
        form,
        bold=form.bold or tag in ("b", "strong", "dt") or bool(kinds & STRONG),
        italic=form.italic or tag in ("em", "i", "cite", "var"),
        raised=form.raised or tag == "sup",
        lowered=form.lowered or tag == "sub",
        code=form.code or tag in ("code", "kbd", "samp"),
        quiet=form.quiet or bool(kinds & QUIET),
        address=node.get("href", "") if tag == "a" else form.address,
    )


def set_tight(found: Iterable[Piece]) -> list[Piece]:
    r"""Return pieces without the spaces that a page does not show, and without empty ones.

    Examples
    --------
    >>> [piece.text for piece in set_tight([Piece(" a  b "), Piece(" c "), Piece(LINE), Piece(" d ")])]
    ['a b ', 'c', '\x0b', 'd']
    """
    kept: list[Piece] = []
    for piece in found:
        text = piece.text if piece.text == LINE else _SPACES.sub(" ", piece.text)
        before = kept[-1].text if kept else LINE
        begins = before == LINE or (before.endswith((" ", TOGETHER)) and kept[-1].picture is None)
        if text == LINE:
            _trim(kept)
        text = text.lstrip(" ") if begins else text
        if text or piece.picture is not None:
            kept.append(replace(piece, text=text))
    _trim(kept)
    while kept and kept[0].text == LINE:
        kept.pop(0)
    while kept and kept[-1].text == LINE:
        kept.pop()
    return kept


def _trim(kept: list[Piece]) -> None:
    if kept and kept[-1].picture is None and kept[-1].text != LINE:
        kept[-1] = replace(kept[-1], text=kept[-1].text.rstrip(" "))
        if not kept[-1].text:
            kept.pop()


def write(paragraph: Any, found: Iterable[Piece], sheet: Sheet, *, widest: int | None = None) -> None:
    """Write pieces into a paragraph; pictures are no wider than `widest`."""
    link, leads = None, ""
    for piece in set_tight(found):
        if piece.picture is not None:
            place(paragraph, piece.picture, sheet, widest)
            continue
        run = paragraph.add_run()
        if piece.text == LINE:
            run.add_break()
        else:
            run.add_text(clean(piece.text))
        _shape(run, piece.form)
        if not piece.form.address:
            leads = ""
            continue
        if piece.form.address != leads:
            leads = piece.form.address
            link = fields.link(paragraph, leads, sheet.places.get(leads.removeprefix("#"), ""))
        if link is not None:
            link.append(run._r)


def place(paragraph: Any, node: Any, sheet: Sheet, widest: int | None = None) -> None:
    """Place the picture of an element in a line, with its alternative text."""
    picture = sheet.pictures.get(node)
    if picture is None:
        return
    width = min(round(picture.width * EMU), widest or sheet.room)
    inline = paragraph.add_run().add_picture(BytesIO(picture.content), width=width)
    fields.describe(inline, picture.alt, sheet.next_number("picture"))


def _shape(run: Any, form: Form) -> None:
    """Give a run its form; styles say how it looks."""
    run.bold = form.bold or None
    run.italic = form.italic or None
    if form.raised:
        run.font.superscript = True
    elif form.lowered:
        run.font.subscript = True
    if form.quiet and not form.bold:
        run.style = "Report Quiet"
    if form.code:
        run.style = "Report Code"
