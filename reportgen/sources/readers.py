"""Read files and frames of scores as Arrow tables: a first look, then the columns that matter."""

import bisect
import codecs
import gzip
import itertools
import re
import sys
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import BadZipFile, ZipFile

import pyarrow as pa

from reportgen.errors import NO_ROWS, InputError, QuestionError, ReportgenError, listed, nearest, shortened
from reportgen.results import Source, SourceFile
from reportgen.settings.kinds import is_text
from reportgen.sources.databases import Fetched, Query
from reportgen.sources.delimited import DelimitedReader
from reportgen.sources.documents import PROGRAMS, largest_sheet, read_cells, read_json, read_page, read_statistics
from reportgen.sources.files import DATASET, MANY_ROWS, Part, files_of, parts_of, paths_of, sha256_of_files
from reportgen.sources.tabular import BATCH_ROWS, FIRST_LOOK, Place, Reader, TableReader, file_source, read_frame

MOST_COMPARED = 1000  # the most names in a folder that a misspelled path is compared with


def open_reader(source: Any, encoding: str | None = None) -> Reader:
    """Return the reader for a file (by its extension), for multiple files, or for a frame (by its type).

    source: The path of a file, a pattern such as ``part-*.csv``, a folder of Parquet files, a list of paths, or a
        frame.
    """
    if isinstance(source, Query):
        return Fetched(source, sys.maxsize).reader()
    if isinstance(source, Fetched):
        return source.reader()
    paths = paths_of(source)
    if paths is None:
        return read_frame(source)
    parts = parts_of(paths)
    return SeveralReader(*parts, encoding) if parts else _open_file(Path(source), encoding)


_FORMATS = {
    rb"PAR1": ".parquet", rb"PK\x03\x04": ".xlsx", rb"\x1f\x8b": ".gz", rb"ARROW1": ".arrow", rb"\$FL": ".sav",
    rb"\xd0\xcf\x11\xe0": ".ole", rb"\s*(?:\{\s*\"|\[\s*\{)": ".json",
    rb"\s*<(?i:\?xml|!doctype|!--|html|head|body|meta|table)\b": ".html",
}  # fmt: skip
"""Pattern of a file's first bytes -> the extension of its format, whatever its name is."""


def _format_of(path: Path) -> str:
    """Return the extension of a file's format: by its first bytes, or by its name if they do not show it."""
    with path.open("rb") as file:
        start = file.read(1 << 12)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        start = start[2:].replace(b"\0", b"")
    start, named = start.removeprefix(codecs.BOM_UTF8), path.suffix.lower()
    found = next((kind for form, kind in _FORMATS.items() if re.match(form, start)), "")
    is_table = b"\0" not in start and re.match(rb"\s*.*?[,;\t|]", start)
    if is_table and not found and named not in (".csv", ".tsv", ".txt"):
        return ".csv"
    return named if not found or (found, named) == (".xlsx", ".zip") else found


def _open_file(path: Path, encoding: str | None) -> Reader:
    refuse_unreadable(path)
    match kind := _format_of(path):
        case ".csv" | ".tsv" | ".txt":
            return DelimitedReader(path, encoding)
        case ".parquet":
            from reportgen.sources.parquet import ParquetReader  # a slow import that other formats do not need

            return ParquetReader(path)
        case ".xlsx":
            return read_cells(*largest_sheet(path), path, "xlsx")
        case ".ole":
            raise InputError("an Excel file from before 2007 or with a password; save it as .xlsx or .csv without one.")
        case ".html" | ".htm":
            return read_page(path, encoding)
        case ".json" | ".jsonl" | ".jsonlines" | ".ndjson":
            return read_json(path, encoding)
        case ".gz" | ".zip":
            return _unpacked(path, kind[1:], encoding)
    if kind in PROGRAMS:
        return read_statistics(path, kind, encoding)
    raise InputError(f"'{kind}' files are not supported; save the scores as .csv or .xlsx.")


TABLES = {".csv", ".tsv", ".jsonl", ".ndjson", *_FORMATS.values(), *PROGRAMS}
"""Extensions of tables, which texts such as a README in the same archive do not have."""


def _unpacked(path: Path, kind: str, encoding: str | None) -> Reader:
    name = path.stem
    try:
        if kind == "gz":
            with gzip.open(path) as packed:
                content = packed.read(MANY_BYTES + 1)
        else:
            with ZipFile(path) as archive:
                members = [each for each in archive.namelist() if not each.endswith("/") and "__MACOSX" not in each]
                [member] = [each for each in members if Path(each).suffix.lower() in TABLES] or members
                name = Path(member).name
                with archive.open(member) as packed:
                    content = packed.read(MANY_BYTES + 1)
    except ValueError:
        raise InputError("it does not contain exactly one table; unpack it and name the files with scores.") from None
    except (OSError, EOFError, zlib.error, BadZipFile, NotImplementedError, RuntimeError):
        raise InputError(f"not a readable {kind} file; pack it again, or unpack it.") from None
    if len(content) > MANY_BYTES:
        raise InputError(f"it unpacks to more than {MANY_BYTES / 1e6:.0f} MB; unpack it.")
    with TemporaryDirectory() as folder:
        inside = Path(folder, name)
        inside.write_bytes(content)
        reader = _open_file(inside, encoding)
        table = reader.load(reader.head.schema.names)
        reader.place(0)  # finds blank rows while the file exists
    found = TableReader(table, file_source(path, table.num_rows, kind), place=reader.place)
    found.notes = reader.notes
    return found


def refuse_unreadable(path: Path) -> None:
    """Raise if there is no file to read at `path`, or if a report could not show its name."""
    if not is_text(str(path)):
        raise InputError("the name of this file, or of its folder, is not UTF-8 text; rename it.")
    try:
        if path.is_dir():
            raise InputError("this is a folder; name the files in it, or only the folder.")
        if path.exists() and not path.is_file():
            raise InputError("this is not an ordinary file; write the scores to a file first.")
        with path.open("rb") as file:
            if not file.read(1):
                raise InputError("the file is empty; add a header row and at least one row of scores.")
    except FileNotFoundError:
        with suppress(OSError):
            beside = {each.stem: each for each in itertools.islice(path.parent.iterdir(), MOST_COMPARED)}
            if near := nearest(path.stem, beside):
                raise InputError(f"file not found; did you mean '{shortened(beside[near])}'?") from None
        raise InputError("file not found; check the path.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"the file cannot be read: {getattr(error, 'strerror', None) or error}.") from None


class SeveralReader(Reader):
    """Multiple files as one table: the same columns in each, their rows one file after another."""

    def __init__(self, name: str, parts: Sequence[Part], encoding: str | None) -> None:
        self._name, self._parts = name, parts
        self._readers: list[Reader] = []
        self._schemas: list[Any] = []
        self.head = None
        self.starts = [0]
        self.names = [part.name for part in parts]
        for part in parts:
            with about(part.name):
                reader = _open_file(part.path, encoding)
                head, reader.head = _with_columns(reader.head, part.columns), None
                self._readers.append(reader)
                self._schemas.append(head.schema)
                self._refuse_other_columns(head.schema)
                if not head.num_rows and part.path.suffix.lower() != DATASET:  # Spark writes empty Parquet files
                    raise InputError(NO_ROWS)
            if self.head is None or not self.head.num_rows:
                self.head = head.slice(0, FIRST_LOOK)
        self.notes = tuple(dict.fromkeys(each for reader in self._readers for each in reader.notes))
        self.in_batches = all(reader.in_batches for reader in self._readers)
        self.rows = sum(reader.rows for reader in self._readers)

    def load(self, names: Sequence[str]) -> Any:
        """Return all rows of all files for the named columns."""
        return self._together(names, lambda reader, own: [(0, reader.load(own))])

    def look(self, names: Sequence[str]) -> Any:
        """Return all rows of all files for the named columns, which are read again later."""
        return self._together(names, lambda reader, own: [(0, reader.look(own))])

    def batches(
        self, names: Sequence[str], labels: Collection[str] = (), rows: int = BATCH_ROWS
    ) -> Iterator[tuple[int, Any]]:
        """Yield the named columns with the types that all files share."""
        return self._each(names, lambda reader, own: reader.batches(own, set(labels).intersection(own), rows))

    def _together(self, names: Sequence[str], read: Callable[[Reader, Sequence[str]], Any]) -> Any:
        kinds = pa.schema([(name, self._kind(name)) for name in names])
        return pa.concat_tables([table.cast(kinds) for _, table in self._each(names, read)])

    def _each(self, names: Sequence[str], read: Callable[[Reader, Sequence[str]], Any]) -> Iterator[tuple[int, Any]]:
        """Yield the number and table of each file, and note where its rows begin."""
        kinds = {name: self._kind(name) for name in names}
        sizes = [0] * len(self._parts)
        for number, (part, reader) in enumerate(zip(self._parts, self._readers, strict=True)):
            with about(part.name):
                for _, table in read(reader, [name for name in names if name not in part.columns]):
                    sizes[number] += table.num_rows
                    yield number, _of_kinds(_with_columns(table, part.columns).select(list(names)), kinds)
        self.starts = [0, *itertools.accumulate(sizes)]

    def place(self, index: int) -> Place:
        """Return the row and its file."""
        number = bisect.bisect_right(self.starts, index) - 1
        return Place(self._readers[number].place(index - self.starts[number]).row, self.names[number])

    def source(self, rows: int) -> Source:
        """Return the name, hash, and size of all files together, and of each."""
        sizes = (stop - start for start, stop in itertools.pairwise(self.starts))
        found = [reader.source(n) for reader, n in zip(self._readers, sizes, strict=True)]
        pairs = zip(self.names, found, strict=True)
        files = [SourceFile(name, each.sha256, each.bytes, each.rows) for name, each in pairs]
        size, kind = sum(file.bytes for file in files), self._parts[0].path.suffix.lower()[1:]
        return Source(self._name, sha256_of_files(file.sha256 for file in files), size, rows, kind, tuple(files))

    def _refuse_other_columns(self, schema: Any) -> None:
        first, expected = self.names[0], self._schemas[0].names
        lacking = [name for name in expected if name not in schema.names]
        more = [name for name in schema.names if name not in expected]
        text = f"missing columns that are in {first}" if lacking else f"extra columns that are not in {first}"
        if lacking or more:
            raise InputError(f"{text}: {listed(lacking or more)}; all files need the same columns.")

    def _kind(self, name: str) -> Any:
        """Return a type for the column in every file; raise if no type fits all files."""
        kind, first = pa.null(), ""
        for file, schema in zip(self.names, self._schemas, strict=True):
            own = schema.field(name).type
            own = own.value_type if pa.types.is_dictionary(own) else own
            try:
                both = [pa.schema([(name, each)]) for each in (kind, own)]
                kind = pa.unify_schemas(both, promote_options="permissive").types[0]
            except pa.ArrowTypeError:
                text = f"{file}: column '{name}' contains {own} values, but in {first} it contains {kind} values; "
                raise InputError(f"{text}use one type in every file.") from None
            first = first if first or pa.types.is_null(own) else file
        return kind


@contextmanager
def about(name: str, kinds: tuple[type[ReportgenError], ...] = (InputError, QuestionError)) -> Iterator[None]:
    """Add the name of a file to errors of some `kinds` that are raised while it is read."""
    try:
        yield
    except kinds as error:
        raise error.about(name) from None


def _with_columns(table: Any, columns: Mapping[str, str | None]) -> Any:
    """Return a table with the columns that folder names add to all its rows."""
    for name, value in columns.items():
        if name in table.schema.names:
            raise InputError(f"column '{name}' is in the file and in the name of its folder; remove one of them.")
        table = table.append_column(name, pa.repeat(pa.scalar(value, pa.string()), table.num_rows))
    return table


def _of_kinds(table: Any, kinds: Mapping[str, Any]) -> Any:
    """Return a table with columns of given types, except dictionaries; raise if a number does not fit."""
    for index, field in enumerate(table.schema):
        own, kind = field.type, kinds[field.name]
        if own == kind or (pa.types.is_dictionary(own) and own.value_type == kind):
            continue
        try:
            table = table.set_column(index, pa.field(field.name, kind), table.column(index).cast(kind))
        except pa.ArrowInvalid:
            text = f"column '{field.name}' has numbers that the type they have in other files cannot represent "
            raise InputError(f"{text}exactly; write it as text, or as one type, into every file.") from None
    return table.replace_schema_metadata(None)


MANY_BYTES = 40_000_000  # bytes of delimited files, at about 40 per row


def is_large(source: Any) -> bool:
    """Return whether a source has more rows than fit in memory; False if that requires reading it."""
    if isinstance(source, Fetched):
        return source.rows > MANY_ROWS
    paths = paths_of(source)
    if paths is None:
        return False
    try:
        files = files_of(paths)
        if (suffix := files[0].suffix.lower()) == DATASET:
            import pyarrow.parquet as pq

            return bool(sum(pq.read_metadata(path).num_rows for path in files) > MANY_ROWS)
        return suffix in (".csv", ".tsv") and sum(path.stat().st_size for path in files) > MANY_BYTES
    except (InputError, OSError, ValueError, pa.ArrowException):  # ValueError: a name is not UTF-8
        return False  # the reader raises the error
