"""Slopes of the engine score on human and true score, pooled within levels, and how responses move them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.metrics.group_differences import true_score_slope
from reportgen.metrics.pair import ratio, without_rounding
from reportgen.tally import quantiles
from reportgen.tally.cells import Floats, Integers, Tally, totals
from reportgen.tally.features import pilot_centre
from reportgen.tally.forms import Form, formed_scores

MOST_FREEDOM = 1e6
"""Degrees of freedom of an error variance that is known."""


@dataclass(frozen=True)
class Within:
    """Scores of the entries of a grouping, measured from one centre, and the means of its levels.

    Parameters
    ----------
    level, powers
        (entries,) and (5, entries): the level, and the sums n, u1..u4.
    cell
        (entries,): the cell of the tally.
    h, m
        First human score (entries,), and engine score (3, entries) as a polynomial in u.
    n, mean_h, mean_m
        (levels,): responses and means.
    """

    level: Integers
    cell: Integers
    powers: Floats
    h: Floats
    m: Floats
    n: Floats
    mean_h: Floats
    mean_m: Floats

    @classmethod
    def of(cls, tally: Tally, grouping: str, form: Form) -> Within:
        """Return the scores of a tally's slices, in one form of the engine score."""
        slices, scores, centre = tally.slices[grouping], formed_scores(tally, form), pilot_centre(tally)
        levels, powers = len(slices.labels), slices.sums
        h = tally.cells.ratings[slices.cell, 0] - centre
        m = _without_rounding(
            np.stack([scores.alpha[slices.cell] - centre, scores.beta[slices.cell], np.zeros(len(h))]), powers
        )
        n = totals(slices.level, powers[0], levels)
        mean_h = totals(slices.level, h * powers[0], levels) / n
        mean_m = totals(slices.level, _sum(m, powers), levels) / n
        return cls(slices.level, slices.cell, powers, h, m, n, mean_h, mean_m)

    @property
    def h_own(self) -> Floats:
        """Human scores from their level's mean."""
        return self.h - self.mean_h[self.level]

    @property
    def m_own(self) -> Floats:
        """Engine scores from their level's mean."""
        return self.m - constant(self.mean_m[self.level])

    def means(self, polynomial: Floats) -> Floats:
        """Return the mean of a polynomial (3, entries) in every level."""
        return totals(self.level, _sum(polynomial, self.powers), len(self.n)) / self.n

    def own(self, polynomial: Floats) -> Floats:
        """Return a polynomial measured from its level's mean."""
        return polynomial - constant(self.means(polynomial)[self.level])


@dataclass(frozen=True)
class Slopes:
    """Slopes within levels, what they rest on, and influences (3, entries) of every response on them.

    Parameters
    ----------
    true, observed
        Slope of the engine score on the true score, and on one human score.
    spread
        SD of all human scores.
    reliability, error_variance
        Of one human score within levels; of one rater.
    freedom
        Degrees of freedom of the error variance; infinite when it is given.
    true_squares, true_squares_error
        Sum of squares of true scores within levels, which `true` is divided by, and its standard error over responses.
    of_true, of_observed, of_spread
        Influences; the error variance's own uncertainty is in `of_true`.
    """

    true: float
    observed: float
    spread: float
    reliability: float
    error_variance: float
    freedom: float
    true_squares: float
    true_squares_error: float
    of_true: Floats
    of_observed: Floats
    of_spread: Floats

    @classmethod
    def of(cls, tally: Tally, scores: Within, given: float | None) -> Slopes:
        """Return the slopes of a grouping, with the error variance given or estimated."""
        n, size = scores.powers[0], float(scores.n.sum())
        within, again = (part[scores.cell] for part in _rater_errors(tally))
        ratings = float((n * again).sum())
        variance = float(ratio((n * within).sum(), ratings)) if given is None else given
        of_variance = ratio(within - variance * again, ratings) if given is None else np.zeros_like(within)
        freedom, both = size - len(scores.n), scores.h_own * scores.m_own
        squares, products = float((n * scores.h_own**2).sum()), float(_sum(both, scores.powers).sum())
        true, observed = float(true_score_slope(products, squares, freedom, variance)), float(ratio(products, squares))
        with np.errstate(all="ignore"):
            square = scores.h_own**2
            from_mean = (scores.h - (scores.n @ scores.mean_h) / size) ** 2
            spread = float(np.sqrt((n * from_mean).sum() / (size - 1)))
            of_square, bottom = square - variance - freedom * of_variance, squares - freedom * variance
            uncertain = (n * (of_square - bottom / size) ** 2).sum() * size / (size - 1)
            return cls(
                true, observed, spread, float(ratio(squares - freedom * variance, squares)), variance,
                ratings if given is None else np.inf, bottom, float(np.sqrt(uncertain)),
                (both - constant(true * of_square)) / bottom,
                (both - constant(observed * square)) / squares,
                constant((from_mean - spread**2) / (2 * spread * (size - 1))),
            )  # fmt: skip

    def told(self, level: float) -> bool:
        """Return whether the variance of true scores within levels can be told from 0, at a confidence level.

        Where it cannot, the slope on the true score and all that it corrects may take any value.
        """
        t = float(quantiles(np.array([min(self.freedom, MOST_FREEDOM)]), level)[0])
        return self.true_squares > t * self.true_squares_error

    def residual(self, scores: Within) -> Floats:
        """Return the engine score less its slope times the human score."""
        return scores.m - constant(self.true * scores.h)


def _rater_errors(tally: Tally) -> tuple[Floats, Floats]:
    """Return for every cell the squares of ratings about their mean, and the number of ratings less one."""
    ratings = tally.cells.ratings
    present = np.isfinite(ratings)
    count = present.sum(axis=1)
    centred = np.where(present, ratings, 0.0) - np.where(present, pilot_centre(tally), 0.0)
    mean = centred.sum(axis=1) / np.maximum(count, 1)
    within = (np.where(present, centred - mean[:, None], 0.0) ** 2).sum(axis=1)
    return within, np.maximum(count - 1, 0).astype(np.float64)


def constant(value: Floats) -> Floats:
    """Return a number per entry as a polynomial that does not depend on u."""
    return np.stack([value, np.zeros_like(value), np.zeros_like(value)])


def _sum(polynomial: Floats, powers: Floats) -> Floats:
    """Return the sum of a polynomial over the responses of every entry."""
    total: Floats = (polynomial * powers[:3]).sum(axis=0)
    return total


def _without_rounding(score: Floats, powers: Floats) -> Floats:
    """Return engine scores, linear in u; 0 for all where they differ by no more than rounding, as thirds do."""
    a, b, _ = score
    n, total = powers[0].sum(), _sum(score, powers).sum()
    squares = (a**2 * powers[0] + 2 * a * b * powers[1] + b**2 * powers[2]).sum()
    constant_score = without_rounding(squares - ratio(total**2, n), squares, n) == 0
    return np.zeros_like(score) if constant_score else score
