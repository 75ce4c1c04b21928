"""Unchanged rsmcompare and rsmsummarize configurations reproduce the numbers of RSMTool."""

import csv
import math
from pathlib import Path
from typing import Any

import pytest
from samples import estimate_in

from reportgen import compare, summarize
from reportgen.results import Estimate, Table

CASES = Path(__file__).parent / "cases"
EXPECTED = CASES / "tool-compare" / "expected"

ROUNDED = "trimmed and rounded"
OVERALL = {
    "Pearson(b)": ("r", "trimmed"), "QWK(b)": ("qwk", "trimmed"), "R2(b)": ("r_squared", "trimmed"),
    "RMSE(b)": ("rmse", "trimmed"), "K(br)": ("kappa", ROUNDED), "Agmt.(br)": ("exact_agreement", ROUNDED),
    "Adj. Agmt.(br)": ("adjacent_agreement", ROUNDED),
}  # fmt: skip
BY_GROUP = {
    **OVERALL, "DSM(b)": ("dsm", "trimmed"), "DSM(br)": ("dsm", ROUNDED), "H1 mean": ("h_mean", "human"),
    "H1 SD": ("h_sd", "human"), "score mean(b)": ("system_mean", "trimmed"), "score mean(br)": ("system_mean", ROUNDED),
    "score SD(b)": ("system_sd", "trimmed"), "score SD(br)": ("system_sd", ROUNDED),
}  # fmt: skip


def records(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def changes(table: Table) -> dict[tuple[str, str, str], dict[str, Estimate]]:
    """Return old, new, and change by metric, form, and level."""
    found = {}
    for row in rows_of(table):
        versions = {version: estimate_in(row[version]) for version in ("old", "new", "change")}
        found[versions["change"].metric, str(row["form"]), str(row.get("level", ""))] = versions
    return found


def rows_of(table: Table) -> list[dict[str, Any]]:
    """Return the rows of a table by column."""
    keys = [column.key for column in table.columns]
    return [dict(zip(keys, row.cells, strict=True)) for row in table.rows]


@pytest.fixture(scope="module")
def compared() -> dict[str, Table]:
    return dict(compare(CASES / "tool-compare" / "config.json").evaluation.tables)


def test_overall_statistics_match_rsmtool(compared: dict[str, Table]) -> None:
    found = changes(compared["comparison.overall"])
    for row in records(EXPECTED / "10_overall_association_statistics_human_machine.csv"):
        for column, (metric, form) in OVERALL.items():
            value = found[metric, form, ""][row["version"]].value
            assert value == pytest.approx(float(row[column]), abs=6e-4), (column, row["version"])


@pytest.mark.parametrize(
    "name", ["11_association_statistics_human_machine_by", "12_descriptive_holistic_score_statistics_by"]
)
def test_group_statistics_match_rsmtool(compared: dict[str, Table], name: str) -> None:
    """RSMTool has no numbers for a run without subgroups. Here the same responses provide them."""
    found = changes(compared["comparison.by_group.QUESTION"])
    checked = 0
    for row in records(EXPECTED / f"{name}_question.csv"):
        level, version = row[""], row["version"]
        for column, (metric, form) in BY_GROUP.items():
            if level == "All data" or row.get(column, "-") == "-":
                continue
            value = found[metric, form, level][version].value
            assert value == pytest.approx(float(row[column]), abs=6e-4), (column, row)
            checked += 1
    assert checked >= 35


def test_rater_and_true_score_statistics_match_rsmtool(compared: dict[str, Table]) -> None:
    raters = changes(compared["comparison.raters"])
    for row in records(EXPECTED / "01_human_human_agreement.csv"):
        for column, metric in (("wtkappa", "qwk"), ("corr", "r"), ("kappa", "kappa"), ("SMD", "smd"),
                               ("h2_mean", "system_mean"), ("exact_agr", "exact_agreement")):  # fmt: skip
            assert raters[metric, "human", ""][row["version"]].value == pytest.approx(float(row[column]), abs=6e-4)
    true = changes(compared["comparison.true_score"])
    for row in records(EXPECTED / "13_true_score_evaluations.csv"):
        for column, metric in (("PRMSE true", "prmse"), ("MSE true", "mse_true"), ("True score var", "true_variance")):
            assert true[metric, "trimmed", ""][row["version"]].value == pytest.approx(float(row[column]), abs=6e-4)
    corrected = changes(compared["comparison.disattenuated"])
    for row in records(EXPECTED / "03_disattenuated_correlations.csv"):
        value = corrected["disattenuated_r", "trimmed", ""][row["version"]].value
        assert value == pytest.approx(float(row["corr_disattenuated"]), abs=6e-4)


def test_degradation_matches_rsmtool(compared: dict[str, Table]) -> None:
    rows = rows_of(compared["comparison.degradation"])
    old = {(row["old"].metric, row["form"]): row["old"].value for row in rows}
    expected = [row for row in records(EXPECTED / "02_degradation.csv") if row["type"] == "diff"]
    for row in expected:
        if row[""] == "scale_trim" and row["version"] == "old":
            assert old["qwk", "Rescaled, trimmed"] == pytest.approx(float(row["wtkappa"]), abs=6e-4)
            assert old["r", "Rescaled, trimmed"] == pytest.approx(float(row["corr"]), abs=6e-4)


def test_distributions_and_confusion_matrices_match_rsmtool(compared: dict[str, Table]) -> None:
    shares = {row.cells[0]: row.cells for row in compared["comparison.distribution.2"].rows}
    for row in records(EXPECTED / "05_score_distribution_percentage.csv"):
        if row["version"] == "old":
            _, human, old, *_ = shares[str(int(float(row[""])))]
            assert human == pytest.approx(float(row["human"]))
            assert old == pytest.approx(float(row["sys"]))
    matrix = compared["comparison.confusion.1"]
    assert matrix.columns[0].label == "rater", "rows are human, although RSMTool names them after the machine"
    expected = records(EXPECTED / "06_confusion_matrix_human_machine_for_old_model_lr_with_h2.csv")
    for row, line in zip(expected, matrix.rows, strict=False):
        assert list(line.cells[1:6]) == [int(cell) for cell in list(row.values())[1:]]


def test_equal_runs_have_no_movement(compared: dict[str, Table]) -> None:
    counts = {row.cells[0]: row.cells[2] for row in compared["comparison.movement"].rows}
    assert counts["moves.same"] == 200
    assert counts["moves.up_one"] == counts["moves.farther"] == 0


def test_rsmsummarize_tables_match_rsmtool(tmp_path: Path) -> None:
    summarize(CASES / "summary-with-h2" / "config.json", out=tmp_path, tables_only=True)
    expected = sorted((CASES / "summary-with-h2" / "expected").glob("*.csv"))
    assert len(expected) == 7
    for path in expected:
        written = records(tmp_path / "output" / path.name)
        assert len(written) == len(records(path)), path.name
        for ours, theirs in zip(written, records(path), strict=True):
            assert set(ours) == set(theirs), path.name
            for column, cell in theirs.items():
                assert _same(ours[column], cell), (path.name, column, ours[column], cell)


def _same(ours: str, theirs: str) -> bool:
    try:
        return math.isclose(float(ours), float(theirs), rel_tol=1e-9, abs_tol=1e-12)
    except ValueError:
        return ours == theirs
