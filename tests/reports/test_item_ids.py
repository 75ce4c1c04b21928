"""Test IDs in tables of many items: an item with an ID in two rows is excluded, and no other."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from command import reportgen as run

import reportgen
from reportgen.errors import BatchError, InputError
from reportgen.reports.item_tables import ItemTables, tables
from reportgen.scores import items as item_sources
from reportgen.settings import from_keywords
from reportgen.sources.digests import fingerprints

ITEMS = ("A", "B", "C")
N = 40


def score_rows(repeated: dict[str, tuple[int, ...]]) -> list[tuple[str, int, float, str]]:
    """Return rows of items with the same response numbers; the numbers in `repeated` have a second row."""
    rng = np.random.default_rng(4)
    rows = [(str(i), int(rng.integers(1, 7)), item) for i in range(N) for item in ITEMS]
    rows += [(str(i), int(rng.integers(1, 7)), item) for item, numbers in repeated.items() for i in numbers]
    return [(name, score, round(score + float(rng.normal(0, 0.4)), 3), item) for name, score, item in rows]


def write(path: Path, rows: list[tuple[str, int, float, str]], column: str = "id") -> Path:
    path.write_text("\n".join([f"{column},h1,engine,item", *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def made(source: Any, **more: Any) -> ItemTables:
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
    found = made(write(tmp_path / "s.csv", score_rows({})))
    assert found.account["items_refused"] == {}
    assert found.account["ids_compared_in"] == "id"
    assert found.account["items"] == 3


@pytest.mark.parametrize("workers", [1, 3])
def test_an_item_with_an_id_in_two_rows_is_excluded(
    workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(item_sources, "BATCH_ROWS", 17)
    path = write(tmp_path / "s.csv", score_rows({"B": (5, 3, 5)}))
    found = made(path, workers=workers)
    assert found.account["items_refused"] == {
        "B": f"3 duplicate IDs in column 'id' (first: rows {2 + 3 * 3 + 1} and {2 + 3 * N + 1}); "
        "make IDs unique within the item, or name another column with --id NAME"
    }
    assert "(first: '3' in rows" in made(path, show_response_ids=True).account["items_refused"]["B"]
    whole = made(write(tmp_path / "whole.csv", score_rows({})))
    same(found, whole, ("A", "C"))


def test_a_batch_excludes_the_same_item(tmp_path: Path) -> None:
    path = write(tmp_path / "s.csv", score_rows({"B": (5, 3, 5)}))
    with pytest.raises(BatchError, match=r"2 of 3 reports are complete.*B .3 duplicate IDs in column 'id'"):
        reportgen.batch(
            path, tmp_path / "out", by="item", human="h1", system="engine", groups=[], scale="1:6", tables_only=True
        )


def test_ids_of_excluded_rows_are_compared(tmp_path: Path) -> None:
    path = write(tmp_path / "s.csv", score_rows({}))
    path.write_text(path.read_text() + "7,,2.5,C\n")
    assert set(made(path).account["items_refused"]) == {"C"}


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.string(), pa.dictionary(pa.int32(), pa.string())])
def test_ids_of_any_type_in_multiple_files(kind: Any, tmp_path: Path) -> None:
    rows = score_rows({"B": (5,)})
    for number, part in enumerate((rows[:50], rows[50:])):
        names, human, engine, items = (list(column) for column in zip(*part, strict=True))
        ids = pa.array(names)
        if not pa.types.is_dictionary(kind):
            ids = pa.array([None if name == "9" else float(name) for name in names]).cast(kind)
        table = pa.table({"id": ids, "h1": human, "engine": engine, "item": items})
        pq.write_table(table, tmp_path / f"{number}.parquet", row_group_size=20)
    refused = made(str(tmp_path / "*.parquet")).account["items_refused"]
    assert refused == {
        "B": "1 duplicate ID in column 'id' (first: rows 17 of 0.parquet and 71 of 1.parquet); "
        "make IDs unique within the item, or name another column with --id NAME"
    }


def test_a_file_given_twice_is_an_error(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / f"{name}.csv", score_rows({}))
    with pytest.raises(
        InputError, match=r"every item has duplicate IDs; first: item 'A', 40 duplicate IDs in column 'id' "
    ):
        made(str(tmp_path / "*.csv"))


def test_skipped_id_comparison_is_reported(tmp_path: Path) -> None:
    other = write(tmp_path / "other.csv", score_rows({"B": (5,)}), "serial")
    assert made(other).account["ids_compared_in"] is None
    assert set(made(other, id="serial").account["items_refused"]) == {"B"}


def test_the_command_reports_whether_ids_were_compared(tmp_path: Path) -> None:
    write(tmp_path / "s.csv", score_rows({"B": (5,)}), "serial")
    words = ("--by", "item", "--system", "engine", "--human", "h1", "--scale", "1:6", "--no-groups")
    assert "not checked   duplicate response IDs" in run("tables", "s.csv", "one", *words, cwd=tmp_path).stdout
    done = run("tables", "s.csv", "two", *words, "--id", "serial", cwd=tmp_path, code=3)
    assert "not checked" not in done.stdout
    assert "item 'B' is excluded: 1 duplicate ID in column 'serial' (first: rows" in done.stderr
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
