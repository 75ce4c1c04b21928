"""Test the main task end to end: numbers from the score file to every page, through every interface."""

import csv
import io
import json
import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import page_text, pdf_text, reportgen
from simulated import evaluation_of

from reportgen.rendering.notebook import cells
from reportgen.rendering.page_tables import TableView
from reportgen.results import Estimate, Report
from reportgen.results.chart import Dots
from reportgen.storing import results_file
from reportgen.wording.filling import apart
from reportgen.wording.numbers import in_cell, interval, with_interval

ROWS = 143
HEADER = ["response", "engine", "rater_1", "rater_2", "language"]


def rows() -> list[list[str]]:
    """Return 143 responses, 47 of them scored twice, from whole-number arithmetic alone."""
    result = []
    for i in range(ROWS):
        first = 1 + (i * 7) % 6
        engine = min(6.4, max(0.6, first + ((i * 13) % 11 - 5) / 4))
        second = str(min(6, max(1, first + (i // 3) % 3 - 1))) if i % 3 == 1 and i < 141 else ""
        result.append([f"r{i:03d}", f"{engine:.2f}", str(first), second, ("en", "fr", "yo")[i % 3]])
    return result


def csv_text() -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEADER, *rows()])
    return text.getvalue()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with scores.csv and the whole report of it in scores_report."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "scores.csv").write_text(csv_text(), encoding="utf-8")
    reportgen("evaluate", "scores.csv", "--scale", "1:6", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def out(run: Path) -> Path:
    return run / "scores_report"


@pytest.fixture(scope="module")
def report(out: Path) -> Report:
    return results_file.read(out / "results.json")


def planted_qwk() -> float:
    """Return the quadratic weighted kappa of the planted scores, written out (continuous, divisor n)."""
    human = [float(row[2]) for row in rows()]
    engine = [float(row[1]) for row in rows()]
    mean_h, mean_e = math.fsum(human) / ROWS, math.fsum(engine) / ROWS
    covariance = math.fsum((h - mean_h) * (e - mean_e) for h, e in zip(human, engine, strict=True))
    variances = math.fsum((h - mean_h) ** 2 for h in human) + math.fsum((e - mean_e) ** 2 for e in engine)
    return 2 * covariance / (variances + ROWS * (mean_h - mean_e) ** 2)


def test_a_planted_number_reaches_every_output(out: Path, report: Report) -> None:
    """QWK by hand, in results.json, in the CSV, in the HTML and in the PDF; so does the count of responses."""
    qwk = report.evaluation.estimates["system.qwk"]
    assert qwk.value == pytest.approx(planted_qwk(), abs=1e-12)
    assert qwk.n == ROWS

    with (out / "tables" / "system_human.association.csv").open(encoding="utf-8") as file:
        line = next(csv.DictReader(file))
    assert float(line["qwk"]) == qwk.value
    assert int(line["n"]) == ROWS

    sentence = f"{planted_qwk():.2f} [{qwk.low:.2f}, {qwk.high:.2f}]"
    for text in (page_text(out / "report.html"), pdf_text(out / "report.pdf")):
        assert sentence in text
        assert f"{ROWS} responses" in text


def test_every_output_exists_and_is_small(out: Path) -> None:
    written = {path.name for path in out.iterdir()}
    assert written == {
        "report.html", "report.pdf", "report.ipynb", "results.json", "config.toml", "tables", "references.bib",
        "references.json",
    }  # fmt: skip
    assert (out / "report.html").stat().st_size < 2_500_000


def shown_estimates(report: Report) -> Iterator[Estimate]:
    """Yield every estimate that the paper shows in a list of checks or in a table that a template shows whole."""
    shows = re.compile(r"report\.show\('([^']+)'(?![^)]*columns)")
    whole = {match[1] for _, _, text in cells(report) for match in shows.finditer(text)}
    for section in report.sections:
        yield from (check.estimate for check in section.findings.checks)
        for table in (table for table in section.findings.tables if table.key in whole):
            on_paper = {column.label for column in TableView(table).columns if column.on_paper}
            shown = [i for i, column in enumerate(table.columns) if column.shown and column.label in on_paper]
            for row in table.rows[: table.max_rows]:
                yield from (cell for index in shown if isinstance(cell := row.cells[index], Estimate))


def written(estimate: Estimate, report: Report) -> set[str]:
    """Return every way a page may write an estimate: more decimals near a threshold or in a column that has them, a
    sign for a difference.
    """
    bounds = {(check.low, check.high) for check in report.evaluation.checks} | {(None, None)}
    forms = {with_interval(estimate, *pair, signed=signed) for pair in bounds for signed in (None, True)}
    columns = {with_interval(estimate, signed=signed, places=n) for n in range(5) for signed in (None, True)}
    return forms | {in_cell(form) for form in columns}


def every_estimate(value: Any) -> Iterator[Estimate]:
    """Yield every estimate stored anywhere in results.json."""
    if isinstance(value, dict):
        if {"metric", "value", "low", "high", "n", "standard_error"} <= set(value):
            yield Estimate(**{key: item for key, item in value.items() if key != "$type"})
        for item in value.values():
            yield from every_estimate(item)
    elif isinstance(value, list):
        for item in value:
            yield from every_estimate(item)


def drawn_intervals(report: Report) -> Iterator[str]:
    """Yield the intervals of every chart, as the table of its data writes them."""
    for chart in (chart for section in report.sections for chart in section.findings.charts):
        layers = (*chart.layers, *(layer for panel in chart.panels for layer in panel.layers))
        for layer in (layer for layer in layers if isinstance(layer, Dots)):
            for value, low, high in zip(layer.values, layer.low, layer.high, strict=False):
                if low is not None and high is not None:
                    yield interval(Estimate("", value, 0, low, high))


def test_every_estimate_on_paper_is_the_stored_one(out: Path, report: Report) -> None:
    text = pdf_text(out / "report.pdf")
    shown = list(shown_estimates(report))
    assert len(shown) > 60
    assert [estimate for estimate in shown if not any(form in text for form in written(estimate, report))] == []


@pytest.mark.parametrize("page", ["report.html", "report.pdf"])
def test_no_interval_on_a_page_comes_from_elsewhere(out: Path, report: Report, page: str) -> None:
    """Every ``[low, high]`` that a reader sees is a stored interval, rounded."""
    stored = json.loads((out / "results.json").read_text(encoding="utf-8"))
    forms = {form for estimate in every_estimate(stored) for form in written(estimate, report)}
    forms |= {apart(estimate) for estimate in every_estimate(stored) if estimate.value is not None}
    known = {f"[{form.partition(' [')[2]}" for form in forms} | set(drawn_intervals(report))
    text = page_text(out / page) if page.endswith("html") else pdf_text(out / page)
    seen = set(re.findall(r"\[[−+]?\d[\d.,]*, [−+]?\d[\d.,]*\]", text))
    assert len(seen) > 20
    assert seen <= known


def test_frames_give_the_same_numbers(report: Report) -> None:
    import pandas as pd
    import pyarrow as pa

    frame = pd.read_csv(io.StringIO(csv_text()))
    for source in (frame, pa.Table.from_pandas(frame)):
        assert evaluation_of(source, scale="1:6").estimates == report.evaluation.estimates


@pytest.mark.slow
def test_render_writes_the_same_pages_without_the_data(out: Path, tmp_path: Path) -> None:
    (tmp_path / "results.json").write_bytes((out / "results.json").read_bytes())
    reportgen("render", "results.json", "pages", cwd=tmp_path)
    assert (tmp_path / "pages" / "report.html").read_bytes() == (out / "report.html").read_bytes()
    assert pdf_text(tmp_path / "pages" / "report.pdf") == pdf_text(out / "report.pdf")


FAILING = """
from dataclasses import dataclass
from reportgen.sections import Findings, Section

@dataclass(frozen=True)
class Broken(Section):
    name = "broken"
    title = "Broken section"

    def findings(self, evaluation):
        raise ValueError("there is no essay length in this file")
"""


@pytest.mark.slow
def test_a_failing_section_is_shown_and_the_rest_is_complete(run: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(FAILING, encoding="utf-8")
    sections = f"data,{tmp_path / 'broken.py'},system_human_agreement"
    options = ("--sections", sections, "--formats", "html")
    done = reportgen("evaluate", "scores.csv", tmp_path / "out", *options, cwd=run, code=3)
    assert "broken" in done.stderr
    assert "Traceback" not in done.stderr
    text = page_text(tmp_path / "out" / "report.html")
    assert "there is no essay length in this file" in text
    assert "Does it agree with raters?" in text
    assert (tmp_path / "out" / "report.ipynb").exists()


OFFLINE = """
import sys
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise SystemExit(f"the network was asked for: {event} {arguments}")
sys.addaudithook(refuse)
from reportgen.cli.app import main
main()
"""


@pytest.mark.slow
def test_nothing_uses_the_network(run: Path, tmp_path: Path) -> None:
    import subprocess

    command = [sys.executable, "-c", OFFLINE, "evaluate", "scores.csv", str(tmp_path / "out")]
    subprocess.run(command, cwd=run, check=True, capture_output=True)
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    addresses = re.findall(r'<(\w+)[^<>]*\b(?:src|href)="https?:', page)
    assert set(addresses) == {"a"}  # references link to their works
