"""Statistics of the table of two scores, such as kappa, an entropy, or sensitivity: each is one entry.

Rows are the reference, columns what is judged.  Estimates, intervals, groups, results.json, policies and tables take
the statistics from here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.metrics.chance_corrected import cohen_kappa_gradient, cohen_kappa_of_tables
from reportgen.metrics.metric import DESCRIBED, Metric
from reportgen.metrics.pair import ratio, root
from reportgen.tally.intervals import STEP
from reportgen.tally.sums import Floats

Formula = Callable[[NDArray[Any]], Floats]
"""(..., K, K) counts give (...); complex counts give complex numbers unless the slopes are known."""

TRIED = np.array([[[9.0, 3.0, 1.0], [2.0, 8.0, 2.0], [1.0, 4.0, 7.0]]] * 2)
"""Tables that a formula is tried on."""


@dataclass(frozen=True, kw_only=True)
class TableStatistic(Metric):
    """A statistic of the counts of two scores, point by point: of the engine beside the first human, and of two raters.

    Parameters
    ----------
    formula_on_counts
        Its formula.
    slopes
        Its derivative by the count in each cell, (..., K, K); taken by a complex step where left out.
    two_categories
        Whether it exists on scales of two points only, the second of which is the higher category.
    among
        (2, 2): the cells whose responses it rests on, of two categories; None for all.
    nothing
        Why it has no value where it is undefined.
    between_raters
        Whether it is given of two raters too.
    of_each
        Whether it tells what becomes of the responses of one category, which may be too few to be shown of a group.

    Examples
    --------
    Information that two scores share, in bits; the entry point of a package names such an object.

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
        """Return the statistic of every table, nan where it is undefined."""
        return np.asarray(self.formula_on_counts(np.asarray(tables) * 1.0))  # products of integers may be too large

    def gradient(self, tables: Floats) -> Floats:
        """Return the derivative by the count of each cell, nan where undefined; 0 in cells that no table has."""
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
        """Return `among`, as an array for so many points."""
        return np.ones((size, size), bool) if self.among is None else np.array(self.among)

    @property
    def families(self) -> tuple[str, ...]:
        """Whose scores it is given of: the beginnings of its keys in results.json."""
        compared = ("degradation",) if "human_human.degradation" in self.tables else ()
        return ("system", "human", *compared) if self.between_raters else ("system",)

    def problem(self) -> str:
        """Return why it cannot be computed everywhere; empty when it can."""
        if self.two_categories and self.tables:
            return "is of two categories, so no table can have it: scales of more points lack it"
        if self.among is not None and not self.two_categories:
            return "counts cells of two categories (among), and is not of two categories"
        if np.shape(self.of(TRIED)) != (2,):
            return "does not give one number for each slice"
        moved = self.formula_on_counts(TRIED + 1j * STEP) if self.slopes is None else 0j
        return "" if np.iscomplexobj(moved) else "loses complex numbers, which its interval is computed with"


class Counts(NamedTuple):
    """The cells of tables of two by two: both lower, the engine alone higher, the rater alone higher, both higher."""

    tn: Floats
    fp: Floats
    fn: Floats
    tp: Floats


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


def _entry(key: str, formula: Callable[[Counts], Floats], nothing: str = "no responses", **more: Any) -> TableStatistic:
    def on_counts(tables: Floats) -> Floats:
        return formula(Counts(*(tables[..., row, column] for row, column in np.ndindex(2, 2))))

    more = {"between_raters": False, "of_each": True} | more
    return TableStatistic(**DESCRIBED[key], formula_on_counts=on_counts, two_categories=True, nothing=nothing, **more)


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
        between_raters=True,
    ),
    _entry(
        "negative_agreement",
        lambda t: _overlap(t.tn, t.fn + t.fp),
        "neither side gives the lower category",
        between_raters=True,
    ),
)

CATEGORY_STATISTICS: Mapping[str, TableStatistic] = {each.key: each for each in _ENTRIES}
"""Every statistic of two categories by key, in the order of tables.

TP and TN are the responses that both put in the higher and the lower category, FP those that the engine alone puts in
the higher, FN those that the rater alone puts there.
"""

KAPPA = TableStatistic(
    **DESCRIBED["kappa"], formula_on_counts=cohen_kappa_of_tables, slopes=cohen_kappa_gradient,
    nothing="kappa is 0/0",
)  # fmt: skip

OWN: Mapping[str, TableStatistic] = {"kappa": KAPPA, **CATEGORY_STATISTICS}
"""The statistics of tables that reportgen has."""
