"""What holds for every section on every kind of evaluation."""

import copy
import dataclasses
import json
import re
from functools import cache
from importlib.metadata import entry_points

import pytest
from cited_works import without_works
from fixtures import HOSTILE
from rated import known

from reportgen.results import Estimate, Findings, Table
from reportgen.sections import DEFAULT_ORDERS, ENTRY_POINT_GROUPS, Cells, Chart, Dots, Line, Section
from reportgen.storing.results_file import decode, encode
from reportgen.testing import text_of
from reportgen.wording.vocabulary import Vocabulary

WORDS = Vocabulary()
SECTIONS: dict[str, type[Section]] = {
    point.name: point.load()
    for point in entry_points(group=ENTRY_POINT_GROUPS["evaluation"])
    if point.value.startswith("report_sections.")
}


def shown(name: str, case: str) -> bool:
    """Return whether a section can be in a report on an engine, or on raters only."""
    return ("system" if known()[case].kind == "raters" else "raters_alone") not in SECTIONS[name].needs


def hostile(name: str) -> str:
    """Return the case of strange names of a kind that a section may be in."""
    return "hostile" if shown(name, "hostile") else "raters: hostile"


@cache
def made(name: str, case: str) -> Findings:
    return SECTIONS[name]().findings(known()[case])


def sentences(findings: Findings) -> list[str]:
    """Return every sentence a reader meets, alt texts and captions of charts included."""
    drawn = [WORDS.said(chart) for chart in findings.charts]
    charts = [text for chart in drawn for text in (chart.title, chart.alt, chart.caption)]
    notes = [WORDS.say(note) for table in findings.tables for note in table.notes]
    items = [each.text for each in (*findings.highlights, *findings.unknowns)]
    return [findings.headline, *findings.paragraphs, *findings.notes, *charts, *notes, *items]


@cache
def written(name: str, case: str) -> list[str]:
    """Return every line of a section whose template has its words."""
    return [] if made(name, case).headline else without_works(text_of(SECTIONS[name](), known()[case]).lines)


def keys(findings: Findings) -> list[str]:
    return [table.key for table in findings.tables] + [chart.key for chart in findings.charts]


def test_every_section_has_its_place_in_a_report() -> None:
    assert set(SECTIONS) == {*DEFAULT_ORDERS["evaluation"], *DEFAULT_ORDERS["raters"]}, "reportgen/sections.toml"


def says_something(name: str, case: str, findings: Findings) -> None:
    if not findings.headline:  # its template says it
        assert written(name, case)
        return
    assert findings.headline.endswith(".")
    assert findings.headline[0].isupper() or not findings.headline[0].isalpha()


def is_stored_and_read_back(_name: str, _case: str, findings: Findings) -> None:
    """Check ours, as sections of others are checked in every report."""
    assert encode(decode(encode(findings), Findings, "findings")) == encode(findings)
    values = encode(dict(findings.values))
    assert json.loads(json.dumps(values)) == values


def has_no_float_noise_and_no_python(name: str, case: str, findings: Findings) -> None:
    for sentence in (*sentences(findings), *written(name, case)):
        assert not re.search(r"\bNone\b|\bnan\b|\binf\b|-0\.00|\d\.\d{6,}|\[\]|\bEstimate\(", sentence), sentence
        assert "  " not in sentence
        assert ".." not in sentence


def has_unique_keys(_name: str, _case: str, findings: Findings) -> None:
    found = keys(findings)
    assert len(found) == len(set(found))


def shows_at_most_nine_columns(_name: str, _case: str, findings: Findings) -> None:
    wide = ("distribution", "confusion.system", "confusion.human", "raters.distribution")
    for table in findings.tables:
        assert sum(column.shown for column in table.columns) <= 9 or table.key in wide, table.key


def has_charts_that_fit_together(_name: str, _case: str, findings: Findings) -> None:
    for chart in findings.charts:
        for layer in chart.layers:
            _fits(chart, layer)
        across = {axis: [layer for layer in chart.layers if isinstance(layer, Dots) and layer.along == axis]
                  for axis in ("x", "y")}  # fmt: skip
        for layers, axis in ((across["x"], chart.y), (across["y"], chart.x)):
            named = {position for layer in layers for position in layer.positions}
            assert not axis.categories or named <= set(axis.categories)


def _fits(chart: Chart, layer: object) -> None:
    if isinstance(layer, Dots):
        size = len(layer.positions)
        assert size > 0
        parts = (layer.values, layer.low, layer.high, layer.n, layer.hollow, layer.flagged)
        assert all(len(part) in (0, size) for part in parts)
        axis = chart.y if layer.along == "x" else chart.x
        assert not axis.categories or set(layer.positions) <= set(axis.categories)
    if isinstance(layer, Line):
        assert len(layer.x) == len(layer.y)
    if isinstance(layer, Cells):
        assert len(layer.rows) == len(layer.values) == len(layer.texts)
        assert all(len(line) == len(layer.columns) for line in layer.values)


def numbers_of(table: Table) -> set[float]:
    """Return every number a table holds."""
    cells = [cell for row in table.rows for cell in row.cells]
    found = {cell.value for cell in cells if isinstance(cell, Estimate)}
    return {float(each) for each in (*found, *cells) if isinstance(each, int | float)}


def draws_only_numbers_of_the_evaluation(_name: str, case: str, findings: Findings) -> None:
    evaluation = known()[case]
    there = {number for table in evaluation.tables.values() for number in numbers_of(table)}
    there |= {found.value for found in evaluation.estimates.values() if found.value is not None}
    for chart in findings.charts:
        assert {value for layer in chart.layers if isinstance(layer, Dots) for value in layer.values} <= there


CHECKS = (
    says_something,
    is_stored_and_read_back,
    has_no_float_noise_and_no_python,
    has_unique_keys,
    shows_at_most_nine_columns,
    has_charts_that_fit_together,
    draws_only_numbers_of_the_evaluation,
)


@pytest.mark.parametrize("name", SECTIONS)
def test_every_section_has_the_required_parts_in_every_case(name: str) -> None:
    failures = []
    for case in (case for case in known() if shown(name, case)):
        findings = made(name, case)
        for check in CHECKS:
            try:
                check(name, case, findings)
            except AssertionError as error:
                failures.append(f"{case}: {check.__name__}: {error}")
    assert failures == []


def test_charts_are_drawn_from_computed_tables() -> None:
    names = [name for name in SECTIONS if shown(name, "full")]
    assert sorted(chart.key for name in names for chart in made(name, "full").charts) == [
        "calibration.chart", "confusion.system.chart", "distribution.chart", "group_differences.chart",
        "human_raters.error_variance.chart", "levels.by_human.chart", "panel.agreement.chart",
        "reliability.more_ratings.chart", "summary.same.chart", "true_score.ladder",
        "true_score.staircase",
    ]  # fmt: skip


def test_keys_are_unique_within_the_report() -> None:
    for case in known():
        found = [key for name in SECTIONS if shown(name, case) for key in keys(made(name, case))]
        assert len(found) == len(set(found)), case


def test_the_evaluation_is_not_changed() -> None:
    for kind in ("full", "raters: full"):
        before, after = known()[kind], copy.deepcopy(known()[kind])
        for name in (name for name in SECTIONS if shown(name, kind)):
            SECTIONS[name]().findings(after)
            assert after == before, name


def test_options_are_documented_fields() -> None:
    for section in SECTIONS.values():
        assert dataclasses.is_dataclass(section)
        for field in dataclasses.fields(section):
            assert re.search(rf"^ *(\w+, )*{field.name}(, \w+)*$", section.__doc__ or "", re.MULTILINE), field.name


def test_hostile_names_keep_sentences_on_one_line() -> None:
    for name in SECTIONS:
        lines = (*sentences(made(name, hostile(name))), *written(name, hostile(name)))
        for sentence in (line for line in lines if not line.startswith("report.show(")):
            assert "\n" not in sentence, name
            assert "\t" not in sentence, name
            assert HOSTILE[4] not in sentence, f"{name}: a name of 300 characters is shortened"


def test_charts_keep_hostile_names_separate() -> None:
    for name in SECTIONS:
        for chart in map(WORDS.said, made(name, hostile(name)).charts):
            for axis in (chart.x, chart.y):
                assert len(axis.categories) == len(set(axis.categories)), name
                assert all(len(category) <= 60 for category in axis.categories), name
