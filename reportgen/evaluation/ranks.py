"""Rank correlations of the unrounded engine score: they need the rows, and are bounded by grouping."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.evaluation.estimating import corrected, interval_estimate
from reportgen.evaluation.study import Study
from reportgen.metrics.rank_tables import kendall_tau_b_of_table, spearman_rho_of_table
from reportgen.results import Estimate
from reportgen.tally.cells import Floats, Integers

MOST_CELLS = 1 << 20
"""Cells of the table of human by engine scores; more distinct scores than fit are grouped."""

MOST_HUMAN = 256

RANK_CORRELATIONS = {"tau_b": kendall_tau_b_of_table, "spearman": spearman_rho_of_table}


@dataclass(frozen=True)
class Ranks:
    """Rank correlations of the first human score and the unrounded, trimmed engine score.

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
    """Return the rank correlations; None without the rows, or when engine scores are points of the scale."""
    if study.scores is None or not study.primary.type.continuous:
        return None
    system, ratings, candidates = study.scores
    human, human_width = _groups(ratings[:, 0], MOST_HUMAN)
    most = MOST_CELLS // (int(human.max()) + 1)
    engine, engine_width = _groups(np.clip(system, *study.preparation.bounds), most)
    rows, columns = int(human.max()) + 1, int(engine.max()) + 1
    place = human * columns + engine
    counts = np.bincount(place, minlength=rows * columns).astype(np.float64).reshape(rows, columns)
    n = units = len(system)
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
            key, found.value, corrected(square, units), n, units, study.level,
            clustered=candidates is not None, reason=found.reason,
        )  # fmt: skip
    return Ranks(estimates, _way(human_width, engine_width))


def _groups(scores: Floats, most: int) -> tuple[Integers, float]:
    """Return the group of every score, and the width of the groups: 0 when each distinct score is its own."""
    distinct, place = np.unique(scores, return_inverse=True)
    if len(distinct) <= most:
        return place, 0.0
    low, width = distinct[0], (distinct[-1] - distinct[0]) / most
    return np.minimum(((scores - low) / width).astype(np.intp), most - 1), float(width)


def _way(human_width: float, engine_width: float) -> str:
    """Say how rank correlations of unrounded scores were computed."""
    grouped = [
        f"{who} scores in groups of {width:.2g} score points"
        for who, width in (("human", human_width), ("engine", engine_width))
        if width
    ]
    if not grouped:
        return "Rank correlations of the unrounded engine score are computed on every distinct score."
    return f"Rank correlations of the unrounded engine score take {' and '.join(grouped)}; scores in a group are tied."
