"""What Loukina et al. (2020) print, and the numbers of a data set that each of their statements rests on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from reportgen.studies.prmse_stability.measures import (
    NORMAL,
    REFERENCES,
    Measures,
    concordance,
    misplaced,
    out_of_order,
    ranks_of,
)
from reportgen.studies.statements import Said, Statement, read_statements

RATERS = {"low": (0.40, 3.83, 1.14), "moderate": (0.55, 3.83, 0.99), "average": (0.65, 3.83, 0.91),
          "high": (0.80, 3.83, 0.83)}  # fmt: skip
"""Table 1: mean correlation of pairs, mean, standard deviation."""

SYSTEMS = {"poor": (0.01, 0.71, 0.57), "low": (0.40, 0.79, 0.64), "medium": (0.65, 0.86, 0.69),
           "high": (0.80, 0.91, 0.74), "perfect": (0.99, 1.00, 0.80)}  # fmt: skip
"""Table 2: R2 and r with true scores, r with raters of the category "average"."""

ASSIGNMENT = {"poor": (1, 3, 0, 1), "low": (0, 0, 2, 3), "medium": (3, 0, 1, 1), "high": (2, 1, 1, 1),
              "perfect": (2, 0, 2, 1)}  # fmt: skip
"""Table 3: systems evaluated with raters of the categories low, moderate, average, high."""

RANGES = {100: (1.01, 0.41, 0.26, 0.12), 250: (0.46, 0.30, 0.15, 0.09), 500: (0.33, 0.17, 0.12, 0.07),
          1000: (0.24, 0.13, 0.08, 0.06), 2500: (0.18, 0.09, 0.07, 0.03), 5000: (0.08, 0.07, 0.04, 0.02),
          10000: (0.06, 0.03, 0.02, 0.02)}  # fmt: skip
"""Table 4: largest less smallest PRMSE of 50 pairs, by double-scored responses, for the four categories."""

TEXT = {("r", "low"): 0.69, ("r", "high"): 0.86, ("degradation", "low"): -0.30, ("degradation", "high"): -0.05}
"""Section 4.1: means, or ends of the range, against the mean of two raters; the sign of degradation is RSMTool's."""

LIMITS = {"r_squared": (0.43, 0.71), "prmse": (0.76, 0.82)}
"""Section 5.2 and figure 4: smallest and largest value of all pairs of all categories."""

RMSE = (0.74, 0.07)
"""Section 3: root mean squared error of the worst and of the best system."""

MSE_SHARE = (0.1,)
"""Section 3: squared error of the best systems in percent of the variance of true scores."""

HIGHEST = (1.6,)
"""Figure 5: PRMSE with 100 double scores and raters of low agreement, "around 1.6", one decimal."""

CLOSE = 0.02
"""A coefficient that is no further than this from another counts as the same."""

AGREEMENT = ("r", "qwk", "r_squared")
TRADITIONAL = (*AGREEMENT, "degradation")
"""Metrics that the paper calls traditional."""

UPPER = ("medium", "high", "perfect")

RELIABLE, FEWER = 1000, 500
"""Double scores that the paper recommends, and those that may do where raters agree well."""

AGREEING = ("moderate", "average", "high")
"""Raters who agree well enough for the double scores that the paper recommends."""

Numbers = Sequence[float]


def statements(replayed: Measures, fresh: Sequence[Measures]) -> Iterator[Statement]:
    """Yield every statement with its outcome, in the paper's own data and in data sets drawn afresh."""
    fewest = min(RANGES)
    printed: Mapping[str, Numbers] = {
        "prmse_steadier": [LIMITS[metric][1] - LIMITS[metric][0] for metric in ("prmse", "r_squared")],
        "more_steadier": [100 * last / first for first, last in zip(RANGES[fewest], RANGES[max(RANGES)], strict=True)],
        "few_vary": RANGES[fewest],
    }
    for key, said in read_statements(Path(__file__).with_name("statements.toml")).items():
        if key in NUMBERS:
            yield judged(replace(said, printed=printed.get(key, said.printed)), NUMBERS[key], replayed, fresh)
        else:
            yield said.untestable


def judged(
    said: Said, numbers: Callable[[Measures], Numbers], replayed: Measures, fresh: Sequence[Measures]
) -> Statement:
    """Return a statement with its outcome in the replayed data and in those drawn afresh."""
    here, afresh = numbers(replayed), [numbers(run) for run in fresh]
    sets = (here,) if said.of_these_data else (here, *afresh)
    return Statement(
        said.place, said.key, said.holds(here), said.printed, here, said.kind, np.mean(afresh, axis=0).tolist(),
        tuple(map(said.holds, sets)),
    )  # fmt: skip


def rmse_ends(run: Measures) -> tuple[float, float]:
    """Return the root mean squared error of the worst and of the best system."""
    every = [np.sqrt((1 - each.known) * run.variance) for each in run.ranking]
    return float(max(every)), float(min(every))


def mse_share(run: Measures) -> float:
    """Return the squared error of the best systems in percent of the variance of true scores."""
    return 100 * (1 - run.systems["perfect"][0])


def low_and_high(run: Measures) -> Numbers:
    """Return mean r of the studied system with two raters who agree least, and most."""
    every = run.means("r")
    return every[0], every[-1]


def ends_of(run: Measures, metric: str) -> tuple[float, float]:
    """Return the lowest and the highest value of all pairs, against the mean of two."""
    every = np.concatenate(list(run.stability["mean", metric].values()))
    return float(every.min()), float(every.max())


def range_of(run: Measures, count: int, name: str) -> float:
    """Return largest less smallest PRMSE of the pairs of a category with so many double scores."""
    return float(np.ptp(run.double[count, name][0]))


def highest(run: Measures) -> float:
    """Return the highest PRMSE with the fewest double scores and the raters who agree least."""
    return float(max(values.max() for values in next(iter(run.double.values()))))


def _within_and_between(run: Measures) -> Numbers:
    """Return the largest difference of R2 within a category, and the smallest between neighbours."""
    known = {name: [each.known for each in run.ranking if each.category == name] for name in run.systems}
    means = [float(np.mean(values)) for values in known.values()]
    return max(float(np.ptp(values)) for values in known.values()), float(np.diff(means).min())


def _smallest_move(run: Measures) -> Numbers:
    """Return the least that a traditional metric moves between categories, against one rater or two."""
    every = [run.means(metric, reference) for reference in REFERENCES for metric in TRADITIONAL]
    return (min(float(np.ptp(each)) for each in every),)


def _smallest_step(run: Measures) -> Numbers:
    """Return the least that r, QWK and R2 rise from one category to the next."""
    return (min(float(np.diff(run.means(metric, each)).min()) for each in REFERENCES for metric in AGREEMENT),)


def _steps_of_others(run: Measures) -> Numbers:
    """Return the same for one system of each kind, against the mean of two."""
    return [min(float(np.diff(each[metric]).min()) for metric in AGREEMENT) for each in run.others.values()]


def _assigned(run: Measures) -> Numbers:
    """Return how many low systems met raters of high and average agreement, and medium ones of low agreement."""
    asked = (("low", "high"), ("low", "average"), ("medium", "low"))
    return [sum((each.category, each.raters) == one for each in run.ranking) for one in asked]


def _overlaps(run: Measures) -> Numbers:
    """Return highest and lowest ranks by R2 of neighbours that overlap: medium, high and perfect systems."""
    medium, high, perfect = (ranks_of(run, "r_squared", name) for name in UPPER)
    return max(medium), min(high), max(high), min(perfect)


def _perfect_below_medium(run: Measures) -> Numbers:
    """Return the lowest rank of a perfect system by degradation, and the highest of a medium one."""
    return min(ranks_of(run, "degradation", "perfect")), max(ranks_of(run, "degradation", "medium"))


def _smallest_gain(run: Measures) -> Numbers:
    """Return the least that the mean of two raters gains over one."""
    gains = (np.subtract(run.means(metric), run.means(metric, "first")) for metric in AGREEMENT)
    return (min(float(each.min()) for each in gains),)


def _distance_left(run: Measures) -> Numbers:
    """Return for each metric the distance to true scores left with all raters, in percent of that with one."""
    found = []
    for metric in AGREEMENT:
        away = [np.abs(values - run.with_true[metric]) for values in run.joining[metric].values()]
        found.append(max(100 * float(each[-1] / each[0]) for each in away))
    return found


def _nearest(run: Measures) -> Numbers:
    """Return the smallest difference of r between systems that are at least two categories apart."""
    place = {name: at for at, name in enumerate(run.systems)}
    gaps = (
        abs(one.own_pair["r"] - other.own_pair["r"])
        for one in run.ranking
        for other in run.ranking
        if place[other.category] - place[one.category] >= 2
    )
    return (min(gaps),)


def _not_enough(run: Measures) -> Numbers:
    """Return the most ratings with which R2 is not yet close to its value with true scores, by rater category."""
    known, found = run.known, []
    for values in run.joining["r_squared"].values():
        far = np.flatnonzero(np.abs(values - known) > CLOSE)
        found.append(int(far[-1]) + 1 if len(far) else 0)
    return found


def _of_systems(run: Measures) -> Numbers:
    """Return the lowest and the highest PRMSE of the systems, all responses double-scored."""
    every = [each.own_pair["prmse"] for each in run.ranking]
    return min(every), max(every)


def _range_left(run: Measures) -> Numbers:
    """Return the range of PRMSE with the most double scores in percent of that with the fewest, by category."""
    counts = [count for count, _ in run.double]
    return [100 * range_of(run, max(counts), name) / range_of(run, min(counts), name) for name in run.raters]


def _alone_times(run: Measures, name: str) -> float:
    """Return how many times as far PRMSE spreads where responses scored once are left out, over all numbers tried."""
    counts = sorted({count for count, _ in run.double})[:-1]
    everyone, alone = np.sum([[float(np.ptp(each)) for each in run.double[count, name]] for count in counts], axis=0)
    return float(alone / everyone)


def _ends_with(run: Measures, names: tuple[str, ...]) -> Numbers:
    """Return the lowest and the highest PRMSE of these raters with the double scores that the paper recommends."""
    every = np.concatenate([run.double[RELIABLE, name][0] for name in names])
    return float(every.min()), float(every.max())


def _most_above_one(run: Measures) -> Numbers:
    """Return the most double scores with which a PRMSE lies above 1."""
    return (max((count for (count, _), both in run.double.items() if max(map(np.max, both)) > 1), default=0),)


def _ranked_otherwise(run: Measures) -> Numbers:
    """Return how many systems PRMSE ranks otherwise than R2 does, all with the same raters."""
    by_prmse, by_r_squared = (
        [rank for name in run.systems for rank in ranks_of(run, key, name, same=True)] for key in ("prmse", "r_squared")
    )
    return (sum(one != other for one, other in zip(by_prmse, by_r_squared, strict=True)),)


def _estimated(run: Measures, which: int) -> Numbers:
    """Return an estimate from two ratings divided by what it is, by rater category: of variance, or of error."""
    return [each[which] for each in run.estimates.values()]


def _half_width(run: Measures, count: int, name: str) -> float:
    """Return the half-width of the 95 % interval of PRMSE over pairs."""
    return NORMAL * float(np.std(run.double[count, name][0], ddof=1))


NUMBERS: Mapping[str, Callable[[Measures], Numbers]] = {
    "true_higher": lambda run: (run.with_true["qwk"], max(run.means("qwk", "first"))),
    "rmse_ends": rmse_ends,
    "mse_share": lambda run: (mse_share(run),),
    "poor_constant": lambda run: run.systems["poor"][:1],
    "equally_good": _within_and_between,
    "scores_differ": lambda run: (max(run.alike.values()),),
    "metrics_move": _smallest_move,
    "r_ends": low_and_high,
    "degradation_ends": partial(ends_of, metric="degradation"),
    "metrics_improve": _smallest_step,
    "degradation_improves": lambda run: run.means("degradation"),
    "other_engines": _steps_of_others,
    "assignment": _assigned,
    "same_raters": lambda run: [misplaced(run, metric, same=True) for metric in TRADITIONAL],
    "poor_last": lambda run: [max(ranks_of(run, metric, "poor")) for metric in AGREEMENT],
    "poor_degradation": lambda run: (max(ranks_of(run, "degradation", "poor")),),
    "others_mixed": lambda run: [misplaced(run, metric, but=("poor",)) for metric in TRADITIONAL],
    "r_squared_overlaps": _overlaps,
    "others_overlap_more": lambda run: [
        out_of_order(run, metric, UPPER) for metric in ("r_squared", "r", "qwk", "degradation")
    ],
    "degradation_misranks": _perfect_below_medium,
    "own_raters": lambda run: [concordance(run, metric) for metric in TRADITIONAL],
    "two_higher": _smallest_gain,
    "approach": _distance_left,
    "identical_engines": partial(ends_of, metric="r"),
    "different_engines": _nearest,
    "ten_ratings": _not_enough,
    "prmse_between": _of_systems,
    "r_squared_ends": partial(ends_of, metric="r_squared"),
    "prmse_ends": partial(ends_of, metric="prmse"),
    "prmse_steadier": lambda run: [float(np.ptp(ends_of(run, metric))) for metric in ("prmse", "r_squared")],
    "prmse_centred": lambda run: [mean - run.known for mean in run.means("prmse")],
    "prmse_ranks": lambda run: (misplaced(run, "prmse"),),
    "more_steadier": _range_left,
    "number_not_share": lambda run: [_alone_times(run, name) for name in run.raters],
    "few_vary": lambda run: [range_of(run, min(RANGES), name) for name in run.raters],
    "first_decimal": lambda run: _ends_with(run, AGREEING),
    "low_needs_more": lambda run: _ends_with(run, ("low",)),
    "highest_prmse": lambda run: (highest(run),),
    "above_one": _most_above_one,
    "same_labels": _ranked_otherwise,
    "not_harder": low_and_high,
    "thousand": lambda run: [_half_width(run, RELIABLE, name) for name in AGREEING],
    "five_hundred": lambda run: (_half_width(run, FEWER, "high"),),
    "unbiased_variance": partial(_estimated, which=0),
    "unbiased_error": partial(_estimated, which=1),
}
"""Key of a statement -> the numbers of one data set that it rests on."""
