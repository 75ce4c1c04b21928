"""Files of several in which a column of scores holds nothing but words: another column, or another export."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from reportgen.errors import InputError
from reportgen.scores.preparation import Scores

LEAST = 5
"""Fewer words may stand in the place of scores in a small file; they are told as such."""


class Words(NamedTuple):
    """How many cells of a score column hold something that is no number, and how many hold a number."""

    words: int
    numbers: int

    def __add__(self, other: Words) -> Words:  # type: ignore[override]
        """Return what both rows hold."""
        return Words(self.words + other.words, self.numbers + other.numbers)


InFiles = Mapping[tuple[str, int], Words]
"""Score column and number of a file -> what its cells hold."""


def words_in(columns: Sequence[Scores], starts: Sequence[int]) -> Iterator[tuple[tuple[str, int], Words]]:
    """Yield what the cells of columns hold in each file, whose rows begin at `starts`; the last one is their end."""
    for scores in columns:
        missing = np.isnan(scores.numbers)
        words = missing & ~scores.blank
        for number, (start, stop) in enumerate(pairwise(starts)):
            given = stop - start - int(missing[start:stop].sum())
            yield (scores.name, number), Words(int(words[start:stop].sum()), given)


def refuse_words(found: InFiles, files: Sequence[str]) -> None:
    """Raise when a score column holds nothing but words in a file, and numbers in another.

    Raises
    ------
    InputError
        Names the first file, the column, and how many there are.
    """
    numeric = {name for (name, _), held in found.items() if held.numbers}
    for (name, number), held in found.items():
        if name in numeric and not held.numbers and held.words >= LEAST:
            raise InputError(
                f"{files[number]}: column '{name}' holds no numbers, but {held.words:,} cells of text, and numbers in "
                "other files; write its scores into every file, or leave this one out."
            )
