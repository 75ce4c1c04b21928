"""Tables of items on separate scales, what they refuse, and what one broken item does to the others."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import item_rows
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import reportgen as run

import reportgen
from reportgen.errors import InputError, OutputError, SettingsError
from reportgen.reports.item_tables import tables
from reportgen.settings import from_keywords


@pytest.mark.slow
def test_items_on_separate_scales(tmp_path: Path) -> None:
    rows = item_rows.rows_on_scales()
    found = item_rows.made(item_rows.write(tmp_path / "all.csv", rows), scale=None)
    scales = set()
    for item in sorted({row["item"] for row in rows}):
        path = item_rows.write(tmp_path / "one.csv", [row for row in rows if row["item"] == item])
        report = reportgen.evaluate(path, **item_rows.settings_of(scale=None))
        scale = report.evaluation.scale
        (said,) = item_rows.records(found.table("items"), item)
        assert (said["scale_low"], said["scale_high"], said["scale_step"]) == (scale.low, scale.high, scale.step)
        assert said["scale_assumed"]
        scales.add((scale.low, scale.high, scale.step))
        for key in item_rows.PLAIN:
            if key != "distribution" or scale.step == 1:
                item_rows.check_plain(found, report.evaluation, key, item)
        for grouping in item_rows.GROUPS:
            wanted = item_rows.expected_rows(report.evaluation, f"by_group.{grouping}")
            mine = [row for row in item_rows.records(found.table("by_group"), item) if row["group"] == grouping]
            for row, expected in zip(mine, [row for row in wanted if row["level"] != "All data"], strict=True):
                item_rows.check_row(row, expected, {}, f"by_group {item} {grouping} {row['level']}")
    assert len(scales) >= 4
    assert sum(scale["items"] for scale in found.account["scales"]) == len({row["item"] for row in rows})
    assert {(scale["low"], scale["high"], scale["step"]) for scale in found.account["scales"]} == scales
    assert any("was not declared" in note for note in found.account["notes"])


def test_a_file_declares_the_scale_of_each_item(tmp_path: Path) -> None:
    rows = [row for row in item_rows.rows_on_scales() if row["item"] in ("once", "whole")]
    assert any(row["h1"] == 0 for row in rows if row["item"] == "once")  # a score there, and none in the other
    path, scales = item_rows.write(tmp_path / "all.csv", rows), tmp_path / "scales.csv"
    scales.write_text("scale, item ,note\n0:4,once,\n1:6, whole,x\n1:9,elsewhere,\n")
    found = tables(path, from_keywords(by="item", scales=scales, **item_rows.settings_of(scale=None)))
    for item, scale in (("once", "0:4"), ("whole", "1:6")):
        one = item_rows.write(tmp_path / "one.csv", [row for row in rows if row["item"] == item])
        report = reportgen.evaluate(one, **item_rows.settings_of(scale=scale))
        (said,) = item_rows.records(found.table("items"), item)
        assert f"{said['scale_low']:g}:{said['scale_high']:g}" == scale
        assert not said["scale_assumed"]
        for key in item_rows.PLAIN:
            item_rows.check_plain(found, report.evaluation, key, item)
        wanted_log = {
            row["reason"]: row["responses"] for row in item_rows.expected_rows(report.evaluation, "data.exclusions")
        }
        assert {
            row["reason"]: row["responses"] for row in item_rows.records(found.table("data.exclusions"), item)
        } == wanted_log


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item,scale\nonce,0:4\n", r"item 'whole'.*the scale file has no line for this item"),
        ("item,scale\nonce,0:3\nwhole,1:6\n", r"outside the declared scale 0 to 3"),
        ("item,scale\nonce,4\n", r"scales\.csv, line 2: '4' is not a scale"),
        ("item,scale\nonce,0:4\nonce,1:6\n", r"scales\.csv, line 3: item 'once' is listed twice"),
        ("prompt,scale\nonce,0:4\n", r"scales\.csv: column 'item' does not exist; choose from 'prompt' and 'scale'"),
        (None, r"scales\.csv: file not found; check the path"),
    ],
)
def test_invalid_scales_raise(tmp_path: Path, text: str | None, said: str) -> None:
    rows = [row for row in item_rows.rows_on_scales() if row["item"] in ("once", "whole")]
    path, scales = item_rows.write(tmp_path / "all.csv", rows), tmp_path / "scales.csv"
    if text is not None:
        scales.write_text(text)
    settings = from_keywords(by="item", scales=scales, **item_rows.settings_of(scale=None))
    try:
        found = tables(path, settings)
    except (InputError, SettingsError) as error:
        refused = str(error)
    else:
        refused = " ".join(f"item '{item}': {told}" for item, told in found.account["items_refused"].items())
    assert re.search(said, refused), refused


def test_one_scale_or_many(item_file: Path, tmp_path: Path) -> None:
    (tmp_path / "scales.csv").write_text("item,scale\nonce,0:4\n")
    with pytest.raises(SettingsError, match="--scales: --scale already declares one scale for all items"):
        tables(item_file, from_keywords(by="item", scales=tmp_path / "scales.csv", **item_rows.settings_of()))


def test_the_tables_command(item_file: Path, tmp_path: Path) -> None:
    options = ["--by", "item", "--human", "h1", "--human", "h2", "--system", "engine", "--scale", "1:6",
               "--exclude-zero-scores", "--unprotected"]  # fmt: skip
    groups = [word for name in item_rows.GROUPS for word in ("--group", name)]
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
        tables(item_file, from_keywords(**{"by": "item", **item_rows.settings_of(), **more}), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_invalid_files_raise(tmp_path: Path) -> None:
    settings = from_keywords(by="item", **item_rows.settings_of())
    (tmp_path / "a.csv").write_text("id,item,h1,h2,engine,gender,grade,district\n")
    with pytest.raises(InputError, match=r"a\.csv: the file has a header but no rows"):
        tables(tmp_path / "a.csv", settings)
    rows = [{**row, "engine": "x"} for row in item_rows.score_rows()]
    with pytest.raises(InputError, match="no response has a human score and an engine score"):
        tables(item_rows.write(tmp_path / "a.csv", rows), settings)
    rows = [{**row, "engine": "1e9"} for row in item_rows.score_rows()]
    with pytest.raises(InputError, match=r"a\.csv: .*item '.*', row 2: column 'engine' contains the score 1e\+09"):
        tables(item_rows.write(tmp_path / "a.csv", rows), settings)
    (tmp_path / "a.jsonl").write_text(json.dumps(rows[0]))
    with pytest.raises(InputError, match="requires a CSV, TSV, or Parquet file"):
        tables(tmp_path / "a.jsonl", settings)
    (tmp_path / "items.json").write_text("{}")
    with pytest.raises(OutputError, match="already contains tables"):
        tables(tmp_path / "a.csv", settings, tmp_path)


def test_inconsistent_files_raise(tmp_path: Path) -> None:
    rows = [{**row, "item": str(number % 2)} for number, row in enumerate(item_rows.score_rows())]
    home = item_rows.in_pieces(tmp_path / "files", rows, "files")
    other = pq.read_table(home / "1.parquet")
    place = other.schema.get_field_index("item")
    pq.write_table(other.set_column(place, "item", pa.array([1.0] * other.num_rows)), home / "1.parquet")
    with pytest.raises(
        InputError, match=r"1\.parquet: column 'item' contains double values, but in 0\.parquet it contains string"
    ):
        item_rows.made(str(home / "*.parquet"))
    pq.write_table(other.set_column(place, "item", pa.array([["1"]] * other.num_rows)), home / "1.parquet")
    with pytest.raises(InputError, match=r"1\.parquet: column 'item' contains list"):
        item_rows.made(str(home / "*.parquet"))
    with pytest.raises(InputError, match="column 'item' contains list<element: string> values; expected text"):
        item_rows.made(home / "1.parquet")
    (home / "1.parquet").write_bytes((home / "0.parquet").read_bytes()[:-30])
    with pytest.raises(InputError, match=r"\*\.parquet: 1\.parquet: not a readable Parquet file"):
        item_rows.made(str(home / "*.parquet"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "score", "told"),
    [("h2", "7", ", outside the declared scale 1 to 6"), ("engine", "2e6", "; expected scores within 1,000,000 of 0")],
)
def test_one_broken_item_does_not_stop_others(
    item_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: str, score: str, told: str
) -> None:
    rows = item_rows.score_rows()
    places = [number for number, row in enumerate(rows) if row["item"] == "whole" and row["h1"] in (3, 4, 5)][-2:]
    for place in places:
        rows[place] = {**rows[place], column: score, "engine": score if column == "engine" else "3.5"}
    path = item_rows.write(tmp_path / "broken.csv", rows)
    monkeypatch.setattr("reportgen.sources.delimited._BLOCK", 3000)
    run("tables", str(path), "out", "--by", "item", "--human", "h1", "--human", "h2", "--system", "engine",
        "--scale", "1:6", "--exclude-zero-scores", "--no-groups", cwd=tmp_path, code=3)  # fmt: skip
    found, whole = item_rows.made(path), item_rows.made(item_file)
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
    path = item_rows.write(tmp_path / "scores.csv", rows)
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
