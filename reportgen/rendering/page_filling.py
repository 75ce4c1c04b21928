"""What may wait for the next page of paper: a chart or table that does not fit lets the paragraph behind it come first.

Done before the page is laid out, by counting lines: to lay it out twice would take a third more time.  Where the count
is wrong a figure stands behind its next paragraph without need, and nothing else happens.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from reportgen.charts.text import width

POINT = 25.4 / 72
"""Millimetres."""

HEIGHTS = {"A4": 262.0, "Letter": 246.4}
"""Of the text of a page, in millimetres."""

WIDE, TEXT, HALF = 165.0, 122.0, 79.0
"""Widths of a page, of its text, and of half a page beside another half."""

ASIDES = {"aside", "term-note"}
"""Classes of text that stands in the margin and takes no room of its own."""

HOLE = 1 / 6
"""Share of a page that may stay empty."""

FIGURES = ("chart", "pair", "checks", "short")
"""Classes of blocks that no page breaks."""

_BOX = re.compile(r"[\d.]+ [\d.]+ ([\d.]+) ([\d.]+)")


@dataclass(frozen=True)
class Type:
    """A kind of text: size and line in points, space around it and width in millimetres.

    A serif, which is wider than the font that is measured, has the size at which that font would be as wide.
    """

    size: float
    line: float
    space: float
    width: float = TEXT

    def height(self, text: str) -> float:
        """Return the height of a paragraph in millimetres."""
        lines = math.ceil(width(" ".join(text.split()), self.size) * POINT / self.width)
        return lines * self.line * POINT + self.space if lines else 0.0


BODY, CAVEAT, HEADLINE = Type(11, 15.4, 2.0), Type(9.5, 12.9, 2.0), Type(12.5, 16.8, 3.0)
KICKER, FINDING, SMALL_HEADING = Type(9, 11.7, 0.6), Type(16.4, 18.3, 2.5), Type(11, 13.2, 6.0)
CAPTION, CHART_TITLE, NOTE = Type(10, 12.5, 1.8, WIDE), Type(11, 15.4, 0.0, WIDE), Type(8.5, 11.1, 0.6, 136.0)

ASIDE = Type(8.5, 11.3, 3.6, 37.0)

SECTION, AROUND = 8.5, 4.2
"""Space before a section, and around tables and charts."""

BEGINNING, LINES = 30.0, 3
"""Height of the caption, head and first rows of a table that may be broken; lines of text that stay together."""

ROW, HEAD, CHECK = 5.2, 5.5, 9.9
"""Heights of a row of a table, of its head, and of a requirement with its strip."""

HEADINGS = {"h2": FINDING, "h3": SMALL_HEADING}


def fill(body: Any, paper: str) -> None:
    """Move each chart, and each table that is not broken, behind what follows it where it would leave a hole."""
    page = HEIGHTS[paper]
    at = 0.0
    for node in [each for each in body.iter() if each.tag in ("nav", "section")]:
        kinds = _classes(node)
        if node.tag == "nav" and "contents" in kinds:
            at += 12.0 + 5.5 * math.ceil(sum(1 for _ in node.iter("li")) / 2)
        elif node.tag == "section" and "summary" not in kinds:
            _raise_asides(node)
            at = _fill_section(node, at + SECTION, page)


def _raise_asides(section: Any) -> None:
    """Let definitions and sources begin beside the first paragraph of their section, where a page seldom ends."""
    first = next((place for place, block in enumerate(section) if not _leads(block)), 0)
    for block in [each for each in section[first:] if each.tag == "p" and _classes(each) & ASIDES]:
        section.remove(block)
        section.insert(first, block)
        first += 1


def _fill_section(section: Any, at: float, page: float) -> float:
    """Fill the pages of one section that begins `at` a height of a page; return where it ends."""
    place = 0
    while place < len(section):
        block = section[place]
        if place + 1 < len(section) and _waits(block, section[place + 1], at, page):
            section.remove(block)
            section.insert(place + 1, block)
            continue
        high = height(block)
        at = (at + high) % page if at + _least(section[place:]) <= page else high % page
        place += 1
    return at


def _waits(block: Any, later: Any, at: float, page: float) -> bool:
    """Return whether a block lets the one behind it come first.

    A definition that would go on beside the next page begins there; a figure waits where it would leave a hole.
    """
    if _classes(block) & ASIDES:
        ends = at + ASIDE.height(_words(block))
        return ends > page and not _leads(later) and not _classes(later) & ASIDES
    hole = _stays_whole(block) and at + height(block) > page and page - at > HOLE * page
    return hole and _may_come_first(later, block, page - at)


def height(block: Any) -> float:
    """Return about how high a block of a section is, in millimetres."""
    kinds = _classes(block)
    if kinds & ASIDES:
        return 0.0
    if "pair" in kinds:
        return max((height_at(each, HALF) for each in block), default=0.0)
    return height_at(block, WIDE)


def height_at(block: Any, room: float) -> float:
    """Return about how high a block is that has so much room."""
    kinds = _classes(block)
    if block.tag == "figure":
        titles = _texts(block, "chart-title"), _texts(block, "chart-note")
        words = sum(Type(kind.size, kind.line, kind.space, room).height(text)
                    for kind, texts in zip((CHART_TITLE, NOTE), titles, strict=True) for text in texts)  # fmt: skip
        return words + sum(_drawing(each, room) for each in block.iter("{http://www.w3.org/2000/svg}svg")) + AROUND
    if "table" in kinds:
        rows = sum(1 for _ in block.iter("tr")) - 1
        rows = math.ceil(rows / 2) if "facts" in kinds else rows
        notes = sum(NOTE.height(_words(each)) for each in _below(block, "table-notes"))
        words = sum(Type(CAPTION.size, CAPTION.line, CAPTION.space, room).height(_words(each))
                    for each in block.iter("caption"))  # fmt: skip
        return words + notes + HEAD + rows * (CHECK if "checks" in kinds else ROW) + AROUND
    if block.tag in ("ul", "ol"):
        return sum(BODY.height(_words(item)) for item in block)
    if block.tag == "p":
        kind = (
            CAVEAT if "caveat" in kinds else HEADLINE if "headline" in kinds else KICKER if "kicker" in kinds else BODY
        )
        return kind.height(_words(block))
    return HEADINGS.get(block.tag, BODY).height(_words(block))


def _drawing(picture: Any, room: float) -> float:
    found = _BOX.fullmatch(picture.get("viewBox", ""))
    return room * float(found[2]) / float(found[1]) if found else 0.0


def _stays_whole(block: Any) -> bool:
    return bool(_classes(block) & set(FIGURES))


def _may_come_first(block: Any, waiting: Any, room: float) -> bool:
    """Return whether a block may pass the one that waits: running text, or before a chart a table that has room."""
    if "table" in _classes(block) and waiting.tag == "figure":
        return height(block) <= room or (not _stays_whole(block) and room >= 2 * BEGINNING)
    return block.tag in ("p", "ul", "ol") and not _classes(block) & {"kicker", "headline", *ASIDES}


def _least(blocks: Sequence[Any]) -> float:
    """Return the height below which the first of the blocks does not begin on a page.

    Headings stand with what follows them; a figure is there as a whole, of others a few rows or lines.
    """
    least = 0.0
    for block in blocks:
        high = height(block)
        if not _leads(block):
            part = BEGINNING if "table" in _classes(block) else LINES * BODY.line * POINT
            return least + (high if _stays_whole(block) else min(high, part))
        least += high
    return least


def _leads(block: Any) -> bool:
    """Return whether a block is never the last one of a page."""
    return block.tag in HEADINGS or bool(_classes(block) & {"kicker", "headline"})


def _classes(node: Any) -> set[str]:
    return set((node.get("class") or "").split())


def _words(node: Any) -> str:
    return "".join(node.itertext())


def _texts(node: Any, kind: str) -> Iterator[str]:
    return (_words(each) for each in _below(node, kind))


def _below(node: Any, kind: str) -> Iterable[Any]:
    return [each for each in node.iter() if isinstance(each.tag, str) and kind in _classes(each)]
