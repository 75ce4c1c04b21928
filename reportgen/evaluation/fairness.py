"""The three fairness analyses of Loukina, Madnani and Zechner (2019), from cell moments alone.

Ordinary least squares of the squared error (overall score accuracy, OSA), of the error (overall
score difference, OSD) and of the error given the human score (conditional score difference, CSD)
on the levels of a group, treatment-coded against the largest level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.tally.cells import Floats, Integers
from reportgen.tally.tables import ErrorSums


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


@dataclass(frozen=True)
class Analysis:
    """One fairness analysis.

    Parameters
    ----------
    key, label
        Short and long name.
    r_squared
        Adjusted share of variance explained by the group (for CSD: beyond the human score).
    p
        Of the F test that no level differs.
    fit
        Coefficients in the order of `order`: intercept (the reference level), then contrasts.
    """

    key: str
    label: str
    r_squared: float
    p: float
    fit: Fit


def analyses(sums: ErrorSums, order: list[int]) -> tuple[Analysis, ...]:
    """Return OSA, OSD and CSD for one group.

    Parameters
    ----------
    sums
        Error moments by level and human score.
    order
        Levels, the reference first.
    """
    n, e1, e2, _, e4 = sums.sums[:, order]
    accuracy = _one_way(n.sum(axis=1), e2.sum(axis=1), e4.sum())
    difference = _one_way(n.sum(axis=1), e1.sum(axis=1), e2.sum())
    return (
        Analysis("osa", "Overall score accuracy", *_explained(accuracy, _null(n, e2, e4)), accuracy),
        Analysis("osd", "Overall score difference", *_explained(difference, _null(n, e1, e2)), difference),
        _conditional(n, e1, float(e2.sum()), continuous=bool(np.isnan(sums.human).any())),
    )


def _conditional(n: Floats, e1: Floats, square: float, *, continuous: bool) -> Analysis:
    """Return CSD: what the group explains of the error beyond the human score.

    Continuous human scores have no categories to hold fixed: the analysis is undefined.
    """
    label = "Conditional score difference"
    order = np.lexsort((np.arange(n.shape[1]), -n.sum(axis=0)))  # the most frequent human score is the reference
    n, e1 = n[:, order], e1[:, order]
    level, score = np.nonzero(n)
    if continuous:
        size = len(n)
        undefined = Fit(np.full(size, np.nan), np.full(size, np.nan), 0.0, np.nan, np.nan, 0, float(n.sum()))
        return Analysis("csd", label, np.nan, np.nan, undefined)
    count, total = n[level, score], e1[level, score]
    by_score = _dummies(score, n.shape[1])
    null = _fit(by_score, count, total, square)
    design = np.column_stack([_dummies(level, len(n)), by_score[:, 1:]])
    full = _fit(design, count, total, square)
    r_squared, p = _explained(full, null)
    return Analysis("csd", label, r_squared, p, full)


def _dummies(codes: Integers, levels: int) -> Floats:
    """Return an intercept and one indicator for every level but the first."""
    design: Floats = (codes[:, None] == np.arange(levels)).astype(np.float64)
    design[:, 0] = 1.0
    return design


def _one_way(n: Floats, total: Floats, square: float) -> Fit:
    """Return the fit of one factor: every level its mean."""
    return _fit(_dummies(np.arange(len(n)), len(n)), n, total, float(square))


def _null(n: Floats, total: Floats, square: Floats) -> Fit:
    """Return the fit of the mean alone."""
    return _fit(np.ones((1, 1)), n.sum(keepdims=True)[0], total.sum(keepdims=True)[0], float(square.sum()))


def _fit(design: Floats, n: Floats, total: Floats, square: float) -> Fit:
    """Return the least squares fit of cells with n responses each.

    Parameters
    ----------
    design
        (cells, columns).
    n, total
        Responses of each cell, and the sum of the outcome over them.
    square
        Sum of the squared outcome over all responses.
    """
    weight, mean = np.sqrt(n), total / n
    inverse = np.linalg.pinv(design * weight[:, None])
    coefficients = inverse @ (mean * weight)
    rank = int(np.linalg.matrix_rank(design * weight[:, None]))
    size = float(n.sum())
    within = square - float((n * mean**2).sum())
    lack = float((n * (mean - design @ coefficients) ** 2).sum())
    residual = _clean(within + lack, square)
    freedom = size - rank
    spread = residual / freedom if freedom > 0 else np.nan
    errors = np.sqrt(spread * np.einsum("ij,ij->i", inverse, inverse))
    about_mean = _clean(square - float(total.sum()) ** 2 / size, square)
    return Fit(coefficients, errors, freedom, residual, about_mean, rank, size)


def _clean(value: float, size: float) -> float:
    """Return a sum of squares, 0 where it is only rounding."""
    return 0.0 if abs(value) <= 1e-13 * abs(size) else value


def _explained(full: Fit, null: Fit) -> tuple[float, float]:
    """Return what the full model explains beyond the null: adjusted R squared, and p of the F test."""
    from scipy.special import fdtrc

    steps = full.rank - null.rank
    gain = full.adjusted_r_squared - (null.adjusted_r_squared if null.rank > 1 else 0.0)
    if steps <= 0:
        return (0.0 if full.total > 0 and full.freedom > 0 else np.nan), np.nan
    if full.freedom <= 0 or full.residual <= 0:
        return (gain if full.freedom > 0 else np.nan), np.nan
    explained = max(_clean(null.residual - full.residual, null.residual), 0.0)
    f = (explained / steps) / (full.residual / full.freedom)
    return gain, float(fdtrc(steps, full.freedom, f))
