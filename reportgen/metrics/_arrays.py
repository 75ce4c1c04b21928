"""Validate score arrays and weights, and compute their sums.

Masked values and NaN are missing. Responses without a required score are excluded, and infinite scores are rejected. A
weight counts its row that many times, so all sums, including n, are weighted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sized

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.metrics import true_score
from reportgen.tally.sums import Floats, PairSums, RatingSums

Mask = NDArray[np.bool_]


def as_floats(values: ArrayLike) -> Floats:
    """Return a float64 array with NaN where values are masked."""
    return np.asarray(np.ma.array(values, np.float64).filled(np.nan))


def as_scores(values: ArrayLike, name: str) -> Floats:
    """Return a one-dimensional float64 array; ValueError if the shape differs or a score is infinite."""
    scores = as_floats(values)
    if scores.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional; found shape {scores.shape}")
    return _finite(scores, name)


def as_ratings(values: ArrayLike) -> Floats:
    """Return an (n, raters) float64 array; a one-dimensional array becomes one column."""
    ratings = as_floats(values)
    ratings = ratings[:, None] if ratings.ndim == 1 else ratings
    if ratings.ndim != 2:
        raise ValueError(f"ratings must have shape (n, raters); found {ratings.shape}")
    return _finite(ratings, "ratings")


def as_weights(values: ArrayLike | None, n: int) -> Floats | None:
    """Return the weight of each response, or None without weights; ValueError if a weight is not 0 or more."""
    if values is None:
        return None
    weights = as_scores(values, "sample_weight")
    if len(weights) != n or not (weights >= 0).all():
        found = f"{len(weights)} weights" if len(weights) != n else "one that is negative or missing"
        raise ValueError(f"sample_weight requires a number of at least 0 for each of {n} responses; found {found}")
    return weights


def check_lengths(arrays: Mapping[str, Sized]) -> None:
    """Raise ValueError if the named arrays differ in length."""
    if len({len(each) for each in arrays.values()}) > 1:
        raise ValueError("lengths differ: " + ", ".join(f"{len(each)} {name}" for name, each in arrays.items()))


def _finite(scores: Floats, name: str) -> Floats:
    infinite = np.flatnonzero(np.isinf(scores).any(axis=tuple(range(1, scores.ndim))))
    if infinite.size:
        raise ValueError(f"{name} must be finite or NaN (missing); position {infinite[0]} is infinite")
    return scores


def as_pairs(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Return both scores of the responses that have both."""
    return as_weighted_pairs(x, y, None)[:2]


def as_weighted_pairs(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Floats, Floats]:
    """Return both scores and the weights of the responses that have both scores and a positive weight."""
    first, second = as_scores(x, "the first score"), as_scores(y, "the second score")
    check_lengths({"first scores": first, "second scores": second})
    return _select_rows(~np.isnan(first) & ~np.isnan(second), first, second, weights)


def as_rated(system: ArrayLike, ratings: ArrayLike, weights: ArrayLike | None = None) -> tuple[Floats, Floats, Floats]:
    """Return system scores, ratings, and weights of the responses with a system score and a rating."""
    scores, human = as_scores(system, "system"), as_ratings(ratings)
    check_lengths({"system scores": scores, "rows of ratings": human})
    return _select_rows(~np.isnan(scores) & ~np.isnan(human).all(axis=1), scores, human, weights)


def _select_rows(here: Mask, one: Floats, other: Floats, weights: ArrayLike | None) -> tuple[Floats, Floats, Floats]:
    weight = as_weights(weights, len(one))
    if weight is None:
        return one[here], other[here], np.ones(np.count_nonzero(here))
    here = here & (weight > 0)
    return one[here], other[here], weight[here]


def pair_sums(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> PairSums:
    """Compute the sums of all responses with both scores, as one slice."""
    first, second, w = as_weighted_pairs(x, y, weights)
    centre = _centre(first)
    a, b, gap = first - centre, second - centre, np.abs(first - second)
    each = (np.ones_like(w), a, b, a**2, b**2, a * b, gap, gap == 0, gap <= 1)
    return PairSums(centre, *(np.array([w @ feature]) for feature in each))


def rating_sums(system: ArrayLike, ratings: ArrayLike, weights: ArrayLike | None = None) -> RatingSums:
    """Compute the sums of all responses with a system score and a rating, as one slice."""
    scores, human, w = as_rated(system, ratings, weights)
    present = ~np.isnan(human)
    centre = _centre(np.nansum(human, axis=1) / present.sum(axis=1))
    features = true_score.rating_features(np.where(present, human - centre, 0.0).T, present.T, scores - centre)
    return true_score.rating_sums({name: np.array([w @ each]) for name, each in features.items()}, centre)


def _centre(scores: Floats) -> float:
    return float(scores[np.argmin(np.abs(scores - scores.mean()))]) if scores.size else 0.0


def t_quantile(freedom: float, level: float) -> float:
    """Return the half-width of a Student's t interval in standard errors."""
    from scipy.special import stdtrit

    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1; found {level}")
    return float(stdtrit(freedom, (1 + level) / 2))
