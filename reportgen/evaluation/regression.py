"""Ordinary least squares on two factors, level of a group and human score, from the sums of their cells.

The levels are swept out first: what is left to solve has as many unknowns as there are human scores,
so ten thousand levels cost no more than their sums.
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
class Fit:
    """An ordinary least squares fit on grouped data.

    Parameters
    ----------
    coefficients, errors
        One per design column.
    freedom
        Residual degrees of freedom.
    residual, total
        Sums of squares about the fit and about the mean.
    rank, n
        Rank of the design; responses.
    """

    coefficients: Floats
    errors: Floats
    freedom: float
    residual: float
    total: float
    rank: int
    n: float

    @property
    def adjusted_r_squared(self) -> float:
        """Share of variance explained, adjusted for the number of predictors; nan when undefined."""
        if self.total <= 0 or self.freedom <= 0:
            return np.nan
        return 1 - (self.residual / self.freedom) / (self.total / (self.n - 1))


def fit_of(
    coefficients: Floats, spread: Floats, residual: float, rank: int, n: Floats, total: Floats, square: float
) -> Fit:
    """Return a fit with its standard errors.

    Parameters
    ----------
    coefficients, spread
        Estimates, and their variances in units of the residual variance.
    residual
        Residual sum of squares, before rounding is cleaned away.
    rank
        Rank of the design.
    n, total, square
        Responses and sums of the outcome by cell, in any arrangement; sum of its square over all.
    """
    size = float(n.sum())
    residual, freedom = clean(residual, square), size - rank
    variance = residual / freedom if freedom > 0 else np.nan
    about_mean = clean(square - float(total.sum()) ** 2 / size, square)
    coefficients = settled(coefficients, np.asarray(residual), np.asarray(square), np.asarray(size))
    return Fit(coefficients, np.sqrt(variance * spread), freedom, residual, about_mean, rank, size)


def two_way(n: Floats, total: Floats, square: float) -> Fit:
    """Return the fit of level and score, without interaction: contrasts with the first of each.

    Only the coefficients of the levels are returned: that of the first level (at the first score), then
    the others' contrasts with it.  Where some levels share no score with the others, directly or
    through further levels, contrasts between the parts are not determined: they are those of the
    shortest solution, as in RSMTool, and nan when there are too many levels to find it.

    Parameters
    ----------
    n, total
        (levels, scores): responses, and the sum of the outcome over them; no row or column is empty.
    square
        Sum of the squared outcome over all responses.
    """
    part = parts(n)
    rank = sum(n.shape) - (int(part.max()) + 1)
    if part.any() and sum(n.shape) <= MOST_COLUMNS:
        return _whole(n, total, square)
    size = n.sum(axis=1)
    share = n / size[:, None]
    own, by_score = total.sum(axis=1) / size, total.sum(axis=0)
    free = share[:, 1:]
    normal = np.diag(n.sum(axis=0)[1:]) - n[:, 1:].T @ free
    inverse = np.linalg.pinv(normal, rcond=1e-10, hermitian=True)
    gamma = inverse @ (by_score[1:] - n[:, 1:].T @ own)
    level = own - free @ gamma
    gap = free[1:] - free[0]
    coefficients = np.concatenate([level[:1], level[1:] - level[0]])
    spread = np.concatenate([
        1 / size[:1] + np.einsum("s,st,t->", free[0], inverse, free[0]),
        1 / size[1:] + 1 / size[0] + np.einsum("ls,st,lt->l", gap, inverse, gap),
    ])  # fmt: skip
    fitted = level[:, None] + np.concatenate([[0.0], gamma])
    residual = square - float(np.divide(total**2, n, out=np.zeros_like(n), where=n > 0).sum())
    mean = np.divide(total, n, out=np.zeros_like(n), where=n > 0)
    residual += float((n * (mean - fitted) ** 2).sum())
    apart = part != part[0]
    coefficients[apart], spread[apart] = np.nan, np.nan
    return fit_of(coefficients, spread, residual, rank, n, total, square)


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


def _whole(n: Floats, total: Floats, square: float) -> Fit:
    """Return the shortest least squares solution of the whole design."""
    level, score = np.nonzero(n)
    count, mean = n[level, score], total[level, score] / n[level, score]
    design = np.column_stack([_dummies(level, n.shape[0]), _dummies(score, n.shape[1])[:, 1:]])
    weight = np.sqrt(count)
    inverse = np.linalg.pinv(design * weight[:, None])
    coefficients = inverse @ (mean * weight)
    rank = int(np.linalg.matrix_rank(design * weight[:, None]))
    residual = square - float((count * mean**2).sum()) + float((count * (mean - design @ coefficients) ** 2).sum())
    spread = np.einsum("ij,ij->i", inverse, inverse)
    levels = slice(0, len(n))
    return fit_of(coefficients[levels], spread[levels], residual, rank, n, total, square)


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


def clean(value: float, size: float) -> float:
    """Return a sum of squares, 0 where it is only rounding or, by rounding, below 0."""
    return 0.0 if value <= ROUNDING * abs(size) else value
