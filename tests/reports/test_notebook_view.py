"""A report, a verdict and a chart show themselves in a notebook: in a few lines, whatever their texts hold."""

import html
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import plotly.graph_objects as go
import plotly.io
import pytest
import sample_report as sample
from score_files import SIXTY

import reportgen
from reportgen.results import Estimate, Report, Verdict
from reportgen.results.chart import Axis, Bars, Chart

HOSTILE = pytest.mark.parametrize("text", [*sample.HOSTILE, "\u202e'\"><img onerror=1>", "x" * 9000, "", "0"])
DRAWN = {"svg", "title", "g", "rect", "line", "text", "tspan", "circle", "path", "polyline", "polygon"}
WRITTEN = {"div", "p", "strong", "span", "code", "table", "thead", "tbody", "tr", "th", "td", "figure", "figcaption"}


def assert_plain(shown: str) -> None:
    """Assert that nothing but text and drawings is shown, and not too much of it."""
    assert set(re.findall(r"<([a-zA-Z][\w-]*)", shown)) <= DRAWN | WRITTEN
    assert "\u202e" not in shown
    assert len(shown) < 60_000


def ruling_of(report: Report) -> Verdict:
    assert report.verdict is not None
    return report.verdict


def text_of(page: str) -> str:
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", page)).split())


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    file = tmp_path_factory.mktemp("notebook") / "s.csv"
    file.write_text(SIXTY)
    return reportgen.evaluate(file, scale="1:5")


def test_the_view_shows_the_findings_and_links_to_the_page(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.csv").write_text(SIXTY)
    written = reportgen.evaluate("s.csv", "a b/out", scale="1:5", formats=["html"], sections=["summary"])
    shown = written._repr_html_()
    assert "<strong>0." in shown
    assert written.verdict is not None
    assert written.verdict.sentence
    assert all(words in text_of(shown) for words in written.verdict.sentence.split(". "))
    assert re.findall(r'href="([^"]*)"', shown) == ["./a%20b/out/report.html"]
    assert "href=" not in report._repr_html_()
    assert len(shown) < 20_000
    assert "page" not in json.loads(Path("a b/out/results.json").read_text())["report"]


def test_a_stored_report_shows_as_much_as_a_new_one_in_its_language(report: Report) -> None:
    stored = replace(report, evaluation=replace(report.evaluation, ruling=ruling_of(report)))
    assert stored._repr_html_() == report._repr_html_()
    spanish = text_of(replace(report, language="es")._repr_html_())
    assert "Requisito" in spanish
    assert "Requirement" not in spanish


@HOSTILE
def test_no_text_of_a_report_becomes_markup(report: Report, text: str) -> None:
    shown = replace(report, title=text, created=text, labels={"engine": text})._repr_html_()
    assert_plain(shown)


@HOSTILE
def test_no_text_of_a_verdict_becomes_markup(report: Report, text: str) -> None:
    """Names of requirements, groups and policies, and reasons why a number is not there."""
    check = replace(ruling_of(report).checks[0], label=text, group=text, column=text, level=text, source=text)
    unknown = replace(check, estimate=Estimate("qwk", None, 0, reason=text), outcome="insufficient")
    assert_plain(replace(ruling_of(report), policy=text, checks=(check, unknown) * 9)._repr_html_())


@HOSTILE
def test_no_text_of_a_chart_becomes_markup(text: str) -> None:
    bars = Bars(text or "bars", (text or "a",), (40.0,))
    chart = Chart("k", text, text if text.strip() else "Its answer.", Axis(text, (text or "a",)), Axis(text), (bars,))
    assert_plain(chart._repr_html_())


def test_a_chart_is_a_plotly_figure_with_the_style_of_the_report(report: Report) -> None:
    for chart in (chart for section in report.sections for chart in section.findings.charts):
        figure = chart.figure()
        assert isinstance(figure, go.Figure)
        assert figure.layout.template == plotly.io.templates["reportgen"]
        assert "Term(" not in figure.to_json()
    assert plotly.io.templates.default == "plotly"


def test_plotly_is_imported_only_for_a_figure() -> None:
    code = "import sys, reportgen.results, reportgen.charts.static; print(int('plotly' in sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "0"
