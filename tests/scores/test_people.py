"""Who of the raters of a long file is a person, and who an engine."""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from command import reportgen as run
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.errors import QuestionError, SettingsError
from reportgen.scores import RatingTable, read, read_systems, read_tables
from reportgen.scores.items import open_items
from reportgen.settings import from_keywords
from reportgen.storing import results_file

N = 24


def ratings(people: list[str], engines: list[str], seed: int = 1, **columns: str) -> pa.Table:
    """Return one row per rating, in random order."""
    random = np.random.default_rng(seed)
    rows = [(f"e{response}", rater, float(random.integers(1, 6)) + (0.25 if rater in engines else 0))
        for response in range(N) for rater in (*people, *engines)]  # fmt: skip
    random.shuffle(rows)
    ids, raters, scores = (list(column) for column in zip(*rows, strict=True))
    table = {"essay_id": ids, columns.get("rater", "rater"): raters, "score": list(map(float, scores))}
    return pa.table(table)


def people_of(table: RatingTable) -> set[str]:
    assert table.rater_ids is not None
    return set(table.rater_ids.names)


CLEAR = [(["annotator_01", "annotator_02", "annotator_17"], ["gpt", "gemini_flash", "o3"]), (["R1", "R2", "R20"],
    ["gemma", "bert"]), (["Anna", "Bob", "Chen"], ["gpt-4o", "sonnet"]), (["expert_a", "expert_b", "teacher"],
    ["phi_mini", "command-r"]), (["17", "18", "230"], ["llama", "system"]), (["O1", "O2", "O3"], ["claude_few"]),
    (["A2QX71", "A9KLM2P", "AB77ZQ"], ["engine"]), (["ann@example.org", "bob@example.org"], ["mixtral"]), (["alpha_1",
    "alpha_2"], ["qwen"])]  # fmt: skip


@pytest.mark.parametrize(("people", "engines"), CLEAR)
def test_clear_names_raise_no_question(people: list[str], engines: list[str]) -> None:
    found = read_systems(ratings(people, engines))
    assert sorted(str(table.columns("system")[0]) for table in found) == sorted(engines)
    assert all(people_of(table) == set(people) for table in found)


DOUBTFUL = [(["annotator_01", "annotator_02"], ["gpt"], ["zeta"]), (["Anna", "Bob"], ["gpt-4o"], ["claude"]),
    (["rater1", "rater2"], [], ["omega-7b"]), (["R1", "R2", "R3"], ["system"], ["M1"]), (["1", "2", "3"], ["gpt"],
    ["v2-large"]), (["A1", "A2"], ["mistral", "nova"], ["B7-x"])]  # fmt: skip


@pytest.mark.parametrize(("people", "engines", "others"), DOUBTFUL)
def test_unclear_raters_raise_a_question_whose_command_answers_it(
    people: list[str], engines: list[str], others: list[str]
) -> None:
    table = ratings(people, [*engines, *others])
    with pytest.raises(QuestionError) as asked:
        read_systems(table)
    assert all(f"'{name}'" in str(asked.value) for name in (*people, *others))
    for (means, words), everybody in zip(asked.value.choices, (True, False), strict=True):
        options: dict[str, list[str]] = {"--layout": [], "--human": [], "--system": []}
        pairs = [word for word in words if word != "--ratings-only"]
        for option, value in zip(pairs[::2], pairs[1::2], strict=True):
            options[option].append(value)
        typed = {
            "layout": options["--layout"][0], "human": options["--human"] or None,
            "systems": options["--system"] or None, "ratings_only": len(pairs) < len(words),
        }  # fmt: skip
        found = read_tables(table.append_column("words", table["score"]), from_keywords(**typed))
        assert means.endswith(("a person", "people")) == everybody
        systems = engines if everybody else [*engines, *others]
        assert {each.columns("system")[0] for each in found if each.columns("system")} == set(systems)
        assert all(people_of(each) == {*people, *(others if everybody else ())} for each in found)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(CLEAR), st.integers(0, 10_000), st.permutations(["essay_id", "rater", "score"]))
def test_order_of_rows_and_columns_does_not_matter(
    case: tuple[list[str], list[str]], seed: int, order: list[str]
) -> None:
    people, engines = case
    table = ratings(people, engines)
    shuffled = table.take(np.random.default_rng(seed).permutation(table.num_rows)).select(order)
    first, again = read_systems(table), read_systems(shuffled)
    assert [each.columns("system") for each in first] == [each.columns("system") for each in again]
    assert [each.kept for each in first] == [each.kept for each in again]
    assert all(people_of(each) == set(people) for each in again)


def test_a_pattern_that_matches_raters_keeps_one_row_per_rating() -> None:
    table = ratings(["anna", "bert"], ["nova"])
    gold = [int(name[1:]) % 5 for name in table["essay_id"].to_pylist()]
    table = table.append_column("words", [list(range(table.num_rows))]).append_column("human", [gold])
    (found,) = read_tables(table, from_keywords(human=["*"], ratings_only=True))
    assert found.ratings is not None
    assert people_of(found) == {"anna", "bert", "nova"}
    with pytest.raises(QuestionError, match=r"an? (person or an )?engines?\?|people or engines"):
        read_tables(table)


def test_ratings_are_detected_if_the_first_rows_contain_no_score() -> None:
    table = ratings(["R1", "R2", "R3"], ["gpt"])
    blank = {"essay_id": [f"x{row}" for row in range(10_500)], "rater": ["R1"] * 10_500, "score": [None] * 10_500}
    (found,) = read_systems(pa.concat_tables([pa.table(blank, table.schema), table]))
    assert found.kept == N


def test_names_and_patterns_choose_both_sides() -> None:
    table = ratings(["expert_a", "expert_b", "novice_1"], ["gpt_few", "gpt_zero", "gemini"])
    both = read_systems(table, from_keywords(systems=["gpt*"], human=["expert_*"]))
    assert [each.columns("system") for each in both] == [("gpt_few",), ("gpt_zero",)]
    assert all(people_of(each) == {"expert_a", "expert_b"} for each in both)
    assert "1 rater is excluded: --human does not name this rater." in both[0].warnings
    assert dict(both[0].left_out)["gemini"] == "another engine; not named with --system"
    one = read(table, from_keywords(system="gem*"))
    assert one.columns("system") == ("gemini",)
    assert people_of(one) == {"expert_a", "expert_b", "novice_1"}


def test_an_engine_missing_from_a_list_of_systems_is_not_a_person() -> None:
    table = ratings(["R1", "R2"], ["gpt", "gemini"])
    (one,) = read_systems(table, from_keywords(systems=["gpt"]))
    assert people_of(one) == {"R1", "R2"}


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({"human": ["expert_c"]}, "--human: 'expert_c' is not one of the raters in column 'rater'; did"),
        ({"human": ["Expert_*"]}, "--human: 'Expert_*' matches none of the raters in column 'rater'"),
        ({"system": "gpd"}, "--system: 'gpd' is not one of the raters in column 'rater' and columns; did"),
        ({"system": "gpt", "human": ["expert_*", "gpt"]}, "rater 'gpt' cannot be both system and human"),
    ],
)
def test_a_name_that_is_given_is_never_ignored(keywords: dict[str, object], says: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(says)):
        read(ratings(["expert_a", "expert_b"], ["gpt"]), from_keywords(**keywords))


def test_an_error_shows_only_rater_names_similar_to_the_typed_name() -> None:
    for keywords in ({"human": ["zzz"]}, {"system": "zzz"}, {"human": ["zzz*"]}):
        with pytest.raises(SettingsError, match="; there are ") as refused:
            read(ratings(["expert_a", "expert_b"], ["gpt"]), from_keywords(**keywords))
        assert "expert" not in str(refused.value)


def test_a_file_sorted_by_rater_is_recognized_despite_other_id_columns() -> None:
    table = ratings(["annotator_1", "annotator_2", "annotator_3"], ["gpt"])
    table = table.take(pa.array(np.argsort(table["rater"].to_pylist(), kind="stable")))
    many = pa.concat_tables(
        [table.set_column(0, "essay_id", [[f"{copy}{each}" for each in table["essay_id"].to_pylist()]])
         for copy in range(200)]
    )  # fmt: skip
    many = many.sort_by("rater").append_column("id", [list(range(many.num_rows))])
    many = many.append_column("remark", [["fine"] * many.num_rows])
    found = read(many)
    assert found.columns("id") == ("essay_id",)
    assert people_of(found) == {"annotator_1", "annotator_2", "annotator_3"}
    assert found.kept == 200 * N


def test_a_named_rater_shows_that_rows_are_ratings() -> None:
    table = ratings(["R1", "R2"], ["gpt"], rater="judge")
    assert read(table, from_keywords(system="gpt")).columns("rater") == ("judge",)


def test_parts_of_a_file_share_one_question_and_may_lack_raters() -> None:
    table = ratings(["Anna", "Bob", "Chen"], ["gpt", "claude"])
    items = ["A" if name != "Bob" else "B" for name in table["rater"].to_pylist()]
    table = table.append_column("item", [items])
    with pytest.raises(QuestionError, match=r"in 'rater', .*'claude' is unclear"):
        open_items(table, from_keywords(by="item"))
    parts = open_items(table, from_keywords(by="item", human=["Anna", "Bob", "C*"], system="g*"))
    assert parts.settings_of(0).data.human == ("Anna", "C*")
    assert people_of(parts.part(0).read(parts.settings_of(0))) == {"Anna", "Chen"}
    assert parts.settings_of(1).data.human == ("Bob",)


@pytest.mark.slow
def test_named_raters_appear_only_in_the_configuration(tmp_path: Path) -> None:
    table = ratings(["Annabel", "Bobby", "Chenoa"], ["gpt", "claude"])
    pa_csv.write_csv(table, tmp_path / "scores.csv")
    people = ("--human", "Annabel", "--human", "Bo*")
    run("evaluate", "scores.csv", "out", *people, "--system", "claude", "--tables-only", cwd=tmp_path)
    told = (tmp_path / "out" / "results.json").read_text()
    assert '"persons":' in told
    assert "Annabel" not in told
    assert "Bobby" not in told
    assert "Bo*" in told
    run("evaluate", "out/config.toml", "again", "--tables-only", cwd=tmp_path)
    first, again = (results_file.read(tmp_path / name / "results.json").evaluation for name in ("out", "again"))
    assert [(each.facts["persons"]["n"], list(each.facts["persons"]["names"])) for each in (first, again)] == [
        (2, [])
    ] * 2
    assert first.estimates["system.qwk"] == again.estimates["system.qwk"]
    shown = ("--system", "gpt", "--show-rater-names", "--tables-only")
    run("evaluate", "scores.csv", "named", *people, *shown, cwd=tmp_path)
    named = results_file.read(tmp_path / "named" / "results.json").evaluation
    assert list(named.facts["persons"]["names"]) == ["Annabel", "Bobby"]
