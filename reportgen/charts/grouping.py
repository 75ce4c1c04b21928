"""What many elements of a picture have alike is written once: a picture is half as long, and looks the same."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
