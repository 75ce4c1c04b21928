"""Reliability of the ratings: intraclass correlations, variance components, and the benefit of more ratings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.measure import joint_estimates
from reportgen.evaluation.rater_effects import NamedRatings
from reportgen.evaluation.statistics import NO_VARIATION, estimate_of
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import METRICS
from reportgen.metrics import reliability as formulas
from reportgen.metrics.krippendorff import interval_alpha
from reportgen.metrics.pair import ratio, root
from reportgen.metrics.true_score import rater_error_variance, rating_features, rating_sums, true_score_variance
from reportgen.results import Estimate, Kind
from reportgen.tally import OVERALL, CellScores, Floats, JointNumbers, totals

METHOD_F = "F distribution (McGraw and Wong 1996)"

ICC_KEYS = {
    "icc11": "icc_1", "icc21": "icc_a1", "icc31": "icc_c1", "icc1k": "icc_k", "icc2k": "icc_ak", "icc3k": "icc_ck",
}  # fmt: skip
"""McGraw and Wong's names, used in keys of estimates, by Shrout and Fleiss's."""

ONE_WAY = ("icc_1", "icc_k")  # intraclass correlations that do not require one rater per column

MOST_RATINGS = 5  # ratings per response up to which reliability is predicted

MOST_RATERS = 8
"""Rater columns up to which variance components have intervals, because their sums are quadratic in the number."""


class CrossedDesign(NamedTuple):
    """Variance components of the ratings, and the statistics that follow from them.

    person, rater, residual: variances.
    coefficient, dependability, error: E rho^2, Phi, and the SD of the error of a mean, by number of ratings from 1.
    rests_on: the components without intervals, with their responses, raters, and ratings.
    """

    person: Estimate
    rater: Estimate
    residual: Estimate
    coefficient: Sequence[Estimate]
    dependability: Sequence[Estimate]
    error: Sequence[Estimate]
    gain: Sequence[Estimate]  # increase of E rho^2 over one rating less, by number of ratings from 2
    rests_on: formulas.Generalizability
    named: bool  # whether raters are named; otherwise, they are columns
    sampled: bool = False  # whether intervals of Phi treat the raters as a sample; otherwise, they are for these raters


def intraclass(tallied: TalliedScores) -> dict[str, Estimate]:
    """Return the six intraclass correlations of the responses that every rater rated, by key."""
    raters = range(len(tallied.raters))

    def features(scores: CellScores) -> dict[str, Floats]:
        every = scores.present.all(axis=0) * 1.0
        ratings = scores.given * every
        made = {"n": every, "rows": ratings.sum(axis=0) ** 2, "squares": (ratings**2).sum(axis=0)}
        return made | {f"x{rater}": ratings[rater] for rater in raters}

    def statistics(sums: Mapping[str, Floats], _: float) -> Mapping[str, Floats]:
        columns = np.stack([sums[f"x{rater}"] for rater in raters], axis=-1)
        squares = formulas.mean_squares_of_sums(sums["n"], sums["rows"], columns, sums["squares"])
        return {part: getattr(squares, part) for part in PARTS} | formulas.intraclass_values(squares)

    found = tallied.joint(tallied.primary_rounded, features, statistics, rests_on="n")
    n = float(found["between"].n.sum())
    reason = "fewer than two responses were scored by every rater" if n < 2 else "all ratings are the same"
    if tallied.rows:
        made = {}
        for name, key in ICC_KEYS.items():
            transform = "fisher" if name.endswith("1") else "log1m"
            (made[key],) = joint_estimates(tallied, name, found[name], "coefficient", transform, reason=reason)
        return made
    squares = formulas.MeanSquares(
        **{part: np.asarray(found[part].value[0]) for part in PARTS}, n=np.asarray(n), k=len(raters)
    )
    limits = formulas.intraclass_limits(squares, tallied.level)
    return {
        key: estimate_of(name, float(found[name].value[0]), n, *limits[name], float(found[name].error[0]),
                         tallied.level, METHOD_F, "coefficient", reason)
        for name, key in ICC_KEYS.items()
    }  # fmt: skip


PARTS = ("between", "judges", "residual", "within")  # the mean squares


def one_way(tallied: TalliedScores) -> Estimate:
    """Return ICC(1) for unequal numbers of ratings (Donner 1986, with the equivalent mean number of ratings)."""

    def statistics(sums: Mapping[str, Floats], centre: float) -> Mapping[str, Floats]:
        own = rating_sums(sums, centre)
        true, error = true_score_variance(own), rater_error_variance(own)
        return {"icc": ratio(true, true + error)}

    found = tallied.joint(
        tallied.primary_rounded, lambda scores: rating_features(scores.given, scores.present, scores.score), statistics,
        rests_on="multiple",
    )["icc"]  # fmt: skip
    reason = "the ratings do not vary, or no response has two"
    return joint_estimates(tallied, "icc11", found, kind="coefficient", transform="fisher", reason=reason)[0]


def crossed(
    tallied: TalliedScores, rows: NamedRatings | None = None, single: Estimate | None = None
) -> CrossedDesign | None:
    """Return the variance components of all ratings; None without links of raters or residual ratings.

    rows: the named raters; default: the columns of ratings.
    single: ICC(A,1) of the responses that every rater rated, for intervals that allow for other raters.
    """
    found = _design(tallied, rows)
    return _with_raters_sampled(found, single) if found and single else found


def _design(tallied: TalliedScores, rows: NamedRatings | None) -> CrossedDesign | None:
    if rows is not None:
        known = rows.components
        if known.found.reason:
            return None
        at, influence, multiple = np.zeros(3), known.influence, known.multiple
        numbers = rows.numbers(lambda moved: _statistics(known.at(moved)), at, influence, multiple)
        return _crossed(tallied, numbers, known.found, named=True, why=NO_VARIATION)
    used, columns = crossed_columns(tallied)
    if columns is None:
        return None
    why = NO_VARIATION
    if len(used) <= MOST_RATERS:
        numbers = tallied.joint(
            tallied.primary_rounded,
            lambda scores: crossed_features(scores, used),
            lambda sums, _: _statistics(formulas.components(crossed_of(sums, len(used)))),
            rests_on="multiple",
        )
    else:
        why = f"intervals are computed for up to {MOST_RATERS} columns of ratings"
        n = np.asarray([tallied.estimates(tallied.primary).sums.ratings.multiple[0]])
        numbers = {
            key: JointNumbers(value, np.full_like(value, np.nan), n, n)
            for key, value in _statistics(columns.at(np.zeros(3))).items()
        }
    return _crossed(tallied, numbers, columns.found, named=False, why=why)


def crossed_columns(tallied: TalliedScores) -> tuple[NDArray[np.intp], formulas.IdentifiedComponents | None]:
    """Return the columns with ratings, and their components; None without links or residual ratings."""
    ratings, overall = tallied.tally.cells.ratings, tallied.tally.slices[OVERALL]
    used = np.flatnonzero(np.isfinite(ratings).any(axis=0))
    ratings = np.where(np.isfinite(ratings), ratings, np.nan)[:, used]
    found = formulas.generalizability_of_columns(ratings, totals(overall.cell, overall.sums[0], len(ratings)))
    return used, found if found.linked else None


def _with_raters_sampled(found: CrossedDesign, single: Estimate) -> CrossedDesign:
    """Return the design with intervals of Phi that allow for other raters, if the design is complete.

    There, Phi of one rating is ICC(A,1) with its interval, and Phi of k ratings follows by the Spearman-Brown formula.
    For incomplete designs, Phi keeps the interval for these raters. Source: McGraw and Wong (1996), table 7.
    """
    if single.method != METHOD_F or single.low is None or single.high is None:
        return found
    if not single.n == found.rests_on.n == found.rests_on.n_ratings / found.rests_on.n_raters:
        return found
    ends = (single.low, single.high)
    made = [
        _within(each, *formulas.spearman_brown(ends, k).tolist()) for k, each in enumerate(found.dependability, start=1)
    ]
    return found._replace(dependability=made, sampled=True)


def _within(found: Estimate, low: float, high: float) -> Estimate:
    if found.value is None or not low <= found.value <= high:
        return replace(found, low=None, high=None, standard_error=None, interval_reason=NO_VARIATION)
    return replace(found, low=low, high=high, standard_error=None, method=METHOD_F, interval_reason="")


def _crossed(
    tallied: TalliedScores, numbers: Mapping[str, JointNumbers], found: formulas.Generalizability, named: bool, why: str
) -> CrossedDesign:
    def made(metric: str, kind: Kind, transform: str) -> list[Estimate]:
        return joint_estimates(tallied, metric, numbers[metric], kind=kind, transform=transform, interval_reason=why)

    person, rater, _ = made("components", "number", "none")
    every = numbers["components"]
    rest = JointNumbers(every.value[2:], every.error[2:], every.n, every.units)
    residual = joint_estimates(tallied, "components", rest, kind="number", transform="log", interval_reason=why)[0]
    coefficient = made("generalizability", "coefficient", "log1m")
    dependability, error = made("dependability", "coefficient", "log1m"), made("rating_error", "score", "log")
    gain = [_gain(each, coefficient[0], k) for k, each in enumerate(made("gain", "difference", "none"), start=2)]
    return CrossedDesign(person, rater, residual, coefficient, dependability, error, gain, found, named)


def _gain(found: Estimate, single: Estimate, k: int) -> Estimate:
    """Return the gain of the k-th rating with its range over the interval of one rating's reliability.

    The gain has a flat maximum near a reliability of .4, so its standard error would be too small.
    """
    if found.value is None or single.low is None or single.high is None:
        return found
    over = np.linspace(max(single.low, 0.0), max(single.high, 0.0), 401)
    gain = formulas.spearman_brown(over, k) - formulas.spearman_brown(over, k - 1)
    return replace(
        found, low=float(min(gain.min(), found.value)), high=float(max(gain.max(), found.value)),
        method=f"{single.method}, of the reliability of one rating",
    )  # fmt: skip


def _statistics(found: formulas.Components) -> dict[str, Floats]:
    counts = range(1, MOST_RATINGS + 1)
    coefficient = np.stack([formulas.generalizability_coefficient(found, k) for k in counts], axis=-1)
    return {
        "components": np.stack([found.person, found.rater, found.residual], axis=-1),
        "generalizability": coefficient,
        "dependability": np.stack([formulas.dependability_index(found, k) for k in counts], axis=-1),
        "rating_error": np.stack([root((found.rater + found.residual) / k) for k in counts], axis=-1),
        "gain": coefficient[..., 1:] - coefficient[..., :-1],
    }


def crossed_features(scores: CellScores, used: NDArray[np.intp]) -> dict[str, Floats]:
    """Return the features of `CrossedSums` of these raters, and of responses with more than one rating."""
    present, x = scores.present[used] * 1.0, scores.given[used]
    c = present.sum(axis=0)
    share = 1 / np.maximum(c, 1.0)
    mean = x.sum(axis=0) * share
    made = {
        "n": (c > 0) * 1.0, "multiple": (c > 1) * 1.0, "cc": c**2, "between": c * mean**2,
        "squares": (x**2).sum(axis=0),
    }  # fmt: skip
    for a in range(len(used)):
        made |= {f"count{a}": present[a], f"total{a}": x[a], f"deviation{a}": present[a] * (x[a] - mean)}
        made |= {f"shared{a}.{b}": share * present[a] * present[b] for b in range(a, len(used))}
    return made


def crossed_of(sums: Mapping[str, Floats], k: int) -> formulas.CrossedSums:
    """Return the sums of `crossed_features` by name."""

    def each(*names: str) -> Floats:
        return np.stack([sums[name] for name in names], axis=-1)

    count, total, deviation = (each(*(f"{part}{a}" for a in range(k))) for part in ("count", "total", "deviation"))
    shared = np.stack([each(*(f"shared{min(a, b)}.{max(a, b)}" for b in range(k))) for a in range(k)], axis=-2)
    return formulas.CrossedSums(
        sums["n"], sums["cc"], sums["between"], sums["squares"], count, total, shared, deviation
    )


LIKE = {"conger": "kappa_quadratic", "fleiss": "scott", "alpha": "alpha_interval"}
"""Catalogue coefficient with the same interval scale, by coefficient of all raters."""


def overall_agreement(tallied: TalliedScores) -> dict[str, Estimate]:
    """Return the coefficients of `LIKE` of all raters, with quadratic weights; Conger's requires named raters."""
    raters = range(len(tallied.raters))

    def features(scores: CellScores) -> dict[str, Floats]:
        ratings, c = scores.given, scores.count
        total, square, multiple = ratings.sum(axis=0), (ratings**2).sum(axis=0), (c > 1) * 1.0
        # mean squared difference over ordered pairs of ratings of a response
        gap = multiple * (2 * c * square - 2 * total**2) / np.maximum(c * (c - 1), 1)
        made = {
            "any": (c > 0) * 1.0, "multiple": multiple, "gap": gap,
            "mean": total / np.maximum(c, 1), "square": square / np.maximum(c, 1),
            "pairable": multiple * c, "pairable_gap": multiple * c * gap,
            "pairable_total": multiple * total, "pairable_square": multiple * square,
        }  # fmt: skip
        for rater in raters:
            made |= {f"n{rater}": scores.present[rater] * 1.0, f"x{rater}": ratings[rater]}
            made[f"xx{rater}"] = ratings[rater] ** 2
        return made

    def statistics(sums: Mapping[str, Floats], _: float) -> Mapping[str, Floats]:
        observed, k = ratio(sums["gap"], sums["multiple"]), len(raters)
        mean, square = (ratio(sums[key], sums["any"]) for key in ("mean", "square"))
        means, squares = ([ratio(sums[f"{x}{a}"], sums[f"n{a}"]) for a in raters] for x in ("x", "xx"))
        across = sum(means[a] * means[b] for a in raters for b in raters if a != b)
        by_rater = 2 * sum(squares) / k - 2 * across / (k * (k - 1))
        return {
            "conger": 1 - ratio(observed, by_rater),
            "fleiss": 1 - ratio(observed, 2 * (square - mean**2)),
            "alpha": interval_alpha(*(sums[f"pairable{key}"] for key in ("", "_total", "_square", "_gap"))),
        }

    found = tallied.joint(tallied.primary_rounded, features, statistics, rests_on="multiple")
    return {
        key: joint_estimates(tallied, key, found[key], kind="coefficient", transform=METRICS[like].transform,
                             reason="all ratings are the same")[0]
        for key, like in LIKE.items()
        if key != "conger" or not tallied.packed
    }  # fmt: skip
