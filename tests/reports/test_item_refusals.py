"""What tables of many items refuse, what one broken item does to the others, and what the command says."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import reportgen as run
from item_rows import GROUPS, in_pieces, made, score_rows, settings_of, write

from reportgen.errors import InputError, OutputError, SettingsError
from reportgen.reports.item_tables import tables
from reportgen.settings import from_keywords


def test_the_tables_command(item_file: Path, tmp_path: Path) -> None:
    options = ["--by", "item", "--human", "h1", "--human", "h2", "--system", "engine", "--scale", "1:6",
               "--exclude-zero-scores", "--unprotected"]  # fmt: skip
    groups = [word for name in GROUPS for word in ("--group", name)]
    run("tables", str(item_file), "out", *options, *groups, "--workers", "2", "--format", "csv", "--format", "parquet",
        cwd=tmp_path)  # fmt: skip
    account = json.loads((tmp_path / "out" / "items.json").read_text())
    names = {f"{key}.{suffix}" for key in account["tables"] for suffix in ("csv", "parquet")}
    assert {path.name for path in (tmp_path / "out").iterdir()} == names | {"items.json"}
    assert account["responses_evaluated"] + account["responses_left_out"] == account["source"]["rows"] == 561
    with (tmp_path / "out" / "by_group.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert "'=A1" in {row["level"] for row in rows}
    parquet = pq.read_table(tmp_path / "out" / "by_group.parquet")
    assert "=A1" in parquet["level"].to_pylist()
    assert [float(row["qwk"]) if row["qwk"] else None for row in rows] == parquet["qwk"].to_pylist()
    again = run("tables", str(item_file), "out", *options, cwd=tmp_path, code=2)
    assert "already contains tables of items" in again.stderr
    run("tables", str(item_file), "out", *options, "--no-groups", "--force", cwd=tmp_path)
    assert not (tmp_path / "out" / "by_group.csv").exists()
    assert not (tmp_path / "out" / "by_group.parquet").exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"by": ()}, "--by is required"),
        ({"by": "itm"}, "--by: column 'itm' does not exist; did you mean 'item'"),
        ({"candidate": "id"}, "reportgen tables does not support candidate"),
        (
            {"scale": "1:4"},
            r"item 'P 10', row \d+: column 'h1' contains the score [56], outside the declared scale 1 to 4",
        ),
        ({"system": "motor"}, "motor"),
    ],
)
def test_invalid_options_raise(item_file: Path, tmp_path: Path, more: dict[str, Any], said: str) -> None:
    with pytest.raises((SettingsError, InputError), match=said):
        tables(item_file, from_keywords(**{"by": "item", **settings_of(), **more}), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_invalid_files_raise(tmp_path: Path) -> None:
    settings = from_keywords(by="item", **settings_of())
    (tmp_path / "a.csv").write_text("id,item,h1,h2,engine,gender,grade,district\n")
    with pytest.raises(InputError, match=r"a\.csv: the file has a header but no rows"):
        tables(tmp_path / "a.csv", settings)
    rows = [{**row, "engine": "x"} for row in score_rows()]
    with pytest.raises(InputError, match="no response has a human score and an engine score"):
        tables(write(tmp_path / "a.csv", rows), settings)
    rows = [{**row, "engine": "1e9"} for row in score_rows()]
    with pytest.raises(InputError, match=r"a\.csv: .*item '.*', row 2: column 'engine' contains the score 1e\+09"):
        tables(write(tmp_path / "a.csv", rows), settings)
    (tmp_path / "a.jsonl").write_text(json.dumps(rows[0]))
    with pytest.raises(InputError, match="requires a CSV, TSV, or Parquet file"):
        tables(tmp_path / "a.jsonl", settings)
    (tmp_path / "items.json").write_text("{}")
    with pytest.raises(OutputError, match="already contains tables"):
        tables(tmp_path / "a.csv", settings, tmp_path)


def test_inconsistent_files_raise(tmp_path: Path) -> None:
    rows = [{**row, "item": str(number % 2)} for number, row in enumerate(score_rows())]
    home = in_pieces(tmp_path / "files", rows, "files")
    other = pq.read_table(home / "1.parquet")
    place = other.schema.get_field_index("item")
    pq.write_table(other.set_column(place, "item", pa.array([1.0] * other.num_rows)), home / "1.parquet")
    with pytest.raises(
        InputError, match=r"1\.parquet: column 'item' contains double values, but in 0\.parquet it contains string"
    ):
        made(str(home / "*.parquet"))
    pq.write_table(other.set_column(place, "item", pa.array([["1"]] * other.num_rows)), home / "1.parquet")
    with pytest.raises(InputError, match=r"1\.parquet: column 'item' contains list"):
        made(str(home / "*.parquet"))
    with pytest.raises(InputError, match="column 'item' contains list<element: string> values; expected text"):
        made(home / "1.parquet")
    (home / "1.parquet").write_bytes((home / "0.parquet").read_bytes()[:-30])
    with pytest.raises(InputError, match=r"\*\.parquet: 1\.parquet: not a readable Parquet file"):
        made(str(home / "*.parquet"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "score", "told"),
    [("h2", "7", ", outside the declared scale 1 to 6"), ("engine", "2e6", "; expected scores within 1,000,000 of 0")],
)
def test_one_broken_item_does_not_stop_others(
    item_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: str, score: str, told: str
) -> None:
    rows = score_rows()
    places = [number for number, row in enumerate(rows) if row["item"] == "whole" and row["h1"] in (3, 4, 5)][-2:]
    for place in places:
        rows[place] = {**rows[place], column: score, "engine": score if column == "engine" else "3.5"}
    path = write(tmp_path / "broken.csv", rows)
    monkeypatch.setattr("reportgen.sources.delimited._BLOCK", 3000)
    run("tables", str(path), "out", "--by", "item", "--human", "h1", "--human", "h2", "--system", "engine",
        "--scale", "1:6", "--exclude-zero-scores", "--no-groups", cwd=tmp_path, code=3)  # fmt: skip
    found, whole = made(path), made(item_file)
    (said,) = found.account["items_refused"].values()
    assert said.startswith(f"row {places[0] + 2}: column '{column}' contains the score {float(score):g}{told}")
    assert json.loads((tmp_path / "out" / "items.json").read_text())["items_refused"] == {"whole": said}
    assert found.account["items_not_evaluated"] == ["single", "whole"]
    for table, other in zip(found.tables, whole.tables, strict=True):
        if table.key not in ("items", "data.exclusions"):
            kept = other.columns["item"] != "whole"
            for name, column_ in table.columns.items():
                expected = other.columns[name][kept]
                if column_.dtype.kind == "f":
                    np.testing.assert_allclose(column_, expected, rtol=1e-9, atol=1e-12)
                else:
                    assert column_.tolist() == expected.tolist(), (table.key, name)


def test_the_terminal_shows_what_was_found(tmp_path: Path) -> None:
    of_item: dict[str, list[int | str]] = {"a": [0, 0, 1, 2, 3, 4, ""], "b": [1, 2, 3, 4, 5, 6, 6]}
    rows = [
        {"item": item, "rater": score, "engine": "" if number == 5 else f"{number / 2 + 1.25}", "other": number / 8}
        for item, scores in of_item.items()
        for number, score in enumerate(scores * 3)
    ]
    path = write(tmp_path / "scores.csv", rows)
    said = run("tables", str(path), "out", "--by", "item", cwd=tmp_path).stdout
    kept = sum(row["rater"] != "" and row["engine"] != "" for row in rows)
    zeros = sum(row["rater"] == 0 for row in rows)
    blank = sum(row["rater"] == "" for row in rows)
    assert f"{len(rows)} responses read, {kept} used" in said
    assert "system        engine (detected by name)" in said
    assert "human         rater (detected by name)" in said
    assert "0 to 4 in steps of 1 in 1 item (detected)" in said
    assert "1 to 6 in steps of 1 in 1 item (detected)" in said
    assert f"{blank} of 1 item because no human score in 'rater'" in said
    assert "not used      other" in said
    (tmp_path / "scales.csv").write_text("item,scale\na,0:4\nb,1:6\n")
    said = run("tables", str(path), "all", "--by", "item", "--scales", "scales.csv", cwd=tmp_path).stdout
    assert f"{len(rows)} responses read, {kept} used" in said
    assert "0 to 4 in steps of 1 in 1 item (specified)" in said
    assert "is 0" not in said
    run("tables", str(path), "less", "--by", "item", "--scales", "scales.csv", "--exclude-zero-scores", cwd=tmp_path)
    account = json.loads((tmp_path / "less" / "items.json").read_text())
    assert (
        sum(out["responses"] for out in account["exclusions"])
        == account["responses_left_out"]
        == len(rows) - kept + zeros
    )
