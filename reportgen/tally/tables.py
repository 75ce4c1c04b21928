"""Contingency tables, distributions and error sums, read off the cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.tally.cells import Floats, Integers, Slices, Tally, totals
from reportgen.tally.forms import ROUNDED, Form, formed_scores

MOST_POINTS = 256
"""Score points up to which scores are tabulated; beyond it they are continuous, and a table of them is empty."""


@dataclass(frozen=True)
class Contingency:
    """Counts of two rounded scores against each other, per level.

    Parameters
    ----------
    points
        (points,): the labels of both axes, sorted.
    counts
        (levels, points, points): rows the reference (first human), columns the other score.
    row_of_cell, column_of_cell
        (cells,): where each cell of the tally is counted; -1 where a score is missing.
    """

    labels: tuple[str, ...]
    points: Floats
    counts: Floats
    row_of_cell: Integers
    column_of_cell: Integers


def system_contingency(
    tally: Tally, grouping: str, form: Form = ROUNDED, points: tuple[float, ...] = ()
) -> Contingency:
    """Return first human score against the system score in `form`, both rounded half to even.

    `points` are score points that the table shows even when nobody used them.
    """
    scores = formed_scores(tally, Form(form.trimmed, rounded=True) if form.trimmed else form)
    return _contingency(tally, grouping, tally.cells.ratings[:, 0], np.rint(scores.alpha), points)


def human_contingency(
    tally: Tally, grouping: str, second_rater: int = 1, points: tuple[float, ...] = ()
) -> Contingency:
    """Return the first rater against another, on the responses that both rated."""
    return _contingency(tally, grouping, tally.cells.ratings[:, 0], tally.cells.ratings[:, second_rater], points)


def _contingency(tally: Tally, grouping: str, x: Floats, y: Floats, points: tuple[float, ...]) -> Contingency:
    both = np.isfinite(x) & np.isfinite(y)
    rows, columns = np.rint(x), np.rint(y)
    labels = np.unique(np.concatenate([rows[both], columns[both], np.asarray(points, np.float64)]))
    if len(labels) > MOST_POINTS:
        labels, both = labels[:0], np.zeros_like(both)
    row = np.where(both, np.searchsorted(labels, rows), -1)
    column = np.where(both, np.searchsorted(labels, columns), -1)
    slices = tally.slices[grouping]
    counted = both[slices.cell]
    cell, size = slices.cell[counted], len(labels)
    place = (slices.level[counted] * size + row[cell]) * size + column[cell]
    counts = totals(place, slices.sums[0][counted], len(slices.labels) * size * size)
    return Contingency(slices.labels, labels, counts.reshape(len(slices.labels), size, size), row, column)


def weighted_cell_sums(slices: Slices, influence: Floats) -> tuple[Floats, Floats]:
    """Return per level the sum over responses of an influence and of its square.

    Parameters
    ----------
    influence
        (entries,): the same for every response of an entry.
    """
    levels = len(slices.labels)
    n = slices.sums[0]
    return (
        totals(slices.level, n * influence, levels),
        totals(slices.level, n * influence**2, levels),
    )


@dataclass(frozen=True)
class ErrorSums:
    """Power sums of error = system - first human, per level and human score.

    Parameters
    ----------
    human
        (scores,): distinct first human scores, sorted; a single nan when there are more than `MOST_POINTS`.
    sums
        (5, levels, scores): n and the sums of error, error^2, error^3, error^4.
    """

    labels: tuple[str, ...]
    human: Floats
    sums: Floats


def error_sums(tally: Tally, grouping: str, form: Form) -> ErrorSums:
    """Return the error moments by level and first human score: all that the fairness models need."""
    scores = formed_scores(tally, form)
    slices = tally.slices[grouping]
    human, code = np.unique(tally.cells.ratings[:, 0], return_inverse=True)
    if len(human) > MOST_POINTS:
        human, code = np.full(1, np.nan), np.zeros_like(code)
    a = (scores.alpha - tally.cells.ratings[:, 0])[slices.cell]
    b = scores.beta[slices.cell]
    n, u1, u2, u3, u4 = slices.sums
    powers = (
        n,
        a * n + b * u1,
        a**2 * n + 2 * a * b * u1 + b**2 * u2,
        a**3 * n + 3 * a**2 * b * u1 + 3 * a * b**2 * u2 + b**3 * u3,
        a**4 * n + 4 * a**3 * b * u1 + 6 * a**2 * b**2 * u2 + 4 * a * b**3 * u3 + b**4 * u4,
    )
    shape = (len(slices.labels), len(human))
    place: Integers = slices.level * len(human) + code[slices.cell]
    sums = np.stack([totals(place, power, shape[0] * shape[1]).reshape(shape) for power in powers])
    return ErrorSums(slices.labels, human, sums)
