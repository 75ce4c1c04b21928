"""The brief alone: two pages that name no pages of others."""

from pathlib import Path

import pytest
from command import pdf_pages

from reportgen.rendering import render
from reportgen.storing import results_file

EXAMPLES = Path(__file__).parents[2] / "example_reports"


@pytest.mark.slow
@pytest.mark.parametrize("example", ["asap2", "biased_group"])
def test_the_brief_stands_alone(example: str, tmp_path: Path) -> None:
    report = results_file.read(EXAMPLES / example / "results.json")
    render(report, tmp_path, formats=("brief",))
    pages = pdf_pages(tmp_path / "brief.pdf")
    text = "\n".join(pages)
    assert len(pages) <= 2
    assert "Is the engine ready for use?" in text
    assert "Engine, raters, and data" in text
    assert "Technical annex" not in text
    assert "page" not in text.replace("page one", "").lower().split()


def test_a_report_without_a_decision_has_no_brief(tmp_path: Path) -> None:
    import sample_report as sample

    render(sample.report(), tmp_path, formats=("brief",))
    assert not (tmp_path / "brief.pdf").exists()
