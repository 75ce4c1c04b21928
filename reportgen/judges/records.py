"""Read rows of JSON, JSON Lines, CSV, and Parquet files as objects."""

import csv
import json
import math
import struct
import tomllib
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from reportgen.errors import InputError, QuestionError
from reportgen.machine.memory import refuse_above
from reportgen.sources.documents import MEMORY_OF_JSON_BYTE, as_object, json_in, json_kind, json_of, records_of
from reportgen.sources.readers import open_reader

MEMORY_OF_VALUE = 300  # bytes of memory per value of a table, as a Python object with its overhead

TOOLS: Mapping[str, Mapping[str, Any]] = tomllib.loads(Path(__file__).with_name("tools.toml").read_text("utf-8"))
LINES = (".jsonl", ".jsonlines", ".ndjson")
DELIMITERS = {".csv": ",", ".tsv": "\t"}


def names_of(path: Path) -> set[str]:
    """Return the column names of a table, or the quoted words at the beginning of a JSON file, without a full read."""
    suffix = path.suffix.lower()
    try:
        if suffix == ".parquet":
            return set(open_reader(path).head.schema.names)
        with path.open("rb") as file:
            start = file.read(1 << 16).decode("utf-8-sig", "ignore")
        if suffix in DELIMITERS:
            return set(next(csv.reader([start.split("\n", 1)[0].rstrip("\r")], delimiter=DELIMITERS[suffix]), []))
    except (OSError, ValueError, InputError, csv.Error):  # ValueError: a name is not UTF-8
        return set()
    return set(start.split('"')[1:]) if suffix in (".json", *LINES) else set()


class DescribedReader:
    """Reader of judge outputs that `tools.toml` describes."""

    key: ClassVar[str]
    title: str
    tool: str
    suffixes: Sequence[str] = (".parquet", ".json", *LINES, *DELIMITERS)
    marks: Sequence[Sequence[str]]
    inside: Sequence[str] = ()

    def __init__(self) -> None:
        vars(self).update(TOOLS[self.key])

    def recognises(self, path: Path) -> bool:
        """Return whether a file has the columns of the tool, or begins like its JSON."""
        names = names_of(path) if path.suffix.lower() in self.suffixes else set()
        return all(names.intersection(group) for group in self.marks)


def rows_of(path: Path, inside: Sequence[str] = (), columns: Sequence[str] | None = None) -> list[Mapping[str, Any]]:
    """Return the rows of a table as objects.

    inside: Keys of JSON that may contain the rows.
    columns: Columns to read from a Parquet file (default: all).
    """
    with in_utf8():
        if path.suffix.lower() in (".parquet", *DELIMITERS):
            reader = open_reader(path)
            names = [name for name in reader.head.schema.names if columns is None or name in columns]
            needed = MEMORY_OF_VALUE * float(reader.rows) * len(names)
            refuse_above(needed, "reading it requires", "export fewer responses")
            rows: list[Any] = reader.load(names).to_pylist()
        else:
            content, lines = json_in(path)
            rows = content if lines or isinstance(content, list) else records_of(content, inside) or [content]
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise InputError(f"row {number}: expected an object, found {json_kind(row)}.")
    return rows


@contextmanager
def in_utf8() -> Iterator[None]:
    """Raise for a file of a tool in another encoding, which no tool writes."""
    try:
        yield
    except QuestionError:
        raise InputError("the file is not UTF-8 text; export it again.") from None


def field(row: Mapping[str, Any], *paths: str) -> Any:
    """Return the first field that is not empty, otherwise None; a dot leads into an object.

    >>> field({"traceId": "", "trace_id": "t1"}, "traceId", "trace_id", "sessionId")
    't1'
    >>> field({"result": {"score": 3}}, "result.score"), field({"result.score": 3}, "result.score")
    (3, 3)
    """
    return next((value for path in paths if (value := _at(row, path)) not in (None, "")), None)


def _at(row: Any, path: str) -> Any:
    if not isinstance(row, Mapping):
        return None
    name, dot, rest = path.partition(".")
    return _at(row.get(name), rest) if dot and path not in row else row.get(path)


def text_of(value: Any) -> str | None:
    """Return a JSON value as cell text: true and false as 1 and 0, lists and objects as JSON.

    >>> text_of(4), text_of(4.5), text_of(True), text_of(None), text_of(" x "), text_of([1])
    ('4', '4.5', '1', None, ' x ', '[1]')
    """
    if value is None:
        return None
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def score_of(value: Any) -> str | None:
    """Return a judge's output as the text of a score; for an object, or text that is one, its ``score``.

    Words are kept, and counted later as unparseable.

    >>> score_of('{"score": 4, "reason": "clear"}'), score_of({"score": 2}), score_of(" 3 "), score_of("I can't")
    ('4', '2', '3', "I can't")
    """
    if isinstance(value, str):
        value = as_object(value.strip()) or value.strip() or None
    return text_of(value["score"] if isinstance(value, dict) and "score" in value else value)


def is_number(text: str | None) -> bool:
    """Return whether a text is a finite number."""
    try:
        return text is not None and math.isfinite(float(text))
    except ValueError:
        return False


def mostly_numbers(texts: Iterable[str | None]) -> bool:
    """Return whether at least half of the nonblank texts are numbers, and at least one is."""
    here = [is_number(text) for text in texts if text is not None and text.strip()]
    return bool(here) and 2 * sum(here) >= len(here)


def columns_of(rows: Sequence[dict[str, str | None]]) -> dict[str, list[str | None]]:
    """Return rows as columns, in the order in which their names appear.

    >>> columns_of([{"a": "1"}, {"a": "2", "b": "x"}])
    {'a': ['1', '2'], 'b': [None, 'x']}
    """
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


ZSTANDARD = 93
BOUNDED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, ZSTANDARD)
"""Compression methods that never unpack to more than the declared size."""

MEMORY_OF_FILE = 1000  # bytes of memory per file entry, whatever it contains

_LOCAL_HEADER = struct.Struct("<26xHH")
"""Layout of a file's local header, which contains the lengths of the name and the extra field (PKWARE APPNOTE 4.3.7).
"""

_DAMAGED = (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, OSError, EOFError, ValueError)


def archived(path: Path, folder: str, others: Collection[str]) -> Iterator[tuple[str, Any]]:
    """Yield names and contents of the JSON files in one folder of a ZIP archive, and of the files in `others`."""
    try:
        with zipfile.ZipFile(path) as archive, path.open("rb") as raw:
            infos = {info.filename: info for info in archive.infolist()}.values()  # the last entry of a name counts
            declared = sum(info.file_size for info in infos) * MEMORY_OF_JSON_BYTE + len(infos) * MEMORY_OF_FILE
            refuse_above(declared, "reading it requires", "export fewer samples")
            for info in infos:
                name = info.filename
                if name not in others and not (name.startswith(f"{folder}/") and name.endswith(".json")):
                    continue
                if info.compress_type not in BOUNDED or info.flag_bits & 1:
                    raise InputError("the archive is encrypted or its compression is unsupported; use deflate or zstd.")
                packed = info.compress_type == ZSTANDARD
                yield name, json_of(_unpacked(raw, info) if packed else _inflated(archive, info))
    except _DAMAGED as error:
        reason = " ".join(str(error).split()).rstrip(".")[:120] or "it is damaged"
        raise InputError(f"not a readable archive: {reason}.") from None


def _inflated(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Return the bytes of a file, at most the declared number, after checking the checksum."""
    with archive.open(info) as file:
        found = file.read(info.file_size)
        file.read(1)  # the checksum is compared at the end
    return found


def _unpacked(raw: Any, info: zipfile.ZipInfo) -> bytes:
    import pyarrow as pa

    end = raw.seek(0, 2)
    raw.seek(info.header_offset)
    name, extra = _LOCAL_HEADER.unpack(raw.read(_LOCAL_HEADER.size))
    raw.seek(info.header_offset + _LOCAL_HEADER.size + name + extra)
    found = pa.decompress(raw.read(min(info.compress_size, end)), info.file_size, codec="zstd", asbytes=True)
    return bytes(found)
