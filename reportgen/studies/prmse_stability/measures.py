"""The metrics of one simulated corpus by the formulas of every report, and their ranks and spreads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.metrics import kendall_tau_b, pair, true_score
from reportgen.studies import Floats
from reportgen.studies.prmse_stability.simulation import Choices, Corpus
from reportgen.tally import PairSums, RatingSums

METRICS = ("r", "qwk", "r_squared", "degradation", "prmse")
"""What is compared, by their names in the catalogue; degradation is of the correlation."""

REFERENCES = ("first", "mean")
"""What the system is compared with: the first rater of a pair, or the mean of both."""

NORMAL = 1.959963984540054
"""Half-width of a 95 % interval in standard errors."""

NEARLY = 1.25
"""Ranges whose ratio is below this, and above its inverse, are nearly the same."""

EVERYONE, ALONE = 0, 1
"""Places of PRMSE over all responses, and over the double-scored ones alone."""


def pair_sums(x: Floats, y: Floats) -> PairSums:
    """Return the sums of the columns of x and y, (n, k) or (n, 1) each."""
    centre = float(np.rint(x.mean()))
    x, y = np.broadcast_arrays(x - centre, y - centre)
    n = np.full(x.shape[1], float(len(x)))
    unused = np.full(x.shape[1], np.nan)
    sums = (x.sum(axis=0), y.sum(axis=0), (x * x).sum(axis=0), (y * y).sum(axis=0), (x * y).sum(axis=0))
    return PairSums(centre, n, *sums, unused, unused, unused)


def rating_sums(system: Floats, first: Floats, second: Floats, double: NDArray[np.bool_] | None = None) -> RatingSums:
    """Return the sums of columns of two ratings each, the second only where a response is double-scored.

    Parameters
    ----------
    system
        (n, 1): system scores.
    first, second
        (n, k): ratings.
    double
        (n, k) or (n, 1); every response when left out.
    """
    double = np.ones((len(first), 1), bool) if double is None else double
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


def against(reference: Floats, system: Floats, human: Floats | None) -> dict[str, Floats]:
    """Return the metrics that need one reference score per response; degradation beside the raters' own r."""
    sums = pair_sums(reference, system)
    r = pair.pearson_r(sums)
    found = {"r": r, "qwk": pair.quadratic_weighted_kappa(sums), "r_squared": pair.r_squared(sums)}
    return found if human is None else found | {"degradation": human - r}


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
    stability
        (reference, metric) -> rater category -> one value per pair of raters.
    ranking
        Every system.
    joining
        Metric -> rater category -> value against the mean of the first k raters, k = 1, 2, ...
    double
        (double-scored responses, rater category) -> PRMSE per pair, over all responses, and over the
        double-scored ones alone.
    variance
        Of true scores.
    with_true
        Metric -> value of the studied system with true scores.
    alike
        System category -> largest correlation of two of its systems.
    others
        System category -> metric -> mean over pairs by rater category, for one system of every category against the
        mean of two raters.
    estimates
        Rater category -> (true-score variance, mean squared error), as estimated from two ratings, mean over pairs and
        divided by what they are.  A true score is here what the paper defines it to be: the mean of ever more ratings.
    """

    raters: Mapping[str, tuple[float, float, float]]
    systems: Mapping[str, tuple[float, float, float]]
    stability: Mapping[tuple[str, str], Mapping[str, Floats]]
    ranking: tuple[RankedSystem, ...]
    joining: Mapping[str, Mapping[str, Floats]]
    double: Mapping[tuple[int, str], tuple[Floats, Floats]]
    variance: float
    with_true: Mapping[str, float]
    alike: Mapping[str, float]
    others: Mapping[str, Mapping[str, Sequence[float]]]
    estimates: Mapping[str, tuple[float, float]]

    @property
    def known(self) -> float:
        """R2 of the studied system with true scores."""
        return self.with_true["r_squared"]

    def means(self, metric: str, reference: str = "mean") -> list[float]:
        """Return the means of a metric of the studied system, by rater category."""
        return [float(values.mean()) for values in self.stability[reference, metric].values()]


def measure(corpus: Corpus, choices: Choices, studied: tuple[str, int]) -> Measures:
    """Return everything measured on a corpus; the studied system is given by its category and number."""
    category, number = studied
    system = corpus.systems[category][:, [number]]
    middle = list(corpus.raters)[len(corpus.raters) // 2]
    with_true = against(corpus.true[:, None], system, None)
    return Measures(
        raters={
            name: (_agreement(ratings), float(ratings.mean()), float(ratings.std(ddof=1)))
            for name, ratings in corpus.raters.items()
        },
        systems={name: _accuracy(corpus, scores, middle) for name, scores in corpus.systems.items()},
        stability=_stability(corpus, choices, system),
        ranking=_ranking(corpus, choices, middle),
        joining=_joining(corpus, choices, system),
        double={
            (count, name): (true_score.prmse(rating_sums(system, first, second, double)),
                            _alone(system, first, second, double))
            for count, double in choices.double.items()
            for name, first, second in _pairs(corpus, choices)
        },
        variance=float(corpus.true.var()),
        with_true={metric: float(values[0]) for metric, values in with_true.items()},
        alike={name: _most_alike(scores) for name, scores in corpus.systems.items()},
        others={name: _of_other(corpus, choices, scores[:, [number]]) for name, scores in corpus.systems.items()},
        estimates={
            name: _estimates(system, first, second, corpus.raters[name])
            for name, first, second in _pairs(corpus, choices)
        },
    )  # fmt: skip


def _pairs(corpus: Corpus, choices: Choices) -> Iterator[tuple[str, Floats, Floats]]:
    """Yield each rater category and the ratings of both raters of all its pairs."""
    for name, pairs in choices.pairs.items():
        yield name, corpus.raters[name][:, pairs[:, 0]], corpus.raters[name][:, pairs[:, 1]]


def _correlations(columns: Floats) -> Floats:
    """Return the correlations of columns, of a single one too."""
    return np.corrcoef(columns.T).reshape(columns.shape[1], columns.shape[1])


def _agreement(ratings: Floats) -> float:
    """Return the mean correlation of all pairs of raters."""
    together, raters = _correlations(ratings), ratings.shape[1]
    return float((together.sum() - np.trace(together)) / (raters * (raters - 1)))


def _most_alike(scores: Floats) -> float:
    """Return the largest correlation of two columns; of a single column 0."""
    together = _correlations(scores)
    return float(np.max(together - np.eye(len(together))))


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
    for name, first, second in _pairs(corpus, choices):
        human = pair.pearson_r(pair_sums(first, second))
        for reference, scores in zip(REFERENCES, (first, (first + second) / 2), strict=True):
            for metric, values in against(scores, system, human).items():
                found.setdefault((reference, metric), {})[name] = values
        found.setdefault(("mean", "prmse"), {})[name] = true_score.prmse(rating_sums(system, first, second))
    return found


def _of_other(corpus: Corpus, choices: Choices, system: Floats) -> dict[str, list[float]]:
    """Return the means of metrics over the pairs of each category of raters, against the mean of two ratings."""
    found: dict[str, list[float]] = {}
    for _, first, second in _pairs(corpus, choices):
        for metric, values in against((first + second) / 2, system, None).items():
            found.setdefault(metric, []).append(float(values.mean()))
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
    found = against((first + second) / 2, system, pair.pearson_r(pair_sums(first, second)))
    found["prmse"] = true_score.prmse(rating_sums(system, first, second))
    return {metric: float(values[0]) for metric, values in found.items()}


def _joining(corpus: Corpus, choices: Choices, system: Floats) -> dict[str, dict[str, Floats]]:
    """Return the metrics of one system against the mean of more and more raters."""
    found: dict[str, dict[str, Floats]] = {}
    for name, ratings in corpus.raters.items():
        together = np.cumsum(ratings[:, choices.order[name]], axis=1) / np.arange(1, ratings.shape[1] + 1)
        for metric, values in against(together, system, None).items():
            found.setdefault(metric, {})[name] = values
    return found


def _alone(system: Floats, first: Floats, second: Floats, double: NDArray[np.bool_]) -> Floats:
    """Return PRMSE from the double-scored responses alone."""
    if double.shape[1] == 1:
        kept = double[:, 0]
        return true_score.prmse(rating_sums(system[kept], first[kept], second[kept]))
    columns = []
    for column, kept in enumerate(double.T):
        one, other = (ratings[kept][:, [column]] for ratings in (first, second))
        columns.append(true_score.prmse(rating_sums(system[kept], one, other)))
    return np.concatenate(columns)


def _estimates(system: Floats, first: Floats, second: Floats, ratings: Floats) -> tuple[float, float]:
    """Return the estimated true-score variance and mean squared error, each divided by what all raters show it is."""
    sums = rating_sums(system, first, second)
    mean = ratings.mean(axis=1)
    left = float(ratings.var(axis=1, ddof=1).mean()) / ratings.shape[1]
    variance, error = float(mean.var(ddof=1)) - left, float(((mean - system[:, 0]) ** 2).mean()) - left
    estimated = true_score.true_score_variance(sums), true_score.mean_squared_error_true(sums)
    return float(estimated[0].mean()) / variance, float(estimated[1].mean()) / error


def merits(run: Measures, metric: str, *, same: bool = False) -> list[float]:
    """Return a metric of every system such that more is better: the paper's degradation falls with quality.

    Parameters
    ----------
    same
        Whether all systems are held against the same pair of raters.
    """
    sign = -1.0 if metric == "degradation" else 1.0
    return [sign * (each.same_pair if same else each.own_pair)[metric] for each in run.ranking]


def misplaced(run: Measures, metric: str, *, same: bool = False, but: Sequence[str] = ()) -> int:
    """Return how many systems lie outside the ranks of their category, `but` some categories."""
    listed = [each.category for each in run.ranking]
    found = [listed[place] for place in np.argsort(merits(run, metric, same=same), kind="stable")]
    return sum(own != at for own, at in zip(found, listed, strict=True) if own not in but)


def concordance(run: Measures, metric: str, *, same: bool = False) -> float:
    """Return Kendall's tau-b of a metric with the true order of systems."""
    known = np.array([each.known for each in run.ranking])
    return float(kendall_tau_b(known, np.array(merits(run, metric, same=same))))


def ranks(values: Sequence[float]) -> list[int]:
    """Return the rank of every value, 1 the lowest.

    Examples
    --------
    >>> ranks([0.7, 0.2, 0.9])
    [2, 1, 3]
    """
    order = np.argsort(values, kind="stable")
    found = np.empty(len(order), int)
    found[order] = np.arange(1, len(order) + 1)
    return [int(rank) for rank in found]


def ranks_of(run: Measures, metric: str, category: str, *, same: bool = False) -> list[int]:
    """Return the ranks that the systems of a category have by a metric."""
    found = ranks(merits(run, metric, same=same))
    return [rank for rank, each in zip(found, run.ranking, strict=True) if each.category == category]


def out_of_order(run: Measures, metric: str, categories: Sequence[str]) -> float:
    """Return the percentage of pairs of systems of different categories, the worst first, whose order is wrong."""
    by_category = [ranks_of(run, metric, category) for category in categories]
    wrong = [
        low > high
        for place, lower in enumerate(by_category)
        for higher in by_category[place + 1 :]
        for low in lower
        for high in higher
    ]
    return 100 * sum(wrong) / len(wrong)


def spread(values: Sequence[Floats]) -> tuple[float, float, float, float]:
    """Return mean, smallest, largest and SD over pairs, each averaged over data sets."""
    summaries = (np.mean, np.min, np.max, lambda each: np.std(each, ddof=1))
    mean, low, high, sd = (float(np.mean([float(summary(each)) for each in values])) for summary in summaries)
    return mean, low, high, sd


def needed(counts: Sequence[int], runs: Sequence[Measures], name: str, half_width: float, which: int) -> float | None:
    """Return the double scores for a half-width: between the counts tried the SD falls as 1 / sqrt(n2).

    None when the largest number tried does not reach it.

    Parameters
    ----------
    which
        `EVERYONE` or `ALONE`.
    """
    tried = [(count, NORMAL * spread([each.double[count, name][which] for each in runs])[3]) for count in counts]
    for place, (count, width) in enumerate(tried):
        if width <= half_width:
            by_this = count * (width / half_width) ** 2
            if place == 0:
                return by_this
            before, wider = tried[place - 1]
            by_before = before * (wider / half_width) ** 2
            return float(np.clip(np.sqrt(by_this * by_before), before, count))
    return None
