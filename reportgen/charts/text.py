"""Labels of a chart: clean, short, and measured before they are drawn."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

ELLIPSIS = "…"


def columns(text: str) -> int:
    """Return how many columns `text` takes, where East Asian wide characters take two.

    Examples
    --------
    >>> columns("abc"), columns("日本")
    (3, 4)
    """
    return sum(_columns(character) for character in text)


def width(text: str, size: float, *, printed: bool = False) -> float:
    """Return the width of `text` in pixels at `size` pixels per em, as a wide sans-serif would draw it.

    An estimate on the safe side: what is drawn may be narrower, so a label is never cut.  `printed`
    text has the font of the paper page, which is narrower and known.
    """
    return size * sum(map(_printed_em if printed else _em, text))


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


def _em(character: str) -> float:
    if character in "ijltfI.,:;'|! ":
        return 0.4
    if character in "MWmw@%":
        return 1.0
    return 1.05 if _columns(character) == 2 else 0.72 if character.isupper() else 0.65


def _printed_em(character: str) -> float:
    """Return the width of a character in Times and its relatives; what they lack comes from a wider font."""
    if not character.isascii():
        return max(0.62, _em(character))
    if character in "ijltfrsI.,:;'|!()[] ":
        return 0.36
    if character in "MWmw@%":
        return 0.95
    return 0.7 if character.isupper() or character in "+=<>" else 0.5


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
