"""Where the variance of ratings comes from: responses, raters, and the rest."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics._arrays import as_ratings
from reportgen.tally.sums import Floats


@dataclass(frozen=True)
class Generalizability:
    """Variance components of responses crossed with raters.

    Estimates are unbiased and not cut at 0, so a small one can be negative.

    Parameters
    ----------
    person, rater, residual
        Variance of responses (their true scores), of raters' severity, and of the rest.
    n, n_raters, n_ratings
        Responses and raters with at least one rating, and ratings in all.
    reason
        Why values are nan; empty otherwise.
    """

    person: float
    rater: float
    residual: float
    n: int
    n_raters: int
    n_ratings: int
    reason: str = ""

    def coefficient(self, raters: int) -> float:
        """Return the generalizability coefficient of the mean of `raters` ratings, which rank responses."""
        return _share(self.person, self.residual / raters)

    def dependability(self, raters: int) -> float:
        """Return the index of dependability (phi) of the mean of `raters` ratings, taken at face value."""
        return _share(self.person, (self.rater + self.residual) / raters)


def generalizability(ratings: ArrayLike) -> Generalizability:
    """Return the variance components of responses crossed with raters, gaps allowed.

    The analysis-of-variance estimates: sums of squares are set equal to their expectations and the
    three equations solved (Henderson's method 1).  Without gaps these are the usual mean-square
    estimates.

    Parameters
    ----------
    ratings
        (n, raters): scores, NaN where a rater gave none.  Gaps should not depend on the scores, and
        raters should be linked through shared responses.

    Returns
    -------
    Generalizability
        nan, with a reason, when there are fewer than two responses or raters, or when the gaps leave
        the components indistinguishable (no response rated twice, say).

    Raises
    ------
    ValueError
        When `ratings` has another shape or an infinite score.

    References
    ----------
    Henderson (1953); Brennan (2001, chapter 7).

    Examples
    --------
    Six targets, four judges (Shrout and Fleiss 1979: (B - E) / k = (11.24 - 1.02) / 4):

    >>> from reportgen.metrics.worked_examples import SHROUT_FLEISS
    >>> found = generalizability(SHROUT_FLEISS)
    >>> round(found.person, 2), round(found.residual, 2), round(found.coefficient(4), 2)
    (2.56, 1.02, 0.91)
    """
    scores = as_ratings(ratings)
    present = ~np.isnan(scores)
    scores = scores[present.any(axis=1)][:, present.any(axis=0)]
    n, raters = scores.shape
    total = int((~np.isnan(scores)).sum())
    components = _variance_components(scores) if n > 1 and raters > 1 else None
    if components is None:
        return Generalizability(math.nan, math.nan, math.nan, n, raters, total, "too few ratings overlap")
    person, rater, residual = (float(component) for component in components)
    return Generalizability(person, rater, residual, n, raters, total)


def _variance_components(scores: Floats) -> Floats | None:
    """Return person, rater and residual variance, None when the equations do not determine them."""
    present = ~np.isnan(scores)
    x = np.where(present, scores - np.nanmean(scores), 0.0)
    by_person, by_rater, total = present.sum(axis=1), present.sum(axis=0), present.sum()
    persons, raters = scores.shape
    of_persons = (x.sum(axis=1) ** 2 / by_person).sum()
    of_raters = (x.sum(axis=0) ** 2 / by_rater).sum()
    squares = np.array([of_persons, of_raters, (x**2).sum() - of_persons - of_raters])
    p, r = (by_person**2).sum() / total, (by_rater**2).sum() / total
    expected = np.array(
        [
            [total - p, persons - r, persons - 1],
            [raters - p, total - r, raters - 1],
            [p - raters, r - persons, total - persons - raters + 1],
        ]
    )
    if np.linalg.matrix_rank(expected) < 3:
        return None
    return np.asarray(np.linalg.solve(expected, squares))


def _share(signal: float, noise: float) -> float:
    """Return signal / (signal + noise), nan unless the whole is positive."""
    return signal / (signal + noise) if signal + noise > 0 else math.nan
