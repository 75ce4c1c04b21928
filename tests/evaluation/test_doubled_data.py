"""Counting every response twice changes estimates only through n - 1."""

from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd
import pytest
from simulated import framed, simulated

from reportgen.evaluation import evaluate
from reportgen.results import Estimate, Evaluation
from reportgen.scores import read
from reportgen.settings import from_keywords

COUNTS = ("p", "n", "half_width", "detectable")
"""Columns that depend on the number of responses."""


def responses(n: int, raters: int, share: float) -> pd.DataFrame:
    scores = simulated(n, 8, raters, sd=1.1, twice=share)
    length = 200 + 40 * scores.true + scores.rng.normal(0, 30, n)
    return framed(scores, length=length).round(2).assign(gender=np.where(np.arange(n) % 3, "f", "m"))


@cache
def both(n: int, raters: int, share: float) -> tuple[Evaluation, Evaluation]:
    data = responses(n, raters, share)
    chosen = from_keywords(scale="1:6", groups=["gender"], length="length")
    return tuple(evaluate(read(each, chosen), chosen, {}) for each in (data, pd.concat([data, data])))  # type: ignore[return-value]


def values(found: Evaluation) -> Iterator[tuple[str, float | None]]:
    """Yield every point estimate: headline numbers, stored statistics, estimates in tables."""
    yield from ((key, each.value) for key, each in found.estimates.items())
    for kept in found.statistics:
        for series in kept.series:
            for place, value in enumerate(series.value):
                yield f"{series.statistic} {series.score_type} {kept.column} {place}", value
    for table in found.tables.values():
        for at, row in enumerate(table.rows):
            for column, cell in zip(table.columns, row.cells, strict=True):
                if isinstance(cell, Estimate) and column.key not in COUNTS:
                    yield f"{table.key} {at} {column.key}", cell.value


@pytest.mark.parametrize(("n", "raters", "share"), [(400, 2, 1.0), (150, 2, 0.6), (300, 3, 0.8)])
def test_doubled_responses_change_no_estimate(n: int, raters: int, share: float) -> None:
    one, two = both(n, raters, share)
    ours, theirs = dict(values(one)), dict(values(two))
    assert set(ours) <= set(theirs)
    assert len(ours) > 300
    smallest = share * n / 3  # responses of the smaller group that two raters scored
    for key, value in ours.items():
        if value is None:
            continue  # too few responses may become enough
        assert theirs[key] == pytest.approx(value, rel=4 / smallest, abs=4 / smallest), key


def test_doubled_responses_keep_bands_of_error_ratio() -> None:
    for n in (150, 300, 400):
        one, two = (each.estimates["raters.error_variance_ratio"].value for each in both(n, 2, 1.0))
        assert one is None or one == pytest.approx(two, rel=1e-9), n
