"""Parts of the screen page around the report: bar, contents, terms, exact numbers, and interactive charts."""

import base64
import gzip
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import sample_report as sample

from reportgen.rendering import Look, render
from reportgen.rendering.page import outcome_of
from reportgen.results import Estimate, Outcome

DIGEST = re.compile(r"'sha256-([^']+)'")


def page_of(folder: Path, look: Look | None = None, formats: tuple[str, ...] = ("html",)) -> str:
    render(sample.report(), folder, formats=formats, look=look)
    return (folder / "report.html").read_text(encoding="utf-8")


def with_sections(folder: Path, **templates: str) -> Look:
    for name, text in templates.items():
        place = folder / "mine" / "sections" / name / "section.md.j2"
        place.parent.mkdir(parents=True, exist_ok=True)
        base = '{% extends "shipped/notebook/base_section.md.j2" %}\n{% block lead %}'
        place.write_text(base + text + "{% endblock %}")
    return Look(templates=folder / "mine")


@pytest.mark.slow
def test_bar_links_to_pdf_if_written(tmp_path: Path) -> None:
    assert ">PDF</a>" not in page_of(tmp_path)
    (tmp_path / "both").mkdir()
    assert '<a href="report.pdf">PDF</a>' in page_of(tmp_path / "both", formats=("html", "pdf"))


def test_policy_allows_scripts_of_page_only(tmp_path: Path) -> None:
    source = page_of(tmp_path)
    named = set(DIGEST.findall(source.split("script-src")[1].split(";")[0]))
    held = {
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in re.findall(r"<script>(.*?)</script>", source, re.DOTALL)
    }
    packed = re.search(r'id="plotly">([^<]+)<', source)
    assert packed
    library = gzip.decompress(base64.b64decode(packed[1]))
    assert named == held | {base64.b64encode(hashlib.sha256(library).digest()).decode()}
    assert "frame-src" not in source


def test_pages_can_share_library(tmp_path: Path) -> None:
    look = Look(plotly="beside")
    source = page_of(tmp_path, look)
    shared = (tmp_path / "plotly.html").read_text(encoding="utf-8")
    packed = re.search(r'id="plotly">([^<]+)<', shared)
    assert packed
    library = hashlib.sha256(gzip.decompress(base64.b64decode(packed[1]))).digest()
    assert base64.b64encode(library).decode() in DIGEST.findall(source)
    assert "frame-src 'self'" in source
    assert 'data-library="plotly.html"' in source
    assert 'id="plotly"' not in source
    part = tmp_path / "part"
    part.mkdir()
    assert 'data-library="../plotly.html"' in page_of(part, replace(look, above=True))
    assert not (part / "plotly.html").exists()


def test_page_without_library_has_no_interactive_charts(tmp_path: Path) -> None:
    source = page_of(tmp_path, Look(plotly="none"))
    assert 'data-do="explore"' not in source
    assert "<dialog" not in source
    assert "vnd.plotly" not in source


def test_terms_are_in_glossary_and_margin(tmp_path: Path) -> None:
    again = '{{ term("qwk") }} {{ term("no_such") }}'
    look = with_sections(tmp_path, sample_summary='{{ term("qwk") }}', sample_agreement=again)
    source = page_of(tmp_path, look)
    assert '<div id="term-qwk" data-terms="qwk"><dt>quadratic weighted kappa (QWK)</dt>' in source
    assert 'href="#terms"' in source
    assert source.count('<div class="margin"') == 1
    assert 'id="term-no_such"' not in source


def test_page_without_terms_has_no_glossary(tmp_path: Path) -> None:
    source = page_of(tmp_path)
    assert 'id="terms"' not in source
    assert 'href="#terms"' not in source


def test_cells_have_unrounded_numbers(tmp_path: Path) -> None:
    report = sample.report()
    wanted = {
        f"{cell.value!r} {cell.low!r} {cell.high!r}"
        for section in report.sections
        for table in section.findings.tables
        for row in table.rows
        for cell in row.cells
        if isinstance(cell, Estimate) and None not in (cell.value, cell.low, cell.high)
    }
    assert wanted & set(re.findall(r'data-value="([^"]+)"', page_of(tmp_path)))


def test_subheadings_have_unique_ids(tmp_path: Path) -> None:
    text = "\n\n### One & <b>two</b>\n\n### One & <b>two</b>\n\n"
    places = re.findall(r'<h3 id="([^"]+)"', page_of(tmp_path, with_sections(tmp_path, sample_summary=text)))
    found = [place for place in places if place.startswith("heading-One")]
    assert len(found) == 2
    assert found[1] == f"{found[0]}-2"


@pytest.mark.parametrize(
    ("outcomes", "worst"),
    [
        ((), ""), (("met", "not met"), "not met"), (("met", "insufficient"), "insufficient"),
        (("insufficient", "not yet known"), "not yet known"),
    ],
)  # fmt: skip
def test_contents_show_worst_outcome(outcomes: tuple[Outcome, ...], worst: str) -> None:
    report = sample.report()
    check = next(check for each in report.sections for check in each.findings.checks)
    section = next(each for each in report.sections if not each.name.endswith("summary"))
    checks = tuple(replace(check, outcome=outcome) for outcome in outcomes)
    own = replace(section, findings=replace(section.findings, checks=checks))
    bare = replace(report, evaluation=replace(report.evaluation, checks=()))
    assert outcome_of(own, bare) == worst


def test_words_of_scripts_are_in_templates(tmp_path: Path) -> None:
    source = page_of(tmp_path)
    island = re.search(r'<script type="application/json" id="words">(.*?)</script>', source, re.DOTALL)
    assert island
    words = json.loads(island[1])
    script = re.findall(r"<script>(.*?)</script>", source, re.DOTALL)[-1]
    assert set(re.findall(r"\bwords\.(\w+)", script)) <= set(words)
    without_comments = re.sub(r"//[^\n]*|/\*.*?\*/", "", script, flags=re.DOTALL)
    texts = re.findall(r'"([^"\n]*)"', without_comments)
    assert [text for text in texts if re.search(r"[A-Z][a-z]+ [a-z]+", text)] == []


def test_static_charts_have_colors_by_class(tmp_path: Path) -> None:
    source = page_of(tmp_path, Look(plotly="none"))
    marks = re.findall(r'<(?:rect|circle|line|text|path|polyline)\b[^>]*class="[^"]*fill-(?:engine|text)[^>]*>', source)
    assert marks
    assert not [mark for mark in marks if 'fill="#' in mark]
    for name in set(re.findall(r'class="[^"]*\b((?:fill|stroke)-\w+)', source)):
        assert f".{name} {{" in source, name
