"""The three fairness analyses of Loukina, Madnani and Zechner (2019), from cell moments alone.

Ordinary least squares of the squared error (overall score accuracy, OSA), of the error (overall
score difference, OSD) and of the error given the human score (conditional score difference, CSD)
on the levels of a group, treatment-coded against the largest level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.evaluation.regression import Fits, one_way, two_way
from reportgen.tally.cells import Floats
from reportgen.tally.contingency_tables import ErrorSums

LABELS = {
    "osa": "Overall score accuracy",
    "osd": "Overall score difference",
    "csd": "Conditional score difference",
}
"""Short and long names of the analyses, in their order."""


@dataclass(frozen=True)
class Analyses:
    """One fairness analysis of a stack of items.

    Parameters
    ----------
    r_squared
        (items,): adjusted share of variance explained by the group (for CSD: beyond the human score).
    p
        (items,): of the F test that no level differs.
    coefficients, errors
        (items, levels): the first level's own value, then contrasts with it, and their standard errors.
    freedom
        (items,): residual degrees of freedom.
    """

    r_squared: Floats
    p: Floats
    coefficients: Floats
    errors: Floats
    freedom: Floats

    @classmethod
    def of(cls, full: Fits, null: Fits) -> Analyses:
        """Return what the full model explains beyond the null model."""
        return cls(*full.explained_beyond(null), full.coefficients, full.errors, full.freedom)


@dataclass(frozen=True)
class Analysis:
    """One fairness analysis of one group: short and long name, and what `Analyses` has of each item."""

    key: str
    label: str
    r_squared: float
    p: float
    coefficients: Floats
    errors: Floats
    freedom: float


def analyses(sums: ErrorSums, order: list[int]) -> tuple[Analysis, ...]:
    """Return OSA, OSD and CSD for one group.

    Parameters
    ----------
    sums
        Error moments by level and human score.
    order
        Levels, the reference first.
    """
    found = stacked_analyses(sums.sums[:, order][:, None], sums.human[None])
    return tuple(
        Analysis(
            key, label, float(each.r_squared[0]), float(each.p[0]), each.coefficients[0], each.errors[0],
            float(each.freedom[0]),
        )
        for (key, label), each in zip(LABELS.items(), found, strict=True)
    )  # fmt: skip


def stacked_analyses(sums: Floats, human: Floats) -> tuple[Analyses, Analyses, Analyses]:
    """Return OSA, OSD and CSD of every item of a stack.

    Parameters
    ----------
    sums
        (5, items, levels, scores): n and the sums of the first four powers of the error, the reference level first;
        every level has responses, and every item has them at as many scores.
    human
        (items, scores): the human scores; nan where they are continuous: there are no categories to hold fixed, and
        CSD is undefined.
    """
    n, e1, e2, _, e4 = sums
    square = e2.sum((1, 2))
    with np.errstate(all="ignore"):
        osa = Analyses.of(one_way(n.sum(2), e2.sum(2), e4.sum((1, 2))), _mean_alone(n, e2, e4))
        osd = Analyses.of(one_way(n.sum(2), e1.sum(2), square), _mean_alone(n, e1, e2))
        given = n.sum(1)
        order = np.argsort(-given, axis=1, kind="stable")  # the most frequent human score is the reference
        order = order[:, : int((given[:1] > 0).sum())]  # small groups, which are left out, may have had others
        n, e1 = (np.take_along_axis(each, order[:, None, :], axis=2) for each in (n, e1))
        csd = Analyses.of(two_way(n, e1, square), one_way(n.sum(1), e1.sum(1), square))
    undefined = np.isnan(human).any(1)
    for values in (csd.r_squared, csd.p, csd.coefficients, csd.errors):
        values[undefined] = np.nan
    csd.freedom[undefined] = 0.0
    return osa, osd, csd


def _mean_alone(n: Floats, total: Floats, square: Floats) -> Fits:
    """Return the fits of the mean alone."""
    return one_way(n.sum((1, 2))[:, None], total.sum((1, 2))[:, None], square.sum((1, 2)))
