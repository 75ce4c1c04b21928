"""Test texts on accuracy in predicting true scores, groups, and reported scores, for files of many shapes."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from holes import hole
from hypothesis import given, settings
from hypothesis import strategies as st
from rated import evaluated, labels, on_six_points
from simulated import evaluation_of, framed, simulated

import reportgen
from report_sections.group_differences import GroupDifferences
from report_sections.test_impact import TestImpact
from report_sections.true_score_evaluation import TrueScoreEvaluation
from reportgen.results import Evaluation
from reportgen.sections import Section
from reportgen.testing import example_evaluation, text_of
from reportgen.wording.vocabulary import Vocabulary

SECTIONS = (TrueScoreEvaluation, GroupDifferences, TestImpact)
WORDS = Vocabulary()
NO_SECOND_RATING = "Accuracy in predicting true scores was not tested because no response has two ratings."
WORSE_THAN_THE_MEAN = "The engine predicts true scores less accurately than their mean would."
NOTHING_KNOWN = "Effects on reported scores were not tested because nothing is known about the rest of the test."


def drawn(
    n: int, *, raters: int = 2, groups: int = 0, step: float = 1.0, bias: float = 0.0, seed: int = 5
) -> pd.DataFrame:
    """Return raters, an engine and groups; the engine gives the first group `bias` more."""
    scores = simulated(n, seed, raters)
    group = scores.rng.integers(0, max(1, groups), n)
    engine = np.clip(scores.engine + bias * (group == 0), 1, 6)
    frame = framed(scores, "human").assign(engine=np.clip(step * np.rint(engine / step), 1, 6) if step else engine)
    return frame.assign(first_language=[f"Language {place}" for place in group]) if groups else frame


def with_items(n: int = 200, **more: Any) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return drawn(n, groups=2, **more).assign(**{f"item{k}": rng.integers(0, 2, n) for k in range(1, 6)})


@cache
def shapes() -> Mapping[str, Evaluation]:
    made, language, items = on_six_points, ["first_language"], [f"item{k}" for k in range(1, 6)]
    genders = np.where(np.arange(80) % 2, "f", "m")
    return {
        "example": example_evaluation(),
        "one rater": made(drawn(60, raters=1)),
        "three raters": made(drawn(90, raters=3, groups=2), groups=language),
        "no groups": made(drawn(60)),
        "many groups": made(drawn(900, groups=40, bias=1.0), groups=language),
        "one group": made(drawn(60, groups=1), groups=language),
        "unfair": made(drawn(1500, groups=3, bias=0.8), groups=language),
        "withheld": made(drawn(65, groups=30), groups=language),
        "five responses": made(drawn(5, groups=2), groups=language, withhold_small_groups=False),
        "continuous": made(drawn(80, step=0.0, groups=2), scale="1:6:0", groups=language),
        "given error": made(drawn(80, raters=1, groups=2), groups=language, rater_error_variance=0.3),
        "constant engine": made(drawn(80, groups=2).assign(engine=3.0), groups=language),
        "two categories": evaluated(labels(["fail", "pass"]).assign(gender=genders), groups=["gender"]),
        "no order": evaluated(
            labels(["letter", "story", "essay"]).assign(gender=genders), labels="letter,story,essay", unordered=True,
            groups=["gender"],
        ),
        "test": made(with_items(), groups=language, item_scores=items, impact_cuts=(4.0, 6.0)),
        "test, points": made(with_items(bias=1.5), groups=language, item_scores=items, impact_slope=3.0),
        "test, calibrated": made(
            with_items(300, raters=1), item_scores=items, impact_scoring="irt", impact_slope=20.0, impact_cuts=(10.0,)
        ),
        "test, weight": made(drawn(90), impact_weight=2.0),
        "test, too few": made(with_items(60), item_scores=items, impact_scoring="irt"),
    }  # fmt: skip


SHAPES = (
    "example", "one rater", "three raters", "no groups", "many groups", "one group", "unfair", "withheld",
    "five responses", "continuous", "given error", "constant engine", "two categories", "no order", "test",
    "test, points", "test, calibrated", "test, weight", "test, too few",
)  # fmt: skip


def check_words(section: Section, found: Evaluation) -> None:
    """Check that no line, chart or table of a section has a hole."""
    told, findings = text_of(section, found), section.findings(found)
    assert told.finding.endswith(".")
    for line in told.lines:
        assert line.startswith("report.show(") or not hole(line), line
    for chart in map(WORDS.said, findings.charts):
        assert chart.alt.endswith("."), chart.alt
        assert all(text and not hole(text) for text in (chart.alt, WORDS.title(chart.key) + chart.title))
    for table in map(WORDS.table, findings.tables):
        assert table.caption
        assert all(column.label for column in table.columns if column.shown), table.key
        assert not hole(" ".join(table.notes)), table.notes


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_sentence_is_complete(section: type[Section], shape: str) -> None:
    check_words(section(), shapes()[shape])


@pytest.mark.parametrize(
    ("section", "shape", "finding"),
    [
        (TrueScoreEvaluation, "one rater", NO_SECOND_RATING),
        (TrueScoreEvaluation, "constant engine", WORSE_THAN_THE_MEAN),
        (GroupDifferences, "no groups", "Group fairness was not tested because the file has no group column."),
        (GroupDifferences, "withheld", "Group fairness was not tested because every group is too small to show."),
        (GroupDifferences, "unfair", "3 of 3 groups are beyond the limit of ±0.10."),
        (TestImpact, "no groups", NOTHING_KNOWN),
        (TestImpact, "test, too few", "Effects on reported scores could not be computed."),
    ],
)  # fmt: skip
def test_the_finding_is_the_answer(section: type[Section], shape: str, finding: str) -> None:
    assert text_of(section(), shapes()[shape]).finding == finding


@pytest.mark.parametrize(
    ("section", "shape", "outcome"),
    [
        (TrueScoreEvaluation, "one rater", "insufficient"),
        (GroupDifferences, "no groups", "insufficient"),
        (GroupDifferences, "unfair", "not met"),
        (TestImpact, "test", ""),
    ],
)
def test_the_outcome_is_next_to_the_section(section: type[Section], shape: str, outcome: str) -> None:
    assert section().findings(shapes()[shape]).outcome == outcome


@settings(max_examples=5, deadline=None)
@given(
    n=st.integers(12, 160), raters=st.integers(1, 3), groups=st.integers(0, 6),
    bias=st.sampled_from([-1.5, 0.0, 0.6]), seed=st.integers(0, 99),
)  # fmt: skip
def test_charts_are_described_in_whole_sentences(n: int, raters: int, groups: int, bias: float, seed: int) -> None:
    frame = drawn(n, raters=raters, groups=groups, bias=bias, seed=seed)
    columns = ["first_language"] if groups else []
    found = evaluation_of(frame, system="engine", scale="1:6", groups=columns)
    for section in (TrueScoreEvaluation(), GroupDifferences()):
        check_words(section, found)


def test_one_sentence_of_a_section_is_replaced_in_four_lines(tmp_path: Any) -> None:
    mine = tmp_path / "sections" / "group_differences"
    mine.mkdir(parents=True)
    (mine / "section.md.j2").write_text(
        '{% extends "shipped/sections/group_differences/section.md.j2" %}\n'
        "{% block no_column %}\nWe ask nobody for a group.\n{% endblock %}\n"
    )
    report = reportgen.evaluate(
        drawn(60), tmp_path / "out", system="engine", scale="1:6", sections=["group_differences"], templates=tmp_path,
        formats=["html"],
    )  # fmt: skip
    page = report.page.read_text() if report.page else ""
    assert "We ask nobody for a group." in page
    assert "Group fairness was not tested because the file has no group column." in page
    assert "add a column with the group" not in page
