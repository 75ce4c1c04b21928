"""Write hostile Parquet, Excel, and DuckDB files of scores."""

import datetime
import decimal
import io
import re
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import openpyxl  # type: ignore[import-untyped]
import pyarrow as pa
import pyarrow.parquet as pq
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE as ILLEGAL  # type: ignore[import-untyped]

from fuzz.pieces import Draw, showable
from fuzz.spoiling import spoilt
from fuzz.tables import SCORES, Table, perhaps_spoilt

OF_NUMBERS: tuple[Callable[[], pa.DataType], ...] = (
    pa.float64, pa.float32, pa.float16, pa.int64, pa.uint64, pa.int8, pa.bool_, pa.date32,
    lambda: pa.decimal128(30, 3), lambda: pa.decimal256(60, 3), lambda: pa.duration("ns"), lambda: pa.time32("s"),
    lambda: pa.timestamp("ns"), lambda: pa.timestamp("ns", tz="Europe/Vienna"),
)  # fmt: skip
OF_TEXT: tuple[Callable[[], pa.DataType], ...] = (pa.string, pa.large_string, pa.string_view, pa.binary, pa.null)


def _numbers(cells: Sequence[str], make: Callable[[], pa.DataType]) -> pa.Array:
    """Convert numeric cells to a type; values outside of its range are null."""
    kind = make()
    made = []
    for cell in cells:
        value: Any = None
        with suppress(ValueError, ArithmeticError, pa.ArrowException):
            value = pa.scalar(_of_kind(float(cell), kind), kind).as_py()
        made.append(value)
    return pa.array(made, kind)


def _of_kind(number: float, kind: pa.DataType) -> Any:
    """Convert a number to a Python value that Arrow accepts for a type."""
    if pa.types.is_floating(kind):
        return number
    if pa.types.is_decimal(kind):
        return decimal.Decimal(f"{number:.3f}")
    return bool(number > 3) if pa.types.is_boolean(kind) else int(number)


def _nested(cells: Sequence[str]) -> list[pa.Array]:
    return [
        pa.array([[cell] for cell in cells], pa.list_(pa.string())),
        pa.array([{"a": cell, "b": 1} for cell in cells], pa.struct([("a", pa.string()), ("b", pa.int64())])),
        pa.array([[("k", cell)] for cell in cells], pa.map_(pa.string(), pa.string())),
        pa.array(cells, pa.string()).dictionary_encode(),
    ]


def _column(draw: Draw, name: str, cells: list[str]) -> pa.Array:
    """Return a column of a valid type, sometimes of any type."""
    if draw.happens(0.85):
        return _numbers(cells, pa.float64) if name in SCORES else pa.array(cells, pa.string())
    how = draw.randrange(3)
    if how == 0:
        return _numbers(cells, draw.choice(OF_NUMBERS))
    if how == 1:
        kind = draw.choice(OF_TEXT)()
        return pa.nulls(len(cells)) if pa.types.is_null(kind) else pa.array(cells, kind)
    return draw.choice(_nested(cells))


def parquet(draw: Draw, table: Table, path: Path) -> bool:
    """Write a table as a Parquet file; return whether its bytes are damaged."""
    width = len(table.head)
    rows = [[showable(cell) for cell in row[:width]] + [""] * (width - len(row)) for row in table.body]
    names = [showable(name) for name in table.head]
    columns = [_column(draw, name, [row[k] for row in rows]) for k, name in enumerate(names)]
    file = io.BytesIO()
    pq.write_table(
        pa.Table.from_arrays(columns, names=names),
        file,
        compression=draw.choice(["snappy", "zstd", "gzip", "none", "brotli"]),
        row_group_size=draw.choice([1, 7, 1000]),
        write_statistics=draw.happens(0.8),
    )
    data, wrong = perhaps_spoilt(draw, file.getvalue())
    path.write_bytes(data)
    return wrong


ODD_CELLS: tuple[Any, ...] = (
    datetime.datetime(2026, 1, 1), datetime.timedelta(days=1), datetime.time(1, 2), True, "=1+1", "#N/A", 1e300, None,
    '=HYPERLINK("http://127.0.0.1:9")',
)  # fmt: skip
ENTITIES = (
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(b'<!ENTITY a%d "%s">' % (k, (b"&a%d;" % (k - 1) if k else b"&a;") * 10) for k in range(9))
    + b'<!ENTITY e SYSTEM "file:///etc/passwd">]>'
)


def _written(draw: Draw, text: str) -> Any:
    if draw.happens(0.02):
        return draw.choice(ODD_CELLS)
    with suppress(ValueError):
        return float(text)
    return ILLEGAL.sub("?", showable(text))[:32000]


def _unusual_sheets(draw: Draw, book: Any) -> None:
    """Add rare workbook features: distant cells, merged cells, and first, hidden, or chart sheets."""
    sheet = book.active
    unusual: tuple[Callable[[], Any], ...] = (
        lambda: sheet.cell(1048576, 1, "x"), lambda: sheet.cell(1, 16384, "x"), lambda: sheet.merge_cells("A1:C4"),
        lambda: book.create_sheet("first", 0), lambda: sheet.insert_rows(1, 3),
        lambda: book.create_chartsheet("chart", 0), lambda: setattr(sheet, "sheet_state", "hidden"),
    )  # fmt: skip
    if draw.happens(0.5):
        draw.choice(unusual)()
        if sheet.sheet_state == "hidden":
            book.create_sheet("seen")


def _change_part(draw: Draw, parts: dict[str, bytes]) -> None:
    """Change one part of a workbook."""
    name = draw.choice([part for part in parts if re.search("sheet|haredStr|workbook", part)])
    part = parts[name]
    cells = b"<c><v>0</v></c>" * draw.choice([10, 300_000])
    parts[name] = draw.choice(
        [
            b"",
            spoilt(draw, part),
            re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1:XFD1048576"', part),
            ENTITIES + re.sub(rb"^<\?xml[^>]*\?>", b"", part).replace(b"<v>", b"<v>&a8;", 1),
            re.sub(rb"<v>\d+</v>", b"<v>99999999</v>", part, count=3),
            part.replace(b"</sheetData>", b"<row>" + cells + b"</row></sheetData>"),
        ]
    )
    if draw.happens(0.1):
        del parts[name]


def workbook(draw: Draw, table: Table, path: Path) -> bool:
    """Write a table as a workbook; return whether its parts or bytes are changed."""
    book, file, made = openpyxl.Workbook(), io.BytesIO(), io.BytesIO()
    book.active.append([ILLEGAL.sub("?", showable(name)) for name in table.head])
    for row in table.body:
        book.active.append([_written(draw, cell) for cell in row])
    _unusual_sheets(draw, book)
    book.save(file)
    with zipfile.ZipFile(file) as old:
        parts = {part.filename: old.read(part) for part in old.infolist()}
    inside = draw.happens(0.4)
    if inside:
        _change_part(draw, parts)
    archive(made, parts)
    data, outside = perhaps_spoilt(draw, made.getvalue())
    path.write_bytes(data)
    return inside or outside


def archive(place: Path | io.BytesIO, parts: dict[str, bytes]) -> None:
    """Write parts into a ZIP archive."""
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as made:
        for name, part in parts.items():
            made.writestr(name, part)


def database(table: Table, path: Path) -> None:
    """Write a table to a DuckDB file as ``s``."""
    import duckdb

    names = [f'"{name}"' for name in table.head]
    with duckdb.connect(str(path), config={"threads": 1}) as connection:
        connection.execute(f"CREATE TABLE s ({', '.join(f'{name} VARCHAR' for name in names)})")
        connection.executemany(f"INSERT INTO s VALUES ({', '.join('?' * len(names))})", table.body)
