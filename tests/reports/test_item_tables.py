"""Test all tables of many items: every cell equals an evaluation of only the item's rows."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from item_rows import (
    GROUPS,
    PLAIN,
    Row,
    check_plain,
    check_row,
    expected_rows,
    records,
    rows_on_scales,
    score_rows,
    settings_of,
    write,
)
from simulated import evaluation_of

from reportgen.errors import SettingsError
from reportgen.evaluation.many_items import counted
from reportgen.evaluation.many_items.tables import ALSO
from reportgen.reports.item_tables import ItemTables, tables
from reportgen.results import Evaluation
from reportgen.settings import from_keywords
from reportgen.wording.vocabulary import english


@pytest.fixture(scope="module")
def alone(item_file: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Evaluation]:
    """Evaluate every item with only its rows."""
    home, rows = tmp_path_factory.mktemp("alone"), score_rows()
    found = {}
    for item in sorted({row["item"] for row in rows} - {"single"}):
        path = write(home / "one.csv", [row for row in rows if row["item"] == item])
        found[item] = evaluation_of(path, **settings_of())
    return found


@pytest.fixture(scope="module")
def asked(item_file: Path) -> ItemTables:
    settings = from_keywords(by="item", **settings_of())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counted, "ITEMS_AT_A_TIME", 3)
        return tables(item_file, settings, also=ALSO)


@pytest.mark.slow
@pytest.mark.parametrize("key", PLAIN)
def test_tables_of_whole_items(of_items: ItemTables, alone: dict[str, Evaluation], key: str) -> None:
    for item, evaluation in alone.items():
        check_plain(of_items, evaluation, key, item)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["by_group", "human_human.by", "human_human.disattenuated.by", "data.groups"])
def test_tables_of_groups(of_items: ItemTables, alone: dict[str, Evaluation], key: str) -> None:
    table = of_items.table(key)
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


def test_fairness(of_items: ItemTables, alone: dict[str, Evaluation]) -> None:
    compared = 0
    for item, evaluation in alone.items():
        for grouping in GROUPS:
            wanted = expected_rows(evaluation, f"fairness.explained.{grouping}")
            rows = [row for row in records(of_items.table("fairness.explained"), item) if row["group"] == grouping]
            assert len(rows) == len(wanted)
            for row, expected in zip(rows, wanted, strict=True):
                assert row["analysis"] == expected["analysis"]
                check_row(
                    row, expected, {"analysis": "", "r_squared_n": "n", "p_n": "n"}, f"explained {item} {grouping}"
                )
            contrasts = [row for row in records(of_items.table("fairness.contrasts"), item) if row["group"] == grouping]
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


@pytest.mark.parametrize("key", SINGLY)
def test_optional_tables(asked: ItemTables, alone: dict[str, Evaluation], key: str) -> None:
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


@pytest.mark.slow
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
        "rater_error_variance": known, "unprotected": True,
    }  # fmt: skip
    found = tables(write(tmp_path / "all.csv", rows), from_keywords(by="item", **given))
    for item in ("a", "b", "c", "same", "perfect"):
        one = write(tmp_path / "one.csv", [row for row in rows if row["item"] == item])
        evaluation = evaluation_of(one, **given)
        for key in ("calibration", "levels.by_human", "levels.overall"):
            wanted, mine = expected_rows(evaluation, key), records(found.table(key), item)
            assert len(mine) == len(wanted), (key, item)
            for row, expected in zip(mine, wanted, strict=True):
                check_row(row, expected, {}, f"{key} {item}")


def test_impossible_tables_are_reported(asked: ItemTables, alone: dict[str, Evaluation], tmp_path: Path) -> None:
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
    assert len(records(found.table("levels.by_human"), "once")) == 4  # 0 is not a score if no scale is declared
    with pytest.raises(SettingsError, match="--also: expected panel or differences, found all"):
        tables(tmp_path / "all.csv", from_keywords(by="item"), also=["all"])


def test_confusion_counts(of_items: ItemTables, alone: dict[str, Evaluation]) -> None:
    for item, evaluation in alone.items():
        for key, second in (("confusion.system", "system"), ("confusion.human", "second_human")):
            wanted = {
                (row["human"], name): n
                for row in expected_rows(evaluation, key)
                for name, n in row.items()
                if name not in ("human", "total") and n
            }
            rows = records(of_items.table(key), item)
            assert {(f"{row['human']:g}", f"{row[second]:g}"): row["n"] for row in rows} == wanted


def test_excluded_and_withheld_rows(of_items: ItemTables, alone: dict[str, Evaluation]) -> None:
    logged = {(row["reason"], item): row["responses"]
              for item in [*alone, "single"] for row in records(of_items.table("data.exclusions"), item)}  # fmt: skip
    for item, evaluation in alone.items():
        wanted = {row["reason"]: row["responses"] for row in expected_rows(evaluation, "data.exclusions")}
        assert {reason: n for (reason, where), n in logged.items() if where == item} == wanted
        log = expected_rows(evaluation, "privacy.withheld")
        rows = records(of_items.table("privacy.withheld"), item)
        assert {tuple(row.values()) for row in rows} == {tuple(map(english().say, row.values())) for row in log}, item
    items = of_items.table("items")
    assert items.columns["item"].tolist() == [
        "P 10", "few double", "once", "perfect", "plain", "single", "small groups", "whole"
    ]  # fmt: skip
    (single,) = records(items, "single")
    assert single["not_evaluated"] == "fewer than 2 responses with both scores"
    assert of_items.account["items_not_evaluated"] == ["single"]
