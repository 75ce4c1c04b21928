"""Standard errors of smooth functions of the sums by the infinitesimal jackknife.

A statistic f of sums S changes by ``df/dS . phi_i`` if the weight of response i increases; the sum of the squares of
these influences is its sampling variance (Jaeckel 1972; Efron 1982, chapter 6). Whole responses are the units, so the
variance includes the uncertainty of intermediate estimates, such as the rater error variance. Derivatives use a complex
step (Squire and Trapp 1998), which is exact up to rounding and needs no step size.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.features import PAIR_FEATURES, RATING_FEATURES, Between, Moments, Sums, moving
from reportgen.tally.sums import Floats

FEW, FEW_OF_MANY, MANY = 2, 3, 50
"""Responses on the rarer side of a percentage that require the Poisson correction; with more than MANY, one more
(Brown, Cai and DasGupta 2001)."""


def quantiles(freedom: Floats, level: float) -> Floats:
    """Return the Student's t quantile of a two-sided interval; nan without degrees of freedom."""
    given = np.asarray(freedom, np.float64)
    return _known_quantiles(given.tobytes(), level).reshape(given.shape)


@lru_cache(maxsize=16)
def _known_quantiles(freedom: bytes, level: float) -> Floats:
    from scipy.special import stdtrit

    given = np.frombuffer(freedom)
    found = np.where(given > 0, stdtrit(np.maximum(given, 1.0), (1 + level) / 2), np.nan)
    found.flags.writeable = False
    return found


class Scale(NamedTuple):
    """A scale on which a statistic is symmetric."""

    forward: Callable[[Floats], Floats]  # transformation of the statistic, increasing
    inverse: Callable[[Floats], Floats]  # back to the statistic
    slope: Callable[[Floats], Floats]  # derivative of the inverse at a statistic; negative outside its range

    def ends(self, value: Floats, half: Floats) -> tuple[Floats, Floats]:
        """Return the lower and the upper end of an interval with this half-width on the scale."""
        middle = self.forward(value)
        return self.inverse(middle - half), self.inverse(middle + half)


PLAIN = Scale(np.positive, np.positive, np.ones_like)

SCALES: Mapping[str, Scale] = {
    "none": PLAIN,
    "wilson": PLAIN,
    "fisher": Scale(np.arctanh, np.tanh, lambda value: 1 - value**2),
    "log": Scale(np.log, np.exp, np.positive),
    "log1m": Scale(lambda value: -np.log(1 - value), lambda x: 1 - np.exp(-x), lambda value: 1 - value),
    "logit": Scale(lambda value: np.log(value / (1 - value)), lambda x: 1 / (1 + np.exp(-x)), lambda p: p * (1 - p)),
    "variance": Scale(
        lambda value: -3 * value ** (-1 / 3), lambda x: np.maximum(-x / 3, 0) ** -3.0, lambda value: value ** (4 / 3)
    ),
}
"""The scales that `limits` names."""


def limits(
    value: Floats, error: Floats, freedom: Floats, transform: str, level: float, trials: Floats | None = None
) -> tuple[Floats, Floats]:
    """Compute the interval of every slice by Student's t on the scale where the statistic is symmetric.

    transform: "none", "fisher" (atanh x), "log" (log x), "log1m" (log(1 - x)), "logit" (log(x / (1 - x))),
        "variance" (-3 / cube root of x, Wilson and Hilferty 1931), or "wilson": the score interval of a percentage
        (Wilson 1927), which uses `trials` and no standard error.

    The ends are nan if the value or its error is undefined, or if the error is 0 up to rounding, because a sample
    without variation does not show its uncertainty.
    """
    with np.errstate(all="ignore"):
        t = quantiles(freedom, level)
        if transform == "wilson" and trials is not None:
            return _wilson(value, trials, t, level)
        # a relative error of 1e-9 is the rounding of a perfect fit
        error = np.where(error > 1e-7 * np.abs(value), error, np.nan)
        scale = SCALES[transform]
        return scale.ends(value, t * error / scale.slope(value))


def _wilson(percent: Floats, trials: Floats, t: Floats, level: float) -> tuple[Floats, Floats]:
    """Return Wilson's score interval of a percentage of `trials` responses.

    For one to three responses on the rarer side, the end on that side is too far from 0 (or 100), so it is replaced by
    the end of a Poisson count (Brown, Cai and DasGupta 2001).
    """
    share = percent / 100
    low, high = score_interval(share, trials, t)
    few, many = _few(share * trials, trials), _few((1 - share) * trials, trials)
    low[few] = _rare((share * trials)[few], trials[few], level)
    high[many] = 1 - _rare(((1 - share) * trials)[many], trials[many], level)
    defined = trials > 0
    return np.where(defined, 100 * low, np.nan), np.where(defined, 100 * high, np.nan)


def score_interval(share: Floats, trials: Floats, t: Floats) -> tuple[Floats, Floats]:
    """Compute Wilson's (1927) score interval of a share, 0 to 1, with the quantile t.

    >>> [round(float(end[0]), 4) for end in score_interval(np.array([0.9]), np.array([50.0]), np.array([1.96]))]
    [0.7864, 0.9565]
    """
    spread = t**2 / trials
    middle = (share + spread / 2) / (1 + spread)
    half = np.sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    return middle - half, middle + half


def _few(count: Floats, trials: Floats) -> NDArray[np.bool_]:
    count = np.round(count, 9)  # expected counts can be at a bound
    return (count > 0.5) & (count < np.where(trials > MANY, FEW_OF_MANY, FEW) + 0.5)


def _rare(count: Floats, trials: Floats, level: float) -> Floats:
    from scipy.special import gammaincinv

    return gammaincinv(np.maximum(count, 0.5), 1 - level) / trials


def fieller(
    top: Floats, bottom: Floats, variances: tuple[Floats, Floats, Floats], freedom: Floats, level: float
) -> tuple[Floats, Floats]:
    """Compute Fieller's (1954) interval of the ratio top / bottom.

    It contains all ratios q for which ``top - q bottom`` does not differ from 0, and is valid for uncertain
    denominators. nan if the denominator does not differ from 0.

    variances: sampling variance of `top`, of `bottom`, and their covariance.

    >>> one = np.ones(1)
    >>> ends = fieller(3 * one, 2 * one, (0.04 * one, 0.01 * one, 0 * one), 1e6 * one, 0.95)
    >>> [round(float(end[0]), 4) for end in ends]
    [1.2679, 1.7612]
    >>> fieller(one, one, (one, one, 0 * one), 1e6 * one, 0.95)
    (array([nan]), array([nan]))
    """
    of_top, of_bottom, together = variances
    with np.errstate(all="ignore"):
        t2 = quantiles(freedom, level) ** 2
        square = bottom**2 - t2 * of_bottom
        middle = top * bottom - t2 * together
        root = np.sqrt(middle**2 - square * (top**2 - t2 * of_top))
        bounded = square > 0
        return (
            np.where(bounded, (middle - root) / square, np.nan),
            np.where(bounded, (middle + root) / square, np.nan),
        )


STEP = 1e-30

ROUNDING = 1e-7  # influences that cancel to less than this share of their parts are rounding errors

FEATURES = 2 * PAIR_FEATURES + RATING_FEATURES

Statistics = Callable[[Sums, Sums], Mapping[str, Floats]]
"""(sums of each slice, sums of the whole set) -> values by name, one per slice."""


class Influence(NamedTuple):
    """Derivative of one statistic with respect to the sums.

    `own` (levels, features) by the slice's sums, `whole` (levels, features) by the sums of the whole set, which affect
    statistics that standardize by it.
    """

    own: Floats
    whole: Floats


def derivatives(
    statistics: Statistics, slices: Moments, whole: Moments, through_whole: Statistics | None = None
) -> dict[str, Influence]:
    """Compute the derivatives of every statistic with respect to every sum, for all slices.

    statistics: must accept complex arrays and be smooth: sums, products, quotients, square roots.
    slices, whole: moments of the slices, and of the whole set, as one level or one per slice.
    through_whole: the statistics that depend on the whole set; default: all.
    """
    here, every = slices.named(), whole.named()
    rest = through_whole or statistics
    with np.errstate(all="ignore"):
        by_own = _gradients(lambda stepped: statistics(stepped, every), slices, slices.sums)
        shared = np.broadcast_to(whole.sums, slices.sums.shape)
        by_whole = _gradients(lambda stepped: rest(here, stepped), whole, shared)
    nothing = np.zeros((len(slices.sums), FEATURES))
    return {name: Influence(slope, by_whole.get(name, nothing)) for name, slope in by_own.items()}


def _gradients(statistics: Callable[[Sums], Mapping[str, Floats]], around: Moments, sums: Floats) -> dict[str, Floats]:
    """Return (levels, features): derivatives by the sums, with the origin of the products of `around`.

    The sums of one pair of scores step at a time, so statistics that do not depend on the pair are computed once.
    """
    plain, centre = Sums.of(sums, around.centre), around.centre
    slopes: dict[str, Floats] = {}
    for start, stop, part in _FAMILIES:
        steps = np.arange(stop - start)
        stepped: Any = np.repeat(sums.T[start:stop, None].astype(np.complex128), len(steps), axis=1)
        stepped[steps, steps] += 1j * STEP
        moved = replace(plain, **{part: type(getattr(plain, part))(centre, *stepped)})
        for name, value in statistics(moved).items():
            if name not in slopes:
                slopes[name] = np.zeros((len(sums), FEATURES))
            if np.iscomplexobj(value):
                slopes[name][:, start:stop] = np.broadcast_to(np.imag(value) / STEP, (stop - start, len(sums))).T
    if around.offset:
        slopes = {name: slope @ moving(around.offset) for name, slope in slopes.items()}
    return slopes


_FAMILIES = (
    (0, PAIR_FEATURES, "system"),
    (PAIR_FEATURES, 2 * PAIR_FEATURES, "human"),
    (2 * PAIR_FEATURES, FEATURES, "ratings"),
)
"""Range of the sums of each pair of scores, and its name in `Sums`."""


def standard_errors(influence: Influence, slices: Moments, whole: Moments, units: Floats) -> Floats:
    """Return the standard error of a statistic in every slice; 0 if only rounding errors remain.

    units (levels,): number of units of the statistic; the variance has the factor ``n / (n - 1)``.
    """
    return all_standard_errors({"": influence}, slices, whole, {"": units})[""]


def all_standard_errors(
    influences: Mapping[str, Influence], slices: Moments, whole: Moments, units: Mapping[str, Floats]
) -> dict[str, Floats]:
    """Return `standard_errors` of multiple statistics, with the number of units of each."""
    own = np.stack([influence.own for influence in influences.values()], axis=1)
    square = ((own @ slices.products) * own).sum(axis=2)
    parts = _parts(own, slices.products[:, None])
    made = {}
    for place, (name, influence) in enumerate(influences.items()):
        total, most = square[:, place], parts[:, place]
        if influence.whole.any():
            total = total + _by_whole(influence, influence, slices, whole)
            most = most + _parts(influence.whole, whole.products)
        made[name] = _root(_corrected(total, units[name]), most, units[name])
    return made


def between_raters(influences: Mapping[str, Influence], slices: Moments, whole: Moments) -> dict[str, Floats]:
    """Return the variance of statistics between sampled raters, at least 0; empty if raters are not a sample."""
    own, every = slices.between, whole.between
    if own is None or every is None:
        return {}
    return {
        name: np.maximum(_form(each.own, own.products, each.own) + _by_whole(each, each, own, every), 0.0)
        for name, each in influences.items()
    }


def widened(error: Floats, freedom: Floats, added: Floats, of_raters: Floats) -> tuple[Floats, Floats]:
    """Return standard errors and degrees of freedom with the variance of raters (Satterthwaite 1946).

    >>> one = np.ones(1)
    >>> [float(each[0]) for each in widened(one, 99 * one, 3 * one, 3 * one)]
    [2.0, 5.315436241610739]
    """
    variance = error**2 + added
    with np.errstate(all="ignore"):
        together = variance**2 / (error**4 / freedom + added**2 / of_raters)
    return np.where(added > 0, np.sqrt(variance), error), np.where(added > 0, together, freedom)


def _parts(slope: Floats, products: Floats) -> Floats:
    spread = np.sqrt(np.maximum(np.diagonal(products, axis1=-2, axis2=-1), 0.0))
    return np.asarray((np.abs(slope) * spread).sum(axis=-1))


def covariances(one: Influence, other: Influence, slices: Moments, whole: Moments, units: Floats) -> Floats:
    """Return the sampling covariance of two statistics in every slice.

    A unit changes a statistic through the whole set (slope w) and through its part in the slice (slope o): the sum of
    products is ``w'V w + w'X o + o'X'w + o'V_l o``, with the products V and V_l of the whole set and of the slice, and
    the products X of a whole unit and its part. `units` (levels,) have the factor ``n / (n - 1)``.
    """
    total = _form(one.own, slices.products, other.own)
    if one.whole.any() or other.whole.any():  # few statistics use the whole set
        total += _by_whole(one, other, slices, whole)
    return _corrected(total, units)


def _by_whole(one: Influence, other: Influence, slices: Moments | Between, whole: Moments | Between) -> Floats:
    through = _form(one.whole, whole.products, other.whole)
    return through + _form(one.whole, slices.cross, other.own) + _form(other.whole, slices.cross, one.own)


def _corrected(total: Floats, units: Floats) -> Floats:
    with np.errstate(all="ignore"):
        return np.where(units > 1, total * units / (units - 1), np.nan)


def _root(variance: Floats, parts: Floats, units: Floats) -> Floats:
    with np.errstate(all="ignore"):
        error = np.where(variance > (ROUNDING * parts) ** 2, np.sqrt(np.maximum(variance, 0.0)), 0.0)
        return np.where((units > 1) & ~np.isnan(variance), error, np.nan)


def _form(left: Floats, products: Floats, right: Floats) -> Floats:
    return np.asarray(((left[:, None, :] @ products)[:, 0, :] * right).sum(axis=1))
