"""Test that `look` describes a file of scores before anything is computed, even if it raises questions."""

import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest
from command import invoked
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from score_files import Write
from typer.testing import CliRunner

import reportgen
from reportgen.cli.app import app

SECRET = "ZQsecret"


def looked(*arguments: object) -> str:
    sys.argv = ["reportgen", "look", *map(str, arguments)]
    result = invoked("look", *arguments)
    return result.stdout


@pytest.fixture(autouse=True)
def command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["reportgen"])


def as_json(*arguments: object) -> dict[str, Any]:
    found = json.loads(looked(*arguments, "--json"))
    assert isinstance(found, dict)
    return found


def wide(n: int = 60, seconds: bool = True, engine: bool = True, group: str = "gender") -> str:
    header = ["essay_id", "h1", *(["h2"] if seconds else []), *(["engine"] if engine else []), group]
    rows = []
    for i in range(n):
        row = [f"{SECRET}{i}", str(i % 5)]
        row += [str((i + i // 7) % 5) if i % 3 else ""] if seconds else []
        row += [f"{i % 5 + (i % 3 - 1) / 4:.2f}"] if engine else []
        rows.append([*row, "fm"[i % 2] if i > 2 else "x"])
    return "\n".join(map(",".join, [header, *rows])) + "\n"


def test_all_facts_of_a_file_are_printed_with_the_command(write: Write) -> None:
    path = write(wide())
    said = looked(path, "--scale", "0:4")
    assert "60 responses read" in said
    assert "1 rating for 20 responses, 2 ratings for 40 responses" in said
    assert "gender: 3 groups, 1 of them with fewer than 10 responses" in said
    assert "PRMSE, fairness across groups, rater reliability" in said
    assert "alternative annotator test (requires at least three raters)" in said
    assert said.splitlines()[-1].endswith(f"reportgen evaluate {path} --scale 0:4")


def test_impossible_analyses_show_what_is_missing(write: Write) -> None:
    found = as_json(write(wide(seconds=False, group="note")))
    missing = {each["name"]: each["missing"] for each in found["analyses"]}
    assert missing["PRMSE"] == missing["rater reliability"] == "at least 10 double-scored responses; found 0"
    assert missing["agreement between engine and raters"] is None
    assert found["raters"] == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b,c\n" + "".join(f"{i},{i % 3},{i % 4}\n" for i in range(30)), "--system"),
        ("id,human,engine\n1,2,2.1\n1,3,2.9\n2,1,1.4\n", "rows 2 and 3 have the same"),
        ("id,human,engine\na,apple,2.1\nb,pear,2.9\n", "are words"),
        ("id,human,engine\n", "no rows"),
        (
            "id,rater,score\nr0,A,1\n"
            + "".join(f"r{i},A,{i * 7 % 5}\nr{i},B,{(i * 7 + i % 3 // 2) % 5}\n" for i in range(40)),
            "rated the same response twice",
        ),
    ],
)
def test_errors_of_evaluate_are_questions_in_look(write: Write, text: str, said: str) -> None:
    path = write(text)
    found = as_json(path)
    assert [said in question for question in found["questions"]] == [True]
    assert found["responses"] is None
    assert not found["questions"][0].startswith(str(path))
    assert ("question" if "1. " in found["questions"][0] else "problem") in looked(path)
    assert ("for answer 1" in looked(path)) == ("1. " in found["questions"][0])


def test_columns_without_a_role_are_described_and_not_quoted(write: Write) -> None:
    rows = "".join(f"{SECRET}{i},{i % 3},{i % 4},{SECRET * 50}\n" for i in range(30))
    path = write("code,one,two,essay\n" + rows)
    found = as_json(path)
    assert found["columns_not_used"]["essay"] == "long text"
    assert SECRET not in json.dumps(found) + looked(path)


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    invoked("look", tmp_path / "nothing.csv", code=2)


def test_evaluate_prints_the_same_facts_before_it_computes(write: Write, tmp_path: Path) -> None:
    path = write(wide())
    arguments = ["evaluate", str(path), str(tmp_path / "out"), "--tables-only"]
    evaluated = CliRunner().invoke(app, arguments).stdout.splitlines()
    shared = [line for line in looked(path).splitlines() if line.split()[0] in ("data", "human", "scale", "ratings")]
    assert len(shared) == 4
    assert set(shared) <= set(evaluated)


def test_three_people_in_two_columns_are_enough_for_the_annotator_test(write: Write) -> None:
    rows = [f"e{i},R{(i + k) % 3 + 1},{(i + k) % 4 + 1},{i % 4 + 1.3}" for i in range(40) for k in range(2)]
    found = as_json(write("\n".join(["essay_id,rater,score,engine", *rows]) + "\n"))
    missing = {each["name"]: each["missing"] for each in found["analyses"]}
    assert missing["alternative annotator test"] is None


def test_look_in_python_returns_the_same(write: Write) -> None:
    found = reportgen.look(write(wide()), scale="0:4")
    assert found.scale is not None
    assert not found.scale.assumed
    assert found.groups[0].small == 1


NAMES = st.sampled_from(
    [
        "id", "essay_id", "human", "h1", "h2", "rater", "score", "engine", "judge", "gpt-4o", "gender", "item", "x",
        "é",
    ]
)  # fmt: skip
CELLS = st.sampled_from(["", "0", "1", "2", "3.7", "yes", "No", "nan", "inf", "-1e400", "A", "B", "4/5", " 2 ", "é"])


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(NAMES, min_size=1, max_size=6, unique=True), data=st.data())
def test_look_works_on_every_readable_file(write: Write, names: list[str], data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.lists(CELLS, min_size=len(names), max_size=len(names)), max_size=12))
    text = "\n".join(map(",".join, [names, *rows])) + "\n"
    found = reportgen.look(write(text))
    assert bool(found.accounts) != bool(found.questions)
    assert json.dumps(found.as_json())


def test_the_order_of_rows_changes_no_fact(write: Write) -> None:
    header, *rows = wide().splitlines()
    random.Random(3).shuffle(rows)
    found, shuffled = (
        as_json(write("\n".join([header, *each]) + "\n"), "--scale", "0:4") for each in (wide().splitlines()[1:], rows)
    )
    assert found == shuffled


def test_constant_scores_are_reported_without_an_invalid_scale(write: Write) -> None:
    path = write("id,h1,h2,engine\n" + "".join(f"{row},3,3,{row % 5 + 0.25}\n" for row in range(40)))
    said = looked(path)
    assert "3 (detected: all scores are equal; set the full scale with --scale LOW:HIGH)" in said
