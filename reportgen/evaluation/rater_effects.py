"""Each rater by name or code: severity, spread, agreement, drift; and two raters beside each other and the engine."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.measure import estimate_of, joint_estimates
from reportgen.evaluation.statistics import METHOD_CLUSTERED, METHOD_WILSON, formula_of_raters
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import (
    METRICS,
    RaterHabits,
    RaterSeverity,
    pair,
    rater_drift,
    rater_habits,
    rater_profiles,
    rater_severity,
)
from reportgen.metrics.catalogue import in_table
from reportgen.metrics.identified_raters import Components, IdentifiedComponents, generalizability_of_raters
from reportgen.privacy import Partition, withheld
from reportgen.results import Cell, Estimate, Kind
from reportgen.results.term import Term
from reportgen.scores.table import RaterIds
from reportgen.sources.columns import Coded, Codes
from reportgen.tally import OVERALL, CellScores, JointNumbers, PairSums, Polynomial, Tally, limits
from reportgen.tally.cells import WHOLE, Rounding, rounding_of
from reportgen.tally.intervals import STEP
from reportgen.tally.sums import Floats

METHOD_FIT = "least squares within responses"
METHOD_DRAWN = "empirical Bayes (Morris and Tang 2011)"
METHOD_INFLUENCE = "infinitesimal jackknife on whole ratings"
METHOD_WHITE = "least squares, errors of unequal variance (White 1980)"

MOST_WORK = 2e8
"""Ratings times ratings of a response beyond which columns of ratings are not compared response by response."""

ALL_WITHHELD = "every rater gave too few ratings to be shown"
"""Why no rater has a row."""

ALONE = "no response was shared with another rater"
"""Why nothing is known of a rater."""


@dataclass(frozen=True)
class RaterRows:
    """All raters, those with most ratings first, and what they have in common.

    rows: Cells of each by column.  `severity` is the difference from the others as found, `expected` the same drawn
        toward 0; above 0 is lenient.
    spread, spread_ends: SD of severity in the population of raters with its interval; nan where there are too few.
    error_variance: Variance of a rating about response and rater.
    parts: Sets of raters that no shared response links.
    alone: Raters who share no response.
    reason: Why there are no rows, or no severities drawn toward 0; empty otherwise.
    withheld: Raters who have no row for privacy.
    """

    rows: tuple[dict[str, Cell], ...]
    spread: float
    spread_ends: tuple[float, float]
    error_variance: float
    parts: int
    alone: int
    reason: str
    withheld: int = 0


def withheld_raters(
    groups: Mapping[str, Coded], levels: Mapping[str, frozenset[str]], least: int, codes: Codes, raters: int
) -> NDArray[np.bool_]:
    """Return (raters,): of whom nothing is shown, as they gave few ratings, or ratings of few follow by subtraction.

    groups, levels: Who is in which group, and which levels are withheld: the others' numbers are known.
    least: Fewest ratings of a rater who is shown, 0 where all are.
    codes (n, k): numbers of the raters, -1 for nobody.
    """
    if not least:
        return np.zeros(raters, np.bool_)
    rows, slots = np.nonzero(codes >= 0)
    shown = [
        Partition(coded.codes[rows], len(coded.labels), always_shown=True).without(
            np.array([label in levels.get(name, ()) for label in coded.labels], np.bool_)
        )
        for name, coded in groups.items()
    ]
    return withheld([*shown, Partition(codes[rows, slots], raters)], least)[-1]


def withheld_columns(tally: Tally, least: int) -> NDArray[np.bool_]:
    """Return (raters,): columns of ratings of which nothing is shown, by how many ratings each has."""
    given, overall = np.isfinite(tally.cells.ratings), tally.slices[OVERALL]
    n = np.bincount(overall.cell, overall.sums[0], len(given)) @ given
    return withheld([Partition(np.flatnonzero(n), len(n))], least, counts=n[n > 0])[-1]


def rater_rows(
    tallied: TalliedScores,
    ratings: Floats,
    ids: RaterIds | None,
    show_names: bool,
    candidates: NDArray[np.integer] | None = None,
    hidden: Callable[[Codes, int], NDArray[np.bool_]] | None = None,
) -> RaterRows | None:
    """Return every rater, a column being one where ratings do not say who gave them; None where nothing is to say.

    ratings (n, k): human scores beside `ids.codes`.
    ids, show_names: Names of persons are shown only when asked; those of columns always.
    candidates (n,): who gave each response, where that is the independent unit.
    hidden: Says of numbered raters which are not shown; all are when left out.
    """
    # columns stand for raters where there are three or more; of two what one is beside the other is said of the pair
    compared_here = ratings.shape[1] > 2 and ratings.size * ratings.shape[1] <= MOST_WORK
    if not len(ratings) or (ids is None and not compared_here):
        return None
    ids, show_names = (columns_as_raters(tallied.raters, ratings), True) if ids is None else (ids, show_names)
    if len(ids.names) > MOST_RATERS:
        reason = f"severities are computed for up to {MOST_RATERS:,} raters; there are {len(ids.names):,}"
        return RaterRows((), np.nan, (np.nan, np.nan), np.nan, 0, 0, reason)
    codes, order, count = numbered(ratings, ids)
    out = hidden(codes, len(order)) if hidden else np.zeros(len(order), np.bool_)
    severity = rater_severity(ratings, codes, level=tallied.level)
    habits = rater_habits(ratings, codes)
    names = [ids.names[rater] if show_names else f"Rater {row + 1}" for row, rater in enumerate(order)]
    cells: dict[str, Sequence[Cell]] = {
        "rater": names,
        "n": [round(count[rater]) for rater in order],
        "shared": [round(n) for n in severity.n],
        **_severities(tallied, severity),
        **_profiles(tallied, ratings, codes, candidates),
        "mean": habits.mean.tolist(),
        "sd": [sd if n > 1 else None for sd, n in zip(habits.sd.tolist(), habits.n, strict=True)],
        "commonest": habits.commonest.tolist(),
        "share": _share(tallied, habits),
        **_drift(tallied, ratings, codes, ids.times),
    }
    rows = tuple({key: each[row] for key, each in cells.items()} for row in np.flatnonzero(~out).tolist())
    alone = int((severity.n == 0).sum())
    return RaterRows(
        rows, severity.spread, (severity.spread_low, severity.spread_high),
        severity.error_variance, severity.parts, alone, ALL_WITHHELD if out.all() else severity.reason,
        int(out.sum()),
    )  # fmt: skip


def columns_as_raters(names: Sequence[str], ratings: Floats) -> RaterIds:
    """Return the raters of (n, k) ratings whose columns stand for them."""
    return RaterIds(np.broadcast_to(np.arange(len(names), dtype=np.int32), ratings.shape), tuple(names))


def numbered(ratings: Floats, ids: RaterIds) -> tuple[Codes, list[int], NDArray[np.intp]]:
    """Return (n, k) numbers of the raters by how much they rated, -1 for nobody; who they are; and their ratings."""
    given = (ids.codes >= 0) & np.isfinite(ratings)
    count = np.bincount(ids.codes[given], minlength=len(ids.names))
    order = sorted(np.flatnonzero(count).tolist(), key=lambda rater: (-count[rater], ids.names[rater]))
    # raters without a rating among those evaluated have no code to spare
    place = np.full(len(ids.names) + 1, -1)
    place[order] = np.arange(len(order))
    return np.where(given, place[ids.codes], -1).astype(np.int32), order, count


def _profiles(
    tallied: TalliedScores, ratings: Floats, codes: Codes, candidates: NDArray[np.integer] | None
) -> dict[str, list[Estimate]]:
    """Return every rater's ratio of SDs, exact agreement, kappa and correlation with the others."""
    units = candidates if tallied.rows else None
    found = rater_profiles(ratings, codes, units=units)
    n, freedom, level = found.n.astype(np.float64), found.units.astype(np.float64) - 1, tallied.level
    spread = limits(found.log_sd_ratio, found.log_sd_ratio_error, freedom, "none", level)
    method, why = METHOD_INFLUENCE if units is None else METHOD_CLUSTERED, "the scores do not vary"

    def of(metric: str, value: Floats, ends: tuple[Floats, Floats], how: str = method) -> list[Estimate]:
        return _estimates(tallied, metric, found.n, value, ends, how, why)

    return {
        "qwk": of("qwk", found.qwk, limits(found.qwk, found.qwk_error, freedom, "fisher", level)),
        "r": of("r", found.r, limits(found.r, found.r_error, freedom, "fisher", level)),
        "sd_ratio": of("rater_sd_ratio", np.exp(found.log_sd_ratio), (np.exp(spread[0]), np.exp(spread[1]))),
        "exact": of(
            "exact_agreement",
            found.exact,
            limits(found.exact, found.exact, freedom, "wilson", level, n),
            METHOD_WILSON,
        ),
    }


def _estimates(
    tallied: TalliedScores,
    metric: str,
    n: NDArray[np.integer],
    value: Floats,
    ends: tuple[Floats, Floats],
    method: str,
    reason: str,
    error: Floats | None = None,
) -> list[Estimate]:
    """Return an estimate of every rater; of one who shares no response, why there is none."""
    kind, errors = KINDS[metric], np.full(len(value), np.nan) if error is None else error
    return [
        estimate_of(
            metric, value[rater], round(n[rater]), ends[0][rater], ends[1][rater], errors[rater], tallied.level,
            method, kind, reason if n[rater] or metric == "drift" else ALONE,
        )
        for rater in range(len(value))
    ]  # fmt: skip


KINDS: dict[str, Kind] = {
    "qwk": "coefficient", "r": "coefficient", "rater_sd_ratio": "coefficient", "exact_agreement": "percent",
    "commonest_share": "percent", "severity": "difference", "expected_severity": "difference", "drift": "difference",
}  # fmt: skip
"""What is said of a rater, and how it is written."""


def _share(tallied: TalliedScores, habits: RaterHabits) -> list[Estimate]:
    n = habits.n.astype(np.float64)
    ends = limits(habits.share, habits.share, n - 1, "wilson", tallied.level, n)
    return _estimates(tallied, "commonest_share", habits.n, habits.share, ends, METHOD_WILSON, "")


def _severities(tallied: TalliedScores, found: RaterSeverity) -> dict[str, list[Estimate]]:
    fitted, drawn = (found.observed_low, found.observed_high), (found.expected_low, found.expected_high)
    return {
        "expected": _estimates(
            tallied, "expected_severity", found.n, found.expected, drawn, METHOD_DRAWN, found.reason
        ),
        "severity": _estimates(tallied, "severity", found.n, found.observed, fitted, METHOD_FIT, found.reason),
    }


def _drift(tallied: TalliedScores, ratings: Floats, codes: Codes, times: Floats | None) -> dict[str, list[Estimate]]:
    """Return every rater's change of severity from the first rating of all to the last; nothing without times."""
    if times is None:
        return {}
    known = times[(codes >= 0) & np.isfinite(ratings) & np.isfinite(times)]
    period = float(np.ptp(known)) if known.size else 0.0
    found = rater_drift(ratings, codes, times / (period or 1.0))
    ends = limits(found.slope, found.error, found.n.astype(np.float64) - 2, "none", tallied.level)
    reason = "fewer than three shared ratings with a time, or all at one time"
    return {"drift": _estimates(tallied, "drift", found.n, found.slope, ends, METHOD_WHITE, reason, found.error)}


MOST_RATERS = 1000
"""Raters up to which severities are fitted: the equations grow with their square."""


@dataclass(frozen=True)
class NamedRatings:
    """Named ratings response by response, and the variance components that follow from them.

    ratings (n, k): human scores, NaN where missing.
    components: With the influence of every response.
    candidates (n,): the independent unit of every response; None where that is the response.
    """

    ratings: Floats
    components: IdentifiedComponents
    candidates: NDArray[np.integer] | None

    def numbers(self, value: Floats, influence: Floats, counted: NDArray[np.bool_]) -> JointNumbers:
        """Return values (outputs,) with standard errors from influences (n, outputs), resting on some responses."""
        units = counted if self.candidates is None else np.bincount(self.candidates, counted) > 0
        total, m = float(counted.sum()), float(units.sum())
        if self.candidates is not None:
            influence = np.stack([np.bincount(self.candidates, each) for each in influence.T], axis=1)
        error = np.sqrt((influence**2).sum(axis=0) * m / (m - 1)) if m > 1 else np.full(len(value), np.nan)
        return JointNumbers(value, error, np.array([total]), np.array([m]))


def named_rows(tallied: TalliedScores, ratings: Floats, ids: RaterIds | None) -> NamedRatings | None:
    """Return the ratings by the raters that they name; None where none is named, or each column is one rater."""
    if ids is None:
        return None
    given = np.isfinite(ratings)
    names = [np.unique(ids.codes[given[:, column], column]) for column in range(ratings.shape[1])]
    if all(len(each) == 1 and each[0] >= 0 for each in names) and len(np.unique(names)) == len(names):
        return None  # every column holds the ratings of one rater, and another one than the next
    codes = np.where(given, ids.codes, -1)
    if len(np.unique(codes[codes >= 0])) > MOST_RATERS:
        codes = np.full_like(codes, -1)
    found = generalizability_of_raters(np.where(given, ratings, np.nan), codes)
    return NamedRatings(ratings, found, tallied.scores.units if tallied.scores is not None else None)


def of_components(
    rows: NamedRatings, statistics: Callable[[Components], Mapping[str, Floats]]
) -> dict[str, JointNumbers]:
    """Return smooth functions of the components, with standard errors; `statistics` keeps complex numbers complex."""
    found = rows.components.found
    at = np.array([found.person, found.rater, found.residual])

    def of(values: Floats) -> Mapping[str, Floats]:
        person, rater, residual = values
        return statistics(Components(person, rater, residual, np.zeros(0)))

    with np.errstate(all="ignore"):
        value = of(at)
        slopes = [of(at + 1j * STEP * (np.arange(3) == place)) for place in range(3)]
    return {
        key: rows.numbers(
            np.asarray(value[key], np.float64),
            rows.components.influence @ np.stack([np.imag(slope[key]) / STEP for slope in slopes]),
            rows.components.multiple,
        )
        for key in value
    }


def of_sums(
    rows: NamedRatings,
    features: Mapping[str, Floats],
    statistics: Callable[[Mapping[str, Floats], Floats], Mapping[str, Floats]],
) -> dict[str, JointNumbers]:
    """Return smooth functions of sums of features (n,) and of the variance of the rest, with standard errors."""
    names = list(features)
    each = np.stack([features[name] for name in names], axis=1)
    at = np.append(each.sum(axis=0), rows.components.found.residual)
    influence = np.column_stack([each, rows.components.influence[:, 2]])

    def of(values: Floats) -> Mapping[str, Floats]:
        return statistics(dict(zip(names, values[:-1], strict=True)), values[-1])

    with np.errstate(all="ignore"):
        value = of(at)
        slopes = [of(at + 1j * STEP * (np.arange(len(at)) == place)) for place in range(len(at))]
    return {
        key: rows.numbers(
            np.atleast_1d(np.asarray(value[key], np.float64)),
            influence @ np.array([[np.imag(slope[key]) / STEP] for slope in slopes]),
            features["multiple"] > 0,
        )
        for key in value
    }


MOST_PAIRED = 12
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
    if len(tallied.raters) <= MOST_PAIRED:
        return ()
    return (Term("first_with_each_other", raters=len(tallied.raters), most=MOST_PAIRED),)


def rater_pairs(tallied: TalliedScores) -> list[tuple[int, int]]:
    """Return every two raters who may be shown and rated enough together, the first two first; see `MOST_PAIRED`."""
    present = np.isfinite(tallied.tally.cells.ratings)
    raters, overall, least = len(tallied.raters), tallied.tally.slices[OVERALL], max(tallied.withheld.least, 1)
    n = np.bincount(overall.cell, overall.sums[0], len(present))
    n = (present * n[:, None]).T @ present
    n[:, list(tallied.withheld.raters)] = n[list(tallied.withheld.raters)] = 0.0
    pairs = itertools.combinations(range(raters), 2) if raters <= MOST_PAIRED else ((0, b) for b in range(1, raters))
    return [(a, b) for a, b in pairs if (a, b) == (0, 1) or n[a, b] > least - 0.5]


def compared(tallied: TalliedScores, first: int, second: int) -> dict[str, Estimate]:
    """Return means, spread and agreement with the engine of two raters on the same responses.

    Differences are second less first, the ratio of SDs second over first.
    """

    def statistics(sums: Mapping[str, Floats], centre: float) -> Mapping[str, Floats]:
        raters = pair_sums(sums, centre, "x", "y")
        quotient = pair.ratio(pair.squares_y(raters), pair.squares_x(raters))
        by_first, by_second = (pair.pearson_r(pair_sums(sums, centre, who, "m")) for who in "xy")
        return {
            "mean_difference": pair.mean_difference(raters),
            "smd": pair.standardized_mean_difference_pooled(raters),
            "sd_ratio": np.log(np.where(quotient == 0, np.nan, quotient)) / 2,
            "r_first": by_first,
            "r_second": by_second,
            "r_difference": by_second - by_first,
        }

    def features(scores: CellScores) -> dict[str, Polynomial]:
        return pair_features(scores, first, second, engine=True)

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
        return pair_features(scores, first, second, rounding=rounding_of(tallied.tally.bounds))

    def statistics(sums: Mapping[str, Floats], centre: float) -> Mapping[str, Floats]:
        return _agreement(pair_sums(sums, centre, "x", "y"))

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
            for key, feature in pair_features(scores, a, b, rounding=points).items()
        }
        return made | {"any": scores.one * (scores.present.sum(axis=0) > 1).astype(np.float64)}

    def statistics(sums: Mapping[str, Floats], centre: float) -> Mapping[str, Floats]:
        each = [
            _agreement(pair_sums({key: sums[f"{a}.{b}.{key}"] for key in _PAIR}, centre, "x", "y")) for a, b in pairs
        ]
        return {key: np.asarray(sum(one[key] for one in each)) / len(each) for key in AGREEMENT}

    found = tallied.joint(tallied.primary_rounded, features, statistics, rests_on="any")
    return {
        key: joint_estimates(tallied, key, found[key], kind=METRICS[key].kind, reason="a pair has no value")[0]
        for key in AGREEMENT
    }


_PAIR = ("n", "x", "y", "xx", "yy", "xy", "exact", "adjacent")


def pair_features(
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


def pair_sums(sums: Mapping[str, Floats], centre: float, x: str, y: str) -> PairSums:
    """Return the sums of two of the scores; the only level is taken off."""
    zero = np.zeros_like(sums["n"][..., 0])
    exact, adjacent = (sums[key][..., 0] if (x, y) == ("x", "y") else zero for key in ("exact", "adjacent"))
    n, of_x, of_y, xx, yy, xy = (sums[key][..., 0] for key in ("n", x, y, x + x, y + y, x + y))
    return PairSums(centre, n, of_x, of_y, xx, yy, xy, zero, exact, adjacent)


def _agreement(sums: PairSums) -> dict[str, Floats]:
    return {metric: formula_of_raters(metric)(sums) for metric in AGREEMENT}


def _kappa(tallied: TalliedScores, first: int, second: int) -> Estimate:
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
