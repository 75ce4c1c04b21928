"""Test words in a file of ratings without an engine: interpreted if certain, otherwise a question."""

import random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.errors import QuestionError
from reportgen.scores import RatingTable
from reportgen.scores.reading import read_tables
from reportgen.settings import from_keywords
from reportgen.sources.written import PAIRS

KNOWN = [(low[0], high[0]) for low, high in PAIRS]
OTHERS = ("escalate", "both", "half right", "unclear", "z", "x", "beige")


def wide(words: tuple[str, ...], raters: int, seed: int) -> pa.Table:
    draw = random.Random(seed)
    rows = [[*(draw.choice(words) for _ in range(raters))] for _ in range(30)]
    rows += [[word] * raters for word in words]
    columns = {f"rater_{j + 1}": [row[j] for row in rows] for j in range(raters)}
    return pa.table({"essay_id": [f"e{i}" for i in range(len(rows))], **columns})


def long(table: pa.Table, seed: int) -> pa.Table:
    rows = [(row["essay_id"], name, row[name]) for row in table.to_pylist() for name in table.schema.names
        if name != "essay_id"]  # fmt: skip
    random.Random(seed).shuffle(rows)
    return pa.table(dict(zip(("essay_id", "rater", "score"), map(list, zip(*rows, strict=True)), strict=True)))


def read(table: pa.Table, **keywords: Any) -> RatingTable:
    (found,) = read_tables(table, from_keywords(ratings_only=True, **keywords))
    assert isinstance(found, RatingTable)
    return found


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.sampled_from(KNOWN), st.sampled_from(OTHERS), st.integers(2, 4), st.integers(0, 99), st.booleans())
def test_an_unknown_word_among_known_words_raises_a_question(
    pair: tuple[str, str], other: str, raters: int, seed: int, packed: bool
) -> None:
    table = wide((*pair, other), raters, seed)
    table = long(table, seed) if packed else table
    with pytest.raises(QuestionError, match=r"Are they ordered|cells of") as told:
        read(table)
    assert other in str(told.value)
    assert "--labels" in str(told.value)
    declared = read(table, labels=[pair[0], other, pair[1]])
    assert declared.kept == 33
    assert not [text for text in declared.warnings if "missing" in text]
    assert read(table, unordered=True).kept == 33


@given(st.sampled_from(KNOWN), st.integers(0, 99), st.booleans())
@settings(max_examples=20, deadline=None)
def test_known_words_are_read(pair: tuple[str, str], seed: int, packed: bool) -> None:
    table = wide(pair, 3, seed)
    assert read(long(table, seed) if packed else table).scale.labels == pair


def test_letters_with_other_letters_are_listed_as_letters() -> None:
    with pytest.raises(QuestionError, match=r"labels: ('[abcd]', ){3}and '[abcd]'\."):
        read(wide(("c", "a", "d", "b"), 2, 1))
    assert read(wide(("c", "i"), 2, 1)).scale.labels == ("incorrect", "correct")


def test_a_word_used_by_only_one_rater_raises_a_question() -> None:
    table = wide(("good", "bad"), 3, 5)
    words = ["neutral", *table["rater_3"].to_pylist()[1:]]
    assert read(table.set_column(3, "rater_3", [words])).scale.labels == ("bad", "neutral", "good")
    words[:20] = ["Unsure"] * 20
    with pytest.raises(QuestionError, match=r"20 of 32 cells in 'rater_3' are 'Unsure'. What does 'Unsure' mean"):
        read(table.set_column(3, "rater_3", [words]))


def test_words_that_differ_between_columns_are_never_compared_as_they_are() -> None:
    people, judge = ["correct", "incorrect", "correct", "unsure"] * 20, ["pass", "fail", "pass", "pass"] * 20
    table = pa.table({"id": [*map(str, range(80))], "human_label": people, "judge_verdict": judge})
    with pytest.raises(
        QuestionError, match=r"20 of 80 cells in 'human_label' are 'unsure'. What does 'unsure' mean"
    ) as asked:
        read_tables(table)
    assert [options for _, options in asked.value.choices] == [("--missing", "unsure")]
    (found,) = read_tables(table, from_keywords(missing=["unsure"]))
    assert found.kept == 60


def test_short_words_of_sentiment_have_their_order() -> None:
    assert read(wide(("pos", "neu", "neg"), 3, 4)).scale.labels == ("neg", "neu", "pos")


@pytest.mark.parametrize(
    ("low", "high"), [("Fail", "PASS"), ("No", "Yes"), ("INCORRECT", "Correct"), ("Invalid", "VALID"), ("👎", "👍")]
)
def test_words_are_shown_in_their_most_frequent_spelling(low: str, high: str) -> None:
    table = wide((low, high), 3, 2)
    words = table["rater_3"].to_pylist()
    few = [word.lower() if place < 4 else word for place, word in enumerate(words)]
    once = table.set_column(3, "rater_3", [few])
    expected = {"👎": ("thumbs down", "thumbs up")}.get(low, (low, high))
    for each in (once, long(once, 3), once.select(["rater_3", "essay_id", "rater_1", "rater_2"])):
        assert read(each).scale.labels == expected
    if low != "👎":
        assert read(once, unordered=True).scale.labels == tuple(sorted((low, high), key=str.casefold))
    assert read(once, labels=[low.upper(), high.lower()]).scale.labels == (low.upper(), high.lower())


def test_a_question_lists_words_as_they_are_written() -> None:
    with pytest.raises(QuestionError, match=r"labels: '[ABC]', '[ABC]', and '[ABC]'\."):
        read(wide(("A", "B", "C"), 3, 1))
    assert read(wide(("YES", "Partly", "No"), 2, 1)).scale.labels == ("No", "Partly", "YES")
