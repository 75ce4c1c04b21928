"""Statements of papers are checked in several data sets; the documentation has the counts of the shipped examples."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from report_sections.study_figures import outcomes
from reportgen.metrics import quadratic_weighted_kappa
from reportgen.results.term import Term
from reportgen.storing import results_file
from reportgen.studies.agreement_robustness.sweeps import gaussian_scores, moved
from reportgen.studies.statements import Statement, judge_in_sets, statements_table
from reportgen.wording.vocabulary import english

ROOT = Path(__file__).parents[2]
STUDIES = ("agreement_robustness", "prmse_stability", "rating_completion", "score_impact")


@pytest.mark.parametrize("name", STUDIES)
def test_documentation_has_the_counts_of_the_example(name: str) -> None:
    evaluation = results_file.read(ROOT / "example_reports" / name / "results.json").evaluation
    page = " ".join((ROOT / "docs" / "studies.md").read_text(encoding="utf-8").split())
    assert english().phrases("say").statements(outcomes(evaluation)) in page


@pytest.mark.parametrize(
    ("times", "outcome"), [(10, "repeats"), (9, "repeats"), (7, "mixed"), (2, "mixed"), (1, "differs"), (0, "differs")]
)
def test_statement_true_in_some_data_sets_shows_their_number(times: int, outcome: str) -> None:
    holds = [True] * times + [False] * (10 - times)
    order = holds if outcome == "repeats" else holds[::-1]
    judged = judge_in_sets([[Statement(Term("printed.results"), "identity", each)] for each in order])
    assert judged[0].outcome == outcome
    row = english().table(statements_table(judged)).rows[0]
    assert f"{times} of 10" in row.cells


def test_double_scores_of_the_example_are_those_of_the_planner() -> None:
    """The planner requires about 3,700 double scores for raters who correlate .40."""
    evaluation = results_file.read(ROOT / "example_reports" / "prmse_stability" / "results.json").evaluation
    assert evaluation.facts["needed"]["low"] == pytest.approx(3712, rel=0.1)


def test_errors_without_room_go_to_another_response() -> None:
    """Footnote 12 of the paper: quadratic weighted kappa is .316 where gold scores have an SD of 0.5."""
    kappas = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        gold = gaussian_scores(rng, 5000, 5, 2.0, 0.5)
        kappas.append(quadratic_weighted_kappa(gold, moved(rng, gold, 5, 0.25, 2)))
    assert np.mean(kappas) == pytest.approx(0.316, abs=0.006)
