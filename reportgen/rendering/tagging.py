"""What WeasyPrint leaves out of the tags of a PDF: headers of cells, artifacts, places of figures, words of links.

Everything is found in the structure of the finished PDF, through the public names of pydyf.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pydyf

POINTS = 0.75
"""Points of a CSS pixel."""

_TITLES = ("h1", "h2", "h3", "h4", "caption", "figcaption")
"""Elements that name the place that they stand in."""


def spoken(body: Any) -> dict[str, str]:
    """Return what the links of a page lead to, each with its words, or with the title of its place.

    Examples
    --------
    >>> from xml.etree import ElementTree as ET
    >>> place = '<div id="b"><h2>Groups</h2></div>'
    >>> spoken(ET.fromstring(f'<body><a href="#a">The <b>data</b></a><a href="#b"/>{place}</body>'))
    {'a': 'The data', 'b': 'Groups'}
    """
    words: dict[str, str] = {}
    for link in body.iter("a"):
        if said := _words(link):
            words.setdefault(link.get("href", "").removeprefix("#"), said)
    for place in body.iter():
        if place.get("id"):
            titles = [part for part in place.iter() if part.tag in _TITLES]
            words.setdefault(place.get("id"), _words(titles[0] if titles else place))
    return words


def _words(node: Any) -> str:
    return " ".join("".join(node.itertext()).split())


def mend(pdf: Any, spoken: Mapping[str, str]) -> None:
    """Complete the tags of a PDF before it is written; `spoken` has the words of links by what they lead to."""
    tags = _Tags(pdf)
    pages = _pages(pdf)
    tags.unnest()
    tags.name_headers()
    tags.place_figures(pages)
    tags.number_lists({page.reference: drawn(tags.held(page["Contents"]).stream) for page in pages})
    for number, page in enumerate(pages):
        _Artifacts(pdf, page, tags.orphans(number)).mark()
        for reference in page.get("Annots", ()):
            note = tags.held(reference)
            if note["Subtype"] == "/Link":
                target = note["Contents"].string
                note["Contents"] = pydyf.String(spoken.get(target) or target)
    tags.held(pdf.catalog["Metadata"]).compress = False  # a search for the claims finds them in the file's bytes


def end_clearly(pdf: Any) -> None:
    """Let no stream end in a carriage return: with the line feed behind it, it would read as one end of a line.

    The last byte of compressed data is of their sum, so these streams are not compressed.
    """
    for stream in pdf.objects:
        if isinstance(stream, pydyf.Stream) and stream.compress and stream.data.endswith(b"\r\nendstream"):
            stream.compress = False


def _pages(pdf: Any) -> list[Any]:
    return [pdf.objects[_number(reference)] for reference in pdf.page_references]


def _number(reference: bytes) -> int:
    return int(reference.split()[0])


class _Tags:
    """The structure of a PDF."""

    def __init__(self, pdf: Any) -> None:
        self.pdf = pdf
        self.root = self.held(pdf.catalog["StructTreeRoot"])
        self.elements = list(self._below(self.root))

    def held(self, reference: bytes) -> Any:
        return self.pdf.objects[_number(reference)]

    def kids(self, element: Any) -> list[Any]:
        found = [self.held(kid) for kid in element.get("K", ()) if isinstance(kid, bytes)]
        return [kid for kid in found if "S" in kid]

    def _below(self, element: Any) -> Iterator[Any]:
        for kid in self.kids(element):
            yield kid
            yield from self._below(kid)

    def unnest(self) -> None:
        """Let no caption stand in itself: WeasyPrint takes the lines before a block in it for a second one."""
        for element in self.elements:
            for kid in self.kids(element):
                if element["S"] == kid["S"] == "/Caption":
                    kid["S"] = "/NonStruct"

    def name_headers(self) -> None:
        """Name the headers of every cell of every table, say where each header holds, and list the names."""
        before = None
        for table in (element for element in self.elements if element["S"] == "/Table"):
            before = TableHeaders(self.kids, table, before)
            before.name()
        named = {element["ID"].data: element for element in self.elements if "ID" in element}
        if named:
            pairs = pydyf.Array()
            for _, element in sorted(named.items()):
                pairs += [element["ID"], element.reference]
            self.root["IDTree"] = pydyf.Dictionary({"Names": pairs})

    def place_figures(self, pages: list[Any]) -> None:
        """Tell the boxes of figures in points from the foot of their page, not in pixels from its head."""
        heights = {page.reference: page["MediaBox"][3] for page in pages}
        for element in self.elements:
            if element["S"] == "/Figure":
                left, top, right, bottom = (POINTS * each for each in element["A"]["BBox"])
                height = heights[element["Pg"]]
                element["A"]["BBox"] = pydyf.Array([left, height - bottom, right, height - top])

    def number_lists(self, pages: Mapping[bytes, Drawn]) -> None:
        for element in self.elements:
            if element["S"] == "/L":
                number(element, self.kids, pages)

    def orphans(self, page: int) -> set[int]:
        """Return the marked pieces of a page that no element of the structure holds, and let none claim them."""
        known = {element.number for element in self.elements}
        numbers = self.held(self.root["ParentTree"])["Nums"]
        owners = numbers[2 * page + 1]
        lost = {place for place, owner in enumerate(owners) if _number(owner) not in known}
        owners[:] = [b"null" if place in lost else owner for place, owner in enumerate(owners)]
        return lost


@dataclass(frozen=True)
class _Artifacts:
    """The running heads and feet of a page, which the structure does not hold."""

    pdf: Any
    page: Any
    orphans: set[int]

    def mark(self) -> None:
        content = self.pdf.objects[_number(self.page["Contents"])].stream
        middle = self.page["MediaBox"][3] / POINTS / 2
        for place, item in enumerate(content):
            if item == b"BDC" and content[place - 1].get("MCID") in self.orphans:
                where = "/Header" if _height(content[place:]) < middle else "/Footer"
                content[place - 2] = "/Artifact"
                content[place - 1] = pydyf.Dictionary({"Type": "/Pagination", "Subtype": where})


def _height(content: list[Any]) -> float:
    """Return how far below the head of the page the next text stands, in pixels."""
    matrix = next(item for item in content if isinstance(item, bytes) and item.endswith(b" Tm"))
    return float(matrix.split()[5])


HEAD = "/TH"


@dataclass(frozen=True)
class Cell:
    """A cell of a table, with the rows and columns that it covers."""

    element: Any
    rows: range
    columns: range

    @property
    def head(self) -> bool:
        """Whether it is a header."""
        return bool(self.element["S"] == HEAD)


class TableHeaders:
    """The headers of one table, or of the part of it that stands on one page.

    Headers in the head of a table, and in a row of headers alone, belong to the cells below them; in the latter
    case as far as the next such row.  Other headers belong to their rows.  A part that has no caption of its own goes
    on with the table before it.
    """

    def __init__(self, kids: Callable[[Any], list[Any]], table: Any, before: TableHeaders | None) -> None:
        self.kids = kids
        parts = kids(table)
        self.columns: list[Cell] = []
        self.between: list[Cell] = []
        if before is not None and not any(part["S"] == "/Caption" for part in parts):
            self.between = before.between
        self.rows = [(part["S"] == "/THead", row) for part in parts for row in self._rows(part)]

    def _rows(self, part: Any) -> list[Any]:
        return [part] if part["S"] == "/TR" else [each for each in self.kids(part) if each["S"] == "/TR"]

    def name(self) -> None:
        """Say of every header where it holds, and name the headers of every other cell."""
        grid = list(self._grid())
        for number, (top, _) in enumerate(self.rows):
            cells = [cell for cell in grid if number in cell.rows]
            heads = [cell for cell in cells if cell.head]
            if top:
                self.columns += self._holding(heads, "/Column")
            elif cells == heads:
                self.between = self._holding(heads, "/Column")
            else:
                self._beside(cells, number, self._holding(heads, "/Row"))

    def _grid(self) -> Iterator[Cell]:
        taken: set[tuple[int, int]] = set()
        for number, (_, row) in enumerate(self.rows):
            column = 0
            for element in self.kids(row):
                if element["S"] not in (HEAD, "/TD"):
                    continue
                while (number, column) in taken:
                    column += 1
                told = element["A"]
                rows = range(number, number + told.get("RowSpan", 1))
                columns = range(column, column + told.get("ColSpan", 1))
                taken.update((each, other) for each in rows for other in columns)
                yield Cell(element, rows, columns)

    def _holding(self, heads: list[Cell], scope: str) -> list[Cell]:
        for cell in heads:
            cell.element["A"]["Scope"] = scope
        return heads

    def _beside(self, cells: list[Cell], number: int, own: list[Cell]) -> None:
        for cell in cells:
            if not cell.head and cell.rows.start == number:
                above = [each for each in (*self.columns, *self.between) if _share(each.columns, cell.columns)]
                cell.element["A"]["Headers"] = pydyf.Array([each.element["ID"] for each in (*own, *above)])


def _share(some: range, others: range) -> bool:
    return some.start < others.stop and others.start < some.stop


Drawn = Mapping[int, tuple[bytes, ...]]
"""The glyphs of the marked pieces of a page, by their numbers."""


def drawn(content: list[Any]) -> Drawn:
    """Return the glyphs of each marked piece of a page's content.

    Examples
    --------
    >>> drawn(["/Lbl", {"MCID": 3}, b"BDC", b"[<0001>] TJ", b"EMC", "/Artifact", b"BMC", b"EMC"])
    {3: (b'[<0001>] TJ',)}
    """
    found: dict[int, tuple[bytes, ...]] = {}
    around: list[int | None] = []
    for place, item in enumerate(content):
        if item in (b"BDC", b"BMC"):
            around.append(content[place - 1].get("MCID") if item == b"BDC" else None)
        elif item == b"EMC":
            around.pop()
        elif around and around[-1] is not None and isinstance(item, bytes) and item.endswith(b" TJ"):
            found[around[-1]] = (*found.get(around[-1], ()), item)
    return found


def number(element: Any, kids: Callable[[Any], list[Any]], pages: Mapping[bytes, Drawn]) -> None:
    """Say of a list whether its labels are numbers, which differ, or bullets, which are all the same."""
    labels = [label for item in kids(element) for label in kids(item) if label["S"] == "/Lbl"]
    seen = {_seen(label, kids, pages) for label in labels}
    if seen:
        numbering = "/Decimal" if len(seen) > 1 else "/Disc"
        element["A"] = pydyf.Dictionary({"O": "/List", "ListNumbering": numbering})


def _seen(label: Any, kids: Callable[[Any], list[Any]], pages: Mapping[bytes, Drawn]) -> tuple[bytes, ...]:
    own = [pages[label["Pg"]].get(kid, ()) for kid in label["K"] if isinstance(kid, int)]
    return sum([*own, *(_seen(kid, kids, pages) for kid in kids(label))], ())
