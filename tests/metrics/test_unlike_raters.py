"""Detect raters who do not rate, without false alarms about severe raters."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from simulated import simulated

from reportgen import metrics

BENCHMARK = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "raters_who_do_not_rate.py"))
Floats = NDArray[np.float64]


def panel(seed: int, raters: int = 4, n: int = 80) -> tuple[Floats, NDArray[np.int64]]:
    """Return ratings of raters who agree well, and rater codes."""
    ratings = simulated(n, seed, raters, mean=3, sd=1.2, error=0.5, ends=(1, 5)).human
    return ratings, np.tile(np.arange(raters), (n, 1))


@pytest.mark.slow
def test_unlike_raters_has_few_false_alarms_and_high_power() -> None:
    """In 150 panels, 1% is 1.5 false alarms. In 100 panels with such a rater, 95% are detected."""
    assert BENCHMARK["false_alarms"](150) <= 4 / 150
    for planted in BENCHMARK["PLANTED"]:
        assert BENCHMARK["found"](planted, 100) >= 0.88


def test_unlike_raters_reports_correlation_over_pairs() -> None:
    ratings, who = panel(1)
    ratings[:, 2] = np.random.default_rng(2).permutation(ratings[:, 2])
    (found,) = metrics.unlike_raters(ratings, who)
    own, others = np.repeat(ratings[:, 2], 3), ratings[:, [0, 1, 3]].ravel()
    assert (found.rater, found.how, found.n) == (2, "random", 80)
    assert found.r == pytest.approx(np.corrcoef(own, others)[0, 1], abs=1e-12)
    assert found.r == pytest.approx(metrics.rater_profiles(ratings, who).r[2], abs=1e-12)
    assert found.low < 0 < found.high


def test_unlike_raters_ignores_adjudicators() -> None:
    ratings, who = panel(3, 3, 600)
    ratings[ratings[:, 0] == ratings[:, 1], 2] = np.nan
    assert metrics.unlike_raters(ratings, who) == ()


def test_unlike_raters_ignores_raters_of_equal_responses() -> None:
    """If responses do not differ, raters cannot agree on differences."""
    rng = np.random.default_rng(4)
    true = rng.normal(0, 1.2, 600)
    who = np.stack([np.where(np.abs(true) < 0.25, 5, rng.integers(0, 2, 600)), rng.integers(2, 5, 600)], axis=1)
    ratings = np.rint(3 + true[:, None] + rng.normal(0, 0.5, (600, 2)))
    assert (who == 5).sum() > 60
    assert metrics.unlike_raters(ratings, who) == ()


def test_unlike_raters_reports_reversed_raters() -> None:
    ratings, who = panel(5, 2)
    ratings[:, 1] = 6 - ratings[:, 1]
    assert [(each.rater, each.how) for each in metrics.unlike_raters(ratings, who)] == [
        (0, "reversed"),
        (1, "reversed"),
    ]
    ratings, who = panel(6, 3)  # the error of a reversed copy is 0
    ratings[:, :2] = ratings[:, :1]
    ratings[:, 2] = 6 - ratings[:, 0]
    assert [(each.rater, each.how) for each in metrics.unlike_raters(ratings, who)] == [(2, "reversed")]


def test_rater_profiles_take_candidates_as_units() -> None:
    """Ten candidates with eight responses each are less evidence than eighty candidates."""
    ratings, who = panel(7)
    free, tied = (metrics.rater_profiles(ratings, who, units=units) for units in (None, np.arange(80) // 8))
    assert free.units.tolist() == [80] * 4
    assert tied.units.tolist() == [10] * 4
    whole = metrics.rater_profiles(np.tile(ratings, (2, 1)), np.tile(who, (2, 1)), units=np.tile(np.arange(80), 2))
    assert whole.r_error == pytest.approx(free.r_error)


@given(seed=st.integers(0, 10_000), how=st.sampled_from(["random", "constant", "reversed"]))
@settings(max_examples=25, deadline=None)
def test_unlike_raters_ignores_order_of_rows_and_raters(seed: int, how: str) -> None:
    rng = np.random.default_rng(seed)
    drawn = BENCHMARK["panel"](rng, how)
    ratings, who = drawn.ratings, drawn.who
    rows, columns = rng.permutation(len(ratings)), rng.permutation(ratings.shape[1])
    first = {each.rater: each for each in metrics.unlike_raters(ratings, who)}
    mixed = {each.rater: each for each in metrics.unlike_raters(ratings[rows][:, columns], who[rows][:, columns])}
    assert first.keys() == mixed.keys()
    for rater, each in first.items():
        assert each.how == mixed[rater].how
        assert (each.r, each.share) == pytest.approx((mixed[rater].r, mixed[rater].share), abs=1e-12, nan_ok=True)


def test_rater_habits_match_rows() -> None:
    ratings, who = panel(8)
    ratings[::3, 1] = np.nan
    found = metrics.rater_habits(ratings, who)
    own = ratings[~np.isnan(ratings[:, 1]), 1]
    assert (found.n[1], found.mean[1], found.sd[1]) == pytest.approx((len(own), own.mean(), own.std(ddof=1)))
    assert found.share[1] == pytest.approx(100 * (own == found.commonest[1]).mean())


def test_unlike_raters_without_ratings_is_empty() -> None:
    nothing = np.full((3, 2), np.nan)
    assert metrics.unlike_raters(nothing, np.full((3, 2), -1)) == ()
    assert metrics.rater_habits(nothing, np.full((3, 2), -1)).n.tolist() == []
