"""Files with one row per rating are known by their contents, whatever the column of responses is called."""

from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.errors import InputError, QuestionError
from reportgen.scores import ScoreTable, read
from reportgen.scores.looking import look
from reportgen.scores.reading import read_systems, read_tables
from reportgen.settings import from_keywords

IDS = ("bottle", "Wine", "art_id", "sentenceId", "subject", "item", "question_id", "prompt", "task_id", "zebra")
RATERS = ("rater", "judge", "grader_id", "coder", "human", "expert", "worker_id", "annotator", "ann", "Evaluator")
SCORES = ("score", "Scores", "rating", "label", "mark")


def ratings(
    seed: int, names: tuple[str, str, str], *, responses: int = 24, raters: int = 3, gaps: float = 0.0,
    numbers: bool = True, engine: bool = True,
) -> pa.Table:  # fmt: skip
    """Return ratings, their rows and columns in any order."""
    random = np.random.default_rng(seed)
    pairs = [pair for pair in product(range(responses), range(raters)) if random.random() >= gaps]
    random.shuffle(pairs)
    truth = random.integers(1, 5, responses)
    columns = {
        names[0]: [one + 101 if numbers else f"t{one}" for one, _ in pairs],
        names[1]: [two + 1 if numbers else f"Coder {'ABCDEFGH'[two]}" for _, two in pairs],
        names[2]: [int(truth[one] + random.integers(0, 2)) for one, _ in pairs],
    }
    if engine:
        columns["gpt4_score"] = [float(truth[one]) + one / 100 for one, _ in pairs]
    return pa.table({name: columns[name] for name in random.permutation(list(columns))})


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 10_000), st.sampled_from(IDS), st.sampled_from(RATERS), st.sampled_from(SCORES),
    st.booleans(), st.sampled_from([0.0, 0.2]), st.integers(2, 6),
)  # fmt: skip
def test_raters_that_cross_responses_are_detected_under_any_name(
    seed: int, response: str, rater: str, score: str, numbers: bool, gaps: float, raters: int
) -> None:
    table = ratings(seed, (response, rater, score), raters=raters, gaps=gaps, numbers=numbers)
    scores = read(table)
    assert isinstance(scores, ScoreTable)
    assert [scores.columns(role) for role in ("id", "rater", "score", "system")] == [
        (response,), (rater,), (score,), ("gpt4_score",),
    ]  # fmt: skip
    assert scores.read == len(set(table[response].to_pylist()))
    assert scores.ratings is not None
    assert scores.ratings.n == table.num_rows


def test_columns_constant_within_responses_are_not_another_reading() -> None:
    table = ratings(1, ("example_id", "judge", "score"))
    ids = table["example_id"].to_pylist()
    table = table.append_column("words", pa.array([200 + each for each in ids]))
    table = table.append_column("title", pa.array([f"title {each}" for each in ids]))
    table = table.append_column("book", pa.array([f"book {each // 4}" for each in ids]))
    assert read(table).columns("id") == ("example_id",)


def wide(seed: int, n: int = 120, **more: object) -> pa.Table:
    """Return rows that are responses: students answer several questions, and few columns differ everywhere."""
    random = np.random.default_rng(seed)
    truth = random.integers(1, 6, n)
    columns: dict[str, object] = {"student": [f"s{i // 5}" for i in range(n)], "question": [f"q{i % 5}"
        for i in range(n)], "score": truth, "engine": truth + random.normal(0, 0.5, n)}  # fmt: skip
    return pa.table(columns | more)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000))
def test_repeated_students_and_questions_are_not_ratings(seed: int) -> None:
    random = np.random.default_rng(seed)
    words = random.integers(50, 400, 120)
    assert read(wide(seed, words=words, position=random.integers(0, 200, 120))).ratings is None
    table = wide(seed, judge=random.integers(1, 6, 120)).drop_columns(["engine"])
    scores = read(table)
    assert (scores.ratings, scores.columns("system")) == (None, ("judge",))


def test_models_that_wrote_the_responses_are_not_raters() -> None:
    random = np.random.default_rng(5)
    truth = random.integers(1, 6, 120)
    table = pa.table({"prompt_id": [i // 4 for i in range(120)], "model": [f"writer {'abcd'[i % 4]}"
        for i in range(120)], "human_score": truth, "judge_score": truth + random.normal(0, 0.5, 120)})  # fmt: skip
    assert read(table).ratings is None


@pytest.mark.parametrize("response", ["sample_id", "essay_id", "bottle"])
@pytest.mark.parametrize("rater", ["model", "judge_model", "judge", "llm"])
def test_human_scores_repeated_next_to_judge_scores_raise_a_question(response: str, rater: str) -> None:
    random = np.random.default_rng(6)
    human = random.integers(1, 6, 30)
    table = pa.table({response: [i // 4 for i in range(120)], "human_score": [int(human[i // 4]) for i in range(120)],
        rater: [f"gpt-{'abcd'[i % 4]}" for i in range(120)], "judge_score": [float(human[i // 4]) + random.normal()
        for i in range(120)]})  # fmt: skip
    shuffled = table.take(random.permutation(120))
    keys = f"--layout long --id {response} --rater {rater} --score judge_score --human human_score"
    with pytest.raises(QuestionError, match=keys):
        read(shuffled)
    found = look(shuffled)
    assert len(found.questions) == 1
    assert not found.accounts
    data = {"id": response, "rater": rater, "score": "judge_score", "human": ["human_score"]}
    systems = read_systems(shuffled, from_keywords(layout="long", **data))
    assert [(each.kept, each.human[:, 0].sum()) for each in systems] == [(30, human.sum())] * 4
    table = table.set_column(1, "human_score", pa.array(range(120)))
    with pytest.raises(InputError, match="differs between rows"):
        read(table, from_keywords(layout="long", **data))


def test_two_possible_response_columns_raise_a_question() -> None:
    table = ratings(7, ("photo", "judge", "score"), responses=20, raters=5, engine=False)
    rows = zip(table["photo"].to_pylist(), table["judge"].to_pylist(), strict=True)
    table = table.append_column("place", pa.array([f"x{(photo * 7 + judge) % 20}" for photo, judge in rows]))
    with pytest.raises(QuestionError, match=r"--id photo .* --id place"):
        read(table)
    assert look(table, from_keywords(id="photo")).columns("id") == ("photo",)


def test_students_rated_once_by_each_rater_raise_a_question() -> None:
    table = ratings(8, ("student", "rater", "score"), numbers=False, engine=False)
    with pytest.raises(QuestionError, match="--layout long --id student"):
        read(table)
    assert read(ratings(8, ("student", "rater", "score"), numbers=False)).columns("id") == ("student",)


def test_declared_ratings_that_cannot_be_found_are_a_question_in_look() -> None:
    assert "--id NAME" in look(pa.table({"a": [1, 2], "b": [2, 2]}), from_keywords(layout="long")).questions[0]


def test_a_measurement_is_not_an_id() -> None:
    scores = {"human": [1, 2, 2, 1], "engine": [1.2, 2.2, 1.9, 1.1]}
    table = pa.table({"latency_ms": [1518, 1522, 1490, 1600], "item_id": [4, 8, 9, 11], **scores})
    assert read(table).columns("id") == ("item_id",)
    assert read(table.drop_columns(["item_id"])).columns("id") == ()


def test_patterns_match_columns_of_words() -> None:
    cells = {"winner2": "abtaba", "winner1": "abaata", "engine_says": "abbaba"}
    winners = pa.table({name: list(each) for name, each in cells.items()})
    found = read(winners, from_keywords(human=["winner*"], system="engine_says", unordered=True))
    assert found.columns("human") == ("winner1", "winner2")


@pytest.mark.parametrize("engine", [True, False])
def test_candidate_and_item_name_a_response_together(engine: bool) -> None:
    rows = [(f"s{i // 5}", f"q{i % 5}", rater, i % 4 + 1, i / 7) for i in range(100) for rater in ("Ann", "Bob")]
    names = ("student", "question", "rater", "score", "engine")
    table = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    table = table if engine else table.drop_columns(["engine"])
    (found,) = read_tables(table, from_keywords(ratings_only=not engine))
    assert found.columns("id") == ("student + question",)


def test_ids_shared_by_few_raters_are_detected_by_a_constant_engine_score() -> None:
    random = np.random.default_rng(9)
    rows = [(f"p{i}", int(k) + 10_000, i % 4 + 1, i / 7) for i in range(150) for k in random.choice(300, 3, False)]
    names = ("pic", "worker_id", "score", "engine")
    scores = read(pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))))
    assert (scores.columns("id"), scores.read) == (("pic",), 150)


def test_a_unique_response_id_with_crossed_raters_raises_a_question() -> None:
    table = ratings(10, ("item", "rater", "score"))
    table = table.append_column("response_id", pa.array([f"r{i}" for i in range(table.num_rows)]))
    with pytest.raises(QuestionError, match="--layout wide"):
        read(table)


def test_any_two_columns_of_words_may_name_a_response_if_raters_cross_them() -> None:
    rows = [(f"TP-{n}", f"Standard {s}", f"Assessor {a}", (n + s + a * (n % 3 == 0)) % 4 + 1, (n + s) % 4 + 1)
        for n in range(30) for s in range(3) for a in (n % 4, (n + 1) % 4)]  # fmt: skip
    names = ("Portfolio", "Standard", "Assessor", "Score", "AI Score")
    (scores,) = read_tables(pa.table(dict(zip(names, zip(*rows, strict=True), strict=True))))
    assert (scores.kept, scores.columns("id"), scores.columns("item")) == (90, ("Portfolio + Standard",), ("Standard",))
    assert not scores.columns("group")


def test_a_batch_is_an_answer_with_what_its_first_report_needs() -> None:
    top = [3, 6] * 60
    human = [str(row * 7 % (most + 1)) if row % 15 else "BFT"[row // 15 % 3] for row, most in enumerate(top)]
    engine = [row * 7 % (most + 1) + row % 5 / 4 for row, most in enumerate(top)]
    question = look(pa.table({"max_points": top, "human": human, "engine": engine})).questions[0]
    assert "batch --by max_points --missing B,F,T" in question


def test_marks_of_points_are_one_score_and_statistics_are_none() -> None:
    human, engine = [row * 7 % 5 + 1 for row in range(60)], [row * 7 % 5 + 1.25 for row in range(60)]
    marks = {f"rating.{point}": ["true" if one == point else "false" for one in human] for point in range(1, 6)}
    (scores,) = read_tables(pa.table(marks | {"engine": engine, "part.1": [[1]] * 60, "part.2": [[2]] * 60}))
    assert [*map(float, scores.human[:, 0])] == human
    shares = {name: [one / 7 for one in human] for name in ("QWK human-human", "QWK human-engine", "mean engine")}
    with pytest.raises(InputError, match="averages or other statistics"):
        read(pa.table(shares))
