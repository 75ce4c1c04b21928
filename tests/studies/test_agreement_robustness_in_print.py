"""The page of agreement-robustness says all that Yannakoudakis and Cummins (2015) state, and chooses nothing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

import reportgen
from report_sections.study_agreement_robustness import StudyAgreementRobustness
from report_sections.study_published import StudyPublished
from reportgen.results import Evaluation
from reportgen.studies.agreement_robustness.statements import counts_of
from reportgen.studies.agreement_robustness.sweeps import chance_agreement, correlations, table_of
from reportgen.testing import said
from reportgen.wording.vocabulary import Vocabulary

DIFFER = (
    "range_linear_rises",
    "lower_limit",
    "trivial",
    "near_everywhere",
    "kappa_lower_everywhere",
    "linear_rise",
    "all_by_scale",
)
OPEN = ("ties_vary", "most_robust_of_all")
"""True in some data sets only."""

UNTESTABLE = (
    "hard_to_compare", "agreement_is_the_task", "normal_scores", "objective", "shares_not_fixed", "no_guessing",
    "small_disagreements", "large_worse", "only_simulated", "elsewhere",
)  # fmt: skip


@pytest.fixture(scope="module")
def paper() -> Evaluation:
    return reportgen.study("agreement-robustness", replicates=5, data_sets=3).evaluation


@pytest.fixture(scope="module")
def outcomes(paper: Evaluation) -> dict[str, str]:
    frame = paper.tables["study.statements"].frame()
    return dict(zip(frame["statement"].str.removeprefix("statement."), frame["outcome"], strict=True))


@pytest.mark.slow
def test_every_statement_has_an_outcome_and_what_does_not_repeat_comes_first(
    paper: Evaluation, outcomes: dict[str, str]
) -> None:
    assert {key for key, outcome in outcomes.items() if outcome == "statement_untestable"} == set(UNTESTABLE)
    steady = {key: outcome for key, outcome in outcomes.items() if key not in (*UNTESTABLE, *OPEN)}
    expected = dict.fromkeys(steady, "statement_repeats") | dict.fromkeys(DIFFER, "statement_differs")
    assert steady == expected
    assert set(list(outcomes)[: len(DIFFER)]) <= {*DIFFER, *OPEN}
    frame = paper.tables["study.statements"].frame()
    assert frame[frame["outcome"] != "statement_untestable"]["here"].notna().all()
    assert "Of 72 statements of the paper, 5" in said(StudyPublished(), paper)
    assert set(frame[frame["outcome"] != "statement_untestable"]["times"].str.extract(r"sets=(\d+)", expand=False)) == {
        "3"
    }


@pytest.mark.parametrize(
    ("place", "keys"),
    [
        ("section 4.4", {"all_by_scale", "quadratic_more", "kappa_most", "ac_steadier"}),
        ("figure 2, right", {"others_rise", "kappa_falls", "kappa_lower", "kappa_lower_everywhere", "kappa_far"}),
        ("section 3.1", {"unequal_shares", "ties_exist", "ties_lower", "ties_tau_less", "ties_vary"}),
    ],
)
def test_no_statement_of_a_place_is_left_out(paper: Evaluation, place: str, keys: set[str]) -> None:
    rows = zip(Vocabulary().table(paper.tables["study.statements"]).rows, paper.tables["study.statements"].rows,
               strict=True)  # fmt: skip
    found = {str(row.cells[0]).removeprefix("statement.") for shown, row in rows if shown.cells[1] == place}
    assert found == keys


def test_statements_fit_the_page(paper: Evaluation) -> None:
    for row in Vocabulary().table(paper.tables["study.statements"]).rows:
        assert len(str(row.cells[0])) < 100, row.cells[0]


def test_passing_shares_are_as_unlike_as_those_of_figure_2(paper: Evaluation) -> None:
    rows = paper.tables["study.real_apart.threshold"].frame()
    assert rows["similarity"].min() == pytest.approx(0.70, abs=0.02)
    assert rows["similarity"].max() > 0.97
    ordered = rows.sort_values("similarity")
    assert spearmanr(ordered["similarity"], ordered["ac_linear"]).statistic > 0.9
    assert spearmanr(ordered["similarity"], ordered["kappa_linear"]).statistic < -0.9
    charts = [chart.key for chart in StudyAgreementRobustness().findings(paper).charts]
    assert "study.real_apart.threshold.similarity" in charts
    assert "study.real_like.threshold.similarity" not in charts


def test_correlations_of_tables_are_those_of_the_scores() -> None:
    rng = np.random.default_rng(5)
    gold = rng.integers(0, 6, 300)
    system = np.clip(gold + rng.integers(-2, 3, 300), 0, 5)
    found = correlations(table_of(gold, system, 6))
    assert float(found["r"]) == pytest.approx(pearsonr(gold, system).statistic)
    assert float(found["rho"]) == pytest.approx(spearmanr(gold, system).statistic)
    assert float(found["tau_b"]) == pytest.approx(kendalltau(gold, system).statistic)


def test_agreement_by_chance_is_what_the_text_prints() -> None:
    left, right = (chance_agreement(counts_of(place), "identity") for place in ("1, left", "1, right"))
    assert (float(left["kappa"]), float(left["ac"])) == pytest.approx((0.5, 0.5))
    assert (float(right["kappa"]), float(right["ac"])) == pytest.approx((0.608, 0.3848))
