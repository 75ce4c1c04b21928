"""Read XLSX workbooks (the largest sheet), SAS and Stata data, and JSON as a whole."""

import ast
import itertools
import json
import re
import zipfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import feather

from reportgen.errors import InputError, SettingsError, listed
from reportgen.machine.memory import NeedsMemoryError, pass_on, refuse_above
from reportgen.sources.column_names import has_word, side_of
from reportgen.sources.columns import texts_to_arrow
from reportgen.sources.delimited import ask_about_encoding, encoding_of
from reportgen.sources.tabular import NUMBER, Place, TableReader, around_of, checked_names, file_source, from_pandas
from reportgen.wording.numbers import many

Rows = list[list[str | None]]

MOST_ROWS = 1_048_576  # rows of a sheet in Excel

MOST_PARTS = 10_000  # the most files in a workbook, which has a few for each sheet and each picture

PACKED, MANY_BYTES = 200, 50_000_000
"""A part of this many bytes with this compression ratio repeats one thing; sheets of scores are packed 20:1."""

BYTES_OF_CELL, BYTES_OF_GAP = 200, 16  # memory of a cell, and of an absent cell, while a sheet is read

BYTES_IN_MEMORY = {"worksheets": 0, "sharedStrings.xml": 8, "media": 0, "embeddings": 0}
"""Memory per byte of a part that is not read row by row, or not at all; for others, the tree of elements."""

BYTES_OF_TREE = 20

INSTEAD = "save it as .csv"


def text_in(path: Path, encoding: str | None, memory: int) -> str:
    """Return the text of a file that needs this much memory per byte, in the encoding that it declares."""
    refuse_above(path.stat().st_size * memory, "reading it requires", "save it as .csv or .parquet")
    encoding = encoding_of(path, encoding)
    try:
        return path.read_text(encoding)
    except UnicodeError:
        ask_about_encoding(path, encoding)


def read_page(path: Path, encoding: str | None = None) -> TableReader:
    """Return the largest table of an HTML page, or of a workbook written as XML."""
    tables = _Tables()
    try:
        tables.feed(text_in(path, encoding, BYTES_OF_TREE))
    except AssertionError:
        raise InputError(f"not a readable HTML page; {INSTEAD}.") from None
    return read_cells(max(tables.found, key=lambda rows: sum(map(len, rows))), [], path, "html")


class _Tables(HTMLParser):
    """The cells of the tables in HTML, where end tags are optional, or in the XML of a workbook."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Rows] = [[]]
        self._cell = (list[str | None](), 0)  # the row of the open cell, and its place; no row if none is open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("tr", "row"):
            self.found[-1].append([])
        elif tag in ("td", "th", "cell") and self.found[-1]:
            numbers = {key: int(text[:4]) for key, text in attrs if text and text[:4].isdecimal()}
            row = self.found[-1][-1]
            row += [None] * (numbers.get("ss:index", 0) - 1 - len(row))  # XML leaves out blank cells
            self._cell = row, len(row)
            row += [None] * max(1, numbers.get("colspan", 1))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "cell", "table"):
            self._cell = [], 0
            self.found += [[]] * (tag == "table")

    def handle_data(self, data: str) -> None:
        row, place = self._cell
        if row and data.strip():
            row[place] = " ".join([*filter(None, [row[place]]), *data.split()])


def read_cells(rows: Rows, notes: Sequence[str], path: Path, kind: str) -> TableReader:
    """Return the cells of a sheet as a table; the header is the first row that is more than a title."""
    above = _header_of(rows)
    around = around_of(rows[above:], rows)
    first = 2 + above + around.below
    blank = [number for number, row in enumerate(rows, 1) if number >= first and not any(row)]
    filled = [row for row in (*rows[above : above + 1], *rows[first - 1 :]) if any(row)]
    if not filled:
        raise InputError("the file contains no table; add a header row and one row per response.")
    width = max(index + 1 for row in filled for index, cell in enumerate(row) if cell)
    _, *cells = filled[: len(filled) - around.end]
    given = [*around.names[:width], *[""] * (width - len(around.names))]
    refuse_above(len(cells) * width * BYTES_OF_GAP, f"{len(cells):,} rows of {width:,} columns need", INSTEAD)
    columns = zip(given, itertools.zip_longest(checked_names(given), *cells), strict=False)
    found = {column[0]: texts_to_arrow(column[1:]) for name, column in columns if name or any(column[1:])}
    reader = TableReader(pa.table(found), file_source(path, len(cells), kind), first, blank)
    reader.notes = (*around.notes, *notes)
    return reader


MOST_PER_ID = 10  # the most rows per ID, on average, of a sheet to which another is joined

SHARED = 0.7  # the largest share of rows of a sheet that may begin like rows of another sheet

SHEET = "sheet"  # the column that shows the sheet of a row, if more than one sheet is read


def largest_sheet(path: Path) -> tuple[Rows, list[str]]:
    """Return the cells of the largest sheet, or of all sheets with its column names, and notes on the others."""
    import openpyxl  # type: ignore[import-untyped]

    try:
        with path.open("rb") as file:  # openpyxl does not close a file that it cannot read
            with zipfile.ZipFile(file) as archive:
                _check(archive)
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            sheets = {sheet.title: _sheet_rows(sheet) for sheet in book.worksheets}
    except (InputError, MemoryError):
        raise
    except Exception:  # noqa: BLE001 - a damaged file can raise anything in what unpacks and parses it
        raise InputError("not a readable Excel workbook; save it again as .xlsx, or as .csv.") from None
    most = max(sheets.values(), key=lambda rows: sum(map(len, rows)), default=[])
    alike = {name: rows for name, rows in sheets.items() if rows[1:] and rows[0] == most[0] and SHEET not in rows[0]}
    others = {name: rows for name, rows in sheets.items() if rows[1:] and name not in alike and rows is not most}
    if len(alike) < 2 or sum(map(bool, most[0])) < 2:
        return _with_sheets(most, others)
    notes = [f"sheets not read: {listed(others)}"] * bool(others)
    for (one, first), (two, second) in itertools.combinations(alike.items(), 2):
        ours, theirs = ({tuple(row[:2]) for row in own[1:] if any(row)} for own in (first, second))
        if len(ours & theirs) > SHARED * min(len(ours), len(theirs)):
            text = f"sheets '{one}' and '{two}' contain the same responses"
            raise InputError(f"{text}; save the sheet that counts as its own file.")
    width = len(most[0])
    rows = [[*row, *[None] * (width - len(row)), name] for name, own in alike.items() for row in own[1:] if any(row)]
    notes.append(f"{len(alike)} sheets with the same columns are read together; '{SHEET}' shows the sheet")
    return [[*most[0], SHEET], *rows], notes


def _with_sheets(rows: Rows, others: Mapping[str, Rows]) -> tuple[Rows, list[str]]:
    """Add the columns of other sheets that have one row for each ID of a sheet, and return notes on the others."""
    notes, left, top = list[str](), list[str](), _header_of(rows)
    for name, other in others.items():
        header, *below = other[_header_of(other) :]
        keys = [cell for cell in header if cell and cell in rows[top]]
        more = [cell for cell in header if cell and cell not in keys]
        found = [dict(itertools.zip_longest(header, row[: len(header)])) for row in below if any(row)]
        by_key = {tuple(map(row.get, keys)): row for row in found}
        own = [tuple(map(dict(zip(rows[top], row, strict=False)).get, keys)) for row in rows[top + 1 :]]
        common = len({*own} & by_key.keys()) > SHARED * len({*own})
        if keys and more and common and len(by_key) == len(found) and len({*own}) * MOST_PER_ID > len(own):
            width, added = len(rows[top]), [map(by_key.get(key, {}).get, more) for key in own]
            both = zip(rows[top + 1 :], added, strict=True)
            body = [[*row[:width], *[None] * (width - len(row)), *cells] for row, cells in both]
            rows = [*rows[:top], [*rows[top], *more], *body]
            notes.append(f"sheet '{name}' is joined on {listed(keys)}")
        else:
            left.append(name)
    return rows, [*notes, *[f"sheets not read: {listed(left)}"] * bool(left)]


def _header_of(rows: Rows) -> int:
    return next((number for number, row in enumerate(rows) if sum(map(bool, row)) > 1), 0)


def _check(archive: zipfile.ZipFile) -> None:
    """Check the parts of a workbook before reading them: no part unpacks to more than it declares."""
    parts = archive.infolist()
    if len(parts) > MOST_PARTS:
        raise InputError(f"contains {len(parts):,} files, but a workbook has only a few; {INSTEAD}.")
    for part in parts:
        if part.file_size > MANY_BYTES and part.file_size > PACKED * part.compress_size:
            size = f"{part.compress_size / 1e6:.1f} MB of it unpack to {part.file_size / 1e6:,.0f} MB of repeated"
            raise InputError(f"{size} content, which cannot be scores; {INSTEAD}.")
    factors = [[BYTES_IN_MEMORY.get(word, BYTES_OF_TREE) for word in part.filename.split("/")] for part in parts]
    memory = sum(part.file_size * min(own) for part, own in zip(parts, factors, strict=True))
    refuse_above(memory, "its texts require", INSTEAD)
    if archive.testzip() is not None:
        raise zipfile.BadZipFile


def _sheet_rows(sheet: Any) -> Rows:
    sheet.reset_dimensions()  # the size declared in a sheet may be wrong, and rows would be padded to it
    rows, cells = list[list[str | None]](), 0
    for row in sheet.iter_rows(values_only=True):
        if len(rows) == MOST_ROWS:
            raise InputError(f"has rows beyond row {MOST_ROWS:,}, the last row of a sheet; {INSTEAD}.")
        width = next((len(row) - n for n, cell in enumerate(reversed(row)) if cell is not None), 0)
        rows.append([*map(_text, row[:width])])
        cells += width
        refuse_above(cells * BYTES_OF_CELL, f"its sheet has more than {cells:,} cells, which require", INSTEAD)
    return rows


def _text(cell: Any) -> str | None:
    """Return a cell as text: whole floats without ``.0``, dates in ISO format."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    return None if cell is None else cell.isoformat() if isinstance(cell, datetime | date | time) else str(cell)


PROGRAMS = {
    ".sas7bdat": "SAS", ".xpt": "SAS", ".dta": "Stata", ".sav": "SPSS", ".zsav": "SPSS", ".feather": "Arrow",
    ".arrow": "Arrow",
}  # fmt: skip
"""File extension -> the program that writes the files."""


def read_statistics(path: Path, kind: str, encoding: str | None = None) -> TableReader:
    """Return a data file of SAS, Stata, SPSS, or Arrow as a table; values are their labels if all have one."""
    import pandas as pd

    encoding = encoding_of(path, encoding or "latin-1")
    try:
        match program := PROGRAMS[kind]:
            case "Arrow":
                table = feather.read_table(path)
            case "Stata":
                table = from_pandas(pd.read_stata(path))
            case "SAS" if kind == ".xpt":
                table = from_pandas(import_module("pyreadstat").read_xport(path)[0])
            case "SAS":
                table = from_pandas(pd.read_sas(path, format="sas7bdat", encoding=encoding))
            case _:
                numbers, labels = (pd.read_spss(path, convert_categoricals=each) for each in (False, True))
                named = [n for n in labels if all(isinstance(each, str) for each in labels[n].dropna().unique())]
                scored = {name for name in labels if side_of(str(name))[0]}  # either all of them have labels or none
                named = named if scored <= {*named} else [name for name in named if name not in scored]
                table = from_pandas(numbers.assign(**{str(name): labels[name] for name in named}))
    except ImportError:
        raise InputError(f"{kind} files need the package pyreadstat: pip install 'reportgen-scoring[spss]'.") from None
    except Exception as error:  # noqa: BLE001 - each program's reader raises its own
        pass_on(error)
        reason = " ".join(str(error).split())[:120]
        raise InputError(f"not a readable {program} data file ({reason}); save it again, or as .csv.") from None
    return TableReader(table, file_source(path, table.num_rows, kind[1:]), first_row=1)


MEMORY_OF_JSON_BYTE = 10  # memory per byte of parsed JSON: 2 for long texts, 10 for small objects and numbers

_HALF = re.compile(r"\\u[dD][89abABcdefCDEF]")  # an escape of half a character, which may lack the other half


def json_of(text: str | bytes, **hooks: Any) -> Any:
    r"""Parse JSON; half a character becomes a question mark.

    >>> json_of('{"a": "\\ud83d"}'), json_of('"\\ud83d\\ude00"') == chr(0x1F600)
    ({'a': '?'}, True)
    """
    try:
        whole = text if isinstance(text, str) else text.decode("utf-8-sig")
        found = json.loads(whole, **hooks)
        if _HALF.search(whole):
            found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except UnicodeDecodeError:
        raise ValueError("not UTF-8 text") from None
    return found


def json_in(path: Path, encoding: str | None = None, **hooks: Any) -> tuple[Any, list[int]]:
    """Return the content of a JSON file; if each line is an object, a list of these and the numbers of their lines."""
    text, rows, line = text_in(path, encoding, MEMORY_OF_JSON_BYTE), dict[int, Any](), 0
    has_lines = path.suffix.lower() != ".json" and not text.lstrip().startswith("[")
    try:
        if not has_lines and not re.match(r"\s*\{.*\}\s*\n\s*\{", text):
            return json_of(text, **hooks), []
        for line, row in enumerate(text.split("\n"), 1):
            if row.strip():
                rows[line] = json_of(row, **hooks)
                if not isinstance(rows[line], dict):
                    raise InputError(f"line {line}: expected a JSON object, found {json_kind(rows[line])}.")
    except ValueError as error:
        line, why = line or getattr(error, "lineno", 1), getattr(error, "msg", error)
        raise InputError(f"line {line}: not readable as JSON ({why}); correct it, or save it as .csv.") from None
    return list(rows.values()), list(rows)


def value_in(text: str) -> Any:
    """Return a value that JSON or Python wrote; the text itself if none did.

    >>> value_in('{"score": 4}'), value_in("{'score': 4}"), value_in("4 of 5")
    ({'score': 4}, {'score': 4}, '4 of 5')
    """
    for read in (json_of, lambda text: json_of(json.dumps(ast.literal_eval(text)))):
        try:
            return read(text)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
    return text


def as_object(text: str) -> dict[str, Any]:
    """Return the object that a text is, or the objects of a list as one with numbered keys; empty if it is none.

    >>> as_object('[{"by": "a", "score": 4}, {"by": "b", "score": 3}]')
    {'by': 'a', 'score': 4, 'by 2': 'b', 'score 2': 3}
    """
    found = value_in(text)
    each = [one for one in (found if isinstance(found, list) else [found]) if isinstance(one, dict)]
    return {f"{key} {n}" if n > 1 else key: value for n, one in enumerate(each, 1) for key, value in one.items()}


def json_kind(value: Any) -> str:
    """Return the kind of a JSON value, without its contents.

    >>> [json_kind(value) for value in ({}, [], "a", 1.5, True, None)]
    ['an object', 'a list', 'text', 'a number', 'true or false', 'null']
    """
    kinds = ((dict, "an object"), (list, "a list"), (str, "text"), (bool, "true or false"), ((int, float), "a number"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "null")


_ROWS = frozenset(("annotations", "data", "examples", "items", "records", "responses", "results", "rows", "scores"))
"""Keys under which a JSON file has its rows."""

_MANY = _ROWS | {"classifications", "completions", "labels", "ratings", "result"}
"""Keys of lists whose objects are separate rows."""

MOST_SPREAD = 10_000  # the most rows from one object


def _spread(
    value: Any, path: tuple[str, ...] = (), several: frozenset[str] = frozenset()
) -> list[dict[tuple[str, ...], Any]]:
    """Return a JSON value as rows of path -> value; a list with one element is that element, numbers are in columns.

    several: Keys of lists that have more elements in another row.

    >>> _spread({"id": 1, "ratings": [{"by": "a", "value": [4]}, {"by": "b", "value": [3, 2]}]})[1]
    {('id',): 1, ('ratings', 'by'): 'b', ('ratings', 'value'): '[3, 2]'}
    """
    if isinstance(value, list):
        objects = bool(value) and all(isinstance(each, dict) for each in value)
        if objects and _MANY.intersection(path):
            return [row for each in value for row in _spread(each, path, several)]
        if objects and path and all(NUMBER.fullmatch(str(score)) for each in value for score in each.values()):
            named = ((*path[:-1], f"{path[-1]} {n}") for n in range(1, len(value) + 1))
            return [{(*own, key): score for own, each in zip(named, value, strict=True) for key, score in each.items()}]
        if len(value) == 1 and several.isdisjoint(path[-1:]):
            return _spread(value[0], path, several)
        value = json.dumps(value) if value else None
    if not isinstance(value, dict):
        return [{path: value}]
    rows: list[dict[tuple[str, ...], Any]] = [{}]
    for key, inner in value.items():
        parts = _spread(inner, (*path, key), several)
        if len(rows) * len(parts) > MOST_SPREAD:
            raise InputError(f"an object has more than {MOST_SPREAD:,} ratings; write one object for each.")
        if len(parts) == 1 == len(rows):
            rows[0].update(parts[0])
        else:
            rows = [row | part for row in rows for part in parts]
    return rows


def _several(value: Any, key: str = "") -> Iterator[str]:
    """Yield the keys of lists with several objects."""
    if isinstance(value, list) and len(value) > 1 and isinstance(value[0], dict):
        yield key
    for name, inner in value.items() if isinstance(value, dict) else ((key, each) for each in value):
        if isinstance(inner, dict | list):
            yield from _several(inner, name)


def _table_of(rows: list[dict[tuple[str, ...], Any]]) -> Any:
    """Return rows as a table of texts, with columns named by the last key of their path if it is unique.

    If a key of metadata shows whose they are, the path is the name.
    """
    paths = dict.fromkeys(path for row in rows for path in row if path)
    last = Counter(path[-1] for path in paths)
    long = {path for path in paths if any("metadata" in key and side_of(key)[0] for key in path[:-1])}
    rated = [path for path in paths if has_word("rating", [path[-1].casefold()])]
    alone = Counter(path[0] for path in rated)  # the only score below a key, such as "judge"
    long |= {p for p in rated if "meta" in p[:-1] or (p[1:] and alone[p[0]] == 1 and side_of(p[-2])[0])}
    names = {path: path[-1] if last[path[-1]] == 1 and path not in long else ".".join(path) for path in paths}
    table = pa.table({name: texts_to_arrow([_text_of(row.get(path)) for row in rows]) for path, name in names.items()})
    return table.rename_columns(checked_names(table.schema.names)) if names else table


def _text_of(value: Any) -> str | None:
    return str(value).lower() if isinstance(value, bool) else None if value is None else str(value)


def has_rows(path: Path) -> bool:
    """Return whether a JSON file contains rows, or is too large for anything else."""
    try:
        content, lines = json_in(path)
    except (InputError, SettingsError) as error:
        return isinstance(error, NeedsMemoryError)
    return bool(lines or records_of(content))


def read_json(path: Path, encoding: str | None = None) -> TableReader:
    """Return the rows of a JSON file as a table of texts; numbers are as written."""
    hooks = dict.fromkeys(("parse_float", "parse_int", "parse_constant"), str) | {"object_pairs_hook": without_repeats}
    content, lines = json_in(path, encoding, **hooks)
    records = content if lines else records_of(content)
    times = Counter(key for record in records for key in record)
    usual = {key for key, n in times.items() if 2 * n > len(records)}
    odd = {n for n, record in enumerate(records) if usual.isdisjoint(record)} if usual else set[int]()
    several = frozenset(key for record in records for key in _several(record))
    rows = [(n, row) for n, record in enumerate(records) if n not in odd for row in _spread(record, (), several)]
    table, places = _table_of([row for _, row in rows]), [lines[n] if lines else n + 1 for n, _ in rows]
    if not table.num_columns:
        raise InputError("the file contains no list of objects; expected one object for each response or rating.")
    source = file_source(path, table.num_rows, "jsonl" if lines else "json")
    reader = TableReader(table, source, place=lambda index: Place(places[index]))
    reader.notes = (f"not read: {many(len(odd), 'object')} without the keys of the others",) * bool(odd)
    return reader


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; raise if it has a key twice, because one value would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        [(key, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"an object has the key '{key[:60]}' twice")
    return found


def records_of(found: Any, keys: Collection[str] = _ROWS) -> list[Any]:
    """Return the rows of JSON: a list, lists below keys, columns, or objects by their IDs.

    >>> records_of({"human": {"0": 3, "1": 4}, "engine": {"0": 3.1, "1": 3.9}})[1]
    {'human': 4, 'engine': 3.9}
    >>> records_of({"r1": {"human": 3}, "r2": {"human": 4}})[1]
    {'id': 'r2', 'human': 4}
    """
    if not isinstance(found, dict):
        return found if isinstance(found, list) and isinstance(next(iter(found), None), dict) else []
    if {"columns", "data"} <= found.keys():
        return [dict(zip(found["columns"], row, strict=False)) for row in found["data"]]
    holders = (found, *(each for each in found.values() if isinstance(each, dict)))
    for holder in holders:
        rows = [row for key in keys if isinstance(holder.get(key), list) for row in holder[key]]
        if rows and isinstance(rows[0], dict):
            return rows
    values = list(found.values())
    if len(values) > 1 and all(isinstance(each, list) and len(each) == len(values[0]) for each in values):
        return [dict(zip(found, row, strict=True)) for row in zip(*values, strict=True)]
    if len(values) > 1 and all(isinstance(each, dict) and each.keys() == values[0].keys() for each in values):
        if len(values[0]) < len(values) and not all(map(str.isdecimal, values[0])):
            return [{"id": key} | row for key, row in found.items()]
        return [{name: column[place] for name, column in found.items()} for place in values[0]]
    lists = [each for holder in holders for key, each in holder.items() if isinstance(each, list) and key != "traits"]
    return max((each for each in lists if each[1:] and all(isinstance(row, dict) for row in each)), key=len, default=[])
