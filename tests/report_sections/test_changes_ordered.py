"""The largest changes come first in sentences, charts, and tables, and only those for the worse are flagged."""

import re

import pytest

from report_sections.comparison import Change, ComparisonGroups, ComparisonSummary, change_chart
from reportgen.results import Column, Estimate, Evaluation, Row, Scale, Source, Table
from reportgen.results.term import Term
from reportgen.sections import Chart, Dots
from reportgen.testing import text_of
from reportgen.wording.vocabulary import Vocabulary

GROUPS = 120
FAR = {97: -0.75, 31: -0.50, 118: -0.70, 64: -0.60}
"""Groups that changed far more than the others, which all lost 0.02."""


def row(metric: str, level: str, value: float, *, few: bool = False) -> Row:
    change = Estimate(metric, value, 100, value - 0.01, value + 0.01, kind="difference")
    cells = (Term(metric), Term("trimmed"), level, 100, "judge", change, change, change, "worse")
    return Row(cells, "insufficient" if few else "")


def compared() -> Evaluation:
    """Return a comparison of 120 prompts, the largest first, and of one with four responses that changed most."""
    qwk = [row("qwk", f"P{k:03}", FAR.get(k, -0.02)) for k in range(GROUPS)]
    dsm = [row("dsm", "P007", 0.65)]
    keys = ("metric", "form", "level", "n", "system", "old", "new", "change", "reading")
    rows = (*qwk, row("qwk", "tiny", -0.9, few=True), *dsm)
    key = "comparison.by_group.prompt"
    table = Table(key, "c", tuple(Column(each, each) for each in keys), rows, max_rows=60)
    facts = {"runs": ["engine", "judge"], "pairs": [{"old": "engine", "new": "judge", "paired": False}]}
    facts |= {"primary": "qwk", "margin": 0.05}
    return Evaluation(
        source=Source("s.csv", "", 1, GROUPS, "csv"), roles=(), scale=Scale(1, 6, 1, assumed=False), groups=("prompt",),
        tables={key: table}, score_types=(), raters=(), settings={}, estimates={}, checks=(), warnings=(),
        provenance={}, facts=facts,
    )  # fmt: skip


def named(text: str) -> list[str]:
    return re.findall(r"(?:QWK|DSM) for (\w+)", text)


def test_sentences_name_the_largest_changes_of_both_metrics_first() -> None:
    (found,) = ComparisonSummary().findings(compared()).values["groups"]
    assert [each["level"] for each in found["named"]] == ["P097", "P118", "P007", "P064"]
    assert (found["count"], found["of"]) == (121, 121)
    groups = text_of(ComparisonGroups(), compared())
    assert groups.finding == "Results are clearly worse for all 121 groups in “prompt”."
    assert named(groups.text) == ["P097", "P118", "P007", "P064", "P031"]


def test_charts_and_tables_of_too_many_groups_contain_the_largest_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("report_sections.comparison.MOST_LEVELS", 5)
    findings = ComparisonGroups().findings(compared())
    chart = Vocabulary().said(findings.charts[0])
    assert isinstance(chart, Chart)
    (dots,) = [layer for layer in chart.layers if isinstance(layer, Dots)]
    assert len(dots.flagged) == 5 + 50
    assert chart.alt.startswith("Changes with intervals, the largest: P097")
    drawn = chart.y.categories
    assert drawn[:9] == ("P000", "P001", "P002", "P003", "P004", "P097", "P118", "P064", "P031")
    assert "5 largest groups" in chart.caption
    assert "66 smaller changes are not shown" in chart.caption
    levels = {str(each.cells[2]) for each in findings.tables[0].rows}
    assert len(findings.tables[0].rows) == 60
    assert levels >= {"P000", "P097", "P118", "P064", "P031", "P007"}
    assert "the largest clear changes are shown" in text_of(ComparisonGroups(), compared())


def change(value: float, reading: str, level: str = "") -> Change:
    found = Estimate("qwk", value, 90, value - 0.01, value + 0.01, kind="difference")
    return Change("qwk", "trimmed", level, "new", found, found, found, reading)


def test_only_a_change_for_the_worse_is_flagged_and_reported() -> None:
    readings = ((0.1, "better"), (-0.1, "worse"), (0.2, "higher"), (0, "the same"))
    rows = [change(*each, level) for each, level in zip(readings, "abcd", strict=True)]
    (chart,) = map(Vocabulary().said, change_chart("k", rows, caption="Changes."))
    (dots,) = [layer for layer in chart.layers if isinstance(layer, Dots)]
    assert dots.flagged == (False, True, False, False)
    assert chart.caption == "Changes."
    assert "3 of 4 intervals exclude 0; 1 of these changes is for the worse" in chart.alt
