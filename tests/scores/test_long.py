"""One row per rating: every rating arrives once, with its response, its rater and its time."""

import math
from collections import defaultdict

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from score_files import Write

from reportgen.errors import InputError, QuestionError, SettingsError
from reportgen.scores import ScoreTable, read, read_systems, read_tables, resolved
from reportgen.settings import from_keywords
from reportgen.sources.columns import as_times

ALONE = from_keywords(ratings_only=True)

LONG = ("response_id,rater,score,time,gender,engine\n" "a,R2,3,2026-01-02,f,3.1\n" "a,R1,4,2026-01-01,f,3.1\n"
    "b,R3,2,2026-01-05,m,2.2\n" "b,R2,2,2026-01-04,m,2.2\n" "c,R9,5,2026-01-03,f,4.4\n"
    "d,R10,1,2026-01-03,m,1.5\n")  # fmt: skip


def ratings_of(scores: ScoreTable) -> set[tuple[str, str, float]]:
    """Return every rating as (response, rater, score)."""
    assert scores.rater_ids is not None
    codes, names, _ = scores.rater_ids
    return {
        (str(scores.ids[i]), names[codes[i, j]], float(scores.human[i, j]))
        for i, j in zip(*np.nonzero(~np.isnan(scores.human)), strict=True)
    }


def same(found: NDArray[np.float64], expected: list[list[float]]) -> bool:
    """Return whether scores are as expected, missing ones too."""
    return np.array_equal(found, np.array(expected, dtype=float), equal_nan=True)


def test_a_file_of_ratings_is_detected_with_a_column_per_rater(write: Write) -> None:
    scores = read(write(LONG))
    assert scores.columns("human") == tuple(f"rating {number}" for number in range(1, 6))
    assert [scores.columns(role) for role in ("system", "id", "rater", "score", "time", "group")] == [
        ("engine",), ("response_id",), ("rater",), ("score",), ("time",), ("gender",),
    ]  # fmt: skip
    assert scores.ids.to_pylist() == ["a", "b", "c", "d"]
    n = np.nan
    assert same(scores.human, [[4, 3, n, n, n], [n, 2, 2, n, n], [n, n, n, 5, n], [n, n, n, n, 1]])
    assert scores.design == (None, "gaps")
    assert scores.rater_ids is not None
    assert scores.rater_ids.names == ("R1", "R2", "R3", "R9", "R10")
    assert scores.rater_ids.codes[1].tolist() == [-1, 1, 2, -1, -1]
    times = scores.rater_ids.times
    assert times is not None
    assert times[0, :2].tolist() == [20454, 20455]
    assert math.isnan(times[2, 1])
    assert scores.ratings == (6, 5, True)


def test_few_raters_keep_their_order(write: Write) -> None:
    text = "id,rater,score,engine\na,Y,1,1.2\na,X,2,1.2\nb,X,3,2.5\nb,Y,4,2.5\nc,Y,5,3.3\n"
    scores = read(write(text))
    assert same(scores.human, [[1, 2], [4, 3], [5, np.nan]])
    assert scores.ratings is not None
    assert scores.ratings.by_rater
    assert scores.design == (1, "complete")


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 10_000), st.integers(2, 40), st.booleans())
def test_every_rating_arrives_once(seed: int, n_raters: int, timed: bool) -> None:
    random = np.random.default_rng(seed)
    rows, expected = [], set()
    for response in range(12):
        for rater in random.choice(n_raters, min(n_raters, int(random.integers(1, 4))), replace=False):
            score = int(random.integers(1, 7))
            rows.append((f"r{response}", f"R{rater}", score, response / 7 + 1, float(random.random())))
            expected.add((f"r{response}", f"R{rater}", float(score)))
    random.shuffle(rows)
    columns = dict(zip(("id", "rater", "score", "engine", "time"), map(list, zip(*rows, strict=True)), strict=True))
    columns |= {"id": [str(x) for x in columns["id"]], "score": [float(x) for x in columns["score"]]}
    columns |= {name: [float(x) for x in columns[name]] for name in ("engine", "time")}
    if not timed:
        del columns["time"]
    scores = read(pa.table(columns), from_keywords(layout="long", groups=[]))
    assert ratings_of(scores) == expected
    if len({rater for _, rater, _ in expected}) > 12:
        most = max(sum(row[0] == name for row in expected) for name in {row[0] for row in expected})
        assert scores.human.shape[1] == most
        packed = ~np.isnan(scores.human)
        assert (np.diff(packed.astype(int), axis=1) <= 0).all()  # no gap before a rating
    system = {str(id_): value for id_, value in zip(scores.ids, scores.system, strict=True)}
    assert all(system[row[0]] == pytest.approx(float(row[3])) for row in rows)


def test_two_hundred_raters_make_two_columns() -> None:
    responses = np.repeat(np.arange(600), 2)
    raters = (responses * 7 + np.tile([0, 1], 600)) % 200
    table = pa.table({
        "response_id": [f"r{i}" for i in responses], "rater_id": [f"R{i}" for i in raters],
        "score": (responses + raters) % 5 + 1, "system": responses % 5 + 0.3,
    })  # fmt: skip
    scores = read(table)
    assert scores.human.shape == (600, 2)
    assert scores.rater_ids is not None
    assert len(scores.rater_ids.names) == 200
    counted: dict[int, int] = defaultdict(int)
    for code in scores.rater_ids.codes.ravel():
        counted[int(code)] += 1
    assert sum(counted.values()) == 1200


def test_any_rating_makes_a_response_count(write: Write) -> None:
    text = ("id,rater,score,engine\n" "a,X,0,1.2\na,Y,2,1.2\n" "b,X,n/a,2.5\nb,Z,3,2.5\n" "c,X,,3.3\nc,Y,4,3.3\n"
        "d,X,0,3.1\n" "e,X,odd,3.1\n")  # fmt: skip
    scores = read(write(text), from_keywords(layout="long", exclude_zero_scores=True))
    assert scores.ids.to_pylist() == ["a", "b", "c"]
    assert np.nanmax(scores.human, axis=1).tolist() == [2, 3, 4]
    assert {out.reason for out in scores.exclusions} == {
        "the human score in 'rating 1', 'rating 2', 'rating 3' is 0",
        "the human score in 'rating 1', 'rating 2', 'rating 3' is not a number",
    }
    assert "1 non-numeric value counts as missing (row 4)." in scores.warnings
    assert "1 zero value counts as missing (row 2)." in scores.warnings


def test_zeros_count_unless_the_user_excludes_them(write: Write) -> None:
    text = "id,rater,score,engine\na,X,0,1.2\na,Y,2,1.2\nb,X,1,2.5\n"
    assert same(read(write(text), from_keywords(scale="0:4")).human, [[0, 2], [1, np.nan]])


SYSTEMS = ("id,rater,score,run\n" "a,H1,1,\na,gpt-4o,1.5,1\na,gpt-4o,1.25,2\na,engine,2,1\n"
    'b,H2,3,\nb,gpt-4o,2.5,2\nb,gpt-4o,"Sorry, no",1\nb,engine,3,1\n'
    "c,H1,2,\nc,gpt-4o,2.75,1\nc,gpt-4o,2.25,2\nc,engine,2,1\n")  # fmt: skip


def test_raters_may_be_systems_with_runs(write: Write) -> None:
    engine, judge = read_systems(write(SYSTEMS))
    assert (judge.columns("system"), engine.columns("system")) == (("gpt-4o",), ("engine",))
    assert same(judge.human, [[1, np.nan], [2, np.nan]])
    assert judge.runs is not None
    assert judge.runs.tolist() == [[1.5, 1.25], [2.75, 2.25]]
    assert judge.outputs == (3, 0, 1, 0, 1)
    assert engine.runs is None
    assert engine.system.tolist() == [2, 3, 2]


def test_a_system_that_scores_again_has_runs(write: Write) -> None:
    text = SYSTEMS.replace(",run\n", ",part\n")
    judge = read(write(text), from_keywords(systems=["gpt-4o", "engine"], system="gpt-4o"))
    assert judge.runs is not None
    assert same(judge.runs, [[1.5, 1.25], [2.5, np.nan], [2.75, 2.25]])


def test_raters_not_named_as_systems_stay_human(write: Write) -> None:
    text = "id,rater,score\na,X,1\na,Y,2\na,M,1.5\nb,X,2\nb,Y,2\nb,M,2.5\n"
    scores = read(write(text), from_keywords(system="M"))
    assert scores.system.tolist() == [1.5, 2.5]
    assert scores.human.tolist() == [[1, 2], [2, 2]]


def test_settings_reproduce_the_reading(write: Write) -> None:
    path = write(SYSTEMS)
    for scores in read_systems(path):
        again = read(path, resolved(from_keywords(), scores, path))
        assert again.system.tolist() == scores.system.tolist()
        assert same(again.human, scores.human.tolist())
        assert again.columns("system") == scores.columns("system")
        assert (again.runs is None) == (scores.runs is None)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("a,X,1,f,1\na,X,2,f,1\nb,X,1,f,1\n", "a rater rated the same response twice \\(rows 2 and 3\\)"),
        ("a,X,1,f,1\na,Y,2,m,1\nb,X,1,f,1\n", "column 'sex' contains 'f' in row 2 and 'm' in row 3 for one response;"),
        ("a,X,1,f,1\na,Y,2,f,1.5\nb,X,1,f,1\n", "column 'engine' contains '1' in row 2 and '1.5' in row 3"),
        ("a,X,1,f,1\n,Y,2,f,1.5\nb,X,1,f,1\n", "row 3: column 'id' is blank"),
    ],
)
def test_contradicting_values_are_an_error(write: Write, rows: str, says: str) -> None:
    with pytest.raises((InputError, QuestionError), match=says):
        read(write("id,rater,score,sex,engine\n" + rows), from_keywords(layout="long", groups=["sex"]))


def test_equivalent_values_do_not_contradict(write: Write) -> None:
    text = "id,rater,score,sex,engine\na,X,1,f,1\na,Y,2,,1.0\nb,X,1,f ,\nb,Y,1,f,2\n"
    scores = read(write(text), from_keywords(groups=["sex"]))
    assert scores.system.tolist() == [1, 2]
    assert scores.groups["sex"].labels == ("f",)


def test_a_named_system_column_that_contradicts_itself_is_an_error(write: Write) -> None:
    text = "id,rater,score,x,model\na,X,1,1.5,p\na,Y,2,2.5,q\nb,X,1,1.5,p\n"
    with pytest.raises(InputError, match=r"column 'x' contains '1\.5' in row 2 and '2\.5' in row 3"):
        read(write(text), from_keywords(system="x"))
    scores = read(write(text.replace("2.5,q", "1.5,q")), from_keywords(system="x"))
    assert dict(scores.left_out)["model"].startswith("differs between rows")


def test_a_column_of_the_rating_is_excluded_with_a_reason(write: Write) -> None:
    text = LONG.replace("gender", "rater_gender").replace("b,R3,2,2026-01-05,m", "b,R3,2,2026-01-05,f")
    left_out = dict(read(write(text)).left_out)
    assert left_out["rater_gender"] == "differs between rows of the same response (first in row 5)"


def test_one_row_per_response_stays_so(write: Write) -> None:
    text = "id,rater,score,engine\na,X,1,1.5\nb,Y,2,2.5\nc,X,3,2.5\n"
    assert read(write(text)).columns("human") == ("score",)
    with pytest.raises(QuestionError, match="--layout long --id id --rater 'rating of id' --score human"):
        read(write("id,human,engine\na,1,1.5\na,2,1.5\n"))


def test_ratings_of_the_outputs_of_several_systems_are_read_by_segment_and_system(write: Write) -> None:
    segments = [(i, system, who) for i in range(30) for system in ("OnlineA", "PROMT") for who in {i % 3, (i + 1) % 3}]
    rows = [f"annot{who},seg{i},{system},{(i * 7 + who + len(system)) % 101}" for i, system, who in segments]
    (ratings,) = read_tables(write("annotator,segment,system,raw_score\n" + "\n".join(rows) + "\n"), ALONE)
    assert (ratings.systems, ratings.columns("id"), ratings.columns("score"), ratings.kept) == (
        (), ("segment + system",), ("raw_score",), 60,
    )  # fmt: skip


def test_ratings_of_candidates_at_stations_are_read_by_both(write: Write) -> None:
    rows = [f"c{i},{at},Ex{(i + k) % 4},{(i + k) % 5 + 1}\nc{i},{at},Ex{(i + k + 1) % 4},{(i + k) % 4 + 1}"
        for i in range(30) for k, at in enumerate(("Chest pain", "Consent"))]  # fmt: skip
    (ratings,) = read_tables(write("candidate,station,assessor,global_rating\n" + "\n".join(rows) + "\n"), ALONE)
    assert (ratings.columns("id"), ratings.kept) == (("candidate + station",), 60)


def test_known_words_in_an_uninformative_column_are_ratings(write: Write) -> None:
    rows = [f"{i},30{who},{'Yes' if (i + who) % 3 else 'No'}" for i in range(20) for who in range(3)]
    (ratings,) = read_tables(write("item_id,rater_id,Q_overall\n" + "\n".join(rows) + "\n"), ALONE)
    assert (ratings.columns("score"), ratings.kept) == (("Q_overall",), 20)
    flagged = "\n".join(
        f"{row.rsplit(',', 1)[0]},{'FALSE' if place % 9 else 'TRUE'},{place % 5}" for place, row in enumerate(rows)
    )
    (ratings,) = read_tables(write(f"item_id,rater_id,tainted,Q_overall\n{flagged}\n"), ALONE)
    assert ratings.columns("score") == ("Q_overall",)


def test_long_needs_its_columns(write: Write) -> None:
    with pytest.raises(SettingsError, match="no column looks like the rater of each rating; name it with --rater NAME"):
        read(write("id,human,engine\na,1,1.5\na,2,1.5\n"), from_keywords(layout="long"))
    with pytest.raises(SettingsError, match="cannot be both"):
        read(write(LONG), from_keywords(rater="score", score="score"))


def test_times() -> None:
    column = pa.chunked_array([["2026-01-01", "2026-01-01T06:00:00+06:00", ""]])
    assert as_times(column)[:2].tolist() == [20454, 20454]
    with pytest.raises(InputError, match="time column 'when' contains 'soon'"):
        as_times(pa.chunked_array([["soon"]]), "when")
    for far in ("1e308", "-1e308", "inf"):
        with pytest.raises(InputError, match=r"time column 'when' contains .*; expected"):
            as_times(pa.chunked_array([["1", far]]), "when")
    assert as_times(pa.chunked_array([["1763731200000000000"]])).tolist() == [1763731200000000000.0]


def test_runs_of_wide_files(write: Write) -> None:
    text = "id,h1,judge_run2,judge_run1,judge_run10\na,1,1.5,1.25,1\nb,2,2.5,2.25,x\nc,3,2.5,2.75,3\n"
    scores = read(write(text))
    assert scores.columns("system") == ("judge_run1",)
    assert scores.columns("run") == ("judge_run2", "judge_run10")
    assert scores.runs is not None
    assert same(scores.runs, [[1.25, 1.5, 1], [2.25, 2.5, np.nan], [2.75, 2.5, 3]])
    assert read(write(text), from_keywords(runs=[], groups=[])).runs is None
    both = read_systems(write(text), from_keywords(systems=["judge_run1", "judge_run2"]))
    assert [table.columns("run") for table in both] == [("judge_run10",), ()]


def test_unparseable_scores_may_stop_a_run(write: Write) -> None:
    path = write("id,human,system\na,1,1.2\nb,2,I refuse\nc,3,3.1\nd,4,\n")
    assert read(path).outputs == (4, 1, 1, 0, 1)
    with pytest.raises(InputError, match="row 3: column 'system' contains 'I refuse', expected a number"):
        read(path, from_keywords(unparseable="refuse"))


def test_several_questions_of_one_form_raise_a_question_which_is_evaluated() -> None:
    rows = [
        (f"E{essay:02}", f"{rater}@uni.edu", essay, at)
        for essay in range(40)
        for at, rater in enumerate(("ann", "ben"))
    ]
    coherence = [(essay + at * (essay % 4 == 1)) % 5 + 1 for *_, essay, at in rows]
    language = [(essay + at * (essay % 3)) % 5 + 1 for *_, essay, at in rows]
    asks = ["Which essay are you scoring?", "How coherent is the essay?", "How good is the language?"]
    texts = [[text for _, text, *_ in rows], [text for text, *_ in rows]]
    answers = pa.table([*texts, coherence, language], ["Email Address", *asks])
    with pytest.raises(QuestionError, match=r"each row has several scores: .* Which one should be evaluated") as asked:
        read_tables(answers)
    assert [options[-1] for _, options in asked.value.choices] == asks[1:]
    (ratings,) = read_tables(
        answers, from_keywords(layout="long", score="How good is the language?", ratings_only=True)
    )
    assert ratings.kept == 40


def test_an_address_of_a_bot_is_an_engine() -> None:
    rows = [
        (f"E{essay:02}", who, essay) for essay in range(40) for who in ("ann@b.org", "ben@b.org", "score-bot@b.org")
    ]
    scored = [essay * 7 % 5 + (who[0] == "b" and essay % 4 == 0) for _, who, essay in rows]
    columns = [[text for text, *_ in rows], [who for _, who, _ in rows], scored]
    scores = read(pa.table(columns, ["essay", "Email Address", "Overall score"]))
    assert (scores.columns("system"), len(scores.raters)) == (("score-bot@b.org",), 2)


def test_values_that_name_raters_count_in_a_column_with_a_word_for_scores() -> None:
    rows = [(f"E{essay:02}", who, essay) for essay in range(40) for who in ("Human 1", "Human 2", "Machine")]
    scored = [essay * 7 % 5 + (who[-1] == "2" and essay % 4 == 0) for _, who, essay in rows]
    columns = [[text for text, *_ in rows], [who for _, who, _ in rows], scored]
    scores = read(pa.table(columns, ["essay_id", "score_type", "score"]))
    assert (scores.columns("system"), len(scores.raters)) == (("Machine",), 2)
