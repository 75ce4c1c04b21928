"""Two raters beside each other, and beside the engine, on the responses that both rated."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from reportgen.evaluation.jointly import joint_estimates
from reportgen.evaluation.statistics import formula_of_raters
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import METRICS, pair
from reportgen.metrics.catalogue import in_table
from reportgen.results import Estimate, Kind
from reportgen.results.term import Term
from reportgen.tally import OVERALL, CellScores, PairSums, Polynomial
from reportgen.tally.cells import Floats
from reportgen.tally.rounding import WHOLE, Rounding, rounding_of

MOST_RATERS = 12
"""Raters up to which every two are compared; of more, the first with each of the others."""

MOST_CATEGORIES = 24
"""Score points up to which kappa of two raters is computed here."""

MOST_AVERAGED = 10
"""Pairs of raters up to which their average agreement has an interval: five raters."""

AGREEMENT = tuple(metric for metric in in_table("human_human.agreement") if metric != "kappa")
"""Agreement of two raters, by the names of the catalogue."""


@dataclass(frozen=True)
class Compared:
    """One comparison of two raters: metric's key, how it is written, and where it is symmetric."""

    key: str
    kind: Kind
    transform: str
    reason: str = "a rater's scores do not vary"


COMPARED = (
    Compared("mean_difference", "difference", "none"),
    Compared("smd", "difference", "none"),
    Compared("sd_ratio", "coefficient", "ratio"),
    Compared("r_first", "coefficient", "fisher", "a score does not vary"),
    Compared("r_second", "coefficient", "fisher", "a score does not vary"),
    Compared("r_difference", "difference", "none", "a score does not vary"),
)


def pairs_note(tallied: TalliedScores) -> tuple[str, ...]:
    """Say which pairs of raters a table shows, where it does not show all."""
    if len(tallied.raters) <= MOST_RATERS:
        return ()
    return (Term("first_with_each_other", raters=len(tallied.raters), most=MOST_RATERS),)


def rater_pairs(tallied: TalliedScores) -> list[tuple[int, int]]:
    """Return every two raters who may be shown and rated enough together, the first two first; see `MOST_RATERS`."""
    present = np.isfinite(tallied.tally.cells.ratings)
    raters, overall, least = len(tallied.raters), tallied.tally.slices[OVERALL], max(tallied.withheld.least, 1)
    n = np.bincount(overall.cell, overall.sums[0], len(present))
    n = (present * n[:, None]).T @ present
    n[:, list(tallied.withheld.raters)] = n[list(tallied.withheld.raters)] = 0.0
    pairs = itertools.combinations(range(raters), 2) if raters <= MOST_RATERS else ((0, b) for b in range(1, raters))
    return [(a, b) for a, b in pairs if (a, b) == (0, 1) or n[a, b] > least - 0.5]


def compared(tallied: TalliedScores, first: int, second: int) -> dict[str, Estimate]:
    """Return means, spread and agreement with the engine of two raters on the same responses.

    Differences are second less first, the ratio of SDs second over first.
    """

    def statistics(sums: Mapping[str, Floats], centre: float) -> Mapping[str, Floats]:
        raters = _pair(sums, centre, "x", "y")
        by_first, by_second = (pair.pearson_r(_pair(sums, centre, who, "m")) for who in "xy")
        return {
            "mean_difference": pair.mean_difference(raters),
            "smd": pair.standardized_mean_difference_pooled(raters),
            "sd_ratio": _log_ratio(pair.squares_y(raters), pair.squares_x(raters)),
            "r_first": by_first,
            "r_second": by_second,
            "r_difference": by_second - by_first,
        }

    def features(scores: CellScores) -> dict[str, Polynomial]:
        return _features(scores, first, second, engine=True)

    found = tallied.joint(tallied.primary, features, statistics, rests_on="n")
    return {
        each.key: joint_estimates(
            tallied,
            f"rater_{each.key}",
            found[each.key],
            kind=each.kind,
            transform=each.transform,
            reason="no response was scored by both" if not found[each.key].n.sum() else each.reason,
        )[0]
        for each in COMPARED
    }


def agreement(tallied: TalliedScores, first: int, second: int) -> dict[str, Estimate]:
    """Return the agreement of two raters by the names of the catalogue; no kappa of scores with too many points."""

    def features(scores: CellScores) -> dict[str, Polynomial]:
        return _features(scores, first, second, rounding=rounding_of(tallied.tally.bounds))

    def statistics(sums: Mapping[str, Floats], centre: float) -> Mapping[str, Floats]:
        return _agreement(_pair(sums, centre, "x", "y"))

    found = tallied.joint(tallied.primary_rounded, features, statistics, rests_on="n")
    result = {
        key: joint_estimates(
            tallied,
            key,
            found[key],
            kind=METRICS[key].kind,
            transform=METRICS[key].transform,
            reason="no response was scored by both" if not found[key].n.sum() else "a rater's scores do not vary",
        )[0]
        for key in AGREEMENT
    }
    return result | {"kappa": _kappa(tallied, first, second)}


def average_agreement(tallied: TalliedScores, pairs: list[tuple[int, int]]) -> dict[str, Estimate]:
    """Return the plain mean over pairs of raters of each agreement."""

    def features(scores: CellScores) -> dict[str, Polynomial]:
        points = rounding_of(tallied.tally.bounds)
        made = {
            f"{a}.{b}.{key}": feature
            for a, b in pairs
            for key, feature in _features(scores, a, b, rounding=points).items()
        }
        return made | {"any": scores.one * (scores.present.sum(axis=0) > 1).astype(np.float64)}

    def statistics(sums: Mapping[str, Floats], centre: float) -> Mapping[str, Floats]:
        each = [_agreement(_pair({key: sums[f"{a}.{b}.{key}"] for key in _PAIR}, centre, "x", "y")) for a, b in pairs]
        return {key: np.asarray(sum(one[key] for one in each)) / len(each) for key in AGREEMENT}

    found = tallied.joint(tallied.primary_rounded, features, statistics, rests_on="any")
    return {
        key: joint_estimates(tallied, key, found[key], kind=METRICS[key].kind, reason="a pair has no value")[0]
        for key in AGREEMENT
    }


_PAIR = ("n", "x", "y", "xx", "yy", "xy", "exact", "adjacent")


def _features(
    scores: CellScores, first: int, second: int, engine: bool = False, rounding: Rounding = WHOLE
) -> dict[str, Polynomial]:
    """Return the features of two raters, 0 where either gave no rating, and of the engine beside them."""
    both = (scores.present[first] & scores.present[second]) * 1.0
    x, y, m = both * scores.ratings[first], both * scores.ratings[second], both * scores.score
    gap = np.abs(np.subtract(*(rounding.matched(each.c[0] + scores.centre) for each in (x, y))))
    one = both * scores.one
    made = {
        "n": one, "x": x, "y": y, "xx": x * x, "yy": y * y, "xy": x * y,
        "exact": one * (gap == 0).astype(np.float64), "adjacent": one * (gap <= rounding.adjacent).astype(np.float64),
    }  # fmt: skip
    return made | ({"m": m, "mm": m * m, "xm": x * m, "ym": y * m} if engine else {})


def _pair(sums: Mapping[str, Floats], centre: float, x: str, y: str) -> PairSums:
    """Return the sums of two of the scores; the only level is taken off."""
    zero = np.zeros_like(sums["n"][..., 0])
    exact, adjacent = (sums[key][..., 0] if (x, y) == ("x", "y") else zero for key in ("exact", "adjacent"))
    n, of_x, of_y, xx, yy, xy = (sums[key][..., 0] for key in ("n", x, y, x + x, y + y, x + y))
    return PairSums(centre, n, of_x, of_y, xx, yy, xy, zero, exact, adjacent)


def _agreement(sums: PairSums) -> dict[str, Floats]:
    return {metric: formula_of_raters(metric)(sums) for metric in AGREEMENT}


def _log_ratio(top: Floats, bottom: Floats) -> Floats:
    """Return the logarithm of the ratio of two SDs, from their sums of squares; nan where either is 0."""
    quotient = pair.ratio(top, bottom)
    return np.log(np.where(quotient == 0, np.nan, quotient)) / 2


def _kappa(tallied: TalliedScores, first: int, second: int) -> Estimate:
    """Return Cohen's kappa of two raters."""
    ratings = rounding_of(tallied.tally.bounds).nearest(tallied.tally.cells.ratings[:, [first, second]])
    points = np.unique(ratings[np.isfinite(ratings).all(axis=1)])
    if len(points) > MOST_CATEGORIES:
        return Estimate("kappa", None, 0, reason="the scores have too many points for a table", level=tallied.level)

    def features(scores: CellScores) -> dict[str, Polynomial]:
        both = scores.one * (scores.present[first] & scores.present[second]).astype(np.float64)
        made = {"n": both, "agree": both * (ratings[:, 0] == ratings[:, 1]).astype(np.float64)}
        for place, point in enumerate(points):
            made[f"x{place}"] = both * (ratings[:, 0] == point).astype(np.float64)
            made[f"y{place}"] = both * (ratings[:, 1] == point).astype(np.float64)
        return made

    def statistics(sums: Mapping[str, Floats], _: float) -> Mapping[str, Floats]:
        share = {key: pair.ratio(value, sums["n"])[..., 0] for key, value in sums.items()}
        chance = sum((share[f"x{k}"] * share[f"y{k}"] for k in range(len(points))), np.zeros_like(share["n"]))
        return {"kappa": pair.ratio(share["agree"] - chance, 1 - chance)}

    found = tallied.joint(tallied.primary_rounded, features, statistics, rests_on="n")["kappa"]
    return joint_estimates(tallied, "kappa", found, kind="coefficient", transform="fisher", reason="kappa is 0/0")[0]
