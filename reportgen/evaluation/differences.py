"""Group differences given the true score, with standard errors: every level against the largest, and all others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.evaluation.slopes import Slopes, Within, constant
from reportgen.evaluation.special_intervals import MAYBE_NO_TRUE_VARIANCE
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics.group_differences import (
    difference_from_rater_error,
    minimum_detectable_difference,
    why_undefined,
)
from reportgen.tally.cells import Floats, totals
from reportgen.tally.contrasts import Contrast, standard_errors_of_contrasts


@dataclass(frozen=True)
class LevelNumbers:
    """One number per level: value, standard error, degrees of freedom; nan where undefined."""

    value: Floats
    error: Floats
    freedom: Floats

    @property
    def detectable(self) -> Floats:
        """The smallest difference that would probably be seen."""
        return minimum_detectable_difference(self.error, self.freedom)


@dataclass(frozen=True)
class Differences:
    """What is known of every level of a grouping, given the true score.

    Parameters
    ----------
    n
        Responses.
    points, standardized, from_others
        Difference from the reference level in score points; in SDs of all human scores; the same from
        all other responses.
    gap
        Mean human score less the reference's.
    rater_error
        The difference that conditioning on one human score finds beside it.
    slope, reliability, error_variance
        Of the engine score on the true score; of one human score within levels; of one rater.
    reason
        Why there is no difference; empty when there is.
    """

    n: Floats
    points: LevelNumbers
    standardized: LevelNumbers
    from_others: LevelNumbers
    gap: Floats
    rater_error: LevelNumbers
    slope: float
    reliability: float
    error_variance: float
    reason: str


def differences(tallied: TalliedScores, grouping: str) -> Differences:
    """Return the differences of every level of `grouping` for the primary score."""
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
        numbers[name].error[reference] = np.nan  # the reference differs from itself by nothing, for certain
    return Differences(
        scores.n, numbers["points"], numbers["standardized"], numbers["from_others"],
        scores.mean_h - scores.mean_h[reference], numbers["rater_error"], slopes.true, slopes.reliability,
        slopes.error_variance, _why_not(slopes, tallied.level),
    )  # fmt: skip


def _why_not(slopes: Slopes, level: float) -> str:
    """Return why there is no difference given the true score; empty when there is."""
    undefined = why_undefined(slopes.error_variance, slopes.true)
    return undefined or ("" if slopes.told(level) else MAYBE_NO_TRUE_VARIANCE)


def dsm_of_a_fair_engine(tallied: TalliedScores, grouping: str) -> list[float | None]:
    """Return the DSM that every level would have if the engine treated equal true scores alike; None where unknown.

    ``(mean H - mean H of all) x (beta / SD M - 1 / SD H)``, with beta the slope on true scores within levels: raters
    err, so their scores spread more than true scores do, and a group far from the mean lies fewer of their standard
    deviations away than of those of an engine that errs less.
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
    """Return the influences that levels have in common, in the order of the weights below."""
    residual, at = slopes.residual(scores), (scores.level == reference) / scores.n[reference]
    one = constant(np.ones_like(scores.h))
    of_slopes = (slopes.of_true, slopes.of_observed, slopes.of_spread)
    return np.stack([*of_slopes, scores.own(residual) * at, constant(scores.h_own) * at, residual, one])


def _against(scores: Within, slopes: Slopes, reference: int) -> dict[str, tuple[Floats, Contrast]]:
    """Return the differences from the reference level, and how responses move them."""
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
    return {
        "points": (points, Contrast(own, weights)),
        "standardized": (points / spread, Contrast(own / spread, (weights - of_spread) / spread)),
        "rater_error": (
            np.asarray(difference_from_rater_error(slopes.true, slopes.observed, gap)),
            Contrast(constant(scores.h_own * each * excess), by_error),
        ),
    }


def _against_others(scores: Within, slopes: Slopes) -> dict[str, tuple[Floats, Contrast]]:
    """Return the standardized differences from all other responses, and how responses move them."""
    residual, rest, spread = slopes.residual(scores), scores.n.sum() - scores.n, slopes.spread
    mean = scores.means(residual)
    others, others_h = _others(mean, scores.n), _others(scores.mean_h, scores.n)
    away, zero = (mean - others) / spread, np.zeros_like(rest)
    own = scores.own(residual) / scores.n[scores.level]
    own = own + (residual - constant(others[scores.level])) / rest[scores.level]  # a response here is none out there
    weights = [others_h - scores.mean_h, zero, -away, zero, zero, -1 / rest, others / rest]
    return {"from_others": (away, Contrast(own / spread, np.stack(weights, axis=1) / spread))}


def _others(mean: Floats, n: Floats) -> Floats:
    """Return for every level the mean over all other levels."""
    others: Floats = ((n * mean).sum() - n * mean) / (n.sum() - n)
    return others


def _numbers(value: Floats, error: Floats, units: Floats, most: float) -> LevelNumbers:
    """Return a contrast with the small-sample factor of the smaller of the two sides it compares."""
    corrected = np.where(units > 1, error * np.sqrt(units / (units - 1)), np.nan)
    return LevelNumbers(value, corrected, np.minimum(units - 1, most))


def units(tallied: TalliedScores, grouping: str) -> tuple[Floats, Floats]:
    """Return the independent units of every level, responses or candidates, and those with responses outside it."""
    slices, rows = tallied.tally.slices[grouping], tallied.rows.get(tallied.primary.family)
    levels = len(slices.labels)
    if rows is None:
        n = totals(slices.level, slices.sums[0], levels)
        return n, n.sum() - n
    here, only_here, everywhere = np.zeros(levels), np.zeros(levels), 0
    for block in rows.inside(grouping):
        parts = block.parts(block.level, levels)
        alone = np.bincount(parts.cluster)[parts.cluster] == 1
        here += np.bincount(parts.place, minlength=levels)
        only_here += np.bincount(parts.place[alone], minlength=levels)
        everywhere += block.clusters
    return here, everywhere - only_here
