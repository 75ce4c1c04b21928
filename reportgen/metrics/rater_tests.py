"""Do two raters score alike: means, variances, and agreement with a third score, on the same responses.

These are the conditions under which rater errors may be taken as exchangeable, as PRMSE does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.metrics import pair
from reportgen.metrics._arrays import as_pairs, as_ratings, as_scores, t_quantile
from reportgen.metrics.rater_severity import rater_profiles
from reportgen.tally.intervals import STEP, limits
from reportgen.tally.sums import Floats, PairSums


@dataclass(frozen=True)
class PairedTest:
    """A paired comparison.

    Parameters
    ----------
    value
        The difference or ratio; nan when undefined, and then `reason` says why.
    low, high
        Interval of the level asked for; nan where there is none.
    statistic, freedom, p
        Student's t against no difference, its degrees of freedom, and the two-sided p.
    n
        Responses with all scores.
    reason
        Why something is nan; empty otherwise.
    """

    value: float
    low: float
    high: float
    statistic: float
    freedom: int
    p: float
    n: int
    reason: str = ""


def paired_mean_difference(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> PairedTest:
    """Return mean second - mean first on the responses with both scores.

    Parameters
    ----------
    first, second
        (n,): scores, NaN where missing.
    level
        Coverage of the interval, between 0 and 1.

    Returns
    -------
    PairedTest
        In score points; without an interval for fewer than two responses, or when all differ by the same.

    Raises
    ------
    ValueError
        When lengths differ, a score is infinite, or `level` is not between 0 and 1.

    References
    ----------
    Student (1908).

    Examples
    --------
    Student's ten patients, two drugs (published mean difference 1.58, t 4.06):

    >>> one = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    >>> two = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    >>> found = paired_mean_difference(one, two)
    >>> round(found.value, 2), round(found.statistic, 2), round(found.p, 4)
    (1.58, 4.06, 0.0028)
    """
    x, y = as_pairs(first, second)
    n, gap = len(x), y - x
    if n == 0:
        return _undefined(0, "no response has both scores")
    value = float(gap.mean())
    if n < 2 or np.ptp(gap) == 0:
        return _untested(value, n, n - 1, _STILL)
    error = float(gap.std(ddof=1)) / math.sqrt(n)
    return _by_t(value, error, n - 1, n, level)


def pitman_morgan(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> PairedTest:
    """Return SD second / SD first on the responses with both scores, with Pitman and Morgan's test.

    Sum and difference of two scores are uncorrelated when their variances are equal:
    ``t = r(sum, difference) root((n - 2) / (1 - r^2))``.  The interval holds the ratios that the test
    does not reject.  Both suppose normal scores.

    Parameters
    ----------
    first, second, level
        As in `paired_mean_difference`.

    Returns
    -------
    PairedTest
        Above 1 where the second score spreads wider; nan, with a reason, for fewer than three responses
        or a constant score, without a test where one score is a line of the other.

    Raises
    ------
    ValueError
        As in `paired_mean_difference`.

    References
    ----------
    Pitman (1939); Morgan (1939).

    Examples
    --------
    Worked by hand: the sums 2, 4, 6, 8 and differences 0, 2, 0, 2 correlate by 1 / root 5, t = 1 / root 2.

    >>> found = pitman_morgan([1, 1, 3, 3], [1, 3, 3, 5])
    >>> round(found.value**2, 3), round(found.statistic * 2**0.5, 10)
    (2.0, 1.0)
    """
    x, y = as_pairs(first, second)
    n = len(x)
    if n < 3:
        return _undefined(n, "fewer than three responses have both scores")
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return _undefined(n, "a score is the same for every response")
    ratio = float(y.std() / x.std())
    free = max(1 - float(np.corrcoef(x, y)[0, 1]) ** 2, 0.0)
    if free < 1e-14:
        return _untested(ratio, n, n - 2, "one score is a straight line of the other")
    # in terms of the ratio w and r: t = (w - 1/w) root(n - 2) / (2 root(1 - r^2))
    statistic = (ratio - 1 / ratio) * math.sqrt((n - 2) / free) / 2
    reach = t_quantile(n - 2, level) * math.sqrt(free / (n - 2))
    factor = reach + math.sqrt(1 + reach**2)
    return PairedTest(ratio, ratio / factor, ratio * factor, statistic, n - 2, _two_sided(statistic, n - 2), n)


def correlation_difference(
    target: ArrayLike, first: ArrayLike, second: ArrayLike, *, level: float = 0.95
) -> PairedTest:
    """Return r(target, second) - r(target, first) on the responses with all three scores.

    The standard error is the infinitesimal jackknife's: no distribution is supposed, and that all three
    correlations are of the same responses is accounted for.

    Parameters
    ----------
    target, first, second
        (n,): scores, NaN where missing; for instance the system and two raters.
    level
        Coverage of the interval, between 0 and 1.

    Returns
    -------
    PairedTest
        Between -2 and 2; nan, with a reason, for fewer than three responses or a constant score.

    Raises
    ------
    ValueError
        As in `paired_mean_difference`.

    References
    ----------
    Jaeckel (1972); Efron (1982, chapter 6).

    Examples
    --------
    >>> found = correlation_difference([1, 2, 3, 4], [1, 2, 3, 4], [1, 3, 2, 4])
    >>> round(found.value, 10)
    -0.2
    """
    scores = [as_scores(each, name) for each, name in ((target, "target"), (first, "first"), (second, "second"))]
    if len({len(each) for each in scores}) > 1:
        raise ValueError(f"scores must have the same length; found {[len(each) for each in scores]}")
    table = np.column_stack(scores)
    table = table[~np.isnan(table).any(axis=1)]
    n = len(table)
    if n < 3:
        return _undefined(n, "fewer than three responses have all scores")
    if (np.ptp(table, axis=0) == 0).any():
        return _undefined(n, "a score is the same for every response")
    z = (table - table.mean(axis=0)) / table.std(axis=0)
    values, influences = zip(*(_correlation_influence(z[:, 0], z[:, rater]) for rater in (1, 2)), strict=True)
    value, influence = values[1] - values[0], influences[1] - influences[0]
    error = math.sqrt(float(influence @ influence) / (n * (n - 1)))
    if error < 1e-12:
        return _untested(value, n, n - 1, _STILL)
    return _by_t(value, error, n - 1, n, level)


_STILL = "the differences do not vary, which says nothing about their uncertainty"


def _correlation_influence(x: Floats, y: Floats) -> tuple[float, Floats]:
    """Return the correlation of standardized scores, and each response's influence on it."""
    r = float(x @ y) / len(x)
    return r, x * y - r * (x**2 + y**2) / 2


def _by_t(value: float, error: float, freedom: int, n: int, level: float) -> PairedTest:
    margin = t_quantile(freedom, level) * error
    statistic = value / error
    return PairedTest(value, value - margin, value + margin, statistic, freedom, _two_sided(statistic, freedom), n)


def _two_sided(statistic: float, freedom: int) -> float:
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(statistic)))


def _undefined(n: int, reason: str) -> PairedTest:
    return _untested(math.nan, n, max(n - 1, 0), reason)


def _untested(value: float, n: int, freedom: int, reason: str) -> PairedTest:
    return PairedTest(value, math.nan, math.nan, math.nan, freedom, math.nan, n, reason)


FEWEST_SHARED = 20
"""Fewer shared responses say too little about one rater."""

FALSE_ALARMS = 0.01
"""Chance that a rater of a panel is taken for constant, or for reversed, without reason; shared among the raters."""

NOTHING = 0.99
"""Level of the interval that holds 0 where a correlation cannot be told from 0."""

FAR_BELOW = 0.5
"""Chance, shared among the raters, that one of them seems below the others.  By itself it would be too large; that the
correlation cannot be told from 0 either leaves fewer than one panel in a hundred (`benchmarks`)."""

CONSTANT = 0.9
"""Share of the commonest score from which a rater is said to give nearly always the same one."""

LEAST_WORTH = 0.5
"""An honest rater departs from the commonest score at least this often, as a share of how often the others do."""

How = Literal["random", "constant", "reversed"]


@dataclass(frozen=True)
class UnlikeRater:
    """A rater far below the rest.

    Parameters
    ----------
    rater
        Its code.
    how
        "random": agreement is not distinguishable from 0; "constant": nearly always one score; "reversed": the
        correlation is below 0.
    n
        Ratings of responses that others rated too.
    r, low, high
        Correlation with the others, pair by pair, and its interval; nan where it is undefined.
    expected
        Correlation that the others have among themselves, on responses as different as the rater's; nan where no two
        others rate together.
    commonest, share, others_share
        The score that the rater gives most often, its share of these ratings, and the largest share that one score
        has among the others' ratings of the same responses; 0 to 1.
    """

    rater: int
    how: How
    n: int
    r: float
    low: float
    high: float
    expected: float
    commonest: float
    share: float
    others_share: float


def unlike_raters(
    ratings: ArrayLike, raters: ArrayLike, *, units: ArrayLike | None = None, level: float = 0.95
) -> tuple[UnlikeRater, ...]:
    """Return the raters whose ratings say nothing of the responses, while the others agree.

    Correlations pair every rating of a rater with every other rating of its response.  A rater is named when

    * *reversed*: the upper end of the correlation's interval is below 0;
    * *constant*: one score is 90 % of the ratings, the correlation cannot be told from 0, and the others depart from
      their commonest score so often that half of it would be improbable (binomial);
    * *random*: the correlation cannot be told from 0, and its interval lies below what two others reach, ``1 - E d^2
      / (2 var)`` with d their difference and var the variance of the others' scores on the rater's responses: easy and
      hard responses are not held against him who rated them.

    The chances of errors are shared among the raters (Bonferroni): in fewer than one panel in a hundred somebody is
    named without reason.  The worst is set aside and the rest looked at again, until nobody is left to name.

    Parameters
    ----------
    ratings
        (n, k): scores, NaN where missing.
    raters
        (n, k): integer code of who gave each, 0 up; negative where nobody is named.
    units
        (n,): integer code of the independent unit of each response, such as its candidate; responses when left out.
    level
        Coverage of the intervals that are returned, between 0 and 1.

    Returns
    -------
    tuple of UnlikeRater
        In the order they were set aside; with two raters at most "constant", and "reversed" for both, since nobody
        else says which.  Raters of fewer than 20 shared responses are not looked at.

    Raises
    ------
    ValueError
        When shapes differ or a score is infinite.

    References
    ----------
    Efron (1982, chapter 6) for the standard errors; the rule is ours, and its errors are measured in
    `benchmarks/raters_who_do_not_rate.py`.

    Examples
    --------
    Two raters agree, the third has the scale upside down:

    >>> true = np.arange(60) % 5
    >>> ratings = np.stack([true, np.minimum(true + (np.arange(60) % 7 == 0), 4), 4 - true], axis=1)
    >>> [(each.rater, each.how) for each in unlike_raters(ratings, np.tile([0, 1, 2], (60, 1)))]
    [(2, 'reversed')]
    """
    scores, codes = as_ratings(ratings), np.asarray(raters)
    unit = np.arange(len(scores)) if units is None else np.unique(np.asarray(units), return_inverse=True)[1]
    named = np.where(np.isnan(scores), -1, codes)
    looked_at, found = 0, list[UnlikeRater]()
    while True:
        profiles = rater_profiles(scores, named, units=unit)
        enough = profiles.n >= FEWEST_SHARED
        looked_at = looked_at or int(enough.sum())
        low, _ = _ends(profiles.r, profiles.r_error, profiles.units, NOTHING)
        response = _Responses(scores, named, unit)
        judged = [response.judged(int(rater), looked_at, level) for rater in np.flatnonzero(enough & ~(low > 0))]
        worst = _worst([each for each in judged if each is not None])
        if not worst:
            return tuple(found)
        found += worst
        named = np.where(np.isin(named, [each.rater for each in worst]), -1, named)


Judged = tuple[float, UnlikeRater]
"""A rater who is named, behind the distance from the others in standard errors: the lower the farther."""


@dataclass(frozen=True)
class _Responses:
    """Ratings by response: (n, k) scores and who gave them, negative for nobody, and (n,) the independent units."""

    scores: Floats
    named: NDArray[np.integer]
    unit: NDArray[np.integer]

    @cached_property
    def here(self) -> NDArray[np.bool_]:
        """(n, k): which ratings count."""
        return np.asarray(self.named >= 0)

    @cached_property
    def centred(self) -> Floats:
        """(n, k): scores from a number near them, 0 where none counts."""
        return np.where(self.here, self.scores - np.floor(self.scores[self.here].mean()), 0.0)

    def judged(self, rater: int, looked_at: int, level: float) -> Judged | None:
        """Return why a rater is named; None for one who rates."""
        value, error, units = self._beside(rater)
        r, expected, gap = value
        low = _ends(value, error, units, NOTHING)[0][0]
        high = _ends(value, error, units, _strict(FALSE_ALARMS, looked_at))[1][0]
        gap_high = _ends(value, error, units, _strict(FAR_BELOW, looked_at))[1][2]
        told = _ends(value, error, units, level)
        score, departures, share, others_share, n = self._commonest(rater)
        agree = told[0][1] > 0
        if high < 0 and (agree or np.isnan(expected)):
            how: How = "reversed"
        elif not low > 0 and share >= CONSTANT and _improbable(departures, others_share, units, looked_at):
            how = "constant"
        elif low <= 0 and agree and gap_high < 0 and told[1][0] < expected:
            how = "random"
        else:
            return None
        distance = -np.inf if np.isnan(gap) or not error[2] > 0 else float(gap / error[2])
        ends = float(told[0][0]), float(told[1][0])
        return distance, UnlikeRater(rater, how, n, float(r), *ends, float(expected), score, share, others_share)

    def _beside(self, rater: int) -> tuple[Floats, Floats, int]:
        """Return the correlation with the others, what it should be, and their difference; standard errors; units."""
        own, every = self.named == rater, self.centred**2
        m = own.sum(axis=1).astype(np.float64)
        x, xx = (np.where(own, each, 0.0).sum(axis=1) for each in (self.centred, every))
        c, y, yy = self.here.sum(axis=1) - m, self.centred.sum(axis=1) - x, every.sum(axis=1) - xx
        among = (m > 0) & (c > 1)
        if len(np.unique(self.unit[among])) < FEWEST_SHARED:
            among = c > 1
        zero = np.zeros(1)
        features = np.stack([m * c, c * x, m * y, c * xx, m * yy, x * y,
                             among * c * (c - 1), among * 2 * (c * yy - y**2)])  # fmt: skip
        sums = features.sum(axis=1)

        def statistics(values: Floats) -> Floats:
            n, x, y, xx, yy, xy, among_others, squares = values
            pairs = PairSums(0.0, n, x, y, xx, yy, xy, zero, zero, zero)
            correlation = pair.pearson_r(pairs)
            expected = 1 - pair.ratio(pair.ratio(squares, among_others), 2 * pair.variance_y(pairs, 0))
            return np.stack([correlation, expected, correlation - expected])

        with np.errstate(all="ignore"):
            value = statistics(sums).real
            slopes = [np.imag(statistics(sums + 1j * STEP * (np.arange(8) == each))) / STEP for each in range(8)]
            influence = np.stack(slopes, axis=1) @ features
            moved = np.stack([np.bincount(self.unit, np.nan_to_num(each)) for each in influence])
            units = len(np.unique(self.unit[(m > 0) & (c > 0)]))
            error = np.sqrt((moved**2).sum(axis=1) * units / (units - 1))
        return value, np.where(np.isfinite(value), error, np.nan), units

    def _commonest(self, rater: int) -> tuple[float, float, float, float, int]:
        """Return the rater's commonest score, the share of others, its share, that of the others', and ratings."""
        own = self.named == rater
        shared = own & (self.here.sum(axis=1) > own.sum(axis=1))[:, None]
        scores, often = np.unique(self.scores[shared], return_counts=True)
        others = self.here & ~own & shared.any(axis=1)[:, None]
        weight = np.broadcast_to(1 / np.maximum(others.sum(axis=1), 1)[:, None], others.shape)[others]
        _, place = np.unique(self.scores[others], return_inverse=True)
        of_others = np.bincount(place, weight)
        share, n = float(often.max() / often.sum()), int(often.sum())
        return float(scores[often.argmax()]), 1 - share, share, float(of_others.max() / of_others.sum()), n


def _worst(judged: list[Judged]) -> list[UnlikeRater]:
    """Return the rater farthest from the others; both of two raters of whom nobody says which of them it is."""
    if not judged:
        return []
    alone = [each for _, each in judged if np.isnan(each.expected) and each.how == "reversed"]
    worst = min(judged, key=lambda each: each[0])[1]
    return alone if worst in alone else [worst]


def _strict(chance: float, looked_at: int) -> float:
    return 1 - 2 * chance / max(looked_at, 1)


def _ends(value: Floats, error: Floats, units: NDArray[np.integer] | int, level: float) -> tuple[Floats, Floats]:
    """Return the interval of correlations, and differences of them, by Student's t; a value without error is both."""
    freedom = np.broadcast_to(np.asarray(units, np.float64) - 1, np.shape(value))
    low, high = limits(value, error, freedom, "none", level)
    exact = np.isfinite(value) & ~(error > 1e-7)
    return np.where(exact, value, low), np.where(exact, value, high)


def _improbable(departures: float, others_share: float, units: int, looked_at: int) -> bool:
    """Return whether somebody who rates would depart from the commonest score so seldom."""
    from scipy.special import bdtr

    often = LEAST_WORTH * (1 - others_share)
    return bool(often > 0 and bdtr(np.floor(departures * units + 0.5), units, often) < FALSE_ALARMS / looked_at)
