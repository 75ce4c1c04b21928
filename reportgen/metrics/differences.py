"""How far the means of two scores lie apart, in standard deviations."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics import pair
from reportgen.metrics._arrays import pair_sums

Method = Literal["unpooled", "pooled", "johnson", "williamson"]


class Population(NamedTuple):
    """Means and standard deviations of the responses that a group is compared with."""

    human_mean: float
    system_mean: float
    human_sd: float
    system_sd: float

    @classmethod
    def of(cls, human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Population:
        """Return the moments (standard deviations by n - 1) of the responses with both scores."""
        sums = pair_sums(human, system, sample_weight)
        return cls(*(float(moment(sums)[0]) for moment in (pair.mean_x, pair.mean_y, pair.sd_x, pair.sd_y)))


def standardized_mean_difference(
    human: ArrayLike,
    system: ArrayLike,
    *,
    method: Method = "unpooled",
    population_human_sd: float | None = None,
    population_system_sd: float | None = None,
    ddof: int = 1,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the standardized mean difference, ``(mean s - mean h) / SD``.

    Parameters
    ----------
    human, system
        (n,): scores, NaN where missing; pairs with a missing side are dropped.
    method
        What the difference is divided by:

        * "unpooled": the SD of the human scores (system against human);
        * "pooled": root of the mean of both variances (human against human);
        * "johnson": the SD of the human scores of the population;
        * "williamson": root of the mean of both variances of the population.
    population_human_sd, population_system_sd
        The SDs of the population, for the last two methods.
    ddof
        Variances of the given scores are divided by n - ddof.
    sample_weight
        (n,): how often each response counts, 0 or more; once by default.  Integer weights repeat rows.

    Returns
    -------
    float
        Any number, positive when the system scores higher; nan when the divisor is 0 or undefined.

    Raises
    ------
    ValueError
        When lengths differ, a score is infinite, the method is unknown, or its population SD is missing.

    References
    ----------
    Williamson, Xi and Breyer (2012) for |SMD| <= .15; the four divisors are those of RSMTool 12.

    Examples
    --------
    >>> from reportgen.metrics.worked_examples import HUMAN, SYSTEM
    >>> round(standardized_mean_difference(HUMAN, SYSTEM, ddof=0), 10)
    1.1717001988
    >>> round(standardized_mean_difference(HUMAN, SYSTEM, method="johnson", population_human_sd=2.3), 10)
    0.9782608696
    """
    sums = pair_sums(human, system, sample_weight)
    if method == "unpooled":
        return float(pair.standardized_mean_difference(sums, ddof)[0])
    if method == "pooled":
        return float(pair.standardized_mean_difference_pooled(sums, ddof)[0])
    divisor = _population_sd(method, population_human_sd, population_system_sd)
    return float(pair.ratio(pair.mean_difference(sums), divisor)[0])


def _population_sd(method: str, human_sd: float | None, system_sd: float | None) -> float:
    """Return the divisor of the methods that take it from the population."""
    if method not in ("johnson", "williamson"):
        raise ValueError(f"method {method!r} is unknown; use unpooled, pooled, johnson or williamson")
    if human_sd is None:
        raise ValueError(f"method {method!r} needs population_human_sd")
    if method == "johnson":
        return human_sd
    if system_sd is None:
        raise ValueError("method 'williamson' needs population_system_sd")
    return float(np.sqrt((human_sd**2 + system_sd**2) / 2))


def difference_of_standardized_means(
    human: ArrayLike,
    system: ArrayLike,
    *,
    population: Population | tuple[float, float, float, float] | tuple[ArrayLike, ArrayLike] | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return how much higher the system places a group than humans do, in SDs of the population.

    ``mean of (z(s) - z(h))`` over the group, with ``z(h) = (h - mean h) / SD h`` and likewise for s,
    means and SDs of the whole population.  A system that only shifts or stretches everybody's scores
    has 0 for every group.

    Parameters
    ----------
    human, system
        (n,): scores of the group, NaN where missing; pairs with a missing side are dropped.
    population
        (human mean, system mean, human SD, system SD) of all responses, or the pair (human scores,
        system scores) of all responses.  None takes the group itself, which gives 0.
    sample_weight
        (n,): how often each response counts, 0 or more; once by default.  Integer weights repeat rows.

    Returns
    -------
    float
        Any number, positive when the system favours the group; nan when a population SD is 0 (within
        1e-7) or the group has no pair.

    Raises
    ------
    ValueError
        When lengths differ, a score is infinite, or the population is neither two arrays nor four numbers.

    References
    ----------
    Loukina, Madnani and Zechner (2019).

    Examples
    --------
    >>> from reportgen.metrics.worked_examples import HUMAN, SYSTEM
    >>> round(difference_of_standardized_means(HUMAN, SYSTEM, population=(4.5, 5.1, 1.2, 1.8)), 10)
    0.7083333333
    """
    own = Population.of(human, system, sample_weight=sample_weight)
    moments = own if population is None else _population(population)
    return float(pair.difference_of_standardized_means(pair_sums(human, system, sample_weight), *moments)[0])


def _population(given: tuple[ArrayLike, ...]) -> Population:
    """Return the moments from four numbers or two arrays."""
    if len(given) == 2:
        return Population.of(*given)
    if len(given) == 4:
        return Population(*(float(np.asarray(moment)) for moment in given))
    raise ValueError(f"population must be two arrays or four numbers; found {len(given)} items")
