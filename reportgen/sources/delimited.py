"""CSV and TSV files, every column as strings; what is wrong with a file is said with its row."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.csv as pa_csv

from reportgen.errors import InputError, shortened, write_command
from reportgen.machine.memory import pass_on
from reportgen.results import Source
from reportgen.sources.batches import Piece, Wanted
from reportgen.sources.tabular import Place, checked_names, file_source, place_in_file, text_encoding

_BLOCK = 1 << 20
"""Bytes of a block; the first look is one block."""

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


@dataclass(frozen=True)
class DelimitedPiece:
    """All rows of a CSV or TSV file: the file, and about how many rows it holds."""

    reader: DelimitedReader
    rows: int
    file: int = 0

    def batches(self, wanted: Wanted) -> Iterator[Any]:
        """Yield the wanted columns as Arrow tables of texts."""
        for table in self.reader.stream(wanted.names):
            for start in range(0, table.num_rows, wanted.rows):
                yield table.slice(start, wanted.rows)


class DelimitedReader:
    """A file of values between commas, semicolons or tabs, quoted or not, its first row the header."""

    def __init__(self, path: Path, encoding: str | None = None) -> None:
        self.path = path
        self.encoding = encoding_of(path, encoding)
        self._delimiter = "\t" if path.suffix.lower() == ".tsv" else delimiter_of(path, self.encoding)
        quotes, has_blank_line = _look_over(path)
        self._quotes = quotes > 0
        if quotes % 2:
            self.refuse_open_quote()
        given = self._first_block(()).schema.names
        self._given = dict(zip(checked_names(given), given, strict=True))
        self.head = self._first_block(given).rename_columns(list(self._given))
        self.row_bytes = max(1, min(_BLOCK, path.stat().st_size) // max(self.head.num_rows, 1))
        self._has_blank_line = has_blank_line

    def load(self, names: Sequence[str]) -> Any:
        """Return the named columns, all rows."""
        given = [self._given[name] for name in names]
        try:
            table = pa_csv.read_csv(self.path, **self._options(given, given))
        except (pa.ArrowException, UnicodeError, ValueError) as error:
            self.explain(error)
        return table.select(given).rename_columns(list(names))

    def stream(self, names: Sequence[str]) -> Iterator[Any]:
        """Yield the named columns of all rows as strings, a block of the file at a time."""
        given = [self._given[name] for name in names]
        try:
            with pa_csv.open_csv(self.path, **self._options(given, given)) as blocks:
                for batch in blocks:
                    yield pa.Table.from_batches([batch]).select(given).rename_columns(list(names))
        except (pa.ArrowException, UnicodeError, ValueError) as error:
            self.explain(error)

    def pieces(self, names: Sequence[str]) -> Sequence[Piece]:  # noqa: ARG002 - the same for any columns
        """Return the rows, to be read from the begin of the file to its end."""
        return [DelimitedPiece(self, self.path.stat().st_size // self.row_bytes)]

    def counted(self, rows: Mapping[int, int]) -> None:
        """Take note of how many rows there are, which nothing here goes by."""

    def place(self, index: int) -> Place:
        """Return the row of the file; the header is row 1."""
        return place_in_file(index, 2, self._blank_rows)

    def source(self, rows: int) -> Source:
        """Return name, hash, size and format of the file."""
        return file_source(self.path, rows, self.path.suffix.lower()[1:])

    def _first_block(self, names: Sequence[str]) -> Any:
        """Return the first rows as a table, the named columns as strings."""
        try:
            with pa_csv.open_csv(self.path, **self._options(names)) as stream:
                names = stream.schema.names
                batch = next(iter(stream), None)
                return pa.Table.from_batches([batch] if batch is not None else [], stream.schema)
        except (pa.ArrowException, UnicodeError, ValueError) as error:
            self.explain(error)

    def _options(self, names: Sequence[str], only: Sequence[str] = ()) -> dict[str, Any]:
        """Return pyarrow's options: `names` as strings, nothing taken for missing, line breaks only in quotes."""
        return {
            "read_options": pa_csv.ReadOptions(block_size=_BLOCK, encoding=self.encoding, use_threads=bool(only)),
            "parse_options": pa_csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=self._quotes),
            "convert_options": pa_csv.ConvertOptions(
                column_types={name: pa.string() for name in names},
                include_columns=list(only),
                strings_can_be_null=False,
            ),
        }

    def _records(self, errors: str = "strict") -> Iterator[list[str]]:
        """Yield the rows as Python's own parser reads them, for messages."""
        with self.path.open(encoding=self.encoding, errors=errors, newline="") as file:
            yield from delimited_rows(file, delimiter=self._delimiter)

    def refuse_open_quote(self) -> None:
        """Raise when a quote is opened and never closed: it would swallow the rows after it."""
        number = 0
        try:
            with self.path.open(encoding=self.encoding, newline="") as file:
                for _ in delimited_rows(file, delimiter=self._delimiter, strict=True):
                    number += 1
        except UnicodeError:
            return  # told better where the text is read
        except csv.Error as problem:
            if "unexpected end of data" in str(problem):
                raise InputError(
                    f"row {number + 1}: a quote is opened and never closed, so the rows after it would be lost; "
                    'close it, or write a quote inside a value as "".'
                ) from None

    @cached_property
    def _blank_rows(self) -> Sequence[int]:
        """The numbers of rows that hold nothing."""
        if not self._has_blank_line:
            return ()
        try:
            # letters that cannot be read may stand in columns that play no part: rows are counted all the same
            return [number for number, record in enumerate(self._records("replace"), 1) if not record]
        except csv.Error:
            return []

    def explain(self, error: Exception) -> NoReturn:
        """Raise the sentence for a file that pyarrow cannot read."""
        pass_on(error)
        number, width = 0, 0
        try:
            for number, record in enumerate(self._records(), 1):
                width = width or len(record)
                if record and len(record) != width:
                    raise InputError(
                        f"row {number}: expected {width} values as in the header, found {len(record)}; "
                        "check for a missing or an unquoted delimiter."
                    ) from None
        except UnicodeError:
            raise InputError(
                f"{self._undecodable_line()} is not {self.encoding} text; "
                "name the encoding of the file, as in --encoding latin-1."
            ) from None
        except csv.Error as problem:
            raise InputError(f"row {number + 1}: {problem}.") from None
        if number <= 1:
            raise InputError("the file has no rows below its header; expected one row per response.") from None
        told = re.sub(r"(got \d+): .*", r"\1", " ".join(str(error).split()))  # what follows is the row itself
        raise InputError(f"not a readable table: {told[:200].rstrip('.')}.") from None

    def _undecodable_line(self) -> str:
        """Return which line has bytes that are not in the encoding, as far as lines can be told."""
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    line.decode(self.encoding)
                except UnicodeError:
                    return "the file" if self.encoding.startswith("utf-16") else f"line {number}"
        return "the file"


def delimited_rows(file: Iterable[str], **dialect: Any) -> Iterator[list[str]]:
    """Yield the rows of a CSV file, however long its cells are.

    Python's limit on a cell is one for the whole process, so it is raised only while a row is read.
    """
    rows = csv.reader(file, **dialect)
    while True:
        before = csv.field_size_limit(1 << 30)
        try:
            row = next(rows)
        except StopIteration:
            return
        finally:
            csv.field_size_limit(before)
        yield row


def encoding_of(path: Path, wanted: str | None) -> str:
    """Return the encoding of a file: as wanted, by its byte order mark, else UTF-8."""
    if wanted is not None:
        return text_encoding(wanted)
    with path.open("rb") as file:
        start = file.read(4096)
    for mark, name in _MARKS:
        if start.startswith(mark):
            return name
    if b"\0" in start:
        raise InputError("the file holds zero bytes; if it is text, name its encoding, as in --encoding utf-16-le.")
    return "utf-8"


def delimiter_of(path: Path, encoding: str) -> str:
    """Return the delimiter of a CSV file: a comma, unless the header has none but semicolons or tabs."""
    try:
        with path.open(encoding=encoding) as file:
            header = file.readline(_BLOCK)
    except UnicodeError:
        return ","
    return max(",;\t", key=lambda mark: (mark in header, mark == ",", header.count(mark)))


def _look_over(path: Path) -> tuple[int, bool]:
    """Return how many quotes a file has, and whether it has a blank line before its end."""
    quotes, blank = 0, False
    last = b"\n"
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            text = (last + block).replace(b"\r", b"").replace(b"\0", b"")
            quotes += block.count(b'"')
            blank = blank or b"\n\n" in text
            last = text[-1:]
    return quotes, blank


TEXTS = frozenset({".csv", ".tsv", ".txt", ".jsonl"})

MOST_LINES = 2_000_000
"""Different lines that are compared: each takes some sixty bytes."""


def copies(source: Any) -> int:
    r"""Return how many lines of a file are exact copies of earlier ones.

    0 where that is not known: of frames, of files that are no plain text, of those whose values go over several lines.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "s.csv")
    ...     _ = file.write_text("id,h\n1,2\n2,2\n1,2\n")
    ...     copies(file)
    1
    """
    if not isinstance(source, str | Path) or Path(source).suffix.lower() not in TEXTS:
        return 0
    seen, found = set[bytes](), 0
    try:
        with Path(source).open("rb") as file:
            for line in file:
                text = line.rstrip(b"\r\n")
                if b"\0" in text or text.count(b'"') % 2 or len(seen) >= MOST_LINES:
                    return 0
                found += bool(text) and text in seen
                seen.add(text)
    except OSError:
        return 0
    return found


def copies_told(source: Any) -> str:
    """Return what is said of exact copies, and what drops them; nothing where there are none."""
    found = copies(source)
    if not found:
        return ""
    rows = (
        "1 row is an exact copy of an earlier one; drop it"
        if found == 1
        else (f"{found:,} rows are exact copies of earlier ones; drop them")
    )
    path = Path(source)
    name = str(path) if len(str(path)) <= 80 else shortened(path.name)
    return f"{rows}, as by: {write_command('awk', '!seen[$0]++', name)} > {write_command(f'once{path.suffix}')}"
