"""Statistics of two categories, such as fail and pass: each is one entry, algebra on a table of two by two.

Rows are the reference, columns what is judged; the second of both is the higher category.  Estimates, intervals,
groups, results.json, policies and tables take the statistics from here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.metrics.metric import DESCRIBED, Metric
from reportgen.metrics.pair import ratio, root
from reportgen.tally.intervals import STEP
from reportgen.tally.sums import Floats


class Counts(NamedTuple):
    """The cells of tables of two by two: both lower, the engine alone higher, the rater alone higher, both higher."""

    tn: Floats
    fp: Floats
    fn: Floats
    tp: Floats


Formula = Callable[[Counts], Floats]
"""One number of each table; complex counts give complex numbers."""

_EVERY = ((True, True), (True, True))


@dataclass(frozen=True, kw_only=True)
class CategoryStatistic(Metric):
    """A statistic of a table of two by two.

    Parameters
    ----------
    formula_on_counts
        Its formula.
    among
        (2, 2): the cells whose responses it rests on.
    nothing
        Why it has no value where it is undefined.
    of_raters
        Whether it is given of two raters too.
    of_each
        Whether it tells what becomes of the responses of one category, which may be too few to be shown of a group.

    Examples
    --------
    >>> CATEGORY_STATISTICS["sensitivity"].of(np.array([[54, 32], [27, 231]]))
    array(89.53488372)
    """

    formula_on_counts: Formula
    among: tuple[tuple[bool, bool], tuple[bool, bool]] = _EVERY
    nothing: str = "no responses"
    of_raters: bool = False
    of_each: bool = True

    def of(self, tables: NDArray[Any]) -> Floats:
        """Return the statistic of every table: counts (..., 2, 2) give (...), nan where it is undefined."""
        tables = np.asarray(tables) * 1.0  # products of whole numbers may be too large
        cells = (tables[..., row, column] for row, column in np.ndindex(2, 2))
        return np.asarray(self.formula_on_counts(Counts(*cells)))

    def gradient(self, tables: Floats) -> Floats:
        """Return (..., 2, 2): the derivative by the count of each cell, by a complex step; nan where undefined."""
        slopes, undefined = np.zeros(np.shape(tables)), np.isnan(self.of(tables))
        for cell in np.ndindex(2, 2):
            stepped = np.asarray(tables, np.complex128).copy()
            stepped[..., cell[0], cell[1]] += 1j * STEP
            slopes[..., cell[0], cell[1]] = np.where(undefined, np.nan, self.of(stepped).imag / STEP)
        return slopes

    @property
    def counted(self) -> NDArray[np.bool_]:
        """`among`, as an array."""
        return np.array(self.among)


def _matthews(t: Counts) -> Floats:
    product = (t.tp + t.fn) * (t.tp + t.fp) * (t.tn + t.fn) * (t.tn + t.fp)
    return ratio(t.tp * t.tn - t.fp * t.fn, root(product))


NO_HIGHER, NO_LOWER = "no human score is the higher category", "no human score is the lower category"
NO_HIGHER_CALL, NO_LOWER_CALL = "the engine never gives the higher category", "the engine never gives the lower one"
ONE_CATEGORY = "one side uses a single category"

HUMAN_HIGHER, HUMAN_LOWER = ((False, False), (True, True)), ((True, True), (False, False))
ENGINE_HIGHER, ENGINE_LOWER = ((False, True), (False, True)), ((True, False), (True, False))
"""Cells of the responses that the human, or the engine, puts in one category."""


def _share(part: Floats, rest: Floats) -> Floats:
    """Return a part as a percentage of itself and the rest."""
    return 100 * ratio(part, part + rest)


def _overlap(both: Floats, either: Floats) -> Floats:
    return ratio(2 * both, 2 * both + either)


def _entry(key: str, formula: Formula, nothing: str = "no responses", **more: Any) -> CategoryStatistic:
    return CategoryStatistic(**DESCRIBED[key], formula_on_counts=formula, nothing=nothing, **more)


_ENTRIES = (
    _entry("sensitivity", lambda t: _share(t.tp, t.fn), NO_HIGHER, among=HUMAN_HIGHER),
    _entry("specificity", lambda t: _share(t.tn, t.fp), NO_LOWER, among=HUMAN_LOWER),
    _entry(
        "balanced_accuracy",
        lambda t: (ratio(t.tp, t.tp + t.fn) + ratio(t.tn, t.tn + t.fp)) / 2,
        "all human scores lie in one category",
    ),
    _entry("f1", lambda t: _overlap(t.tp, t.fn + t.fp), "neither side gives the category"),
    _entry("positive_predictive_value", lambda t: _share(t.tp, t.fp), NO_HIGHER_CALL, among=ENGINE_HIGHER),
    _entry("negative_predictive_value", lambda t: _share(t.tn, t.fn), NO_LOWER_CALL, among=ENGINE_LOWER),
    _entry("base_rate", lambda t: _share(t.tp + t.fn, t.fp + t.tn), of_each=False),
    _entry("positive_share", lambda t: _share(t.tp + t.fp, t.fn + t.tn), of_each=False),
    _entry("matthews", _matthews, ONE_CATEGORY, of_each=False),
    _entry(
        "positive_agreement",
        lambda t: _overlap(t.tp, t.fn + t.fp),
        "neither side gives the higher category",
        of_raters=True,
    ),
    _entry(
        "negative_agreement",
        lambda t: _overlap(t.tn, t.fn + t.fp),
        "neither side gives the lower category",
        of_raters=True,
    ),
)

CATEGORY_STATISTICS: Mapping[str, CategoryStatistic] = {each.key: each for each in _ENTRIES}
"""Every statistic of two categories by key, in the order of tables.

TP and TN are the responses that both put in the higher and the lower category, FP those that the engine alone puts in
the higher, FN those that the rater alone puts there.
"""
