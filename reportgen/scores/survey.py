"""What columns of a source hold, found out batch by batch: only what is asked of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reportgen.scores.contents import LONG_ID, MOST_COUNTED, MOST_SCORES, Contents, has_fractions
from reportgen.sources.columns import Floats, as_numbers, as_text, is_blank

NUMBERS: Final = "numbers"
"""How many cells are blank, how many hold a number, and what kind of numbers these are."""

TEXTS: Final = "texts"
"""Which distinct texts there are, as far as they are few."""

UNIQUE: Final = "unique"
"""Whether no two texts are equal, and how long they are."""

_ANSWERS = {
    NUMBERS: ("blank", "numbers", "fractions", "distinct"),
    TEXTS: ("texts",),
    UNIQUE: ("letters", "written"),
}
"""Which facts answer what is asked."""

Asked = Mapping[str, frozenset[str]]
"""Column -> what is asked of it."""


@dataclass(frozen=True)
class Facts:
    """What some rows of a column hold; facts of all its rows add up.  What was not asked is not counted.

    Parameters
    ----------
    n
        Rows.
    blank, numbers, fractions, distinct
        Blank cells, cells with a finite number, whether one lies between whole and half ones, and the distinct ones,
        as far as there are at most one more than human scores have.
    texts
        Distinct texts; None when they are more than `MOST_COUNTED`.
    letters, written
        Characters of all texts, and how many texts there are.
    """

    n: int = 0
    blank: int = 0
    numbers: int = 0
    fractions: bool = False
    distinct: frozenset[float] = frozenset()
    texts: frozenset[str] | None = frozenset()
    letters: int = 0
    written: int = 0

    @classmethod
    def of(cls, column: Any, name: str, asked: frozenset[str], labels: Any = None) -> Facts:
        """Return what is asked of some rows; texts are those of `labels`, when these are given."""
        labels = column if labels is None else labels
        counted: dict[str, Any] = {}
        if asked & {NUMBERS, UNIQUE}:
            numbers = as_numbers(column, name)
            finite = numbers[np.isfinite(numbers)]
            blank = int(is_blank(column, name).sum()) if finite.size < len(numbers) else 0
            counted |= {"blank": blank, "numbers": finite.size, **_kinds(finite)}
        if TEXTS in asked:
            counted["texts"] = _texts(labels, name)
        if UNIQUE in asked:
            lengths = pc.utf8_length(as_text(labels, name))
            counted |= {"letters": pc.sum(lengths).as_py() or 0, "written": len(lengths) - lengths.null_count}
        return cls(len(column), **counted)

    def __add__(self, other: Facts) -> Facts:
        """Return what both rows hold."""
        few = self.texts is not None and other.texts is not None
        texts = (self.texts or frozenset()) | (other.texts or frozenset()) if few else None
        return Facts(
            self.n + other.n,
            self.blank + other.blank,
            self.numbers + other.numbers,
            self.fractions or other.fractions,
            frozenset(sorted(self.distinct | other.distinct)[: MOST_SCORES + 1]),
            texts if texts is not None and len(texts) <= MOST_COUNTED else None,
            self.letters + other.letters,
            self.written + other.written,
        )

    def told(self, asked: frozenset[str], found: Facts) -> Facts:
        """Return these facts with what was `asked` later of the same rows, and `found`."""
        names = [name for what in asked for name in _ANSWERS[what]]
        return replace(self, n=found.n, **{name: getattr(found, name) for name in names})


class Surveyed(Contents):
    """A column of which the first rows are at hand, and facts about all rows as far as they were asked for.

    Parameters
    ----------
    head, name
        The first rows, and the column.
    facts, known
        About all rows, as far as they were asked for; the rest is guessed from the first rows.  What is asked, or
        would have to be, is noted in `asked`.
    unique
        Whether no two texts of all rows are equal, when that is known.
    """

    def __init__(
        self,
        head: Any,
        name: str,
        facts: Facts | None = None,
        known: frozenset[str] = frozenset(),
        unique: bool | None = None,
    ) -> None:
        super().__init__(head, name)
        self._first = Contents(head, name)
        self._facts = facts
        self._known = known
        self._unique = unique
        self.asked: set[str] = set()

    def __len__(self) -> int:
        return len(self._column) if self._facts is None or TEXTS not in self._known else self._facts.n

    def _told(self, what: str) -> Facts:
        """Return the facts, and take note of what was asked."""
        self.asked.add(what)
        return self._guessed if self._facts is None or what not in self._known else self._facts

    @cached_property
    def _guessed(self) -> Facts:
        """What the first rows would make one think of all."""
        return Facts.of(self._column, self.name, frozenset({NUMBERS, TEXTS, UNIQUE}))

    @property
    def n_numbers(self) -> int:
        """How many cells hold a finite number."""
        return self._told(NUMBERS).numbers

    @property
    def has_fractions(self) -> bool:
        """Whether a number lies between whole and half ones; when one of the first does, one of all does."""
        return self._first.has_fractions or self._told(NUMBERS).fractions

    @property
    def n_distinct_numbers(self) -> int:
        """How many distinct numbers there are, up to one more than human scores have."""
        return len(self._told(NUMBERS).distinct)

    @cached_property
    def n_blank(self) -> int:
        """How many cells hold nothing."""
        return self._told(NUMBERS).blank

    @cached_property
    def n_distinct(self) -> int:
        """How many distinct texts there are, up to one more than are told apart."""
        texts = self._told(TEXTS).texts
        return MOST_COUNTED + 1 if texts is None else len(texts)

    @property
    def is_numeric(self) -> bool:
        """Whether every cell that is not blank holds a number; when one of the first does not, not all do."""
        if self._first_holds_words:
            return False
        facts = self._told(NUMBERS)
        return 0 < facts.numbers == facts.n - facts.blank

    @cached_property
    def _first_holds_words(self) -> bool:
        return self._first.n_numbers < len(self._first) - self._first.n_blank

    @property
    def is_id_like(self) -> bool:
        """Whether no cell is blank, no two are equal, and they are neither prose nor measurements."""
        if self._first.n_blank or not self._first.is_unique:
            return False
        if (len(self._first) if self._facts is None else self._facts.n) < 2:
            self.asked.add(UNIQUE)  # other rows may follow
            return False
        if self.n_blank or self.is_fractional or self.mean_length > LONG_ID:
            return False
        return self.is_unique

    @property
    def is_unique(self) -> bool:
        """Whether no two texts are equal."""
        self.asked.add(UNIQUE)
        return self._first.is_unique if self._unique is None else self._unique

    @cached_property
    def mean_length(self) -> float:
        """The mean number of characters of the texts."""
        facts = self._told(UNIQUE)
        return facts.letters / facts.written if facts.written else 0.0


def _kinds(finite: Floats) -> dict[str, Any]:
    """Return what kind of numbers there are."""
    few = finite[:1000]
    if np.unique(few).size > MOST_SCORES:  # enough to know
        distinct = frozenset(np.unique(few)[: MOST_SCORES + 1].tolist())
    else:
        distinct = frozenset(np.unique(finite)[: MOST_SCORES + 1].tolist())
    return {"fractions": has_fractions(finite), "distinct": distinct}


def _texts(column: Any, name: str) -> frozenset[str] | None:
    """Return the distinct texts; None when they are too many."""
    if pa.types.is_dictionary(column.type):
        column = pa.chunked_array([chunk.dictionary.take(pc.unique(chunk.indices)) for chunk in column.chunks])
    found = pc.unique(as_text(column, name)).drop_null()
    return frozenset(found.to_pylist()) if len(found) <= MOST_COUNTED else None
