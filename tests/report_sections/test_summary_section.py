"""Test the conclusions, charts, and open questions of page one."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from fixtures import cases, evaluation, ruled
from holes import hole
from numpy.typing import NDArray
from simulated import evaluation_of, framed, simulated

import reportgen
from report_sections.packet import PacketSummary
from report_sections.summary import Summary, consequences, remedies, to_know
from reportgen.metrics.reported_scores import required_prmse
from reportgen.results import Chance, Column, Estimate, Evaluation, Row, Table
from reportgen.testing import Prose, text_of
from reportgen.verdicts.judging import judge

CASES = cases()

PACKET = {"card": {}, "missing": [], "fields": 0, "items": 0, "answered": 0, "person": 0, "incomplete": 0,
          "previous": None}  # fmt: skip
"""What a packet without a card adds to the facts."""


def with_estimate(base: Evaluation, key: str, value: float, low: float, high: float) -> Evaluation:
    """Return the evaluation with one headline number changed and checked again."""
    old = base.estimates[key]
    new = replace(old, value=value, low=low, high=high)
    checks = tuple(
        replace(check, estimate=new, outcome=judge(new, check.low, check.high)) if check.estimate == old else check
        for check in base.checks
    )
    return replace(base, estimates={**base.estimates, key: new}, checks=checks)


def brief(found: Evaluation, **options: float) -> Prose:
    return text_of(Summary(**options), found)  # type: ignore[arg-type]


def test_every_question_appears_once_with_the_deciding_requirement() -> None:
    checks = Summary().findings(CASES["full"]).checks
    assert [check.statistic for check in checks] == ["system.qwk", "degradation.qwk", "system.smd", "true_score.prmse",
                                                     "system.dsm"]  # fmt: skip
    assert checks[-1].outcome == "not met"
    assert [check.column for check in checks] == ["", "", "", "", "L1"]


def test_identical_columns_are_checked_before_anything_else() -> None:
    rng = np.random.default_rng(3)
    human = rng.integers(1, 7, (100, 2)).astype(float)
    found = evaluation_of(pd.DataFrame({"engine": human[:, 0], "h1": human[:, 0], "h2": human[:, 1]}))
    values = Summary().findings(found).values
    assert [each["case"] for each in values["remedies"]] == ["columns"]
    assert {check.estimate.low for check in found.checks} == {None}
    page = brief(found)
    assert "“engine” and “h1” are " in page
    assert "name the engine’s column with --system" in page
    assert "Double-score" not in page
    assert "recommend" not in page


def test_a_file_in_which_nothing_can_be_tested_shows_why() -> None:
    scores = pd.DataFrame({"engine": [1.2, 2.4, 2.9, 4.1, 3.3, 2.2], "h1": [1, 2, 3, 4, 3, 3]})
    page = brief(evaluation_of(scores))
    assert "Not yet: nothing could be tested." in page
    assert "Only 6 responses can be used, which is too few." in page
    assert "Some requirements" not in page


def test_one_rater_leaves_questions_open_and_shows_the_remedy() -> None:
    found = brief(CASES["no second human"])
    assert "Have a second person score 1,000 randomly chosen responses" in found
    assert "How well raters agree with each other: there is only one rater." in found
    few = pd.DataFrame({"engine": [1.2, 2.4, 2.9, 4.1, 3.3] * 4, "h1": [1, 2, 3, 4, 3] * 4})
    asked = "Have a second person score all 20 responses: Loukina et al. (2020) recommend 1,000, or 500 if raters agree"
    assert f"{asked} well, so collect and double-score more. With one rating per response" in brief(evaluation_of(few))


def test_more_responses_are_required_if_all_have_two_ratings() -> None:
    scores = pd.DataFrame({"engine": [1.2, 2.4, 2.9, 4.1, 3.3], "h1": [1, 2, 3, 4, 3], "h2": [1, 2, 4, 4, 2]})
    scores = pd.concat([scores] * 4)
    page = brief(evaluation_of(scores))
    assert "Add about 480 randomly chosen responses with two ratings each:" in page
    assert "Have a second person score" not in page


@pytest.mark.parametrize(
    ("value", "low", "high", "sentence"),
    [
        (0.02, -0.02, 0.06, "agrees with raters about as well as raters agree with each other."),
        (0.06, 0.02, 0.10, "at least as well as raters agree"),
        (-0.09, -0.13, -0.05, "is not yet clear"),
        (-0.25, -0.30, -0.20, "clearly less well than raters agree"),
    ],
)
def test_the_reason_claims_no_more_than_the_interval(value: float, low: float, high: float, sentence: str) -> None:
    changed = with_estimate(CASES["no groups"], "degradation.qwk", value=value, low=low, high=high)
    assert sentence in brief(ruled(changed))


@pytest.mark.parametrize(
    ("key", "value", "answer"),
    [
        ("system.smd", 0.3, "No: the engine’s scores are too high."),
        ("system.smd", -0.3, "No: the engine’s scores are too low."),
        ("system.qwk", 0.5, "No: agreement is too low."),
        ("true_score.prmse", 0.5, "No: accuracy is too low."),
    ],
)
def test_unmet_requirements_are_in_the_answer(key: str, value: float, answer: str) -> None:
    changed = with_estimate(CASES["no groups"], key, value=value, low=value - 0.03, high=value + 0.03)
    assert answer in brief(ruled(changed))


def test_one_group_is_named_and_multiple_are_counted() -> None:
    assert "No: the Spanish group is scored too low." in brief(CASES["full"])
    found = brief(CASES["many groups"])
    beyond = sum(check.outcome == "not met" for check in CASES["many groups"].checks)
    assert beyond > 6
    assert f"No: {beyond} groups are scored too low." in found
    assert f"Of 60 groups, {beyond} are beyond the limit" in found


def test_a_planted_bias_is_found() -> None:
    found = evaluation(levels=(("Hindi", 140, 0.0), ("Spanish", 130, 0.0), ("Thai", 130, -0.8)))
    findings = Summary().findings(found)
    assert findings.checks[-1].level == "Thai", "of the groups the one farthest beyond the limit decides"
    beyond = {each["check"].level: each["check"].estimate.value < 0 for each in findings.values["groups"]["beyond"]}
    assert beyond.pop("Thai")
    assert beyond, "if one group sinks, others rise"
    assert not any(beyond.values())
    assert "scores are too low and group differences exceed the limit." in brief(found)


def test_score_points_that_the_engine_overuses_are_found() -> None:
    higher = evaluation(levels=(("all", 1600, 0.3),), groups=())
    for limit, known in ((5.0, True), (20.0, False)):
        assert ("shares" in [each["case"] for each in to_know(higher, limit)]) == known


def test_lists_in_the_brief_are_limited() -> None:
    for case in CASES.values():
        values = Summary().findings(replace(case, warnings=tuple(f"Warning {i}." for i in range(40)))).values
        assert len(values["know"]) <= 3
        assert len(values["know"]) + len(values["also"]) + len(values["remedies"]) <= 18


def test_an_assumed_scale_is_reported() -> None:
    assert "detected from the scores" in brief(CASES["bare"])


def test_an_inconclusive_requirement_shows_what_would_decide_it() -> None:
    chance = Chance(333, "responses", 0.6, 0.21, 233, 233)
    base = CASES["no groups"]
    checks = tuple(
        replace(each, outcome="not yet known", waits_for="responses", assurance=(chance,), cheapest=chance)
        if each.statistic == "system.qwk"
        else each
        for each in base.checks
    )
    found = brief(ruled(replace(base, checks=checks)))
    assert "about 340 responses in total" in found
    assert "Not yet: the evidence on agreement is inconclusive" in found


@pytest.mark.parametrize(("percent", "told"), [(0.3, False), (1.0, True), (7.5, True)])
def test_hardly_any_missing_scores_are_left_to_the_section_on_the_data(percent: float, told: bool) -> None:
    share = Estimate("share", percent, 4812, percent / 2, percent * 2, kind="percent")
    table = Table("data.outputs", "c", (Column("share", "Share", "percent"),), (Row((share,)),))
    base = evaluation()
    found = brief(ruled(replace(base, tables={**base.tables, "data.outputs": table})))
    assert ("no usable score" in found) == told


def test_items_clearly_below_the_limit_are_named_worst_first() -> None:
    human, engine = simulated(3000, error=0.5).human.T
    random = np.random.default_rng(1)
    item = random.integers(0, 9, 3000)
    engine = np.where(item < 5, random.permutation(engine), engine)
    data = pd.DataFrame({"prompt": [f"P{each}" for each in item], "rater": human, "engine": engine, "gender": "f"})
    report = reportgen.evaluate(data, scale="1:6", human="rater", groups=["gender", "prompt"])
    (told,) = (each for each in to_know(report.evaluation, 5.0) if each["case"] == "low_items")
    kappas = {f"P{k}": quadratic_kappa(human[item == k], engine[item == k]) for k in range(9)}
    assert told["items"] == sorted(kappas, key=lambda each: kappas[each])[:5]
    alone = reportgen.evaluate(data, scale="1:6", human="rater", groups=["gender"])
    assert "low_items" not in [each["case"] for each in to_know(alone.evaluation, 5.0)]


@pytest.mark.parametrize("name", CASES)
def test_every_brief_has_a_next_step_and_a_second_rating_comes_after_repairs_but_before_a_new_engine(name: str) -> None:
    steps, failed = ([each["case"] for each in remedies(CASES[name])], {each.outcome for each in CASES[name].checks})
    assert steps or not CASES[name].checks
    if "second_rater" in steps:
        assert (steps[0] == "second_rater") == ("not met" not in failed or "improve" in steps)


def third_rater_as_engine(policy: str) -> Evaluation:
    """Return raters who agree too little, and an engine that agrees with them as well as they do with each other."""
    scores = simulated(300, raters=3, error=0.8)
    frame = framed(scores).assign(engine=scores.human[:, 2]).drop(columns="h3")
    return evaluation_of(frame, system="engine", human=["h1", "h2"], scale="1:6", policy=policy)


def test_a_rescaling_that_lowers_a_failed_agreement_is_advised_only_without_that_requirement() -> None:
    (rescaled,) = (each for each in remedies(third_rater_as_engine("prmse")) if each["case"] == "rescale")
    assert rescaled["qwk_then"] < rescaled["qwk"]
    steps = [each["case"] for each in remedies(third_rater_as_engine("default"))]
    assert "rescale" not in steps
    assert "improve" in steps


def test_raters_who_fail_too_are_in_the_answer_and_come_before_a_change_of_the_engine() -> None:
    page = brief(third_rater_as_engine("default")).words
    assert "as well as raters agree with each other, but the raters themselves do not agree well enough." in page
    assert page.index("Review the rubric and rater training") < page.index("retrain or change it")
    assert "have human raters check" not in page, "no plans for an engine that must change"


def test_items_that_differ_come_first_and_are_in_the_reason() -> None:
    scores, item = simulated(600, error=0.5), np.repeat(["easy", "hard"], 300)
    moved = framed(scores, item=item)
    moved[["h1", "h2", "engine"]] += 5 * (item == "easy")[:, None]
    page = brief(evaluation_of(moved, system="engine", human=["h1", "h2"], item="item", scale="1:11"))
    assert "These results combine 2 items that differ in difficulty, which raises agreement; within items, the" in page
    assert page.words.index("Evaluate each of the 2 items separately") == page.words.index("### Next steps") + len(
        "### Next steps "
    )


def test_agreement_by_chance_is_shown_if_most_labels_are_the_same_but_kappa_is_low() -> None:
    random = np.random.default_rng(1)
    human = (random.random(400) < 0.1).astype(int)
    for wrong, told in ((0.08, True), (0.0, False)):
        engine = np.where(random.random(400) < wrong, 1 - human, human)
        page = brief(evaluation_of(pd.DataFrame({"engine": engine, "h1": human}), system="engine", human="h1"))
        assert ("QWK counts only agreement beyond chance" in page) == told


@pytest.mark.parametrize(("column", "told"), [("form", True), ("first_language", False)])
def test_a_file_whose_only_groups_are_of_tasks_needs_groups_of_people(column: str, told: bool) -> None:
    frame = framed(simulated(400)).assign(**{column: np.repeat(["A", "B"], 200)})
    page = brief(evaluation_of(frame, system="engine", human=["h1", "h2"], groups=[column]))
    assert (f"“{column}” does not group test takers" in page) == ("Both groups are" not in page) == told


def test_an_engine_that_fails_by_its_share_of_the_points_could_score_an_item_with_less() -> None:
    frame = framed(simulated(2000, error=0.3))
    found = evaluation_of(frame, system="engine", human=["h1", "h2"], scale="1:6", groups=[], impact_share=30)
    (step,) = (each for each in remedies(found) if each["case"] == "less_weight")
    assert required_prmse(step["share"] / 100) == pytest.approx(found.estimates["true_score.prmse"].low)
    assert "Check how much the engine changes reported scores" in brief(found)
    assert "Retrain" not in brief(found)


def test_repeated_runs_are_on_page_one() -> None:
    frame = framed(simulated(400)).assign(again=lambda each: each.engine + np.tile([0, 0, 0.8, -0.8], 100))
    page = brief(evaluation_of(frame, system="engine", human=["h1", "h2"], runs=["again"], scale="1:6"))
    assert "This report evaluates one of 2 runs." in page


@pytest.mark.parametrize("name", CASES)
def test_no_case_leaves_a_gap_in_the_words(name: str) -> None:
    assert not [line for line in brief(CASES[name]).lines if hole(line)]


def test_the_packet_names_the_groups_that_do_not_meet_a_requirement_the_farthest_first() -> None:
    base = replace(CASES["many groups"], facts={**CASES["many groups"].facts, "packet": PACKET})
    found = text_of(PacketSummary(), base)
    outside = [check for check in base.checks if check.group and check.outcome == "not met"]
    farthest = max(outside, key=lambda check: abs(check.estimate.value or 0.0))
    assert f"Not met for {farthest.level} (DSM " in found
    assert f"and {len(outside) - 4} more." in found
    hidden = tuple(replace(check, outcome="insufficient") if check.group else check for check in base.checks)
    assert "Not met for" not in text_of(PacketSummary(), ruled(replace(base, checks=hidden)))


def quadratic_kappa(one: NDArray[np.float64], two: NDArray[np.float64]) -> float:
    """Return 1 less the mean squared difference, over that of independent scores with the same means and variances."""
    return float(1 - np.mean((one - two) ** 2) / (one.var() + two.var() + (one.mean() - two.mean()) ** 2))


def test_consequences_with_a_group_beyond_the_limit_count_it_and_all_others() -> None:
    scores, group = simulated(900, 3, error=0.5, noise=0.4), np.repeat(["a", "b", "c"], 300)
    human, second = scores.human.T
    engine = np.clip(np.rint(scores.engine - 0.5 * (group == "b")), 1, 6)
    frame = framed(scores, group=group).assign(engine=engine)
    found = evaluation_of(frame, system="engine", human=["h1", "h2"], groups=["group"], scale="1:6")
    rows = consequences(found)
    parts = [group == "b", group != "b", np.full(900, True)]
    compared = [engine, engine, second]
    assert [row["who"] for row in rows] == ["group", "others", "second_rater"]
    for row, part, score in zip(rows, parts, compared, strict=True):
        moved = np.sign(score - human)[part]
        assert [row[key] for key in ("lower", "same", "higher", "n")] == [
            *((moved == way).sum() for way in (-1, 0, 1)),
            part.sum(),
        ]
    assert rows[0]["share"] == pytest.approx(100 * rows[0]["lower"] / 300)
    assert "% of responses in group b and " in str(brief(found))
