"""Ratings as one sample of a multivariate normal distribution, with gaps, and the ratings that lie far from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.studies.study import Floats

MOST_STEPS, NEAR = 100, 1e-6
"""Steps of EM, and the change of a mean or covariance, in units of the variance, below which it stops.

A hundred mixed steps lead further than 500 plain ones.  Where there are too few ratings for a maximum the
likelihood rises without end, and predictions become worse.
"""

REMEMBERED = 10
"""Steps that are mixed."""

ROUNDING = 1e-10
"""Share of the likelihood that is no fall of it."""

FLOOR = 1e-7
"""Variance that no direction falls below, as a share of the largest of a rater: keeps inverses finite."""

BLOCK = 1 << 20
"""Numbers in one array of a step."""

FAR = 3.0
"""Standard deviations from the prediction beyond which a rating is suspicious: 1 in 370 of a normal distribution."""


@dataclass(frozen=True)
class NormalFit:
    """The distribution of ratings, and what it says of each gap.

    mean, covariance: (raters,) and (raters, raters).
    values (n, raters): given ratings, and the conditional mean of the others.
    errors (n, raters): standard deviation of a missing rating given the others of its response; 0 where given.
    converged: Whether EM came to rest.
    """

    mean: Floats
    covariance: Floats
    values: Floats
    errors: Floats
    converged: bool


def fit(ratings: Floats) -> NormalFit:
    """Return the maximum-likelihood normal distribution of (n, raters) ratings, NaN where missing.

    Gaps are assumed missing at random: whether a rating is missing may depend on the ratings that are
    there, not on its own value.

    References
    ----------
    Dempster, Laird and Rubin (1977), section 4.1.3; Little and Rubin (2019), section 11.2; Henderson and
    Varadhan (2019), "Damped Anderson acceleration with restarts and monotonicity control", section 2.
    """
    largest = max(float(np.nanvar(ratings, axis=0).max()), 1e-12)
    patterns = Patterns(ratings, FLOOR * largest)
    variances = np.maximum(np.nanvar(ratings, axis=0), 1e-12)
    mean, covariance, converged = _rest(patterns, np.zeros_like(variances), np.diag(variances), NEAR * largest)
    values, errors = patterns.filled(mean, covariance)
    return NormalFit(
        patterns.origin + mean, covariance, np.where(np.isfinite(ratings), ratings, values), errors, converged
    )


def _rest(patterns: Patterns, mean: Floats, covariance: Floats, near: float) -> tuple[Floats, Floats, bool]:
    """Return the moments at which EM comes to rest, and whether it did.

    Each step starts where the last ones, taken together, would have led (Anderson's mixing, as in Henderson
    and Varadhan 2019); where that lowers the likelihood, EM goes on from its own last step instead.
    """
    raters = len(mean)
    lower = np.tril_indices(raters)

    def point(mean: Floats, covariance: Floats) -> Floats:
        """Return the mean and the Cholesky factor: every such vector gives a covariance, a singular one too."""
        factor = np.linalg.cholesky(covariance + patterns.floor * np.eye(raters))
        return np.concatenate([mean, factor[lower]])

    ends: list[Floats] = []
    moves: list[Floats] = []
    best, own = -np.inf, None
    for _ in range(MOST_STEPS):
        next_mean, next_covariance, likelihood = patterns.step(mean, covariance)
        if own is not None and not likelihood >= best - ROUNDING * abs(best):
            (mean, covariance), own, ends, moves = own, None, [], []
            continue
        best = max(best, likelihood)
        moved = max(np.abs(next_covariance - covariance).max(), np.abs(next_mean - mean).max())
        own = next_mean, next_covariance
        if moved < near:
            return *own, True
        last = point(*own)
        ends, moves = [*ends[-REMEMBERED:], last], [*moves[-REMEMBERED:], last - point(mean, covariance)]
        mean, covariance = own
        if len(ends) > 1:
            weights = np.linalg.lstsq(np.diff(moves, axis=0).T, moves[-1], rcond=1e-8)[0]
            mixed = last - np.diff(ends, axis=0).T @ weights
            factor = np.zeros((raters, raters))
            factor[lower] = mixed[raters:]
            if np.trace(factor @ factor.T) < 10 * np.trace(covariance):
                mean, covariance = mixed[:raters], factor @ factor.T
    return *(own or (mean, covariance)), False


class Patterns:
    """The responses, put together by which raters rated them.

    ratings (n, raters): NaN where missing.
    floor: Variance added to every rater in inverses.
    """

    def __init__(self, ratings: Floats, floor: float) -> None:
        given = np.isfinite(ratings)
        self.given, of_row = np.unique(given, axis=0, return_inverse=True)
        self.of_row = of_row.ravel()
        self.responses, self.floor = len(ratings), floor
        raters = ratings.shape[1]
        self.counts = np.bincount(self.of_row).astype(np.float64)
        # sums about a point among the ratings: squares of large numbers would lose digits
        self.origin = np.nanmean(ratings, axis=0)
        self.centred = np.where(given, ratings - self.origin, 0.0)
        order = np.argsort(self.of_row, kind="stable")
        self.rows = np.split(order, np.cumsum(self.counts[:-1]).astype(np.intp))
        self.sums = np.array([self.centred[rows].sum(axis=0) for rows in self.rows])
        self.squares = np.empty((len(self.rows), raters, raters))
        for number, rows in enumerate(self.rows):
            self.squares[number] = self.centred[rows].T @ self.centred[rows]

    def step(self, mean: Floats, covariance: Floats) -> tuple[Floats, Floats, float]:
        """Return what EM makes of a mean (from `origin`) and a covariance, and the log likelihood that these have."""
        moved, product = np.zeros_like(mean), np.zeros_like(covariance)
        likelihood = 0.0
        for some in self._blocks():
            given, counts = self.given[some], self.counts[some]
            inner, inverses, slopes = self._regressions(given, covariance)
            centre = np.where(given, mean, 0.0)
            sums = self.sums[some] - counts[:, None] * centre
            shift = centre[:, :, None] * self.sums[some][:, None, :]
            squares = self.squares[some] - shift - sums[:, :, None] * centre[:, None, :]
            moved += np.einsum("pi,pij->j", sums, slopes)
            product += (np.swapaxes(slopes, 1, 2) @ squares @ slopes).sum(axis=0)
            product += np.einsum("p,pij->ij", counts, self._left(given, covariance, slopes))
            likelihood -= 0.5 * float(counts @ np.linalg.slogdet(inner)[1] + (inverses * squares).sum())
        moved /= self.responses
        return mean + moved, product / self.responses - np.outer(moved, moved), likelihood

    def filled(self, mean: Floats, covariance: Floats) -> tuple[Floats, Floats]:
        """Return (n, raters) conditional means, and the standard deviations about them; 0 where ratings were given."""
        values, errors = np.empty_like(self.centred), np.empty_like(self.centred)
        for some in self._blocks():
            given = self.given[some]
            _, _, slopes = self._regressions(given, covariance)
            left = np.maximum(np.diagonal(self._left(given, covariance, slopes), axis1=1, axis2=2), 0.0)
            for number, rows in enumerate(self.rows[some]):
                about = self.centred[rows] - np.where(given[number], mean, 0.0)
                values[rows] = self.origin + mean + about @ slopes[number]
                errors[rows] = np.sqrt(left[number])
        return values, errors

    def _blocks(self) -> Iterator[slice]:
        """Yield the patterns, as many at a time as memory bears."""
        size = max(1, BLOCK // self.given.shape[1] ** 2)
        for start in range(0, len(self.given), size):
            yield slice(start, start + size)

    def _regressions(self, given: NDArray[np.bool_], covariance: Floats) -> tuple[Floats, Floats, Floats]:
        """Return (patterns, raters, raters): covariances of given ratings, 1 for others; their inverses; slopes."""
        both = given[:, :, None] & given[:, None, :]
        raters = len(covariance)
        inner = np.where(both, covariance + self.floor * np.eye(raters), np.where(both, 0.0, np.eye(raters)))
        inverses = np.where(both, np.linalg.inv(inner), 0.0)
        # a given rating predicts itself, to the last digit
        slopes = np.where(given[:, None, :], np.where(both, np.eye(raters), 0.0), inverses @ covariance)
        return inner, inverses, slopes

    @staticmethod
    def _left(given: NDArray[np.bool_], covariance: Floats, slopes: Floats) -> Floats:
        """Return (patterns, raters, raters): covariances of missing ratings that the given ones leave, 0 elsewhere."""
        missing = ~given[:, :, None] & ~given[:, None, :]
        return np.where(missing, covariance - covariance @ slopes, 0.0)


@dataclass(frozen=True)
class Predictions:
    """What the other ratings of a response say of each rating that was given.

    values (n, raters): each given rating as the others of its response predict it; nan for gaps and for responses with
        one rating.
    errors (n, raters): standard deviation of a rating about that prediction.
    distances (n, raters): rating minus prediction, in these standard deviations.
    """

    values: Floats
    errors: Floats
    distances: Floats

    @property
    def checked(self) -> NDArray[np.bool_]:
        """Which ratings could be predicted from others."""
        return np.isfinite(self.distances)

    @property
    def far(self) -> NDArray[np.bool_]:
        """Which ratings lie `FAR` standard deviations or more from their prediction."""
        return np.abs(np.where(self.checked, self.distances, 0.0)) >= FAR


def predictions(ratings: ArrayLike) -> Predictions:
    """Return how far each rating lies from what the others of its response predict.

    One normal distribution is fitted to all ratings.  With P the inverse covariance of the raters of a response and
    d their distances from their means, a rating is predicted from the others with error variance 1 / P_jj, and lies
    (P d)_j / P_jj from that prediction.

    ratings (n, raters): NaN where missing.

    References
    ----------
    Wisniewski (2013), section 5, names the use: comparing predicted and actual scores to find errors of collection;
    Little and Rubin (2019) for the conditional normal distribution.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> ratings = rng.normal(3, 1, (300, 1)) + rng.normal(0, 0.3, (300, 3))
    >>> ratings[7, 1] += 4
    >>> far = predictions(ratings).far
    >>> bool(far[7, 1]), int(far.sum()) < 8
    (True, True)
    """
    matrix = np.array(ratings, dtype=np.float64)
    found = fit(matrix)
    floor = 1e-9 * max(float(np.diagonal(found.covariance).max()), 1e-12)
    given = np.isfinite(matrix)
    distances, errors = np.full_like(matrix, np.nan), np.full_like(matrix, np.nan)
    kinds, kind_of = np.unique(given, axis=0, return_inverse=True)
    for number, kind in enumerate(kinds):
        raters = np.flatnonzero(kind)
        if len(raters) < 2:
            continue
        rows = np.flatnonzero(kind_of.ravel() == number)
        inverse = np.linalg.inv(found.covariance[np.ix_(raters, raters)] + floor * np.eye(len(raters)))
        about = matrix[np.ix_(rows, raters)] - found.mean[raters]
        own = np.diagonal(inverse)
        errors[np.ix_(rows, raters)] = 1 / np.sqrt(own)
        distances[np.ix_(rows, raters)] = about @ inverse / np.sqrt(own)
    return Predictions(matrix - distances * errors, errors, distances)


def found_among(ratings: Floats, planted: NDArray[np.bool_]) -> float:
    """Return the share of planted errors among as many ratings, those farthest from their predictions.

    ratings: (n, raters), planted errors included.
    planted (n, raters): which ratings are errors; one at least.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> ratings = rng.normal(3, 1, (300, 1)) + rng.normal(0, 0.3, (300, 3))
    >>> planted = np.zeros(ratings.shape, bool)
    >>> planted[:5, 0] = True
    >>> found_among(np.where(planted, ratings + 4, ratings), planted)
    1.0
    """
    distances = np.abs(predictions(ratings).distances)
    order = np.argsort(-np.where(np.isfinite(distances), distances, -1.0), axis=None, kind="stable")
    return float(planted.ravel()[order[: int(planted.sum())]].mean())
