"""SVG elements, the shapes of points, and the pen that draws them; every text and attribute is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Literal

from reportgen.charts import theme
from reportgen.charts.theme import Colours
from reportgen.results.chart import Dots, Ink

_JOINED = "\u0600-\u0dff"
"""Scripts from Arabic to Sinhala, whose letters take their form from the joiners between them."""

_UNSHOWABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]"  # control characters that XML does not allow
    "|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"  # what turns the direction of the text around it
    "|[\xad\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"  # what has no width
    f"|(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}])"
)
"""What no page can show, or what would make text look like another: no output for readers has it."""

Attribute = str | float | None


def element(name: str, content: str = "", /, **attributes: Attribute) -> str:
    """Return one element; `content` is markup, an attribute that is None is left out.

    Underscores in attribute names become hyphens (``stroke_width``), a trailing one is dropped
    (``class_``); lengths are written with one decimal.

    Examples
    --------
    >>> element("line", x1=0, x2=10.25, class_="grid")
    '<line x1="0" x2="10.2" class="grid"/>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>"


def words(content: str) -> str:
    r"""Return text as markup, without the characters no page can show.

    Examples
    --------
    >>> words("a < b\x00")
    'a &lt; b'
    """
    return escape(clean(content))


def clean(content: str) -> str:
    r"""Return text without the characters no page can show.

    Examples
    --------
    >>> clean("a\u202eb\u200b\x1b"), clean("\u0645\u06cc\u200c\u062e") == "\u0645\u06cc\u200c\u062e"
    ('ab', True)
    """
    return _UNSHOWABLE.sub("", content)


def written_out(content: str) -> str:
    r"""Return text with the characters no page can show written as escapes.

    Examples
    --------
    >>> written_out("a\x1b\u202eb\u200b")
    'a\\x1b\\u202eb\\u200b'
    """
    return _UNSHOWABLE.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode("ascii"), content)


def _attribute(value: str | float) -> str:
    return words(value) if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")


SHARED = ("text-anchor", "font-size", "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "class")
"""Attributes that an element takes over from the group that it stands in."""

_ELEMENT = re.compile(r'<(text|line|rect|path|circle)((?: [\w-]+="[^"]*")*)(/>|>.*)', re.DOTALL)
_ATTRIBUTE = re.compile(r' ([\w-]+)="[^"]*"')


_ENDS = re.compile(r' x1="([^"]+)" y1="([^"]+)" x2="([^"]+)" y2="([^"]+)"')


def grouped(parts: Iterable[str]) -> list[str]:
    """Return elements with those alike in one group; their order changes, so that none of them may cover another.

    Straight lines that look alike become one path.

    Examples
    --------
    >>> grouped(['<text x="1" fill="#000000">a</text>', '<rect x="2"/>', '<text x="3" fill="#000000">b</text>'])
    ['<g fill="#000000"><text x="1">a</text><text x="3">b</text></g>', '<rect x="2"/>']
    >>> grouped([f'<line x1="0" y1="{y}" x2="9" y2="{y}" stroke="#000000"/>' for y in (1, 2)])
    ['<path d="M0,1L9,1M0,2L9,2" fill="none" stroke="#000000"/>']
    """
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for part in parts:
        match = _ELEMENT.fullmatch(part)
        if match is None:
            found.setdefault(("", part), []).append((part, part))
            continue
        name, attributes, rest = match.groups()
        shared = "".join(each[0] for each in _ATTRIBUTE.finditer(attributes) if each[1] in SHARED)
        own = "".join(each[0] for each in _ATTRIBUTE.finditer(attributes) if each[1] not in SHARED)
        found.setdefault((name, shared), []).append((part, f"<{name}{own}{rest}"))
    return [_one(name, shared, each) for (name, shared), each in found.items()]


def _one(name: str, shared: str, elements: list[tuple[str, str]]) -> str:
    """Return elements that are alike as one, each given whole and without what is shared."""
    if len(elements) < 2 or not shared or not name:
        return "".join(whole for whole, _ in elements)
    inner = "".join(short for _, short in elements)
    ends = _ENDS.findall(inner)
    if name == "line" and len(ends) == len(elements):
        way = "".join(f"M{x1},{y1}L{x2},{y2}" for x1, y1, x2, y2 in ends)
        return f'<path d="{way}" fill="none"{shared}/>'
    return f"<g{shared}>{inner}</g>"


Shape = Literal["circle", "square", "diamond", "triangle", "cross", "left", "right", "up", "down"]

SHAPES: dict[Shape, tuple[str, str]] = {
    "circle": ("M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", "circle"),
    "square": ("M-3.5,-3.5h7v7h-7z", "square"),
    "diamond": ("M0,-5.2L5.2,0L0,5.2L-5.2,0z", "diamond"),
    "triangle": ("M0,-4.8L4.6,3.6L-4.6,3.6z", "triangle-up"),
    "cross": ("M-3.6,-3.6L3.6,3.6M-3.6,3.6L3.6,-3.6", "x-thin-open"),
    "left": ("M-5,0L3,-4.8L3,4.8z", "triangle-left"),
    "right": ("M5,0L-3,-4.8L-3,4.8z", "triangle-right"),
    "up": ("M0,-5L-4.8,3L4.8,3z", "triangle-up"),
    "down": ("M0,5L-4.8,-3L4.8,-3z", "triangle-down"),
}
"""The outline of each shape about the point (0, 0), in pixels, and its name in Plotly.

What is flagged or rests on few responses is told by shape, never by colour alone.
"""


def of_point(dots: Dots, index: int) -> tuple[Shape, bool, Ink]:
    """Return the shape of one point, whether it is hollow, and its ink."""
    flagged, hollow, pale = (bool(each) and each[index] for each in (dots.flagged, dots.hollow, dots.pale))
    ink: Ink = "flag" if flagged else "human" if pale else dots.ink
    return ("diamond" if flagged else "circle"), hollow, ink


def arrow(along: str, beyond: int) -> Shape | None:
    """Return the arrow for what lies beyond the low (-1) or the high (1) end of an axis; None for what does not."""
    if not beyond:
        return None
    if along == "x":
        return "right" if beyond > 0 else "left"
    return "up" if beyond > 0 else "down"


class Pen:
    """Draws single elements in the inks of a report: as attributes, for paper, and as classes, for dark mode."""

    def __init__(self, colours: Colours) -> None:
        self.colours = colours

    def text(self, content: str, x: float, y: float, anchor: str = "start", colour: str = "quiet") -> str:
        """Return one line of text in the colour "text", "quiet" or "pale"; `y` is its baseline."""
        fill, name = (theme.TEXT, "fill-text") if colour == "text" else (theme.QUIET, "fill-quiet")
        opacity = theme.PALE if colour == "pale" else None
        place: dict[str, str | float | None] = {"x": x, "y": y, "text_anchor": anchor}
        return element("text", words(content) or " ", **place, fill=fill, fill_opacity=opacity, class_=name)

    def stroke(self, ink: Ink | str, x1: float, y1: float, x2: float, y2: float, **more: str | float | None) -> str:
        """Return one straight line in an ink."""
        plain = {"grid": theme.GRID, "quiet": theme.QUIET, "text": theme.TEXT}
        colour = plain[ink] if ink in plain else getattr(self.colours, ink)
        return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, class_=f"stroke-{ink}", **more)

    def box(self, ink: Ink, x: float, y: float, width: float, height: float) -> str:
        """Return a filled rectangle."""
        fill = self.colours.of(ink)
        return element("rect", x=x, y=y, width=width, height=max(0.0, height), fill=fill, class_=f"fill-{ink}")

    def marker(self, shape: Shape, hollow: bool, ink: Ink, x: float, y: float) -> str:
        """Return one point; a hollow one is filled with paper."""
        open_ = hollow or shape == "cross"
        look: dict[str, str | float | None] = {
            "fill": theme.PAPER if open_ else self.colours.of(ink),
            "stroke": self.colours.of(ink),
            "stroke_width": 1.4,
            "class_": f"stroke-{ink} fill-{'paper' if open_ else ink}",
        }
        if shape == "circle":
            return element("circle", cx=x, cy=y, r=4, **look)
        return element("path", d=SHAPES[shape][0], transform=f"translate({x:.1f},{y:.1f})", **look)
