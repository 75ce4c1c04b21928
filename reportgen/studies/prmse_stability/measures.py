"""The metrics of one simulated corpus, by the formulas that every report uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.metrics import pair, true_score
from reportgen.studies.prmse_stability.simulation import Choices, Corpus, Floats
from reportgen.tally import PairSums, RatingSums

METRICS = ("r", "qwk", "r_squared", "degradation", "prmse")
"""What is compared, by their names in the catalogue; degradation is of the correlation."""

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
    """

    raters: Mapping[str, tuple[float, float, float]]
    systems: Mapping[str, tuple[float, float, float]]
    known: float
    stability: Mapping[tuple[str, str], Mapping[str, Floats]]
    ranking: tuple[RankedSystem, ...]
    joining: Mapping[str, Mapping[str, Floats]]
    double: Mapping[tuple[int, str], tuple[Floats, Floats]]


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
    )


def pair_sums(x: Floats, y: Floats) -> PairSums:
    """Return the sums of the columns of x and y, (n, k) or (n, 1) each."""
    centre = float(np.rint(x.mean()))
    x, y = np.broadcast_arrays(x - centre, y - centre)
    n = np.full(x.shape[1], float(len(x)))
    unused = np.full(x.shape[1], np.nan)
    sums = (x.sum(axis=0), y.sum(axis=0), (x * x).sum(axis=0), (y * y).sum(axis=0), (x * y).sum(axis=0))
    return PairSums(centre, n, *sums, unused, unused, unused)


def rating_sums(system: Floats, first: Floats, second: Floats, double: NDArray[np.bool_]) -> RatingSums:
    """Return the sums of columns of two ratings each, the second only where a response is double-scored.

    Parameters
    ----------
    system
        (n, 1): system scores.
    first, second
        (n, k): ratings.
    double
        (n, k) or (n, 1).
    """
    centre = float(np.rint(first.mean()))
    x, y, s = first - centre, second - centre, system - centre
    mean = np.where(double, (x + y) / 2, x)
    c = np.broadcast_to(1.0 + double, mean.shape)
    weighted = c * mean
    within = (np.where(double, x - y, 0.0) ** 2).sum(axis=0) / 2
    n, twice = np.full(mean.shape[1], float(len(mean))), np.broadcast_to(double.sum(axis=0) * 1.0, mean.shape[1])
    return RatingSums(
        centre, n, twice, c.sum(axis=0), (c * c).sum(axis=0), weighted.sum(axis=0), (weighted * mean).sum(axis=0),
        (weighted * s).sum(axis=0), (c * s).sum(axis=0), (c * s * s).sum(axis=0), within, twice,
        np.broadcast_to(s.sum(axis=0), n.shape), np.broadcast_to((s * s).sum(axis=0), n.shape),
    )  # fmt: skip


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


def _against(reference: Floats, system: Floats, human: Floats | None) -> dict[str, Floats]:
    """Return the metrics that need one reference score per response; degradation beside the raters' own r."""
    sums = pair_sums(reference, system)
    r = pair.pearson_r(sums)
    found = {"r": r, "qwk": pair.quadratic_weighted_kappa(sums), "r_squared": pair.r_squared(sums)}
    return found if human is None else found | {"degradation": human - r}


def _stability(corpus: Corpus, choices: Choices, system: Floats) -> dict[tuple[str, str], dict[str, Floats]]:
    """Return every metric of one system against every pair of raters."""
    found: dict[tuple[str, str], dict[str, Floats]] = {}
    for name, pairs in choices.pairs.items():
        first, second = corpus.raters[name][:, pairs[:, 0]], corpus.raters[name][:, pairs[:, 1]]
        human = pair.pearson_r(pair_sums(first, second))
        for reference, scores in (("first", first), ("mean", (first + second) / 2)):
            for metric, values in _against(scores, system, human).items():
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
    found = _against((first + second) / 2, system, human)
    found["prmse"] = true_score.prmse(rating_sums(system, first, second, np.ones((len(two), 1), bool)))
    return {metric: float(values[0]) for metric, values in found.items()}


def _joining(corpus: Corpus, choices: Choices, system: Floats) -> dict[str, dict[str, Floats]]:
    """Return the metrics of one system against the mean of more and more raters."""
    found: dict[str, dict[str, Floats]] = {}
    for name, ratings in corpus.raters.items():
        together = np.cumsum(ratings[:, choices.order[name]], axis=1) / np.arange(1, ratings.shape[1] + 1)
        for metric, values in _against(together, system, None).items():
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
