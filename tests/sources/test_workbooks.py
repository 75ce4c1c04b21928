"""Excel files that are damaged, or made to take memory: refused in a sentence, or read as they are."""

import io
import os
import resource
import time
import zipfile
from contextlib import suppress
from datetime import date
from pathlib import Path

import openpyxl  # type: ignore[import-untyped]
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reportgen.errors import InputError
from reportgen.machine import memory
from reportgen.sources.readers import open_reader

SHEET, STRINGS = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
ROWS = (("id", "human", "when"), ("a", 1, date(2026, 1, 2)), ("b", 2.5, None), ("ü & c", 3, date(2026, 1, 3)))
SPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
HEAD = "".join(
    f'<c r="{place}1" t="inlineStr"><is><t>{name}</t></is></c>'
    for place, name in zip("AB", ("id", "human"), strict=True)
)


KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"


def workbook() -> bytes:
    """Return a workbook of `ROWS`, one of its texts among those that cells share."""
    book, file, made = openpyxl.Workbook(), io.BytesIO(), io.BytesIO()
    for row in ROWS:
        book.active.append(row)
    book.save(file)
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            text = old.read(name).decode()
            text = text.replace('t="inlineStr"><is><t>id</t></is>', 't="s"><v>0</v>')
            text = text.replace("</Types>", f'<Override PartName="/{STRINGS}" ContentType="{KIND}"/></Types>')
            new.writestr(name, text)
        new.writestr(STRINGS, f"<sst {SPACE}><si><t>id</t></si></sst>")
    return made.getvalue()


WORKBOOK = workbook()
WHEN = ["2026-01-02T00:00:00", "", "2026-01-03T00:00:00"]
READ = {"id": ["a", "b", "ü & c"], "human": ["1", "2.5", "3"], "when": WHEN}


def changed(path: Path, part: str, text: str | bytes) -> Path:
    """Write the workbook with another text for one of its parts."""
    with zipfile.ZipFile(io.BytesIO(WORKBOOK)) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in dict.fromkeys([*old.namelist(), part]):
            new.writestr(name, text if name == part else old.read(name))
    return path


def with_rows(path: Path, rows: str, before: str = "") -> Path:
    return changed(path, SHEET, f"{before}<worksheet {SPACE}><sheetData>{rows}</sheetData></worksheet>")


def columns(path: Path) -> dict[str, list[str | None]]:
    reader = open_reader(path)
    return dict(reader.load(reader.head.column_names).to_pydict())


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.xlsx"


@given(st.integers(0, len(WORKBOOK) - 1), st.integers(1, 255))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_flipped_byte_is_an_error_or_changes_nothing(path: Path, place: int, bits: int) -> None:
    damaged = bytearray(WORKBOOK)
    damaged[place] ^= bits
    path.write_bytes(damaged)
    try:
        found = columns(path)
    except InputError:
        return
    assert found == READ


@given(st.sampled_from([SHEET, STRINGS, "xl/workbook.xml", "xl/styles.xml", "[Content_Types].xml"]), st.data())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_of_a_part_is_read_or_rejected(path: Path, part: str, data: st.DataObject) -> None:
    text = bytearray(zipfile.ZipFile(io.BytesIO(WORKBOOK)).read(part))
    text[data.draw(st.integers(0, len(text) - 1))] ^= data.draw(st.integers(1, 255))
    with suppress(InputError):
        columns(changed(path, part, bytes(text)))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are listed on Linux alone")
@pytest.mark.parametrize("part", [SHEET, "xl/workbook.xml", "xl/styles.xml", "[Content_Types].xml"])
def test_a_rejected_workbook_is_closed(path: Path, part: str) -> None:
    with pytest.raises(InputError) as caught:
        columns(changed(path, part, "<no end>"))
    assert str(path) not in [os.path.realpath(each) for each in Path("/proc/self/fd").iterdir()]
    assert caught.tb, "what was raised still has what was opened"


@pytest.mark.parametrize("keep", [0, 10, 1000, -1])
def test_a_truncated_file_is_an_error(path: Path, keep: int) -> None:
    path.write_bytes(WORKBOOK[:keep])
    with pytest.raises(InputError, match="not a readable Excel workbook" if keep else "the file is empty"):
        columns(path)


@pytest.mark.slow
def test_a_cell_at_the_end_of_the_sheet_costs_nothing(path: Path) -> None:
    rows = f'<row r="1">{HEAD}</row><row r="9"><c r="A9"><v>7</v></c></row><row r="1048576"><c r="XFD1048576"/></row>'
    before, begin = peak(), time.process_time()
    assert columns(with_rows(path, rows, "")) == {"id": ["7"], "human": [""]}
    assert peak() - before < 0.3
    assert time.process_time() - begin < 10


def test_columns_without_a_name_or_a_cell_are_left_out(path: Path) -> None:
    rows = f'<row>{HEAD}<c r="XFD1"><v>9</v></c></row><row><c r="A2"><v>7</v></c><c r="D2"><v>5</v></c></row>'
    assert columns(with_rows(path, rows)) == {"id": ["7"], "human": [""], "column 4": ["5"], "9": [""]}


@pytest.mark.slow
def test_rows_beyond_the_last_row_of_a_sheet_are_errors(path: Path) -> None:
    with pytest.raises(InputError, match="rows beyond 1,048,576"):
        columns(with_rows(path, f'<row r="1">{HEAD}</row><row r="99999999999"><c><v>1</v></c></row>'))


@pytest.mark.slow
@pytest.mark.parametrize("part", [SHEET, STRINGS, "xl/styles.xml", "xl/media/a.png"])
def test_a_part_that_repeats_one_thing_is_rejected_at_once(part: str, path: Path) -> None:
    changed(path, part, b"<row/>" * 20_000_000)
    before, begin = peak(), time.process_time()
    with pytest.raises(InputError, match=r"^0\.\d MB of it unpack to 120 MB of repeated"):
        columns(path)
    assert peak() - before < 0.05
    assert time.process_time() - begin < 0.5


def test_texts_that_need_more_memory_than_allowed_are_errors(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(memory.VARIABLE, "0.001")
    changed(path, STRINGS, f"<sst {SPACE}>{'<si><t>a</t></si>' * 9000}</sst>")
    with pytest.raises(InputError, match=r"^its texts require about 0\.00\d+ GB of memory.*REPORTGEN_MEMORY=1"):
        columns(path)


def test_cells_that_need_more_memory_than_allowed_are_errors(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(memory.VARIABLE, "0.004")
    rows = "".join(f'<row><c r="XFD{number}"><v>1</v></c></row>' for number in (2, 3))
    with pytest.raises(InputError, match=r"^its sheet has more than 3\d,\d{3} cells, which require about"):
        columns(with_rows(path, f'<row r="1">{HEAD}</row>{rows}'))


def test_too_many_parts_are_an_error(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(10_001):
            archive.writestr(f"{number}", b"")
    with pytest.raises(InputError, match="contains 10,001 files"):
        columns(path)


LAUGHS = '<!DOCTYPE a [<!ENTITY a0 "ha">' + "".join(
    f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10)
) + "]>"  # fmt: skip
OUTSIDE = '<!DOCTYPE a [<!ENTITY a9 SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize("entities", [LAUGHS, OUTSIDE])
@pytest.mark.parametrize("part", [SHEET, STRINGS])
def test_entities_are_errors(entities: str, part: str, path: Path) -> None:
    if part == SHEET:
        with_rows(path, f"<row>{HEAD}</row><row><c t='inlineStr'><is><t>&a9;</t></is></c></row>", entities)
    else:
        changed(path, part, f"{entities}<sst {SPACE}><si><t>&a9;</t></si></sst>")
    begin = time.process_time()
    with pytest.raises(InputError, match="not a readable Excel workbook"):
        columns(path)
    assert time.process_time() - begin < 2
