"""What a column of unknown name holds: numbers or text, how many distinct values, how they repeat."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.scores.preparation import LONGEST_LABEL
from reportgen.sources.columns import as_numbers, as_text, is_blank
from reportgen.sources.digests import fingerprints
from reportgen.sources.written import MOST_WORDS, all_words, read_scores

FIRST_CELLS = 1000
"""Cells that tell what a column holds, when that is enough."""

LONG_ID = 40
"""A column whose texts are longer than this on average holds no ids."""

LONG_TEXT = 200
"""A column whose first texts are longer than this on average is prose."""

MOST_SCORES = 30
"""A column of more distinct whole numbers than this is not one of human scores."""

MOST_LEVELS = 60
"""A column of more distinct texts than this is not found to be a subgroup."""

MOST_NAMED_LEVELS = 500
"""The same for a column whose name says that it is one."""

MANY_ROWS = 1_000_000
"""From so many rows on the texts of a column are compared by fingerprints first."""

BLOCK_ROWS = 1 << 18
"""Rows of which the numbers are looked at together."""

MOST_COUNTED = 10_000
"""More distinct texts than this are not told apart."""


class Contents:
    """One column, looked at as far as it is asked about."""

    def __init__(self, column: Any, name: str) -> None:
        self._column = column
        self.name = name

    def __len__(self) -> int:
        return len(self._column)

    @property
    def is_readable(self) -> bool:
        """Whether it holds text or numbers, not lists or bytes."""
        try:
            as_text(self._column.slice(0, 1), self.name)
        except InputError:
            return False
        return True

    @cached_property
    def _finite(self) -> tuple[int, bool, int]:
        """How many finite numbers there are, whether they have fractions, how many are distinct; none is kept."""
        n, fractions, distinct = 0, False, np.empty(0)
        for start in range(0, len(self._column), BLOCK_ROWS):
            numbers = as_numbers(self._column.slice(start, BLOCK_ROWS), self.name)
            numbers = numbers[np.isfinite(numbers)]
            n += numbers.size
            fractions = fractions or has_fractions(numbers)
            if distinct.size <= MOST_SCORES:
                distinct = np.unique(np.concatenate([distinct, numbers]))
        return n, fractions, distinct.size

    @property
    def n_numbers(self) -> int:
        """How many cells hold a finite number."""
        return self._finite[0]

    @property
    def has_fractions(self) -> bool:
        """Whether a number lies between whole and half ones."""
        return self._finite[1]

    @property
    def n_distinct_numbers(self) -> int:
        """How many distinct numbers there are, as far as they are no more than human scores have."""
        return self._finite[2]

    @cached_property
    def n_blank(self) -> int:
        """How many cells hold nothing."""
        starts = range(0, len(self._column), BLOCK_ROWS)
        return sum(int(is_blank(self._column.slice(start, BLOCK_ROWS), self.name).sum()) for start in starts)

    @cached_property
    def n_distinct(self) -> int:
        """How many distinct texts there are."""
        return int(pc.count_distinct(as_text(self._column, self.name)).as_py())

    def distinct_texts(self) -> list[str]:
        """Return every distinct text."""
        return [text or "" for text in pc.unique(as_text(self._column, self.name)).to_pylist()]

    @property
    def is_unique(self) -> bool:
        """Whether no two texts are equal."""
        if len(self) > MANY_ROWS and not self._column.null_count and self._differ():
            return True
        return self.n_distinct == len(self)

    def _differ(self) -> bool:
        """Return whether fingerprints of all texts differ, and so the texts; they take a fourth of the memory."""
        prints = np.empty(len(self._column), np.uint64)
        for start in range(0, len(prints), BLOCK_ROWS):
            block = as_text(self._column.slice(start, BLOCK_ROWS), self.name)
            prints[start : start + len(block)] = fingerprints(block, self.name)
        prints.sort()
        return not bool(np.any(prints[1:] == prints[:-1]))

    @property
    def first_has_numbers(self) -> bool:
        """Whether any of the first cells holds a number."""
        first = as_numbers(self._column.slice(0, FIRST_CELLS), self.name)
        return bool(np.isfinite(first).any())

    @cached_property
    def mean_length(self) -> float:
        """The mean number of characters of the texts."""
        return float(pc.mean(pc.utf8_length(as_text(self._column, self.name))).as_py() or 0.0)

    @property
    def has_numbers(self) -> bool:
        """Whether any cell holds a number; mostly the first rows tell."""
        return self.first_has_numbers or self.n_numbers > 0

    @cached_property
    def has_scores(self) -> bool:
        """Whether any cell holds a number, or the first hold nothing but words that are read as scores."""
        if self.has_numbers or not self.is_readable:
            return self.has_numbers
        return all_words(read_scores(self._column.slice(0, FIRST_CELLS), self.name).written)

    @cached_property
    def known_words(self) -> frozenset[str]:
        """The words among the first cells that are read as scores, where few other words and no number stand there."""
        if self.has_numbers or not self.is_readable:
            return frozenset()
        written = read_scores(self._column.slice(0, FIRST_CELLS), self.name).written
        return written.words if len(written.unknown) < MOST_WORDS else frozenset()

    @property
    def is_numeric(self) -> bool:
        """Whether every cell that is not blank holds a number."""
        return self.n_numbers > 0 and self.n_numbers == len(self) - self.n_blank

    @property
    def is_fractional(self) -> bool:
        """Whether it holds numbers between whole and half ones, as engines give and raters do not."""
        return self.is_numeric and self.has_fractions

    @property
    def is_score_like(self) -> bool:
        """Whether it holds a few whole or half numbers that repeat, as raters give."""
        if not self.is_numeric or self.is_fractional:
            return False
        distinct = self.n_distinct_numbers
        return 2 <= distinct <= MOST_SCORES and 2 * distinct <= self.n_numbers

    @property
    def is_id_like(self) -> bool:
        """Whether no cell is blank, no two are equal, and they are neither prose nor measurements."""
        if len(self) < 2 or self.n_blank or self.is_fractional or self.mean_length > LONG_ID:
            return False
        return self.is_unique

    def levels_problem(self, most: int) -> str:
        """Return why the column cannot be a subgroup of at most `most` levels, empty when it can."""
        if self.n_distinct < 2:
            return "only one value"
        if self.n_distinct > most:
            more = self.n_distinct > MOST_COUNTED
            return f"more than {MOST_COUNTED:,} distinct values" if more else f"{self.n_distinct:,} distinct values"
        if 2 * self.n_distinct > len(self):
            return "fewer than two responses per value"
        if self.mean_length > LONGEST_LABEL:
            return f"values longer than {LONGEST_LABEL:,} characters"
        return ""


def has_fractions(numbers: NDArray[np.float64]) -> bool:
    """Return whether a number lies between whole and half ones."""
    with np.errstate(over="ignore"):  # twice a number of 308 digits is infinite, and whole
        return bool(np.any(2 * numbers != np.rint(2 * numbers)))
