"""Sentences that differ by their numbers alone, told as one."""

from __future__ import annotations

import re
from collections.abc import Sequence

_PARTS = re.compile(r"('[^']*'|(?<![\w.:])\d+(?:,\d{3})*(?:\.\d+)?(?![\w:]))")
"""What a sentence quotes, and its numbers; all else, and what is quoted, must be equal."""


def pattern_of(sentence: str) -> tuple[str, ...]:
    """Return a sentence without its numbers.

    Examples
    --------
    >>> pattern_of("'h1' has 12 scores") == pattern_of("'h1' has 1,300 scores"), pattern_of("'h2' has 12 scores")
    (True, ('', "'h2'", ' has ', '', ' scores'))
    """
    return tuple("" if _is_number(part) else part for part in _PARTS.split(sentence))


def together(sentences: Sequence[str]) -> str:
    """Return sentences of one pattern as one, with the least and the greatest of each number in which they differ.

    Examples
    --------
    >>> together(["r is .61, 0.61 over 3 items.", "r is .61, 0.5 over 3 items."])
    'r is .61, 0.5 to 0.61 over 3 items.'
    """
    parts = zip(*(_PARTS.split(sentence) for sentence in sentences), strict=True)
    return "".join(_one(values) for values in parts)


def _one(values: tuple[str, ...]) -> str:
    ordered = sorted(set(values), key=lambda value: float(value.replace(",", ""))) if len(set(values)) > 1 else values
    return values[0] if ordered[0] == ordered[-1] else f"{ordered[0]} to {ordered[-1]}"


def _is_number(part: str) -> bool:
    return part[:1].isdigit() and _PARTS.fullmatch(part) is not None
