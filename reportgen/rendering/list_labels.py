"""How the items of a list in a PDF are labelled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pydyf

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
