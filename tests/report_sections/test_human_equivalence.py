"""What the report says of the engine beside raters, and of PRMSE taken apart, for data made to say it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import reportgen
from report_sections.human_equivalence import HumanEquivalence
from report_sections.true_score_evaluation import TrueScoreEvaluation
from reportgen.results import Evaluation, Findings


def evaluated(noise: float, *, slope: float = 1.0, raters: int = 2, n: int = 500) -> Evaluation:
    rng = np.random.default_rng(2)
    true = rng.normal(3.5, 0.9, n)
    columns = {f"human{k + 1}": np.clip(np.rint(true + rng.normal(0, 0.6, n)), 1, 6) for k in range(raters)}
    system = np.clip(3.5 + slope * (true - 3.5) + rng.normal(0, noise, n), 1, 6)
    frame = pd.DataFrame({**columns, "system": system})
    return reportgen.evaluate(frame, None, system="system", human=list(columns), scale="1:6").evaluation


def said(findings: Findings) -> str:
    return " ".join([findings.headline, *findings.paragraphs])


def test_a_good_engine_is_worth_several_ratings_and_not_inferior() -> None:
    text = said(HumanEquivalence().findings(evaluated(0.45)))
    assert "predicts true scores as well as the mean of" in text
    assert text.count("so it is not inferior to a rater by 0.10 or more") == 2


def test_a_poor_engine_is_inferior() -> None:
    text = said(HumanEquivalence().findings(evaluated(2.0)))
    assert text.count("so it is inferior to a rater by more than 0.10") == 2


def test_a_wide_engine_is_told_its_rescaling_and_a_right_one_is_not() -> None:
    # a system calibrated for true scores of variance .81 has variance equal to its covariance with them
    wide, right = (said(TrueScoreEvaluation().findings(evaluated(0.3, slope=slope, n=4000))) for slope in (1.6, 0.87))
    assert "new score = 0." in wide
    assert "check it on others before it is used" in wide
    assert "too little to be worth it" in right


@pytest.mark.parametrize("raters", [2, 3])
def test_the_agreement_of_all_raters_is_a_guideline_that_is_judged(raters: int) -> None:
    (row,) = [
        row
        for table in TrueScoreEvaluation().findings(evaluated(0.4, raters=raters)).tables
        for row in table.rows
        if row.cells[0] == "Raters agree similarly with the engine"
    ]
    assert row.cells[2] == "met"
    assert ("3 pairs" in str(row.cells[1])) == (raters == 3)


def test_three_raters_have_three_pairs_and_one_overall_difference() -> None:
    found = evaluated(0.4, raters=3)
    table = found.tables["human_equivalence.exchange"]
    assert len({row.cells[0] for row in table.rows}) == 3
    assert "exchangeability.qwk" in found.estimates
    assert "exchangeability.rater_gap_r" not in found.estimates


def test_the_interval_to_expect_shrinks_with_more_double_scores() -> None:
    text = said(TrueScoreEvaluation().findings(evaluated(0.4)))
    assert "expect ±" in text
    assert "with 1,000 and" in text
