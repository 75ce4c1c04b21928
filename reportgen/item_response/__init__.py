"""Calibrate, link, and score tests of right-or-wrong and rated items with item response theory.

The model is the generalized partial credit model (Muraki 1992); an item of two categories is then a two-parameter
logistic item, so both kinds are calibrated together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Item:
    """One item.

    steps: One location for each step from one score to the next; an item scored 0 or 1 has one, its difficulty.
    """

    slope: float  # discrimination, positive
    steps: tuple[float, ...]

    @property
    def most(self) -> int:
        """The highest score."""
        return len(self.steps)

    def on_scale(self, slope: float, intercept: float) -> Item:
        """Return the item on the scale ``slope * ability + intercept``.

        >>> Item(1.0, (0.5,)).on_scale(2.0, 1.0)
        Item(slope=0.5, steps=(2.0,))
        """
        return Item(self.slope / slope, tuple(slope * step + intercept for step in self.steps))


def log_probabilities(item: Item, ability: Floats) -> Floats:
    """Compute (scores, abilities): the log probability of every score at each ability.

    ``P(k) is proportional to exp(sum over the first k steps of slope * (ability - step))``.

    References
    ----------
    Muraki (1992), equation 2; Birnbaum (1968) for one step.

    >>> np.round(np.exp(log_probabilities(Item(1.0, (0.0,)), np.array([0.0, np.log(3)]))), 2).tolist()
    [[0.5, 0.25], [0.5, 0.75]]
    """
    ability = np.asarray(ability, dtype=np.float64)
    gains = item.slope * (ability[None, :] - np.asarray(item.steps)[:, None])
    total = np.vstack([np.zeros(len(ability)), np.cumsum(gains, axis=0)])
    largest = total.max(axis=0)
    return np.asarray(total - largest - np.log(np.exp(total - largest).sum(axis=0)))


class Curve(NamedTuple):
    """The summed score by ability, (abilities,) each: its mean, its conditional variance, and the slope of the mean."""

    mean: Floats
    variance: Floats
    slope: Floats


def characteristic_curve(items: Sequence[Item], ability: Floats) -> Curve:
    """Compute the test characteristic curve of items.

    >>> curve = characteristic_curve([Item(1.0, (0.0,)), Item(2.0, (0.0,))], np.array([0.0]))
    >>> [float(each[0]) for each in curve]
    [1.0, 0.5, 0.75]
    """
    mean, variance, slope = np.zeros((3, len(ability)))
    for item in items:
        probability = np.exp(log_probabilities(item, ability))
        score = np.arange(item.most + 1)
        own = score @ probability
        spread = score**2 @ probability - own**2
        mean += own
        variance += spread
        slope += item.slope * spread
    return Curve(mean, variance, slope)


POINTS, REACH = 41, 5.0  # number of ability points, and their range on both sides of 0
MOST_STEPS, NEAR = 500, 1e-4  # most EM steps, and the parameter change below which EM stops
NEWTON_STEPS, NEWTON_NEAR, LARGEST_MOVE, SMALLEST_SLOPE, RIDGE = 8, 1e-6, 0.5, 0.05, 1e-6


@dataclass(frozen=True)
class Calibration:
    """A calibration."""

    items: tuple[Item, ...]  # items in the order of the columns; ability has mean 0 and SD 1
    steps: int  # number of EM steps
    converged: bool  # whether no parameter moved by more than `NEAR` in the last step
    log_likelihood: float  # marginal log likelihood


def calibrate(scores: ArrayLike, most: Sequence[int], start: Sequence[Item] | None = None) -> Calibration:
    """Estimate generalized partial credit items by maximum likelihood.

    scores (n, items): whole scores from 0 to the item's highest.
    most (items,): highest score of each item; 1 for right or wrong.
    start: Start values: a calibration of nearly the same scores saves most steps.

    Raises ValueError: If a score is missing, not whole, or out of range, or a score point of an item never occurs, so
    that its step has no finite estimate.

    References
    ----------
    Bock and Aitkin (1981); Muraki (1992).

    >>> rng = np.random.default_rng(1)
    >>> true = [Item(1.2, (0.3,)), Item(0.8, (-0.5,)), Item(1.0, (-0.8, 0.9)), Item(1.5, (0.8,)), Item(1.1, (0.0,))]
    >>> ability = rng.normal(size=10_000)
    >>> draw = [(rng.random(10_000) > np.exp(log_probabilities(i, ability)).cumsum(axis=0)).sum(axis=0) for i in true]
    >>> found = calibrate(np.column_stack(draw), [1, 1, 2, 1, 1])
    >>> found.converged, max(abs(one.slope - other.slope) for one, other in zip(found.items, true)) < 0.15
    (True, True)
    """
    matrix, highest = _checked(scores, most)
    ability = np.linspace(-REACH, REACH, POINTS)
    weight = np.exp(-(ability**2) / 2)
    log_weight = np.log(weight / weight.sum())
    layout = _Layout(highest)
    indicators = layout.indicators(matrix)
    if start is None:  # slopes of 1, and steps spread slightly around 0
        start = [Item(1.0, tuple(np.linspace(-0.6, 0.6, k) if k > 1 else (0.0,))) for k in highest]
    parameters = layout.packed(start)
    likelihood, converged, steps = 0.0, False, 0
    while steps < MOST_STEPS and not converged:
        counts, likelihood = _expected_counts(indicators, layout.logs(parameters, ability), log_weight, layout)
        moved = layout.maximised(parameters, counts, ability)
        converged = layout.change(parameters, moved) < NEAR
        parameters, steps = moved, steps + 1
    return Calibration(layout.items(parameters), steps, converged, likelihood)


def _checked(scores: ArrayLike, most: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Convert scores and highest scores to whole numbers; raise if they are invalid."""
    given = np.asarray(scores, dtype=np.float64)
    highest = np.asarray(most, dtype=np.int64)
    if given.ndim != 2 or given.shape[1] != len(highest):
        raise ValueError(f"expected one column of scores for each of {len(highest)} items; found shape {given.shape}")
    if not np.isfinite(given).all() or (given != np.rint(given)).any():
        raise ValueError("scores must be whole numbers without missing values")
    matrix = given.astype(np.int64)
    for column, highest_score in enumerate(highest):
        own = matrix[:, column]
        if own.min() < 0 or own.max() > highest_score:
            raise ValueError(f"item {column + 1}: scores must be between 0 and {highest_score}; found {own.min()} to "
                             f"{own.max()}")  # fmt: skip
        missing = np.flatnonzero(np.bincount(own, minlength=highest_score + 1) == 0)
        if len(missing):
            raise ValueError(f"item {column + 1}: score {missing[0]} does not occur, so its steps cannot be estimated; "
                             "merge score points, or exclude the item")  # fmt: skip
    return matrix, highest


def _expected_counts(
    indicators: NDArray[np.float32], logs: Floats, log_weight: Floats, layout: _Layout
) -> tuple[Floats, float]:
    used = logs[layout.used].astype(np.float32)
    joint = indicators @ used + log_weight.astype(np.float32)
    largest = joint.max(axis=1, keepdims=True)
    np.exp(joint - largest, out=joint)
    total = joint.sum(axis=1, keepdims=True)
    likelihood = float(np.log(total, dtype=np.float64).sum() + largest.sum(dtype=np.float64))
    joint /= total
    counts = np.zeros(logs.shape)
    counts[layout.used] = indicators.T @ joint
    return counts, likelihood


class _Layout:
    """Layout of item parameters in one array, (items, 1 + longest): slope, then step intercepts -slope * step."""

    def __init__(self, most: NDArray[np.int64]) -> None:
        self.most, self.longest = most, int(most.max())
        score = np.arange(self.longest + 1)
        self.used = score[None, :] <= most[:, None]
        self.taken = (score[None, :] >= 1) & self.used  # existing steps of each item
        self.reached = (score[:, None] >= score[None, 1:]).astype(np.float64)  # (scores, steps)

    def indicators(self, matrix: NDArray[np.int64]) -> NDArray[np.float32]:
        columns = [matrix[:, [j]] == np.arange(k + 1) for j, k in enumerate(self.most)]
        return np.concatenate(columns, axis=1).astype(np.float32)

    def packed(self, items: Sequence[Item]) -> Floats:
        parameters = np.zeros((len(self.most), 1 + self.longest))
        for row, item in zip(parameters, items, strict=True):
            row[0] = item.slope
            row[1 : 1 + item.most] = -item.slope * np.asarray(item.steps)
        return parameters

    def items(self, parameters: Floats) -> tuple[Item, ...]:
        return tuple(
            Item(float(row[0]), tuple(float(c) for c in -row[1 : 1 + k] / row[0]))
            for row, k in zip(parameters, self.most, strict=True)
        )

    def change(self, before: Floats, after: Floats) -> float:
        steps = [np.where(self.taken[:, 1:], -each[:, 1:] / each[:, :1], 0.0) for each in (before, after)]
        return float(max(np.abs(after[:, 0] - before[:, 0]).max(), np.abs(steps[1] - steps[0]).max()))

    def logs(self, parameters: Floats, ability: Floats) -> Floats:
        """Return (items, scores, abilities) log probabilities; -inf for scores that an item does not have."""
        score = np.arange(self.longest + 1)
        total = (
            parameters[:, :1, None] * score[None, :, None] * ability + (parameters[:, 1:] @ self.reached.T)[:, :, None]
        )
        total = np.where(self.used[:, :, None], total, -np.inf)
        largest = total.max(axis=1, keepdims=True)
        return np.asarray(total - largest - np.log(np.exp(total - largest).sum(axis=1, keepdims=True)))

    def maximised(self, parameters: Floats, counts: Floats, ability: Floats) -> Floats:
        """Maximize the likelihood of the expected counts by Newton's method, and return the parameters."""
        items, size = len(self.most), 1 + self.longest
        # (scores, parameters, abilities): how every parameter changes the logit of every score
        slopes = (np.arange(size)[:, None] * ability)[:, None, :]
        steps = np.broadcast_to(self.reached[:, :, None], (*self.reached.shape, len(ability)))
        design = np.concatenate([slopes, steps], axis=1)
        by_cell = design.transpose(0, 2, 1).reshape(-1, size)  # (scores and abilities, parameters)
        squares = (by_cell[:, :, None] * by_cell[:, None, :]).reshape(len(by_cell), size * size)
        observed = counts.reshape(items, -1) @ by_cell
        total = counts.sum(axis=1)
        free = np.concatenate([np.ones((items, 1), bool), self.taken[:, 1:]], axis=1)
        both = free[:, :, None] & free[:, None, :]
        fixed = np.eye(size) * ~free[:, :, None] + RIDGE * np.eye(size)
        for _ in range(NEWTON_STEPS):
            probability = np.exp(self.logs(parameters, ability))
            expected = np.einsum("jkq,kpq->jpq", probability, design)
            gradient = observed - (expected * total[:, None, :]).sum(axis=2)
            weighted = (probability * total[:, None, :]).reshape(items, -1)
            second = (weighted @ squares).reshape(items, size, size)
            second -= (expected * total[:, None, :]) @ expected.transpose(0, 2, 1)
            move = np.linalg.solve(second * both + fixed, (gradient * free)[:, :, None])[:, :, 0]
            move = np.clip(move, -LARGEST_MOVE, LARGEST_MOVE)
            parameters = parameters + move
            parameters[:, 0] = np.maximum(parameters[:, 0], SMALLEST_SLOPE)
            if np.abs(move).max() < NEWTON_NEAR:
                break
        return parameters


LINK_POINTS, LINK_REACH = 41, 4.0


def stocking_lord(new: Sequence[Item], base: Sequence[Item]) -> tuple[float, float]:
    """Return the line that best matches the characteristic curve of common items to the base's.

    Returns slope and intercept: ``ability on the base scale = slope * ability + intercept``.

    new, base: The same items in the same order, in both calibrations.

    Raises ValueError: If there is no common item, or they differ in their number of scores.

    References
    ----------
    Stocking and Lord (1983); the sum runs over abilities with the weights of a standard normal distribution.

    >>> base = [Item(1.0, (0.2,)), Item(0.7, (-1.0, 0.8))]
    >>> new = [item.on_scale(1 / 1.3, -0.5 / 1.3) for item in base]
    >>> [round(each, 4) for each in stocking_lord(new, base)]
    [1.3, 0.5]
    """
    from scipy.optimize import minimize

    if not new or len(new) != len(base):
        raise ValueError(f"linking requires the same items in both calibrations; found {len(new)} and {len(base)}")
    if [item.most for item in new] != [item.most for item in base]:
        raise ValueError("linking requires items with the same number of scores in both calibrations")
    ability = np.linspace(-LINK_REACH, LINK_REACH, LINK_POINTS)
    weight = np.exp(-(ability**2) / 2)
    own = characteristic_curve(new, ability).mean

    def loss(line: Floats) -> float:
        there = characteristic_curve(base, line[0] * ability + line[1]).mean
        return float((weight * (own - there) ** 2).sum())

    # starts from the line by mean slope and mean step (Marco 1977; Loyd and Hoover 1980)
    slope = np.mean([item.slope for item in new]) / np.mean([item.slope for item in base])
    steps = [np.concatenate([item.steps for item in items]).mean() for items in (new, base)]
    start = np.array([slope, steps[1] - slope * steps[0]])
    found = minimize(loss, start, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-12, "maxiter": 2000})
    return float(found.x[0]), float(found.x[1])


GRID = 4001


def characteristic_curve_abilities(items: Sequence[Item], totals: ArrayLike, low: float, high: float) -> Floats:
    """Return the abilities at which the expected summed score equals the observed one.

    totals: Summed scores.
    low, high: Lowest and highest reported ability; totals of 0 and of the maximum, which have no finite ability, get
        these.

    Raises ValueError: If `low` is not below `high`.

    References
    ----------
    Lord (1980), section 4.9.

    >>> items = [Item(1.0, (-0.5,)), Item(1.0, (0.5,))]
    >>> characteristic_curve_abilities(items, [0, 1, 2], -3.0, 3.0).round(6).tolist()
    [-3.0, 0.0, 3.0]
    """
    if not low < high:
        raise ValueError(f"expected a lowest ability below the highest; found {low} and {high}")
    grid = np.linspace(low, high, GRID)
    wanted = np.asarray(totals, np.float64)
    ability: Floats = np.interp(wanted, characteristic_curve(items, grid).mean, grid)
    # one step of Newton's method each; the grid is fine, so this is exact to the printed precision
    distinct, back = np.unique(ability, return_inverse=True)
    curve = characteristic_curve(items, distinct)
    refined = ability + (wanted - curve.mean[back]) / curve.slope[back]
    inside = (ability > low) & (ability < high)
    return np.where(inside, np.clip(refined, low, high), ability)


def conditional_standard_error(items: Sequence[Item], ability: ArrayLike) -> Floats:
    """Compute the standard error of the ability estimated from a summed score, at each ability.

    ``SD(summed score | ability) / slope of the test characteristic curve``.

    References
    ----------
    Lord (1980), section 4.9; Kolen and Lee (2011) for scale scores.

    >>> conditional_standard_error([Item(1.0, (0.0,))], [0.0]).tolist()
    [2.0]
    """
    curve = characteristic_curve(items, np.asarray(ability, np.float64))
    return np.sqrt(curve.variance) / curve.slope
