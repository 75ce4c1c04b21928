"""What reports of studies say, for designs of many shapes: whole sentences, the finding first, nothing empty."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from holes import hole
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated import simulated

import reportgen
from report_sections.study_sections import (
    StudyAgreementRobustness,
    StudyPrmseDoubleScoring,
    StudyPrmseStability,
    StudyPublished,
    StudyRatingCompletion,
)
from reportgen.rendering.notebook import first_finding
from reportgen.results import Report, Row
from reportgen.results.term import Term
from reportgen.testing import Prose, text_of
from reportgen.wording.vocabulary import Vocabulary

SMALL: dict[str, dict[str, Any]] = {
    "prmse-stability": {
        "responses": 300, "raters": 6, "pairs": 5, "systems": 2, "double_scored": (50, 300), "mean": 3.5,
    },
    "agreement-robustness": {"responses": 200, "replicates": 2},
    "rating-completion": {"draws": 2, "missing": (0.1, 0.3)},
    "score-impact": {"responses": 900, "double_scored": 200, "scoring": "summed"},
}  # fmt: skip
ONE = {"agreement": (0.6,), "accuracy": (0.8,)}


@cache
def made(name: str, *options: tuple[str, Any]) -> Report:
    return reportgen.study(name, **(SMALL[name] | dict(options)))


def check(report: Report) -> list[Prose]:
    """Check that no text, table or chart has a hole; return what the sections show."""
    words, found = Vocabulary(), []
    for section in report.sections:
        if section.name == "provenance":
            continue
        assert not section.error, (section.name, section.error)
        assert (section.findings.headline, section.findings.notes) == ("", ())
        text = text_of(section, report.evaluation)
        found.append(text)
        for line in text.lines:
            if line.startswith("report.show("):
                continue
            assert not hole(line), line
        for table in section.findings.tables:
            shown = words.table(table)
            assert all(column.label for column in shown.columns), table.key
            texts = [cell for cell in cells(shown.rows) if not re.fullmatch(r"[−+]?[\d.,]+", cell)]
            assert not any("_" in text or ("." in text[:-1] and " " not in text) for text in texts)
            assert shown.caption or "title" in text.words
        for chart in section.findings.charts:
            assert words.say(chart.alt).endswith((".", ". ")), chart.key
    heading = first_finding(report)
    assert heading.endswith("."), heading
    assert heading in found[0].text
    return found


def cells(rows: tuple[Row, ...]) -> list[str]:
    return [cell for row in rows for cell in row.cells if isinstance(cell, str) and not cell.startswith("r = ")
            and not cell.startswith("R² = ")]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("prmse-stability", {}),
        ("prmse-stability", {**ONE, "studied": 0.8}),
        ("prmse-stability", {"agreement": (0.3, 0.9), "replicates": 3, "streams": "fresh"}),
        ("prmse-stability", {"half_width": 0.001}),
        ("agreement-robustness", {}),
        ("rating-completion", {}),
        ("score-impact", {}),
        ("score-impact", {"cuts": (60.0, 80.0), "slope": 2.0, "intercept": 1.0, "low": 0, "high": 300}),
    ],
)
def test_studies_have_complete_sentences(name: str, options: dict[str, Any]) -> None:
    check(made(name, *options.items()))


def file_of_ratings(folder: Path, systems: int = 0) -> Path:
    scores = simulated(80, 4, 3, mean=3, ends=(1, 5))
    ratings, rng = scores.human.astype(int).astype(str), scores.rng
    ratings[rng.random(ratings.shape) < 0.2] = ""
    head = ["id", "r1", "r2", "r3", *(["system"] if systems else [])]
    rows = [[f"e{k}", *line, *([f"S{k % systems}"] if systems else [])] for k, line in enumerate(ratings)]
    file = folder / "ratings.csv"
    file.write_text("\n".join(",".join(row) for row in [head, *rows]) + "\n")
    return file


@pytest.mark.parametrize("systems", [0, 3])
def test_completed_files_are_described_in_complete_sentences(tmp_path: Path, systems: int) -> None:
    file = file_of_ratings(tmp_path, systems)
    options: dict[str, Any] = {"systems": "system"} if systems else {}
    report = reportgen.study("rating-completion", file=file, draws=2, missing=(0.1,), score_scale="1:5", **options)
    first = check(report)[0]
    assert ("pairs of engines" in first) is bool(systems)
    assert "Your file has 80 responses and 3 raters" in first


@pytest.mark.slow
def test_custom_scores_are_described_in_complete_sentences(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    human = rng.integers(1, 6, 60)
    lines = [f"{h},{np.clip(h + rng.integers(-1, 2), 1, 5)}" for h in human]
    (tmp_path / "s.csv").write_text("human,engine\n" + "\n".join(lines) + "\n")
    report = reportgen.study("agreement-robustness", file=tmp_path / "s.csv", replicates=2, score_scale="1:5")
    assert check(report)[0].finding.startswith("When only the spread of human scores changes, ")


def test_published_numbers_are_shown_only_for_the_published_design() -> None:
    assert text_of(StudyPublished(), made("prmse-stability").evaluation).text.strip() == ""


@given(agreeing=st.integers(0, 4), differing=st.integers(0, 7), beside=st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_published_numbers_are_counted(agreeing: int, differing: int, beside: int) -> None:
    found = made("agreement-robustness").evaluation
    table = found.tables["study.published"]
    place = [column.key for column in table.columns].index("agrees")
    cells_ = table.rows[0].cells
    rows = tuple(
        Row((*cells_[:place], Term(answer), *cells_[place + 1 :]))
        for answer in ["yes"] * agreeing + ["no"] * differing + ["stand_in"] * beside
    )
    if not rows:
        return
    text = text_of(StudyPublished(), replace(found, tables={**found.tables, table.key: replace(table, rows=rows)}))
    n = agreeing + differing
    if not n:
        assert "published numbers were reproduced" not in text.words
    elif n == agreeing and n > 1:
        assert f"All {n} published numbers were reproduced." in text
    else:
        assert f"{agreeing} of {n} published number" in text
    assert ("; 3 more." in text) is (differing == 7)
    assert ("come from data" in text or "comes from data" in text) is (beside > 0)


@given(steady=st.lists(st.booleans(), min_size=10, max_size=10))
@settings(max_examples=40, deadline=None)
def test_coefficients_that_keep_steady_are_named(steady: list[bool]) -> None:
    found = made("agreement-robustness").evaluation
    table = found.tables["study.movement"]
    rows = tuple(
        Row((row.cells[0], *(0.01 if still else 0.2 for _ in row.cells[1:])))
        for row, still in zip(table.rows, steady, strict=True)
    )
    changed = replace(found, tables={**found.tables, table.key: replace(table, rows=rows)})
    text = text_of(StudyAgreementRobustness(), changed).finding
    if all(steady):
        assert "no coefficient moves by more than 0.01" in text
    elif not any(steady):
        assert "every coefficient moves" in text
    else:
        assert " within 0.05; " in text


@given(st.lists(st.one_of(st.none(), st.floats(20, 9000)), min_size=1, max_size=5))
@settings(max_examples=40, deadline=None)
def test_insufficient_double_scores_are_reported_as_more(needed: list[float | None]) -> None:
    found = made("prmse-stability").evaluation
    names = [f"r = {0.3 + place / 10:.2f}" for place in range(len(needed))]
    facts = {**found.facts, "agreement": {name: 0.3 + place / 10 for place, name in enumerate(names)},
             **{key: dict(zip(names, needed, strict=True)) for key in ("needed", "needed_alone")}}  # fmt: skip
    text = text_of(StudyPrmseDoubleScoring(), replace(found, facts=facts))
    assert ("more than 300" in text.words) is (None in needed)


@given(ranked=st.lists(st.booleans(), min_size=5, max_size=5))
@settings(max_examples=40, deadline=None)
def test_measures_that_rank_correctly_are_named(ranked: list[bool]) -> None:
    found = made("prmse-stability").evaluation
    table = found.tables["study.ranking"]
    place, sets = [column.key for column in table.columns].index("in_order"), found.facts["replicates"]
    rows = tuple(
        Row((*row.cells[:place], sets if right else sets - 1, *row.cells[place + 1 :]))
        for row, right in zip(table.rows, ranked, strict=True)
    )
    changed = replace(found, tables={**found.tables, table.key: replace(table, rows=rows)})
    text = text_of(StudyPrmseStability(), changed)
    begins = {0: "No measure placed", 1: "Only ", 5: "Every measure placed"}.get(sum(ranked), "")
    assert f"{begins}" in text
    assert ("PRMSE placed" in text) is (ranked == [False] * 4 + [True] or (ranked[-1] and 1 < sum(ranked) < 5))


@pytest.mark.slow
@given(value=st.floats(-1, 1), half=st.floats(0.001, 1))
@settings(max_examples=40, deadline=None)
def test_a_gain_is_reported_only_if_the_interval_excludes_zero(value: float, half: float) -> None:
    found = made("rating-completion").evaluation
    share = next(iter(found.facts["recovered"]))
    better = {**found.facts["better"], share: [value, value - half, value + half]}
    text = text_of(StudyRatingCompletion(), replace(found, facts={**found.facts, "better": better})).finding
    clear = abs(value) > half
    assert ("reduces the error" in text) is (clear and value > 0)
    assert ("raises the error" in text) is (clear and value < 0)
