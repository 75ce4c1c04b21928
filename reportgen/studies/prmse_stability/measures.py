"""The metrics of one simulated corpus, by the formulas that every report uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.metrics import pair, true_score
from reportgen.studies.prmse_stability.comparing import against, pair_sums, rating_sums
from reportgen.studies.prmse_stability.simulation import Choices, Corpus, Floats
from reportgen.studies.prmse_stability.truths import Truths, truths

REFERENCES = ("first", "mean")
"""What the system is compared with: the first rater of a pair, or the mean of both."""


@dataclass(frozen=True)
class RankedSystem:
    """One system of the ranking: its category, its raters' category, and the metrics against two pairs of raters."""

    category: str
    raters: str
    known: float
    own_pair: Mapping[str, float]
    same_pair: Mapping[str, float]


@dataclass(frozen=True)
class Measures:
    """Everything measured on one corpus.

    Parameters
    ----------
    raters
        Rater category -> (mean correlation of pairs, mean, SD).
    systems
        System category -> (R2 and r with true scores, r with raters of the middle category).
    known
        R2 of the studied system with true scores.
    stability
        (reference, metric) -> rater category -> one value per pair of raters.
    ranking
        Every system.
    joining
        Metric -> rater category -> value against the mean of the first k raters, k = 1, 2, ...
    double
        (double-scored responses, rater category) -> PRMSE per pair, over all responses, and over the
        double-scored ones alone.
    truths
        What true scores show beside.
    """

    raters: Mapping[str, tuple[float, float, float]]
    systems: Mapping[str, tuple[float, float, float]]
    known: float
    stability: Mapping[tuple[str, str], Mapping[str, Floats]]
    ranking: tuple[RankedSystem, ...]
    joining: Mapping[str, Mapping[str, Floats]]
    double: Mapping[tuple[int, str], tuple[Floats, Floats]]
    truths: Truths


def measure(corpus: Corpus, choices: Choices, studied: tuple[str, int]) -> Measures:
    """Return everything measured on a corpus.

    Parameters
    ----------
    studied
        Category and number of the system that is studied.
    """
    system = corpus.systems[studied[0]][:, [studied[1]]]
    middle = list(corpus.raters)[len(corpus.raters) // 2]
    return Measures(
        raters={name: _described(ratings) for name, ratings in corpus.raters.items()},
        systems={name: _accuracy(corpus, scores, middle) for name, scores in corpus.systems.items()},
        known=float(pair.r_squared(pair_sums(corpus.true[:, None], system))[0]),
        stability=_stability(corpus, choices, system),
        ranking=_ranking(corpus, choices, middle),
        joining=_joining(corpus, choices, system),
        double=_double(corpus, choices, system),
        truths=truths(corpus, choices.pairs, studied),
    )


def _agreement(ratings: Floats) -> float:
    """Return the mean correlation of all pairs of raters."""
    raters = ratings.shape[1]
    together = np.corrcoef(ratings.T).reshape(raters, raters)
    return float((together.sum() - np.trace(together)) / (raters * (raters - 1)))


def _described(ratings: Floats) -> tuple[float, float, float]:
    return _agreement(ratings), float(ratings.mean()), float(ratings.std(ddof=1))


def _accuracy(corpus: Corpus, scores: Floats, middle: str) -> tuple[float, float, float]:
    """Return R2 and r with true scores, and r with raters of the middle category, means over systems."""
    known = pair_sums(corpus.true[:, None], scores)
    raters = corpus.raters[middle]
    standard = [(values - values.mean(axis=0)) / values.std(axis=0) for values in (raters, scores)]
    with_raters = float((standard[0].T @ standard[1]).mean() / len(scores))
    return float(pair.r_squared(known).mean()), float(pair.pearson_r(known).mean()), with_raters


def _stability(corpus: Corpus, choices: Choices, system: Floats) -> dict[tuple[str, str], dict[str, Floats]]:
    """Return every metric of one system against every pair of raters."""
    found: dict[tuple[str, str], dict[str, Floats]] = {}
    for name, pairs in choices.pairs.items():
        first, second = corpus.raters[name][:, pairs[:, 0]], corpus.raters[name][:, pairs[:, 1]]
        human = pair.pearson_r(pair_sums(first, second))
        for reference, scores in (("first", first), ("mean", (first + second) / 2)):
            for metric, values in against(scores, system, human).items():
                found.setdefault((reference, metric), {})[name] = values
        every = np.ones((len(first), 1), bool)
        found.setdefault(("mean", "prmse"), {})[name] = true_score.prmse(rating_sums(system, first, second, every))
    return found


def _ranking(corpus: Corpus, choices: Choices, middle: str) -> tuple[RankedSystem, ...]:
    """Return every system against a pair of raters of its own, and against one pair for all."""
    systems = [(name, scores[:, [j]]) for name, scores in corpus.systems.items() for j in range(scores.shape[1])]
    same = corpus.raters[middle][:, choices.pairs[middle][0]]
    ranked = []
    for (category, scores), (raters, a, b) in zip(systems, choices.ranked, strict=True):
        known = float(pair.r_squared(pair_sums(corpus.true[:, None], scores))[0])
        own = corpus.raters[raters][:, [a, b]]
        ranked.append(RankedSystem(category, raters, known, _every_metric(own, scores), _every_metric(same, scores)))
    return tuple(ranked)


def _every_metric(two: Floats, system: Floats) -> dict[str, float]:
    """Return every metric of a system against the mean of two raters."""
    first, second = two[:, [0]], two[:, [1]]
    human = pair.pearson_r(pair_sums(first, second))
    found = against((first + second) / 2, system, human)
    found["prmse"] = true_score.prmse(rating_sums(system, first, second, np.ones((len(two), 1), bool)))
    return {metric: float(values[0]) for metric, values in found.items()}


def _joining(corpus: Corpus, choices: Choices, system: Floats) -> dict[str, dict[str, Floats]]:
    """Return the metrics of one system against the mean of more and more raters."""
    found: dict[str, dict[str, Floats]] = {}
    for name, ratings in corpus.raters.items():
        together = np.cumsum(ratings[:, choices.order[name]], axis=1) / np.arange(1, ratings.shape[1] + 1)
        for metric, values in against(together, system, None).items():
            found.setdefault(metric, {})[name] = values
    return found


def _double(corpus: Corpus, choices: Choices, system: Floats) -> dict[tuple[int, str], tuple[Floats, Floats]]:
    """Return PRMSE by the number of double-scored responses: with all others, and without them."""
    found = {}
    for count, double in choices.double.items():
        for name, pairs in choices.pairs.items():
            first, second = corpus.raters[name][:, pairs[:, 0]], corpus.raters[name][:, pairs[:, 1]]
            everyone = true_score.prmse(rating_sums(system, first, second, double))
            found[count, name] = everyone, _alone(system, first, second, double)
    return found


def _alone(system: Floats, first: Floats, second: Floats, double: NDArray[np.bool_]) -> Floats:
    """Return PRMSE from the double-scored responses alone."""
    if double.shape[1] == 1:
        kept = double[:, 0]
        every = np.ones((int(kept.sum()), 1), bool)
        return true_score.prmse(rating_sums(system[kept], first[kept], second[kept], every))
    columns = []
    for column in range(first.shape[1]):
        kept, each = double[:, column], [column]
        every = np.ones((int(kept.sum()), 1), bool)
        columns.append(true_score.prmse(rating_sums(system[kept], first[kept][:, each], second[kept][:, each], every)))
    return np.concatenate(columns)
