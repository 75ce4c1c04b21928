"""Test layouts of files: the raters, the engine columns, and the question between two readings."""

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from command import refused
from command import reportgen as run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reportgen.design import profiles
from reportgen.design.derived import with_derived
from reportgen.design.profiles import MOST_SCORES, Profile
from reportgen.errors import InputError, QuestionError, SettingsError
from reportgen.scores.looking import look
from reportgen.scores.reading import read_tables
from reportgen.settings import DataSettings, from_keywords
from reportgen.sources.tabular import TableReader

N = 60
TRUTH = np.random.default_rng(3).integers(1, 6, N)


def column(kind: str, place: int) -> list[object]:
    """Return the cells of a column of a kind."""
    random = np.random.default_rng(place)
    points = np.clip(TRUTH + random.integers(-1, 2, N), 1, 5)
    first = np.clip(TRUTH + np.random.default_rng(1).integers(-1, 2, N), 1, 5)
    sums = sum(np.clip(TRUTH + np.random.default_rng(each).integers(-1, 2, N), 1, 5) for each in (1, 2))
    cells: dict[str, list[object]] = {"sums": np.asarray(sums).tolist(), "points": points.tolist(),
        "copies": np.where(np.arange(N) % 30 == 3, first % 5 + 1, first).tolist(), "smooth": (TRUTH + random.normal(0,
        0.6, N)).round(3).tolist(), "counts": random.integers(50, 400, N).tolist(), "words": ["pass" if point > 2
        else "fail" for point in points], "correct": ["correct" if point > 2 else "incorrect" for point in points],
        "unique": [f"r{row}" for row in range(N)], "two": random.choice(["f", "m"], N).tolist(),
        "tens": random.choice([10, 20, 30, 40], N).tolist(), "pairs": [f"p{row // 2}" for row in range(N)],
        "drift": random.uniform(0.5, 3, N).round(3).tolist(), "commas": [f"{point:.2f}".replace(".", ",")
        for point in TRUTH + random.normal(0, 0.6, N)]}  # fmt: skip
    return cells[kind]


def frame(layout: str) -> pa.Table:
    """Return the file of a layout, as in ``human1:points engine:smooth``; an underscore is a space after a tilde."""
    columns = [each.rsplit(":", 1) for each in layout.split()]
    return pa.table({name.replace("~", " "): column(kind, place) for place, (name, kind) in enumerate(columns)})


READ = {
    "id:unique human1:points human2:points engine:smooth": "human1 human2 | engine",
    "id:unique human1:points human2:points human:sums engine:smooth": "human1 human2 | engine",
    "id:unique read1:points years:counts confidence:drift sex:two engine:smooth": "read1 | engine",
    "doc:unique engine:smooth hter_0:smooth hter_1:smooth": "hter_0 hter_1 | engine",
    "doc:unique engine:smooth score_a:points score_b:points": "score_a score_b | engine",
    "doc:unique qe:smooth annot.1:points annot.2:points": "annot.1 annot.2 | qe",
    "doc:unique gpt:points expert_1:points expert_2:points": "expert_1 expert_2 | gpt",
    "doc:unique sonnet:points expert_a:points expert_b:points teacher_a:points teacher_b:points":
        "expert_a expert_b teacher_a teacher_b | sonnet",
    "id:unique gpt4_score:points difficulty:tens": "| gpt4_score",
    "doc:unique system:smooth x_1:points x_2:points len_1:counts len_2:counts": "| system",
    "id:unique system:smooth essaytrait_1:points essaytrait_2:points len_1:counts len_2:counts":
        "essaytrait_1 essaytrait_2 | system",
    "id:unique human:points rater:pairs system:smooth words:counts": "human | system",
    "id:unique human_score:points run_1:points run_2:points run_3:points": "human_score | run_1",
    "id:unique human_verdict:words judge_verdict:correct": "human_verdict | judge_verdict",
    "id:unique h1:points gpt_few_run1:smooth gpt_few_run2:smooth claude:smooth gpt_few_cost:counts gpt_few_mean:smooth":
        "h1 | claude gpt_few_run1",
    "id:unique score:points system:smooth word_count:counts latency_ms:counts": "score | system",
    "script:unique first_read:points second_read:points engine_pct:points": "first_read second_read | engine_pct",
    "id:unique bedömare1:points bedömare2:points maskin:commas": "bedömare1 bedömare2 | maskin",
    "id:unique First(human):points Second(AI):points": "First(human) | Second(AI)",
    "id:unique post_score:points ai_post_score:points": "post_score | ai_post_score",
    "id:unique human_pref:points judge_order1:points judge_order2:points": "human_pref | judge_order1 judge_order2",
    "id:unique human_faithfulness:points relevancy:smooth faithfulness:smooth": "human_faithfulness | faithfulness",
    "id:unique feedback.human_fit:points feedback.fit:points": "feedback.human_fit | feedback.fit",
    "id:unique human_mean:smooth human_sd:drift machine:smooth": "human_mean | machine",
    "id:unique rater1_domain1:points rater2_domain1:points pred:smooth": "rater1_domain1 rater2_domain1 | pred",
    "id:unique TA:points Professor:points AI~Q.~2~/10.00:smooth": "Professor TA | AI~Q.~2~/10.00",
    "id:unique Rdr1_Scr:points Rdr2_Scr:points AES_Scr:smooth": "Rdr1_Scr Rdr2_Scr | AES_Scr",
    "id:unique évaluateur1:points évaluateur2:points modèle:smooth": "évaluateur1 évaluateur2 | modèle",
}  # fmt: skip
"""Layout -> human scores and engines."""

_ALONE = "--ratings-only"
ASKED = {
    "id:unique anna:points score:smooth": ["--human anna --system score"],
    "id:unique a:points b:points":
        [_ALONE, "--human a --system b", "--human b --system a"],
    "id:unique human1:points human2:points x:points": ["--human 'human*' --system x", _ALONE],
    "id:unique human:points score:points": [_ALONE, "--human human --system score"],
    "id:unique human:points x:points": [_ALONE, "--human human --system x"],
    "id:unique Anna:points Ben:points engine:smooth":
        ["--human Anna --human Ben --system engine", "--human Anna --system engine"],
    "id:unique engine:smooth foo_1:smooth foo_2:smooth": ["--human 'foo_*' --system engine"],
    "id:unique score:points label:points pred:smooth": ["--human label --system pred", "--human score --system pred"],
    "id:unique gpt:points claude:points": ["--human claude --system gpt"],
    "id:unique q_1:points q_2:points final_score:sums zz:smooth":
        ["--human 'q_*' --system zz", "--human q_1 --system zz"],
    "id:unique a:points b:points c:tens":
        ["--human a --human b --system c", _ALONE, "--human a --system b", "--human b --system a"],
    "id:unique c:points b:tens a:points":
        [_ALONE, "--human a --system c", "--human c --system a"],
    "id:unique h1:points h2:points w:drift score_m:points": ["--human 'h*' --system score_m", _ALONE],
    "id:unique h1:points h2:points h3:copies engine:smooth":
        ["--human 'h*' --system engine", "--human h1 --human h2 --system engine"],
    "id:unique human:points v1.0:smooth v1.1:smooth":
        ["--human human --system v1.0 --system v1.1", "--human human --system v1.0"],
    "id:unique Grade:points Marker2:points AI_grade:smooth":
        ["--human Marker2 --system AI_grade --human Grade", "--human Marker2 --system AI_grade"],
    "id:unique Q1_teacher:points Q2_teacher:points ai:smooth":
        ["--human Q1_teacher --system ai", "--human Q2_teacher --system ai"],
    "id:unique Judge~Ali:points Judge~Bo:points LLM~judge:smooth":
        ["--human 'Judge Ali' --human 'Judge Bo' --system 'LLM judge'", "--human 'Judge Ali' --system 'LLM judge'"],
    "id:unique x_note_1:points x_note_2:points machine:smooth":
        ["--human 'x_note_*' --system machine", "--human x_note_1 --system machine"],
    "id:unique human_annotation:correct evaluator_result:words": ["--human human_annotation --system evaluator_result"],
}  # fmt: skip
"""Layout -> the options of each answer, the likelier first."""


@pytest.mark.parametrize("layout", READ)
def test_the_clearly_best_reading_is_chosen_for_any_order_of_columns(layout: str) -> None:
    table = frame(layout)
    humans, _, systems = (each.strip() for each in READ[layout].partition("|"))
    for names in (table.schema.names, table.schema.names[::-1]):
        if not humans:
            with pytest.raises(QuestionError):
                read_tables(table.select(names))
            continue
        found = read_tables(table.select(names))
        assert sorted(found[0].raters) == humans.split()
        assert [each.columns("system")[0] for each in found if each.columns("system")] == [
            name.replace("~", " ") for name in systems.split()
        ]


@pytest.mark.parametrize("layout", ASKED)
def test_close_readings_raise_a_question_and_each_answer_works(layout: str) -> None:
    table = frame(layout)
    with pytest.raises(QuestionError) as asked:
        read_tables(table)
    assert [shlex.join(options) for _, options in asked.value.choices] == ASKED[layout]
    assert "right, use --human NAME" in str(asked.value) or len(asked.value.choices) > 1
    assert look(table).questions == (str(asked.value).removeprefix("data frame: "),)
    for _, options in asked.value.choices:
        alone = "--ratings-only" in options
        words = [each for each in options if each != "--ratings-only"]
        human, systems = (
            [name for option, name in zip(words[::2], words[1::2], strict=True) if option == side]
            for side in ("--human", "--system")
        )
        found = read_tables(table, from_keywords(human=human or None, systems=systems or None, ratings_only=alone))
        assert bool(found[0].columns("system")) != alone


def test_a_question_in_the_terminal_shows_commands_that_can_be_pasted(tmp_path: Path) -> None:
    pa_csv.write_csv(frame("id:unique human1:points human2:points x:points"), tmp_path / "s.csv")
    done = refused("evaluate", "s.csv", "report", "--tables-only", "--human", "human*", cwd=tmp_path)
    assert done.startswith("question: s.csv: no column looks like engine scores")
    commands = [line.strip() for line in done.splitlines() if line.startswith("     ")]
    assert len(commands) == 2
    for number, command in enumerate(commands):
        words = shlex.split(command)
        assert words[:4] == ["reportgen", "evaluate", "s.csv", "report"]
        run(*(word if word != "report" else f"report{number}" for word in words[1:]), cwd=tmp_path)


def test_human_next_to_score_in_a_few_rows_raises_a_question_with_both_answers() -> None:
    with pytest.raises(QuestionError, match="the engine scores could be in 'score' or 'human'") as asked:
        read_tables(frame("id:unique human:points score:points").slice(0, 7))
    one, two = (options for _, options in asked.value.choices)
    assert (one, two) == (("--system", "score", "--human", "human"), ("--system", "human", "--human", "score"))


def test_a_file_without_rows_raises_an_error_about_rows() -> None:
    with pytest.raises(InputError, match="a header but no rows"):
        read_tables(frame("id:unique human:points score:points").slice(0, 0))


def test_missing_columns_raise_helpful_errors() -> None:
    with pytest.raises(QuestionError, match="looks like human scores; name the column with --human NAME"):
        read_tables(frame("id:unique engine:smooth"))
    with pytest.raises(SettingsError, match="requires two columns of ratings; name each"):
        read_tables(frame("id:unique verdict:words"), from_keywords(ratings_only=True))
    with pytest.raises(QuestionError, match="no column looks like engine scores"):
        read_tables(frame("id:unique engine:smooth"), from_keywords(human=["engine"]))


def test_detected_groups_do_not_depend_on_the_order_of_columns() -> None:
    names = ["gender:two", *(f"c{place}:two" for place in range(40))]
    for order in (names, names[::-1]):
        (found,) = read_tables(frame(f"id:unique human:points system:smooth {' '.join(order)}"))
        assert {*found.columns("group")} == {"gender", *(f"c{n}" for n in range(29))}


def test_texts_that_follow_from_a_score_are_not_groups() -> None:
    table = frame("id:unique human:points system:smooth sex:two")
    human, random = table["human"].to_pylist(), np.random.default_rng(1)
    for name, cells in {
        "Final Grade": random.choice([*"ABCDF"], N).tolist(),
        "band": ["high" if point > 2 else "low" for point in human],
        "failure": ["" if point > 2 else "ab"[row % 2] for row, point in enumerate(human)],
        "visit": random.choice(["", "seen"], N).tolist(),
        "sent": random.choice(["2026-01-05 10:00", "2026-01-06 09:30"], N).tolist(),
        "AI confidence": random.choice(["high", "low"], N).tolist(),
    }.items():
        table = table.append_column(name, pa.array(cells))
    (found,) = read_tables(table)
    assert found.columns("group") == ("sex", "visit")
    assert {name: why for name, why in found.left_out if "derived" in why} == dict.fromkeys(
        ("band", "failure"), "derived from 'human'"
    )


CELLS = st.one_of(
    st.none(), st.sampled_from(["", " ", "x", "nan", "inf", "1e400", "a longer text"]),
    st.floats(-50, 50).map(repr), st.integers(-60, 60).map(str), st.integers(-9, 9).map(lambda n: str(n / 2)),
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(cells=st.lists(CELLS, max_size=80), rows=st.integers(1, 9), dictionary=st.booleans())
def test_facts_of_blocks_add_up_to_facts_of_the_column(
    cells: list[str | None], rows: int, dictionary: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    column: Any = pa.chunked_array([pa.array(cells[: len(cells) // 2], pa.string()),
                                    pa.array(cells[len(cells) // 2 :], pa.string())])  # fmt: skip
    column = column.dictionary_encode() if dictionary else column
    monkeypatch.setattr(profiles, "BLOCK_ROWS", rows)
    monkeypatch.setattr(profiles, "MOST_COUNTED", 3)
    found = Profile(column, "c")
    numbers = np.array([float(cell) for cell in cells if cell not in (None, "", " ", "x", "a longer text")])
    numbers = numbers[np.isfinite(numbers)]
    assert found.is_fractional == (found.is_numeric and bool(np.any(2 * numbers != np.rint(2 * numbers))))
    distinct = np.unique(numbers).size
    assert len(found.points) == distinct or len(found.points) > MOST_SCORES < distinct
    assert found.is_blank == (not any((cell or "").strip() for cell in cells))
    assert found.is_unique == (len(set(cells)) == len(cells) and None not in cells)


ONE, TWO = column("points", 1), column("points", 2)
INSIDE = {
    "[{}, {}]": "up to 2 ratings", "{}|{}": "up to 2 ratings", "{},{}": "up to 2 ratings",
    "('{}', '{}')": "up to 2 ratings", '{{"rater1": {}, "rater2": "{}"}}': "'rater1' and 'rater2' are read",
    "{{'score': {}, 'why': 'It is clear, and has few errors, but it has no end.'}}": "'score' is read",
    "It is clear. Rating: [[{}]]": "texts with a score, such as 'Rating: [[", '{{"human_score": {}}}': "'human_score'",
    "[PASS] (1.00)\n\n{}\n\nPass Reason: fine": "such as '", "Style: 3 of 5.\n**Final score: {}/5**": "'Final score: ",
}  # fmt: skip


@pytest.mark.parametrize(("cells", "said"), INSIDE.items())
def test_ratings_inside_cells_are_read(cells: str, said: str) -> None:
    given = [cells.format(*pair) for pair in zip(ONE, TWO, strict=True)]
    [found] = read_tables(pa.table({"id": column("unique", 0), "ratings": given, "engine": column("smooth", 3)}))
    assert found.human.T.tolist() == [ONE, TWO][: cells.count("{}")]
    assert any(said in each for each in found.warnings)


@pytest.mark.parametrize("step", [0.5, 0.1])
def test_decimal_commas_are_not_lists_of_ratings(step: float) -> None:
    rng = np.random.default_rng(3)
    truth = rng.normal(4, 2, 200)
    scores = [np.clip(np.rint((truth + rng.normal(0, 1, 200)) / step) * step, low, 10) for low in (0, 0, -9)]
    cells = {
        name: [f"{value:.1f}".replace(".", ",") for value in each] for name, each in zip("abc", scores, strict=True)
    }
    head = pa.table({"id": [f"r{n}" for n in range(200)], **cells})
    assert with_derived(TableReader(head, None), DataSettings()).head.column_names == head.column_names  # type: ignore[arg-type]


COPIED = {"essay_id": [f"r{n}" for n in (*range(N), 1, 2)], "human": [*ONE, *ONE[1:3]], "engine": [*TWO, *TWO[1:3]]}
FOURS: list[object] = [f"e{n // 4}" for n in range(N)]
REPEATS: list[tuple[dict[str, list[object]], int]] = [
    ({"essay_id": [f"e{n // 2}" for n in range(N)], "human": ONE, "engine": [TRUTH[n // 2] for n in range(N)]}, N // 2),
    ({"essay_id": FOURS, "item": [n % 4 for n in range(N)], "human": ONE, "engine": TWO}, N),
    ({"essay_id": FOURS, "human": ONE, "engine": TWO}, N),
]


@pytest.mark.parametrize(("columns", "responses"), REPEATS)
def test_rows_that_repeat_an_id_raise_a_question(columns: Any, responses: int, tmp_path: Path) -> None:
    pa_csv.write_csv(pa.table(columns), tmp_path / "s.csv")
    said = refused("evaluate", "s.csv", "--tables-only", cwd=tmp_path)
    commands = [shlex.split(line)[1:] for line in said.splitlines() if "reportgen evaluate" in line]
    found = [run(*words, f"o{place}", cwd=tmp_path).stdout for place, words in enumerate(commands)]
    assert f"{responses} used" in found[0] or f"{responses} responses" in found[0]


def test_copies_of_rows_with_ids_count_once() -> None:
    [found] = read_tables(pa.table(COPIED))
    assert (found.read, any("counted once" in each for each in found.warnings)) == (N, True)


def test_a_table_with_one_row_per_rater_is_transposed() -> None:
    cells = {f"essay{n}": [int(str(each)) for each in (ONE[n], TWO[n], TRUTH[n])] for n in range(20)}
    [found] = read_tables(pa.table({"rater": ["R1", "R2", "gpt-4"], **cells}))
    assert (found.columns("human"), found.columns("system"), found.read) == (("R1", "R2"), ("gpt-4",), 20)


def test_answers_of_a_form_with_a_row_per_rater_are_transposed() -> None:
    cells = {f"Rate the texts [Text {n + 1}]": [int(str(each[n])) for each in (ONE, TWO)] for n in range(20)}
    form = pa.table({"Timestamp": ["2026-01-02 10:00", "2026-01-02 11:00"], "Your name": ["Anna", "Ben"], **cells})
    [found] = read_tables(form, from_keywords(ratings_only=True))
    assert (found.columns("human"), found.read) == (("Anna", "Ben"), 20)


def test_the_path_of_a_score_in_json_shows_whose_it_is(tmp_path: Path) -> None:
    rows = [
        {"id": f"r{n}", "quality": [{"user": "a", "value": int(str(ONE[n]))}, {"user": "b", "value": int(str(TWO[n]))}],
         "quality-suggestion": int(TRUTH[n]), "quality-suggestion-metadata": {"score": n % 9 / 10}}
        for n in range(N)
    ]  # fmt: skip
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, rows)))
    [found] = read_tables(tmp_path / "s.jsonl")
    assert found.columns("system") == ("quality-suggestion",)
    assert found.columns("human") == ("value 1", "value 2")


def test_a_final_score_that_repeats_the_engine_is_not_offered() -> None:
    table = frame("id:unique human:points engine:smooth")
    human = [None if n < 20 else each for n, each in enumerate(table["human"].to_pylist())]
    final = np.where(np.arange(N) < 20, np.rint(table["engine"]).clip(1, 5), table["human"])
    [found] = read_tables(table.set_column(1, "human", [human]).append_column("final_score", [final]))
    assert dict(found.left_out)["final_score"] == "repeats 'engine' where there is no human score"


def test_an_id_can_join_a_column_with_one_from_cells() -> None:
    cells = [f'{{"key": "k{n // 2}"}}' for n in range(8)]
    table = pa.table({"part": ["p", "q"] * 4, "meta": cells, "score": range(8)})
    found = with_derived(TableReader(table, None), DataSettings(id="meta.key + part"))  # type: ignore[arg-type]
    assert found.head["meta.key + part"].to_pylist()[:3] == ["k0 + p", "k0 + q", "k1 + p"]
