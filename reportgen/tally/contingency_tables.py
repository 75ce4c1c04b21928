"""Contingency tables, distributions, and error sums from cells."""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.cells import POWERS, Form, Slices, Tally, formed_scores, rounding_of, totals
from reportgen.tally.sums import Floats, Integers

MOST_POINTS = 256  # score points up to which scores are tabulated; above, they are continuous and their table is empty


class Contingency(NamedTuple):
    """Counts of two rounded scores, per level.

    points (points,): the labels of both axes, sorted.
    counts (levels, points, points): rows are the reference (first human), columns the other score.
    row_of_cell, column_of_cell (cells,): position of each cell of the tally; -1 if a score is missing.
    """

    labels: tuple[str, ...]
    points: Floats
    counts: Floats
    row_of_cell: Integers
    column_of_cell: Integers

    def grouped(self, higher: NDArray[np.bool_]) -> Contingency:
        """Return the table of two categories: points that are not in (points,) `higher`, and points that are."""
        sides, place = np.stack([~higher, higher]).astype(np.float64), np.append(higher.astype(np.intp), -1)
        counts = np.einsum("ri,lij,cj->lrc", sides, self.counts, sides)
        return Contingency(self.labels, np.arange(2.0), counts, place[self.row_of_cell], place[self.column_of_cell])

    def diffused(self, variance: Floats, *, both: bool) -> Contingency:
        """Return the table with more variance of the reference scores, or of `both`, by moves to adjacent points."""
        gaps = np.diff(np.eye(len(self.points)), axis=0) / np.diff(self.points)[:, None]
        rates, axes = np.linalg.eigh(gaps.T @ gaps)
        move = (axes * np.exp(-rates * variance[:, None] / 2)[:, None]) @ axes.T
        counts = move @ self.counts
        return self._replace(counts=counts @ move if both else counts)


def system_contingency(tally: Tally, grouping: str, form: Form, points: tuple[float, ...] = ()) -> Contingency:
    """Return first human score against the system score in `form`, rounded half to even, with all `points`."""
    scores = formed_scores(tally, Form(form.trimmed, rounded=True) if form.trimmed else form)
    return _contingency(tally, grouping, tally.cells.ratings[:, 0], scores.alpha, points)


def human_contingency(
    tally: Tally, grouping: str, raters: tuple[int, int] = (0, 1), points: tuple[float, ...] = ()
) -> Contingency:
    """Return two raters, by default the first two, on the responses that both rated; empty for one rater."""
    first, second = (
        tally.cells.ratings[:, one] if one < tally.raters else np.full(len(tally.cells), -np.inf) for one in raters
    )
    return _contingency(tally, grouping, first, second, points)


def _contingency(tally: Tally, grouping: str, x: Floats, y: Floats, points: tuple[float, ...]) -> Contingency:
    both = np.isfinite(x) & np.isfinite(y)
    rounding = rounding_of(tally.bounds)
    rows, columns = rounding.nearest(x), rounding.nearest(y)
    labels = np.unique(np.concatenate([rows[both], columns[both], np.asarray(points, np.float64)]))
    if len(labels) > MOST_POINTS:
        labels, both = labels[:0], np.zeros_like(both)
    row = np.where(both, np.searchsorted(labels, rows), -1)
    column = np.where(both, np.searchsorted(labels, columns), -1)
    slices = tally.slices[grouping]
    return Contingency(slices.labels, labels, crossed(slices, row, column, len(labels)), row, column)


def crossed(slices: Slices, row: Integers, column: Integers, size: int) -> Floats:
    """Return (levels, size, size): responses of every level by two positions of their cell, -1 for none."""
    counted = ((row >= 0) & (column >= 0))[slices.cell]
    cell, levels = slices.cell[counted], len(slices.labels)
    place = (slices.level[counted] * size + row[cell]) * size + column[cell]
    return totals(place, slices.sums[0][counted], levels * size**2).reshape(levels, size, size)


class ErrorSums(NamedTuple):
    """Power sums of error = system - first human, per level and human score.

    human (scores,): distinct first human scores, sorted; a single nan for more than `MOST_POINTS`.
    sums (5, levels, scores): n and the sums of error, error^2, error^3, error^4.
    """

    labels: tuple[str, ...]
    human: Floats
    sums: Floats


def error_sums(tally: Tally, grouping: str, form: Form) -> ErrorSums:
    """Compute the error moments by level and first human score for the fairness models."""
    scores = formed_scores(tally, form)
    slices = tally.slices[grouping]
    human, code = np.unique(tally.cells.ratings[:, 0], return_inverse=True)
    if len(human) > MOST_POINTS:
        human, code = np.full(1, np.nan), np.zeros_like(code)
    levels, a, b = len(slices.labels), scores.alpha - tally.cells.ratings[:, 0], scores.beta
    place: Integers = slices.level * len(human) + code[slices.cell]
    sums = np.zeros((POWERS, levels, len(human)))
    for degree in range(POWERS):
        shares = [comb(degree, power) * a ** (degree - power) * b**power for power in range(degree + 1)]
        error = sum(slices.sums[power] * share[slices.cell] for power, share in enumerate(shares))
        sums[degree] = totals(place, np.asarray(error), levels * len(human)).reshape(levels, -1)
    return ErrorSums(slices.labels, human, sums)
