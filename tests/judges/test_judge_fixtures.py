"""Test files of other tools, in fixtures that follow their serialization: all scores are read, or raise a question."""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from judge_files import H1, H2, IDS, JUDGE, written

from reportgen.errors import InputError, QuestionError, SettingsError, write_command
from reportgen.scores import ScoreTable, read, read_systems, resolved
from reportgen.settings import DataSettings, from_keywords
from reportgen.sources import judge_readers

FIXTURES = Path(__file__).parent / "judge_fixtures"

COMPLETE = {
    "deepeval.json": ("deepeval", "Essay quality [GEval]", 2),
    "langfuse.json": ("langfuse", "EVAL", 2),
    "langfuse_blob_export.csv": ("langfuse", "EVAL", 2),
    "langfuse_categories.json": ("langfuse", "EVAL", 2),
    "langfuse_v3.json": ("langfuse", "EVAL", 1),
    "langsmith_experiment.csv": ("langsmith", "feedback.quality", 2),
    "langsmith_feedback.json": ("langsmith", "model", 2),
    "phoenix_annotations.csv": ("phoenix", "LLM", 2),
    "phoenix_annotations.json": ("phoenix", "LLM", 2),
    "ragas.json": ("ragas", "essay_quality", 2),
    "samples_essays_answers.jsonl": ("lm-evaluation-harness", "answer", 2),
    "samples_essays_judge.jsonl": ("lm-evaluation-harness", "judge_score", 2),
}
"""Fixture -> its reader, its judge, how many people rated."""


def content(name: str) -> Any:
    return json.loads((FIXTURES / name).read_text(encoding="utf-8"))


def check(scores: ScoreTable, raters: int = 2) -> None:
    assert scores.system.tolist() == JUDGE
    assert scores.human.tolist() == [list(pair)[:raters] for pair in zip(H1, H2, strict=True)]


@pytest.mark.parametrize("name", COMPLETE)
def test_every_score_of_a_fixture_arrives(name: str) -> None:
    reader, judge, raters = COMPLETE[name]
    scores = read(FIXTURES / name)
    assert scores.read_by == reader
    assert scores.columns("system") == (judge,)
    check(scores, raters)
    check(read(FIXTURES / name, resolved(from_keywords(), scores)), raters)  # as config.toml has it


@pytest.mark.parametrize("name", [*COMPLETE, "ragas.csv"])
def test_one_reader_recognizes_a_fixture(name: str) -> None:
    found = [each for each in judge_readers.installed() if judge_readers.reader_for(each).recognises(FIXTURES / name)]
    assert len(found) == 1


def test_the_page_on_data_lists_every_reader() -> None:
    page = (Path(__file__).parents[2] / "docs" / "input.md").read_text(encoding="utf-8")
    assert [name for name in judge_readers.installed() if f"\n| `{name}` |" not in page] == []


METADATA = ("metadata", "additionalMetadata")
JUDGES_ALONE: dict[str, Callable[[Any], Any]] = {
    "langfuse.json": lambda rows: {"data": [row for row in rows["data"] if row["source"] == "EVAL"][::2]},
    "langsmith_feedback.json": lambda rows: [row for row in rows if row["feedback_source"]["type"] == "model"],
    "phoenix_annotations.json": lambda rows: [row for row in rows["data"] if row["annotator_kind"] == "LLM"],
    "deepeval.json": lambda run: {"testCases": [{**case, **dict.fromkeys(METADATA)} for case in run["testCases"]]},
    "ragas.json": lambda rows: [{k: v for k, v in row.items() if not k.startswith("human")} for row in rows],
}
"""Fixture -> the same without what people gave."""

JOINED_BY = {
    "langfuse.json": ("response", "trace-{}"), "langsmith_feedback.json": ("run_id", "run-{}"),
    "phoenix_annotations.json": ("span_id", "span-{}"), "deepeval.json": ("test case", "{}"),
    "ragas.json": ("user_input", "What is {}?"),
}  # fmt: skip


@pytest.mark.parametrize("name", JUDGES_ALONE)
def test_a_file_with_only_a_judge_gets_a_working_hint_to_join_labels(tmp_path: Path, name: str) -> None:
    file = written(JUDGES_ALONE[name](content(name)), tmp_path / name)
    column, called = JOINED_BY[name]
    with pytest.raises(InputError, match=re.escape(f"--labels-file FILE {write_command('--id', column)}")) as error:
        read(file)
    assert len(str(error.value).replace(str(tmp_path), "")) <= 300
    ids = range(12) if name == "ragas.json" else IDS
    with (tmp_path / "labels.csv").open("w", encoding="utf-8", newline="") as labels:
        rows = zip(map(called.format, ids), H1, H2, strict=True)
        csv.writer(labels).writerows([(column, "human1", "human2"), *rows])
    scores = read(file, from_keywords(labels_file=tmp_path / "labels.csv", id=column))
    check(scores)
    assert "All 12 labels of labels.csv were matched to a response." in scores.warnings


@pytest.mark.parametrize(
    ("name", "old", "new", "option"),
    [
        ("langfuse.json", '"EVAL"', '"API"', "API"),
        ("langfuse.json", '"ANNOTATION"', '"API"', "API"),
        ("langsmith_feedback.json", '"type": "model"', '"type": "api"', "api"),
    ],
)
def test_ratings_from_an_api_raise_a_question(tmp_path: Path, name: str, old: str, new: str, option: str) -> None:
    file = tmp_path / name
    file.write_text((FIXTURES / name).read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(QuestionError, match=rf"does not show who gave .*--system {option}; 2. people: --human"):
        read(file)
    if old == '"ANNOTATION"':
        scores = read(file, from_keywords(human=option))
        check(scores)
        check(read(file, resolved(from_keywords(human=option), scores)))
    else:
        check(read(file, from_keywords(system=option)))


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        (
            "deepeval.json",
            lambda run: [case["metricsData"].append({"name": "Tone", "score": 1.0}) for case in run["testCases"]],
            "multiple scores could be the judge's: 'Essay quality [GEval]', 'Tone'; which one is? 1. 'Essay",
        ),
        (
            "phoenix_annotations.json",
            lambda rows: rows["data"][0].update(annotator_kind="ROBOT"),
            "does not show who gave the ratings with source 'ROBOT'",
        ),
        (
            "langfuse.json",
            lambda rows: [row.update(traceId=None) for row in rows["data"]],
            "row 1: expected a rating of Langfuse",
        ),
        (
            "langfuse.json",
            lambda rows: rows["data"].append({**rows["data"][1], "value": 2}),
            "a rater rated the same response twice",
        ),
        (
            "deepeval.json",
            lambda run: run["testCases"][3]["metricsData"].append(run["testCases"][3]["metricsData"][0]),
            "test case 4 has two metrics with the same name",
        ),
    ],
)
def test_ambiguous_files_raise_a_question(tmp_path: Path, name: str, change: Any, sentence: str) -> None:
    value = content(name)
    change(value)
    file = written(value, tmp_path / name)
    with pytest.raises((InputError, SettingsError)) as error:
        read(file)
    assert sentence in str(error.value)


def test_a_metric_can_be_named_and_multiple_are_compared(tmp_path: Path) -> None:
    rows = [{**row, "tone": 1 + number % 3} for number, row in enumerate(content("ragas.json"))]
    file = written(rows, tmp_path / "ragas.json")
    check(read(file, from_keywords(score="essay_quality")))
    names = {"human1": "human_tone", "human2": "note", "essay_quality": "tone", "tone": "faithfulness"}
    paired = [{names.get(name, name): cell for name, cell in row.items()} for row in rows]
    check(read(written(paired, tmp_path / "paired.json")), raters=1)
    both = read_systems(file, from_keywords(systems=["essay_quality", "tone"]))
    assert [scores.columns("system") for scores in both] == [("essay_quality",), ("tone",)]


def test_categories_without_numbers_stay_words(tmp_path: Path) -> None:
    rows = [{**row, "value": 0} for row in content("langfuse_categories.json")]
    found = judge_readers.reader_for("langfuse").read(written(rows, tmp_path / "l.json"), DataSettings())
    assert set(found.columns["score"]) == {"poor", "fair", "good", "excellent"}


def test_people_and_judges_of_other_parts_of_a_trace_meet_at_the_trace(tmp_path: Path) -> None:
    rows = content("langfuse.json")
    for row in rows["data"]:
        row["observationId"] = f"o-{row['traceId']}" if row["source"] == "EVAL" else None
    scores = read(written(rows, tmp_path / "l.json"))
    check(scores)
    assert any("scores of the whole trace" in told for told in scores.warnings)


def test_filters_of_lm_evaluation_harness_are_judges_side_by_side(tmp_path: Path) -> None:
    lines = (FIXTURES / "samples_essays_answers.jsonl").read_text(encoding="utf-8").splitlines()
    both = [{**json.loads(line), "filter": name} for line in lines for name in ("strict", "flexible")]
    file = tmp_path / "samples_both.jsonl"
    file.write_text("\n".join(map(json.dumps, both)), encoding="utf-8")
    every = read_systems(file)
    assert [scores.columns("system") for scores in every] == [("strict",), ("flexible",)]
    for scores in every:
        check(scores)


def test_a_custom_table_is_not_a_file_of_a_tool(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    with file.open("w", encoding="utf-8", newline="") as table:
        rows = zip(IDS, JUDGE, H1, strict=True)
        csv.writer(table).writerows([("response", "judge", "human"), *rows])
    assert read(file).read_by == ""


def test_a_feedback_source_that_is_not_a_name_is_not_in_a_command(tmp_path: Path) -> None:
    text = (FIXTURES / "langsmith_feedback.json").read_text(encoding="utf-8")
    file = tmp_path / "feedback.json"
    file.write_text(text.replace('"type": "model"', '"type": {"\\u001f\\u001f": 2.16e16, "": [-1e23, 1e14]}'))
    with pytest.raises(QuestionError, match=r"does not show who gave .*--system NAME"):
        read(file)
