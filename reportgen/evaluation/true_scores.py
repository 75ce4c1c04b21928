"""Components of PRMSE, the engine in units of raters, the cost of rounding, and effects of a linear rescaling."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from reportgen.evaluation.estimates import NO_POINTS
from reportgen.evaluation.intervals import MAYBE_NO_TRUE_VARIANCE, METHOD_FIELLER, Interval, Ratio, intervals
from reportgen.evaluation.points import Points
from reportgen.evaluation.stand_ins import MOST_RATERS, exchangeability, exchanges
from reportgen.evaluation.statistics import bounded, interval_estimate, undefined
from reportgen.evaluation.tables.build import Results, called, columns_of, metric_column, table
from reportgen.evaluation.tallied_scores import ScoreForm, TalliedScores
from reportgen.metrics import METRICS, pair, true_score
from reportgen.metrics.double_scoring import plan_from_data, prospects
from reportgen.metrics.true_score import rating_features, rating_sums
from reportgen.results import Column, Estimate, Row, Table, Term
from reportgen.tally import (
    OVERALL,
    TRIMMED,
    CellScores,
    Floats,
    PairSums,
    Polynomial,
    RatingSums,
    Sums,
    derivatives,
    formed_scores,
    standard_errors,
)
from reportgen.wording.numbers import fixed

ONE_RATER_CONSTANT = "all scores of the second rater are equal, so rater error cannot be estimated"
"""Reason if an engine is worth no number of ratings."""

MAYBE_NOTHING_SHARED = "raters may agree by chance alone, so parts of their agreement have no meaning"
"""Reason if PRMSE has no components."""

LEAST_RELIABILITY = 0.1
"""Least lower limit of the reliability of one rating for components of PRMSE. Below it, rater error has more than nine
times the variance of true scores, and shares of that variance are arbitrary."""

LITTLE = 0.3
"""Raters with a correlation clearly below this, and possibly 0, share nothing; otherwise the data are too few."""

MOST_RATINGS = 3  # largest number of ratings whose mean is compared with the engine


def true_score_estimates(tallied: TalliedScores) -> dict[str, Estimate]:
    """Return the components of PRMSE, the number of ratings the engine is worth, and the cost of rounding, by key."""
    found = _ratios(tallied, tallied.primary)
    found["rounding_cost"] = rounding_cost(tallied, tallied.primary, tallied.primary_rounded)
    if not tallied.scale.step:
        found["rounding_cost"] = undefined(found["rounding_cost"], NO_POINTS)
    for why, names in _meaningless(tallied, tallied.primary):
        found |= {name: undefined(found[name], why) for name in names if found[name].defined}
    if (found["human_reliability"].low or 0.0) < LEAST_RELIABILITY:
        found = {name: undefined(each, MAYBE_NOTHING_SHARED) if each.defined else each for name, each in found.items()}
    for name in ("rho", "best_prmse"):  # a correlation is at most 1
        each = found[name]
        if each.value is not None and each.high is not None:
            found[name] = replace(each, high=min(each.high, max(each.value, 1.0)))
    return {f"true_score.{name}": each for name, each in (found | _rescaling(tallied, tallied.primary)).items()}


def shared_by_raters(estimates: Mapping[str, Estimate]) -> str:
    """Return whether raters share true scores.

    "nothing" if their correlation is clearly below `LITTLE` and true scores possibly have no variance, "unknown" if
    there are too few double-scored responses, and empty if they share something or PRMSE is undefined for another
    reason.
    """
    prmse, r = estimates.get("true_score.prmse"), estimates.get("human.r")
    if prmse is None or prmse.low is not None:
        return ""
    if prmse.reason != true_score.NO_TRUE_VARIANCE and prmse.interval_reason != MAYBE_NO_TRUE_VARIANCE:
        return ""
    return "nothing" if r is not None and r.high is not None and r.high < LITTLE else "unknown"


def _meaningless(tallied: TalliedScores, score: ScoreForm) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield why some statistics are meaningless although they can be computed, and their keys."""
    given, sums = tallied.rater_error_variance, tallied.moments(score).named()
    if not (true_score.true_score_variance(sums.ratings, given) > 0).all():
        yield true_score.NO_TRUE_VARIANCE, ("gamma", "relative_error", "rating_equivalents", "rounding_cost")
    two = tallied.tallies[score.family].raters == 2
    if given is None and two and (pair.squares_y(sums.human) == 0).all():
        yield ONE_RATER_CONSTANT, ("relative_error", "rating_equivalents")


def _ratios(tallied: TalliedScores, score: ScoreForm) -> dict[str, Estimate]:
    given = tallied.rater_error_variance
    # a given error variance is not an estimate, so its ratios use all responses
    found = intervals(
        _formulas(given), tallied.moments(score), tallied.level, "multiple" if given is None else "system"
    )
    method = METHOD_FIELLER.format(units="clusters" if tallied.by_candidate else "responses")
    made = {}
    for metric, (name, how) in _SHOWN.items():
        key, (value, low, high, n) = metric.split("@")[0], found[name]
        least, most = sorted(how(end) for end in (low, high)) if np.isfinite(low) else (np.nan, np.nan)
        if metric in _SQUARES and low < 0 < high:  # the minimum of a square is inside such an interval
            least = 0.0
        made[metric.replace("@", "_")] = bounded(
            key, how(value) if np.isfinite(value) else np.nan, n, least, most, np.nan, tallied.level, method,
            METRICS[key].kind, _reason(found[name], metric), _no_interval(metric, name, found[name]),
        )  # fmt: skip
    return made


def _formulas(given: float | None) -> dict[str, Ratio]:
    def on(formula: Callable[..., Floats], *more: object) -> Callable[[Sums], Floats]:
        return lambda sums: formula(sums.ratings, *more)

    def error(sums: Sums) -> Floats:
        return true_score.rater_error_variance(sums.ratings) if given is None else np.full(sums.ratings.n.shape, given)

    sd = on(true_score.true_score_sd, given)
    return {
        "rho": Ratio(on(true_score.explained_sd), sd),
        "excess": Ratio(on(true_score.excess_sd), sd),
        "delta": Ratio(on(true_score.mean_shift), sd),
        "slope": Ratio(on(true_score.best_slope), lambda sums: np.ones(sums.ratings.n.shape)),
        "noise": Ratio(error, on(true_score.true_score_variance, given)),
        "relative": Ratio(on(true_score.mean_squared_error_true, given), error),
    }


def _reciprocal(value: float) -> float:
    return 1 / value if value > 0 else math.nan


def _of_ratings(k: int, noise: float) -> float:
    return 1 - noise / k if noise >= 0 else math.nan


_SHOWN: Mapping[str, tuple[str, Callable[[float], float]]] = {
    "rho": ("rho", lambda q: q),
    "gamma": ("slope", _reciprocal),
    "delta": ("delta", lambda q: q),
    "relative_error": ("relative", lambda q: q),
    "rating_equivalents": ("relative", _reciprocal),
    "human_reliability": ("noise", lambda q: 1 / (1 + q) if q >= 0 else math.nan),
    **{f"prmse_of_ratings@{k}": ("noise", partial(_of_ratings, k)) for k in range(1, MOST_RATINGS + 1)},
    "best_prmse": ("rho", lambda q: q * q),
    "scale_loss": ("excess", lambda q: q * q),
    "bias_loss": ("delta", lambda q: q * q),
}
"""Ratio and transformation by metric."""

_SQUARES = ("best_prmse", "scale_loss", "bias_loss")

_OVER_TRUE_VARIANCE = ("rho", "excess", "delta", "noise")


def _no_interval(metric: str, name: str, found: Interval) -> str:
    if name in _OVER_TRUE_VARIANCE:
        return MAYBE_NO_TRUE_VARIANCE
    if metric == "rating_equivalents" and found.high > 0:
        return f"at least {fixed(1 / found.high, 2)}, without an upper end: the engine's error may be 0"
    return "the engine's score may be unrelated to the true score" if metric == "gamma" else ""


def _reason(found: Interval, metric: str) -> str:
    if found.n == 0:
        return "no response was scored twice, so rater error cannot be estimated"
    if metric == "rating_equivalents":
        least = f"; it is worth at least {fixed(1 / found.high, 2)}" if found.high > 0 else ""
        return f"the engine's error is estimated as 0 or less by the responses that are scored twice{least}"
    if metric == "relative_error":
        return "the raters never differed, so their error, the unit of this number, is estimated as 0"
    return "the variance of true scores is estimated as 0 or less, or a score is constant"


def _rescaling(tallied: TalliedScores, score: ScoreForm) -> dict[str, Estimate]:
    """Return the best linear prediction of true scores from engine scores."""
    slices = tallied.moments(score)

    def compute(own: Sums, _: Sums) -> dict[str, Floats]:
        return {"slope": true_score.best_slope(own.ratings), "intercept": true_score.best_intercept(own.ratings)}

    named = slices.named()
    values, influences = compute(named, named), derivatives(compute, slices, slices)
    units = slices.units.system
    return {
        key: interval_estimate(
            key, float(values[key][0]), float(standard_errors(influences[key], slices, slices, units)[0]),
            float(named.ratings.n[0]), float(units[0]), tallied.level, clustered=tallied.by_candidate,
            reason="every engine score is the same",
        )
        for key in ("slope", "intercept")
    }  # fmt: skip


def rounding_cost(tallied: TalliedScores, score: ScoreForm, rounded: ScoreForm) -> Estimate:
    """Return PRMSE of the score minus its rounded form's, on the same responses."""
    given, twin = tallied.rater_error_variance, "rounded "
    whole = formed_scores(tallied.tallies[score.family], rounded.form).alpha

    def features(scores: CellScores) -> dict[str, Polynomial | Floats]:
        own, other = (
            rating_features(scores.given, scores.present, each)
            for each in (scores.score, scores.one * (whole - scores.centre))
        )
        return {**own, **{twin + name: each for name, each in other.items()}}

    def statistics(sums: Mapping[str, Floats], centre: float) -> dict[str, Floats]:
        one, other = (true_score.prmse(rating_sums(sums, centre, start), given) for start in ("", twin))
        return {"cost": one - other}

    rests_on = "multiple" if given is None else "n"
    found = tallied.joint(score, features, statistics, rests_on=rests_on)["cost"]
    return interval_estimate(
        "rounding_cost", float(found.value[0]), float(found.error[0]), float(found.n[0]), float(found.units[0]),
        tallied.level, clustered=tallied.by_candidate, reason="no PRMSE to compare",
        interval_reason="every score is a whole number already" if found.error[0] == 0 else "",
    )  # fmt: skip


def true_score_results(tallied: TalliedScores, estimates: Mapping[str, Estimate]) -> Results:
    """Return the components of PRMSE, the benefit of more double scores, and the engine in units of raters."""
    if "true_score.prmse" not in estimates:
        return [], {}
    found = true_score_estimates(tallied)
    every = {**estimates, **found}
    optional = rescaling_table(tallied, every), double_scoring_table(tallied, every)
    tables = [parts_table(every), *filter(None, optional), _ratings(every)]
    if len(tallied.raters) > 1:
        tables.append(_exchange(tallied))
        found |= exchangeability(tallied, tallied.primary)
    return tables, found


def _ratings(estimates: Mapping[str, Estimate]) -> Table:
    rows = [
        Row((Term("mean_of_ratings", n=k), estimates[f"true_score.prmse_of_ratings_{k}"]))
        for k in range(1, MOST_RATINGS + 1)
    ]
    rows.append(Row((Term("the_engine"), estimates["true_score.prmse"]), "overall"))
    return table("human_equivalence.ratings", (Column("who"), metric_column("prmse")), rows)


def _exchange(tallied: TalliedScores) -> Table:
    """Return the agreement of two raters, and of rater and engine, on shared responses."""
    rows = []
    for score in (tallied.primary, tallied.primary_rounded):
        for names, statistics in exchanges(tallied, score).items():
            rows += [
                Row((names, score.type.label, called(metric), *found.values())) for metric, found in statistics.items()
            ]
    columns = columns_of(
        raters="text", score_type="text", statistic="text", raters_agree="coefficient", first_engine="coefficient",
        second_engine="coefficient", exchange="difference", rater_gap="difference",
    )  # fmt: skip
    if tallied.drawn:  # two random ratings agree equally with the engine
        kept = [place for place, column in enumerate(columns) if column.key not in ("second_engine", "rater_gap")]
        columns = tuple(columns[place] for place in kept)
        rows = [Row(tuple(row.cells[place] for place in kept)) for row in rows]
    notes = (Term("pairs_of_the_first", most=MOST_RATERS),) if len(tallied.raters) > MOST_RATERS else ()
    return table("human_equivalence.exchange", columns, rows, notes)


METRICS_SHOWN = ("error_variance", "true_variance", "mse_true", "prmse")


def true_score_table(tallied: TalliedScores) -> Table:
    """Return the PRMSE of every score type and its components."""
    rows = []
    for score in tallied.forms:
        slices = tallied.estimates(score)
        multiple = int(slices.sums.ratings.multiple[0])
        single = tallied.tally.n - multiple + int(tallied.tally.scored_by_raters_alone(OVERALL)[0])
        counts = (tallied.tally.n, len(tallied.raters), single, multiple)
        cells = [slices.estimate(f"true_score.{metric}") for metric in METRICS_SHOWN]
        rows.append(Row((score.type.label, *counts, *cells)))
    counted = columns_of(
        score_type="text", n="count", n_raters="count", n_single="count", n_multiple="count",
        hidden=("n_raters", "n_single"),
    )  # fmt: skip
    columns = (*counted, *(replace(metric_column(metric), label="") for metric in METRICS_SHOWN))
    given = tallied.rater_error_variance
    note = Term("error_variance_estimated") if given is None else Term("error_variance_given", value=given)
    return table("true_score.prmse", columns, rows, (note,))


def parts_table(estimates: Mapping[str, Estimate]) -> Table:
    """Return the components of PRMSE, with the remedy for each."""
    rows = [
        Row((Term(f"stair.{name}"), Term(f"remedy.{name}"), estimates[f"true_score.{name}"]),
            "overall" if name == "prmse" else "")
        for name in PARTS
    ]  # fmt: skip
    columns = (Column("part"), Column("remedy"), replace(metric_column("prmse", "value"), label=""))
    return table("true_score.parts", columns, rows, (Term("parts_formula"),))


def rescaling_table(tallied: TalliedScores, estimates: Mapping[str, Estimate]) -> Table | None:
    """Return the effects of rescaling on PRMSE, QWK, SD, and the ends; None if PRMSE has no components."""
    found = rescalings(tallied, estimates)
    if not found:
        return None
    # PRMSE of the best line is already estimated, with divisors that differ by the order of 1 / n
    known = {"to_true_scores": estimates["true_score.best_prmse"].value}
    rows = []
    for each in found:
        prmse = known.get(each.key, each.prmse)
        rows.append(Row((Term(f"rescaling.{each.key}"), prmse, each.qwk, each.rounded_qwk, each.sd, each.ends)))
    own, one = tallied.estimates(tallied.primary), estimates["true_score.prmse_of_ratings_1"].value
    raters = own.estimate("human.qwk").value if len(tallied.raters) > 1 else None
    sd = own.estimate("system.h_sd").value
    rows.append(Row((Term("first_rater"), one, raters, raters, sd, human_ends(tallied))))
    columns = columns_of(
        form="text", prmse="coefficient", qwk="coefficient", rounded_qwk="coefficient", sd="score", ends="percent"
    )
    return table("true_score.rescaling", columns, rows, (Term("rescaling_note"),))


PARTS = ("best_prmse", "scale_loss", "bias_loss", "prmse", "rounding_cost")
"""Estimates of the components of PRMSE, from the best attainable to the cost of rounding."""


def double_scoring_table(tallied: TalliedScores, estimates: Mapping[str, Estimate]) -> Table | None:
    """Return the benefit of more double scores; None if the data are insufficient for a plan."""
    prmse, true, error = (estimates[f"true_score.{name}"] for name in ("prmse", "true_variance", "error_variance"))
    known = [each for each in (prmse.value, true.value, error.value, prmse.low, prmse.high) if each is not None]
    if tallied.rater_error_variance is not None or len(known) < 5:
        return None
    value, truth, noise, low, high = known
    plan = plan_from_data(value, truth, noise, tallied.tally.n, prmse.n, high - low, tallied.level)
    if plan is None:
        return None
    rows = [
        Row((Term(f"plan.{aim.what.replace(' ', '_')}"), aim.double, aim.n, aim.half_width)) for aim in prospects(plan)
    ]
    columns = columns_of(what="text", n_multiple="count", n="count", half_width="coefficient")
    return table("true_score.double_scoring", columns, rows, (Term("plan_note"),))


class Rescaled(NamedTuple):
    """The engine's score ``intercept + slope x score``, and its statistics.

    key: "as_it_is", "to_true_scores" (the best prediction of true scores), or "to_raters" (mean and SD of the first
        rater's scores).
    prmse, qwk, sd: of the unrounded score.
    rounded_qwk, ends: of the score rounded to the points of the scale: QWK, and the percentage of responses at its two
        ends; None on a scale without points.
    """

    key: str
    slope: float
    intercept: float
    prmse: float
    qwk: float
    sd: float
    rounded_qwk: float | None
    ends: float | None


def rescalings(tallied: TalliedScores, estimates: Mapping[str, Estimate]) -> tuple[Rescaled, ...]:
    """Return the primary score unchanged and rescaled in two ways; none if PRMSE has no components.

    Moments of the rescaled score are exact. Rounding requires the position of every score within its point: the tally
    contains mean and SD of each cell, and scores are assumed to be uniform about the mean.

    estimates: overall estimates, including the components of PRMSE and the best linear prediction.
    Source: Casabianca et al. (2023), table 1 ("Mean & SD match") and note 3.
    """
    names = ("best_prmse", "scale_loss", "bias_loss", "slope", "intercept")
    if not all(estimates[f"true_score.{name}"].defined for name in names):
        return ()
    sums = tallied.moments(tallied.primary).named()
    best, start = (estimates[f"true_score.{name}"].value or 0.0 for name in ("slope", "intercept"))
    slope = float(pair.sd_x(sums.system)[0] / pair.sd_y(sums.system)[0])
    shift = float(pair.mean_x(sums.system)[0] - slope * pair.mean_y(sums.system)[0])
    lines = {"as_it_is": (1.0, 0.0), "to_true_scores": (best, start), "to_raters": (slope, shift)}
    return tuple(_rescaled(tallied, sums, key, *line) for key, line in lines.items())


def _rescaled(tallied: TalliedScores, sums: Sums, key: str, slope: float, intercept: float) -> Rescaled:
    system, ratings = moved_pair(sums.system, slope, intercept), moved_ratings(sums.ratings, slope, intercept)
    counts = None if tallied.points.continuous else crossed_with_first(tallied.points, slope, intercept)
    return Rescaled(
        key, slope, intercept,
        float(true_score.prmse(ratings, tallied.rater_error_variance)[0]),
        float(pair.quadratic_weighted_kappa(system)[0]),
        float(pair.sd_y(system)[0]),
        None if counts is None else quadratic_kappa_of(counts),
        None if counts is None else ends_of(counts.sum(axis=0)),
    )  # fmt: skip


def human_ends(tallied: TalliedScores) -> float | None:
    """Return the percentage of first human scores at the two ends of the scale; None without points."""
    if tallied.points.continuous:
        return None
    return ends_of(crossed_with_first(tallied.points, 1.0, 0.0).sum(axis=1))


def moved_pair(sums: PairSums, slope: float, intercept: float) -> PairSums:
    """Return the sums of two scores with y' = intercept + slope y; counts of equal scores are unknown."""
    shift = intercept + (slope - 1) * sums.centre
    none = np.full_like(sums.n, np.nan)
    return replace(
        sums, y=slope * sums.y + shift * sums.n, xy=slope * sums.xy + shift * sums.x,
        yy=slope**2 * sums.yy + 2 * slope * shift * sums.y + shift**2 * sums.n,
        absolute=none, exact=none, adjacent=none,
    )  # fmt: skip


def moved_ratings(sums: RatingSums, slope: float, intercept: float) -> RatingSums:
    """Return the sums of ratings and intercept + slope x score."""
    shift = intercept + (slope - 1) * sums.centre
    return replace(
        sums, cms=slope * sums.cms + shift * sums.cm, cs=slope * sums.cs + shift * sums.c,
        css=slope**2 * sums.css + 2 * slope * shift * sums.cs + shift**2 * sums.c,
        s=slope * sums.s + shift * sums.n,
        ss=slope**2 * sums.ss + 2 * slope * shift * sums.s + shift**2 * sums.n,
    )  # fmt: skip


def crossed_with_first(points: Points, slope: float, intercept: float) -> Floats:
    """Return (points, points): responses by first rating and by the rescaled, rounded score."""
    human = points.rated(0)
    if (slope, intercept) == (1.0, 0.0):
        return np.asarray(points.crossed(OVERALL, human, points.scored())[0])
    overall = points.tally.slices[OVERALL]
    n, u, uu = overall.sums[:3]
    formed, cell = formed_scores(points.tally, TRIMMED), overall.cell
    centre = formed.alpha[cell] + formed.beta[cell] * u / n
    spread = np.abs(formed.beta[cell]) * np.sqrt(np.maximum(uu / n - (u / n) ** 2, 0.0))
    # steps of the scale: score = start + step x steps
    moved = slope * centre + (intercept + (slope - 1) * points.start) / points.step - points.first
    shares = shares_of_points(moved, np.sqrt(3.0) * np.abs(slope) * spread, points.size)
    table = np.zeros((points.size, points.size))
    known = human[cell] >= 0
    np.add.at(table, human[cell][known], (n[:, None] * shares)[known])
    return table


def shares_of_points(centre: Floats, half: Floats, size: int) -> Floats:
    """Return (cells, size): share of uniform scores in center +- half that round to each position or beyond an end."""
    edges = np.arange(size - 1) + 0.5
    width = np.maximum(2 * half, 1e-9)[:, None]
    below = np.clip((edges - (centre - half)[:, None]) / width, 0.0, 1.0)
    return np.diff(below, axis=1, prepend=0.0, append=1.0)


def quadratic_kappa_of(counts: Floats) -> float:
    """Return QWK of a table of counts (points, points) with equally spaced points."""
    n, at = counts.sum(), np.arange(len(counts))
    gaps = (at[:, None] - at) ** 2
    chance = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
    expected = float((gaps * chance).sum())
    return 1 - float((gaps * counts).sum()) / expected if expected else float("nan")


def ends_of(counts: Floats) -> float:
    """Return the percentage of responses at the lowest and the highest point."""
    return 100 * float(counts[0] + counts[-1]) / float(counts.sum())
