"""Test ``reportgen cite``, and the references that a run writes with its pages."""

import json
import re
from pathlib import Path

import pytest
from command import page_text, pdf_text, refused, reportgen
from score_files import SIXTY

import reportgen as package
from reportgen.citations import works_behind
from reportgen.wording.bibliography import work


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cite")
    (folder / "s.csv").write_text(SIXTY)
    package.evaluate(folder / "s.csv", folder / "out", scale="1:5", formats=["html"])
    return folder


def test_a_run_has_references_in_files_and_in_its_annex(home: Path) -> None:
    out = home / "out"
    report = package.load(out)
    keys = ["reportgen", *works_behind(report.evaluation)]
    assert [item["id"] for item in json.loads((out / "references.json").read_text())] == keys
    bib = (out / "references.bib").read_text(encoding="utf-8")
    assert bib == package.cite(out, "bibtex") == package.cite(report, form="bibtex")
    page = (out / "report.html").read_text(encoding="utf-8")
    assert 'href="https://doi.org/10.1037/h0026256"' in page
    assert "Weighted kappa: nominal scale agreement" in page_text(out / "report.html")


def test_the_command_cites_a_run_or_only_reportgen(home: Path) -> None:
    assert reportgen("cite", "out", "--format", "csl", cwd=home).stdout == (home / "out/references.json").read_text()
    alone = reportgen("cite", cwd=home).stdout
    assert alone == package.cite()
    assert reportgen("cite", "out/results.json", cwd=home).stdout.startswith(alone)


@pytest.mark.parametrize(
    ("arguments", "sentence"), [(["nowhere"], "error: 'nowhere' was not found"), (["s.csv"], "error: s.csv: ")]
)
def test_sources_that_cannot_be_cited_are_errors(home: Path, arguments: list[str], sentence: str) -> None:
    assert refused("cite", *arguments, cwd=home).startswith(sentence)


@pytest.mark.slow
def test_pages_in_spanish_cite_the_same_works(home: Path) -> None:
    package.render(home / "out/results.json", home / "es", language="es", formats=["html"])
    pages = [(home / place / "report.html").read_text(encoding="utf-8") for place in ("out", "es")]
    english, spanish = (set(re.findall(r'href="(https://doi[^"]+)"', page)) for page in pages)
    assert english == spanish != set()
    assert (home / "es/references.bib").read_bytes() == (home / "out/references.bib").read_bytes()


@pytest.mark.slow
def test_a_doi_on_paper_is_not_hyphenated(home: Path) -> None:
    package.render(home / "out/results.json", home / "paper", formats=["pdf"])
    letters = "".join(pdf_text(home / "paper/report.pdf").split())
    known = [work(key).doi for key in works_behind(package.load(home / "out").evaluation)]
    assert [doi for doi in known if doi and f"doi.org/{doi}" not in letters] == []


def test_results_that_name_unknown_works_are_shown(home: Path, tmp_path: Path) -> None:
    """A file of another version, or of a stranger."""
    content = json.loads((home / "out/results.json").read_text())
    section = next(each for each in content["report"]["sections"] if each["name"] == "provenance")
    section["findings"]["values"]["references"] = ["cohen_1960", "unknown_2031", "<script>", 3]
    (tmp_path / "results.json").write_text(json.dumps(content))
    package.render(tmp_path / "results.json", tmp_path / "out", formats=["html"])
    page = page_text(tmp_path / "out/report.html")
    assert "A coefficient of agreement for nominal scales" in page
    assert "unknown_2031" not in page
