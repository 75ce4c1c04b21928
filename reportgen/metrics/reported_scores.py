"""What another score of one item does to reported scores, as statistics of sums over test takers.

Each function takes what test takers add to sums, or the sums, so that values and standard errors come
from one formula (see `reportgen.tally.joint`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics import true_score
from reportgen.metrics._arrays import Mask, as_ratings, as_scores, rating_sums
from reportgen.metrics.pair import ratio
from reportgen.tally.sums import Floats, RatingSums

__all__ = ["expected_true_scores", "required_prmse", "standardized_disagreements"]

Sums = Mapping[str, Floats]


def movement_features(reference: ArrayLike, other: ArrayLike) -> dict[str, Floats]:
    """Return what each test taker adds to the sums of `movement`."""
    gap = np.asarray(other, np.float64) - np.asarray(reference, np.float64)
    return {"n": np.ones(len(gap)), "gap": gap, "square": gap**2}


def movement(sums: Sums) -> dict[str, Floats]:
    """Return the mean of other less reference, and the root mean squared difference (RMSD).

    Source: Casabianca et al. (2023), table 3.

    Examples
    --------
    >>> found = movement({name: each.sum() for name, each in movement_features([10, 20, 30], [10, 24, 29]).items()})
    >>> float(found["mean_difference"]), round(float(found["rmsd"]), 4)
    (1.0, 2.3805)
    """
    return {"mean_difference": ratio(sums["gap"], sums["n"]), "rmsd": np.sqrt(ratio(sums["square"], sums["n"]))}


def spread_features(scores: ArrayLike) -> dict[str, Floats]:
    """Return what each test taker adds to the sums of `spread`: (n,) scores, measured from their mean."""
    own = np.asarray(scores, np.float64)
    own = own - own.mean()
    return {"n": np.ones(len(own)), "own": own, "square": own**2}


def spread(sums: Sums) -> dict[str, Floats]:
    """Return the mean, measured from where the scores were, and the standard deviation (divisor n - 1)."""
    mean = ratio(sums["own"], sums["n"])
    return {"mean": mean, "sd": np.sqrt((sums["square"] - sums["own"] * mean) / (sums["n"] - 1))}


def reliability_features(items: ArrayLike, reference: ArrayLike, other: ArrayLike) -> dict[str, Floats]:
    """Return what each test taker adds to the sums of `reliability`.

    Parameters
    ----------
    items
        (n, k - 1): scores of the other items.
    reference, other
        (n,): the two scores of the item that has two.
    """
    rest, one, two = (np.asarray(each, np.float64) for each in (items, reference, other))
    rest, one, two = rest - rest.mean(axis=0), one - one.mean(), two - two.mean()
    total = rest.sum(axis=1)
    return {
        "n": np.ones(len(one)), "rest": rest, "rest_square": (rest**2).sum(axis=1),
        "one": one, "one_square": one**2, "one_total": (total + one) ** 2,
        "two": two, "two_square": two**2, "two_total": (total + two) ** 2,
    }  # fmt: skip


def reliability(sums: Sums, slope: float = 1.0) -> dict[str, Floats]:
    """Return Cronbach's alpha of the summed score with either score of the item, and its standard error of measurement.

    Result: "alpha_reference", "alpha_other" (at most 1, possibly negative; nan for a single item or where everybody has
    the same sum), "alpha_change" (other less reference), "sem_reference" and "sem_other": ``slope x SD(sum) x sqrt(1 -
    alpha)``.
    Source: Cronbach (1951); Lord and Novick (1968), section 3.8, for the standard error of measurement.

    Parameters
    ----------
    sums
        Of `reliability_features`.
    slope
        Scale score per unit of the sum.

    Examples
    --------
    >>> items = np.array([[2, 3], [4, 4], [1, 2], [5, 4.0]])
    >>> features = reliability_features(items, [3, 5, 1, 4], [3, 4, 2, 5])
    >>> found = reliability({name: each.sum(axis=0) for name, each in features.items()})
    >>> round(float(found["alpha_reference"]), 4), round(float(found["alpha_other"]), 4)
    (0.9342, 0.9538)
    """
    n, found = sums["n"], {}
    k = sums["rest"].shape[-1] + 1
    of_rest = sums["rest_square"] / n - ((sums["rest"] / n) ** 2).sum(axis=-1)
    middle = sums["rest"].sum(axis=-1)
    for name, key in (("reference", "one"), ("other", "two")):
        items = of_rest + sums[f"{key}_square"] / n - (sums[key] / n) ** 2
        total = sums[f"{key}_total"] / n - ((middle + sums[key]) / n) ** 2
        alpha = k / (k - 1) * (1 - ratio(items, total)) if k > 1 else np.nan * total
        found[f"alpha_{name}"] = alpha
        found[f"sem_{name}"] = slope * np.sqrt(n / (n - 1) * total * (1 - alpha))
    return found | {"alpha_change": found["alpha_other"] - found["alpha_reference"]}


def expected_true_scores(ratings: ArrayLike, system: ArrayLike, *, error_variance: float | None = None) -> Floats:
    """Return the expected true score of every response, given its ratings and the system's score.

    The best linear prediction ``mu + (v, k) [[v + ve / c, k], [k, w]]^-1 (m - mu, s - nu)``: m the mean of c ratings
    and mu that of all, v and ve the variances of true scores and of rater errors, s the system's score with mean nu
    and variance w, k the covariance of ratings and system.  Where the system gave no score it rests on the ratings
    alone, ``mu + v / (v + ve / c) (m - mu)``, which is Kelley's formula.

    Result: (n,) in score points, not cut off at the ends of a scale; NaN for a response without a rating, and
    everywhere when no response was rated twice (and no error variance given) or true scores have no variance.
    Source: Kelley (1947), *Fundamentals of Statistics*; with a second predictor: Lord and Novick (1968), section 3.7.

    Examples
    --------
    A rater without error is believed, whatever the system says:

    >>> expected_true_scores([[1.0], [2.0], [4.0]], [2.0, 2.0, 3.0], error_variance=0.0).tolist()
    [1.0, 2.0, 4.0]
    """
    c, mean, own, both, sums, error = _read(ratings, system, error_variance)
    total = float(sums.c[0])
    true = float(true_score.variance_by_ratings(sums, error)[0])
    centre = sums.centre
    mu, nu = centre + float(sums.cm[0]) / total, centre + float(sums.cs[0]) / total
    spread = float(sums.css[0]) / total - (nu - centre) ** 2
    shared = float(sums.cms[0]) / total - (mu - centre) * (nu - centre)
    if not true > 0:
        return np.full(len(own), np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = true + error / c
        alone = mu + true / observed * (mean - mu)
        determinant = observed * spread - shared**2
        of_mean = (true * spread - shared**2) / determinant
        of_system = shared * (observed - true) / determinant
        together = mu + of_mean * (mean - mu) + of_system * (own - nu)
    useful = both & (spread > 0) & (determinant > 0)
    return np.where(useful, together, np.where(c > 0, alone, np.nan))


def standardized_disagreements(ratings: ArrayLike, system: ArrayLike, *, error_variance: float | None = None) -> Floats:
    """Return how far the system's score lies from the mean rating of every response, in SDs expected of such pairs.

    ``(s - m) / sqrt(ve / c + MSE)``: s the system's score, m the mean of c ratings, ve the variance of rater errors,
    MSE the mean squared error of the system as a predictor of true scores.  In the mean the squares are about 1.

    Result: (n,), positive where the system's score is higher; NaN where there is no rating or no system score, and
    everywhere when the variance of rater errors is not known.
    Source: Lord, F. M., & Novick, M. R. (1968). Statistical theories of mental test scores, sections 2.9 and 3.7:
    errors of measurement and of prediction add up where they are independent.

    Examples
    --------
    >>> standardized_disagreements([[1.0], [2.0], [3.0]], [2.0, 2.0, 3.0], error_variance=0.0).round(2).tolist()
    [1.73, 0.0, 0.0]
    """
    c, mean, own, both, sums, error = _read(ratings, system, error_variance)
    mse = max(float(true_score.mean_squared_error_true(sums, error)[0]), 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(both, (own - mean) / np.sqrt(error / c + mse), np.nan)
    return found


def _read(
    ratings: ArrayLike, system: ArrayLike, error_variance: float | None
) -> tuple[Floats, Floats, Floats, Mask, RatingSums, float]:
    """Return of each response how many ratings, their mean, the system's score, and whether there are both.

    Last the sums over all, and the variance of rater errors, estimated when it is not given.
    """
    given, own = as_ratings(ratings), as_scores(system, "system")
    here, sums = np.isfinite(given), rating_sums(own, given)
    c = here.sum(axis=1).astype(np.float64)
    with np.errstate(invalid="ignore"):
        mean = np.where(here, given, 0.0).sum(axis=1) / c
    error = float(true_score.rater_error_variance(sums)[0]) if error_variance is None else error_variance
    return c, mean, own, (c > 0) & np.isfinite(own), sums, error


REFERENCE_PRMSE, REFERENCE_SHARE = 0.70, 2 / 43
"""Least PRMSE of Casabianca et al. (2023), and their item's share of the full test: 2 of 43 points, 4.65 %."""


def required_prmse(
    share: float,
    items: int = 1,
    *,
    together: bool = False,
    reference_prmse: float = REFERENCE_PRMSE,
    reference_share: float = REFERENCE_SHARE,
) -> float:
    """Return the PRMSE at which the engine moves test scores no more than at the reference PRMSE and share.

    The engine's error on an item is SD(T) sqrt(1 - PRMSE); the test score takes on that error in proportion to
    the item's share s of the total points.  Equal movement of test scores, in their standard deviations, asks
    for s sqrt(1 - PRMSE) = s0 sqrt(1 - PRMSE0), so that PRMSE = 1 - (1 - PRMSE0) (s0 / s)^2.  Errors of k items of
    share s each are taken as independent (k in the place of 1), or as going together (k^2).

    Result: from `reference_prmse` to 1: an item of little weight must still measure what raters score.
    Source: Casabianca et al. (2023), discussion: the risk rises with the share of the total score, and items scored
    together need a higher PRMSE each.  They give no formula; this one is derived.  In their table 3 (noise, pi of .80)
    scores move by .12 standard deviations on the full test and .22 on the shortest: a ratio of 1.8, where the shares
    have 1.9.

    Parameters
    ----------
    share
        Share of the total possible score that comes from each item, above 0 and at most 1.
    items
        Number of items of this share that the engine scores.
    together
        Whether the engine errs on all of them in the same direction, for the same test takers.
    reference_prmse, reference_share
        What is held to be just accurate enough, and for which share.

    Notes
    -----
    Assumes that true scores of items spread in proportion to their points, and that the score of the test is a
    line in the sum of points.

    Examples
    --------
    >>> round(required_prmse(2 / 43), 2), round(required_prmse(2 / 36), 2), round(required_prmse(2 / 23), 2)
    (0.7, 0.79, 0.91)
    >>> round(required_prmse(2 / 43, 3), 2), round(required_prmse(2 / 43, 3, together=True), 2)
    (0.9, 0.97)
    """
    for name, value in (("share", share), ("reference_share", reference_share)):
        if not (math.isfinite(value) and 0 < value <= 1):
            raise ValueError(f"{name}: expected above 0 and at most 1; found {value}")
    if items < 1 or items * share > 1 + 1e-9:
        raise ValueError(f"items: expected at least 1 and together at most the whole test; found {items} of {share:g}")
    if not reference_prmse <= 1:
        raise ValueError(f"reference_prmse: expected at most 1; found {reference_prmse}")
    weight = items**2 if together else items
    return max(reference_prmse, 1 - (1 - reference_prmse) * (reference_share / share) ** 2 / weight)
