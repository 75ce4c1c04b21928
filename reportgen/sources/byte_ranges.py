"""Delimited files cut into ranges of bytes that any process can read by itself, each of whole rows."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from reportgen.errors import InputError
from reportgen.sources.bridge import floats_to_arrow
from reportgen.sources.columns import as_numbers
from reportgen.sources.delimited import DelimitedReader, delimiter_of, encoding_of
from reportgen.sources.quotes import RowEnds
from reportgen.sources.tabular import checked_names

RANGE_BYTES = 1 << 24
"""Bytes of a range: few enough to hold, enough that starting on one costs nothing beside reading it."""

_BLOCK = 1 << 20
"""Bytes that are parsed at a time."""


@dataclass(frozen=True)
class ByteRange:
    """Rows of a delimited file, one after the other; can be pickled, and read in another process.

    Which rows of the file they are is known when the ranges before it were read: rows are not counted to cut.

    Parameters
    ----------
    path, encoding, delimiter, quoted
        The file and how it is written; `quoted` says whether it holds a quote anywhere.
    header
        Column names as the file has them.
    start, stop
        The bytes of the range; the first begins with the header.
    whole
        Whether this is all of the file.
    """

    path: Path
    encoding: str
    delimiter: str
    quoted: bool
    header: tuple[str, ...]
    start: int
    stop: int
    whole: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Column names without white space around them."""
        return tuple(name.strip() for name in self.header)

    def batches(self, texts: Sequence[str], numbers: Sequence[str] = (), *, words: bool = False) -> Iterator[Any]:
        """Yield the rows as Arrow record batches, in their order.

        Parameters
        ----------
        texts
            Columns to read as strings, empty where blank.
        numbers
            Columns to read as floats, null where there is none (see `reportgen.sources.columns.as_numbers`).
        words
            Whether those columns come as strings where anything else than numbers and blanks stands in some rows.

        Raises
        ------
        InputError
            The rows are no table of the file's columns, or not in its encoding; the sentence names the row.
        """
        try:
            if self.whole and self.stop > 2 * RANGE_BYTES:  # could not be cut, and is not held
                yield from self._streamed([*texts, *numbers] if words else texts, () if words else numbers)
            else:
                yield from self._read(texts, numbers, words).combine_chunks().to_batches()
        except (pa.ArrowException, UnicodeError, ValueError) as error:
            self._explain(error)

    def _read(self, texts: Sequence[str], numbers: Sequence[str], words: bool) -> Any:
        """Return all rows of the range."""
        with self.path.open("rb") as file:
            file.seek(self.start)
            data = file.read(self.stop - self.start)
        if self.start and not data.strip(b"\r\n"):
            empty = pa.table({name: pa.array([], pa.string()) for name in self.names})
            return _as_wanted(empty, texts, numbers)
        try:
            table = self._renamed(pa_csv.read_csv(pa.BufferReader(data), *self._options(texts, numbers)))
            if not (words and any(pc.any(pc.is_nan(table[name])).as_py() for name in numbers)):
                return _as_wanted(table, texts, numbers)
        except pa.ArrowInvalid:  # a word among the numbers, if not worse
            pass
        texts, numbers = ([*texts, *numbers], ()) if words else (texts, numbers)
        table = pa_csv.read_csv(pa.BufferReader(data), *self._options([*texts, *numbers], ()))
        return _as_wanted(self._renamed(table), texts, numbers)

    def _streamed(self, texts: Sequence[str], numbers: Sequence[str]) -> Iterator[Any]:
        """Yield the rows of a whole file block by block."""
        with pa_csv.open_csv(self.path, *self._options([*texts, *numbers], ())) as stream:
            for batch in stream:
                table = self._renamed(pa.Table.from_batches([batch]))
                yield from _as_wanted(table, texts, numbers).combine_chunks().to_batches()

    def _options(self, texts: Sequence[str], numbers: Sequence[str]) -> tuple[Any, Any, Any]:
        """Return pyarrow's options: declared types, line breaks only in quotes."""
        as_written = dict(zip(self.names, self.header, strict=True))
        types = {as_written[name]: pa.string() for name in texts}
        types |= {as_written[name]: pa.float64() for name in numbers}
        utf8 = codecs.lookup(self.encoding).name in ("utf-8", "utf-8-sig")
        return (
            pa_csv.ReadOptions(
                column_names=self.header if self.start else None,
                block_size=_BLOCK, encoding="utf8" if utf8 else self.encoding, use_threads=False,
            ),
            pa_csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=self.quoted),
            pa_csv.ConvertOptions(
                column_types=types, include_columns=list(types), null_values=[""], strings_can_be_null=False
            ),
        )  # fmt: skip

    def _renamed(self, table: Any) -> Any:
        """Return a table with names without white space around them."""
        return table.rename_columns([name.strip() for name in table.schema.names])

    def _explain(self, error: Exception) -> NoReturn:
        """Raise the sentence for rows that pyarrow cannot read."""
        DelimitedReader(self.path, self.encoding).explain(error)


def byte_ranges(path: Path, encoding: str | None = None, size: int = RANGE_BYTES) -> list[ByteRange]:
    """Return a delimited file cut into ranges of whole rows, each of about `size` bytes.

    One scan at nearly the speed of memory finds which line ends stand inside quotes.  A file is one range when its
    rows do not end in a newline (as of old Macintosh programs) or its encoding does not keep ASCII as it is (UTF-16).

    Raises
    ------
    InputError
        The file cannot be read, has no header or unusable column names, or a quote is opened and never closed.
    """
    encoding = encoding_of(path, encoding)
    delimiter = "\t" if path.suffix.lower() == ".tsv" else delimiter_of(path, encoding)
    ends, quoted = _ends(path, delimiter, size if _keeps_ascii(encoding) else 0)
    first = ByteRange(path, encoding, delimiter, quoted, (), 0, ends[-1], len(ends) == 1)
    header = tuple(_header(first))
    return [
        ByteRange(path, encoding, delimiter, quoted, header, start, stop, len(ends) == 1)
        for start, stop in zip([0, *ends], ends, strict=False)
    ]


def _ends(path: Path, delimiter: str, size: int) -> tuple[list[int], bool]:
    """Return where ranges of a file end, and whether there is a quote in it; one range when `size` is 0."""
    rows, ends, quoted, done = RowEnds(delimiter), [], False, 0
    with path.open("rb") as file:
        if file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8:
            done = file.tell()
        file.seek(done)
        while block := file.read(size or RANGE_BYTES):
            quoted = quoted or b'"' in block
            if size:
                last = rows.last(block)
                ends += [done + last] if last else []
            done += len(block)
    if rows.inside:
        DelimitedReader(path).refuse_open_quote()
        raise InputError('a quote is opened and never closed; close it, or write a quote inside a value as "".')
    return (ends if ends and ends[-1] == done else [*ends, done]), quoted


def _header(first: ByteRange) -> Sequence[str]:
    """Return the column names as the file has them, when they can be used."""
    read, parse, _ = first._options((), ())
    read.use_threads = False
    try:
        with pa_csv.open_csv(first.path, read, parse) as stream:
            names: Sequence[str] = stream.schema.names
    except (pa.ArrowException, UnicodeError, ValueError) as error:
        first._explain(error)
    checked_names(names)
    return names


def _as_wanted(table: Any, texts: Sequence[str], numbers: Sequence[str]) -> Any:
    """Return the wanted columns, texts that should be numbers as such."""
    columns = {name: table[name] for name in (*texts, *numbers)}
    for name in numbers:
        if pa.types.is_string(columns[name].type):
            columns[name] = floats_to_arrow(as_numbers(columns[name], name))
    return pa.table(columns)


def _keeps_ascii(encoding: str) -> bool:
    """Return whether quotes, delimiters and line ends are the bytes that they are in ASCII, and nothing else is."""
    if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig", "ascii"):
        return True
    ascii_bytes, other_bytes = bytes(range(128)), bytes(range(128, 256))
    return (
        ascii_bytes.decode(encoding, "replace") == ascii_bytes.decode("ascii")
        and len(other_bytes.decode(encoding, "replace")) == len(other_bytes)  # one byte a character
        and bool(other_bytes.decode(encoding, "ignore"))  # not seven bits with shifts
    )
