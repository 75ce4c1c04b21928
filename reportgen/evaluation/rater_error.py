"""Rater error variance: the same at every level of the scale, in every group, and what severity adds to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from reportgen.evaluation.estimating import undefined
from reportgen.evaluation.identified_raters import NamedRatings, of_sums
from reportgen.evaluation.jointly import estimate_of, joint_estimates
from reportgen.evaluation.rater_pairs import compared
from reportgen.evaluation.reliability import MOST_RATERS, crossed_features, crossed_of
from reportgen.evaluation.special_intervals import MAYBE_NO_TRUE_VARIANCE, METHOD_FIELLER
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import true_score
from reportgen.metrics.crossed import components, crossed_sums, linked
from reportgen.metrics.homogeneity import Homogeneity, homogeneity, largest_ratio
from reportgen.metrics.pair import ratio, root
from reportgen.results import Estimate
from reportgen.tally import OVERALL, CellScores, JointNumbers, Polynomial, RatingSums, fieller
from reportgen.tally.cells import Floats, totals

MOST_BANDS = 12
"""Bands of the engine's score; a longer scale has bands of several points."""

LEAST_SHARE = 0.05
"""Share of the responses scored more than once that a band must hold to be compared with others.

A share, because a number of responses would let more bands in, and so another ratio, when the same data grow.
"""

METHOD_RATIO = "infinitesimal jackknife of each band, all pairs of bands at once (Bonferroni)"


@dataclass(frozen=True)
class ScoreBand:
    """Rater error variance of the responses whose rounded engine score lies between two points, both included."""

    low: float
    high: float
    variance: Estimate


@dataclass(frozen=True)
class ByScore:
    """Rater error variance along the engine's score.

    `judged` are the bands with enough of the responses to be compared; `trend` is the change per SD of the engine's
    score, as a share of the whole; `ratio` that of the largest band to the smallest; `differ` tests whether the bands
    differ, None where candidates tie them together.
    """

    bands: tuple[ScoreBand, ...]
    judged: tuple[ScoreBand, ...]
    trend: Estimate
    ratio: Estimate
    differ: Homogeneity | None


@dataclass(frozen=True)
class SeverityEffect:
    """What constant differences in severity between raters do to error variance and PRMSE.

    The variances with and without them, PRMSE with and without, and how much they raise PRMSE.
    """

    variance: Estimate
    variance_without: Estimate
    prmse: Estimate
    prmse_without: Estimate
    rise: Estimate


def _within(scores: CellScores) -> tuple[Floats, Floats]:
    """Return each cell's sum of squares of ratings about their mean, and ratings less one."""
    ratings = np.stack([rating.c[0] for rating in scores.ratings])
    c = scores.present.sum(axis=0)
    mean = ratings.sum(axis=0) / np.maximum(c, 1)
    return (((ratings - mean) * scores.present) ** 2).sum(axis=0), np.maximum(c - 1.0, 0.0)


def error_by_score(tallied: TalliedScores) -> ByScore:
    """Return rater error variance by band of the engine's score, whose errors are not the raters'."""
    bands = tuple(_band(tallied, low, high) for low, high in _edges(tallied))
    least = LEAST_SHARE * sum(band.variance.n for band in bands)
    judged = tuple(band for band in bands if band.variance.n >= least)
    found = [(np.log(band.variance.value), band.variance) for band in judged if band.variance.value]
    kept = [(value, each.standard_error / each.value) for value, each in found
            if each.n >= tallied.min_n and each.standard_error and each.value]  # fmt: skip
    differ = homogeneity(*np.reshape(np.array(kept), (-1, 2)).T) if not tallied.by_candidate else None
    return ByScore(bands, judged, _trend(tallied), _largest_ratio(tallied, judged), differ)


def _largest_ratio(tallied: TalliedScores, bands: tuple[ScoreBand, ...]) -> Estimate:
    """Return the ratio of the largest band to the smallest; none where a band has too few responses."""
    told = [band.variance for band in bands]
    counted, few = sum(each.n for each in told), any(each.n < tallied.min_n for each in told)
    numbers = [[np.nan if cell is None else cell for cell in (each.value, each.standard_error, each.n)]
               for each in told]  # fmt: skip
    value, error, n = np.reshape(np.array(numbers), (-1, 3)).T
    found = largest_ratio(value, error, n, tallied.level, independent=not tallied.by_candidate)
    name = "error_variance_ratio"
    if few or found is None:
        reason = "fewer than two bands of the scale have an error variance above 0"
        if few:
            reason = f"a band of the scale has fewer than {tallied.min_n} responses scored twice"
        return estimate_of(name, np.nan, counted, np.nan, np.nan, np.nan, tallied.level, "", "number", reason)
    return estimate_of(
        name, found.value, counted, found.low, found.high, np.nan, tallied.level, METHOD_RATIO, "number",
        interval_reason="a band of so few responses bounds no ratio",
    )  # fmt: skip


def _edges(tallied: TalliedScores) -> list[tuple[float, float]]:
    """Return the ends of the bands of rounded engine scores that occur."""
    form = tallied.primary_rounded
    scores = CellScores.of(tallied.tallies[form.family], form.form)
    rounded = scores.score.c[0] + scores.centre
    several = scores.present.sum(axis=0) > 1
    if not several.any():
        return []
    step = tallied.preparation.rounding.step
    steps = np.rint((rounded[several] - rounded[several].min()) / step)
    width = np.ceil((steps.max() + 1) / MOST_BANDS)
    starts = np.unique(width * np.floor(steps / width))
    lowest = tallied.preparation.rounding.nearest(rounded[several]).min()
    ends = np.minimum(starts + width - 1, steps.max())
    return [(float(lowest + step * low), float(lowest + step * high)) for low, high in zip(starts, ends, strict=True)]


def _band(tallied: TalliedScores, low: float, high: float) -> ScoreBand:
    """Return the error variance of one band."""

    def chosen(scores: CellScores) -> Floats:
        rounded, near = scores.score.c[0] + scores.centre, tallied.preparation.rounding.step / 4
        return np.asarray((rounded >= low - near) & (rounded <= high + near), np.float64)

    return ScoreBand(low, high, _error_variance(tallied, chosen))


def _error_variance(tallied: TalliedScores, chosen: Callable[[CellScores], Floats]) -> Estimate:
    """Return rater error variance of the chosen cells."""

    def features(scores: CellScores) -> dict[str, Polynomial]:
        within, freedom = _within(scores)
        here = chosen(scores)
        made = {"within": here * within, "freedom": here * freedom, "multiple": here * (freedom > 0)}
        return {key: scores.one * value for key, value in made.items()}

    def statistics(sums: Mapping[str, Floats], _: float) -> Mapping[str, Floats]:
        return {"variance": ratio(sums["within"], sums["freedom"])[..., 0]}

    found = tallied.joint(tallied.primary_rounded, features, statistics, rests_on="multiple")["variance"]
    reason = "no response here was scored twice"
    return joint_estimates(tallied, "error_variance", found, kind="number", transform="log", reason=reason)[0]


def _trend(tallied: TalliedScores) -> Estimate:
    """Return the change of error variance per SD of the engine's score, as a share of the whole."""

    def features(scores: CellScores) -> dict[str, Polynomial]:
        within, freedom = _within(scores)
        m = scores.score
        return {
            "n": scores.one * freedom, "m": m * freedom, "mm": (m * m) * freedom,
            "v": scores.one * within, "vm": m * within, "multiple": scores.one * (freedom > 0).astype(np.float64),
        }  # fmt: skip

    def statistics(sums: Mapping[str, Floats], _: float) -> Mapping[str, Floats]:
        n, m, mm, v, vm = (sums[key][..., 0] for key in ("n", "m", "mm", "v", "vm"))
        spread = mm - ratio(m**2, n)
        slope = ratio(vm - ratio(v * m, n), spread)
        return {"trend": ratio(slope * root(ratio(spread, n)), ratio(v, n))}

    found = tallied.joint(tallied.primary, features, statistics, rests_on="multiple")["trend"]
    reason = "no response was scored twice, or scores do not vary"
    return joint_estimates(tallied, "error_variance_trend", found, kind="difference", reason=reason)[0]


def error_by_group(tallied: TalliedScores, grouping: str) -> list[tuple[str, Estimate]]:
    """Return rater error variance of every level of a grouping, largest first."""
    slices = tallied.estimates(tallied.primary, grouping)
    labels = tallied.tally.slices[grouping].labels
    multiple = slices.sums.ratings.multiple
    found = []
    for level in tallied.level_order(grouping, "multiple"):
        estimate = slices.estimate("true_score.error_variance", level)
        n = round(multiple[level])
        if n == 0:
            estimate = Estimate("error_variance", None, 0, kind="number", reason="no response here was scored twice")
        found.append((labels[level], estimate))
    return found


def severity_effect(tallied: TalliedScores, rows: NamedRatings | None = None) -> SeverityEffect | None:
    """Return what constant severity does, None where it cannot be told, raters are many, or their error is given.

    Raters are those named in `rows`, the columns of ratings without it.
    """
    if tallied.rater_error_variance is not None:
        return None
    found, why = _by_name(tallied, rows) if rows is not None else _by_column(tallied)
    if not found:
        return None
    variance, without = (
        joint_estimates(tallied, "error_variance", found[key], kind="number", transform="log")[0]
        for key in ("variance", "variance_without")
    )
    less = joint_estimates(tallied, "prmse", found["prmse_without"], kind="coefficient")[0]
    # the rise is a square: near 0 it has no symmetric interval, and its standard error would be too small
    rise = joint_estimates(tallied, "prmse_rise", found["rise"], kind="difference")[0]
    if why:
        rise = replace(rise, low=None, high=None, method="", interval_reason=why)
    else:
        low, high = (float(found[end].value[0]) for end in ("low", "high"))
        low, high = min(low, rise.value or 0.0), max(high, rise.value or 0.0)
        rise = replace(rise, low=low, high=high, method=f"{rise.method}, of the difference of means")
    prmse = tallied.estimates(tallied.primary).estimate("true_score.prmse")
    if not prmse.defined or prmse.interval_reason == MAYBE_NO_TRUE_VARIANCE:
        rise = undefined(rise, prmse.reason or prmse.interval_reason)
    return SeverityEffect(variance, without, prmse, _with_fieller(tallied, less, found), rise)


MANY = "a sum of squares over the severities of raters has no interval here"


def _by_name(tallied: TalliedScores, rows: NamedRatings) -> tuple[dict[str, JointNumbers], str]:
    """Return the numbers where ratings name their raters, and why the rise has no interval."""
    if rows.components.found.reason or tallied.scores is None:
        return {}, ""
    system = np.clip(tallied.scores.system, *tallied.preparation.bounds)
    present = np.isfinite(rows.ratings)
    c = present.sum(axis=1).astype(np.float64)
    centre = float(rows.ratings[present].mean())
    ratings, s = np.where(present, rows.ratings - centre, 0.0), system - centre
    total = ratings.sum(axis=1)
    mean = total / np.maximum(c, 1.0)
    within = (((ratings - mean[:, None]) * present) ** 2).sum(axis=1)
    features = {
        "n": (c > 0) * 1.0, "multiple": (c > 1) * 1.0, "c": c, "cc": c**2, "cm": total, "between": c * mean**2,
        "cms": total * s, "cs": c * s, "css": c * s**2, "within": within, "freedom": np.maximum(c - 1, 0.0),
    }  # fmt: skip
    return of_sums(rows, features, lambda sums, without: _effect(_rating_sums(sums, centre), without)), MANY


def _by_column(tallied: TalliedScores) -> tuple[dict[str, JointNumbers], str]:
    """Return the numbers with columns as raters, and why the rise has no interval."""
    ratings = np.where(np.isfinite(tallied.tally.cells.ratings), tallied.tally.cells.ratings, np.nan)
    used = np.flatnonzero(~np.isnan(ratings).all(axis=0))
    overall = tallied.tally.slices[OVERALL]
    sums = crossed_sums(ratings[:, used], totals(overall.cell, overall.sums[0], len(ratings)))
    spare = float(sums.count.sum() - sums.n) - len(used) + 1
    if not 2 <= len(used) <= MOST_RATERS or not linked(sums.shared) or spare < 1:
        return {}, ""
    ends = _squared_ends(compared(tallied, *used)["mean_difference"]) if len(used) == 2 else None

    def features(scores: CellScores) -> dict[str, Polynomial]:
        made = crossed_features(scores, used)
        c = scores.present.sum(axis=0).astype(np.float64)
        total = np.stack([rating.c[0] for rating in scores.ratings]).sum(axis=0)
        within, freedom = _within(scores)
        s = scores.score
        return made | {
            "c": scores.one * c, "cm": scores.one * total, "cms": s * total, "cs": s * c, "css": (s * s) * c,
            "within": scores.one * within, "freedom": scores.one * freedom,
        }  # fmt: skip

    def statistics(sums: Mapping[str, Floats], centre: float) -> Mapping[str, Floats]:
        of_ratings = _rating_sums({key: value[..., 0] for key, value in sums.items()}, centre)
        return _effect(of_ratings, components(crossed_of(sums, len(used))).residual, ends)

    return tallied.joint(tallied.primary, features, statistics, rests_on="multiple"), "" if ends is not None else MANY


def _rating_sums(sums: Mapping[str, Floats], centre: float) -> RatingSums:
    """Return the sums of ratings by name, of features with the keys of `RatingSums` ("between" for c m^2)."""
    n, multiple, c, cc, cm, between, cms, cs, css, within, freedom = (
        sums[key] for key in ("n", "multiple", "c", "cc", "cm", "between", "cms", "cs", "css", "within", "freedom")
    )
    zero = np.zeros_like(n)
    return RatingSums(centre, n, multiple, c, cc, cm, between, cms, cs, css, within, freedom, zero, zero)


def _effect(ratings: RatingSums, without: Floats, ends: tuple[float, float] | None = None) -> Mapping[str, Floats]:
    """Return error variance and PRMSE with and without severity; with `ends`, the rise at those squared differences."""
    variance = true_score.rater_error_variance(ratings)
    prmse, less = true_score.prmse(ratings), true_score.prmse(ratings, without)
    top, bottom = true_score.mean_squared_error_true(ratings, without), true_score.true_score_variance(ratings, without)
    made = {
        "variance": variance, "variance_without": without, "prmse_without": less, "rise": prmse - less,
        "top": top, "bottom": bottom, "both": top + bottom,
    }  # fmt: skip
    if ends is not None:
        share = ratio(ratings.multiple, ratings.freedom)
        low, high = (prmse - true_score.prmse(ratings, variance - share * gap / 2) for gap in ends)
        made |= {"low": low, "high": high}
    return made


def _with_fieller(tallied: TalliedScores, prmse: Estimate, found: Mapping[str, JointNumbers]) -> Estimate:
    """Return PRMSE with the interval that PRMSE has everywhere: Fieller's."""
    if prmse.defined and not found["bottom"].value[0] > 0:
        return undefined(prmse, true_score.NO_TRUE_VARIANCE)
    if prmse.value is None or prmse.low is None:
        return prmse
    top, bottom, both = (found[key] for key in ("top", "bottom", "both"))
    together = (both.error**2 - top.error**2 - bottom.error**2) / 2
    units = np.broadcast_to(top.units.sum(), top.value.shape)
    low, high = fieller(top.value, bottom.value, (top.error**2, bottom.error**2, together), units - 1, tallied.level)
    if not np.isfinite(low[0]):
        return replace(prmse, low=None, high=None, method="", interval_reason=MAYBE_NO_TRUE_VARIANCE)
    method = METHOD_FIELLER.format(units="candidates" if tallied.by_candidate else "responses")
    return replace(prmse, low=float(1 - high[0]), high=float(1 - low[0]), method=method)


def _squared_ends(difference: Estimate) -> tuple[float, float] | None:
    """Return the least and greatest square over an interval."""
    if difference.low is None or difference.high is None:
        return None
    squares = difference.low**2, difference.high**2
    return (0.0 if difference.low <= 0 <= difference.high else min(squares)), max(squares)
