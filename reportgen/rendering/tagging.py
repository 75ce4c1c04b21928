"""What WeasyPrint leaves out of the tags of a PDF: headers of cells, artifacts, places of figures, words of links.

Everything is found in the structure of the finished PDF, through the public names of pydyf.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pydyf

from reportgen.rendering import list_labels
from reportgen.rendering.table_headers import TableHeaders

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
    tags.number_lists({page.reference: list_labels.drawn(tags.held(page["Contents"]).stream) for page in pages})
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
        """Return the object that a reference leads to."""
        return self.pdf.objects[_number(reference)]

    def kids(self, element: Any) -> list[Any]:
        """Return the elements directly below one."""
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

    def number_lists(self, pages: Mapping[bytes, list_labels.Drawn]) -> None:
        """Say of every list with labels whether they are numbers or bullets."""
        for element in self.elements:
            if element["S"] == "/L":
                list_labels.number(element, self.kids, pages)

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
        """Mark them as what they are."""
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
