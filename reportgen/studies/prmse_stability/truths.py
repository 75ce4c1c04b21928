"""What true scores show of raters and systems, which no real data could."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from reportgen.metrics import true_score
from reportgen.studies.prmse_stability.comparing import against, rating_sums
from reportgen.studies.prmse_stability.simulation import Corpus, Floats, Integers

Pairs = Mapping[str, Integers]


@dataclass(frozen=True)
class Truths:
    """What is known because true scores are.

    Parameters
    ----------
    variance
        Variance of true scores.
    metrics
        Metric -> value of the studied system with true scores.
    alike
        System category -> largest correlation of two of its systems.
    others
        System category -> metric -> rater category -> mean over pairs, for one system of every category against the
        mean of two raters.
    estimates
        Rater category -> (true-score variance, mean squared error), as estimated from two ratings, mean over pairs and
        divided by what they are.  A true score is here what the paper defines it to be: the mean of ever more ratings.
    """

    variance: float
    metrics: Mapping[str, float]
    alike: Mapping[str, float]
    others: Mapping[str, Mapping[str, Mapping[str, float]]]
    estimates: Mapping[str, tuple[float, float]]


def truths(corpus: Corpus, pairs: Pairs, studied: tuple[str, int]) -> Truths:
    """Return what true scores show.

    Parameters
    ----------
    pairs
        Rater category -> (pairs, 2): raters who score together.
    studied
        Category and number of the system that is studied; of other categories the same number is taken.
    """
    category, number = studied
    system = corpus.systems[category][:, [number]]
    known = against(corpus.true[:, None], system, None)
    one_each = {name: scores[:, [number]] for name, scores in corpus.systems.items()}
    return Truths(
        variance=float(corpus.true.var()),
        metrics={metric: float(values[0]) for metric, values in known.items()},
        alike={name: _most_alike(scores) for name, scores in corpus.systems.items()},
        others={name: _by_raters(corpus, pairs, one) for name, one in one_each.items()},
        estimates={name: _estimates(corpus, name, rated, system) for name, rated in pairs.items()},
    )


def _most_alike(scores: Floats) -> float:
    """Return the largest correlation of two columns; of a single column 0."""
    together = np.corrcoef(scores.T).reshape(scores.shape[1], scores.shape[1])
    return float(np.max(together - np.eye(len(together))))


def _two(corpus: Corpus, name: str, rated: Integers) -> tuple[Floats, Floats]:
    """Return the ratings of both raters of all pairs of a category."""
    return corpus.raters[name][:, rated[:, 0]], corpus.raters[name][:, rated[:, 1]]


def _by_raters(corpus: Corpus, pairs: Pairs, system: Floats) -> dict[str, dict[str, float]]:
    """Return the mean of every metric over the pairs of each category, against the mean of two ratings."""
    found: dict[str, dict[str, float]] = {}
    for name, rated in pairs.items():
        first, second = _two(corpus, name, rated)
        human = against(first, second, None)["r"]
        for metric, values in against((first + second) / 2, system, human).items():
            found.setdefault(metric, {})[name] = float(values.mean())
    return found


def _estimates(corpus: Corpus, name: str, rated: Integers, system: Floats) -> tuple[float, float]:
    """Return the estimated true-score variance and mean squared error, each divided by what it is."""
    first, second = _two(corpus, name, rated)
    sums = rating_sums(system, first, second, np.ones((len(first), 1), bool))
    variance, error = _of_mean_ratings(corpus.raters[name], system[:, 0])
    estimated = true_score.true_score_variance(sums), true_score.mean_squared_error_true(sums)
    return float(estimated[0].mean()) / variance, float(estimated[1].mean()) / error


def _of_mean_ratings(ratings: Floats, system: Floats) -> tuple[float, float]:
    """Return the variance of expected ratings, and a system's squared error against them, from all raters."""
    mean = ratings.mean(axis=1)
    left = float(ratings.var(axis=1, ddof=1).mean()) / ratings.shape[1]
    return float(mean.var(ddof=1)) - left, float(((mean - system) ** 2).mean()) - left
