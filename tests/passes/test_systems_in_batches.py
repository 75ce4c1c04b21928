"""Several systems counted in batches give the reports, the comparison and the page that rows in memory give."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from test_agreement import Columns, assert_alike, drawn, number, numbers, texts, with_candidates, written

from reportgen.errors import InputError, ReportgenError
from reportgen.passes import NeedsRowsError, count_systems
from reportgen.reports.systems import Reading, evaluate_source
from reportgen.settings import Settings, from_keywords
from reportgen.storing.report_folder import Writing

SYSTEMS = ("engine", "model", "llm")


def with_systems(columns: Columns, seed: int) -> Columns:
    """Add two systems: one with decimals, some missing, and a judge with whole scores who refuses now and then."""
    rng = np.random.default_rng(seed)
    n = len(columns["h1"])
    base = np.array([float(score) if str(score).strip("- ").isdigit() else 3.0 for score in columns["h1"]])
    model = np.round(base + rng.normal(0, 0.7, n), 2).astype(object)
    model[rng.random(n) < 0.08] = ""
    judge = np.clip(np.rint(base + rng.normal(0, 1, n)), 1, 6).astype(object)
    judge[rng.random(n) < 0.05] = "I cannot"
    return columns | {"model": model.tolist(), "llm": judge.tolist()}


def as_numbers(columns: Columns) -> Any:
    """Return a table in which words and blanks of the systems are missing, as in Parquet files."""
    scores = {name: pa.array([number(value) for value in columns[name]], pa.float64()) for name in SYSTEMS[1:]}
    table = numbers({name: values for name, values in columns.items() if name not in scores})
    for name, values in scores.items():
        table = table.append_column(name, values)
    return table


def reports(source: Any, settings: Settings, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return every results.json by its folder, of rows in memory and of rows in batches."""
    found = []
    for batches in (False, True):
        out = folder / "out"
        outcome = evaluate_source(source, settings, Writing(out, tables_only=True), Reading(batches))
        assert not outcome.failed_sections
        made = {str(path.parent.relative_to(out)): path for path in out.rglob("results.json")}
        found.append({name: json.loads(path.read_text()) for name, path in sorted(made.items())})
        found[-1]["told"] = [[account.columns("system"), account.kept, account.warnings] for account in outcome.tables]
        found[-1]["config"] = (out / "config.toml").read_text()
        shutil.rmtree(out)
    return found[0], found[1]


RANKINGS = ("summary.ranking", "comparison.ranking")


def unranked(tree: Any) -> Any:
    """Leave out ranks: a source that is counted has pairs with the first system alone, too few to rank three."""
    if isinstance(tree, dict):
        return {key: [] if key == "leaders" else unranked(value) for key, value in tree.items() if key not in RANKINGS}
    if isinstance(tree, list):
        return [unranked(each) for each in tree if not (isinstance(each, dict) and each.get("key") in RANKINGS)]
    return tree


SCALED = {"scale": "1:6", "exclude_zero_scores": True}
CASES: dict[str, dict[str, Any]] = {
    "found": {},
    "declared": {"systems": SYSTEMS, "baseline": "llm", "human": ["h1", "h2"], "groups": ["gender"], **SCALED},
    "flags and zeros": {"systems": SYSTEMS, "flags": {"flag": [0]}, "scale": "0:6"},
    "crossed": {"systems": SYSTEMS[:2], "groups": ["item", "grade"], "intersections": "all pairs"},
    "nothing withheld": {"withhold_small_groups": False, "trim_min": 0.5, "trim_max": 7, "min_n_per_group": 30},
    "one rater": {"human": ["h1"], "rater_error_variance": 0.2, "groups": []},
}


@pytest.mark.slow
@pytest.mark.parametrize(("case", "suffix"), [*zip(CASES, [".csv", ".parquet"] * 3, strict=True)])
def test_the_two_ways_agree(case: str, suffix: str, tmp_path: Path) -> None:
    columns = with_systems(drawn(400, 7), 7)
    table = texts(columns) if suffix == ".csv" else as_numbers(columns)
    settings = from_keywords(**{"exclude_zero_scores": False} | CASES[case])
    held, batched = reports(written(table, tmp_path, suffix), settings, tmp_path)
    assert {"comparison", "."} < held.keys()
    pairs = held["comparison"]["report"]["evaluation"]["facts"]["pairs"]
    assert all(pair["paired"] and 100 < pair["shared"] < 400 for pair in pairs)
    assert_alike(unranked(held), unranked(batched))


@pytest.mark.slow
def test_several_files_agree(tmp_path: Path) -> None:
    table = as_numbers(with_systems(drawn(500, 11), 11))
    # a file in which no response counts for every system
    table = table.set_column(
        table.schema.get_field_index("llm"), "llm",
        pa.array([None if row < 170 else score for row, score in enumerate(table["llm"].to_pylist())], pa.float64()),
    )  # fmt: skip
    source = written(table, tmp_path, ".parquet", files=3)
    settings = from_keywords(scale="1:6", exclude_zero_scores=True, systems=SYSTEMS[1:], groups=["gender"])
    held, batched = reports(source, settings, tmp_path)
    assert_alike(unranked(held), unranked(batched))
    found = count_systems(source, settings, rows=23)
    again = count_systems(source, settings, rows=1000)
    for one, other in zip(found, again, strict=True):
        assert one.shared is not None
        assert other.shared is not None
        assert one.account == other.account
        for family, tally in one.shared.against.items():
            np.testing.assert_array_equal(tally.keys(), other.shared.against[family].keys())


def test_multiple_systems_with_candidates_need_rows(tmp_path: Path) -> None:
    source = written(texts(with_candidates(with_systems(drawn(60, 15), 15), 15)), tmp_path, ".csv")
    with pytest.raises(NeedsRowsError, match="candidate by candidate"):
        count_systems(source, from_keywords(human=["h1", "h2"], systems=SYSTEMS, candidate="student"))


def said(source: Path, batches: bool, **keywords: Any) -> str:
    with pytest.raises(ReportgenError) as caught:
        evaluate_source(source, from_keywords(**keywords), Writing(None), Reading(batches))
    assert isinstance(caught.value, InputError)
    return str(caught.value)


def test_errors_are_the_same(tmp_path: Path) -> None:
    columns = with_systems(drawn(200, 3), 3)
    for change, words in (
        ({"llm": [9e9 if row == 150 else 2.0 for row in range(200)]}, "row 152: column 'llm' contains the score 9e"),
        ({"llm": ["no"] * 200}, "column 'llm' contains words (no), but column 'h1' contains nu"),
        (
            {"llm": [2 if row % 2 else "" for row in range(200)],
             "model": ["" if row % 2 else 3 for row in range(200)]},
            "only 0 of 200 responses have scores from all 2 engines",
        ),
    ):  # fmt: skip
        source = written(texts(columns | change), tmp_path, ".csv")
        systems = SYSTEMS[1:]
        held, batched = (said(source, batches, systems=systems, human=["h1"], id="id") for batches in (False, True))
        assert held == batched
        assert words in held


@pytest.mark.slow
def test_groups_too_small_only_in_the_comparison_are_withheld(tmp_path: Path) -> None:
    """Fifteen of a group count for either system, and only six of them for both."""
    columns = with_systems(drawn(400, 21), 21)
    columns["gender"] = ["x" if row < 24 else "fm"[row % 2] for row in range(400)]
    for row in range(24):
        columns["h1"][row], columns["h2"][row] = 2 + row % 3, 3 + row % 2
        columns["engine"][row] = "" if row < 9 else 2.5 + row % 2
        columns["model"][row] = "" if row >= 15 else 1.5 + row % 3
    source = written(texts(columns), tmp_path, ".csv")
    chosen = {"systems": ["engine", "model"], "human": ["h1", "h2"], "groups": ["gender"], "min_n_per_group": 10}
    settings = from_keywords(exclude_zero_scores=False, **chosen)
    held, batched = reports(source, settings, tmp_path)
    assert_alike(unranked(held), unranked(batched))
    warnings = batched["comparison"]["report"]["evaluation"]["warnings"]
    assert [warning for warning in warnings if "by subtraction" in warning]
    assert '"x"' in json.dumps(held["engine"]["report"]["evaluation"]["tables"]["by_group.gender"])
    assert "by_group.gender" in json.dumps(batched["comparison"])
    for table in batched["comparison"]["report"]["evaluation"]["tables"].values():
        if "by" in str(table.get("key", "")):
            assert '"x"' not in json.dumps(table["rows"])


def test_too_many_joint_cells_need_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reportgen.passes.counter.MOST_PAIRED", 200)
    monkeypatch.setattr("reportgen.tally.kernel.ROWS_AT_A_TIME", 50)
    source = written(as_numbers(with_systems(drawn(300, 2), 2)), tmp_path, ".parquet")
    with pytest.raises(NeedsRowsError, match="the scores of two systems have"):
        count_systems(source, from_keywords(systems=SYSTEMS, scale="1:6", exclude_zero_scores=True), rows=23)


def test_reported_counts_match_the_data(tmp_path: Path) -> None:
    source = written(as_numbers(with_systems(drawn(300, 2), 2)), tmp_path, ".parquet")
    found = count_systems(source, from_keywords(systems=SYSTEMS, scale="1:6", exclude_zero_scores=True), rows=23)
    assert [each.account.columns("system") for each in found] == [(name,) for name in SYSTEMS]
    assert [each.account.kept for each in found] == [each.own.n for each in found]
    shared = {each.shared.n for each in found if each.shared is not None}
    assert len(shared) == 1
    for each in found[1:]:
        assert each.shared is not None
        assert {tally.n for tally in each.shared.against.values()} == shared
    assert found[0].shared is not None
    assert not found[0].shared.against
