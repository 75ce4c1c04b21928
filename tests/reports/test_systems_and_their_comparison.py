"""The page of several systems says of two systems what their comparison says: differences decide, in both."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from report_sections.comparison import changes
from reportgen.reports.single import Outcome
from reportgen.reports.systems import evaluate_source
from reportgen.settings import from_keywords
from reportgen.storing.report_folder import Writing
from reportgen.testing import text_of

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
