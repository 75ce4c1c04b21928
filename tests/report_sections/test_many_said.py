"""What reports of several runs say, whatever the runs are: a finding, the facts, and no hole."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from holes import hole
from hypothesis import given, settings
from hypothesis import strategies as st

import reportgen
from report_sections.comparison import board
from report_sections.summaries import SummarizeHistory, SummarizeSummary
from reportgen.comparison.compare import summarize_runs
from reportgen.comparison.sharing import decisions_of, sets_of_same_responses
from reportgen.results import Evaluation, Report
from reportgen.runs.model import Run
from reportgen.runs.ours import runs_of_columns
from reportgen.settings import from_keywords
from reportgen.testing import Prose, text_of
from reportgen.wording.vocabulary import english

OF_OTHERS = ("provenance",)


def scores(n: int, kind: str, seed: int = 1) -> pa.Table:
    """Return scores of two engines with ratings, in one of multiple shapes."""
    draw = np.random.default_rng(seed)
    true = draw.normal(3, 1, n)
    top = {"two": 2, "labels": 3}.get(kind, 6)
    human = np.clip(np.rint(true), 1, top)
    second = np.clip(np.rint(true + draw.normal(0, 0.5, n)), 1, top)
    columns: dict[str, Any] = {"id": [f"r{row}" for row in range(n)], "human": human.astype(int)}
    if kind != "one rater":
        columns["human2"] = second.astype(int)
    for name, spread in (("old_engine", 0.8), ("new", 0.3)):
        made = true + draw.normal(0, spread, n)
        columns[name] = np.clip(np.rint(made), 1, top).astype(int) if top < 6 else made.round(3)
    if kind == "labels":
        words = np.array(["", "letter", "note", "poem"])
        columns = {key: (words[each] if key != "id" else each) for key, each in columns.items()}
    groups = {"no groups": 0, "many groups": 25}.get(kind, 2)
    if groups:
        columns["first_language"] = [f"group {row % groups}" for row in range(n)]
    return pa.table({key: pa.array(each) for key, each in columns.items()})


def asked(kind: str) -> dict[str, Any]:
    """Return the settings for the scores."""
    human = ["human"] if kind == "one rater" else ["human", "human2"]
    groups = [] if kind == "no groups" else ["first_language"]
    scale = {"labels": None, "two": "1:2"}.get(kind, "1:6")
    return {"human": human, "groups": groups, "id": "id", **({"scale": scale} if scale else {"unordered": True})}


KINDS = ("usual", "one rater", "no groups", "many groups", "two")
SYSTEMS = ["old_engine", "new"]


def check(report: Report) -> None:
    """Check that every section has a finding, and no line a hole."""
    for section in report.sections:
        assert not section.error, (section.name, section.error)
        if section.name in OF_OTHERS:
            continue
        found = text_of(section, report.evaluation)
        assert found.finding, section.name
        assert found.finding.endswith("."), found.finding
        for line in found.lines:
            if line.startswith("report.show("):
                continue
            assert not hole(line), line
            assert line.strip(" #-") not in ("", "."), line


@pytest.mark.slow
@pytest.mark.parametrize("n", [6, 40])
@pytest.mark.parametrize("kind", KINDS)
def test_comparisons_have_complete_sentences(kind: str, n: int) -> None:
    check(reportgen.compare(scores(n, kind), systems=SYSTEMS, **asked(kind)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*KINDS, "labels"])
def test_summaries_have_complete_sentences(kind: str) -> None:
    check(reportgen.evaluate(scores(60, kind), systems=SYSTEMS, **asked(kind)))


@pytest.mark.slow
@given(st.lists(st.sampled_from(["deploy", "do not deploy", "collect more ratings", "cannot be judged", ""]),
                min_size=1, max_size=25))  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_every_answer_is_counted_once(decisions: list[str]) -> None:
    found = summary_of(decisions)
    heading = found.finding.replace("does not", "do not")
    words = {"deploy": "meet", "do not deploy": "do not", "collect more ratings": "inconclusive", "": "not judged"}
    if len(decisions) > 1:
        assert all(word in heading for code, word in words.items() if code in decisions)
    assert not any(hole(line) for line in found.lines if not line.startswith("report.show"))


def summary_of(decisions: list[str]) -> Prose:
    """Return what a summary says of runs with these decisions and no requirement."""
    evaluation = two_runs()
    made = [
        {"run": f"run {place}", "decision": code, "policy": "default", "checks": [], "here": False, "n": 60}
        for place, code in enumerate(decisions)
    ]
    return text_of(SummarizeSummary(), replace(evaluation, facts={**evaluation.facts, "decisions": made}))


@cache
def two_runs(n: int = 60) -> Evaluation:
    return summarize_runs(runs(n), from_keywords(), {})


def runs(n: int = 60, seed: int = 1) -> list[Run]:
    found, _ = runs_of_columns(scores(n, "usual", seed), SYSTEMS, from_keywords(**asked("usual")))
    return found


def test_one_run_has_a_separate_answer() -> None:
    assert summary_of(["deploy"]).finding == "Yes: all requirements are met."
    found = summary_of(["deploy", "do not deploy", "collect more ratings"]).finding
    assert found == "One of three runs meets its requirements, one does not, and one is inconclusive."
    assert summary_of(["deploy"] * 3).finding == "All three runs meet their requirements."


@pytest.mark.parametrize(("given", "answer"), [
    ("YY", "Both engines meet the policy."), ("YYY", "All three engines meet the policy."),
    ("YN", "Only a meets the policy."), ("YYN", "Two of three meet the policy: a and b."),
    ("N?", "No engine meets the policy yet."), ("NN", "No engine meets the policy."),
    ("--", "Not known: no engine could be judged."),
])  # fmt: skip
def test_a_board_names_the_engines_that_are_ready(given: str, answer: str) -> None:
    codes = {"Y": "deploy", "N": "do not deploy", "?": "collect more ratings", "-": ""}
    decisions = [{"run": run, "decision": codes[each]} for run, each in zip("abc", given, strict=False)]
    assert english().phrases("runs").ready({"drawn": 0}, decisions).replace("“", "").replace("”", "") == answer


def test_a_board_has_every_tested_requirement_of_every_engine() -> None:
    found, decisions = board(two_runs()), two_runs().facts["decisions"]
    tested = {each.statistic for run in decisions for each in run["checks"] if each.outcome != "insufficient"}
    assert {each.statistic for each in found["heads"]} == tested
    assert [group["decision"] for group in found["groups"]] == ["collect more ratings", "do not deploy"]
    for row in (row for group in found["groups"] for row in group["rows"]):
        assert [each.statistic for each in row["cells"]] == [each.statistic for each in found["heads"]]


def test_only_runs_of_the_same_responses_are_ranked() -> None:
    one, other = runs(), [run.named(f"{run.name} again") for run in runs(seed=2)]
    assert [[run.name for run in each] for each in sets_of_same_responses(one)] == [SYSTEMS]
    assert sets_of_same_responses([one[0], other[0]]) == []
    both = sets_of_same_responses([*one, *other])
    assert [[run.name for run in each] for each in both] == [SYSTEMS, [f"{name} again" for name in SYSTEMS]]
    apart = summarize_runs([one[0], other[0]], from_keywords(), {})
    assert "summary.ranking" not in apart.tables
    page = text_of(SummarizeSummary(), apart)
    assert "The two runs do not have the same responses and ratings, so they are not ranked." in page
    assert "with different raters: QWK, r, RMSE, SMD, and engine-minus-human agreement." in page
    assert "Both runs scored the same responses." in text_of(SummarizeSummary(), two_runs())


def test_the_order_of_rows_does_not_change_the_responses() -> None:
    one, two = runs()
    assert two.rows is not None
    assert len(sets_of_same_responses([one, two.of(two.rows.take(np.arange(60)[::-1]))])) == 1


def test_groups_that_another_run_withholds_are_in_no_decision() -> None:
    one, two = runs(60)
    assert {check.level for each in decisions_of([one, two], "default") for check in each["checks"]} >= {"group 0"}
    small = replace(two, min_n=50, _studies=[], _hidden={})
    named = [check.level for each in decisions_of([one, small], "default") for check in each["checks"]]
    assert not [level for level in named if level]


def test_a_summary_without_dates_has_no_history() -> None:
    evaluation = two_runs()
    assert "summary.history" not in evaluation.tables
    assert text_of(SummarizeHistory(), evaluation).finding == "The runs have fewer than two dates."


@pytest.mark.slow
def test_items_and_traits_have_complete_sentences(tmp_path: Path) -> None:
    table = scores(120, "usual")
    items = table.append_column("item", pa.array([f"P{row % 2}" for row in range(120)]))
    check(reportgen.batch(items, tmp_path / "items", by="item", system="new", tables_only=True, **asked("usual")))
    columns = {"id": table["id"], "first_language": table["first_language"]}
    for trait in ("ideas", "voice"):
        columns |= {f"{trait}_human1": table["human"], f"{trait}_human2": table["human2"]}
        columns |= {f"{trait}_system": table["new" if trait == "ideas" else "old_engine"]}
    made = reportgen.evaluate(pa.table(columns), scale="1:6", groups=["first_language"])
    check(made)
