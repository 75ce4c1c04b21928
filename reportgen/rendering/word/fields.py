"""The few elements of Word that python-docx does not write: fields, places, links, alternative texts."""

from __future__ import annotations

import re
from typing import Any

from reportgen.charts.svg import clean

_MAY_LEAD = re.compile(r"https?://|mailto:|(?![a-z][a-z0-9+.-]*:)[^/\\\\#]", re.IGNORECASE)
"""Addresses outside the document that a link may have: the web, and files beside it."""

_LINK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"

_DECORATIVE = (
    '<a:extLst xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
    '<a:ext uri="{C183D7F6-B498-43B3-948B-1728B52AA6E4}">'
    '<adec:decorative xmlns:adec="http://schemas.microsoft.com/office/drawing/2017/decorative" val="1"/>'
    "</a:ext></a:extLst>"
)


def made(name: str, /, **attributes: str | int) -> Any:
    """Return an element of Word; attributes without a prefix are of its own namespace.

    Examples
    --------
    >>> made("w:jc", val="right").tag.rpartition("}")[2]
    'jc'
    """
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    element = OxmlElement(name)
    for key, value in attributes.items():
        element.set(qn(f"w:{key}"), str(value))
    return element


def field(paragraph: Any, instruction: str, shown: str) -> None:
    """Add a field to a paragraph, with what it shows until a word processor brings it up to date."""
    for kind in ("begin", "instruction", "separate", "shown", "end"):
        run = paragraph.add_run(shown if kind == "shown" else "")
        if kind == "instruction":
            text = made("w:instrText")
            text.text = f" {instruction} "
            text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
            run._r.append(text)
        elif kind != "shown":
            run._r.append(made("w:fldChar", fldCharType=kind))


def mark(paragraph: Any, name: str, number: int, *, start: int = 0) -> None:
    """Give what a paragraph holds from one of its elements on a name that links and references lead to."""
    content = paragraph._p
    first = start + (1 if content.pPr is not None and not start else 0)
    content.insert(first, made("w:bookmarkStart", id=number, name=name))
    content.append(made("w:bookmarkEnd", id=number))


def link(paragraph: Any, address: str, place: str) -> Any:
    """Return a link in a paragraph that runs are moved into, or None where it may not lead there."""
    if place:
        found = made("w:hyperlink", anchor=place, history=1)
    elif _MAY_LEAD.match(address):
        found = made("w:hyperlink", history=1)
        from docx.oxml.ns import qn

        found.set(qn("r:id"), paragraph.part.relate_to(address, _LINK, is_external=True))
    else:
        return None
    paragraph._p.append(found)
    return found


def describe(inline: Any, alt: str, number: int) -> None:
    """Say what a picture shows to those who cannot see it; without words it is decoration."""
    from docx.oxml import parse_xml

    for side in ("distT", "distB", "distL", "distR"):
        inline._inline.set(side, "0")
    about = inline._inline.docPr
    about.set("id", str(number))
    about.set("name", f"Picture {number}")
    about.set("descr", clean(alt))
    if not alt:
        about.append(parse_xml(_DECORATIVE))


def around(first: Any, last: Any, instruction: str) -> None:
    """Put whole paragraphs into a field: what they say is what it shows."""
    before = [made("w:fldChar", fldCharType="begin"), made("w:instrText"), made("w:fldChar", fldCharType="separate")]
    before[1].text = f" {instruction} "
    for place, element in enumerate(before, start=int(first._p.pPr is not None)):
        run = made("w:r")
        run.append(element)
        first._p.insert(place, run)
    end = made("w:r")
    end.append(made("w:fldChar", fldCharType="end"))
    last._p.append(end)


def new_numbering(document: Any, style: str) -> int | None:
    """Return the key of a numbering as that of a style of lists, which begins anew; none where the style has none."""
    from docx.oxml.ns import qn

    about = document.styles[style].element.pPr
    held = about.numPr if about is not None else None
    if held is None or held.numId is None:
        return None
    numbering = document.part.numbering_part.element
    kind = next(each for each in numbering.num_lst if each.numId == held.numId.val)
    fresh = numbering.add_num(kind.abstractNumId.val)
    fresh.add_lvlOverride(ilvl=0).add_startOverride(1)
    return int(fresh.get(qn("w:numId")))


def number(paragraph: Any, key: int) -> None:
    """Number a paragraph with a numbering."""
    about = paragraph._p.get_or_add_pPr().get_or_add_numPr()
    about.get_or_add_ilvl().val = 0
    about.get_or_add_numId().val = key
