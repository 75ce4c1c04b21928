"""Effects of a linear rescaling of the engine's score on all statistics.

Moments of the rescaled score are exact. Rounding requires the position of every score within its point: the tally
contains mean and SD of each cell, and scores are assumed to be uniform about the mean.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from reportgen.evaluation.points import Points
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import pair, true_score
from reportgen.results import Estimate
from reportgen.tally import OVERALL, TRIMMED, Floats, PairSums, RatingSums, Sums, formed_scores


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
    none, all_ = np.zeros((len(centre), 1)), np.ones((len(centre), 1))
    return np.diff(np.hstack([none, below, all_]), axis=1)


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
