"""Every refusal is one line that can be read: long lists and long names are cut, whatever the input holds."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reportgen.cli.app import app
from reportgen.cli.printing import MOST_OF_AN_ERROR, brief
from reportgen.errors import did_you_mean, nearest, shortened

LONG = "x" * 3000
"""A name nobody can read."""

DEEP = '{"a":' * 3000 + "1" + "}" * 3000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of inputs with 5,000 columns, names of 3,000 letters and nested objects."""
    made = tmp_path_factory.mktemp("inputs")
    many = ["id", "human", "human2", "system", *(f"column_{i:04d}" for i in range(5000))]
    scores = [(f"r{i}", f"{i % 4 + 1}", f"{i % 3 + 1}", f"{i % 4 + 1}", *["ab"[i % 2]] * 5000) for i in range(12)]
    (made / "many.csv").write_text("\n".join(",".join(row) for row in [many, *scores]))
    (made / "few.csv").write_text("\n".join(",".join(row[:5]) for row in [many, *scores]))
    named = [f"{LONG}{i}" for i in range(6)]
    (made / "long.csv").write_text("\n".join(",".join(row[:6]) for row in [named, *scores]))
    (made / "deep.json").write_text(DEEP)
    (made / "schema.json").write_text(json.dumps({"schema": list(range(9000))}))
    (made / "words.json").write_text(json.dumps({LONG: LONG}))
    (made / "words.toml").write_text(f'{LONG} = "{LONG}"')
    (made / "list.toml").write_text(f"[data]\nsystem = {list(range(9000))}\n")
    (made / "values.toml").write_text(f'[report]\npage = "{LONG}"\n')
    (made / "policy.toml").write_text(f'name = "p"\n[[criteria]]\nstatistic = "{LONG}"\nlow = "{LONG}"\n')
    return made


NOT_A_COLUMN = ("--system", "--human", "--group", "--id", "--item", "--candidate", "--length", "--position")

REFUSED = (
    ("evaluate", "many.csv", "out", "--system", "zzz"),
    ("evaluate", "few.csv", "out", "--human", LONG),
    *(("evaluate", "long.csv", "out", option, "zzz") for option in NOT_A_COLUMN),
    *(("evaluate", "long.csv", "out", option, LONG) for option in NOT_A_COLUMN),
    ("evaluate", "many.csv", "out", "--layout", "long", "--rater", "zzz"),
    ("evaluate", "few.csv", "out", "--intersect", "zzz,yyy"),
    ("evaluate", "few.csv", "out", "--sections", LONG),
    ("evaluate", "few.csv", "out", "--formats", LONG),
    ("evaluate", "few.csv", "out", "--scale", LONG),
    ("evaluate", "few.csv", "out", "--confidence", LONG),
    ("evaluate", "few.csv", "out", "--policy", LONG),
    ("evaluate", "few.csv", "out", "--policy", "policy.toml"),
    ("evaluate", "few.csv", "out", "--format", LONG),
    ("evaluate", "few.csv", "out", f"--{LONG}"),
    ("evaluate", "long.csv", "out"),
    ("evaluate", "deep.json", "out"),
    ("evaluate", "words.json", "out"),
    ("evaluate", "words.toml", "out"),
    ("evaluate", "list.toml", "out"),
    ("evaluate", "values.toml", "out"),
    ("batch", "many.csv", "out", "--by", "zzz"),
    ("tables", "many.csv", "out", "--by", "zzz"),
    ("complete", "many.csv", "--rater", "zzz", "--rater", "human"),
    ("complete", "long.csv"),
    ("check", "deep.json"),
    ("check", "schema.json"),
    ("check", "words.json"),
    ("render", "deep.json", "out"),
    ("render", "schema.json", "out"),
    ("plan", "--from", "schema.json"),
    ("compare", "schema.json", "deep.json", "--out", "out"),
    ("summarize", "words.json", "deep.json", "--out", "out"),
    ("policy", "show", LONG),
    ("study", LONG),
    ("eject", LONG),
    ("new", "section", LONG.upper()),
)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", REFUSED, ids=lambda each: " ".join(each)[:60])
def test_a_refusal_is_one_line_of_at_most_300_characters(
    arguments: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(app, arguments)
    said = result.stderr if result.stderr.startswith("error: ") else ""
    if not said:  # what typer refuses itself is said by main(), which sees the exception
        said = f"error: {brief(str(getattr(result.exception, 'format_message', str)()))}\n"
    assert result.exit_code in (2, 3), result.output
    assert said.count("\n") == 1
    assert len(said.rstrip("\n")) <= MOST_OF_AN_ERROR


def test_a_command_never_has_a_part_of_a_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    said = CliRunner().invoke(app, ("evaluate", "long.csv", "out")).stderr
    assert "--ratings-only --human NAME --human NAME --human NAME\n" in said
    assert max(map(len, said.splitlines())) < 400


def test_known_names_are_cut_at_five_and_say_what_lists_them() -> None:
    names = [f"column_{i:04d}" for i in range(5000)]
    assert did_you_mean("zzz", names) == (
        "; known: 'column_0000', 'column_0001', 'column_0002', 'column_0003', 'column_0004' and 4,995 more."
    )
    assert did_you_mean("zzz", names, "reportgen sections").endswith(
        "and 4,995 more, all listed by: reportgen sections."
    )
    assert did_you_mean("zzz", ["a", "b"], "reportgen sections") == "; known: 'a', 'b'."


def test_a_long_name_is_shortened_where_it_is_said() -> None:
    assert did_you_mean(LONG + "y", [LONG]) == f"; did you mean '{'x' * 29}...{'x' * 28}'?"
    assert shortened("short") == "short"


def test_similar_long_names_are_compared_by_their_beginning() -> None:
    assert nearest(LONG, [f"{LONG}{i}" for i in range(500)]).startswith("xxx")


def test_a_sentence_that_is_too_long_keeps_its_beginning_and_its_end() -> None:
    said = brief(f"{'a' * 200}: '{LONG}' is {'very ' * 100}long; type --help.")
    assert len(said) <= MOST_OF_AN_ERROR
    assert said.startswith("aaaa")
    assert said.endswith("long; type --help.")
    assert brief("as it is.") == "as it is."
