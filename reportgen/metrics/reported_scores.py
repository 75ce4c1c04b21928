"""Effects of another score of one item on reported scores, as statistics of sums over test takers.

Functions compute the contributions of test takers to sums, or the statistics of the sums, so that values and standard
errors use the same formula (see `reportgen.tally.joint`).
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
    """Compute the contribution of each test taker to the sums of `movement`."""
    gap = np.asarray(other, np.float64) - np.asarray(reference, np.float64)
    return {"n": np.ones(len(gap)), "gap": gap, "square": gap**2}


def movement(sums: Sums) -> dict[str, Floats]:
    """Compute the mean of other minus reference, and the root mean squared difference (RMSD).

    Source: Casabianca et al. (2023), table 3.

    >>> found = movement({name: each.sum() for name, each in movement_features([10, 20, 30], [10, 24, 29]).items()})
    >>> float(found["mean_difference"]), round(float(found["rmsd"]), 4)
    (1.0, 2.3805)
    """
    return {"mean_difference": ratio(sums["gap"], sums["n"]), "rmsd": np.sqrt(ratio(sums["square"], sums["n"]))}


def spread_features(scores: ArrayLike) -> dict[str, Floats]:
    """Compute the contribution of each test taker to the sums of `spread`, from (n,) scores minus their mean."""
    own = np.asarray(scores, np.float64)
    own = own - own.mean()
    return {"n": np.ones(len(own)), "own": own, "square": own**2}


def spread(sums: Sums) -> dict[str, Floats]:
    """Compute the mean, relative to the center of the scores, and the standard deviation (divisor n - 1)."""
    mean = ratio(sums["own"], sums["n"])
    return {"mean": mean, "sd": np.sqrt((sums["square"] - sums["own"] * mean) / (sums["n"] - 1))}


def reliability_features(items: ArrayLike, reference: ArrayLike, other: ArrayLike) -> dict[str, Floats]:
    """Compute the contribution of each test taker to the sums of `reliability`.

    items (n, k - 1): scores of the other items.
    reference, other (n,): the two scores of the item that has two.
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
    """Compute Cronbach's alpha and the standard error of measurement with either score of the item.

    Result: "alpha_reference", "alpha_other" (at most 1, possibly negative; nan for a single item or if all sums are
    equal), "alpha_change" (other minus reference), "sem_reference" and "sem_other":
    ``slope x SD(sum) x sqrt(1 - alpha)``.
    Source: Cronbach (1951); Lord and Novick (1968), section 3.8, for the standard error of measurement.

    slope: scale score per unit of the sum.

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
    """Estimate the true score of every response from its ratings and the system's score.

    The best linear prediction ``mu + (v, k) [[v + ve / c, k], [k, w]]^-1 (m - mu, s - nu)``, with the mean m of c
    ratings, the mean mu of all ratings, the variances v and ve of true scores and of rater errors, the system's score s
    with mean nu and variance w, and the covariance k of ratings and system. Without a system score, it is Kelley's
    formula, ``mu + v / (v + ve / c) (m - mu)``.

    Result: (n,) in score points, not limited to the scale; NaN for a response without a rating, and for all if true
    scores have no variance or no response was rated twice (unless the error variance is given).
    Source: Kelley (1947), *Fundamentals of Statistics*; with a second predictor: Lord and Novick (1968), section 3.7.

    Examples
    --------
    For a rater without error, the system's score is irrelevant:

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
    """Compute the system's score minus the mean rating of every response, in expected SDs.

    ``(s - m) / sqrt(ve / c + MSE)``, with the system's score s, the mean m of c ratings, the variance ve of rater
    errors, and the mean squared error MSE of the system as a predictor of true scores. On average, the squares are
    about 1.

    Result: (n,), positive if the system's score is higher; NaN without a rating or a system score, and for all if the
    variance of rater errors is unknown.
    Source: Lord and Novick (1968), sections 2.9 and 3.7: independent errors of measurement and of prediction add up.

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
    """Return the number and mean of ratings, the system's score, and whether there are both, for each response.

    Then the sums over all, and the variance of rater errors, which is estimated by default.
    """
    given, own = as_ratings(ratings), as_scores(system, "system")
    here, sums = np.isfinite(given), rating_sums(own, given)
    c = here.sum(axis=1).astype(np.float64)
    with np.errstate(invalid="ignore"):
        mean = np.where(here, given, 0.0).sum(axis=1) / c
    error = float(true_score.rater_error_variance(sums)[0]) if error_variance is None else error_variance
    return c, mean, own, (c > 0) & np.isfinite(own), sums, error


REFERENCE_PRMSE, REFERENCE_SHARE, LARGEST_SHARE = 0.70, 2 / 43, 2 / 23
"""Least PRMSE of Casabianca et al. (2023), and their item's share of the full and of the shortest test."""


def required_prmse(
    share: float,
    items: int = 1,
    *,
    together: bool = False,
    reference_prmse: float = REFERENCE_PRMSE,
    reference_share: float = REFERENCE_SHARE,
) -> float:
    """Compute the PRMSE at which the engine moves test scores as much as at the reference.

    The engine's error on an item is SD(T) sqrt(1 - PRMSE), and its effect on the test score is proportional to the
    item's share s of the total points. Equal movement of test scores, in their standard deviations, requires s sqrt(1 -
    PRMSE) = s0 sqrt(1 - PRMSE0), so PRMSE = 1 - (1 - PRMSE0) (s0 / s)^2. For k items with share s each, the errors are
    independent (factor k) or `together` (k^2).

    Result: from `reference_prmse`, because an item of little weight must still measure well, to 1.
    Source: Casabianca et al. (2023), discussion; the formula is ours. In their table 3 (noise, pi of .80), scores move
    by .12 standard deviations on the full test and .22 on the shortest, a ratio of 1.8; the ratio of the shares is 1.9.

    Parameters
    ----------
    share
        Share of each item in the total possible score, above 0 and at most 1.
    items
        Number of items of this share that the engine scores.
    together
        Whether the engine's errors on all items are the same for each test taker.
    reference_prmse, reference_share
        The least sufficient PRMSE, and its share.

    Notes
    -----
    Assumes that SDs of true scores are proportional to the items' points, and test scores linear in the sum of points.

    Examples
    --------
    >>> round(required_prmse(2 / 43), 2), round(required_prmse(2 / 36), 2), round(required_prmse(2 / 23), 2)
    (0.7, 0.79, 0.91)
    >>> round(required_prmse(2 / 43, 3), 2), round(required_prmse(2 / 43, 3, together=True), 2)
    (0.9, 0.97)
    """
    for name, value in (("share", share), ("reference_share", reference_share)):
        if not (math.isfinite(value) and 0 < value <= 1):
            raise ValueError(f"{name}: expected a number above 0 and at most 1; found {value}")
    if items < 1 or items * share > 1 + 1e-9:
        raise ValueError(f"items: expected at least 1 and at most the whole test; found {items} of {share:g}")
    if not reference_prmse <= 1:
        raise ValueError(f"reference_prmse: expected at most 1; found {reference_prmse}")
    weight = items**2 if together else items
    return max(reference_prmse, 1 - (1 - reference_prmse) * (reference_share / share) ** 2 / weight)
