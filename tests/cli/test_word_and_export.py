"""Test Word documents and exports from the command line: written, or an error in one sentence and no files."""

from pathlib import Path
from typing import Any

import docx
import pytest
import sample_report as sample
from command import refused, reportgen

from reportgen.storing import results_file


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir()
    results_file.write(sample.report(), tmp_path / "run" / "results.json")
    (tmp_path / "bad.docx").write_text("no document")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["render", "run/results.json", "again", "--formats", "docx", "--docx-template", "bad.docx"], "Word document"),
        (["render", "run/results.json", "again", "--formats", "docx", "--docx-template", "no.docx"], "cannot be read"),
        (["export", "run", "paper", "--figures", "gif"], "unknown format 'gif'"),
        (["export", "run", "bad.docx"], "is a file"),
        (["export", "nowhere", "paper"], "was not found"),
    ],
)
def test_impossible_exports_are_errors(home: Path, arguments: list[str], words: str) -> None:
    assert words in refused(*arguments, cwd=home)
    assert sorted(path.name for path in home.iterdir()) == ["bad.docx", "run"]


@pytest.mark.slow
def test_a_word_document_has_the_styles_of_the_template(home: Path) -> None:
    template: Any = docx.Document()
    template.sections[0].header.paragraphs[0].add_run("House of Tests")
    template.save(str(home / "house.docx"))
    command = ["render", "run/results.json", "again", "--formats", "docx", "--docx-template", "house.docx"]
    assert "report.docx" in reportgen(*command, cwd=home, code=3).stdout  # one section of the sample is broken
    made: Any = docx.Document(str(home / "again" / "report.docx"))
    assert made.sections[0].header.paragraphs[0].text == "House of Tests"


@pytest.mark.slow
def test_an_export_prints_its_path(home: Path) -> None:
    said = reportgen("export", "run", "paper", "--tables", "latex, md", "--figures", "svg", cwd=home).stdout
    files = [path for path in (home / "paper").rglob("*") if path.is_file()]
    assert said == f"paper: {len(files)} files\n"
    assert {path.suffix for path in files} == {".tex", ".md", ".svg"}
    reportgen("export", "run", "paper", "--tables", "latex", "--figures", "svg", cwd=home, code=2)
    reportgen("export", "run", "paper", "--tables", "latex", "--figures", "svg", "--force", cwd=home)
