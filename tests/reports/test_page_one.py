"""Facts of page one: comparisons, few responses, weights, guidelines, and agreement of pages about systems."""

import re
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from claims import Page, pages_of
from situations import SITUATIONS, Situation, rated

from report_sections.comparison import changes
from reportgen.reports.single import Outcome
from reportgen.reports.systems import evaluate_source
from reportgen.results import Estimate
from reportgen.settings import from_keywords
from reportgen.storing.report_folder import Writing
from reportgen.testing import text_of


@cache
def pages(name: str) -> list[Page]:
    return pages_of(SITUATIONS[name]())


def test_one_measure_decides_a_mixed_comparison_and_the_table_has_the_others() -> None:
    overview, comparison = pages("systems, mixed")[0], pages("systems, mixed")[-1]
    for page in (overview, comparison):
        assert "beta_v2 is better than alpha_v1 on proportional reduction in mean squared error (PRMSE)" in page.brief
    rows = comparison.evaluation.tables["comparison.overall"].rows
    assert next(row.cells for row in rows if str(row.cells[0]) == "smd")[-1] == "worse"


@pytest.mark.slow
def test_movement_counts_every_change_of_half_points_and_of_labels() -> None:
    rng = np.random.default_rng(37)
    frame = rated(200, step=0.5, engine_step=0.5, low=1, high=5).rename(columns={"engine": "first_v1"})
    moved = np.clip(frame["first_v1"] + 0.5 * rng.integers(-1, 2, 200), 1, 5)
    situation = Situation(frame.assign(second_v2=moved), {"systems": ["first_v1", "second_v2"], "scale": "1:5:0.5"})
    tables = pages_of(situation)[-1].evaluation.tables
    counts = {str(row.cells[0]): row.cells[2] for row in tables["comparison.movement"].rows}
    ways = ("same", "up_one", "up_more", "down_one", "down_more")
    assert sum(int(str(counts[f"moves.{way}"])) for way in ways) == 200
    labels = pages("labels, systems")[-1].evaluation.tables
    assert [column.label for column in labels["comparison.movement.2"].columns[1:4]] == ["letter", "story", "essay"]
    assert "moves.now_right" in [str(row.cells[0]) for row in labels["comparison.movement"].rows]


def test_one_shared_response_has_no_coefficient_anywhere() -> None:
    coders = pd.DataFrame({"item": range(40), "coder_1": [0, 1] * 20, "coder_2": [1.0, *[np.nan] * 39]})
    (page,) = pages_of(Situation(coders, {"ratings_only": True, "human": ["coder_1", "coder_2"], "id": "item"}))
    assert not re.search(r"(QWK|κ) [−\d]", page.brief)
    found = [each for each in page.estimates if each.n == 1 and each.defined and each.kind == "coefficient"]
    stored = [cell for table in page.evaluation.tables.values() for row in table.rows for cell in row.cells]
    assert not [each for each in found if any(each is cell for cell in stored if isinstance(cell, Estimate))]


def test_a_yes_names_what_the_policy_does_not_require() -> None:
    assert "Yes: the only requirement is met; this policy does not test" in pages("only accuracy required")[0].brief
    assert "met; this policy does not test accuracy or fairness." in pages("labels")[0].brief
    assert "Yes: all 8 requirements are met." in pages("excellent")[0].brief


@pytest.mark.slow
def test_the_number_of_double_scores_that_guidelines_recommend_is_one() -> None:
    for name in ("two raters", "traits", "few double", "excellent"):
        for page in pages(name):
            found = {
                "".join(each)
                for each in re.findall(
                    r"at least (\d[\d,]*)(?: double-scored| responses)|recommend at least (\d[\d,]*)(?=[.;])", page.text
                )
            }
            assert len(found) <= 1, (name, found)


def test_an_item_of_great_weight_needs_the_accuracy_of_its_share_on_page_one() -> None:
    (page,) = pages("test, heavy item")
    assert "No: accuracy is too low for this item’s share of the points." in page.brief
    assert "the requirement is at least 0.999" in page.brief
    assert "is worth 86.2% of the test’s points" in page.brief


def test_after_no_page_one_shows_what_can_be_done_about_the_failed_requirement() -> None:
    assert "where engine and human scores of first_language L0 differ" in pages("many groups")[0].brief
    assert "retrain or change it" in pages("worse engine")[0].brief


SYSTEMS = ["one", "two", "three"]
ASKED: dict[str, Any] = {"human": ["h1", "h2"], "id": "id", "scale": "1:6"}


def frame(seed: int, *, missing: float = 0.0) -> pd.DataFrame:
    """Return random scores of three engines that lie close together, some of them without a score of a response."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 400))
    true = rng.normal(3.5, 1, n)
    shared = rng.normal(0, 0.5, n)
    made: dict[str, Any] = {"id": [f"r{place}" for place in range(n)]}
    for name in ("h1", "h2"):
        made[name] = np.clip(np.rint(true + rng.normal(0, rng.uniform(0.2, 1), n)), 1, 6)
    for name in SYSTEMS:
        engine = true + shared + rng.normal(rng.normal(0, 0.1), rng.uniform(0.05, 0.5), n)
        made[name] = np.where(rng.random(n) < missing, np.nan, engine)
    return pd.DataFrame(made)


def both_pages(data: pd.DataFrame) -> tuple[Outcome, Outcome]:
    """Return the page of all systems, and their comparison."""
    made = evaluate_source(data, from_keywords(systems=SYSTEMS, **ASKED), Writing(None))
    return made, made.parts[-1]


def clear(evaluation: Any) -> dict[str, str]:
    """Return how each system compares with the first, by the deciding measure."""
    metric, table = evaluation.facts["primary"], "comparison.true_score"
    return {row.system: row.reading for row in changes(evaluation, table, metric=metric)}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_pages_agree_on_which_system_is_better(seed: int) -> None:
    page, comparison = both_pages(frame(seed, missing=0.1 if seed > 3 else 0.0))
    evaluation = comparison.report.evaluation
    heading = text_of(comparison.report.sections[0], evaluation).finding
    first = text_of(page.report.sections[0], page.report.evaluation).words
    assert heading.rstrip(".").partition("; ")[0].partition(", ")[0].partition(" (")[0] in first
    n = evaluation.facts["pairs"][0]["shared"]
    assert seed < 4 or f"the {n} responses that all engines scored" in first
    ranks, same = (
        {str(row["run"]): (row.count("rank"), row.count("last_rank")) for row in rows}
        for rows in (page.report.evaluation.records("summary.ranking"), evaluation.records("comparison.ranking"))
    )
    assert ranks == same
    for system, reading in clear(evaluation).items():
        best, worst = ranks[SYSTEMS[0]]
        assert reading != "better" or (best > 1 and ranks[system][1] < 3)
        assert reading != "worse" or (worst < 3 and ranks[system][0] > 1)
