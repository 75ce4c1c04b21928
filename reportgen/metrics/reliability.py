"""Reliability of ratings and of repeated runs: variance components, intraclass correlations, alpha.

The sums run over the ratings of a response, so 200 raters with two ratings each need no table of responses by raters.
Only the equations of severity have a row per rater. Runs take the role of raters.

The mean of m runs reduces the error of prediction by the variance v of a response's runs:
``MSE(m) = MSE(1) - (1 - 1/m) v``, with each response weighted by its human ratings, as in PRMSE.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.metrics import true_score
from reportgen.metrics._arrays import as_ratings, check_lengths
from reportgen.metrics.pair import ratio
from reportgen.metrics.raters import named_ratings, severity_equations
from reportgen.tally.sums import Floats

__all__ = [
    "CronbachAlpha", "Generalizability", "IntraclassCorrelation", "RunVariance", "cronbach_alpha", "generalizability",
    "intraclass_correlation", "prmse_of_mean_of_runs", "run_variance", "spearman_brown",
]  # fmt: skip


@dataclass(frozen=True)
class CrossedSums:
    """Sums over responses i with c_i ratings x' (minus any fixed center) by k raters.

    n, cc, between, squares (...): responses with a rating, and the sums of c^2, of (sum of x')^2 / c, and of x'^2.
    count, total, deviation (..., k): ratings of each rater, and the sums of x' and of x' minus its response's mean.
    shared (..., k, k): sum of 1 / c over the responses that both raters rated.
    """

    n: Floats
    cc: Floats
    between: Floats
    squares: Floats
    count: Floats
    total: Floats
    shared: Floats
    deviation: Floats


class Components(NamedTuple):
    """Variances of responses, of raters' severity, and of the residual, per slice."""

    person: Floats
    rater: Floats
    residual: Floats


def components(sums: CrossedSums) -> Components:
    """Compute the variance components of linked raters; unbiased, possibly negative; nan without residual ratings."""
    raters = sums.count.shape[-1]
    ratings = sums.count.sum(axis=-1)
    matrix = np.eye(raters) * sums.count[..., None, :] - sums.shared
    # severities are relative, so their mean is set to 0, on the scale of the equations
    anchored = matrix + np.real(ratings)[..., None, None] / raters**2
    severity = np.linalg.solve(anchored, sums.deviation[..., None])[..., 0]
    explained = (severity * sums.deviation).sum(axis=-1)
    freedom = ratings - sums.n - (raters - 1)
    residual = ratio(sums.squares - sums.between - explained, freedom)
    rater = ratio(explained - (raters - 1) * residual, np.trace(matrix, axis1=-2, axis2=-1))
    spread = sums.between - ratio(sums.total.sum(axis=-1) ** 2, ratings)
    by_rater = sums.n - ratio((sums.count**2).sum(axis=-1), ratings)
    person = ratio(spread - by_rater * rater - (sums.n - 1) * residual, ratings - ratio(sums.cc, ratings))
    return Components(person, rater, residual)


def generalizability_coefficient(found: Components | Generalizability, raters: int) -> Floats:
    """Return E rho^2, the reliability of the mean of `raters` ratings for ranking responses."""
    return share_of_whole(found.person, found.person + found.residual / raters)


def dependability_index(found: Components | Generalizability, raters: int) -> Floats:
    """Return Phi, the reliability of the mean of `raters` ratings for absolute decisions."""
    return share_of_whole(found.person, found.person + (found.rater + found.residual) / raters)


class MeanSquares(NamedTuple):
    """Mean squares of n responses rated by the same k raters (Shrout and Fleiss's BMS, JMS, EMS, WMS), per slice."""

    between: Floats
    judges: Floats
    residual: Floats
    within: Floats
    n: Floats
    k: int


def mean_squares_of_sums(n: Floats, rows: Floats, columns: Floats, squares: Floats) -> MeanSquares:
    """Compute the mean squares from sums; nan for a single response.

    n, rows, squares (...): responses, and the sums of the squared sum of their ratings, and of all squared ratings.
    columns (..., k): sum of each rater's ratings.
    """
    k = columns.shape[-1]
    grand = ratio(columns.sum(axis=-1) ** 2, n * k)
    of_rows = rows / k - grand
    of_columns = ratio((columns**2).sum(axis=-1), n) - grand
    within = squares - rows / k
    residual = ratio(within - of_columns, (n - 1) * (k - 1))
    return MeanSquares(ratio(of_rows, n - 1), of_columns / (k - 1), residual, ratio(within, n * (k - 1)), n, k)


def intraclass_values(squares: MeanSquares) -> dict[str, Floats]:
    """Compute the six intraclass correlations, as in `IntraclassCorrelation`; nan without variance."""
    between, residual, within, k = squares.between, squares.residual, squares.within, squares.k
    severity = ratio(squares.judges - residual, squares.n)
    return {
        "icc11": ratio(between - within, between + (k - 1) * within),
        "icc21": share_of_whole(between - residual, between + (k - 1) * residual + k * severity),
        "icc31": ratio(between - residual, between + (k - 1) * residual),
        "icc1k": ratio(between - within, between),
        "icc2k": share_of_whole(between - residual, between + severity),
        "icc3k": ratio(between - residual, between),
    }


def share_of_whole(part: Floats | float, whole: Floats | float) -> Floats:
    """Return part / whole; nan if the whole, a variance, is not positive."""
    return ratio(part, np.where(np.real(np.asarray(whole)) > 0, whole, np.nan))


def intraclass_limits(squares: MeanSquares, level: float) -> dict[str, tuple[float, float]]:
    """Compute the limits of the six intraclass correlations of one slice by the F distribution.

    Exact for normal effects for ICC(1) and ICC(C), Satterthwaite's approximation for ICC(A), where raters are a sample;
    nan without residual variance. Source: McGraw and Wong (1996, table 7); Shrout and Fleiss (1979).
    """
    n, k = float(squares.n), squares.k
    one_way = _consistency(squares.between, squares.within, n - 1, n * (k - 1), level)
    two_way = _consistency(squares.between, squares.residual, n - 1, (n - 1) * (k - 1), level)
    agreement = _agreement(squares, level)
    ends = {
        "icc11": ratio(one_way - 1, one_way + k - 1), "icc21": agreement, "icc31": ratio(two_way - 1, two_way + k - 1),
        "icc1k": 1 - ratio(1.0, one_way), "icc2k": ratio(k * agreement, 1 + (k - 1) * agreement),
        "icc3k": 1 - ratio(1.0, two_way),
    }  # fmt: skip
    return {name: (float(low), float(high)) for name, (low, high) in ends.items()}


def _quantile(numerator: float, denominator: float, level: float) -> float:
    from scipy.special import fdtri

    return float(fdtri(numerator, denominator, (1 + level) / 2))


def _consistency(between: Floats, error: Floats, freedom: float, spare: float, level: float) -> Floats:
    if not error > 0:
        return np.full(2, math.nan)
    found = float(between / error)
    return np.array([found / _quantile(freedom, spare, level), found * _quantile(spare, freedom, level)])


def _agreement(squares: MeanSquares, level: float) -> Floats:
    n, k = float(squares.n), squares.k
    between, judges, residual = (float(each) for each in (squares.between, squares.judges, squares.residual))
    value = float(intraclass_values(squares)["icc21"])
    if not residual > 0 or not value < 1:
        return np.full(2, math.nan)
    a = k * value / (n * (1 - value))
    b = 1 + k * value * (n - 1) / (n * (1 - value))
    freedom = (a * judges + b * residual) ** 2 / (
        (a * judges) ** 2 / (k - 1) + (b * residual) ** 2 / ((n - 1) * (k - 1))
    )
    lower, upper = _quantile(n - 1, freedom, level), _quantile(freedom, n - 1, level)
    noise = k * judges + (k * n - k - n) * residual
    low = n * (between - lower * residual) / (lower * noise + n * between)
    return np.array([low, n * (upper * between - residual) / (noise + n * upper * between)])


@dataclass(frozen=True)
class Generalizability:
    """Variance components of responses crossed with raters; unbiased, so they can be negative.

    Parameters
    ----------
    person, rater, residual
        Variance of responses (their true scores), of raters' severity, and of the residual.
    n, n_raters, n_ratings
        Responses and raters with at least one rating, and all ratings.
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
        """Return the generalizability coefficient of the mean of `raters` ratings, for ranking responses."""
        return float(generalizability_coefficient(self, raters))

    def dependability(self, raters: int) -> float:
        """Return the index of dependability (Phi) of the mean of `raters` ratings, for absolute decisions."""
        return float(dependability_index(self, raters))


def generalizability(ratings: ArrayLike) -> Generalizability:
    """Estimate the variance components of responses crossed with raters.

    Raters' severities are fitted within responses, and sums of squares are set equal to their expectations (Henderson's
    method 3, fitting constants). For complete ratings, these are the usual mean-square estimates.

    Result: nan, with a reason, for fewer than two responses or raters, or if missing ratings make the components
    indistinguishable, such as without a response rated twice.
    Source: Henderson (1953, method 3); Searle, Casella and McCulloch (1992, chapter 5); Brennan (2001).

    Parameters
    ----------
    ratings
        (n, raters): scores, NaN if missing. Raters must be linked through shared responses. The choice of double-scored
        responses does not affect rater and residual variance. For the variance of responses, those with more ratings
        weigh more.

    Examples
    --------
    Six targets, four judges (Shrout and Fleiss 1979; (11.24 - 1.02) / 4 = 2.56):

    >>> from reportgen.metrics.worked_examples import SHROUT_FLEISS
    >>> found = generalizability(SHROUT_FLEISS)
    >>> round(found.person, 2), round(found.residual, 2), round(found.coefficient(4), 2)
    (2.56, 1.02, 0.91)
    """
    found = generalizability_of_columns(as_ratings(ratings))
    if found.linked:
        return found.found
    return replace(found.found, person=math.nan, rater=math.nan, residual=math.nan, reason=FEW)


class IdentifiedComponents(NamedTuple):
    """Variance components of responses, raters, and residual, and the influence of every response.

    found: the components; nan, with a reason, if they are not identified.
    influence (n, 3): of each response on the three variances; 0 without a named rating.
    multiple (n,): whether a response has two or more named ratings.
    linked: whether shared responses link all raters, directly or through others.
    """

    found: Generalizability
    influence: Floats
    multiple: NDArray[np.bool_]
    linked: bool = False

    def at(self, moved: Floats) -> Components:
        """Return the components at the values `moved` (3,); complex numbers stay complex."""
        return Components(*(np.array([self.found.person, self.found.rater, self.found.residual]) + moved))


def generalizability_of_columns(ratings: Floats, weight: Floats | None = None) -> IdentifiedComponents:
    """Compute the components of (n, raters) ratings; `weight` (n,) is the number of responses per row."""
    return generalizability_of_raters(ratings, np.broadcast_to(np.arange(ratings.shape[1]), ratings.shape), weight)


FEW = "too few ratings overlap"


def generalizability_of_raters(
    ratings: ArrayLike, raters: ArrayLike, weight: Floats | None = None
) -> IdentifiedComponents:
    """Estimate the variance components of responses by named raters.

    As `generalizability`, with the named rater of a rating instead of its column. Raters can be unlinked, because only
    differences within responses are used. nan, with a reason, for fewer than two responses or raters, or without
    residual ratings.

    ratings, raters (n, k): scores, NaN if missing, and the rater's integer code; negative if unknown.
    weight (n,): number of responses per row; default: 1.

    Shrout and Fleiss's (1979) ratings in another order of columns:

    >>> from reportgen.metrics.worked_examples import SHROUT_FLEISS
    >>> mixed = np.argsort(np.random.default_rng(1).random((6, 4)), axis=1)
    >>> known = generalizability_of_raters(np.take_along_axis(np.asarray(SHROUT_FLEISS), mixed, axis=1), mixed)
    >>> round(known.found.person, 2), round(known.found.residual, 2)
    (2.56, 1.02)
    """
    scores, codes = named_ratings(ratings, raters)
    given = ~np.isnan(scores) & (codes >= 0)
    row, column = np.nonzero(given)
    names, rater = np.unique(codes[row, column], return_inverse=True)
    c, k = given.sum(axis=1).astype(np.float64), len(names)
    times = (np.ones(len(c)) if weight is None else weight) * (c > 0)
    n, total, multiple = float(times.sum()), float(times @ c), c > 1
    if n < 2 or k < 2 or not multiple.any():
        return _unknown(n, k, total, multiple)
    own = times[row]
    x = scores[row, column] - own @ scores[row, column] / total
    share = 1 / np.maximum(c, 1.0)
    mean = np.bincount(row, x, len(c)) * share
    matrix, values, vectors = severity_equations(row, rater, c, k, times)
    rank = len(values)
    freedom = total - n - rank
    if freedom < 1 or rank < 1:
        return _unknown(n, k, total, multiple)
    deviation = np.bincount(rater, own * (x - mean[row]), k)
    severity = vectors @ (vectors.T @ deviation / values)
    # within responses: sums of squares before and after removing severity
    before = np.bincount(row, (x - mean[row]) ** 2, len(c))
    adjusted = x - severity[rater]
    after = np.bincount(row, (adjusted - (np.bincount(row, adjusted, len(c)) * share)[row]) ** 2, len(c))
    residual = float(times @ after) / freedom
    trace = float(np.trace(matrix))
    explained = float(times @ (before - after))
    variance = (explained - rank * residual) / trace
    # a severity changes the sum of squares that it explains through both of its factors, to first order
    alone = _same_rater(row, rater, c)
    of_residual = (after - residual * np.maximum(c - 1, 0.0)) / freedom
    of_explained = _twice_fitted(row, severity[rater], x - mean[row], share, len(c))
    of_rater = (of_explained - rank * of_residual - variance * (c - alone)) / trace
    # the variance of responses follows from the variance of their means
    count = np.bincount(rater, own)
    squares, lengths = float((count**2).sum()), float(times @ c**2)
    expected, divisor = times @ alone - squares / total, total - lengths / total
    person = float(times @ (c * mean**2) - expected * variance - (n - 1) * residual) / divisor
    of_expected = alone - np.bincount(row, 2 * count[rater], len(c)) / total + squares * c / total**2
    of_divisor = c - c**2 / total + lengths * c / total**2
    moved = c * mean**2 - of_expected * variance - expected * of_rater - residual - (n - 1) * of_residual
    influence = np.stack([(moved - person * of_divisor) / divisor, of_rater, of_residual], axis=1)
    found = Generalizability(person, variance, residual, round(n), k, round(total))
    return IdentifiedComponents(found, influence * (c > 0)[:, None], multiple, linked=rank == k - 1)


def _unknown(n: float, raters: int, ratings: float, multiple: NDArray[np.bool_]) -> IdentifiedComponents:
    found = Generalizability(math.nan, math.nan, math.nan, round(n), raters, round(ratings), FEW)
    return IdentifiedComponents(found, np.zeros((len(multiple), 3)), multiple)


def _same_rater(row: NDArray[np.intp], rater: NDArray[np.intp], c: Floats) -> Floats:
    k = int(rater.max()) + 1
    cell, count = np.unique(row * k + rater, return_counts=True)
    pairs = np.bincount(cell // k, count.astype(np.float64) ** 2, len(c))
    return np.asarray(pairs / np.maximum(c, 1.0), np.float64)


def _twice_fitted(row: NDArray[np.intp], fitted: Floats, deviation: Floats, share: Floats, n: int) -> Floats:
    mean = np.bincount(row, fitted, n) * share
    moved = np.bincount(row, 2 * fitted * deviation - (fitted - mean[row]) ** 2, n)
    return np.asarray(moved, np.float64)


@dataclass(frozen=True)
class IntraclassCorrelation:
    """The six intraclass correlations of Shrout and Fleiss.

    Parameters
    ----------
    icc11, icc1k
        Different raters for every response (one-way): a single rating, and the mean of k.
    icc21, icc2k
        The same raters, a sample of many (two-way random, absolute agreement).
    icc31, icc3k
        The same raters, the only ones of interest (two-way mixed, consistency).
    n, n_raters
        Responses rated by all raters, and raters k.
    reason
        Why values are nan; empty otherwise.
    intervals
        Lower and upper limit of each coefficient, by the F distribution.
    """

    icc11: float
    icc21: float
    icc31: float
    icc1k: float
    icc2k: float
    icc3k: float
    n: int
    n_raters: int
    reason: str = ""
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class CronbachAlpha:
    """Cronbach's alpha, nan with a `reason` if undefined; `n` complete rows, `n_items` columns."""

    value: float
    n: int
    n_items: int
    reason: str = ""


def intraclass_correlation(ratings: ArrayLike, *, level: float = 0.95) -> IntraclassCorrelation:
    """Compute the six intraclass correlations of ratings.

    With the mean squares between responses B, between raters J, residual E, and within responses W:
    ``icc11 = (B - W) / (B + (k - 1) W)``, ``icc21 = (B - E) / (B + (k - 1) E + k (J - E) / n)``,
    ``icc31 = (B - E) / (B + (k - 1) E)``, ``icc1k = (B - W) / B``, ``icc2k = (B - E) / (B + (J - E) / n)``,
    ``icc3k = (B - E) / B``.

    Result: at most 1, possibly negative; nan, with a reason, for fewer than two complete responses or raters, or if all
    ratings are the same.
    Source: Shrout and Fleiss (1979); McGraw and Wong (1996) for the intervals.

    Parameters
    ----------
    ratings
        (n, raters): scores; only complete responses count (`generalizability` accepts missing ratings).

    Examples
    --------
    Six targets, four judges (published .17 .29 .71 .44 .62 .91):

    >>> from reportgen.metrics.worked_examples import SHROUT_FLEISS
    >>> icc = intraclass_correlation(SHROUT_FLEISS)
    >>> [round(value, 2) for value in (icc.icc11, icc.icc21, icc.icc31, icc.icc1k, icc.icc2k, icc.icc3k)]
    [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]
    >>> [round(limit, 2) for limit in icc.intervals["icc31"]]
    [0.34, 0.95]
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1; found {level}")
    scores = _complete(ratings)
    n, k = scores.shape
    if reason := _too_few(scores):
        return IntraclassCorrelation(*(math.nan,) * 6, n, k, reason)
    x = scores - scores.mean()
    sums = (np.asarray(total) for total in (float(n), (x.sum(axis=1) ** 2).sum(), x.sum(axis=0), (x**2).sum()))
    squares = mean_squares_of_sums(*sums)
    found = {key: float(each) for key, each in intraclass_values(squares).items()}
    return IntraclassCorrelation(**found, n=n, n_raters=k, reason="", intervals=intraclass_limits(squares, level))


def cronbach_alpha(ratings: ArrayLike) -> CronbachAlpha:
    """Compute Cronbach's alpha, the reliability of the sum of the columns.

    ``k / (k - 1) x (1 - sum of the columns' variances / variance of the sum)``.

    Result: at most 1, possibly negative; equal to icc3k. nan, with a reason, for fewer than two complete rows or
    columns, or if the sum is constant.
    Source: Cronbach (1951).

    Parameters
    ----------
    ratings
        (n, k): items or raters in columns; only complete rows count.

    Examples
    --------
    Six targets, four judges (Shrout and Fleiss's ICC(3,4), published .91):

    >>> from reportgen.metrics.worked_examples import SHROUT_FLEISS
    >>> round(cronbach_alpha(SHROUT_FLEISS).value, 2)
    0.91
    """
    scores = _complete(ratings)
    n, k = scores.shape
    if reason := _too_few(scores):
        return CronbachAlpha(math.nan, n, k, reason)
    columns, total = scores.var(axis=0, ddof=1).sum(), scores.sum(axis=1).var(ddof=1)
    if total <= 1e-14 * columns:
        return CronbachAlpha(math.nan, n, k, "the sum is the same for every response")
    return CronbachAlpha(float(k / (k - 1) * (1 - columns / total)), n, k)


def spearman_brown(reliability: ArrayLike, k: float) -> Floats:
    """Compute the reliability of the mean of k parallel ratings from the reliability of one.

    ``k r / (1 + (k - 1) r)``.

    Result: the same shape; nan if ``1 + (k - 1) r`` is not positive.
    Source: Spearman (1910); Brown (1910).

    Parameters
    ----------
    reliability
        Any shape: reliability r of one rating, at most 1.
    k
        Factor of the number of ratings, above 0.

    Examples
    --------
    >>> float(spearman_brown(0.5, 2).round(4))
    0.6667
    """
    if not k > 0:
        raise ValueError(f"k must be more than 0; found {k}")
    r = np.asarray(reliability, np.float64)
    room = 1 + (k - 1) * r
    return np.asarray(k * r / np.where(room > 0, room, np.nan))


def _complete(ratings: ArrayLike) -> Floats:
    scores = as_ratings(ratings)
    return scores[~np.isnan(scores).any(axis=1)]


def _too_few(scores: Floats) -> str:
    n, k = scores.shape
    if n < 2 or k < 2:
        return f"reliability needs two complete rows and two columns; found {n} and {k}"
    return "every rating is the same" if (scores == scores[0, 0]).all() else ""


@dataclass(frozen=True)
class RunVariance:
    """Variance components of repeated runs; unbiased, so they can be negative.

    Parameters
    ----------
    response, run, residual
        Variance of responses, of runs' means, and of the residual.
    n, n_runs, n_scores
        Responses and runs with a score, and all scores.
    reason
        Why values are nan; empty otherwise.
    """

    response: float
    run: float
    residual: float
    n: int
    n_runs: int
    n_scores: int
    reason: str = ""

    @property
    def run_to_run(self) -> float:
        """The variance of one response's score over runs: run plus residual."""
        return self.run + self.residual

    def reliability(self, runs: int) -> float:
        """Return the index of dependability of the mean of `runs` runs; 1 if runs never differ."""
        return float(share_of_whole(self.response, self.response + self.run_to_run / runs))


def run_variance(runs: ArrayLike) -> RunVariance:
    """Estimate the variance components of responses crossed with repeated runs.

    As `generalizability`, with runs instead of raters.

    Result: nan, with a reason, for fewer than two responses or runs, or too few overlapping scores.
    Source: Searle, Casella and McCulloch (1992, chapter 5); Brennan (2001).

    Examples
    --------
    Shrout and Fleiss (1979): (BMS - EMS) / 4, (JMS - EMS) / 6, EMS:

    >>> from reportgen.metrics.worked_examples import SHROUT_FLEISS
    >>> found = run_variance(SHROUT_FLEISS)
    >>> round(found.response, 2), round(found.run, 2), round(found.residual, 2)
    (2.56, 5.24, 1.02)
    """
    found = generalizability(runs)
    reason = "too few scores of several runs overlap" if found.reason else ""
    return RunVariance(found.person, found.rater, found.residual, found.n, found.n_raters, found.n_ratings, reason)


def prmse_of_mean_of_runs(
    runs: ArrayLike, ratings: ArrayLike, of: int, *, error_variance: float | None = None
) -> float:
    """Estimate PRMSE of the mean of `of` runs.

    Result: for the responses with at least two runs and a human score. For complete runs, `of` = 1 is PRMSE with the
    mean squared error averaged over runs, and `of` = runs is PRMSE of their mean. nan without such a response, or
    without a response rated twice if the rater error variance is unknown.
    Source: Haberman (2008) and Loukina et al. (2020) for PRMSE.

    Parameters
    ----------
    of
        Number of runs in the mean, at least 1; it can differ from the number in the data.

    Examples
    --------
    Two runs are 1 above and 1 below the true score, so their mean has no error:

    >>> human = np.array([[1.0, 1.0], [3.0, 3.0], [5.0, 5.0]])
    >>> runs = human + np.array([1.0, -1.0])
    >>> prmse_of_mean_of_runs(runs, human, 1), prmse_of_mean_of_runs(runs, human, 2)
    (0.75, 1.0)
    """
    if of < 1:
        raise ValueError(f"of must be 1 or more, found {of}")
    scores, human = as_ratings(runs), as_ratings(ratings)
    check_lengths({"runs": scores, "ratings": human})
    features = prmse_features(scores, human)
    if not len(features["n"]):
        return math.nan
    with np.errstate(all="ignore"):
        sums = {name: np.atleast_1d(feature.sum()) for name, feature in features.items()}
        return float(prmse_of_runs(sums, of, error_variance)[0])


def usable_for_prmse(runs: Floats, ratings: Floats) -> np.ndarray:
    """Return which responses have at least two runs and a human score."""
    return np.asarray(((~np.isnan(runs)).sum(axis=1) > 1) & (~np.isnan(ratings)).any(axis=1))


def prmse_features(runs: Floats, ratings: Floats) -> dict[str, Floats]:
    """Compute the contribution of each usable response to the sums of `prmse_of_runs`."""
    usable = usable_for_prmse(runs, ratings)
    x, h = runs[usable], ratings[usable]
    present, centre = ~np.isnan(h), float(np.nanmean(h)) if len(h) else 0.0
    x = x - centre
    k = (~np.isnan(x)).sum(axis=1)
    mean = np.nansum(x, axis=1) / k
    spread = np.nansum((x - mean[:, None]) ** 2, axis=1)
    found = true_score.rating_features(np.where(present, h - centre, 0.0).T, present.T, mean)
    return found | {"css": found["css"] + found["c"] * spread / k, "runs": found["c"] * spread / (k - 1)}


def prmse_of_runs(sums: Mapping[str, Floats], of: int, error_variance: float | None = None) -> Floats:
    """Compute PRMSE of the mean of `of` runs from sums of `prmse_features`; complex-safe."""
    averaged = {**sums, "css": sums["css"] - (1 - 1 / of) * sums["runs"]}
    return true_score.prmse(true_score.rating_sums(averaged, 0.0), error_variance)
