"""Which part each column of a source plays, decided on all rows, batch by batch: none are held."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reportgen.errors import InputError, SettingsError
from reportgen.scores.column_roles import ColumnRoles
from reportgen.scores.contents import Contents
from reportgen.scores.repeats import repeats
from reportgen.scores.roles import assign_roles, named_roles, shortlist
from reportgen.scores.survey import UNIQUE, Asked, Facts, Surveyed
from reportgen.settings import DataSettings
from reportgen.sources.batches import Batched, Piece, Wanted
from reportgen.sources.columns import NO_INFO, coded, is_whole, labelled
from reportgen.sources.fingerprints import fingerprints
from reportgen.sources.parted_rows import CHANGED
from reportgen.sources.uniqueness import Seen

MOST_PASSES = 6
"""Every pass settles something."""

MOST_PARTS = 10_000
"""A column with more values than this names responses or candidates, not items."""

Values = tuple[str, ...]
"""What the parting columns hold in a row."""


@dataclass
class PartsOfRows:
    """Numbers of the parts of rows, in the order in which parts are met, and how many rows each has."""

    by: tuple[str, ...]
    whole: dict[str, bool]
    numbers: dict[Values, int] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)

    def codes(self, table: Any) -> NDArray[np.intp]:
        """Return the number of the part of each row.

        Raises
        ------
        SettingsError
            There are more parts than items can be.
        """
        columns = [coded(labelled(table[name], self.whole.get(name, True)), name) for name in self.by]
        joint = np.zeros(table.num_rows, np.int64)
        for column in columns:
            joint = joint * len(column.labels) + column.codes
        found, codes = np.unique(joint, return_inverse=True)
        numbers = []
        for code in found.tolist():
            values = []
            for column in reversed(columns):
                code, index = divmod(code, len(column.labels))
                values.append(column.labels[index].strip() or NO_INFO)
            numbers.append(self.numbers.setdefault(tuple(reversed(values)), len(self.numbers)))
        if len(self.numbers) > MOST_PARTS:
            refuse_many_parts(self.by, f"more than {MOST_PARTS:,}")
        return np.array(numbers, np.intp)[codes.reshape(-1)]

    def count(self, table: Any) -> None:
        """Take note of some rows."""
        found = np.bincount(self.codes(table), minlength=len(self.numbers)).tolist()
        self.sizes += [0] * (len(found) - len(self.sizes))
        self.sizes = [size + more for size, more in zip(self.sizes, found, strict=True)]


def refuse_many_parts(by: Sequence[str], values: str) -> None:
    """Raise for columns that name no items.

    Raises
    ------
    SettingsError
        Always.
    """
    raise SettingsError(
        f"--by {', '.join(by)}: {values} values, expected {MOST_PARTS:,} at most; name a column of items."
    )


class Survey:
    """All rows of a source, looked at as often as it takes to tell which part each column plays.

    Parameters
    ----------
    reader
        The source.
    data
        What is declared, ``by`` among it.

    Raises
    ------
    InputError, SettingsError
        The source cannot be read, or the columns of scores cannot be told.
    """

    def __init__(self, reader: Batched, data: DataSettings) -> None:
        self._data, head = data, reader.head
        self._named = named_roles(head.schema.names, data)
        self.columns = shortlist({name: Contents(head[name], name) for name in head.schema.names}, self._named)
        names = list(dict.fromkeys((*self.columns, *data.by)))
        self._head = head.select(names)
        floats = [name for name in names if pa.types.is_floating(head[name].type)]
        self._whole = {name: is_whole(head[name]) for name in floats}
        self._facts: dict[str, Facts] = {}
        self._known: dict[str, frozenset[str]] = {}
        self._unique: dict[str, bool] = {}
        self.pieces: Sequence[Piece] = reader.pieces(names)
        self.rows: dict[int, int] = {}
        """Number of a file -> its rows."""
        self.parts = PartsOfRows(data.by, self._whole)
        self.cast = self._settled()

    def batches(self, names: Sequence[str], rows: int) -> Iterator[Any]:
        """Yield columns of all rows as record batches, each of so many rows at most.

        Raises
        ------
        InputError
            A piece cannot be read.
        """
        for piece in self.pieces:
            for table in piece.batches(Wanted(tuple(names), rows=rows)):
                yield from table.combine_chunks().to_batches()

    def _settled(self) -> ColumnRoles:
        """Return the part of every column when nothing that it rests on is guessed."""
        for _ in range(MOST_PASSES):
            asked: set[tuple[str, str]] = set()
            cast, refused = None, None
            try:
                cast = self._cast(asked)
            except SettingsError as error:
                refused = error
            missing: dict[str, frozenset[str]] = {}
            for name, what in asked:
                if what not in self._known.get(name, frozenset()):
                    missing[name] = missing.get(name, frozenset()) | {what}
            if not missing and self.rows:
                if cast is None:
                    raise refused or AssertionError("neither parts nor why there are none")
                return cast
            self._pass(missing)
        raise InputError(CHANGED)

    def _cast(self, asked: set[tuple[str, str]]) -> ColumnRoles:
        """Return the part of every column by what is known; notes what had to be asked."""
        columns = {
            name: Surveyed(
                self._head[name], name, self._facts.get(name), self._known.get(name, frozenset()),
                self._unique.get(name),
            )
            for name in self.columns
        }  # fmt: skip
        try:
            return assign_roles(columns, self._data, self._named.copy())
        finally:
            asked |= {(name, what) for name, column in columns.items() for what in column.asked}

    def _pass(self, missing: Asked) -> None:
        """Find out what is missing of all rows; what rests on texts that all rows write otherwise is asked again."""
        found: dict[str, Facts] = {}
        whole = dict.fromkeys(self._whole, True)
        rows: dict[int, int] = {}
        parts = PartsOfRows(self._data.by, self._whole)
        names = tuple(dict.fromkeys((*missing, *self._data.by, *whole)))
        asked_before = {name: frozenset(what) | self._known.get(name, frozenset()) for name, what in missing.items()}
        with Seen() as seen:
            for piece in self.pieces:
                for table in piece.batches(Wanted(names)):
                    rows[piece.file] = rows.get(piece.file, 0) + table.num_rows
                    for name in whole:
                        whole[name] = whole[name] and is_whole(table[name])
                    parts.count(table)
                    for name, what in asked_before.items():
                        labels = labelled(table[name], self._whole.get(name, True))
                        facts = Facts.of(table[name], name, what, labels)
                        found[name] = found[name] + facts if name in found else facts
                        if UNIQUE in what:
                            seen.add(name, fingerprints(labels, name, seen.key))
            right = {name for name in found if whole.get(name, True) == self._whole.get(name, True)}
            for name in right:
                self._facts[name], self._known[name] = found[name], asked_before[name]
                if UNIQUE in asked_before[name]:
                    self._unique[name] = not repeats(self.pieces, name, seen, self._whole).n
        if all(whole[name] == self._whole[name] for name in whole):
            self.rows, self.parts = rows, parts
        self._whole = whole
