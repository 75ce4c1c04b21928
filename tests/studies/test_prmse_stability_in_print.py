"""The page of prmse-stability says all that Loukina et al. (2020) print and conclude, and chooses nothing."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

import reportgen
from report_sections.study_prmse_double_scoring import StudyPrmseDoubleScoring
from report_sections.study_prmse_stability import StudyPrmseStability
from report_sections.study_published import StudyPublished
from reportgen.metrics import double_scores_for_half_width, prmse_half_width
from reportgen.rendering.page_tables import LONGEST_NAME
from reportgen.results import Evaluation
from reportgen.results.chart import Chart, Dots, Rule
from reportgen.studies.prmse_stability.claims import Claim, close_to, falling
from reportgen.studies.statements import in_section
from reportgen.testing import said
from reportgen.wording.vocabulary import Vocabulary

WORDS = Vocabulary()
METRICS = ("r", "qwk", "r_squared", "degradation", "prmse")


@pytest.fixture(scope="module")
def paper() -> Evaluation:
    return reportgen.study("prmse-stability", replicates=2).evaluation


@pytest.fixture(scope="module")
def charts(paper: Evaluation) -> dict[str, Chart]:
    sections = (StudyPrmseStability(), StudyPrmseDoubleScoring())
    return {chart.key: chart for section in sections for chart in section.findings(paper).charts}


@pytest.fixture(scope="module")
def alone() -> Evaluation:
    """One's own design: nothing is in print."""
    return reportgen.study(
        "prmse-stability", responses=400, agreement=(0.5, 0.8), raters=8, pairs=6, systems=2, double_scored=(50, 400),
        mean=3.5, replicates=2,
    ).evaluation  # fmt: skip


def _dots(chart: Chart) -> dict[str, Dots]:
    return {WORDS.say(layer.label): layer for layer in chart.layers if isinstance(layer, Dots)}


@pytest.mark.slow
def test_every_panel_of_the_paper_is_drawn(charts: dict[str, Chart], paper: Evaluation) -> None:
    """Figures 1 (both references), 2 (five metrics), 3 (three, with those of true scores), 4, and 5 (both sides)."""
    first = charts["study.stability.references"]
    assert [WORDS.say(panel.title) for panel in first.panels] == ["r", "QWK", "R²", "r degradation"]
    assert all(len(layer.values) == 8 for panel in first.panels for layer in panel.layers if isinstance(layer, Dots))
    fourth = charts["study.stability.prmse"]
    assert [WORDS.say(panel.title) for panel in fourth.panels] == ["R²", "PRMSE"]
    assert all(any(isinstance(layer, Rule) for layer in panel.layers) for panel in fourth.panels)
    assert "Figure 4 of the paper. Replayed" in WORDS.say(fourth.caption)
    for metric in METRICS:
        dots = _dots(charts[f"study.ranked.{metric}"])
        assert dots["own raters"].values == tuple(paper.tables["study.ranked"].column(metric))
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


def test_every_table_and_figure_says_where_its_numbers_come_from(paper: Evaluation, charts: dict[str, Chart]) -> None:
    replayed = {"study.assignment", "study.ranked", "study.joining"}
    for key, table in paper.tables.items():
        notes = " ".join(WORDS.table(table).notes)
        if key in ("study.statements", "study.published"):
            assert {"Replayed", "Drawn afresh"} <= {column.label for column in WORDS.table(table).columns}
        elif key.startswith("study."):
            again = key in replayed or key.endswith(".replayed")
            assert ("Replayed" in notes, "Drawn afresh" in notes) == (again, not again), key
    for key, chart in charts.items():
        assert ("Replayed" in WORDS.say(chart.caption)) != ("Drawn afresh" in WORDS.say(chart.caption)), key


def test_ones_own_design_is_drawn_afresh_throughout(alone: Evaluation) -> None:
    assert "study.statements" not in alone.tables
    for key in ("study.ranked", "study.ranking"):
        (note,) = WORDS.table(alone.tables[key]).notes
        assert note == {"study.ranked": "Drawn afresh: the first of 2 data sets.",
                        "study.ranking": "Drawn afresh: means over 2 data sets."}[key]  # fmt: skip
    text = said(StudyPrmseStability(), alone)
    assert "eplayed" not in text
    assert "of the paper." not in " ".join(
        WORDS.say(one.caption) for one in StudyPrmseStability().findings(alone).charts
    )


def test_every_statement_has_an_outcome_and_both_numbers(paper: Evaluation) -> None:
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
    assert tested["here"].notna().all()
    assert tested["fresh"].notna().all()
    text = said(StudyPublished(), paper)
    assert "Of 58 statements of the paper, " in text
    assert "86 of 87 published numbers were reproduced." in text


def test_statements_fit_into_a_cell(paper: Evaluation) -> None:
    for cell in WORDS.table(paper.tables["study.statements"]).column("statement"):
        assert len(str(cell)) <= LONGEST_NAME, cell


def test_rules_look_at_numbers() -> None:
    assert close_to((0.43, 0.71))((0.435, 0.712))
    assert not close_to((0.43, 0.71))((0.435, 0.75))
    assert falling((-0.05, -0.30))
    assert not falling((-0.30, -0.05))


def test_the_poor_system_that_r_ranks_too_high_is_told(paper: Evaluation) -> None:
    ranked = paper.tables["study.ranked"].frame()
    assert ranked[ranked["category"] == "category.poor"]["r"].max() == 8
    text = said(StudyPrmseStability(), paper)
    assert "(rank 1 of 25 is worst) one of them has rank 8 by r and rank 13 by r degradation." in text
    rows = [row.cells for row in WORDS.table(paper.tables["study.statements"]).rows]
    (row,) = [row for row in rows if str(row[0]).startswith("r, QWK and R² rank poor engines last")]
    assert row[4:6] == ("5; 5; 5", "8; 5; 5")


def test_tau_of_the_replay_stands_beside_that_drawn_afresh(paper: Evaluation) -> None:
    afresh, replayed = (paper.tables[key].frame().set_index("metric")["tau"]
                        for key in ("study.ranking", "study.ranking.replayed"))  # fmt: skip
    assert afresh["short_name.r"] == pytest.approx(0.63, abs=0.03)
    assert replayed["short_name.r"] == pytest.approx(0.53, abs=0.005)
    assert WORDS.title("study.ranking.replayed") == WORDS.title("study.ranking")


def test_the_largest_prmse_is_listed_beside_print(paper: Evaluation) -> None:
    frame = WORDS.table(paper.tables["study.published"]).frame().set_index("what")
    row = frame.loc["highest PRMSE with 100 double scores, low raters"]
    assert (row["published"], round(row["here"], 2), row["agrees"]) == (1.6, 1.59, "yes")
    share = frame.loc["squared error of the best engines (% of variance)"]
    assert (share["published"], round(share["here"], 1), share["agrees"]) == (0.1, 1.0, "no")


def test_what_is_said_of_double_scored_subsets_is_true_of_the_tables(paper: Evaluation) -> None:
    frame = paper.tables["study.double_scoring"].frame()
    some = frame[frame["double"] < paper.facts["responses"]]
    sums = some.groupby("category", sort=False)[["range", "range_alone"]].sum()
    times = sums["range_alone"] / sums["range"]
    assert times.max() > 2
    text = said(StudyPrmseDoubleScoring(), paper)
    assert (
        f"PRMSE spreads {times.min():.2f} to {times.max():.2f} times as widely, most where raters correlate 0.80"
        in text
    )
    assert "not their share" not in text


def test_the_number_counts_alone_only_where_ranges_are_nearly_the_same(paper: Evaluation) -> None:
    table = paper.tables["study.double_scoring"]
    keys = [column.key for column in table.columns]
    at, of = keys.index("range_alone"), keys.index("range")
    for factor, nearly in ((1.1, True), (1.4, False), (0.7, False)):
        rows = tuple(replace(row, cells=(*row.cells[:at], factor * float(row.cells[of]), *row.cells[at + 1 :]))  # type: ignore[arg-type]
                     for row in table.rows)  # fmt: skip
        changed = replace(paper, tables={**paper.tables, table.key: replace(table, rows=rows)})
        text = said(StudyPrmseDoubleScoring(), changed)
        assert ("Their number counts, not their share." in text) is nearly, factor
        assert f"spreads {factor:.2f} times as widely" in text


def test_why_an_evaluation_asks_for_other_numbers(paper: Evaluation) -> None:
    """The study holds 10,000 responses fixed; an evaluation of double-scored responses alone samples them too."""
    text = said(StudyPrmseDoubleScoring(), paper)
    assert "Its responses are a sample too, and it seeks a clear answer, not ±0.05." in text
    assert "these numbers are needed among 10,000 responses" in text
    needed, without = paper.facts["needed"], paper.facts["needed_alone"]
    fixed, sampled = double_scores_for_half_width(0.05, 0.8, 0.8), 390
    assert prmse_half_width(0.8, 0.8, sampled, sampled) == pytest.approx(0.05, abs=1e-3)
    assert fixed is not None
    assert needed["high"] < 2 * fixed < sampled < 2 * without["high"]


def test_a_statement_is_judged_by_most_data_sets(paper: Evaluation) -> None:
    assert "The first data set is the paper's own, replayed." in said(StudyPublished(), paper)
    claim = Claim(in_section("3"), "mse_share", lambda run: (run.known,), lambda found: found[0] > 0.5)
    runs = [SimpleNamespace(known=value) for value in (0.9, 0.8, 0.1)]
    assert claim.statement(runs[0], runs[:2]).outcome == "repeats"  # type: ignore[arg-type]
    assert claim.statement(runs[0], runs).outcome == "mixed"  # type: ignore[arg-type]
    assert claim.statement(runs[2], runs[:2]).outcome == "mixed"  # type: ignore[arg-type]
    assert replace(claim, of_these_data=True).statement(runs[0], runs[2:]).outcome == "repeats"  # type: ignore[arg-type]
