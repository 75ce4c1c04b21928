"""Compare variance components of named raters with one column per rater, derivatives, and a simulation."""

import numpy as np
import pytest

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
