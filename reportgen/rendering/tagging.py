"""Add what WeasyPrint omits from PDF tags: cell headers, artifacts, figure positions, and link texts.

All information comes from the structure of the finished PDF, through the public names of pydyf.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import pydyf

from reportgen.rendering.page_filling import text_of

POINTS = 0.75  # points of a CSS pixel

_TITLES = ("h1", "h2", "h3", "h4", "caption", "figcaption")  # elements that are the title of their place


def spoken(body: Any) -> dict[str, str]:
    """Return the targets of a page's links, with the link text or the title of the target.

    >>> from xml.etree import ElementTree as ET
    >>> place = '<div id="b"><h2>Groups</h2></div>'
    >>> spoken(ET.fromstring(f'<body><a href="#a">The <b>data</b></a><a href="#b"/>{place}</body>'))
    {'a': 'The data', 'b': 'Groups'}
    """
    words: dict[str, str] = {}
    for link in body.iter("a"):
        if said := text_of(link):
            words.setdefault(link.get("href", "").removeprefix("#"), said)
    for place in body.iter():
        if place.get("id"):
            titles = [part for part in place.iter() if part.tag in _TITLES]
            words.setdefault(place.get("id"), text_of(titles[0] if titles else place))
    return words


def mend(pdf: Any, spoken: Mapping[str, str]) -> None:
    """Complete the tags of a PDF before it is written; `spoken` contains the link texts by target."""
    tags = _Tags(pdf)
    tags.unnest()
    tags.name_headers()
    tags.place_figures()
    tags.number_lists()
    tags.mark_artifacts()
    for reference in (each for page in tags.pages for each in page.get("Annots", ())):
        note = tags.held(reference)
        if note["Subtype"] == "/Link":
            target = note["Contents"].string
            note["Contents"] = pydyf.String(spoken.get(target) or target)
    # uncompressed, because programs search the file's bytes for the claims
    tags.held(pdf.catalog["Metadata"]).compress = False


def end_clearly(pdf: Any) -> None:
    """Keep streams from ending in a carriage return, which would form one line end with the following line feed.

    The last byte of compressed data is part of a checksum, so these streams are not compressed.
    """
    for stream in pdf.objects:
        if isinstance(stream, pydyf.Stream) and stream.compress and stream.data.endswith(b"\r\nendstream"):
            stream.compress = False


class _Cell(NamedTuple):
    """A cell in a table row: its columns, and how many rows it spans, including this one."""

    element: Any
    columns: range
    rows: int
    begins: bool = True


class _Tags:
    """The structure of a PDF, with all elements in order."""

    def __init__(self, pdf: Any) -> None:
        self.objects = pdf.objects
        self.pages = [self.held(reference) for reference in pdf.page_references]
        self.root = self.held(pdf.catalog["StructTreeRoot"])
        self.elements = list(self._below(self.root))

    def held(self, reference: bytes) -> Any:
        return self.objects[int(reference.split()[0])]

    def kids(self, element: Any, *kinds: str) -> list[Any]:
        found = [self.held(kid) for kid in element.get("K", ()) if isinstance(kid, bytes)]
        return [kid for kid in found if "S" in kid and (not kinds or kid["S"] in kinds)]

    def _below(self, element: Any) -> Iterator[Any]:
        for kid in self.kids(element):
            yield kid
            yield from self._below(kid)

    def _of(self, kind: str) -> Iterator[Any]:
        return (element for element in self.elements if element["S"] == kind)

    def unnest(self) -> None:
        for element in self._of("/Caption"):
            for kid in self.kids(element, "/Caption"):
                kid["S"] = "/NonStruct"

    def name_headers(self) -> None:
        """Assign headers to every table cell, set the scope of each header, and list the header names.

        Headers in a table head, and in a row of only headers, apply to the cells below them; in the latter case, up to
        the next such row. Other headers apply to their rows. A table part without a caption continues the table before
        it.
        """
        between: list[_Cell] = []
        for table in self._of("/Table"):
            above: list[_Cell] = []
            if self.kids(table, "/Caption"):
                between = []
            parts = [(part, [part] if part["S"] == "/TR" else self.kids(part, "/TR")) for part in self.kids(table)]
            kinds = [part["S"] for part, rows in parts for _ in rows]
            for kind, cells in zip(kinds, self._grid(row for _, rows in parts for row in rows), strict=True):
                top, between = kind == "/THead", [] if kind == "/TFoot" else between
                heads = [cell for cell in cells if cell.element["S"] == "/TH"]
                if top:
                    above += heads
                elif len(heads) == len(cells):
                    between = heads
                for cell in heads:
                    cell.element["A"]["Scope"] = "/Column" if top or heads is between else "/Row"
                for cell in cells if not top and heads is not between else ():
                    if cell.begins and cell.element["S"] != "/TH":
                        held = [each for each in (*above, *between) if {*each.columns} & {*cell.columns}]
                        names = [each.element["ID"] for each in (*heads, *held)]
                        cell.element["A"]["Headers"] = pydyf.Array(names)
        named = {element["ID"].data: element for element in self.elements if "ID" in element}
        if named:
            pairs = pydyf.Array()
            for _, element in sorted(named.items()):
                pairs += [element["ID"], element.reference]
            self.root["IDTree"] = pydyf.Dictionary({"Names": pairs})

    def _grid(self, rows: Iterable[Any]) -> Iterator[list[_Cell]]:
        cells: list[_Cell] = []
        for row in rows:
            cells = [cell._replace(rows=cell.rows - 1, begins=False) for cell in cells if cell.rows > 1]
            taken, column = {each for cell in cells for each in cell.columns}, 0
            for element in self.kids(row, "/TH", "/TD"):
                while column in taken:
                    column += 1
                told, start = element["A"], column
                column += told.get("ColSpan", 1)
                cells.append(_Cell(element, range(start, column), told.get("RowSpan", 1)))
            yield cells

    def place_figures(self) -> None:
        heights = {page.reference: page["MediaBox"][3] for page in self.pages}
        for element in self._of("/Figure"):
            left, top, right, bottom = (POINTS * each for each in element["A"]["BBox"])
            height = heights[element["Pg"]]
            element["A"]["BBox"] = pydyf.Array([left, height - bottom, right, height - top])

    def number_lists(self) -> None:
        """Set whether the labels of each list are numbers, which differ, or bullets, which are all equal."""
        pages = {page.reference: drawn(self.held(page["Contents"]).stream) for page in self.pages}
        for element in self._of("/L"):
            labels = [label for item in self.kids(element) for label in self.kids(item, "/Lbl")]
            if seen := {self._seen(label, pages) for label in labels}:
                numbering = "/Decimal" if len(seen) > 1 else "/Disc"
                element["A"] = pydyf.Dictionary({"O": "/List", "ListNumbering": numbering})

    def _seen(self, label: Any, pages: Mapping[bytes, Drawn]) -> tuple[bytes, ...]:
        own = [pages[label["Pg"]].get(kid, ()) for kid in label["K"] if isinstance(kid, int)]
        return sum([*own, *(self._seen(kid, pages) for kid in self.kids(label))], ())

    def mark_artifacts(self) -> None:
        """Mark running heads and feet of pages as artifacts, and remove them from the structure."""
        known, numbers = {element.reference for element in self.elements}, self.held(self.root["ParentTree"])["Nums"]
        for page, owners in zip(self.pages, numbers[1::2], strict=False):  # links come after pages
            lost = {place for place, owner in enumerate(owners) if owner not in known}
            owners[:] = [b"null" if place in lost else owner for place, owner in enumerate(owners)]
            content, middle = self.held(page["Contents"]).stream, page["MediaBox"][3] / POINTS / 2
            for place, item in enumerate(content):
                if item == b"BDC" and content[place - 1].get("MCID") in lost:
                    later = (each for each in content[place:] if isinstance(each, bytes) and each.endswith(b" Tm"))
                    where = "/Header" if float(next(later).split()[5]) < middle else "/Footer"
                    content[place - 2] = "/Artifact"
                    content[place - 1] = pydyf.Dictionary({"Type": "/Pagination", "Subtype": where})


Drawn = Mapping[int, tuple[bytes, ...]]  # glyphs of the marked pieces of a page, by number


def drawn(content: list[Any]) -> Drawn:
    """Return the glyphs of each marked piece of a page's content.

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
