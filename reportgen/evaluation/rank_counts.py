"""How often each human score meets each engine score, in bounded memory: what rank correlations are computed from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from reportgen.tally.cells import Floats, Integers, placed

MOST_CELLS = 1 << 20
"""Cells of the table of human by engine scores; more distinct scores than fit are grouped."""

MOST_REFERENCE = 1 << 10
"""Distinct scores of the reference rater that are told apart."""


class RankTable(NamedTuple):
    """A table of reference (rows) by judged scores (columns), both ascending.

    Parameters
    ----------
    counts
        (rows, columns): responses.
    width
        Of the groups that judged scores are taken in; 0 when each distinct score is its own.
    """

    counts: Floats
    width: float


class RankCounter:
    """Counts pairs of scores batch by batch, exactly while distinct scores are few, and in groups in any case.

    The groups are of equal width between two ends; their number is the largest power of two that fits, so that
    groups become coarser by joining neighbours when a further reference score turns up.

    Parameters
    ----------
    ends
        Between which judged scores lie.

    Examples
    --------
    >>> counter = RankCounter((0.0, 4.0))
    >>> counter.add(np.array([1.0, 2.0, 2.0]), np.array([1.5, 2.5, 2.5]))
    >>> counter.table().counts.tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """

    def __init__(self, ends: tuple[float, float]) -> None:
        self._ends = ends
        self._reference: Floats = np.empty(0)
        self._judged: Floats | None = np.empty(0)
        self._exact = np.zeros((0, 0))
        self._grouped = np.zeros((0, MOST_CELLS))

    @property
    def too_many(self) -> bool:
        """Whether more reference scores occur than are told apart."""
        return len(self._reference) > MOST_REFERENCE

    def add(self, reference: Floats, judged: Floats) -> None:
        """Count some responses, scores of shape (n,) each.

        Once there are too many reference scores, nothing more is counted.
        """
        row, new = placed(reference, self._reference)
        if new.any():
            self._learn(np.unique(reference[new]))
            if self.too_many:
                return
            row = placed(reference, self._reference)[0]
        _count(self._grouped, row, self._column(judged))
        if self._judged is not None:
            place, new = placed(judged, self._judged)
            if new.any() and self._learn_judged(np.unique(judged[new])):
                place = placed(judged, self._judged)[0]
        if self._judged is not None:
            _count(self._exact, row, place)

    def merge(self, others: Iterable[RankCounter]) -> None:
        """Count what others, of the same ends, have counted."""
        for other in others:
            self._learn(np.setdiff1d(other._reference, self._reference))
            if self.too_many:
                return
            rows = np.searchsorted(self._reference, other._reference)
            grouped = other._grouped
            while grouped.shape[1] > self._grouped.shape[1]:
                grouped = _coarser(grouped)
            self._grouped[rows] += grouped
            if other._judged is None:
                self._judged = None
            elif self._judged is not None and self._learn_judged(np.setdiff1d(other._judged, self._judged)):
                self._exact[np.ix_(rows, np.searchsorted(self._judged, other._judged))] += other._exact

    def table(self) -> RankTable:
        """Return the table of every distinct judged score, or of groups of them where these are too many."""
        if self._judged is not None:
            return RankTable(self._exact, 0.0)
        used = np.flatnonzero(self._grouped.any(axis=0))
        return RankTable(self._grouped[:, used], (self._ends[1] - self._ends[0]) / self._grouped.shape[1])

    def place(self, reference: Floats, judged: Floats) -> Integers:
        """Return (n,): where in the table, row by row, responses that were counted are."""
        row = np.searchsorted(self._reference, reference)
        if self._judged is not None:
            return np.asarray(row * len(self._judged) + np.searchsorted(self._judged, judged))
        used = np.flatnonzero(self._grouped.any(axis=0))
        return np.asarray(row * len(used) + np.searchsorted(used, self._column(judged)))

    def _column(self, judged: Floats) -> Integers:
        """Return the group of judged scores."""
        (low, high), size = self._ends, self._grouped.shape[1]
        share = (judged - low) / (high - low) if high > low else np.zeros(len(judged))
        return np.clip((share * size).astype(np.intp), 0, size - 1)

    def _learn(self, new: Floats) -> None:
        """Make room for new reference scores, each given once."""
        if not new.size:
            return
        known, self._reference = self._reference, np.union1d(self._reference, new)
        if self.too_many:
            return
        rows = np.searchsorted(self._reference, known)
        while self._grouped.shape[1] * len(self._reference) > MOST_CELLS:
            self._grouped = _coarser(self._grouped)
        self._grouped = _spread(self._grouped, rows, len(self._reference))
        if self._judged is not None and self._fits(len(self._judged)):
            self._exact = _spread(self._exact, rows, len(self._reference))

    def _learn_judged(self, new: Floats) -> bool:
        """Make room for new judged scores, each given once; return whether all are few enough to be told apart."""
        known = self._judged if self._judged is not None else np.empty(0)
        if self._fits(len(known) + len(new)) and new.size:
            self._judged = np.union1d(known, new)
            self._exact = _spread(self._exact.T, np.searchsorted(self._judged, known), len(self._judged)).T.copy()
        return self._judged is not None

    def _fits(self, columns: int) -> bool:
        """Return whether so many judged scores fit into the table; lets go of them when not."""
        if columns > MOST_CELLS // max(len(self._reference), 1):
            self._judged, self._exact = None, np.zeros((0, 0))
        return self._judged is not None


def _count(table: Floats, row: Integers, column: Integers) -> None:
    """Count responses in a table; one by one where it has more places than there are responses."""
    place = row * table.shape[1] + column
    if len(place) < table.size:
        np.add.at(table.reshape(-1), place, 1.0)
    else:
        table += np.bincount(place, minlength=table.size).reshape(table.shape)


def _spread(counts: Floats, rows: Integers, size: int) -> Floats:
    """Return counts with their rows moved to new places among `size` of them."""
    wide = np.zeros((size, counts.shape[1]))
    wide[rows] = counts
    return wide


def _coarser(grouped: Floats) -> Floats:
    """Return counts with every two neighbouring groups joined."""
    return np.asarray(grouped.reshape(len(grouped), grouped.shape[1] // 2, 2).sum(axis=2))
