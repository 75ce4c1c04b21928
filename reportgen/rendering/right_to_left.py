"""Labels from right to left, for a program that draws text letter by letter from the left.

WeasyPrint sets each letter of an SVG text on its own, so Arabic letters would stand apart and Hebrew would read
backwards.  Here the letters are put into the order in which they are seen, by the rules of the Unicode bidirectional
algorithm that matter within one line of a page that runs from left to right (UAX 9, without explicit marks), and Arabic
ones into the form that joins their neighbours.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache

RIGHT = ("R", "AL")
NUMBER, LEFT = "EN", "L"

MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")
"""Brackets as they look from the other side."""

PRESENTATION = (range(0xFB50, 0xFC00), range(0xFE70, 0xFEFD))
"""Where Unicode keeps the forms of Arabic letters by their neighbours."""


def as_seen(text: str) -> str:
    """Return `text` as it is seen from left to right; unchanged without letters from right to left.

    Examples
    --------
    >>> as_seen("Portuguese (Brazil)")
    'Portuguese (Brazil)'
    >>> as_seen("שלום") == "שלום"[::-1]
    True
    >>> [f"{ord(letter):X}" for letter in as_seen("سلام")]  # meem alone, lam with alef joined to the right, seen
    ['FEE1', 'FEFC', 'FEB3']
    """
    if not any(unicodedata.bidirectional(letter) in RIGHT for letter in text):
        return text
    bare = "".join(letter for letter in unicodedata.normalize("NFC", text) if not unicodedata.combining(letter))
    letters = joined(bare)
    levels = _levels([unicodedata.bidirectional(letter) for letter in letters])
    seen = [letter.translate(MIRRORED) if level % 2 else letter for letter, level in zip(letters, levels, strict=True)]
    for level in range(max(levels), 0, -1):
        start = 0
        while start < len(seen):
            end = start
            while end < len(seen) and levels[end] >= level:
                end += 1
            seen[start:end], levels[start:end] = seen[start:end][::-1], levels[start:end][::-1]
            start = end + 1
    return "".join(seen)


def joined(text: str) -> str:
    """Return `text` with every Arabic letter in the form that joins its neighbours.

    Examples
    --------
    >>> [f"{ord(letter):X}" for letter in joined("بب ب")]  # initial, final, alone
    ['FE91', 'FE90', '20', 'FE8F']
    """
    forms, made, place, joins = _forms(), [], 0, False
    while place < len(text):
        pair = text[place : place + 2]
        unit = pair if pair in forms else text[place]
        place += len(unit)
        own = forms.get(unit, {})
        after = forms.get(text[place : place + 1], {})
        onward = "initial" in own and "final" in after
        wanted = ("medial" if onward else "final") if joins and "final" in own else "initial" if onward else "isolated"
        made.append(own.get(wanted, unit))
        joins = onward
    return "".join(made)


@cache
def _forms() -> dict[str, dict[str, str]]:
    """Return for each Arabic letter, and for lam with alef, its forms by name."""
    forms: dict[str, dict[str, str]] = {}
    for code in (code for block in PRESENTATION for code in block):
        name, *parts = unicodedata.decomposition(chr(code)).split() or [""]
        letters = "".join(chr(int(part, 16)) for part in parts)
        if name.startswith("<") and (len(letters) == 1 or letters.startswith("ل")):
            forms.setdefault(letters, {}).setdefault(name.strip("<>"), chr(code))
    return forms


def _levels(kinds: Sequence[str]) -> list[int]:
    """Return the level of every letter: 1 from right to left, 2 of numbers within that, 0 of everything else."""
    strong = [_strong(kinds, place) for place in range(len(kinds))]
    levels = []
    for place, kind in enumerate(strong):
        before, after = (_beside(strong, place, way) for way in (-1, 1))
        if kind == NUMBER:
            levels.append(2 if before == "R" else 0)
        else:
            levels.append(1 if kind == "R" or (not kind and before == after == "R") else 0)
    return levels


def _strong(kinds: Sequence[str], place: int) -> str:
    """Return R, L, EN or, of a letter that goes with its neighbours, nothing."""
    kind = kinds[place]
    if kind in ("EN", "AN"):
        return NUMBER
    if kind in (*RIGHT, LEFT):
        return "R" if kind in RIGHT else LEFT
    around = [kinds[other] in ("EN", "AN") for other in (place - 1, place + 1) if 0 <= other < len(kinds)]
    in_number = (kind in ("CS", "ES") and len(around) == 2 and all(around)) or (kind == "ET" and any(around))
    return NUMBER if in_number else ""


def _beside(strong: Sequence[str], place: int, way: int) -> str:
    """Return the direction of the nearest letter that has one; numbers go with what is before them."""
    place += way
    while 0 <= place < len(strong):
        kind = strong[place]
        if kind in ("R", LEFT):
            return kind
        if kind == NUMBER:
            return _beside(strong, place, -1)
        place += way
    return LEFT
