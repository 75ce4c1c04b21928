"""Sources that are made, or happen, to mislead who reads them in batches: every one ends in its one sentence."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from test_refusals import sentence

import reportgen
from reportgen.passes import NeedsRowsError, count
from reportgen.scores import read
from reportgen.settings import from_keywords
from reportgen.sources.tabular import Place

HEADER = "id,human,system,gender,city\n"


def rows(n: int, start: int = 0) -> list[str]:
    return [f"r{row},{row % 5 + 1},{row % 5 + 1.25},{'fm'[row % 2]},Rome" for row in range(start, start + n)]


def test_a_letter_of_another_encoding_behind_a_blank_line(tmp_path: Path) -> None:
    lines = rows(60_000)
    lines[29_998] = ""
    lines[49_999] = lines[49_999].replace("Rome", "C\xf3rdoba")
    (tmp_path / "a-1.csv").write_bytes((HEADER + "\n".join(lines) + "\n").encode("latin-1"))
    (tmp_path / "a-2.csv").write_text(HEADER + "\n".join(rows(50, 70_000)), encoding="utf-8")
    one, both = tmp_path / "a-1.csv", [tmp_path / "a-1.csv", tmp_path / "a-2.csv"]
    read_too = from_keywords(groups=["city"], id="id")
    text = "line 50001 is not UTF-8 text. What is the file's encoding?"
    assert text in sentence(lambda: count(one, read_too))
    assert f"a-1.csv: {text}" in sentence(lambda: count(both, read_too))
    assert text in sentence(lambda: read(one, read_too))
    assert text in sentence(lambda: reportgen.batch(one, tmp_path / "batch", by="city"))
    assert text in sentence(lambda: reportgen.item_tables(one, by="city"))


def test_errors_name_rows_if_an_unused_column_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reportgen.sources.delimited._BLOCK", 600)
    path = tmp_path / "scores.csv"
    lines = ["r1,1,1.5,f,Rome", "", "r2,2,2.5,m,C\xf3rdoba", "r3,3,x,f,Rome", "r4,4,4.5,m,Rome"]
    lines = [line and line + " and what else was written" * 20 for line in lines]
    path.write_bytes((HEADER + "\n".join(lines)).encode("latin-1"))
    settings = from_keywords(groups=["gender"], id="id")
    for scores in (count(path, settings).account, read(path, settings)):
        assert scores.exclusions[0].first_rows == (Place(5),)


@pytest.mark.parametrize(
    "lines",
    [
        ["a," + "9" * 25 + ",4.3", "b," + "9" * 25 + ",4.3"],
        [f"r{row},{row % 5 + 1},{'1e25' if row % 2 else 3.5}" for row in range(300)],
        [f"r{row},{row % 5 + 1},{3.5 if row else '-1e300'}" for row in range(300)],
    ],
)
def test_scores_beyond_all_scales_are_rejected_before_they_are_counted(lines: list[str], tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("id,human,system\n" + "\n".join(lines), encoding="utf-8")
    for settings in (from_keywords(), from_keywords(scale="1:5")):
        said = sentence(lambda: count(path, settings, rows=100))  # noqa: B023 - called at once
        assert "expected scores within 1,000,000 of 0" in said
        assert said == sentence(lambda: read(path, settings))  # noqa: B023 - called at once


@pytest.mark.parametrize("values", [[["f"], ["m"]] * 10, [b"\xff", b"\xfe"] * 10, [{"a": 1}, {"a": 2}] * 10])
def test_columns_without_text_or_numbers(values: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    scores = np.arange(20) % 4 + 1
    pq.write_table(pa.table({"id": np.arange(20), "human": scores, "system": scores + 0.5, "gender": values}), path)
    settings = from_keywords(groups=["gender"])
    said = sentence(lambda: count(path, settings))
    assert "column 'gender' contains " in said
    assert said.endswith("values; expected text or numbers.")
    assert said == sentence(lambda: read(path, settings))
    for keywords in ({"by": "gender"}, {"by": "human", "groups": ["gender"]}):
        told = sentence(lambda: reportgen.item_tables(path, **keywords))  # noqa: B023 - called at once
        assert "column 'gender' contains " in told


def test_ids_are_detected_if_the_first_file_has_one_row(tmp_path: Path) -> None:
    paths = []
    for number, size in enumerate((1, 30, 40)):
        scores = np.arange(size) % 4 + 1
        names = [f"essay {number}-{row}" for row in range(size)]
        pq.write_table(
            pa.table({"essay": names, "human": scores, "system": scores + 0.25}), tmp_path / f"{number}.parquet"
        )
        paths.append(tmp_path / f"{number}.parquet")
    counted = count(paths, from_keywords()).account
    assert counted.columns("id") == read(paths, from_keywords()).columns("id") == ("essay",)


def test_a_group_column_of_ids_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    scores = np.arange(12_000) % 4 + 1
    made = {"human": scores, "system": scores + 0.25, "gender": scores % 2, "pupil": np.arange(12_000) // 2}
    pq.write_table(pa.table(made), path, row_group_size=3000)
    settings = from_keywords(groups=["gender", "pupil"])
    said = sentence(lambda: count(path, settings, rows=1000))
    assert "group column 'pupil' has more than 5,000 values, like an ID column" in said
    assert said == sentence(lambda: read(path, settings))
    assert count(path, from_keywords(groups=["gender", "pupil"], max_levels=6000), rows=4000).account.kept == 12_000


def test_many_levels_with_many_cells_are_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reportgen.passes.counter.MOST_PLACES", 1000)
    path = tmp_path / "scores.parquet"
    scores = np.arange(6000) % 4 + 1
    pq.write_table(pa.table({"human": scores, "system": scores + 0.25, "school": np.arange(6000) % 400}), path)
    with pytest.raises(NeedsRowsError, match="most of them in 'school'"):
        count(path, from_keywords(groups=["school"]))
