"""Calibration of items by marginal maximum likelihood: the EM algorithm of Bock and Aitkin (1981).

Ability is standard normal.  Expected counts of scores at points of ability are found for all items,
then every item's parameters by Newton's method; all items are treated at once, padded to the longest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.item_response.model import Floats, Item

POINTS, REACH = 41, 5.0
"""Points of ability, and how far they reach on both sides of 0."""
MOST_STEPS, NEAR = 500, 1e-4
"""Steps of EM, and the change of any parameter below which it stops."""
NEWTON_STEPS, NEWTON_NEAR, LARGEST_MOVE, SMALLEST_SLOPE, RIDGE = 8, 1e-6, 0.5, 0.05, 1e-6


@dataclass(frozen=True)
class Calibration:
    """Items found, and how.

    Parameters
    ----------
    items
        In the order of the columns; ability has mean 0 and SD 1.
    steps
        EM steps that were made.
    converged
        Whether no parameter moved by more than `NEAR` in the last one.
    log_likelihood
        Marginal log likelihood.
    """

    items: tuple[Item, ...]
    steps: int
    converged: bool
    log_likelihood: float


def calibrate(scores: ArrayLike, most: Sequence[int], start: Sequence[Item] | None = None) -> Calibration:
    """Return the generalized partial credit items that make scores most likely.

    Parameters
    ----------
    scores
        (n, items): whole scores from 0 to the item's highest.
    most
        (items,): highest score of each item; 1 for right or wrong.
    start
        Where to begin: a calibration of nearly the same scores saves most steps.

    Raises
    ------
    ValueError
        When a score is missing, not whole or out of range, or a score point of an item never occurs: its
        step has no finite estimate.

    References
    ----------
    Bock and Aitkin (1981); Muraki (1992).

    Examples
    --------
    >>> from reportgen.item_response.model import log_probabilities
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
    parameters = layout.start() if start is None else layout.packed(start)
    likelihood, converged, steps = 0.0, False, 0
    while steps < MOST_STEPS and not converged:
        counts, likelihood = _expected_counts(indicators, layout.logs(parameters, ability), log_weight, layout)
        moved = layout.maximised(parameters, counts, ability)
        converged = layout.change(parameters, moved) < NEAR
        parameters, steps = moved, steps + 1
    return Calibration(layout.items(parameters), steps, converged, likelihood)


def _checked(scores: ArrayLike, most: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return scores and highest scores as whole numbers, or say what is wrong."""
    given = np.asarray(scores, dtype=np.float64)
    highest = np.asarray(most, dtype=np.int64)
    if given.ndim != 2 or given.shape[1] != len(highest):
        raise ValueError(f"expected one column of scores for each of {len(highest)} items; found shape {given.shape}")
    if not np.isfinite(given).all() or (given != np.rint(given)).any():
        raise ValueError("scores must be whole numbers, none missing")
    matrix = given.astype(np.int64)
    for column, highest_score in enumerate(highest):
        own = matrix[:, column]
        if own.min() < 0 or own.max() > highest_score:
            raise ValueError(f"item {column + 1}: scores must lie between 0 and {highest_score}; found {own.min()} to "
                             f"{own.max()}")  # fmt: skip
        missing = np.flatnonzero(np.bincount(own, minlength=highest_score + 1) == 0)
        if len(missing):
            raise ValueError(f"item {column + 1}: nobody has score {missing[0]}, so its steps cannot be estimated; "
                             "merge score points or leave the item out")  # fmt: skip
    return matrix, highest


def _expected_counts(
    indicators: NDArray[np.float32], logs: Floats, log_weight: Floats, layout: _Layout
) -> tuple[Floats, float]:
    """Return (items, scores, abilities) expected counts, and the marginal log likelihood."""
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
    """How parameters of items of different length lie in one array: (items, 1 + longest), slope first.

    The others are the step intercepts c, with c = -slope * step.
    """

    def __init__(self, most: NDArray[np.int64]) -> None:
        self.most, self.longest = most, int(most.max())
        score = np.arange(self.longest + 1)
        self.used = score[None, :] <= most[:, None]
        self.taken = (score[None, :] >= 1) & self.used  # steps that an item has
        self.reached = (score[:, None] >= score[None, 1:]).astype(np.float64)  # (scores, steps)

    def indicators(self, matrix: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return (n, scores of all items): 1 where a response has that score."""
        columns = [matrix[:, [j]] == np.arange(k + 1) for j, k in enumerate(self.most)]
        return np.concatenate(columns, axis=1).astype(np.float32)

    def start(self) -> Floats:
        """Return slopes of 1 and steps spread a little about 0."""
        return self.packed([Item(1.0, tuple(np.linspace(-0.6, 0.6, k) if k > 1 else (0.0,))) for k in self.most])

    def packed(self, items: Sequence[Item]) -> Floats:
        """Return the parameters of items."""
        parameters = np.zeros((len(self.most), 1 + self.longest))
        for row, item in zip(parameters, items, strict=True):
            row[0] = item.slope
            row[1 : 1 + item.most] = -item.slope * np.asarray(item.steps)
        return parameters

    def items(self, parameters: Floats) -> tuple[Item, ...]:
        """Return the items of parameters."""
        return tuple(
            Item(float(row[0]), tuple(float(c) for c in -row[1 : 1 + k] / row[0]))
            for row, k in zip(parameters, self.most, strict=True)
        )

    def change(self, before: Floats, after: Floats) -> float:
        """Return the largest change of a slope or a step."""
        steps = [np.where(self.taken[:, 1:], -each[:, 1:] / each[:, :1], 0.0) for each in (before, after)]
        return float(max(np.abs(after[:, 0] - before[:, 0]).max(), np.abs(steps[1] - steps[0]).max()))

    def logs(self, parameters: Floats, ability: Floats) -> Floats:
        """Return (items, scores, abilities) log probabilities; scores that an item lacks have -inf."""
        score = np.arange(self.longest + 1)
        total = (
            parameters[:, :1, None] * score[None, :, None] * ability + (parameters[:, 1:] @ self.reached.T)[:, :, None]
        )
        total = np.where(self.used[:, :, None], total, -np.inf)
        largest = total.max(axis=1, keepdims=True)
        logs: Floats = total - largest - np.log(np.exp(total - largest).sum(axis=1, keepdims=True))
        return logs

    def maximised(self, parameters: Floats, counts: Floats, ability: Floats) -> Floats:
        """Return the parameters that make the expected counts most likely, by Newton's method."""
        items, size = len(self.most), 1 + self.longest
        design = self.design(ability)
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

    def design(self, ability: Floats) -> Floats:
        """Return (scores, parameters, abilities): how every parameter moves the logit of every score."""
        size = self.longest + 1
        slopes = (np.arange(size)[:, None] * ability)[:, None, :]
        steps = np.broadcast_to(self.reached[:, :, None], (*self.reached.shape, len(ability)))
        return np.concatenate([slopes, steps], axis=1)
