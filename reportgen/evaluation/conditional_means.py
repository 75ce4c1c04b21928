"""Means of the engine score at each first human score, level by level, with their standard errors."""

from __future__ import annotations

import numpy as np

from reportgen.evaluation.study import Study
from reportgen.tally.cells import Floats, totals
from reportgen.tally.forms import formed_scores
from reportgen.tally.tables import ErrorSums


def conditional_means(study: Study, grouping: str, sums: ErrorSums) -> tuple[Floats, Floats, Floats]:
    """Return mean, standard error and independent units, each (levels, scores); nan where there are too few.

    Units are responses, or candidates where those are: their responses' deviations are summed first.
    """
    n, e1, e2 = sums.sums[:3]
    rows = study.rows.get(study.primary.family)
    with np.errstate(all="ignore"):
        mean: Floats = sums.human + e1 / n
        if rows is None:
            return mean, np.sqrt(np.maximum(e2 - e1**2 / n, 0.0) / (n - 1) / n), n
        inside, scores = rows.inside(grouping), formed_scores(study.tally, study.primary.form)
        human = np.searchsorted(sums.human, study.tally.cells.ratings[inside.cell, 0])
        place = inside.levels(grouping) * len(sums.human) + human
        deviation = scores.alpha[inside.cell] + scores.beta[inside.cell] * inside.u - mean.ravel()[place]
        clusters = int(inside.clusters.max()) + 1
        pairs, of_row = np.unique(place * clusters + inside.clusters, return_inverse=True)
        square = totals(pairs // clusters, totals(of_row, deviation, len(pairs)) ** 2, n.size).reshape(n.shape)
        units = totals(pairs // clusters, np.ones(len(pairs)), n.size).reshape(n.shape)
        return mean, np.where(units > 1, np.sqrt(square * units / (units - 1)) / n, np.nan), units
