"""Names that come from strangers, as charts show them."""

from __future__ import annotations

from collections.abc import Iterable

from reportgen.wording.names import name


def distinct(names: Iterable[object], most: int = 40) -> tuple[str, ...]:
    """Return names short enough for an axis, and still different from each other.

    Examples
    --------
    >>> distinct(["aaaa1", "aaaa2", "b"], most=4)
    ('aaa…', 'aaa… (2)', 'b')
    """
    labels: list[str] = []
    for each in names:
        short = label = name(each, most)
        repeat = 2
        while label in labels:
            label, repeat = f"{short} ({repeat})", repeat + 1
        labels.append(label)
    return tuple(labels)
