"""Where the variance of ratings comes from: responses, raters, and the rest."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics._arrays import as_ratings
from reportgen.metrics.crossed import components, crossed_sums, linked


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

    Analysis-of-variance estimates: raters' severities are fitted within responses and sums of squares set
    equal to their expectations (Henderson's method 3, fitting constants).  Without gaps these are the
    usual mean-square estimates.

    Parameters
    ----------
    ratings
        (n, raters): scores, NaN where a rater gave none.  Raters must be linked through shared responses.
        Rater and residual variance do not depend on which responses are rated more than once; the
        variance of responses is that of all of them, those with more ratings weighing more.

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
    Henderson (1953, method 3); Searle, Casella and McCulloch (1992, chapter 5); Brennan (2001).

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
    sums = crossed_sums(scores) if n > 1 and raters > 1 else None
    if sums is None or not linked(sums.shared) or total - n - raters + 1 < 1:
        return Generalizability(math.nan, math.nan, math.nan, n, raters, total, "too few ratings overlap")
    found = components(sums)
    return Generalizability(float(found.person), float(found.rater), float(found.residual), n, raters, total)


def _share(signal: float, noise: float) -> float:
    """Return signal / (signal + noise), nan unless the whole is positive."""
    return signal / (signal + noise) if signal + noise > 0 else math.nan
