"""Test verdicts on evaluations, fresh and stored: every outcome and the decision."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulated import evaluation_of

import reportgen as api
from reportgen.errors import InputError, SettingsError
from reportgen.policies import Criterion, Policy, load_policy
from reportgen.results import Check, Estimate, Evaluation, Outcome, Verdict
from reportgen.results.group_statistics import Statistics, series_of
from reportgen.storing import results_file
from reportgen.verdicts import again, judged, stored_otherwise, unmet, verdict
from reportgen.verdicts.judging import decision_of
from reportgen.wording.vocabulary import Vocabulary

KEYS = (
    "system.qwk", "system.r", "system.smd", "system.kappa", "system.exact_agreement", "system.rmse", "human.qwk",
    "human.kappa", "degradation.qwk", "degradation.kappa", "true_score.prmse", "disattenuated.r", "system.dsm",
)  # fmt: skip


def said(check: Check) -> str:
    return str(Vocabulary().phrases("decision").check(check))


def frame(n: int = 300, *, noise: float = 0.6, second: bool = True, groups: bool = True) -> pd.DataFrame:
    """Return simulated scores from 1 to 6, a third double-scored, in three groups, one of them small."""
    rng = np.random.default_rng(7)
    true = rng.normal(3.5, 1.1, n)

    def rated(sd: float) -> Any:
        return np.clip(np.rint(true + rng.normal(0, sd, n)), 1, 6)

    columns = {
        "id": [f"r{i}" for i in range(n)],
        "h1": rated(0.5),
        "engine": np.clip(true + rng.normal(0, noise, n), 1, 6),
    }
    if second:
        columns["h2"] = np.where(np.arange(n) % 3 == 0, rated(0.5), np.nan)
    if groups:
        columns["g"] = np.where(np.arange(n) < 5, "tiny", np.where(np.arange(n) % 2, "odd | `x`", "even\n<b>"))
        columns["g.csd"] = np.where(np.arange(n) % 3, "tiny", "most")
    return pd.DataFrame(columns)


@cache
def evaluated(**options: Any) -> Evaluation:
    data = frame(**options)
    return evaluation_of(
        data, system="engine", human=[name for name in ("h1", "h2") if name in data], id="id",
        groups=[name for name in ("g", "g.csd") if name in data], scale="1:6", withhold_small_groups=False,
    )  # fmt: skip


def policy(*criteria: dict[str, Any]) -> Policy:
    return Policy(name="ours", criteria=tuple(Criterion(**each) for each in criteria))


def stored(evaluation: Evaluation) -> Evaluation:
    from reportgen.results import Report

    return results_file.loads(results_file.dumps(Report("t", "", "2026-01-01", evaluation, ()))).evaluation


CRITERIA = st.fixed_dictionaries(
    {"statistic": st.sampled_from(KEYS), "low": st.floats(0, 1), "strict": st.booleans()},
    optional={
        "score_type": st.sampled_from(("given", "trimmed", "rounded", "raw_trim", "scale_trim")),
        "by": st.sampled_from(("interval", "estimate", "lower", "upper")),
    },
).map(lambda criterion: possible(criterion))


def possible(criterion: dict[str, Any]) -> dict[str, Any]:
    """Return a criterion with a bound in the range of its statistic, which may be a percentage."""
    percent = criterion["statistic"].endswith("agreement")
    return {**criterion, "low": 2 + 90 * criterion["low"]} if percent else criterion


@given(st.lists(CRITERIA, min_size=1, max_size=5), st.booleans())
def test_stored_evaluation_gives_same_verdict(criteria: list[dict[str, Any]], groups: bool) -> None:
    fresh = evaluated()
    asked = policy(*({**each, "groups": groups or each["statistic"] == "system.dsm"} for each in criteria))
    found = verdict(fresh, asked)
    assert verdict(stored_once(), asked) == found
    kept = stored(judged(fresh, asked))
    assert kept.ruling is not None
    assert again(kept, kept.ruling) == found


@cache
def stored_once() -> Evaluation:
    return stored(evaluated())


@pytest.mark.parametrize("path", ["default", "./ours.toml"])
def test_edited_verdict_is_replaced_with_note(path: str) -> None:
    """Outcomes, sentences and estimates of criteria, and the decision, follow from the statistics alone."""
    fresh = evaluated()
    honest = replace(fresh, settings={"verdict": {"policy": path}})
    assert honest.ruling is not None
    assert again(honest, honest.ruling) == fresh.verdict
    assert stored_otherwise(honest, again(honest, honest.ruling)) == ""
    edited = replace(
        honest,
        ruling=replace(honest.ruling, decision="deploy"),
        checks=tuple(
            replace(each, outcome="met", estimate=Estimate("qwk", 0.99, 900, 0.98, 1.0)) for each in honest.checks
        ),
    )
    assert edited.ruling is not None
    found = again(edited, edited.ruling)
    assert fresh.verdict is not None
    assert found.decision == fresh.verdict.decision != "deploy"
    assert [each.outcome for each in found.checks] == [each.outcome for each in fresh.checks]
    assert "the file contains “deploy”, but its own statistics give" in stored_otherwise(edited, found)


def test_evaluation_has_verdict_of_policy() -> None:
    found = evaluated()
    assert found.verdict == verdict(found, load_policy("default"))
    assert stored_once().verdict == found.verdict
    assert found.checks == verdict(found, load_policy("default")).checks


def test_statistics_match_report_estimates() -> None:
    """Headline numbers and group tables, computed separately, contain the same estimates."""
    found = evaluated()
    held = Statistics(found.statistics)
    compared = 0
    for key, estimate in found.estimates.items():
        on_points = key.endswith(("kappa", "agreement", "scored_lower", "scored_higher")) and "quad" not in key
        kept = held.one(key, "raw_trim_round" if on_points else "raw_trim")
        if kept is not None:
            assert kept == estimate, key
            compared += 1
    assert compared > 20
    for column in found.groups:
        for row in found.tables[f"by_group.{column}"].rows[1:]:
            cells = dict(zip((each.key for each in found.tables[f"by_group.{column}"].columns), row.cells, strict=True))
            for metric in ("qwk", "dsm", "rmse"):
                assert held.one(f"system.{metric}", "raw_trim", column, str(row.cells[0])) == cells[metric]


def test_packed_results_keep_estimates() -> None:
    estimates = [
        Estimate("qwk", 0.5, 10, 0.4, 0.6, 0.05, 0.9, "jackknife"),
        Estimate("qwk", None, 1, level=0.9, reason="only one response"),
        Estimate("qwk", 0.7, 2, level=0.9, method="Fieller", interval_reason="too few"),
    ]
    from reportgen.results import GroupStatistics

    series = series_of("system.qwk", "raw", "system", estimates, (10, 1, 2))
    assert series.n == ()
    group = GroupStatistics("g", ("a", "b", "c"), {"system": (10, 1, 2)}, (series,))
    assert [each.estimate for each in Statistics((group,)).levels("system.qwk", "raw", "g")] == estimates
    with pytest.raises(ValueError, match="one metric"):
        series_of("system.qwk", "raw", "system", [estimates[0], Estimate("r", 0.5, 10, level=0.9)])


def test_every_outcome_has_sentence_and_source() -> None:
    found = evaluated().verdict
    assert found is not None
    assert {each.outcome for each in found.checks} >= {"met", "insufficient"}
    for each in found.checks:
        assert said(each).endswith(".")
        assert Vocabulary().check_name(each) in said(each)
        assert each.source
    small = next(each for each in found.checks if each.level == "tiny" and each.column == "g")
    assert small.outcome == "insufficient"
    assert "not tested, because 5 responses are too few" in said(small)


def test_confusable_group_names_stay_separate() -> None:
    found = evaluated().verdict
    assert found is not None
    seen = {(each.column, each.level): each.estimate.n for each in found.checks if each.column}
    assert seen[("g", "tiny")] == 5
    assert seen[("g.csd", "tiny")] == 200
    assert len(seen) == 5


def test_marked_rows_match_verdict() -> None:
    data = frame()
    data.loc[data["g.csd"] == "most", "engine"] += 0.6
    report = api.evaluate(data, system="engine", human=["h1", "h2"], id="id", groups=["g", "g.csd"], scale="1:6")
    outside = {(each.column, each.level) for each in report.evaluation.checks if each.outcome == "not met"}
    marked = {
        (column, row.cells[0])
        for column in ("g", "g.csd")
        for row in report.evaluation.tables[f"by_group.{column}"].rows
        if row.mark == "flagged"
    }
    assert ("g.csd", "most") in outside
    assert marked == {pair for pair in outside if pair[0]}


def test_one_rater_makes_agreement_criteria_insufficient() -> None:
    found = evaluated(second=False).verdict
    assert found is not None
    open_ = {each.statistic for each in found.of("insufficient") if not each.column}
    assert open_ == {"degradation.qwk", "degradation.r", "true_score.prmse"}
    assert all(each.waits_for == "double-scored responses" for each in found.of("insufficient") if not each.column)
    assert "not tested" in found.sentence


def test_missing_groups_never_pass() -> None:
    found = verdict(evaluated(groups=False), policy({"statistic": "system.dsm", "groups": True, "low": -9}))
    assert [each.outcome for each in found.checks] == ["insufficient"]
    assert "no group column" in said(found.checks[0])
    assert found.decision == "cannot be judged"
    named = verdict(evaluated(), policy({"statistic": "system.qwk", "groups": ["country"], "low": -1}))
    assert named.checks[0].outcome == "insufficient"
    assert "no group column “country”" in said(named.checks[0])


def test_missing_score_type_never_passes() -> None:
    found = verdict(evaluated(), policy({"statistic": "system.qwk", "score_type": "scale_trim", "low": -1}))
    assert found.checks[0].outcome == "insufficient"
    assert "no form “scale_trim” of the score" in said(found.checks[0])


def test_point_statistics_use_rounded_score_by_default() -> None:
    found = verdict(evaluated(), policy({"statistic": "system.exact_agreement", "low": 0}))
    assert found.checks[0].score_type == "raw_trim_round"
    told = verdict(evaluated(), policy({"statistic": "system.exact_agreement", "low": 0, "score_type": "trimmed"}))
    assert told.checks[0].outcome == "insufficient"
    assert "the scores are continuous" in said(told.checks[0])


@pytest.mark.parametrize(
    ("criterion", "sentence"),
    [
        ({"statistic": "panel.kapa", "low": 0}, "did you mean 'panel.kappa'"),
        ({"statistic": "system.dsm", "low": 0}, "add groups = true"),
        (
            {"statistic": "system.qwk", "low": 0, "score_type": "roundd"},
            "unknown score type 'roundd'; did you mean 'rounded'",
        ),
        ({"statistic": "system.qwk", "low": 0, "score_type": "raw_trm"}, "did you mean 'raw_trim'"),
        ({"statistic": "system.qwk", "low": 0, "groups": ["gg"]}, "no group column 'gg'; did you mean 'g'"),
        ({"statistic": "system.qwk", "low": 0, "groups": ["g", "G.CSD"]}, "did you mean 'g.csd'"),
    ],
)
def test_unknown_names_raise(criterion: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingsError, match=sentence):
        verdict(evaluated(), policy(criterion))


@pytest.mark.parametrize("kind", ["comparison", "summary"])
def test_check_rejects_reports_of_several_runs(kind: Any) -> None:
    with pytest.raises(InputError, match=f"{kind} of multiple runs"):
        verdict(replace(evaluated(), kind=kind), load_policy("default"))


def test_check_rejects_results_without_statistics() -> None:
    with pytest.raises(InputError, match="do not contain the statistics"):
        verdict(replace(evaluated(), statistics=()), load_policy("default"))


def made(*outcomes: Outcome, waits_for: Any = "") -> tuple[Check, ...]:
    return tuple(Check("x", Estimate("qwk", 0.5, 9), outcome, waits_for=waits_for) for outcome in outcomes)


@pytest.mark.parametrize(
    ("outcomes", "waits_for", "decision"),
    [
        (("met", "met"), "", "deploy"),
        (("met", "not met", "not yet known"), "", "do not deploy"),
        (("met", "not yet known"), "", "collect more ratings"),
        (("met", "not yet known"), "responses", "collect more ratings"),
        (("insufficient", "not yet known"), "responses", "collect more ratings"),
        (("met", "insufficient"), "responses", "collect more ratings"),
        (("met", "insufficient"), "", "cannot be judged"),
        (("insufficient",), "", "cannot be judged"),
    ],
)
def test_decision_for_combinations_of_outcomes(outcomes: tuple[Outcome, ...], waits_for: Any, decision: str) -> None:
    assert decision_of(made(*outcomes, waits_for=waits_for)) == decision


def test_answer_for_each_decision() -> None:
    open_ = made("met", "not yet known", waits_for="responses")
    answer = Vocabulary().phrases("decision").answer
    assert answer(Verdict("p", "", decision_of(open_), checks=open_)).startswith("Not yet: ")
    assert answer(Verdict("p", "", "deploy", checks=made("met"))).endswith("accuracy, or fairness.")
    assert answer(Verdict("p", "", "do not deploy", checks=made("not met"))).startswith("No: ")
    part = Verdict("p", "", "deploy", checks=made("met"), scope={"engine": 70.0, "people": 20.0})
    of = "an engine score (70.0% of those with a human score) and apply to responses like the 20.0% that people scored"
    assert answer(part).endswith(f"accuracy, or fairness. These results cover only the responses with {of}.")


@given(st.lists(st.sampled_from(("met", "not met", "not yet known", "insufficient")), min_size=1, max_size=6))
def test_gate_agrees_with_decision(outcomes: list[Outcome]) -> None:
    from reportgen.results import Verdict

    checks = made(*outcomes)
    found = Verdict("p", "", decision_of(checks), checks=tuple(checks))
    assert found.passes() == (found.decision != "do not deploy" and {*outcomes} != {"insufficient"})
    assert found.passes(strict=True) == (found.decision == "deploy")


def test_withheld_groups_are_insufficient() -> None:
    found = evaluated()
    hidden = replace(found, facts={**found.facts, "groups_withheld": {"h": ("few",)}})
    checks = verdict(hidden, policy({"statistic": "system.dsm", "groups": True, "low": -9})).checks
    assert [(each.column, each.level, each.outcome) for each in checks][-1] == ("h", "few", "insufficient")
    assert checks[-1].estimate.n == 0
    assert "its results could reveal those of a small group" in said(checks[-1])


def test_python_check_accepts_every_input(tmp_path: Path) -> None:
    data = frame(120)
    report = api.evaluate(
        data, tmp_path / "out", system="engine", human=["h1", "h2"], id="id", formats=[], policy="prmse"
    )
    assert report.verdict is not None
    assert report.verdict.policy == "prmse"
    for source in (report, tmp_path / "out", str(tmp_path / "out" / "results.json")):
        assert api.check(source) == report.verdict
    assert api.check(report, "williamson-2012") == verdict(report.evaluation, load_policy("williamson-2012"))
    own = policy({"statistic": "system.qwk", "low": -1, "by": "estimate"})
    assert api.check(tmp_path / "out", own).decision == "deploy"
    (tmp_path / "own.json").write_text(own.model_dump_json(), encoding="utf-8")
    assert api.check(report, tmp_path / "own.json") == api.check(report, own)


def documented() -> Policy:
    """Return the built-in policy on differences at equal true score."""
    return load_policy("fairness")


def test_policy_accepts_difference_given_true_score() -> None:
    data = frame(600).assign(g=np.where(np.arange(600) % 4, "many", "few"))
    data["engine"] += np.where(data["g"] == "few", 0.6, 0.0)  # groups differ in treatment, not in ability
    found = evaluation_of(
        data, system="engine", human=["h1", "h2"], id="id", groups=["g"], scale="1:6", withhold_small_groups=False
    )
    told = verdict(stored(found), documented())
    assert told == verdict(found, documented())
    (check,) = told.checks
    assert (check.column, check.level, check.outcome) == ("g", "few", "not met")
    assert check.estimate == found.tables["fairness.given_true_score.g"].row("few")["standardized"]
    assert told.decision == "do not deploy"


def test_difference_given_true_score_needs_second_rater() -> None:
    checks = verdict(evaluated(second=False), documented()).checks
    assert {check.outcome for check in checks} == {"insufficient"}
    assert all(check.estimate.reason for check in checks)


def test_difference_given_true_score_needs_groups() -> None:
    with pytest.raises(SettingsError, match="compares groups"):
        verdict(evaluated(), policy({"statistic": "true_score.group_difference", "high": 0.1}))


def test_prmse_without_true_variance_is_insufficient() -> None:
    """If raters contradict each other, the true-score variance is negative, and PRMSE is undefined."""
    scores = frame(200, groups=False)
    scores["h2"] = 7 - scores["h1"]
    made = api.evaluate(scores, system="engine", human=["h1", "h2"], scale="1:6")
    held = [each for each in made.verdict.checks if each.statistic == "true_score.prmse"] if made.verdict else []
    assert [(each.outcome, each.estimate.value) for each in held] == [("insufficient", None)]
    assert "0 or less" in held[0].estimate.reason
    estimates = made.evaluation.estimates
    assert all(estimates[f"true_score.prmse_of_ratings_{k}"].value is None for k in (1, 2, 3))


@pytest.mark.parametrize(
    ("key", "spoilt", "said"),
    [
        ("min_n_per_group", "ten", "whole number"),
        ("min_n_by_group", [1], "min_n_by_group"),
        ("groups_withheld", {"sex": 5}, "groups_withheld"),
    ],
)
def test_damaged_facts_raise(key: str, spoilt: Any, said: str) -> None:
    evaluation = evaluated()
    with pytest.raises(InputError, match=said):
        verdict(replace(evaluation, facts={**evaluation.facts, key: spoilt}), load_policy("default"))


def test_columns_of_unequal_length_raise() -> None:
    evaluation = evaluated()
    first = evaluation.statistics[0]
    cut = replace(first, series=tuple(replace(series, low=()) for series in first.series))
    with pytest.raises(InputError, match="0 numbers for 1 levels"):
        verdict(replace(evaluation, statistics=(cut, *evaluation.statistics[1:])), load_policy("default"))


def test_verdict_uses_labels_if_statistics_repeat() -> None:
    estimate = Estimate("exact_agreement", 48.1, 500, 45.0, 51.0, kind="percent")
    checks = [
        Check("Exact agreement, floor", estimate, "met", 40.0, abbreviation="exact"),
        Check("Exact agreement, goal", estimate, "not met", 60.0, abbreviation="exact"),
        Check("Kappa", estimate, "not met", abbreviation="kappa"),
    ]
    told = Vocabulary().phrases("decision").verdict(Verdict("p", "", "do not deploy", checks=tuple(checks)))
    assert "2 not met: exact and kappa" in told
    assert Vocabulary().say(unmet(checks)) == "not met: Exact agreement, goal, kappa"
