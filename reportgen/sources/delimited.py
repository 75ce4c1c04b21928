"""Read CSV and TSV files, every column as strings; errors name the row."""

import codecs
import csv
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import islice, pairwise, takewhile
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.csv as pa_csv

from reportgen.errors import NO_ROWS, InputError, QuestionError, SettingsError
from reportgen.machine.memory import pass_on
from reportgen.sources.column_names import first_of, kind_of
from reportgen.sources.tabular import BATCH_ROWS, MOST_AROUND, NUMBER, Batches, Reader, around_of, checked_names
from reportgen.wording.numbers import many

_BLOCK = 1 << 20  # bytes of a block; the first look is one block

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


ENCODING_BYTES, LEAST_LETTERS, MOSTLY = 1 << 18, 0.2, 0.5
"""Bytes of a file that show its encoding; minimum shares of letters that fit the likeliest encoding, and another."""

_NOT_OF_FILES = frozenset(("punycode", "idna", "unicode_escape", "raw_unicode_escape", "undefined"))
"""Encodings of domain names and of literals."""

_SCRIPTS = tomllib.loads(Path(__file__).with_name("encodings.toml").read_text(encoding="utf-8"))
"""Encoding -> its name, and letters that are frequent in its texts and rare in others."""


class DelimitedReader(Reader):
    """A file with values between commas, semicolons, or tabs, quoted or not, and a header in the first row."""

    in_batches = True

    def __init__(self, path: Path, encoding: str | None = None) -> None:
        self._path = path
        self.encoding = encoding_of(path, encoding)
        first, last = _ends(path, self.encoding)
        self._above = _lines_above(first)
        self._delimiter = "\t" if path.suffix.lower() == ".tsv" else delimiter_of(first[self._above :])
        top, end = (list(delimited_rows(lines, delimiter=self._delimiter)) for lines in (first[self._above :], last))
        quoted = all(line.startswith('"') for line in first[self._above :] if line.strip())
        if quoted and {len(row) for row in top[1:] if row} == {len(top[0]) + 1}:
            top[0].insert(0, "")  # R gives its row names no name
        self._around, names = around_of(top, end), _names_instead(top)
        below = [*zip(last, end, strict=False)][len(end) - self._around.end :] if len(last) == len(end) else []
        self._short = {line for line, row in below if row and len(row) != len(self._around.names)}
        if (self._short or "\ufffd" in "".join(self._around.names)) and _undecodable(path, self.encoding) != "the file":
            ask_about_encoding(path, self.encoding)
        self._names = checked_names(names or self._around.names)
        self._skipped = self._around.below + (not names)
        self._first_row = 1 + self._above + self._skipped
        script = _SCRIPTS.get(self.encoding, [""])[0] * (encoding is None)
        read = f"the file was read as {script} text ({self.encoding}); if characters look wrong, add --encoding NAME"
        notes = [read] * bool(script)
        notes += ["row 1 contains no names of columns, and is read as data"] * bool(names)
        self.notes = (*self._around.notes, *notes)
        self._around = self._around._replace(end=self._around.end - len(self._short))
        quotes, self._has_blank_line = _look_over(path)
        self._quotes = quotes > 0
        if quotes % 2:
            self.refuse_open_quote()
        with self._clear_errors():
            self.head = pa.concat_tables(islice(self._blocks(self._names), 2))
        size = path.stat().st_size
        self.rows = size // max(1, min(_BLOCK, size) // max(self.head.num_rows, 1))

    def load(self, names: Sequence[str]) -> Any:
        """Return all rows of the named columns."""
        with self._clear_errors():
            table = pa_csv.read_csv(self._path, **self._options(names, names))
        return table.slice(0, max(0, table.num_rows - self._around.end)).select(list(names))

    def batches(self, names: Sequence[str], labels: Collection[str] = (), rows: int = BATCH_ROWS) -> Batches:
        """Yield the named columns as strings, at most a block of the file at a time."""
        del labels
        with self._clear_errors():
            for block in self._blocks(names, names):
                table = block.select(list(names))
                yield from ((0, table.slice(start, rows)) for start in range(0, table.num_rows, rows))

    def _blocks(self, names: Sequence[str], only: Sequence[str] = ()) -> Iterator[Any]:
        """Yield an empty table, then the rows, a block of the file at a time; the named columns are strings."""
        with pa_csv.open_csv(self._path, **self._options(names, only)) as blocks:
            yield (held := pa.Table.from_batches([], blocks.schema))  # empty_table() would import pandas
            for block in blocks:
                rows = pa.concat_tables([held, pa.Table.from_batches([block])])
                stop = max(0, rows.num_rows - self._around.end)
                held = rows.slice(stop)
                yield rows.slice(0, stop)

    def _options(self, names: Sequence[str], only: Sequence[str] = ()) -> dict[str, Any]:
        """Return pyarrow's options: `names` as strings, no missing values, line breaks only in quotes."""
        read = {"block_size": _BLOCK, "encoding": self.encoding, "skip_rows": self._above}
        read |= {"skip_rows_after_names": self._skipped, "column_names": self._names}
        skip = (lambda row: "skip" if row.text.rstrip() in self._short else "error") if self._short else None
        parse = {"delimiter": self._delimiter, "newlines_in_values": self._quotes, "invalid_row_handler": skip}
        types = dict.fromkeys(names, pa.string())
        return {
            "read_options": pa_csv.ReadOptions(use_threads=bool(only), **read),
            "parse_options": pa_csv.ParseOptions(**parse),
            "convert_options": pa_csv.ConvertOptions(column_types=types, include_columns=list(only)),
        }

    def _records(self, errors: str = "strict", *, strict: bool = False) -> Iterator[list[str]]:
        with self._path.open(encoding=self.encoding, errors=errors, newline="") as file:
            yield from delimited_rows(file, delimiter=self._delimiter, strict=strict)

    def refuse_open_quote(self) -> None:
        """Raise if a quote is never closed: it would swallow the rows after it."""
        number = 0
        try:
            for _ in self._records(strict=True):
                number += 1
        except UnicodeError:
            return  # the reader of the text has a better message
        except csv.Error as problem:
            if "unexpected end of data" in str(problem):
                why = f"row {number + 1}: a quote is opened and never closed, so the rows after it would be lost"
                raise InputError(f'{why}; close it, or write a quote inside a value as "".') from None

    @cached_property
    def _blank_rows(self) -> Sequence[int]:
        # count rows even if columns without a role contain unreadable letters
        records = enumerate(self._records("replace"), 1) if self._has_blank_line else ()
        with suppress(csv.Error):
            return [number for number, record in records if not record and number >= self._first_row]
        return []

    @contextmanager
    def _clear_errors(self) -> Iterator[None]:
        try:
            yield
        except (pa.ArrowException, UnicodeError, ValueError) as error:
            self._explain(error)

    def _explain(self, error: Exception) -> NoReturn:
        pass_on(error)
        number, width = 0, 0
        try:
            for number, record in enumerate(islice(self._records(), self._above, None), 1 + self._above):
                width = width or len(record)
                if record and len(record) != width:
                    hint = "add the missing delimiter" if len(record) > 1 else "this row may use another delimiter"
                    hint = "put quotes around text that contains a delimiter" if len(record) > width else hint
                    why = f"row {number}: the header has {width} columns, but this row has {many(len(record), 'value')}"
                    raise InputError(f"{why}; {hint}.") from None
        except UnicodeError:
            ask_about_encoding(self._path, self.encoding)
        except csv.Error as problem:
            raise InputError(f"row {number + 1}: {problem}.") from None
        if number <= 1:
            raise InputError(NO_ROWS) from None
        text = re.sub(r"(got \d+): .*", r"\1", " ".join(str(error).split()))  # the rest is the row itself
        raise InputError(f"not a readable table: {text[:200].rstrip('.')}; save it again as CSV.") from None


def ask_about_encoding(path: Path, encoding: str) -> NoReturn:
    """Raise a question about the encoding of a file that is not text in this one."""
    codes = likely_encodings(path) or ["cp1252"]
    ways = [(f"the encoding is {_SCRIPTS[code][0]}", ("--encoding", code)) for code in codes]
    text = f"{_undecodable(path, encoding)} is not {encoding.replace('utf', 'UTF')} text. What is the file's encoding?"
    raise QuestionError(text, ways) from None


def _undecodable(path: Path, encoding: str) -> str:
    """Return the line with bytes that are not in the encoding, if lines can be counted."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode(encoding)
            except UnicodeError:
                return "the file" if encoding.startswith("utf-16") else f"line {number}"
    return "the file"


def delimited_rows(file: Iterable[str], **dialect: Any) -> Iterator[list[str]]:
    """Yield the rows of a CSV file, however long its cells are.

    Python's cell limit applies to the whole process, so it is raised only while a row is read.
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
    """Return the encoding of a file: as wanted, by its byte order mark, as HTML declares it, by letters, or UTF-8."""
    if wanted is not None:
        return text_encoding(wanted)
    with path.open("rb") as file:
        start = file.read(4096)
    for mark, name in _MARKS:
        if start.startswith(mark):
            return name
    if b"\0" in start:
        raise InputError("the file contains null bytes; if it is text, add its encoding, such as --encoding utf-16-le.")
    declared = re.match(rb"\s*<.*?\b(?:charset|encoding)\s*=\s*[\"']?([\w-]+)", start, re.DOTALL)
    likely = [text_encoding(declared[1].decode())] if declared else likely_encodings(path)
    return likely[0] if len(likely) == 1 else "utf-8"


def text_encoding(wanted: str) -> str:
    """Return the name of a text file encoding; raise for any other encoding."""
    with suppress(LookupError, ValueError):
        if codecs.lookup(wanted).name not in _NOT_OF_FILES and "".encode(wanted) is not None:
            return wanted
    raise SettingsError(f"encoding '{wanted}' is not known; examples: utf-8, latin-1, cp1252, utf-16.")


def _ends(path: Path, encoding: str) -> tuple[list[str], list[str]]:
    try:
        with path.open(encoding=encoding, errors="replace") as file:
            first = [file.readline(_BLOCK) for _ in range(MOST_AROUND)]
    except UnicodeError as error:  # no byte order mark
        raise InputError(f"not {encoding} text ({error}); remove --encoding, or try another.") from None
    with path.open("rb") as raw:
        raw.seek(max(0, path.stat().st_size - _END))
        return first, raw.read().decode(encoding, "replace").splitlines()[-MOST_AROUND:]


def _names_instead(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return column names if the first row is not a header: it is like the rows below, with two or more numbers.

    >>> _names_instead([["r1", "3", "3"], ["r2", "2", "3"], ["r3", "5", "4"]]), _names_instead([["h", "3"], ["a", "2"]])
    (['column 1', 'column 2', 'column 3'], [])
    """
    header, *below = [row for row in rows if row] or [[]]
    columns = zip(header, *below, strict=False)
    alike = [{bool(NUMBER.fullmatch(cell)) or kind_of(cell) for cell in cells if cell} for cells in columns]
    numbers = [float(cell.strip(" %").replace(",", ".")) for cell in header if NUMBER.fullmatch(cell)]
    series = all(later - number == 1 for number, later in pairwise(numbers))
    data = len(numbers) > 1 and not series and all(len(kinds) < 2 for kinds in alike) and not first_of("id", header)
    return [f"column {place}" for place, _ in enumerate(header, 1)] if data and below else []


_END = 1 << 14  # bytes at the end of a file that are examined


def _lines_above(lines: Sequence[str]) -> int:
    """Return the number of titles and notes above the header: short lines, or lines with few cells, all on the left."""
    data = [line for line in lines if line.strip()]
    if any(line.count('"') % 2 for line in lines):  # texts of several lines
        return len([*takewhile(lambda line: line.startswith("#") or not line.strip(), lines)])
    mark = delimiter_of(data[len(data) // 2 :])
    rows = [[cell.strip() for row in delimited_rows([line], delimiter=mark) for cell in row] for line in lines]
    filled = [len([*filter(None, row)]) for row in rows]
    usual, long = (sorted(filter(None, each[len(data) // 2 :])) for each in (filled, [*map(len, rows)]))
    few, short = (each[len(each) // 2] / 2 if each else 0 for each in (usual, long))

    pairs = zip(rows, filled, strict=True)
    titles = [n < 2 or row[0][:1] == "#" or len(row) <= short or (n <= few and all(row[:n])) for row, n in pairs]
    above = titles.index(False) if False in titles[:MOST_ABOVE] else 0
    return 0 if any(NUMBER.fullmatch(cell) for row in rows[above : above + 1] for cell in row) else above


MOST_ABOVE = 10  # the most lines above the header


def delimiter_of(lines: Sequence[str]) -> str:
    """Return the delimiter of a CSV file: in its header, and as often in most lines.

    >>> delimiter_of(["Tutor/10,00;KI/10,00", "5,50;3,75", "6,00;4,00"]), delimiter_of(['"id" "h"', '"1" "r 1" 3'])
    (';', ' ')
    """
    bare = [re.sub(r'"[^"]*"', "", line) for line in lines if line.strip()] or [""]
    marks = [mark for mark in ",;\t| " if mark in bare[0]] or [","]
    alike = [mark for mark in marks if 2 * sum(line.count(mark) == bare[0].count(mark) for line in bare) > len(bare)]
    return max(alike or marks, key=lambda mark: (mark != " ", (mark == ",") != bool(alike), bare[0].count(mark)))


def _look_over(path: Path) -> tuple[int, bool]:
    """Return the number of quotes in a file, and whether it has a blank line before its end."""
    quotes, blank = 0, False
    last = b"\n"
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            text = (last + block).replace(b"\r", b"").replace(b"\0", b"")
            quotes += block.count(b'"')
            blank = blank or b"\n\n" in text
            last = text[-1:]
    return quotes, blank


def likely_encodings(path: Path) -> list[str]:
    """Return at most two encodings that a file may have if it is not UTF-8; none if its beginning is.

    In European texts, non-ASCII letters occur singly; in other scripts they follow each other. An encoding is dropped
    if it gives the same text as the likeliest one, or a longer text: bytes rarely make fewer letters by chance.
    """
    with path.open("rb") as file:
        data = file.read(ENCODING_BYTES).rpartition(b"\n")[0]
    with suppress(UnicodeError):
        data.decode()
        return []
    found: dict[str, tuple[float, str]] = {}
    for code, (_, letters) in _SCRIPTS.items():
        with suppress(UnicodeError):
            text = data.decode(code)
            found[code] = len(re.findall(letters, text)) / max(len(re.findall(r"[^\x00-\x7f]", text)), 1), text
    likely = sorted((code for code in found if found[code][0] > LEAST_LETTERS), key=lambda code: -found[code][0])
    text = found[likely[0]][1] if likely else ""
    others = [code for code in likely if len(found[code][1]) <= len(text) and found[code][0] >= MOSTLY]
    return [*likely[:1], *[code for code in others if found[code][1] != text][:1]]
