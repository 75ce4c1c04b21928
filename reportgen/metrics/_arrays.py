"""From plain arrays to sums: the door through which every public statistic takes its scores.

NaN means missing; a response that lacks what a statistic needs is left out.  An infinite score is an
error of the caller and is refused.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reportgen.tally.sums import Floats, PairSums, RatingSums


def as_scores(values: ArrayLike, name: str) -> Floats:
    """Return a one-dimensional float64 array; ValueError for another shape or an infinite score."""
    scores = np.asarray(values, np.float64)
    if scores.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional; found shape {scores.shape}")
    return _finite(scores, name)


def as_ratings(values: ArrayLike) -> Floats:
    """Return an (n, raters) float64 array, a single column for one dimension; ValueError otherwise."""
    ratings = np.asarray(values, np.float64)
    ratings = ratings[:, None] if ratings.ndim == 1 else ratings
    if ratings.ndim != 2:
        raise ValueError(f"ratings must have shape (n, raters); found {ratings.shape}")
    return _finite(ratings, "ratings")


def _finite(scores: Floats, name: str) -> Floats:
    """Return the scores, refused when one is infinite."""
    infinite = np.flatnonzero(np.isinf(scores).any(axis=tuple(range(1, scores.ndim))))
    if infinite.size:
        raise ValueError(f"{name} must be finite or NaN (missing); position {infinite[0]} is infinite")
    return scores


def as_pairs(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Return both scores of the responses that have both; ValueError when lengths differ."""
    first, second = as_scores(x, "the first score"), as_scores(y, "the second score")
    if len(first) != len(second):
        raise ValueError(f"both scores must have the same length; found {len(first)} and {len(second)}")
    both = ~np.isnan(first) & ~np.isnan(second)
    return first[both], second[both]


def as_rated(system: ArrayLike, ratings: ArrayLike) -> tuple[Floats, Floats]:
    """Return system scores and ratings of the responses with a system score and a rating."""
    scores, human = as_scores(system, "system"), as_ratings(ratings)
    if len(scores) != len(human):
        raise ValueError(f"system has {len(scores)} scores for {len(human)} rows of ratings")
    kept = ~np.isnan(scores) & ~np.isnan(human).all(axis=1)
    return scores[kept], human[kept]


def pair_sums(x: ArrayLike, y: ArrayLike) -> PairSums:
    """Return the sums of one slice: every response with both scores."""
    first, second = as_pairs(x, y)
    centre = _centre(first)
    a, b, gap = first - centre, second - centre, np.abs(first - second)
    return PairSums(
        n=_slice(len(gap)),
        x=_slice(a.sum()),
        y=_slice(b.sum()),
        xx=_slice(a @ a),
        yy=_slice(b @ b),
        xy=_slice(a @ b),
        absolute=_slice(gap.sum()),
        exact=_slice((gap == 0).sum()),
        adjacent=_slice((gap <= 1).sum()),
        centre=centre,
    )


def rating_sums(system: ArrayLike, ratings: ArrayLike) -> RatingSums:
    """Return the sums of one slice: every response with a system score and at least one rating."""
    scores, human = as_rated(system, ratings)
    c = (~np.isnan(human)).sum(axis=1).astype(float)
    mean = np.nansum(human, axis=1) / c
    centre = _centre(mean)
    m, s = mean - centre, scores - centre
    return RatingSums(
        n=_slice(len(c)),
        multiple=_slice((c > 1).sum()),
        c=_slice(c.sum()),
        cc=_slice(c @ c),
        cm=_slice(c @ m),
        cmm=_slice(c @ m**2),
        cms=_slice(c @ (m * s)),
        cs=_slice(c @ s),
        css=_slice(c @ s**2),
        within=_slice(np.nansum((human - mean[:, None]) ** 2)),
        freedom=_slice((c - 1).sum()),
        s=_slice(s.sum()),
        ss=_slice(s @ s),
        centre=centre,
    )


def _centre(scores: Floats) -> float:
    """Return the score nearest to the mean; whole scores then stay whole and add up exactly."""
    return float(scores[np.argmin(np.abs(scores - scores.mean()))]) if scores.size else 0.0


def _slice(value: Floats | np.integer | float) -> Floats:
    """Return a number as the only slice."""
    return np.array([value], np.float64)
