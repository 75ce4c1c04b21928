"""The blocks of a page, from top to bottom: headings, paragraphs, lists, tables, pictures."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from reportgen.charts.svg import clean
from reportgen.rendering.word import captions, columns, fields, inline, tables
from reportgen.rendering.word.inline import LINE, TOGETHER, Piece
from reportgen.rendering.word.sheet import Sheet, classes

HEADINGS = {"h1": "Title", "h2": "Heading 1", "h3": "Heading 2", **dict.fromkeys(("h4", "h5", "h6"), "Heading 3")}
LOWER = {"Heading 1": "Heading 2", "Heading 2": "Heading 3"}
"""The styles of headings, and the one below each, which sections of the annex have."""

PARAGRAPHS = {
    "kicker": "Report Kicker", "headline": "Report Headline", "about": "Subtitle", "particulars": "Report Facts",
    "question": "Report Question", "why": "Report Answer", "caveat": "Report Note", "aside": "Report Note",
    "term-note": "Report Note", "rests": "Report Note", "beside-raters": "Report Note",
    "contents-title": "TOC Heading", "contents-part": "toc 1",
}  # fmt: skip
"""Styles of paragraphs, by their class on the page."""

AROUND = frozenset((
    "body", "main", "section", "header", "div", "article", "details", "footer", "blockquote", "dl", "summary",
))  # fmt: skip
ALONE = frozenset(("p", "ul", "ol", "nav", "figure", "table", "pre", "dt", "dd", "hr", *HEADINGS))
LISTS = {"ul": "List Bullet", "ol": "List Number"}

BESIDE = frozenset(("two-columns", "pages-two"))
"""Classes of what stands in two columns."""

GAP = 4
"""Between counts of outcomes that stand in one line."""

CONTENTS = 'TOC \\o "1-2" \\h \\z \\u'
"""The field that a word processor makes the contents anew with, then with numbers of pages."""


def write(node: Any, sheet: Sheet) -> None:
    """Write what stands in an element, block by block; text between blocks is a paragraph of its own."""
    loose: list[Piece] = [Piece(node.text)] if node.text else []
    for child in node:
        if isinstance(child.tag, str) and (child.tag in AROUND or child.tag in ALONE):
            paragraph(loose, "Normal", sheet)
            loose = []
            _block(child, sheet)
        else:
            loose += inline.element(child)
        if child.tail:
            loose.append(Piece(child.tail))
    paragraph(loose, "Normal", sheet)


def paragraph(found: Iterable[Piece], style: str, sheet: Sheet, place: str = "") -> Any:
    """Write a paragraph that links may lead to, or nothing where there is no text."""
    text = inline.set_tight(found)
    if not text:
        return None
    begun = captions.begin(sheet, style)
    inline.write(begun, text, sheet)
    captions.mark(begun, sheet, place)
    return begun


def _block(node: Any, sheet: Sheet) -> None:
    kinds = classes(node)
    if kinds & inline.HIDDEN or node.tag == "hr":
        return
    if node.tag in HEADINGS:
        _heading(node, kinds, sheet)
    elif node.tag in LISTS:
        _tally(node, sheet) if "tally" in kinds else _list(node, sheet)
    elif node.tag == "nav":
        _contents(node, sheet)
    elif node.tag == "figure":
        _figure(node, sheet)
    elif node.tag == "table" or (node.tag == "div" and "table" in kinds):
        tables.write(node, sheet)
    elif node.tag == "pre":
        _preformatted(node, sheet)
    elif node.tag in AROUND:
        _around(node, kinds, sheet)
    else:
        _text(node, kinds, sheet)


def _around(node: Any, kinds: frozenset[str], sheet: Sheet) -> None:
    """Write an element that holds others; what comes after a summary begins a page."""
    sheet.waiting.append(node.get("id", ""))
    sheet.annex = sheet.annex or "annex" in kinds
    outside, sheet.within_brief = sheet.within_brief, sheet.within_brief or "brief" in kinds
    beside = bool(kinds & BESIDE) and sheet.columns == 1
    if beside:
        columns.begin(sheet)
    for part in [node] if not beside or "two-columns" not in kinds else node:
        sheet.new_column = part is not node and part is not node[0]
        sheet.first_of_column = beside
        write(part, sheet)
    if beside:
        columns.end(sheet)
    sheet.within_brief = outside
    if node.tag == "section" and "summary" in kinds:
        sheet.new_page = True


def _text(node: Any, kinds: frozenset[str], sheet: Sheet) -> None:
    """Write a paragraph of the page; what stands in spans of the particulars begins a line each."""
    style = next((style for kind, style in PARAGRAPHS.items() if kind in kinds), "Normal")
    found = inline.pieces(node)
    if "particulars" in kinds:
        found = (piece for part in node for piece in (Piece(LINE), *inline.element(part)))
    paragraph(found, style, sheet, node.get("id", ""))


def _heading(node: Any, kinds: frozenset[str], sheet: Sheet) -> None:
    """Write a heading; the name of the annex begins a page, and its sections stand below it."""
    style = "Report Decision" if "decision" in kinds else HEADINGS[node.tag]
    if "part" in kinds:
        sheet.new_page = True
    elif sheet.annex:
        style = LOWER.get(style, style)
    paragraph(inline.pieces(node), style, sheet, node.get("id", ""))


def _list(node: Any, sheet: Sheet, depth: int = 1) -> None:
    """Write a list, and those in it; each numbered list begins with 1."""
    style = LISTS[node.tag] + (f" {min(depth, 3)}" if depth > 1 else "")
    number = fields.new_numbering(sheet.document, style) if node.tag == "ol" else None
    for item in node.findall("li"):
        inner = [child for child in item if child.tag in LISTS]
        flat = copy.copy(item)
        for child in inner:
            flat.remove(child)
        lines = frozenset(("",)) if len(flat.findall("p")) > 1 else frozenset[str]()
        written = paragraph(inline.pieces(flat, lines=lines), style, sheet)
        if written is not None and number is not None:
            fields.number(written, number)
        for child in inner:
            _list(child, sheet, depth + 1)


def _tally(node: Any, sheet: Sheet) -> None:
    """Write counts that stand beside each other on the page as one line."""
    found: list[Piece] = []
    for item in node.findall("li"):
        own = [replace(piece, text=piece.text.replace(" ", TOGETHER)) for piece in inline.pieces(item)]
        found += [*([Piece(f"{TOGETHER * GAP} ")] if found else []), *own]
    paragraph(found, "Report Answer", sheet)


def _contents(node: Any, sheet: Sheet) -> None:
    """Write the contents, as links in a field that a word processor can make anew."""
    lines = []
    for child in node:
        for item in child.findall("li") if child.tag in LISTS else [child]:
            style = "toc 2" if item.tag == "li" else PARAGRAPHS.get(child.get("class", ""), "toc 1")
            lines.append(paragraph(inline.pieces(item), style, sheet))
    written = [line for line in lines if line is not None]
    entries = [line for line in written if line.style.name != "TOC Heading"]
    if entries:
        fields.around(entries[0], entries[-1], CONTENTS)


def _figure(node: Any, sheet: Sheet) -> None:
    """Write a chart below its caption; one of the brief has a title without a number."""
    caption = node.find("figcaption")
    place = node.get("id", "")
    if caption is not None:
        captions.write(sheet, "" if sheet.within_brief else "figure", _parts_of(caption), place)
    drawn = [each for each in node.iter() if each in sheet.pictures]
    for part in [] if drawn else node:
        if part.tag != "figcaption":
            write(part, sheet)
    for each in drawn:
        begun = captions.begin(sheet, "Report Picture")
        inline.place(begun, each, sheet)
        captions.mark(begun, sheet, "" if caption is not None else place)


def _parts_of(caption: Any) -> tuple[list[Piece], list[Piece]]:
    """Return the title of a chart, and the note that stands below it."""
    note = [part for part in caption if "chart-note" in classes(part)]
    title = copy.copy(caption)
    for part in note:
        title.remove(part)
    return inline.set_tight(inline.pieces(title)), [piece for part in note for piece in inline.pieces(part)]


def _preformatted(node: Any, sheet: Sheet) -> None:
    """Write text whose lines and spaces stay."""
    begun = captions.begin(sheet, "Report Preformatted")
    begun.add_run(clean("".join(node.itertext()).strip("\n")))
    captions.mark(begun, sheet, "")
