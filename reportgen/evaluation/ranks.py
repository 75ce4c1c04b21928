"""Rank correlations of the unrounded engine score: they need the rows, and are bounded by grouping."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.estimating import corrected, interval_estimate
from reportgen.evaluation.study import Study
from reportgen.metrics.rank_tables import kendall_tau_b_of_table, spearman_rho_of_table
from reportgen.results import Estimate
from reportgen.tally.cells import Floats, Integers

MOST_CELLS = 1 << 20
"""Cells of the table of human by engine scores; more distinct scores than fit are grouped."""

MOST_REFERENCE = 1 << 10
"""Distinct scores of the reference rater that are told apart."""

RANK_CORRELATIONS = {"tau_b": kendall_tau_b_of_table, "spearman": spearman_rho_of_table}


@dataclass(frozen=True)
class Ranks:
    """Rank correlations of two scores as they were given.

    Parameters
    ----------
    estimates
        Key in the catalogue -> estimate.
    way
        How they were computed: on every distinct score, or in groups of which width.
    """

    estimates: dict[str, Estimate]
    way: str


def unrounded_ranks(study: Study) -> Ranks | None:
    """Return the rank correlations of engine and first human score; None when the engine gives points of the scale."""
    if study.scores is None or not (study.primary.type.continuous or study.points.continuous):
        return None
    system, ratings, candidates = study.scores
    return _ranks(ratings[:, 0], np.clip(system, *study.preparation.bounds), candidates, study.level)


def rater_ranks(study: Study, first: int, second: int) -> Ranks | None:
    """Return the rank correlations of two raters, on every score they gave; None when they scored nothing both."""
    if study.scores is None:
        return None
    _, ratings, candidates = study.scores
    both = np.isfinite(ratings[:, first]) & np.isfinite(ratings[:, second])
    if not both.any():
        return None
    return _ranks(
        ratings[both, first], ratings[both, second], None if candidates is None else candidates[both], study.level
    )


def _ranks(reference: Floats, judged: Floats, candidates: NDArray[np.integer] | None, level: float) -> Ranks:
    """Return the rank correlations of two scores of the same responses."""
    x, x_width = _groups(reference, MOST_REFERENCE)
    rows = int(x.max()) + 1
    y, y_width = _groups(judged, MOST_CELLS // rows)
    columns = int(y.max()) + 1
    place = x * columns + y
    counts = np.bincount(place, minlength=rows * columns).astype(np.float64).reshape(rows, columns)
    n = units = len(x)
    codes = place
    if candidates is not None:
        codes = np.unique(candidates, return_inverse=True)[1]
        units = int(codes.max()) + 1
    estimates = {}
    for key, of_table in RANK_CORRELATIONS.items():
        found = of_table(counts)
        influence = found.influence.ravel() / n
        if candidates is None:
            square = float((counts.ravel() * influence**2).sum())
        else:
            square = float((np.bincount(codes, influence[place]) ** 2).sum())
        estimates[key] = interval_estimate(
            key, found.value, corrected(square, units), n, units, level,
            clustered=candidates is not None, reason=found.reason,
        )  # fmt: skip
    return Ranks(estimates, _way(x_width, y_width))


def _groups(scores: Floats, most: int) -> tuple[Integers, float]:
    """Return the group of every score, and the width of the groups: 0 when each distinct score is its own."""
    distinct, place = np.unique(scores, return_inverse=True)
    if len(distinct) <= most:
        return place, 0.0
    low, width = distinct[0], (distinct[-1] - distinct[0]) / most
    return np.minimum(((scores - low) / width).astype(np.intp), most - 1), float(width)


def _way(reference_width: float, judged_width: float) -> str:
    """Say how rank correlations of scores as given were computed."""
    widths = [width for width in (reference_width, judged_width) if width]
    if not widths:
        return "Rank correlations of unrounded scores are computed on every distinct score."
    return (
        f"Rank correlations of unrounded scores take them in groups of {max(widths):.2g} score points; "
        "scores in a group are tied."
    )
