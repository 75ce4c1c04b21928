"""The first page: what it concludes, shows and leaves open."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from fixtures import cases, evaluation, judged
from numpy.typing import NDArray

import reportgen
from report_sections.packet_summary import PacketSummary
from report_sections.summary import Summary
from reportgen.results import Column, Estimate, Evaluation, Row, Table

CASES = cases()

PACKET = {"card": {}, "missing": [], "fields": 0, "items": 0, "automatic": 0, "person": 0, "incomplete": 0,
          "previous": None}  # fmt: skip
"""What a packet without a card adds to the facts."""


def with_estimate(base: Evaluation, key: str, value: float, low: float, high: float) -> Evaluation:
    """Return the evaluation with one headline number changed, and its check judged anew."""
    old = base.estimates[key]
    new = replace(old, value=value, low=low, high=high)
    checks = tuple(
        replace(check, estimate=new, outcome=judged(new, check.low, check.high)) if check.estimate == old else check
        for check in base.checks
    )
    return replace(base, estimates={**base.estimates, key: new}, checks=checks)


def test_the_five_numbers_in_order() -> None:
    labels = [check.abbreviation for check in Summary().findings(CASES["full"]).checks]
    assert labels == ["QWK", "r", "SMD", "PRMSE", "DSM"]


def test_a_missing_number_is_replaced_by_the_next_useful_one_and_its_absence_explained() -> None:
    findings = Summary().findings(CASES["no second human"])
    assert [check.label for check in findings.checks][-1] == "Exact agreement"
    assert any("PRMSE" in unknown.text and "1,000 responses" in unknown.text for unknown in findings.unknowns)


def test_the_largest_group_difference_is_among_groups_large_enough() -> None:
    largest = Summary().findings(CASES["full"]).checks[-1]
    assert largest.group == "L1: Spanish", "Urdu differs more, on 50 responses"
    assert largest.estimate.value == -0.19


def test_undefined_numbers_are_not_shown_and_their_reason_is_said() -> None:
    findings = Summary().findings(CASES["undefined"])
    assert findings.checks == ()
    said = [unknown.text for unknown in findings.unknowns if "all engine scores are equal" in unknown.text]
    assert len(said) == 1, "criteria with the same reason stand together"
    assert said[0].startswith("QWK, r, SMD, PRMSE")
    assert "the 4 groups of L1 cannot be judged" in findings.headline


@pytest.mark.parametrize(
    ("value", "low", "high", "said"),
    [
        (0.02, -0.02, 0.06, "about as well as raters agree"),
        (0.06, 0.02, 0.10, "more closely than raters agree"),
        (-0.09, -0.13, -0.05, "cannot yet be said"),
        (-0.25, -0.30, -0.20, "less well than raters agree"),
    ],
)
def test_the_conclusion_claims_no_more_than_the_interval(value: float, low: float, high: float, said: str) -> None:
    changed = with_estimate(CASES["full"], "degradation.qwk", value=value, low=low, high=high)
    assert said in Summary().findings(changed).headline


def test_a_criterion_that_is_not_met_stands_in_the_conclusion_and_first_among_what_stands_out() -> None:
    changed = with_estimate(CASES["full"], "system.smd", value=0.3, low=0.25, high=0.35)
    findings = Summary().findings(changed)
    assert findings.headline.startswith("The criterion for SMD is not met")
    overall = [each for each in findings.highlights if not each.target.startswith("by_group")]
    assert "Standardized mean difference" in overall[0].text
    assert overall[0].target == "system_human.descriptives"


def test_criteria_on_all_responses_stand_before_groups_and_none_that_is_not_met_is_left_out() -> None:
    base = CASES["many groups"]
    for key in ("degradation.qwk", "system.qwk", "system.r"):
        base = with_estimate(base, key, value=-0.4, low=-0.45, high=-0.35)
    findings = Summary().findings(base)
    missed = [check for check in base.checks if not check.group and check.outcome == "not met"]
    assert len(missed) >= 3
    for check in missed:
        assert check.abbreviation in findings.headline.partition(" not met")[0]
    places = [each.target.startswith("by_group") for each in findings.highlights]
    assert places.index(True) >= len(missed)
    assert not any(places[: len(missed)])


def test_the_packet_names_the_groups_that_do_not_meet_a_criterion_the_farthest_first() -> None:
    base = replace(CASES["many groups"], facts={**CASES["many groups"].facts, "packet": PACKET})
    (said,) = [text for text in PacketSummary().findings(base).paragraphs if text.startswith("Not met for")]
    outside = [check for check in base.checks if check.group and check.outcome == "not met"]
    farthest = max(outside, key=lambda check: abs(check.estimate.value or 0.0))
    assert said.startswith(f"Not met for {farthest.group} (DSM ")
    assert said.endswith(f"and {len(outside) - 4} more.")
    hidden = tuple(replace(check, outcome="insufficient") if check.group else check for check in base.checks)
    assert "Not met" not in " ".join(PacketSummary().findings(replace(base, checks=hidden)).paragraphs)


def test_groups_outside_the_limit_are_named_in_the_conclusion_and_first_among_what_stands_out() -> None:
    findings = Summary().findings(CASES["many groups"])
    first, _, _ = findings.headline.partition(". On ")
    assert first.startswith("Outside the limit lie school: School 0 (DSM")
    assert first.endswith("and 27 more")
    assert findings.highlights[0].target == "by_group.school"


def test_groups_are_named_worst_first_and_the_rest_counted() -> None:
    findings = Summary().findings(CASES["many groups"])
    named = [highlight for highlight in findings.highlights if highlight.target == "by_group.school"]
    assert "School 0" in named[0].text
    assert "School 1" in named[1].text
    assert any("25 more groups" in highlight.text for highlight in findings.highlights)


def test_how_many_of_how_many_and_that_some_stray_by_chance() -> None:
    findings = Summary().findings(CASES["many groups"])
    assert "60 groups of school compared: 29 outside" in findings.notes[0]
    assert "by chance" in findings.notes[0]


def test_score_points_that_engine_and_raters_use_differently_stand_out() -> None:
    texts = [highlight.text for highlight in Summary().findings(CASES["full"]).highlights]
    assert any("more than 5 percentage points at 3 (+6.5)" in text for text in texts)
    assert not any("+6.5" in highlight.text for highlight in Summary(flag_share=7).findings(CASES["full"]).highlights)


def test_lists_on_the_first_page_have_an_end() -> None:
    for case in CASES.values():
        findings = Summary().findings(replace(case, warnings=tuple(f"Warning {i}." for i in range(40))))
        assert len(findings.highlights) + len(findings.unknowns) <= 18


def test_an_assumed_scale_is_said() -> None:
    said = [highlight.text for highlight in Summary().findings(evaluation(assumed=True)).highlights]
    assert any("not declared" in text for text in said)


def test_an_undecided_criterion_says_what_would_settle_it() -> None:
    base = CASES["full"]
    checks = tuple(
        replace(each, more=333, more_of="double-scored responses") if each.outcome == "not yet known" else each
        for each in base.checks
    )
    unknowns = Summary().findings(replace(base, checks=checks)).unknowns
    assert "about 340 further double-scored responses would settle it if the estimate stays" in unknowns[0].text
    assert "0.71 [0.69, 0.73]" in unknowns[0].text


@pytest.mark.parametrize(("percent", "said"), [(0.3, False), (1.0, True), (7.5, True)])
def test_hardly_any_missing_scores_are_left_to_the_section_on_the_data(percent: float, said: bool) -> None:
    share = Estimate("share", percent, 4812, percent / 2, percent * 2, kind="percent")
    table = Table("data.outputs", "c", (Column("share", "Share", "percent"),), (Row((share,)),))
    base = evaluation()
    told = Summary().findings(replace(base, tables={**base.tables, "data.outputs": table})).highlights
    assert any("no score that can be read" in each.text for each in told) == said


def test_items_clearly_below_the_bound_are_named_worst_first() -> None:
    random = np.random.default_rng(1)
    item, true = random.integers(0, 9, 3000), random.normal(3.5, 1, 3000)
    human, engine = (np.clip(np.rint(true + random.normal(0, 0.5, 3000)), 1, 6) for _ in range(2))
    engine = np.where(item < 5, random.permutation(engine), engine)
    data = pd.DataFrame({"prompt": [f"P{each}" for each in item], "rater": human, "engine": engine, "gender": "f"})
    report = reportgen.evaluate(data, scale="1:6", human="rater", groups=["gender", "prompt"])
    (told,) = (each.text for each in report.sections[0].findings.highlights if "By themselves" in each.text)
    kappas = {f"P{k}": quadratic_kappa(human[item == k], engine[item == k]) for k in range(9)}
    worst = sorted(kappas, key=lambda each: kappas[each])[:4]
    assert "5 items lie outside the bound on QWK of all responses (at least 0.70)" in told
    places = [told.index(each) for each in worst]
    assert places == sorted(places)
    assert "and 1 more" in told
    assert not any(f"P{k}" in told for k in range(5, 9))
    alone = reportgen.evaluate(data, scale="1:6", human="rater", groups=["gender"])
    assert not any("By themselves" in each.text for each in alone.sections[0].findings.highlights)


def quadratic_kappa(one: NDArray[np.float64], two: NDArray[np.float64]) -> float:
    """Return 1 less the mean squared difference, over that of independent scores with the same means and variances."""
    return float(1 - np.mean((one - two) ** 2) / (one.var() + two.var() + (one.mean() - two.mean()) ** 2))
