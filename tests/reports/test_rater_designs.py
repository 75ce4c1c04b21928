"""What a report states about human raters fits who rated what: interchangeable raters, two annotators, many raters."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from simulated import evaluation_of

from report_sections.human_human_agreement import HumanHumanAgreement
from report_sections.raters_report import RatersEach, RatersSummary
from report_sections.score_distributions import ScoreDistributions
from report_sections.summary import Summary
from report_sections.system_human_agreement import SystemHumanAgreement
from report_sections.true_score_evaluation import TrueScoreEvaluation
from reportgen.results import Estimate, Evaluation
from reportgen.testing import text_of

SECTIONS = (Summary, SystemHumanAgreement, HumanHumanAgreement, ScoreDistributions, TrueScoreEvaluation)


def on_scale(values: np.ndarray, low: float = 1, high: float = 5) -> np.ndarray:
    return np.asarray(np.clip(np.rint(values), low, high))


@cache
def crowd(raters: int = 40, severity: float = 0.0, engine: bool = True) -> pd.DataFrame:
    """Return one row per rating: 300 responses, one to four raters each."""
    rng = np.random.default_rng(3)
    true, harsh = rng.normal(3, 1, 300), rng.normal(0, severity, raters)
    system = np.clip(true + rng.normal(0, 0.5, 300), 1, 5).round(2)
    rows = [
        (f"e{i}", f"w{j:03d}", *on_scale(true[i : i + 1] + harsh[j] + rng.normal(0, 0.6, 1)), system[i])
        for i in range(300)
        for j in rng.choice(raters, rng.integers(1, 5), replace=False)
    ]
    frame = pd.DataFrame(rows, columns=["id", "rater", "score", "engine"])
    return frame if engine else frame.drop(columns="engine")


@pytest.fixture(scope="module")
def interchangeable() -> Evaluation:
    return evaluation_of(crowd())


@pytest.mark.parametrize("section", SECTIONS)
def test_interchangeable_raters_have_no_first_rater(interchangeable: Evaluation, section: type) -> None:
    found = text_of(section(), interchangeable)
    text = f"{found.text} {found.annex}".casefold()
    assert interchangeable.facts["design"]["record"] is None
    for false in ("first rater", "; two raters scored", "all 2 raters", "conger"):
        assert false not in text


def test_differences_that_are_zero_by_construction_have_no_value(interchangeable: Evaluation) -> None:
    tables = interchangeable.tables
    assert not interchangeable.estimates.get("human.smd") or not interchangeable.estimates["human.smd"].defined
    assert "smd" not in [row.cells[0] for row in tables["human_human.degradation"].rows]
    assert not {"rater_gap", "second_engine"} & {column.key for column in tables["human_equivalence.exchange"].columns}
    table = next(t for t in TrueScoreEvaluation().findings(interchangeable).tables if t.key == "true_score.guidelines")
    states = {row.cells[0].values["text"]: row.cells[2] for row in table.rows}  # type: ignore[union-attr]
    for guideline in ("means", "spread", "agreement"):
        assert states[f"guideline.{guideline}"] == "state.not_in_data"


@pytest.mark.parametrize("key", ["confusion.system", "confusion.human"])
def test_rows_of_counts_add_up_to_their_totals(interchangeable: Evaluation, key: str) -> None:
    for row in interchangeable.tables[key].rows:
        *counts, total = row.cells[1:]
        assert sum(counts) == total  # type: ignore[arg-type]


def test_row_totals_are_the_numbers_of_responses_in_other_tables(interchangeable: Evaluation) -> None:
    totals = [row.cells[-1] for row in interchangeable.tables["confusion.system"].rows]
    for key in ("distribution", "levels.by_human"):
        assert [row.cells[1] for row in interchangeable.tables[key].rows] == totals


def test_two_annotators_who_agree_are_not_one_column() -> None:
    true = np.random.default_rng(1).normal(3, 1, 60)
    rows = [(f"e{i}", who, int(on_scale(t)), round(t + 0.3, 2)) for i, t in enumerate(true) for who in ("ann", "bob")]
    evaluation = evaluation_of(pd.DataFrame(rows, columns=["id", "rater", "score", "engine"]))
    assert not evaluation.facts.get("doubts")


def test_a_rating_column_that_repeats_another_is_questioned() -> None:
    frame = pd.DataFrame({"id": range(60), "human1": np.arange(60) % 6 + 1, "system": np.arange(60) % 5 + 1.25})
    evaluation = evaluation_of(frame.assign(human2=frame["human1"]), human=["human1", "human2"])
    assert len(evaluation.facts["doubts"]) == 1


@pytest.mark.parametrize("given", [True, False])
def test_a_score_that_only_the_second_rater_gave_counts_as_used(given: bool) -> None:
    rng = np.random.default_rng(2)
    true = rng.normal(3, 1, 200)
    human1, human2 = (on_scale(true + rng.normal(0, 0.5, 200)) for _ in range(2))
    human2[:3] = 6 if given else 5
    frame = pd.DataFrame({"id": range(200), "human1": human1, "human2": human2, "system": on_scale(true)})
    evaluation = evaluation_of(frame, scale="1:6")
    assert ScoreDistributions().findings(evaluation).values["unused"]["both"] == ([] if given else ["6"])
    cases = [case for case in Summary().findings(evaluation).values["know"] if case["case"] == "unused"]
    assert [case["points"] for case in cases] == ([] if given else [["6"]])


def test_the_severity_chart_shows_the_raters_who_differ_most() -> None:
    everyone = {"show_rater_names": True, "withhold_small_groups": False}
    evaluation = evaluation_of(crowd(130, 0.8, engine=False), ratings_only=True, **everyone)
    rows = evaluation.tables["human_raters.raters"]
    place = [column.key for column in rows.columns].index("expected")
    sizes = {
        row.cells[0]: abs(cell.value)
        for row in rows.rows
        if isinstance(cell := row.cells[place], Estimate) and cell.value is not None
    }
    (chart,) = RatersEach().findings(evaluation).charts
    shown = set(chart.y.categories)
    named = [each["rater"] for each in RatersSummary().findings(evaluation).values["severe"][:3]]
    assert len(sizes) > len(shown) == 40
    assert named
    assert {*named, *sorted(sizes, key=lambda rater: -sizes[rater])[:3]} <= shown
