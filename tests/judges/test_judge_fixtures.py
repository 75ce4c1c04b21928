"""Files of other tools, and damaged ones: all scores are read, or raise a question or an error."""

import copy
import csv
import io
import json
import os
import re
import struct
import tempfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import judge_files
import pytest
from fuzz import trees
from fuzz.pieces import Draw
from fuzz.spoiling import spoilt
from judge_files import H1, H2, IDS, JUDGE, written

from reportgen.errors import InputError, QuestionError, ReportgenError, SettingsError, write_command
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
    assert "All 12 labels from labels.csv were matched to a response." in scores.warnings


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
    with pytest.raises(QuestionError, match=rf"unclear who gave .*--system {option}; 2. people gave them: --human"):
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
            "the judge's score could be 'Essay quality [GEval]' or 'Tone'. Which one is it? 1. the judge's",
        ),
        (
            "phoenix_annotations.json",
            lambda rows: rows["data"][0].update(annotator_kind="ROBOT"),
            "unclear who gave the ratings with source 'ROBOT'",
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
    with pytest.raises(QuestionError, match=r"unclear who gave .*--system NAME"):
        read(file)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values in a value."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [path, *(inner for key in keys for inner in places(value[key], (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a value with another one at a path."""
    if not path:
        return new
    found = copy.copy(value)
    found[path[0]] = replaced(value[path[0]], path[1:], new)
    return found


def refused_or_read(name: str, content: bytes, kind: str) -> None:
    """Read a file; fail on any exception that is not an error for the user."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        text = ""
        try:
            read(path, from_keywords(format=kind.split()[0]))
        except ReportgenError as error:
            text = str(error)
        assert len(text.replace(str(path), name)) <= 350


@pytest.mark.slow
@pytest.mark.parametrize("new", ["x", 1, 2.5, True, None, [], ["x"], {}, {"x": 1}, "\ud800"])
@pytest.mark.parametrize("kind", judge_files.outputs())
def test_another_kind_of_value_in_any_place_is_read_or_rejected(kind: str, new: Any) -> None:
    content = judge_files.outputs()[kind]
    one_each = {tuple(key for key in path if isinstance(key, str)): path for path in places(content)}
    for path in one_each.values():
        refused_or_read("x.json", json.dumps(replaced(content, path, new)).encode(), kind)


@pytest.mark.parametrize("kind", judge_files.outputs())
def test_mutated_outputs_are_read_or_rejected(kind: str) -> None:
    for number in range(12):
        draw = Draw(f"{kind} {number}")
        refused_or_read("x.json", trees.as_json(draw, trees.mutated(draw, judge_files.outputs()[kind], 4)), kind)


def test_mutated_parts_of_an_archive_are_read_or_rejected() -> None:
    for number in range(25):
        draw, log = Draw(str(number)), judge_files.inspect_log(epochs=2)
        parts = {"header.json": {key: value for key, value in log.items() if key != "samples"}}
        parts |= {f"samples/{place}.json": sample for place, sample in enumerate(log["samples"])}
        name = draw.choice(sorted(parts))
        parts[name] = trees.mutated(draw, parts[name])
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for each, content in parts.items():
                archive.writestr(each, json.dumps(content))
        refused_or_read("x.eval", packed.getvalue(), "inspect")


WRITTEN = (
    "langfuse_blob_export.csv", "langsmith_experiment.csv", "phoenix_annotations.csv", "ragas.csv",
    "samples_essays_answers.jsonl", "samples_essays_judge.jsonl",
)  # fmt: skip
BYTES = {
    "x.jsonl mlflow": "\n".join(map(json.dumps, judge_files.mlflow_traces())).encode(),
    "x.csv mlflow": judge_files.bytes_of(partial(judge_files.as_csv, judge_files.mlflow_traces(), python=True)),
    "x.eval inspect": judge_files.bytes_of(partial(judge_files.as_eval, judge_files.inspect_log(epochs=2))),
    **{
        f"{name} {'lm-evaluation-harness' if name.startswith('samples') else name.partition('_')[0].split('.')[0]}":
        (judge_files.FIXTURES / name).read_bytes()
        for name in WRITTEN
    },
}  # fmt: skip
"""File and reader -> content."""


@pytest.mark.parametrize("kind", BYTES)
def test_damaged_bytes_are_read_or_rejected(kind: str) -> None:
    name, reader = kind.split()
    for number in range(12):
        refused_or_read(name, spoilt(Draw(f"{kind} {number}"), BYTES[kind]), reader)


NO_FORMAT = (b"\xff\xfe\x00", b"\x80abc", b"[" * 100_000, b"{" * 9, b"null", b"[]", b"1", b'""')


@pytest.mark.parametrize("kind", sorted(judge_readers.installed()))
def test_valid_files_of_every_format_are_accepted(kind: str, tmp_path: Path) -> None:
    for suffix in (".json", ".jsonl", ".csv", ".tsv", ".parquet", ".eval"):
        for content in NO_FORMAT:
            path = tmp_path / f"x{suffix}"
            path.write_bytes(content)
            with pytest.raises(InputError):
                read(path, from_keywords(format=kind))


def zipped(path: Path, content: bytes, **changes: int) -> Path:
    """Write an archive whose header differs from its contents, by attributes of `ZipInfo`."""
    with zipfile.ZipFile(path, "w", changes.pop("compress_type", zipfile.ZIP_DEFLATED)) as archive:
        archive.writestr("header.json", b"{}")
        archive.writestr("samples/a.json", content)
        for name, value in changes.items():
            setattr(archive.filelist[1], name, value)
    return path


def test_an_archive_that_declares_too_much_is_rejected_before_it_is_read(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.eval", b"{}", file_size=1 << 29)
    with pytest.raises(InputError, match=r"reading it requires about 5\.4 GB of memory"):
        read(path)


def test_an_archive_that_contains_more_than_it_declares_is_not_unpacked(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.eval", b'{"id": "' + b"a" * 50_000_000 + b'"}', file_size=20)
    with pytest.raises(InputError, match="not a readable archive"):
        read(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_unbounded_compression_is_rejected(tmp_path: Path, method: int) -> None:
    with pytest.raises(InputError, match="encrypted or its compression is unsupported"):
        read(zipped(tmp_path / "x.eval", b"{}", compress_type=method))


def test_an_encrypted_archive_is_rejected(tmp_path: Path) -> None:
    content = bytearray(zipped(tmp_path / "x.eval", b"{}").read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = -1
        while (at := content.find(mark, at + 1)) >= 0:
            struct.pack_into("<H", content, at + place, 1)
    (tmp_path / "x.eval").write_bytes(content)
    with pytest.raises(InputError, match="encrypted"):
        read(tmp_path / "x.eval")


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".csv", ".parquet", ".eval"])
def test_a_pipe_is_not_a_judge_file(suffix: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / f"x{suffix}")
    for kind in (None, "promptfoo", "mlflow", "inspect"):
        with pytest.raises(InputError, match="not an ordinary file"):
            read(tmp_path / f"x{suffix}", from_keywords(**({"format": kind} if kind else {})))
