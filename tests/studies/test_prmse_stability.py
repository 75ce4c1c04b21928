"""The simulation of Loukina et al. (2020), reproduced to the printed digit, and custom designs."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import reportgen
from report_sections.study_sections import StudyPrmseDoubleScoring, StudyPrmseStability, StudyPublished
from reportgen.errors import SettingsError
from reportgen.metrics import double_scores_for_half_width, prmse, prmse_half_width
from reportgen.rendering.page_tables import LONGEST_NAME
from reportgen.results import Evaluation
from reportgen.results.chart import Chart, Dots, Rule
from reportgen.results.term import Term
from reportgen.studies.prmse_stability.measures import error_sd, pair_sums, rating_sums
from reportgen.studies.statements import Statement, judge_in_sets
from reportgen.testing import text_of
from reportgen.wording.vocabulary import Vocabulary

WORDS = Vocabulary()


@pytest.fixture(scope="module")
def paper() -> Evaluation:
    return reportgen.study("prmse-stability", replicates=2).evaluation


@pytest.mark.slow
def test_published_numbers_are_reproduced(paper: Evaluation) -> None:
    table = paper.tables["study.published"]
    assert len(table.rows) == 87
    two_decimals, one_decimal = table.rows[:85], table.rows[85:]
    for rows, half_unit in ((two_decimals, 0.0051), (one_decimal[1:], 0.051)):
        for row in rows:
            assert float(row.cells[3]) == pytest.approx(float(row.cells[2]), abs=half_unit)  # type: ignore[arg-type]
    # the paper prints 0.1%, but its R² of .99 implies 1%
    assert list(table.column("agrees")) == ["yes"] * 85 + ["no", "yes"]


@pytest.mark.slow
def test_replay_matches_independent_replay(paper: Evaluation) -> None:
    """Values come from an independent replay of the published seeds."""
    table = paper.tables["study.published"]
    found = {WORDS.say(what): here for what, here in zip(table.column("what"), table.column("here"), strict=True)}
    expected = {
        "low: r of two raters": 0.4010451136043976, "high: SD": 0.8284532820682655,
        "perfect: r with raters": 0.8010933253478087, "1,000 double-scored, average raters: range": 0.0846402933874083,
        "5,000 double-scored, low raters: range": 0.0832168893850338, "PRMSE: lowest of all pairs": 0.7622301379909687,
        "R²: highest of all pairs": 0.7121063428874435,
    }  # fmt: skip
    for what, value in expected.items():
        assert found[what] == pytest.approx(value, abs=1e-9), what


@pytest.mark.slow
def test_new_data_are_within_range_of_replicates(paper: Evaluation) -> None:
    """Bounds are the range of 120 independent replicates, extended by a quarter."""
    rows = paper.tables["study.stability"].frame().set_index(["metric", "reference", "category"])["mean"]
    assert rows["short_name.r", "against_mean", "category.low"] == pytest.approx(0.690, abs=0.005)
    assert rows["short_name.r", "against_mean", "category.high"] == pytest.approx(0.857, abs=0.005)
    assert rows["short_name.prmse", "against_mean", "category.average"] == pytest.approx(0.80, abs=0.02)
    ranking = paper.tables["study.ranking"].frame().set_index("metric")
    keys = [f"short_name.{key}" for key in ("prmse", "r", "qwk", "degradation")]
    assert ranking.loc[keys, "in_order"].tolist() == [2, 0, 0, 0]
    assert ranking["tau_same"].min() > 0.8


def test_prmse_matches_public_function() -> None:
    rng = np.random.default_rng(3)
    true = rng.normal(4, 1, 300)
    ratings = np.rint(true[:, None] + rng.normal(0, 0.7, (300, 2)))
    system = true[:, None] + rng.normal(0, 0.5, (300, 1))
    double = rng.random((300, 1)) < 0.4
    sums = rating_sums(system, ratings[:, [0]], ratings[:, [1]], double)
    from reportgen.metrics import true_score

    given = np.where(np.column_stack([np.ones((300, 1), bool), double]), ratings, np.nan)
    assert true_score.prmse(sums)[0] == pytest.approx(prmse(system[:, 0], given).prmse, rel=1e-12)
    assert pair_sums(ratings[:, [0]], system).n.tolist() == [300]


def test_rater_error_has_requested_correlation() -> None:
    rng = np.random.default_rng(4)
    true = np.clip(rng.normal(2, 0.8, 20_000), 0, 4)
    sd = error_sd(true, 0.5, 0, 4)
    ratings = np.clip(np.rint(true[:, None] + rng.normal(0, sd, (20_000, 12))), 0, 4)
    assert (np.corrcoef(ratings.T).sum() - 12) / (12 * 11) == pytest.approx(0.5, abs=0.006)


def test_custom_design_reports_double_scores() -> None:
    report = reportgen.study(
        "prmse-stability", responses=3000, mean=2, sd=0.8, scale="0:4", agreement=(0.5, 0.8), raters=12,
        accuracy=(0.5, 0.7), studied=0.7, pairs=40, double_scored=(100, 300, 1000, 3000), replicates=3,
    )  # fmt: skip
    evaluation = report.evaluation
    assert "study.published" not in evaluation.tables
    needed = evaluation.facts["needed"]
    assert 100 < needed["r = 0.80"] < 1000
    assert (needed["r = 0.50"] or np.inf) > needed["r = 0.80"]
    assert (evaluation.scale.low, evaluation.scale.high) == (0, 4)
    assert f"{round(needed['r = 0.80'], -1):.0f} at 0.80" in text_of(report.sections[1], evaluation)
    # half-widths fall about as one over the root of the number of double scores
    rows = evaluation.tables["study.double_scoring"].frame().set_index(["double", "category"])["half_width"]
    assert rows[100, "r = 0.80"] / rows[1000, "r = 0.80"] == pytest.approx(np.sqrt(10), rel=0.6)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"mean": 9}, "mean: expected a mean on the scale 1:6, found 9"),
        ({"studied": 0.5}, "studied: expected one of accuracy"),
        ({"scale": "low to high"}, "scale: expected two whole numbers such as 1:6"),
        ({"double_scored": (20_000,)}, "double_scored: expected numbers from 10 to 10000"),
        ({"raters": 5}, "5 raters have only 10 pairs"),
        ({"agreement": (0.4, 0.4)}, "every category requires a separate value"),
        ({"agreement": (1.4,)}, "below 1"),
        ({"mean": 1, "sd": 0.01, "responses": 100, "double_scored": (50,)}, "the same score"),
    ],
)
def test_invalid_design_raises(options: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        reportgen.study("prmse-stability", **options)


def test_raters_with_other_agreement_warn() -> None:
    report = reportgen.study(
        "prmse-stability", responses=50, agreement=(0.4,), raters=4, pairs=5, double_scored=(50,), seed=5
    )
    found = report.evaluation.tables["study.raters"].frame()["r"][0]
    assert abs(found - 0.4) > 0.02
    assert [warning for warning in report.evaluation.warnings if f"correlate {found:.2f} in the data" in warning]


@pytest.fixture(scope="module")
def charts(paper: Evaluation) -> dict[str, Chart]:
    sections = (StudyPrmseStability(), StudyPrmseDoubleScoring())
    return {chart.key: chart for section in sections for chart in section.findings(paper).charts}


@pytest.fixture(scope="module")
def alone() -> Evaluation:
    """Return a custom design without published values."""
    return reportgen.study(
        "prmse-stability", responses=400, agreement=(0.5, 0.8), raters=8, pairs=6, systems=2, double_scored=(50, 400),
        mean=3.5, replicates=2,
    ).evaluation  # fmt: skip


@pytest.mark.slow
def test_charts_have_panels_of_paper(charts: dict[str, Chart], paper: Evaluation) -> None:
    """Figures 1 (both references), 2 (five metrics), 3 (three, with true scores), 4, and 5 (both sides)."""
    first = charts["study.stability.references"]
    assert [WORDS.say(panel.title) for panel in first.panels] == ["r", "QWK", "R²", "r degradation"]
    assert all(len(layer.values) == 8 for panel in first.panels for layer in panel.layers if isinstance(layer, Dots))
    fourth = charts["study.stability.prmse"]
    assert [WORDS.say(panel.title) for panel in fourth.panels] == ["R²", "PRMSE"]
    assert all(any(isinstance(layer, Rule) for layer in panel.layers) for panel in fourth.panels)
    assert "Figure 4 of the paper. Replayed" in WORDS.say(fourth.caption)
    for metric in ("r", "qwk", "r_squared", "degradation", "prmse"):
        layers = charts[f"study.ranked.{metric}"].layers
        dots = {WORDS.say(layer.label): layer for layer in layers if isinstance(layer, Dots)}
        assert dots["different raters"].values == tuple(paper.tables["study.ranked"].column(metric))
        assert dots["same raters"].values == tuple(paper.tables["study.ranked"].column(f"{metric}_same"))
    true = {"r": 0.913, "qwk": 0.908, "r_squared": 0.797}
    for metric, value in true.items():
        (rule,) = [layer for layer in charts[f"study.joining.{metric}"].layers if isinstance(layer, Rule)]
        assert rule.at == pytest.approx(value, abs=5e-4)
    for side, which in (("left", ""), ("right", "_alone")):
        chart = charts[f"study.double_scoring.replayed.spread{which}"]
        assert len(chart.panels) == 4
        assert f"Figure 5 ({side}) of the paper. Replayed" in WORDS.say(chart.caption)
        assert max(high for panel in chart.panels for layer in panel.layers if isinstance(layer, Dots)
                   for high in layer.high if high is not None) == pytest.approx(1.57, abs=0.02)  # fmt: skip


def test_tables_and_charts_name_data_source(paper: Evaluation, charts: dict[str, Chart]) -> None:
    replayed = {"study.assignment", "study.ranked", "study.joining"}
    for key, table in paper.tables.items():
        notes = " ".join(WORDS.table(table).notes)
        if key in ("study.statements", "study.published"):
            assert {"Replayed", "Newly simulated"} <= {column.label for column in WORDS.table(table).columns}
        elif key.startswith("study."):
            again = key in replayed or key.endswith(".replayed")
            assert ("Replayed" in notes, "Newly simulated" in notes) == (again, not again), key
    for key, chart in charts.items():
        assert ("Replayed" in WORDS.say(chart.caption)) != ("Newly simulated" in WORDS.say(chart.caption)), key


def test_custom_design_has_no_replay(alone: Evaluation) -> None:
    assert "study.statements" not in alone.tables
    for key in ("study.ranked", "study.ranking"):
        (note,) = WORDS.table(alone.tables[key]).notes
        assert note == f"Newly simulated: {'the first of' if key == 'study.ranked' else 'means over'} 2 data sets."
    assert "eplayed" not in text_of(StudyPrmseStability(), alone)
    captions = [WORDS.say(one.caption) for one in StudyPrmseStability().findings(alone).charts]
    assert "of the paper." not in " ".join(captions)


def test_statements_have_outcomes_and_numbers(paper: Evaluation) -> None:
    frame = paper.tables["study.statements"].frame()
    outcome = {key.removeprefix("statement."): each.removeprefix("statement_")
               for key, each in zip(frame["statement"], frame["outcome"], strict=True)}  # fmt: skip
    assert len(outcome) == len(frame) == 58
    differing = {key for key, each in outcome.items() if each == "differs"}
    assert {"mse_share", "degradation_improves", "prmse_between", "first_decimal"} <= differing
    assert outcome["poor_last"] in ("mixed", "differs")
    assert set(frame["times"].str.extract(r"sets=(\d+)", expand=False).dropna()) == {"1", "3"}
    assert sum(each == "untestable" for each in outcome.values()) == 13
    tested = frame[frame["outcome"] != "statement_untestable"]
    assert tested[["here", "fresh"]].notna().all(axis=None)
    text = text_of(StudyPublished(), paper)
    assert "Of 58 statements in the paper, " in text
    assert "86 of 87 published numbers were reproduced." in text


def test_statements_fit_into_cell(paper: Evaluation) -> None:
    for cell in WORDS.table(paper.tables["study.statements"]).column("statement"):
        assert len(str(cell)) <= LONGEST_NAME, cell


def test_page_mentions_overrated_engine(paper: Evaluation) -> None:
    ranked = paper.tables["study.ranked"].frame()
    assert ranked[ranked["category"] == "category.poor"]["r"].max() == 8
    text = text_of(StudyPrmseStability(), paper)
    assert "(rank 1 of 25 is worst), one of them has rank 8 by r and rank 13 by r degradation." in text
    rows = [row.cells for row in WORDS.table(paper.tables["study.statements"]).rows]
    (row,) = [row for row in rows if str(row[0]).startswith("r, QWK, and R² rank poor engines last")]
    assert row[4:6] == ("5; 5; 5", "8; 5; 5")


def test_tau_is_reported_for_replay_and_new_data(paper: Evaluation) -> None:
    afresh, replayed = (paper.tables[key].frame().set_index("metric")["tau"]
                        for key in ("study.ranking", "study.ranking.replayed"))  # fmt: skip
    assert afresh["short_name.r"] == pytest.approx(0.63, abs=0.03)
    assert replayed["short_name.r"] == pytest.approx(0.53, abs=0.005)
    assert WORDS.title("study.ranking.replayed") == WORDS.title("study.ranking")


def test_largest_prmse_is_compared_with_paper(paper: Evaluation) -> None:
    frame = WORDS.table(paper.tables["study.published"]).frame().set_index("what")
    row = frame.loc["highest PRMSE with 100 double scores, low raters"]
    assert (row["published"], round(row["here"], 2), row["agrees"]) == (1.6, 1.59, "yes")
    share = frame.loc["squared error of the best engines (% of variance)"]
    assert (share["published"], round(share["here"], 1), share["agrees"]) == (0.1, 1.0, "no")


def test_page_on_double_scoring_matches_tables(paper: Evaluation) -> None:
    frame = paper.tables["study.double_scoring"].frame()
    some = frame[frame["double"] < paper.facts["responses"]]
    sums = some.groupby("category", sort=False)[["range", "range_alone"]].sum()
    times = sums["range_alone"] / sums["range"]
    assert times.max() > 2
    text = text_of(StudyPrmseDoubleScoring(), paper)
    varies = f"PRMSE varies about {times.min():.1f} to {times.max():.1f} times as widely"
    assert f"{varies}, most if raters correlate at 0.80" in text
    assert "not their share" not in text


def test_page_mentions_number_only_if_ranges_are_equal(paper: Evaluation) -> None:
    table = paper.tables["study.double_scoring"]
    keys = [column.key for column in table.columns]
    at, of = keys.index("range_alone"), keys.index("range")
    for factor, nearly in ((1.1, True), (1.4, False), (0.7, False)):
        rows = tuple(replace(row, cells=(*row.cells[:at], factor * float(row.cells[of]), *row.cells[at + 1 :]))  # type: ignore[arg-type]
                     for row in table.rows)  # fmt: skip
        changed = replace(paper, tables={**paper.tables, table.key: replace(table, rows=rows)})
        text = text_of(StudyPrmseDoubleScoring(), changed)
        assert ("Their number matters, not their share." in text) is nearly, factor
        assert f"varies about {factor:.1f} times as widely" in text


def test_page_explains_other_numbers_of_evaluation(paper: Evaluation) -> None:
    """The study has 10,000 fixed responses. An evaluation samples its double-scored responses."""
    text = text_of(StudyPrmseDoubleScoring(), paper)
    assert "Its responses are also a sample, and its goal is a clear answer, not ±0.05." in text
    assert "The number needed among 10,000 responses depends on" in text
    needed, without = paper.facts["needed"], paper.facts["needed_alone"]
    fixed, sampled = double_scores_for_half_width(0.05, 0.8, 0.8), 390
    assert prmse_half_width(0.8, 0.8, sampled, sampled) == pytest.approx(0.05, abs=1e-3)
    assert fixed is not None
    assert needed["high"] < 2 * fixed < sampled < 2 * without["high"]


def test_statements_are_judged_by_data_sets(paper: Evaluation) -> None:
    assert "The first data set is the paper's own, replayed." in text_of(StudyPublished(), paper)

    def outcome(holds: list[bool], *, of_these_data: bool = False) -> str:
        sets = [[Statement(Term("place"), "mse_share", each, of_these_data=of_these_data)] for each in holds]
        return judge_in_sets(sets)[0].outcome

    assert [outcome(holds) for holds in ([True] * 3, [True, True, True, False], [False, True, True])] == [
        "repeats", "mixed", "mixed",
    ]  # fmt: skip
    assert outcome([True, False], of_these_data=True) == "repeats"
