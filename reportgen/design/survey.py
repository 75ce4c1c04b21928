"""Which part each column of a source plays that is not held: profiles of all rows, a pass at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reportgen.design.profiles import LONG_ID, Facts, Profile, Profiles, blocks, profiles_of
from reportgen.design.readings import ColumnRoles
from reportgen.design.roles import give_roles, named_roles, say_why_left_out, shortlist
from reportgen.errors import InputError, SettingsError
from reportgen.machine.progress import Silent
from reportgen.settings import DataSettings
from reportgen.sources.column_names import refuse_unknown
from reportgen.sources.columns import NO_INFO, Coded, coded, encode, is_whole, labelled, mask_to_arrow
from reportgen.sources.digests import Rows, Seen
from reportgen.sources.tabular import CHANGED, Reader, TableReader
from reportgen.wording.names import natural

MOST_PASSES = 6
"""Every pass settles something."""


def ids_of(reader: Reader, name: str, whole: bool) -> Iterator[Rows]:
    """Yield a column of all rows; of floats, `whole` says whether their texts have no point."""
    for _, table in reader.batches([name]):
        yield Rows(labelled(table[name], whole))


class Survey:
    """All rows of a source, looked at as often as it takes to tell which part each column plays.

    reader, data: The source, and what is declared, ``by`` among it.
    parted: Whether the parts of the rows are asked for, too: then all rows are read even where no column's part is
        open.
    reasons: Whether all rows say, too, why a column plays no part.
    status: Hears of the rows that are read.
    """

    def __init__(
        self,
        reader: Reader,
        data: DataSettings,
        *,
        parted: bool = True,
        reasons: bool = False,
        status: Silent | None = None,
    ) -> None:
        self._reader, self._data, self._reasons, self._status = reader, data, reasons, status or Silent()
        head = reader.head
        self._named = named_roles(head.schema.names, data)
        self.columns = shortlist(profiles_of(head), self._named)
        self._by = data.by if parted else ()
        names = list(dict.fromkeys((*self.columns, *self._by)))
        self._head = head.select(names)
        self.whole = {name: is_whole(head[name]) for name in names if pa.types.is_floating(head[name].type)}
        """Column of floats -> whether all its numbers are whole, as far as that was looked at."""
        self._facts: dict[str, Facts] = {}
        self._unique: dict[str, bool] = {}
        self.rows = 0
        """How many rows there are, once they are read."""
        self.parts = PartsOfRows(self._by, self.whole)
        self.cast = self._settled()

    def is_unique(self, name: str) -> bool:
        """Return whether it is known of all rows that no two texts of a column are equal."""
        return self._unique.get(name, False)

    def look_at(self, names: Iterable[str]) -> None:
        """Find out of columns of floats whether all their numbers are whole, where that rests on the first rows."""
        if open_ones := [name for name in names if name in self.whole and name not in self._facts]:
            self._pass(dict.fromkeys(open_ones))

    def batches(self, names: Sequence[str], rows: int) -> Iterator[Any]:
        """Yield columns of all rows as record batches, each of so many rows at most."""
        for _, table in self._reader.batches(names, rows=rows):
            yield from table.combine_chunks().to_batches()

    def _settled(self) -> ColumnRoles:
        """Return the part of every column when nothing that it rests on is guessed."""
        for passes in range(MOST_PASSES):
            columns = {
                name: Profile(self._head[name], name, self._facts.get(name), self.is_unique(name))
                for name in self.columns
            }
            cast, refused = self._named.copy(), None
            try:
                give_roles(columns, self._data, cast)
                before = self._open(columns)
                say_why_left_out(columns, self._data, cast)
                missing = self._open(columns) if self._reasons or self._by or passes else before
            except SettingsError as error:
                refused, missing = error, self._open(columns)
            if not missing and (self.rows or not self._by):
                if refused is not None:
                    raise refused
                return cast
            self._pass(dict.fromkeys((*missing, *self._by)))
        raise InputError(CHANGED)

    def _open(self, columns: Profiles) -> list[str]:
        return [name for name, profile in columns.items() if profile.asked and name not in self._facts]

    def _pass(self, names: Iterable[str]) -> None:
        """Profile columns on all rows, and find how rows part; again where texts of floats were taken wrongly."""
        wanted = tuple(names)
        while wanted:
            wanted = self._misread(wanted)

    def _misread(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Profile columns, and return those of floats whose texts were wrong: `whole` held for the first rows only."""
        parts, seen, done = PartsOfRows(self._by, dict(self.whole)), Seen(), 0
        facts = dict.fromkeys(names, Facts())
        whole = {name: True for name in names if name in self.whole}
        heads = [each for each in profiles_of(self._head.select(list(names))).values() if each.is_unique]
        ids = [each.name for each in heads if not each.is_fractional and each.mean_length <= LONG_ID]
        self._status.rows(done, self._reader.rows)
        for _, table in self._reader.batches(names):
            for name in names:
                texts = labelled(table[name], self.whole.get(name, True))
                facts[name] += Facts.of_numbers(table[name], name) + Facts.of_texts(texts, name)
                whole[name] = whole.get(name, False) and is_whole(table[name])
                if name in ids:
                    seen.add(name, Rows(texts))
            if set(self._by) <= set(names):
                parts.count(table)
            done += table.num_rows
            self._status.rows(done, max(done, self._reader.rows))
        wrong = tuple(name for name in names if name in self.whole and self.whole[name] != whole[name])
        self.whole |= {name: whole[name] for name in wrong}
        right = set(names).difference(wrong)
        self._facts |= {name: facts[name] for name in names if name in right}
        for name in right.intersection(ids):
            self._unique[name] = not seen.repeats(name, partial(ids_of, self._reader, name, self.whole.get(name, True)))
        if right.issuperset(self._by) and set(self._by) <= set(names):
            self.rows, self.parts = done, parts
        return (*wrong, *(name for name in self._by if wrong and name not in wrong))


MOST_PARTS = 10_000
"""A column with more values than this names responses or candidates, not items."""

Values = tuple[str, ...]
"""What the parting columns hold in a row."""


def selected(reader: Reader, data: DataSettings) -> Reader:
    """Return a reader, or one of those of its rows that the setting ``only`` names."""
    if not data.only:
        return reader
    names = reader.head.schema.names
    refuse_unknown(data.only, names, "data.only: column")
    table = reader.load(names)
    kept = np.logical_and.reduce([_holds(table[name], name, value) for name, value in data.only.items()])
    if not kept.any():
        raise InputError(f"no row holds {said(data.only)}; correct 'only' under [data].")
    places = [reader.place(row) for row in np.flatnonzero(kept).tolist()]
    return TableReader(table.filter(mask_to_arrow(kept)), reader.source(table.num_rows), 1, (), places)


def values_of(column: Any, name: str) -> Coded:
    """Return a column as codes into its distinct values, white space around them taken away, blank ones named."""
    coded = encode(column, name)
    labels = [label.strip() or NO_INFO for label in coded.labels]
    distinct = list(dict.fromkeys(labels))
    place = {label: index for index, label in enumerate(distinct)}
    return Coded(np.array([place[label] for label in labels], np.int32)[coded.codes], tuple(distinct))


def said(values: Mapping[str, str]) -> str:
    """Return columns and their values in words.

    Examples
    --------
    >>> said({"item": "P01", "grade": "8"})
    "item 'P01', grade '8'"
    """
    return ", ".join(f"{name} '{value}'" for name, value in values.items())


def _holds(column: Any, name: str, value: str) -> NDArray[np.bool_]:
    """Return where a column holds a value, shape (n,)."""
    return values_of(column, name).where(lambda label: label == value)


@dataclass
class PartsOfRows:
    """Numbers of the parts of rows, in the order in which parts are met, and how many rows each has."""

    by: tuple[str, ...]
    whole: dict[str, bool]
    numbers: dict[Values, int] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)

    def codes(self, table: Any) -> NDArray[np.intp]:
        """Return the number of the part of each row."""
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
            raise SettingsError(
                f"--by {', '.join(self.by)}: more than {MOST_PARTS:,} values, expected {MOST_PARTS:,} at most; name a "
                "column of items."
            )
        return np.array(numbers, np.intp)[codes.reshape(-1)]

    def count(self, table: Any) -> NDArray[np.intp]:
        """Take note of some rows, and return their numbers."""
        codes = self.codes(table)
        found = np.bincount(codes, minlength=len(self.numbers)).tolist()
        self.sizes += [0] * (len(found) - len(self.sizes))
        self.sizes = [size + more for size, more in zip(self.sizes, found, strict=True)]
        return codes

    def ordered(self) -> tuple[tuple[dict[str, str], ...], tuple[int, ...], NDArray[np.uint16]]:
        """Return the values and the size of every part in natural order, and the place of each number."""
        met = list(self.numbers)
        ranks = sorted(range(len(met)), key=lambda index: [natural(value) for value in met[index]])
        place = np.empty(len(met), np.uint16)
        place[ranks] = np.arange(len(met))
        values = tuple(dict(zip(self.by, met[index], strict=True)) for index in ranks)
        return values, tuple(self.sizes[index] for index in ranks), place


def parted(table: Any, by: Sequence[str]) -> tuple[tuple[dict[str, str], ...], tuple[int, ...], NDArray[np.uint16]]:
    """Return values and size of every part, and which part each row of the table belongs to."""
    whole = {name: is_whole(table[name]) for name in by if pa.types.is_floating(table[name].type)}
    parts = PartsOfRows(tuple(by), whole)
    numbers = [parts.count(block) for block in blocks(table.select(list(by)))]
    values, sizes, place = parts.ordered()
    return values, sizes, place[np.concatenate([*numbers, np.empty(0, np.intp)])]
