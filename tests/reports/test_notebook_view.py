"""A report shows itself in a notebook: in a few lines, whatever its texts hold."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reportgen
from reportgen.results import Report

SCORES = "id,human,human2,system\n" + "".join(
    f"r{i},{i % 5 + 1},{(i + i // 7) % 5 + 1},{i % 5 + 1.25}\n" for i in range(60)
)


class Elements(HTMLParser):
    """The elements of a page, and where its links lead."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.links: list[str | None] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.links += [value for key, value in attrs if key == "href"]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    file = tmp_path_factory.mktemp("notebook") / "s.csv"
    file.write_text(SCORES)
    return reportgen.evaluate(file, scale="1:5")


def test_it_says_what_was_found_and_leads_to_the_page(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.csv").write_text(SCORES)
    written = reportgen.evaluate("s.csv", "a b/out", scale="1:5", formats=["html"])
    shown = written._repr_html_()
    assert written.verdict is not None
    assert written.verdict.sentence.partition(":")[0] in shown
    assert Elements(shown).links == ["./a%20b/out/report.html"]
    assert Elements(report._repr_html_()).links == []
    assert len(shown) < 3000
    assert "page" not in json.loads(Path("a b/out/results.json").read_text())["report"]


@given(text=st.text(max_size=2000) | st.sampled_from(["<script>1</script>", "\u202e'\"><img onerror=1>", "x" * 9000]))
def test_no_text_becomes_markup(report: Report, text: str) -> None:
    shown = replace(report, title=text, created=text)._repr_html_()
    assert set(Elements(shown).names) <= {"div", "p", "strong"}
    assert "\u202e" not in shown
    assert len(shown) < 20_000
