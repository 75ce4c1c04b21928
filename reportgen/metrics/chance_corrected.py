"""Chance-corrected agreement of any number of raters, with missing ratings, in Gwet's framework.

Every coefficient is ``(pa - pe) / (1 - pe)``, with observed agreement pa and chance agreement pe, both weighted. They
differ only in pe. Notation: r_ik raters assigned response i to category k, r_i rated it, and w_kl is the credit for a
pair of categories.

Standard errors use a linearized coefficient, with the influence of each response (Gwet 2014, chapters 5 and 6). For two
raters without missing ratings, the divisor is n, as in the classical large-sample variance (Fleiss, Cohen and Everitt
1969), and otherwise n - 1, as in the published tables.

`categories` is the declared scale, which determines weights and the number of categories. By default, the observed
labels are used, and the value depends on them (six pairs give a quadratic AC of .54, .55 or .85).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.metrics._arrays import as_ratings, as_weighted_pairs, as_weights, t_quantile
from reportgen.metrics.pair import ratio, without_rounding
from reportgen.tally import Floats, totals

__all__ = [
    "Coefficient", "brennan_prediger", "cohen_kappa", "cohen_kappa_gradient", "cohen_kappa_of_tables", "conger_kappa",
    "fleiss_kappa", "gwet_ac", "scott_pi",
]  # fmt: skip

Weights = str | ArrayLike  # the name of a weight set, or a symmetric (K, K) matrix


class RatingOptions(TypedDict, total=False):
    """The options of every coefficient of ratings by any number of raters: see `cohen_kappa`."""

    categories: ArrayLike | None
    weights: Weights
    sample_weight: ArrayLike | None


def weight_matrix(weights: Weights, categories: ArrayLike) -> Floats:
    """Compute the agreement weights of every pair of categories.

    Result: (K, K), symmetric; named weights are 0 to 1, with 1 on the diagonal.

    weights: one of `NAMED_WEIGHTS`, or a symmetric matrix, which is returned unchanged.
    categories (K,): values of the categories; the weight of a single category is 1.

    >>> weight_matrix("quadratic", [1, 2, 3])
    array([[1.  , 0.75, 0.  ],
           [0.75, 1.  , 0.75],
           [0.  , 0.75, 1.  ]])
    """
    values = np.asarray(categories, float)
    if not isinstance(weights, str):
        return _checked_matrix(weights, len(values))
    if weights not in NAMED_WEIGHTS:
        raise ValueError(f"unknown weights {weights!r}; use one of {', '.join(NAMED_WEIGHTS)}, or a matrix")
    if len(values) < 2:
        return np.ones((len(values), len(values)))
    loss = NAMED_WEIGHTS[weights](values)
    return np.asarray(1 - loss / loss.max())


def _checked_matrix(weights: ArrayLike, size: int) -> Floats:
    matrix = np.asarray(weights, float)
    if matrix.shape != (size, size):
        raise ValueError(f"the weight matrix has shape {matrix.shape}; {size} categories require {(size, size)}")
    if not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T, rtol=0, atol=1e-12):
        raise ValueError("the weight matrix must be finite and symmetric")
    return matrix


def _distance(values: Floats) -> Floats:
    return np.abs(values[:, None] - values)


def _ordinal(values: Floats) -> Floats:
    span = _distance(np.arange(len(values), dtype=float)) + 1
    return span * (span - 1) / 2


def _ratio(values: Floats) -> Floats:
    if values.min() < 0:
        raise ValueError(f"ratio weights require categories of at least 0; found {values.min():g}")
    total = values[:, None] + values
    share = np.divide(_distance(values), total, out=np.zeros_like(total), where=total > 0)
    return share**2


def _bipolar(values: Floats) -> Floats:
    total = values[:, None] + values
    room = (total - 2 * values.min()) * (2 * values.max() - total)
    return np.asarray(np.divide(_distance(values) ** 2, room, out=np.zeros_like(room), where=room > 0))


NAMED_WEIGHTS: Mapping[str, Callable[[Floats], Floats]] = MappingProxyType(
    {
        "identity": lambda values: 1 - np.eye(len(values)),
        "linear": _distance,
        "quadratic": lambda values: _distance(values) ** 2,
        "ordinal": _ordinal,
        "radical": lambda values: np.sqrt(_distance(values)),
        "ratio": _ratio,
        "circular": lambda values: np.sin(np.pi * _distance(values) / (float(np.ptp(values)) + 1)) ** 2,
        "bipolar": _bipolar,
    }
)
"""Loss of every pair of categories by name; the weight is 1 - loss / largest loss."""


MISSING = -1


@dataclass(frozen=True)
class Patterns:
    """Distinct rows of labels and their counts; rows and raters without a label are excluded.

    codes (patterns, raters): position of the label in `categories`, or `MISSING`.
    count (patterns,): number of responses, or the sum of their weights.
    categories (K,), declared: the scale, and whether it was declared.
    rows, squares (patterns,): number of responses, and the sum of their squared weights, if they are weighted.
    """

    codes: NDArray[np.int64]
    count: Floats
    categories: Floats
    declared: bool
    rows: Floats | None = None
    squares: Floats | None = None

    @property
    def n(self) -> float:
        """The number of responses with a label, or the sum of their weights."""
        return float(self.count.sum())

    @property
    def responses(self) -> int:
        """Return the unweighted number of responses with a label."""
        return round(float((self.count if self.rows is None else self.rows).sum()))

    def error(self, deviation: Floats, divisor: int) -> float:
        """Return the standard error of the mean of the deviations of responses."""
        squares = self.count if self.squares is None else self.squares
        variance = float(squares @ deviation**2) * self.responses / self.n**2
        return math.sqrt(variance / divisor) if self.responses > 1 else math.nan

    @property
    def raters(self) -> int:
        """Return the number of raters with a label."""
        return int(self.codes.shape[1])

    def ratings(self) -> Floats:
        """Return (patterns,): the number of labels in each pattern."""
        return np.asarray((self.codes != MISSING).sum(axis=1), float)

    def by_category(self) -> Floats:
        """Return (patterns, K): how many raters chose each category."""
        present = self.codes != MISSING
        table = np.zeros((len(self.codes), len(self.categories)))
        rows = np.broadcast_to(np.arange(len(self.codes))[:, None], self.codes.shape)
        np.add.at(table, (rows[present], self.codes[present]), 1.0)
        return table

    def rated_more_than_once(self) -> Patterns:
        """Return the patterns with at least two labels."""
        multiple = self.ratings() > 1
        rows, squares = (None if each is None else each[multiple] for each in (self.rows, self.squares))
        return Patterns(self.codes[multiple], self.count[multiple], self.categories, self.declared, rows, squares)

    def mean(self, values: Floats) -> Floats:
        """Return the mean over responses of (patterns,) or (patterns, K) values; nan without responses."""
        total = self.count @ values
        return total / self.n if self.n else np.full_like(total, np.nan)


def patterns_of(ratings: ArrayLike, categories: ArrayLike | None, weights: ArrayLike | None = None) -> Patterns:
    """Compute the distinct patterns of (n, raters) numeric labels, NaN if missing, with (n,) weights."""
    labels = as_ratings(ratings)
    weight = as_weights(weights, len(labels))
    counted = np.ones(len(labels), np.bool_) if weight is None else weight > 0
    counted &= ~np.isnan(labels).all(axis=1)
    labels = labels[counted]
    labels = labels[:, ~np.isnan(labels).all(axis=0)]
    scale = _scale(labels, categories)
    distinct, place, rows = _distinct_rows(_codes(labels, scale), len(scale))
    if weight is None:
        return Patterns(distinct, rows, scale, categories is not None)
    count, squares = (totals(place, each, len(rows)) for each in (weight[counted], weight[counted] ** 2))
    return Patterns(distinct, count, scale, categories is not None, rows, squares)


def _scale(labels: Floats, categories: ArrayLike | None) -> Floats:
    if categories is None:
        return np.unique(labels[~np.isnan(labels)])
    scale = np.asarray(categories, float).ravel()
    if len(np.unique(scale)) < len(scale):
        raise ValueError("a category is listed twice")
    return scale


def _codes(labels: Floats, scale: Floats) -> NDArray[np.int64]:
    present = ~np.isnan(labels)
    unknown = np.setdiff1d(labels[present], scale)
    if unknown.size:
        named = ", ".join(f"{label:g}" for label in unknown[:5]) + (", ..." if unknown.size > 5 else "")
        raise ValueError(f"labels that are not among the categories: {named}")
    codes = np.full(labels.shape, MISSING, np.int64)
    order = np.argsort(scale)
    codes[present] = order[np.searchsorted(scale[order], labels[present])]
    return codes


def _distinct_rows(codes: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.intp], Floats]:
    raters = codes.shape[1]
    one_number = (size + 1) ** raters < 2**62
    keys = (codes - MISSING) @ (size + 1) ** np.arange(raters, dtype=np.int64) if one_number else codes
    axis = None if one_number else 0
    _, first, place, count = np.unique(keys, return_index=True, return_inverse=True, return_counts=True, axis=axis)
    return codes[first], place.ravel(), count.astype(float)


def cohen_kappa_of_tables(tables: Floats) -> Floats:
    """Compute the unweighted kappa of every table of counts.

    Result: shape (...), at most 1; nan if the table is empty or only one label occurs (0/0).

    Parameters
    ----------
    tables
        Counts, shape (..., K, K): rows are the first rater's labels, columns the second's.

    Examples
    --------
    80 of 100 answers agree (Yannakoudakis and Cummins 2015, table 1):

    >>> round(float(cohen_kappa_of_tables(np.array([[40, 10], [10, 40]]))), 3)
    0.6
    """
    tables = np.asarray(tables, float)
    agreement, possible, _ = _above_chance(tables)
    return ratio(agreement, possible)[()]


def cohen_kappa_gradient(tables: Floats) -> Floats:
    """Compute the derivative of kappa with respect to the count in each cell.

    Result: shape (..., K, K); nan for a table that is empty or has only one label.

    Notes
    -----
    With n responses, t on the diagonal and S = sum of row total times column total, kappa = (n t - S) / (n^2 - S). The
    derivative of S by cell (i, j) is column total i + row total j.

    Examples
    --------
    Kappa does not change if all counts grow by the same factor:

    >>> table = np.array([[40.0, 10.0], [10.0, 40.0]])
    >>> bool(abs((cohen_kappa_gradient(table) * table).sum()) < 1e-12)
    True
    """
    tables = np.asarray(tables, float)
    _, possible, n = _above_chance(tables)
    diagonal = np.trace(tables, axis1=-2, axis2=-1)[..., None, None]
    chance = tables.sum(axis=-2)[..., :, None] + tables.sum(axis=-1)[..., None, :]
    n = n[..., None, None]
    agreement_slope = diagonal + n * np.eye(tables.shape[-1]) - chance
    possible_slope = 2 * n - chance
    kappa = cohen_kappa_of_tables(tables)[..., None, None]
    return ratio(agreement_slope - kappa * possible_slope, possible[..., None, None])


def _above_chance(tables: Floats) -> tuple[Floats, Floats, Floats]:
    n = tables.sum(axis=(-2, -1))
    chance = (tables.sum(axis=-1) * tables.sum(axis=-2)).sum(axis=-1)
    possible = without_rounding(n**2 - chance, n**2, 0)
    return n * np.trace(tables, axis1=-2, axis2=-1) - chance, possible, n


@dataclass(frozen=True)
class Coefficient:
    """An agreement coefficient with its interval and its components.

    Parameters
    ----------
    value
        At most 1; nan if undefined (see `reason`).
    se
        Standard error; nan for fewer than two responses.
    low, high
        95% interval by Student's t, at most 1.
    n
        Responses with at least one label, unweighted.
    observed, expected
        Observed and chance agreement, weighted.
    categories
        The scale of the coefficient.
    categories_declared
        False if the scale consists of the observed labels; the value then depends on them.
    reason
        Why the value is undefined, or a convention that it uses; empty otherwise.
    """

    value: float
    se: float
    low: float
    high: float
    n: int
    observed: float
    expected: float
    categories: tuple[float, ...]
    categories_declared: bool
    reason: str = ""

    def __float__(self) -> float:
        """Return the value."""
        return self.value


class Chance(NamedTuple):
    """Chance agreement, and the contribution of each pattern (their mean over responses is `expected`)."""

    expected: float
    by_pattern: Floats


ChanceModel = Callable[[Patterns, Floats], Chance]

ALL_BY_CHANCE = "chance alone gives full agreement: every label is the same"


class Linearised(NamedTuple):
    """A coefficient, as in `Coefficient`, and the influence of each response.

    influence (patterns,): the change by one more response of the pattern, times the number of responses.
    reason: why there is no value; empty otherwise.
    """

    value: float
    observed: float
    expected: float
    influence: Floats
    reason: str = ""


def without_value(
    patterns: Patterns, reason: str, observed: float = math.nan, expected: float = math.nan
) -> Linearised:
    """Return a coefficient without a value, whose influences are 0."""
    return Linearised(math.nan, observed, expected, np.zeros(len(patterns.codes)), reason)


def linearised(patterns: Patterns, weights: Floats, chance: ChanceModel) -> Linearised:
    """Compute the coefficient of a model of chance agreement, and its influences."""
    reason = why_undefined(patterns)
    if reason:
        return without_value(patterns, reason)
    multiple = patterns.ratings() > 1
    share = float(patterns.mean(multiple.astype(float)))
    agreement = pairwise_agreement(patterns, weights)
    observed = float(patterns.mean(agreement)) / share
    model = chance(patterns, weights)
    room = 1 - model.expected
    if abs(room) < 1e-12:
        return without_value(patterns, ALL_BY_CHANCE, observed, 1.0)
    value = (observed - model.expected) / room
    influence = (agreement - observed * multiple) / (share * room)
    influence -= 2 * (1 - value) * (model.by_pattern - model.expected) / room
    return Linearised(value, observed, model.expected, influence)


def coefficient(patterns: Patterns, weights: Floats, chance: ChanceModel) -> Coefficient:
    """Compute the coefficient of a model of chance agreement, and its interval.

    Gwet's variance, as in the published tables, counts a response with a single label as agreement 0 among all
    responses. Without such responses it is the variance of the influences.
    """
    found = linearised(patterns, weights, chance)
    if found.reason:
        return told(patterns, found)
    multiple = patterns.ratings() > 1
    share = float(patterns.mean(multiple.astype(float)))
    classical = patterns.raters == 2 and share == 1
    divisor = patterns.responses - (not classical)
    deviation = found.influence + found.value * (multiple / share - 1)
    return told(patterns, found, patterns.error(deviation, divisor))


def pairwise_agreement(patterns: Patterns, weights: Floats) -> Floats:
    """Return (patterns,): the mean credit over the pairs of raters of a response; 0 for a single rater."""
    if patterns.raters == 2:
        both = (patterns.codes != MISSING).all(axis=1)
        return np.where(both, weights[patterns.codes[:, 0], patterns.codes[:, 1]], 0.0)
    table, ratings = patterns.by_category(), patterns.ratings()
    credit = (table * (table @ weights)).sum(axis=1) - table @ np.diag(weights)
    return np.asarray(credit / np.maximum(ratings * (ratings - 1), 1))


def why_undefined(patterns: Patterns) -> str:
    """Return why a coefficient is undefined; empty if it is defined."""
    if patterns.n == 0:
        return "no response has a label"
    if not (patterns.ratings() > 1).any():
        return "no response has two labels"
    if len(patterns.categories) < 2:
        return "only one category was seen and no scale was declared"
    return ""


def told(patterns: Patterns, found: Linearised, se: float = math.nan) -> Coefficient:
    """Return a coefficient with its interval, if it has a standard error."""
    margin = t_quantile(patterns.responses - 1, 0.95) * se
    low, high = found.value - margin, float(np.minimum(found.value + margin, 1.0))
    scale = tuple(map(float, patterns.categories))
    return Coefficient(
        found.value, se, low, high, patterns.responses, found.observed, found.expected, scale, patterns.declared,
        found.reason,
    )  # fmt: skip


# --- chance agreement --------------------------------------------------------------------------


def no_chance(patterns: Patterns, weights: Floats) -> Chance:  # noqa: ARG001 - one signature for all models
    """Return chance agreement of 0, for which the coefficient is the observed agreement."""
    return Chance(0.0, np.zeros(len(patterns.codes)))


def uniform_chance(patterns: Patterns, weights: Floats) -> Chance:
    """Return chance agreement if all categories are equally frequent (Brennan and Prediger)."""
    expected = float(weights.mean())
    return Chance(expected, np.full(len(patterns.codes), expected))


def hard_cases_chance(patterns: Patterns, weights: Floats) -> Chance:
    """Return chance agreement on responses that are hard to rate (Gwet)."""
    size = len(patterns.categories)
    shares, pooled = _shares(patterns)
    scale = weights.sum() / (size * (size - 1))
    return Chance(float(scale * pooled @ (1 - pooled)), scale * shares @ (1 - pooled))


def pooled_chance(patterns: Patterns, weights: Floats) -> Chance:
    """Return chance agreement if raters share one distribution of labels (Scott, Fleiss)."""
    shares, pooled = _shares(patterns)
    return Chance(float(pooled @ weights @ pooled), shares @ (weights @ pooled))


def own_chance(patterns: Patterns, weights: Floats) -> Chance:
    """Return chance agreement if each rater has a separate distribution of labels (Cohen, Conger)."""
    codes, raters, size = patterns.codes, patterns.raters, len(patterns.categories)
    chosen = [patterns.count @ (codes == category) for category in range(size)]
    rated = patterns.count @ (codes != MISSING)
    own = np.array(chosen) / rated  # (K, raters)
    others = own.sum(axis=1, keepdims=True) - own
    credit = weights @ others  # of a label against all other raters
    expected = (own * credit).sum(axis=0)
    by_label = np.vstack([credit, expected])[codes, np.arange(raters)]  # a gap (-1) takes the last row
    by_rater = (by_label - expected) * (patterns.n / rated) + expected
    pairs = raters * (raters - 1)
    return Chance(float(expected.sum() / pairs), by_rater.sum(axis=1) / pairs)


def _shares(patterns: Patterns) -> tuple[Floats, Floats]:
    shares = patterns.by_category() / patterns.ratings()[:, None]
    return shares, patterns.mean(shares)


def cohen_kappa(
    human: ArrayLike,
    system: ArrayLike,
    *,
    categories: ArrayLike | None = None,
    weights: Weights = "identity",
    sample_weight: ArrayLike | None = None,
) -> Coefficient:
    """Compute Cohen's kappa, unweighted or weighted, of two raters.

    ``pe = sum of w_kl p_k+ p_+l``: each rater has a separate distribution of labels.

    Result: at most 1; nan, with a reason, without a pair or if only one label occurs (0/0; scikit-learn also returns
    nan, RSMTool 1).
    Source: Cohen (1960); Cohen (1968) for weights; Fleiss, Cohen and Everitt (1969) for the standard error.

    Parameters
    ----------
    categories
        (K,): the declared scale.
    weights
        A name in `reportgen.metrics.chance_corrected.NAMED_WEIGHTS`, or a symmetric (K, K) matrix whose rows follow
        `categories`.
    sample_weight
        (n,): how often each response counts. Standard errors treat rows as independent draws, which suits weights by
        the inverse probability of selection.

    Examples
    --------
    Both raters pass 64 of 100 answers and fail 16 (Yannakoudakis and Cummins 2015, table 1; published .49):

    >>> system = [1] * 68 + [0] * 32
    >>> human = [1] * 64 + [0] * 4 + [1] * 16 + [0] * 16
    >>> round(cohen_kappa(system, human).value, 2)
    0.49
    """
    first, second, weight = as_weighted_pairs(human, system, sample_weight)
    both = np.column_stack([first, second])
    return _coefficient(both, own_chance, categories=categories, weights=weights, sample_weight=weight)


def conger_kappa(ratings: ArrayLike, **options: Unpack[RatingOptions]) -> Coefficient:
    """Compute Conger's kappa: Cohen's kappa for any number of raters.

    ``pe`` is the mean over pairs of raters of Cohen's chance agreement.

    Result: at most 1; nan, with a reason, without a response labeled twice or if all labels are the same.
    Source: Conger (1980); Gwet (2014, chapters 2 and 5) for missing ratings and the standard error.

    Examples
    --------
    Gwet's four raters and twelve subjects (published .76282, standard error .14917):

    >>> from reportgen.metrics.worked_examples import GWET_FOUR_RATERS
    >>> kappa = conger_kappa(GWET_FOUR_RATERS, categories=[1, 2, 3, 4, 5])
    >>> round(kappa.value, 5), round(kappa.se, 5)
    (0.76282, 0.14917)
    """
    return _coefficient(ratings, own_chance, **options)


def fleiss_kappa(ratings: ArrayLike, **options: Unpack[RatingOptions]) -> Coefficient:
    """Compute Fleiss's kappa of any number of raters; responses can have different raters.

    ``pe = sum of w_kl pi_k pi_l`` with pi_k the mean share of category k.

    Result: at most 1; nan, with a reason, without a response labeled twice or if all labels are the same.
    Source: Fleiss (1971); Gwet (2014, chapters 2 and 5) for missing ratings, weights, and the standard error.

    Examples
    --------
    Gwet's four raters and twelve subjects (published .76117, standard error .15302):

    >>> from reportgen.metrics.worked_examples import GWET_FOUR_RATERS
    >>> kappa = fleiss_kappa(GWET_FOUR_RATERS, categories=[1, 2, 3, 4, 5])
    >>> round(kappa.value, 5), round(kappa.se, 5)
    (0.76117, 0.15302)
    """
    return _coefficient(ratings, pooled_chance, **options)


def scott_pi(ratings: ArrayLike, **options: Unpack[RatingOptions]) -> Coefficient:
    """Compute Scott's pi: Fleiss's kappa for two raters.

    ``pe = sum of w_kl pi_k pi_l`` with pi_k the mean share of category k over both raters.

    Result: at most 1; nan, with a reason, without a response labeled twice or if all labels are the same.
    Source: Scott (1955).

    Parameters
    ----------
    ratings
        (n, 2): labels, NaN if missing; a response with one label counts in the shares.

    Examples
    --------
    Three-category abstraction of 100 charts by two abstractors (Gwet 2014; published .7962397):

    >>> from reportgen.metrics.worked_examples import ABSTRACTORS, ratings_of_table
    >>> round(scott_pi(ratings_of_table(ABSTRACTORS)).value, 7)
    0.7962397
    """
    if (columns := as_ratings(ratings).shape[1]) != 2:
        raise ValueError(f"scott_pi compares two raters; found {columns} columns (for more, use fleiss_kappa)")
    return fleiss_kappa(ratings, **options)


def brennan_prediger(ratings: ArrayLike, **options: Unpack[RatingOptions]) -> Coefficient:
    """Compute the coefficient of Brennan and Prediger: chance is equal for all categories.

    ``pe = (sum of all weights) / K^2``.

    Result: at most 1; nan, with a reason, without a response labeled twice or with a single category.
    Source: Brennan and Prediger (1981); Gwet (2014) for weights, missing ratings, and the standard error.

    K is the number of declared categories, so declare them.

    Examples
    --------
    Gwet's four raters and twelve subjects (published .77273, standard error .14472):

    >>> from reportgen.metrics.worked_examples import GWET_FOUR_RATERS
    >>> found = brennan_prediger(GWET_FOUR_RATERS, categories=[1, 2, 3, 4, 5])
    >>> round(found.value, 5), round(found.se, 5)
    (0.77273, 0.14472)
    """
    return _coefficient(ratings, uniform_chance, **options)


def gwet_ac(ratings: ArrayLike, **options: Unpack[RatingOptions]) -> Coefficient:
    """Compute Gwet's agreement coefficient: AC1 with identity weights, AC2 with others.

    ``pe = (sum of all weights) / (K (K - 1)) x sum of pi_k (1 - pi_k)``: chance acts only on responses that are hard to
    rate, so the coefficient stays meaningful if one category dominates. K is the number of declared categories, so
    declare them.

    Result: at most 1; nan, with a reason, without a response labeled twice or with a single category.
    Source: Gwet (2008); Gwet (2014).

    Examples
    --------
    Gwet's four raters and twelve subjects (published .77544, standard error .14295):

    >>> from reportgen.metrics.worked_examples import GWET_FOUR_RATERS
    >>> found = gwet_ac(GWET_FOUR_RATERS, categories=[1, 2, 3, 4, 5])
    >>> round(found.value, 5), round(found.se, 5)
    (0.77544, 0.14295)
    """
    return _coefficient(ratings, hard_cases_chance, **options)


def _coefficient(
    ratings: ArrayLike, chance: ChanceModel, *,
    categories: ArrayLike | None = None, weights: Weights = "identity", sample_weight: ArrayLike | None = None,
) -> Coefficient:  # fmt: skip
    patterns = patterns_of(ratings, categories, sample_weight)
    return coefficient(patterns, weight_matrix(weights, patterns.categories), chance)
