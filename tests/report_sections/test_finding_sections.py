"""What single sections say, and what their charts draw."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fixtures import HOSTILE, cases, evaluation

from report_sections.data import Data
from report_sections.group_differences import GroupDifferences
from report_sections.human_human_agreement import HumanHumanAgreement
from report_sections.lookup import number, records
from report_sections.provenance import Provenance
from report_sections.score_distributions import ScoreDistributions
from report_sections.system_human_agreement import SystemHumanAgreement
from report_sections.true_score_evaluation import TrueScoreEvaluation
from reportgen.charts.table import data_table
from reportgen.results import Estimate, Evaluation
from reportgen.sections import Bars, Cells, Chart, Dots, Findings, Line, Rule

CASES = cases()


def chart(findings: Findings, key: str) -> Chart:
    return next(each for each in findings.charts if each.key == key)


def dots(found: Chart) -> Dots:
    return next(layer for layer in found.layers if isinstance(layer, Dots))


def rules(found: Chart) -> list[float]:
    return [layer.at for layer in found.layers if isinstance(layer, Rule)]


def state(evaluation: Evaluation, guideline: str) -> object:
    tables = {table.key: table for table in TrueScoreEvaluation().findings(evaluation).tables}
    return next(row.cells[2] for row in tables["true_score.guidelines"].rows if guideline in str(row.cells[0]))


def with_raters(double: int, r: float) -> Evaluation:
    base = CASES["full"]
    human = Estimate("r", r, double, r - 0.03, r + 0.03)
    return replace(
        base,
        facts={**base.facts, "responses_double_scored": double},
        estimates={**base.estimates, "human.r": human},
    )


def test_data_counts_kept_and_excluded() -> None:
    findings = Data().findings(CASES["full"])
    assert findings.headline.startswith("4,812 of 4,824 rows are evaluated, 12 are excluded; 600")
    assert "comment (free text)" in " ".join(findings.notes)


def test_data_without_exclusions_has_no_table_of_them() -> None:
    base = CASES["full"]
    complete = replace(base, facts={**base.facts, "rows_read": 4812, "responses_excluded": 0})
    findings = Data().findings(complete)
    assert findings.headline.startswith("All 4,812 responses are evaluated")
    assert not any("exclusion" in table.key for table in findings.tables)


def test_distribution_shows_every_scale_point_and_names_the_unused() -> None:
    findings = ScoreDistributions().findings(CASES["full"])
    found = chart(findings, "distribution.chart")
    assert found.x.categories == ("1", "2", "3", "4", "5", "6")
    assert [layer.label for layer in found.layers if isinstance(layer, Bars)] == ["human", "engine"]
    assert "Raters never gave 6; the engine never gave 6." in findings.paragraphs
    assert "score 3 (+6.5 points)" in findings.headline


def test_flagged_score_points_are_marked_in_the_table() -> None:
    rows = ScoreDistributions().findings(CASES["full"]).tables[0].rows
    assert [row.cells[0] for row in rows if row.mark == "flagged"] == ["3"]


def test_confusion_shades_row_percentages_and_prints_counts() -> None:
    findings = SystemHumanAgreement().findings(CASES["full"])
    cells = next(layer for layer in chart(findings, "confusion.system.chart").layers if isinstance(layer, Cells))
    assert cells.frame_diagonal
    assert cells.texts[0][:2] == ("602", "40")
    assert sum(value or 0 for value in cells.values[0]) == pytest.approx(100)
    assert set(cells.values[5]) == {None}, "a row without responses has no percentages"
    assert "has no responses" in chart(findings, "confusion.system.chart").alt


def test_calibration_has_identity_intervals_and_counts() -> None:
    found = chart(SystemHumanAgreement().findings(CASES["full"]), "calibration.chart")
    identity = next(layer for layer in found.layers if isinstance(layer, Line))
    assert identity.x == identity.y
    assert found.strip_counts[0] == (1.5, 800)
    assert found.alt.startswith("In 4 of 5 bands")
    assert "4.50" in found.alt


def test_raters_alone_say_what_cannot_be_known() -> None:
    findings = HumanHumanAgreement().findings(CASES["no second human"])
    assert not findings.tables
    assert not findings.charts
    assert "no yardstick" in findings.paragraphs[0]


def test_degradation_chart_draws_the_limit_of_the_check() -> None:
    found = chart(HumanHumanAgreement().findings(CASES["full"]), "human_human.degradation.chart")
    assert rules(found) == [0.0, -0.1]
    assert found.y.categories == ("QWK", "r", "Kappa")


@pytest.mark.parametrize(
    ("double", "r", "expected"),
    [(1000, 0.4, "met"), (600, 0.8, "met"), (600, 0.66, "not yet known"), (600, 0.5, "not met"), (499, 0.9, "not met")],
)
def test_enough_double_scored_responses(double: int, r: float, expected: str) -> None:
    assert state(with_raters(double, r), "scored twice; 500") == expected


def test_guidelines_that_data_cannot_answer_say_so() -> None:
    assert state(CASES["full"], "random sample") == "cannot be known from the data"


def test_prmse_above_one_is_flagged() -> None:
    base = CASES["full"]
    high = Estimate("prmse", 1.04, 4812, 0.9, 1.2)
    changed = replace(base, estimates={**base.estimates, "true_score.prmse": high})
    assert state(changed, "between 0 and 1") == "not met"
    assert "the responses scored twice do not estimate it well" in TrueScoreEvaluation().findings(changed).headline


@pytest.mark.parametrize(
    ("low", "high", "bands"),
    [(0.5, 0.65, 1), (0.65, 0.75, 2), (0.75, 0.9, 1), (0.9, 0.97, 2), (0.96, 0.99, 1), (0.6, 0.99, 3)],
)
def test_the_reading_of_prmse_names_every_band_its_interval_reaches(low: float, high: float, bands: int) -> None:
    base = CASES["full"]
    prmse = Estimate("prmse", (low + high) / 2, 4812, low, high)
    changed = replace(base, estimates={**base.estimates, "true_score.prmse": prmse})
    reading = TrueScoreEvaluation().findings(changed).paragraphs[-1]
    meanings = ("avoid the scores", "use depends on", "little effect")
    assert sum(meaning in reading for meaning in meanings) == bands
    assert ("The interval lies " in reading) == (bands == 1)


def test_dsm_chart_is_ordered_and_marks_small_and_flagged_groups() -> None:
    found = chart(GroupDifferences().findings(CASES["full"]), "by_group.L1.chart")
    layer = dots(found)
    assert layer.positions == ("Urdu", "Thai", "Hindi", "Spanish")
    assert layer.hollow == (True, False, False, False)
    assert layer.flagged == (False, False, False, True)
    assert layer.n == (50, 1262, 2000, 1500)
    assert rules(found) == [0.0, -0.1, 0.1]
    assert "Spanish −0.19 [−0.24, −0.14]" in found.alt


def test_many_groups_draw_the_largest_and_all_flagged() -> None:
    found = chart(GroupDifferences().findings(CASES["many groups"]), "by_group.school.chart")
    layer = dots(found)
    assert sum(layer.flagged) == 29
    assert {f"School {i}" for i in range(20)} <= set(layer.positions)
    assert f"{60 - len(layer.positions)} more groups are not drawn" in found.caption


def test_contrasts_leave_out_the_reference_and_draw_their_own_interval() -> None:
    evaluated = CASES["full"]
    layer = dots(chart(GroupDifferences().findings(evaluated), "fairness.csd.L1.chart"))
    table = evaluated.tables["fairness.csd.L1"]
    cells = {row.cells[0]: row.cells[2] for row in table.rows}
    assert "Hindi" not in layer.positions
    for level, value, low, high in zip(layer.positions, layer.values, layer.low, layer.high, strict=True):
        estimate = cells[level]
        assert isinstance(estimate, Estimate)
        assert (estimate.value, estimate.low, estimate.high) == (value, low, high)


def test_of_many_lines_the_extremes_are_named_and_the_others_faint() -> None:
    evaluated = CASES["many groups"]
    found = chart(GroupDifferences(lines=99).findings(evaluated), "fairness.means.school.chart")
    lines = [layer for layer in found.layers if isinstance(layer, Line)]
    named = [line for line in lines if line.label]
    contrasts = {
        str(record["level"]): number(record["estimate"]) or 0.0
        for record in records(evaluated.tables["fairness.csd.school"])
        if number(record["estimate"]) is not None
    }
    drawn = {column.label for column in evaluated.tables["fairness.means.school"].columns} & set(contrasts)
    assert {line.label for line in named} == {pick(drawn, key=contrasts.__getitem__) for pick in (min, max)}
    assert len({(line.dashes, line.markers) for line in named}) == 2
    assert {line.ink for line in lines if not line.label} == {"muted"}
    assert "faint the others" in found.caption
    assert [column.label for column in data_table(found).columns[1:]] == [line.label for line in named]


def test_contrasts_are_an_option() -> None:
    keys = {each.key for each in GroupDifferences(contrasts=("osa", "osd")).findings(CASES["full"]).charts}
    assert {"fairness.osa.L1.chart", "fairness.osd.L1.chart"} <= keys
    assert "fairness.csd.L1.chart" not in keys


def test_csd_carries_its_warning() -> None:
    assert any("not a proof of bias" in note for note in GroupDifferences().findings(CASES["full"]).notes)


def test_each_group_column_is_told_to_the_template() -> None:
    columns = GroupDifferences().findings(CASES["hostile"]).values["columns"]
    assert [each["heading"] for each in columns] == [HOSTILE[0], "second column"]
    shown = [key for part in columns[0]["parts"] for key, kind in part["items"] if kind == "table"]
    families = ("by_group", "fairness.given_true_score", "fairness.explained")
    assert shown == [f"{family}.{HOSTILE[0]}" for family in families]


def test_provenance_shows_hash_settings_and_versions() -> None:
    findings = Provenance().findings(evaluation())
    shown = {row.cells[0]: row.cells[1] for table in findings.tables for row in table.rows}
    assert str(shown["SHA-256"]).startswith("9f86d081")
    assert shown["trim.low"] == "1"
    assert shown["versions.numpy"] == "1.26.4"
    assert shown["command"] == "reportgen evaluate scores.csv"
