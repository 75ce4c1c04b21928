"""Running a study: options from the command line, any executor, a report at the end."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner

import reportgen
from reportgen import studies
from reportgen.cli.app import app
from reportgen.errors import SettingsError


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(studies.STUDIES, "toy", ("studies.toy:Toy", "What is the mean?"))


def test_the_numbers_do_not_depend_on_the_executor() -> None:
    alone = reportgen.study("toy", seed=5, parts=tuple(range(20)))
    with ThreadPoolExecutor(3) as executor:
        shared = reportgen.study("toy", executor=executor, seed=5, parts=tuple(range(20)))
    assert alone.evaluation.tables == shared.evaluation.tables
    assert alone.evaluation.provenance["seed"] == 5
    assert reportgen.study("toy", seed=6).evaluation.source.sha256 != alone.evaluation.source.sha256


def test_the_command_line_takes_the_options_of_the_design(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    arguments = ["study", "toy", str(folder), "--n", "5", "--parts", "7,8", "--loud", "--formats", "html", "-q"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert reportgen.load(folder).evaluation.settings["study"] == {
        "name": "toy", "seed": 20251121, "n": 5, "parts": (7, 8), "loud": True,
    }  # fmt: skip
    assert (folder / "report.html").is_file()
    assert (folder / "tables" / "toy.means.csv").read_text().splitlines()[0] == "part,mean"
    assert reportgen.load(folder).evaluation.kind == "study"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["toy", "--n", "1"], "study toy: n: expected a whole number of at least 2, found '1'."),
        (["toy", "--nn", "1"], "No such option"),
        (["toi"], "there is no study named 'toi'; did you mean 'toy'?"),
        (["toy", "a", "b"], "unexpected extra argument"),
    ],
)
def test_wrong_options_are_one_sentence(arguments: list[str], words: str) -> None:
    result = CliRunner().invoke(app, ["study", *arguments])
    assert result.exit_code == 2
    assert words in result.output


def test_help_shows_the_options_of_the_design() -> None:
    result = CliRunner().invoke(app, ["study", "toy", "--help"])
    assert result.exit_code == 0
    assert "--parts" in result.output
    assert "Numbers in each part. [10]" in result.output
    assert "toy" in CliRunner().invoke(app, ["study"]).output


def test_an_unknown_option_is_refused_by_name() -> None:
    with pytest.raises(SettingsError, match="there is no option 'sede'; did you mean 'seed'"):
        reportgen.study("toy", sede=3)


@pytest.mark.slow
def test_the_terminal_says_what_was_found(tmp_path: Path) -> None:
    arguments = ["study", "agreement-robustness", str(tmp_path / "out"), "--responses", "100", "--replicates", "2"]
    result = CliRunner().invoke(app, [*arguments, "--tables-only"])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("When only the spread of true scores changes, ")
