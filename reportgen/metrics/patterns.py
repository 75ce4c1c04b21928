"""Ratings of many responses, compressed to distinct patterns with counts.

A pattern is one combination of labels (rater by rater, gaps included).  A short scale has few of
them, so what follows costs the same for a hundred responses and for a million.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.metrics._arrays import as_ratings, as_weights
from reportgen.tally.cells import totals
from reportgen.tally.sums import Floats

MISSING = -1


@dataclass(frozen=True)
class Patterns:
    """Distinct rows of labels and how often each occurs; rows and raters without a label are left out.

    Parameters
    ----------
    codes
        (patterns, raters): position of the label in `categories`, `MISSING` for none.
    count
        (patterns,): number of responses, or the sum of their weights.
    categories
        (K,): the scale.
    declared
        Whether the scale was declared, or is what labels were seen.
    rows, squares
        (patterns,): number of responses, and the sum of their squared weights, where they are weighted.
    """

    codes: NDArray[np.int64]
    count: Floats
    categories: Floats
    declared: bool
    rows: Floats | None = None
    squares: Floats | None = None

    @property
    def n(self) -> float:
        """Return the number of responses with at least one label, or the sum of their weights."""
        return float(self.count.sum())

    @property
    def responses(self) -> int:
        """Return the number of responses with at least one label, whatever their weights."""
        return round(float((self.count if self.rows is None else self.rows).sum()))

    def variance(self, deviation: Floats) -> float:
        """Return the variance of the mean of what each response of a pattern deviates by, times `responses`."""
        squares = self.count if self.squares is None else self.squares
        return float(squares @ deviation**2) * self.responses / self.n**2

    @property
    def raters(self) -> int:
        """Return the number of raters with at least one label."""
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
    """Return the distinct patterns of (n, raters) numeric labels, NaN where missing, with (n,) weights.

    Raises
    ------
    ValueError
        When `ratings` is not a matrix of numbers, when a declared category occurs twice, or when a
        label is not among the declared categories.
    """
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
    """Return the declared categories, or the labels seen, lowest first."""
    if categories is None:
        return np.unique(labels[~np.isnan(labels)])
    scale = np.asarray(categories, float).ravel()
    if len(np.unique(scale)) < len(scale):
        raise ValueError("a category is declared twice")
    return scale


def _codes(labels: Floats, scale: Floats) -> NDArray[np.int64]:
    """Return the position of every label in the scale."""
    present = ~np.isnan(labels)
    unknown = np.setdiff1d(labels[present], scale)
    if unknown.size:
        named = ", ".join(f"{label:g}" for label in unknown[:5]) + (", ..." if unknown.size > 5 else "")
        raise ValueError(f"labels not among the declared categories: {named}")
    codes = np.full(labels.shape, MISSING, np.int64)
    order = np.argsort(scale)
    codes[present] = order[np.searchsorted(scale[order], labels[present])]
    return codes


def _distinct_rows(codes: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.intp], Floats]:
    """Return the distinct rows, the place of each row among them, and their counts."""
    raters = codes.shape[1]
    one_number = (size + 1) ** raters < 2**62
    keys = (codes - MISSING) @ (size + 1) ** np.arange(raters, dtype=np.int64) if one_number else codes
    axis = None if one_number else 0
    _, first, place, count = np.unique(keys, return_index=True, return_inverse=True, return_counts=True, axis=axis)
    return codes[first], place.ravel(), count.astype(float)
