"""Test that every cited work is in the bibliography once, with its authors."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from reportgen.errors import SettingsError
from reportgen.metrics import METRICS
from reportgen.wording.bibliography import Citation, citations, cited, in_full, named_in, names, work, works
from reportgen.wording.vocabulary import Vocabulary

ROOT = Path(__file__).parents[2]
PLACES = ("reportgen/**/*.py", "reportgen/**/*.toml", "report_sections/**/*", "templates/**/*", "docs/**/*.md", "*.md",
          "tests/**/*.py", "benchmarks/*.py", "benchmarks/*.md")  # fmt: skip
NO_AUTHORS = {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
              "November", "December", "None", "Smith", "WMT", "Standards", "Act", "Austin", "Regulation"}  # fmt: skip
"""Words before a year that are not authors; Smith (2012) is an example."""


def of_the_project() -> Iterator[tuple[str, Citation]]:
    """Yield every citation with its file."""
    for file in sorted({file for place in PLACES for file in ROOT.glob(place)}):
        if file.suffix not in {".py", ".toml", ".md", ".j2"} or file in {Path(__file__), ROOT / "CHANGELOG.md"}:
            continue
        if "node_modules" in file.parts or file.stem in ("bibliography", "references"):
            continue
        text = re.sub(r"\s*\n[\s#*]*", " ", file.read_text(encoding="utf-8"))
        for found in citations(text):
            if found.names[0] not in NO_AUTHORS:
                yield str(file.relative_to(ROOT)), found


OTHERS = ["Loukina, Madnani and Cahill (2020)", "Casabianca, Donoghue and Shin 2023", "Ho (2001)"]


@pytest.mark.parametrize("text", OTHERS)
def test_citation_with_wrong_authors_is_unknown(text: str) -> None:
    assert len(list(citations(text))) == 1
    assert named_in(text) == ()


def test_every_citation_has_correct_authors() -> None:
    found = list(of_the_project())
    assert len(found) > 250
    wrong = {
        (place, *citation.names, citation.year)
        for place, citation in found
        if not any(names(citation, entry) for entry in works().values())
    }
    assert not wrong


def test_statistic_sources_are_works() -> None:
    for key, metric in METRICS.items():
        dated = re.findall(r"(?:1[89]|20)\d\d[ab]?", metric.source)
        assert [work(each).dated for each in named_in(metric.source)] == dated, key


def test_every_work_is_cited_somewhere() -> None:
    named = {(citation.names[0], citation.year) for _, citation in of_the_project()}
    assert {key for key, entry in works().items() if (entry.families[0], entry.dated) not in named} == {"rsmtool"}


def test_read_and_unread_works_are_distinguished() -> None:
    """The five main sources were read; other works name the source that cites them."""
    read = {key for key, entry in works().items() if entry.checked}
    assert read == {"casabianca_2023", "loukina_2020", "rsmtool", "wisniewski_2013", "yannakoudakis_cummins_2015"}
    assert {entry.cited_by for entry in works().values()} - {""} <= read
    assert not in_full(work("loukina_2020")).endswith("†")
    assert in_full(work("gwet_2014")).endswith("†")


def test_read_works_have_authors_and_titles() -> None:
    """Authors and titles are those on the title pages."""
    assert work("loukina_2020").families == ("Loukina", "Madnani", "Cahill", "Yao", "Johnson", "Riordan", "McCaffrey")
    casabianca = work("casabianca_2023")
    assert casabianca.families == ("Casabianca", "McCaffrey", "Johnson", "Ricker-Pedley", "Rotou", "Martineau")
    assert casabianca.title.startswith("Exploration of the proportional reduction in mean-squared")
    assert work("wisniewski_2013").title.startswith("On the predictability of human assessment: when matrix completion")


def test_keys_are_sorted_and_entries_export() -> None:
    assert list(works()) == sorted(works())
    for entry in works().values():
        assert entry.type in {"article-journal", "paper-conference", "report", "book", "chapter", "webpage", "article"}
        assert entry.title, entry.key
        assert entry.authors, entry.key
        assert not entry.type.startswith("article-") or entry.container, entry.key


def test_citations_are_translated() -> None:
    text = '{{ "yannakoudakis_cummins_2015" | cite }}'
    items = [Vocabulary(language=name).environment.from_string(text).render() for name in ("en", "es")]
    assert items == ["Yannakoudakis and Cummins (2015)", "Yannakoudakis y Cummins (2015)"]
    with pytest.raises(SettingsError, match="unknown work 'loukina_2021'; did you mean 'loukina_2020'"):
        cited("loukina_2021")
