"""Test items on separate scales: declared in a file, or spanned by their scores."""

import re
from pathlib import Path

import pytest
from item_rows import (
    GROUPS,
    PLAIN,
    check_plain,
    check_row,
    expected_rows,
    made,
    records,
    rows_on_scales,
    settings_of,
    write,
)

import reportgen
from reportgen.errors import InputError, SettingsError
from reportgen.reports.item_tables import tables
from reportgen.settings import from_keywords


@pytest.mark.slow
def test_items_on_separate_scales(tmp_path: Path) -> None:
    rows = rows_on_scales()
    found = made(write(tmp_path / "all.csv", rows), scale=None)
    scales = set()
    for item in sorted({row["item"] for row in rows}):
        path = write(tmp_path / "one.csv", [row for row in rows if row["item"] == item])
        report = reportgen.evaluate(path, **settings_of(scale=None))
        scale = report.evaluation.scale
        (said,) = records(found.table("items"), item)
        assert (said["scale_low"], said["scale_high"], said["scale_step"]) == (scale.low, scale.high, scale.step)
        assert said["scale_assumed"]
        scales.add((scale.low, scale.high, scale.step))
        for key in PLAIN:
            if key != "distribution" or scale.step == 1:
                check_plain(found, report.evaluation, key, item)
        for grouping in GROUPS:
            wanted = expected_rows(report.evaluation, f"by_group.{grouping}")
            mine = [row for row in records(found.table("by_group"), item) if row["group"] == grouping]
            for row, expected in zip(mine, [row for row in wanted if row["level"] != "All data"], strict=True):
                check_row(row, expected, {}, f"by_group {item} {grouping} {row['level']}")
    assert len(scales) >= 4
    assert sum(scale["items"] for scale in found.account["scales"]) == len({row["item"] for row in rows})
    assert {(scale["low"], scale["high"], scale["step"]) for scale in found.account["scales"]} == scales
    assert any("was not declared" in note for note in found.account["notes"])


def test_a_file_declares_the_scale_of_each_item(tmp_path: Path) -> None:
    rows = [row for row in rows_on_scales() if row["item"] in ("once", "whole")]
    assert any(row["h1"] == 0 for row in rows if row["item"] == "once")  # a score there, and none in the other
    path, scales = write(tmp_path / "all.csv", rows), tmp_path / "scales.csv"
    scales.write_text("scale, item ,note\n0:4,once,\n1:6, whole,x\n1:9,elsewhere,\n")
    found = tables(path, from_keywords(by="item", scales=scales, **settings_of(scale=None)))
    for item, scale in (("once", "0:4"), ("whole", "1:6")):
        one = write(tmp_path / "one.csv", [row for row in rows if row["item"] == item])
        report = reportgen.evaluate(one, **settings_of(scale=scale))
        (said,) = records(found.table("items"), item)
        assert f"{said['scale_low']:g}:{said['scale_high']:g}" == scale
        assert not said["scale_assumed"]
        for key in PLAIN:
            check_plain(found, report.evaluation, key, item)
        wanted_log = {row["reason"]: row["responses"] for row in expected_rows(report.evaluation, "data.exclusions")}
        assert {row["reason"]: row["responses"] for row in records(found.table("data.exclusions"), item)} == wanted_log


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item,scale\nonce,0:4\n", r"item 'whole'.*the scale file has no line for this item"),
        ("item,scale\nonce,0:3\nwhole,1:6\n", r"outside the declared scale 0 to 3"),
        ("item,scale\nonce,4\n", r"scales\.csv, line 2: '4' is not a scale"),
        ("item,scale\nonce,0:4\nonce,1:6\n", r"scales\.csv, line 3: item 'once' is listed twice"),
        ("prompt,scale\nonce,0:4\n", r"scales\.csv: column 'item' does not exist; choose from 'prompt', 'scale'"),
        (None, r"scales\.csv: file not found; check the path"),
    ],
)
def test_invalid_scales_raise(tmp_path: Path, text: str | None, said: str) -> None:
    rows = [row for row in rows_on_scales() if row["item"] in ("once", "whole")]
    path, scales = write(tmp_path / "all.csv", rows), tmp_path / "scales.csv"
    if text is not None:
        scales.write_text(text)
    settings = from_keywords(by="item", scales=scales, **settings_of(scale=None))
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
        tables(item_file, from_keywords(by="item", scales=tmp_path / "scales.csv", **settings_of()))
