"""Statistics of the table of two scores, such as kappa, entropy, or sensitivity.

Rows are the reference, columns the evaluated score. Functions take numeric labels, NaN if missing. Of two categories,
the higher number is the positive one (pass, yes, correct). `categories` declares them in ascending order, which is
required if only one of them occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.metrics._arrays import as_pairs, as_weighted_pairs
from reportgen.metrics.chance_corrected import cohen_kappa_gradient, cohen_kappa_of_tables
from reportgen.metrics.pair import DESCRIBED, Metric, ratio, root
from reportgen.tally import STEP, Floats, limits, score_interval

__all__ = [
    "CategoryValue", "LabelAgreement", "TableStatistic", "TwoCategories", "balanced_accuracy", "f1_score",
    "label_agreement", "matthews_correlation", "negative_predictive_value", "positive_predictive_value", "sensitivity",
    "specific_agreement", "specificity", "two_categories", "wilson_interval",
]  # fmt: skip

Formula = Callable[[NDArray[Any]], Floats]
"""A formula from counts (..., K, K) to (...); complex counts return complex numbers unless the slopes are known."""

TRIED = np.array([[[9.0, 3.0, 1.0], [2.0, 8.0, 2.0], [1.0, 4.0, 7.0]]] * 2)  # tables for testing a formula


@dataclass(frozen=True, kw_only=True)
class TableStatistic(Metric):
    """A statistic of the table of two scores, of engine and first human, and of two raters.

    Parameters
    ----------
    formula_on_counts
        The formula.
    slopes
        Its derivative by the count in each cell, (..., K, K); default: by a complex step.
    two_categories
        Whether it requires a scale of two points.
    among
        (2, 2): for two categories, the cells that it uses; None for all.
    nothing
        Why it can be undefined.
    between_raters
        Whether it is also computed for two raters.
    of_each
        Whether it describes the responses of one category, which can be too few to show for a group.

    Examples
    --------
    Mutual information in bits, ready for an entry point:

    >>> def shared(counts):
    ...     p = counts / counts.sum(axis=(-2, -1), keepdims=True)
    ...     alone = p.sum(axis=-1, keepdims=True) * p.sum(axis=-2, keepdims=True)
    ...     return (p * np.log2(np.where(p == 0, 1, p / np.where(alone == 0, 1, alone)))).sum(axis=(-2, -1))
    >>> information = TableStatistic(
    ...     key="information", label="Mutual information", kind="number", range=(0, np.inf), better="high",
    ...     formula="sum of p log2(p / (p of row x p of column))", source="information theory", tables=("by_group",),
    ...     formula_on_counts=shared,
    ... )
    >>> information.of(np.array([[5, 0], [0, 5]]))
    array(1.)
    """

    formula_on_counts: Formula
    slopes: Formula | None = None
    two_categories: bool = False
    among: tuple[tuple[bool, bool], tuple[bool, bool]] | None = None
    nothing: str = ""
    between_raters: bool = True
    of_each: bool = False

    def of(self, tables: NDArray[Any]) -> Floats:
        """Compute the statistic of every table, nan if undefined."""
        return np.asarray(self.formula_on_counts(np.asarray(tables) * 1.0))  # products of integers can overflow

    def gradient(self, tables: Floats) -> Floats:
        """Compute the derivative by the count of each cell, nan if undefined; 0 in cells that are 0 in all tables."""
        if self.slopes is not None:
            return np.asarray(self.slopes(tables))
        tables = np.asarray(tables) * 1.0
        slopes, undefined = np.zeros(tables.shape), np.isnan(self.of(tables))
        for cell in np.argwhere(tables.any(axis=tuple(range(tables.ndim - 2)))):
            stepped = tables.astype(np.complex128)
            stepped[..., *cell] += 1j * STEP
            slopes[..., *cell] = np.where(undefined, np.nan, self.of(stepped).imag / STEP)
        return slopes

    def counted(self, size: int = 2) -> NDArray[np.bool_]:
        """Return `among` as an array for this number of points."""
        return np.ones((size, size), bool) if self.among is None else np.array(self.among)

    @property
    def families(self) -> tuple[str, ...]:
        """The first parts of its keys in results.json, which name the scores."""
        compared = ("degradation",) if "human_human.degradation" in self.tables else ()
        return ("system", "human", *compared) if self.between_raters else ("system",)

    def problem(self) -> str:
        """Return why the statistic is invalid; empty if it is valid."""
        if self.two_categories and self.tables:
            return "is of two categories, so no table can have it: scales of more points lack it"
        if self.among is not None and not self.two_categories:
            return "counts cells of two categories (among), and is not of two categories"
        if np.shape(self.of(TRIED)) != (2,):
            return "does not give one number for each slice"
        moved = self.formula_on_counts(TRIED + 1j * STEP) if self.slopes is None else 0j
        return "" if np.iscomplexobj(moved) else "loses complex numbers, which its interval is computed with"


class Counts(NamedTuple):
    """Cells of 2 x 2 tables: both lower, only the engine higher, only the rater higher, both higher."""

    tn: Floats
    fp: Floats
    fn: Floats
    tp: Floats


def _matthews(t: Counts) -> Floats:
    product = (t.tp + t.fn) * (t.tp + t.fp) * (t.tn + t.fn) * (t.tn + t.fp)
    return ratio(t.tp * t.tn - t.fp * t.fn, root(product))


def _balanced(t: Counts) -> Floats:
    return (ratio(t.tp, t.tp + t.fn) + ratio(t.tn, t.tn + t.fp)) / 2


NO_HIGHER, NO_LOWER = "no human score is the higher category", "no human score is the lower category"
NO_HIGHER_CALL, NO_LOWER_CALL = "the engine never gives the higher category", "the engine never gives the lower one"
ONE_CATEGORY, ONE_HUMAN_CATEGORY = "one side uses a single category", "all human scores lie in one category"
NEITHER_HIGHER, NEITHER_LOWER = "neither side gives the higher category", "neither side gives the lower category"

HUMAN_HIGHER, HUMAN_LOWER = ((False, False), (True, True)), ((True, True), (False, False))
ENGINE_HIGHER, ENGINE_LOWER = ((False, True), (False, True)), ((True, False), (True, False))
"""Cells of the responses that the human, or the engine, puts in one category."""


def _share(part: Floats, rest: Floats) -> Floats:
    return 100 * ratio(part, part + rest)


def _overlap(both: Floats, either: Floats) -> Floats:
    return ratio(2 * both, 2 * both + either)


def _entry(key: str, formula: Callable[[Counts], Floats], nothing: str = "no responses", **more: Any) -> TableStatistic:
    def on_counts(tables: Floats) -> Floats:
        return formula(Counts(*(tables[..., row, column] for row, column in np.ndindex(2, 2))))

    more = {"between_raters": False, "of_each": True} | more
    return TableStatistic(**DESCRIBED[key], formula_on_counts=on_counts, two_categories=True, nothing=nothing, **more)


_ENTRIES = (
    _entry("sensitivity", lambda t: _share(t.tp, t.fn), NO_HIGHER, among=HUMAN_HIGHER),
    _entry("specificity", lambda t: _share(t.tn, t.fp), NO_LOWER, among=HUMAN_LOWER),
    _entry("balanced_accuracy", _balanced, ONE_HUMAN_CATEGORY),
    _entry("f1", lambda t: _overlap(t.tp, t.fn + t.fp), "neither side gives the category"),
    _entry("positive_predictive_value", lambda t: _share(t.tp, t.fp), NO_HIGHER_CALL, among=ENGINE_HIGHER),
    _entry("negative_predictive_value", lambda t: _share(t.tn, t.fn), NO_LOWER_CALL, among=ENGINE_LOWER),
    _entry("base_rate", lambda t: _share(t.tp + t.fn, t.fp + t.tn), of_each=False),
    _entry("positive_share", lambda t: _share(t.tp + t.fp, t.fn + t.tn), of_each=False),
    _entry("matthews", _matthews, ONE_CATEGORY, of_each=False),
    _entry("positive_agreement", lambda t: _overlap(t.tp, t.fn + t.fp), NEITHER_HIGHER, between_raters=True),
    _entry("negative_agreement", lambda t: _overlap(t.tn, t.fn + t.fp), NEITHER_LOWER, between_raters=True),
)

CATEGORY_STATISTICS: Mapping[str, TableStatistic] = {each.key: each for each in _ENTRIES}
"""Statistics of two categories by key, in the order of tables. TP and TN are the responses that both put in the higher
and the lower category; FP and FN are those that only the engine and only the rater put in the higher category."""

KAPPA = TableStatistic(
    **DESCRIBED["kappa"], formula_on_counts=cohen_kappa_of_tables, slopes=cohen_kappa_gradient, nothing="kappa is 0/0"
)


def share_of_cells(key: str, cells: Formula) -> TableStatistic:
    """Return the share of responses in some cells, such as those with an evaluated score below the reference."""

    def share(tables: Floats) -> Floats:
        return 100 * ratio(cells(tables).sum(axis=(-2, -1)), tables.sum(axis=(-2, -1)))

    def slopes(tables: Floats) -> Floats:
        n = tables.sum(axis=(-2, -1), keepdims=True)
        return ratio(100 * cells(np.ones(tables.shape)) - share(tables)[..., None, None], n)

    return TableStatistic(**DESCRIBED[key], formula_on_counts=share, slopes=slopes, nothing="no responses")


MOVED = (share_of_cells("scored_lower", partial(np.tril, k=-1)), share_of_cells("scored_higher", partial(np.triu, k=1)))

OWN: Mapping[str, TableStatistic] = {"kappa": KAPPA, **{each.key: each for each in MOVED}, **CATEGORY_STATISTICS}
"""Statistics of tables of reportgen."""


@dataclass(frozen=True)
class CategoryValue:
    """A statistic of a category with its interval.

    Parameters
    ----------
    value, low, high
        0 to 1 (Matthews correlation from -1); NaN if undefined; both ends are NaN without an interval.
    n
        Responses that it uses, such as those in the higher category of the first score for sensitivity.
    reason
        Why there is no value; empty otherwise.

    Examples
    --------
    >>> two_categories([1, 1, 0], [1, 0, 0]).sensitivity.n
    2
    """

    value: float
    low: float
    high: float
    n: int
    reason: str = ""


@dataclass(frozen=True)
class TwoCategories:
    """Statistics of a 2 x 2 table, with intervals.

    Parameters
    ----------
    table
        (2, 2): counts; rows are the first score, columns the second, the lower category first.
    sensitivity, specificity, balanced_accuracy, f1, positive_predictive_value, negative_predictive_value
        See the functions of the same names, and `f1_score` for `f1`.
    base_rate, positive_share
        Share of the higher category among the first scores, and among the second.
    matthews, positive_agreement, negative_agreement
        See `matthews_correlation` and `specific_agreement`.

    Examples
    --------
    >>> two_categories([1, 1, 0], [1, 0, 0]).table
    array([[1., 0.],
           [1., 1.]])
    """

    table: Floats
    sensitivity: CategoryValue
    specificity: CategoryValue
    balanced_accuracy: CategoryValue
    f1: CategoryValue
    positive_predictive_value: CategoryValue
    negative_predictive_value: CategoryValue
    base_rate: CategoryValue
    positive_share: CategoryValue
    matthews: CategoryValue
    positive_agreement: CategoryValue
    negative_agreement: CategoryValue


@dataclass(frozen=True)
class LabelAgreement:
    """Agreement of two scores on one of multiple labels.

    Parameters
    ----------
    label
        The label.
    recall, precision
        Of the responses with this label as first, or as second score, the share with the same other score.
    f1
        Their harmonic mean, 0 to 1.
    share, share_second
        Share of this label among the first scores, and among the second.

    Examples
    --------
    >>> [each.label for each in label_agreement([1, 2, 3], [1, 3, 3])]
    [1.0, 2.0, 3.0]
    """

    label: float
    recall: CategoryValue
    precision: CategoryValue
    f1: CategoryValue
    share: CategoryValue
    share_second: CategoryValue


def two_categories(
    human: ArrayLike, system: ArrayLike, *, categories: ArrayLike | None = None, level: float = 0.95
) -> TwoCategories:
    """Compute the statistics of two categories, such as sensitivity, with intervals.

    Shares have Wilson's interval. F1, balanced accuracy, Matthews correlation, and specific agreement have an interval
    by the infinitesimal jackknife on the logit scale (atanh for the correlation), with Student's t on n - 1.

    Result: every value with interval, n, and the reason if it is undefined.
    Source: Altman and Bland (1994a, 1994b); Wilson (1927); Brown, Cai and DasGupta (2001) for counts of one to three;
    Jaeckel (1972) for the jackknife.

    Parameters
    ----------
    categories
        (2,): the lower and the higher category; default: the two that occur.

    Examples
    --------
    Liver scans of 344 patients, 258 of them ill; 231 of these and 32 of the others have an abnormal scan (published .90
    and .63 by Altman and Bland 1994a, and .88 and .67 by 1994b):

    >>> ill, abnormal = [1] * 258 + [0] * 86, [1] * 231 + [0] * 27 + [1] * 32 + [0] * 54
    >>> found = two_categories(ill, abnormal)
    >>> [round(each.value, 2) for each in (found.sensitivity, found.specificity)]
    [0.9, 0.63]
    >>> [round(each.value, 2) for each in (found.positive_predictive_value, found.negative_predictive_value)]
    [0.88, 0.67]
    >>> found.specificity.n, round(found.specificity.low, 3), round(found.specificity.high, 3)
    (86, 0.521, 0.724)
    """
    table = _table(human, system, categories)
    return TwoCategories(table, **{key: _value(key, table, level) for key in CATEGORY_STATISTICS})


def label_agreement(
    human: ArrayLike, system: ArrayLike, *, categories: ArrayLike | None = None, level: float = 0.95
) -> tuple[LabelAgreement, ...]:
    """Compute recall, precision, F1, and shares of every label against all others.

    Result: one for each label, in ascending order; NaN, with a reason, if a label does not occur on one side.
    Source: van Rijsbergen (1979) for precision, recall and F1; Wilson (1927); Jaeckel (1972).

    Parameters
    ----------
    categories
        (K,): the labels; default: those that occur.

    Examples
    --------
    100 diagnoses of two abstractors (Gwet 2014); the first assigns the second label to 27, the second to 24, and both
    to 20:

    >>> from reportgen.metrics.worked_examples import ABSTRACTORS, ratings_of_table
    >>> found = label_agreement(*ratings_of_table(ABSTRACTORS).T)
    >>> [(round(each.recall.value, 3), round(each.precision.value, 3), round(each.f1.value, 3)) for each in found]
    [(1.0, 1.0, 1.0), (0.741, 0.833, 0.784), (0.933, 0.889, 0.911)]
    """
    first, second = as_pairs(human, system)
    known = _declared(np.concatenate([first, second]), categories)
    keys = ("sensitivity", "positive_predictive_value", "f1", "base_rate", "positive_share")
    tables = ((label, _crossed(first == label, second == label)) for label in known.tolist())
    return tuple(LabelAgreement(label, *(_value(key, table, level) for key in keys)) for label, table in tables)


def sensitivity(
    human: ArrayLike, system: ArrayLike, *, categories: ArrayLike | None = None, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the share of the higher category that the engine also puts there.

    ``TP / (TP + FN)``, also called recall or true positive rate.

    Result: 0 to 1; nan if no human score is in the higher category.
    Source: Yerushalmy (1947); Altman and Bland (1994a).

    Examples
    --------
    >>> ill, abnormal = [1] * 258 + [0] * 86, [1] * 231 + [0] * 27 + [1] * 32 + [0] * 54
    >>> round(sensitivity(ill, abnormal), 3)  # 231 of 258
    0.895
    """
    return _of("sensitivity", human, system, categories, sample_weight)


def specificity(
    human: ArrayLike, system: ArrayLike, *, categories: ArrayLike | None = None, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the share of the lower category that the engine also puts there.

    ``TN / (TN + FP)``, also called true negative rate.

    Result: 0 to 1; nan if no human score is in the lower category.
    Source: Yerushalmy (1947); Altman and Bland (1994a).

    Examples
    --------
    >>> ill, abnormal = [1] * 258 + [0] * 86, [1] * 231 + [0] * 27 + [1] * 32 + [0] * 54
    >>> round(specificity(ill, abnormal), 3)  # 54 of 86
    0.628
    """
    return _of("specificity", human, system, categories, sample_weight)


def positive_predictive_value(
    human: ArrayLike, system: ArrayLike, *, categories: ArrayLike | None = None, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the share of the engine's higher category that raters also put there.

    ``TP / (TP + FP)``, also called precision.

    Result: 0 to 1; nan if the engine never assigns the higher category.
    Source: Altman and Bland (1994b).

    Examples
    --------
    >>> ill, abnormal = [1] * 258 + [0] * 86, [1] * 231 + [0] * 27 + [1] * 32 + [0] * 54
    >>> round(positive_predictive_value(ill, abnormal), 3)  # 231 of 263
    0.878
    """
    return _of("positive_predictive_value", human, system, categories, sample_weight)


def negative_predictive_value(
    human: ArrayLike, system: ArrayLike, *, categories: ArrayLike | None = None, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the share of the engine's lower category that raters also put there.

    ``TN / (TN + FN)``.

    Result: 0 to 1; nan if the engine never assigns the lower category.
    Source: Altman and Bland (1994b).

    Examples
    --------
    >>> ill, abnormal = [1] * 258 + [0] * 86, [1] * 231 + [0] * 27 + [1] * 32 + [0] * 54
    >>> round(negative_predictive_value(ill, abnormal), 3)  # 54 of 81
    0.667
    """
    return _of("negative_predictive_value", human, system, categories, sample_weight)


def balanced_accuracy(
    human: ArrayLike, system: ArrayLike, *, categories: ArrayLike | None = None, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the mean of sensitivity and specificity, in which both categories count equally.

    Result: 0 to 1, .5 by chance; nan if all human scores are in one category.
    Source: Brodersen, Ong, Stephan and Buhmann (2010).

    Examples
    --------
    >>> ill, abnormal = [1] * 258 + [0] * 86, [1] * 231 + [0] * 27 + [1] * 32 + [0] * 54
    >>> round(balanced_accuracy(ill, abnormal), 4)  # (231/258 + 54/86) / 2
    0.7616
    """
    return _of("balanced_accuracy", human, system, categories, sample_weight)


def f1_score(
    human: ArrayLike, system: ArrayLike, *, categories: ArrayLike | None = None, sample_weight: ArrayLike | None = None
) -> float:
    """Compute F1 of the higher category: the harmonic mean of precision and sensitivity.

    ``2 TP / (2 TP + FP + FN)``, for either side as reference; it equals Dice's coefficient.

    Result: 0 to 1; nan if neither side assigns the higher category.
    Source: van Rijsbergen (1979); Dice (1945).

    Examples
    --------
    >>> ill, abnormal = [1] * 258 + [0] * 86, [1] * 231 + [0] * 27 + [1] * 32 + [0] * 54
    >>> round(f1_score(ill, abnormal), 4)  # 462 / 521
    0.8868
    """
    return _of("f1", human, system, categories, sample_weight)


def matthews_correlation(
    human: ArrayLike, system: ArrayLike, *, categories: ArrayLike | None = None, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the Matthews correlation: Pearson's correlation of two categories (phi).

    Result: -1 to 1; nan if one side uses a single category.
    Source: Matthews (1975).

    Examples
    --------
    >>> ill, abnormal = [1] * 258 + [0] * 86, [1] * 231 + [0] * 27 + [1] * 32 + [0] * 54
    >>> round(matthews_correlation(ill, abnormal), 3)
    0.534
    """
    return _of("matthews", human, system, categories, sample_weight)


def specific_agreement(
    human: ArrayLike, system: ArrayLike, *, categories: ArrayLike | None = None, sample_weight: ArrayLike | None = None
) -> tuple[float, float]:
    """Compute the agreement of two raters on the lower and on the higher category.

    ``2 TN / (2 TN + FP + FN)`` and ``2 TP / (2 TP + FP + FN)``: how often one rater assigns the category if the other
    does. Neither rater is the reference.

    Result: 0 to 1 each; nan if neither assigns the category.
    Source: Cicchetti and Feinstein (1990); Dice (1945).

    Examples
    --------
    Both raters pass 64 of 100 answers and fail 16 (Yannakoudakis and Cummins 2015, table 1):

    >>> system = [1] * 68 + [0] * 32
    >>> human = [1] * 64 + [0] * 4 + [1] * 16 + [0] * 16
    >>> [round(each, 3) for each in specific_agreement(system, human)]  # 32 / 52 and 128 / 148
    [0.615, 0.865]
    """
    table = _table(human, system, categories, sample_weight)
    lower, higher = (float(CATEGORY_STATISTICS[f"{name}_agreement"].of(table)) for name in ("negative", "positive"))
    return lower, higher


def wilson_interval(count: int, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """Compute Wilson's score interval of a share.

    ``(p + z^2/2n -+ z root of (p (1 - p)/n + z^2/4n^2)) / (1 + z^2/n)``. Reports use Student's t instead of z, and for
    counts of one to three the Poisson end of Brown, Cai and DasGupta (2001).

    Result: lower and upper end, 0 to 1; nan without responses.
    Source: Wilson (1927); Newcombe (1998), method 3.

    Examples
    --------
    81 of 263 (Newcombe 1998, table I; published .2553 and .3662):

    >>> low, high = wilson_interval(81, 263)
    >>> round(low, 4), round(high, 4)
    (0.2553, 0.3662)
    """
    from scipy.special import ndtri

    if not 0 <= count <= n:
        raise ValueError(f"count must be between 0 and n; found {count} of {n}")
    if n == 0:
        return float("nan"), float("nan")
    low, high = score_interval(np.array([count / n]), np.array([float(n)]), np.array([ndtri((1 + level) / 2)]))
    return max(float(low[0]), 0.0), min(float(high[0]), 1.0)


def _of(
    key: str, human: ArrayLike, system: ArrayLike, categories: ArrayLike | None, weights: ArrayLike | None
) -> float:
    return float(CATEGORY_STATISTICS[key].of(_table(human, system, categories, weights))) / _unit(key)


def _unit(key: str) -> float:
    return 100.0 if CATEGORY_STATISTICS[key].kind == "percent" else 1.0


def _table(
    human: ArrayLike, system: ArrayLike, categories: ArrayLike | None, weights: ArrayLike | None = None
) -> Floats:
    """Return the counts of two categories, the lower one first."""
    first, second, weight = as_weighted_pairs(human, system, weights)
    known = _declared(np.concatenate([first, second]), categories)
    if len(known) != 2:
        few = f", found {len(known)}; name both, such as categories=(0, 1)"
        raise ValueError("expected two categories" + (few if len(known) < 2 else f"; found {len(known)}"))
    return _crossed(first == known[1], second == known[1], weight)


def _declared(seen: Floats, categories: ArrayLike | None) -> Floats:
    """Return the categories in ascending order, by default those that occur."""
    found = np.unique(seen)
    if categories is None:
        return found
    known = np.unique(np.asarray(categories, np.float64))
    other = found[~np.isin(found, known)]
    if other.size:
        raise ValueError(f"{other[0]:g} is not one of the categories")
    return known


def _crossed(first: np.ndarray, second: np.ndarray, weight: Floats | None = None) -> Floats:
    return np.asarray(np.bincount(2 * first + second, weight, 4).reshape(2, 2).astype(np.float64))


def _value(key: str, table: Floats, level: float) -> CategoryValue:
    statistic = CATEGORY_STATISTICS[key]
    n = float(table[statistic.counted()].sum())
    value, gradient = statistic.of(table), statistic.gradient(table)
    if np.isnan(value):
        return CategoryValue(float("nan"), float("nan"), float("nan"), int(n), statistic.nothing)
    with np.errstate(all="ignore"):
        error = np.sqrt((table * gradient**2).sum() * n / (n - 1)) if n > 1 else np.nan
        low, high = limits(np.array([value]), np.array([error]), np.array([n - 1]), statistic.transform, level,
                           np.array([n]))  # fmt: skip
    if not np.isfinite(low + high):  # a value at the end of its range has no symmetric scale
        low = high = np.array([np.nan])
    unit = _unit(key)
    return CategoryValue(float(value) / unit, float(low[0]) / unit, float(high[0]) / unit, int(n))
