"""Rows of many items with everything that happens, tables made of them, and how these are compared."""

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reportgen.reports.item_tables import ItemTables, tables
from reportgen.results import Evaluation
from reportgen.settings import from_keywords

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
        [("h1", ""), ("h1", "0"), ("h1", "odd"), ("engine", ""), ("engine", "refused"), ("engine", "inf"),
         ("h2", "0"), ("h2", "x"), ("h1", "4.5")] * 2, strict=False,
    ):  # fmt: skip
        rows[place][name] = value
    rows.append({**rows[0], "id": "alone", "item": "single"})
    return [rows[place] for place in rng.permutation(len(rows))]


def write(path: Path, rows: list[Row]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def settings_of(**more: Any) -> dict[str, Any]:
    declared = {"scale": "1:6", "exclude_zero_scores": True, "unprotected": True}
    return {"human": ["h1", "h2"], "system": "engine", "groups": GROUPS, **declared, **more}


def made(source: Any, **more: Any) -> ItemTables:
    return tables(source, from_keywords(by="item", **settings_of(**more)))


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


ALONE = (
    "ratings_n", "expected_error", "expected_error_n",
    "expected_error_low", "expected_error_high", "dsm_fair", "dsm_shrunken",
)  # fmt: skip
"""Columns that only the report of one item has."""


def check_row(found: dict[str, Any], wanted: dict[str, Any], names: dict[str, str], where: str) -> None:
    """Compare all cells of a row; `names` leads from the columns of one item's table to those of the long one."""
    for name, value in wanted.items():
        if name in ALONE:
            continue
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


def same_tables(found: ItemTables, expected: ItemTables) -> None:
    assert [table.key for table in found.tables] == [table.key for table in expected.tables]
    for table, other in zip(found.tables, expected.tables, strict=True):
        assert list(table.columns) == list(other.columns)
        for name, column in table.columns.items():
            if column.dtype.kind == "f":
                np.testing.assert_allclose(column, other.columns[name], rtol=1e-9, atol=1e-12, err_msg=name)
            else:
                assert column.tolist() == other.columns[name].tolist(), (table.key, name)


def rows_on_scales() -> list[Row]:
    """Return the responses with some items on their own scales: 0 to 4, half points, any number."""
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


def check_plain(found: ItemTables, evaluation: Evaluation, key: str, item: str) -> None:
    """Compare an item's rows of a table with those of a report of the item alone."""
    wanted, mine = expected_rows(evaluation, key), records(found.table(key), item)
    if key == "distribution":
        mine = [{**row, "score": f"{row['score']:g}"} for row in mine]
    for row, expected in zip(mine, wanted, strict=True):
        check_row(row, expected, {"pair": ""}, f"{key} {item}")
