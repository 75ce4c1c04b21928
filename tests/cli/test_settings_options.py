"""Options made of settings: a line at a field is an option with help and default, and a setting of the run."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import Field
from typer.testing import CliRunner

from reportgen import settings
from reportgen.cli.app import app
from reportgen.settings import DataSettings, Option, Settings, flags, loading
from reportgen.settings.models import StatisticsSettings

SCORES = "id,item,human,system\n" + "".join(f"r{i},P{i % 2},{i % 5 + 1},{i % 5 + 1.2:.2f}\n" for i in range(40))


class MoreData(DataSettings):
    proctors: Annotated[tuple[str, ...], Option("--proctor", metavar="COLUMN")] = Field(
        default=("front",), description="The columns of those who watched."
    )
    silent: str | None = Field(default=None, description="Said in files alone.")


class MoreStatistics(StatisticsSettings):
    patience: Annotated[float, Option()] = Field(default=1.5, description="How long to wait.")
    is_strict: Annotated[bool, Option("--severe/--mild")] = Field(default=True, description="Whether it is severe.")


class MoreSettings(Settings):
    data: MoreData = Field(default=MoreData(), description="Data.")
    statistics: MoreStatistics = Field(default=MoreStatistics(), description="Statistics.")


@pytest.fixture
def scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a file of scores where settings have more fields than they are shipped with."""
    for module in (settings, loading, flags):
        monkeypatch.setattr(module, "Settings", MoreSettings)
    flags.typed.cache_clear()
    flags._known.cache_clear()
    monkeypatch.setenv("COLUMNS", "150")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.csv").write_text(SCORES)
    yield tmp_path / "s.csv"
    flags.typed.cache_clear()
    flags._known.cache_clear()


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split())


@pytest.mark.parametrize("command", ["evaluate", "batch"])
def test_a_field_with_an_option_is_one_of_every_command_that_takes_its_table(scores: Path, command: str) -> None:
    said = run(command, "--help")
    assert "--proctor COLUMN The columns of those who watched. Repeatable. Default: front." in said
    assert "How long to wait. Default: 1.5." in said
    assert "--severe / --mild" in said
    assert "Whether it is severe. Default: --severe." in said
    assert "silent" not in said
    assert "--proctor" not in run("summarize", "--help")


def test_options_set_the_run_and_override_its_configuration(scores: Path) -> None:
    Path("c.toml").write_text('[data]\nfile = "s.csv"\nproctors = ["c"]\nsilent = "d"\n[statistics]\npatience = 3\n')
    run("evaluate", "c.toml", "out", "--tables-only", "--proctor", "a", "--proctor", "b", "--mild")
    written = tomllib.loads(Path("out/config.toml").read_text())
    assert written["data"]["proctors"] == ["a", "b"]
    assert written["data"]["silent"] == "d"
    assert (written["statistics"]["patience"], written["statistics"]["is_strict"]) == (3, False)


def test_invalid_options_are_errors_like_invalid_settings(scores: Path) -> None:
    result = CliRunner().invoke(app, ["evaluate", "s.csv", "--patience", "inf"])
    assert (result.exit_code, result.stderr) == (2, "error: --patience: expected a finite number, found inf\n")
