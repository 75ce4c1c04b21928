"""Test texts that compare the engine with raters and explain PRMSE, for constructed data."""

import numpy as np
from simulated import framed, simulated

import reportgen
from report_sections.judges import HumanEquivalence
from report_sections.true_score_evaluation import TrueScoreEvaluation
from reportgen.results import Evaluation
from reportgen.testing import text_of


def evaluated(noise: float, *, slope: float = 1.0, raters: int = 2, n: int = 500) -> Evaluation:
    scores = simulated(n, 2, raters, sd=0.9, noise=noise)
    system = np.clip(scores.engine + (slope - 1) * (scores.true - 3.5), 1, 6)
    return reportgen.evaluate(framed(scores, "human").assign(engine=system), scale="1:6").evaluation


def test_a_good_engine_is_worth_multiple_ratings_and_not_inferior() -> None:
    text = text_of(HumanEquivalence(), evaluated(0.45)).words
    assert "predicts true scores as well as the mean of" in text
    assert text.count("the engine's agreement is within 0.10 of a second rater's") == 2


def test_a_poor_engine_is_inferior() -> None:
    text = text_of(HumanEquivalence(), evaluated(2.0)).words
    assert "The engine is equivalent to less than one human rating: 0." in text
    assert text.count("the engine's agreement is more than 0.10 below a second rater's") == 2


def test_rescaling_is_shown_for_a_wide_engine_only() -> None:
    # a system calibrated for true scores of variance .81 has variance equal to its covariance with them
    wide, right = (text_of(TrueScoreEvaluation(), evaluated(0.3, slope=slope, n=4000)) for slope in (1.6, 0.87))
    assert "new score = 0." in wide.annex
    assert "test it on other responses before you use it" in wide.annex
    assert "A linear rescaling would raise PRMSE to about" in wide.annex
    assert "new score" not in right
    assert "Rescaling would make little difference: in these responses, PRMSE gains less than 0.01." in right


def test_three_raters_have_three_pairs_and_one_overall_difference() -> None:
    found = evaluated(0.4, raters=3)
    table = found.tables["human_equivalence.exchange"]
    assert len({row.cells[0] for row in table.rows}) == 3
    assert "exchangeability.qwk" in found.estimates
    assert "exchangeability.rater_gap_r" not in found.estimates


def test_the_interval_to_expect_shrinks_with_more_double_scores() -> None:
    plan = TrueScoreEvaluation().findings(evaluated(0.4)).values["plan"]
    assert [each["n"] for each in plan] == [500, 1000, 2000]
    widths = [each["half_width"] for each in plan]
    assert widths == sorted(widths, reverse=True)


def test_effect_of_more_double_scoring_is_shown_if_inconclusive() -> None:
    undecided, decided = evaluated(0.45, n=100), evaluated(0.2, n=1500)
    assert "double-scored responses, expect about ±" in text_of(TrueScoreEvaluation(), undecided)
    assert "the data do not show whether that is enough" in text_of(TrueScoreEvaluation(), undecided).finding
    assert "expect about ±" not in text_of(TrueScoreEvaluation(), decided)
    assert text_of(TrueScoreEvaluation(), decided).finding.startswith(
        "Accurate enough: the engine’s scores reduce the "
    )
