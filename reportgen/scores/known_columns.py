"""What is known of the columns of a source that is not held: of all rows where that was asked, else of the first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from reportgen.scores.survey import UNIQUE, Asked, Facts, Surveyed
from reportgen.sources.batches import Piece, Wanted
from reportgen.sources.columns import is_whole, labelled
from reportgen.sources.uniqueness import Rows, Seen


class KnownColumns:
    """What columns hold, as far as all rows were looked at for it; the first rows suggest the rest.

    Parameters
    ----------
    head
        Arrow table of the first rows.
    """

    def __init__(self, head: Any) -> None:
        self._head = head
        floats = [name for name in head.schema.names if pa.types.is_floating(head[name].type)]
        self.whole = {name: is_whole(head[name]) for name in floats}
        """Column of floats -> whether its texts have no point."""
        self.asked: dict[str, frozenset[str]] = {}
        """What is known of all rows of a column."""
        self._facts: dict[str, Facts] = {}
        self._unique: dict[str, bool] = {}

    def columns(self, names: Iterable[str]) -> dict[str, Surveyed]:
        """Return columns that note what they are asked."""
        return {
            name: Surveyed(
                self._head[name], name, self._facts.get(name), self.asked.get(name, frozenset()),
                self._unique.get(name),
            )
            for name in names
        }  # fmt: skip

    def missing(self, columns: Mapping[str, Surveyed]) -> dict[str, frozenset[str]]:
        """Return what was asked of columns and is known of their first rows only."""
        found = {name: column.asked - self.asked.get(name, frozenset()) for name, column in columns.items()}
        return {name: frozenset(what) for name, what in found.items() if what}

    def learn(self, name: str, asked: frozenset[str], found: Facts) -> None:
        """Take note of what all rows of a column hold."""
        self._facts[name] = self._facts.get(name, found).told(asked, found)
        self.asked[name] = self.asked.get(name, frozenset()) | asked

    def learn_whether_unique(self, names: Iterable[str], seen: Seen, pieces: Sequence[Piece]) -> None:
        """Take note of whether no two texts of columns are equal among those that were `seen`."""
        for name in sorted(names):
            self._unique[name] = not seen.repeats(name, partial(ids_of, pieces, name, self.whole.get(name, True)))

    def is_unique(self, name: str) -> bool:
        """Return whether it is known of all rows that no two texts of a column are equal."""
        return self._unique.get(name, False)


def ids_of(pieces: Sequence[Piece], name: str, whole: bool) -> Iterator[Rows]:
    """Yield a column of all rows; of floats, `whole` says whether their texts have no point."""
    for piece in pieces:
        for table in piece.batches(Wanted((name,))):
            yield Rows(labelled(table[name], whole))


class Look:
    """One look at all rows, table by table, for what is not known of them.

    Parameters
    ----------
    known, missing
        What is known, and what is asked besides.
    names
        Columns whose texts are taken as `known` has it, whether they are asked anything or not.
    seen
        Takes what must not repeat.
    """

    def __init__(self, known: KnownColumns, missing: Asked, names: Sequence[str], seen: Seen) -> None:
        self._known, self._seen = known, seen
        self._names = names
        self._asked = missing
        self._found: dict[str, Facts] = {}
        self._whole = dict.fromkeys((name for name in names if name in known.whole), True)

    def add(self, table: Any) -> None:
        """Look at some rows."""
        for name, whole in self._whole.items():
            self._whole[name] = whole and is_whole(table[name])
        for name, what in self._asked.items():
            labels = labelled(table[name], self._known.whole.get(name, True))
            facts = Facts.of(table[name], name, what, labels)
            self._found[name] = self._found[name] + facts if name in self._found else facts
            if UNIQUE in what:
                self._seen.add(name, Rows(labels))

    def learned(self, pieces: Sequence[Piece]) -> set[str]:
        """Make known what was found, and return the columns whose texts were taken as all rows have them.

        What was found of texts that all rows write otherwise is forgotten: it is asked again.
        """
        known = self._known
        right = {name for name in self._names if self._whole.get(name, True) == known.whole.get(name, True)}
        for name in right.intersection(self._found):
            known.learn(name, self._asked[name], self._found[name])
        unique = {name for name, what in self._asked.items() if UNIQUE in what}
        known.learn_whether_unique(right & unique, self._seen, pieces)
        known.whole |= self._whole
        return right
