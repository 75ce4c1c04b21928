"""What is known of the columns of a source that is not held, and which part each plays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reportgen.errors import InputError, SettingsError
from reportgen.machine.progress import Silent
from reportgen.scores.contents import LONG_ID, MOST_COUNTED, MOST_SCORES, Contents, has_fractions
from reportgen.scores.roles import give_roles, named_roles, say_why_left_out, shortlist
from reportgen.scores.selection import PartsOfRows
from reportgen.scores.table import ColumnRoles
from reportgen.settings import DataSettings
from reportgen.sources.batches import Batched, Piece, Wanted
from reportgen.sources.columns import Floats, as_numbers, as_text, is_blank, is_whole, labelled
from reportgen.sources.parted_rows import CHANGED
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
