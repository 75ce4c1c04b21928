"""How wide the columns of a table are on paper, in widths of a digit: which of them fit, and beside what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reportgen.charts.text import width

PAPER_COLUMNS = 7
"""Columns a table has at most on paper."""

PAPER_LINE = 104.0
"""Width of a table on paper."""

GAP, CLOSE_GAP, PAIRED_GAP = 2.3, 1.6, 1.4
"""Space before a column; the same where columns stand closer to fit, and in a table beside another one."""

MARK = 2.0
"""Width of the sign before the names of rows."""

WORD = 16
"""Letters up to which a word in a table is never broken."""

WHOLE = 20
"""Width up to which a text of a few words in a table is not broken, where there is room."""

LONG_NAME = 28.0
"""Width of a name that has one line in a table beside another one."""

SMALLEST_NAME = 11.5
"""Width that the column of names has at least."""


def digits(text: str) -> float:
    """Return the width of a text in widths of a digit.

    Examples
    --------
    >>> digits("4812"), digits("[0.66, 0.75]") < 9.5
    (4.0, True)
    """
    return round(width(text, 1.0) / width("0", 1.0), 1)


def heading(label: str) -> float:
    """Return the width that a heading needs on two lines; a word of more than `WORD` letters can be broken.

    Examples
    --------
    >>> heading("QWK") == digits("QWK"), heading("Rater mean") == digits("Rater")
    (True, True)
    """
    words = label.split()
    breaks = range(1, len(words)) or (len(words),)
    lines = (max(digits(" ".join(words[:place])), digits(" ".join(words[place:]))) for place in breaks)
    return min(min(lines, default=0.0), max(longest_word((label,)), digits(label) / 2))


def longest_word(texts: Iterable[str]) -> float:
    """Return the width of the longest word, of which `WORD` letters count."""
    return max((digits(word[:WORD]) for text in texts for word in text.split()), default=0.0)


def unbroken(texts: Iterable[str], *, name: bool) -> float:
    """Return the width of the widest text that is to stay on one line, or of a word of a longer one.

    A name of a row has room for `WHOLE`, however long it is.
    """
    parts = (part for text in texts for part in ((text,) if name or len(text) <= WHOLE else text.split()))
    return min(float(WHOLE), max(map(digits, parts), default=0.0))


def fitting(widths: Sequence[float], least: Sequence[float]) -> tuple[int, bool]:
    """Return how many columns paper has room for, the name and one other at least, and whether they must be close.

    Columns that are close have their `least` widths: their names and words take more lines.

    Examples
    --------
    >>> fitting([20.0, 30.0, 30.0], [8.0, 30.0, 30.0]), fitting([20.0, 45.0, 45.0], [8.0, 45.0, 45.0])
    ((3, False), (3, True))
    >>> fitting([20.0, 45.0, 55.0], [8.0, 45.0, 55.0]), fitting([10.0] * 9, [8.0] * 9)
    ((2, False), (7, False))
    """
    most = min(len(widths), PAPER_COLUMNS)
    if _line(widths[:most], GAP) <= PAPER_LINE:
        return most, False
    while most > 2 and _line(least[:most], CLOSE_GAP) > PAPER_LINE:
        most -= 1
    return most, _line(widths[:most], GAP) > PAPER_LINE


def _line(widths: Sequence[float], gap: float) -> float:
    return sum(widths) + gap * max(0, len(widths) - 1)
