"""The page of several systems says of two systems what their comparison says: differences decide, in both."""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

import reportgen
from report_sections.comparison import changes
from reportgen.comparison.compare import RANKED
from reportgen.reports.single import Outcome
from reportgen.reports.systems import evaluate_source
from reportgen.settings import from_keywords
from reportgen.storing.report_folder import Writing
from reportgen.testing import said

SYSTEMS = ["one", "two", "three"]
ASKED: dict[str, Any] = {"human": ["h1", "h2"], "id": "id", "scale": "1:6"}
WHERE = {"kappa": ("comparison.overall", "trimmed and rounded"), "prmse": ("comparison.true_score", "trimmed")}


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


def clear(evaluation: Any, metric: str) -> set[tuple[str, str]]:
    """Return who is better than whom on a metric, as a comparison has it."""
    table, form = WHERE.get(metric, ("comparison.overall", "trimmed"))
    old = evaluation.facts["pairs"][0]["old"]
    found = set()
    for row in changes(evaluation, table):
        if (row.metric, row.form) == (metric, form) and row.reading in ("better", "worse"):
            found.add((row.system, old) if row.reading == "better" else (old, row.system))
    return found


def ranked(evaluation: Any, metric: str) -> dict[str, tuple[Any, Any]]:
    """Return rank, and how many others a system is better than, on the page of all systems."""
    rows = [row for row in evaluation.records("summary.ranking") if row["metric"] == metric]
    return {str(row["run"]): (row["rank"], row["beats"]) for row in rows}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_no_pair_is_called_better_on_one_page_and_not_on_the_other(seed: int) -> None:
    data = frame(seed)
    page, comparison = both_pages(data)
    pairs = [reportgen.compare(data, systems=list(pair), **ASKED).evaluation for pair in combinations(SYSTEMS, 2)]
    for metric in (key.split(".")[1] for key in RANKED):
        found = set().union(*(clear(each, metric) for each in pairs))
        told = {name: (1 + sum(worse == name for _, worse in found), sum(ahead == name for ahead, _ in found))
                for name in SYSTEMS}  # fmt: skip
        assert ranked(page.report.evaluation, metric) == told, metric
        assert clear(comparison.report.evaluation, metric) == {pair for pair in found if SYSTEMS[0] in pair}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_both_pages_are_about_the_responses_that_all_scored(seed: int) -> None:
    page, comparison = both_pages(frame(seed, missing=0.1))
    heading = said(comparison.report.sections[0], comparison.report.evaluation).finding
    first = said(page.report.sections[0], page.report.evaluation).words
    assert heading.rstrip(".").partition("; ")[0].partition(", ")[0] in first
    n = comparison.report.evaluation.facts["pairs"][0]["shared"]
    assert f"the {n} responses that all engines scored" in first
    for metric in (key.split(".")[1] for key in RANKED):
        standing = ranked(page.report.evaluation, metric)
        for ahead, behind in clear(comparison.report.evaluation, metric):
            assert standing[behind][0] > 1
            assert standing[ahead][1] > 0
