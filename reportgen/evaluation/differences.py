"""Group differences given the true score, from regressions on sums, and joint tests of many groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from reportgen.evaluation.intervals import MAYBE_NO_TRUE_VARIANCE
from reportgen.evaluation.rater_error import Slopes, Within, constant
from reportgen.evaluation.statistics import bounded
from reportgen.evaluation.tables.build import columns_of, table
from reportgen.evaluation.tallied_scores import RATERS_NESTED, TalliedScores
from reportgen.metrics.given_true_score import difference_from_rater_error, minimum_detectable_difference, why_undefined
from reportgen.metrics.many_groups import benjamini_hochberg, holm, shrunken_differences
from reportgen.privacy import components
from reportgen.results import Cell, Column, Estimate, Mark, Row, Table, Term
from reportgen.results.group_statistics import REFERENCE
from reportgen.sources.columns import parts_of
from reportgen.tally import Contrast, Floats, Integers, limits, standard_errors_of_contrasts
from reportgen.verdicts.judging import judge, tail, wider, with_flags


class LevelNumbers(NamedTuple):
    """One number per level with standard error and degrees of freedom; nan if undefined."""

    value: Floats
    error: Floats
    freedom: Floats


class Differences(NamedTuple):
    """Differences of every level of a grouping, given the true score.

    points, standardized, from_others: from the reference level in score points and in SDs of all human scores, and from
        all other responses in SDs.
    slope, reliability, error_variance: of the engine score on the true score; of one human score within levels; of one
        rater.
    """

    n: Floats
    gap: Floats  # mean human score minus the reference's
    slope: float
    reliability: float
    error_variance: float
    reason: str  # why there are no differences; empty otherwise
    points: LevelNumbers
    standardized: LevelNumbers
    from_others: LevelNumbers
    rater_error: LevelNumbers  # additional difference when conditioning on one human score


def differences(tallied: TalliedScores, grouping: str) -> Differences:
    """Compute the differences of every level of `grouping` for the primary score."""
    rows, reference = tallied.rows.get(tallied.primary.family), tallied.level_order(grouping)[0]
    scores = Within.of(tallied.tally, grouping, tallied.primary.form)
    slopes = Slopes.of(tallied.tally, scores, tallied.rater_error_variance)
    here, outside = units(tallied, grouping)
    with np.errstate(all="ignore"):
        values = _against(scores, slopes, reference) | _against_others(scores, slopes)
        made = {name: contrast for name, (_, contrast) in values.items()}
        shared = _shared(scores, slopes, reference)
        errors = standard_errors_of_contrasts(tallied.tally, grouping, made, shared, rows)
        sides = dict.fromkeys(values, np.minimum(here, here[reference])) | {"from_others": np.minimum(here, outside)}
        numbers = {
            name: _numbers(value, errors[name], sides[name], slopes.freedom) for name, (value, _) in values.items()
        }
    for name in ("points", "standardized", "rater_error"):
        numbers[name].error[reference] = np.nan  # the difference of the reference is exactly 0
    reason = why_undefined(slopes.error_variance, slopes.true)
    if not reason and not slopes.told(tallied.level):
        reason = MAYBE_NO_TRUE_VARIANCE
    gap = scores.mean_h - scores.mean_h[reference]
    return Differences(scores.n, gap, slopes.true, slopes.reliability, slopes.error_variance, reason, **numbers)


def dsm_of_a_fair_engine(tallied: TalliedScores, grouping: str) -> list[float | None]:
    """Compute the DSM of every level for an engine that treats equal true scores equally; None if unknown.

    ``(mean H - mean H of all) x (beta / SD M - 1 / SD H)``, with beta the slope on true scores within levels. Because
    rater error adds to the SD of human scores, a group far from the mean is closer to it in these SDs than in SDs of an
    engine with less error.
    """
    scores = Within.of(tallied.tally, grouping, tallied.primary.form)
    slopes = Slopes.of(tallied.tally, scores, tallied.rater_error_variance)
    slope = slopes.true if slopes.told(tallied.level) else np.nan
    everyone, own = tallied.estimates(tallied.primary), tallied.estimates(tallied.primary, grouping)
    mean, sd_h, sd_m = (everyone.estimate(f"system.{key}").value for key in ("h_mean", "h_sd", "system_sd"))
    levels = [own.estimate("system.h_mean", level).value for level in range(len(own.labels))]
    if not np.isfinite(slope) or mean is None or not sd_h or not sd_m:
        return [None] * len(levels)
    return [None if level is None else (level - mean) * (slope / sd_m - 1 / sd_h) for level in levels]


def _shared(scores: Within, slopes: Slopes, reference: int) -> Floats:
    residual, at = slopes.residual(scores), (scores.level == reference) / scores.n[reference]
    one = constant(np.ones_like(scores.h))
    of_slopes = (slopes.of_true, slopes.of_observed, slopes.of_spread)
    return np.stack([*of_slopes, scores.own(residual) * at, constant(scores.h_own) * at, residual, one])


def _against(scores: Within, slopes: Slopes, reference: int) -> dict[str, tuple[Floats, Contrast]]:
    residual = slopes.residual(scores)
    mean = scores.means(residual)
    points, gap = mean - mean[reference], scores.mean_h - scores.mean_h[reference]
    zero, one = np.zeros_like(gap), np.ones_like(gap)
    each, spread = 1 / scores.n[scores.level], slopes.spread
    excess = slopes.true - slopes.observed
    weights = np.stack([-gap, zero, zero, -one, zero, zero, zero], axis=1)
    of_spread = np.stack([zero, zero, points / spread, zero, zero, zero, zero], axis=1)
    by_error = np.stack([gap, -gap, zero, zero, -excess * one, zero, zero], axis=1)
    own = scores.own(residual) * each
    caused = np.asarray(difference_from_rater_error(slopes.true, slopes.observed, gap))
    return {
        "points": (points, Contrast(own, weights)),
        "standardized": (points / spread, Contrast(own / spread, (weights - of_spread) / spread)),
        "rater_error": (caused, Contrast(constant(scores.h_own * each * excess), by_error)),
    }


def _against_others(scores: Within, slopes: Slopes) -> dict[str, tuple[Floats, Contrast]]:
    """Return the standardized differences from all other responses, and their influences."""
    residual, rest, spread = slopes.residual(scores), scores.n.sum() - scores.n, slopes.spread
    mean = scores.means(residual)
    others, others_h = _others(mean, scores.n), _others(scores.mean_h, scores.n)
    away, zero = (mean - others) / spread, np.zeros_like(rest)
    own = scores.own(residual) / scores.n[scores.level]
    own = own + (residual - constant(others[scores.level])) / rest[scores.level]  # subtract this level's part
    weights = [others_h - scores.mean_h, zero, -away, zero, zero, -1 / rest, others / rest]
    return {"from_others": (away, Contrast(own / spread, np.stack(weights, axis=1) / spread))}


def _others(mean: Floats, n: Floats) -> Floats:
    return np.asarray(((n * mean).sum() - n * mean) / (n.sum() - n))


def _numbers(value: Floats, error: Floats, units: Floats, most: float) -> LevelNumbers:
    corrected = np.where(units > 1, error * np.sqrt(units / (units - 1)), np.nan)
    return LevelNumbers(value, corrected, np.minimum(units - 1, most))


def units(tallied: TalliedScores, grouping: str) -> tuple[Floats, Floats]:
    """Return the independent units (responses or test takers) of every level, and those outside it."""
    slices, rows = tallied.tally.slices[grouping], tallied.rows.get(tallied.primary.family)
    levels = len(slices.labels)
    if rows is None:
        return slices.sizes, slices.sizes.sum() - slices.sizes
    here, only_here, everywhere = np.zeros(levels), np.zeros(levels), 0
    for block in rows.inside(grouping):
        parts = block.parts(block.level, levels)
        alone = np.bincount(parts.cluster)[parts.cluster] == 1
        here += np.bincount(parts.place, minlength=levels)
        only_here += np.bincount(parts.place[alone], minlength=levels)
        everywhere += block.clusters
    return here, everywhere - only_here


ROUNDING = 1e-13  # a sum of squares below this share of its minuend is a rounding error

MOST_COLUMNS = 600  # columns of a design that is solved as a whole if a group shares no human score with the others


class Fits(NamedTuple):
    """Ordinary least squares fits on grouped data, one per item.

    coefficients, errors (items, levels): of the first level, and of the others' contrasts with it.
    freedom (items,): residual degrees of freedom.
    residual, total (items,): sums of squares about the fit and about the mean.
    rank, n (items,): rank of the design; responses.
    """

    coefficients: Floats
    errors: Floats
    freedom: Floats
    residual: Floats
    total: Floats
    rank: Integers
    n: Floats

    @property
    def adjusted_r_squared(self) -> Floats:
        """Share of variance explained, adjusted for the number of predictors; nan if undefined."""
        share = 1 - (self.residual / self.freedom) / (self.total / (self.n - 1))
        return np.where((self.total <= 0) | (self.freedom <= 0), np.nan, share)

    def explained_beyond(self, null: Fits) -> tuple[Floats, Floats]:
        """Return adjusted R squared and p of the F test against a smaller model."""
        from scipy.special import fdtrc

        steps = self.rank - null.rank
        gain = self.adjusted_r_squared - np.where(null.rank > 1, null.adjusted_r_squared, 0.0)
        nothing = np.where((self.total > 0) & (self.freedom > 0), 0.0, np.nan)
        free = np.where(self.freedom > 0, gain, np.nan)
        explained = np.maximum(_clean(null.residual - self.residual, null.residual), 0.0)
        f = (explained / np.maximum(steps, 1)) / (self.residual / self.freedom)
        tested = (steps > 0) & (self.freedom > 0) & (self.residual > 0)
        p = np.where(tested, fdtrc(np.maximum(steps, 1), np.maximum(self.freedom, 1), f), np.nan)
        return np.where(steps > 0, free, nothing), p


def one_way(n: Floats, total: Floats, square: Floats) -> Fits:
    """Fit one factor: the first level's mean, and contrasts with it."""
    return two_way(n[:, :, None], total[:, :, None], square)


def two_way(n: Floats, total: Floats, square: Floats) -> Fits:
    """Fit level and score without interaction, as contrasts with the first of each.

    Returns only the coefficients of the levels: the first level (at the first score), then contrasts with it. If some
    levels are not connected to the others by shared scores, contrasts between the parts are not determined. They follow
    the minimum-norm solution, as in RSMTool, or are nan if there are too many levels.

    n, total (items, levels, scores): responses, and the sum of the outcome; no row or column is empty.
    square (items,): sum of the squared outcome over all responses.
    """
    n, total = (np.ascontiguousarray(each.transpose(0, 2, 1)).transpose(0, 2, 1) for each in (n, total))
    coefficients, spread, residual = _swept(n, total, square)
    rank = np.full(len(n), n.shape[1] + n.shape[2] - 1)
    for item in np.flatnonzero((n == 0).any((1, 2))).tolist():
        part = parts(n[item])
        if not part.any():
            continue
        if n.shape[1] + n.shape[2] <= MOST_COLUMNS:
            found = _whole(n[item], total[item], square[item])
            coefficients[item], spread[item], residual[item], rank[item] = found
        else:
            coefficients[item, part != part[0]] = spread[item, part != part[0]] = np.nan
            rank[item] -= part.max()
    size, residual = n.sum((1, 2)), _clean(residual, square)
    freedom = size - rank
    errors = np.sqrt(np.where(freedom > 0, residual / freedom, np.nan)[:, None] * spread)
    about_mean = _clean(square - total.sum((1, 2)) ** 2 / size, square)
    return Fits(settled(coefficients, residual, square, size), errors, freedom, residual, about_mean, rank, size)


def _swept(n: Floats, total: Floats, square: Floats) -> tuple[Floats, Floats, Floats]:
    """Return coefficients, their variances in units of the residual's, and residual sums of squares."""
    size = n.sum(2)
    own = total.sum(2) / size
    free = (n / size[:, :, None])[:, :, 1:]
    rest = n[:, :, 1:].transpose(0, 2, 1)
    normal = 0.0 - rest @ free
    diagonal = np.arange(normal.shape[1])
    normal[:, diagonal, diagonal] += n.sum(1)[:, 1:]
    inverse = np.linalg.pinv(normal, rcond=1e-10, hermitian=True)
    gamma = (inverse @ (total.sum(1)[:, 1:] - (rest @ own[:, :, None])[:, :, 0])[:, :, None])[:, :, 0]
    level = own - (free @ gamma[:, :, None])[:, :, 0]
    coefficients = np.concatenate([level[:, :1], level[:, 1:] - level[:, :1]], axis=1)
    apart = 1 / size
    apart[:, 1:] += 1 / size[:, :1]
    first, gap = free[:, :1], free[:, 1:] - free[:, :1]
    spread = apart + np.concatenate(
        [np.einsum("ils,ist,ilt->il", each, inverse, each) for each in (first, gap)], axis=1
    )
    fitted = level[:, :, None] + np.concatenate([np.zeros((len(n), 1)), gamma], axis=1)[:, None, :]
    mean = np.divide(total, n, out=np.zeros_like(n), where=n > 0)
    residual = square - np.divide(total**2, n, out=np.zeros_like(n), where=n > 0).sum((1, 2))
    return coefficients, spread, residual + (n * (mean - fitted) ** 2).sum((1, 2))


def parts(n: Floats) -> Integers:
    """Return the number of each level's connected part; levels in one part share scores.

    >>> parts(np.array([[3.0, 1, 0], [0, 2, 0], [0, 0, 5]])).tolist()
    [0, 0, 1]
    """
    level, score = np.nonzero(n)
    first = components(sum(n.shape), level, len(n) + score)[: len(n)]  # levels and scores are the nodes
    return np.unique(first, return_inverse=True)[1]


def _whole(n: Floats, total: Floats, square: float) -> tuple[Floats, Floats, float, int]:
    """Return the minimum-norm least squares solution of one item, as `_swept`, and the rank."""
    level, score = np.nonzero(n)
    count, mean = n[level, score], total[level, score] / n[level, score]
    design = np.column_stack([_dummies(level, n.shape[0]), _dummies(score, n.shape[1])[:, 1:]])
    weight = np.sqrt(count)
    inverse = np.linalg.pinv(design * weight[:, None])
    coefficients = inverse @ (mean * weight)
    rank = int(np.linalg.matrix_rank(design * weight[:, None]))
    residual = square - float((count * mean**2).sum()) + float((count * (mean - design @ coefficients) ** 2).sum())
    spread = np.einsum("ij,ij->i", inverse, inverse)
    return coefficients[: len(n)], spread[: len(n)], residual, rank


def _dummies(codes: Integers, levels: int) -> Floats:
    design: Floats = (codes[:, None] == np.arange(levels)).astype(np.float64)
    design[:, 0] = 1.0
    return design


def settled(coefficients: Floats, residual: Floats, square: Floats, n: Floats) -> Floats:
    """Return coefficients, 0 if they are rounding errors of a perfect fit.

    coefficients: (..., levels) of one or more fits.
    residual, square, n (...,): residual sum of squares without rounding, sum of the squared outcome, responses.

    >>> settled(np.array([1.0, 1e-15]), np.array(0.0), np.array(90.0), np.array(9.0)).tolist()
    [1.0, 0.0]
    """
    rounding = coefficients**2 * n[..., None] <= ROUNDING * np.abs(square)[..., None]
    return np.where(rounding & (residual <= 0)[..., None], 0.0, coefficients)


def _clean(value: Floats, size: Floats) -> Floats:
    return np.where(value <= ROUNDING * np.abs(size), 0.0, value)


SIGNIFICANCE = 0.05  # adjusted p below which a difference is significant among all groups

FEWEST_SHRUNKEN = 4  # groups of a column required to estimate their spread


class Judged(NamedTuple):
    """A group that is large enough, and its difference from all responses or from all others."""

    column: str
    level: str
    estimate: Estimate


def looked_at_together(groups: Sequence[Judged], levels: Mapping[str, int]) -> dict[str, Any]:
    """Test all groups jointly; empty if fewer than two can be compared.

    Returns the number `n` of independent comparisons, `by_chance` the number expected to be significant by chance,
    `apart` the number that are, the smallest p adjusted by Holm, the groups `listed` after Benjamini and Hochberg, and
    the `largest` with its simultaneous interval and, if known, its shrunken value.

    groups: groups with an interval.
    levels: number of levels by column, including withheld ones; both groups of a column of two are equivalent.
    """
    known = [each for each in groups if each.estimate.low is not None and each.estimate.high is not None]
    units = _units(known, levels)
    n = len(set(units))
    if n < 2:
        return {}
    p = np.array([two_sided(each.estimate) for each in known])
    adjusted = holm(p, units=units)
    apart = {unit for unit, each in zip(units, p, strict=True) if each < SIGNIFICANCE}
    largest = max(known, key=lambda each: round(abs(each.estimate.value or 0.0), 9))
    own = [each for each in known if each.column == largest.column]
    drawn = shrunken([each.estimate for each in own])[own.index(largest)]
    told = wider(largest.estimate, n)
    numbers = {"value": told.value, "low": told.low, "high": told.high, "responses": told.n}
    numbers |= {} if drawn is None else {"shrunken": drawn.value}
    return {
        "n": n,
        "by_chance": SIGNIFICANCE * n,
        "apart": len(apart),
        "p": float(np.nanmin(adjusted)),
        "listed": listed(known),
        "largest": {"column": largest.column, "level": largest.level} | numbers,
    }


def listed(groups: Sequence[Judged]) -> tuple[tuple[str, str], ...]:
    """Return column and level of the groups that differ from 0, at a false discovery rate of 5%."""
    found = benjamini_hochberg([two_sided(each.estimate) for each in groups])
    return tuple((each.column, each.level) for each, p in zip(groups, found, strict=True) if p < SIGNIFICANCE)


def independent(groups: Sequence[Judged], levels: Mapping[str, int]) -> int:
    """Return the number of comparisons; a column of two groups counts once."""
    return max(1, len(set(_units(groups, levels))))


def _units(groups: Sequence[Judged], levels: Mapping[str, int]) -> list[int]:
    columns = [each.column for each in groups]
    return [columns.index(column) if levels.get(column) == 2 else place for place, column in enumerate(columns)]


def beyond_together(estimates: Sequence[Estimate], limit: float) -> list[bool]:
    """Return which groups differ from 0 by more than `limit`, at a false discovery rate of 5%.

    The one-sided p of each, adjusted by Benjamini and Hochberg's method, is compared with half of 1 - level. A single
    group is beyond the limit if its interval is.
    """
    p = np.array([_beyond(each, limit) for each in estimates])
    found = benjamini_hochberg(p)
    return [bool(each < (1 - own.level) / 2) for each, own in zip(found, estimates, strict=True)]


def _beyond(estimate: Estimate, limit: float) -> float:
    above = (estimate.value or 0.0) > 0
    return tail(estimate, limit if above else -limit, above=above)


def two_sided(estimate: Estimate) -> float:
    """Return the p of the test that a difference is 0."""
    p = _beyond(estimate, 0.0)
    return 1.0 if np.isnan(p) else min(1.0, 2 * p)


def shrunken(estimates: Sequence[Estimate], design: Floats | None = None) -> list[Estimate | None]:
    """Apply `reportgen.metrics.shrunken_differences` to the groups of a column; None if unknown."""
    from scipy.special import ndtri

    used = [place for place, each in enumerate(estimates) if each.value is not None and (each.standard_error or 0) > 0]
    found: list[Estimate | None] = [None] * len(estimates)
    if len(used) < FEWEST_SHRUNKEN:
        return found
    value, error = ([getattr(estimates[place], name) for place in used] for name in ("value", "standard_error"))
    drawn = shrunken_differences(value, error, design=None if design is None else design[used])
    for place, centre, spread in zip(used, drawn.value.tolist(), drawn.error.tolist(), strict=True):
        if np.isfinite(centre):
            half = float(ndtri((1 + estimates[place].level) / 2)) * spread
            found[place] = replace(
                estimates[place], value=centre, low=centre - half, high=centre + half, standard_error=spread,
                method="empirical Bayes (Morris 1983)",
            )  # fmt: skip
    return found


def design_of(column: str, levels: Sequence[str], groupings: Sequence[str]) -> Floats | None:
    """Return indicators of the parts of every level of an intersection; None for other columns.

    >>> design_of("sex × place", ["f × farm", "m × farm", "m × town"], ["sex", "place", "sex × place"]).tolist()
    [[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]]
    >>> design_of("sex", ["f", "m"], ["sex"]) is None
    True
    """
    names = parts_of(column)
    parts = [parts_of(level) for level in levels]
    if len(names) < 2 or not set(names) <= set(groupings) or any(len(each) != len(names) for each in parts):
        return None
    indicators: list[list[float]] = []
    for own in zip(*parts, strict=True):
        indicators += [[float(each == level) for each in own] for level in dict.fromkeys(own)]
    return np.array(indicators).T


METRIC = "difference_given_true_score"

LIMIT = 0.10  # difference given the true score, in SDs of human scores, beyond which a group is flagged


def true_score_differences(tallied: TalliedScores, grouping: str) -> tuple[Table | None, str]:
    """Return the table of one grouping, or None and the reason if there is none."""
    if len(tallied.tally.slices[grouping].labels) < 2:
        return None, "there is only one group"
    if grouping in tallied.nested_raters:
        return None, RATERS_NESTED
    found = differences(tallied, grouping)
    if found.reason:
        return None, found.reason
    return _table(tallied, grouping, found), ""


def kept_differences(tallied: TalliedScores, grouping: str, found: Table | None, reason: str) -> list[Estimate]:
    """Return the standardized difference of every level from the reference level, as in the table."""
    sizes = tallied.estimates(tallied.primary, grouping).n("system")[tallied.level_order(grouping)]
    cells = found.column("standardized") if found else [None] * len(sizes)
    made = []
    for place, (n, cell) in enumerate(zip(sizes, cells, strict=True)):
        why = REFERENCE if found and not place else reason
        none = Estimate(METRIC, None, round(n), kind="difference", level=tallied.level, reason=why)
        made.append(cell if isinstance(cell, Estimate) else none)
    return made


def _table(tallied: TalliedScores, grouping: str, found: Differences) -> Table:
    order = tallied.level_order(grouping)
    labels = tallied.tally.slices[grouping].labels
    standardized, points, rater_error, from_others = (
        _estimates(tallied, found.n, numbers)
        for numbers in (found.standardized, found.points, found.rater_error, found.from_others)
    )
    detectable = minimum_detectable_difference(found.standardized.error, found.standardized.freedom)
    rows = []
    for place, level in enumerate(order):
        against: tuple[Cell, ...] = (None,) * 5
        mark: Mark = "reference"
        if place:
            least = float(detectable[level]) if np.isfinite(detectable[level]) else None
            against = float(found.gap[level]), standardized[level], least, points[level], rater_error[level]
            few = judge(standardized[level], -LIMIT, LIMIT, tallied.min_n) == "insufficient"
            mark = "insufficient" if few else ""
        rows.append(Row((labels[level], round(found.n[level]), *against, from_others[level]), mark))
    columns = (
        Column("level", grouping),
        *columns_of(
            n="count", gap="difference", standardized="difference", detectable="coefficient", points="difference",
            rater_error="difference", from_others="difference", hidden=("points", "from_others"),
        ),
    )  # fmt: skip
    notes = (Term("slope_on_true_score", slope=found.slope, reliability=found.reliability, error=found.error_variance),)
    return table(f"fairness.given_true_score.{grouping}", columns, rows, notes)


def _estimates(tallied: TalliedScores, sizes: Floats, numbers: LevelNumbers) -> list[Estimate]:
    low, high = limits(numbers.value, numbers.error, numbers.freedom, "none", tallied.level)
    error = np.where(np.isfinite(low) & np.isfinite(high), numbers.error, np.nan)
    return [
        bounded(METRIC, value, n, start, end, spread, tallied.level, tallied.method, "difference",
                reason="the human scores do not vary", interval_reason="too few responses, or scores that do not vary")
        for value, n, spread, start, end in zip(numbers.value, sizes, error, low, high, strict=True)
    ]  # fmt: skip


def flagged_together(found: Mapping[str, tuple[Table | None, str]]) -> dict[str, tuple[Table | None, str]]:
    """Flag the groups beyond the limit in the tables of all groupings, tested jointly."""
    groups = [
        Judged(grouping, str(row.cells[0]), cell)
        for grouping, (each, _) in found.items()
        if each is not None
        for row, cell in zip(each.rows, each.column("standardized"), strict=True)
        if not row.mark and isinstance(cell, Estimate)
    ]
    flags = beyond_together([each.estimate for each in groups], LIMIT)
    flagged = [each for each, flag in zip(groups, flags, strict=True) if flag]
    return {
        grouping: (each and with_flags(each, {group.level for group in flagged if group.column == grouping}), why)
        for grouping, (each, why) in found.items()
    }
