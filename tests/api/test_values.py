"""What functions return and refuse: sentences, short forms, pages and data without files, errors in Python's terms."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from score_files import two_hundred

import reportgen
from reportgen.errors import ReportgenError
from reportgen.results import Report
from reportgen.settings.flags import as_keywords

COLUMNS = two_hundred()
KNOWN: dict[str, Any] = {"id": "id", "system": "engine", "human": ["h1", "h2"], "scale": (1, 6)}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    out = tmp_path_factory.mktemp("report") / "out"
    return reportgen.evaluate(
        COLUMNS, out, formats=["html"], sections=["summary", "data"], plotly="none", created="2026-01-01", **KNOWN
    )


@pytest.mark.slow
def test_criteria_have_sentences(report: Report) -> None:
    assert report.page is not None
    stored = reportgen.load(report.page.parent)
    for verdict in (report.verdict, stored.verdict, reportgen.check(stored, policy="prmse")):
        assert verdict is not None
        assert verdict.sentence.endswith(".")
        assert verdict.checks
        for check in verdict.checks:
            assert "required" in check.sentence or "not tested" in check.sentence
    first = reportgen.check(report).checks[0]
    assert f"{first.estimate.value:.2f}" in first.sentence
    assert "not met" in replace(first, outcome="not met").sentence


def test_stored_report_knows_its_page(report: Report) -> None:
    assert report.page is not None
    for place in (report.page.parent, report.page.with_name("results.json")):
        assert reportgen.load(place).page == report.page


def test_page_and_data_without_files(report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert report.page is not None
    monkeypatch.chdir(tmp_path)
    assert report.to_html() == report.page.read_text(encoding="utf-8")
    assert report.to_dict() == json.loads(report.page.with_name("results.json").read_text(encoding="utf-8"))
    assert list(tmp_path.iterdir()) == []
    again = reportgen.render(report, "pages", formats=["html"])
    assert again.page == Path("pages/report.html")
    assert again.page.read_text(encoding="utf-8") == report.page.read_text(encoding="utf-8")


def test_short_forms_contain_no_cell_and_no_id(report: Report) -> None:
    ids = {"id": [f"secret-{number}" for number in range(200)]}
    look = reportgen.look({**COLUMNS, **ids}, **KNOWN)
    open_question = reportgen.look({"a": [11, 12, 13], "b": [13, 12, 11]})
    for found in (look, open_question, report.evaluation):
        lines = repr(found).splitlines()
        assert len(lines) < 12
        assert max(map(len, lines)) < 400
        assert not hasattr(found, "_repr_html_")
        assert "secret" not in repr(found)
        assert "array" not in repr(found)
    assert "200 rows" in repr(look)
    assert "engine" in repr(look)
    assert "question" in repr(open_question)
    assert "200 responses" in repr(report.evaluation)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"min_n_per_group": True}, "min_n_per_group: expected a number"),
        ({"min_n_by_group": {"group": True}}, "min_n_by_group: expected a number"),
        ({"confidence_level": True}, "confidence_level: expected a number"),
        ({"seed": 10**30}, "seed: expected a whole number"),
        ({"scale": (1, 10**400)}, "a number is too large"),
        ({"scale": (1,)}, "data.scale"),
        ({"humann": "h1"}, "did you mean 'human'"),
    ],
)
def test_wrong_settings_are_errors(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ReportgenError, match=words):
        reportgen.evaluate(COLUMNS, **(KNOWN | settings))


@pytest.mark.parametrize("column", ["h1", "engine"])
def test_huge_scores_are_errors(column: str) -> None:
    with pytest.raises(ReportgenError, match=f"'{column}'"):
        reportgen.evaluate({**COLUMNS, column: [10**30] * 200}, **KNOWN)


def test_errors_name_keywords_and_not_options() -> None:
    with pytest.raises(ReportgenError, match="id=''") as refused:
        reportgen.evaluate({**COLUMNS, "id": ["a"] * 200}, **KNOWN)
    assert "--" not in str(refused.value)
    with pytest.raises(ReportgenError, match="system=") as refused:
        reportgen.evaluate({"a": [1, 2, 3], "b": [3, 2, 1]})
    assert "--" not in str(refused.value)
    assert all("--" not in question for question in reportgen.look({"a": [1, 2], "b": [2, 1]}).questions)


@pytest.mark.parametrize(
    ("message", "written"),
    [
        ("name it with --group to see it", "name it with groups= to see it"),
        ("type --scale 1:6, or --labels 'a,b'.", "type scale='1:6', or labels='a,b'."),
        ("use --layout long if", "use layout='long' if"),
        ("--system: named twice", "system: named twice"),
        ("--file requires --items and --human.", "file requires items= and human=."),
        ("leave --batches out; remove --read; use --force.", "leave batches out; remove read; use force=True."),
        ("name others with --human and --system.", "name others with human= and system=."),
        ("run: python -m pip install --upgrade x", "run: python -m pip install --upgrade x"),
        (
            "reportgen evaluate s.csv --human 'h 1' --human h2 --no-groups",
            "reportgen.evaluate('s.csv', human=['h 1', 'h2'], groups=[])",
        ),
    ],
)
def test_options_become_keywords(message: str, written: str) -> None:
    assert as_keywords(message) == written
