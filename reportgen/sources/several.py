"""Several files as one table: the same columns in each, their rows one file after the other."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from reportgen.errors import InputError, listed
from reportgen.results import Source, SourceFile
from reportgen.sources.batches import Batched, Piece, PieceOfFile, of_kinds
from reportgen.sources.fetched import Fetched
from reportgen.sources.files import DATASET, MANY_ROWS, Part, Parts, parts_of, paths_of, sha256_of_files
from reportgen.sources.tabular import FIRST_LOOK, Place, Reader, all_rows

NUMBERS = "numbers"


class SeveralReader:
    """The files of a source of several.

    Parameters
    ----------
    parts
        Which files.
    open_one
        Returns the reader of one of them.

    Raises
    ------
    InputError
        A file cannot be read, is of another format, or has not the columns of the first one; the sentence names it.
    """

    def __init__(self, parts: Parts, open_one: Callable[[Path], Reader]) -> None:
        self._parts = parts
        self._readers: list[Reader] = []
        self._schemas: list[Any] = []
        self._starts = [0]
        self.head: Any = None
        _refuse_mixture(parts.files)
        for part in parts.files:
            with _about(part):
                reader = open_one(part.path)
                head, reader.head = _with_columns(reader.head, part.columns), None
                self._readers.append(reader)
                self._schemas.append(head.schema)
                self._refuse_other_columns(head.schema)
                if not head.num_rows and part.path.suffix.lower() != DATASET:  # Spark writes empty Parquet files
                    raise InputError("the file has no rows below its header; expected one row per response.")
            if self.head is None or not self.head.num_rows:
                self.head = head.slice(0, FIRST_LOOK)

    @property
    def readers(self) -> Sequence[Reader]:
        """The reader of each file."""
        return self._readers

    @property
    def starts(self) -> Sequence[int]:
        """Where the rows of each file begin, once they are read, and where they end."""
        return self._starts

    @property
    def names(self) -> Sequence[str]:
        """What each file is called."""
        return [part.name for part in self._parts.files]

    def load(self, names: Sequence[str]) -> Any:
        """Return the named columns, all rows of all files."""
        tables = self._tables(names, lambda reader, own: reader.load(own))
        self._starts = [0, *itertools.accumulate(table.num_rows for table in tables)]
        return pa.concat_tables(tables)

    def look(self, names: Sequence[str]) -> Any:
        """Return the named columns, all rows of all files, which are read again afterwards."""
        return pa.concat_tables(self._tables(names, all_rows))

    def _tables(self, names: Sequence[str], read: Callable[[Reader, Sequence[str]], Any]) -> list[Any]:
        """Return the named columns of each file."""
        kinds = pa.schema([(name, self._kind(name)) for name in names])
        tables = []
        for part, reader in zip(self._parts.files, self._readers, strict=True):
            with _about(part):
                table = read(reader, [name for name in names if name not in part.columns])
                tables.append(_shared(table, names, part.columns, kinds))
        return tables

    def pieces(self, names: Sequence[str]) -> Sequence[Piece]:
        """Return the rows of all files in pieces, none of which is of two files."""
        kinds = {name: self._kind(name) for name in names}
        found: list[Piece] = []
        for number, (part, reader) in enumerate(zip(self._parts.files, self._readers, strict=True)):
            with _about(part):
                pieces = cast(Batched, reader).pieces([name for name in names if name not in part.columns])
            own = {name: kind for name, kind in kinds.items() if self._schemas[number].field(name).type != kind}
            found += [PieceOfFile(piece, part.name, number, part.columns, own) for piece in pieces]
        return found

    def counted(self, rows: Mapping[int, int]) -> None:
        """Take note of how many rows each file holds, by its number."""
        numbers = [rows.get(number, 0) for number in range(len(self._readers))]
        self._starts = [0, *itertools.accumulate(numbers)]

    def place(self, index: int) -> Place:
        """Return the row and its file."""
        number = bisect.bisect_right(self._starts, index) - 1
        row = self._readers[number].place(index - self._starts[number]).row
        return Place(row, self._parts.files[number].name)

    def source(self, rows: int) -> Source:
        """Return name, hash and size of all files together, and of each."""
        files = []
        for number, (part, reader) in enumerate(zip(self._parts.files, self._readers, strict=True)):
            found = reader.source(self._starts[number + 1] - self._starts[number])
            files.append(SourceFile(part.name, found.sha256, found.bytes, found.rows))
        return Source(
            self._parts.name,
            sha256_of_files(file.sha256 for file in files),
            sum(file.bytes for file in files),
            rows,
            self._parts.files[0].path.suffix.lower()[1:],
            tuple(files),
        )

    def _refuse_other_columns(self, schema: Any) -> None:
        """Raise when a file has not the columns of the first one."""
        first, expected = self._parts.files[0].name, self._schemas[0].names
        missing = [name for name in expected if name not in schema.names]
        if missing:
            raise InputError(f"lacks columns that {first} has: {listed(missing)}; write the same ones into every file.")
        further = [name for name in schema.names if name not in expected]
        if further:
            raise InputError(f"has columns that {first} lacks: {listed(further)}; write the same ones into every file.")

    def _kind(self, name: str) -> Any:
        """Return the type of a column that holds what every file has there; raise when they differ in kind."""
        found = [
            (part, schema.field(name).type)
            for part, schema in zip(self._parts.files, self._schemas, strict=True)
            if not pa.types.is_null(schema.field(name).type)
        ]
        if not found:
            return pa.null()
        first, kind = found[0]
        for part, other in found[1:]:
            if _family(other) != _family(kind):
                raise InputError(
                    f"{part.name}: column '{name}' holds {_told(other)}, in {first.name} {_told(kind)}; "
                    "write it as one type into every file."
                )
        if all(other == kind for _, other in found):
            return kind
        if _family(kind) != NUMBERS:
            return pa.string()
        return pa.int64() if all(pa.types.is_integer(other) for _, other in found) else pa.float64()


@contextmanager
def _about(part: Part) -> Iterator[None]:
    """Put the name of the file before what goes wrong."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{part.name}: {error}") from None


def _refuse_mixture(files: Sequence[Part]) -> None:
    """Raise when files are of several formats: one of them says what the types of columns are, another does not."""
    first = files[0].path.suffix.lower()
    for part in files:
        if part.path.suffix.lower() != first:
            raise InputError(
                f"{part.name}: expected the format of {files[0].name}, '{first}', found '{part.path.suffix.lower()}'; "
                "name files of one format."
            )


def _with_columns(table: Any, columns: Mapping[str, str | None]) -> Any:
    """Return a table with the columns that names of folders give all its rows."""
    for name, value in columns.items():
        if name in table.schema.names:
            raise InputError(f"column '{name}' stands in the file and in the name of its folder; leave one out.")
        table = table.append_column(name, pa.repeat(pa.scalar(value, pa.string()), table.num_rows))
    return table


def _shared(table: Any, names: Sequence[str], columns: Mapping[str, str | None], kinds: Any) -> Any:
    """Return the named columns of one file, of the types that all files share."""
    table = _with_columns(table, columns).select(list(names))
    return of_kinds(table, dict(zip(names, kinds.types, strict=True))).cast(kinds)


def _family(kind: Any) -> str:
    """Return what columns of a type hold; types of one family fit into one column."""
    if pa.types.is_dictionary(kind):
        return _family(kind.value_type)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return "text"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return NUMBERS
    return str(kind)


def _told(kind: Any) -> str:
    """Return a type in words."""
    family = _family(kind)
    return family if family == str(kind) else f"{family} ({kind})"


MANY_BYTES = 40_000_000
"""Bytes of delimited files, which are some 40 a row."""

_FEW_BYTES = 1_000_000
"""A Parquet file of fewer is not looked into."""


def is_large(source: Any) -> bool:
    """Return whether a source has more rows than are held; no when that cannot be told without reading it."""
    if isinstance(source, Fetched):
        return source.rows > MANY_ROWS
    try:
        paths = paths_of(source)
        several = None if paths is None else parts_of(paths)
        if several is not None:
            return _are_large([part.path for part in several.files])
        return isinstance(paths, Path) and _are_large([paths])
    except (OSError, InputError):
        return False  # said where it is read


def _are_large(paths: list[Path]) -> bool:
    """Return whether files together are large."""
    suffix = paths[0].suffix.lower()
    size = sum(path.stat().st_size for path in paths)
    if suffix in (".csv", ".tsv"):
        return size > MANY_BYTES
    return suffix == ".parquet" and size > _FEW_BYTES and sum(map(_rows, paths)) > MANY_ROWS


def _rows(path: Path) -> int:
    """Return how many rows a Parquet file says it has; 0 when it cannot be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return int(pq.read_metadata(path).num_rows)
    except (pa.ArrowException, OSError, ValueError):  # a ValueError is a name that is not UTF-8
        return 0
