"""What a refusal suggests can be typed, and the reason it gives is the true one."""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reportgen.cli.app import app
from reportgen.scores.scale import typed

UNREADABLE_NAME = os.fsdecode(b"sc\xff\xe9")
SUFFIXES = (".csv", ".tsv", ".jsonl", ".xlsx", ".parquet", ".sas7bdat")


def refused(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2, result.output
    return result.stderr


@pytest.mark.parametrize("ends", [(-6.0, 1e308), (-1e308, 1e308), (0.0, 1001.0)])
def test_ends_that_no_scale_would_have_are_left_to_fill_in(ends: tuple[float, float]) -> None:
    assert typed(*ends, 0) == "LOW:HIGH"


@pytest.mark.parametrize(("worst", "hint"), [("1e308", "within 1,000,000 of 0"), ("7.5", "--scale 1:7.5:0.5.")])
def test_scores_outside_the_declared_scale_suggest_one_that_can_be_typed(
    worst: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{i % 5 + 1},{(i + 1) % 5 + 1}" for i in range(30)]
    Path("ratings.csv").write_text("\n".join(["h1,h2", *rows, f"1,{worst}"]))
    assert hint in refused("complete", "ratings.csv", "--scale", "1:5")


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("command", ["evaluate", "complete"])
def test_a_file_whose_name_is_not_utf_8_is_refused_for_its_name(
    command: str, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(UNREADABLE_NAME + suffix).write_text("id,human,system\n1,2,3\n")
    assert "the name of this file, or of its folder, is not UTF-8 text; rename it" in refused(
        command, UNREADABLE_NAME + suffix
    )
