"""Ratings of many responses, compressed to distinct patterns with counts.

A pattern is one combination of labels (rater by rater, gaps included).  A short scale has few of
them, so what follows costs the same for a hundred responses and for a million.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.metrics._arrays import as_ratings
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
        (patterns,): number of responses.
    categories
        (K,): the scale.
    declared
        Whether the scale was declared, or is what labels were seen.
    """

    codes: NDArray[np.int64]
    count: Floats
    categories: Floats
    declared: bool

    @property
    def n(self) -> int:
        """Return the number of responses with at least one label."""
        return int(self.count.sum())

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
        return Patterns(self.codes[multiple], self.count[multiple], self.categories, self.declared)

    def mean(self, values: Floats) -> Floats:
        """Return the mean over responses of (patterns,) or (patterns, K) values; nan without responses."""
        total = self.count @ values
        return total / self.n if self.n else np.full_like(total, np.nan)


def patterns_of(ratings: ArrayLike, categories: ArrayLike | None) -> Patterns:
    """Return the distinct patterns of (n, raters) numeric labels, NaN where missing.

    Raises
    ------
    ValueError
        When `ratings` is not a matrix of numbers, when a declared category occurs twice, or when a
        label is not among the declared categories.
    """
    labels = as_ratings(ratings)
    present = ~np.isnan(labels)
    labels = labels[present.any(axis=1)][:, present.any(axis=0)]
    scale = _scale(labels, categories)
    distinct, count = _distinct_rows(_codes(labels, scale), len(scale))
    return Patterns(distinct, count, scale, categories is not None)


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


def _distinct_rows(codes: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], Floats]:
    """Return the distinct rows and their counts, through one number per row where that fits."""
    raters = codes.shape[1]
    if (size + 1) ** raters >= 2**62:
        distinct, count = np.unique(codes, axis=0, return_counts=True)
        return distinct, count.astype(float)
    number = (codes - MISSING) @ (size + 1) ** np.arange(raters, dtype=np.int64)
    _, first, count = np.unique(number, return_index=True, return_counts=True)
    return codes[first], count.astype(float)
