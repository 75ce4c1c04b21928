"""The command line evaluates several files as it does one, and its configuration makes the report again."""

import json
import shutil
import tomllib
from pathlib import Path

import pytest
from command import page_text, refused, reportgen

from reportgen import load
from reportgen.runs.ours import read_run

HEADER = "id,human1,human2,system,gender\n"
ROWS = [
    f"R{row},{1 + row % 4},{1 + (row + row // 9) % 4},{1.3 + row % 4 + row % 3 / 5},{'fm'[row % 2]}\n"
    for row in range(90)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the same rows in one file and in three, all evaluated."""
    path = tmp_path_factory.mktemp("several")
    (path / "whole.csv").write_text(HEADER + "".join(ROWS))
    for number, part in enumerate((ROWS[:20], ROWS[20:50], ROWS[50:])):
        (path / f"part-{number}.csv").write_text(HEADER + "".join(part))
    reportgen("evaluate", "whole.csv", "whole", "--formats", "html", cwd=path)
    reportgen("evaluate", "part-*.csv", "--formats", "html", cwd=path)
    reportgen("evaluate", "part-0.csv", "part-1.csv", "part-2.csv", "listed", "--tables-only", cwd=path)
    return path


def numbers(report: Path) -> dict[str, object]:
    """Return every estimate and table of a report but the ones about its files."""
    evaluation = json.loads((report / "results.json").read_text())["report"]["evaluation"]
    return {key: evaluation[key] for key in ("estimates", "tables", "checks", "facts")}


@pytest.mark.slow
@pytest.mark.parametrize("report", ["part_report", "listed"])
def test_multiple_files_give_the_same_numbers(folder: Path, report: str) -> None:
    assert numbers(folder / report) == numbers(folder / "whole")


@pytest.mark.slow
def test_the_page_names_every_file(folder: Path) -> None:
    text = page_text(folder / "part_report" / "report.html")
    source = load(folder / "part_report").evaluation.source
    for file in source.files:
        assert file.name in text
        assert file.sha256 in text
    assert len(source.files) == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("report", "file"),
    [("part_report", "../part-*.csv"), ("listed", ["../part-0.csv", "../part-1.csv", "../part-2.csv"])],
)
def test_the_configuration_reproduces_the_report(folder: Path, report: str, file: object) -> None:
    config = folder / report / "config.toml"
    assert tomllib.loads(config.read_text())["data"]["file"] == file
    reportgen("evaluate", config, f"{report}_again", "--tables-only", cwd=folder)
    assert numbers(folder / f"{report}_again") == numbers(folder / report)


def test_a_run_finds_its_rows_until_a_file_changes(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    for report in ("part_report", "listed"):
        assert read_run(tmp_path / "copy" / report).rows is not None
    (tmp_path / "copy" / "part-1.csv").write_text(HEADER + "".join(ROWS[20:49]))
    for report in ("part_report", "listed"):
        assert "changed" in read_run(tmp_path / "copy" / report).no_rows
    (tmp_path / "copy" / "part-1.csv").unlink()
    assert "changed" in read_run(tmp_path / "copy" / "part_report").no_rows
    assert "not at the path" in read_run(tmp_path / "copy" / "listed").no_rows


def test_errors_name_the_file(folder: Path) -> None:
    (folder / "odd.csv").write_text("id,human1,system\na,1,2\n")
    said = refused("evaluate", "part-0.csv", "odd.csv", "part-1.csv", "odd_report", cwd=folder)
    assert "odd.csv: missing columns that are in part-0.csv: 'human2' and 'gender'" in " ".join(said.split())
    said = refused("evaluate", "part-9*.csv", cwd=folder)
    assert "no file matches this pattern" in " ".join(said.split())
