"""Where two values of JSON's own types differ: numbers by more than their computation leaves open."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

CLOSE = 1e-9
"""Numbers that differ by no more than this share of their size, or this much, are one number."""


class Difference(NamedTuple):
    """A place where two values differ, and what stands there in both."""

    place: str
    old: Any
    new: Any

    def __str__(self) -> str:
        """Return it in a line."""
        return f"{self.place}: {self.old!r} became {self.new!r}"


def differences(
    old: Any, new: Any, place: str = "", ignored: Callable[[Any, str], bool] = lambda _value, _place: False
) -> Iterator[Difference]:
    """Yield the places where two values differ.

    Parameters
    ----------
    old, new
        Values of JSON's own types.
    place
        Where they stand.
    ignored
        Returns whether the old value at a place may differ.

    Examples
    --------
    >>> [str(each) for each in differences({"a": [1.0, 2]}, {"a": [1.0 + 1e-12, 3]})]
    ['.a[1]: 2 became 3']
    """
    if ignored(old, place):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            yield from differences(old.get(key), new.get(key), f"{place}.{key}", ignored)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from differences(before, after, f"{place}[{index}]", ignored)
    elif not _same(old, new):
        yield Difference(place, old, new)


def _same(old: Any, new: Any) -> bool:
    """Return whether two plain values are one."""
    numbers = [each for each in (old, new) if isinstance(each, int | float) and not isinstance(each, bool)]
    if len(numbers) == 2 and any(isinstance(each, float) for each in numbers):
        return math.isclose(*numbers, rel_tol=CLOSE, abs_tol=CLOSE)
    return bool(old == new)
