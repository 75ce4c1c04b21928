"""Test that multiple files give the same numbers as one file with all rows, or an error that names a file."""

import hashlib
import itertools
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from reportgen.errors import InputError, QuestionError
from reportgen.scores import ScoreTable, read, sha256_of
from reportgen.settings import from_keywords
from reportgen.sources.tabular import Place


def whole(rows: int = 60) -> pa.Table:
    rng = np.random.default_rng(5)
    true = rng.normal(3.5, 1, rows)
    second = np.clip(np.rint(true + rng.normal(0, 0.6, rows)), 1, 6).astype(np.int64)
    first, second = np.clip(np.rint(true), 1, 6).astype(np.int64), pa.array(second, mask=rng.random(rows) < 0.4)
    system = np.round(true + rng.normal(0, 0.4, rows), 4)
    ids, gender = zip(*((f"R{row:03d}", ("female", "male", "")[row % 3]) for row in range(rows)), strict=True)
    return pa.table({"id": ids, "human1": first, "human2": second, "system": system, "gender": gender})


def thirds(table: pa.Table) -> list[pa.Table]:
    cuts = (0, 10, 35, table.num_rows)
    return [table.slice(start, stop - start) for start, stop in itertools.pairwise(cuts)]


def check_same(found: ScoreTable, expected: ScoreTable) -> None:
    np.testing.assert_array_equal(found.system, expected.system)
    np.testing.assert_array_equal(found.human, expected.human)
    assert found.ids.to_pylist() == expected.ids.to_pylist()
    for name, coded in expected.groups.items():
        assert found.groups[name].labels == coded.labels
        np.testing.assert_array_equal(found.groups[name].codes, coded.codes)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_pattern_and_a_list_are_one_file(tmp_path: Path, suffix: str) -> None:
    write = pa_csv.write_csv if suffix == "csv" else pq.write_table
    write(whole(), tmp_path / f"whole.{suffix}")
    for number, part in zip((1, 2, 10), thirds(whole()), strict=True):  # 10 comes after 2
        write(part, tmp_path / f"part-{number}.{suffix}")
    expected = read(tmp_path / f"whole.{suffix}")
    by_pattern = read(tmp_path / f"part-*.{suffix}")
    files = [tmp_path / f"part-{number}.{suffix}" for number in (1, 2, 10)]
    check_same(by_pattern, expected)
    check_same(read([str(file) for file in files]), expected)
    source = by_pattern.source
    digests = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
    assert [(file.name, file.sha256, file.rows) for file in source.files] == [
        (file.name, digest, rows) for file, digest, rows in zip(files, digests, (10, 25, 25), strict=True)
    ]
    assert (source.name, source.rows, source.format) == (f"part-*.{suffix}", 60, suffix)
    assert source.bytes == sum(file.stat().st_size for file in files)
    assert source.sha256 == hashlib.sha256("".join(f"{digest}\n" for digest in digests).encode()).hexdigest()
    assert source.sha256 == sha256_of(tmp_path / f"part-*.{suffix}") == sha256_of(tuple(files))


def test_a_partitioned_folder(tmp_path: Path) -> None:
    table, folder = whole(), tmp_path / "data"
    order = []
    for value, told in (("female", "female"), ("male", "m%61le"), ("", "__HIVE_DEFAULT_PARTITION__")):
        rows = [row for row, gender in enumerate(table["gender"].to_pylist()) if gender == value]
        place = folder / f"gender={told}"
        place.mkdir(parents=True)
        pq.write_table(table.take(rows).drop_columns("gender"), place / "part-0.parquet")
        order.append((str(place.name), rows))
    for noise in ("_SUCCESS", ".part-0.parquet.crc", "_metadata.parquet", "notes.txt"):
        (folder / noise).write_bytes(b"not data")
    found = read(folder, from_keywords(groups="gender"))
    rows = [row for _, rows in sorted(order) for row in rows]
    check_same(found, read(table.take(rows), from_keywords(groups="gender")))
    assert [file.name for file in found.source.files] == [f"{name}/part-0.parquet" for name, _ in sorted(order)]
    assert found.source.name == "data"


def test_compatible_types_are_combined(tmp_path: Path) -> None:
    one, two, three = thirds(whole())
    two = two.set_column(2, "human2", two["human2"].cast(pa.float64()))
    two = two.set_column(4, "gender", two["gender"].combine_chunks().dictionary_encode())
    three = three.set_column(1, "human1", three["human1"].cast(pa.int8()))
    three = three.set_column(2, "human2", pa.nulls(three.num_rows))
    three = three.select(["system", "human2", "gender", "id", "human1"])
    for number, part in enumerate((one, two.slice(0, 0), two, three)):
        pq.write_table(part, tmp_path / f"{number}.parquet")
    last = thirds(whole())[2].set_column(2, "human2", pa.nulls(25, pa.int64()))
    check_same(read(tmp_path), read(pa.concat_tables([one, thirds(whole())[1], last])))


def test_messages_about_rows_include_their_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,human,system\na,1,1.2\nb,x,2.2\nc,3,3.1\n")
    (tmp_path / "b.csv").write_text("id,human,system\n\nd,2,2.2\ne,x,1.2\nf,3,2.4\n")
    scores = read(tmp_path / "?.csv")
    assert [(out.n, out.first_rows) for out in scores.exclusions] == [(2, (Place(3, "a.csv"), Place(4, "b.csv")))]
    (tmp_path / "b.csv").write_text("id,human,system\nd,2,2.2\na,3,2.4\n")
    with pytest.raises(QuestionError, match=r"\?\.csv: rows 2 of a\.csv and 3 of b\.csv have"):
        read(tmp_path / "?.csv")


def test_one_row_per_rating_over_files(tmp_path: Path) -> None:
    header = "response_id,rater,score\n"
    first = [f"r{row},{rater},{1 + (row + number) % 4}" for row in range(8) for number, rater in enumerate("AB")]
    second = [f"r{row},engine,{1.5 + row % 3}" for row in range(8)]
    (tmp_path / "whole.csv").write_text(header + "\n".join(first + second))
    (tmp_path / "1.csv").write_text(header + "\n".join(first))
    (tmp_path / "2.csv").write_text(header + "\n".join(second))
    found, expected = read(tmp_path / "[12].csv"), read(tmp_path / "whole.csv")
    check_same(found, expected)
    assert found.source.rows == expected.source.rows == 24


def spoil(tmp_path: Path, middle: pa.Table | bytes | None) -> str:
    """Write three files, the second one invalid, and return the error."""
    one, two, three = thirds(whole())
    for name, part in (("a", one), ("b", two if middle is None else middle), ("c", three)):
        path = tmp_path / f"{name}.parquet"
        if isinstance(part, bytes):
            path.write_bytes(part)
        else:
            pq.write_table(part, path)
    with pytest.raises(InputError) as caught:
        read(tmp_path)
    return str(caught.value)


def test_a_file_in_the_middle_that_does_not_fit(tmp_path: Path) -> None:
    two = thirds(whole())[1]
    told = spoil(tmp_path, two.drop_columns(["human2", "system"]))
    assert "b.parquet: missing columns that are in a.parquet: 'human2' and 'system'" in told
    told = spoil(tmp_path, two.append_column("more", two["id"]))
    assert "b.parquet: extra columns that are not in a.parquet: 'more'" in told
    told = spoil(tmp_path, two.set_column(1, "human1", two["human1"].cast(pa.string())))
    assert "b.parquet: column 'human1' contains string values, but in a.parquet it contains int64 values" in told
    assert "b.parquet: not a readable Parquet file" in spoil(tmp_path, b"PAR1 and no more")
    assert "b.parquet: the file is empty" in spoil(tmp_path, b"")


def test_a_damaged_page_in_the_middle(tmp_path: Path) -> None:
    two = thirds(whole())[1]
    pq.write_table(two, tmp_path / "good", compression="zstd")
    damaged = bytearray((tmp_path / "good").read_bytes())
    metadata = pq.ParquetFile(tmp_path / "good").metadata.row_group(0).column(3)
    start = metadata.dictionary_page_offset or metadata.data_page_offset
    damaged[start : start + metadata.total_compressed_size] = b"\xff" * metadata.total_compressed_size
    (tmp_path / "good").unlink()
    assert "b.parquet: not a readable Parquet file" in spoil(tmp_path, bytes(damaged))


def test_numbers_too_long_to_represent_are_errors(tmp_path: Path) -> None:
    one, two, _ = thirds(whole())
    pq.write_table(one.set_column(0, "id", pa.array([2**60 + row for row in range(10)])), tmp_path / "a.parquet")
    pq.write_table(two.set_column(0, "id", pa.array([row + 0.5 for row in range(25)])), tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"a\.parquet: column 'id' has numbers that .* cannot represent exactly"):
        read(tmp_path)


def test_missing_and_invalid_files_are_errors(tmp_path: Path) -> None:
    pq.write_table(whole(), tmp_path / "a.parquet")
    pa_csv.write_csv(whole(), tmp_path / "b.csv")
    with pytest.raises(InputError, match=r"none-\*\.csv: no file matches this pattern"):
        read(tmp_path / "none-*.csv")
    with pytest.raises(InputError, match=r"a\.parquet' is listed twice"):
        read([tmp_path / "a.parquet", tmp_path / ".." / tmp_path.name / "a.parquet"])
    with pytest.raises(InputError, match=r"c\.csv: file not found"):
        read([tmp_path / "b.csv", tmp_path / "c.csv"])
    (tmp_path / "gender=x").mkdir()
    (tmp_path / "a.parquet").rename(tmp_path / "gender=x" / "a.parquet")
    with pytest.raises(InputError, match=r"gender=x/a\.parquet: column 'gender' is in the file and in the name"):
        read(tmp_path)


def test_a_file_whose_name_is_a_pattern(tmp_path: Path) -> None:
    pa_csv.write_csv(whole(), tmp_path / "a[1].csv")
    scores = read(tmp_path / "a[1].csv")
    assert scores.source.files == ()
    assert scores.source.name == "a[1].csv"


def test_a_folder_that_contains_itself(tmp_path: Path) -> None:
    pq.write_table(whole(), tmp_path / "a.parquet")
    (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
    assert len(read(tmp_path).source.files) == 1


def test_a_group_named_by_a_number_in_one_file_is_a_group(tmp_path: Path) -> None:
    table = whole()
    for number, part in enumerate(thirds(table)):
        group = pa.array(["1"] * part.num_rows) if number == 1 else part["gender"]
        pa_csv.write_csv(
            part.set_column(part.schema.get_field_index("gender"), "gender", group), tmp_path / f"{number}.csv"
        )
    assert "1" in read(tmp_path / "*.csv").groups["gender"].labels


def test_files_without_rows_and_folders_named_like_files_are_not_skipped(tmp_path: Path) -> None:
    first, *rest = thirds(whole())
    for number, part in enumerate([first, rest[0].slice(0, 0), rest[1]]):
        pa_csv.write_csv(part, tmp_path / f"p-{number}.csv")
    with pytest.raises(InputError, match=r"p-1\.csv: the file has a header but no rows"):
        read(tmp_path / "p-*.csv")
    (tmp_path / "p-1.csv").unlink()
    (tmp_path / "p-1.csv").mkdir()
    with pytest.raises(InputError, match=r"p-1\.csv: this is a folder"):
        read(tmp_path / "p-*.csv")
    (tmp_path / "p-1.csv").rmdir()
    assert read(tmp_path / "p-*.csv").kept
