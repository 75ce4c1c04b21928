"""Statistics of each rater (severity, spread, agreement, drift), and of pairs of raters and the engine."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.contingency import NO_TABLE, Crossing
from reportgen.evaluation.measure import joint_estimates
from reportgen.evaluation.statistics import METHOD_CLUSTERED, METHOD_WILSON, estimate_of, formula_of_raters
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import METRICS, pair, rater_drift, rater_habits, rater_profiles, rater_severity
from reportgen.metrics.catalogue import in_table, table_statistics
from reportgen.metrics.reliability import IdentifiedComponents, generalizability_of_raters
from reportgen.privacy import Mask, Partition, withheld
from reportgen.results import Cell, Estimate, Kind
from reportgen.scores.table import RaterIds
from reportgen.sources.columns import Coded, Codes
from reportgen.tally import OVERALL, CellScores, JointNumbers, PairSums, Polynomial, Tally, human_contingency, limits
from reportgen.tally.cells import Rounding, rounding_of
from reportgen.tally.intervals import STEP
from reportgen.tally.sums import Floats

RaterFilter = Callable[[Codes, int], Mask]  # returns which numbered raters are withheld

METHOD_FIT = "least squares within responses"
METHOD_DRAWN = "empirical Bayes (Morris and Tang 2011)"
METHOD_INFLUENCE = "infinitesimal jackknife on whole ratings"
METHOD_WHITE = "least squares, errors of unequal variance (White 1980)"

MOST_WORK = 2e8  # ratings times ratings per response above which columns are not compared by response

ALL_WITHHELD = "every rater gave too few ratings to be shown"  # reason if no rater has a row

ALONE = "no response was shared with another rater"  # reason if a rater shares no responses


class RaterRows(NamedTuple):
    """All raters, those with most ratings first, and their common statistics.

    rows: cells of each by column. `severity` is the observed difference from the others, `expected` the shrunken one;
        positive is lenient.
    spread, spread_ends: SD of severity in the population of raters with its interval; nan for too few.
    """

    rows: tuple[dict[str, Cell], ...]
    spread: float
    spread_ends: tuple[float, float]
    error_variance: float  # residual variance of a rating after response and rater
    parts: int  # sets of raters that no shared response links
    alone: int  # raters who share no response
    reason: str  # why there are no rows or no shrunken severities; empty otherwise
    withheld: int = 0  # number of raters without a row for privacy


def withheld_raters(
    groups: Mapping[str, Coded], levels: Mapping[str, frozenset[str]], least: int, codes: Codes, raters: int
) -> Mask:
    """Return (raters,): withheld raters, with few ratings, or whose ratings reveal those of few by subtraction.

    groups, levels: groups of responses, and withheld levels; the others' numbers are known.
    least: fewest ratings of a shown rater, 0 if all are shown.
    codes (n, k): numbers of the raters, -1 if unknown.
    """
    if not least:
        return np.zeros(raters, np.bool_)
    rows, slots = np.nonzero(codes >= 0)
    shown = []
    for name, coded in groups.items():
        hidden = np.array([label in levels.get(name, ()) for label in coded.labels], np.bool_)
        shown.append(Partition(coded.codes[rows], len(coded.labels), always_shown=True).without(hidden))
    return withheld([*shown, Partition(codes[rows, slots], raters)], least)[-1]


def withheld_columns(tally: Tally, least: int) -> Mask:
    """Return (raters,): withheld columns of ratings, by their number of ratings."""
    given, overall = np.isfinite(tally.cells.ratings), tally.slices[OVERALL]
    n = np.bincount(overall.cell, overall.sums[0], len(given)) @ given
    return withheld([Partition(np.flatnonzero(n), len(n))], least, counts=n[n > 0])[-1]


def rater_rows(
    tallied: TalliedScores,
    ratings: Floats,
    ids: RaterIds | None,
    show_names: bool,
    candidates: NDArray[np.integer] | None = None,
    hidden: RaterFilter | None = None,
) -> RaterRows | None:
    """Compute the statistics of every rater, or column if ratings do not name raters; None if there are none.

    ratings (n, k): human scores, with raters `ids.codes`.
    ids, show_names: names of people are shown only if requested; names of columns always are.
    candidates (n,): the test taker of each response, if these are the units.
    hidden: function that returns which numbered raters are withheld; default: none.
    """
    # three or more columns count as raters; the comparison of two is in the table of pairs
    compared_here = ratings.shape[1] > 2 and ratings.size * ratings.shape[1] <= MOST_WORK
    if not len(ratings) or (ids is None and not compared_here):
        return None
    ids, show_names = (columns_as_raters(tallied.raters, ratings), True) if ids is None else (ids, show_names)
    if len(ids.names) > MOST_RATERS:
        reason = f"severities are computed for up to {MOST_RATERS:,} raters; there are {len(ids.names):,}"
        return RaterRows((), np.nan, (np.nan, np.nan), np.nan, 0, 0, reason)
    codes, names, count = numbered(ratings, ids, show_names)
    out = hidden(codes, len(names)) if hidden else np.zeros(len(names), np.bool_)
    level, units = tallied.level, candidates if tallied.rows else None
    severity, habits = rater_severity(ratings, codes, level=level), rater_habits(ratings, codes)
    beside = rater_profiles(ratings, codes, units=units)
    freedom, method = beside.units.astype(np.float64) - 1, METHOD_INFLUENCE if units is None else METHOD_CLUSTERED
    spread = limits(beside.log_sd_ratio, beside.log_sd_ratio_error, freedom, "none", level)

    def told(
        metric: str, value: Floats, ends: tuple[Floats, Floats], how: str = method, n: NDArray[np.integer] = beside.n,
        why: str = "the scores do not vary", error: Floats | None = None,
    ) -> list[Estimate]:  # fmt: skip
        errors = np.full(len(value), np.nan) if error is None else error
        return [
            estimate_of(metric, *each, level, how, KINDS[metric], why if each[1] or metric == "drift" else ALONE)
            for each in zip(value, n, *ends, errors, strict=True)
        ]

    def share(value: Floats, n: NDArray[np.integer], units: NDArray[np.integer]) -> tuple[Floats, Floats]:
        return limits(value, value, units.astype(np.float64) - 1, "wilson", level, n.astype(np.float64))

    cells: dict[str, Sequence[Cell]] = {
        "rater": names,
        "n": count,
        "shared": [round(n) for n in severity.n],
        "expected": told("expected_severity", severity.expected, (severity.expected_low, severity.expected_high),
                         METHOD_DRAWN, severity.n, severity.reason),
        "severity": told("severity", severity.observed, (severity.observed_low, severity.observed_high),
                         METHOD_FIT, severity.n, severity.reason),
        "qwk": told("qwk", beside.qwk, limits(beside.qwk, beside.qwk_error, freedom, "fisher", level)),
        "r": told("r", beside.r, limits(beside.r, beside.r_error, freedom, "fisher", level)),
        "sd_ratio": told("rater_sd_ratio", np.exp(beside.log_sd_ratio), (np.exp(spread[0]), np.exp(spread[1]))),
        "exact": told("exact_agreement", beside.exact, share(beside.exact, beside.n, beside.units), METHOD_WILSON),
        "mean": habits.mean.tolist(),
        "sd": [sd if n > 1 else None for sd, n in zip(habits.sd.tolist(), habits.n, strict=True)],
        "commonest": habits.commonest.tolist(),
        "share": told("commonest_share", habits.share, share(habits.share, habits.n, habits.n),
                      METHOD_WILSON, habits.n),
    }  # fmt: skip
    if ids.times is not None:  # between the first and the last rating
        known = ids.times[(codes >= 0) & np.isfinite(ratings) & np.isfinite(ids.times)]
        period = float(np.ptp(known)) if known.size else 0.0
        drift = rater_drift(ratings, codes, ids.times / (period or 1.0))
        ends = limits(drift.slope, drift.error, drift.n.astype(np.float64) - 2, "none", level)
        why = "fewer than three shared ratings with a time, or all at one time"
        cells["drift"] = told("drift", drift.slope, ends, METHOD_WHITE, drift.n, why, drift.error)
    return RaterRows(
        tuple({key: each[row] for key, each in cells.items()} for row in np.flatnonzero(~out).tolist()),
        severity.spread, (severity.spread_low, severity.spread_high), severity.error_variance, severity.parts,
        int((severity.n == 0).sum()), ALL_WITHHELD if out.all() else severity.reason, int(out.sum()),
    )  # fmt: skip


def columns_as_raters(names: Sequence[str], ratings: Floats) -> RaterIds:
    """Return the columns of (n, k) ratings as raters."""
    return RaterIds(np.broadcast_to(np.arange(len(names), dtype=np.int32), ratings.shape), tuple(names))


def numbered(ratings: Floats, ids: RaterIds, shown: bool) -> tuple[Codes, tuple[str, ...], list[int]]:
    """Return (n, k) numbers of the raters, most ratings first, -1 if unknown; their names (if `shown`) and ratings."""
    given = (ids.codes >= 0) & np.isfinite(ratings)
    count = np.bincount(ids.codes[given], minlength=len(ids.names))
    order = sorted(np.flatnonzero(count).tolist(), key=lambda rater: (-count[rater], ids.names[rater]))
    # raters without evaluated ratings get no code
    place = np.full(len(ids.names) + 1, -1)
    place[order] = np.arange(len(order))
    names = tuple(ids.names[rater] if shown else f"Rater {row + 1}" for row, rater in enumerate(order))
    return np.where(given, place[ids.codes], -1).astype(np.int32), names, count[order].tolist()


KINDS: dict[str, Kind] = {
    "qwk": "coefficient", "r": "coefficient", "rater_sd_ratio": "coefficient", "exact_agreement": "percent",
    "commonest_share": "percent", "severity": "difference", "expected_severity": "difference", "drift": "difference",
}  # fmt: skip
"""Number format by statistic of a rater."""


MOST_RATERS = 1000  # raters up to which severities are fitted, because the equations are quadratic in their number


class NamedRatings(NamedTuple):
    """Named ratings by response, and their variance components.

    ratings (n, k): human scores, NaN if missing.
    components: with the influence of every response.
    candidates (n,): the test taker of every response, if these are the units; otherwise None.
    """

    ratings: Floats
    components: IdentifiedComponents
    candidates: NDArray[np.integer] | None

    def numbers(
        self, statistics: Callable[[Floats], Mapping[str, Floats]], at: Floats, moved: Floats, counted: Mask
    ) -> dict[str, JointNumbers]:
        """Return smooth functions of inputs `at`, with influences `moved` (n, inputs) of the `counted` responses."""
        codes = self.candidates
        units = counted if codes is None else np.bincount(codes, counted) > 0
        n, m = float(counted.sum()), float(units.sum())
        with np.errstate(all="ignore"):
            value = statistics(at)
            steps = [statistics(at + 1j * STEP * (np.arange(len(at)) == place)) for place in range(len(at))]
        made = {}
        for key in value:
            influence = moved @ np.stack([np.atleast_1d(np.imag(step[key])) / STEP for step in steps])
            if codes is not None:
                influence = np.stack([np.bincount(codes, each) for each in influence.T], axis=1)
            squares = (influence**2).sum(axis=0)
            error = np.sqrt(squares * m / (m - 1)) if m > 1 else np.full_like(squares, np.nan)
            made[key] = JointNumbers(np.atleast_1d(value[key]), error, np.array([n]), np.array([m]))
        return made


def named_rows(tallied: TalliedScores, ratings: Floats, ids: RaterIds | None) -> NamedRatings | None:
    """Return the ratings by their named raters; None without names, or if each column is one rater."""
    if ids is None:
        return None
    given = np.isfinite(ratings)
    names = [np.unique(ids.codes[given[:, column], column]) for column in range(ratings.shape[1])]
    if all(len(each) == 1 and each[0] >= 0 for each in names) and len(np.unique(names)) == len(names):
        return None  # every column contains the ratings of one rater
    codes = np.where(given, ids.codes, -1)
    if len(np.unique(codes[codes >= 0])) > MOST_RATERS:
        codes = np.full_like(codes, -1)
    found = generalizability_of_raters(np.where(given, ratings, np.nan), codes)
    return NamedRatings(ratings, found, tallied.scores.units if tallied.scores is not None else None)


MOST_PAIRED = 12  # raters up to which all pairs are compared; of more, the first with each of the others

MOST_CATEGORIES = 24  # score points up to which statistics of the table of two raters are computed here

MOST_AVERAGED = 10  # pairs of raters (of five raters) up to which their average agreement has an interval

ON_POINTS = {key: each for key, each in table_statistics().items() if "human_human.agreement" in each.tables}
AGREEMENT = tuple(metric for metric in in_table("human_human.agreement") if metric not in ON_POINTS)
"""Agreement of two raters by catalogue key, from the table of their scores and from sums."""


COMPARED: Mapping[str, tuple[Kind, str]] = {
    "mean_difference": ("difference", "none"), "smd": ("difference", "none"), "sd_ratio": ("coefficient", "ratio"),
    "r_first": ("coefficient", "fisher"), "r_second": ("coefficient", "fisher"), "r_difference": ("difference", "none"),
}  # fmt: skip
"""Number format and interval scale by comparison of two raters."""


def rater_pairs(tallied: TalliedScores) -> list[tuple[int, int]]:
    """Return the pairs of shown raters with enough shared responses, the first two first; see `MOST_PAIRED`."""
    present = np.isfinite(tallied.tally.cells.ratings)
    raters, overall, least = len(tallied.raters), tallied.tally.slices[OVERALL], max(tallied.withheld.least, 1)
    n = np.bincount(overall.cell, overall.sums[0], len(present))
    n = (present * n[:, None]).T @ present
    n[:, list(tallied.withheld.raters)] = n[list(tallied.withheld.raters)] = 0.0
    pairs = itertools.combinations(range(raters), 2) if raters <= MOST_PAIRED else ((0, b) for b in range(1, raters))
    return [(a, b) for a, b in pairs if (a, b) == (0, 1) or n[a, b] > least - 0.5]


def compared(tallied: TalliedScores, first: int, second: int) -> dict[str, Estimate]:
    """Return means, spread, and agreement with the engine of two raters, as second minus (or over) first."""
    who = (first, second)

    def statistics(sums: Mapping[str, Floats], centre: float) -> Mapping[str, Floats]:
        raters = pair_sums(sums, centre, who)
        quotient = pair.ratio(pair.squares_y(raters), pair.squares_x(raters))
        by_first, by_second = (pair.pearson_r(pair_sums(sums, centre, who, rater, "m")) for rater in "xy")
        return {
            "mean_difference": pair.mean_difference(raters),
            "smd": pair.standardized_mean_difference_pooled(raters),
            "sd_ratio": np.log(np.where(quotient == 0, np.nan, quotient)) / 2,
            "r_first": by_first,
            "r_second": by_second,
            "r_difference": by_second - by_first,
        }

    found = tallied.joint(
        tallied.primary, lambda scores: pair_features(scores, [who]), statistics, rests_on=f"{first}.{second}.n"
    )
    made = {}
    for key, (kind, transform) in COMPARED.items():
        why = "a score does not vary" if key.startswith("r_") else NO_SPREAD
        how, reason = (kind, transform), why if found[key].n.sum() else NOT_BOTH
        (made[key],) = joint_estimates(tallied, f"rater_{key}", found[key], *how, reason=reason)
    return made


NOT_BOTH, NO_SPREAD = "no response was scored by both", "a rater's scores do not vary"


def agreement(tallied: TalliedScores, first: int, second: int) -> dict[str, Estimate]:
    """Return the agreement of two raters by catalogue key, without kappa for too many points."""
    found = _mean_agreement(tallied, [(first, second)], f"{first}.{second}.n")
    made = {}
    for key, each in found.items():
        reason = NO_SPREAD if each.n.sum() else NOT_BOTH
        (made[key],) = joint_estimates(tallied, key, each, transform=METRICS[key].transform, reason=reason)
    tally, rows = tallied.tally, tallied.rows.get(tallied.primary.family)
    table = human_contingency(tally, OVERALL, (first, second))
    if found["qwk"].n.sum() and not 0 < len(table.points) <= MOST_CATEGORIES:
        return made | {key: Estimate(key, None, 0, reason=NO_TABLE, level=tallied.level) for key in ON_POINTS}
    crossing = Crossing({"human": table}, tally.slices[OVERALL], OVERALL, rows)
    numbers = crossing.numbers({f"human.{key}": each for key, each in ON_POINTS.items()}, tallied.level)
    for own in numbers.values():
        one = own.estimate(0, tallied.level, tallied.method, reason=ON_POINTS[own.metric].nothing)
        made[own.metric] = one if one.low is not None else replace(one, method="")
    return made


def average_agreement(tallied: TalliedScores, pairs: list[tuple[int, int]]) -> dict[str, Estimate]:
    """Return the unweighted mean over pairs of raters of each agreement."""
    found = _mean_agreement(tallied, pairs, "any")
    return {key: joint_estimates(tallied, key, each, reason="a pair has no value")[0] for key, each in found.items()}


def _mean_agreement(tallied: TalliedScores, pairs: list[tuple[int, int]], rests_on: str) -> dict[str, JointNumbers]:
    def features(scores: CellScores) -> dict[str, Polynomial]:
        some = scores.one * (scores.present.sum(axis=0) > 1).astype(np.float64)
        return pair_features(scores, pairs, rounding_of(tallied.tally.bounds)) | {"any": some}

    def statistics(sums: Mapping[str, Floats], centre: float) -> Mapping[str, Floats]:
        each = [pair_sums(sums, centre, two) for two in pairs]
        return {key: np.asarray(sum(map(formula_of_raters(key), each))) / len(each) for key in AGREEMENT}

    return tallied.joint(tallied.primary_rounded, features, statistics, rests_on=rests_on)


def pair_features(
    scores: CellScores, pairs: Sequence[tuple[int, int]], rounding: Rounding | None = None
) -> dict[str, Polynomial]:
    """Return the features of every two raters, with agreement if there is a rounding; "0.1.xy" is their product."""
    made: dict[str, Polynomial] = {}
    for first, second in pairs:
        both = (scores.present[first] & scores.present[second]) * 1.0
        one, x, y, m = (
            both * each for each in (scores.one, scores.ratings[first], scores.ratings[second], scores.score)
        )
        found = {"n": one, "x": x, "y": y, "xx": x * x, "yy": y * y, "xy": x * y}
        if rounding is None:
            found |= {"m": m, "mm": m * m, "xm": x * m, "ym": y * m}
        else:
            gap = np.abs(np.subtract(*(rounding.matched(each.c[0] + scores.centre) for each in (x, y))))
            found |= {"exact": one * (1.0 * (gap == 0)), "adjacent": one * (1.0 * (gap <= rounding.adjacent))}
        made |= {f"{first}.{second}.{key}": each for key, each in found.items()}
    return made


def pair_sums(
    sums: Mapping[str, Floats], centre: float, raters: tuple[int, int], x: str = "x", y: str = "y"
) -> PairSums:
    """Return the sums of two of the scores: x and y of the raters, and m of the engine."""
    start = f"{raters[0]}.{raters[1]}."
    n, of_x, of_y, xx, yy, xy = (sums[start + key] for key in ("n", x, y, x + x, y + y, x + y))
    exact, adjacent = (sums.get(start + key, 0 * n) for key in ("exact", "adjacent"))
    return PairSums(centre, n, of_x, of_y, xx, yy, xy, 0 * n, exact, adjacent)
