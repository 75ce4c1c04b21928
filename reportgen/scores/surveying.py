"""Which part each column of a source plays, decided on all rows, batch by batch: none are held."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import InputError, SettingsError
from reportgen.machine.progress import Silent
from reportgen.scores.column_roles import ColumnRoles
from reportgen.scores.contents import Contents
from reportgen.scores.known_columns import KnownColumns, Look
from reportgen.scores.roles import give_roles, named_roles, say_why_left_out, shortlist
from reportgen.scores.survey import Asked
from reportgen.settings import DataSettings
from reportgen.sources.batches import Batched, Piece, Wanted, told_of
from reportgen.sources.columns import NO_INFO, coded, labelled
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
    parted
        Whether the parts of the rows are asked for, too: then all rows are read even where no column's part is open.
    status
        Hears of the rows that are read.

    Raises
    ------
    InputError, SettingsError
        The source cannot be read, or the columns of scores cannot be told.
    """

    def __init__(
        self, reader: Batched, data: DataSettings, *, parted: bool = True, status: Silent | None = None
    ) -> None:
        self._data, self._status, head = data, status or Silent(), reader.head
        self._named = named_roles(head.schema.names, data)
        self.columns = shortlist({name: Contents(head[name], name) for name in head.schema.names}, self._named)
        self._by = data.by if parted else ()
        names = list(dict.fromkeys((*self.columns, *self._by)))
        self._known = KnownColumns(head.select(names))
        self.pieces: Sequence[Piece] = reader.pieces(names)
        self.rows: dict[int, int] = {}
        """Number of a file -> its rows, when they were read."""
        self.parts = PartsOfRows(self._by, self._known.whole)
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
        for passes in range(MOST_PASSES):
            columns, cast, refused = self._known.columns(self.columns), self._named.copy(), None
            anything_open = True
            try:
                give_roles(columns, self._data, cast)
                anything_open = bool(self._by or passes or self._known.missing(columns))
                say_why_left_out(columns, self._data, cast)  # which alone is worth no pass
            except SettingsError as error:
                refused = error
            missing = self._known.missing(columns) if anything_open else {}
            if not missing and (self.rows or not self._by):
                if refused is not None:
                    raise refused
                return cast
            self._pass(missing)
        raise InputError(CHANGED)

    def _pass(self, missing: Asked) -> None:
        """Find out what is missing of all rows, and how they part."""
        rows: dict[int, int] = {}
        parts = PartsOfRows(self._by, dict(self._known.whole))
        names = tuple(dict.fromkeys((*missing, *self._by)))
        with Seen() as seen, told_of(self.pieces, self._status) as pieces:
            look = Look(self._known, missing, names, seen)
            for piece in pieces:
                for table in piece.batches(Wanted(names)):
                    rows[piece.file] = rows.get(piece.file, 0) + table.num_rows
                    look.add(table)
                    if self._by:
                        parts.count(table)
            right = look.learned(self.pieces)
        if right.issuperset(self._by):
            self.rows, self.parts = rows, parts
