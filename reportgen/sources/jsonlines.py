"""JSON lines: one object a line, every value as the text that stands there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from reportgen.errors import InputError
from reportgen.machine.memory import refuse_above
from reportgen.sources.columns import texts_to_arrow
from reportgen.sources.tabular import TableReader, checked_names, file_source, text_encoding

MEMORY_OF_JSON_BYTE = 10
"""Bytes of memory that a byte of JSON takes once it is read: 2 of long texts, 10 of small objects and numbers."""

_HALF = re.compile(r"\\u[dD][89abABcdefCDEF]")
"""An escape of half a character, which may lack the other half."""


def json_of(text: str | bytes) -> Any:
    r"""Return the value of a JSON text; half of a character in it becomes a question mark.

    >>> json_of('{"a": "\\ud83d"}'), json_of('"\\ud83d\\ude00"') == chr(0x1F600)
    ({'a': '?'}, True)
    """
    try:
        whole = text if isinstance(text, str) else text.decode("utf-8-sig")
        found = json.loads(whole)
        if _HALF.search(whole):
            found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except UnicodeDecodeError:
        raise ValueError("not UTF-8 text") from None
    return found


def json_kind(value: Any) -> str:
    """Return what a value of JSON is, without its contents.

    >>> [json_kind(value) for value in ({}, [], "a", 1.5, True, None)]
    ['an object', 'a list', 'text', 'a number', 'true or false', 'null']
    """
    kinds = ((dict, "an object"), (list, "a list"), (str, "text"), (bool, "true or false"), ((int, float), "a number"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "null")


MEMORY_OF_BYTE = 6
"""Bytes of memory that a byte of the file takes: 4 of long texts, 5.4 of short lines."""

_BATCH = 50_000
"""Lines held as Python objects at a time."""


def read_json_lines(path: Path, encoding: str | None = None) -> TableReader:
    """Return the objects of a file as a table; a key that an object lacks is blank there.

    Keys of an object inside are taken as columns; deeper ones are joined with a dot.
    """
    refuse_above(path.stat().st_size * MEMORY_OF_BYTE, "reading it needs", "save it as .csv or .parquet")
    blank: list[int] = []
    records = _records(path, text_encoding(encoding or "utf-8-sig"), blank)
    tables = [*map(_table, iter(lambda: [*islice(records, _BATCH)], []))]
    table = pa.concat_tables(tables, promote_options="default") if tables else pa.table({})
    if not table.num_columns:
        raise InputError("the file holds no objects; expected one JSON object per line.")
    table = table.rename_columns(checked_names(table.schema.names))
    return TableReader(table, file_source(path, table.num_rows, "jsonl"), 1, blank)


def _records(path: Path, encoding: str, blank: list[int]) -> Iterator[dict[str, str | None]]:
    """Yield the objects, and note the numbers of blank lines in `blank`."""
    number = 0
    try:
        with path.open(encoding=encoding) as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _record(line, number)
                else:
                    blank.append(number)
    except UnicodeError:
        raise InputError(
            f"line {number + 1} is not {encoding} text; name the encoding, as in --encoding latin-1."
        ) from None


class _Object(list[tuple[str, Any]]):
    """A JSON object as its keys and values, so that a key that is there twice can be found."""


def _record(line: str, number: int) -> dict[str, str | None]:
    """Return one line as column names and texts."""
    row: dict[str, str | None] = {}
    try:
        found = json.loads(line, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=_Object)
        if not isinstance(found, _Object):
            raise InputError(f"line {number}: expected a JSON object, found {json_kind(found)}.")
        for key, value in _cells(found, number):
            if key in row:
                raise InputError(
                    f"line {number}: the object has the key '{key[:60]}' twice (keys of an object inside count too); "
                    "rename one of them."
                )
            row[key] = _text(value, key, number)
    except RecursionError:
        raise InputError(
            f"line {number}: a value is nested too deeply to be read; remove it, or save the scores as .csv."
        ) from None
    except ValueError:
        raise InputError(f"line {number}: expected one JSON object, found what is no JSON.") from None
    return row


def _cells(found: _Object, number: int, prefix: str | None = None) -> Iterator[tuple[str, Any]]:
    """Yield names and values: keys of an object inside as they are, deeper ones joined with a dot."""
    seen: set[str] = set()
    for key, value in found:
        if key in seen:
            raise InputError(f"line {number}: the object has the key '{key[:60]}' twice; rename one of them.")
        seen.add(key)
        name = f"{prefix}.{key}" if prefix else key
        if isinstance(value, _Object):
            yield from _cells(value, number, "" if prefix is None else name)
        else:
            yield name, value


def _text(value: Any, key: str, number: int) -> str | None:
    """Return a JSON value as text; null is blank."""
    if isinstance(value, list):
        raise InputError(f"line {number}: '{key}' holds a list; expected text or a number.")
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if value is None else str(value)


def _table(records: list[dict[str, str | None]]) -> Any:
    """Return objects as an Arrow table of strings, columns in order of appearance."""
    names = list(dict.fromkeys(name for record in records for name in record))
    return pa.table({name: texts_to_arrow([record.get(name) for record in records]) for name in names})
