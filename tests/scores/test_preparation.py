"""Which responses count, and the account of those that do not."""

from dataclasses import astuple
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_files import THREE, Write

from reportgen.errors import InputError, QuestionError, SettingsError
from reportgen.scores import Exclusion, ScoreTable, read
from reportgen.scores.screening import because
from reportgen.settings import from_keywords
from reportgen.sources.tabular import Place

MESSY = """id,human,human2,system,adv,student
a,1,1,1.5,0,s1
b,,1,1.5,0,s1
c,x,1,1.5,0.0,s1
d,-inf,1,1.5,0,s1
e,0,1,1.5,0,s1
f,2,1,,0,s1
g,2,1,x,0,s1
h,2,1,inf,0,s1
i,2,1,0,0,s1
j,2,1,2.5,1,s1
k,3,0,2.5,0,s2
l,3,q,2.5,0,s3
m,4,,2.5,0,s3
n,0,,x,0,s3
"""


def read_messy(write: Write, **keywords: object) -> ScoreTable:
    asked = {"exclude_zero_scores": True, "record": "human", **keywords}
    return read(write(MESSY), from_keywords(candidate="student", **asked))


def test_every_exclusion_in_order_with_rows(write: Write) -> None:
    scores = read_messy(write, flags={"adv": 0})
    assert scores.exclusions == (
        Exclusion("flag column 'adv' contains none of the kept values", 1, (Place(11),)),
        Exclusion("no human score in 'human'", 1, (Place(3),)),
        Exclusion("the human score in 'human' is not a number", 1, (Place(4),)),
        Exclusion("the human score in 'human' is infinite", 1, (Place(5),)),
        Exclusion("the human score in 'human' is 0", 2, (Place(6), Place(15))),
        Exclusion("no system score in 'system'", 1, (Place(7),)),
        Exclusion("the system score in 'system' is not a number", 1, (Place(8),)),
        Exclusion("the system score in 'system' is infinite", 1, (Place(9),)),
    )
    assert scores.ids.to_pylist() == ["a", "i", "k", "l", "m"]
    assert (scores.read, scores.flagged, scores.kept) == (14, 1, 5)
    assert scores.read == scores.kept + sum(out.n for out in scores.exclusions)


@pytest.mark.parametrize(
    ("columns", "named"), [("'a'", "'a'"), ("'a', 'b'", "'a' or 'b'"), ("'a', 'b', 'c'", "'a', 'b', or 'c'")]
)
def test_the_columns_without_a_score_are_listed(columns: str, named: str) -> None:
    assert because(f"no human score in {columns}") == f"because there is no human score in {named}"


def test_second_scores_never_exclude_and_invalid_ones_are_reported(write: Write) -> None:
    scores = read_messy(write, flags={"adv": 0})
    np.testing.assert_array_equal(scores.human[:, 1], [1, 1, np.nan, np.nan, np.nan])
    assert any(
        "'human2'" in sentence and "non-numeric" in sentence and "13" in sentence for sentence in scores.warnings
    )
    assert any("'human2'" in sentence and "zero" in sentence and "12" in sentence for sentence in scores.warnings)


def test_composition_of_the_excluded(write: Write) -> None:
    assert read_messy(write, flags={"adv": 0}).composition == ((None, 3), (1, 1), (3, 0))
    assert read_messy(write, flags={"adv": 0}, exclude_zero_scores=False).composition == ((None, 3), (None, 1), (3, 0))
    assert read_messy(write, min_items_per_candidate=2).composition == ((1, 3), (1, 1), (3, 0))


def test_candidates_with_few_remaining_responses(write: Write) -> None:
    scores = read_messy(write, flags={"adv": 0}, min_items_per_candidate=2)
    assert scores.exclusions[-1] == Exclusion("the candidate has fewer than 2 responses left", 1, (Place(12),))
    assert scores.candidates is not None
    assert len(set(scores.candidates.tolist())) == 2


def test_a_response_without_a_candidate_is_a_separate_candidate() -> None:
    table = pa.table({"human": [1, 2, 3], "system": [1.1, 2.1, 3.1], "student": ["", " ", None]})
    candidates = read(table, from_keywords(candidate="student")).candidates
    assert candidates is not None
    assert len(set(candidates.tolist())) == 3


def test_zeros(write: Write) -> None:
    cases: list[tuple[str | None, bool | None, int]] = [
        (None, None, 4), ("0:4", None, 4), ("0:4", True, 3), ("1:4", True, 3), (None, True, 3), (None, False, 4),
    ]  # fmt: skip
    for scale, exclude, kept in cases:
        scores = read(write(THREE + "d,0,1\n"), from_keywords(scale=scale, exclude_zero_scores=exclude))
        assert scores.kept == kept
        assert any("is 0 and counts" in sentence for sentence in scores.warnings) is (scale is None and exclude is None)


def test_assumed_scale() -> None:
    cases: list[tuple[list[float], tuple[float, float, float]]] = [
        ([1, 2, 4], (1, 4, 1)), ([1.5, 2, 4], (1.5, 4, 0.5)), ([1.25, 2, 4], (1.25, 4, 0.25)),
        ([5, 5, 5], (5, 5, 1)), ([1, 2, 100_000], (1, 100_000, 0)), ([-2, -1, 3], (-2, 3, 1)),
    ]  # fmt: skip
    for human, expected in cases:
        scale = read(pa.table({"human": human, "system": [1.1, 2.1, 3.1]})).scale
        assert (scale.low, scale.high, scale.step) == expected
        assert scale.assumed


def test_trim_bounds_follow_the_scale_unless_set(write: Write) -> None:
    scores = read(write(THREE), from_keywords(scale="0:6", trim_max=5))
    assert (scores.trim_min, scores.trim_max, scores.trim_tolerance) == (0, 5, 0.4998)
    assert not scores.scale.assumed


def test_scores_between_points_are_reported(write: Write) -> None:
    assert "between the points" in read(write(THREE + "d,2.5,2\n"), from_keywords(scale="1:4")).warnings[0]


def test_training_file(write: Write, tmp_path: Path) -> None:
    write("sc1,prediction\n1,10\n2,\n4,14\nx,15\n", "training.csv")
    scores = read(write(THREE), from_keywords(scale_with=str(tmp_path / "training.csv")))
    assert scores.rescaling == "training"
    assert scores.training is not None
    human, prediction = np.array([1, 2, 4.0]), np.array([10, 14, 15.0])
    expected = prediction.mean(), prediction.std(ddof=1), human.mean(), human.std(ddof=1)
    np.testing.assert_allclose(astuple(scores.training), expected, rtol=1e-14)
    assert read(write(THREE), from_keywords(scale_with="asis")).rescaling == "asis"


@pytest.mark.parametrize(
    ("content", "keywords", "words"),
    [
        (THREE + "a,2,3\nb,1,2\n", {}, ["'id'", "2", "rows 2 and 5", "--id"]),
        (THREE + "a,2,3\nb,1,2\n", {"show_response_ids": True}, ["'id'", "2", "'a'", "rows 2 and 5", "--id"]),
        (THREE.replace("1,", "x,").replace("2,", "w,").replace("3,", "z,"), {}, ["'human'", "w, x, and z", "--labels"]),
        (
            THREE.replace("1,", "x,").replace("2,", "x,").replace("3,", "x,"),
            {},
            ["does not contain", "not a number", "--human"],
        ),
        (THREE.replace(".", "_"), {}, ["does not contain", "not a number", "--system"]),
        (THREE.replace("1,", "x,").replace("2,", "w,"), {}, ["1 of 3", "at least 2"]),
        (THREE + "d,2,1e300\n", {}, ["row 5", "'system'", "1e+300", "1,000,000"]),
        (THREE + "d,-2e7,2\n", {}, ["row 5", "'human'", "-2e+07"]),
        (THREE, {"scale": "1:2"}, ["1 human score is 3, but the specified scale is 1 to 2", "--scale 1:3"]),
    ],
)
def test_input_that_cannot_be_evaluated(
    write: Write, content: str, keywords: dict[str, object], words: list[str]
) -> None:
    with pytest.raises((InputError, QuestionError)) as caught:
        read(write(content), from_keywords(**keywords))
    for word in ("scores.csv", *words):
        assert word in str(caught.value)


def test_settings_that_do_not_fit(write: Write) -> None:
    with pytest.raises(SettingsError, match="--trim-min"):
        read(write(THREE), from_keywords(trim_min=4))


def test_trim_bounds_span_at_most_the_points_of_a_scale(write: Write) -> None:
    for low, high in ((-1e6, 1e6), (-1e308, 1e308), (0, 1001)):
        with pytest.raises(SettingsError, match="1,001 score points"):
            read(write(THREE), from_keywords(scale="0:6", trim_min=low, trim_max=high))
    assert read(write(THREE), from_keywords(scale="0:6", trim_max=1000)).trim_max == 1000
    with pytest.raises(SettingsError, match="--candidate"):
        read(write(THREE), from_keywords(min_items_per_candidate=2))
    with pytest.raises(InputError, match="prediction"):
        read(write(THREE), from_keywords(scale_with=str(write("sc1,predicton\n1,2\n", "t.csv"))))
    with pytest.raises(InputError, match="not found"):
        read(write(THREE), from_keywords(scale_with="none.csv"))


CELLS = st.sampled_from(["", " ", "0", "1", "2", "3.5", "x", "inf", "-inf", "nan", "1e400", "-1"])


@given(rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=30))
def test_every_row_is_accounted_for(rows: list[tuple[str, str, str]]) -> None:
    human, second, system = (list(column) for column in zip(*rows, strict=True))
    table = pa.table({"human": human, "human2": second, "system": system})
    try:
        scores = read(table, from_keywords(system="system", human=["human", "human2"]))
    except InputError:
        return
    assert scores.read == len(rows) == scores.kept + sum(out.n for out in scores.exclusions)
    assert np.isfinite(scores.system).all()
    assert np.isfinite(scores.human).any(axis=1).all()
    assert scores.design.interchangeable or np.isfinite(scores.human[:, 0]).all()
    assert not np.isinf(scores.human).any()
    assert sum(cell or 0 for row in scores.composition for cell in row) == scores.read - scores.kept


def test_an_assumed_scale_includes_the_points_of_the_engine() -> None:
    for human, system, ends in (
        ([2, 2, 2, 2], [2, 1, 2, 2], (1, 2)),  # raters who all agree leave the engine its own score
        ([6, 7, 8, 8], [3, 7, 8, 8], (3, 8)),
        ([1, 2, 3, 4], [-1, 2, 3, 5], (1, 5)),  # codes for no score
        ([1, 2, 3, 4], [99, 2, 3, 4], (1, 4)),
    ):
        table = pa.table({"id": list("abcd"), "human": human, "system": system})
        scale = read(table, from_keywords(human="human", system="system")).scale
        assert (scale.low, scale.high) == ends
