"""Ordinary least squares on two factors, level of a group and human score, from the sums of their cells.

The levels are swept out first: what is left to solve has as many unknowns as there are human scores,
so ten thousand levels cost no more than their sums.  Items of as many levels and scores are fitted at once, as a
stack; a single report is a stack of one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.tally.cells import Floats, Integers

ROUNDING = 1e-13
"""A sum of squares of this share of what it is taken from is nothing but rounding."""

MOST_COLUMNS = 600
"""Columns of a design that is solved whole where a group shares no human score with the others."""


@dataclass(frozen=True)
class Fits:
    """Ordinary least squares fits on grouped data, one for each item of a stack.

    Parameters
    ----------
    coefficients, errors
        (items, levels): of the first level, and of the others' contrasts with it.
    freedom
        (items,): residual degrees of freedom.
    residual, total
        (items,): sums of squares about the fit and about the mean.
    rank, n
        (items,): rank of the design; responses.
    """

    coefficients: Floats
    errors: Floats
    freedom: Floats
    residual: Floats
    total: Floats
    rank: Integers
    n: Floats

    @property
    def adjusted_r_squared(self) -> Floats:
        """Share of variance explained, adjusted for the number of predictors; nan when undefined."""
        share = 1 - (self.residual / self.freedom) / (self.total / (self.n - 1))
        return np.where((self.total <= 0) | (self.freedom <= 0), np.nan, share)

    def explained_beyond(self, null: Fits) -> tuple[Floats, Floats]:
        """Return what these fits explain beyond those of a smaller model: adjusted R squared, and p of the F test."""
        from scipy.special import fdtrc

        steps = self.rank - null.rank
        gain = self.adjusted_r_squared - np.where(null.rank > 1, null.adjusted_r_squared, 0.0)
        nothing = np.where((self.total > 0) & (self.freedom > 0), 0.0, np.nan)
        free = np.where(self.freedom > 0, gain, np.nan)
        explained = np.maximum(_clean(null.residual - self.residual, null.residual), 0.0)
        f = (explained / np.maximum(steps, 1)) / (self.residual / self.freedom)
        tested = (steps > 0) & (self.freedom > 0) & (self.residual > 0)
        p = np.where(tested, fdtrc(np.maximum(steps, 1), np.maximum(self.freedom, 1), f), np.nan)
        return np.where(steps > 0, free, nothing), p


def one_way(n: Floats, total: Floats, square: Floats) -> Fits:
    """Return the fits of one factor: every level its mean, as the first level's mean and contrasts with it.

    Parameters
    ----------
    n, total
        (items, levels): responses, and the sum of the outcome over them.
    square
        (items,): sum of the squared outcome over all responses.
    """
    mean, inverse = total / n, 1 / n
    coefficients = np.concatenate([mean[:, :1], mean[:, 1:] - mean[:, :1]], axis=1)
    spread = np.concatenate([inverse[:, :1], inverse[:, 1:] + inverse[:, :1]], axis=1)
    rank = np.full(len(n), n.shape[1])
    return _fits(coefficients, spread, square - (n * mean**2).sum(1), rank, n.sum(1), total.sum(1), square)


def two_way(n: Floats, total: Floats, square: Floats) -> Fits:
    """Return the fits of level and score, without interaction: contrasts with the first of each.

    Only the coefficients of the levels are returned: that of the first level (at the first score), then
    the others' contrasts with it.  Where some levels share no score with the others, directly or
    through further levels, contrasts between the parts are not determined: they are those of the
    shortest solution, as in RSMTool, and nan when there are too many levels to find it.

    Parameters
    ----------
    n, total
        (items, levels, scores): responses, and the sum of the outcome over them; no row or column is empty.
    square
        (items,): sum of the squared outcome over all responses.
    """
    n, total = (np.ascontiguousarray(each.transpose(0, 2, 1)).transpose(0, 2, 1) for each in (n, total))
    coefficients, spread, residual = _swept(n, total, square)
    rank = np.full(len(n), n.shape[1] + n.shape[2] - 1)
    for item in np.flatnonzero((n == 0).any((1, 2))).tolist():
        part = parts(n[item])
        if not part.any():
            continue
        if n.shape[1] + n.shape[2] <= MOST_COLUMNS:
            found = _whole(n[item], total[item], square[item])
            coefficients[item], spread[item], residual[item], rank[item] = found
        else:
            coefficients[item, part != part[0]] = spread[item, part != part[0]] = np.nan
            rank[item] -= part.max()
    return _fits(coefficients, spread, residual, rank, n.sum((1, 2)), total.sum((1, 2)), square)


def _swept(n: Floats, total: Floats, square: Floats) -> tuple[Floats, Floats, Floats]:
    """Return coefficients, their variances in units of the residual's, and the residual sums of squares."""
    size = n.sum(2)
    own = total.sum(2) / size
    free = (n / size[:, :, None])[:, :, 1:]
    rest = n[:, :, 1:].transpose(0, 2, 1)
    normal = 0.0 - rest @ free
    diagonal = np.arange(normal.shape[1])
    normal[:, diagonal, diagonal] += n.sum(1)[:, 1:]
    inverse = np.linalg.pinv(normal, rcond=1e-10, hermitian=True)
    gamma = (inverse @ (total.sum(1)[:, 1:] - (rest @ own[:, :, None])[:, :, 0])[:, :, None])[:, :, 0]
    level = own - (free @ gamma[:, :, None])[:, :, 0]
    coefficients = np.concatenate([level[:, :1], level[:, 1:] - level[:, :1]], axis=1)
    apart = 1 / size
    apart[:, 1:] += 1 / size[:, :1]
    first, gap = free[:, :1], free[:, 1:] - free[:, :1]
    spread = apart + np.concatenate(
        [np.einsum("ils,ist,ilt->il", each, inverse, each) for each in (first, gap)], axis=1
    )
    fitted = level[:, :, None] + np.concatenate([np.zeros((len(n), 1)), gamma], axis=1)[:, None, :]
    mean = np.divide(total, n, out=np.zeros_like(n), where=n > 0)
    residual = square - np.divide(total**2, n, out=np.zeros_like(n), where=n > 0).sum((1, 2))
    return coefficients, spread, residual + (n * (mean - fitted) ** 2).sum((1, 2))


def _fits(
    coefficients: Floats, spread: Floats, residual: Floats, rank: Integers, n: Floats, total: Floats, square: Floats
) -> Fits:
    """Return fits with their standard errors.

    Parameters
    ----------
    coefficients, spread
        Estimates, and their variances in units of the residual variance.
    residual
        Residual sums of squares, before rounding is cleaned away.
    rank, n, total, square
        (items,): rank of the design, responses, and sums of the outcome and of its square over them.
    """
    residual, freedom = _clean(residual, square), n - rank
    variance = np.where(freedom > 0, residual / freedom, np.nan)
    errors = np.sqrt(variance[:, None] * spread)
    coefficients = settled(coefficients, residual, square, n)
    return Fits(coefficients, errors, freedom, residual, _clean(square - total**2 / n, square), rank, n)


def parts(n: Floats) -> Integers:
    """Return which levels can be compared at equal scores: the number of each level's connected part.

    Examples
    --------
    >>> parts(np.array([[3.0, 1, 0], [0, 2, 0], [0, 0, 5]])).tolist()
    [0, 0, 1]
    """
    part = np.full(len(n), -1, np.intp)
    occupied = n > 0
    number = 0
    while (part < 0).any():
        inside = np.asarray(np.arange(len(n)) == np.argmax(part < 0))
        while True:
            scores = occupied[inside].any(axis=0)
            more = np.asarray(occupied[:, scores].any(axis=1))
            if np.array_equal(more, inside):
                break
            inside = more
        part[inside] = number
        number += 1
    return part


def _whole(n: Floats, total: Floats, square: float) -> tuple[Floats, Floats, float, int]:
    """Return the shortest least squares solution of one item's whole design: as `_swept`, and the rank."""
    level, score = np.nonzero(n)
    count, mean = n[level, score], total[level, score] / n[level, score]
    design = np.column_stack([_dummies(level, n.shape[0]), _dummies(score, n.shape[1])[:, 1:]])
    weight = np.sqrt(count)
    inverse = np.linalg.pinv(design * weight[:, None])
    coefficients = inverse @ (mean * weight)
    rank = int(np.linalg.matrix_rank(design * weight[:, None]))
    residual = square - float((count * mean**2).sum()) + float((count * (mean - design @ coefficients) ** 2).sum())
    spread = np.einsum("ij,ij->i", inverse, inverse)
    return coefficients[: len(n)], spread[: len(n)], residual, rank


def _dummies(codes: Integers, levels: int) -> Floats:
    """Return an intercept and one indicator for every level but the first."""
    design: Floats = (codes[:, None] == np.arange(levels)).astype(np.float64)
    design[:, 0] = 1.0
    return design


def settled(coefficients: Floats, residual: Floats, square: Floats, n: Floats) -> Floats:
    """Return coefficients, 0 where they are but rounding in a fit that leaves nothing: over an error of 0 it is sure.

    Parameters
    ----------
    coefficients
        (..., levels) of one fit or of many.
    residual, square, n
        (...,): residual sum of squares without rounding, sum of the squared outcome, responses.

    Examples
    --------
    >>> settled(np.array([1.0, 1e-15]), np.array(0.0), np.array(90.0), np.array(9.0)).tolist()
    [1.0, 0.0]
    """
    rounding = coefficients**2 * n[..., None] <= ROUNDING * np.abs(square)[..., None]
    return np.where(rounding & (residual <= 0)[..., None], 0.0, coefficients)


def _clean(value: Floats, size: Floats) -> Floats:
    """Return sums of squares, 0 where they are only rounding or, by rounding, below 0."""
    return np.where(value <= ROUNDING * np.abs(size), 0.0, value)
