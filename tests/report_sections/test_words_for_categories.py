"""Sentences about categories, and about agreement next to rank correlation."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated import evaluation_of

from report_sections.agreement_panel import AgreementPanel
from report_sections.human_human_agreement import HumanHumanAgreement
from report_sections.score_distributions import ScoreDistributions
from report_sections.summary import Summary
from report_sections.system_human_agreement import SystemHumanAgreement
from reportgen.results import Estimate, Evaluation
from reportgen.sections import Findings
from reportgen.testing import text_of
from reportgen.wording.numbers import percent


def evaluated(engine: list[float], first: list[int], scale: str = "0:1") -> Evaluation:
    data = pd.DataFrame({"engine": engine, "first": first})
    return evaluation_of(data, system="engine", human=["first"], groups=[], scale=scale)


def table(tn: int, fp: int, fn: int, tp: int) -> Evaluation:
    return evaluated(
        np.repeat([0, 1, 0, 1], [tn, fp, fn, tp]).tolist(), np.repeat([0, 0, 1, 1], [tn, fp, fn, tp]).tolist()
    )


def labelled(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation with labels for its two points."""
    return replace(evaluation, facts={**evaluation.facts, "categories": {"lower": "fail", "higher": "pass"}})


def agreement(evaluation: Evaluation) -> Findings:
    return SystemHumanAgreement().findings(evaluation)


def test_each_category_has_a_separate_number() -> None:
    told = text_of(SystemHumanAgreement(), labelled(table(54, 32, 27, 231)))
    assert told.finding == "The engine finds 89.5% of responses scored “pass” and 63% of responses scored “fail”."
    assert "When the engine gives “pass”, the human rating is the same in 87.8% [83.3, 91.3] of 263 cases." in told
    assert "When the engine gives “fail”, the human rating is the same in 67% [56, 76] of 81 cases." in told
    assert "The human rating is “pass” for 75.0% " in told


def test_a_share_without_an_interval_shows_its_number_of_responses() -> None:
    assert "Only 1 response has the human rating “fail”." in text_of(
        SystemHumanAgreement(), labelled(table(1, 0, 0, 59))
    )
    assert "to only" not in text_of(SystemHumanAgreement(), labelled(table(2, 0, 0, 58)))


def test_numbers_have_no_quotation_marks() -> None:
    assert text_of(SystemHumanAgreement(), table(20, 5, 5, 20)).finding.endswith(
        "% of responses scored 1 and 80% of responses scored 0."
    )


def test_a_category_that_raters_never_give_is_reported() -> None:
    told = text_of(SystemHumanAgreement(), table(0, 0, 10, 40))
    assert "No response has the human rating 0, so it is not known how well the engine finds it." in told
    assert told.finding.endswith("% of responses scored 1.")
    assert "never give" not in text_of(SystemHumanAgreement(), table(20, 5, 5, 20))


def test_a_two_point_engine_has_no_text_about_points_and_slopes() -> None:
    found = table(54, 32, 27, 231)
    told = text_of(SystemHumanAgreement(), found).words + text_of(ScoreDistributions(), found).words
    for word in ("root mean squared", "points or more", "rater error alone", "overrate", "counts as", "calibration"):
        assert word not in told
    assert next(each.key for each in agreement(found).tables) == "system_human.categories"


def test_scores_between_points_show_what_they_count_as() -> None:
    rng = np.random.default_rng(1)
    first = rng.integers(0, 2, 90)
    found = evaluated(np.clip(0.2 + 0.6 * first + rng.normal(0, 0.2, 90), 0, 1).tolist(), first.tolist())
    counts_as = "An engine score above 0.5 counts as 1, and a score below it counts as 0."
    assert counts_as in text_of(SystemHumanAgreement(), found)
    assert "calibration.chart" in {each.key for each in ScoreDistributions().findings(found).charts}


@pytest.mark.parametrize("scale", ["0:2", "0:1:0.5"])
def test_other_scales_do_not_mention_it(scale: str) -> None:
    rng = np.random.default_rng(2)
    found = evaluated(rng.integers(0, 2, 60).tolist(), rng.integers(0, 2, 60).tolist(), scale)
    assert agreement(found).values["case"] == "scores"
    assert "counts as" not in text_of(SystemHumanAgreement(), found)


def test_words_in_a_file_are_used_on_the_page() -> None:
    rng = np.random.default_rng(4)
    true = rng.integers(0, 2, 120)
    words = {name: np.where(rng.random(120) < 0.15, 1 - true, true) for name in ("machine", "rater_1", "rater_2")}
    data = pd.DataFrame({name: np.array(["Fail", "Pass"])[codes] for name, codes in words.items()})
    found = evaluation_of(data, system="machine", human=["rater_1", "rater_2"], groups=[])
    higher, lower = found.facts["categories"]["higher"], found.facts["categories"]["lower"]
    assert (lower.lower(), higher.lower()) == ("fail", "pass")
    assert f"% of responses scored “{higher}” and " in text_of(SystemHumanAgreement(), found).finding
    share = found.estimates["human.positive_agreement"]
    page = text_of(HumanHumanAgreement(), found).words
    told = re.search(f"When one rater gives “{higher}”, the other does so in ([0-9.]+)% [^%]* of cases", page)
    assert told is not None
    assert float(told[1]) == pytest.approx(100 * (share.value or 0), abs=0.5)


def test_unordered_labels_are_judged_by_agreement_and_kappa() -> None:
    rng = np.random.default_rng(5)
    true = rng.integers(0, 3, 150)
    codes = {name: np.where(rng.random(150) < 0.2, rng.integers(0, 3, 150), true) for name in ("machine", "a", "b")}
    data = pd.DataFrame({name: np.array(["cause", "part", "kind"])[each] for name, each in codes.items()})
    found = evaluation_of(data, system="machine", human=["a", "b"], groups=[], unordered=True)
    told = text_of(SystemHumanAgreement(), found)
    share = found.estimates["system.exact_agreement"].value or 0.0
    assert told.finding == f"The engine gives the rater's label to {percent(share, 150)} of responses."
    assert "Kappa, the agreement beyond chance, is 0." in told
    assert "; for two raters, it is 0." in told
    assert {row.cells[0] for row in agreement(found).tables[0].rows} == {"cause", "part", "kind"}
    for section in (Summary(), SystemHumanAgreement(), ScoreDistributions()):
        for word in ("QWK", " mean ", "SMD", "PRMSE", "correlation", "score point", "true-score", " SD "):
            assert word not in text_of(section, found), (section, word)


FAR = "scores are farther off than raters' scores, but responses are in the right order."
NEAR = "scores are accurate and rank errors are small."


def evaluated_ranks(frame: pd.DataFrame, **more: Any) -> Evaluation:
    human = [str(column) for column in frame if str(column).startswith("h")]
    return evaluation_of(frame, system="system", human=human, **{"scale": "1:10", **more})


def ratings(n: int = 400, error: float = 0.7) -> tuple[np.random.Generator, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    first = np.clip(np.rint(rng.normal(4.5, 1.2, n)), 1, 7)
    return rng, first, np.clip(np.rint(first + rng.normal(0, error, n)), 1, 10)


@pytest.fixture(scope="module")
def far() -> Evaluation:
    """An engine three points too high throughout: the order is kept."""
    _, first, second = ratings()
    return evaluated_ranks(pd.DataFrame({"system": first + 3, "h1": first, "h2": second}))


@pytest.fixture(scope="module")
def near() -> Evaluation:
    """A second rater about two points too high in nearly the same order; an engine that is often one point off."""
    rng, first, _ = ratings()
    second, system = first + 2 + (rng.random(len(first)) < 0.05), first + rng.integers(-1, 2, len(first))
    return evaluated_ranks(pd.DataFrame({"system": system, "h1": first, "h2": second}))


def test_low_agreement_with_high_rank_correlation_means_large_errors_in_order(far: Evaluation) -> None:
    text = text_of(AgreementPanel(), far)
    assert f"According to Yannakoudakis and Cummins (2015), this means that {FAR}" in text
    assert NEAR not in text.words


def test_low_rank_correlation_with_high_agreement_means_small_errors_of_rank(near: Evaluation) -> None:
    text = text_of(AgreementPanel(), near)
    assert f"According to Yannakoudakis and Cummins (2015), this means that {NEAR}" in text
    assert FAR not in text.words


@given(
    agreement=st.tuples(st.floats(-0.5, 0.5), st.floats(0.001, 0.4)),
    ranks=st.tuples(st.floats(-0.5, 0.5), st.floats(0.001, 0.4)),
)
@settings(max_examples=60, deadline=None)
def test_low_is_clearly_below_two_raters_and_high_is_at_least_their_level(
    near: Evaluation, agreement: tuple[float, float], ranks: tuple[float, float]
) -> None:
    made = {
        key: Estimate(key.partition(".")[2], value, 100, value - half, value + half, kind="difference")
        for key, (value, half) in (("degradation.ac2_quadratic", agreement), ("degradation.tau_b", ranks))
    }
    found = AgreementPanel().findings(replace(near, estimates={**near.estimates, **made})).values["ranks"]
    low = [sum(each) < 0 for each in (agreement, ranks)]
    high = [each[0] >= 0 for each in (agreement, ranks)]
    expected = "far_in_order" if low[0] and high[1] else "near_out_of_order" if high[0] and low[1] else None
    assert found.get("pattern") == expected


def test_nothing_is_interpreted_without_a_second_rater(far: Evaluation) -> None:
    _, first, _ = ratings()
    assert "this means" not in text_of(
        AgreementPanel(), evaluated_ranks(pd.DataFrame({"system": first + 3, "h1": first}))
    )
    assert "this means" in text_of(AgreementPanel(), far).words


@pytest.mark.parametrize(("language", "words"), [
    ("en", "Yannakoudakis and Cummins (2015) recommend AC with quadratic weights, reported together with a rank "
           "correlation. They advise against kappa, which depends on how scores are distributed. They give no limit."),
    ("es", "Yannakoudakis y Cummins (2015) recomiendan AC con pesos cuadráticos, e informar junto a él de una "
           "correlación de rangos. Desaconsejan kappa, que depende de cómo se distribuyen las puntuaciones."),
])  # fmt: skip
def test_the_recommendation_is_cited_where_coefficients_are_chosen(far: Evaluation, language: str, words: str) -> None:
    text = text_of(AgreementPanel(), far, language=language)
    assert words in text
    assert "none is right for every use" not in text.words
    assert "ninguno sirve para todo" not in text.words


def test_scales_without_points_and_labels_have_separate_advice() -> None:
    rng, first, second = ratings()
    off, blurred = rng.normal(0, 0.3, len(first)), rng.normal(0, 0.1, len(first))
    smooth = pd.DataFrame({"system": first + off, "h1": first + blurred, "h2": second})
    assert "judge agreement on points" in text_of(AgreementPanel(), evaluated_ranks(smooth, scale="0:10:0")).words
    names = np.array(["a", "b", "c", "d"])[first.astype(int) % 4]
    labels = evaluated_ranks(pd.DataFrame({"system": names, "h1": np.roll(names, 1)}), scale=None, unordered=True)
    assert "advise against kappa, which depends on how labels are distributed" in text_of(AgreementPanel(), labels)
