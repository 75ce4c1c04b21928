"""The command that writes a configuration to start from."""

import tomllib
from functools import partial
from pathlib import Path
from string import Template

import pytest
from command import invoked

from reportgen.cli.starter import new_section
from reportgen.errors import OutputError

SCORES = "id,human,human2,engine,gender\n" + "".join(
    f"r{i},{i % 5 + 1},{(i + i // 7) % 5 + 1},{i % 5 + 1 + (i % 3 - 1) / 4:.2f},{'fm'[i % 2]}\n" for i in range(60)
)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "scores.csv"
    path.write_text(SCORES)
    return path


run = partial(invoked, "init")


def test_without_data_every_key_is_a_placeholder() -> None:
    text = run().stdout
    assert "# system =\n" in text
    assert "# Engine score column, or a pattern that matches multiple columns.\n" in text
    assert tomllib.loads(text)["preparation"]["trim_tolerance"] == 0.4998


def test_data_fill_the_roles_and_the_result_can_be_evaluated(data: Path) -> None:
    run(data, "-o", "start.toml")
    found = tomllib.loads(Path("start.toml").read_text())["data"]
    assert (found["system"], found["human"], found["groups"]) == ("engine", ["human", "human2"], ["gender"])
    assert (found["file"], found["scale"]) == ("scores.csv", "1:5:1")
    assert "detected from the human scores" in Path("start.toml").read_text()
    invoked("evaluate", "start.toml", "out", "--tables-only")


def test_every_column_is_listed_with_its_role_or_a_reason(data: Path) -> None:
    header, *rows = SCORES.splitlines()
    lines = [f"{row},{100 + 7 * i},{3.5 + i % 2},z" for i, row in enumerate(rows)]
    data.write_text("\n".join([f'{header},words,judge,"a note\nsystem = 1"', *lines]) + "\n")
    text = run(data).stdout
    assert "system" not in {line.split(" =")[0] for line in text.splitlines() if line.startswith("system = 1")}
    items = {
        line[4:].split("  ")[0]: line.split("  ")[-1].strip() for line in text.splitlines() if line.startswith("#   ")
    }
    assert items["engine"] == items["judge"] == "system, detected by name"
    assert items["gender"] == "group, detected by name"
    assert items["words"] == "not used: fewer than two responses per value"
    assert items["a note\\nsystem = 1"] == "not used: only one value"
    assert set(items) == {*header.split(","), "words", "judge", "a note\\nsystem = 1"}


def test_options_override_detected_settings(data: Path) -> None:
    found = tomllib.loads(run(data, "--human", "human2", "--scale", "0:6").stdout)["data"]
    assert (found["human"], found["scale"]) == (["human2"], "0:6:1")


def test_an_existing_file_is_not_replaced(data: Path) -> None:
    assert "already exists" in run(data, "-o", data, code=2).stderr
    assert data.read_text() == SCORES
    assert "file not found" in run("gone.csv", code=2).stderr


def test_questions_repeat_until_the_answers_are_valid(data: Path) -> None:
    answers = ["nothing.csv", "scores.csv", "engin", "engine", "human, humn", "human", "", "", "", "6:1", "1:6"]
    said = run("-i", "-o", "start.toml", answers="\n".join([*answers, "Pilot", "html", ""])).stdout
    for words in (
        "file not found",
        "column 'engin' does not exist; did you mean 'engine'?",
        "did you mean 'human'?",
        "below the high",
    ):
        assert words in said
    written = tomllib.loads(Path("start.toml").read_text())
    assert (written["data"]["human"], written["data"]["scale"]) == (["human"], "1:6:1")
    assert (written["report"]["title"], written["report"]["formats"]) == ("Pilot", ["html"])


def test_inconsistent_answers_are_prompted_again(data: Path) -> None:
    first = ["engine", "engine", "", "", "", "1:5", "", ""]
    said = run(data, "-i", answers="\n".join([*first, "", "human", "", "", "", "", "", "", ""])).stdout
    assert "column 'engine' cannot be both system and human" in said
    assert 'human = ["human"]' in said


def test_names_of_files_do_not_act_on_the_terminal(data: Path) -> None:
    said = run("scores.csv", "-o", "a\x1b]0;x\x07.toml").output
    assert "a\\x1b]0;x\\x07.toml" in said
    assert "\x1b" not in said


def test_a_disk_error_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Template, "safe_substitute", fail)
    with pytest.raises(OutputError, match="No space left on device"):
        new_section("own", tmp_path / "mine" / "deeper")
    assert list(tmp_path.iterdir()) == []


def test_existing_files_stay(tmp_path: Path) -> None:
    (tmp_path / "own").symlink_to("nowhere")
    with pytest.raises(OutputError, match="already exists; choose another name"):
        new_section("own", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["own"]
