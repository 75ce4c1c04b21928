"""Make PDFs for the tests: the examples, rebuilt from their results, and a small one."""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest
import sample_report
import weasyprint

import reportgen
from reportgen.governance.review import packet
from reportgen.rendering import render
from reportgen.settings import Settings
from reportgen.storing.report_folder import Writing

EXAMPLES = Path(__file__).parents[2] / "example_reports"
SAMPLES: dict[str, tuple[str, dict[str, Any]]] = {
    "evaluation": ("asap2", {}),
    "evaluation in Spanish": ("biased_group", {"language": "es"}),
    "comparison": ("two_engines", {}),
    "summary": ("three_reports", {}),
    "study": ("prmse_stability", {}),
    "packet": ("biased_group", {}),
}
"""Sample -> its example and settings."""

EACH_SAMPLE = ["evaluation", *(pytest.param(each, marks=pytest.mark.slow) for each in SAMPLES if each != "evaluation")]
"""Every sample as test parameters; only one of them is not slow."""


class Made(NamedTuple):
    """A PDF, its HTML page, and the layout of that page."""

    pdf: bytes
    page: str
    laid_out: Any


@cache
def made(sample: str) -> Made:
    """Return the PDF of a sample, and its page."""
    example, settings = SAMPLES[sample]
    results = EXAMPLES / example / "results.json"
    if sample == "packet":
        return _made(lambda folder: packet(results, Settings(), Writing(folder)))
    return _made(lambda folder: reportgen.render(results, folder, formats=["pdf"], **settings))


@cache
def small() -> bytes:
    """Return a PDF of one section with a table, charts, and links."""
    whole = sample_report.report()
    report = replace(whole, sections=whole.sections[2:3])

    def make(folder: Path) -> None:
        folder.mkdir()
        render(report, folder, formats=("pdf",))

    return _made(make).pdf


def _made(make: Callable[[Path], object]) -> Made:
    read: list[tuple[str, Any]] = []

    def reading(string: str, **given: Any) -> Any:
        read.append((string, opened := real(string=string, **given)))
        return opened

    real = weasyprint.HTML
    with tempfile.TemporaryDirectory() as home, patch.object(weasyprint, "HTML", reading):
        make(Path(home) / "report")
        content = (Path(home) / "report" / "report.pdf").read_bytes()
    page, laid_out = read[-1]
    return Made(content, page, laid_out.etree_element)
