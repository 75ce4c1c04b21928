"""Numbers do not depend on order, names, and layout, and copies of all responses change only n - 1."""

import math
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from simulated import evaluation_of, framed, simulated

from reportgen.evaluation import evaluate
from reportgen.results import Cell, Estimate, Evaluation
from reportgen.scores import read
from reportgen.settings import from_keywords

PEOPLE = ("annotator_1", "annotator_2", "annotator_3", "annotator_4")

UNLIKE = ("data.", "human_raters.raters")
"""Tables that show rows or raters in the order of the file."""


def panel(seed: int, gaps: float, n: int = 60) -> pd.DataFrame:
    """Return a wide file of four raters with gaps, an engine and a group."""
    _, scores, engine, rng = simulated(n, seed, len(PEOPLE), mean=3, ends=(1, 5))
    scores[rng.random(scores.shape) < gaps] = np.nan
    scores[np.isnan(scores).all(axis=1), 0] = 3
    scores[:3] = [[1], [5], [3]]
    return pd.DataFrame({
        "id": [f"r{number}" for number in range(n)], **dict(zip(PEOPLE, scores.T, strict=True)),
        "engine": np.round(engine, 2), "gender": rng.choice(["f", "m"], n),
    })  # fmt: skip


def long(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each rating."""
    rest = [name for name in frame if name not in PEOPLE]
    return frame.melt(id_vars=rest, var_name="rater", value_name="score").dropna(subset=["score"])


evaluated = partial(evaluation_of, scale="1:5", groups=["gender"])


def assert_same(one: Evaluation, other: Evaluation, tables: bool = True) -> None:
    """Compare every headline number, every check, and every table of numbers."""
    assert set(one.estimates) == set(other.estimates)
    for key, estimate in one.estimates.items():
        assert_equal(estimate, other.estimates[key], key)
    found, others = ([(check.label, check.group, check.outcome) for check in each.checks] for each in (one, other))
    assert found == others
    for key in one.tables if tables else ():
        if key.startswith(UNLIKE):
            continue
        ours, yours = ([numbers_of(row) for row in sorted(each.tables[key].rows, key=named)] for each in (one, other))
        assert [len(row) for row in ours] == [len(row) for row in yours], key
        for mine, theirs in zip(sum(ours, ()), sum(yours, ()), strict=True):
            assert math.isclose(mine, theirs, rel_tol=1e-9, abs_tol=1e-9), (key, mine, theirs)


def named(row: Any) -> tuple[Any, ...]:
    """Return a key that sorts rows by their numbers."""
    return tuple(round(number, 6) for number in numbers_of(row))


def assert_equal(one: Estimate, other: Estimate, where: str) -> None:
    for mine, theirs in ((one.value, other.value), (one.low, other.low), (one.high, other.high), (one.n, other.n)):
        assert (mine is None) == (theirs is None), where
        if mine is not None and theirs is not None:
            assert math.isclose(mine, theirs, rel_tol=1e-12, abs_tol=1e-12), (where, mine, theirs)


def numbers_of(row: Any) -> tuple[float, ...]:
    """Return the numbers of a row."""
    return tuple(found for cell in row.cells if (found := number_of(cell)) is not None)


def number_of(cell: Cell) -> float | None:
    value = cell.value if isinstance(cell, Estimate) else cell
    return None if value is None or isinstance(value, str | bool) else float(value)


@cache
def of_panel(seed: int, gaps: float) -> Evaluation:
    return evaluated(panel(seed, gaps))


@pytest.mark.parametrize(("seed", "gaps"), [(0, 0.4), (1, 0.02), pytest.param(2, 0.2, marks=pytest.mark.slow)])
def test_order_and_layout_change_no_number(seed: int, gaps: float) -> None:
    frame, expected = panel(seed, gaps), of_panel(seed, gaps)
    columns = np.random.default_rng(seed).permutation(frame.columns)
    assert_same(expected, evaluated(frame.sample(frac=1, random_state=seed)[columns]))
    assert_same(expected, evaluated(long(frame).sample(frac=1, random_state=seed), raters="fixed"))


def test_names_of_interchangeable_raters_change_no_number() -> None:
    names = dict(zip(PEOPLE, (*PEOPLE[1:], PEOPLE[0]), strict=True))
    one, other = of_panel(0, 0.4), evaluated(panel(0, 0.4).rename(columns=names))
    assert one.facts["design"]["record"] is None
    assert_same(one, other, tables=False)  # in which a pair of raters may change places


def test_order_of_packed_raters_changes_no_number() -> None:
    ratings = long(panel(0, 0.3))
    ratings["rater"] = [f"R{number}" for number in np.random.default_rng(0).permutation(len(ratings)) % 40]
    ratings = ratings.drop_duplicates(["id", "rater"])
    assert_same(evaluated(ratings), evaluated(ratings.sample(frac=1, random_state=0)))


def test_record_option_selects_rater() -> None:
    frame = panel(5, 0.3)
    wide = evaluated(frame, record="annotator_2")
    assert wide.facts["design"]["record"] == "annotator_2"
    assert wide.facts["responses_kept"] == frame["annotator_2"].notna().sum()
    assert_same(wide, evaluated(long(frame), record="annotator_2"))
    complete = panel(5, 0.0)[:30]
    assert evaluated(complete).facts["design"]["record"] == "annotator_1"
    assert evaluated(complete, record="any").facts["design"]["record"] is None


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
