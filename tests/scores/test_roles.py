"""Which column plays which part."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from reportgen.errors import InputError, QuestionError, SettingsError
from reportgen.scores import read, read_systems, read_tables, resolved
from reportgen.scores.items import open_items
from reportgen.scores.reading import all_resolved
from reportgen.settings import Settings, from_keywords, override
from reportgen.sources.column_names import is_human_name, is_system_name

N = 40
CONTENTS = {"whole": [i % 4 + 1 for i in range(N)], "fraction": [i % 4 + 1.37 for i in range(N)], "unique": [f"r{i}"
    for i in range(N)], "two": ["f", "m"] * (N // 2), "pairs": [f"p{i // 2}" for i in range(N)], "words": [i % 7
    for i in range(N)], "other": [i % 7 % 4 + 1 for i in range(N)], "third": [i % 5 % 4 + 1 for i in range(N)]
    }  # fmt: skip


def frame(**columns: str) -> pa.Table:
    return pa.table({name: CONTENTS[content] for name, content in columns.items()})


def parts(table: pa.Table, **keywords: object) -> dict[str, tuple[str, ...]]:
    scores = read(table, from_keywords(**keywords))
    return {role: scores.columns(role) for role in ("system", "human", "id", "candidate", "item", "group")}


SYSTEMS = ["system", "Prediction", "score_machine", "LLM judge", "aiScore", "raw", "yhat", "model_score"]
HUMANS = ["human", "H1", "rater_1", "sc1", "score", "label", "gold", "grader", "first human score"]


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("human", HUMANS)
def test_common_names(system: str, human: str) -> None:
    found = parts(frame(**{"response_id": "unique", human: "whole", system: "fraction"}))
    assert found["system"] == (system,)
    assert found["human"] == (human,)
    assert found["id"] == ("response_id",)


def test_no_name_is_both_system_and_human() -> None:
    names = ["system", "machine", "engine", "prediction", "model", "judge", "human", "rater", "h2", "score_human"]
    assert all(is_system_name(name) != is_human_name(name) for name in names)


def test_raters_are_ordered_by_their_number() -> None:
    table = frame(system="fraction", human10="third", human2="other", human="whole")
    assert parts(table)["human"] == ("human", "human2", "human10")


def test_a_text_column_named_like_a_score_is_skipped() -> None:
    table = frame(id="unique", model="two", score_model="fraction", human="whole", rater="pairs")
    found = parts(table)
    assert (found["system"], found["human"]) == (("score_model",), ("human",))
    assert found["group"] == ()  # what wrote the texts is no group of candidates
    assert parts(table, groups="model")["group"] == ("model",)


def test_items_are_groups_only_when_named_and_so_are_numbers() -> None:
    table = frame(id="unique", human="whole", system="fraction", prompt="two", grade="words", words="words")
    found = parts(table)
    assert found["item"] == ("prompt",)
    assert found["group"] == ("grade",)
    told = "'prompt' contains items; to use them as groups, add --group prompt."
    assert told in read(table).warnings
    named = read(table, from_keywords(groups=["prompt", "grade"]))
    assert named.columns("group") == ("prompt", "grade")
    assert told not in named.warnings
    assert parts(table, groups=[])["group"] == ()
    assert parts(table, groups="grade")["group"] == ("grade",)


BOTH = {"human": "whole", "system": "fraction"}


@pytest.mark.parametrize(
    ("columns", "keywords", "words"),
    [
        ({**BOTH, "engine": "fraction"}, {}, ["'system'", "'engine'", "--system"]),
        ({"human": "whole", "x": "two"}, {}, ["engine score", "--system"]),
        ({"system": "fraction"}, {}, ["human score", "--human"]),
        (BOTH, {"system": "sytem"}, ["'sytem'", "did you mean 'system'"]),
        ({**BOTH, "x": "two"}, {"system": "human", "human": "human"}, ["both", "'human'"]),
        (BOTH, {"human": ["human", "human"]}, ["twice", "'human'"]),
        ({**BOTH, "sex": "two"}, {"groups": "six"}, ["group", "did you mean 'sex'"]),
        (BOTH, {"flags": {"adv": 0}}, ["flag", "'adv'"]),
        ({"id": "unique", "human": "whole", "system": "fraction"}, {"candidate": "id", "id": "id"}, ["both", "'id'"]),
    ],
)
def test_ambiguity_is_an_error_with_a_command(
    columns: dict[str, str], keywords: dict[str, object], words: list[str]
) -> None:
    with pytest.raises(SettingsError) as caught:
        read(frame(**columns), from_keywords(**keywords))
    for word in words:
        assert word in str(caught.value)


def test_resolved_settings_give_the_same_roles() -> None:
    table = frame(id="unique", human="whole", system="fraction", prompt="two", student="pairs", words="words")
    scores = read(table)
    again = read(table, resolved(Settings(), scores))
    for role in ("system", "human", "id", "candidate", "item", "group"):
        assert again.columns(role) == scores.columns(role)
    assert {role.how for role in again.roles} == {"specified"}


def test_columns_without_a_role_show_the_option_that_did_not_name_them() -> None:
    table = frame(system="fraction", judge_a="fraction", judge_b="whole", h1="whole", h2="whole", sex="two", town="two")
    left_out = dict(read(table, from_keywords(system="judge_a", human="h1", groups="sex")).left_out)
    hint = "numeric, role not recognized; if it is another engine, add --system judge_a --system"
    others = {"system": "not named with --system", "h2": "not named with --human", "town": "not named with --group"}
    assert left_out == {**others, "judge_b": f"{hint} judge_b"}
    left_out = dict(read(table, from_keywords(system="judge_a", human="h1", groups=[])).left_out)
    assert left_out["sex"] == left_out["town"] == "group detection is off"


def test_an_empty_column_of_a_rater_is_listed_as_empty() -> None:
    table = frame(id="unique", h1="whole", engine="fraction").append_column("h2", pa.nulls(N, pa.string()))
    scores = read(table)
    assert scores.columns("human") == ("h1",)
    assert dict(scores.left_out)["h2"] == "contains no scores"


@pytest.mark.parametrize(
    ("repeats", "answers"),
    [(1, []), (12, ["'id' and 'sex' together identify a response", "each row is a different response"])],
)
def test_few_repeated_ids_are_duplicates_and_many_are_a_design(repeats: int, answers: list[str]) -> None:
    lines = [(f"r{i - 1 if i % 2 and i <= 2 * repeats else i}", i % 5, i % 5 + 0.25, "fm"[i % 2]) for i in range(60)]
    columns = dict(zip(("id", "human", "engine", "sex"), map(list, zip(*lines, strict=True)), strict=True))
    with pytest.raises(QuestionError) as asked:
        read(pa.table(columns))
    assert [means for means, _ in asked.value.choices] == answers
    assert answers or "correct the IDs, or add --id '' if each row is a different response" in asked.value.text


def test_a_computed_score_raises_the_question_what_to_compare() -> None:
    rng = np.random.default_rng(2)
    true = rng.normal(3.5, 1.2, 200)
    one, two = (np.clip(np.rint(true + rng.normal(0, 0.6, 200)), 1, 6) for _ in range(2))
    table = pa.table({"h1": one, "h2": two, "engine": true, "resolved": (one + two) / 2})
    with pytest.raises(QuestionError, match=r"'resolved' is based on .* compared with") as asked:
        read(table, from_keywords(human="resolved"))
    alone, separate = (options for _, options in asked.value.choices)
    assert alone == ("--human", "resolved", "--system", "engine")
    assert "resolved" not in separate


def test_disabled_roles_are_not_detected(tmp_path: Path) -> None:
    lines = [f"r{i},{i % 4 + 1},{i % 4 + 1.25},s{i // 2},P{i % 2}" for i in range(40)]
    path = tmp_path / "s.csv"
    path.write_text("\n".join(["id,human,system,student,prompt", *lines]) + "\n")
    off = from_keywords(candidate="", item="", by="prompt")
    scores = read(path, override(off, by=()))
    assert not scores.columns("candidate")
    assert not scores.columns("item")
    again = resolved(override(off, by=()), scores)
    assert again.data.candidate == again.data.item == ""
    items = open_items(path, off)
    assert not items.part(0).read(items.settings_of(0)).columns("candidate")
    assert parts(frame(id="unique", human="whole", system="fraction", student="two"))["candidate"] == ("student",)


def test_a_text_of_many_values_with_few_responses_is_like_an_item() -> None:
    table = frame(id="unique", human="whole", system="fraction").append_column(
        "passage", [[f"p{i % 13}" for i in range(N)]]
    )
    scores = read(table)
    assert scores.columns("group") == ()
    assert dict(scores.left_out)["passage"].startswith("13 values with few responses, like items")
    assert parts(table, groups="passage")["group"] == ("passage",)


def test_patterns_match_columns_of_both_sides() -> None:
    names = {"expert_1": "whole", "expert_2": "words", "expert_note": "two", "human": "third"}
    table = frame(id="unique", gpt_run1="fraction", gpt_run2="fraction", gemini="fraction", **names)
    scores = read(table, from_keywords(system="gpt*", human="expert_*", scale="0:6"))
    assert scores.columns("system") == ("gpt_run1",)
    assert scores.columns("run") == ("gpt_run2",)
    assert scores.columns("human") == ("expert_1", "expert_2")
    assert dict(scores.left_out)["human"] == "not named with --human"
    found = read_systems(table, from_keywords(system="g*"))
    assert [one.columns("system")[0] for one in found] == ["gemini", "gpt_run1"]
    with pytest.raises(SettingsError, match="matches none of the score columns"):
        read(table, from_keywords(human="Expert_*"))


def test_a_grade_is_a_score_if_it_agrees_with_scores_or_has_more_values_than_schools_have_grades() -> None:
    marks = [(7 * i) % 40 + 50 for i in range(N)]
    table = pa.table({"Grade": marks, "e-rater score": [mark + i % 3 for i, mark in enumerate(marks)]})
    assert parts(table)["human"] == ("Grade",)
    near = [[max(i % 4 + (i % n != 0), 1) for i in range(N)] for n in (3, 5, 7)]
    with pytest.raises(SettingsError, match="'Grade' agrees closely with 'Second marker'"):
        read(pa.table(dict(zip(("Grade", "Second marker", "AI marker"), near, strict=True))))
    school = {"Grade": [i // 2 % 3 + 6 for i in range(N)], "Teacher": near[0], "AI": near[1]}
    assert parts(pa.table(school))["human"] == ("Teacher",)


def test_a_column_that_names_the_rated_systems_is_not_an_engine() -> None:
    table = pa.table(
        {
            "id": [f"r{i}" for i in range(N)], "system": ["Meena", "Mitsuku"] * (N // 2),
            "score_1": [i % 4 + 1 for i in range(N)], "score_2": [i % 4 + 1 + (i % 5 == 0) for i in range(N)],
        }
    )  # fmt: skip
    (ratings,) = read_tables(table, from_keywords(ratings_only=True))
    assert (ratings.systems, ratings.raters) == ((), ("score_1", "score_2"))
    labels = ["good", "fair"] * (N // 2)
    named = pa.table({"human": labels, "model": ["good", "fair", "fair", "good"] * (N // 4), "n_words": [*range(N)]})
    assert read(named, from_keywords(unordered=True)).columns("system") == ("model",)


def test_a_flag_of_double_scoring_is_no_group() -> None:
    first = [index * 7 % 5 for index in range(120)]
    second = [None if index % 4 else (score + index % 3) % 5 for index, score in enumerate(first)]
    columns = {"rater_1": first, "rater_2": second, "ai_score": first[1:] + first[:1]}
    flag = {"read_behind": ["no" if score is None else "yes" for score in second]}
    scores = read(pa.table(columns | flag))
    assert dict(scores.left_out)["read_behind"] == "marks the responses with 'rater_2'"
    assert not scores.groups
    other = {"district": ["yes" if index % 3 else "no" for index in range(120)]}
    assert [*read(pa.table(columns | other)).groups] == ["district"]


@pytest.mark.parametrize("name", ["Teacher 1 comment", "Opmerkingen", "備考", "qid"])
def test_remarks_and_questions_are_no_groups(name: str) -> None:
    first = [index * 7 % 5 for index in range(120)]
    columns = {"rater_1": first, "ai_score": [*first[1:], 0]}
    words = {name: ["fine" if index % 3 else "late" for index in range(120)]}
    assert not read(pa.table(columns | words)).groups


def test_an_engine_with_the_labels_of_the_raters_is_no_group_whatever_its_name() -> None:
    levels = ["1 - Beginning", "2 - Developing", "3 - Proficient", "4 - Advanced"]
    one = [levels[index * 7 % 4] for index in range(120)]
    two, engine = ([level if index % step else levels[index % 4] for index, level in enumerate(one)] for step in (3, 4))
    scores = read(pa.table({"Scorer 1": one, "Scorer 2": two, "AI Feedback Level": engine}))
    assert scores.columns("system") == ("AI Feedback Level",)
    assert not scores.groups


def test_a_third_rating_of_only_disagreements_is_an_adjudication_and_no_rating() -> None:
    one = [row * 7 % 5 for row in range(200)]
    two = [min(score + row % 3, 4) for row, score in enumerate(one)]
    settled = [
        (a + b) // 2 + row % 2 if abs(a - b) > 1 else None for row, (a, b) in enumerate(zip(one, two, strict=True))
    ]
    columns = {"rater_1": one, "rater_2": two, "engine": two[1:] + two[:1]}
    scores = read(pa.table(columns | {"rater_3": settled}))
    assert scores.columns("human") == ("rater_1", "rater_2")
    assert dict(scores.left_out)["rater_3"].startswith("rates only responses on which 'rater_1' and 'rater_2' differ")
    named = read(pa.table(columns | {"rater_3": settled}), from_keywords(human=("rater_1", "rater_2", "rater_3")))
    assert named.columns("human") == ("rater_1", "rater_2", "rater_3")
    some = [score if row % 5 == 0 else None for row, score in enumerate(one[3:] + one[:3])]
    assert read(pa.table(columns | {"rater_3": some})).columns("human") == ("rater_1", "rater_2", "rater_3")


def test_rows_of_one_response_that_are_runs_of_an_engine_are_one_response() -> None:
    ids = [f"q{row // 3}" for row in range(120)]
    human = [row // 3 * 7 % 5 for row in range(120)]
    engine = [(score + row % 7 // 3) % 5 for row, score in enumerate(human)]
    table = pa.table({"question": ids, "seed": [11, 12, 13] * 40, "human_score": human, "judge_score": engine})
    scores = read(table)
    assert (scores.kept, scores.system.tolist()) == (40, engine[::3])
    assert scores.runs is not None
    assert scores.runs[:, 1:].tolist() == [[*map(float, engine[row + 1 : row + 3])] for row in range(0, 120, 3)]
    assert read(table, resolved(Settings(), scores)).runs is not None
    assert read(table, from_keywords(layout="wide", id="")).kept == 120
    two = read_systems(table.append_column("llm_score", pa.array(engine[::-1])))
    assert [(each.kept, each.columns("system")) for each in two] == [(40, ("judge_score",)), (40, ("llm_score",))]
    people = table.set_column(2, "human_score", pa.array(engine[1:] + engine[:1]))
    assert read(people, from_keywords(id="")).kept == 120


def test_an_engine_with_the_range_of_a_sum_of_ratings_raises_the_question_what_it_is_compared_with() -> None:
    one = [row * 7 % 6 + 1 for row in range(150)]
    two = [min(score + row % 3, 6) for row, score in enumerate(one)]
    total = [a + b for a, b in zip(one, two, strict=True)]
    columns = {"rater1_domain1": one, "rater2_domain1": two, "domain1_score": total}
    with pytest.raises(QuestionError, match="Which score should the engine be compared with") as asked:
        read(pa.table(columns | {"predicted_score": total[1:] + total[:1]}))
    (_, alone), (_, ratings) = asked.value.choices
    assert alone == ("--human", "domain1_score", "--system", "predicted_score")
    assert ratings[:4] == ("--human", "rater1_domain1", "--human", "rater2_domain1")
    assert len(read(pa.table(columns | {"predicted_score": two[1:] + two[:1]})).raters) == 2


def test_questions_with_other_points_are_no_human_and_engine_scores() -> None:
    one = [row * 7 % 11 for row in range(80)]
    columns = {"1: Essay (10.0 pts)": one, "2: Short answer (5.0 pts)": [score // 2 for score in one[1:] + one[:1]]}
    with pytest.raises(QuestionError, match="no column looks like engine scores") as asked:
        read(pa.table({"SID": [*range(500, 580)], **columns}))
    assert not asked.value.choices


def noisy(n: int, columns: int) -> list[list[int]]:
    """Return columns of scores from 1 to 6 that agree like raters."""
    rng = np.random.default_rng(5)
    truth = rng.normal(3.5, 1.3, (n, 1))
    return np.clip(np.rint(truth + rng.normal(0, 0.7, (n, columns))), 1, 6).astype(int).T.tolist()  # type: ignore[no-any-return]


def test_a_third_reading_of_disagreements_is_no_rater_in_the_commands_of_a_question() -> None:
    one, two, three, engine = noisy(300, 4)
    third = [c if abs(a - b) > 1 else None for a, b, c in zip(one, two, three, strict=True)]
    with pytest.raises(QuestionError, match="no column looks like engine scores") as asked:
        read(pa.table({"H1": one, "H2": two, "H3": third, "XX": engine}))
    assert all("H3" not in options and "H*" not in options for _, options in asked.value.choices)


def test_a_total_with_the_name_of_an_engine_column_is_its_human_score() -> None:
    thesis, evidence = [row * 7 % 7 for row in range(90)], [row * 5 % 6 for row in range(90)]
    total = [a + b for a, b in zip(thesis, evidence, strict=True)]
    columns = {"1: Thesis (6.0 pts)": thesis, "2: Evidence (6.0 pts)": evidence, "Total Score": total}
    scores = read(pa.table(columns | {"AI Total Score": [min(score + 1, 12) for score in total]}))
    assert (scores.columns("human"), scores.columns("system")) == (("Total Score",), ("AI Total Score",))


def test_an_engine_found_by_its_contents_outside_the_range_of_ratings_raises_a_question() -> None:
    human = [row * 7 % 6 + 1 for row in range(120)]
    reading_ease = [4 + 1.37 * score + row % 7 / 3 for row, score in enumerate(human)]
    with pytest.raises(QuestionError, match="Which are human scores, and which are engine scores"):
        read(pa.table({"human_score": human, "reading_ease": reading_ease}))


@pytest.mark.parametrize(
    ("names", "engines"),
    [(("rater_1", "rater_2"), ()), (("Score", "Score.1"), (("Score", "Score.1"), ("Score.1", "Score")))],
)
def test_ratings_without_a_known_engine_are_declared_first(
    names: tuple[str, str], engines: tuple[tuple[str, str], ...]
) -> None:
    table = pa.table(dict(zip(names, noisy(120, 2), strict=True)))
    with pytest.raises(QuestionError, match="Are all scores human ratings") as asked:
        read_tables(table)
    assert [options for _, options in asked.value.choices] == [
        ("--ratings-only",),
        *(("--human", one, "--system", two) for one, two in engines),
    ]
    assert read_tables(table, from_keywords(ratings_only=True))[0].raters == names


def test_a_final_score_next_to_its_ratings_raises_a_question() -> None:
    one, two, engine = noisy(120, 3)
    final = [a if a == b else max(a, b) for a, b in zip(one, two, strict=True)]
    with pytest.raises(QuestionError, match="'final_band' is based on 'rater_1' and 'rater_2'") as asked:
        read(pa.table({"rater_1": one, "rater_2": two, "final_band": final, "engine": engine}))
    assert [options[1] for _, options in asked.value.choices] == ["final_band", "rater_*"]


def test_a_total_that_includes_the_engine_is_refused() -> None:
    automatic, manual = ([row * k % 6 for row in range(90)] for k in (5, 7))
    total = [a + b for a, b in zip(automatic, manual, strict=True)]
    with pytest.raises(InputError, match="is the sum of '1: Autograder' and '2: Style'"):
        read(pa.table({"Total Score": total, "1: Autograder": automatic, "2: Style": manual}))


def test_a_letter_beside_numbers_is_no_rater_of_the_series() -> None:
    with pytest.raises(QuestionError) as asked:
        read(pa.table(dict(zip(("SCORE_1", "SCORE_2", "SCORE_E"), noisy(120, 3), strict=True))))
    every = [options for _, options in asked.value.choices]
    assert ("--human", "SCORE_1", "--human", "SCORE_2", "--system", "SCORE_E") in every


def test_two_tables_side_by_side_are_refused() -> None:
    ids = [f"K{row:03}" for row in range(40)]
    human = [row % 4 for row in range(40)]
    table = {"ID": ids, "human": human, "ID2": ids[7:] + ids[:7], "AES score": human[7:] + human[:7]}
    with pytest.raises(InputError, match="same values in another order"):
        read(pa.table(table))


def test_comments_and_teachers_are_no_groups() -> None:
    human = [row * 7 % 5 for row in range(120)]
    beside = {"Teacher 1 comment": ["ok", "late"] * 60, "teacher_id": ["T1", "T2", "T3"] * 40, "sex": ["f", "m"] * 60}
    assert [*read(pa.table({"human": human, "engine": human[1:] + human[:1], **beside})).groups] == ["sex"]


@pytest.mark.parametrize("second", ["Essay 2 second marker (12346)", "Essay 2 2nd marker", "Essay 2 rater 3"])
def test_a_second_rating_is_not_alone_beside_the_first_rating(second: str) -> None:
    one, two, engine = noisy(120, 3)
    few = [score if row % 3 else None for row, score in enumerate(two)]
    names = ["Essay 2 (12345)", second, "Essay 2 AI score (12347)"]
    scores = read(pa.table(dict(zip(names, (one, few, engine), strict=True))))
    assert (scores.columns("human"), scores.columns("system")) == ((names[0], second), (names[2],))


def test_columns_with_several_times_higher_scores_raise_the_question_which_are_ratings() -> None:
    one, two, engine = noisy(120, 3)
    table = pa.table({"rater_1": one, "rater_2": two, "rater_3": [5 * each + 1 for each in two], "engine": engine})
    with pytest.raises(QuestionError, match="have very different highest scores") as asked:
        read(table)
    expected = ("--human", "rater_1", "--human", "rater_2", "--system", "engine")
    assert [options for _, options in asked.value.choices] == [expected]


def test_raters_with_few_common_responses_and_names_of_one_form_are_taken_together() -> None:
    names, (*every, engine) = ["score_Anna", "score_Ben", "score_Cem", "score_Dora"], noisy(120, 5)
    rated = [[s if row % 4 == k else None for row, s in enumerate(each)] for k, each in enumerate(every)]
    rated[3][::10] = [(score % 6) + 1 for score in noisy(120, 1)[0][::10]]  # disagree in the few common rows
    with pytest.raises(QuestionError) as asked:
        read(pa.table(dict(zip([*names, "machine_score"], [*rated, engine], strict=True))))
    options = asked.value.choices[0][1]
    assert options == (*(word for name in names for word in ("--human", name)), "--system", "machine_score")


def test_blank_drafts_and_numbers_of_tasks_are_no_training_rows_and_no_engine() -> None:
    human, engine = noisy(120, 2)
    beside = {"drafts": pa.nulls(120, pa.string()), "predictions.task": [*range(1, 121)]}
    scores = read(pa.table({"human": human, "predictions.rating": engine, **beside}))
    assert scores.columns("system") == ("predictions.rating",)


@pytest.mark.parametrize("engine", ["llm_rating", "suggestions.value"])
def test_raters_with_unclear_names_are_people_beside_the_engines_scores_of_each_response(engine: str) -> None:
    one, two, judge = noisy(60, 3)
    who = ["qa_rate-lea"] * 60 + ["qa_rate-sam"] * 60
    table = {"id": [f"t{row}" for row in range(60)] * 2, "annotator_id": who, "rating": one + two, engine: judge * 2}
    scores = read(pa.table(table))
    assert (scores.columns("system"), scores.columns("human")) == ((engine,), ("rating 1", "rating 2"))


def test_numbers_of_raters_beside_scores_are_no_scores() -> None:
    one, two, engine = noisy(150, 3)
    ids = [[base + row * 37 % 60 for row in range(150)] for base in (1000, 3001)]
    pairs = dict(zip(("Scorer 1", "Scorer 2"), ([row * 11 % 40 for row in range(150)], ids[1]), strict=True))
    named = read(pa.table(pairs | {"Scorer 1 Score": one, "Scorer 2 Score": two, "Engine Score": engine}))
    assert (named.columns("human"), named.scale.high) == (("Scorer 1 Score", "Scorer 2 Score"), 6)
    second = [None if row % 4 else score for row, score in enumerate(two)]
    mixed = {"rater_1": ids[0], "score": one, "rater_2": ids[1], "score_2": second, "predicted_score": engine}
    assert read(pa.table(mixed)).columns("human") == ("score", "score_2")


def test_an_engine_with_the_beginning_of_the_raters_names_is_offered_first() -> None:
    one, two, engine, other = noisy(200, 4)
    with pytest.raises(QuestionError) as asked:
        read(pa.table({"WR_R1": one, "WR_R2": two, "WR_AS": engine, "GRD": other}))
    assert asked.value.choices[0][1] == ("--human", "WR_R*", "--system", "WR_AS")


def test_words_for_an_engine_s_numbers_are_not_another_engine() -> None:
    human, engine = ([row * k % 11 % 3 - 1 for row in range(150)] for k in (7, 8))
    words = {
        f"{who}_winner": [("b", "tie", "a")[score + 1] for score in those]
        for who, those in (("human", human), ("gpt4", engine))
    }
    scores = read(pa.table({"human_score": human, "gpt4_score": engine, **words}))
    assert (scores.columns("human"), scores.columns("system")) == (("human_score",), ("gpt4_score",))


def test_a_second_annotator_follows_a_gold_label() -> None:
    one, two, engine = ([("wrong", "right")[score > 3] for score in those] for those in noisy(120, 3))
    scores = read(pa.table({"gold_label": one, "second_annotator": two, "predicted_label": engine}))
    assert scores.columns("human") == ("gold_label", "second_annotator")


def test_first_names_and_many_ages_are_no_groups_and_mark_no_training_rows() -> None:
    human, engine = noisy(400, 2)
    names = [("Dev", "Ana", "Mo", "Nia", "Test")[row % 5] for row in range(400)]
    columns = {"human": human, "engine": engine, "age": [20 + row * 7 % 44 for row in range(400)]}
    scores = read(pa.table(columns | {"First Name": names, "section": names}))
    assert not {"First Name", "age"} & {*scores.groups}
    assert dict(scores.left_out)["age"].startswith("44 different numbers")


def test_training_rows_without_engine_scores_raise_no_question() -> None:
    human, engine = noisy(200, 2)
    part = ["TRAIN" if row % 3 else "VALIDATION" for row in range(200)]
    blank = [None if each == "TRAIN" else score for each, score in zip(part, engine, strict=True)]
    assert read(pa.table({"human": human, "engine": blank, "SET": part})).kept == 67
    with pytest.raises(QuestionError, match="'SET' may mark rows"):
        read(pa.table({"human": human, "engine": engine, "SET": part}))


def test_columns_of_readings_with_condition_codes_are_ratings() -> None:
    one, two, engine = noisy(200, 3)
    coded = [
        [("B", "O")[row % 2] if row % 25 == 0 else str(score) for row, score in enumerate(each)] for each in (one, two)
    ]
    final = [a if row % 3 else b for row, (a, b) in enumerate(zip(*coded, strict=True))]
    with pytest.raises(QuestionError) as asked:
        read(pa.table({"Read1Score": coded[0], "Read2Score": coded[1], "FinalScore": final, "AIScore": engine}))
    assert any({"Read1Score", "Read2Score"} <= {*options} for _, options in asked.value.choices)


@pytest.mark.parametrize(
    "order", ["NL NM NH IL IM IH AL AM AH S", "0 0+ 1 1+ 2 2+ 3", "Ineffective Adequate Effective"]
)
def test_levels_of_known_scales_have_their_order(order: str) -> None:
    levels = order.split()
    one, two, engine = ([levels[score % len(levels)] for score in each] for each in noisy(300, 3))
    used = tuple(level for level in levels if level in {*one, *two, *engine})
    scores = read(pa.table({"rater_1": one, "rater_2": two, "engine": engine}))
    assert scores.scale.labels == used


def test_versions_of_an_engine_in_rows_are_engines_and_not_responses() -> None:
    human, first, second = noisy(120, 3)
    table = {"id": [*range(120)] * 2, "prompt_version": ["v1"] * 120 + ["v2"] * 120}
    rows = pa.table({**table, "human": [*human, *human], "judge_score": [*first, *second]})
    one, two = read_tables(rows)
    assert one.systems == ("judge_score v1", "judge_score v2")
    assert one.kept == two.kept == 120
    again = read_tables(rows, all_resolved(Settings(), [one, two]))
    assert [each.systems for each in again] == [one.systems] * 2
    (alone,) = read_tables(rows.slice(120))
    assert alone.systems == ("judge_score",)


def test_a_series_of_raters_beside_a_named_rater_is_offered_together_and_authors_are_not() -> None:
    engine, staff, first, second = noisy(120, 4)
    scores = {"peer1": first, "peer2": second, "staff_grade": staff, "engine_score": engine, "self_grade": staff[::-1]}
    with pytest.raises(QuestionError, match="What do 'peer1' and 'peer2' contain") as asked:
        read_tables(pa.table(scores))
    assert asked.value.choices[1][1][-2:] == ("--human", "peer*")
