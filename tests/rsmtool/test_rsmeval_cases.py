"""Cases of RSMTool: every table has the same rows, columns, and values."""

import csv
import json
from pathlib import Path

import pytest
from cells import differences, read
from rsmeval_runs import CASES, ROWS, tables, write_run


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir()))
def test_tables_match_rsmtool(case: str, tmp_path: Path) -> None:
    made = tables(CASES / case / "config.json", tmp_path / "out")
    prefix = f"{case.replace('-', '_')}_"
    expected = {path.stem.removeprefix(prefix): path for path in (CASES / case / "expected").iterdir()}
    assert len(expected) > 8
    found = {name: differences(read(path), read(made[name])) for name, path in expected.items()}
    assert found == {name: [] for name in expected}


def test_ids_keep_zeros_and_rounded_scores_are_integers(tmp_path: Path) -> None:
    made = tables(write_run(tmp_path), tmp_path / "out")
    with made["pred_processed"].open(encoding="utf-8", newline="") as file:
        first = next(csv.DictReader(file))
    assert first["spkitemid"] == "000"
    assert first["raw_trim_round"] == "1"


def test_levels_keep_names_and_rows(tmp_path: Path) -> None:
    made = tables(write_run(tmp_path, subgroups=["L1"]), tmp_path / "out")
    names = [row for row, column in read(made["estimates_osd_by_L1"]) if column == "estimate"]
    assert names == ["Intercept (NA)", "a.b", "a.c"]
    assert {row for row, _ in read(made["eval_by_L1"])} == {"All data", "NA", "a.b", "a.c"}


def test_fairness_tables_require_section(tmp_path: Path) -> None:
    config = write_run(tmp_path, subgroups=["L1"], general_sections=["evaluation", "evaluation_by_group"])
    assert not [name for name in tables(config, tmp_path / "out") if "fairness" in name or "estimates" in name]


def test_infinite_human_score_is_excluded(tmp_path: Path) -> None:
    rows = [dict(row) for row in ROWS]
    rows[4]["h1"] = "inf"
    made = tables(write_run(tmp_path, rows), tmp_path / "out")
    assert read(made["test_excluded_composition"])["non-numeric human score", "numeric system score"] == "1.0"


def test_candidate_column_can_be_id_column(tmp_path: Path) -> None:
    made = tables(write_run(tmp_path, candidate_column="id"), tmp_path / "out")
    assert read(made["test_metadata"])["007", "candidate"] == "007"
    assert read(made["data_composition"])["Evaluation", "candidates"] == "60"


def test_workbooks_store_formulas_as_text(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    rows = [{**row, "L1": "=1+1" if index % 2 else "@x"} for index, row in enumerate(ROWS)]
    made = tables(write_run(tmp_path, rows, subgroups=["L1"], file_format="xlsx"), tmp_path / "out")
    cell = openpyxl.load_workbook(made["test_metadata"]).active["B3"]
    assert (cell.value, cell.data_type) == ("=1+1", "s")


def test_configuration_is_stored_with_defaults(tmp_path: Path) -> None:
    tables(write_run(tmp_path, subgroups="L1", min_n_per_group="7"), tmp_path / "out")
    kept = json.loads((tmp_path / "out" / "output" / "pilot_rsmeval.json").read_text(encoding="utf-8"))
    assert kept["subgroups"] == ["L1"]
    assert (kept["min_n_per_group"], kept["trim_tolerance"], kept["exclude_zero_scores"]) == (7, 0.4998, True)
