"""Human labels in a second file: joined by id, counted, and nothing about them guessed."""

import csv
import hashlib
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import judge_files
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import reportgen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import reportgen as package
from reportgen.errors import ReportgenError, SettingsError
from reportgen.reports.item_tables import tables
from reportgen.scores import ScoreTable, read, read_systems, resolved
from reportgen.settings import from_keywords

JUDGE = {"r1": 1, "r2": 2, "r3": 3, "r4": 4, "r5": 2, "r6": 3}
PEOPLE = {"r6": 3, "r4": 4, "r2": 3, "r1": 1, "r3": 2, "x9": 4}


def written(path: Path, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def judge(folder: Path, column: str = "judge") -> Path:
    return written(folder / "judge.csv", ["response_id", column], [*JUDGE.items()])


def labels(folder: Path, column: str = "human", ids: str = "response_id") -> Path:
    return written(folder / "labels.csv", [ids, column], [*PEOPLE.items()])


def joined(file: Path, **keywords: Any) -> ScoreTable:
    return read(file, from_keywords(labels_file=file.parent / "labels.csv", **keywords))


def pairs(scores: ScoreTable) -> dict[str, tuple[float, ...]]:
    both = np.column_stack([scores.system, scores.human])
    return dict(zip(scores.ids.to_pylist(), map(tuple, both.tolist()), strict=True))


EXPECTED = {name: (float(JUDGE[name]), float(PEOPLE[name])) for name in JUDGE if name in PEOPLE}


def test_labels_are_joined_in_any_order(tmp_path: Path) -> None:
    labels(tmp_path)
    scores = joined(judge(tmp_path), id="response_id")
    assert pairs(scores) == EXPECTED
    assert scores.warnings[:2] == (
        "5 of 6 labels were matched to a response; 1 is only in labels.csv.",
        "1 of 6 responses has no label.",
    )
    assert scores.unscored is not None
    assert scores.unscored.system.tolist() == [2]
    assert {role.how for role in scores.roles if role.role == "human"} == {"from labels.csv"}


def test_both_files_are_in_the_provenance_and_a_configuration_reads_them_again(tmp_path: Path) -> None:
    files = judge(tmp_path), labels(tmp_path)
    scores = joined(files[0], id="response_id")
    digests = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
    assert [file.sha256 for file in scores.source.files] == digests
    assert [file.rows for file in scores.source.files] == [6, 6]
    assert scores.source.name == "judge.csv with labels.csv"
    settings = from_keywords(labels_file=files[1], id="response_id")
    assert pairs(read(files[0], resolved(settings, scores))) == EXPECTED


def test_a_column_in_both_files_is_reported(tmp_path: Path) -> None:
    labels(tmp_path, "score")
    scores = joined(judge(tmp_path, "score"), id="response_id", system="score")
    assert pairs(scores) == EXPECTED
    assert scores.raters == ("score (labels)",)
    assert "Both files have 'score'; the column in labels.csv is renamed to 'score (labels)'." in scores.warnings
    for name in ("score (labels)", "score"):  # human labels are in the label file
        again = joined(tmp_path / "judge.csv", id="response_id", system="score", human=name)
        assert again.raters == ("score (labels)",)


def test_an_equal_column_in_both_files_appears_once(tmp_path: Path) -> None:
    prompts = {name: f"p{name[1]}" for name in (*JUDGE, *PEOPLE)}
    written(tmp_path / "labels.csv", ["id", "human", "prompt"], [(n, s, prompts[n]) for n, s in PEOPLE.items()])
    file = written(tmp_path / "judge.csv", ["id", "judge", "prompt"], [(n, s, prompts[n]) for n, s in JUDGE.items()])
    assert "Both files have 'prompt', with the same values." in joined(file).warnings


@pytest.mark.parametrize("own", ["wide", "long"])
@pytest.mark.parametrize("theirs", ["wide", "long"])
def test_either_file_may_have_one_row_per_rating(tmp_path: Path, own: str, theirs: str) -> None:
    ratings = [(name, who, score) for name, score in PEOPLE.items() for who in ("ann", "bob")]
    if theirs == "long":
        written(tmp_path / "labels.csv", ["response_id", "rater", "score"], ratings)
    else:
        wide = [(name, score, score) for name, score in PEOPLE.items()]
        written(tmp_path / "labels.csv", ["response_id", "rater_1", "rater_2"], wide)
    if own == "long":
        outputs = [(name, who, score) for name, score in JUDGE.items() for who in ("gpt-4o", "gpt-3.5")]
        file = written(tmp_path / "judge.csv", ["response_id", "rater", "score"], outputs)
    else:
        file = judge(tmp_path)
    asked = from_keywords(labels_file=tmp_path / "labels.csv", id="response_id")
    every = read_systems(file, asked)
    assert len(every) == (2 if own == "long" else 1)
    for scores in every:
        assert pairs(scores) == {name: (engine, human, human) for name, (engine, human) in EXPECTED.items()}
        again = read(file, resolved(asked, scores))
        assert pairs(again) == pairs(scores)


@pytest.mark.parametrize(
    ("own", "theirs", "keywords", "sentence"),
    [
        (["id", "judge"], ["id", "human"], {"own": [("a", 1), ("a", 2)]}, "rows 2 and 3 have the same 'id'"),
        (["id", "judge"], ["id", "human"], {"theirs": [("a", 1), ("a", 2)]}, "labels.csv: rows 2 and 3 have the same"),
        (["id", "judge"], ["key", "human"], {"id": "id"}, "labels.csv has no ID column 'id'"),
        (["text", "judge"], ["text", "human"], {}, "choose the ID with --id NAME"),
        (["id", "judge"], ["id", "human"], {"theirs": [("x", 1), ("y", 2)]}, "no ID in column 'id' of labels.csv"),
        (["id", "judge"], ["id", "human"], {"theirs": [(" A", 1), ("B.0", 2)]}, "2 would match without whitespace"),
        (["id", "judge", "human1"], ["id", "human"], {}, "both files contain human scores ('human1' in the score file"),
        (["id", "judge"], ["id", "clear", "fluent"], {}, "which columns of labels.csv contain the human labels"),
    ],
)
def test_uncertain_joins_raise_a_question(
    tmp_path: Path, own: list[str], theirs: list[str], keywords: dict[str, Any], sentence: str
) -> None:
    plain = [(name, number, 3 - number) for name, number in (("a", 1), ("b", 2), ("c", 1), ("d", 2))]
    file = written(tmp_path / "judge.csv", own, keywords.pop("own", [row[: len(own)] for row in plain]))
    written(tmp_path / "labels.csv", theirs, keywords.pop("theirs", [row[: len(theirs)] for row in plain]))
    with pytest.raises(ReportgenError, match=r"judge\.csv: ") as told:
        joined(file, **keywords)
    assert sentence in str(told.value)
    assert len(str(told.value).replace(str(tmp_path), "")) <= 300


def test_a_repeated_id_is_shown_only_if_requested(tmp_path: Path) -> None:
    file = judge(tmp_path)
    written(tmp_path / "labels.csv", ["response_id", "human"], [("r1", 1), ("r1", 2)])
    with pytest.raises(ReportgenError) as told:
        joined(file)
    assert "r1" not in str(told.value)
    with pytest.raises(ReportgenError, match="rows 2 and 3 have the same 'response_id', 'r1'"):
        joined(file, show_response_ids=True)


def test_ids_are_text_and_numbers_of_a_typed_file_are_whole(tmp_path: Path) -> None:
    file = tmp_path / "judge.parquet"
    pq.write_table(pa.table({"id": [7.0, 8.0, 9.0, None], "judge": [1.0, 2.0, 3.0, 4.0]}), file)
    written(tmp_path / "labels.csv", ["id", "human"], [("9", 3), ("07", 1), ("8", 2)])
    scores = joined(file)
    assert pairs(scores) == {"8": (2, 2), "9": (3, 3)}
    assert "1 label would match if IDs had the same whitespace" in " ".join(scores.warnings)


def test_labels_may_be_words(tmp_path: Path) -> None:
    words = [(f"r{i}", "yes" if i % 3 else "no", "fm"[i % 2]) for i in range(20)]
    written(tmp_path / "labels.csv", ["id", "human", "gender"], words)
    file = written(tmp_path / "judge.csv", ["id", "judge"], [(f"r{i}", "yes" if i % 4 else "no") for i in range(20)])
    assert joined(file).human[:, 0].tolist() == [float(word == "yes") for _, word, _ in words]


def test_judge_outputs_take_labels(tmp_path: Path) -> None:
    file = judge_files.promptfoo_rubric(tmp_path / "out.json", rated=False)
    rows = [(f"What is {i}?", score) for i, score in enumerate(judge_files.H1)]
    written(tmp_path / "labels.csv", ["question", "human"], rows)
    scores = joined(file, id="question")
    assert scores.human[:, 0].tolist() == judge_files.H1
    assert scores.warnings[1] == "All 12 labels from labels.csv were matched to a response."
    judge_files.promptfoo_rubric(file)
    with pytest.raises(ReportgenError, match="both files contain human scores \\('human rating'"):
        joined(file, id="question")


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.integers(1, 60), unique=True, min_size=8, max_size=40), st.integers(0, 9), st.data())
def test_a_join_equals_a_manual_join(tmp_path: Path, ids: list[int], only: int, data: st.DataObject) -> None:
    draw = random.Random(data.draw(st.integers(0, 999)))
    scores = {f"r{i}": (draw.randint(1, 4), draw.randint(1, 4)) for i in ids}
    labelled = [name for name in scores if draw.random() < 0.8] or list(scores)
    by_hand = written(
        tmp_path / "whole.csv", ["id", "judge", "human"],
        [(name, one, two if name in labelled else "") for name, (one, two) in scores.items()],
    )  # fmt: skip
    file = written(tmp_path / "judge.csv", ["id", "judge"], [(name, one) for name, (one, _) in scores.items()])
    rows = [*((name, scores[name][1]) for name in labelled), *((f"x{i}", 1) for i in range(only))]
    draw.shuffle(rows)
    written(tmp_path / "labels.csv", ["id", "human"], rows)
    asked = {"id": "id", "human": "human", "system": "judge"}
    try:
        expected = read(by_hand, from_keywords(**asked))
    except ReportgenError:
        return
    found = joined(file, **asked)
    assert pairs(found) == pairs(expected)
    assert found.exclusions[0].n == expected.exclusions[0].n if expected.exclusions else not found.exclusions


@pytest.mark.slow
def test_batch_and_comparison_accept_labels_and_tables_does_not(tmp_path: Path) -> None:
    rows = [(f"r{i}", 1 + i % 4, 1 + (i // 2) % 4, f"p{i % 2}") for i in range(60)]
    file = written(tmp_path / "two.csv", ["id", "engine", "judge", "item"], rows)
    written(tmp_path / "labels.csv", ["id", "human"], [(row[0], row[1]) for row in rows[5:]])
    asked = ("--labels-file", "labels.csv", "--id", "id")
    done = reportgen("batch", file.name, "many", "--by", "item", "--system", "engine", "--tables-only",
                     "--workers", "1", *asked, cwd=tmp_path)  # fmt: skip
    assert "All 55 labels from labels.csv were matched to a response." in done.stdout
    again = reportgen("evaluate", "many/p0/config.toml", "again", "--tables-only", cwd=tmp_path)
    assert "All 55 labels" in again.stdout
    one, two = (package.load(tmp_path / folder).evaluation for folder in ("many/p0", "again"))
    assert one.estimates == two.estimates
    compared = package.compare(file, systems=["engine", "judge"], labels_file=tmp_path / "labels.csv", id="id")
    assert "All 55 labels from labels.csv were matched to a response." in compared.evaluation.warnings
    with pytest.raises(ReportgenError, match="does not support labels_file; use reportgen batch"):
        tables(file, from_keywords(by="item", labels_file=tmp_path / "labels.csv"))


def test_a_pattern_matches_columns_of_labels(tmp_path: Path) -> None:
    rows = [(name, score, 5 - score, f"because {name}") for name, score in PEOPLE.items()]
    written(tmp_path / "labels.csv", ["response_id", "mark_1", "mark_2", "mark_note"], rows)
    assert joined(judge(tmp_path), id="response_id", human=["mark_*"]).raters == ("mark_1", "mark_2")


def test_an_id_column_without_its_file_is_an_error() -> None:
    with pytest.raises(SettingsError, match="name that file with --labels-file FILE"):
        read(pa.table({"id": ["a", "b"], "human": [1, 2], "engine": [1, 2]}), from_keywords(labels_id="id"))


def test_the_score_file_cannot_be_the_labels_file(tmp_path: Path) -> None:
    scores = tmp_path / "scores.csv"
    scores.write_text("id,human,gpt-4o\n" + "".join(f"r{i},{i % 4 + 1},{i % 3 + 1}\n" for i in range(20)))
    for labels, words in ((scores, "is the same as the score file"), (tmp_path, "is a folder; give the labels file")):
        with pytest.raises(ReportgenError, match=words):
            read(scores, from_keywords(labels_file=labels, id="id"))


def test_a_label_column_named_like_an_engine_raises_a_question(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("id,system\n" + "".join(f"r{i},{i % 3 + 1}\n" for i in range(20)))
    (tmp_path / "labels.csv").write_text("id,gpt-4o\n" + "".join(f"r{i},{i % 4 + 1}\n" for i in range(20)))
    with pytest.raises(ReportgenError):
        read(tmp_path / "scores.csv", from_keywords(labels_file=tmp_path / "labels.csv", id="id"))


def test_a_question_about_a_file_without_a_header_names_that_cause(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(f"R{n:03d},{n % 5 + 1},{(n + n % 3 // 2) % 5 + 1},{n % 5 + 1.2}" for n in range(60)))
    (question,) = package.look(path).questions
    assert "Which are human scores, and which are engine scores?" in question
    assert "row 1 contains no names of columns" in question


def test_a_file_of_one_column_of_words_is_led_to_a_second_file(tmp_path: Path) -> None:
    verdicts = {"id": [f"s{n}" for n in range(40)], "verdict": ["pass", "fail", "pass", "pass"] * 10}
    with pytest.raises(
        SettingsError, match="name the column with --system NAME, or evaluate the engine's file, and add this one"
    ):
        read(pa.table(verdicts))
    people = tmp_path / "people.csv"
    people.write_text("id,label\n" + "".join(f"s{n},{'fail' if n % 4 == 1 or n == 8 else 'pass'}\n" for n in range(40)))
    assert read(pa.table(verdicts), from_keywords(labels_file=str(people))).kept == 40


def test_not_applicable_is_no_score_in_other_languages_and_severities_have_their_order() -> None:
    words = ["Cumple", "No cumple", "No aplica"] * 30
    table = pa.table({"auditor": words, "IA": ["Cumple", "No cumple", "Cumple"] * 30})
    scores = read(table, from_keywords(human="auditor", system="IA"))
    assert (scores.kept, scores.scale.labels) == (60, ("No cumple", "Cumple"))
    severity = ["critical", "major", "minor", "nit"] * 20
    scores = read(pa.table({"reviewer": severity, "llm": severity[1:] + severity[:1]}))
    assert scores.scale.labels == ("nit", "minor", "major", "critical")
