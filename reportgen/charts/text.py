"""Labels of a chart: clean, short, and measured before they are drawn."""

from __future__ import annotations

import unicodedata

ELLIPSIS = "…"


def columns(text: str) -> int:
    """Return how many columns `text` takes, where East Asian wide characters take two.

    Examples
    --------
    >>> columns("abc"), columns("日本")
    (3, 4)
    """
    return sum(_columns(character) for character in text)


def width(text: str, size: float) -> float:
    """Return the width of `text` in pixels at `size` pixels per em, as a wide sans-serif would draw it.

    An estimate on the safe side: what is drawn may be narrower, so a label is never cut.
    """
    return size * sum(_em(character) for character in text)


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


def _em(character: str) -> float:
    if character in "ijltfI.,:;'|! ":
        return 0.4
    if character in "MWmw@%":
        return 1.0
    return 1.05 if _columns(character) == 2 else 0.72 if character.isupper() else 0.65


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
