"""Test scores other than plain numbers: words of a pair, labels, scores in words, refusals, and questions."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.errors import InputError, QuestionError
from reportgen.passes import count
from reportgen.scores import ScoreTable, read
from reportgen.settings import from_keywords
from reportgen.sources.written import PAIRS, cell

LONG = "5: marginally below the acceptance threshold, as 3 (of 4) say"
RNG = np.random.default_rng(3)
RIGHT = RNG.random(60) < 0.6
FOUND = RIGHT ^ (RNG.random(60) < 0.15)


def said(low: Any, high: Any, marked: np.ndarray[Any, Any] = RIGHT) -> list[Any]:
    return [high if each else low for each in marked]


def scores(human: list[Any], system: list[Any], **keywords: Any) -> ScoreTable:
    return read(pa.table({"human": human, "system": system}), from_keywords(**keywords))


@pytest.mark.parametrize("pair", PAIRS)
def test_each_pair_of_words_is_read_as_0_and_1(pair: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
    for bad in pair[0]:
        for good in pair[1]:
            found = scores(said(f" {bad.upper()}", good), said(0, 1, FOUND))
            assert found.human[:, 0].tolist() == RIGHT.tolist()
            assert (found.scale.low, found.scale.high, found.scale.assumed, found.scale.ordered) == (0, 1, False, True)
            assert len(found.scale.labels) == 2


@pytest.mark.parametrize(
    ("human", "system", "labels", "told"),
    [
        (said("no", "Yes"), said("N", "y", FOUND), ("no", "Yes"), "contain no and Yes, which count as 0 and 1."),
        (said("I", "C"), said(False, True, FOUND), ("incorrect", "correct"), "incorrect counts as 0, correct as 1."),
        (said(0, 1), said("fail", "pass", FOUND), ("fail", "pass"), "'human' contains numbers"),
        (
            said("bad", "good"),
            [round(0.3 + 0.4 * each, 2) for each in FOUND],
            ("bad", "good"),
            "'system' contains numbers",
        ),
    ],
)
def test_words_with_other_words_or_with_numbers_from_0_to_1(
    human: list[Any], system: list[Any], labels: tuple[str, ...], told: str
) -> None:
    found = scores(human, system)
    assert found.scale.labels == labels
    assert found.kept == 60
    assert told in found.warnings[0]


STEPS = ["No", "Partly", "Yes"]


def test_labels_are_counted_from_the_lowest_and_may_have_no_order() -> None:
    human, system = [STEPS[i % 3] for i in range(60)], [STEPS[(i + i // 7) % 3].upper() for i in range(60)]
    found = scores(human, system, labels="No,Partly,Yes")
    assert found.human[:3, 0].tolist() == [0, 1, 2]
    assert (found.scale.high, found.scale.labels, found.scale.ordered) == (2, tuple(STEPS), True)
    loose = scores(human, system, unordered=True)
    assert (loose.scale.labels, loose.scale.ordered) == (("NO", "PARTLY", "YES"), False)
    assert not scores([1, 2, 3] * 20, [1, 2, 2] * 20, unordered=True).scale.ordered
    assert scores(human, system).scale.labels == ("NO", "PARTLY", "YES")  # known, and the first of equals
    with pytest.raises(QuestionError, match=r"labels: 'A', ('B', and 'tie'|'tie', and 'B')\. Are they ordered"):
        scores(["A", "B", "tie"] * 20, ["A", "tie", "tie"] * 20)
    with pytest.raises(QuestionError, match=r"labels: 'Day 2', 'Day 3', and 'Day 10'\."):
        scores(["Day 3", "Day 10", "Day 2"] * 20, ["Day 3", "Day 2", "Day 2"] * 20)


def test_repeated_words_in_a_column_of_numbers_are_never_dropped_without_a_question() -> None:
    grades = (["1", "2", "3", "4A", "4B", "4C", "5"] * 9)[:60]
    with pytest.raises(QuestionError, match=r"are '4A', '4B', or '4C'. What do '4A', '4B', and '4C' mean") as asked:
        scores(grades, grades[3:] + grades[:3])
    ways = [options[-2:] for _, options in asked.value.choices]
    every = ("--labels", "1,2,3,4A,4B,4C,5")
    assert ways == [every, every, ("--missing", "4A,4B,4C")]
    assert scores(grades, grades[::-1], labels="1,2,3,4A,4B,4C,5").kept == 60
    assert scores(grades, grades[::-1], missing="4A,4B,4C").kept < 60
    absent = ["Absent" if i % 6 == 0 else str(i % 4) for i in range(60)]
    with pytest.raises(QuestionError, match="10 of 60 cells in 'human' are 'Absent'") as asked:
        scores(absent, [str(i % 4) for i in range(60)])
    assert asked.value.choices[0][1] == ("--missing", "Absent")
    rare = ["Absent" if i % 30 == 0 else str(i % 4) for i in range(60)]
    assert scores(rare, [str(i % 4) for i in range(60)]).kept == 58


def test_a_code_such_as_99_among_labels_is_no_score() -> None:
    levels = ["Below basic", "Basic", "Proficient", "Advanced"]
    human = ["99" if i % 20 == 0 else levels[i * 7 % 4] for i in range(120)]
    found = scores(human, [levels[(i * 7 + i % 3 // 2) % 4] for i in range(120)])
    assert (found.scale.labels, found.kept) == (tuple(levels), 114)


def test_commas_separate_thousands_beside_numbers_below_a_thousand() -> None:
    for one, two, high in (("1,260", "990", 1260), ("3,125", "2,875", 3.125)):
        assert scores([one, two] * 40, [two, one] * 40).human.max() == high


ORDERED = """Strongly disagree,Disagree,Neutral,Agree;F,D,C,B,A;A1,A2,B1,B2;Below Basic,Basic,Proficient;low,medium,high
none,mild,severe;Poor,Fair,Good,Excellent;never,sometimes,always;incorrect,partially correct,correct;no,maybe,yes"""


@pytest.mark.parametrize("words", ORDERED.replace("\n", ";").split(";"))
def test_words_with_a_known_order_get_it(words: str) -> None:
    scale = scores(words.split(",") * 20, words.upper().split(",")[::-1] * 20).scale
    assert (tuple(map(str.lower, scale.labels)), scale.ordered) == (tuple(words.lower().split(",")), True)


@pytest.mark.parametrize(
    ("human", "system", "keywords", "asked"),
    [
        (["A", "B", "C"] * 20, ["X", "Y", "Z"] * 20, {}, "a word in common (A, B, C, X, Y, and Z); use the same words"),
        (said("no", "yes"), [1, 2, 3, 4, 5] * 12, {}, "What do the numbers mean"),
        (said("👎", "👍"), said("-1", "1"), {}, "1 means 'thumbs up': --scale 0:1 --system-scale -1:1"),
        (said("no", "yes"), said("0", "yes"), {}, "words (yes), but column 'system' contains numbers"),
        (said("1", "4"), ["good"] + ["4"] * 59, {}, "What does 'good' mean"),
        (said("no", "yes"), said("fail", "yes"), {}, "labels: 'fail', 'no', and 'yes'. Are they ordered"),
        (said("no", "yes"), said("no", "yes"), {"scale": "1:6"}, "contains labels, but the scale is 1 to 6"),
        ([1, 2, 3] * 20, [1, 2, 3] * 20, {"labels": "a,b,c"}, "no score column contains any of the labels a, b, and c"),
        ([1, 2, 3] * 20, ["a", "b", "c"] * 20, {"labels": "a,b,c"}, "but column 'human' contains numbers"),
        (["1/5", "2/5"] * 30, ["1/5", "2/10"] * 30, {}, "have different totals, 5 and 10"),
    ],
)
def test_unclear_words_raise_a_question_in_one_sentence(
    human: list[Any], system: list[Any], keywords: dict[str, Any], asked: str
) -> None:
    with pytest.raises((InputError, QuestionError)) as refused:
        scores(human, system, **keywords)
    assert asked in str(refused.value)
    assert len(str(refused.value)) <= 350


@pytest.mark.parametrize(
    ("low", "high", "expected"), [(0.5, 6.4, ["1:6", "0:5"]), (0, 5, ["0:5", "1:6"]), (4, 97, ["0:100"])]
)
def test_labels_are_matched_to_the_scale_of_the_engine_first(low: float, high: float, expected: list[str]) -> None:
    with pytest.raises(QuestionError) as asked:
        scores(["F", "E", "D", "C", "B", "A"] * 20, np.linspace(low, high, 120).tolist())
    options = [options for _, options in asked.value.choices]
    assert [each[each.index("--system-scale") + 1] for each in options] == expected
    assert {each[each.index("--labels") + 1] for each in options} == {"F,E,D,C,B,A"}


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("Score: 4", 4), ("4/5", 4), ("4 stars", 4), ("Rating: 3 out of 5", 3), ("4.", 4), ("**Score: 2.5**", 2.5),
        ("final score is 3", 3), ("2 / 5", 2), ("Grade 4", 4), ("4 - Good", 4), ("4 (Good)", 4), ("85%", 85),
        ("3,5", 3.5), ("four", 4), ("4: very good", 4), (LONG, 5),
    ],
)  # fmt: skip
def test_a_score_in_words_is_read(text: str, score: float) -> None:
    assert cell(text).score == score


@given(st.integers(0, 10_000), st.sampled_from(["Score: {}", "{} points", "{}/100", "({})"]))
def test_any_score_in_words_is_that_number(hundredths: int, form: str) -> None:
    assert cell(form.format(f"{hundredths / 100:.2f}")).score == hundredths / 100


@given(st.text(max_size=30))
@settings(max_examples=300)
def test_any_text_can_be_read_and_a_score_has_a_digit_or_is_a_word(text: str) -> None:
    found = cell(text)
    assert not (found.none and found.is_score)
    assert found.label or not found.is_score or any(letter.isdigit() for letter in text) or found.score in range(11)


def test_columns_of_one_kind_are_listed_together() -> None:
    columns = {"human1": said("no", "yes"), "human2": said("no", "yes"), "system": said("No", "Yes", FOUND)}
    found = read(pa.table(columns))
    assert found.warnings[-1] == "'human1', 'human2' and 'system' contain no and yes, which count as 0 and 1."


def test_scores_in_words_are_reported_and_refusals_are_not_scores() -> None:
    system = [f"Score: {i % 5 + 1}" for i in range(60)]
    system[7], system[11], system[13] = "I can't assess this.", "N/A", "{}"
    human: list[Any] = [str(i % 5 + 1) for i in range(59)] + ["skip"]
    found = scores(human, system)
    assert (found.kept, found.outputs.text, found.outputs.refusals) == (56, 3, 3)
    assert "57 scores in 'system' are not plain numbers; for example, 'Score: 1' is read as 1." in found.warnings
    assert "1 cell in 'human' contains a missing-value code: skip." in found.warnings
    assert next(out.reason for out in found.exclusions) == "no human score in 'human'"


def test_words_are_scores_in_one_row_per_rating() -> None:
    rows = [(f"r{i}", rater, "yes" if RIGHT[i] else "no") for i in range(60) for rater in ("Ann", "Ben", "gpt-4")]
    rows[5] = ("r1", "gpt-4", "I cannot score this")
    rows[0] = ("r0", "Ann", "N/A")
    ids, raters, words = zip(*rows, strict=True)
    found = read(pa.table({"response_id": ids, "rater": raters, "score": words}))
    assert found.scale.labels == ("no", "yes")
    assert found.outputs.refusals == 1
    assert np.isfinite(found.human).sum() == 117


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_batches_and_rows_read_words_the_same(tmp_path: Path, suffix: str) -> None:
    system = ["error" if i % 17 == 0 else word for i, word in enumerate(said("Fail", "PASS", FOUND))]
    table = pa.table({"id": [f"r{i}" for i in range(60)], "human": said("no", "yes"), "system": system})
    path = tmp_path / f"s.{suffix}"
    (pa_csv.write_csv if suffix == "csv" else pq.write_table)(table, path)
    for keywords in ({}, {"labels": "no,yes"}, {"labels": "fail,pass,no,yes"}):
        try:
            held = read(path, from_keywords(**keywords))
        except InputError as refused:
            with pytest.raises(InputError, match=str(refused)[-40:-20]):
                count(path, from_keywords(**keywords), rows=7)
            continue
        account = count(path, from_keywords(**keywords), rows=7).account
        assert (account.scale, account.warnings, account.outputs) == (held.scale, held.warnings, held.outputs)
