"""Names in the order in which a person looks them up."""

from __future__ import annotations

import re


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that sorts names with their numbers as numbers.

    Examples
    --------
    >>> sorted(["R10", "R9", "a"], key=natural)
    ['R9', 'R10', 'a']
    """
    parts = re.split(r"(\d{1,18})", text)
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part)
