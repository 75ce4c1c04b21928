"""What single sections say, and what their charts draw."""

from dataclasses import replace

import numpy as np
import pytest
from fixtures import HOSTILE, cases

from report_sections.data import Data
from report_sections.group_differences import GroupDifferences
from report_sections.human_human_agreement import HumanHumanAgreement
from report_sections.provenance import Provenance
from report_sections.score_distributions import ScoreDistributions
from report_sections.system_human_agreement import SystemHumanAgreement
from report_sections.true_score_evaluation import TrueScoreEvaluation
from reportgen.results import Estimate, Evaluation
from reportgen.sections import Cells, Chart, Dots, Findings, Line, Pairs, Rule, Zone
from reportgen.testing import text_of
from reportgen.wording.vocabulary import Vocabulary

CASES = cases()
WORDS = Vocabulary()


def chart(findings: Findings, key: str) -> Chart:
    return next(each for each in findings.charts if each.key == key)


def dots(found: Chart) -> Dots:
    return next(layer for layer in found.every_layer() if isinstance(layer, Dots))


def rules(found: Chart) -> list[float]:
    return [layer.at for layer in found.layers if isinstance(layer, Rule)]


def state(evaluation: Evaluation, guideline: str) -> object:
    tables = {table.key: WORDS.table(table) for table in TrueScoreEvaluation().findings(evaluation).tables}
    return next(row.cells[2] for row in tables["true_score.guidelines"].rows if guideline in str(row.cells[0]))


def with_raters(double: int, r: float) -> Evaluation:
    base = CASES["full"]
    human = Estimate("r", r, double, r - 0.03, r + 0.03)
    return replace(
        base, facts={**base.facts, "responses_double_scored": double}, estimates={**base.estimates, "human.r": human}
    )


def test_data_counts_kept_and_excluded() -> None:
    told = text_of(Data(), CASES["full"])
    assert told.finding == "1,596 of 1,600 responses were evaluated; 652 of them have two ratings."
    assert "4 responses lack a usable human or engine score and are excluded." in told.text
    assert "report.show('data.exclusions', note='Each response is counted once" in told.text
    assert "Column not used: comment (not needed)." in told.annex


def test_data_without_exclusions_has_no_table_of_them() -> None:
    base = CASES["full"]
    complete = replace(base, facts={**base.facts, "rows_read": 1596, "responses_excluded": 0})
    told = text_of(Data(), complete)
    assert told.finding.startswith("All 1,596 responses were evaluated; 652")
    assert "exclusion" not in told.words


def test_distribution_shows_every_point_and_names_unused_ones() -> None:
    found = chart(ScoreDistributions().findings(CASES["full"]), "distribution.chart")
    assert found.x.categories == ("1", "2", "3", "4", "5", "6")
    assert [layer.labels for layer in found.layers if isinstance(layer, Pairs)] == [("raters", "engine")]
    told = text_of(ScoreDistributions(), CASES["full"])
    assert "Neither raters nor the engine gave 6, so nothing is known about such responses." in told
    assert "the engine’s share and the human share are within 5 percentage points of each other" in told


def test_confusion_shades_row_percentages_and_prints_counts() -> None:
    findings = SystemHumanAgreement().findings(CASES["full"])
    layers = chart(findings, "confusion.system.chart").every_layer()
    cells = next(layer for layer in layers if isinstance(layer, Cells))
    assert cells.frame_diagonal
    counts = CASES["full"].tables["confusion.system"].rows[0].cells[1:]
    assert cells.texts[0] == tuple(str(count or "·") for count in counts[:6])
    assert sum(value or 0 for value in cells.values[0]) == pytest.approx(100)
    assert set(cells.values[5]) == {None}, "a row without responses has no percentages"
    assert "No human score is 6." in Vocabulary().say(chart(findings, "confusion.system.chart").alt)


def test_calibration_has_identity_intervals_and_counts() -> None:
    found = chart(ScoreDistributions().findings(CASES["full"]), "calibration.chart")
    identity = next(layer for layer in found.layers if isinstance(layer, Line))
    assert identity.x == identity.y
    band = next(iter(CASES["full"].records("calibration")))
    assert found.strip_counts[0] == (band.number("mean_system"), band.number("n"))
    assert "differs detectably from the mean engine score at 4 of 5 engine scores" in Vocabulary().say(found.alt)


def test_one_rater_shows_what_cannot_be_known() -> None:
    findings = HumanHumanAgreement().findings(CASES["no second human"])
    assert not findings.tables
    assert not findings.charts
    page = text_of(HumanHumanAgreement(), CASES["no second human"])
    assert page.finding == "No response has a second rating, so it is not known how well raters agree."
    assert "could then be due to the engine or to the rater" in page


def test_the_engine_is_compared_with_the_raters_with_a_direction() -> None:
    page = text_of(HumanHumanAgreement(), CASES["full"])
    apart = "it is 0.80 (a difference of +0.04 [+0.01, +0.08], computed before rounding)"
    assert f"between the engine and the first rater, {apart}" in page.finding
    assert "652 of 1,596 responses have a second rating" in page
    assert HumanHumanAgreement().findings(CASES["full"]).outcome == "not yet known"


@pytest.mark.parametrize(
    ("double", "r", "required", "expected"),
    [(1000, 0.4, "1,000", "met"), (600, 0.8, "500", "met"), (600, 0.66, "1,000", "inconclusive"),
     (600, 0.5, "1,000", "not met"), (499, 0.9, "500", "not met")],
)  # fmt: skip
def test_enough_double_scored_responses(double: int, r: float, required: str, expected: str) -> None:
    assert state(with_raters(double, r), f"At least {required} double-scored responses") == expected


def test_prmse_above_one_is_flagged() -> None:
    base = CASES["full"]
    high = Estimate("prmse", 1.04, 4812, 0.9, 1.2)
    changed = replace(base, estimates={**base.estimates, "true_score.prmse": high})
    assert state(changed, "between 0 and 1") == "not met"
    finding = text_of(TrueScoreEvaluation(), changed).finding
    assert finding == "There are too few double-scored responses to estimate accuracy in predicting true scores."


@pytest.mark.parametrize(
    ("low", "high", "bands"),
    [(0.5, 0.65, 1), (0.65, 0.75, 2), (0.75, 0.9, 1), (0.9, 0.97, 2), (0.96, 0.99, 1), (0.6, 0.99, 3)],
)
def test_the_interpretation_of_prmse_names_every_band_in_its_interval(low: float, high: float, bands: int) -> None:
    base = CASES["full"]
    prmse = Estimate("prmse", (low + high) / 2, 4812, low, high)
    changed = replace(base, estimates={**base.estimates, "true_score.prmse": prmse})
    reading = text_of(TrueScoreEvaluation(), changed).annex
    meanings = ("avoid the scores", "use depends on", "little room")
    assert sum(meaning in reading for meaning in meanings) == bands
    assert ("The whole interval falls in one range." in reading) == (bands == 1)


def test_the_figure_of_groups_names_them_by_size_and_marks_the_undecided() -> None:
    found = WORDS.said(chart(GroupDifferences().findings(CASES["full"]), "group_differences.chart"))
    (seen,) = (layer for layer in found.layers if isinstance(layer, Dots))
    assert seen.names == ("Hindi", "Spanish", "Thai", "Urdu")
    assert seen.hollow == (True, False, True, True)
    assert seen.flagged == (False, True, False, False)
    assert seen.pale == (False, False, False, True)
    assert seen.positions == seen.n == (698, 499, 380, 19)
    (zone,) = (layer for layer in found.layers if isinstance(layer, Zone))
    assert (zone.low, zone.high, zone.axis) == (-0.1, 0.1, "y")
    assert "1 group beyond the limit: Spanish −0.17 [−0.21, −0.12]." in found.alt


def test_many_groups_draw_the_largest_and_all_flagged() -> None:
    found = WORDS.said(chart(GroupDifferences().findings(CASES["many groups"]), "group_differences.chart"))
    layer = dots(found)
    assert sum(layer.flagged) == sum(check.outcome == "not met" for check in CASES["many groups"].checks) > 6
    assert {f"School {i}" for i in range(20)} <= set(layer.names)
    assert f"{60 - len(layer.positions)} more groups are only in the tables." in found.caption


def test_contrasts_exclude_the_reference_and_have_intervals() -> None:
    evaluated = CASES["full"]
    layer = dots(chart(GroupDifferences(contrasts=("csd",)).findings(evaluated), "fairness.csd.L1.chart"))
    table = evaluated.tables["fairness.csd.L1"]
    cells = {row.cells[0]: row.cells[2] for row in table.rows}
    assert "Hindi" not in layer.positions
    for level, value, low, high in zip(layer.positions, layer.values, layer.low, layer.high, strict=True):
        estimate = cells[level]
        assert isinstance(estimate, Estimate)
        assert (estimate.value, estimate.low, estimate.high) == (value, low, high)


def test_contrasts_are_an_option() -> None:
    keys = {each.key for each in GroupDifferences(contrasts=("osa", "osd")).findings(CASES["full"]).charts}
    assert {"fairness.osa.L1.chart", "fairness.osd.L1.chart"} <= keys
    assert "fairness.csd.L1.chart" not in keys


def test_csd_has_its_warning() -> None:
    assert "does not prove bias" in text_of(GroupDifferences(), CASES["full"]).annex


def test_each_group_column_has_a_separate_part_in_the_annex() -> None:
    annex = text_of(GroupDifferences(), CASES["hostile"]).annex
    first, second = annex.index("### <script>alert(1)</script>"), annex.index("### second column")
    own = annex[first:second]
    shown = [own.index(f"report.show('{key}.{HOSTILE[0]}'") for key in ("by_group", "fairness.given_true_score")]
    assert shown == sorted(shown)


def test_provenance_shows_hash_settings_and_versions() -> None:
    findings = Provenance().findings(CASES["full"])
    shown = {row.cells[0]: row.cells[1] for table in findings.tables for row in table.rows}
    assert shown["run_sha256"] == CASES["full"].source.sha256
    assert shown["statistics.min_n_per_group"] == "30"
    assert f"numpy {np.__version__}" in str(shown["run_versions"])
