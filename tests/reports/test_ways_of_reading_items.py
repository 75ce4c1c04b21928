"""Test that tables of many items do not depend on how rows are stored, split, and distributed."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from item_rows import (
    check_row,
    expected_rows,
    in_pieces,
    made,
    records,
    rows_on_scales,
    same_tables,
    score_rows,
    settings_of,
    write,
)
from simulated import evaluation_of

import reportgen
from reportgen.errors import InputError
from reportgen.evaluation.many_items import counted, counting
from reportgen.reports.item_tables import ItemTables, tables
from reportgen.scores import items as item_sources
from reportgen.settings import from_keywords


@pytest.mark.slow
def test_parts_and_formats_do_not_matter(
    item_file: Path, of_items: ItemTables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reportgen.sources.delimited._BLOCK", 3000)
    monkeypatch.setattr(counted, "ITEMS_AT_A_TIME", 2)
    settings = from_keywords(by="item", **settings_of())
    same_tables(tables(item_file, settings, workers=3), of_items)
    table = pa_csv.read_csv(
        item_file,
        convert_options=pa_csv.ConvertOptions(column_types=dict.fromkeys(["h1", "h2", "engine", "grade"], "string")),
    )
    for number in (0, 1):
        rows = slice(0, 250) if number == 0 else slice(250, None)
        part = table.slice(rows.start, (rows.stop or table.num_rows) - rows.start)
        pq.write_table(part, tmp_path / f"part-{number}.parquet", row_group_size=77)
    monkeypatch.setattr(item_sources, "BATCH_ROWS", 50)
    same_tables(tables(str(tmp_path / "part-*.parquet"), settings, workers=2), of_items)


def test_ratings_without_engine_scores_count_in_any_row(of_items: ItemTables, tmp_path: Path) -> None:
    first = sorted(score_rows(), key=lambda row: row["engine"] not in ("", "refused", "inf"))
    same_tables(made(write(tmp_path / "first.csv", first)), of_items)


def test_numbers_of_any_type(tmp_path: Path) -> None:
    rows = [row for row in score_rows() if row["item"] in ("plain", "whole") and str(row["h1"]) in "123456"]
    rows = [row for row in rows if isinstance(row["engine"], int | float) and row["h2"] in ("", 1, 2, 3, 4, 5, 6)]
    path = write(tmp_path / "typed.csv", rows)
    pq.write_table(pa_csv.read_csv(path), tmp_path / "typed.parquet")
    same_tables(made(tmp_path / "typed.parquet"), made(path))


@pytest.mark.slow
@pytest.mark.parametrize("scale", ["1:6", None])
def test_threads_change_no_bit(item_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scale: Any) -> None:
    monkeypatch.setattr(counted, "ITEMS_AT_A_TIME", 2)
    monkeypatch.setattr(item_sources, "BATCH_ROWS", 40)
    path = item_file if scale else write(tmp_path / "all.csv", rows_on_scales())
    settings = from_keywords(by="item", **settings_of(scale=scale))
    expected = tables(path, settings)
    for workers in (2, 5):
        found = tables(path, settings, workers=workers)
        for table, other in zip(found.tables, expected.tables, strict=True):
            for name, column in table.columns.items():
                np.testing.assert_array_equal(column, other.columns[name], err_msg=f"{table.key} {name}")


def test_the_item_tables_function(item_file: Path, tmp_path: Path) -> None:
    found = reportgen.item_tables(item_file, tmp_path / "out", by="item", formats=["parquet"], **settings_of())
    frame = found.table("by_group").frame()
    assert list(frame.columns[:3]) == ["item", "group", "level"]
    assert len(frame) == pq.read_metadata(tmp_path / "out" / "by_group.parquet").num_rows
    with pytest.raises(KeyError):
        found.table("none")


def test_multiple_columns_name_an_item(item_file: Path) -> None:
    found = tables(item_file, from_keywords(**settings_of(by=["item", "grade"], groups=["gender"])))
    table = found.table("items")
    assert list(table.columns)[:2] == ["item", "grade"]
    both = {(row["item"], row["grade"]) for row in score_rows()}
    assert set(zip(table.columns["item"], table.columns["grade"], strict=True)) == both


def test_separators_of_names_occur_in_none_of_their_parts(tmp_path: Path) -> None:
    for sign, by, told in [(" · ", ["item", "grade"], " · "), ("\x1f", ["item"], r"\\x1f")]:
        rows = [{**row, "item": f"a{sign}b"} for row in score_rows()]
        with pytest.raises(InputError, match=f"column 'item' contains 'a{told}b'"):
            tables(write(tmp_path / "a.csv", rows), from_keywords(**settings_of(by=by, groups=["gender"])))
    rows = [{**row, "item": "a · b"} for row in score_rows()]
    found = tables(write(tmp_path / "a.csv", rows), from_keywords(by="item", **settings_of()))
    assert set(found.table("items").columns["item"]) == {"a · b"}


def test_many_distinct_human_scores_are_bounded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(counting, "MOST_VALUES", 10)
    rng = np.random.default_rng(1)
    lines = [f"{'ab'[i % 2]},{h:.3f},{h + e:.3f}" for i, (h, e) in enumerate(rng.normal(50, 9, (200, 2)))]
    (tmp_path / "a.csv").write_text("\n".join(["item,human,engine", *lines]) + "\n")
    found = tables(tmp_path / "a.csv", from_keywords(by="item", human="human", system="engine", groups=[]))
    values = [float(line.split(",")[1]) for line in lines]
    for place, item in enumerate("ab"):
        (said,), own = records(found.table("items"), item), values[place::2]
        assert (said["scale_low"], said["scale_high"], said["scale_step"]) == (min(own), max(own), 0)
    assert {table.key for table in found.tables} >= {"items", "system_human.association"}


def test_folders_named_for_items(of_items: ItemTables, tmp_path: Path) -> None:
    found = made(in_pieces(tmp_path / "folders", score_rows(), "folders"))
    same_tables(found, of_items)
    assert len(found.account["source"]["files"]) == len({row["item"] for row in score_rows()})


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
    found = tables(write(tmp_path / "all.csv", rows), from_keywords(by="item", **given))
    for item in far:
        path = write(tmp_path / "one.csv", [row for row in rows if row["item"] == item])
        alone = evaluation_of(path, system_scale="1:6", **given)
        for key in ("system_human.descriptives", "system_human.association", "true_score.prmse"):
            for row, expected in zip(records(found.table(key), item), expected_rows(alone, key), strict=True):
                check_row(row, expected, {}, f"{key} {item}")
