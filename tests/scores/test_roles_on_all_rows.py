"""Test that all rows of a source, and not the first ones, decide the roles of columns."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from reportgen import passes
from reportgen.reports.item_tables import tables
from reportgen.scores import items, read
from reportgen.scores.items import open_items
from reportgen.settings import Settings, from_keywords

ROWS, MISLEADING = 400, 100
"""All rows, and how many of the first suggest something else."""

Columns = dict[str, list[Any]]
Parts = dict[str, list[str]]


def rows_of(case: str) -> Columns:
    """Return columns of which the first rows suggest other parts than all of them."""
    rng = np.random.default_rng(11)
    human = rng.integers(1, 7, ROWS)
    columns: Columns = {"item": rng.choice(["A", "B"], ROWS).tolist(), "human": human.tolist(), "engine": (human
        + rng.normal(0, 0.6, ROWS)).round(3).tolist(), "code": [f"c{row}" for row in range(ROWS)],
        "country": rng.choice(["x", "y"], ROWS).tolist()}  # fmt: skip
    if case == "fractions that come late":
        columns["engine"][:MISLEADING] = human[:MISLEADING].tolist()
    elif case == "an id that repeats late":
        columns["code"][-1] = columns["code"][0]
    elif case == "a group with many levels":
        columns["country"][MISLEADING:] = [f"place {row}" for row in range(ROWS - MISLEADING)]
    else:  # a group of one level at first
        columns["country"][:MISLEADING] = ["x"] * MISLEADING
    return columns


def parts_of(roles: Any) -> Parts:
    """Return the columns of each part, but for the item, which plays none where it parts the rows."""
    found = {role.role: [name for name in role.columns if name != "item"] for role in roles}
    return {role: columns for role, columns in found.items() if columns}


def tabulated(path: Path, settings: Settings) -> Parts:
    told = tables(path, settings).account["roles"]
    found = {each["role"]: [name for name in each["columns"] if name != "item"] for each in told}
    return {role: columns for role, columns in found.items() if columns}


WAYS: dict[str, Callable[[Path, Settings], Parts]] = {"evaluate": lambda path, _: parts_of(read(path).roles),
    "evaluate --batches": lambda path, _: parts_of(passes.count(path, Settings()).account.roles), "batch": lambda path,
    settings: parts_of(open_items(path, settings).roles), "tables": tabulated}  # fmt: skip

EXPECTED = {"fractions that come late": {"code": "id", "country": "group"},
    "an id that repeats late": {"country": "group"}, "a group with many levels": {"code": "id"},
    "a group of one level at first": {"code": "id", "country": "group"}}  # fmt: skip


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", EXPECTED)
def test_all_rows_decide(case: str, way: str, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reportgen.sources.delimited._BLOCK", 1 << 10)
    monkeypatch.setattr(items, "is_large", lambda _: True)  # a batch contains no rows either
    path, table = tmp_path / f"scores{suffix}", pa.table(rows_of(case))
    if suffix == ".csv":
        pa_csv.write_csv(table, path)
    else:
        pq.write_table(table, path, row_group_size=50)
    found = WAYS[way](path, from_keywords(by="item"))
    assert (found.pop("system"), found.pop("human")) == (["engine"], ["human"])
    found.pop("item", None)
    assert {name: role for role, columns in found.items() for name in columns} == EXPECTED[case]
