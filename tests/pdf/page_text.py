"""What a page says to its readers on paper, in the order of reading, as HTML has it."""

import re
from collections.abc import Iterator
from typing import Any

SVG = "{http://www.w3.org/2000/svg}svg"
TITLE = "{http://www.w3.org/2000/svg}title"
SILENT = ("script", "style", "head", "template")
ON_SCREEN_ALONE = {"grouped-by", "screen-only"}
"""Classes that the style sheet for paper hides."""
BY_NUMBER = "page-of"
"""The class of links that paper shows as the number of a page."""

_LEFT_OUT = re.compile(r"[\s\-\u00ad\u200b\u2060\u2010]+")
"""What the ends of lines bring in or take away."""


def plain(text: str) -> str:
    """Return a text without what depends on where its lines end."""
    return _LEFT_OUT.sub("", text)


def shown(node: Any) -> bool:
    """Whether an element stands on paper."""
    return (
        isinstance(node.tag, str)
        and node.tag not in SILENT
        and ON_SCREEN_ALONE.isdisjoint(node.get("class", "").split())
    )


def alternative(node: Any) -> str | None:
    """Return what a picture says in words; None for what is no picture."""
    if node.tag == SVG:
        return "".join(title.text or "" for title in node.iterfind(TITLE))
    return node.get("alt", "") if node.tag == "img" else None


def said(node: Any) -> str:
    """Return all that an element says, its pictures in words."""
    if not shown(node) or BY_NUMBER in node.get("class", "").split():
        return ""
    words = alternative(node)
    if words is not None:
        return plain(words)
    return plain(node.text or "") + "".join(said(child) + plain(child.tail or "") for child in node)


def every(node: Any, *tags: str) -> Iterator[Any]:
    """Yield the elements of these kinds that stand on paper, in the order of reading."""
    if shown(node):
        if node.tag in tags:
            yield node
        for child in node:
            yield from every(child, *tags)


def headers(table: Any) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield every cell of a table with what its headers say, by their scopes."""
    heads = [head for row in every(table, "thead") for head in every(row, "th")]
    columns = [said(head) for head in heads for _ in range(int(head.get("colspan", 1)))]
    for body in every(table, "tbody", "tfoot"):
        groups = [said(head) for head in every(body, "th") if head.get("scope") == "rowgroup"]
        for row in every(body, "tr"):
            own = [said(cell) for cell in every(row, "th")]
            for place, cell in enumerate(every(row, "th", "td")):
                if cell.tag == "td":
                    yield said(cell), frozenset([*groups, *own, columns[place]])
