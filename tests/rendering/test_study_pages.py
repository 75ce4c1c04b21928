"""A study on paper says what it found before its contents, its annex has a title, and asides stay small there."""

import re
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
def test_the_finding_stands_before_the_contents(pages: list[str]) -> None:
    text = " ".join(pages)
    finding = text.index("Figure 1")
    assert finding < text.index("Contents") < text.index("Technical annex")


@pytest.mark.slow
def test_the_annex_is_told_from_the_finding(pages: list[str]) -> None:
    contents = " ".join(pages).split("Contents")[1].split("Figure")[0]
    assert ": details" in contents


def test_asides_and_caveats_keep_their_letters_in_the_annex() -> None:
    style = (Path(__file__).parents[2] / "templates" / "html" / "print.css").read_text(encoding="utf-8")
    (excepted,) = re.findall(r"section\.annex > p:not\(([^)]*)\), section\.annex > ul", style)
    assert {".aside", ".caveat", ".kicker", ".term-note"} == set(excepted.split(", "))
    assert re.search(r"\.aside, \.term-note \{[^}]*break-inside: avoid", style)
