"""Chance-corrected agreement of any number of raters, with gaps, in Gwet's framework.

Every coefficient is ``(pa - pe) / (1 - pe)``: observed agreement pa against the agreement pe expected
by chance, both weighted.  They differ in pe alone.  Notation: r_ik raters put response i into
category k, r_i rated it at all, w_kl is the credit for a pair of categories.

Standard errors are those of a linearised coefficient: each response's influence on it (Gwet 2014,
chapters 5 and 6).  Two raters without gaps get the divisor n of the classical large-sample variance
(Fleiss, Cohen and Everitt 1969), everything else n - 1, as in the published tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from reportgen.metrics.patterns import MISSING, Patterns
from reportgen.tally.sums import Floats


@dataclass(frozen=True)
class Coefficient:
    """An agreement coefficient and what is needed to trust it.

    Parameters
    ----------
    value
        At most 1; nan when undefined, and then `reason` says why.
    se
        Standard error; nan for fewer than two responses.
    low, high
        95 % interval by Student's t, cut at 1.
    n
        Responses with at least one label, whatever their weights.
    observed, expected
        Weighted agreement that was found, and that chance would give.
    categories
        The scale the coefficient refers to.
    categories_declared
        False when the scale is only what labels were seen: the value then depends on it.
    reason
        Why the value is undefined, or a convention it rests on; empty otherwise.
    """

    value: float
    se: float
    low: float
    high: float
    n: int
    observed: float
    expected: float
    categories: tuple[float, ...]
    categories_declared: bool
    reason: str = ""

    def __float__(self) -> float:
        """Return the value."""
        return self.value


@dataclass(frozen=True)
class Chance:
    """Agreement expected by chance, and each pattern's part in it (mean over responses: `expected`)."""

    expected: float
    by_pattern: Floats


ChanceModel = Callable[[Patterns, Floats], Chance]

ALL_BY_CHANCE = "chance alone gives full agreement: every label is the same"


@dataclass(frozen=True)
class Linearised:
    """A coefficient and how much each response moves it.

    Parameters
    ----------
    value, observed, expected
        As in `Coefficient`.
    influence
        (patterns,): what one more response of the pattern would add to the coefficient, times the number
        of responses; its mean over responses is 0.
    reason
        Why there is no value; empty otherwise.
    """

    value: float
    observed: float
    expected: float
    influence: Floats
    reason: str = ""


def without_value(
    patterns: Patterns, reason: str, observed: float = math.nan, expected: float = math.nan
) -> Linearised:
    """Return a coefficient that has no value, and nothing moves."""
    return Linearised(math.nan, observed, expected, np.zeros(len(patterns.codes)), reason)


def linearised(patterns: Patterns, weights: Floats, chance: ChanceModel) -> Linearised:
    """Return the coefficient with this model of chance agreement, and its influences."""
    reason = why_undefined(patterns)
    if reason:
        return without_value(patterns, reason)
    multiple = patterns.ratings() > 1
    share = float(patterns.mean(multiple.astype(float)))
    agreement = pairwise_agreement(patterns, weights)
    observed = float(patterns.mean(agreement)) / share
    model = chance(patterns, weights)
    room = 1 - model.expected
    if abs(room) < 1e-12:
        return without_value(patterns, ALL_BY_CHANCE, observed, 1.0)
    value = (observed - model.expected) / room
    influence = (agreement - observed * multiple) / (share * room)
    influence -= 2 * (1 - value) * (model.by_pattern - model.expected) / room
    return Linearised(value, observed, model.expected, influence)


def coefficient(patterns: Patterns, weights: Floats, chance: ChanceModel) -> Coefficient:
    """Return the coefficient with this model of chance agreement, and its interval.

    Gwet's variance, which the published tables have, counts a response with a single label as one of
    agreement 0 among all responses; without such responses it is that of the influences.
    """
    found = linearised(patterns, weights, chance)
    bare = undefined(patterns, found.reason, found.observed, found.expected)
    if found.reason:
        return bare
    multiple = patterns.ratings() > 1
    share = float(patterns.mean(multiple.astype(float)))
    classical = patterns.raters == 2 and share == 1
    divisor = patterns.responses - (not classical)
    deviation = found.influence + found.value * (multiple / share - 1)
    return with_interval(replace(bare, value=found.value), patterns, deviation, divisor)


def pairwise_agreement(patterns: Patterns, weights: Floats) -> Floats:
    """Return (patterns,): the mean credit over the pairs of raters of a response; 0 for a single rater."""
    if patterns.raters == 2:
        both = (patterns.codes != MISSING).all(axis=1)
        return np.where(both, weights[patterns.codes[:, 0], patterns.codes[:, 1]], 0.0)
    table, ratings = patterns.by_category(), patterns.ratings()
    credit = (table * (table @ weights)).sum(axis=1) - table @ np.diag(weights)
    return np.asarray(credit / np.maximum(ratings * (ratings - 1), 1))


def why_undefined(patterns: Patterns) -> str:
    """Return why no coefficient can be given, empty when one can."""
    if patterns.n == 0:
        return "no response has a label"
    if not (patterns.ratings() > 1).any():
        return "no response has two labels"
    if len(patterns.categories) < 2:
        return "only one category was seen and no scale was declared"
    return ""


def undefined(patterns: Patterns, reason: str, observed: float = math.nan, expected: float = math.nan) -> Coefficient:
    """Return a coefficient without a value."""
    scale = tuple(float(category) for category in patterns.categories)
    nan = math.nan
    return Coefficient(nan, nan, nan, nan, patterns.responses, observed, expected, scale, patterns.declared, reason)


def with_interval(found: Coefficient, patterns: Patterns, deviation: Floats, divisor: int) -> Coefficient:
    """Return the coefficient with the standard error of these deviations of influence, and its interval."""
    if patterns.responses < 2:
        return found
    from scipy.special import stdtrit

    se = math.sqrt(patterns.variance(deviation) / divisor)
    margin = float(stdtrit(found.n - 1, 0.975)) * se
    return replace(found, se=se, low=found.value - margin, high=min(1.0, found.value + margin))


# --- chance agreement --------------------------------------------------------------------------


def no_chance(patterns: Patterns, weights: Floats) -> Chance:  # noqa: ARG001 - one signature for all models
    """Return no agreement by chance: the coefficient is then the observed agreement."""
    return Chance(0.0, np.zeros(len(patterns.codes)))


def uniform_chance(patterns: Patterns, weights: Floats) -> Chance:
    """Return the agreement of raters who choose every category equally often (Brennan and Prediger)."""
    expected = float(weights.mean())
    return Chance(expected, np.full(len(patterns.codes), expected))


def hard_cases_chance(patterns: Patterns, weights: Floats) -> Chance:
    """Return the agreement by chance on responses that are hard to rate (Gwet)."""
    size = len(patterns.categories)
    shares, pooled = _shares(patterns)
    scale = weights.sum() / (size * (size - 1))
    return Chance(float(scale * pooled @ (1 - pooled)), scale * shares @ (1 - pooled))


def pooled_chance(patterns: Patterns, weights: Floats) -> Chance:
    """Return the agreement of raters who share one distribution of labels (Scott, Fleiss)."""
    shares, pooled = _shares(patterns)
    return Chance(float(pooled @ weights @ pooled), shares @ (weights @ pooled))


def own_chance(patterns: Patterns, weights: Floats) -> Chance:
    """Return the agreement of raters who each keep their own distribution of labels (Cohen, Conger)."""
    codes, raters, size = patterns.codes, patterns.raters, len(patterns.categories)
    chosen = [patterns.count @ (codes == category) for category in range(size)]
    rated = patterns.count @ (codes != MISSING)
    own = np.array(chosen) / rated  # (K, raters)
    others = own.sum(axis=1, keepdims=True) - own
    credit = weights @ others  # of a label against all other raters
    expected = (own * credit).sum(axis=0)
    by_label = np.vstack([credit, expected])[codes, np.arange(raters)]  # a gap (-1) takes the last row
    by_rater = (by_label - expected) * (patterns.n / rated) + expected
    pairs = raters * (raters - 1)
    return Chance(float(expected.sum() / pairs), by_rater.sum(axis=1) / pairs)


def _shares(patterns: Patterns) -> tuple[Floats, Floats]:
    """Return each pattern's distribution over the categories, and the mean over responses."""
    shares = patterns.by_category() / patterns.ratings()[:, None]
    return shares, patterns.mean(shares)
