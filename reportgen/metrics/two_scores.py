"""Statistics of two scores: agreement, association, rank order, and differences."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics import pair
from reportgen.metrics._arrays import as_pairs, as_weighted_pairs, pair_sums
from reportgen.metrics.catalogue import METRICS
from reportgen.metrics.chance_corrected import Linearised, cohen_kappa
from reportgen.tally.sums import Floats

__all__ = [
    "Population", "difference_of_standardized_means", "exact_agreement", "kendall_tau_b", "macro_averaged_rmse",
    "mean_absolute_error", "mean_squared_error", "pearson_r", "percent_agreement", "quadratic_weighted_kappa",
    "r_squared", "root_mean_squared_error", "scorer", "spearman_rho", "standardized_mean_difference",
]  # fmt: skip


def exact_agreement(
    human: ArrayLike, system: ArrayLike, *, tolerance: float = 0, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the share of responses whose two scores differ by no more than `tolerance`.

    ``share of |h - s| <= tolerance``. Scores are not rounded, so continuous scores rarely agree. With labels and
    tolerance 0, it is scikit-learn's ``accuracy_score``.

    Result: 0 to 1; nan without any pair.
    Source: Williamson, Xi and Breyer (2012).

    Parameters
    ----------
    tolerance
        0 for exact agreement, or the step of the scale for exact or adjacent agreement. A difference that is at most
        one millionth larger counts, so 0.3 and 0.1 differ by 0.2.

    Examples
    --------
    >>> from reportgen.metrics.worked_examples import ABSTRACTORS, ratings_of_table
    >>> exact_agreement(*ratings_of_table(ABSTRACTORS).T)
    0.89
    """
    first, second, weight = as_weighted_pairs(human, system, sample_weight)
    within = np.abs(first - second) <= tolerance * (1 + 1e-6)
    return float(weight @ within / weight.sum()) if within.size else float("nan")


def percent_agreement(
    human: ArrayLike, system: ArrayLike, *, tolerance: float = 0, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the percentage of responses whose two scores differ by no more than `tolerance`.

    ``100 x share of |h - s| <= tolerance``, as the field and RSMTool print it.

    Result: 0 to 100; nan without any pair.
    Source: Williamson, Xi and Breyer (2012).

    Examples
    --------
    >>> from reportgen.metrics.worked_examples import ABSTRACTORS, ratings_of_table
    >>> percent_agreement(*ratings_of_table(ABSTRACTORS).T)
    89.0
    """
    return 100 * exact_agreement(human, system, tolerance=tolerance, sample_weight=sample_weight)


def quadratic_weighted_kappa(
    human: ArrayLike, system: ArrayLike, *, ddof: int = 0, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the quadratic weighted kappa of scores, which can be continuous.

    ``2 cov(h, s) / (var h + var s + (mean h - mean s)^2)``. With divisor n (`ddof` 0), it equals Lin's concordance
    correlation and, for integer scores, Cohen's quadratically weighted kappa over the whole scale.

    Result: -1 to 1; 0 if one score is constant; nan without a pair or if both are constant and equal.
    Source: Cohen (1968); Lin (1989); Haberman (2019) for continuous scores.

    Parameters
    ----------
    ddof
        Variances and the covariance are divided by n - ddof.

    Examples
    --------
    >>> from reportgen.metrics.worked_examples import HUMAN, SYSTEM
    >>> round(quadratic_weighted_kappa(HUMAN, SYSTEM), 10)
    -0.0921052632
    """
    return float(pair.quadratic_weighted_kappa(pair_sums(human, system, sample_weight), ddof)[0])


def mean_squared_error(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Compute the mean squared error, ``mean of (h - s)^2``.

    Result: 0 or more, in squared score points; nan without any pair.
    Source: Haberman (2008).

    Examples
    --------
    >>> from reportgen.metrics.worked_examples import HUMAN, SYSTEM
    >>> mean_squared_error(HUMAN, SYSTEM)
    20.75
    """
    return float(pair.mean_squared_error(pair_sums(human, system, sample_weight))[0])


def root_mean_squared_error(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Compute the root mean squared error, ``root of mean of (h - s)^2``.

    Result: 0 or more, in score points; nan without any pair.
    Source: Haberman (2008).

    Examples
    --------
    >>> from reportgen.metrics.worked_examples import HUMAN, SYSTEM
    >>> round(root_mean_squared_error(HUMAN, SYSTEM) ** 2, 10)
    20.75
    """
    return float(pair.root_mean_squared_error(pair_sums(human, system, sample_weight))[0])


def mean_absolute_error(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Compute the mean absolute error, ``mean of |h - s|``.

    Result: 0 or more, in score points; nan without any pair.
    Source: Willmott and Matsuura (2005).

    Examples
    --------
    >>> from reportgen.metrics.worked_examples import HUMAN, SYSTEM
    >>> mean_absolute_error(HUMAN, SYSTEM)
    2.75
    """
    return float(pair.mean_absolute_error(pair_sums(human, system, sample_weight))[0])


def r_squared(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Compute the proportional reduction in squared error of predicting the human score.

    ``1 - sum of (h - s)^2 / sum of (h - mean h)^2``, without a regression of the system score.

    Result: at most 1, negative if the human mean predicts better. For constant human scores, 1 if every system score
    equals them and 0 otherwise; nan for fewer than two pairs.
    Source: Haberman (2008); PRMSE for the observed score.

    Examples
    --------
    >>> from reportgen.metrics.worked_examples import HUMAN, SYSTEM
    >>> round(r_squared(HUMAN, SYSTEM), 4)
    -4.6271
    """
    return float(pair.r_squared(pair_sums(human, system, sample_weight))[0])


def macro_averaged_rmse(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Compute the mean over human score levels of the root mean squared error within the level.

    Every level that occurs has the same weight, so errors at the rare ends of the scale count. The root is taken within
    each level, so the result is in score points.

    Result: 0 or more, in score points; nan without any pair.
    Source: Baccianella, Esuli and Sebastiani (2009) for averaging over levels; Yannakoudakis and Cummins (2015) for the
    root.

    Examples
    --------
    Three scores of 1 without error, and one 4 with an error of two points:

    >>> macro_averaged_rmse([1, 1, 1, 4], [1, 1, 1, 2])
    1.0
    """
    first, second, weight = as_weighted_pairs(human, system, sample_weight)
    if not first.size:
        return float("nan")
    level = np.unique(first, return_inverse=True)[1]
    squares = np.bincount(level, weight * (first - second) ** 2)
    return float(np.sqrt(squares / np.bincount(level, weight)).mean())


def pearson_r(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Compute Pearson's correlation, ``cov(h, s) / (SD h x SD s)``.

    Result: -1 to 1; nan if either score is constant or for fewer than two pairs.
    Source: Pearson (1896).

    Examples
    --------
    The first of Anscombe's (1973) four data sets, published .816:

    >>> x = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5]
    >>> y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]
    >>> round(pearson_r(x, y), 3)
    0.816
    """
    return float(pair.pearson_r(pair_sums(human, system, sample_weight))[0])


def spearman_rho(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Compute Spearman's rank correlation: Pearson's of the ranks, with mean ranks for ties.

    Result: -1 to 1; nan if either score is constant or for fewer than two pairs.
    Source: Spearman (1904); Kendall (1945) for ties.

    Examples
    --------
    Intelligence and hours of television (the encyclopedia example; -29/165 = -.1758):

    >>> iq = [106, 100, 86, 101, 99, 103, 97, 113, 112, 110]
    >>> hours = [7, 27, 2, 50, 28, 29, 20, 12, 6, 17]
    >>> round(spearman_rho(iq, hours), 4)
    -0.1758
    """
    first, second, weight = as_weighted_pairs(human, system, sample_weight)
    return pearson_r(_mean_ranks(first, weight), _mean_ranks(second, weight), sample_weight=weight)


def _mean_ranks(scores: Floats, weight: Floats) -> Floats:
    level = np.unique(scores, return_inverse=True)[1]
    count = np.bincount(level, weight)
    ranks: Floats = np.cumsum(count) - (count - 1) / 2
    return ranks[level]


def kendall_tau_b(human: ArrayLike, system: ArrayLike) -> float:
    """Compute Kendall's tau-b: concordant minus discordant pairs, corrected for ties.

    ``(C - D) / root of ((P - ties in h) (P - ties in s))`` with P = n (n - 1) / 2 pairs. Pairs are counted exactly, by
    sorting. Weights are not supported, because pairs of fractional responses are undefined.

    Result: -1 to 1; nan if either score is constant or for fewer than two pairs.
    Source: Kendall (1945, 1970); Knight (1966) for counting by sorting.

    Examples
    --------
    Two rankings of ten with ties (Kendall 1970, chapter 3): C - D is 33, of root of (41 x 36):

    >>> round(kendall_tau_b([1, 2.5, 2.5, 4.5, 4.5, 6.5, 6.5, 8, 9.5, 9.5],
    ...                     [1, 2, 4.5, 4.5, 4.5, 4.5, 8, 8, 8, 10]), 3)
    0.859
    """
    from scipy.stats import kendalltau

    first, second = as_pairs(human, system)
    return float(kendalltau(first, second).statistic) if first.size > 1 else math.nan


CONSTANT = "one of the two scores is constant"  # why a rank correlation has no value


def kendall_tau_b_of_table(counts: Floats) -> Linearised:
    """Compute Kendall's tau-b of a table, and the influence of a response in each cell.

    Result: value from -1 to 1; influences of shape (rows, columns). No value if a score is constant.
    Source: Kendall (1945); Brown and Benedetti (1977) for the derivative.

    counts (rows, columns): numbers of responses, both axes in ascending order.

    With S the sum over ordered pairs of responses of the sign of their agreement in order, X and Y the ordered pairs
    not tied in rows and in columns, tau-b = S / root(X Y). One more response in cell (i, j) adds twice its surplus of
    concordant pairs to S, 2 (n - row total) to X, and 2 (n - column total) to Y.

    tau-b of a 2 x 2 table is its correlation:

    >>> round(kendall_tau_b_of_table(np.array([[2.0, 1.0], [0.0, 1.0]])).value, 4)
    0.5774
    """
    n, rows, columns = counts.sum(), counts.sum(axis=1), counts.sum(axis=0)
    untied_rows, untied_columns = n**2 - rows @ rows, n**2 - columns @ columns
    if untied_rows <= 0 or untied_columns <= 0:
        return _undefined(counts)
    surplus = _below_less_above(_below_less_above(counts, 0), 1)
    room = math.sqrt(untied_rows) * math.sqrt(untied_columns)
    tau = float((counts * surplus).sum() / room)
    by_row, by_column = (n - rows) / untied_rows, (n - columns) / untied_columns
    slope = 2 * surplus / room - tau * (by_row[:, None] + by_column)
    return Linearised(_bounded(tau), math.nan, math.nan, n * slope)


def spearman_rho_of_table(counts: Floats) -> Linearised:
    """Compute Spearman's rank correlation of a table, and the influence of a response in each cell.

    Result: value from -1 to 1; influences of shape (rows, columns). No value if a score is constant.
    Source: Spearman (1904); Kendall (1945) for ties.

    The influence includes a response's product of ranks, and the shift of the ranks of all others.

    >>> round(spearman_rho_of_table(np.array([[2.0, 1.0], [0.0, 1.0]])).value, 4)
    0.5774
    """
    n, rows, columns = counts.sum(), counts.sum(axis=1), counts.sum(axis=0)
    a, b = _below_less_above(rows, 0), _below_less_above(columns, 0)  # twice the rank minus the mean rank
    spread_a, spread_b = float(rows @ a**2), float(columns @ b**2)
    if spread_a <= 0 or spread_b <= 0:
        return _undefined(counts)
    room = math.sqrt(spread_a) * math.sqrt(spread_b)
    rho = float(a @ counts @ b / room)
    product = a[:, None] * b - _below_less_above(counts @ b, 0)[:, None] - _below_less_above(a @ counts, 0)
    slope_a = (a**2 - 2 * _below_less_above(rows * a, 0)) / (2 * spread_a)
    slope_b = (b**2 - 2 * _below_less_above(columns * b, 0)) / (2 * spread_b)
    slope = product / room - rho * (slope_a[:, None] + slope_b)
    return Linearised(_bounded(rho), math.nan, math.nan, n * slope)


def _below_less_above(values: Floats, axis: int) -> Floats:
    through = np.cumsum(values, axis=axis)
    total = np.take(through, [-1], axis=axis)
    return np.asarray(2 * through - values - total)


def _bounded(value: float) -> float:
    return max(-1.0, min(1.0, value))


def _undefined(counts: Floats) -> Linearised:
    return Linearised(math.nan, math.nan, math.nan, np.zeros(counts.shape), CONSTANT)


Method = Literal["unpooled", "pooled", "johnson", "williamson"]


class Population(NamedTuple):
    """Means and standard deviations of the population that a group is compared with."""

    human_mean: float
    system_mean: float
    human_sd: float
    system_sd: float

    @classmethod
    def of(cls, human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Population:
        """Compute the moments (SDs with divisor n - 1) of the responses with both scores."""
        sums = pair_sums(human, system, sample_weight)
        return cls(*(float(moment(sums)[0]) for moment in (pair.mean_x, pair.mean_y, pair.sd_x, pair.sd_y)))


def standardized_mean_difference(
    human: ArrayLike,
    system: ArrayLike,
    *,
    method: Method = "unpooled",
    population_human_sd: float | None = None,
    population_system_sd: float | None = None,
    ddof: int = 1,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the standardized mean difference, ``(mean s - mean h) / SD``.

    Result: any number, positive if the system scores higher; nan if the divisor is 0 or undefined.
    Source: Williamson, Xi and Breyer (2012) for |SMD| <= .15; the four divisors are those of RSMTool 12.

    Parameters
    ----------
    method
        The divisor of the difference: * "unpooled": the SD of the human scores (system against human); * "pooled": root
        of the mean of both variances (human against human); * "johnson": the SD of the human scores of the population;
        * "williamson": root of the mean of both variances of the population.
    population_human_sd, population_system_sd
        The SDs of the population, for the last two methods.
    ddof
        Variances of the given scores are divided by n - ddof.

    Examples
    --------
    >>> from reportgen.metrics.worked_examples import HUMAN, SYSTEM
    >>> round(standardized_mean_difference(HUMAN, SYSTEM, ddof=0), 10)
    1.1717001988
    >>> round(standardized_mean_difference(HUMAN, SYSTEM, method="johnson", population_human_sd=2.3), 10)
    0.9782608696
    """
    sums = pair_sums(human, system, sample_weight)
    if method == "unpooled":
        return float(pair.standardized_mean_difference(sums, ddof)[0])
    if method == "pooled":
        return float(pair.standardized_mean_difference_pooled(sums, ddof)[0])
    divisor = _population_sd(method, population_human_sd, population_system_sd)
    return float(pair.ratio(pair.mean_difference(sums), divisor)[0])


def _population_sd(method: str, human_sd: float | None, system_sd: float | None) -> float:
    if method not in ("johnson", "williamson"):
        raise ValueError(f"unknown method {method!r}; use unpooled, pooled, johnson, or williamson")
    if human_sd is None:
        raise ValueError(f"method {method!r} requires population_human_sd")
    if method == "johnson":
        return human_sd
    if system_sd is None:
        raise ValueError("method 'williamson' requires population_system_sd")
    return float(np.sqrt((human_sd**2 + system_sd**2) / 2))


def difference_of_standardized_means(
    human: ArrayLike,
    system: ArrayLike,
    *,
    population: Population | tuple[float, float, float, float] | tuple[ArrayLike, ArrayLike] | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute how much higher the system places a group than humans do, in SDs of the population.

    ``mean of (z(s) - z(h))`` over the group, with ``z(h) = (h - mean h) / SD h`` and the same for s, with means and SDs
    of the population. It is 0 for every group if the system only shifts or rescales all scores.

    Result: any number, positive if the system favors the group; nan if a population SD is 0 (within 1e-7) or the group
    has no pair.
    Source: Loukina, Madnani and Zechner (2019).

    Parameters
    ----------
    human, system
        (n,): scores of the group.
    population
        (human mean, system mean, human SD, system SD) or (human scores, system scores) of all responses. None uses the
        group, which gives 0.

    Examples
    --------
    >>> from reportgen.metrics.worked_examples import HUMAN, SYSTEM
    >>> round(difference_of_standardized_means(HUMAN, SYSTEM, population=(4.5, 5.1, 1.2, 1.8)), 10)
    0.7083333333
    """
    own = Population.of(human, system, sample_weight=sample_weight)
    moments = own if population is None else _population(population)
    return float(pair.difference_of_standardized_means(pair_sums(human, system, sample_weight), *moments)[0])


def _population(given: tuple[ArrayLike, ...]) -> Population:
    if len(given) == 2:
        return Population.of(*given)
    if len(given) == 4:
        return Population(*(float(np.asarray(moment)) for moment in given))
    raise ValueError(f"population must be two arrays or four numbers; found {len(given)} items")


def scorer(metric: str) -> Any:
    """Return a scikit-learn scorer for a metric of `METRICS` that compares two scores.

    Greater is better for every scorer, as scikit-learn requires, so errors (``"rmse"``, ``"mae"``) are negative, and
    ``"smd"`` is minus its absolute value. Agreement (``"kappa"``, and ``"exact_agreement"`` and
    ``"adjacent_agreement"`` as shares) rounds predictions half to even; other metrics do not round. All scorers accept
    ``sample_weight``.

    Result: ``scorer(estimator, X, human)``; nan if the metric is undefined, such as for constant predictions.
    Source: see `METRICS`; the interface is that of ``sklearn.metrics.make_scorer``.

    Parameters
    ----------
    metric
        One of "qwk", "r", "r_squared", "rmse", "mae", "smd", "kappa", "exact_agreement", "adjacent_agreement".

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> words = np.array([[120.0], [180.0], [240.0], [310.0]])
    >>> human = np.array([2, 3, 4, 5])
    >>> model = LinearRegression().fit(words, human)
    >>> round(scorer("qwk")(model, words, human), 3), round(scorer("rmse")(model, words, human), 3)
    (0.999, -0.043)
    """
    if metric not in _FUNCTIONS:
        known = ", ".join(f"'{name}'" for name in _FUNCTIONS)
        raise ValueError(f"unknown metric '{metric}'; expected one of {known}")
    from sklearn.metrics import make_scorer

    return make_scorer(_FUNCTIONS[metric], greater_is_better=METRICS[metric].better != "low")


def _kappa(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    return cohen_kappa(np.rint(human), np.rint(system), sample_weight=sample_weight).value


def _exact_agreement(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    return exact_agreement(np.rint(human), np.rint(system), sample_weight=sample_weight)


def _adjacent_agreement(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    return exact_agreement(np.rint(human), np.rint(system), tolerance=1, sample_weight=sample_weight)


def _distance_of_means(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    return -abs(standardized_mean_difference(human, system, sample_weight=sample_weight))


_FUNCTIONS: dict[str, Callable[..., float]] = {
    "qwk": quadratic_weighted_kappa,
    "r": pearson_r,
    "r_squared": r_squared,
    "rmse": root_mean_squared_error,
    "mae": mean_absolute_error,
    "smd": _distance_of_means,
    "kappa": _kappa,
    "exact_agreement": _exact_agreement,
    "adjacent_agreement": _adjacent_agreement,
}
"""Module-level functions, so that a scorer can be sent to another process."""
