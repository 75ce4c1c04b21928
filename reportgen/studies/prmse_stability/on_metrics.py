"""What Loukina et al. (2020) say of simulated scores and of common metrics: sections 2 to 5, before PRMSE."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from reportgen.studies.printed import in_section
from reportgen.studies.prmse_stability import published
from reportgen.studies.prmse_stability.claims import CLOSE, Claim, Numbers, close_to, falling
from reportgen.studies.prmse_stability.measures import REFERENCES, Measures
from reportgen.studies.prmse_stability.ranks import concordance, misplaced, out_of_order, ranks_of

AGREEMENT = ("r", "qwk", "r_squared")
TRADITIONAL = (*AGREEMENT, "degradation")
"""Metrics that the paper calls traditional."""

UPPER = ("medium", "high", "perfect")

NOTABLE = 0.10
"""A change of a coefficient that counts as large: the degradation that Williamson et al. (2012) tolerate."""

ENOUGH = 10
"""Ratings of a response that the paper says are needed at least, besides the first."""


def claims_on_metrics() -> Iterator[Claim]:
    """Yield every statement, in the order of the paper."""
    yield from _on_scores()
    yield from _on_agreement()
    yield from _on_ranking()
    yield from _on_more_raters()


def _on_scores() -> Iterator[Claim]:
    """Yield what is said of noise before, and of the simulated scores: sections 2 and 3."""
    two, three = in_section("2"), in_section("3")
    yield Claim(two, "true_higher", _true_and_observed, lambda found: found[0] > found[1])
    yield Claim(three, "rmse_ends", rmse_ends, close_to(published.RMSE), published.RMSE)
    yield Claim(three, "mse_share", lambda run: (mse_share(run),), close_to(published.MSE_SHARE, 0.05),
                published.MSE_SHARE, "percent")  # fmt: skip
    yield Claim(three, "poor_constant", lambda run: run.systems["poor"][:1], close_to((0.0,)), (0.0,))
    yield Claim(three, "equally_good", _within_and_between, lambda found: found[0] < found[1] / 2)
    yield Claim(three, "scores_differ", lambda run: (max(run.truths.alike.values()),), lambda found: found[0] < 0.999)


def _on_agreement() -> Iterator[Claim]:
    """Yield how metrics of one system move with its raters: section 4.1."""
    place, text = in_section("4.1"), published.TEXT
    yield Claim(place, "metrics_move", _smallest_move, lambda found: found[0] > NOTABLE)
    ends = tuple(text["r", name] for name in ("low", "high"))
    yield Claim(place, "r_ends", low_and_high, close_to(ends), ends)
    ends = tuple(text["degradation", name] for name in ("low", "high"))
    yield Claim(place, "degradation_ends", lambda run: ends_of(run, "degradation"), close_to(ends), ends)
    yield Claim(place, "metrics_improve", lambda run: (_smallest_step(run),), lambda found: found[0] > 0)
    yield Claim(place, "degradation_improves", lambda run: _means(run, "degradation"), falling)
    yield Claim(place, "other_engines", _steps_of_others, lambda found: min(found) > 0)


def _on_ranking() -> Iterator[Claim]:
    """Yield how metrics rank systems with raters of their own: section 4.2 and appendix A."""
    place, each = in_section("4.2"), len(published.SYSTEMS)
    yield Claim(in_section("4.2"), "assignment", _assigned, lambda found: tuple(found) == (3, 2, 3), (3, 2, 3), "count",
                of_these_data=True)  # fmt: skip
    yield Claim(place, "same_raters", lambda run: [misplaced(run, metric, same=True) for metric in TRADITIONAL],
                lambda found: not any(found), kind="count")  # fmt: skip
    yield Claim(place, "poor_last", lambda run: [max(ranks_of(run, metric, "poor")) for metric in AGREEMENT],
                lambda found: max(found) <= each, (each,) * len(AGREEMENT), "count")  # fmt: skip
    yield Claim(place, "poor_degradation", lambda run: (max(ranks_of(run, "degradation", "poor")),),
                lambda found: found[0] > each, kind="count")  # fmt: skip
    yield Claim(place, "others_mixed", lambda run: [misplaced(run, metric, but=("poor",)) for metric in TRADITIONAL],
                lambda found: min(found) > 0, kind="count")  # fmt: skip
    yield Claim(place, "r_squared_overlaps", _overlaps, lambda found: found[0] > found[1] and found[2] > found[3],
                kind="count")  # fmt: skip
    metrics = ("r_squared", "r", "qwk", "degradation")
    yield Claim(place, "others_overlap_more", lambda run: [out_of_order(run, metric, UPPER) for metric in metrics],
                lambda found: found[0] < min(found[1:]), kind="percent")  # fmt: skip
    yield Claim(place, "degradation_misranks", _perfect_below_medium, lambda found: found[0] < found[1], kind="count")
    yield Claim(place, "own_raters", lambda run: [concordance(run, metric) for metric in TRADITIONAL],
                lambda found: max(found) < 1 - NOTABLE)  # fmt: skip


def _on_more_raters() -> Iterator[Claim]:
    """Yield what more raters change, and what follows: section 4.3 and the beginning of section 5."""
    place, after = in_section("4.3"), in_section("5")
    yield Claim(place, "two_higher", lambda run: (_smallest_gain(run),), lambda found: found[0] > 0)
    yield Claim(place, "approach", _distance_left, lambda found: max(found) < 10, kind="percent")
    yield Claim(after, "identical_engines", lambda run: ends_of(run, "r"),
                lambda found: found[1] - found[0] > NOTABLE)  # fmt: skip
    yield Claim(after, "different_engines", lambda run: (_nearest(run),),
                lambda found: found[0] < CLOSE)  # fmt: skip
    yield Claim(after, "ten_ratings", _not_enough, lambda found: min(found) >= ENOUGH and not _rises(found), (ENOUGH,),
                "count")  # fmt: skip


def _rises(found: Numbers) -> bool:
    """Return whether a number lies above the one before."""
    return any(after > before for before, after in pairwise(found))


def rmse_ends(run: Measures) -> tuple[float, float]:
    """Return the root mean squared error of the worst and of the best system."""
    every = [np.sqrt((1 - each.known) * run.truths.variance) for each in run.ranking]
    return float(max(every)), float(min(every))


def mse_share(run: Measures) -> float:
    """Return the squared error of the best systems in percent of the variance of true scores."""
    return 100 * (1 - run.systems["perfect"][0])


def _true_and_observed(run: Measures) -> Numbers:
    """Return QWK with true scores, and the highest mean of a category with one rater."""
    return run.truths.metrics["qwk"], max(_means(run, "qwk", "first"))


def _within_and_between(run: Measures) -> Numbers:
    """Return the largest difference of R2 within a category, and the smallest between neighbours."""
    known = {name: [each.known for each in run.ranking if each.category == name] for name in run.systems}
    means = [float(np.mean(values)) for values in known.values()]
    return max(float(np.ptp(values)) for values in known.values()), float(np.diff(means).min())


def _means(run: Measures, metric: str, reference: str = "mean") -> list[float]:
    """Return the means of a metric of the studied system, by rater category."""
    return [float(values.mean()) for values in run.stability[reference, metric].values()]


def low_and_high(run: Measures) -> Numbers:
    """Return mean r of the studied system with two raters who agree least, and most."""
    every = _means(run, "r")
    return every[0], every[-1]


def ends_of(run: Measures, metric: str) -> tuple[float, float]:
    """Return the lowest and the highest value of all pairs, against the mean of two."""
    every = np.concatenate(list(run.stability["mean", metric].values()))
    return float(every.min()), float(every.max())


def _smallest_move(run: Measures) -> Numbers:
    """Return the least that a traditional metric moves between categories, against one rater or two."""
    every = [_means(run, metric, reference) for reference in REFERENCES for metric in TRADITIONAL]
    return (min(float(np.ptp(each)) for each in every),)


def _smallest_step(run: Measures) -> float:
    """Return the least that r, QWK and R2 rise from one category to the next."""
    return min(float(np.diff(_means(run, metric, each)).min()) for each in REFERENCES for metric in AGREEMENT)


def _steps_of_others(run: Measures) -> Numbers:
    """Return the same for one system of each kind, against the mean of two."""
    found = run.truths.others.values()
    return [min(float(np.diff(list(each[metric].values())).min()) for metric in AGREEMENT) for each in found]


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


def _smallest_gain(run: Measures) -> float:
    """Return the least that the mean of two raters gains over one."""
    gains = (np.subtract(_means(run, metric), _means(run, metric, "first")) for metric in AGREEMENT)
    return min(float(each.min()) for each in gains)


def _distance_left(run: Measures) -> Numbers:
    """Return for each metric the distance to true scores left with all raters, in percent of that with one."""
    found = []
    for metric in AGREEMENT:
        away = [np.abs(values - run.truths.metrics[metric]) for values in run.joining[metric].values()]
        found.append(max(100 * float(each[-1] / each[0]) for each in away))
    return found


def _nearest(run: Measures) -> float:
    """Return the smallest difference of r between systems that are at least two categories apart."""
    place = {name: at for at, name in enumerate(run.systems)}
    return min(
        abs(one.own_pair["r"] - other.own_pair["r"])
        for one in run.ranking
        for other in run.ranking
        if place[other.category] - place[one.category] >= 2
    )


def _not_enough(run: Measures) -> Sequence[int]:
    """Return the most ratings with which R2 is not yet close to its value with true scores, by rater category."""
    known, found = run.truths.metrics["r_squared"], []
    for values in run.joining["r_squared"].values():
        far = np.flatnonzero(np.abs(values - known) > CLOSE)
        found.append(int(far[-1]) + 1 if len(far) else 0)
    return found
