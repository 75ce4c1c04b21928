"""Test Word documents, exports, and references from the command line: written, or an error in one sentence."""

import json
import re
from pathlib import Path
from typing import Any

import docx
import pytest
import sample_report as sample
from command import page_text, pdf_text, refused, reportgen
from score_files import SIXTY

import reportgen as package
from reportgen.citations import works_behind
from reportgen.storing import results_file
from reportgen.wording.bibliography import work


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


@pytest.fixture(scope="module")
def cited_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cite")
    (folder / "s.csv").write_text(SIXTY)
    package.evaluate(folder / "s.csv", folder / "out", scale="1:5", formats=["html"])
    return folder


def test_a_run_has_references_in_files_and_in_its_annex(cited_run: Path) -> None:
    out = cited_run / "out"
    report = package.load(out)
    keys = ["reportgen", *works_behind(report.evaluation)]
    assert [item["id"] for item in json.loads((out / "references.json").read_text())] == keys
    bib = (out / "references.bib").read_text(encoding="utf-8")
    assert bib == package.cite(out, "bibtex") == package.cite(report, form="bibtex")
    page = (out / "report.html").read_text(encoding="utf-8")
    assert 'href="https://doi.org/10.1037/h0026256"' in page
    assert "Weighted kappa: nominal scale agreement" in page_text(out / "report.html")


def test_the_command_cites_a_run_or_only_reportgen(cited_run: Path) -> None:
    assert (
        reportgen("cite", "out", "--format", "csl", cwd=cited_run).stdout
        == (cited_run / "out/references.json").read_text()
    )
    alone = reportgen("cite", cwd=cited_run).stdout
    assert alone == package.cite()
    assert reportgen("cite", "out/results.json", cwd=cited_run).stdout.startswith(alone)


@pytest.mark.parametrize(
    ("arguments", "sentence"), [(["nowhere"], "error: 'nowhere' was not found"), (["s.csv"], "error: s.csv: ")]
)
def test_sources_that_cannot_be_cited_are_errors(cited_run: Path, arguments: list[str], sentence: str) -> None:
    assert refused("cite", *arguments, cwd=cited_run).startswith(sentence)


@pytest.mark.slow
def test_pages_in_spanish_cite_the_same_works(cited_run: Path) -> None:
    package.render(cited_run / "out/results.json", cited_run / "es", language="es", formats=["html"])
    pages = [(cited_run / place / "report.html").read_text(encoding="utf-8") for place in ("out", "es")]
    english, spanish = (set(re.findall(r'href="(https://doi[^"]+)"', page)) for page in pages)
    assert english == spanish != set()
    assert (cited_run / "es/references.bib").read_bytes() == (cited_run / "out/references.bib").read_bytes()


@pytest.mark.slow
def test_a_doi_on_paper_is_not_hyphenated(cited_run: Path) -> None:
    package.render(cited_run / "out/results.json", cited_run / "paper", formats=["pdf"])
    letters = "".join(pdf_text(cited_run / "paper/report.pdf").split())
    known = [work(key).doi for key in works_behind(package.load(cited_run / "out").evaluation)]
    assert [doi for doi in known if doi and f"doi.org/{doi}" not in letters] == []


def test_results_that_name_unknown_works_are_shown(cited_run: Path, tmp_path: Path) -> None:
    """A file of another version, or of a stranger."""
    content = json.loads((cited_run / "out/results.json").read_text())
    section = next(each for each in content["report"]["sections"] if each["name"] == "provenance")
    section["findings"]["values"]["references"] = ["cohen_1960", "unknown_2031", "<script>", 3]
    (tmp_path / "results.json").write_text(json.dumps(content))
    package.render(tmp_path / "results.json", tmp_path / "out", formats=["html"])
    page = page_text(tmp_path / "out/report.html")
    assert "A coefficient of agreement for nominal scales" in page
    assert "unknown_2031" not in page
