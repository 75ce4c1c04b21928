"""Printed studies and briefs: order of parts, titles, and size."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from command import pdf_pages

from reportgen.rendering import render
from reportgen.storing import results_file

STUDY = Path(__file__).parents[2] / "example_reports" / "prmse_stability" / "results.json"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("study")
    render(results_file.read(STUDY), folder, formats=("pdf",))
    return [" ".join(page.split()) for page in pdf_pages(folder / "report.pdf")]


@pytest.mark.slow
def test_study_shows_finding_before_contents_and_annex_has_its_own(pages: list[str]) -> None:
    text = " ".join(pages)
    assert text.index("Next steps") < text.index("Contents") < text.index("Technical appendix")
    assert "Raters, engines, and ranks . . ." in text.split("Technical appendix")[2].split("Figure")[0]


def test_annex_keeps_size_of_caveats() -> None:
    style = (Path(__file__).parents[2] / "templates" / "html" / "print.css").read_text(encoding="utf-8")
    (excepted,) = re.findall(r"section\.annex > p:not\(([^)]*)\), section\.annex > ul", style)
    assert {".caveat", ".kicker"} == set(excepted.split(", "))


EXAMPLES = Path(__file__).parents[2] / "example_reports"


@pytest.mark.slow
@pytest.mark.parametrize("example", ["asap2", "biased_group"])
def test_brief_has_one_page(example: str, tmp_path: Path) -> None:
    report = results_file.read(EXAMPLES / example / "results.json")
    render(report, tmp_path, formats=("brief",))
    pages = pdf_pages(tmp_path / "brief.pdf")
    text = "\n".join(pages)
    assert len(pages) == 1
    assert "Is the engine ready for use?" in text
    assert "Technical appendix" not in text
    assert "page" not in text.replace("page one", "").lower().split()


def test_report_without_decision_has_no_brief(tmp_path: Path) -> None:
    import sample_report as sample

    report = sample.report()
    render(replace(report, sections=report.sections[1:]), tmp_path, formats=("brief",))
    assert not (tmp_path / "brief.pdf").exists()
