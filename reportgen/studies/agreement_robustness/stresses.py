"""What is done to scores to see whether a coefficient moves: four stresses, on any gold scores.

The recipes are those of Yannakoudakis and Cummins (2015, section 4): the distribution of the gold
scores changes while errors stay the same; errors gather at one score while their sum stays the same;
errors grow while their sum stays the same; the scale is cut into fewer points.  Scores count from 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


def gaussian_scores(rng: np.random.Generator, n: int, points: int, mean: float, sd: float) -> Integers:
    """Return rounded normal scores on the scale; draws that fall outside are drawn again."""
    kept: list[Integers] = []
    while sum(map(len, kept)) < n:
        drawn = np.rint(rng.normal(mean, sd, 2 * n)).astype(np.int64)
        kept.append(drawn[(drawn >= 0) & (drawn < points)])
    return np.concatenate(kept)[:n]


def moved(rng: np.random.Generator, gold: Integers, points: int, share: float, step: int) -> Integers:
    """Return gold scores of which a share is moved by `step` points in a random direction.

    Where the scale has no such point another response is taken: the paper's footnote 12.
    """
    to = gold + step * rng.choice([-1, 1], len(gold))
    order = rng.permutation(len(gold))
    chosen = order[((to >= 0) & (to < points))[order]][: int(share * len(gold))]
    system = gold.copy()
    system[chosen] = to[chosen]
    return system


def gathered(rng: np.random.Generator, gold: Integers, points: int, centre: float, error: float) -> Integers:
    """Return scores whose errors gather at one place of the scale, with a given mean absolute error.

    Responses in random order take a score drawn about `centre` (SD 1), as long as the sum of errors stays
    within the budget.
    """
    candidates = gaussian_scores(rng, len(gold), points, centre, 1.0)
    order = rng.permutation(len(gold))
    cost = np.abs(candidates - gold)[order]
    return _spent(gold, candidates, order, cost, round(len(gold) * error))


def _spent(gold: Integers, candidates: Integers, order: Integers, cost: Integers, budget: int) -> Integers:
    """Return gold scores replaced, in order, by candidates whose cost still fits into the budget."""
    system, spent, place = gold.copy(), 0, 0
    while place < len(order) and spent < budget:
        # as many in a row as fit, then one by one around the first that does not
        total = spent + np.cumsum(cost[place:])
        fit = int(np.searchsorted(total, budget, side="right"))
        taken = order[place : place + fit]
        system[taken] = candidates[taken]
        spent = int(total[fit - 1]) if fit else spent
        place += fit + 1
    return system


def enlarged(rng: np.random.Generator, gold: Integers, points: int, size: float, error: float) -> Integers:
    """Return scores with errors of a mean size (two neighbouring whole sizes mixed) and a given mean absolute error."""
    system, budget, spent = gold.copy(), round(error * len(gold)), 0
    lower = int(np.floor(size))
    for response in rng.permutation(len(gold)):
        step = min(lower + int(rng.random() < size - lower), budget - spent)
        if step == 0:
            break
        up, down = gold[response] + step < points, gold[response] - step >= 0
        if up or down:
            direction = rng.choice([-1, 1]) if up and down else (1 if up else -1)
            system[response] += direction * step
            spent += step
    return system


def correlated_scores(
    rng: np.random.Generator, n: int, points: int, correlation: float, apart: float = 0.0
) -> tuple[Integers, Integers]:
    """Return two scores of a long scale that correlate about as asked: real-like human and system scores.

    Stands in for the examination scripts of the paper, which are not at hand: 1 to 40, correlation .75.

    Parameters
    ----------
    apart
        How far the system's mean lies above the human one, in standard deviations.
    """
    latent = rng.multivariate_normal([-apart / 2, apart / 2], [[1, correlation], [correlation, 1]], n)
    spread = points / 6
    first, second = np.clip(np.rint(latent.T * spread + (points - 1) / 2), 0, points - 1).astype(np.int64)
    return first, second


ROOM = 0.98
"""Share of the widest possible variance that is still asked for."""


def tilted(table: NDArray[np.float64], factor: float) -> NDArray[np.float64]:
    """Return a table (system in rows) whose gold scores spread `factor` times as wide, errors as before.

    Columns are weighed by exp(a d + b d^2), d the distance from the mean gold score, with a and b such
    that the mean stays and the standard deviation is `factor` times what it was: of all distributions
    with that mean and spread the nearest to the data's.  What the system does at each gold score stays.

    Raises
    ------
    ValueError
        When the gold scores that occur leave no room for so wide a spread.
    """
    from scipy.optimize import minimize

    share = table.sum(axis=0) / table.sum()
    used = share > 0
    place = np.arange(table.shape[1], dtype=np.float64)[used]
    mean = share[used] @ place
    deviation = (place - mean) / (np.ptp(place) or 1.0)
    wanted = factor**2 * (share[used] @ deviation**2)
    if wanted > ROOM * -deviation.min() * deviation.max():
        raise ValueError(f"the scores cannot spread {factor:g} times as wide on this scale")
    powers = np.stack([deviation, deviation**2])
    target = np.array([0.0, wanted])

    def weights(tilt: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        exponent = tilt @ powers
        raised = share[used] * np.exp(exponent - exponent.max())
        return raised / raised.sum(), float(np.log(raised.sum()) + exponent.max())

    def dual(tilt: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        now, size = weights(tilt)
        return size - float(tilt @ target), powers @ now - target

    found = minimize(dual, np.zeros(2), jac=True, method="BFGS", options={"gtol": 1e-10})
    factors = np.zeros(table.shape[1])
    factors[used] = weights(found.x)[0] / share[used]
    spread: NDArray[np.float64] = table * factors
    return spread
