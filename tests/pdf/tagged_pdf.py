"""Read the structure elements of a tagged PDF and the marked content of its pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pikepdf
from pdf_text import ToUnicode, operators

PAINTING = frozenset(("f", "F", "f*", "B", "B*", "b", "b*", "S", "s", "sh", "BI", "INLINE IMAGE", "Do"))
TEXT = frozenset(("Tj", "TJ", "'", '"'))
UNSEEN = 3
"""The text rendering mode that draws nothing."""


@dataclass(frozen=True)
class Content:
    """A marked part of a page in a structure element."""

    page: int
    mcid: int


@dataclass(eq=False)
class Element:
    """A structure element with its children in order."""

    node: Any
    kind: str
    page: int | None
    parent: Element | None
    kids: list[Element | Content | Annotation] = field(default_factory=list)

    @property
    def elements(self) -> list[Element]:
        """The children that are elements."""
        return [kid for kid in self.kids if isinstance(kid, Element)]

    def walk(self) -> Iterator[Element]:
        """Yield this element and its descendants, in reading order."""
        yield self
        for kid in self.elements:
            yield from kid.walk()

    def contents(self) -> Iterator[Content]:
        """Yield the page parts of this element and its descendants, in reading order."""
        for kid in self.kids:
            if isinstance(kid, Element):
                yield from kid.contents()
            elif isinstance(kid, Content):
                yield kid

    def above(self) -> Iterator[Element]:
        """Yield the ancestors of this element, nearest first."""
        around = self.parent
        while around is not None:
            yield around
            around = around.parent

    def attribute(self, name: str) -> Any:
        """Return an attribute of the element, or None."""
        owned = self.node.get("/A")
        for each in owned if isinstance(owned, pikepdf.Array) else [owned]:
            if isinstance(each, pikepdf.Dictionary) and f"/{name}" in each:
                return each[f"/{name}"]
        return None

    def says(self, name: str) -> str:
        """Return the text of an entry such as ``Alt``; empty if it is missing."""
        return str(self.node.get(f"/{name}", "")).strip()


@dataclass(frozen=True)
class Annotation:
    """An annotation in a structure element."""

    node: Any


@dataclass(frozen=True)
class Mark:
    """A marked-content sequence around painted content."""

    tag: str
    properties: Any
    mcid: int | None


@dataclass(frozen=True)
class Painted:
    """Painted content with the marks around it, outermost first."""

    page: int
    operator: str
    marks: tuple[Mark, ...]
    text: str = ""
    font: Any = None
    mode: int = 0

    @property
    def contents(self) -> list[Content]:
        """The numbered marks around it."""
        return [Content(self.page, mark.mcid) for mark in self.marks if mark.mcid is not None]


class TaggedPdf:
    """A PDF with its structure and what its pages paint."""

    def __init__(self, pdf: pikepdf.Pdf) -> None:
        self.pdf = pdf
        self.catalog: Any = pdf.Root
        self.page_numbers = {page.obj.objgen: number for number, page in enumerate(pdf.pages)}

    @cached_property
    def top(self) -> Element:
        """The root of the structure, an element without a kind."""
        root = Element(self.catalog.get("/StructTreeRoot", pikepdf.Dictionary()), "", None, None)
        root.kids = self._kids(root.node, root)
        return root

    @cached_property
    def elements(self) -> list[Element]:
        """Every structure element, in reading order."""
        return list(self.top.walk())[1:]

    def of(self, *kinds: str) -> list[Element]:
        """Return the elements of these kinds."""
        return [element for element in self.elements if element.kind in kinds]

    @cached_property
    def painted(self) -> list[Painted]:
        """The painted content of the pages, in painting order."""
        return [each for number, page in enumerate(self.pdf.pages) for each in _Painter(number).painted(page)]

    @cached_property
    def texts(self) -> dict[Content, str]:
        """The text of each marked part."""
        found: dict[Content, str] = {}
        for each in self.painted:
            for content in each.contents[-1:]:
                found[content] = found.get(content, "") + each.text
        return found

    @cached_property
    def annotations(self) -> list[tuple[int, Any]]:
        """Every annotation, with the number of its page."""
        return [(number, note) for number, page in enumerate(self.pdf.pages) for note in page.obj.get("/Annots", [])]

    @cached_property
    def fonts(self) -> list[Any]:
        """The fonts of visible text."""
        seen = [each.font for each in self.painted if each.font is not None and each.mode != UNSEEN]
        return list({font.objgen: font for font in seen}.values())

    def text(self, element: Element) -> str:
        """Return the text of an element's parts."""
        return "".join(self.texts.get(content, "") for content in element.contents())

    def _kids(self, node: Any, parent: Element) -> list[Element | Content | Annotation]:
        held = node.get("/K", pikepdf.Array())
        found: list[Element | Content | Annotation] = []
        for kid in held if isinstance(held, pikepdf.Array) else [held]:
            if isinstance(kid, int):
                found.append(Content(-1 if parent.page is None else parent.page, kid))
            elif kid.get("/Type") == "/MCR":
                page = self._page(kid)
                found.append(Content(-1 if page is None else page, int(kid["/MCID"])))
            elif kid.get("/Type") == "/OBJR":
                found.append(Annotation(kid["/Obj"]))
            elif "/S" in kid:
                found.append(self._element(kid, parent))
        return found

    def _element(self, node: Any, parent: Element) -> Element:
        page = self._page(node)
        element = Element(node, str(node["/S"])[1:], parent.page if page is None else page, parent)
        element.kids = self._kids(node, element)
        return element

    def _page(self, node: Any) -> int | None:
        return self.page_numbers[node["/Pg"].objgen] if "/Pg" in node else None


class _Painter:
    """Follows the operators of one page."""

    def __init__(self, page: int) -> None:
        self.page = page
        self.marks: list[Mark] = []
        self.fonts: dict[Any, ToUnicode] = {}

    def painted(self, page: pikepdf.Page) -> Iterator[Painted]:
        """Yield the painted content of the page."""
        yield from self._stream(page, page.obj.get("/Resources", pikepdf.Dictionary()))

    def _stream(self, stream: Any, resources: Any) -> Iterator[Painted]:
        font, mode = None, 0
        for operands, name in operators(stream):
            if name in ("BMC", "BDC"):
                self.marks.append(_mark(operands, resources))
            elif name == "EMC":
                self.marks.pop()
            elif name == "Tf":
                font = resources["/Font"][str(operands[0])]
            elif name == "Tr":
                mode = int(operands[0])
            elif name in TEXT:
                yield self._shown(name, operands, font, mode)
            elif name == "Do" and resources["/XObject"][str(operands[0])].get("/Subtype") == "/Form":
                form = resources["/XObject"][str(operands[0])]
                yield from self._stream(form, form.get("/Resources", resources))
            elif name in PAINTING:
                yield Painted(self.page, name, tuple(self.marks))

    def _shown(self, name: str, operands: Sequence[Any], font: Any, mode: int) -> Painted:
        last = operands[-1]
        strings = last if isinstance(last, pikepdf.Array) else [last]
        shown = b"".join(bytes(each) for each in strings if isinstance(each, pikepdf.String))
        known = self.fonts.setdefault(font.objgen, ToUnicode(font))
        text = "".join(known.text(code) for code in known.codes(shown))
        return Painted(self.page, name, tuple(self.marks), text, font, mode)


def _mark(operands: Sequence[Any], resources: Any) -> Mark:
    properties = operands[1] if len(operands) > 1 else None
    if isinstance(properties, pikepdf.Name):
        properties = resources["/Properties"][str(properties)]
    mcid = None if properties is None or "/MCID" not in properties else int(properties["/MCID"])
    return Mark(str(operands[0]), properties, mcid)
