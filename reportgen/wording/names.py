"""Names that come from strangers, as they can stand in a sentence."""

from __future__ import annotations

import unicodedata

NAME_LENGTH = 60
"""Characters of a user's name that fit into a sentence; tables keep the whole name."""

_DIRECTION_CONTROLS = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def name(text: object, most: int = NAME_LENGTH) -> str:
    r"""Return a user's name as it can stand in a sentence: one line, not too long, not turning the line around.

    The result is plain text; templates escape it.

    Examples
    --------
    >>> name("first\nlanguage"), name("x" * 70, most=5), name(" ")
    ('first language', 'xxxx…', '(blank)')
    """
    kept = "".join(
        " " if unicodedata.category(letter) in {"Cc", "Zl", "Zp", "Cs"} else letter
        for letter in str(text)
        if letter not in _DIRECTION_CONTROLS
    )
    line = " ".join(kept.split()) or "(blank)"
    if len(line) > most:
        line = line[: most - 1] + "…"
    if any(unicodedata.bidirectional(letter) in {"R", "AL"} for letter in line):
        line = f"\u2068{line}\u2069"  # isolates: the numbers that follow stay where they are
    return line


def capital(text: str) -> str:
    """Return a sentence with a capital first letter; a symbol stays as it is, and so do markup and names of columns.

    Examples
    --------
    >>> capital("the engine"), capital("r is high"), capital("r"), capital("raters"), capital("rater_1 is")
    ('The engine', 'r is high', 'r', 'Raters', 'rater_1 is')
    """
    symbol = text[:1] in ("r", "κ") and not text[1:2].isalpha()
    return text if symbol or "_" in text.partition(" ")[0] else text[:1].upper() + text[1:]
