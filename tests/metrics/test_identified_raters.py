"""Variance components of named raters, and raters who do not rate, without false alarms."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from simulated import simulated

from reportgen import metrics
from reportgen.metrics import generalizability
from reportgen.metrics.reliability import generalizability_of_columns, generalizability_of_raters

PARTS = ("person", "rater", "residual")


def assigned(n: int, raters: int, each: int, seed: int, gaps: float = 0.3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (n, each) ratings, their rater codes, and the same ratings with a column per rater."""
    rng = np.random.default_rng(seed)
    who = np.argsort(rng.random((n, raters)), axis=1)[:, :each]
    ratings = rng.normal(3.5, 1, n)[:, None] + rng.normal(0, 0.4, raters)[who] + rng.normal(0, 0.6, who.shape)
    ratings[rng.random(ratings.shape) < gaps] = np.nan
    columns = np.full((n, raters), np.nan)
    np.put_along_axis(columns, who, ratings, axis=1)
    return ratings, who, columns


@pytest.mark.parametrize("seed", range(3))
def test_components_of_packed_ratings_match_columns(seed: int) -> None:
    ratings, who, columns = assigned(80, 6, 3, seed)
    found, public = generalizability_of_raters(ratings, who).found, generalizability(columns)
    assert [getattr(found, part) for part in PARTS] == pytest.approx([getattr(public, part) for part in PARTS])
    assert (found.n, found.n_raters, found.n_ratings) == (public.n, public.n_raters, public.n_ratings)


def test_component_influences_are_derivatives() -> None:
    ratings, who, columns = assigned(60, 5, 3, 7)
    influence = generalizability_of_raters(ratings, who).influence
    rated = ~np.isnan(columns).all(axis=1)
    assert (influence[~rated] == 0).all()
    rows, step = columns[rated], 1e-6
    for i in range(0, len(rows), 7):
        up, down = (
            generalizability_of_columns(rows, np.where(np.arange(len(rows)) == i, 1 + sign * step, 1.0)).found
            for sign in (1, -1)
        )
        slope = [(getattr(up, part) - getattr(down, part)) / (2 * step) for part in PARTS]
        assert influence[rated][i] == pytest.approx(slope, abs=1e-6)


def test_components_of_unlinked_design_are_unbiased() -> None:
    """The estimates are unbiased in a simulation of a design that is not linked."""
    rng = np.random.default_rng(11)
    who = np.array([[0, 0, 1]] * 12 + [[2, 3, -1]] * 12 + [[4, -1, -1]] * 6)
    found = []
    for _ in range(4000):
        true, severity = rng.normal(0, 1, len(who)), rng.normal(0, 0.7, 5)
        ratings = true[:, None] + severity[who] + rng.normal(0, 0.5, who.shape)
        each = generalizability_of_raters(np.where(who >= 0, ratings, np.nan), who).found
        found.append([getattr(each, part) for part in PARTS])
    mean, error = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(mean - [1, 0.49, 0.25]) < 4 * error).all()


def test_components_ignore_unnamed_ratings_and_have_reasons() -> None:
    ratings, who, _ = assigned(40, 4, 2, 3, gaps=0.0)
    unnamed = np.vstack([who, [[-1, -1]] * 5])
    more = np.vstack([ratings, np.full((5, 2), 9.0)])
    assert generalizability_of_raters(more, unnamed).found == generalizability_of_raters(ratings, who).found
    assert generalizability_of_raters(ratings, np.full_like(who, -1)).found.reason
    once = np.where(np.arange(2) == 0, ratings, np.nan)
    assert generalizability_of_raters(once, who).found.reason
    with pytest.raises(ValueError, match="same shape"):
        generalizability_of_raters(ratings, who[:, :1])


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
