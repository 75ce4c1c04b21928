"""Tables of items do not depend on how rows are stored, and an item with a repeated ID is excluded."""

from collections import Counter
from pathlib import Path
from typing import Any

import item_rows
import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from command import reportgen as run
from simulated import evaluation_of

import reportgen
from reportgen.errors import BatchError, InputError
from reportgen.evaluation.many_items import counted, counting
from reportgen.reports.item_tables import ItemTables, tables
from reportgen.scores import items as item_sources
from reportgen.settings import from_keywords
from reportgen.sources.digests import fingerprints


@pytest.mark.slow
def test_parts_and_formats_do_not_matter(
    item_file: Path, of_items: ItemTables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reportgen.sources.delimited._BLOCK", 3000)
    monkeypatch.setattr(counted, "ITEMS_AT_A_TIME", 2)
    settings = from_keywords(by="item", **item_rows.settings_of())
    item_rows.same_tables(tables(item_file, settings, workers=3), of_items)
    table = pa_csv.read_csv(
        item_file,
        convert_options=pa_csv.ConvertOptions(column_types=dict.fromkeys(["h1", "h2", "engine", "grade"], "string")),
    )
    for number in (0, 1):
        rows = slice(0, 250) if number == 0 else slice(250, None)
        part = table.slice(rows.start, (rows.stop or table.num_rows) - rows.start)
        pq.write_table(part, tmp_path / f"part-{number}.parquet", row_group_size=77)
    monkeypatch.setattr(item_sources, "BATCH_ROWS", 50)
    item_rows.same_tables(tables(str(tmp_path / "part-*.parquet"), settings, workers=2), of_items)


def test_ratings_without_engine_scores_count_in_any_row(of_items: ItemTables, tmp_path: Path) -> None:
    first = sorted(item_rows.score_rows(), key=lambda row: row["engine"] not in ("", "refused", "inf"))
    item_rows.same_tables(item_rows.made(item_rows.write(tmp_path / "first.csv", first)), of_items)


def test_numbers_of_any_type(tmp_path: Path) -> None:
    rows = [row for row in item_rows.score_rows() if row["item"] in ("plain", "whole") and str(row["h1"]) in "123456"]
    rows = [row for row in rows if isinstance(row["engine"], int | float) and row["h2"] in ("", 1, 2, 3, 4, 5, 6)]
    path = item_rows.write(tmp_path / "typed.csv", rows)
    pq.write_table(pa_csv.read_csv(path), tmp_path / "typed.parquet")
    item_rows.same_tables(item_rows.made(tmp_path / "typed.parquet"), item_rows.made(path))


@pytest.mark.slow
@pytest.mark.parametrize("scale", ["1:6", None])
def test_threads_change_no_bit(item_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scale: Any) -> None:
    monkeypatch.setattr(counted, "ITEMS_AT_A_TIME", 2)
    monkeypatch.setattr(item_sources, "BATCH_ROWS", 40)
    path = item_file if scale else item_rows.write(tmp_path / "all.csv", item_rows.rows_on_scales())
    settings = from_keywords(by="item", **item_rows.settings_of(scale=scale))
    expected = tables(path, settings)
    for workers in (2, 5):
        found = tables(path, settings, workers=workers)
        for table, other in zip(found.tables, expected.tables, strict=True):
            for name, column in table.columns.items():
                np.testing.assert_array_equal(column, other.columns[name], err_msg=f"{table.key} {name}")


def test_the_item_tables_function(item_file: Path, tmp_path: Path) -> None:
    found = reportgen.item_tables(
        item_file, tmp_path / "out", by="item", formats=["parquet"], **item_rows.settings_of()
    )
    frame = found.table("by_group").frame()
    assert list(frame.columns[:3]) == ["item", "group", "level"]
    assert len(frame) == pq.read_metadata(tmp_path / "out" / "by_group.parquet").num_rows
    with pytest.raises(KeyError):
        found.table("none")


def test_multiple_columns_name_an_item(item_file: Path) -> None:
    found = tables(item_file, from_keywords(**item_rows.settings_of(by=["item", "grade"], groups=["gender"])))
    table = found.table("items")
    assert list(table.columns)[:2] == ["item", "grade"]
    both = {(row["item"], row["grade"]) for row in item_rows.score_rows()}
    assert set(zip(table.columns["item"], table.columns["grade"], strict=True)) == both


def test_separators_of_names_occur_in_none_of_their_parts(tmp_path: Path) -> None:
    for sign, by, told in [(" · ", ["item", "grade"], " · "), ("\x1f", ["item"], r"\\x1f")]:
        rows = [{**row, "item": f"a{sign}b"} for row in item_rows.score_rows()]
        with pytest.raises(InputError, match=f"column 'item' contains 'a{told}b'"):
            tables(
                item_rows.write(tmp_path / "a.csv", rows),
                from_keywords(**item_rows.settings_of(by=by, groups=["gender"])),
            )
    rows = [{**row, "item": "a · b"} for row in item_rows.score_rows()]
    found = tables(item_rows.write(tmp_path / "a.csv", rows), from_keywords(by="item", **item_rows.settings_of()))
    assert set(found.table("items").columns["item"]) == {"a · b"}


def test_many_distinct_human_scores_are_bounded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(counting, "MOST_VALUES", 10)
    rng = np.random.default_rng(1)
    lines = [f"{'ab'[i % 2]},{h:.3f},{h + e:.3f}" for i, (h, e) in enumerate(rng.normal(50, 9, (200, 2)))]
    (tmp_path / "a.csv").write_text("\n".join(["item,human,engine", *lines]) + "\n")
    found = tables(tmp_path / "a.csv", from_keywords(by="item", human="human", system="engine", groups=[]))
    values = [float(line.split(",")[1]) for line in lines]
    for place, item in enumerate("ab"):
        (said,), own = item_rows.records(found.table("items"), item), values[place::2]
        assert (said["scale_low"], said["scale_high"], said["scale_step"]) == (min(own), max(own), 0)
    assert {table.key for table in found.tables} >= {"items", "system_human.association"}


def test_folders_named_for_items(of_items: ItemTables, tmp_path: Path) -> None:
    found = item_rows.made(item_rows.in_pieces(tmp_path / "folders", item_rows.score_rows(), "folders"))
    item_rows.same_tables(found, of_items)
    assert len(found.account["source"]["files"]) == len({row["item"] for row in item_rows.score_rows()})


@pytest.mark.slow
def test_items_far_from_each_other(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    far = {"a": 0.0, "b": 1000.0, "c": 0.0, "d": 250_000.0, "e": 1001.0}
    rows = [
        {"item": item, "h1": (h1 := int(rng.integers(1, 7))), "h2": int(np.clip(h1 + rng.integers(-1, 2), 1, 6)),
         "engine": round(h1 + rng.normal(0, 0.6) + more, 3), "sex": "fm"[place % 2]}
        for item, more in far.items() for place in range(60)
    ]  # fmt: skip
    given: dict[str, Any] = {"human": ["h1", "h2"], "system": "engine", "groups": ["sex"], "scale": "1:6"}
    found = tables(item_rows.write(tmp_path / "all.csv", rows), from_keywords(by="item", **given))
    for item in far:
        path = item_rows.write(tmp_path / "one.csv", [row for row in rows if row["item"] == item])
        alone = evaluation_of(path, system_scale="1:6", **given)
        for key in ("system_human.descriptives", "system_human.association", "true_score.prmse"):
            for row, expected in zip(
                item_rows.records(found.table(key), item), item_rows.expected_rows(alone, key), strict=True
            ):
                item_rows.check_row(row, expected, {}, f"{key} {item}")


ITEMS = ("A", "B", "C")
N = 40


def rows_with_ids(repeated: dict[str, tuple[int, ...]]) -> list[tuple[str, int, float, str]]:
    """Return rows of items with the same response numbers; the numbers in `repeated` have a second row."""
    rng = np.random.default_rng(4)
    rows = [(str(i), int(rng.integers(1, 7)), item) for i in range(N) for item in ITEMS]
    rows += [(str(i), int(rng.integers(1, 7)), item) for item, numbers in repeated.items() for i in numbers]
    return [(name, score, round(score + float(rng.normal(0, 0.4)), 3), item) for name, score, item in rows]


def write_ids(path: Path, rows: list[tuple[str, int, float, str]], column: str = "id") -> Path:
    path.write_text("\n".join([f"{column},h1,engine,item", *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def made_of(source: Any, **more: Any) -> ItemTables:
    options = {"workers": more.pop("workers")} if "workers" in more else {}
    settings = {"by": "item", "human": "h1", "system": "engine", "groups": [], "scale": "1:6", **more}
    return tables(source, from_keywords(**settings), **options)


def same(found: ItemTables, wanted: ItemTables, items: tuple[str, ...]) -> None:
    for table in wanted.tables:
        mine = found.table(table.key)
        for name, column in table.columns.items():
            keep = [np.isin(each.columns["item"], items) for each in (mine, table)]
            np.testing.assert_array_equal(mine.columns[name][keep[0]], column[keep[1]], err_msg=f"{table.key} {name}")


def test_items_can_share_response_numbers(tmp_path: Path) -> None:
    found = made_of(write_ids(tmp_path / "s.csv", rows_with_ids({})))
    assert found.account["items_refused"] == {}
    assert found.account["ids_compared_in"] == "id"
    assert found.account["items"] == 3


@pytest.mark.parametrize("workers", [1, 3])
def test_an_item_with_an_id_in_two_rows_is_excluded(
    workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(item_sources, "BATCH_ROWS", 17)
    path = write_ids(tmp_path / "s.csv", rows_with_ids({"B": (5, 3, 5)}))
    found = made_of(path, workers=workers)
    assert found.account["items_refused"] == {
        "B": "3 rows repeat an earlier 'id' "
        f"(for example, rows {2 + 3 * 3 + 1} and {2 + 3 * N + 1} have the same value); "
        "make IDs unique within the item, or name another column with --id NAME"
    }
    assert "have '3')" in made_of(path, show_response_ids=True).account["items_refused"]["B"]
    whole = made_of(write_ids(tmp_path / "whole.csv", rows_with_ids({})))
    same(found, whole, ("A", "C"))


def test_a_batch_excludes_the_same_item(tmp_path: Path) -> None:
    path = write_ids(tmp_path / "s.csv", rows_with_ids({"B": (5, 3, 5)}))
    with pytest.raises(BatchError, match=r"2 of 3 reports are complete.*B .3 rows repeat an earlier 'id'"):
        reportgen.batch(
            path, tmp_path / "out", by="item", human="h1", system="engine", groups=[], scale="1:6", tables_only=True
        )


def test_ids_of_excluded_rows_are_compared(tmp_path: Path) -> None:
    path = write_ids(tmp_path / "s.csv", rows_with_ids({}))
    path.write_text(path.read_text() + "7,,2.5,C\n")
    assert set(made_of(path).account["items_refused"]) == {"C"}


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.string(), pa.dictionary(pa.int32(), pa.string())])
def test_ids_of_any_type_in_multiple_files(kind: Any, tmp_path: Path) -> None:
    rows = rows_with_ids({"B": (5,)})
    for number, part in enumerate((rows[:50], rows[50:])):
        names, human, engine, items = (list(column) for column in zip(*part, strict=True))
        ids = pa.array(names)
        if not pa.types.is_dictionary(kind):
            ids = pa.array([None if name == "9" else float(name) for name in names]).cast(kind)
        table = pa.table({"id": ids, "h1": human, "engine": engine, "item": items})
        pq.write_table(table, tmp_path / f"{number}.parquet", row_group_size=20)
    refused = made_of(str(tmp_path / "*.parquet")).account["items_refused"]
    assert refused == {
        "B": "rows 17 of 0.parquet and 71 of 1.parquet have the same 'id'; "
        "make IDs unique within the item, or name another column with --id NAME"
    }


def test_a_file_given_twice_is_an_error(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_ids(tmp_path / f"{name}.csv", rows_with_ids({}))
    with pytest.raises(InputError, match=r"every item has duplicate IDs; in item 'A', 40 rows repeat an earlier 'id' "):
        made_of(str(tmp_path / "*.csv"))


def test_skipped_id_comparison_is_reported(tmp_path: Path) -> None:
    other = write_ids(tmp_path / "other.csv", rows_with_ids({"B": (5,)}), "serial")
    assert made_of(other).account["ids_compared_in"] is None
    assert set(made_of(other, id="serial").account["items_refused"]) == {"B"}


def test_the_command_reports_whether_ids_were_compared(tmp_path: Path) -> None:
    write_ids(tmp_path / "s.csv", rows_with_ids({"B": (5,)}), "serial")
    words = ("--by", "item", "--system", "engine", "--human", "h1", "--scale", "1:6", "--no-groups")
    assert "not checked   duplicate response IDs" in run("tables", "s.csv", "one", *words, cwd=tmp_path).stdout
    done = run("tables", "s.csv", "two", *words, "--id", "serial", cwd=tmp_path, code=3)
    assert "not checked" not in done.stdout
    assert "item 'B' is excluded: rows" in done.stderr
    read = pa_csv.read_csv(tmp_path / "two" / "items.csv").to_pylist()
    assert [row["evaluated"] for row in read] == [N, 0, N]


def test_the_fingerprint_of_a_text_does_not_depend_on_its_neighbors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reportgen.sources.digests.BLOCK_ROWS", 64)
    rng = np.random.default_rng(8)
    for shortest, longest in ((0, 40), (8, 8), (9, 9), (16, 17), (3, 3), (0, 0), (7, 9)):
        sizes = rng.integers(shortest, longest + 1, 500)
        texts = ["".join(chr(97 + int(each)) for each in rng.integers(0, 3, size)) for size in sizes]
        found = fingerprints(pa.array(texts)).tolist()
        for place in rng.integers(0, 500, 20).tolist():
            assert found[place] == fingerprints(pa.array([texts[place]]))[0]
        of_text: dict[str, set[int]] = {}
        for text, each in zip(texts, found, strict=True):
            of_text.setdefault(text, set()).add(each)
        assert all(len(each) == 1 for each in of_text.values())
        assert max(Counter(next(iter(each)) for each in of_text.values()).values()) == 1
