"""Agreement of all raters at once: quadratically weighted kappas and alpha as smooth functions of sums.

Quadratic weights need no categories: each coefficient is 1 - (mean squared difference of two ratings
of one response) / (the same by chance), so any scale will do.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reportgen.evaluation.jointly import joint_estimates
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import METRICS
from reportgen.metrics.krippendorff import interval_alpha
from reportgen.metrics.pair import ratio
from reportgen.results import Estimate
from reportgen.tally import CellScores, Polynomial
from reportgen.tally.cells import Floats

COEFFICIENTS = ("conger", "fleiss", "alpha")
"""Coefficients of all raters; they differ in what they take chance to be."""

LIKE = {"conger": "kappa_quadratic", "fleiss": "scott", "alpha": "alpha_interval"}
"""The statistic of the catalogue on whose scale each is symmetric, as in the agreement panel."""


def overall_agreement(tallied: TalliedScores) -> dict[str, Estimate]:
    """Return the coefficients of `COEFFICIENTS` of all raters, quadratic weights (alpha: interval scale).

    Conger's kappa needs to know who gave each rating.
    """
    raters = len(tallied.raters)

    def statistics(sums: Mapping[str, Floats], _: float) -> Mapping[str, Floats]:
        return _coefficients({key: value[..., 0] for key, value in sums.items()}, raters)

    found = tallied.joint(tallied.primary_rounded, _features, statistics, rests_on="multiple")
    return {
        key: joint_estimates(
            tallied,
            key,
            found[key],
            kind="coefficient",
            transform=METRICS[LIKE[key]].transform,
            reason="all ratings are the same",
        )[0]
        for key in COEFFICIENTS
        if key != "conger" or not tallied.packed
    }


def _features(scores: CellScores) -> dict[str, Polynomial]:
    present = scores.present
    ratings = np.stack([rating.c[0] for rating in scores.ratings])
    c = present.sum(axis=0).astype(np.float64)
    multiple = (c > 1) * 1.0
    total, square = ratings.sum(axis=0), (ratings**2).sum(axis=0)
    # the mean squared difference over ordered pairs of ratings of a response
    gap = multiple * (2 * c * square - 2 * total**2) / np.maximum(c * (c - 1), 1)
    made = {
        "any": (c > 0) * 1.0, "multiple": multiple, "gap": gap,
        "mean": total / np.maximum(c, 1), "square": square / np.maximum(c, 1),
        "pairable": multiple * c, "pairable_gap": multiple * c * gap,
        "pairable_total": multiple * total, "pairable_square": multiple * square,
    }  # fmt: skip
    for rater, (rating, there) in enumerate(zip(ratings, present, strict=True)):
        made |= {f"n{rater}": there * 1.0, f"x{rater}": rating, f"xx{rater}": rating**2}
    return {key: scores.one * value for key, value in made.items()}


def _coefficients(sums: Mapping[str, Floats], raters: int) -> dict[str, Floats]:
    observed = ratio(sums["gap"], sums["multiple"])
    mean, square = (ratio(sums[key], sums["any"]) for key in ("mean", "square"))
    means = [ratio(sums[f"x{rater}"], sums[f"n{rater}"]) for rater in range(raters)]
    squares = [ratio(sums[f"xx{rater}"], sums[f"n{rater}"]) for rater in range(raters)]
    across = sum(means[a] * means[b] for a in range(raters) for b in range(raters) if a != b)
    by_rater = 2 * sum(squares) / raters - 2 * across / (raters * (raters - 1))
    return {
        "conger": 1 - ratio(observed, by_rater),
        "fleiss": 1 - ratio(observed, 2 * (square - mean**2)),
        "alpha": interval_alpha(*(sums[f"pairable{key}"] for key in ("", "_total", "_square", "_gap"))),
    }
