"""Which column plays which part."""

import itertools
from pathlib import Path

import pyarrow as pa
import pytest

from reportgen.errors import SettingsError
from reportgen.results import Role
from reportgen.scores import read, resolved
from reportgen.scores.items import open_items
from reportgen.settings import Settings, from_keywords, override
from reportgen.sources.column_names import is_human_name, is_system_name

N = 40
CONTENTS = {
    "whole": [i % 4 + 1 for i in range(N)],
    "fraction": [i % 4 + 1.37 for i in range(N)],
    "unique": [f"r{i}" for i in range(N)],
    "two": ["f", "m"] * (N // 2),
    "pairs": [f"p{i // 2}" for i in range(N)],
    "words": [i % 7 for i in range(N)],
}


def frame(**columns: str) -> pa.Table:
    return pa.table({name: CONTENTS[content] for name, content in columns.items()})


def parts(table: pa.Table, **keywords: object) -> dict[str, tuple[str, ...]]:
    scores = read(table, from_keywords(**keywords))
    return {role: scores.columns(role) for role in ("system", "human", "id", "candidate", "item", "group")}


@pytest.mark.parametrize(
    "system", ["system", "Prediction", "score_machine", "LLM judge", "aiScore", "raw", "yhat", "model_score"]
)
@pytest.mark.parametrize(
    "human", ["human", "H1", "rater_1", "sc1", "score", "label", "gold", "grader", "first human score"]
)
def test_common_names(system: str, human: str) -> None:
    found = parts(frame(**{"response_id": "unique", human: "whole", system: "fraction"}))
    assert found["system"] == (system,)
    assert found["human"] == (human,)
    assert found["id"] == ("response_id",)


def test_no_name_is_both_system_and_human() -> None:
    names = [
        "system",
        "machine",
        "engine",
        "prediction",
        "model",
        "judge",
        "human",
        "rater",
        "h2",
        "sc1",
        "score_human",
    ]
    assert all(is_system_name(name) != is_human_name(name) for name in names)


def test_raters_are_ordered_by_their_number() -> None:
    table = frame(system="fraction", human10="whole", human2="whole", human="whole")
    assert parts(table)["human"] == ("human", "human2", "human10")


def test_found_by_contents() -> None:
    scores = read(frame(a="unique", b="whole", c="fraction", d="two"))
    assert scores.roles == tuple(
        Role(role, (column,), "found by its contents")
        for role, column in (("system", "c"), ("human", "b"), ("id", "a"), ("group", "d"))
    )


def test_a_text_column_named_like_a_score_is_passed_over() -> None:
    table = frame(id="unique", model="two", score_model="fraction", human="whole", rater="pairs")
    found = parts(table)
    assert (found["system"], found["human"]) == (("score_model",), ("human",))
    assert "model" in found["group"]


def test_item_is_offered_as_a_group_and_numbers_only_by_name() -> None:
    table = frame(id="unique", human="whole", system="fraction", prompt="two", grade="words", words="words")
    found = parts(table)
    assert found["item"] == ("prompt",)
    assert found["group"] == ("prompt", "grade")
    assert parts(table, groups=[])["group"] == ()
    assert parts(table, groups="grade")["group"] == ("grade",)


def test_candidate() -> None:
    assert parts(frame(id="unique", human="whole", system="fraction", student_id="pairs"))["candidate"] == (
        "student_id",
    )


@pytest.mark.parametrize(
    ("columns", "keywords", "words"),
    [
        ({"human": "whole", "system": "fraction", "engine": "fraction"}, {}, ["'system'", "'engine'", "--system"]),
        ({"a": "whole", "b": "words", "system": "fraction"}, {}, ["'a'", "'b'", "--human"]),
        ({"score": "whole", "label": "words", "system": "fraction"}, {}, ["'score'", "'label'", "--human"]),
        ({"human": "whole", "x": "two"}, {}, ["system score", "--system"]),
        ({"system": "fraction"}, {}, ["human score", "--human"]),
        ({"human": "whole", "system": "fraction"}, {"system": "sytem"}, ["'sytem'", "did you mean 'system'"]),
        (
            {"human": "whole", "system": "fraction", "x": "two"},
            {"system": "human", "human": "human"},
            ["both", "'human'"],
        ),
        ({"human": "whole", "system": "fraction"}, {"human": ["human", "human"]}, ["twice", "'human'"]),
        ({"human": "whole", "system": "fraction"}, {"groups": "humn"}, ["group", "did you mean 'human'"]),
        ({"human": "whole", "system": "fraction"}, {"flags": {"adv": 0}}, ["flag", "'adv'"]),
        ({"id": "unique", "human": "whole", "system": "fraction"}, {"candidate": "id", "id": "id"}, ["both", "'id'"]),
    ],
)
def test_doubt_is_an_error_that_says_what_to_type(
    columns: dict[str, str], keywords: dict[str, object], words: list[str]
) -> None:
    with pytest.raises(SettingsError) as caught:
        read(frame(**columns), from_keywords(**keywords))
    for word in words:
        assert word in str(caught.value)


def test_order_of_columns_changes_no_part() -> None:
    columns = {"id": "unique", "human": "whole", "system": "fraction", "gender": "two"}
    expected = parts(frame(**columns))
    for names in itertools.permutations(columns):
        assert parts(frame(**{name: columns[name] for name in names})) == expected


def test_resolved_settings_find_the_same_parts() -> None:
    table = frame(id="unique", human="whole", system="fraction", prompt="two", student="pairs", words="words")
    scores = read(table)
    again = read(table, resolved(Settings(), scores))
    for role in ("system", "human", "id", "candidate", "item", "group"):
        assert again.columns(role) == scores.columns(role)
    assert {role.how for role in again.roles} == {"named by the user"}


def test_columns_beside_those_that_are_named_say_with_which_option_they_were_not() -> None:
    table = frame(system="fraction", judge_a="fraction", judge_b="whole", h1="whole", h2="whole", sex="two", town="two")
    left_out = dict(read(table, from_keywords(system="judge_a", human="h1", groups="sex")).left_out)
    hint = "numbers, and no name that says what they are; if it is another system, type --system 'judge_a' --system"
    assert left_out == {
        "system": "not named with --system",
        "judge_b": f"{hint} 'judge_b'",
        "h2": "not named with --human",
        "town": "not named with --group",
    }
    left_out = dict(read(table, from_keywords(system="judge_a", human="h1", groups=[])).left_out)
    assert left_out["sex"] == left_out["town"] == "no subgroups are looked for"


def test_parts_that_are_switched_off_are_not_found_again(tmp_path: Path) -> None:
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
