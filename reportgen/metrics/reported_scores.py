"""What another score of one item does to reported scores, as statistics of sums over test takers.

Each function takes what test takers add to sums, or the sums, so that values and standard errors come
from one formula (see `reportgen.tally.rowwise`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics.pair import ratio
from reportgen.tally.cells import Floats

Sums = Mapping[str, Floats]


def movement_features(reference: ArrayLike, other: ArrayLike) -> dict[str, Floats]:
    """Return what each test taker adds to the sums of `movement`.

    Parameters
    ----------
    reference, other
        (n,): reported scores.
    """
    gap = np.asarray(other, np.float64) - np.asarray(reference, np.float64)
    return {"n": np.ones(len(gap)), "gap": gap, "square": gap**2}


def movement(sums: Sums) -> dict[str, Floats]:
    """Return the mean of other less reference, and the root mean squared difference (RMSD).

    References
    ----------
    Casabianca et al. (2023), table 3.

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

    Parameters
    ----------
    sums
        Of `reliability_features`.
    slope
        Scale score per unit of the sum.

    Returns
    -------
    dict
        "alpha_reference", "alpha_other" (at most 1, possibly negative; nan for a single item or where
        everybody has the same sum), "alpha_change" (other less reference), "sem_reference" and
        "sem_other": ``slope x SD(sum) x sqrt(1 - alpha)``.

    References
    ----------
    Cronbach (1951); Lord and Novick (1968), section 3.8, for the standard error of measurement.

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
