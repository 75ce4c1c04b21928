"""Which part each column of a source plays, decided on all rows, batch by batch: none are held."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from reportgen.errors import InputError, SettingsError
from reportgen.machine.progress import Silent
from reportgen.scores.column_roles import ColumnRoles
from reportgen.scores.contents import Contents
from reportgen.scores.known_columns import KnownColumns, Look
from reportgen.scores.parting import PartsOfRows
from reportgen.scores.roles import give_roles, named_roles, say_why_left_out, shortlist
from reportgen.scores.survey import Asked
from reportgen.settings import DataSettings
from reportgen.sources.batches import Batched, Piece, Wanted
from reportgen.sources.parted_rows import CHANGED
from reportgen.sources.uniqueness import Seen

MOST_PASSES = 6
"""Every pass settles something."""


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
    reasons
        Whether all rows say, too, why a column plays no part.
    status
        Hears of the rows that are read.

    Raises
    ------
    InputError, SettingsError
        The source cannot be read, or the columns of scores cannot be told.
    """

    def __init__(
        self,
        reader: Batched,
        data: DataSettings,
        *,
        parted: bool = True,
        reasons: bool = False,
        status: Silent | None = None,
    ) -> None:
        self._data, self._status, head = data, status or Silent(), reader.head
        self._reasons = reasons
        self._named = named_roles(head.schema.names, data)
        self.columns = shortlist({name: Contents(head[name], name) for name in head.schema.names}, self._named)
        self._by = data.by if parted else ()
        names = list(dict.fromkeys((*self.columns, *self._by)))
        self._known = KnownColumns(head.select(names))
        self.pieces: Sequence[Piece] = reader.pieces(names)
        self._looked_at: set[str] = set()
        self.rows: dict[int, int] = {}
        """Number of a file -> its rows, when they were read."""
        self.parts = PartsOfRows(self._by, self._known.whole)
        self.cast = self._settled()

    @property
    def whole(self) -> dict[str, bool]:
        """Column of floats -> whether all its numbers are whole, as far as that was looked at."""
        return self._known.whole

    def is_unique(self, name: str) -> bool:
        """Return whether it is known of all rows that no two texts of a column are equal."""
        return self._known.is_unique(name)

    def look_at(self, names: Iterable[str]) -> None:
        """Find out of columns of floats whether all their numbers are whole, where that rests on the first rows."""
        if names := sorted(self._known.whole.keys() & set(names) - self._looked_at):
            self._pass({}, names)

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
                anything_open = bool(self._reasons or self._by or passes or self._known.missing(columns))
                say_why_left_out(columns, self._data, cast)  # which alone is worth no pass
            except SettingsError as error:
                refused = error
            missing = self._known.missing(columns) if anything_open else {}
            if not missing and (self.rows or not self._by):
                if refused is not None:
                    raise refused
                return cast
            self._pass(missing, dict.fromkeys((*missing, *self._by)))
        raise InputError(CHANGED)

    def _pass(self, missing: Asked, names: Iterable[str]) -> None:
        """Find out what is missing of all rows, and how they part."""
        rows: dict[int, int] = {}
        parts = PartsOfRows(self._by, dict(self._known.whole))
        names, total = tuple(names), sum(piece.rows for piece in self.pieces)
        look, done = Look(self._known, missing, names, Seen()), 0
        self._status.rows(done, total)
        for piece in self.pieces:
            for table in piece.batches(Wanted(names)):
                rows[piece.file] = rows.get(piece.file, 0) + table.num_rows
                look.add(table)
                if self._by:
                    parts.count(table)
                done += table.num_rows
                self._status.rows(done, max(done, total))
        right = look.learned(self.pieces)
        self._looked_at |= set(names)
        if right.issuperset(self._by):
            self.rows, self.parts = rows, parts
