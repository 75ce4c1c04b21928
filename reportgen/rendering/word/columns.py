"""Text in two columns, as sections of a document have it: read one column after the other."""

from __future__ import annotations

import copy
from typing import Any

from reportgen.rendering.word.fields import made
from reportgen.rendering.word.sheet import BETWEEN, Sheet

TWIP = 635

BEFORE_COLUMNS = (
    "w:headerReference", "w:footerReference", "w:footnotePr", "w:endnotePr", "w:type", "w:pgSz", "w:pgMar",
    "w:paperSrc", "w:pgBorders", "w:lnNumType", "w:pgNumType",
)  # fmt: skip
"""What stands before the columns in the description of a section."""

ABOVE = 10
"""Points above text in two columns."""


def begin(sheet: Sheet) -> None:
    """End what stands in one column; what follows stands in two."""
    from docx.shared import Pt

    _end_section(sheet, 1)
    sheet.document.paragraphs[-1].paragraph_format.space_after = Pt(ABOVE)
    sheet.columns = 2


def end(sheet: Sheet) -> None:
    """End what stands in two columns."""
    _end_section(sheet, 2)
    sheet.columns = 1


def _end_section(sheet: Sheet, columns: int) -> None:
    """Let a section end with the last paragraph; what comes after continues on the same page."""
    from docx.oxml.ns import qn

    body = sheet.document.element.body
    rest = body[-1]
    last = body[-2] if len(body) > 1 else None
    if last is None or last.tag != qn("w:p") or (last.pPr is not None and last.pPr.find(qn("w:sectPr")) is not None):
        last = sheet.document.add_paragraph()._p
    ended = copy.deepcopy(rest)
    _set_columns(ended, columns)
    last.get_or_add_pPr().append(ended)
    for name in ("w:headerReference", "w:footerReference", "w:titlePg"):
        for each in rest.findall(qn(name)):
            rest.remove(each)
    _continue(rest)


def _set_columns(section: Any, columns: int) -> None:
    from docx.oxml.ns import qn

    for old in section.findall(qn("w:cols")):
        section.remove(old)
    found = made("w:cols", space=BETWEEN // TWIP, **({"num": columns} if columns > 1 else {}))
    before = [each for each in section if each.tag in map(qn, BEFORE_COLUMNS)]
    section.insert(section.index(before[-1]) + 1 if before else 0, found)


def _continue(section: Any) -> None:
    """Let a section begin where the one before it ends."""
    from docx.enum.section import WD_SECTION

    section.start_type = WD_SECTION.CONTINUOUS
