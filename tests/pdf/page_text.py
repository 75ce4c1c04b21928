"""Read the text of the HTML report as printed, in reading order."""

import re
from collections.abc import Iterator
from typing import Any

SVG = "{http://www.w3.org/2000/svg}svg"
TITLE = "{http://www.w3.org/2000/svg}title"
SILENT = ("script", "style", "head", "template")
ON_SCREEN_ALONE = {"grouped-by", "screen-only"}
"""Classes that the print style sheet hides."""
BY_NUMBER = "page-of"
"""The class of links that print as page numbers."""

_LEFT_OUT = re.compile(r"[\s\-\u00ad\u200b\u2060\u2010]+")
"""Characters that line breaks add or remove."""


def plain(text: str) -> str:
    """Return a text without characters that depend on line breaks."""
    return _LEFT_OUT.sub("", text)


def shown(node: Any) -> bool:
    """Return whether an element is printed."""
    return (
        isinstance(node.tag, str)
        and node.tag not in SILENT
        and ON_SCREEN_ALONE.isdisjoint(node.get("class", "").split())
    )


def alternative(node: Any) -> str | None:
    """Return the alternative text of an image; None for other elements."""
    if node.tag == SVG:
        return "".join(title.text or "" for title in node.iterfind(TITLE))
    return node.get("alt", "") if node.tag == "img" else None


def said(node: Any) -> str:
    """Return the text of an element, with alternative texts of images."""
    if not shown(node) or BY_NUMBER in node.get("class", "").split():
        return ""
    words = alternative(node)
    if words is not None:
        return plain(words)
    return plain(node.text or "") + "".join(said(child) + plain(child.tail or "") for child in node)


def every(node: Any, *tags: str) -> Iterator[Any]:
    """Yield the printed elements of these kinds, in reading order."""
    if shown(node):
        if node.tag in tags:
            yield node
        for child in node:
            yield from every(child, *tags)


def headers(table: Any) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield every cell of a table with the text of its headers."""
    heads = [head for row in every(table, "thead") for head in every(row, "th")]
    columns = [said(head) for head in heads for _ in range(int(head.get("colspan", 1)))]
    for body in every(table, "tbody", "tfoot"):
        groups = [said(head) for head in every(body, "th") if head.get("scope") == "rowgroup"]
        for row in every(body, "tr"):
            own = [said(cell) for cell in every(row, "th")]
            for place, cell in enumerate(every(row, "th", "td")):
                if cell.tag == "td":
                    yield said(cell), frozenset([*groups, *own, columns[place]])
