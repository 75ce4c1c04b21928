"""Sections on agreement, the scale, and raters read well for drawn files of every shape."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from holes import hole
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rated import known
from simulated import evaluation_of

from report_sections.agreement_panel import AgreementPanel
from report_sections.score_distributions import ScoreDistributions
from report_sections.system_human_agreement import SystemHumanAgreement
from reportgen.errors import ReportgenError
from reportgen.results import Evaluation
from reportgen.sections import Section, load, unmet_need
from reportgen.testing import Prose, example_evaluation, text_of
from reportgen.wording.numbers import with_interval
from reportgen.wording.vocabulary import Vocabulary

SECTIONS: tuple[Section, ...] = (SystemHumanAgreement(), ScoreDistributions(), AgreementPanel())

SHAPES = ("scores", "whole", "half", "continuous", "long", "two", "labels")


def drawn(shape: str, n: int, raters: int, groups: int, noise: float, seed: int) -> Evaluation:
    """Return the evaluation of a file of a shape: its scale, its raters, its groups."""
    rng = np.random.default_rng(seed)
    true = rng.normal(0, 1, n)
    given_by = {f"h{k}": true + rng.normal(0, 0.7, n) for k in range(1, raters + 1)}
    columns = {**given_by, "engine": true + rng.normal(0, noise, n)}
    scale = {"scores": "1:6", "whole": "1:4", "half": "1:5:0.5", "continuous": "0:7:0", "long": "0:100"}.get(shape)
    if shape == "labels":
        names = np.array(["cause", "part of it", "2"])
        columns = {key: names[np.digitize(each, (-0.5, 0.5))] for key, each in columns.items()}
    elif shape == "two":
        columns = {key: np.array(["fail", "pass"])[(each > 0).astype(int)] for key, each in columns.items()}
    else:
        low, high, *step = (float(part) for part in str(scale).split(":"))
        width, places = (high - low) / 6, step[0] if step else 1.0
        on_scale = {key: np.clip((low + high) / 2 + width * each, low, high) for key, each in columns.items()}
        rounded = {"whole"} | ({"half"} if seed % 2 else set())
        columns = {
            key: low + places * np.rint((each - low) / places) if places and (key != "engine" or shape in rounded)
            else each
            for key, each in on_scale.items()
        }  # fmt: skip
    frame = pd.DataFrame(columns)
    named = [f"g{k}" for k in range(groups)]
    for k, name in enumerate(named):
        frame[name] = rng.choice(["x", "y y", "z"], n) if k else rng.choice([f"school {i}" for i in range(12)], n)
    chosen = {"scale": scale} if scale else {"unordered": True} if shape == "labels" else {}
    return evaluation_of(frame, system="engine", human=[*given_by], groups=named, **chosen)


def sentences(told: Prose) -> list[str]:
    """Return the lines of text, and the words that tables and charts are shown with."""
    shown = [line for line in told.lines if line.startswith("report.show(")]
    words = [each for line in shown for each in re.findall(r"(?:title|note|alt)=(['\"])(.*?)\1(?=[,)])", line)]
    return [line for line in told.lines if line not in shown] + [text for _, text in words]


def check(section: Section, evaluation: Evaluation) -> None:
    """Check that no text, chart or table of a section has a hole."""
    told = text_of(section, evaluation)
    assert told.words
    for text in sentences(told):
        assert not hole(text), (section.name, text)
    assert not told.finding or told.finding.endswith("."), told.finding
    assert section.part == "annex" or told.finding, section.name
    findings, words = section.findings(evaluation), Vocabulary()
    assert not findings.headline
    assert not findings.paragraphs
    assert not findings.notes
    shown = set(re.findall(r"report\.show\('([^']*)'", f"{told.text}\n{told.annex}"))
    assert {table.key for table in findings.tables} <= shown, "what is found is shown"
    assert {chart.key for chart in findings.charts} <= shown
    for chart in findings.charts:
        assert not hole(words.say(chart.alt)), words.say(chart.alt)
    for table in findings.tables:
        worded = words.table(table)
        assert worded.caption, table.key
        for text in (worded.caption, *worded.notes, *(column.label for column in worded.columns)):
            assert text.strip(), table.key
            assert not hole(text), (table.key, text)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    shape=st.sampled_from(SHAPES),
    n=st.sampled_from((5, 12, 60, 300)),
    raters=st.integers(1, 3),
    groups=st.sampled_from((0, 1, 2)),
    noise=st.sampled_from((0.0, 0.5, 3.0)),
    seed=st.integers(0, 10_000),
)
def test_files_of_every_shape_have_complete_sentences(
    shape: str, n: int, raters: int, groups: int, noise: float, seed: int
) -> None:
    try:
        evaluation = drawn(shape, n, raters, groups, noise, seed)
    except ReportgenError:
        return  # a draw whose scores ask a question, such as labels that are all the same
    for section in SECTIONS:
        check(section, evaluation)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("raters", [1, 2])
def test_every_shape_is_evaluated_and_described(shape: str, raters: int) -> None:
    evaluation = drawn(shape, 200, raters, 1, 0.5, 3)
    for section in SECTIONS:
        check(section, evaluation)


def test_the_example_has_complete_sentences() -> None:
    for section in SECTIONS:
        check(section, example_evaluation())


NAMES = ("human_human_agreement", "human_raters", "human_equivalence", "repeated_runs", "judges",
         "raters_summary", "raters_reliability", "raters_agreement", "raters_each", "raters_groups")  # fmt: skip
COUNTED: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict,
    n=st.sampled_from([5, 12, 40]),
    raters=st.integers(1, 4),
    points=st.sampled_from([2, 3, 5, 0]),
    gaps=st.sampled_from([0.0, 0.4]),
    groups=st.sampled_from([0, 1, 2]),
    runs=st.sampled_from([0, 2]),
    alone=st.booleans(),
    labels=st.booleans(),
    spread=st.sampled_from([0.0, 0.5, 2.0]),
    seed=st.integers(0, 50),
)


def drawn_raters(
    n: int, raters: int, points: int, gaps: float, groups: int, runs: int, spread: float, seed: int, **how: bool
) -> Evaluation | None:
    """Return the evaluation of drawn scores; None where they are refused."""
    rng = np.random.default_rng(seed)
    true, top = rng.uniform(1, points or 5, n), points or 5
    noise = rng.normal(0, spread, (n, raters))
    human = np.clip(true[:, None] + noise, 1, top)
    human = np.rint(human) if points else human
    human[rng.random((n, raters)) < gaps] = np.nan
    words = how["labels"] and points
    columns: dict[str, Any] = {
        f"rater_{k + 1}": [None if np.isnan(x) else "abcde"[int(x) - 1] if words else float(x) for x in human[:, k]]
        for k in range(raters)
    }
    given: dict[str, Any] = {"human": list(columns)}
    for run in range(1 + runs if not how["alone"] else 0):
        score = np.clip(true + rng.normal(0, 0.5, n), 1, top)
        columns[f"system_{run}"] = ["abcde"[round(x) - 1] for x in score] if words else score.tolist()
    if how["alone"]:
        given["ratings_only"] = True
    else:
        given |= {"system": "system_0", "runs": [f"system_{run}" for run in range(1, 1 + runs)]}
    given |= {"unordered": True} if words else {"scale": f"1:{top}" if points else "1:5:0"}
    for column in range(groups):
        columns[f"group_{column}"] = rng.choice(["a", "b", "c"][: column + 1], n).tolist()
    given["groups"] = [f"group_{column}" for column in range(groups)]
    try:
        return evaluation_of(pa.table(columns), **given)
    except ReportgenError:
        return None


def pages(evaluation: Evaluation) -> dict[str, Prose]:
    """Return what every section of this part that may be in the report says."""
    sections = {name: load([name], {})[0].section for name in NAMES}
    return {name: text_of(each, evaluation) for name, each in sections.items() if not unmet_need(each, evaluation)}


def reads_well(name: str, page: Prose) -> None:
    """Fail if a section has no words, an empty heading, or a hole."""
    assert page.words, name
    for line in page.lines:
        if line.startswith(("report.show(", "#", "+++")):
            continue
        assert not hole(line), line
    for line in page.lines:
        assert not re.fullmatch(r"#+\s*", line), name


def tables_read_well(evaluation: Evaluation) -> None:
    """Fail where a table has a heading or a cell that no vocabulary knows."""
    words = Vocabulary()
    for section in (load([name], {})[0].section for name in NAMES):
        if unmet_need(section, evaluation):
            continue
        findings = section.findings(evaluation)
        for table in findings.tables:
            shown = words.table(table)
            assert shown.caption, table.key
            assert all(column.label.strip() for column in shown.columns), table.key
            assert not any(map(hole, shown.notes)), shown.notes
        for chart in map(words.said, findings.charts):
            assert (chart.title or words.title(chart.key)).strip(), chart.key
            assert chart.alt.endswith("."), chart.alt
            assert not hole(chart.alt), chart.alt


@pytest.mark.slow
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(shape=COUNTED)
def test_every_section_reads_well_for_random_data(shape: dict[str, Any]) -> None:
    evaluation = drawn_raters(**shape)
    if evaluation is not None:
        for name, page in pages(evaluation).items():
            reads_well(name, page)
        tables_read_well(evaluation)


def test_every_section_reads_well_in_every_known_case() -> None:
    for case, evaluation in {**known(), "example": example_evaluation()}.items():
        for name, page in pages(evaluation).items():
            reads_well(f"{case}: {name}", page)


def test_the_difference_of_two_raters_has_a_direction() -> None:
    evaluation = drawn_raters(
        n=60, raters=2, points=5, gaps=0.0, groups=0, runs=0, spread=0.3, seed=3, alone=False, labels=False
    )
    assert evaluation is not None
    page = pages(evaluation)["human_human_agreement"]
    assert f"(a difference of {with_interval(evaluation.estimates['degradation.qwk'])}" in page.finding
