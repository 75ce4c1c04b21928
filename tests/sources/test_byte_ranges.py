"""Whatever a delimited file holds, its ranges of bytes have the rows that the whole file has."""

import csv
import io
import pickle
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reportgen.errors import InputError
from reportgen.sources import byte_ranges as module
from reportgen.sources.byte_ranges import byte_ranges
from reportgen.sources.delimited_batches import DelimitedInBatches
from reportgen.sources.quotes import RowEnds

VALUES = st.text(st.sampled_from('ab1 ",;\n\r\té語'), max_size=6)
MANY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150)


def rows_of_ranges(path: Path, size: int, encoding: str | None = None) -> list[dict[str, str]]:
    ranges = byte_ranges(path, encoding, size)
    assert [part.start for part in ranges] == [0, *(part.stop for part in ranges[:-1])]
    assert ranges[-1].stop == path.stat().st_size
    sent = pickle.loads(pickle.dumps(ranges))
    return [row for part in sent for batch in part.batches(part.names) for row in batch.to_pylist()]


def rows_of_whole(path: Path, encoding: str | None = None) -> list[dict[str, str]]:
    reader = DelimitedInBatches(path, encoding)
    return list(reader.load(reader.head.schema.names).to_pylist())


@MANY
@given(
    rows=st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=1, max_size=12),
    size=st.integers(1, 60),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    end=st.sampled_from(["\n", "\r\n"]),
    mark=st.booleans(),
    last=st.sampled_from(["", "\n", "\r\n\r\n"]),
)
def test_written_tables(
    tmp_path: Path, rows: list[tuple[str, ...]], size: int, quoting: int, end: str, mark: bool, last: str
) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=quoting, lineterminator=end)  # type: ignore[arg-type]
    if quoting == csv.QUOTE_MINIMAL:  # leaves a lone return without quotes
        rows = [tuple(value.replace("\r", "") for value in row) for row in rows]
    writer.writerows([("first", " second", 'th"ird'), *rows])
    path = tmp_path / "rows.csv"
    path.write_bytes((text.getvalue() + last).encode("utf-8-sig" if mark else "utf-8"))
    assert rows_of_ranges(path, size) == rows_of_whole(path)


@MANY
@given(body=st.text(st.sampled_from('xy"\n\r'), max_size=60), size=st.integers(1, 20))
def test_quotes_and_line_ends_anywhere(tmp_path: Path, body: str, size: int) -> None:
    path = tmp_path / "odd.csv"
    path.write_bytes(b"only\n" + body.encode())
    try:
        expected = rows_of_whole(path)
    except InputError:
        return  # a quote that is never closed
    scan = RowEnds(",")
    scan.last(path.read_bytes())
    if scan.inside:  # pyarrow takes the missing quote for granted
        with pytest.raises(InputError, match="never closed"):
            rows_of_ranges(path, size)
    else:
        assert rows_of_ranges(path, size) == expected


@MANY
@given(body=st.text(st.sampled_from('xy,"\n\r'), max_size=200), cuts=st.lists(st.integers(1, 130), min_size=1))
def test_the_scan_is_the_automaton(body: str, cuts: list[int]) -> None:
    """One character after the other, as RFC 4180 reads."""
    inside, starts, closed, ends = False, True, False, []
    for place, letter in enumerate(body):
        if letter == '"' and inside:
            inside, closed = False, True
            continue
        if letter == '"' and (starts or closed):
            inside = True
        elif letter == "\n" and not inside:
            ends.append(place + 1)
        starts, closed = letter in ",\n\r", False
    scan, begin = RowEnds(","), 0
    found: list[int] = []
    last: list[int] = []
    while begin < len(body):
        stop = min(begin + cuts[len(found) % len(cuts)], len(body))
        at = scan.last(body[begin:stop].encode())
        found.append(begin + at if at else 0)
        last.append(max([end for end in ends if begin < end <= stop], default=0))
        begin = stop
    assert found == last
    assert scan.inside == inside


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "shift_jis", "iso2022_jp"])
def test_what_cannot_be_cut_is_one_range(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes('name,score\n語,1\n"a\n,b",2\n'.encode(encoding))
    assert len(byte_ranges(path, encoding, 4)) == 1
    assert rows_of_ranges(path, 4, encoding) == [{"name": "語", "score": "1"}, {"name": "a\n,b", "score": "2"}]


def test_old_line_ends_are_one_range(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b"name,score\rx,1\ry,2\r")
    assert len(byte_ranges(path, None, 4)) == 1
    assert [row["score"] for row in rows_of_ranges(path, 4)] == ["1", "2"]


def test_a_large_file_that_cannot_be_cut_is_streamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RANGE_BYTES", 8)
    path = tmp_path / "rows.csv"
    path.write_bytes("name ,score\na,1\nb,x\n".encode("utf-16"))
    (part,) = byte_ranges(path)
    assert pa.Table.from_batches(part.batches(["name"], ["score"])).to_pylist() == [
        {"name": "a", "score": 1.0}, {"name": "b", "score": None},
    ]  # fmt: skip


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "rows.tsv"
    path.write_bytes("näme\tscore\né\t1\nü\t2\n".encode(encoding))
    assert len(byte_ranges(path, encoding, 4)) == 3
    assert rows_of_ranges(path, 4, encoding) == rows_of_whole(path, encoding)


def test_numbers(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("id;score\n01;1.5\n02;\n03; 2 \n04;+3\n05;refused\n06;1e1\n07;nan\n08;inf\n")
    expected = [1.5, None, 2.0, 3.0, None, 10.0, None, float("inf")]
    for size in (1, 20, 1000):
        batches = [batch for part in byte_ranges(path, None, size) for batch in part.batches(["id"], ["score"])]
        scores = [None if x is None or x != x else x for batch in batches for x in batch["score"].to_pylist()]
        assert scores == expected
        assert [name for batch in batches for name in batch["id"].to_pylist()][:2] == ["01", "02"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('a,b\n1,2\n1,"x\n3,4\n', "row 3: a quote is opened and never closed"),
        ("a,b\n1,2\n1,2,3\n", "row 3: expected 2 values as in the header, found 3"),
        ("a,a\n1,2\n", "2 columns are named 'a'"),
        ("a,b\n1,é\n", "line 2 is not utf-8 text"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=said):
        rows_of_ranges(path, 6)
