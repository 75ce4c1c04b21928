"""Complete a matrix of responses by raters, compare decisions, and find ratings far from their prediction.

>>> ratings = np.array([[1.0, 1], [2, 2], [3, np.nan], [4, 4], [5, 5], [np.nan, 2]])
>>> np.round(complete(ratings, "gaussian").values[[2, 5]], 1).tolist()
[[3.0, 3.0], [2.0, 2.0]]
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.studies.study import Floats

MOST_STEPS, STILL = 100, 1e-6
"""Largest number of EM steps, and change of a mean or covariance, relative to the variance, below which EM stops. A
hundred mixed steps are better than 500 plain ones. With too few ratings for a maximum, the likelihood increases
without bound, and predictions become worse."""

REMEMBERED = 10  # steps that are mixed

ROUNDING = 1e-10  # a smaller relative decrease of the likelihood is a rounding error

FLOOR = 1e-7  # least variance in any direction, as a share of the largest rater variance, for finite inverses

BLOCK = 1 << 20  # numbers in one array of a step

FAR = 3.0
"""Standard deviations from the prediction beyond which a rating is suspicious (1 in 370 for a normal distribution)."""


class NormalFit(NamedTuple):
    """Distribution of ratings, conditional mean and error of missing ratings, and whether EM converged."""

    mean: Floats
    covariance: Floats
    values: Floats
    errors: Floats
    converged: bool


def fit(ratings: Floats) -> NormalFit:
    """Fit a normal distribution to (n, raters) ratings by maximum likelihood, NaN if missing at random.

    Dempster, Laird and Rubin (1977), section 4.1.3; Little and Rubin (2019), section 11.2; Henderson and Varadhan
    (2019), "Damped Anderson acceleration with restarts and monotonicity control", section 2.
    """
    largest = max(float(np.nanvar(ratings, axis=0).max()), 1e-12)
    patterns = Patterns(ratings, FLOOR * largest)
    variances = np.maximum(np.nanvar(ratings, axis=0), 1e-12)
    mean, covariance, converged = _rest(patterns, np.zeros_like(variances), np.diag(variances), STILL * largest)
    values, errors = patterns.filled(mean, covariance)
    return NormalFit(patterns.origin + mean, covariance, values, errors, converged)


def _rest(patterns: Patterns, mean: Floats, covariance: Floats, near: float) -> tuple[Floats, Floats, bool]:
    """Return the moments at convergence of EM with Anderson mixing, and whether it converged."""
    raters = len(mean)
    lower = np.tril_indices(raters)

    def point(mean: Floats, covariance: Floats) -> Floats:
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
    """(n, raters) ratings, grouped by the raters who rated; `floor` is added to variances in inverses."""

    def __init__(self, ratings: Floats, floor: float) -> None:
        given = np.isfinite(ratings)
        self.given, of_row = np.unique(given, axis=0, return_inverse=True)
        of_row = of_row.ravel()
        self.responses, self.floor = len(ratings), floor
        self.counts = np.bincount(of_row).astype(np.float64)
        # sums about a point among the ratings, because squares of large numbers lose digits
        self.origin = np.nanmean(ratings, axis=0)
        self.centred = np.where(given, ratings - self.origin, 0.0)
        order = np.argsort(of_row, kind="stable")
        self.rows = np.split(order, np.cumsum(self.counts[:-1]).astype(np.intp))
        self.sums = np.array([self.centred[rows].sum(axis=0) for rows in self.rows])
        self.squares = np.array([self.centred[rows].T @ self.centred[rows] for rows in self.rows])

    def step(self, mean: Floats, covariance: Floats) -> tuple[Floats, Floats, float]:
        """Return the EM update of a mean (from `origin`) and a covariance, and their log likelihood."""
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
        """Return (n, raters) conditional means, and their standard deviations; 0 for given ratings."""
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
        size = max(1, BLOCK // self.given.shape[1] ** 2)
        for start in range(0, len(self.given), size):
            yield slice(start, start + size)

    def _regressions(self, given: NDArray[np.bool_], covariance: Floats) -> tuple[Floats, Floats, Floats]:
        """Return (patterns, raters, raters): covariances of given ratings (1 otherwise), inverses, and slopes."""
        both = given[:, :, None] & given[:, None, :]
        raters = len(covariance)
        inner = np.where(both, covariance + self.floor * np.eye(raters), np.where(both, 0.0, np.eye(raters)))
        inverses = np.where(both, np.linalg.inv(inner), 0.0)
        # a given rating predicts itself exactly
        slopes = np.where(given[:, None, :], np.where(both, np.eye(raters), 0.0), inverses @ covariance)
        return inner, inverses, slopes

    @staticmethod
    def _left(given: NDArray[np.bool_], covariance: Floats, slopes: Floats) -> Floats:
        missing = ~given[:, :, None] & ~given[:, None, :]
        return np.where(missing, covariance - covariance @ slopes, 0.0)


class Predictions(NamedTuple):
    """Predictions of each given rating from the response's other ratings; nan without others."""

    values: Floats
    errors: Floats  # standard deviation of a rating about its prediction
    distances: Floats  # rating minus prediction, in these standard deviations

    @property
    def checked(self) -> NDArray[np.bool_]:
        """Which ratings can be predicted from others."""
        return np.isfinite(self.distances)

    @property
    def far(self) -> NDArray[np.bool_]:
        """Which ratings are at least `FAR` standard deviations from their prediction."""
        return np.abs(np.where(self.checked, self.distances, 0.0)) >= FAR


def predictions(ratings: ArrayLike) -> Predictions:
    """Compute the distance of each rating from its prediction by the response's other ratings.

    One normal distribution is fitted to all ratings. With the inverse covariance P of the raters of a response and
    their distances d from their means, the error variance of a prediction is 1 / P_jj, and the distance from it is (P
    d)_j / P_jj (Little and Rubin 2019; Wisniewski 2013, section 5, for the use).

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
    patterns, distances, errors = Patterns(matrix, floor), np.full_like(matrix, np.nan), np.full_like(matrix, np.nan)
    for given, rows in zip(patterns.given, patterns.rows, strict=True):
        raters = np.flatnonzero(given)
        if len(raters) < 2:
            continue
        inverse = np.linalg.inv(found.covariance[np.ix_(raters, raters)] + floor * np.eye(len(raters)))
        about = matrix[np.ix_(rows, raters)] - found.mean[raters]
        own = np.diagonal(inverse)
        errors[np.ix_(rows, raters)] = 1 / np.sqrt(own)
        distances[np.ix_(rows, raters)] = about @ inverse / np.sqrt(own)
    return Predictions(matrix - distances * errors, errors, distances)


def found_among(ratings: Floats, planted: NDArray[np.bool_]) -> float:
    """Return the share of planted errors among the same number of ratings farthest from their prediction.

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


METHODS = ("gaussian", "centred", "nuclear", "mean", "random")
"""Multivariate normal by EM, smallest nuclear norm with and without centering of raters, and two baselines."""

STEP_SHARE = 0.02  # step of the algorithm for the smallest nuclear norm, as a share of the largest singular value
MOST_CUTS, NEAR = 4000, 1e-7


class Completed(NamedTuple):
    """Completed matrix of (n, raters) ratings, and which ratings were imputed.

    errors: standard deviation of the true rating about each imputed one; 0 if given, nan if the method has none.
    """

    values: Floats
    errors: Floats
    filled: NDArray[np.bool_]


def complete(
    ratings: ArrayLike,
    method: str = "gaussian",
    *,
    scale: tuple[float, float] | None = None,
    rng: np.random.Generator | None = None,
) -> Completed:
    """Impute the missing ratings (NaN) of (n, raters) ratings; given ratings never change.

    method: one of `METHODS`; the normal distribution and centering are not in Wisniewski (2013), but predict better.
    scale: lowest and highest score, which limit imputed ratings; required by "random".
    Raises ValueError: If a rater has fewer than two ratings, or "random" has no scale.

    >>> ratings = np.array([[1.0, 2], [2, 3], [4, np.nan], [5, 6]])
    >>> round(float(complete(ratings).values[2, 1]), 2), round(float(complete(ratings, "mean").values[2, 1]), 2)
    (5.0, 3.67)
    """
    matrix = np.array(ratings, dtype=np.float64)
    given = np.isfinite(matrix)
    few = np.flatnonzero(given.sum(axis=0) < 2)
    if len(few):
        raise ValueError(f"rater {few[0] + 1} gave fewer than two ratings, so nothing can be estimated for that rater")
    means, errors = np.nanmean(matrix, axis=0), np.full_like(matrix, np.nan)
    if method == "gaussian":
        found = fit(matrix)
        values, errors = found.values, found.errors
    elif method == "centred":
        values = smallest_nuclear_norm(matrix - means) + means
    elif method == "nuclear":
        values = smallest_nuclear_norm(matrix)
    elif method == "mean":
        values, errors = means, np.nanstd(matrix, axis=0, ddof=1)
    elif scale is None:
        raise ValueError("random scores require a scale")
    else:
        drawn = (rng or np.random.default_rng(0)).integers(int(scale[0]), int(scale[1]) + 1, matrix.shape)
        values = drawn.astype(np.float64)
    if scale is not None:
        values = np.clip(values, *scale)
    return Completed(np.where(given, matrix, values), np.where(given, 0.0, errors), ~given)


def low_rank_ratio(ratings: ArrayLike) -> float:
    """Compute the second singular value over the Frobenius norm, 0 to .71 (Wisniewski 2013, section 4.1).

    It is the relative distance of complete (n, raters) ratings, not centered, from the nearest matrix of rank 1: 0 if
    the ratings of all raters are proportional.

    For two raters with independent integer scores from 1 to 5, it approaches sqrt(1 / 11) = .30:

    >>> rng = np.random.default_rng(0)
    >>> round(low_rank_ratio(rng.integers(1, 6, (100_000, 2))), 2)
    0.3
    """
    sizes = np.linalg.svd(np.asarray(ratings, dtype=np.float64), compute_uv=False)
    total = np.sqrt((sizes**2).sum())
    return float(sizes[1] / total) if total > 0 else float("nan")


def smallest_nuclear_norm(ratings: Floats) -> Floats:
    """Find the matrix with the smallest sum of singular values that agrees with the given ratings.

    Candès and Recht (2012); Wisniewski (2013), section 2. Alternating directions (Boyd et al. 2011): singular values
    are reduced by a fixed step, and given ratings restored, until convergence.

    >>> filled = smallest_nuclear_norm(np.array([[1.0, 2], [2, 4], [3, np.nan]]))
    >>> float(round(filled[2, 1], 2)) < 6
    True
    """
    given = np.isfinite(ratings)
    filled = np.where(given, ratings, 0.0)
    size = float(np.linalg.norm(filled, 2))
    if size == 0 or given.all():
        return filled
    dual, step = np.zeros_like(filled), STEP_SHARE * size
    for _ in range(MOST_CUTS):
        low = _cut(filled - dual, step)
        again = np.where(given, ratings, low + dual)
        dual = dual + low - again
        moved = np.linalg.norm(again - filled)
        filled = again
        if moved < NEAR * np.linalg.norm(filled):
            break
    return filled


def _cut(matrix: Floats, step: float) -> Floats:
    squares, vectors = np.linalg.eigh(matrix.T @ matrix)
    sizes = np.sqrt(np.maximum(squares, 0.0))
    kept = np.where(sizes > step, 1 - step / np.maximum(sizes, step), 0.0)
    return np.asarray(matrix @ (vectors * kept) @ vectors.T)


def different_orders(first: Floats, second: Floats, systems: Sequence[object] | NDArray[np.generic]) -> tuple[int, int]:
    """Count the pairs of systems that two scorings put in opposite order, and all pairs.

    A tie in either scoring is not an opposite order (Wisniewski 2013, section 3).

    >>> first, second = np.array([1.0, 2, 3]), np.array([1.0, 3, 2])
    >>> different_orders(first, second, ["a", "b", "c"])
    (1, 3)
    """
    names, code = np.unique(np.asarray(systems), return_inverse=True)
    sizes = np.bincount(code)
    means = [np.bincount(code, scores) / sizes for scores in (first, second)]
    pairs = list(itertools.combinations(range(len(names)), 2))
    opposite = sum((means[0][a] - means[0][b]) * (means[1][a] - means[1][b]) < 0 for a, b in pairs)
    return int(opposite), len(pairs)


def one_rating_each(ratings: Floats, rng: np.random.Generator) -> Floats:
    """Return (n,): one random given rating of every response; nan if there is none."""
    given = np.isfinite(ratings)
    order = np.where(given, rng.random(ratings.shape), np.inf)
    return np.asarray(ratings[np.arange(len(ratings)), order.argmin(axis=1)])
