"""Which values of the columns that part a source are too small to be shown, and which protect those."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from reportgen.privacy import withheld
from reportgen.privacy.partitions import NONE, Partition


def withheld_slices(sizes: Mapping[tuple[str, ...], int], least: int) -> frozenset[tuple[str, ...]]:
    """Return the slices of a source that are not shown: those of fewer than `least` responses, and their protectors.

    Another run may tell the numbers of all responses, and of what fewer of the columns part; what shown slices leave
    of these is nobody or at least `least` responses.

    sizes: Values of the parting columns -> responses.

    Examples
    --------
    >>> sorted(withheld_slices({("de",): 40, ("fr",): 30, ("is",): 2}, least=10))
    [('fr',), ('is',)]
    >>> sorted(withheld_slices({("de",): 40, ("fr",): 30, ("is",): 6, ("fo",): 7}, least=10))
    [('fo',), ('is',)]
    """
    slices = [values for values, n in sizes.items() if n > 0]
    counts = np.array([sizes[values] for values in slices], np.float64)
    if not (counts < least).any():
        return frozenset()
    own = Partition(np.arange(len(slices)), len(slices))
    told = [_coarser(sizes, slices, columns, least) for columns in _fewer_columns(slices)]
    mask = withheld([*(each for each in told if (each.codes != NONE).any()), own], least, counts=counts)[-1]
    return frozenset(values for values, hidden in zip(slices, mask.tolist(), strict=True) if hidden)


def _fewer_columns(slices: Sequence[tuple[str, ...]]) -> list[tuple[int, ...]]:
    """Return every choice of fewer columns than part the source."""
    every = range(len(slices[0]))
    return [chosen for number in every[1:] for chosen in combinations(every, number)]


def _coarser(
    sizes: Mapping[tuple[str, ...], int], slices: Sequence[tuple[str, ...]], columns: tuple[int, ...], least: int
) -> Partition:
    """Return the slices put together by some of their columns: those that a run by these columns would show."""
    keys = [tuple(values[column] for column in columns) for values in slices]
    together: Counter[tuple[str, ...]] = Counter()
    for key, values in zip(keys, slices, strict=True):
        together[key] += sizes[values]
    place = {key: number for number, key in enumerate(together)}
    hidden = withheld_slices(together, least)
    codes = [NONE if key in hidden else place[key] for key in keys]
    return Partition(np.array(codes, np.intp), len(place), always_shown=True)
