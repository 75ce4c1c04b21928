"""Fill printed pages: split lists into halves, place pairs side by side, and move blocks to the next page.

This is done before the layout, by counting lines, because a second layout would take a third more time. If the count is
wrong, a figure appears after its next paragraph without need, and nothing else happens.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, NamedTuple

from reportgen.charts.layout import HALF, PAGE, TEXT, Sheet
from reportgen.charts.panels import fits, level
from reportgen.charts.static import svg
from reportgen.charts.theme import Colours, width
from reportgen.rendering.filters import anchor
from reportgen.results.chart import Chart

SVG = "{http://www.w3.org/2000/svg}svg"

POINT = 25.4 / 72  # millimeters

HEIGHTS = {"A4": 262.0, "Letter": 246.4}  # height of the text area in millimeters

WIDE, TEXT_WIDTH, HALF_WIDTH = 165.0, 122.0, 79.0  # widths of a page, of its text, and of half a page


WHOLE = {"chart", "evidence", "pair", "checks", "short"}  # classes of blocks that no page break splits

HOLE, ALONE = 1 / 6, 0.25  # shares of a page that may stay empty, and that references do not fill alone


class Type(NamedTuple):
    """A kind of text: size and line height in points, space around it and width in millimeters.

    A serif font, which is wider than the measured font, has the size at which the measured font would be as wide.
    """

    size: float
    line: float
    space: float
    width: float = TEXT_WIDTH

    def height(self, text: str, room: float | None = None) -> float:
        """Return the height of a paragraph in millimeters, at its own or another width."""
        lines = math.ceil(width(text, self.size) * POINT / (room or self.width))
        return lines * self.line * POINT + self.space if lines else 0.0


BODY, MARGIN = Type(11, 15.4, 2.0), Type(8.5, 11.3, 1.8, 38.0)
WORK = Type(7.7, 9.8, 0.9, 78.0)
CAPTION, CHART_TITLE, NOTE = Type(10, 12.5, 1.8, WIDE), Type(11, 15.4, 0.0, WIDE), Type(8.5, 11.1, 0.6, 136.0)

TYPES = {
    "h2": Type(16.4, 18.3, 2.5, WIDE), "h3": Type(11, 13.2, 6.0), "caveat": Type(9.5, 12.9, 2.0),
    "headline": Type(12.5, 16.8, 3.0), "kicker": Type(9, 11.7, 0.6),
}  # fmt: skip
"""Kinds of text by element or class."""

LEADING = ("h2", "h3", "kicker", "headline")  # elements and classes that are never the last block of a page

SECTION, AROUND, FRONT = 8.5, 4.2, 25.0  # space before a section, and around tables and charts; height of the title

BEGINNING, LINES = 30.0, 3  # height of the caption, head, and first rows of a table; lines that stay together

ROW, HEAD, CHECK = 5.2, 5.5, 9.9  # heights of a table row, of its head, and of a requirement with its strip


def fill(body: Any, paper: str) -> None:
    """Move each unsplittable table or chart after the following blocks if it would leave a gap."""
    page, at = HEIGHTS[paper], 0.0
    for node in [each for each in body.iter() if each.tag in ("nav", "section")]:
        kinds = classes(node)
        if node.tag == "nav" and "contents" in kinds:
            at += 12.0 + 5.5 * math.ceil(sum(1 for _ in node.iter("li")) / 2)
        elif "summary" in kinds and not _below(node, "brief"):
            node.set("class", f"{node.get('class')} flowing")
            at = FRONT + sum(map(height, node))
        elif node.tag == "section" and "summary" not in kinds:
            at = _fill_section(node, at + SECTION, page)


def _fill_section(section: Any, at: float, page: float) -> float:
    """Fill the pages of one section that starts at height `at`; return where it ends."""
    place = 0
    while place < len(section):
        block, later = section[place], section[place + 1 : place + 2]
        if later and _waits(block, later[0], at, page):
            section[place : place + 2] = [later[0], block]
            continue
        high = height(block)
        for works in _below(block, "works"):
            if at + high > page and (at + high) % page < ALONE * page:
                works.set("class", "works close")
        at = (at + high) % page if at + _least(section[place:]) <= page else high % page
        place += 1
    return at


def _waits(block: Any, later: Any, at: float, page: float) -> bool:
    """Return whether a block lets the next come first: a figure waits for text to fill a gap, a chart for a table."""
    # evidence stays with its finding, which moves to the next page with it
    kinds, after, room = classes(block), classes(later), page - at
    if "evidence" in kinds or not kinds & WHOLE or height(block) <= room or room <= HOLE * page:
        return False
    if "table" in after and block.tag == "figure":
        return height(later) <= room or (not after & WHOLE and room >= 2 * BEGINNING)
    return later.tag in ("p", "ul", "ol") and not _leads(later)


def height(block: Any) -> float:
    """Estimate the height of a block of a section in millimeters."""
    kinds = classes(block)
    for room in (wide for kind, wide in (("pair", HALF_WIDTH), ("evidence", TEXT_WIDTH)) if kind in kinds):
        return max((height_at(each, room) for each in block), default=0.0)
    return height_at(block, WIDE)


def height_at(block: Any, room: float) -> float:
    """Estimate the height of a block at a given width."""
    kinds = classes(block)
    if block.tag == "figure":
        titles = sum(CHART_TITLE.height(text_of(each), room) for each in _below(block, "chart-title"))
        notes = sum(NOTE.height(text_of(each), room) for each in _below(block, "chart-note"))
        boxes = [each.get("viewBox", "").split() for each in block.iter(SVG)]
        return titles + notes + sum(room * float(box[3]) / float(box[2]) for box in boxes if len(box) == 4) + AROUND
    if "table" in kinds:
        rows = sum(lines(row) if room == HALF_WIDTH and len(row) == 2 else 1 for row in block.iter("tr")) - 1
        rows = math.ceil(rows / 2) if "facts" in kinds and room != HALF_WIDTH else rows
        notes = sum(NOTE.height(text_of(each)) for each in _below(block, "table-notes"))
        captions = sum(CAPTION.height(text_of(each), room) for each in block.iter("caption"))
        return captions + notes + HEAD + rows * (CHECK if "checks" in kinds else ROW) + AROUND
    if "works" in kinds:
        return sum(WORK.height(text_of(item)) for item in block.iter("li")) / 2
    if "how" in kinds:
        return sum(MARGIN.height(text_of(each)) for each in block)
    if block.tag in ("ul", "ol"):
        return sum(BODY.height(text_of(item)) for item in block)
    named = kinds if block.tag == "p" else {block.tag}
    return next((kind for name, kind in TYPES.items() if name in named), BODY).height(text_of(block))


def _least(blocks: Sequence[Any]) -> float:
    """Return the height that the first of the blocks needs on a page: a heading with its next block, a whole figure."""
    least = 0.0
    for block in blocks:
        high, kinds = height(block), classes(block)
        if not _leads(block):
            part = BEGINNING if "table" in kinds else LINES * BODY.line * POINT
            return least + (high if kinds & WHOLE else min(high, part))
        least += high
    return least


def _leads(block: Any) -> bool:
    return block.tag in LEADING or bool(classes(block) & set(LEADING))


def classes(node: Any) -> frozenset[str]:
    """Return the classes of an element."""
    return frozenset((node.get("class") or "").split())


def text_of(node: Any) -> str:
    """Return the text of an element, with single spaces."""
    return " ".join("".join(node.itertext()).split())


def _below(node: Any, kind: str) -> list[Any]:
    return [each for each in node.iter() if isinstance(each.tag, str) and kind in classes(each)]


MOST = 45  # most lines of a half, so that two halves always fit one page; longer lists become several pairs

NAME, VALUE = 26, 24  # letters of a name, and of a value, that fit one line of half a page


def halve(body: Any) -> None:
    """Split every table of the class ``facts`` below `body` into two halves, as a browser's columns would.

    The halves are computed by counting lines: a list in balanced columns is laid out about ten times until the columns
    are equal.
    """
    narrow = [each for pair in _below(body, "pair") for each in _below(pair, "facts")]  # without room for two halves
    for place in [each for each in _below(body, "facts") if each not in narrow]:
        for scroll, table in [(each, table) for each in place.findall("div") for table in each.findall("table")]:
            at = list(scroll).index(table)
            scroll[at : at + 1] = _halves(table)


def _halves(table: Any) -> Iterator[Any]:
    """Yield a table as pairs of halves; only the first keeps the caption."""
    rows = list(table.find("tbody"))
    heights, start = [lines(row) for row in rows], 0
    while start < len(rows):
        stop = start + 1
        while stop < len(rows) and sum(heights[start : stop + 1]) <= 2 * MOST - 1:
            stop += 1
        middle = start + split(heights[start:stop])
        pair = table.makeelement("div", {"class": "halves" if start else "halves below-caption"})
        for first, end in ((start, middle), (middle, stop)):
            if first < end:
                half = deepcopy(table)
                half.tail = None
                half.find("tbody")[:] = rows[first:end]
                for caption in half.findall("caption") if first else ():
                    half.remove(caption)
                pair.append(half)
        yield pair
        start = stop


def lines(row: Any) -> int:
    """Count the lines that a row of a name and its value takes in half a page."""
    name, value = map(text_of, row)
    return max(1, math.ceil(len(name) / NAME), math.ceil(len(value) / VALUE))


def split(heights: Sequence[int]) -> int:
    """Return the number of rows in the first half that minimizes the higher half; both start at the same height.

    >>> split([1, 1, 1, 1]), split([3, 1, 1, 1]), split([1, 1, 1])
    (2, 1, 2)
    """
    total = sum(heights)
    return min(range(len(heights), 0, -1), key=lambda first: max(sum(heights[:first]), total - sum(heights[:first])))


Cell = Any  # a cell of the notebook

EVEN = 47  # width in digits of a table that fits half a page

DRAWING = "image/svg+xml"

COLUMNS = {"two-columns": HALF, "evidence": TEXT}  # template elements around charts, and the sheets of these


Line = tuple[Cell, ...]
"""One cell as wide as the page, or two side by side."""


def paired(cells: Sequence[Cell], charts: Iterable[Chart], colours: Colours) -> tuple[Line, ...]:
    """Return the cells in order, with two small consecutive ones as one line; charts are drawn to fit."""
    known = {anchor(kind, chart.key): chart for chart in charts for kind in ("chart", "brief")}
    lines: list[tuple[Line, Sheet]] = []
    waits, inside, own = False, 0, PAGE
    for cell in cells:
        around = cell["metadata"].get("reportgen", {})
        for name in around.get("opens", "").split():
            own = own if inside else COLUMNS.get(name, PAGE)
            inside += bool(inside or name in COLUMNS)
        half = not inside and _is_half(cell, known)
        if waits and half:
            lines[-1] = (*lines[-1][0], cell), HALF
        else:
            lines.append(((cell,), own if inside else PAGE))
        waits = half and not waits
        inside = max(inside - int(around.get("closes", "0")), 0)
    return tuple(_drawn(line, sheet, known, colours) for line, sheet in lines)


def _drawn(line: Line, sheet: Sheet, charts: Mapping[str, Chart], colours: Colours) -> Line:
    shown = [_shown(cell, charts)[1] for cell in line]
    levelled, cells = iter(level([chart for chart in shown if chart], sheet)), []
    for cell, chart in zip(line, shown, strict=True):
        if chart:
            (output,) = cell["outputs"]
            picture = svg(next(levelled), colours, sheet)
            cell = {**cell, "outputs": [{**output, "data": {**output["data"], DRAWING: picture}}]}
        cells.append(cell)
    return tuple(cells)


def _is_half(cell: Cell, charts: Mapping[str, Chart]) -> bool:
    about, chart = _shown(cell, charts)
    if about.get("kind") == "table":
        return (about.get("small") or math.inf) <= EVEN
    return chart is not None and fits(chart, HALF)


def _shown(cell: Cell, charts: Mapping[str, Chart]) -> tuple[dict[str, Any], Chart | None]:
    outputs = cell["outputs"] if cell["cell_type"] == "code" else []
    about = outputs[0].get("metadata", {}).get("reportgen", {}) if len(outputs) == 1 else {}
    own = about.get("kind") == "chart" and DRAWING in outputs[0].get("data", {})
    chart = charts.get(about.get("id", "")) if own else None
    return about, chart and replace(chart, alt=about.get("alt") or chart.alt)
