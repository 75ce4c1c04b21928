"""All tables of many items: every cell is the one that an evaluation of the item's rows alone has."""

from __future__ import annotations

import csv
import json
import math
import re
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from command import reportgen as run

import reportgen
from reportgen.errors import InputError, OutputError, SettingsError
from reportgen.evaluation.many_items import counted, counting, singly
from reportgen.results import Evaluation
from reportgen.scores import item_batches
from reportgen.settings import from_keywords
from reportgen.sources import batches, byte_ranges
from reportgen.tally import many
from reportgen.verbs.long_tables import ItemTables, tables

GROUPS = ["gender", "grade", "district"]
Row = dict[str, Any]


def score_rows() -> list[Row]:
    """Return responses to seven items with everything that happens: gaps, words, zeros, small groups, odd engines."""
    rng = np.random.default_rng(5)
    rows: list[Row] = []
    sizes = {"plain": 130, "once": 60, "whole": 90, "perfect": 70, "few double": 80, "small groups": 90, "P 10": 40}
    for item, n in sizes.items():
        for i in range(n):
            true = rng.normal(3.4, 1.1)
            h1, h2 = (int(np.clip(np.rint(true + rng.normal(0, 0.6)), 1, 6)) for _ in range(2))
            engine: Any = round(float(true + rng.normal(0.1, 0.5)), 4)
            double = {"once": 0.0, "few double": 0.08}.get(item, 0.6)
            row: Row = {"id": f"{item}-{i}", "item": item, "h1": h1, "h2": h2 if rng.random() < double else ""}
            row["engine"] = {"whole": int(np.clip(np.rint(true), 0, 7)), "perfect": h1}.get(item, engine)
            if item == "perfect":
                row["h2"] = h1 if row["h2"] != "" else ""
            row["gender"] = rng.choice(["f", "m", " m "] if item != "P 10" else ["f"])
            row["grade"] = str(
                rng.choice([7, 8, 9], p=[0.45, 0.45, 0.1] if item == "small groups" else [0.4, 0.3, 0.3])
            )
            row["district"] = rng.choice(["=A1", "B", ""], p=[0.5, 0.4, 0.1])
            rows.append(row)
    for place, (name, value) in zip(
        rng.permutation(len(rows)),
        [("h1", ""), ("h1", "0"), ("h1", "none"), ("engine", ""), ("engine", "refused"), ("engine", "inf"),
         ("h2", "0"), ("h2", "x"), ("h1", "4.5")] * 2, strict=False,
    ):  # fmt: skip
        rows[place][name] = value
    rows.append({**rows[0], "id": "alone", "item": "single"})
    order = rng.permutation(len(rows))
    return [rows[place] for place in order]


def write(path: Path, rows: list[Row]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("items") / "scores.csv", score_rows())


def settings_of(**more: Any) -> dict[str, Any]:
    return {"human": ["h1", "h2"], "system": "engine", "groups": GROUPS, "scale": "1:6", **more}


def made(source: Any, **more: Any) -> ItemTables:
    return tables(source, from_keywords(by="item", **settings_of(**more)))


@pytest.fixture(scope="module")
def alone(scores: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Evaluation]:
    """Return the evaluation of every item's rows alone."""
    home, rows = tmp_path_factory.mktemp("alone"), score_rows()
    found = {}
    for item in sorted({row["item"] for row in rows} - {"single"}):
        path = write(home / "one.csv", [row for row in rows if row["item"] == item])
        found[item] = reportgen.evaluate(path, **settings_of()).evaluation
    return found


def records(table: Any, item: str) -> list[dict[str, Any]]:
    """Return an item's rows of a long table."""
    mine = np.flatnonzero(table.columns["item"] == item)
    return [{name: column[row] for name, column in table.columns.items() if name != "item"} for row in mine]


def expected_rows(evaluation: Evaluation, key: str) -> list[dict[str, Any]]:
    table = evaluation.tables.get(key)
    if table is None:
        return []
    header, body = table.flat()
    return [dict(zip(header, line, strict=True)) for line in body]


def check_cell(found: Any, wanted: Any, where: str) -> None:
    if wanted is None or wanted == "":
        assert (isinstance(found, float) and math.isnan(found)) or found == "", where
    elif isinstance(wanted, str):
        assert found == wanted, where
    else:
        assert found == pytest.approx(wanted, rel=1e-12, abs=1e-12), where


def check_row(found: dict[str, Any], wanted: dict[str, Any], names: dict[str, str], where: str) -> None:
    """Compare all cells of a row; `names` leads from the columns of one item's table to those of the long one."""
    for name, value in wanted.items():
        to = names.get(name, name)
        if to and to in found:
            check_cell(found[to], value, f"{where}: {name}")
        else:
            assert not to or value is None, f"{where}: {name} is missing"


PLAIN = (
    "system_human.descriptives", "system_human.association", "system_human.agreement", "human_human.agreement",
    "human_human.degradation", "human_human.disattenuated", "true_score.prmse", "distribution",
)  # fmt: skip
ENDS = ("", "_low", "_high", "_n")


@pytest.mark.parametrize("key", PLAIN)
def test_tables_of_whole_items(scores: Path, alone: dict[str, Evaluation], key: str) -> None:
    table = made(scores).table(key)
    for item, evaluation in alone.items():
        wanted = expected_rows(evaluation, key)
        found = records(table, item)
        if key == "distribution":
            found = [{**row, "score": f"{row['score']:g}"} for row in found]
        assert len(found) == len(wanted), (key, item)
        for row, expected in zip(found, wanted, strict=True):
            check_row(row, expected, {"pair": ""}, f"{key} {item}")


@pytest.mark.parametrize("key", ["by_group", "human_human.by", "human_human.disattenuated.by", "data.groups"])
def test_tables_of_groups(scores: Path, alone: dict[str, Evaluation], key: str) -> None:
    table = made(scores).table(key)
    compared = 0
    for item, evaluation in alone.items():
        for grouping in GROUPS:
            wanted = [row for row in expected_rows(evaluation, f"{key}.{grouping}") if row["level"] != "All data"]
            found = [row for row in records(table, item) if row["group"] == grouping]
            assert [row["level"] for row in found] == [row["level"] for row in wanted], (key, item, grouping)
            for row, expected in zip(found, wanted, strict=True):
                check_row(row, expected, {}, f"{key} {item} {grouping} {row['level']}")
                compared += 1
    assert compared > 20


def test_fairness(scores: Path, alone: dict[str, Evaluation]) -> None:
    found = made(scores)
    compared = 0
    for item, evaluation in alone.items():
        for grouping in GROUPS:
            wanted = expected_rows(evaluation, f"fairness.explained.{grouping}")
            rows = [row for row in records(found.table("fairness.explained"), item) if row["group"] == grouping]
            assert len(rows) == len(wanted)
            for row, expected in zip(rows, wanted, strict=True):
                assert f"({row['analysis'].upper()})" in expected["analysis"]
                check_row(
                    row, expected, {"analysis": "", "r_squared_n": "n", "p_n": "n"}, f"explained {item} {grouping}"
                )
            contrasts = [row for row in records(found.table("fairness.contrasts"), item) if row["group"] == grouping]
            for analysis in ("osa", "osd", "csd"):
                wanted = expected_rows(evaluation, f"fairness.{analysis}.{grouping}")
                mine = [row for row in contrasts if row["analysis"] == analysis]
                assert len(mine) == len(wanted)
                for row, expected in zip(mine, wanted, strict=True):
                    assert expected["level"].startswith(row["level"])
                    check_row(row, expected, {"level": ""}, f"{analysis} {item} {grouping} {row['level']}")
                    compared += 1
    assert compared > 60


SINGLY = {
    "panel.agreement": "", "panel.divergence": "", "calibration": "", "levels.by_human": "", "levels.overall": "",
    "fairness.given_true_score": "fairness.given_true_score.",
}  # fmt: skip


@pytest.fixture(scope="module")
def asked(scores: Path) -> ItemTables:
    settings = from_keywords(by="item", **settings_of())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counted, "ITEMS_AT_A_TIME", 3)
        return tables(scores, settings, also=singly.ALSO)


@pytest.mark.parametrize("key", SINGLY)
def test_tables_that_are_asked_for(asked: ItemTables, alone: dict[str, Evaluation], key: str) -> None:
    table, compared = asked.table(key), 0
    for item, evaluation in alone.items():
        wanted = []
        for grouping in GROUPS if SINGLY[key] else [""]:
            found = expected_rows(evaluation, (SINGLY[key] or key) + grouping)
            wanted += [{"group": grouping, **row} if grouping else row for row in found]
        wanted = [row for row in wanted if "unrounded" not in str(row.get("coefficient"))]  # needs the rows
        mine = records(table, item)
        assert len(mine) == len(wanted), (key, item)
        for row, expected in zip(mine, wanted, strict=True):
            check_row(row, expected, {}, f"{key} {item}")
            compared += 1
    assert compared > 20


@pytest.mark.parametrize("known", [None, 2.5])
@pytest.mark.parametrize("raters", [1, 2])
def test_levels_that_are_bands_and_sparse(tmp_path: Path, known: float | None, raters: int) -> None:
    rng = np.random.default_rng(9)
    rows: list[Row] = []
    for item, n in {"a": 60, "b": 25, "c": 7, "same": 12, "perfect": 30}.items():
        for _ in range(n):
            h1 = 30 if item == "same" else int(rng.integers(0, 41))
            h2 = h1 if item == "perfect" else int(np.clip(h1 + rng.integers(-3, 4), 0, 40))
            engine = h1 if item == "perfect" else round(h1 + rng.normal(0, 4), 2)
            rows.append({"item": item, "h1": h1, "h2": h2 if rng.random() < 0.6 else "", "engine": engine})
    given: dict[str, Any] = {
        "human": ["h1", "h2"][:raters], "system": "engine", "groups": [], "scale": "0:40",
        "rater_error_variance": known,
    }  # fmt: skip
    found = tables(write(tmp_path / "all.csv", rows), from_keywords(by="item", **given))
    for item in ("a", "b", "c", "same", "perfect"):
        one = write(tmp_path / "one.csv", [row for row in rows if row["item"] == item])
        evaluation = reportgen.evaluate(one, **given).evaluation
        for key in ("calibration", "levels.by_human", "levels.overall"):
            wanted, mine = expected_rows(evaluation, key), records(found.table(key), item)
            assert len(mine) == len(wanted), (key, item)
            for row, expected in zip(mine, wanted, strict=True):
                check_row(row, expected, {}, f"{key} {item}")


def test_what_could_not_be_made_is_said(asked: ItemTables, alone: dict[str, Evaluation], tmp_path: Path) -> None:
    told = {(row["group"], row["why"], item) for item in alone for row in records(asked.table("not_made"), item)}
    wanted = {
        (grouping, why, item)
        for item, evaluation in alone.items()
        for grouping, why in evaluation.facts["no_difference_given_true_score"].items()
    }
    assert told == wanted
    found = tables(
        write(tmp_path / "all.csv", rows_on_scales()),
        from_keywords(by="item", **settings_of(scale=None)),
        also=["panel"],
    )
    assert {row["table"] for row in records(found.table("not_made"), "plain")} == {"panel"}
    assert len(records(found.table("levels.by_human"), "once")) == 4  # 0 is no score where no scale is declared
    with pytest.raises(SettingsError, match="--also: expected panel or differences, found all"):
        tables(tmp_path / "all.csv", from_keywords(by="item"), also=["all"])


def test_confusion_counts(scores: Path, alone: dict[str, Evaluation]) -> None:
    found = made(scores)
    for item, evaluation in alone.items():
        for key, second in (("confusion.system", "system"), ("confusion.human", "second_human")):
            wanted = {
                (row["human"], name): n
                for row in expected_rows(evaluation, key)
                for name, n in row.items()
                if name not in ("human", "total") and n
            }
            rows = records(found.table(key), item)
            assert {(f"{row['human']:g}", f"{row[second]:g}"): row["n"] for row in rows} == wanted


def test_what_is_left_out_and_withheld(scores: Path, alone: dict[str, Evaluation]) -> None:
    found = made(scores)
    logged = {(row["reason"], item): row["responses"]
              for item in [*alone, "single"] for row in records(found.table("data.exclusions"), item)}  # fmt: skip
    for item, evaluation in alone.items():
        wanted = {row["reason"]: row["responses"] for row in expected_rows(evaluation, "data.exclusions")}
        assert {reason: n for (reason, where), n in logged.items() if where == item} == wanted
        log = expected_rows(evaluation, "privacy.withheld")
        rows = records(found.table("privacy.withheld"), item)
        assert {tuple(row.values()) for row in rows} == {tuple(row.values()) for row in log}, item
    items = found.table("items")
    assert items.columns["item"].tolist() == [
        "P 10", "few double", "once", "perfect", "plain", "single", "small groups", "whole"
    ]  # fmt: skip
    (single,) = records(items, "single")
    assert single["not_evaluated"] == "fewer than 2 responses with both scores"
    assert found.account["items_not_evaluated"] == ["single"]


def same_tables(found: ItemTables, expected: ItemTables) -> None:
    assert [table.key for table in found.tables] == [table.key for table in expected.tables]
    for table, other in zip(found.tables, expected.tables, strict=True):
        assert list(table.columns) == list(other.columns)
        for name, column in table.columns.items():
            if column.dtype.kind == "f":
                np.testing.assert_allclose(column, other.columns[name], rtol=1e-9, atol=1e-12, err_msg=name)
            else:
                assert column.tolist() == other.columns[name].tolist(), (table.key, name)


@pytest.mark.parametrize("pool", [None, ThreadPoolExecutor, ProcessPoolExecutor])
def test_parts_and_formats_do_not_matter(
    scores: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pool: Any
) -> None:
    expected = made(scores)
    monkeypatch.setattr(byte_ranges.byte_ranges, "__defaults__", (None, 3000))
    monkeypatch.setattr(many, "GATHERED_ROWS", 60)
    monkeypatch.setattr(many, "SORTED_ROWS", 60)
    monkeypatch.setattr(counted, "ITEMS_AT_A_TIME", 2)
    settings = from_keywords(by="item", **settings_of())
    executor = pool(2) if pool else None
    same_tables(tables(scores, settings, workers=3, executor=executor), expected)
    table = pa_csv.read_csv(
        scores,
        convert_options=pa_csv.ConvertOptions(column_types=dict.fromkeys(["h1", "h2", "engine", "grade"], "string")),
    )
    for number in (0, 1):
        rows = slice(0, 250) if number == 0 else slice(250, None)
        part = table.slice(rows.start, (rows.stop or table.num_rows) - rows.start)
        pq.write_table(part, tmp_path / f"part-{number}.parquet", row_group_size=77)
    monkeypatch.setattr(item_batches, "BATCH_ROWS", 50)
    monkeypatch.setattr(batches, "PIECE_ROWS", 77)
    same_tables(tables(str(tmp_path / "part-*.parquet"), settings, workers=2, executor=executor), expected)
    if executor:
        executor.shutdown()


def test_numbers_of_any_type(tmp_path: Path) -> None:
    rows = [row for row in score_rows() if row["item"] in ("plain", "whole") and str(row["h1"]) in "123456"]
    rows = [row for row in rows if isinstance(row["engine"], int | float) and row["h2"] in ("", 1, 2, 3, 4, 5, 6)]
    path = write(tmp_path / "typed.csv", rows)
    pq.write_table(pa_csv.read_csv(path), tmp_path / "typed.parquet")
    same_tables(made(tmp_path / "typed.parquet"), made(path))


def rows_on_scales() -> list[Row]:
    """Return the responses with some items on scales of their own: 0 to 4, half points, any number."""
    rows = [row for row in score_rows() if row["item"] != "single"]
    rng = np.random.default_rng(6)
    for row in rows:
        for name in ("h1", "h2"):
            if isinstance(row[name], int) and row["item"] == "once":
                row[name] = min(max(row[name] - 1, 0), 4)
            elif isinstance(row[name], int) and row["item"] == "plain":
                row[name] = row[name] + 0.5 * int(rng.integers(0, 2))
            elif isinstance(row[name], int) and row["item"] == "few double":
                row[name] = round(row[name] + rng.normal(0, 0.1), 3)
    return rows


def test_items_on_scales_of_their_own(tmp_path: Path) -> None:
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
            if key == "distribution" and scale.step != 1:
                continue
            wanted, mine = expected_rows(report.evaluation, key), records(found.table(key), item)
            if key == "distribution":
                mine = [{**row, "score": f"{row['score']:g}"} for row in mine]
            assert len(mine) == len(wanted), (key, item)
            for row, expected in zip(mine, wanted, strict=True):
                check_row(row, expected, {"pair": ""}, f"{key} {item}")
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
            wanted, mine = expected_rows(report.evaluation, key), records(found.table(key), item)
            if key == "distribution":
                mine = [{**row, "score": f"{row['score']:g}"} for row in mine]
            assert len(mine) == len(wanted), (key, item)
            for row, expected in zip(mine, wanted, strict=True):
                check_row(row, expected, {"pair": ""}, f"{key} {item}")
        wanted_log = {row["reason"]: row["responses"] for row in expected_rows(report.evaluation, "data.exclusions")}
        assert {row["reason"]: row["responses"] for row in records(found.table("data.exclusions"), item)} == wanted_log


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item,scale\nonce,0:4\n", r"item 'whole'.*no scale is declared for this item"),
        ("item,scale\nonce,0:3\nwhole,1:6\n", r"outside the declared scale 0 to 3"),
        ("item,scale\nonce,4\n", r"scales\.csv, line 2: '4' is no scale"),
        ("item,scale\nonce,0:4\nonce,1:6\n", r"scales\.csv, line 3: item 'once' has a scale already"),
        ("prompt,scale\nonce,0:4\n", r"scales\.csv: no column 'item'; expected the columns item, scale"),
        (None, r"scales\.csv: not a CSV file of scales that can be read"),
    ],
)
def test_scales_that_are_refused(tmp_path: Path, text: str | None, said: str) -> None:
    rows = [row for row in rows_on_scales() if row["item"] in ("once", "whole")]
    path, scales = write(tmp_path / "all.csv", rows), tmp_path / "scales.csv"
    if text is not None:
        scales.write_text(text)
    settings = from_keywords(by="item", scales=scales, **settings_of(scale=None))
    try:
        found = tables(path, settings)
    except InputError as error:
        refused = str(error)
    else:
        refused = " ".join(f"item '{item}': {told}" for item, told in found.account["items_refused"].items())
    assert re.search(said, refused), refused


def test_one_scale_or_many(scores: Path, tmp_path: Path) -> None:
    (tmp_path / "scales.csv").write_text("item,scale\nonce,0:4\n")
    with pytest.raises(SettingsError, match="--scales: one scale is declared for all items as well"):
        tables(scores, from_keywords(by="item", scales=tmp_path / "scales.csv", **settings_of()))


@pytest.mark.parametrize("scale", ["1:6", None])
def test_threads_change_no_bit(scores: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scale: Any) -> None:
    monkeypatch.setattr(counted, "ITEMS_AT_A_TIME", 2)
    monkeypatch.setattr(many, "GATHERED_ROWS", 200)
    monkeypatch.setattr(item_batches, "BATCH_ROWS", 40)
    path = scores if scale else write(tmp_path / "all.csv", rows_on_scales())
    settings = from_keywords(by="item", **settings_of(scale=scale))
    expected = tables(path, settings)
    for workers in (2, 5):
        found = tables(path, settings, workers=workers)
        for table, other in zip(found.tables, expected.tables, strict=True):
            for name, column in table.columns.items():
                np.testing.assert_array_equal(column, other.columns[name], err_msg=f"{table.key} {name}")


def test_the_function(scores: Path, tmp_path: Path) -> None:
    found = reportgen.item_tables(scores, tmp_path / "out", by="item", formats=["parquet"], **settings_of())
    frame = found.table("by_group").frame()
    assert list(frame.columns[:3]) == ["item", "group", "level"]
    assert len(frame) == pq.read_metadata(tmp_path / "out" / "by_group.parquet").num_rows
    with pytest.raises(KeyError):
        found.table("none")


def test_several_columns_name_an_item(scores: Path) -> None:
    found = tables(scores, from_keywords(**settings_of(by=["item", "grade"], groups=["gender"])))
    table = found.table("items")
    assert list(table.columns)[:2] == ["item", "grade"]
    both = {(row["item"], row["grade"]) for row in score_rows()}
    assert set(zip(table.columns["item"], table.columns["grade"], strict=True)) == both


def test_what_names_are_made_with_is_in_none_of_their_parts(tmp_path: Path) -> None:
    for sign, by, told in [(" · ", ["item", "grade"], " · "), ("\x1f", ["item"], r"\\x1f")]:
        rows = [{**row, "item": f"a{sign}b"} for row in score_rows()]
        with pytest.raises(InputError, match=f"column 'item' holds 'a{told}b'"):
            tables(write(tmp_path / "a.csv", rows), from_keywords(**settings_of(by=by, groups=["gender"])))
    rows = [{**row, "item": "a · b"} for row in score_rows()]
    found = tables(write(tmp_path / "a.csv", rows), from_keywords(by="item", **settings_of()))
    assert set(found.table("items").columns["item"]) == {"a · b"}


def test_the_command(scores: Path, tmp_path: Path) -> None:
    options = ["--by", "item", "--human", "h1", "--human", "h2", "--system", "engine", "--scale", "1:6"]
    groups = [word for name in GROUPS for word in ("--group", name)]
    run("tables", str(scores), "out", *options, *groups, "--workers", "2", "--format", "csv", "--format", "parquet",
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
    again = run("tables", str(scores), "out", *options, cwd=tmp_path, code=2)
    assert "already holds tables of items" in again.stderr
    run("tables", str(scores), "out", *options, "--no-groups", "--force", cwd=tmp_path)
    assert not (tmp_path / "out" / "by_group.csv").exists()
    assert not (tmp_path / "out" / "by_group.parquet").exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"by": ()}, "--by: name the column"),
        ({"by": "itm"}, "--by: column 'itm' does not exist; did you mean 'item'"),
        ({"candidate": "id"}, "candidate is not possible here"),
        (
            {"scale": "1:4"},
            r"item 'P 10', row \d+: column 'h1' holds the score [56], outside the declared scale 1 to 4",
        ),
        ({"system": "motor"}, "motor"),
    ],
)
def test_what_is_refused(scores: Path, tmp_path: Path, more: dict[str, Any], said: str) -> None:
    with pytest.raises((SettingsError, InputError), match=said):
        tables(scores, from_keywords(**{"by": "item", **settings_of(), **more}), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_files_that_are_refused(tmp_path: Path) -> None:
    settings = from_keywords(by="item", **settings_of())
    (tmp_path / "a.csv").write_text("id,item,h1,h2,engine,gender,grade,district\n")
    with pytest.raises(InputError, match=r"a\.csv: the file has no rows"):
        tables(tmp_path / "a.csv", settings)
    rows = [{**row, "engine": "x"} for row in score_rows()]
    with pytest.raises(InputError, match="no response has a human score and an engine score"):
        tables(write(tmp_path / "a.csv", rows), settings)
    rows = [{**row, "engine": "1e9"} for row in score_rows()]
    with pytest.raises(InputError, match=r"a\.csv: item '.*', row 2: column 'engine' holds the score 1e\+09"):
        tables(write(tmp_path / "a.csv", rows), settings)
    (tmp_path / "a.jsonl").write_text(json.dumps(rows[0]))
    with pytest.raises(InputError, match="made of CSV, TSV and Parquet files"):
        tables(tmp_path / "a.jsonl", settings)
    (tmp_path / "items.json").write_text("{}")
    with pytest.raises(OutputError, match="already holds tables"):
        tables(tmp_path / "a.csv", settings, tmp_path)


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


def in_pieces(home: Path, rows: list[Row], kind: str, **types: str) -> Path:
    """Write rows as a Parquet file of every item: in folders named for them, or side by side."""
    for number, item in enumerate(sorted({row["item"] for row in rows})):
        own = [row for row in rows if row["item"] == item]
        path = home / f"item={item}" / "part.parquet" if kind == "folders" else home / f"{number}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        columns = ["string"] * len(own[0]) if kind == "folders" else [types.get(name, "string") for name in own[0]]
        schema = pa.schema(list(zip(own[0], columns, strict=True)))
        texts = pa.table({name: [str(row[name]) for row in own] for name in own[0]}).cast(schema)
        pq.write_table(texts.drop_columns(["item"] if kind == "folders" else []), path)
    return home


def test_folders_named_for_items(scores: Path, tmp_path: Path) -> None:
    found = made(in_pieces(tmp_path / "folders", score_rows(), "folders"))
    same_tables(found, made(scores))
    assert len(found.account["source"]["files"]) == len({row["item"] for row in score_rows()})


def test_files_that_do_not_fit_each_other(tmp_path: Path) -> None:
    rows = [{**row, "item": str(number % 2)} for number, row in enumerate(score_rows())]
    home = in_pieces(tmp_path / "files", rows, "files")
    other = pq.read_table(home / "1.parquet")
    place = other.schema.get_field_index("item")
    pq.write_table(other.set_column(place, "item", pa.array([1.0] * other.num_rows)), home / "1.parquet")
    with pytest.raises(InputError, match=r"1\.parquet: column 'item' holds numbers \(double\), in 0\.parquet text"):
        made(str(home / "*.parquet"))
    pq.write_table(other.set_column(place, "item", pa.array([["1"]] * other.num_rows)), home / "1.parquet")
    with pytest.raises(InputError, match=r"1\.parquet: column 'item' holds list"):
        made(str(home / "*.parquet"))
    with pytest.raises(InputError, match="column 'item' holds list<element: string> values; expected text"):
        made(home / "1.parquet")
    (home / "1.parquet").write_bytes((home / "0.parquet").read_bytes()[:-30])
    with pytest.raises(InputError, match=r"\*\.parquet: 1\.parquet: not a readable Parquet file"):
        made(str(home / "*.parquet"))


@pytest.mark.parametrize(
    ("column", "score", "told"),
    [("h2", "7", "holds the score 7, outside the declared scale 1 to 6"), ("engine", "2e6", "within 1,000,000 of 0")],
)
def test_one_broken_item_stops_no_other(
    scores: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: str, score: str, told: str
) -> None:
    rows = score_rows()
    places = [number for number, row in enumerate(rows) if row["item"] == "whole" and row["h1"] in (3, 4, 5)][-2:]
    for place in places:
        rows[place] = {**rows[place], column: score, "engine": score if column == "engine" else "3.5"}
    path = write(tmp_path / "broken.csv", rows)
    monkeypatch.setattr(byte_ranges.byte_ranges, "__defaults__", (None, 3000))
    run("tables", str(path), "out", "--by", "item", "--human", "h1", "--human", "h2", "--system", "engine",
        "--scale", "1:6", "--no-groups", cwd=tmp_path, code=3)  # fmt: skip
    found, whole = made(path), made(scores)
    (said,) = found.account["items_refused"].values()
    assert said.startswith(f"row {places[0] + 2}: column '{column}'")
    assert told in said
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
        alone = reportgen.evaluate(path, **given).evaluation
        for key in ("system_human.descriptives", "system_human.association", "true_score.prmse"):
            for row, expected in zip(records(found.table(key), item), expected_rows(alone, key), strict=True):
                check_row(row, expected, {}, f"{key} {item}")


def test_the_terminal_says_what_was_found(tmp_path: Path) -> None:
    of_item: dict[str, list[int | str]] = {"a": [0, 0, 1, 2, 3, 4, ""], "b": [1, 2, 3, 4, 5, 6, 6]}
    rows = [
        {"item": item, "rater": score, "engine": "" if number == 5 else f"{number / 2 + 1.25}", "other": number / 8}
        for item, scores in of_item.items()
        for number, score in enumerate(scores * 3)
    ]
    path = write(tmp_path / "scores.csv", rows)
    said = run("tables", str(path), "out", "--by", "item", cwd=tmp_path).stdout
    kept = sum(row["rater"] not in ("", 0) and row["engine"] != "" for row in rows)
    zeros = sum(row["rater"] == 0 for row in rows)
    blank = sum(row["rater"] == "" for row in rows)
    assert f"{len(rows)} responses read, {kept} count" in said
    assert "system        engine (found by its name)" in said
    assert "human         rater (found by its name)" in said
    assert "1 to 4 in steps of 1 in 1 item (assumed)" in said
    assert "1 to 6 in steps of 1 in 1 item (assumed)" in said
    assert "0 may be a score" in said
    assert f"{zeros} of 1 item because the human score in 'rater' is 0" in said
    assert f"{blank} of 1 item because no human score in 'rater'" in said
    assert "not used      other" in said
    (tmp_path / "scales.csv").write_text("item,scale\na,0:4\nb,1:6\n")
    said = run("tables", str(path), "all", "--by", "item", "--scales", "scales.csv", cwd=tmp_path).stdout
    assert f"{len(rows)} responses read, {kept + zeros} count" in said
    assert "0 to 4 in steps of 1 in 1 item (declared)" in said
    assert "may be a score" not in said
    assert "is 0" not in said
    account = json.loads((tmp_path / "all" / "items.json").read_text())
    assert (
        sum(out["responses"] for out in account["exclusions"])
        == account["responses_left_out"]
        == len(rows) - kept - zeros
    )
