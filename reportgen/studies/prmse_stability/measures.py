"""Simulate one corpus, and compute its metrics as in reports, with ranks and SDs.

The model follows section 3 of Loukina et al. (2020): true scores are normal and limited to the scale, ratings are true
scores plus a normal error, rounded and limited, and system scores are true scores plus a normal error.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import SettingsError
from reportgen.metrics import kendall_tau_b, pair, true_score
from reportgen.studies.study import Floats
from reportgen.tally import PairSums, RatingSums

if TYPE_CHECKING:
    from reportgen.studies.prmse_stability import PrmseStability

Integers = NDArray[np.intp]

HALVINGS = 50  # steps of the bisection for an error's size: exact to rounding

# The random streams of the paper's simulation (github.com/EducationalTestingService/prmse-simulations,
# commit 49d5307): seeds and error sizes, which are required to repeat its numbers exactly.
PAPER_ERRORS = (0.85, 0.60, 0.46, 0.24)
PAPER_TRUE, PAPER_RATERS, PAPER_SYSTEMS = 12345, (34567, 123), (67890, 456)
PAPER_PAIRS, PAPER_DOUBLE = 1234567890, 987654321


class Corpus(NamedTuple):
    """Scores of one simulated set of responses.

    true (n,): true scores.
    raters, systems: (n, raters) ratings, and (n, systems) system scores, by category.
    """

    true: Floats
    raters: Mapping[str, Floats]
    systems: Mapping[str, Floats]


class Choices(NamedTuple):
    """Random choices other than scores."""

    pairs: Mapping[str, Integers]  # pairs of raters who score together by rater category, (pairs, 2)
    ranked: Sequence[tuple[str, int, int]]  # rater category and two raters for every system, in order of category
    order: Mapping[str, Integers]  # order in which raters are added, by rater category
    double: Mapping[int, NDArray[np.bool_]]  # double-scored responses by their number, (n, pairs) or (n, 1)


def error_sd(true: Floats, correlation: float, low: int, high: int) -> float:
    """Compute the SD of rater error for a mean correlation between raters.

    The mean correlation of exchangeable raters is var(E[H | T]) / var(H); for rounded ratings, both follow from the
    normal distribution function, without simulation.

    true (n,): true scores.
    correlation: target correlation, between 0 and 1.
    low, high: ends of the scale, integers.
    """
    from scipy.special import ndtr

    cuts = np.arange(low, high) + 0.5
    squares = np.diff(np.arange(low, high + 1) ** 2)

    def found(sd: float) -> float:
        above = ndtr((true[:, None] - cuts) / sd)
        mean, square = low + above.sum(axis=1), low**2 + (above * squares).sum(axis=1)
        total = square.mean() - mean.mean() ** 2
        return float(mean.var() / total) if total > 0 else 1.0  # all ratings are equal

    small, large = 1e-3 * (high - low), 4.0 * (high - low)
    for _ in range(HALVINGS):
        middle = (small + large) / 2
        small, large = (middle, large) if found(middle) > correlation else (small, middle)
    return (small + large) / 2


def draw(design: PrmseStability, rng: np.random.Generator) -> tuple[Corpus, Choices]:
    """Draw a new random corpus and choices."""
    n, (low, high) = design.responses, design.ends
    true = np.clip(rng.normal(design.mean, design.sd, n), low, high)
    sds = [error_sd(true, correlation, low, high) for correlation in design.rater_categories.values()]
    corpus = _corpus(design, true, sds, lambda _, number, sd: rng.normal(0, sd, (n, number)))
    for ratings, correlation in zip(corpus.raters.values(), design.rater_categories.values(), strict=True):
        if (np.ptp(ratings, axis=0) == 0).any():
            raise SettingsError(
                f"raters that correlate {correlation:g} give every response the same score on the scale {low}:{high}: "
                "choose a larger sd, or a mean nearer the middle."
            )
    every = np.array(list(itertools.combinations(range(design.raters), 2)))
    names = list(corpus.raters)
    pairs = {name: every[rng.choice(len(every), design.pairs, replace=False)] for name in names}
    ranked = []
    for _ in range(len(corpus.systems) * design.systems):
        first, second = rng.choice(design.raters, 2, replace=False)
        ranked.append((names[rng.integers(len(names))], int(first), int(second)))
    order = {name: rng.permutation(design.raters) for name in names}
    double = {count: _random_positions(n, count, design.pairs, rng) for count in sorted(design.double_scored)}
    return corpus, Choices(pairs, ranked, order, double)


def _corpus(
    design: PrmseStability, true: Floats, sds: Sequence[float], errors: Callable[[tuple[int, int], int, float], Floats]
) -> Corpus:
    raters = {
        name: np.clip(np.rint(true[:, None] + errors(PAPER_RATERS, design.raters, sd)), *design.ends)
        for name, sd in zip(design.rater_categories, sds, strict=True)
    }
    systems = {
        name: true[:, None] + errors(PAPER_SYSTEMS, design.systems, float(np.sqrt(true.var() * (1 - share))))
        for name, share in design.system_categories.items()
    }
    return Corpus(true, raters, systems)


def _random_positions(n: int, count: int, width: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    if count >= n:
        return np.ones((n, 1), bool)
    chosen = np.zeros((n, width), bool)
    for column in range(width):
        chosen[rng.permutation(n)[:count], column] = True
    return chosen


def replay(design: PrmseStability) -> tuple[Corpus, Choices]:
    """Return the paper's corpus and choices from its random streams; the design must be the paper's."""
    stream, n = np.random.RandomState, design.responses
    true = np.clip(stream(PAPER_TRUE).normal(design.mean, design.sd, n), *design.ends)

    def errors(seeds: tuple[int, int], number: int, sd: float) -> Floats:
        start, step = seeds
        return np.stack([stream(start + step * j).normal(0, sd, n) for j in range(number)], axis=1)

    corpus = _corpus(design, true, PAPER_ERRORS, errors)
    raters = corpus.raters
    every = np.array(list(itertools.combinations(range(design.raters), 2)))
    chosen = stream(PAPER_PAIRS).choice(len(every), size=design.pairs, replace=False)
    # the authors sort the categories before they draw
    pool = [(name, int(a), int(b)) for name in sorted(raters) for a, b in every]
    drawn = stream(PAPER_PAIRS).choice(len(pool), len(corpus.systems) * design.systems, replace=False)
    double = {
        count: np.isin(np.arange(n), stream(PAPER_DOUBLE).choice(n, count, replace=False))[:, None]
        for count in sorted(design.double_scored)
    }
    # the paper has no seed for the order of raters, so the order of their numbers is used
    order = {name: np.arange(design.raters) for name in raters}
    pairs = dict.fromkeys(raters, every[chosen])
    return corpus, Choices(pairs, [pool[place] for place in drawn], order, double)


TRADITIONAL = ("r", "qwk", "r_squared", "degradation")
METRICS = (*TRADITIONAL, "prmse")
"""Compared metrics by catalogue key; degradation is of the correlation."""

REFERENCES = ("first", "mean")  # what the system is compared with: the first rater of a pair, or the mean of both

NORMAL = 1.959963984540054  # half-width of a 95% interval in standard errors

NEARLY = 1.25  # ranges whose ratio is below this, and above its inverse, are nearly the same

EVERYONE, ALONE = 0, 1  # positions of PRMSE of all responses, and of only double-scored ones

Key = TypeVar("Key")

CLOSE = 0.02  # coefficients that differ by at most this count as equal

UPPER = ("medium", "high", "perfect")  # categories of systems that the paper ranks, worst first


def pair_sums(x: Floats, y: Floats) -> PairSums:
    """Return the sums of the columns of x and y, (n, k) or (n, 1) each."""
    centre = float(np.rint(x.mean()))
    x, y = np.broadcast_arrays(x - centre, y - centre)
    n = np.full(x.shape[1], float(len(x)))
    unused = np.full(x.shape[1], np.nan)
    sums = (x.sum(axis=0), y.sum(axis=0), (x * x).sum(axis=0), (y * y).sum(axis=0), (x * y).sum(axis=0))
    return PairSums(centre, n, *sums, unused, unused, unused)


def rating_sums(system: Floats, first: Floats, second: Floats, double: NDArray[np.bool_] | None = None) -> RatingSums:
    """Return the sums of (n, k) columns of two ratings each, the second only for double-scored responses."""
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


def against(reference: Floats, system: Floats) -> dict[str, Floats]:
    """Return the metrics that require only one reference score per response."""
    sums = pair_sums(reference, system)
    return {"r": pair.pearson_r(sums), "qwk": pair.quadratic_weighted_kappa(sums), "r_squared": pair.r_squared(sums)}


class Ranking(NamedTuple):
    """Every system, the worst category first.

    category, raters (systems,): category of each system and of its raters.
    known (systems,): R2 with true scores.
    metrics: (systems,) values with separate raters, and with one pair for all, by metric.
    """

    category: NDArray[Any]
    raters: NDArray[Any]
    known: Floats
    metrics: Mapping[str, Sequence[Floats]]

    def ranks(self, metric: str, *, same: bool = False, of: str = "") -> NDArray[np.intp]:
        """Return the ranks by a metric, 1 the worst, of all systems or `of` a category."""
        found = ranks(self._merits(metric, same))
        return found[self.category == of] if of else found

    def misplaced(self, metrics: Sequence[str], *, same: bool = False, but: str = "") -> list[int]:
        """Count the systems outside the ranks of their category by each metric, `but` one category."""
        orders = (np.argsort(self._merits(metric, same), kind="stable") for metric in metrics)
        found = [self.category[order] for order in orders]
        return [int(((own != self.category) & (own != but)).sum()) for own in found]

    def concordance(self, metrics: Sequence[str], *, same: bool = False) -> list[float]:
        """Return Kendall's tau-b of each metric with the true order of systems."""
        return [float(kendall_tau_b(self.known, self._merits(metric, same))) for metric in metrics]

    def out_of_order(self, metric: str) -> float:
        """Return the percentage of pairs of systems of different upper categories whose order is wrong."""
        by_category = [self.ranks(metric, of=category) for category in UPPER]
        wrong = np.concatenate([
            (lower[:, None] > np.concatenate(by_category[place:])).ravel()
            for place, lower in enumerate(by_category[:-1], start=1)
        ])  # fmt: skip
        return 100 * int(wrong.sum()) / len(wrong)

    def assigned(self, systems: str, raters: str) -> int:
        """Count the systems of a category with raters of a category."""
        return int(((self.category == systems) & (self.raters == raters)).sum())

    def _merits(self, metric: str, same: bool) -> Floats:
        return self.metrics[metric][same] * (-1.0 if metric == "degradation" else 1.0)


class Measures(NamedTuple):
    """All results of one corpus.

    raters: (mean correlation of pairs, mean, SD) by rater category.
    systems: (R2 and r with true scores, r with raters of the middle category) by system category.
    stability: one value per pair of raters, by (reference, metric) and rater category.
    joining: values against the mean of the first k raters, k = 1, 2, ..., by metric and rater category.
    double: PRMSE per pair, of all responses, and of only double-scored ones, by (double scores, rater category).
    with_true: value of the studied system with true scores, by metric.
    alike: largest correlation of two systems of a category.
    others (system categories, metrics, rater categories): means over pairs, for one system of every category against
        the mean of two raters.
    estimates (2, rater categories): true-score variance and mean squared error, estimated from two ratings, as means
        over pairs relative to the true values, which use the mean of all raters as in the paper.
    """

    raters: Mapping[str, tuple[float, float, float]]
    systems: Mapping[str, tuple[float, float, float]]
    stability: Mapping[tuple[str, str], Mapping[str, Floats]]
    ranking: Ranking
    joining: Mapping[str, Mapping[str, Floats]]
    double: Mapping[tuple[int, str], tuple[Floats, Floats]]
    variance: float
    with_true: Mapping[str, float]
    alike: float
    others: Floats
    estimates: Floats

    @property
    def known(self) -> float:
        """R2 of the studied system with true scores."""
        return self.with_true["r_squared"]

    def names(self) -> dict[str, Any]:
        """Return the numbers for statements of the paper, by their names in ``paper.toml``."""
        ranking, known, every = self.ranking, self.ranking.known, list(self.raters)
        counts = sorted({count for count, _ in self.double})
        ranges = {count: np.array([[np.ptp(each) for each in self.double[count, name]] for name in every])
                  for count in counts}  # fmt: skip
        first, mean = (np.array([self._means(metric, each) for metric in TRADITIONAL]) for each in REFERENCES)
        of_category = [known[ranking.category == name] for name in self.systems]
        place = np.array([list(self.systems).index(name) for name in ranking.category])
        own_r = ranking.metrics["r"][0]
        far = [np.flatnonzero(np.abs(values - self.known) > CLOSE) for values in self.joining["r_squared"].values()]
        left = [
            [away[-1] / away[0] for away in np.abs(np.array([*values.values()]) - self.with_true[metric])]
            for metric, values in self.joining.items()
        ]
        twice = np.sum([ranges[count] for count in counts[:-1]], axis=0)
        return {
            "raters": self.raters, "systems": self.systems, "with_true": self.with_true, "known": self.known,
            "alike": self.alike, "others": self.others, "estimated": self.estimates,
            "ranks": ranking.ranks, "misplaced": ranking.misplaced, "concordance": ranking.concordance,
            "out_of_order": ranking.out_of_order, "assigned": ranking.assigned,
            "own": {metric: values[0] for metric, values in ranking.metrics.items()},
            "means": self._means, "against_first": first, "against_mean": mean,
            "all_pairs": lambda metric: np.concatenate(list(self.stability["mean", metric].values())),
            "rmse": np.sqrt((1 - known) * self.variance),
            "mse_share": 100 * (1 - self.systems["perfect"][0]),
            "known_apart": [max(map(np.ptp, of_category)), np.diff([each.mean() for each in of_category]).min()],
            "nearest": np.abs(np.subtract.outer(own_r, own_r))[np.subtract.outer(place, place) >= 2].min(),
            "not_enough": [each[-1] + 1 if len(each) else 0 for each in far],
            "distance_left": [100 * max(each) for each in left],
            "ranges": {count: each[:, EVERYONE] for count, each in ranges.items()},
            "times_alone": twice[:, ALONE] / twice[:, EVERYONE],
            "with_double": lambda count, names: np.concatenate([self.double[count, name][EVERYONE] for name in names]),
            "half_width": lambda count, name: NORMAL * np.std(self.double[count, name][EVERYONE], ddof=1),
            "highest": max(map(np.max, self.double[counts[0], every[0]])),
            "most_above_one": max((count for (count, _), both in self.double.items() if max(map(np.max, both)) > 1),
                                  default=0),
        }  # fmt: skip

    def _means(self, metric: str, reference: str = "mean") -> Floats:
        return np.array([values.mean() for values in self.stability[reference, metric].values()])


def measure(corpus: Corpus, choices: Choices, studied: tuple[str, int]) -> Measures:
    """Compute all results of a corpus; `studied` is category and number of the studied system."""
    category, number = studied
    system = corpus.systems[category][:, [number]]
    middle = list(corpus.raters)[len(corpus.raters) // 2]
    with_true = against(corpus.true[:, None], system)
    pairs = {name: (corpus.raters[name][:, own[:, 0]], corpus.raters[name][:, own[:, 1]])
             for name, own in choices.pairs.items()}  # fmt: skip
    return Measures(
        raters={
            name: (_agreement(ratings), float(ratings.mean()), float(ratings.std(ddof=1)))
            for name, ratings in corpus.raters.items()
        },
        systems={name: _accuracy(corpus, scores, middle) for name, scores in corpus.systems.items()},
        stability=_swap_levels({name: _every_metric(*both, system) for name, both in pairs.items()}),
        ranking=_ranking(corpus, choices, middle),
        joining=_swap_levels({
            name: against(np.cumsum(ratings[:, order], axis=1) / np.arange(1, len(order) + 1), system)
            for name, ratings, order in zip(corpus.raters, corpus.raters.values(), choices.order.values(), strict=True)
        }),
        double={
            (count, name): (true_score.prmse(rating_sums(system, *both, double)), _prmse_alone(system, *both, double))
            for count, double in choices.double.items()
            for name, both in pairs.items()
        },
        variance=float(corpus.true.var()),
        with_true={metric: float(values[0]) for metric, values in with_true.items()},
        alike=max(float(np.max(each - np.eye(len(each)))) for each in map(_correlations, corpus.systems.values())),
        others=np.array([
            np.transpose([
                [values.mean() for values in against((first + second) / 2, scores[:, [number]]).values()]
                for first, second in pairs.values()
            ])
            for scores in corpus.systems.values()
        ]),
        estimates=np.transpose([_estimates(system, *both, corpus.raters[name]) for name, both in pairs.items()]),
    )  # fmt: skip


def _correlations(columns: Floats) -> Floats:
    return np.corrcoef(columns.T).reshape(columns.shape[1], columns.shape[1])


def _agreement(ratings: Floats) -> float:
    together, raters = _correlations(ratings), ratings.shape[1]
    return float((together.sum() - np.trace(together)) / (raters * (raters - 1)))


def _accuracy(corpus: Corpus, scores: Floats, middle: str) -> tuple[float, float, float]:
    known = pair_sums(corpus.true[:, None], scores)
    raters = corpus.raters[middle]
    standard = [(values - values.mean(axis=0)) / values.std(axis=0) for values in (raters, scores)]
    with_raters = float((standard[0].T @ standard[1]).mean() / len(scores))
    return float(pair.r_squared(known).mean()), float(pair.pearson_r(known).mean()), with_raters


def _every_metric(first: Floats, second: Floats, system: Floats) -> dict[tuple[str, str], Floats]:
    human, found = pair.pearson_r(pair_sums(first, second)), dict[tuple[str, str], Floats]()
    for reference, scores in zip(REFERENCES, (first, (first + second) / 2), strict=True):
        metrics = against(scores, system)
        metrics["degradation"] = human - metrics["r"]
        found |= {(reference, metric): values for metric, values in metrics.items()}
    return found | {("mean", "prmse"): true_score.prmse(rating_sums(system, first, second))}


def _swap_levels(found: Mapping[str, Mapping[Key, Floats]]) -> dict[Key, dict[str, Floats]]:
    return {key: {name: values[key] for name, values in found.items()} for key in next(iter(found.values()))}


def _ranking(corpus: Corpus, choices: Choices, middle: str) -> Ranking:
    """Compare every system with a separate pair of raters, and with one pair for all."""
    category = [name for name, scores in corpus.systems.items() for _ in scores.T]
    systems = [scores[:, [j]] for scores in corpus.systems.values() for j in range(scores.shape[1])]
    same = (middle, *choices.pairs[middle][0])
    evaluated = [
        [_every_metric(corpus.raters[name][:, [a]], corpus.raters[name][:, [b]], scores)
         for scores, (name, a, b) in zip(systems, raters, strict=True)]
        for raters in (choices.ranked, [same] * len(systems))
    ]  # fmt: skip
    known = [float(pair.r_squared(pair_sums(corpus.true[:, None], scores))[0]) for scores in systems]
    metrics = {
        metric: [np.array([found["mean", metric][0] for found in each]) for each in evaluated] for metric in METRICS
    }
    return Ranking(np.array(category), np.array([name for name, _, _ in choices.ranked]), np.array(known), metrics)


def _prmse_alone(system: Floats, first: Floats, second: Floats, double: NDArray[np.bool_]) -> Floats:
    """Return PRMSE from only the double-scored responses, common or separate for each pair."""
    width = first.shape[1] if double.shape[1] == 1 else 1
    found = [
        true_score.prmse(rating_sums(system[kept], *(ratings[kept][:, k * width : (k + 1) * width]
                                                      for ratings in (first, second))))
        for k, kept in enumerate(double.T)
    ]  # fmt: skip
    return np.concatenate(found)


def _estimates(system: Floats, first: Floats, second: Floats, ratings: Floats) -> tuple[float, float]:
    """Return the estimated true-score variance and mean squared error, relative to all raters' values."""
    sums = rating_sums(system, first, second)
    mean = ratings.mean(axis=1)
    left = float(ratings.var(axis=1, ddof=1).mean()) / ratings.shape[1]
    variance, error = float(mean.var(ddof=1)) - left, float(((mean - system[:, 0]) ** 2).mean()) - left
    estimated = true_score.true_score_variance(sums), true_score.mean_squared_error_true(sums)
    return float(estimated[0].mean()) / variance, float(estimated[1].mean()) / error


def ranks(values: Floats) -> NDArray[np.intp]:
    """Return the rank of every value, 1 the lowest.

    >>> ranks(np.array([0.7, 0.2, 0.9])).tolist()
    [2, 1, 3]
    """
    from scipy.stats import rankdata

    return rankdata(values, "ordinal").astype(np.intp)


def spread(values: Sequence[Floats]) -> tuple[float, float, float, float]:
    """Return mean, smallest, largest, and SD over pairs, each averaged over data sets."""
    summaries = (np.mean, np.min, np.max, lambda each: np.std(each, ddof=1))
    mean, low, high, sd = (float(np.mean([float(summary(each)) for each in values])) for summary in summaries)
    return mean, low, high, sd


def needed(counts: Sequence[int], runs: Sequence[Measures], name: str, half_width: float, which: int) -> float | None:
    """Return the double scores for a half-width, as the SD decreases as 1 / sqrt(n2); None beyond the tested counts."""
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
