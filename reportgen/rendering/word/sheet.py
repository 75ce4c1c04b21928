"""What is known while a document is written: its pictures, the places that links lead to, the numbers given so far."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from reportgen.rendering import signs
from reportgen.rendering.pictures import Drawing, as_png, drawing_of
from reportgen.rendering.templates import Templates

SVG_ELEMENT = "{http://www.w3.org/2000/svg}svg"

LONGEST_PLACE = 40
"""Letters that the name of a place may have in Word."""

BETWEEN = 36 * 9525
"""The gap between two columns of text."""

SIGN = "drawn-sign"
SIGN_PIXELS = 11.0


@dataclass(frozen=True)
class Picture:
    """A picture ready to be placed: its file, its width in pixels of the page, and its alternative text."""

    content: bytes
    width: float
    alt: str


@dataclass
class Sheet:
    """A document that is being written.

    Parameters
    ----------
    document
        As python-docx holds it.
    pictures
        The pictures, by the element of the page that they stand for.
    places
        Names of places in the document, by the ids of the page that links lead to.
    words
        What style sheets write: "Table", "Figure".
    numbers
        The last number given to a table, a figure, a picture, a place.
    waiting
        Places that the next paragraph has.
    annex, within_brief
        Whether the annex has begun, and whether a brief is being written.
    columns
        Columns of the text: one, or two.
    new_page, new_column, first_of_column
        Whether the next paragraph begins a page, breaks the column, or stands first in one.
    """

    document: Any
    pictures: Mapping[Any, Picture]
    places: Mapping[str, str]
    words: Mapping[str, str]
    numbers: dict[str, int] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)
    annex: bool = False
    within_brief: bool = False
    columns: int = 1
    new_page: bool = False
    new_column: bool = False
    first_of_column: bool = False

    @property
    def room(self) -> int:
        """The width of the text, or of one of its columns, in the units of python-docx."""
        section = self.document.sections[-1]
        width = int(section.page_width - section.left_margin - section.right_margin)
        return width if self.columns == 1 else (width - BETWEEN) // 2

    def next_number(self, kind: str) -> int:
        """Return the number of the next table or figure."""
        self.numbers[kind] = self.numbers.get(kind, 0) + 1
        return self.numbers[kind]


def classes(node: Any) -> frozenset[str]:
    """Return the classes of an element."""
    return frozenset((node.get("class") or "").split())


def pictures_of(body: Any, templates: Templates) -> dict[Any, Picture]:
    """Return pictures of all drawings below an element: charts, strips, and the signs of outcomes."""
    signs_by_name = _signs()
    drawings: dict[Any, Drawing] = {}
    for node in body.iter():
        if node.tag == SVG_ELEMENT:
            drawings[node] = drawing_of(node)
        elif node.tag == "span" and SIGN in classes(node):
            name = next((each for each in classes(node) if each.removeprefix("sign-") in signs_by_name), "")
            if name:
                drawings[node] = signs_by_name[name.removeprefix("sign-")]
    drawn = list(dict.fromkeys(drawings.values()))
    made = dict(zip(drawn, as_png(drawn, templates), strict=True))
    return {node: Picture(made[drawing], drawing.width, drawing.alt) for node, drawing in drawings.items()}


def places_of(body: Any) -> dict[str, str]:
    """Return a name for every place that a link of the page leads to, as Word allows them."""
    found = [node.get("href", "")[1:] for node in body.iter("a") if node.get("href", "").startswith("#")]
    return {
        target: f"{re.sub(r'[^A-Za-z0-9]+', '_', target)[: LONGEST_PLACE - 8]}_{number}"
        for number, target in enumerate(dict.fromkeys(filter(None, found)), start=1)
    }


def _signs() -> dict[str, Drawing]:
    """Return the signs of outcomes as drawings; they say nothing, since a word stands beside each."""
    return {
        name: Drawing(_sized(picture), SIGN_PIXELS, SIGN_PIXELS, clear=True)
        for name, picture in signs.pictures().items()
    }


def _sized(address: Markup) -> str:
    svg = urllib.parse.unquote(str(address).partition(",")[2])
    return svg.replace("<svg ", f'<svg width="{SIGN_PIXELS}" height="{SIGN_PIXELS}" ', 1)
