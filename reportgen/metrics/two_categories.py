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

from reportgen.metrics.metric import DESCRIPTIVE, Metric
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

_ENTRIES = (
    CategoryStatistic(
        key="sensitivity", kind="percent", range=(0, 100),
        better="high", formula="100 x TP / (TP + FN)", source="Yerushalmy 1947; Altman and Bland 1994a",
        transform="wilson",
        formula_on_counts=lambda t: 100 * ratio(t.tp, t.tp + t.fn), among=((False, False), (True, True)),
        nothing=NO_HIGHER,
    ),
    CategoryStatistic(
        key="specificity", kind="percent", range=(0, 100),
        better="high", formula="100 x TN / (TN + FP)", source="Yerushalmy 1947; Altman and Bland 1994a",
        transform="wilson",
        formula_on_counts=lambda t: 100 * ratio(t.tn, t.tn + t.fp), among=((True, True), (False, False)),
        nothing=NO_LOWER,
    ),
    CategoryStatistic(
        key="balanced_accuracy", kind="coefficient",
        range=(0, 1), better="high", formula="(sensitivity + specificity) / 200",
        source="Brodersen, Ong, Stephan and Buhmann 2010", transform="logit",
        formula_on_counts=lambda t: (ratio(t.tp, t.tp + t.fn) + ratio(t.tn, t.tn + t.fp)) / 2,
        nothing="all human scores lie in one category",
    ),
    CategoryStatistic(
        key="f1", kind="coefficient", range=(0, 1), better="high",
        formula="2 TP / (2 TP + FP + FN)", source="van Rijsbergen 1979; Dice 1945", transform="logit",
        formula_on_counts=lambda t: ratio(2 * t.tp, 2 * t.tp + t.fn + t.fp),
        nothing="neither side gives the category",
    ),
    CategoryStatistic(
        key="positive_predictive_value", kind="percent", range=(0, 100), better="high", formula="100 x TP / (TP + FP)",
        source="Altman and Bland 1994b", transform="wilson",
        formula_on_counts=lambda t: 100 * ratio(t.tp, t.tp + t.fp), among=((False, True), (False, True)),
        nothing=NO_HIGHER_CALL,
    ),
    CategoryStatistic(
        key="negative_predictive_value", kind="percent", range=(0, 100), better="high", formula="100 x TN / (TN + FN)",
        source="Altman and Bland 1994b", transform="wilson",
        formula_on_counts=lambda t: 100 * ratio(t.tn, t.tn + t.fn), among=((True, False), (True, False)),
        nothing=NO_LOWER_CALL,
    ),
    CategoryStatistic(
        key="base_rate", kind="percent", range=(0, 100), better="",
        formula="100 x (TP + FN) / n", source=DESCRIPTIVE, transform="wilson",
        of_each=False, formula_on_counts=lambda t: 100 * ratio(t.tp + t.fn, t.tp + t.fn + t.fp + t.tn),
    ),
    CategoryStatistic(
        key="positive_share", kind="percent", range=(0, 100), better="", formula="100 x (TP + FP) / n",
        source=DESCRIPTIVE, transform="wilson", of_each=False,
        formula_on_counts=lambda t: 100 * ratio(t.tp + t.fp, t.tp + t.fn + t.fp + t.tn),
    ),
    CategoryStatistic(
        key="matthews", kind="coefficient", range=(-1, 1),
        better="high", formula="(TP x TN - FP x FN) / root of (TP + FN)(TP + FP)(TN + FN)(TN + FP)",
        source="Matthews 1975", transform="fisher",
        of_each=False, formula_on_counts=_matthews, nothing=ONE_CATEGORY,
    ),
    CategoryStatistic(
        key="positive_agreement", kind="coefficient", range=(0, 1), better="high", formula="2 TP / (2 TP + FP + FN)",
        source="Dice 1945; Cicchetti and Feinstein 1990", transform="logit",
        formula_on_counts=lambda t: ratio(2 * t.tp, 2 * t.tp + t.fn + t.fp),
        nothing="neither side gives the higher category", of_raters=True,
    ),
    CategoryStatistic(
        key="negative_agreement", kind="coefficient", range=(0, 1), better="high", formula="2 TN / (2 TN + FP + FN)",
        source="Dice 1945; Cicchetti and Feinstein 1990", transform="logit",
        formula_on_counts=lambda t: ratio(2 * t.tn, 2 * t.tn + t.fn + t.fp),
        nothing="neither side gives the lower category", of_raters=True,
    ),
)  # fmt: skip

CATEGORY_STATISTICS: Mapping[str, CategoryStatistic] = {each.key: each for each in _ENTRIES}
"""Every statistic of two categories by key, in the order of tables.

TP and TN are the responses that both put in the higher and the lower category, FP those that the engine alone puts in
the higher, FN those that the rater alone puts there.
"""
