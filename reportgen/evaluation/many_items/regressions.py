"""The three fairness regressions of many items at once: what `reportgen.evaluation.fairness.analyses` says of each.

Items of as many levels and as many human scores are stacked, so that nothing is filled up with zeros.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.fairness import analyses
from reportgen.evaluation.regression import ROUNDING, parts, settled
from reportgen.tally.cells import Floats
from reportgen.tally.tables import ErrorSums


@dataclass(frozen=True)
class Fits:
    """One analysis of a stack of items.

    Parameters
    ----------
    coefficients, errors
        (items, levels): the first level's own value, then contrasts with it, and their standard errors.
    freedom, r_squared, p
        (items,): residual degrees of freedom, adjusted share of variance that the group adds, and p of the F test.
    """

    coefficients: Floats
    errors: Floats
    freedom: Floats
    r_squared: Floats
    p: Floats


@dataclass(frozen=True)
class _Model:
    """A least squares fit of each item: what `reportgen.evaluation.regression.Fit` is to one."""

    coefficients: Floats
    errors: Floats
    freedom: Floats
    residual: Floats
    total: Floats
    rank: Floats
    n: Floats

    @property
    def adjusted(self) -> Floats:
        """Share of variance explained, adjusted; nan when undefined."""
        share = 1 - (self.residual / self.freedom) / (self.total / (self.n - 1))
        return np.where((self.total <= 0) | (self.freedom <= 0), np.nan, share)


def stacked_analyses(sums: Floats, human: Floats) -> tuple[Fits, Fits, Fits]:
    """Return OSA, OSD and CSD of every item of a stack.

    Parameters
    ----------
    sums
        (5, items, levels, scores): n and the sums of the first four powers of the error, the reference level first;
        every level and every score has responses.
    human
        (items, scores): the human scores; nan where they are no categories.
    """
    n, e1, e2, _, e4 = sums
    with np.errstate(all="ignore"):
        accuracy, null_accuracy = _one_way(n.sum(2), e2.sum(2), e4.sum((1, 2))), _null(n, e2, e4)
        difference, null_difference = _one_way(n.sum(2), e1.sum(2), e2.sum((1, 2))), _null(n, e1, e2)
        osa, osd = _explained(accuracy, null_accuracy), _explained(difference, null_difference)
        order = np.argsort(-n.sum(1), axis=1, kind="stable")  # the most frequent human score is the reference
        by_score, total = (np.take_along_axis(each, order[:, None, :], axis=2) for each in (n, e1))
        square = e2.sum((1, 2))
        full = _two_way(by_score, total, square)
        csd = _explained(full, _one_way(by_score.sum(1), total.sum(1), square))
    for item in np.flatnonzero(_apart(n) | np.isnan(human).any(1)).tolist():
        found = analyses(ErrorSums(("",) * n.shape[1], human[item], sums[:, item]), list(range(n.shape[1])))[2]
        levels = n.shape[1]
        csd.coefficients[item], csd.errors[item] = found.fit.coefficients[:levels], found.fit.errors[:levels]
        csd.freedom[item], csd.r_squared[item], csd.p[item] = found.fit.freedom, found.r_squared, found.p
    return osa, osd, csd


def _apart(n: Floats) -> NDArray[np.bool_]:
    """Return for which items some levels share no human score with the others, directly or through further levels."""
    apart: NDArray[np.bool_] = np.zeros(len(n), np.bool_)
    for item in np.flatnonzero((n == 0).any((1, 2))).tolist():
        apart[item] = parts(n[item]).any()
    return apart


def _one_way(n: Floats, total: Floats, square: Floats) -> _Model:
    """Return the fits of one factor; n and total are (items, levels), square (items,)."""
    mean, inverse = total / n, 1 / n
    coefficients = np.concatenate([mean[:, :1], mean[:, 1:] - mean[:, :1]], axis=1)
    spread = np.concatenate([inverse[:, :1], inverse[:, 1:] + inverse[:, :1]], axis=1)
    rank = np.full(len(n), n.shape[1])
    return _model(coefficients, spread, square - (n * mean**2).sum(1), rank, n.sum(1), total.sum(1), square)


def _null(n: Floats, total: Floats, square: Floats) -> _Model:
    """Return the fits of the mean alone."""
    return _one_way(n.sum((1, 2))[:, None], total.sum((1, 2))[:, None], square.sum((1, 2)))


def _two_way(n: Floats, total: Floats, square: Floats) -> _Model:
    """Return the fits of level and score, without interaction (see `reportgen.evaluation.regression.two_way`)."""
    size = n.sum(2)
    own = total.sum(2) / size
    free = (n / size[:, :, None])[:, :, 1:]
    rest = n[:, :, 1:].transpose(0, 2, 1)
    normal = -(rest @ free)
    diagonal = np.arange(normal.shape[1])
    normal[:, diagonal, diagonal] += n.sum(1)[:, 1:]
    inverse = np.linalg.pinv(normal, rcond=1e-10, hermitian=True)
    gamma = (inverse @ (total.sum(1)[:, 1:] - (rest @ own[:, :, None])[:, :, 0])[:, :, None])[:, :, 0]
    level = own - (free @ gamma[:, :, None])[:, :, 0]
    coefficients = np.concatenate([level[:, :1], level[:, 1:] - level[:, :1]], axis=1)
    aside = np.concatenate([free[:, :1], free[:, 1:] - free[:, :1]], axis=1)
    spread = ((aside @ inverse) * aside).sum(2) + 1 / size
    spread[:, 1:] += 1 / size[:, :1]
    fitted = level[:, :, None] + np.concatenate([np.zeros((len(n), 1)), gamma], axis=1)[:, None, :]
    mean = np.divide(total, n, out=np.zeros_like(n), where=n > 0)
    residual = square - np.divide(total**2, n, out=np.zeros_like(n), where=n > 0).sum((1, 2))
    residual = residual + (n * (mean - fitted) ** 2).sum((1, 2))
    rank = np.full(len(n), n.shape[1] + n.shape[2] - 1)
    return _model(coefficients, spread, residual, rank, n.sum((1, 2)), total.sum((1, 2)), square)


def _model(
    coefficients: Floats, spread: Floats, residual: Floats, rank: Floats, n: Floats, total: Floats, square: Floats
) -> _Model:
    """Return fits with their standard errors."""
    residual, freedom = _clean(residual, square), n - rank
    variance = np.where(freedom > 0, residual / freedom, np.nan)
    errors = np.sqrt(variance[:, None] * spread)
    coefficients = settled(coefficients, residual, square, n)
    return _Model(coefficients, errors, freedom, residual, _clean(square - total**2 / n, square), rank, n)


def _clean(value: Floats, size: Floats) -> Floats:
    """Return sums of squares, 0 where they are only rounding."""
    return np.where(value <= ROUNDING * np.abs(size), 0.0, value)


def _explained(full: _Model, null: _Model) -> Fits:
    """Return the fits with what they explain beyond the null models, and the tests that it is nothing."""
    from scipy.special import fdtrc

    steps = full.rank - null.rank
    gain = full.adjusted - np.where(null.rank > 1, null.adjusted, 0.0)
    nothing = np.where((full.total > 0) & (full.freedom > 0), 0.0, np.nan)
    free = np.where(full.freedom > 0, gain, np.nan)
    explained = np.maximum(_clean(null.residual - full.residual, null.residual), 0.0)
    f = (explained / np.maximum(steps, 1)) / (full.residual / full.freedom)
    tested = (steps > 0) & (full.freedom > 0) & (full.residual > 0)
    p = np.where(tested, fdtrc(np.maximum(steps, 1), np.maximum(full.freedom, 1), f), np.nan)
    return Fits(full.coefficients, full.errors, full.freedom.astype(float), np.where(steps > 0, free, nothing), p)
