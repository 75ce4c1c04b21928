"""How raters agree: two by two, any two of a response, and all at once."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from reportgen.evaluation.measure import joint_estimates
from reportgen.evaluation.panel import NO_POINTS, ROUNDING
from reportgen.evaluation.rater_effects import RaterRows, rater_rows
from reportgen.evaluation.ratings_alone.sheet import Mask, RatingSheet
from reportgen.evaluation.statistics import interval_estimate
from reportgen.metrics import METRICS, UnlikeRater, pair, unlike_raters
from reportgen.metrics.chance_corrected import MISSING, Patterns
from reportgen.metrics.krippendorff import OF_LABELS, PANEL, UNORDERED, interval_alpha
from reportgen.metrics.many_groups import Homogeneity, homogeneity
from reportgen.results import Estimate, Kind
from reportgen.tally import JointNumbers, PairSums
from reportgen.tally.contingency_tables import MOST_POINTS
from reportgen.tally.sums import Floats

MOST_RATERS = 12
"""Raters up to which every two are compared; of more, each is shown beside all others alone."""

OWN_MARGINS = ("kappa", "kappa_linear", "kappa_quadratic")
"""Coefficients of all raters that need to know which rating is whose."""

OF_PAIRS = ("tau_b", "spearman")
"""Coefficients of the panel that are for two raters alone."""

ANY_TWO = ("qwk", "r", "exact_agreement", "adjacent_agreement")
"""Agreement of any two raters of a response, by the names of the catalogue."""

_COMPARED: tuple[tuple[str, str, Kind, str], ...] = (
    ("mean_difference", "rater_mean_difference", "difference", "none"),
    ("sd_ratio", "rater_sd_ratio", "coefficient", "ratio"),
)
"""Comparison of two raters, its metric, how it is written, and where it is symmetric."""


@dataclass(frozen=True)
class RaterPair:
    """Two raters on the responses that both rated; differences are second less first."""

    first: str
    second: str
    n: int
    estimates: Mapping[str, Estimate]


def on_points(sheet: RatingSheet, ratings: Floats) -> Floats:
    """Return ratings as places among the points of the scale, the nearest one; nan where the scale has none."""
    scale = sheet.scale
    if not has_points(sheet):
        return np.full_like(ratings, np.nan)
    return np.rint((ratings - scale.low) / scale.step)


def has_points(sheet: RatingSheet) -> bool:
    """Return whether the scale has points, and not too many, so that raters may give the same one."""
    scale = sheet.scale
    return scale.step > 0 and (scale.high - scale.low) / scale.step < MOST_POINTS


def rater_pairs(sheet: RatingSheet) -> list[RaterPair]:
    """Return every two raters who rated responses together, enough to be shown; none of more than `MOST_RATERS`."""
    if len(sheet.names) > MOST_RATERS or not sheet.columns_are_raters:
        return []
    return [
        _pair(sheet, first, second)
        for first, second in itertools.combinations(sheet.shown_raters, 2)
        if np.isfinite(sheet.by_rater[:, [first, second]]).all(axis=1).sum() >= max(sheet.withheld.least, 1)
    ]


def any_two(sheet: RatingSheet, among: Mask) -> dict[str, Estimate]:
    """Return the agreement of two ratings drawn from a response that has several, and the rater error variance.

    Every response counts once, whatever the number of its ratings, and every pair of its ratings alike, in both
    orders.  Agreement is therefore that of raters who stand in for each other.

    among (n,): the responses that are looked at.
    """
    counted = among & (sheet.counts > 1)
    if not sheet.scale.ordered:
        return _any_two_labels(sheet, counted)
    found = sheet.numbers(_drawn_features(sheet), _drawn, counted)
    estimates = {
        metric: _estimate(sheet, metric, found, place, counted)
        for place, metric in enumerate((*ANY_TWO, "error_variance"))
    }
    if not has_points(sheet):
        estimates |= {key: _no_points(sheet, key, counted) for key in ("exact_agreement", "adjacent_agreement")}
    return estimates


def _any_two_labels(sheet: RatingSheet, counted: Mask) -> dict[str, Estimate]:
    """Return the agreement of two labels without order drawn from a response, and their kappa.

    By chance both are the same with the sum of squared shares of the labels, as either may be drawn first.
    """
    if not has_points(sheet):
        return {key: _no_points(sheet, key, counted) for key in OF_LABELS}
    places = on_points(sheet, sheet.ratings)
    used = np.unique(places[np.isfinite(places)])
    shares = [(places == label).sum(axis=1) / np.maximum(sheet.counts, 1) for label in used]
    found = sheet.numbers(np.stack([np.ones(sheet.n), _share_within(sheet, 0), *shares], axis=1), _same_label, counted)
    return {metric: _estimate(sheet, metric, found, place, counted) for place, metric in enumerate(OF_LABELS)}


def _same_label(sums: Floats) -> Floats:
    """Return the percentage of equal labels, and kappa, from the sums of responses, equal pairs and shares.

    Source: Fleiss (1971), each response counting once whatever the number of its ratings.
    """
    same, shares = pair.ratio(sums[1], sums[0]), pair.ratio(sums[2:], sums[0])
    chance = (shares * shares).sum()
    return np.stack([100 * same, pair.ratio(same - chance, 1 - chance)])


def all_at_once(sheet: RatingSheet) -> dict[str, Estimate]:
    """Return every coefficient of the agreement panel that all raters have together, by its key."""
    ratings = sheet.by_rater
    keys = [key for key in PANEL if key not in OF_PAIRS or ratings.shape[1] == 2]
    keys = keys if sheet.scale.ordered else [key for key in keys if key in UNORDERED]
    keys = keys if sheet.columns_are_raters else [key for key in keys if key not in OWN_MARGINS]
    multiple = sheet.counts > 1
    if not has_points(sheet):
        blank = {key: _no_points(sheet, key, multiple) for key in keys}
        return blank | ({"alpha_interval": _alpha_interval(sheet, multiple)} if sheet.scale.ordered else {})
    places = on_points(sheet, ratings)
    codes = np.where(np.isfinite(places), places, MISSING).astype(np.int64)
    here = codes != MISSING
    counted: Mask = np.asarray(here.any(axis=1) if ratings.shape[1] > 2 else here.all(axis=1))
    distinct, place, count = np.unique(codes[counted], axis=0, return_inverse=True, return_counts=True)
    patterns = Patterns(distinct, count.astype(np.float64), np.asarray(sheet.scale.points()), not sheet.scale.assumed)
    return {key: _of_patterns(sheet, key, patterns, place.ravel(), counted, multiple) for key in keys}


def _alpha_interval(sheet: RatingSheet, multiple: Mask) -> Estimate:
    c = sheet.counts.astype(np.float64)
    x = np.where(sheet.given, sheet.ratings - _centre(sheet), 0.0)
    total, square = x.sum(axis=1), (x**2).sum(axis=1)
    gap = (2 * c * square - 2 * total**2) / np.maximum(c - 1, 1)
    found = sheet.numbers(
        np.stack([c, total, square, gap], axis=1), lambda sums: np.stack([interval_alpha(*sums)]), multiple
    )
    return _estimate(sheet, "alpha_interval", found, 0, multiple)


def _of_patterns(
    sheet: RatingSheet, key: str, patterns: Patterns, place: np.ndarray, counted: Mask, multiple: Mask
) -> Estimate:
    """Return one coefficient of the patterns of labels."""
    if not multiple.any():
        return Estimate(key, None, 0, kind=METRICS[key].kind, level=sheet.level, reason="no response has two ratings")
    found = PANEL[key](patterns)
    influence = np.zeros((sheet.n, 1))
    influence[counted, 0] = found.influence[place] / patterns.n
    _, units = sheet.errors(influence, multiple)
    error = float(sheet.errors(influence, counted)[0][0])
    return interval_estimate(
        key, found.value, 0.0 if error < ROUNDING else error, float(multiple.sum()), units, sheet.level,
        clustered=sheet.units is not None, reason=found.reason,
    )  # fmt: skip


def _pair(sheet: RatingSheet, first: int, second: int) -> RaterPair:
    both = sheet.by_rater[:, [first, second]]
    counted: Mask = np.asarray(np.isfinite(both).all(axis=1))
    centre = _centre(sheet)
    x, y = np.where(counted[:, None], both - centre, 0.0).T
    places = on_points(sheet, both)
    if not sheet.scale.ordered:
        same = np.stack([np.ones(sheet.n), places[:, 0] == places[:, 1]], axis=1)
        found = sheet.numbers(same, lambda sums: np.stack([100 * pair.ratio(sums[1], sums[0])]), counted)
        exact = (
            _estimate(sheet, "exact_agreement", found, 0, counted)
            if has_points(sheet)
            else _no_points(sheet, "exact_agreement", counted)
        )
        estimates = {"exact_agreement": exact, "kappa": _kappa(sheet, places, counted)}
        return RaterPair(sheet.names[first], sheet.names[second], int(counted.sum()), estimates)
    gap = np.where(counted, np.abs(places[:, 0] - places[:, 1]), np.nan)
    one = np.ones(sheet.n)
    features = np.stack([one, x, y, x * x, y * y, x * y, (gap == 0) * 1.0, (gap <= 1) * 1.0], axis=1)

    def statistics(values: Floats) -> Floats:
        sums = _sums(centre, values)
        ratio = pair.ratio(pair.squares_y(sums), pair.squares_x(sums))
        ratio = np.log(np.where(ratio == 0, np.nan, ratio)) / 2
        return np.stack([*_agreement(sums), pair.mean_difference(sums), ratio])

    found = sheet.numbers(features, statistics, counted)
    estimates = {metric: _estimate(sheet, metric, found, place, counted) for place, metric in enumerate(ANY_TWO)}
    for place, (key, metric, kind, transform) in enumerate(_COMPARED, start=len(ANY_TWO)):
        one_number = _only(found, place)
        reason = "a rater's scores do not vary"
        estimates[key] = joint_estimates(sheet, metric, one_number, kind=kind, transform=transform, reason=reason)[0]
    if not has_points(sheet):
        estimates |= {key: _no_points(sheet, key, counted) for key in ("exact_agreement", "adjacent_agreement")}
    estimates["kappa"] = _kappa(sheet, places, counted)
    return RaterPair(sheet.names[first], sheet.names[second], int(counted.sum()), estimates)


def _kappa(sheet: RatingSheet, places: Floats, counted: Mask) -> Estimate:
    if not has_points(sheet):
        return _no_points(sheet, "kappa", counted)
    codes = places[counted].astype(np.int64)
    distinct, place, count = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    patterns = Patterns(distinct, count.astype(np.float64), np.asarray(sheet.scale.points()), not sheet.scale.assumed)
    return _of_patterns(sheet, "kappa", patterns, place.ravel(), counted, counted)


def _drawn_features(sheet: RatingSheet) -> Floats:
    """Return what is summed of two ratings drawn from each response, and of its ratings about their mean."""
    c = sheet.counts.astype(np.float64)
    pairs = np.maximum(c * (c - 1), 1.0)
    x = np.where(sheet.given, sheet.ratings - _centre(sheet), 0.0)
    total, square = x.sum(axis=1), (x**2).sum(axis=1)
    mean, of_squares = total / np.maximum(c, 1), square / np.maximum(c, 1)
    products = (total**2 - square) / pairs
    exact, adjacent = (_share_within(sheet, distance) for distance in (0, 1))
    within = square - total**2 / np.maximum(c, 1)
    one = np.ones(sheet.n)
    return np.stack([one, mean, mean, of_squares, of_squares, products, exact, adjacent, within, c - 1], axis=1)


def _drawn(values: Floats) -> Floats:
    return np.stack([*_agreement(_sums(0.0, values[:8])), pair.ratio(values[8], values[9])])


def _agreement(sums: PairSums) -> list[Floats]:
    return [
        pair.quadratic_weighted_kappa(sums), pair.pearson_r(sums), pair.exact_agreement(sums),
        pair.adjacent_agreement(sums),
    ]  # fmt: skip


def _share_within(sheet: RatingSheet, distance: int) -> Floats:
    """Return (n,): the share of pairs of ratings of a response that lie so many points apart at most."""
    places = np.sort(on_points(sheet, sheet.ratings), axis=1)  # gaps last
    pairs = np.zeros(sheet.n)
    for shift in range(1, places.shape[1]):
        pairs += (places[:, shift:] - places[:, :-shift] <= distance).sum(axis=1)
    return pairs / np.maximum(sheet.counts * (sheet.counts - 1) / 2, 1)


def _sums(centre: float, values: Floats) -> PairSums:
    """Return the sums of two scores: n, x, y, xx, yy, xy, exact, adjacent."""
    n, x, y, xx, yy, xy, exact, adjacent = (np.asarray(value) for value in values)
    return PairSums(centre, n, x, y, xx, yy, xy, np.zeros_like(n), exact, adjacent)


def _centre(sheet: RatingSheet) -> float:
    return float(np.floor(np.nanmean(sheet.ratings)))


def _only(found: JointNumbers, place: int) -> JointNumbers:
    return JointNumbers(found.value[[place]], found.error[[place]], found.n, found.units)


def _estimate(sheet: RatingSheet, metric: str, found: JointNumbers, place: int, counted: Mask) -> Estimate:
    if not counted.any():
        return Estimate(
            metric, None, 0, kind=METRICS[metric].kind, level=sheet.level, reason="no response has two ratings"
        )
    entry = METRICS[metric]
    return joint_estimates(
        sheet, metric, _only(found, place), kind=entry.kind, transform=entry.transform, reason="the ratings do not vary"
    )[0]


def _no_points(sheet: RatingSheet, metric: str, counted: Mask) -> Estimate:
    return Estimate(metric, None, int(counted.sum()), kind=METRICS[metric].kind, level=sheet.level, reason=NO_POINTS)


@dataclass(frozen=True)
class Doubted:
    """Raters whose ratings say nothing of the responses, by name, and the agreement of the others without them."""

    raters: tuple[tuple[str, UnlikeRater], ...]
    others: Estimate | None


def each_rater(sheet: RatingSheet) -> RaterRows | None:
    """Return every rater beside the others, as pages call them; labels without an order tell nothing of severity."""
    if not sheet.scale.ordered:
        return None
    found = rater_rows(sheet, sheet.ratings, sheet.ids, True, sheet.units, lambda *_: sheet.raters_withheld)
    if found is None or not found.rows:
        return found
    rows = tuple(replace(row, name=name) for row, name in zip(found.rows, sheet.shown_raters.values(), strict=True))
    return replace(found, rows=rows)


def shares_of_points(sheet: RatingSheet) -> list[Floats]:
    """Return for each rater the percentage of ratings on every point of the scale; nothing where it has none."""
    places = on_points(sheet, sheet.ratings)
    points = len(sheet.scale.points())
    if not np.isfinite(places[sheet.given]).all():
        return []
    found = []
    for rater in range(len(sheet.names)):
        own = places[sheet.given & (sheet.codes == rater)].astype(np.intp).clip(0, points - 1)
        found.append(100 * np.bincount(own, minlength=points) / len(own))
    return found


def doubted(sheet: RatingSheet) -> Doubted:
    """Return the raters whose ratings say nothing of the responses, by the rule of `unlike_raters`."""
    found: list[UnlikeRater] = []
    if sheet.scale.ordered:
        every = unlike_raters(sheet.ratings, sheet.codes, units=sheet.units, level=sheet.level)
        found = [each for each in every if each.rater in sheet.shown_raters]
    if not found:
        return Doubted((), None)
    out = np.isin(sheet.codes, [each.rater for each in found])
    rest = replace(sheet, ratings=np.where(out, np.nan, sheet.ratings))
    others = any_two(rest, rest.everyone)["qwk"]
    return Doubted(tuple((sheet.names[each.rater], each) for each in found), others if others.defined else None)


@dataclass(frozen=True)
class GroupLevel:
    """One group: responses, mean and SD of their mean ratings, and agreement; none where that is withheld.

    Labels without an order have no mean.
    """

    label: str
    n: int
    mean: float | None
    sd: float | None
    agreement: Mapping[str, Estimate]
    small: bool


@dataclass(frozen=True)
class GroupAgreement:
    """The groups of a column, largest first, and whether their rater error variances differ by more than chance.

    `differ` is None where candidates tie groups together, or fewer than two groups have a variance.
    """

    levels: tuple[GroupLevel, ...]
    differ: Homogeneity | None


def by_group(sheet: RatingSheet, grouping: str) -> GroupAgreement:
    """Return the groups of a column."""
    coded = sheet.groups[grouping]
    means = np.where(sheet.given, sheet.ratings, 0.0).sum(axis=1) / sheet.counts
    again = set(sheet.shown_levels(grouping, multiple=True))
    least, levels = sheet.min_n_of(grouping), []
    for level in sheet.shown_levels(grouping):
        here = coded.codes == level
        own, n = means[here], int(here.sum())
        agreement = any_two(sheet, here) if level in again else {}
        ordered = sheet.scale.ordered
        mean, sd = float(own.mean()) if ordered else None, float(own.std(ddof=1)) if ordered and n > 1 else None
        levels.append(GroupLevel(coded.labels[level], n, mean, sd, agreement, n < least))
    tested = sheet.units is None and sheet.scale.ordered
    return GroupAgreement(tuple(levels), _differ(levels) if tested else None)


def _differ(levels: list[GroupLevel]) -> Homogeneity | None:
    """Return the test that all groups have one rater error variance."""
    known = [
        each.agreement["error_variance"]
        for each in levels
        if each.agreement and not each.small and (each.agreement["error_variance"].standard_error or 0.0) > 0
    ]
    if len(known) < 2:
        return None
    values = np.array([each.value for each in known], np.float64)
    errors = np.array([each.standard_error for each in known], np.float64)
    return homogeneity(np.log(values), errors / values)
