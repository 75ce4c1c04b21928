"""How paper is filled: columns that fit a line, lists in halves, pairs side by side, and what waits for the next page.

Done before the page is laid out, by counting lines: to lay it out twice would take a third more time.  Where the count
is wrong a figure stands behind its next paragraph without need, and nothing else happens.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from reportgen.charts.layout import HALF, NARROW, PAGE, Sheet
from reportgen.charts.panels import fits, level
from reportgen.charts.static import svg
from reportgen.charts.theme import Colours, width
from reportgen.rendering.filters import anchor
from reportgen.results.chart import Chart

POINT = 25.4 / 72
"""Millimetres."""

HEIGHTS = {"A4": 262.0, "Letter": 246.4}
"""Of the text of a page, in millimetres."""

WIDE, TEXT, HALF_WIDTH = 165.0, 122.0, 79.0
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
        return max((height_at(each, HALF_WIDTH) for each in block), default=0.0)
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


PAPER_COLUMNS = 7
"""Columns a table has at most on paper."""

PAPER_LINE = 104.0
"""Width of a table on paper."""

GAP, CLOSE_GAP, PAIRED_GAP = 2.3, 1.6, 1.4
"""Space before a column; the same where columns stand closer to fit, and in a table beside another one."""

MARK = 2.0
"""Width of the sign before the names of rows."""

WORD = 16
"""Letters up to which a word in a table is never broken."""

WHOLE = 20
"""Width up to which a text of a few words in a table is not broken, where there is room."""

LONG_NAME = 28.0
"""Width of a name that has one line in a table beside another one."""

SMALLEST_NAME = 11.5
"""Width that the column of names has at least."""


def digits(text: str) -> float:
    """Return the width of a text in widths of a digit.

    Examples
    --------
    >>> digits("4812"), digits("[0.66, 0.75]") < 9.5
    (4.0, True)
    """
    return round(width(text, 1.0) / width("0", 1.0), 1)


def heading(label: str) -> float:
    """Return the width that a heading needs on two lines; a word of more than `WORD` letters can be broken.

    Examples
    --------
    >>> heading("QWK") == digits("QWK"), heading("Rater mean") == digits("Rater")
    (True, True)
    """
    words = label.split()
    breaks = range(1, len(words)) or (len(words),)
    lines = (max(digits(" ".join(words[:place])), digits(" ".join(words[place:]))) for place in breaks)
    return min(min(lines, default=0.0), max(longest_word((label,)), digits(label) / 2))


def longest_word(texts: Iterable[str]) -> float:
    """Return the width of the longest word, of which `WORD` letters count."""
    return max((digits(word[:WORD]) for text in texts for word in text.split()), default=0.0)


def unbroken(texts: Iterable[str], *, name: bool) -> float:
    """Return the width of the widest text that is to stay on one line, or of a word of a longer one.

    A name of a row has room for `WHOLE`, however long it is.
    """
    parts = (part for text in texts for part in ((text,) if name or len(text) <= WHOLE else text.split()))
    return min(float(WHOLE), max(map(digits, parts), default=0.0))


def fitting(widths: Sequence[float], least: Sequence[float]) -> tuple[int, bool]:
    """Return how many columns paper has room for, the name and one other at least, and whether they must be close.

    Columns that are close have their `least` widths: their names and words take more lines.

    Examples
    --------
    >>> fitting([20.0, 30.0, 30.0], [8.0, 30.0, 30.0]), fitting([20.0, 45.0, 45.0], [8.0, 45.0, 45.0])
    ((3, False), (3, True))
    >>> fitting([20.0, 45.0, 55.0], [8.0, 45.0, 55.0]), fitting([10.0] * 9, [8.0] * 9)
    ((2, False), (7, False))
    """
    most = min(len(widths), PAPER_COLUMNS)
    if _line(widths[:most], GAP) <= PAPER_LINE:
        return most, False
    while most > 2 and _line(least[:most], CLOSE_GAP) > PAPER_LINE:
        most -= 1
    return most, _line(widths[:most], GAP) > PAPER_LINE


def _line(widths: Sequence[float], gap: float) -> float:
    return sum(widths) + gap * max(0, len(widths) - 1)


NAME = 26
"""Letters of a name that one line of half a page has room for."""

VALUE = 24
"""Letters of a value that one line of half a page has room for."""

MOST = 45
"""Lines of a half at most, so that two halves always fit one page; longer lists have several pairs of halves."""


def halve(body: Any) -> None:
    """Set every table of the class ``facts`` below `body` in two halves, as a browser's columns would.

    Done by counting lines: a list in columns of equal height is laid out about ten times until they are equal.
    """
    for place in body.iter("div"):
        if "facts" in (place.get("class") or "").split():
            for scroll in place.findall("div"):
                table = scroll.find("table")
                if table is not None:
                    _halve(scroll, table)


def _halve(scroll: Any, table: Any) -> None:
    rows = list(table.find("tbody"))
    at = list(scroll).index(table)
    scroll.remove(table)
    for number, pair in enumerate(_pairs([lines(row) for row in rows])):
        line = table.makeelement("div", {"class": "halves" if number else "halves below-caption"})
        for side, (start, stop) in enumerate(pair):
            if start == stop:
                continue
            line.append(_part(table, rows[start:stop], named=not number and not side))
        scroll.insert(at + number, line)


def _part(table: Any, rows: Sequence[Any], *, named: bool) -> Any:
    """Return the table with some of its rows; only the first one keeps the caption."""
    part = table.makeelement("table", dict(table.attrib))
    for child in table:
        if child.tag == "tbody":
            body = table.makeelement("tbody", dict(child.attrib))
            body.extend(rows)
            part.append(body)
        elif named or child.tag != "caption":
            part.append(deepcopy(child))
    return part


def lines(row: Any) -> int:
    """Return how many lines a row of a name and its value takes in half a page."""
    name, value = ("".join(cell.itertext()).strip() for cell in row)
    return max(1, math.ceil(len(name) / NAME), math.ceil(len(value) / VALUE))


def _pairs(heights: Sequence[int]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    start = 0
    while start < len(heights):
        stop = start + 1
        while stop < len(heights) and sum(heights[start : stop + 1]) <= 2 * MOST - 1:
            stop += 1
        middle = split(heights[start:stop])
        yield (start, start + middle), (start + middle, stop)
        start = stop


def split(heights: Sequence[int]) -> int:
    """Return how many rows go into the first half, so that the higher half is lowest; both begin level.

    Examples
    --------
    >>> split([1, 1, 1, 1]), split([3, 1, 1, 1]), split([1, 1, 1])
    (2, 1, 2)
    """
    total = sum(heights)
    return min(range(len(heights), 0, -1), key=lambda first: max(sum(heights[:first]), total - sum(heights[:first])))


Cell = Any
"""A cell of the notebook."""

EVEN = 47
"""Width of a table that fits half a page, in digits."""

UNEVEN = 55
"""Width of a table that fits a page beside a small chart, in digits."""

DRAWING = "image/svg+xml"

COLUMNS = ("two-columns", "pages-two")
"""Elements of templates that are columns of half a page."""


@dataclass(frozen=True)
class PageLine:
    """One cell that has the width of the page, or two that share it; an `uneven` pair is a chart and a wider table.

    The charts of a line that is `done` are drawn for their place.
    """

    cells: tuple[Cell, ...]
    uneven: bool = False
    done: bool = False

    @property
    def pair(self) -> bool:
        """Whether two share the width of the page."""
        return len(self.cells) > 1


def single(cells: Sequence[Cell]) -> tuple[PageLine, ...]:
    """Return the cells below each other, as a screen shows them."""
    return tuple(PageLine((cell,)) for cell in cells)


def paired(cells: Sequence[Cell], charts: Iterable[Chart], colours: Colours) -> tuple[PageLine, ...]:
    """Return the cells in their order, two small ones that follow each other as one line; charts are drawn to fit."""
    known = {anchor(kind, chart.key): chart for chart in charts for kind in ("chart", "brief")}
    lines: list[PageLine] = []
    before, inside = "all", 0
    for cell in cells:
        inside = _columns_open(cell, inside)
        if inside:  # the template sets what is here beside each other itself
            lines.append(PageLine((_drawn(cell, _shown(cell, known)[1], colours, HALF),), done=True))
            before = "all"
            inside = max(inside - int(_around(cell).get("closes", "0")), 0)
            continue
        share = _share(cell, known)
        uneven = (before, share) == ("less", "more")
        if uneven or {before, share} <= {"half", "less"}:
            lines[-1] = PageLine((*lines[-1].cells, cell), uneven)
            before = "all"
        else:
            lines.append(PageLine((cell,)))
            before = share
    return tuple(line if line.done else _line_drawn(line, known, colours) for line in lines)


def _columns_open(cell: Cell, inside: int) -> int:
    """Return how many elements of a template's own columns are open around a cell, if so many were before it."""
    for name in _around(cell).get("opens", "").split():
        if inside or name in COLUMNS:
            inside += 1
    return inside


def _around(cell: Cell) -> Mapping[str, str]:
    about: Mapping[str, str] = cell["metadata"].get("reportgen", {})
    return about


def _line_drawn(line: PageLine, charts: dict[str, Chart], colours: Colours) -> PageLine:
    shown = [_shown(cell, charts)[1] for cell in line.cells]
    sheet = _sheet(line)
    drawn = iter(level([chart for chart in shown if chart is not None], sheet))
    own = [None if chart is None else next(drawn) for chart in shown]
    return replace(line, cells=tuple(_drawn(*pair, colours, sheet) for pair in zip(line.cells, own, strict=True)))


def _sheet(line: PageLine) -> Sheet:
    return PAGE if not line.pair else NARROW if line.uneven else HALF


def _share(cell: Cell, charts: dict[str, Chart]) -> str:
    about, chart = _shown(cell, charts)
    if about.get("kind") == "table":
        width = about.get("small") or math.inf
        return "half" if width <= EVEN else "more" if width <= UNEVEN else "all"
    if chart is None or not fits(chart, HALF):
        return "all"
    return "less" if fits(chart, NARROW) else "half"


def _shown(cell: Cell, charts: dict[str, Chart]) -> tuple[dict[str, Any], Chart | None]:
    """Return what a cell says about the one thing it shows, and the chart when that is one of the section's own."""
    outputs = cell["outputs"] if cell["cell_type"] == "code" else []
    about = outputs[0].get("metadata", {}).get("reportgen", {}) if len(outputs) == 1 else {}
    own = about.get("kind") == "chart" and DRAWING in outputs[0].get("data", {})
    chart = charts.get(about.get("id", "")) if own else None
    return about, chart and replace(chart, alt=about.get("alt") or chart.alt)


def _drawn(cell: Cell, chart: Chart | None, colours: Colours, sheet: Sheet) -> Cell:
    """Return the cell with its chart drawn for its place on the page; anything else as it is."""
    if chart is None:
        return cell
    output = cell["outputs"][0]
    data = {**output["data"], DRAWING: svg(chart, colours, sheet)}
    return {**cell, "outputs": [{**output, "data": data}]}
