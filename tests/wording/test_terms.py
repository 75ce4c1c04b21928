"""Test that every statistic and term has a name, a question, and a plain definition."""

import re
import tomllib

import pytest

from reportgen.metrics import METRICS
from reportgen.results import Column, Estimate, Row, Table
from reportgen.results.term import Term
from reportgen.wording.vocabulary import TEMPLATES, Entry, Vocabulary

WORDS = Vocabulary()
DIRECTIONS = {key: metric.better for key, metric in METRICS.items()}


def test_statistic_has_name_question_and_direction() -> None:
    entries = {key: WORDS.entries[key] for key in (*DIRECTIONS, *(key for key in WORDS.entries if "." in key))}
    assert [
        key
        for key, entry in entries.items()
        if not entry.name or not entry.question.endswith("?") or entry.direction != DIRECTIONS.get(key, "")
    ] == []


def test_definition_is_one_sentence() -> None:
    sentence = r"[A-Z][^.?!]*(\d\.\d+[^.?!]*|results\.json[^.?!]*)*\."
    entries = WORDS.entries.values()
    assert [entry.definition for entry in entries if not re.fullmatch(sentence, entry.definition)] == []
    assert [entry.key for entry in entries if "_" in f"{entry.name}{entry.question}{entry.definition}"] == []


def test_word_is_defined_in_one_file() -> None:
    found: dict[tuple[str, str], list[str]] = {}
    for file in sorted((TEMPLATES / "words").glob("*.toml")):
        for part, entries in tomllib.loads(file.read_text(encoding="utf-8")).items():
            for key in entries:
                found.setdefault((part, key), []).append(file.name)
    assert {key: files for key, files in found.items() if len(files) > 1} == {}


def test_term_names_are_unique() -> None:
    names = [entry.name for entry in WORDS.entries.values()]
    assert sorted(set(names)) == sorted(names)


def test_statistic_is_found_by_family_key() -> None:
    assert WORDS.entry("system.qwk") == WORDS.entry("qwk")
    assert WORDS.entry("true_score.prmse").short == "PRMSE"
    assert WORDS.entry("raters.sd_ratio").name.startswith("ratio of the two raters'")
    assert WORDS.entry("own.thing") == Entry("own.thing", "own.thing")


@pytest.mark.parametrize(
    ("key", "called"),
    [
        ("human.qwk", "quadratic weighted kappa of two raters"),
        ("degradation.r", "engine r minus human r"),
        ("panel.tau_b_unrounded", "Kendall's tau-b, engine unrounded"),
        ("panel.raters.ac1", "Gwet's AC1 of all raters"),
        ("true_score.prmse_of_ratings_2", "PRMSE of the mean of ratings (2)"),
        ("exchangeability.qwk", "QWK with the engine minus QWK between raters"),
        ("own.qwk_halved", "quadratic weighted kappa, engine halved"),
        ("own.hours_saved", "hours saved"),
    ],
)
def test_statistic_name_includes_scores(key: str, called: str) -> None:
    assert WORDS.statistic(key) == called
    assert WORDS.say(Term(key)) == called


def test_full_name_includes_abbreviation() -> None:
    assert WORDS.in_full(Estimate("qwk", 0.5, 9)) == "quadratic weighted kappa (QWK)"
    assert WORDS.in_full("exact_agreement") == "exact agreement"


def test_heading_precedence() -> None:
    columns = (Column("level"), Column("qwk"), Column("halo"), Column("sensitivity"), Column("first_language"))
    said = WORDS.table(Table("by_group.L1", "Sizes", columns, (Row(("a", Estimate("qwk", 0.5, 9), None, 1, 2)),)))
    assert [column.label for column in said.columns] == ["Group", "QWK", "Halo", "Sensitivity", "first_language"]


def test_statistic_cell_is_capitalized_name() -> None:
    table = Table("any", "Any", (Column("metric"),), (Row((Term("exact_agreement"),)), Row((Term("tau_b"),))))
    assert [row.cells for row in WORDS.table(table).rows] == [("Exact agreement",), ("Kendall's tau-b",)]
