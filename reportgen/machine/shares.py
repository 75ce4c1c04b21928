"""Work cut into shares of about the same size, one for each who works."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Part = TypeVar("Part")


def shares(parts: Sequence[Part], sizes: Sequence[int], workers: int) -> list[list[Part]]:
    """Return parts in order, cut where shares of equal size would end; shares without a part are left out.

    Examples
    --------
    >>> shares(["a0", "a1", "a2", "b0"], [10, 10, 10, 30], 2)
    [['a0', 'a1', 'a2'], ['b0']]
    """
    divided: list[list[Part]] = [[] for _ in range(max(workers, 1))]
    total, done = sum(sizes), 0
    for part, size in zip(parts, sizes, strict=True):
        middle = done + size / 2
        divided[min(int(middle * len(divided) / total), len(divided) - 1)].append(part)
        done += size
    return [share for share in divided if share]
