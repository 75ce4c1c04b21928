"""Read a source once and split it by the values of columns, so that each part can have a report.

Roles are found once, on all rows, so that every part is read in the same way.  Rows are kept as a table, or written to
a file from which any process reads one part.  Tables of many items count the rows of their source in batches.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reportgen.design.profiles import MOST_LEVELS, profiles_of
from reportgen.design.ratings import sides_of
from reportgen.design.readings import BY_CONTENTS, ColumnRoles, LongColumns, merge_roles
from reportgen.design.roles import Survey, columns_that_matter, parted, refuse_long_label, the_system, values_of
from reportgen.design.score_columns import with_systems
from reportgen.errors import NO_ROWS, InputError, SettingsError, write_command
from reportgen.machine.progress import Silent
from reportgen.results import Role, Scale, Source
from reportgen.scores import screening
from reportgen.scores.left_out import chosen, without_columns
from reportgen.scores.pivot import trimmed
from reportgen.scores.reading import Opened, named, opened, read_part, spelled
from reportgen.scores.scale import BETWEEN, NO_SCALE, NO_SCORE, declared_scales
from reportgen.scores.table import ScoreTable
from reportgen.settings import Settings, override
from reportgen.sources import columns as arrow
from reportgen.sources.column_names import first_of, matched, refuse_unknown
from reportgen.sources.columns import Floats, Mask, integers_to_arrow, to_numpy
from reportgen.sources.digests import Rows
from reportgen.sources.files import paths_of
from reportgen.sources.readers import is_large, open_reader
from reportgen.sources.tabular import CHANGED, Place, Reader, TableReader

BATCH_ROWS = 1 << 18  # rows to read at a time if the source does not fit in memory


RUN_ROWS = 1 << 20  # rows to sort at a time before they are written to the file


Run = tuple[Any, NDArray[np.uint16]]  # a record batch, and the part number of each row

RowNumbers = NDArray[np.int64]  # rows of the source, counted from 0


class InMemory(NamedTuple):
    """The rows of one part as a table that can be pickled."""

    table: Any
    rows: RowNumbers

    def __call__(self) -> tuple[Any, RowNumbers]:
        """Return the table and its rows of the source."""
        return self.table, self.rows


class InFile(NamedTuple):
    """The rows of one part in a file of Arrow record batches whose last column contains the rows of the source."""

    path: Path  # the file
    slices: NDArray[np.int64]  # first row and number of rows of the part in each batch, shape (batches, 2)

    def __call__(self) -> tuple[Any, RowNumbers]:
        """Return the table and its rows of the source, read from the file."""
        with pa.memory_map(str(self.path)) as file, pa.ipc.open_file(file) as batches:
            slices = [(number, *own) for number, own in enumerate(self.slices.tolist()) if own[1]]
            found = [batches.get_batch(number).slice(start, size) for number, start, size in slices]
            mapped = pa.Table.from_batches(found)
            table = mapped.take(integers_to_arrow(np.arange(mapped.num_rows)))  # a copy, independent of the file
        last = table.num_columns - 1
        return table.remove_column(last), to_numpy(table.column(last), np.int64, 0)


class PartedRows:
    """The rows of a source by part, in memory or on their way to a file.

    sizes: RowNumbers of each part.
    runs: Returns the rows as record batches with the same columns, in order, each with the part number of every row.
    loaded: Arrow table of all rows and their part numbers (n,); None if they are not in memory.
    """

    def __init__(
        self, sizes: Sequence[int], runs: Callable[[], Iterator[Run]], loaded: tuple[Any, NDArray[np.uint16]] | None
    ) -> None:
        self._sizes, self._runs, self._loaded = sizes, runs, loaded
        self._path: Path | None = None
        self._slices = np.empty((0, len(sizes), 2), np.int64)

    @classmethod
    def of(cls, table: Any, codes: NDArray[np.uint16], sizes: Sequence[int]) -> PartedRows:
        """Return the rows of a table."""

        def runs() -> Iterator[Run]:
            start = 0
            for batch in table.to_batches(max_chunksize=RUN_ROWS):
                yield batch, codes[start : start + batch.num_rows]
                start += batch.num_rows

        return cls(sizes, runs, (table, codes))

    @property
    def in_memory(self) -> bool:
        """Whether all rows are in memory."""
        return self._loaded is not None

    @property
    def nbytes(self) -> int:
        """Memory of the rows in bytes: more than fits if they are not read yet, 0 once they are in the file."""
        if self._path is not None:
            return 0
        return sys.maxsize if self._loaded is None else int(self._loaded[0].nbytes)

    def part(self, number: int) -> InMemory | InFile:
        """Return a callable that loads the table of a part and its rows of the source."""
        if self._loaded is None:
            assert self._path is not None  # `lay_down` reads rows that are not in memory
            return InFile(self._path, self._slices[:, number])
        rows = self._order[number]
        return InMemory(self._loaded[0].take(integers_to_arrow(rows)), rows)

    @cached_property
    def _order(self) -> list[RowNumbers]:
        codes = np.empty(0) if self._loaded is None else self._loaded[1]
        return np.split(np.argsort(codes, kind="stable"), np.cumsum(self._sizes)[:-1])

    def lay_down(self, path: Path) -> None:
        """Write the rows to a file and release their memory."""
        self._slices = written_by_part(self._runs(), len(self._sizes), path)
        if not np.array_equal(self._slices[:, :, 1].sum(axis=0), self._sizes):
            raise InputError(CHANGED)
        self._path, self._loaded = path, None
        pa.default_memory_pool().release_unused()


def written_by_part(runs: Iterator[Run], parts: int, path: Path) -> NDArray[np.int64]:
    """Write record batches to a file, each sorted by part; return the slices of parts, shape (batches, parts, 2)."""
    slices, start = [], 0
    first = next(runs)
    # columns have plain values, because a file has one dictionary for all batches
    plain = [(it.name, it.type.value_type if pa.types.is_dictionary(it.type) else it.type) for it in first[0].schema]
    schema = pa.schema([*plain, ("", pa.int64())])
    runs = itertools.chain([first], runs)
    del first
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, schema) as writer:
        for batch, codes in runs:
            order, sizes = np.argsort(codes, kind="stable"), np.bincount(codes, minlength=parts)
            slices.append(np.column_stack([np.cumsum(sizes) - sizes, sizes]))
            taken = zip(batch.take(integers_to_arrow(order)).columns, schema.types, strict=False)
            columns = [*(each if each.type == kind else each.cast(kind) for each, kind in taken)]
            columns.append(integers_to_arrow(order + start))
            writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
            start += batch.num_rows
            del batch, codes, taken, columns  # free the memory before the next batch
    return np.array(slices, np.int64)


@dataclass(frozen=True)
class ItemRows:
    """The rows of one part; can be sent to another process.

    places: The place of each row in the source; the place of the first row if the others follow it.
    how, left_out: How the role of each column was found, and why others have none; empty if every part finds its roles.
    """

    rows: InMemory | InFile  # returns the Arrow table and its rows of the source
    source: Source  # the source of all parts
    places: Sequence[Place] | Place
    values: Mapping[str, str]  # the values of the `by` columns
    how: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[tuple[str, str], ...] = ()

    def in_memory(self) -> ItemRows:
        """Return the same rows in memory, for a process without access to the file."""
        return replace(self, rows=InMemory(*self.rows()))

    def read(self, settings: Settings) -> ScoreTable:
        """Return the prepared scores of this part."""
        if settings.data.scales is not None:
            raise InputError(f"{NO_SCALE}.")
        table, rows = self.rows()

        def place(index: int) -> Place:
            if isinstance(self.places, Place):  # the first row; the others follow it
                return Place(int(rows[index]) + self.places.row, self.places.file)
            return self.places[index]

        scores = read_part(Opened(TableReader(table, self.source, 1, (), place), settings))
        if not self.how:
            return scores
        parts = ((role.role, name, self.how.get(name, role.how)) for role in scores.roles for name in role.columns)
        return replace(scores, roles=merge_roles(parts), left_out=self.left_out)


@dataclass(frozen=True)
class Items:
    """A source that was read, and its parts.

    scales: The declared scale of each part, by its name; None if parts do not have separate scales.
    """

    source: Source  # the source
    settings: Settings  # the declared settings, with every role as it was found on all rows
    values: tuple[dict[str, str], ...]  # the values of the `by` columns for each part, in natural order
    sizes: tuple[int, ...]  # rows of each part
    rows: PartedRows = field(repr=False)  # the rows, by part
    scales: Mapping[str, Scale] | None
    _reader: Reader = field(repr=False)
    _roles: ColumnRoles = field(repr=False)
    notes: tuple[str, ...] = ()  # notes about the source as a whole
    raters: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    """The raters in each part, if people are named in a file with one row per rating."""

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles of columns; empty for a file of ratings, in which every part finds its roles."""
        return self._roles.summary()

    def settings_of(self, number: int) -> Settings:
        """Return the settings that read one part from the source again."""
        own = (self.scales or {}).get(self.name(number))
        scale = {} if own is None else {"scale": own, "scales": None}
        here = {}
        if self.raters:  # a part does not lack the raters of other parts
            people = self.settings.data.human or ()
            here = {"human": tuple(each for each in people if matched(each, self.raters[number])) or people}
        only = {**self.settings.data.only, **self.values[number]}
        return override(self.settings, by=(), only=only, **here, **scale)

    def name(self, number: int) -> str:
        """Return the name of one part."""
        return BETWEEN.join(self.values[number].values())

    def part(self, number: int) -> ItemRows:
        """Return the rows of one part."""
        rows = self.rows.part(number)
        places = places_of(self._reader, sum(self.sizes), rows()[1])
        how = {column: known for given in self._roles.parts.values() for column, known in given}
        return ItemRows(rows, self.source, places, self.values[number], how, tuple(self._roles.left_out.items()))


def places_of(reader: Reader, n: int, rows: NDArray[np.int64]) -> Sequence[Place] | Place:
    """Return the places of some of the `n` rows of a source, for `ItemRows`."""
    begin, end = reader.place(0), reader.place(n - 1)
    straight = begin.file == end.file and end.row - begin.row == n - 1
    return begin if straight else tuple(map(reader.place, rows.tolist()))


def open_items(source: Any, settings: Settings) -> Items:
    """Read a source once, and split it by the columns of the setting ``by``."""
    scales = declared_scales(settings)
    with named(source):
        file = opened(source, settings)
        reader, settings = file.reader, file.settings
        _refuse_by(settings, reader)
        if reader.in_batches and file.long is None and is_large(source):
            return _surveyed(reader, settings, scales)
        return items_in_memory(file, scales)


def items_in_memory(file: Opened, scales: Mapping[str, Scale] | None) -> Items:
    """Return a source in memory, split into parts; errors as for `open_items`, without the source's name."""
    reader, long = file.reader, file.long
    table, settings, roles = _read(reader, file.settings, long)
    roles.relabel(file.how)
    pa.default_memory_pool().release_unused()
    values, sizes, codes = parted(table, settings.data.by)
    people: tuple[tuple[str, ...], ...] = ()
    if long is not None and settings.data.human:
        raters = trimmed(table, long.rater)
        pairs = np.unique(codes.astype(np.int64) * len(raters.labels) + raters.codes)
        places, who = np.divmod(pairs, len(raters.labels))
        people = tuple(tuple(raters.labels[code] for code in who[places == part]) for part in range(len(values)))
    source, rows = reader.source(table.num_rows), PartedRows.of(table, codes, sizes)
    return Items(source, settings, values, sizes, rows, scales, reader, roles, file.notes, people)


def _surveyed(reader: Reader, settings: Settings, scales: Mapping[str, Scale] | None) -> Items:
    """Return a source too large for memory: roles are found in passes, and rows are read on their way to a file."""
    survey = Survey(reader, settings.data)
    roles = survey.roles.copy()
    taken = roles.assigned()
    names = [name for name in survey.columns if name in taken]
    names += [name for name in settings.data.by if name not in names]
    roles = _of_parts(roles, settings)
    values, sizes, place = survey.parts.ordered()

    def runs() -> Iterator[Run]:
        for batch in survey.batches(names, BATCH_ROWS):
            codes = survey.parts.codes(pa.Table.from_batches([batch]))
            if len(survey.parts.numbers) > len(values):
                raise InputError(CHANGED)
            yield batch, place[codes]

    own = override(settings, **spelled(roles.columns, settings))
    return Items(reader.source(survey.rows), own, values, sizes, PartedRows(sizes, runs, None), scales, reader, roles)


def _refuse_by(settings: Settings, reader: Reader) -> None:
    if not settings.data.by:
        known = profiles_of(reader.head)
        texts = [name for name, each in known.items() if not (each.unread or each.has_scores)]
        names = [first_of("item", known), *(name for name in texts if not known[name].levels_problem(MOST_LEVELS))]
        ways = " or ".join(write_command("--by", name) for name in dict.fromkeys(filter(None, names))) or "--by NAME"
        raise SettingsError(f"--by is required; name the column to split by, such as {ways}.")
    refuse_unknown(settings.data.by, reader.head.schema.names, "--by: column", splits=True)


def _read(reader: Reader, settings: Settings, long: LongColumns | None) -> tuple[Any, Settings, ColumnRoles]:
    """Return the columns that matter, the settings with all roles, and the roles: empty for ratings."""
    data = settings.data
    names = reader.head.schema.names
    if long is not None:  # every part finds the other columns of a file of ratings
        parts = {part: getattr(long, part) for part in ("id", "rater", "score", "time", "run")}
        table = reader.load(names)
        columns = [name for name in names if name not in long.all()]
        sides = sides_of(trimmed(table, long.rater).labels, columns, long.rater, data)
        if data.without:
            chosen(data.without, [name for name in sides.people if name])
        data = with_systems(data, sides.named)
        settings = override(settings, layout="long", system=data.system, systems=data.systems, **parts)
        return table, settings, ColumnRoles()
    table, roles = columns_that_matter(reader, data, also=data.by)
    roles = _of_parts(roles, settings)
    without_columns(table, roles.copy(), data.without)
    return table, override(settings, **spelled(roles.columns, settings)), roles


def _of_parts(roles: ColumnRoles, settings: Settings) -> ColumnRoles:
    data = settings.data
    roles = roles.of_system(the_system(roles, data))
    roles.parts["group"] = [part for part in roles.parts.get("group", ()) if part[0] not in data.by]
    for name in data.by:
        roles.left_out.pop(name, None)
    return roles


UNIT_SEPARATOR = "\x1f"  # separates the name of an item from a level within it in a label; neither contains it


Codes = NDArray[np.integer]

Labelled = tuple[Codes, Sequence[str]]  # codes and labels of every row


@dataclass(frozen=True)
class ItemSource:
    """A source with the responses to many items: the columns to read, and how to screen its rows.

    reader, roles, left_out: The open files, the columns of each role, and why other columns have none.
    by, system, human, groups: Columns of the item, engine scores, human scores, and groups.
    scales: Item -> its scale; an item without one raises an error.  None if items do not have separate scales.
    """

    reader: Reader
    roles: tuple[Role, ...]
    left_out: tuple[tuple[str, str], ...]
    by: tuple[str, ...]
    system: str
    human: tuple[str, ...]
    groups: tuple[str, ...]
    scale: Scale | None  # the declared scale of every item, if any; human scores outside it raise an error
    scales: Mapping[str, Scale] | None
    zeros_out: bool  # whether a human score of 0 counts as missing
    id: str  # column of IDs that are compared within items; empty for none

    def limits_of(self, items: Labelled) -> tuple[Any, Any]:
        """Return the lowest and highest human score of each item, (rows,) each, or single limits for all items."""
        if self.scales is None:
            return (self.scale.low, self.scale.high) if self.scale else (-np.inf, np.inf)
        own = [self.scales.get(label) for label in items[1]]
        low = np.array([each.low if each else np.inf for each in own])[items[0]]
        return low, np.array([each.high if each else -np.inf for each in own])[items[0]]


def open_item_source(
    source: Any, settings: Settings, scales: Mapping[str, Scale] | None = None, status: Silent | None = None
) -> ItemSource:
    """Open the files of a source; all rows are used to find the columns' roles.

    scales: Item -> its declared scale, if items have separate scales.
    status: Receives the number of rows read while finding roles.
    """
    if paths_of(source) is None:
        raise SettingsError("reportgen tables requires a file; write the frame to a Parquet file first.")
    reader = open_reader(source, settings.data.encoding)
    if not reader.in_batches:
        raise InputError("reportgen tables requires a CSV, TSV, or Parquet file; convert it, or use reportgen batch.")
    if not reader.head.num_rows:
        raise InputError(NO_ROWS)
    first = Opened(reader, settings).laid_out()
    if first.long is not None:
        raise SettingsError("reportgen tables requires one row per response; reshape the file, or use reportgen batch.")
    settings = first.settings
    _refuse_by(settings, reader)
    roles = _of_parts(Survey(reader, settings.data, parted=False, status=status).roles, settings)
    id_column = next((column for column, how in roles.parts.get("id", ()) if how != BY_CONTENTS), "")
    system, human, groups = roles.columns("system")[0], roles.columns("human"), roles.columns("group")
    for name in dict.fromkeys((*settings.data.by, *groups, system, *human, *filter(None, (id_column,)))):
        arrow.as_text(reader.head[name], name)  # raises for other types before anything is counted
    return ItemSource(
        reader, roles.summary(), tuple(roles.left_out.items()), settings.data.by, system, human, groups,
        settings.data.scale, scales, screening.excludes_zeros(settings), id_column,
    )  # fmt: skip


class Refusal(NamedTuple):
    """A score that cannot be evaluated: its row in the batch (or piece), and the message."""

    row: int
    reason: str


@dataclass(frozen=True)
class ScreenedBatch:
    """A batch of responses that count, and why others do not.

    human, system: (kept, raters), (kept,): scores.
    items, groups: Codes and labels of the rows kept.
    rated: (raters + 1,): number of responses that each human score column rates, and that any of them rates.
    alone: (m, raters), (m,): responses with two or more ratings and no engine score, and the codes of their items in
        `all_items`; None if not requested.
    """

    human: Floats
    system: Floats
    items: Labelled
    groups: Mapping[str, Labelled]
    all_items: Labelled  # codes and labels of all rows
    excluded: dict[str, NDArray[np.intp]]  # reason -> excluded rows; all rules, in order
    refused: dict[str, Refusal]  # item -> its first score that cannot be evaluated; rows with these scores are not kept
    ids: Rows | None = None  # the IDs of all rows, with their items; None if not requested
    rated: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    alone: tuple[Floats, Codes] | None = None

    def at(self, rows: NDArray[np.intp]) -> ScreenedBatch:
        """Return only some of the rows kept."""
        groups = {name: (codes[rows], labels) for name, (codes, labels) in self.groups.items()}
        used, codes = np.unique(self.items[0][rows], return_inverse=True)
        items = codes, [self.items[1][code] for code in used.tolist()]
        return ScreenedBatch(self.human[rows], self.system[rows], items, groups, items, {}, {})


def unscreened_batches(source: ItemSource) -> Iterator[Any]:
    """Yield all rows in batches for `screened`."""
    texts = list(dict.fromkeys((*source.by, *source.groups)))
    numbers = [name for name in dict.fromkeys((source.system, *source.human)) if name not in texts]
    ids = [source.id] if source.id and source.id not in (*texts, *numbers) else []
    for _, table in source.reader.batches([*texts, *numbers, *ids], texts, BATCH_ROWS):
        yield from table.combine_chunks().to_batches()


def ids_in_items(source: ItemSource) -> Iterator[Rows]:
    """Yield the IDs of all rows within their items, batch by batch."""
    names = tuple(dict.fromkeys((source.id, *source.by)))
    for _, table in source.reader.batches(names, source.by, BATCH_ROWS):
        for batch in table.combine_chunks().to_batches():
            yield _ids(batch, _items(batch, source.by), source)


def _ids(batch: Any, items: Labelled, source: ItemSource) -> Rows:
    units = pa.DictionaryArray.from_arrays(arrow.integers_to_arrow(items[0]), arrow.texts_to_arrow(items[1]))
    return Rows(arrow.labelled(batch.column(source.id), whole=False), units)


def screened(batch: Any, source: ItemSource) -> ScreenedBatch:
    """Return the rows of a batch that count; the others are excluded in the same order as in `read`."""
    steps = screening.Screening(np.ones(batch.num_rows, bool))
    items = _items(batch, source.by)
    low, high = source.limits_of(items)
    zeros_out = source.zeros_out & (low <= high)
    first, system = screening.numbers_in(batch, source.human[0]), screening.numbers_in(batch, source.system)
    screening.screen_scores(steps, first, "human", zeros_out)
    screening.screen_scores(steps, system, "system", exclude_zeros=False)
    kept = steps.kept.copy()
    further = [screening.usable(arrow.as_numbers(batch[name], name), zeros_out) for name in source.human[1:]]
    human = np.stack([first.numbers, *further])
    usable = np.isfinite(human)
    usable[0] &= ~(zeros_out & (first.numbers == 0))
    rated = np.append(usable.sum(axis=1), usable.any(axis=0).sum())
    apart = np.flatnonzero(np.isnan(system.numbers) & (usable.sum(axis=0) > 1) & ~kept)
    alone = np.where(usable[:, apart], human[:, apart], np.nan).T, items[0][apart]
    limits = {name: (np.maximum(low, -screening.LARGEST), np.minimum(high, screening.LARGEST)) for name in source.human}
    limits[source.system] = -screening.LARGEST, screening.LARGEST
    engine = system.numbers
    refused = _refused({source.system: engine, **dict(zip(source.human, human, strict=True))}, kept, items, limits)
    groups = {name: values_of(pa.chunked_array([batch.column(name)]), name) for name in source.groups}
    for name, (_, labels) in groups.items():
        refuse_long_label(name, max(map(len, labels), default=0))
    every = items
    if not kept.all():
        rows = np.flatnonzero(kept)
        human, engine, items = human[:, rows], engine[rows], (items[0][rows], items[1])
        groups = {name: arrow.Coded(codes[rows], labels) for name, (codes, labels) in groups.items()}
    ids = _ids(batch, every, source) if source.id else None
    return ScreenedBatch(human.T, engine, items, groups, every, steps.excluded, refused, ids, rated, alone)


def _refused(
    scores: Mapping[str, Floats], kept: Mask, items: Labelled, limits: Mapping[str, tuple[Any, Any]]
) -> dict[str, Refusal]:
    """Return the items with scores outside `limits` (per column, for all rows or each), and drop their rows."""
    found: dict[str, Refusal] = {}
    wrong = np.zeros(len(kept), bool)
    for name, values in scores.items():
        low, high = limits[name]
        out = kept & ((values < low) | (values > high))
        wrong |= out
        rows = np.flatnonzero(out)
        codes, first = np.unique(items[0][rows], return_index=True)
        ends = [np.broadcast_to(end, len(kept)) for end in (low, high)]
        for code, row in zip(codes.tolist(), rows[first].tolist(), strict=True):
            item = items[1][code]
            if item not in found or row < found[item].row:
                found[item] = Refusal(row, _score_error(name, *(float(each[row]) for each in (values, *ends))))
    kept[wrong] = False
    return found


def _score_error(name: str, score: float, low: float, high: float) -> str:
    """Return the error for a score that is not from `low` to `high`."""
    if low > high:
        return NO_SCALE
    if abs(score) > screening.LARGEST or (low, high) == (-screening.LARGEST, screening.LARGEST):
        return screening.absurd_score_error(name, score)
    start = f"column '{name}' contains the score {score:g}, outside the declared scale {low:g} to {high:g}; "
    return f"{start}correct it, or set the scale with --scale LOW:HIGH{'' if score else NO_SCORE}"


def _items(batch: Any, by: Sequence[str]) -> Labelled:
    """Return the codes and labels of the items; raise if the value of a column contains the separator."""
    columns = {name: values_of(pa.chunked_array([batch.column(name)]), name) for name in by}
    for name, sign in itertools.product(by, (UNIT_SEPARATOR, *[BETWEEN] * (len(by) > 1))):
        if wrong := next((label for label in columns[name].labels if sign in label), None):
            text = f"column '{name}' contains {wrong!r}: {sign!r} separates the parts of report names; "
            raise InputError(f"{text}remove it from the values.")
    codes, found = arrow.crossed([columns[name] for name in by])
    return codes, [*map(BETWEEN.join, found)]
