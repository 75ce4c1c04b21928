"""The generalized partial credit model (Muraki 1992)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Item:
    """One item.

    Parameters
    ----------
    slope
        Discrimination, positive.
    steps
        One location for each step from one score to the next; an item scored 0 or 1 has one, its difficulty.
    """

    slope: float
    steps: tuple[float, ...]

    @property
    def most(self) -> int:
        """The highest score."""
        return len(self.steps)

    def on_scale(self, slope: float, intercept: float) -> Item:
        """Return the item on the scale ``slope * ability + intercept``.

        Examples
        --------
        >>> Item(1.0, (0.5,)).on_scale(2.0, 1.0)
        Item(slope=0.5, steps=(2.0,))
        """
        return Item(self.slope / slope, tuple(slope * step + intercept for step in self.steps))


def log_probabilities(item: Item, ability: Floats) -> Floats:
    """Return (scores, abilities): the log probability of every score at each ability.

    ``P(k) is proportional to exp(sum over the first k steps of slope * (ability - step))``.

    References
    ----------
    Muraki (1992), equation 2; Birnbaum (1968) for one step.

    Examples
    --------
    >>> np.round(np.exp(log_probabilities(Item(1.0, (0.0,)), np.array([0.0, np.log(3)]))), 2).tolist()
    [[0.5, 0.25], [0.5, 0.75]]
    """
    ability = np.asarray(ability, dtype=np.float64)
    gains = item.slope * (ability[None, :] - np.asarray(item.steps)[:, None])
    total = np.vstack([np.zeros(len(ability)), np.cumsum(gains, axis=0)])
    largest = total.max(axis=0)
    logs: Floats = total - largest - np.log(np.exp(total - largest).sum(axis=0))
    return logs


def score_moments(items: Sequence[Item], ability: Floats) -> tuple[Floats, Floats]:
    """Return (abilities,) mean and variance of the summed score given ability: the test characteristic curve first.

    Examples
    --------
    >>> mean, variance = score_moments([Item(1.0, (0.0,)), Item(2.0, (0.0,))], np.array([0.0]))
    >>> float(mean[0]), float(variance[0])
    (1.0, 0.5)
    """
    mean, variance = np.zeros(len(ability)), np.zeros(len(ability))
    for item in items:
        probability = np.exp(log_probabilities(item, ability))
        score = np.arange(item.most + 1)
        own = score @ probability
        mean += own
        variance += score**2 @ probability - own**2
    return mean, variance


def expected_scores(items: Sequence[Item], ability: Floats) -> Floats:
    """Return (abilities,): the expected summed score, which is the test characteristic curve."""
    return score_moments(items, ability)[0]
