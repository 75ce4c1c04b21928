"""Test judge outputs in the formats of other tools: all scores are read, or raise a question."""

import json
import zipfile
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import judge_files
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import refused, reportgen
from judge_files import H1, H2, IDS, JUDGE, SECOND_RUN, written

import reportgen as package
from reportgen.errors import InputError, QuestionError, SettingsError
from reportgen.scores import ScoreTable, read, read_systems, resolved
from reportgen.settings import from_keywords
from reportgen.sources import judge_readers


def check(scores: ScoreTable, *, system: list[int] = JUDGE, n: int = 12, raters: int = 2) -> None:
    assert scores.system.tolist() == system[:n]
    assert scores.human[:, :raters].tolist() == [list(pair)[:raters] for pair in zip(H1[:n], H2[:n], strict=True)]


def test_outputs_of_promptfoo_are_scores(tmp_path: Path) -> None:
    file = judge_files.promptfoo_judges(tmp_path / "out.json")
    scores = read(file)
    check(scores, n=11)  # the twelfth is a refusal
    assert scores.outputs.refusals == 1
    assert scores.ids.to_pylist() == IDS[:11]
    assert scores.columns("system") == ("openai:gpt-4o-mini",)
    assert scores.source.format == scores.read_by == "promptfoo"
    assert "outputs of 'openai:gpt-4o-mini' are used as scores" in scores.warnings[0]
    assert {role.how for role in scores.roles if role.role == "system"} == {"from the 'promptfoo' format"}


def test_repeats_of_promptfoo_are_runs_and_providers_are_systems(tmp_path: Path) -> None:
    file = judge_files.promptfoo_judges(tmp_path / "out.json", repeat=2, providers=("a:one", "b:two"))
    first, second = read_systems(file)
    assert first.columns("system") == ("a:one",)
    assert second.columns("system") == ("b:two",)
    check(second)
    assert second.runs is not None
    assert second.runs[:, 1].tolist() == SECOND_RUN


def test_an_assertion_of_promptfoo_judges_outputs_that_a_person_rated(tmp_path: Path) -> None:
    scores = read(judge_files.promptfoo_rubric(tmp_path / "out.json"))
    assert np.allclose(scores.system, [(score - 1) / 3 for score in JUDGE])  # not the total, which the person replaced
    assert scores.human[:, 0].tolist() == [float(h > 2) for h in H1]  # a rating of 0 is a rating
    assert (scores.scale.low, scores.scale.high, scores.scale.assumed) == (0, 1, False)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"second_rubric": True}, "the judge's score could be 'llm-rubric' or 'tone'. Which"),
        ({"rated": False}, "join the human labels"),
    ],
)
def test_ambiguous_promptfoo_output_raises_questions(tmp_path: Path, arguments: dict[str, bool], sentence: str) -> None:
    file = judge_files.promptfoo_rubric(tmp_path / "out.json", **arguments)
    with pytest.raises((InputError, SettingsError), match=sentence):
        read(file)


def test_a_named_assertion_is_the_judge(tmp_path: Path) -> None:
    file = judge_files.promptfoo_rubric(tmp_path / "out.json", second_rubric=True)
    assert read(file, from_keywords(score="llm-rubric")).columns("system") == ("llm-rubric",)
    with pytest.raises(InputError, match="no score is named 'mood'; choose from 'contains', 'llm-rubric', 'output', "):
        read(file, from_keywords(score="mood"))


def with_more_assertions(file: Path, *kinds: str, own_value: bool = True, every: int = 1) -> Path:
    """Add assertions without a metric to every output, or every second one, after those that are there."""
    content = json.loads(file.read_text())
    for place, result in enumerate(content["results"]["results"]):
        for number, kind in enumerate(kinds) if place % every == 0 else ():
            value = f"rubric {number}" if own_value else f"rubric {number} of output {place}"
            added = {"type": kind, "value": value} if kind else {"value": value}
            result["gradingResult"]["componentResults"].append({"pass": True, "score": 0.25, "assertion": added})
    return written(content, file)


def test_assertions_that_share_a_type_are_numbered_unless_another_is_wanted(tmp_path: Path) -> None:
    file = with_more_assertions(judge_files.promptfoo_rubric(tmp_path / "out.json"), "contains", "contains", "", "")
    scores = read(file)
    assert scores.columns("system") == ("llm-rubric",)
    assert np.allclose(scores.system, [(score - 1) / 3 for score in JUDGE])


@pytest.mark.parametrize("own_value", [True, False])
def test_score_chooses_among_assertions_of_one_type(tmp_path: Path, own_value: bool) -> None:
    file = judge_files.promptfoo_rubric(tmp_path / "out.json")
    with_more_assertions(file, "llm-rubric", own_value=own_value)
    with pytest.raises(QuestionError, match=r"'llm-rubric 1' or 'llm-rubric 2'\. Which .* --score 'llm-rubric 1'"):
        read(file)
    assert np.allclose(read(file, from_keywords(score="llm-rubric 1")).system, [(each - 1) / 3 for each in JUDGE])
    assert set(read(file, from_keywords(score="llm-rubric 2")).system) == {0.25}


def test_assertions_of_one_type_are_distinguished_by_their_question_in_any_order(tmp_path: Path) -> None:
    file = with_more_assertions(judge_files.promptfoo_rubric(tmp_path / "out.json"), "llm-rubric")
    content = json.loads(file.read_text())
    for result in content["results"]["results"][1::2]:
        result["gradingResult"]["componentResults"].reverse()
    file.write_text(json.dumps(content))
    assert np.allclose(read(file, from_keywords(score="llm-rubric 1")).system, [(each - 1) / 3 for each in JUDGE])
    assert set(read(file, from_keywords(score="llm-rubric 2")).system) == {0.25}


def test_indistinguishable_assertions_are_an_error_only_if_one_is_wanted(tmp_path: Path) -> None:
    file = with_more_assertions(
        judge_files.promptfoo_rubric(tmp_path / "out.json"), "contains", "contains", own_value=False, every=2
    )
    assert read(file).columns("system") == ("llm-rubric",)
    with pytest.raises(InputError, match="not clear which is which; give each a metric"):
        read(file, from_keywords(score="contains"))


@pytest.mark.parametrize("archive", [False, True])
def test_answers_of_an_inspect_log_are_scores_if_targets_are(tmp_path: Path, archive: bool) -> None:
    log = judge_files.inspect_log(epochs=2)
    file = judge_files.as_eval(log, tmp_path / "log.eval") if archive else written(log, tmp_path / "log.json")
    scores = read(file)
    check(scores)
    assert scores.raters == ("target", "human2")
    assert scores.columns("system") == ("openai/gpt-4o-mini",)
    assert scores.runs is not None
    assert scores.runs[:, 1].tolist() == SECOND_RUN
    assert any("epochs are treated as repeated runs" in told for told in scores.warnings)


def test_targets_are_the_human_score_of_an_inspect_log_without_others(tmp_path: Path) -> None:
    log = judge_files.inspect_log()
    for sample in log["samples"]:
        sample["metadata"] = {}
    check(read(written(log, tmp_path / "log.json")), raters=1)


def test_a_scorer_of_inspect_is_the_judge_if_it_gives_numbers(tmp_path: Path) -> None:
    log = judge_files.inspect_log(mode="value", scorers=("essay_rubric",))
    check(read(written(log, tmp_path / "log.json")))


def test_letters_of_inspect_are_numbers(tmp_path: Path) -> None:
    log = judge_files.inspect_log(mode="value", scorers=("model_graded_qa",))
    for sample in log["samples"]:
        sample["metadata"] = {"human1": int(sample["metadata"]["human1"] > 2)}
    scores = read(written(log, tmp_path / "log.json"))
    assert scores.system.tolist() == [float(score > 2) for score in JUDGE]
    assert scores.kept == 12
    assert any("C, I, P, and N are used as 1, 0, 0.5, and 0" in told for told in scores.warnings)
    for sample in log["samples"]:
        sample["metadata"] = {"human_grade": "IPC"[sample["metadata"]["human1"] + (sample["id"] == "r1")]}
    assert scores.scale.points() == (0, 1)
    scores = read(written(log, tmp_path / "log.json"))
    assert {*scores.human[:, 0].tolist()} == {0, 0.5}
    assert scores.scale.points() == (0, 0.5, 1)


def test_epochs_that_people_scored_are_responses(tmp_path: Path) -> None:
    log = judge_files.inspect_log(mode="value", epochs=2, scorers=("essay_rubric", "human_expert"))
    for sample in log["samples"]:
        sample["metadata"] = {}
    scores = read(written(log, tmp_path / "log.json"))
    assert scores.kept == 24
    assert scores.runs is None


def test_multiple_scorers_of_inspect_raise_a_question(tmp_path: Path) -> None:
    file = written(judge_files.inspect_log(mode="value", scorers=("essay_rubric", "tone")), tmp_path / "log.json")
    with pytest.raises(QuestionError, match=r"the judge's score could be 'essay_rubric', 'tone.warm', or 'tone.clear'"):
        read(file)
    check(read(file, from_keywords(score="essay_rubric")))


def test_an_archive_compressed_with_zstandard_is_read(tmp_path: Path) -> None:
    """A ZIP file made by hand: its entries are Zstandard frames, as newer versions of Inspect may write."""
    plain = judge_files.as_eval(judge_files.inspect_log(mode="value", scorers=("essay_rubric",)), tmp_path / "p.eval")
    file = tmp_path / "z.eval"
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(file, "w") as target:
        for info in source.infolist():
            target.writestr(info.filename, pa.compress(source.read(info), codec="zstd", asbytes=True))
    content = bytearray(file.read_bytes())
    sizes = {info.filename: info.file_size for info in zipfile.ZipFile(plain).infolist()}
    for info in zipfile.ZipFile(file).infolist():
        content[info.header_offset + 8 : info.header_offset + 10] = (93).to_bytes(2, "little")
        central = content.find(b"PK\x01\x02")
        while int.from_bytes(content[central + 42 : central + 46], "little") != info.header_offset:
            central = content.find(b"PK\x01\x02", central + 4)
        content[central + 10 : central + 12] = (93).to_bytes(2, "little")
        content[central + 24 : central + 28] = sizes[info.filename].to_bytes(4, "little")
    file.write_bytes(bytes(content))
    check(read(file))


def test_the_last_of_two_files_with_one_name_in_an_archive_counts(tmp_path: Path) -> None:
    file = judge_files.as_eval(judge_files.inspect_log(mode="value", scorers=("essay_rubric",)), tmp_path / "p.eval")
    with zipfile.ZipFile(file, "a") as archive:
        name = next(name for name in archive.namelist() if name.startswith("samples/"))
        content = json.loads(archive.read(name)) | {"scores": {"essay_rubric": {"value": 4}}}
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr(name, json.dumps(content))
    assert read(file).system.tolist() == [4, *JUDGE[1:]]


def test_targets_are_reported_as_human_scores_only_if_they_are(tmp_path: Path) -> None:
    file = written(judge_files.inspect_log(), tmp_path / "log.json")
    assert any("targets" in told for told in read(file).warnings)
    assert not any("numeric targets" in told for told in read(file, from_keywords(human=["human2"])).warnings)


@pytest.mark.parametrize("kind", ["records", "columns", "lines", "info", "csv", "python", "parquet"])
def test_assessments_of_mlflow_in_every_form(tmp_path: Path, kind: str) -> None:
    rows = judge_files.mlflow_traces()
    if kind == "columns":
        file = written({key: {str(i): row[key] for i, row in enumerate(rows)} for key in rows[0]}, tmp_path / "t.json")
    elif kind == "lines":
        file = tmp_path / "t.jsonl"
        file.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    elif kind == "info":
        file = written([{"info": row, "data": {"spans": []}} for row in rows], tmp_path / "t.json")
    elif kind in ("csv", "python"):
        file = judge_files.as_csv(rows, tmp_path / "t.csv", python=kind == "python")
    elif kind == "parquet":
        file = tmp_path / "t.parquet"
        assessments = [[{**each, "metadata": None} for each in row["assessments"]] for row in rows]
        pq.write_table(pa.table({"trace_id": [row["trace_id"] for row in rows], "assessments": assessments}), file)
    else:
        file = written(rows, tmp_path / "t.json")
    scores = read(file)
    check(scores)
    assert scores.columns("system") == ("openai:/gpt-4o-mini",)
    assert scores.rater_ids is not None
    assert scores.rater_ids.names == ("ann@example.org", "bob@example.org")


def test_yes_and_no_of_mlflow_are_1_and_0(tmp_path: Path) -> None:
    scores = read(written(judge_files.mlflow_traces(yes_no=True), tmp_path / "t.json"))
    assert scores.system.tolist() == [float(score > 2) for score in JUDGE]
    assert scores.scale.low == 0


def test_multiple_assessments_of_mlflow_raise_a_question(tmp_path: Path) -> None:
    file = written(judge_files.mlflow_traces(names=("quality", "tone")), tmp_path / "t.json")
    with pytest.raises(QuestionError, match=r"'quality' or 'tone'\. Which .* --score quality"):
        read(file)
    check(read(file, from_keywords(score="tone")))


@pytest.mark.parametrize("kind", ["promptfoo", "mlflow", "inspect"])
def test_a_resolved_configuration_reads_the_same_again(tmp_path: Path, kind: str) -> None:
    file = {
        "promptfoo": lambda: judge_files.promptfoo_judges(tmp_path / "f.json", repeat=2),
        "mlflow": lambda: written(judge_files.mlflow_traces(names=("quality", "tone")), tmp_path / "f.json"),
        "inspect": lambda: judge_files.as_eval(
            judge_files.inspect_log(mode="value", scorers=("essay_rubric",)), tmp_path / "f.eval"
        ),
    }[kind]()
    settings = from_keywords(**({"score": "tone"} if kind == "mlflow" else {}))
    first = read(file, settings)
    again = read(file, resolved(settings, first))
    assert again.system.tolist() == first.system.tolist()
    assert np.array_equal(again.human, first.human, equal_nan=True)
    assert again.columns("run") == first.columns("run")


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("x.json", '{"results": {"results": []}, "evalId": "e"}', "does not contain scores of a judge"),
        ("x.json", '{"evalId": "e", "results": ', "line 1: not readable as JSON"),
        ("x.eval", "no archive", "not a readable archive"),
        ("x.json", '{"eval": {"task": "t"}, "status": "success"}', "the log contains no samples"),
        ("x.jsonl", '{"trace_id": "t", "assessments": "nothing [of"}', "expected a list of assessment objects"),
        ("x.json", '[{"trace_id": "t", "assessments": []}]', "does not contain scores of a judge"),
        ("x.json", '[{"trace_id": "t", "assessments": ["a"]}]', "expected a list of assessment objects"),
    ],
)
def test_a_broken_file_is_an_error_in_one_sentence(tmp_path: Path, name: str, content: str, sentence: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=sentence):
        read(tmp_path / name)


def test_ids_of_two_test_cases_are_an_error_that_does_not_show_them(tmp_path: Path) -> None:
    file = judge_files.promptfoo_judges(tmp_path / "out.json")
    content = json.loads(file.read_text(encoding="utf-8"))
    content["results"]["results"][3]["vars"]["essay_id"] = "essay-05"
    with pytest.raises(InputError, match="have the same 'essay_id' but differ") as error:
        read(written(content, file))
    assert "essay-05" not in str(error.value)


@pytest.mark.slow
def test_the_command_line_reads_judge_outputs_and_lists_readers(tmp_path: Path) -> None:
    judge_files.promptfoo_judges(tmp_path / "out.json", repeat=2)
    done = reportgen("evaluate", "out.json", "report", "--tables-only", cwd=tmp_path)
    assert "openai:gpt-4o-mini (from the 'promptfoo' format)" in done.stdout + done.stderr
    reportgen("evaluate", "report/config.toml", "again", "--tables-only", cwd=tmp_path)
    one, two = (package.load(tmp_path / folder).evaluation for folder in ("report", "again"))
    assert one.estimates == two.estimates
    assert "promptfoo eval -o out.json" in reportgen("readers", cwd=tmp_path).stdout
    assert "no score is named 'mood'" in refused("evaluate", "out.json", "other", "--score", "mood", cwd=tmp_path)


def test_python_reads_judge_outputs(tmp_path: Path) -> None:
    report = package.evaluate(judge_files.promptfoo_judges(tmp_path / "out.json"))
    assert report.evaluation.source.format == "promptfoo"


def test_an_unknown_reader_is_an_error(tmp_path: Path) -> None:
    file = judge_files.promptfoo_judges(tmp_path / "out.json")
    with pytest.raises(SettingsError, match="--format promptfo: unknown reader; did you mean 'promptfoo'"):
        read(file, from_keywords(format="promptfo"))


class Lines:
    """A custom reader: one response per line, with scores between bars."""

    title = "lines of scores between bars (.bar)"

    def recognises(self, path: Path) -> bool:
        return path.suffix == ".bar"

    def read(self, path: Path, data: Any) -> judge_readers.ReadScores:
        rows = [line.split("|") for line in path.read_text().splitlines()]
        return judge_readers.ReadScores(dict(zip(("mine", "theirs"), zip(*rows, strict=True), strict=True)),
                                        {"systems": ("mine",), "human": ("theirs",)}, ("Bars: read.",))  # fmt: skip


def test_anyone_can_add_a_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("bars", f"{__name__}:Lines", judge_readers.GROUP)
    monkeypatch.setattr("reportgen.sources.judge_readers.entry_points", lambda group: [entry])
    file = tmp_path / "scores.bar"
    file.write_text("1.5|1\n2|2\n3.1|3\n")
    scores = read(file)
    assert scores.system.tolist() == [1.5, 2, 3.1]
    assert scores.warnings[0] == "Bars: read."
    monkeypatch.setattr(Lines, "read", lambda self, path, data: judge_readers.ReadScores({"a": ["1"], "b": []}))
    with pytest.raises(InputError, match="'bars' gives columns of different lengths"):
        read(file)


def test_two_readers_with_one_name_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    two = [EntryPoint("bars", value, judge_readers.GROUP) for value in ("a:B", "c:D")]
    monkeypatch.setattr("reportgen.sources.judge_readers.entry_points", lambda group: two)
    with pytest.raises(SettingsError, match="two packages provide a reader named 'bars'"):
        judge_readers.installed()


def test_likelihoods_of_choices_are_no_scores_and_the_right_choice_is_no_rating(tmp_path: Path) -> None:
    rows = [{"doc_id": i, "doc": {"question": f"q{i}", "answer": i % 4}, "target": str(i % 4), "metrics": ["acc"],
             "filtered_resps": ["-1.2", "False"], "acc": float(i % 3 > 0)} for i in range(20)]  # fmt: skip
    path = tmp_path / "samples.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(InputError, match="the file contains only the judge's scores"):
        read(path)
