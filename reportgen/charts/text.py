"""Labels of a chart: clean, short, and measured before they are drawn."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache

ELLIPSIS = "…"

WIDTHS = {
    " ": 0.2,
    ".,:;'’·": 0.25,
    "ijlI|": 0.27,
    "()[]{}f/\\-!": 0.35,
    'rtsz"*?“”': 0.43,
    "0123456789+−=<>±×≥≤~^$#_–": 0.5,
    "xcvyaegJYFLk": 0.51,
    "hounbdpqSETAVXZ`": 0.57,
    "PCRKB&DG": 0.62,
    "HNUOQ": 0.67,
    "wMW%m@æœ½¼¾©": 0.86,
    "…—": 0.95,
}
"""Characters of Source Sans by their width in ems: the widest of a line."""


def columns(text: str) -> int:
    """Return how many columns `text` takes, where East Asian wide characters take two.

    Examples
    --------
    >>> columns("abc"), columns("日本")
    (3, 4)
    """
    return sum(_columns(character) for character in text)


def width(text: str, size: float) -> float:
    """Return the width of `text` in pixels at `size` pixels per em, as the font of charts draws it.

    On the safe side: what is drawn may be narrower, so a label is never cut.

    Examples
    --------
    >>> width("0.71", 10.0), width("é", 10.0) == width("e", 10.0)
    (17.5, True)
    """
    return round(size * sum(map(_em, text)), 3)


def shorten(text: str, limit: int) -> str:
    """Return `text` on one line and in at most `limit` columns, with an ellipsis where it was cut.

    Examples
    --------
    >>> shorten("Portuguese (Brazil)", 11)
    'Portuguese…'
    >>> shorten("two lines", 20)
    'two lines'
    """
    text = " ".join(text.split())
    if columns(text) <= limit:
        return text
    kept, used = [], 1
    for character in text:
        used += _columns(character)
        if used > limit:
            break
        kept.append(character)
    return "".join(kept).rstrip() + ELLIPSIS


def apart(labels: Sequence[str]) -> tuple[str, ...]:
    """Return labels without the words that all of them begin with, which the name of their axis says anyway.

    Examples
    --------
    >>> apart(("Level 1", "Level 2")), apart(("Level 1", "Grade 2")), apart(("low", "low end"))
    (('1', '2'), ('Level 1', 'Grade 2'), ('low', 'low end'))
    """
    named = [label.split() for label in labels]
    shared = 0
    while all(len(words) > shared + 1 and words[shared] == named[0][shared] for words in named):
        shared += 1
    return tuple(" ".join(words[shared:]) for words in named) if len(named) > 1 and shared else tuple(labels)


@cache
def _em(character: str) -> float:
    """Return the width of a character in Source Sans, in ems; what it lacks comes from a wider font."""
    if unicodedata.combining(character):
        return 0.0
    plain = unicodedata.normalize("NFD", character)[0]
    for letters, em in WIDTHS.items():
        if plain in letters:
            return em
    if _columns(character) == 2:
        return 1.05
    return 0.9 if character.isupper() else 0.72


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
