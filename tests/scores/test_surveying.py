"""A source of many items that is surveyed in batches, not held: the same parts, roles and rows as when it is held."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from reportgen.design import roles
from reportgen.errors import InputError, ReportgenError
from reportgen.scores import Coded, items
from reportgen.scores.items import Items, open_items
from reportgen.settings import from_keywords
from reportgen.sources.tabular import Place


def rows_of(n: int, seed: int) -> dict[str, list[Any]]:
    """Return columns of every part, and some of none."""
    rng = np.random.default_rng(seed)
    human = rng.integers(1, 7, n)
    gap = rng.random(n) < 0.7
    return {"key": [f"k{row:05d}" for row in range(n)], "h1": human.tolist(), "h2": [None if gap[row]
        else (int(human[row]) + row % 2) % 6 + 1 for row in range(n)], "engine": (human + rng.normal(0, 0.5,
        n)).round(3).tolist(), "item": [f" {value} " if value == "P2" else value for value in rng.choice(["P10", "P2",
        "ä", ""], n)], "grade": rng.choice([6.0, 7.0, 8.5], n).tolist(), "gender": rng.choice(["f", "m", "x"],
        n).tolist(), "note": rng.normal(size=n).round(2).tolist(),
        "remark": [f"some words about response {row}, and some more of them" * 3 for row in range(n)]}  # fmt: skip


def same(source: Any, monkeypatch: pytest.MonkeyPatch, folder: Path, **settings: Any) -> Items:
    """Return a source of items as it is surveyed when all is as it would be held."""
    declared = from_keywords(**settings)
    held = open_items(source, declared)
    monkeypatch.setattr(items, "is_large", lambda _: True)
    monkeypatch.setattr(items, "BATCH_ROWS", 17)
    found = open_items(source, declared)
    assert not found.rows.in_memory
    for name in ("source", "settings", "values", "sizes", "roles"):
        assert getattr(found, name) == getattr(held, name), name
    found.rows.lay_down(folder / "rows.arrow")
    assert found.rows.nbytes == 0
    for number in range(len(held.sizes)):
        ours, theirs = found.part(number), held.part(number)
        assert (ours.how, ours.left_out) == (theirs.how, theirs.left_out)
        if isinstance(ours.places, Place) or isinstance(theirs.places, Place):
            assert ours.places == theirs.places
        else:
            assert list(map(str, ours.places)) == list(map(str, theirs.places))
        (table, rows), (wanted, expected) = ours.rows(), theirs.rows()
        assert rows.tolist() == expected.tolist()
        assert table.to_pydict() == wanted.to_pydict()
        if len(rows) > 1:
            mine, own = (part.read(held.settings_of(number)) for part in (ours, theirs))
            assert (mine.roles, mine.exclusions) == (own.roles, own.exclusions)
            np.testing.assert_array_equal(mine.system, own.system)
            np.testing.assert_array_equal(mine.human, own.human)
            assert levels(mine.groups) == levels(own.groups)
    return found


def levels(groups: Mapping[str, Coded]) -> dict[str, list[str]]:
    """Return the level of every response."""
    return {name: [coded.labels[code] for code in coded.codes.tolist()] for name, coded in groups.items()}


def write(path: Path, columns: dict[str, list[Any]]) -> Path:
    table = pa.table(columns)
    if path.suffix == ".csv":
        pa_csv.write_csv(table, path)
    else:
        place = table.schema.get_field_index("gender")
        table = table.set_column(place, "gender", table["gender"].combine_chunks().dictionary_encode())
        pq.write_table(table, path, row_group_size=50)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("by", ["item", "grade", ("item", "gender"), "note"])
def test_surveys_equal_sources_in_memory(kind: str, by: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / f"s.{kind}", rows_of(200, 1) if by != "note" else rows_of(30, 1))
    found = same(path, monkeypatch, tmp_path, by=by)
    if by == "item":
        assert [values["item"] for values in found.values] == ["No info", "P2", "P10", "ä"]
    if by == "grade":
        assert [values["grade"] for values in found.values] == ["6", "7", "8.5"]


def test_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        columns = rows_of(60 + number, number)
        columns["key"] = [f"{number}{key}" for key in columns["key"]]
        write(tmp_path / f"{number}.parquet", columns)
    same(str(tmp_path / "*.parquet"), monkeypatch, tmp_path, by="item", scale="1:6")


def test_errors_are_the_same_for_surveyed_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = rows_of(80, 3)
    del columns["engine"], columns["note"], columns["grade"]
    path = write(tmp_path / "s.csv", columns)
    sentences = []
    for _ in range(2):
        with pytest.raises(ReportgenError) as error:
            open_items(path, from_keywords(by="item"))
        sentences.append(str(error.value))
        monkeypatch.setattr(items, "is_large", lambda _: True)
    assert sentences[0] == sentences[1]
    monkeypatch.setattr(roles, "MOST_PARTS", 50)
    with pytest.raises(ReportgenError, match="--by key: more than 50 values; name a column of items"):
        open_items(write(tmp_path / "s.csv", rows_of(80, 3)), from_keywords(by="key"))


@pytest.mark.parametrize("change", ["fewer", "another item"])
def test_a_file_changed_during_a_run_is_an_error(change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items, "is_large", lambda _: True)
    path = write(tmp_path / "s.csv", rows_of(80, 3))
    found = open_items(path, from_keywords(by="item"))
    lines = path.read_text().splitlines()
    lines = lines[:-1] if change == "fewer" else [*lines[:-1], lines[-1].replace(lines[-1].split(",")[4], '"new"')]
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match="the file changed while it was being read"):
        found.rows.lay_down(tmp_path / "rows.arrow")
