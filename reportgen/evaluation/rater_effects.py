"""Each rater by name or code, where ratings say who gave them: severity, spread, agreement, drift."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.estimating import METHOD_CLUSTERED, METHOD_WILSON
from reportgen.evaluation.identified_raters import MOST_RATERS
from reportgen.evaluation.jointly import Units, estimate_of
from reportgen.metrics import RaterHabits, RaterSeverity, rater_drift, rater_habits, rater_profiles, rater_severity
from reportgen.privacy import Partition, withheld
from reportgen.results import Estimate, Kind
from reportgen.scores.table import RaterIds
from reportgen.sources.columns import Coded, Codes
from reportgen.tally import OVERALL, Tally, limits
from reportgen.tally.cells import Floats

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
class RaterRow:
    """One rater.

    `severity` is the difference from the others as found, `expected` the same drawn toward 0; above 0 is lenient.
    """

    name: str
    n: int
    severity: Estimate
    expected: Estimate
    sd_ratio: Estimate
    exact: Estimate
    qwk: Estimate
    r: Estimate
    mean: float
    sd: float
    commonest: float
    share: Estimate
    drift: Estimate | None


@dataclass(frozen=True)
class RaterRows:
    """All raters, those with most ratings first, and what they have in common.

    Parameters
    ----------
    spread, spread_ends
        SD of severity in the population of raters with its interval; nan where there are too few.
    error_variance
        Variance of a rating about response and rater.
    parts
        Sets of raters that no shared response links.
    alone
        Raters who share no response.
    reason
        Why there are no rows, or no severities drawn toward 0; empty otherwise.
    withheld
        Raters who have no row for privacy.
    """

    rows: tuple[RaterRow, ...]
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

    Parameters
    ----------
    groups, levels
        Who is in which group, and which levels are withheld: the others' numbers are known.
    least
        Fewest ratings of a rater who is shown, 0 where all are.
    codes
        (n, k): numbers of the raters, -1 for nobody.
    raters
        How many there are.
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
    tallied: Units,
    ratings: Floats,
    ids: RaterIds | None,
    show_names: bool,
    candidates: NDArray[np.integer] | None = None,
    hidden: Callable[[Codes, int], NDArray[np.bool_]] | None = None,
) -> RaterRows | None:
    """Return every rater, a column being one where ratings do not say who gave them; None where nothing is to say.

    Of two columns what one is beside the other is said of the pair.

    Parameters
    ----------
    ratings
        (n, k): human scores beside `ids.codes`.
    ids, show_names
        Names of persons are shown only when asked; those of columns always.
    candidates
        (n,): who gave each response, where that is the independent unit.
    hidden
        Says of numbered raters which are not shown; all are when left out.
    """
    if not len(ratings) or (ids is None and not columns_are_compared(ratings)):
        return None
    ids, show_names = (columns_as_raters(tallied.raters, ratings), True) if ids is None else (ids, show_names)
    if len(ids.names) > MOST_RATERS:
        reason = f"severities are computed for up to {MOST_RATERS:,} raters; there are {len(ids.names):,}"
        return RaterRows((), np.nan, (np.nan, np.nan), np.nan, 0, 0, reason)
    codes, order, count = numbered(ratings, ids)
    out = hidden(codes, len(order)) if hidden else np.zeros(len(order), np.bool_)
    severity = rater_severity(ratings, codes, level=tallied.level)
    profiles = _profiles(tallied, ratings, codes, candidates)
    habits = rater_habits(ratings, codes)
    drift = _drift(tallied, ratings, codes, ids.times)
    rows = tuple(
        RaterRow(
            ids.names[rater] if show_names else f"Rater {row + 1}",
            round(count[rater]),
            *_severities(tallied, severity, row),
            *profiles[row],
            float(habits.mean[row]),
            float(habits.sd[row]),
            float(habits.commonest[row]),
            _share(tallied, habits, row),
            None if drift is None else drift[row],
        )
        for row, rater in enumerate(order)
        if not out[row]
    )
    alone = int((severity.n == 0).sum())
    return RaterRows(
        rows, severity.spread, (severity.spread_low, severity.spread_high),
        severity.error_variance, severity.parts, alone, ALL_WITHHELD if out.all() else severity.reason,
        int(out.sum()),
    )  # fmt: skip


def columns_are_compared(ratings: Floats) -> bool:
    """Return whether columns of ratings are compared as raters: three or more, of responses whose rows are held."""
    return bool(ratings.shape[1] > 2 and ratings.size * ratings.shape[1] <= MOST_WORK)


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
    tallied: Units, ratings: Floats, codes: Codes, candidates: NDArray[np.integer] | None
) -> list[tuple[Estimate, Estimate, Estimate, Estimate]]:
    """Return every rater's ratio of SDs, exact agreement, kappa and correlation with the others."""
    units = candidates if tallied.rows else None
    found = rater_profiles(ratings, codes, units=units)
    n, level = found.n.astype(np.float64), tallied.level
    freedom = found.units.astype(np.float64) - 1
    spread = limits(found.log_sd_ratio, found.log_sd_ratio_error, freedom, "none", level)
    kappa = limits(found.qwk, found.qwk_error, freedom, "fisher", level)
    correlation = limits(found.r, found.r_error, freedom, "fisher", level)
    exact = limits(found.exact, found.exact, freedom, "wilson", level, n)
    method = METHOD_INFLUENCE if units is None else METHOD_CLUSTERED
    measures: tuple[tuple[str, Floats, tuple[Floats, Floats], str, Kind], ...] = (
        ("rater_sd_ratio", np.exp(found.log_sd_ratio), (np.exp(spread[0]), np.exp(spread[1])), method, "coefficient"),
        ("exact_agreement", found.exact, exact, METHOD_WILSON, "percent"),
        ("qwk", found.qwk, kappa, method, "coefficient"),
        ("r", found.r, correlation, method, "coefficient"),
    )

    def estimate(rater: int, measure: int) -> Estimate:
        metric, value, (low, high), method, kind = measures[measure]
        shared = round(found.n[rater])
        reason = "the scores do not vary" if shared else ALONE
        return estimate_of(metric, value[rater], shared, low[rater], high[rater], np.nan, level, method, kind, reason)

    return [(estimate(rater, 0), estimate(rater, 1), estimate(rater, 2), estimate(rater, 3))
            for rater in range(len(found.n))]  # fmt: skip


def _share(tallied: Units, habits: RaterHabits, rater: int) -> Estimate:
    """Return the share of a rater's commonest score."""
    n = habits.n[[rater]].astype(np.float64)
    share = habits.share[[rater]]
    low, high = limits(share, share, n - 1, "wilson", tallied.level, n)
    return estimate_of("commonest_share", share[0], int(n[0]), low[0], high[0], np.nan, tallied.level, METHOD_WILSON,
                       "percent")  # fmt: skip


def _severities(tallied: Units, found: RaterSeverity, rater: int) -> tuple[Estimate, Estimate]:
    """Return one rater's severity as fitted, and drawn toward 0."""
    n, level = round(found.n[rater]), tallied.level
    why = found.reason if n else ALONE
    fitted = estimate_of(
        "severity", found.observed[rater], n, found.observed_low[rater], found.observed_high[rater],
        np.nan, level, METHOD_FIT, "difference", why,
    )  # fmt: skip
    drawn = estimate_of(
        "expected_severity", found.expected[rater], n, found.expected_low[rater], found.expected_high[rater],
        np.nan, level, METHOD_DRAWN, "difference", why,
    )  # fmt: skip
    return fitted, drawn


def _drift(tallied: Units, ratings: Floats, codes: Codes, times: Floats | None) -> list[Estimate] | None:
    """Return every rater's change of severity from the first rating of all to the last, None without times."""
    if times is None:
        return None
    known = times[(codes >= 0) & np.isfinite(ratings) & np.isfinite(times)]
    period = float(np.ptp(known)) if known.size else 0.0
    found = rater_drift(ratings, codes, times / (period or 1.0))
    low, high = limits(found.slope, found.error, found.n.astype(np.float64) - 2, "none", tallied.level)
    reason = "fewer than three shared ratings with a time, or all at one time"
    return [
        estimate_of(
            "drift", found.slope[rater], round(found.n[rater]), low[rater], high[rater], found.error[rater],
            tallied.level, METHOD_WHITE, "difference", reason,
        )
        for rater in range(len(found.n))
    ]  # fmt: skip
