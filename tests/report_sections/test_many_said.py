"""What reports of runs and of studies say: a finding first, the facts, and whole sentences."""

import re
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
from simulated import simulated

import reportgen
from report_sections import study_sections
from report_sections.comparison import board
from report_sections.summaries import SummarizeHistory, SummarizeSummary
from reportgen.comparison.compare import summarize_runs
from reportgen.comparison.sharing import decisions_of, sets_of_same_responses
from reportgen.rendering.notebook import first_finding
from reportgen.results import Check, Estimate, Evaluation, Report, Row
from reportgen.results.term import Term
from reportgen.runs.model import Run
from reportgen.runs.ours import runs_of_columns
from reportgen.settings import from_keywords
from reportgen.testing import Prose, text_of
from reportgen.verdicts.bench import OF_WEIGHT
from reportgen.wording.vocabulary import Vocabulary, english

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
    ("YY", "Both engines meet every requirement."), ("YYY", "All three engines meet every requirement."),
    ("YN", "Only a meets every requirement."), ("YYN", "Two of three meet every requirement: a and b."),
    ("N?", "No engine meets every requirement yet."), ("NN", "No engine meets every requirement."),
    ("--", "Not known: no engine could be judged."),
])  # fmt: skip
def test_a_board_names_the_engines_that_are_ready(given: str, answer: str) -> None:
    codes = {"Y": "deploy", "N": "do not deploy", "?": "collect more ratings", "-": ""}
    decisions = [{"run": run, "decision": codes[each]} for run, each in zip("abc", given, strict=False)]
    assert english().phrases("runs").ready({"drawn": 0}, decisions).replace("“", "").replace("”", "") == answer


def test_a_share_of_the_points_explains_why_accuracy_is_too_low() -> None:
    short = Check("PRMSE", Estimate("prmse", 0.85, 400, 0.8, 0.9), "not met", low=0.996, statistic="true_score.prmse")
    usual = {"run": "a", "decision": "do not deploy", "checks": [short], "share": None}
    raised = usual | {"run": "b", "checks": [replace(short, source=OF_WEIGHT)], "share": 38.5}
    said = english().phrases("runs").ruled_out([usual, raised, {"run": "c", "decision": "deploy", "checks": []}])
    assert "“a” (accuracy is too low)" in said
    assert "“b” (accuracy is too low for an item worth 38.5% of the points)" in said


def test_a_board_has_every_tested_requirement_of_every_engine() -> None:
    found, decisions = board(two_runs()), two_runs().facts["decisions"]
    tested = {each.statistic for run in decisions for each in run["checks"] if each.outcome != "insufficient"}
    assert {each.statistic for each in found["heads"]} == tested
    assert [group["decision"] for group in found["groups"]] == ["do not deploy", "collect more ratings"]
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


SMALL: dict[str, dict[str, Any]] = {
    "prmse-stability": {
        "responses": 300, "raters": 6, "pairs": 5, "systems": 2, "double_scored": (50, 300), "mean": 3.5,
    },
    "agreement-robustness": {"responses": 200, "replicates": 2},
    "rating-completion": {"draws": 2, "missing": (0.1, 0.3)},
    "score-impact": {"responses": 900, "double_scored": 200, "scoring": "summed"},
}  # fmt: skip
ONE = {"agreement": (0.6,), "accuracy": (0.8,)}


@cache
def made(name: str, *options: tuple[str, Any]) -> Report:
    return reportgen.study(name, **(SMALL[name] | dict(options)))


def check_study(report: Report) -> list[Prose]:
    """Check that no text, table or chart has a hole; return what the sections show."""
    words, found = Vocabulary(), []
    for section in report.sections:
        if section.name == "provenance":
            continue
        assert not section.error, (section.name, section.error)
        assert (section.findings.headline, section.findings.notes) == ("", ())
        text = text_of(section, report.evaluation)
        found.append(text)
        for line in text.lines:
            if line.startswith("report.show("):
                continue
            assert not hole(line), line
        for table in section.findings.tables:
            shown = words.table(table)
            assert all(column.label for column in shown.columns), table.key
            texts = [cell for cell in cells(shown.rows) if not re.fullmatch(r"[−+]?[\d.,]+", cell)]
            assert not any("_" in text or ("." in text[:-1] and " " not in text) for text in texts)
            assert shown.caption or "title" in text.words
        for chart in section.findings.charts:
            assert words.say(chart.alt).endswith((".", ". ")), chart.key
    heading = first_finding(report)
    assert heading.endswith("."), heading
    assert heading in found[0].text
    return found


def cells(rows: tuple[Row, ...]) -> list[str]:
    return [cell for row in rows for cell in row.cells if isinstance(cell, str) and not cell.startswith("r = ")
            and not cell.startswith("R² = ")]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("prmse-stability", {}),
        ("prmse-stability", {**ONE, "studied": 0.8}),
        ("prmse-stability", {"agreement": (0.3, 0.9), "replicates": 3, "streams": "fresh"}),
        ("prmse-stability", {"half_width": 0.001}),
        ("agreement-robustness", {}),
        ("rating-completion", {}),
        ("score-impact", {}),
        ("score-impact", {"cuts": (60.0, 80.0), "slope": 2.0, "intercept": 1.0, "low": 0, "high": 300}),
    ],
)
def test_studies_have_complete_sentences(name: str, options: dict[str, Any]) -> None:
    check_study(made(name, *options.items()))


def file_of_ratings(folder: Path, systems: int = 0) -> Path:
    scores = simulated(80, 4, 3, mean=3, ends=(1, 5))
    ratings, rng = scores.human.astype(int).astype(str), scores.rng
    ratings[rng.random(ratings.shape) < 0.2] = ""
    head = ["id", "r1", "r2", "r3", *(["system"] if systems else [])]
    rows = [[f"e{k}", *line, *([f"S{k % systems}"] if systems else [])] for k, line in enumerate(ratings)]
    file = folder / "ratings.csv"
    file.write_text("\n".join(",".join(row) for row in [head, *rows]) + "\n")
    return file


@pytest.mark.parametrize("systems", [0, 3])
def test_completed_files_are_described_in_complete_sentences(tmp_path: Path, systems: int) -> None:
    file = file_of_ratings(tmp_path, systems)
    options: dict[str, Any] = {"systems": "system"} if systems else {}
    report = reportgen.study("rating-completion", file=file, draws=2, missing=(0.1,), score_scale="1:5", **options)
    first = check_study(report)[0]
    assert ("pairs of engines" in first) is bool(systems)
    assert "Your file has 80 responses and 3 raters" in first


@pytest.mark.slow
def test_custom_scores_are_described_in_complete_sentences(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    human = rng.integers(1, 6, 60)
    lines = [f"{h},{np.clip(h + rng.integers(-1, 2), 1, 5)}" for h in human]
    (tmp_path / "s.csv").write_text("human,engine\n" + "\n".join(lines) + "\n")
    report = reportgen.study("agreement-robustness", file=tmp_path / "s.csv", replicates=2, score_scale="1:5")
    assert check_study(report)[0].finding.startswith("When only the spread of human scores changes, ")


def test_published_numbers_are_shown_only_for_the_published_design() -> None:
    assert text_of(study_sections.StudyPublished(), made("prmse-stability").evaluation).text.strip() == ""


@given(agreeing=st.integers(0, 4), differing=st.integers(0, 7), beside=st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_published_numbers_are_counted(agreeing: int, differing: int, beside: int) -> None:
    found = made("agreement-robustness").evaluation
    table = found.tables["study.published"]
    place = [column.key for column in table.columns].index("agrees")
    cells_ = table.rows[0].cells
    rows = tuple(
        Row((*cells_[:place], Term(answer), *cells_[place + 1 :]))
        for answer in ["yes"] * agreeing + ["no"] * differing + ["stand_in"] * beside
    )
    if not rows:
        return
    text = text_of(
        study_sections.StudyPublished(), replace(found, tables={**found.tables, table.key: replace(table, rows=rows)})
    )
    n = agreeing + differing
    if not n:
        assert "published numbers were reproduced" not in text.words
    elif n == agreeing and n > 1:
        assert f"All {n} published numbers were reproduced." in text
    else:
        assert f"{agreeing} of {n} published number" in text
    assert ("; 3 more." in text) is (differing == 7)
    assert ("come from data" in text or "comes from data" in text) is (beside > 0)


@given(steady=st.lists(st.booleans(), min_size=10, max_size=10))
@settings(max_examples=40, deadline=None)
def test_coefficients_that_keep_steady_are_named(steady: list[bool]) -> None:
    found = made("agreement-robustness").evaluation
    table = found.tables["study.movement"]
    rows = tuple(
        Row((row.cells[0], *(0.01 if still else 0.2 for _ in row.cells[1:])))
        for row, still in zip(table.rows, steady, strict=True)
    )
    changed = replace(found, tables={**found.tables, table.key: replace(table, rows=rows)})
    text = text_of(study_sections.StudyAgreementRobustness(), changed).finding
    if all(steady):
        assert "no coefficient moves by more than 0.01" in text
    elif not any(steady):
        assert "every coefficient moves" in text
    else:
        assert " by at most 0.01; " in text


@given(st.lists(st.one_of(st.none(), st.floats(20, 9000)), min_size=1, max_size=5))
@settings(max_examples=40, deadline=None)
def test_insufficient_double_scores_are_reported_as_more(needed: list[float | None]) -> None:
    found = made("prmse-stability").evaluation
    names = [f"r = {0.3 + place / 10:.2f}" for place in range(len(needed))]
    facts = {**found.facts, "agreement": {name: 0.3 + place / 10 for place, name in enumerate(names)},
             **{key: dict(zip(names, needed, strict=True)) for key in ("needed", "needed_alone")}}  # fmt: skip
    text = text_of(study_sections.StudyPrmseDoubleScoring(), replace(found, facts=facts))
    assert ("more than 300" in text.words) is (None in needed)


@given(ranked=st.lists(st.booleans(), min_size=5, max_size=5))
@settings(max_examples=40, deadline=None)
def test_measures_that_rank_correctly_are_named(ranked: list[bool]) -> None:
    found = made("prmse-stability").evaluation
    table = found.tables["study.ranking"]
    place, sets = [column.key for column in table.columns].index("in_order"), found.facts["replicates"]
    rows = tuple(
        Row((*row.cells[:place], sets if right else sets - 1, *row.cells[place + 1 :]))
        for row, right in zip(table.rows, ranked, strict=True)
    )
    changed = replace(found, tables={**found.tables, table.key: replace(table, rows=rows)})
    text = text_of(study_sections.StudyPrmseStability(), changed)
    begins = {0: "No measure placed", 1: "Only ", 5: "Every measure placed"}.get(sum(ranked), "")
    assert f"{begins}" in text
    assert ("PRMSE placed" in text) is (ranked == [False] * 4 + [True] or (ranked[-1] and 1 < sum(ranked) < 5))


@pytest.mark.slow
@given(value=st.floats(-1, 1), half=st.floats(0.001, 1))
@settings(max_examples=40, deadline=None)
def test_a_gain_is_reported_only_if_the_interval_excludes_zero(value: float, half: float) -> None:
    found = made("rating-completion").evaluation
    share = next(iter(found.facts["recovered"]))
    better = {**found.facts["better"], share: [value, value - half, value + half]}
    text = text_of(
        study_sections.StudyRatingCompletion(), replace(found, facts={**found.facts, "better": better})
    ).finding
    clear = abs(value) > half
    assert ("reduces the error" in text) is (clear and value > 0)
    assert ("raises the error" in text) is (clear and value < 0)
