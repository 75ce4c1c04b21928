"""The three fairness analyses of Loukina, Madnani and Zechner (2019), from cell moments alone.

Ordinary least squares of the squared error (overall score accuracy, OSA), of the error (overall
score difference, OSD) and of the error given the human score (conditional score difference, CSD)
on the levels of a group, treatment-coded against the largest level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.evaluation.regression import Fit, clean, fit_of, two_way
from reportgen.tally.cells import Floats
from reportgen.tally.tables import ErrorSums


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
    accuracy = _one_way(n.sum(axis=1), e2.sum(axis=1), float(e4.sum()))
    difference = _one_way(n.sum(axis=1), e1.sum(axis=1), float(e2.sum()))
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
    order = order[n.sum(axis=0)[order] > 0]  # only small groups, which are left out, may have been given some score
    n, e1 = n[:, order], e1[:, order]
    if continuous:
        size = len(n)
        undefined = Fit(np.full(size, np.nan), np.full(size, np.nan), 0.0, np.nan, np.nan, 0, float(n.sum()))
        return Analysis("csd", label, np.nan, np.nan, undefined)
    null = _one_way(n.sum(axis=0), e1.sum(axis=0), square)
    full = two_way(n, e1, square)
    r_squared, p = _explained(full, null)
    return Analysis("csd", label, r_squared, p, full)


def _one_way(n: Floats, total: Floats, square: float) -> Fit:
    """Return the fit of one factor: every level its mean, as the first level's mean and contrasts with it.

    Parameters
    ----------
    n, total
        (levels,): responses, and the sum of the outcome over them.
    square
        Sum of the squared outcome over all responses.
    """
    mean, inverse = total / n, 1 / n
    coefficients = np.concatenate([mean[:1], mean[1:] - mean[0]])
    spread = np.concatenate([inverse[:1], inverse[1:] + inverse[0]])
    return fit_of(coefficients, spread, square - float((n * mean**2).sum()), len(n), n, total, square)


def _null(n: Floats, total: Floats, square: Floats) -> Fit:
    """Return the fit of the mean alone."""
    return _one_way(n.sum(keepdims=True)[0], total.sum(keepdims=True)[0], float(square.sum()))


def _explained(full: Fit, null: Fit) -> tuple[float, float]:
    """Return what the full model explains beyond the null: adjusted R squared, and p of the F test."""
    from scipy.special import fdtrc

    steps = full.rank - null.rank
    gain = full.adjusted_r_squared - (null.adjusted_r_squared if null.rank > 1 else 0.0)
    if steps <= 0:
        return (0.0 if full.total > 0 and full.freedom > 0 else np.nan), np.nan
    if full.freedom <= 0 or full.residual <= 0:
        return (gain if full.freedom > 0 else np.nan), np.nan
    explained = max(clean(null.residual - full.residual, null.residual), 0.0)
    f = (explained / steps) / (full.residual / full.freedom)
    return gain, float(fdtrc(steps, full.freedom, f))
