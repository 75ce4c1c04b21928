"""Base class of readers, tables in memory, frames, column names, and row numbers."""

import bisect
import itertools
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from reportgen.errors import InputError
from reportgen.machine.memory import pass_on
from reportgen.results import Source
from reportgen.sources import column_names
from reportgen.sources.digests import Digest
from reportgen.sources.files import sha256_of_file
from reportgen.sources.written import no_score
from reportgen.wording.numbers import many

FIRST_LOOK = 10_000  # rows of a table in memory that are profiled first

MOST_KEPT_ROWS = 100_000  # the most rows of a table that is kept whole

BATCH_ROWS = 1 << 16  # rows of a batch: enough that its overhead is negligible, few enough for memory

CHANGED = "the file changed while it was being read; try again when no program is writing to it."
"""The message if two passes over a file differ."""


class Place(NamedTuple):
    """The row of the file, and the file if there is more than one.

    >>> str(Place(7)), str(Place(1200, "part-2.csv"))
    ('7', '1,200 of part-2.csv')
    """

    row: int
    file: str = ""

    def __str__(self) -> str:
        """Return the row as words in a sentence."""
        return f"{self.row:,} of {self.file}" if self.file else f"{self.row:,}"


def repeats_error(column: str, n: int, first: str | None, rows: Sequence[Place]) -> str:
    """Return a sentence about IDs that occur in two rows.

    n: Number of rows that repeat an earlier ID.
    first, rows: The first repeated ID, None if it may not be shown, and its first two rows.

    >>> repeats_error("id", 1200, "r7", (Place(7), Place(9, "b.csv")))
    "1,200 rows repeat an earlier 'id' (for example, rows 7 and 9 of b.csv have 'r7')"
    """
    pair = f"rows {rows[0]} and {rows[1]} have"
    if n == 1:
        return f"{pair} the same '{column}'" + (f", '{first}'" if first is not None else "")
    value = "the same value" if first is None else f"'{first}'"
    return f"{n:,} rows repeat an earlier '{column}' (for example, {pair} {value})"


Batches = Iterator[tuple[int, Any]]
"""The number of a file, and its next rows."""


class Reader:
    """A source of scores; `head` is a table of the first rows with every column."""

    head: Any
    in_batches = False  # whether rows can be read in batches without keeping them in memory
    notes: Sequence[str] = ()  # notes about data that were not read
    rows = 0  # the approximate number of rows of a source in batches
    names: Sequence[str] = ()  # the names of the files of a source with multiple files
    starts: Sequence[int] = ()
    """The first row of each of these files, and the end of the last; known once they are read."""
    _source: Source | None = None
    _path: Path
    _first_row = 1

    def load(self, names: Sequence[str]) -> Any:
        """Return an Arrow table with all rows of the named columns, and release the other columns."""
        raise NotImplementedError

    def look(self, names: Sequence[str]) -> Any:
        """Return all rows of the named columns, and keep the other columns."""
        return self.load(names)

    def batches(self, names: Sequence[str], labels: Collection[str] = (), rows: int = BATCH_ROWS) -> Batches:
        """Yield the number of a file, and the named columns of its next rows, as an Arrow table.

        labels: Columns whose values repeat.
        rows: The most rows of a table, for a source in batches.
        """
        del labels, rows
        yield 0, self.look(names)

    def add_roles(self, roles: Any) -> None:
        """Add the roles that the reader knows to `roles`."""

    def place(self, index: int) -> Place:
        """Return the place of row `index` of the table (counted from 0)."""
        number = index + self._first_row
        while True:
            shifted = index + self._first_row + bisect.bisect_right(self._blank_rows, number)
            if shifted == number:
                return Place(number)
            number = shifted

    def source(self, rows: int) -> Source:
        """Return where the scores came from."""
        return replace(self._source or file_source(self._path, rows, self._path.suffix.lower()[1:]), rows=rows)

    @cached_property
    def _blank_rows(self) -> Sequence[int]:
        """The numbers of empty rows; a header is row 1."""
        return ()


class TableReader(Reader):
    """A table in memory; `place` finds the row of the file if rows are not consecutive."""

    def __init__(
        self, table: Any, source: Source, first_row: int = 1, blank_rows: Sequence[int] = (),
        place: Callable[[int], Place] | None = None,
    ) -> None:  # fmt: skip
        self.head, self._table = table.slice(0, FIRST_LOOK), table
        self._source, self._first_row, self._blank_rows, self._place = source, first_row, blank_rows, place

    def load(self, names: Sequence[str]) -> Any:
        """Return the named columns, and release the others if there are many rows."""
        table = self.look(names)
        if table.num_rows > MOST_KEPT_ROWS:
            self._table = self.head = None
        return table

    def look(self, names: Sequence[str]) -> Any:
        """Return the named columns, and keep all."""
        return self._table.select(list(names))

    def place(self, index: int) -> Place:
        """Return the row of the file."""
        return self._place(index) if self._place else super().place(index)


def with_plain_texts(table: Any) -> Any:
    """Return a table with plain texts instead of string views (polars, Parquet) and of short lists of numbers.

    >>> with_plain_texts(pa.table({"scores": [[3, 4], None, [2]]})).to_pydict()
    {'scores': ['[3, 4]', None, '[2]']}
    """
    for place, field in enumerate(table.schema):
        is_list = pa.types.is_list(field.type) or pa.types.is_large_list(field.type)
        numeric = is_list and re.fullmatch("(u?int|float|double).*", str(field.type.value_type))
        if numeric and 1 < (pc.max(pc.list_value_length(table[place])).as_py() or 0) <= MOST_LISTED:
            texts = [json.dumps(cell) if cell else None for cell in table[place].to_pylist()]
            table = table.set_column(place, field.name, pa.chunked_array([texts], pa.large_string()))
        if "string_view" not in str(field.type):
            continue
        column = table.column(place)
        if pa.types.is_dictionary(field.type):
            chunks = [(chunk.indices, chunk.dictionary.cast(pa.large_string())) for chunk in column.chunks]
            decoded = [pa.DictionaryArray.from_arrays(*chunk).dictionary_decode() for chunk in chunks]
            column = pa.chunked_array(decoded, pa.large_string())
        table = table.set_column(place, field.name, column.cast(pa.large_string()))
    return table


def file_source(path: Path, rows: int, kind: str) -> Source:
    """Return the name, SHA-256, size, and format of a file."""
    return Source(name=path.name, sha256=sha256_of_file(path), bytes=path.stat().st_size, rows=rows, format=kind)


MOST_LISTED = 20  # the most numbers in a list of ratings; longer lists are embeddings

MOST_AROUND = 40  # number of rows at each end of a table that are checked for headers and summaries

NUMBER = re.compile(r"\s*[+-]?\d*[.,]?\d+%?\s*")

_MARK = '{"ImportId"'  # start of a cell in the last header of Qualtrics

LEAST_BODY = 5  # the fewest rows that show the format of a column's cells

LONG_LABEL = 3  # the fewest words of a cell that is a question and not a label

Cells = Sequence[str | None]


class Around(NamedTuple):
    """The column names, and the number of rows below them and at the end that are not data."""

    names: list[str]
    below: int
    end: int

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes for these rows."""
        out = {"below the names of the columns": self.below, "at the end": self.end}
        one = "row {} was skipped because it looks like a repeated header, a summary, or a row of maximum points"
        more = "rows {} were skipped because they look like repeated headers, summaries, or rows of maximum points"
        return tuple(many(n, one.format(where), more.format(where)) for where, n in out.items() if n)


def around_of(first: Sequence[Cells], last: Sequence[Cells]) -> Around:
    """Find the column names, and the rows around a table that are not data.

    A row is a summary if its first cell is a word such as "Average" that no other row has in that column, if it has
    means of whole numbers and no ID, or if it lacks most values and begins like no other row or with a word before
    numbers.  A row below the header is another header if it has texts above numbers.

    first, last: The first rows, with the header, and the last rows.

    >>> rows = [["id", "h"], ["Points Possible", "5"], ["a", "3"], ["b", "4"], ["Mean", "3.5"], ["SD", "0.7"]]
    >>> around_of(rows, rows)
    Around(names=['id', 'h'], below=1, end=2)
    >>> around_of([["h", "id"], ["Average", "1"], ["Good", "2"]], [["Average", "1"], ["Good", "2"], ["Average", "3"]])
    Around(names=['h', 'id'], below=0, end=0)
    >>> around_of([["", "Human", "", "AI"], ["id", "1st", "2nd", "Score"], *[["a", "1", "2", "3"]] * 5], []).names
    ['id', 'Human 1st', 'Human 2nd', 'AI Score']
    """
    first, last = first[:MOST_AROUND], last[-MOST_AROUND:]

    def is_named(row: Cells) -> bool:
        return any(column_names.summary_of(cell or "") for cell in row)

    def is_summary(row: Cells) -> str:
        place = next((n for n, cell in enumerate(row) if cell and cell.strip()), len(row))
        others = [other for other in filled if other != row]
        kind = column_names.summary_of((row[place] or "") if place < len(row) else "")
        if kind and any(re.search(r"\d", cell or "") for cell in row[place + 1 :]):
            return "" if any(other[place : place + 1] == row[place : place + 1] for other in others) else kind
        return "sure" if _has_means(row, [other for other in others if not is_named(other)]) else ""

    def is_sparse(row: Cells) -> bool:
        return 2 * sum(any(row[n : n + 1]) for n in usual) < len(usual)

    def is_apart(row: Cells) -> bool:
        numbers = sum(bool(cell and NUMBER.fullmatch(cell)) for cell in row)
        return is_sparse(row) and (_shape(row) not in data or (numbers > 1 and "0" not in _shape(row)))

    body = [row for row in first[1:] if any(row) and not is_named(row)]
    headers = [n for n in (1, 2) if n < len(first) and _is_header(first, n, body)]
    headers = headers if headers[:1] == [1] else []
    filled = [row for row in (*first[1:], *last) if any(row) and row not in [first[n] for n in (0, *headers)]]
    width = len(first[0] if first else ())
    usual = [n for n in range(width) if 4 * sum(any(row[n : n + 1]) for row in body) > 3 * len(body)]
    data = {_shape(row) for row in filled if not is_named(row) and not is_sparse(row)}
    marked = [n for n, row in enumerate(first[:4]) if any((cell or "").startswith(_MARK) for cell in row)]
    below = [n for n, row in enumerate(first[1:4], 1) if is_summary(row) == "sure"]
    kinds = ["blank" if not any(row) else "sure" if is_apart(row) else is_summary(row) for row in reversed(last)]
    shapes = Counter(_shape(row) for row in filled if not is_named(row))
    strange = [shapes[_shape(row)] < 2 for row in reversed(last)]  # below a summary, they are part of it
    kinds = [*itertools.takewhile(bool, (kind or "strange" * odd for kind, odd in zip(kinds, strange, strict=True)))]
    while kinds and (kinds[-1] == "strange" or (kinds[-1] == "perhaps" and not strange[len(kinds) - 1])):
        kinds.pop()
    end = len(kinds) if "sure" in kinds or kinds.count("perhaps") > 2 else 0
    names = _joined_names([first[0], *(first[n] for n in headers)]) if first else []
    return Around(names, max([*marked, *below, *headers], default=0), sum(map(bool, last[len(last) - end :])))


def _shape(row: Cells) -> str:
    """Return the first cell of a row with every word and every number replaced by one character."""
    return re.sub(r"\d+", "0", re.sub(r"[^\W\d_]+", "a", next(filter(None, row), "")))


def _has_means(row: Cells, others: Sequence[Cells]) -> bool:
    """Return whether a row has fractions in columns of whole numbers, and no ID or multiple fractions."""
    if len(others) < LEAST_BODY:
        return False
    columns = [[other[n] if n < len(other) else "" for other in others] for n in range(len(row))]
    whole = [all(re.fullmatch(r"\d*", (cell or "").strip()) for cell in cells) and any(cells) for cells in columns]
    means = [bool(re.fullmatch(r"\d+[.,]\d+", (cell or "").strip())) for cell in row]
    found = sum(is_whole and is_mean for is_whole, is_mean in zip(whole, means, strict=True))
    no_id = bool(row) and not (row[0] or "").strip() and all(columns[0])
    numbers = [n for n, cells in enumerate(columns) if all(NUMBER.fullmatch(cell or "0") for cell in cells)]
    return found > 0 and (no_id or (found > 1 and all(means[n] for n in numbers)))


def _is_header(first: Sequence[Cells], number: int, body: Sequence[Cells]) -> bool:
    """Return whether a row has texts above numbers, or questions or names above labels, in some columns."""
    # in the first row, the names of merged cells are blank, except for the first of them
    above, row, body = first[0], first[number], [other for other in body if other != first[number]]
    if len(body) < LEAST_BODY:
        return False
    found = 0
    for place, cell in enumerate(row):
        below = [text for other in body for text in other[place : place + 1] if text]
        few = len(below) >= LEAST_BODY and 2 * len(set(below)) <= len(below) and cell not in below
        numbers = bool(below) and all(NUMBER.fullmatch(text) for text in below)
        if numbers and cell and NUMBER.fullmatch(cell):
            return False
        named = len((cell or "").split()) > LONG_LABEL or not any(above[place : place + 1])
        found += bool(cell and (not no_score(cell) if numbers else few and named))
    return found > 1


def _joined_names(rows: Sequence[Cells]) -> list[str]:
    """Return the names in one header, or in a header with merged cells and the header below it."""
    names, *below = [[(cell or "").strip() for cell in row] for row in rows]
    if not below or len({*names, ""}) == len(names) + 1:
        return names
    names += [""] * (max(map(len, below)) - len(names))  # a workbook leaves out blank cells at the end
    for n, name in enumerate(names[1:], 1):
        names[n] = name or names[n - 1]
    return [" ".join(filter(None, parts)) for parts in itertools.zip_longest(names, *below, fillvalue="")]


def checked_names(names: Sequence[str]) -> list[str]:
    """Strip column names, name nameless columns, and raise for repeated names."""
    clean = [name.strip() for name in names]
    if not any(clean):
        raise InputError("the file contains no column names; add them in row 1.")
    clean = [name or ("index" if n == 1 and "index" not in clean else f"column {n}") for n, name in enumerate(clean, 1)]
    repeated = [name for name, times in Counter(clean).items() if times > 1]
    if repeated:
        raise InputError(f"row 1: {Counter(clean)[repeated[0]]} columns are named '{repeated[0]}'; rename all but one.")
    return clean


def read_frame(frame: Any) -> TableReader:
    """Return a frame as a table, with the hash of its values."""
    table = arrow_table(frame)
    table = table.rename_columns(checked_names(table.schema.names)).replace_schema_metadata(None).combine_chunks()
    digest = Digest(table.schema)
    for batch in table.to_batches():
        digest.add(batch)
    source = Source("data frame", digest.hexdigest(), digest.bytes, table.num_rows, "frame")
    return TableReader(table, source, first_row=1)


def arrow_table(frame: Any) -> Any:
    """Return any frame as an Arrow table; a stream is read once.

    >>> arrow_table([{"h": 1}, {"h": 2, "m": 2.5}]).to_pydict()
    {'h': [1, 2], 'm': [None, 2.5]}
    """
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")  # imported if the frame is theirs
    try:
        if pandas is not None and isinstance(frame, pandas.DataFrame):
            return from_pandas(frame)
        if polars is not None and isinstance(frame, polars.LazyFrame):
            frame = frame.collect()
        if hasattr(frame, "__arrow_c_stream__"):
            return with_plain_texts(pa.table(frame))
        if hasattr(frame, "__arrow_c_array__"):
            return pa.Table.from_batches([pa.record_batch(frame)])
        if hasattr(frame, "toArrow"):  # Spark
            return frame.toArrow()
        if isinstance(frame, Sequence) and frame and all(isinstance(row, Mapping) for row in frame):
            names = dict.fromkeys(name for row in frame for name in row)
            frame = {name: [row.get(name) for row in frame] for name in names}
        if isinstance(frame, Mapping) and not any(isinstance(column, str) for column in frame.values()):
            return pa.table({str(name): _array(column) for name, column in frame.items()})
    except (pa.ArrowException, TypeError, ValueError) as error:
        pass_on(error)
        raise InputError(f"the frame cannot be read: {' '.join(str(error).split())[:200]}.") from None
    text = "expected the path of a file, a frame (pandas, polars, DuckDB, PyArrow, or another with Arrow data), a list "
    raise InputError(f"{text}of dictionaries, or a dictionary of columns; found {type(frame).__name__}.")


def _array(column: Any) -> Any:
    """Return a column as an array; if its objects are mixed, they become text."""
    try:
        return pa.array(column)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        import pandas as pd

        return pa.array(pd.Series(column, dtype=object).map(str, na_action="ignore"))


def from_pandas(frame: Any) -> Any:
    """Return a pandas frame as a table without its index."""
    frame = frame.set_axis(checked_names([str(name) for name in frame.columns]), axis=1)
    return pa.table({name: _array(frame[name]) for name in frame.columns})
